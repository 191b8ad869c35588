//! The laws of the loop, walked exhaustively: the table, and every short conversation with the machine.
//!
//! `properties.rs` holds the same laws for arbitrary behaviour, `guards.rs` the named guards.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use agent_runtime::detail::{AuditEntry, Deciding, Finishing, Planning};
use agent_runtime::machine::{LOOP, Phase, Table};
use agent_runtime::model::{FinishReason, ModelReply};
use agent_runtime::{AgentRun, Ask, Interruption, Limits, Policy, Setup, Told};
use serde_json::json;
use support::{MS, Switches, call, check_laws, failed, plan_schema, setup, unreachable_model};

/// A second opinion on the table, copied by hand from the document that defines it.
fn is_legal(from: Phase, to: Phase) -> bool {
    use Phase::{Decide, Execute, Finalize, Halt, Intake, LoopCheck, Observe, Plan};
    match from {
        Intake => to == Plan,
        Plan => to == Decide || to == Halt,
        Decide => to == Execute || to == Finalize || to == Halt,
        Execute => to == Observe || to == Finalize || to == Halt,
        Observe => to == LoopCheck,
        LoopCheck => to == Execute || to == Finalize || to == Halt,
        Finalize | Halt => false,
    }
}

#[test]
fn every_pair_of_states_is_legal_exactly_where_the_definition_says_so() {
    let mut walked = 0;
    for from in Phase::ALL {
        for to in Phase::ALL {
            walked += 1;
            match LOOP.check(from, to) {
                Ok(()) => assert!(is_legal(from, to), "{from} to {to} is not in the definition"),
                Err(refusal) => {
                    assert!(!is_legal(from, to), "{from} to {to} is in the definition");
                    assert_eq!((refusal.from(), refusal.to()), (from, to));
                    let allowed: Vec<Phase> = LOOP.next(from).collect();
                    assert_eq!(refusal.allowed(), allowed);
                    let text = refusal.to_string();
                    assert!(text.starts_with(&format!("illegal move from {from} to {to}: ")), "{text}");
                    let why = allowed.first().map_or("is terminal".to_owned(), Phase::to_string);
                    assert!(text.contains(&why), "{text}");
                }
            }
        }
    }
    assert_eq!(walked, 64);
    println!("walked {walked} pairs of states, {} of them legal", LOOP.moves().len());
}

#[test]
fn an_illegal_move_says_what_may_follow_instead() {
    let refusal = |from, to| LOOP.check(from, to).unwrap_err().to_string();
    assert_eq!(
        refusal(Phase::Observe, Phase::Finalize),
        "illegal move from OBSERVE to FINALIZE: only LOOP_CHECK may follow OBSERVE"
    );
    assert_eq!(
        refusal(Phase::Decide, Phase::Observe),
        "illegal move from DECIDE to OBSERVE: only EXECUTE, FINALIZE or HALT may follow DECIDE"
    );
    assert_eq!(refusal(Phase::Halt, Phase::Plan), "illegal move from HALT to PLAN: HALT is terminal");
}

#[test]
fn every_state_is_reached_and_from_every_state_an_end_is_reached() {
    assert_eq!(LOOP.start(), Phase::Intake);
    assert_eq!(LOOP.states(), Phase::ALL);
    let reached: BTreeSet<Phase> = LOOP.reachable(Phase::Intake).into_iter().collect();
    assert_eq!(reached, BTreeSet::from(Phase::ALL));
    for state in Phase::ALL {
        let ends = LOOP.reachable(state).into_iter().any(|end| LOOP.is_terminal(end));
        assert!(ends, "{state} cannot end");
        assert_eq!(LOOP.is_terminal(state), state == Phase::Finalize || state == Phase::Halt);
        assert!(!LOOP.next(state).any(|next| next == Phase::Intake), "{state} leads back to INTAKE");
    }
    assert_eq!(LOOP.reachable(Phase::Halt), [Phase::Halt]);
    assert_eq!(LOOP.reachable(Phase::Finalize), [Phase::Finalize]);
}

#[test]
fn execute_observe_loop_check_is_the_only_cycle() {
    let in_cycle = |state| LOOP.next(state).any(|next| LOOP.reachable(next).contains(&state));
    let cycle: Vec<Phase> = Phase::ALL.into_iter().filter(|state| in_cycle(*state)).collect();
    assert_eq!(cycle, [Phase::Execute, Phase::Observe, Phase::LoopCheck]);
    // Inside it each state has one way on, so that there is no shorter round.
    assert_eq!(LOOP.next(Phase::Observe).collect::<Vec<_>>(), [Phase::LoopCheck]);
    assert_eq!(LOOP.next(Phase::Execute).filter(|next| cycle.contains(next)).count(), 1);
    assert_eq!(LOOP.next(Phase::LoopCheck).filter(|next| cycle.contains(next)).count(), 1);
}

#[test]
fn every_path_of_the_table_is_a_path_and_every_path_with_one_move_changed_is_not() {
    const MOVES_MAX: usize = 30;
    let (mut complete, mut changed) = (0, 0);
    let mut open = vec![vec![LOOP.start()]];
    while let Some(path) = open.pop() {
        LOOP.check_path(&path).unwrap();
        for wrong in Phase::ALL {
            let last = *path.last().unwrap();
            if !is_legal(last, wrong) {
                let longer: Vec<Phase> = path.iter().copied().chain([wrong]).collect();
                assert!(LOOP.check_path(&longer).is_err());
                changed += 1;
            }
        }
        let last = *path.last().unwrap();
        complete += u32::from(LOOP.is_terminal(last));
        if path.len() <= MOVES_MAX {
            open.extend(LOOP.next(last).map(|next| path.iter().copied().chain([next]).collect()));
        }
    }
    assert!(LOOP.check_path(&[Phase::Plan]).is_err(), "a path begins in INTAKE");
    assert!(LOOP.check_path(&[]).is_ok());
    println!(
        "walked {complete} complete paths of up to {MOVES_MAX} moves, refused {changed} wrong continuations"
    );
    assert!(complete > 20);
}

#[test]
fn a_table_finds_what_cannot_be_reached() {
    use agent_runtime::machine::Move;
    static ISLAND: Table<u8> = Table::new(1, &[1, 2, 3], &[Move { from: 3, to: 1, when: "never" }]);
    assert_eq!(ISLAND.reachable(1), [1]);
    assert_eq!(ISLAND.reachable(3), [3, 1]);
    assert!(ISLAND.is_terminal(2));
    assert_eq!(ISLAND.moves().len(), 1);
}

/// Everything that can be answered to what the run asks, from a small alphabet that has each kind of thing in it.
fn answers(run: &AgentRun) -> Vec<Told> {
    let interrupted = [
        Told::Interrupted(Interruption::OutOfTime),
        Told::Interrupted(Interruption::Cancelled { by: "somebody".to_owned() }),
    ];
    match run.ask() {
        Ask::Stop(_) => Vec::new(),
        Ask::Model(_) => {
            let mut cut = ModelReply::text("half a");
            cut.finish = FinishReason::Length;
            let replies = [
                ModelReply::text(r#"{ "goal": "planned" }"#),
                ModelReply::text(r#"{ "continue": true, "reason": "yes" }"#),
                ModelReply::text(r#"{ "continue": false, "reason": "no" }"#),
                ModelReply::text("words"),
                ModelReply::text(""),
                ModelReply::calls(vec![call("a", "look")]),
                ModelReply::calls(vec![call("b", "made_up")]),
                ModelReply::calls(vec![call("c", "look"), call("d", "made_up"), call("e", "look")]),
                cut,
            ];
            let replies = replies.into_iter().map(Told::Reply);
            replies.chain([Told::Failed(unreachable_model())]).chain(interrupted).collect()
        }
        Ask::Tools(mut due) => {
            let first = due.remove(0);
            let id = first.call().id.clone();
            let of =
                |outcome| Told::Results(vec![agent_runtime::ToolResult { call_id: id.clone(), outcome }]);
            let told = [
                of(Ok(json!({ "seen": 1 }))),
                of(Err(failed("look", "odd"))),
                of(Err(failed("look", "FATAL"))),
            ];
            told.into_iter().chain(interrupted).collect()
        }
    }
}

#[derive(Default)]
struct Walked {
    turns: u64,
    endings: u64,
    moves: BTreeSet<(Phase, Phase)>,
    causes: BTreeSet<&'static str>,
}

/// Walks every conversation from here on and checks every law at every turn.
fn walk(run: AgentRun, mut audit: Vec<AuditEntry>, policy: &dyn Policy, walked: &mut Walked) {
    let mut run = run;
    audit.extend(run.take_audit());
    check_laws(&run, &audit);
    walked.moves.extend(run.history().iter().map(|step| (step.from, step.to)));
    match run.ending() {
        Some(agent_runtime::Ending::Halted(cause)) => {
            walked.causes.insert(cause.code());
            walked.endings += 1;
        }
        Some(agent_runtime::Ending::Finished(_)) => walked.endings += 1,
        None => {}
    }
    for told in answers(&run) {
        walked.turns += 1;
        let mut next = run.clone();
        next.tell(told, MS, policy).unwrap();
        walk(next, audit.clone(), policy, walked);
    }
}

fn setups() -> Vec<Setup> {
    let planning = [None, Some(Planning::Model { schema: plan_schema(), prompt: "plan".to_owned() })];
    let deciding = [Deciding::Rule, Deciding::Model { prompt: "decide".to_owned() }];
    let finishing = [Finishing::LastText, Finishing::Summary { prompt: "sum up".to_owned() }];
    let mut setups = Vec::new();
    for planning in &planning {
        for deciding in &deciding {
            for finishing in &finishing {
                let mut one = setup(&["look"]);
                one.limits = Limits { iterations_max: 2, ..Limits::DEFAULT };
                one.deciding = deciding.clone();
                one.finishing = finishing.clone();
                if let Some(planning) = planning {
                    one.planning = planning.clone();
                }
                setups.push(one);
            }
        }
    }
    setups
}

fn policies() -> Vec<Switches> {
    let fatal = Some("FATAL");
    vec![
        Switches { fatal, ..Switches::default() },
        Switches { refuse_plan: true, ..Switches::default() },
        Switches { stop_at_decide: true, ..Switches::default() },
        Switches { refuse_decision: true, ..Switches::default() },
        Switches { fatal, refuse_from: Some(1), ..Switches::default() },
        Switches { fatal, converge_from: Some(1), ..Switches::default() },
        Switches { fatal: Some("may be called"), converge_from: Some(2), ..Switches::default() },
    ]
}

#[test]
fn every_short_conversation_keeps_every_law_and_takes_every_move() {
    let mut walked = Walked::default();
    let mut combinations = 0;
    for setup in setups() {
        for policy in policies() {
            combinations += 1;
            let run = AgentRun::start(setup.clone(), &policy).unwrap();
            walk(run, Vec::new(), &policy, &mut walked);
        }
    }
    println!(
        "walked {combinations} set-ups, {} turns to {} endings; {} of {} moves taken; causes: {:?}",
        walked.turns,
        walked.endings,
        walked.moves.len(),
        LOOP.moves().len(),
        walked.causes
    );
    let all: BTreeSet<(Phase, Phase)> = LOOP.moves().iter().map(|row| (row.from, row.to)).collect();
    assert_eq!(walked.moves, all, "a move that is never taken is a question");
    assert!(walked.turns > 10_000);
}

#[test]
fn a_run_out_of_time_ends_at_once_in_every_state() {
    let late = Duration::from_secs(3600);
    let mut walked = 0;
    for setup in setups() {
        let policy = Switches::default();
        let mut open = vec![AgentRun::start(setup, &policy).unwrap()];
        while let Some(run) = open.pop() {
            assert!(run.iteration() <= 2, "the walk would not end");
            for told in answers(&run) {
                let mut next = run.clone();
                next.tell(told.clone(), MS, &policy).unwrap();
                open.push(next);
                let mut next = run.clone();
                next.tell(told, late, &policy).unwrap();
                assert!(next.is_terminal(), "{} goes on after its time", next.state_name());
                walked += 1;
            }
        }
    }
    println!("walked {walked} late answers");
    assert!(walked > 1_000);
}
