//! What follows when an operation is not done, or was done before.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]
#![allow(dead_code, reason = "this file uses a part of the support")]

mod support;

use std::collections::BTreeMap;

use purple_policy::Verdict;
use purple_process::{
    Argument, DoneBefore, Earlier, Effect, Fact, Misstep, Mode, Next, Operation, Outcome, Plan, Ran, Round,
    Route, Started, State, Walk, judge,
};
use support::{approvals, granted, operation, plan_of, ruling, said, session, time};

fn on(name: &str, effect: Effect, id: &str) -> Operation {
    let mut operation = operation(name, effect, "x");
    operation.arguments.insert("invoice_id".to_owned(), Argument::from(id));
    operation
}

fn plan(operations: Vec<Operation>) -> Plan {
    plan_of("s-1", Round::FIRST, operations)
}

fn started(plan: &Plan, outcomes: &[(&str, Outcome)]) -> Vec<Started> {
    let found = |(operation, key): (&Operation, _)| {
        let (_, outcome) = outcomes.iter().find(|(name, _)| operation.step.as_str() == *name)?;
        Some(Started { key, outcome: *outcome, result: None })
    };
    plan.keyed().filter_map(found).collect()
}

fn next(plan: &Plan, outcomes: &[(&str, Outcome)]) -> String {
    match granted(plan, Verdict::Allow, &started(plan, outcomes)).next() {
        Next::Run { step, .. } => format!("run {step}"),
        Next::Stopped { step, outcome } => format!("stopped at {step}, {outcome}"),
        Next::MissingResult { step } => format!("missing for {step}"),
        Next::Finished => "finished".to_owned(),
    }
}

#[test]
fn a_refused_operation_ends_what_depends_on_it_and_nothing_else() {
    let two = plan(vec![
        on("a", Effect::Write, "1"),
        on("b", Effect::Write, "1"),
        on("c", Effect::Write, "2"),
        on("tell", Effect::Notify, "2"),
    ]);
    assert_eq!(next(&two, &[("a", Outcome::Absent)]), "run c");
    let both = [("a", Outcome::Absent), ("c", Outcome::Verified)];
    assert_eq!(next(&two, &both), "stopped at a, absent", "notifications wait for every write");
    for outcome in [Outcome::Mismatch, Outcome::InDoubt] {
        assert_eq!(next(&two, &[("a", outcome)]), format!("stopped at a, {outcome}"));
    }
    // Where nothing says which record is meant, everything may depend on everything.
    let unknown = plan(vec![operation("a", Effect::Write, "x"), on("b", Effect::Write, "2")]);
    assert_eq!(next(&unknown, &[("a", Outcome::Absent)]), "stopped at a, absent");
    // Whatever follows a question waits for its answer.
    let asks = plan(vec![on("ask", Effect::Approval, "1"), on("b", Effect::Write, "2")]);
    assert_eq!(next(&asks, &[]), "run ask");
    assert_eq!(next(&asks, &[("ask", Outcome::Absent)]), "stopped at ask, absent");
    assert_eq!(next(&asks, &[("ask", Outcome::Unverifiable)]), "run b");
}

#[test]
fn what_depends_on_something_that_did_not_start_does_not_start_either() {
    let mut both = on("b", Effect::Write, "1");
    both.arguments.insert("order_id".to_owned(), Argument::from("7"));
    let mut last = operation("c", Effect::Write, "x");
    last.arguments.insert("order_id".to_owned(), Argument::from("7"));
    let chain = plan(vec![on("a", Effect::Write, "1"), both, last, on("d", Effect::Write, "9")]);
    assert_eq!(next(&chain, &[("a", Outcome::Absent)]), "run d");
    let after = [("a", Outcome::Absent), ("d", Outcome::Verified)];
    assert_eq!(next(&chain, &after), "stopped at a, absent");
}

#[test]
fn a_refused_write_keeps_notifications_back_until_a_later_plan_has_corrected_it() {
    let first = plan(vec![on("a", Effect::Write, "1")]);
    let second = plan(vec![on("b", Effect::Write, "2")]);
    let mut records = started(&first, &[("a", Outcome::Absent)]);
    let held = |records: &[Started]| {
        let ran = Ran::of_round(&[&first, &second], records);
        ran.iter().find_map(|ran| ran.held_back().map(|(step, _)| step.to_string()))
    };
    assert_eq!(held(&records), Some("a".to_owned()));
    records.extend(started(&second, &[("b", Outcome::Verified)]));
    assert_eq!(held(&records), None);
    // A mismatch is corrected by nobody.
    records[0].outcome = Outcome::Mismatch;
    assert_eq!(held(&records), Some("a".to_owned()));
}

#[test]
fn what_was_done_before_is_asked_in_every_mode_and_has_a_key_of_its_own() {
    let once = plan(vec![on("a", Effect::Write, "1")]);
    let mut again = on("b", Effect::Write, "1");
    again.done_before = Some(DoneBefore { times: 1, at: time(0), was: Earlier::Done });
    let twice = plan(vec![again]);
    let key = |plan: &Plan| plan.keyed().next().unwrap().1;
    assert_ne!(key(&once), key(&twice));
    for mode in Mode::ALL {
        let rulings: BTreeMap<_, _> = [(support::step("b"), vec![said(Verdict::Allow)])].into();
        let ruling = judge(&twice, &rulings, &approvals(mode)).unwrap();
        assert_eq!(ruling.verdict(), Verdict::RequireApproval, "{mode}");
        assert!(!ruling.requirements().is_empty(), "{mode}");
        let reasons = &ruling.operations()[0].reasons;
        assert!(reasons[0].starts_with("the same was done at 2023-11-14"), "{reasons:?}");
    }
    let stored = serde_json::to_string(&twice).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&stored).unwrap(), twice);
}

#[test]
fn the_way_back_from_schedule_notify_is_for_notifications() {
    for letters in ["DAPMNK", "DAPMK"] {
        let states: Vec<State> = letters
            .chars()
            .map(|letter| match letter {
                'D' => State::Decompose,
                'A' => State::Assess,
                'P' => State::PolicyCheck,
                'M' => State::Mutate,
                'N' => State::ScheduleNotify,
                _ => State::Complete,
            })
            .collect();
        let writes = plan(vec![on("a", Effect::Write, "1"), on("t", Effect::Notify, "1")]);
        let tells = plan(vec![on("u", Effect::Notify, "2")]);
        let walk = Walk::new(session("s-1"), Route::parse(&states).unwrap());
        let walk = walk.after(Fact::Decomposed).unwrap().after(Fact::Assessed).unwrap();
        let walk = walk.after(Fact::Judged(&ruling(&writes, Verdict::Allow))).unwrap();
        let done = started(&writes, &[("a", Outcome::Verified)]);
        let walk = walk.after(Fact::Applied(&[Ran::new(&writes, &done)])).unwrap();
        assert_eq!(walk.state(), State::ScheduleNotify);
        let captured = walk.after(Fact::Captured).unwrap();
        assert_eq!(captured.state(), State::PolicyCheck);
        let more = ruling(&plan(vec![on("w", Effect::Write, "3")]), Verdict::Allow);
        assert_eq!(captured.after(Fact::Judged(&more)), Err(Misstep::WritesAreOver));
        let told = captured.after(Fact::Judged(&ruling(&tells, Verdict::Allow))).unwrap();
        assert_eq!(told.state(), State::ScheduleNotify, "{letters}");
        let asked = captured.after(Fact::Judged(&ruling(&tells, Verdict::RequireApproval))).unwrap();
        assert_eq!(asked.state(), State::ApprovalGate);
        let granted = granted(&tells, Verdict::RequireApproval, &[]);
        assert_eq!(asked.after(Fact::Granted(&granted)).unwrap().state(), State::ScheduleNotify);
    }
}
