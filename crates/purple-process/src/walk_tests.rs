use super::*;
use crate::fixture::{by_policy, operation, plan, ruling, step};
use crate::progress::Started;

fn session() -> SessionId {
    SessionId::parse("s-1").unwrap()
}

/// A route by its letters: `DAPMK`.
fn route(letters: &str) -> Route {
    let state = |letter| match letter {
        'D' => State::Decompose,
        'A' => State::Assess,
        'C' => State::Compute,
        'P' => State::PolicyCheck,
        'G' => State::ApprovalGate,
        'M' => State::Mutate,
        'N' => State::ScheduleNotify,
        'K' => State::Complete,
        other => panic!("{other}"),
    };
    Route::parse(&letters.chars().map(state).collect::<Vec<_>>()).unwrap()
}

fn writes() -> crate::plan::Plan {
    plan(vec![operation("a", "create_order", &[])])
}

fn tells() -> crate::plan::Plan {
    plan(vec![operation("t", "notify_team", &[])])
}

fn judged(plan: &crate::plan::Plan, verdict: Verdict) -> PlanRuling {
    ruling(plan, verdict, Vec::new())
}

fn walk(letters: &str, facts: &[Fact<'_>]) -> Walk {
    facts.iter().fold(Walk::new(session(), route(letters)), |walk, fact| walk.after(*fact).unwrap())
}

#[track_caller]
fn check(letters: &str, facts: &[Fact<'_>], state: State, ending: Option<Ending>) {
    let walk = walk(letters, facts);
    assert_eq!((walk.state(), walk.ending()), (state, ending), "{letters} {facts:?}");
}

#[test]
fn a_walk_skips_what_its_route_does_not_name() {
    check("DAK", &[Fact::Decomposed, Fact::Assessed], State::Complete, Some(Ending::Done));
    check("DACK", &[Fact::Decomposed, Fact::Assessed, Fact::Computed], State::Complete, Some(Ending::Done));
    check("DAPMK", &[Fact::Decomposed, Fact::Assessed], State::PolicyCheck, None);
    check("DCK", &[Fact::Decomposed], State::Compute, None);
    check("DK", &[Fact::Decomposed], State::Complete, Some(Ending::Done));
}

#[test]
fn the_ruling_decides_how_it_goes_on() {
    let (writes, tells, empty) = (writes(), tells(), plan(vec![]));
    for (letters, plan, verdict, state, ending) in [
        ("DAPMK", &writes, Verdict::Allow, State::Mutate, None),
        ("DAPMK", &writes, Verdict::RequireApproval, State::ApprovalGate, None),
        ("DAPMK", &writes, Verdict::Escalate, State::Escalate, Some(Ending::Escalated)),
        ("DAPMK", &writes, Verdict::Block, State::Complete, Some(Ending::Blocked)),
        ("DAPMK", &tells, Verdict::Allow, State::ScheduleNotify, None),
        ("DAPMK", &tells, Verdict::RequireApproval, State::ApprovalGate, None),
        ("DAPK", &tells, Verdict::Allow, State::ScheduleNotify, None),
        ("DAPK", &writes, Verdict::Block, State::Complete, Some(Ending::Blocked)),
        ("DAPMK", &empty, Verdict::Allow, State::Mutate, None),
        ("DAPNK", &empty, Verdict::Allow, State::ScheduleNotify, None),
        ("DAPK", &empty, Verdict::Allow, State::Complete, Some(Ending::Done)),
    ] {
        let ruling = judged(plan, verdict);
        check(letters, &[Fact::Decomposed, Fact::Assessed, Fact::Judged(&ruling)], state, ending);
    }
}

#[test]
fn a_plan_that_writes_needs_a_route_that_writes() {
    let (plan, tells) = (writes(), tells());
    let at_check = walk("DAPK", &[Fact::Decomposed, Fact::Assessed]);
    let no = Misstep::RouteCannotWrite { route: route("DAPK") };
    for verdict in [Verdict::Allow, Verdict::RequireApproval] {
        assert_eq!(at_check.after(Fact::Judged(&judged(&plan, verdict))), Err(no.clone()));
    }
    let at_gate = at_check.after(Fact::Judged(&judged(&tells, Verdict::RequireApproval))).unwrap();
    assert_eq!(at_gate.after(Fact::Granted(&by_policy(&plan, &[]))), Err(no));
    let told = at_gate.after(Fact::Granted(&by_policy(&tells, &[]))).unwrap();
    assert_eq!(told.state(), State::ScheduleNotify);
}

#[test]
fn the_gate_opens_closes_and_reopens() {
    let plan = writes();
    let ask = judged(&plan, Verdict::RequireApproval);
    let at_gate = walk("DAPMK", &[Fact::Decomposed, Fact::Assessed, Fact::Judged(&ask)]);
    let approved = by_policy(&plan, &[]);
    let mut walk = at_gate.after(Fact::Granted(&approved)).unwrap();
    for _ in 0..5 {
        assert_eq!(walk.state(), State::Mutate);
        walk = walk.after(Fact::Reopened(&ask)).unwrap();
        assert_eq!(walk.state(), State::ApprovalGate);
        walk = walk.after(Fact::Granted(&approved)).unwrap();
    }
    for verdict in [Verdict::Allow, Verdict::Escalate, Verdict::Block] {
        let result = walk.after(Fact::Reopened(&judged(&plan, verdict)));
        assert_eq!(result, Err(Misstep::NothingToAsk { verdict }));
    }
    let captured = walk.after(Fact::Captured).unwrap();
    assert_eq!(captured.state(), State::PolicyCheck);
    for (fact, ending) in [(Fact::Declined, Ending::Declined), (Fact::Expired, Ending::Declined)] {
        let walk = at_gate.after(fact).unwrap();
        assert_eq!((walk.state(), walk.ending()), (State::Complete, Some(ending)));
    }
    assert_eq!(at_gate.after(Fact::Revised).unwrap().state(), State::PolicyCheck);
}

#[test]
fn notifications_wait_for_verified_writes_and_are_inserted_where_the_plan_has_some() {
    let plan = plan(vec![operation("a", "create_order", &[]), operation("t", "notify_team", &[])]);
    let silent = writes();
    let key = |plan: &crate::plan::Plan| plan.keyed().map(|(_, key)| key).next().unwrap();
    for letters in ["DAPMK", "DAPMNK"] {
        let mutate = |plan| {
            let cleared = judged(plan, Verdict::Allow);
            walk(letters, &[Fact::Decomposed, Fact::Assessed, Fact::Judged(&cleared)])
        };
        for outcome in Outcome::ALL {
            let run = |plan: &crate::plan::Plan| {
                by_policy(plan, &[Started { key: key(plan), outcome, result: None }])
            };
            let with = mutate(&plan).after(Fact::Applied(&[run(&plan).ran()])).map(|walk| walk.state());
            let without =
                mutate(&silent).after(Fact::Applied(&[run(&silent).ran()])).map(|walk| walk.state());
            if outcome.lets_go_on() {
                assert_eq!(with, Ok(State::ScheduleNotify));
                let quiet = if letters == "DAPMK" { State::Complete } else { State::ScheduleNotify };
                assert_eq!(without, Ok(quiet));
            } else {
                let held = Misstep::HeldBack { step: step("a"), outcome: Some(outcome) };
                assert_eq!((with, without), (Err(held.clone()), Err(held)));
            }
        }
        let idle = by_policy(&plan, &[]);
        let held = Misstep::HeldBack { step: step("a"), outcome: None };
        assert_eq!(mutate(&plan).after(Fact::Applied(&[idle.ran()])), Err(held));
    }
}

#[test]
fn proofs_of_another_round_or_session_do_not_count() {
    let mut other_round = crate::fixture::draft(vec![operation("a", "create_order", &[])]);
    other_round.round = other_round.round.next();
    let mut other_session = crate::fixture::draft(vec![operation("a", "create_order", &[])]);
    other_session.session = SessionId::parse("s-2").unwrap();
    let own = writes();
    let at_check = walk("DAPMK", &[Fact::Decomposed, Fact::Assessed]);
    let mutate = at_check.after(Fact::Judged(&judged(&own, Verdict::Allow))).unwrap();
    let at_gate = at_check.after(Fact::Judged(&judged(&own, Verdict::RequireApproval))).unwrap();
    for draft in [other_round, other_session] {
        let plan = crate::plan::Plan::new(draft.clone()).unwrap();
        let error = Misstep::OtherRound { session: draft.session, found: draft.round };
        let ask = judged(&plan, Verdict::RequireApproval);
        let approved = by_policy(&plan, &[]);
        assert_eq!(at_check.after(Fact::Judged(&ask)), Err(error.clone()));
        assert_eq!(at_gate.after(Fact::Granted(&approved)), Err(error.clone()));
        assert_eq!(mutate.after(Fact::Reopened(&ask)), Err(error.clone()));
        let others = Misstep::OtherPlans { missing: vec![own.hash()], foreign: vec![plan.hash()] };
        assert_eq!(mutate.after(Fact::Applied(&[approved.ran()])), Err(others));
    }
}

#[test]
fn no_plan_of_a_round_can_be_left_out_before_people_are_told() {
    let first = writes();
    let second = plan(vec![operation("b", "create_contract", &[])]);
    let tell = plan(vec![operation("t", "notify_team", &[])]);
    let done = |plan: &crate::plan::Plan| {
        let started = plan.keyed().map(|(_, key)| Started { key, outcome: Outcome::Verified, result: None });
        Ran::new(plan, &started.collect::<Vec<_>>())
    };
    let idle = |plan: &crate::plan::Plan| Ran::new(plan, &[]);
    let cleared = |plan| judged(plan, Verdict::Allow);
    let walk = walk("DAPMNK", &[Fact::Decomposed, Fact::Assessed, Fact::Judged(&cleared(&first))]);
    let walk = walk.after(Fact::Captured).unwrap().after(Fact::Judged(&cleared(&second))).unwrap();
    assert_eq!(walk.plans(), [first.hash(), second.hash()]);
    for (ran, missing) in
        [(vec![], vec![first.hash(), second.hash()]), (vec![done(&second)], vec![first.hash()])]
    {
        let mut missing: Vec<_> = missing;
        missing.sort();
        assert_eq!(walk.after(Fact::Applied(&ran)), Err(Misstep::OtherPlans { missing, foreign: vec![] }));
    }
    let held = Misstep::HeldBack { step: step("a"), outcome: None };
    assert_eq!(walk.after(Fact::Applied(&[idle(&first), done(&second)])), Err(held.clone()));
    let notify = walk.after(Fact::Applied(&[done(&first), done(&second)])).unwrap();
    assert_eq!(notify.state(), State::ScheduleNotify);
    // A plan that only tells cannot overtake the writes of this round either.
    let told = walk.after(Fact::Captured).unwrap().after(Fact::Judged(&cleared(&tell))).unwrap();
    assert_eq!(told.state(), State::Mutate);
    let all = [idle(&first), done(&second), idle(&tell)];
    assert_eq!(told.after(Fact::Applied(&all)), Err(held));
    let all = [done(&first), done(&second), idle(&tell)];
    assert_eq!(told.after(Fact::Applied(&all)).unwrap().state(), State::ScheduleNotify);
}

#[test]
fn a_new_round_starts_over_and_counts() {
    let done = walk("DAK", &[Fact::Decomposed, Fact::Assessed]);
    let again = done.after(Fact::NewRound).unwrap();
    assert_eq!(
        (again.state(), again.round(), again.path().len()),
        (State::Decompose, Round::FIRST.next(), 0)
    );
    assert_eq!((again.ending(), again.route()), (None, done.route()));
    let ask = judged(&writes(), Verdict::RequireApproval);
    let at_gate = walk("DAPMK", &[Fact::Decomposed, Fact::Assessed, Fact::Judged(&ask)]);
    let superseded = at_gate.after(Fact::Superseded).unwrap();
    assert_eq!((superseded.state(), superseded.round()), (State::Decompose, Round::FIRST.next()));
}

#[test]
fn every_ending_has_its_way() {
    check("DAK", &[Fact::PrivacyRefused], State::Complete, Some(Ending::Refused));
    check("DAK", &[Fact::Cancelled], State::Complete, Some(Ending::Cancelled));
    check("DAK", &[Fact::Failed], State::Failed, Some(Ending::Failed));
    check("DAK", &[Fact::Escalated], State::Escalate, Some(Ending::Escalated));
    let to_check = [Fact::Decomposed, Fact::Assessed];
    check("DAPMK", &[&to_check[..], &[Fact::NothingToDo]].concat(), State::Complete, Some(Ending::Done));
    check("DAPMK", &[&to_check[..], &[Fact::Stopped]].concat(), State::Complete, Some(Ending::Blocked));
    let clear = judged(&tells(), Verdict::Allow);
    let told = [Fact::Decomposed, Fact::Assessed, Fact::Judged(&clear), Fact::Notified];
    check("DAPMK", &told, State::Complete, Some(Ending::Done));
}

#[test]
fn a_walk_is_stored_as_what_happened_and_read_by_walking_it_again() {
    let ask = judged(&writes(), Verdict::RequireApproval);
    let walk = walk("DAPMK", &[Fact::Decomposed, Fact::Assessed, Fact::Judged(&ask)]);
    let stored = serde_json::to_string(&walk).unwrap();
    assert_eq!(
        stored,
        r#"{"session":"s-1","round":"1","route":["DECOMPOSE","ASSESS","POLICY_CHECK","MUTATE","COMPLETE"],"path":["decomposed","assessed","needs_approval"],"plans":[]}"#
    );
    assert_eq!(serde_json::from_str::<Walk>(&stored).unwrap(), walk);
    for (from, to) in [
        (r#""assessed""#, r#""computed""#),
        (r#"["decomposed","#, r#"["#),
        (r#""needs_approval"]"#, r#""granted"]"#),
        (r#""needs_approval"]"#, r#""needs_approval","superseded"]"#),
        (r#""POLICY_CHECK","#, ""),
        (r#""session""#, r#""state":"MUTATE","session""#),
        (r#""round":"1""#, r#""round":"0""#),
    ] {
        let forged = stored.replacen(from, to, 1);
        assert_ne!(forged, stored);
        assert!(serde_json::from_str::<Walk>(&forged).is_err(), "{forged}");
    }
}

#[test]
fn a_round_has_a_last_move() {
    let ask = judged(&writes(), Verdict::RequireApproval);
    let mut walk = walk("DAPMK", &[Fact::Decomposed, Fact::Assessed]);
    let cycle = [Fact::Judged(&ask), Fact::Revised];
    let mut moves = 2;
    let error = loop {
        match walk.after(cycle[moves % 2]) {
            Ok(next) => walk = next,
            Err(error) => break error,
        }
        moves += 1;
    };
    assert_eq!((error, moves), (Misstep::TooLong, MOVES_MAX));
    let stored = serde_json::to_string(&walk).unwrap();
    assert_eq!(serde_json::from_str::<Walk>(&stored).unwrap(), walk);
    let longer = stored.replace(r#"["decomposed""#, r#"["decomposed","decomposed""#);
    assert!(serde_json::from_str::<Walk>(&longer).unwrap_err().to_string().contains("more than 256 moves"));
}

#[test]
fn a_route_changes_only_where_a_round_begins() {
    let fresh = walk("DAPMK", &[]);
    assert_eq!(fresh.rerouted(route("DAK")).unwrap().route(), &route("DAK"));
    let begun = fresh.after(Fact::Decomposed).unwrap();
    assert_eq!(begun.rerouted(route("DAK")), Err(Misstep::OnTheWay { route: route("DAK") }));
}
