//! The laws of the process machine, walked in full.
//!
//! What the design says is written here a second time, on purpose in another form than in the code.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use purple_policy::Verdict;
use purple_process::{
    ApprovalChannel, ApprovedPlan, Digest, Directory, Effect, Ending, Event, Evidence, Fact, Grant,
    GrantRefused, Landing, MOVES, Operation, Outcome, Pass, Person, PersonId, Plan, PlanHash, PlanRuling,
    Ran, Refusal, Requirement, Role, Round, Route, STATES, Standing, Started, State, Walk, Who, Why, ask,
    gate, lawful, restore, step,
};
use support::{call, granted, operation, plan_of, ruling, session, time, yes};

const ALL_EIGHT: &str = "DACPGMNK";

fn letter(state: State) -> char {
    match state {
        State::Decompose => 'D',
        State::Assess => 'A',
        State::Compute => 'C',
        State::PolicyCheck => 'P',
        State::ApprovalGate => 'G',
        State::Mutate => 'M',
        State::ScheduleNotify => 'N',
        State::Complete => 'K',
        State::Escalate => 'E',
        State::Failed => 'F',
    }
}

fn states(letters: &str) -> Vec<State> {
    letters
        .chars()
        .map(|wanted| State::ALL.into_iter().find(|state| letter(*state) == wanted).unwrap())
        .collect()
}

fn route(letters: &str) -> Route {
    Route::parse(&states(letters)).unwrap()
}

/// What the design says about moves: event, where it is lawful, where it leads; `!` inserts the target.
const DESIGN_MOVES: &[(&str, &str, &str)] = &[
    ("decomposed", "D", "A"),
    ("assessed", "A", "C"),
    ("computed", "C", "P"),
    ("privacy_refused", "D", "K!"),
    ("cleared", "P", "M"),
    ("cleared_to_tell", "P", "N!"),
    ("needs_approval", "P", "G!"),
    ("nothing_to_do", "P", "K!"),
    ("blocked", "P", "K!"),
    ("granted", "G", "M"),
    ("granted_to_tell", "G", "N!"),
    ("declined", "G", "K!"),
    ("expired", "G", "K!"),
    ("revised", "G", "P!"),
    ("superseded", "G", "D!"),
    ("captured", "MN", "P!"),
    ("reopened", "M", "G!"),
    ("applied", "M", "N"),
    ("applied_with_notices", "M", "N!"),
    ("notified", "N", "K!"),
    ("escalated", "DACPGMN", "E!"),
    ("cancelled", "DACPGMN", "K!"),
    ("failed", "DACPGMN", "F!"),
    ("new_round", "KEF", "D!"),
];

#[test]
fn every_state_and_event_moves_as_designed_or_is_refused_by_name() {
    let mut walked = 0;
    for from in State::ALL {
        for event in Event::ALL {
            walked += 1;
            let (_, places, target) = DESIGN_MOVES.iter().find(|(name, _, _)| *name == event.name()).unwrap();
            match step(from, event) {
                Ok(row) => {
                    assert!(places.contains(letter(from)), "{from} {event}");
                    assert_eq!(letter(row.to), target.chars().next().unwrap(), "{from} {event}");
                    assert_eq!(row.landing == Landing::Demand, target.ends_with('!'), "{from} {event}");
                    assert_eq!((row.from, row.event), (from, event));
                }
                Err(refusal) => {
                    assert!(!places.contains(letter(from)), "{from} {event}");
                    let text = refusal.to_string();
                    assert!(text.contains(from.name()) && text.contains(event.name()), "{text}");
                    assert!(lawful(from).all(|event| text.contains(event.name())), "{text}");
                }
            }
        }
    }
    assert_eq!(walked, State::ALL.len() * Event::ALL.len());
    assert_eq!(MOVES.len(), DESIGN_MOVES.iter().map(|(_, places, _)| places.len()).sum::<usize>());
    assert_eq!(DESIGN_MOVES.len(), Event::ALL.len());
    println!("walked {walked} combinations of state and event, {} of them lawful", MOVES.len());
}

#[test]
fn the_table_has_one_row_for_a_state_and_an_event_and_reaches_everything() {
    let rows: BTreeSet<(State, Event)> = MOVES.iter().map(|row| (row.from, row.event)).collect();
    assert_eq!(rows.len(), MOVES.len());
    let mut reached = BTreeSet::from([State::Decompose]);
    while let Some(row) = MOVES.iter().find(|row| reached.contains(&row.from) && !reached.contains(&row.to)) {
        reached.insert(row.to);
    }
    assert_eq!(reached.len(), State::ALL.len());
    for state in State::ALL {
        let names: Vec<Event> = lawful(state).collect();
        match state {
            State::Complete | State::Escalate | State::Failed => assert_eq!(names, [Event::NewRound]),
            _ => assert!(names.ends_with(&[Event::Escalated, Event::Cancelled, Event::Failed])),
        }
        assert_eq!(state.is_ending(), "KEF".contains(letter(state)));
    }
    assert_eq!(
        step(State::Failed, Event::Cleared).unwrap_err().to_string(),
        "`cleared` is no move from FAILED; lawful there: new_round"
    );
}

#[test]
fn names_and_stored_names_agree() {
    for state in State::ALL {
        assert_eq!(serde_json::to_string(&state).unwrap(), format!("\"{state}\""));
        assert_eq!(State::parse(state.name()), Some(state));
        assert_eq!(state.row().state, state);
    }
    assert_eq!(State::parse("decompose"), None);
    for event in Event::ALL {
        assert_eq!(serde_json::to_string(&event).unwrap(), format!("\"{event}\""));
        assert_eq!(event.opens_round(), matches!(event, Event::Superseded | Event::NewRound));
    }
    for effect in Effect::ALL {
        assert_eq!(serde_json::to_string(&effect).unwrap(), format!("\"{effect}\""));
    }
    assert!(State::ALL.is_sorted() && State::ORDER.is_sorted());
    assert_eq!(STATES.map(|row| row.state), State::ALL);
}

#[test]
fn every_way_into_an_ending_has_its_name() {
    for row in MOVES {
        let expected = match (letter(row.to), row.event.name()) {
            ('E', _) => Some(Ending::Escalated),
            ('F', _) => Some(Ending::Failed),
            ('K', "cancelled") => Some(Ending::Cancelled),
            ('K', "declined" | "expired") => Some(Ending::Declined),
            ('K', "blocked") => Some(Ending::Blocked),
            ('K', "privacy_refused") => Some(Ending::Refused),
            ('K', _) => Some(Ending::Done),
            _ => None,
        };
        assert_eq!(Ending::of(row.event, row.to), expected, "{row:?}");
    }
    // Moves that the route may carry on to COMPLETE.
    for event in ["decomposed", "assessed", "computed", "cleared", "granted", "applied"] {
        let event = Event::ALL.into_iter().find(|found| found.name() == event).unwrap();
        assert_eq!(Ending::of(event, State::Complete), Some(Ending::Done));
    }
    for event in Event::ALL {
        assert_eq!(Ending::of(event, State::Mutate), None);
    }
}

/// What the design says about routes, read off the letters.
fn is_lawful(letters: &str) -> bool {
    let at = |wanted: char| letters.find(wanted);
    let needs = |state: char, before: char| at(state).is_none() || at(before).is_some();
    let ordered = letters.chars().collect::<Vec<_>>().windows(2).all(|pair| {
        let place = |letter: char| ALL_EIGHT.find(letter);
        matches!((place(pair[0]), place(pair[1])), (Some(left), Some(right)) if left < right)
    });
    letters.starts_with('D')
        && letters.ends_with('K')
        && ordered
        && [('M', 'A'), ('M', 'P'), ('G', 'P'), ('N', 'P')]
            .iter()
            .all(|(state, before)| needs(*state, *before))
}

/// All routes of up to eight states in their order.
fn subsets() -> impl Iterator<Item = String> {
    (0_u32..256).map(|mask| {
        let kept = ALL_EIGHT.chars().enumerate().filter(|(place, _)| mask & (1 << place) != 0);
        kept.map(|(_, letter)| letter).collect()
    })
}

fn lawful_routes() -> Vec<Route> {
    subsets().filter(|letters| is_lawful(letters)).map(|letters| route(&letters)).collect()
}

#[test]
fn exactly_the_lawful_routes_are_accepted() {
    let (mut walked, mut accepted) = (0, 0);
    let mut check = |letters: &str| {
        let parsed = Route::parse(&states(letters));
        assert_eq!(parsed.is_ok(), is_lawful(letters), "{letters}: {parsed:?}");
        if let Err(error) = parsed {
            assert!(!error.flaws.is_empty());
        }
        walked += 1;
        accepted += usize::from(is_lawful(letters));
    };
    // Every subset in order, and every sequence of up to five states, endings and repetitions included.
    subsets().for_each(|letters| check(&letters));
    let mut sequences = vec![String::new()];
    for _ in 0..5 {
        sequences = sequences
            .iter()
            .flat_map(|start| State::ALL.map(|state| format!("{start}{}", letter(state))))
            .collect();
        sequences.iter().for_each(|letters| check(letters));
    }
    assert_eq!(lawful_routes().len(), 28);
    println!("walked {walked} routes, {accepted} of them lawful");
}

#[test]
fn the_routes_of_the_fifteen_processes_are_lawful() {
    let routes = [
        ("expense_approval", "DACPGMK"),
        ("procurement", "DACPGMNK"),
        ("hr_offboarding", "DAPMNK"),
        ("incident_response", "DACPGMNK"),
        ("invoice_reconciliation", "DACPMK"),
        ("customer_onboarding", "DAPMNK"),
        ("compliance_audit", ALL_EIGHT),
        ("dispute_resolution", "DAPGMK"),
        ("order_management", "DACPGMNK"),
        ("sla_breach", "DACPMNK"),
        ("month_end_close", ALL_EIGHT),
        ("ar_collections", "DACPMNK"),
        ("subscription_migration", ALL_EIGHT),
        ("payroll", ALL_EIGHT),
        ("general", "DACPMNK"),
    ];
    for (name, letters) in routes {
        assert!(Route::parse(&states(letters)).is_ok(), "{name}");
    }
}

/// A walk on the full route that has come to this state.
fn walk_to(state: State) -> Walk {
    let plan = writing(Round::FIRST);
    let (ask, approved) = (ruling(&plan, Verdict::RequireApproval), run(&plan, Outcome::Verified));
    let facts = [
        Fact::Decomposed,
        Fact::Assessed,
        Fact::Computed,
        Fact::Judged(&ask),
        Fact::Granted(&approved),
        Fact::Applied(&[approved.ran()]),
        Fact::Notified,
    ];
    let start = Walk::new(session("s-1"), route(ALL_EIGHT));
    let walk = match state {
        State::Escalate => start.after(Fact::Escalated).unwrap(),
        State::Failed => start.after(Fact::Failed).unwrap(),
        _ => {
            let mut walk = start;
            let mut rest = facts.iter();
            while walk.state() != state {
                walk = walk.after(*rest.next().unwrap()).unwrap();
            }
            walk
        }
    };
    assert_eq!(walk.state(), state);
    walk
}

/// One notice and one write. The notice stands first: it waits for the write all the same.
fn writing(round: Round) -> Plan {
    plan_of("s-1", round, both("x"))
}

fn both(note: &str) -> Vec<Operation> {
    vec![operation("tell", Effect::Notify, note), operation("write", Effect::Write, note)]
}

fn telling(round: Round) -> Plan {
    plan_of("s-1", round, vec![operation("tell", Effect::Notify, "x")])
}

/// The plan with its write, or else its notice, already run, with this outcome.
fn run(plan: &Plan, outcome: Outcome) -> ApprovedPlan {
    let (_, key) = plan.keyed().max_by_key(|(operation, _)| operation.effect == Effect::Write).unwrap();
    granted(plan, Verdict::Allow, &[Started { key, outcome, result: None }])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Nothing,
    OtherPlan,
    OtherArguments,
    OtherSession,
    OtherRound,
    RightByPolicy,
    RightByPeople,
    Spent,
    Expired,
    WriteOpen,
    WriteIs(Outcome),
}

const HELD: [Held; 15] = [
    Held::Nothing,
    Held::OtherPlan,
    Held::OtherArguments,
    Held::OtherSession,
    Held::OtherRound,
    Held::RightByPolicy,
    Held::RightByPeople,
    Held::Spent,
    Held::Expired,
    Held::WriteOpen,
    Held::WriteIs(Outcome::InDoubt),
    Held::WriteIs(Outcome::Verified),
    Held::WriteIs(Outcome::Unverifiable),
    Held::WriteIs(Outcome::Mismatch),
    Held::WriteIs(Outcome::Absent),
];

/// Puts a call of this effect through the gate with this kind of grant.
fn answer(at: &Walk, effect: Effect, held: Held) -> Result<Pass, Refusal> {
    let only = |session: &str, round: Round, note: &str| {
        let operation = match effect {
            Effect::Notify => operation("tell", Effect::Notify, note),
            _ => operation("write", Effect::Write, note),
        };
        plan_of(session, round, vec![operation])
    };
    let (first, second) = (Round::FIRST, Round::FIRST.next());
    let right = || only("s-1", first, "x");
    let mut now = time(2);
    let mut grant = match held {
        Held::Nothing => return gate(at.position(), call(effect, "x"), Grant::nothing(), now),
        Held::OtherPlan => {
            let other = match effect {
                Effect::Notify => operation("write", Effect::Write, "x"),
                _ => operation("tell", Effect::Notify, "x"),
            };
            granted(&plan_of("s-1", first, vec![other]), Verdict::Allow, &[])
        }
        Held::OtherArguments => granted(&only("s-1", first, "y"), Verdict::Allow, &[]),
        Held::OtherSession => granted(&only("s-2", first, "x"), Verdict::Allow, &[]),
        Held::OtherRound => granted(&only("s-1", second, "x"), Verdict::Allow, &[]),
        Held::RightByPolicy => granted(&right(), Verdict::Allow, &[]),
        Held::RightByPeople => granted(&right(), Verdict::RequireApproval, &[]),
        Held::Spent => run(&right(), Outcome::Verified),
        Held::Expired => {
            now = time(500);
            granted(&right(), Verdict::RequireApproval, &[])
        }
        Held::WriteOpen => granted(&writing(first), Verdict::Allow, &[]),
        Held::WriteIs(outcome) => run(&writing(first), outcome),
    };
    gate(at.position(), call(effect, "x"), grant.grant(), now)
}

/// What the design says: which powers a state has.
fn design_allows(state: State, effect: Effect) -> &'static str {
    match (letter(state), effect) {
        ('D' | 'A' | 'G' | 'M' | 'N', Effect::Read) => "yes",
        ('C', Effect::Compute) => "yes",
        ('M', Effect::Write | Effect::Approval) | ('N', Effect::Notify) => "granted",
        _ => "no",
    }
}

/// Why a grant of this kind does not let the operation through.
fn design_refuses(effect: Effect, held: Held) -> Option<Why> {
    let write_first = || Some(Why::After(support::step("write")));
    match held {
        Held::Nothing => Some(Why::NoGrant),
        Held::OtherPlan | Held::OtherArguments => Some(Why::NotCovered),
        Held::OtherSession => Some(Why::OtherSession),
        Held::OtherRound => Some(Why::OtherRound),
        Held::RightByPolicy | Held::RightByPeople => None,
        Held::Spent => Some(Why::Spent),
        Held::Expired => Some(Why::Expired),
        Held::WriteOpen if effect == Effect::Write => None,
        Held::WriteOpen => write_first(),
        Held::WriteIs(_) if effect == Effect::Write => Some(Why::Spent),
        Held::WriteIs(Outcome::Verified | Outcome::Unverifiable) => None,
        Held::WriteIs(Outcome::InDoubt | Outcome::Mismatch | Outcome::Absent) => write_first(),
    }
}

#[test]
fn every_state_effect_and_grant_is_answered_as_designed() {
    let (mut walked, mut passed) = (0, 0);
    for state in State::ALL {
        let walk = walk_to(state);
        for effect in Effect::ALL {
            for held in HELD {
                walked += 1;
                let expected = match design_allows(state, effect) {
                    "yes" => None,
                    // The plans of this law ask nobody anything.
                    "granted" if effect == Effect::Approval => match design_refuses(Effect::Write, held) {
                        None | Some(Why::Spent) => Some(Why::NotCovered),
                        why => why,
                    },
                    "granted" => design_refuses(effect, held),
                    _ => Some(Why::WrongState),
                };
                match answer(&walk, effect, held) {
                    Ok(pass) => {
                        passed += 1;
                        assert_eq!(expected, None, "{state} {effect} {held:?}");
                        assert_eq!(pass.call(), &call(effect, "x"));
                        let operates = matches!(effect, Effect::Write | Effect::Notify);
                        assert_eq!(pass.operation().is_some(), operates);
                        assert!(effect != Effect::Write || state == State::Mutate);
                    }
                    Err(refusal) => {
                        assert_eq!(Some(&refusal.why), expected.as_ref(), "{state} {effect} {held:?}");
                        assert_eq!((refusal.state, refusal.effect), (state, effect));
                        let text = refusal.to_string();
                        assert!(text.contains(state.name()) && text.contains(effect.name()), "{text}");
                    }
                }
            }
        }
    }
    assert_eq!(walked, 10 * 5 * 15);
    println!("walked {walked} combinations of state, effect and grant, {passed} of them passed");
}

#[test]
fn a_card_is_put_to_an_approval_channel_at_the_gate_and_nowhere_else() {
    let channel = ApprovalChannel::declare(support::tool(Effect::Approval)).unwrap();
    for state in State::ALL {
        let walk = walk_to(state);
        match ask(walk.position(), &channel, call(Effect::Approval, "card").arguments().clone()) {
            Ok(pass) => {
                assert_eq!(state, State::ApprovalGate);
                assert_eq!(pass.into_call(), (call(Effect::Approval, "card"), None));
            }
            Err(refusal) => {
                assert_ne!(state, State::ApprovalGate);
                assert_eq!((refusal.state, refusal.why), (state, Why::WrongState));
            }
        }
    }
}

/// Everything that can be said to happen in a round, with proofs of that round.
struct Proofs {
    writing: [PlanRuling; 4],
    telling: [PlanRuling; 4],
    empty: PlanRuling,
    done: ApprovedPlan,
    silent: ApprovedPlan,
    open: ApprovedPlan,
    tells: ApprovedPlan,
    plans: Vec<Plan>,
}

impl Proofs {
    fn new(round: Round) -> Self {
        let (writes, tells) = (writing(round), telling(round));
        let empty = plan_of("s-1", round, vec![]);
        let write_only = plan_of("s-1", round, vec![operation("write", Effect::Write, "x")]);
        Self {
            writing: Verdict::ALL.map(|verdict| ruling(&writes, verdict)),
            telling: Verdict::ALL.map(|verdict| ruling(&tells, verdict)),
            empty: ruling(&empty, Verdict::Allow),
            done: run(&writes, Outcome::Verified),
            silent: run(&write_only, Outcome::Unverifiable),
            open: granted(&writes, Verdict::Allow, &[]),
            tells: granted(&tells, Verdict::Allow, &[]),
            plans: vec![writes, tells, write_only, empty],
        }
    }

    /// The records of all plans that this walk gave permission to.
    fn ran_all(&self, walk: &Walk, outcome: Outcome) -> Vec<Ran> {
        let named = |hash: &PlanHash| self.plans.iter().find(|plan| plan.hash() == *hash).unwrap();
        let ran = |plan: &Plan| {
            let started: Vec<_> = plan
                .keyed()
                .filter(|(operation, _)| operation.effect == Effect::Write)
                .map(|(_, key)| Started { key, outcome, result: None })
                .collect();
            Ran::new(plan, &started)
        };
        walk.plans().iter().map(|hash| ran(named(hash))).collect()
    }
}

/// Calls `with` for every fact that could be told.
fn each_fact(proofs: &Proofs, walk: &Walk, mut with: impl FnMut(Fact<'_>)) {
    for fact in [
        Fact::Decomposed,
        Fact::Assessed,
        Fact::Computed,
        Fact::PrivacyRefused,
        Fact::NothingToDo,
        Fact::Stopped,
        Fact::Declined,
        Fact::Expired,
        Fact::Revised,
        Fact::Superseded,
        Fact::Captured,
        Fact::Notified,
        Fact::Escalated,
        Fact::Cancelled,
        Fact::Failed,
        Fact::NewRound,
        Fact::Judged(&proofs.empty),
        Fact::Granted(&proofs.open),
        Fact::Granted(&proofs.tells),
        Fact::Applied(&[]),
        Fact::Applied(&[proofs.done.ran()]),
        Fact::Applied(&[proofs.silent.ran()]),
        Fact::Applied(&[proofs.done.ran(), proofs.open.ran()]),
        Fact::Applied(&proofs.ran_all(walk, Outcome::Verified)),
        Fact::Applied(&proofs.ran_all(walk, Outcome::Mismatch)),
    ] {
        with(fact);
    }
    for ruling in proofs.writing.iter().chain(&proofs.telling) {
        with(Fact::Judged(ruling));
        with(Fact::Reopened(ruling));
    }
}

#[derive(Default)]
struct Tally {
    places: usize,
    facts: usize,
    gates: usize,
    writes: usize,
    moves: BTreeSet<(State, Event)>,
}

struct Explorer {
    proofs: BTreeMap<Round, Proofs>,
    unused: BTreeMap<(Round, Effect), ApprovedPlan>,
    tally: Tally,
}

impl Explorer {
    /// Tries every call here, then every fact, and goes on from wherever one leads.
    fn explore(&mut self, walk: &Walk, visited: &[State], moves_left: usize) {
        self.tally.places += 1;
        for state in State::ALL {
            let was_there = state == State::Decompose || visited.contains(&state);
            assert_eq!(walk.visited(state), was_there, "{visited:?} {state}");
        }
        self.try_gate(walk, visited);
        if moves_left == 0 {
            return;
        }
        let round = walk.round();
        let proofs = self.proofs.remove(&round).unwrap_or_else(|| Proofs::new(round));
        let mut next = Vec::new();
        let mut tried = 0;
        each_fact(&proofs, walk, |fact| {
            tried += 1;
            if let Ok(after) = walk.after(fact)
                && !next.contains(&after)
            {
                next.push(after);
            }
        });
        self.proofs.insert(round, proofs);
        self.tally.facts += tried;
        for after in next {
            let opened = after.round() != round;
            assert!(!opened || (after.path().is_empty() && after.state() == State::Decompose));
            let mut visited = if opened { Vec::new() } else { visited.to_vec() };
            visited.push(after.state());
            if let Some(event) = after.path().last() {
                self.tally.moves.insert((walk.state(), *event));
            }
            self.explore(&after, &visited, moves_left - 1);
        }
    }

    fn try_gate(&mut self, walk: &Walk, visited: &[State]) {
        for effect in [Effect::Write, Effect::Notify] {
            self.tally.gates += 2;
            let none = gate(walk.position(), call(effect, "x"), Grant::nothing(), time(2));
            assert!(none.is_err(), "{visited:?}");
            // A grant that was refused is as good as new; one that passed is not kept.
            let key = (walk.round(), effect);
            let mut right = self.unused.remove(&key).unwrap_or_else(|| match effect {
                Effect::Write => granted(&writing(walk.round()), Verdict::Allow, &[]),
                _ => run(&writing(walk.round()), Outcome::Verified),
            });
            let passed = gate(walk.position(), call(effect, "x"), right.grant(), time(2)).is_ok();
            if !passed {
                self.unused.insert(key, right);
            }
            let state = walk.state();
            assert_eq!(passed, design_allows(state, effect) == "granted", "{visited:?} {effect}");
            if passed {
                // INVARIANT: in this very round the policy was checked, and for a write the data was gathered before.
                let at = |wanted: State| visited.iter().position(|state| *state == wanted);
                assert!(at(State::PolicyCheck).is_some(), "{visited:?}");
                if effect == Effect::Write {
                    self.tally.writes += 1;
                    assert_eq!(state, State::Mutate);
                    assert!(at(State::Assess).unwrap() < at(State::PolicyCheck).unwrap(), "{visited:?}");
                }
            }
        }
    }
}

#[test]
fn no_path_on_any_route_reaches_a_write_without_assess_policy_check_and_a_covering_grant() {
    const MOVES_PER_PATH: usize = 8;
    let mut explorer = Explorer { proofs: BTreeMap::new(), unused: BTreeMap::new(), tally: Tally::default() };
    let routes = lawful_routes();
    for route in &routes {
        let start = Walk::new(session("s-1"), route.clone());
        explorer.explore(&start, &[State::Decompose], MOVES_PER_PATH);
    }
    let Tally { places, facts, gates, writes, moves } = explorer.tally;
    println!(
        "walked {} routes to {MOVES_PER_PATH} moves: {places} places, {facts} facts told, {gates} calls at the gate, \
         {writes} writes passed",
        routes.len()
    );
    // Every move of the table was taken, except those that open a new round and so are in no path.
    let untaken: Vec<_> = MOVES
        .iter()
        .filter(|row| !row.event.opens_round() && !moves.contains(&(row.from, row.event)))
        .collect();
    assert!(untaken.is_empty(), "{untaken:?}");
    assert!(writes > 500);
}

#[test]
fn a_stored_walk_is_what_its_events_make_it_or_is_refused() {
    let mut walked = 0;
    let mut accepted = 0;
    for letters in ["DAK", "DAPMK", "DPNK", ALL_EIGHT] {
        let route = route(letters);
        let mut paths: Vec<Vec<Event>> = vec![vec![]];
        for _ in 0..3 {
            paths = paths
                .iter()
                .flat_map(|path| Event::ALL.map(|event| [path.as_slice(), &[event]].concat()))
                .collect();
            for path in &paths {
                walked += 1;
                let permissions = path.iter().filter(|event| {
                    matches!(event.name(), "cleared" | "cleared_to_tell" | "granted" | "granted_to_tell")
                });
                let plans: Vec<_> = permissions.map(|_| Digest::of(b"plan")).collect();
                let mut stored = serde_json::json!(
                    {"session": "s-1", "round": "1", "route": route, "path": path, "plans": plans}
                );
                let read = serde_json::from_value::<Walk>(stored.clone());
                assert_eq!(read.as_ref().ok().map(Walk::state), replay(letters, path), "{letters} {path:?}");
                accepted += usize::from(read.is_ok());
                // A plan more than there are permissions, and the walk is refused.
                stored["plans"].as_array_mut().unwrap().push(serde_json::json!(Digest::of(b"more")));
                assert!(serde_json::from_value::<Walk>(stored).is_err());
            }
        }
    }
    println!("walked {walked} stored walks, {accepted} of them lawful");
}

/// The state after these events by the table of the design, without the code's own.
fn replay(letters: &str, path: &[Event]) -> Option<State> {
    let mut at = 'D';
    for event in path {
        if matches!(event.name(), "new_round" | "superseded") {
            return None;
        }
        let (_, places, target) = DESIGN_MOVES.iter().find(|(name, _, _)| *name == event.name())?;
        if !places.contains(at) {
            return None;
        }
        let to = target.chars().next()?;
        at = if target.ends_with('!') {
            to
        } else {
            ALL_EIGHT[ALL_EIGHT.find(to)?..].chars().find(|letter| letters.contains(*letter))?
        };
    }
    State::ALL.into_iter().find(|state| letter(*state) == at)
}

const PEOPLE: [&str; 5] = ["anna", "bert", "carl", "dora", "rita"];
const ROLES: [&str; 3] = ["ap_lead", "cfo", "legal"];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// People, roles, requirements and decisions at random: granted only if enough different people count.
    #[test]
    fn a_grant_by_people_needs_enough_different_people_of_the_right_roles(
        roles in prop::collection::vec(prop::collection::btree_set(0_usize..3, 0..3), 5),
        wanted in prop::collection::vec((0_usize..3, 1_u8..4), 1..3),
        decided in prop::collection::vec(0_usize..5, 0..6),
    ) {
        let plan = writing(Round::FIRST);
        let role = |index: usize| Role::parse(ROLES[index]).unwrap();
        let people = PEOPLE.iter().zip(&roles).map(|(name, held)| {
            let person = Person { roles: held.iter().map(|index| role(*index)).collect(), ..Person::default() };
            (PersonId::parse(name).unwrap(), person)
        });
        let asks: Vec<Requirement> = wanted
            .iter()
            .map(|(index, people)| Requirement { anyone_of: [Who::Role(role(*index))].into(), people: (*people).try_into().unwrap() })
            .collect();
        let said = purple_process::Ruling::asking(purple_policy::Authority::Process, asks, "");
        let rulings = plan.operations().iter().map(|operation| (operation.step.clone(), vec![said.clone()])).collect();
        let ruling =
            purple_process::judge(&plan, &rulings, &support::approvals(purple_process::Mode::Careful)).unwrap();
        let decisions: Vec<_> = decided.iter().map(|index| yes(&plan, PEOPLE[*index])).collect();
        let evidence = Evidence {
            ruling: &ruling,
            decisions: &decisions,
            requester: purple_process::At { person: &PersonId::parse("rita").unwrap(), account: None },
            request: support::request(),
            directory: &Directory::People(people.collect()),
            standing: Standing::Open,
            started: &[],
            clock: purple_process::ClockReading { now: time(1), high_water: time(1) },
        };
        let enough = wanted.iter().all(|(index, needed)| {
            let voters: BTreeSet<usize> =
                decided.iter().copied().filter(|who| PEOPLE[*who] != "rita" && roles[*who].contains(index)).collect();
            voters.len() >= usize::from(*needed)
        });
        match restore(plan, &evidence) {
            Ok(_) => prop_assert!(enough),
            Err(GrantRefused::TooFew { .. }) => prop_assert!(!enough),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    /// Whatever order calls come in, no operation passes twice and none out of order.
    #[test]
    fn no_sequence_of_calls_passes_an_operation_twice_or_out_of_order(
        notes in prop::collection::vec(0_usize..3, 1..5),
        calls in prop::collection::vec((0_usize..4, 0_usize..5), 0..20),
    ) {
        const NOTES: [&str; 4] = ["a", "b", "c", "never planned"];
        let operations = notes
            .iter()
            .enumerate()
            .map(|(index, note)| operation(&format!("s{index}"), Effect::Write, NOTES[*note]))
            .collect();
        let plan = plan_of("s-1", Round::FIRST, operations);
        let mut approved = granted(&plan, Verdict::Allow, &[]);
        let walk = walk_to(State::Mutate);
        let mut passed = Vec::new();
        for (note, outcome) in calls {
            if let Ok(pass) = gate(walk.position(), call(Effect::Write, NOTES[note]), approved.grant(), time(2)) {
                let (sent, spent) = pass.into_call();
                let spent = spent.unwrap();
                let planned = plan.operation(&spent.step).unwrap();
                prop_assert_eq!(&planned.tool, sent.tool());
                let argument = planned.arguments.get("note").and_then(|argument| argument.value());
                prop_assert_eq!(argument, sent.arguments().get("note"));
                approved.settle(&spent.step, Outcome::ALL[outcome], None).unwrap();
                passed.push((spent.step.to_string(), Outcome::ALL[outcome]));
            }
        }
        let expected: Vec<String> = (0..passed.len()).map(|index| format!("s{index}")).collect();
        let names: Vec<String> = passed.iter().map(|(name, _)| name.clone()).collect();
        prop_assert_eq!(names, expected);
        let stopped = passed.iter().position(|(_, outcome)| !outcome.lets_go_on());
        prop_assert!(stopped.is_none_or(|at| at + 1 == passed.len()), "{:?}", passed);
    }
}
