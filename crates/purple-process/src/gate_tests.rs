use super::*;
use crate::fixture::{by_policy, in_mutate, operation, plan, reference, step, time, tool};
use crate::grant::{ApprovedPlan, Next};
use crate::json::Json;
use crate::operation::{Operation, Repeat};
use crate::plan::Plan;
use crate::progress::{Outcome, Started};

fn call(name: &str, pairs: &[(&str, &str)]) -> Call {
    let arguments = pairs.iter().map(|(name, value)| ((*name).to_owned(), Json::from(*value)));
    Call::new(&tool(name), arguments.collect())
}

fn create(note: &str) -> Call {
    call("create_order", &[("note", note)])
}

fn one() -> Plan {
    plan(vec![operation("a", "create_order", &[("note", "x")])])
}

#[track_caller]
fn why(result: Result<Pass, Refusal>) -> Why {
    result.unwrap_err().why
}

#[test]
fn a_granted_write_passes_once() {
    let plan = one();
    let mut approved = by_policy(&plan, &[]);
    let walk = in_mutate();
    let pass = gate(walk.position(), create("x"), approved.grant(), time(30)).unwrap();
    assert_eq!(pass.call(), &create("x"));
    let spent = pass.operation().cloned().unwrap();
    assert_eq!((spent.step.as_str(), spent.plan), ("a", plan.hash()));
    assert_eq!(Some(spent.key), plan.keyed().map(|(_, key)| key).next());
    assert_eq!(pass.into_call(), (create("x"), Some(spent)));
    assert_eq!(why(gate(walk.position(), create("x"), approved.grant(), time(30))), Why::Spent);
}

#[test]
fn an_operation_that_was_started_before_a_crash_does_not_pass_again() {
    let plan = one();
    let (_, key) = plan.keyed().next().unwrap();
    for outcome in Outcome::ALL {
        let mut approved = by_policy(&plan, &[Started { key, outcome, result: None }]);
        assert_eq!(why(gate(in_mutate().position(), create("x"), approved.grant(), time(30))), Why::Spent);
    }
}

#[test]
fn equal_operations_pass_as_often_as_they_are_planned() {
    let write = |name: &str| operation(name, "create_order", &[("note", "x")]);
    let mut approved = by_policy(&plan(vec![write("a"), write("b")]), &[]);
    let walk = in_mutate();
    let mut keys = Vec::new();
    for name in ["a", "b"] {
        let pass = gate(walk.position(), create("x"), approved.grant(), time(30)).unwrap();
        let spent = pass.into_call().1.unwrap();
        assert_eq!(spent.step, step(name));
        keys.push(spent.key);
        approved.settle(&spent.step, Outcome::Verified, None).unwrap();
    }
    assert_ne!(keys[0], keys[1]);
    assert_eq!(why(gate(walk.position(), create("x"), approved.grant(), time(30))), Why::Spent);
}

#[test]
fn a_call_that_differs_in_anything_is_not_covered() {
    let walk = in_mutate();
    for other in [
        create("X"),
        create("x "),
        create(""),
        call("create_order", &[]),
        call("create_order", &[("note", "x"), ("more", "y")]),
        call("create_order", &[("Note", "x")]),
        call("update_order", &[("note", "x")]),
        Call::new(&tool("create_order"), Values::from([("note".to_owned(), Json::List(vec!["x".into()]))])),
        Call::new(&tool("create_order"), Values::from([("note".to_owned(), Json::Null)])),
    ] {
        let mut approved = by_policy(&one(), &[]);
        assert_eq!(why(gate(walk.position(), other, approved.grant(), time(30))), Why::NotCovered);
        // A refusal spends nothing.
        assert!(gate(walk.position(), create("x"), approved.grant(), time(30)).is_ok());
    }
}

#[test]
fn a_number_and_its_text_are_different_calls_and_two_notations_are_one() {
    let mut write = operation("a", "create_order", &[]);
    write.arguments.insert("count".to_owned(), Json::parse("100").unwrap().into());
    let passes = |text: &str| {
        let mut approved = by_policy(&plan(vec![write.clone()]), &[]);
        let count = Values::from([("count".to_owned(), Json::parse(text).unwrap())]);
        let call = Call::new(&tool("create_order"), count);
        gate(in_mutate().position(), call, approved.grant(), time(30)).is_ok()
    };
    assert!(passes("100") && passes("1e2") && passes("100.0"));
    assert!(!passes("\"100\"") && !passes("100.5") && !passes("\"#100\""));
}

#[test]
fn a_tool_that_changed_since_it_was_pinned_does_not_pass() {
    let drifted = Tool::new(
        ToolName::parse("create_order").unwrap(),
        &Json::from("another schema"),
        crate::evidence::Declared::NOTHING,
    );
    let arguments = create("x").arguments().clone();
    let mut approved = by_policy(&one(), &[]);
    let call = Call::new(&drifted, arguments);
    assert_eq!(why(gate(in_mutate().position(), call, approved.grant(), time(30))), Why::Drifted);
    assert!(gate(in_mutate().position(), create("x"), approved.grant(), time(30)).is_ok());
}

#[test]
fn a_grant_ends_to_the_second_and_stays_ended() {
    let pass = |times: &[i64]| {
        let mut approved = by_policy(&one(), &[]);
        let walk = in_mutate();
        let all: Vec<_> =
            times.iter().map(|at| gate(walk.position(), create("x"), approved.grant(), time(*at))).collect();
        all.into_iter().next_back().unwrap()
    };
    assert!(pass(&[999]).is_ok());
    assert_eq!(why(pass(&[1_000])), Why::Expired);
    assert_eq!(why(pass(&[1_000, 30])), Why::Expired);
}

#[test]
fn a_grant_is_for_its_session_and_its_round() {
    use crate::id::SessionId;
    let of = |session: &str, rounds: usize| {
        let mut draft = crate::fixture::draft(vec![operation("a", "create_order", &[("note", "x")])]);
        draft.session = SessionId::parse(session).unwrap();
        for _ in 0..rounds {
            draft.round = draft.round.next();
        }
        Plan::new(draft).unwrap()
    };
    let result =
        |plan: &Plan| gate(in_mutate().position(), create("x"), by_policy(plan, &[]).grant(), time(30));
    assert!(result(&of("s-1", 0)).is_ok());
    assert_eq!(why(result(&of("s-2", 0))), Why::OtherSession);
    assert_eq!(why(result(&of("s-1", 1))), Why::OtherRound);
}

#[test]
fn no_grant_covers_nothing() {
    let refusal = gate(in_mutate().position(), create("x"), Grant::nothing(), time(30)).unwrap_err();
    assert_eq!(refusal.to_string(), "`create_order` (write) is refused in MUTATE: nothing was granted");
    let read = gate(in_mutate().position(), call("get_order", &[]), Grant::nothing(), time(30)).unwrap();
    assert_eq!(read.operation(), None);
}

#[test]
fn writes_run_in_order_and_each_waits_for_the_one_before() {
    let plan =
        plan(vec![operation("a", "create_order", &[("note", "x")]), operation("b", "close_case", &[])]);
    let walk = in_mutate();
    let close = |approved: &mut ApprovedPlan| {
        gate(walk.position(), call("close_case", &[]), approved.grant(), time(30))
    };
    let mut approved = by_policy(&plan, &[]);
    assert_eq!(why(close(&mut approved)), Why::After(step("a")));
    let _ = gate(walk.position(), create("x"), approved.grant(), time(30)).unwrap();
    assert_eq!(why(close(&mut approved)), Why::After(step("a")));
    for outcome in Outcome::ALL {
        let mut approved = by_policy(&plan, &[]);
        let _ = gate(walk.position(), create("x"), approved.grant(), time(30)).unwrap();
        approved.settle(&step("a"), outcome, None).unwrap();
        let expected = matches!(outcome, Outcome::Verified | Outcome::Unverifiable);
        assert_eq!(close(&mut approved).is_ok(), expected, "{outcome:?}");
    }
}

#[test]
fn a_reference_is_covered_only_by_what_the_step_made() {
    let mut second = operation("b", "close_case", &[]);
    second.arguments.insert("case_id".to_owned(), reference("a", "id"));
    let plan = plan(vec![operation("a", "create_order", &[]), second]);
    let (_, key) = plan.keyed().next().unwrap();
    let result = Some(Json::parse(r#"{"id":"C-7"}"#).unwrap());
    let mut approved = by_policy(&plan, &[Started { key, outcome: Outcome::Verified, result }]);
    let close = |id: &str| call("close_case", &[("case_id", id)]);
    let walk = in_mutate();
    for wrong in ["C-8", "#@a.id", "a.id"] {
        let result = gate(walk.position(), close(wrong), approved.grant(), time(30));
        assert_eq!(why(result), Why::NotCovered, "{wrong}");
    }
    let Next::Run { step: at, arguments } = approved.next() else { panic!() };
    assert_eq!((at.as_str(), &arguments), ("b", close("C-7").arguments()));
    assert!(gate(walk.position(), close("C-7"), approved.grant(), time(30)).is_ok());
}

fn keyed() -> Operation {
    let mut write = operation("a", "create_order", &[("note", "x")]);
    write.repeat = Repeat::ByKey;
    write
}

#[test]
fn an_operation_is_sent_again_only_if_it_left_no_trace_and_its_target_knows_keys() {
    let walk = in_mutate();
    for repeat in [Repeat::Never, Repeat::ByKey] {
        let mut write = keyed();
        write.repeat = repeat;
        let plan = plan(vec![write]);
        let (_, key) = plan.keyed().next().unwrap();
        let again = |started: &[Started]| {
            let mut approved = by_policy(&plan, started);
            resend(walk.position(), &step("a"), &tool("create_order"), approved.grant(), time(30))
        };
        assert_eq!(why(again(&[])), Why::NotAbsent);
        for outcome in Outcome::ALL {
            let result = again(&[Started { key, outcome, result: None }]);
            match (outcome, repeat) {
                (Outcome::Absent, Repeat::ByKey) => {
                    let (sent, spent) = result.unwrap().into_call();
                    assert_eq!((sent, spent.map(|spent| spent.key)), (create("x"), Some(key)));
                }
                (Outcome::Absent, Repeat::Never) => assert_eq!(why(result), Why::NotByKey),
                _ => assert_eq!(why(result), Why::NotAbsent),
            }
        }
    }
}

#[test]
fn what_was_sent_again_is_in_doubt_again() {
    let plan = plan(vec![keyed()]);
    let (_, key) = plan.keyed().next().unwrap();
    let mut approved = by_policy(&plan, &[Started { key, outcome: Outcome::Absent, result: None }]);
    let walk = in_mutate();
    let again = |approved: &mut ApprovedPlan| {
        resend(walk.position(), &step("a"), &tool("create_order"), approved.grant(), time(30))
    };
    let _ = again(&mut approved).unwrap();
    assert_eq!(why(again(&mut approved)), Why::NotAbsent);
    approved.settle(&step("a"), Outcome::Verified, None).unwrap();
    assert_eq!(why(again(&mut approved)), Why::NotAbsent);
}

#[test]
fn sending_again_passes_the_same_gate() {
    let plan = plan(vec![keyed()]);
    let (_, key) = plan.keyed().next().unwrap();
    let result = |at: i64, name: &str, uses: &Tool| {
        let mut approved = by_policy(&plan, &[Started { key, outcome: Outcome::Absent, result: None }]);
        resend(in_mutate().position(), &step(name), uses, approved.grant(), time(at))
    };
    let right = tool("create_order");
    assert!(result(30, "a", &right).is_ok());
    assert_eq!(why(result(1_000, "a", &right)), Why::Expired);
    assert_eq!(why(result(30, "z", &right)), Why::NotCovered);
    assert_eq!(why(result(30, "a", &tool("update_order"))), Why::NotCovered);
    assert_eq!(why(result(30, "a", &tool("get_order"))), Why::WrongState);
    assert_eq!(why(result(30, "a", &tool("notify_team"))), Why::WrongState);
    let drifted = Tool::new(right.name().clone(), &Json::from("other"), crate::evidence::Declared::NOTHING);
    assert_eq!(why(result(30, "a", &drifted)), Why::Drifted);
    let nothing = resend(in_mutate().position(), &step("a"), &right, Grant::nothing(), time(30));
    assert_eq!(why(nothing), Why::NoGrant);
    let start = crate::walk::Walk::new(
        crate::id::SessionId::parse("s-1").unwrap(),
        crate::route::Route::question(crate::route::Arithmetic::None),
    );
    let mut approved = by_policy(&plan, &[Started { key, outcome: Outcome::Absent, result: None }]);
    let early = resend(start.position(), &step("a"), &right, approved.grant(), time(30));
    assert_eq!(why(early), Why::WrongState);
}

#[test]
fn only_an_approval_tool_can_be_a_channel() {
    for effect in Effect::ALL {
        let declared =
            crate::evidence::Declared { review: Some(effect), ..crate::evidence::Declared::NOTHING };
        let tool = Tool::new(ToolName::parse("ask_somebody").unwrap(), &Json::Null, declared);
        assert_eq!(ApprovalChannel::declare(tool).is_some(), effect == Effect::Approval);
    }
}

#[test]
fn a_notice_waits_for_every_write_of_its_plan_wherever_it_stands() {
    let tell = || operation("t", "notify_team", &[]);
    let write = || operation("a", "create_order", &[("note", "x")]);
    for operations in [vec![tell(), write()], vec![write(), tell()]] {
        let plan = plan(operations);
        let states =
            [State::Decompose, State::Assess, State::PolicyCheck, State::ScheduleNotify, State::Complete];
        let route = crate::route::Route::parse(&states).unwrap();
        let walk = crate::walk::Walk::new(plan.draft().session.clone(), route);
        let telling = crate::fixture::plan(vec![tell()]);
        let ruling = crate::fixture::ruling(&telling, purple_policy::Verdict::Allow, Vec::new());
        let facts = [crate::Fact::Decomposed, crate::Fact::Assessed, crate::Fact::Judged(&ruling)];
        let walk = facts.into_iter().fold(walk, |walk, fact| walk.after(fact).unwrap());
        let told = |started: &[Started]| {
            gate(walk.position(), call("notify_team", &[]), by_policy(&plan, started).grant(), time(30))
                .map(drop)
        };
        assert_eq!(told(&[]).unwrap_err().why, Why::After(step("a")));
        let (_, key) = plan.keyed().find(|(operation, _)| operation.step == step("a")).unwrap();
        for outcome in Outcome::ALL {
            let result = told(&[Started { key, outcome, result: None }]);
            assert_eq!(result.is_ok(), outcome.lets_go_on(), "{outcome:?}");
        }
    }
}
