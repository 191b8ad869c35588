//! Who may decide, how many of them, and until when.

use std::time::Duration;

use purple_journal::Redacted;
use purple_journal::record::approval;
use purple_journal::word::{Basis, DecisionKind};
use purple_policy::Level;
use purple_process::{Ending, Levels, Role};
use purple_worker::Choice;
use serde_json::json;

use crate::house::settings;
use crate::scene::*;

const HOUR: Duration = Duration::from_secs(3_600);

fn five() -> Vec<String> {
    vec!["revoke_access".to_owned(); 5]
}

#[tokio::test]
async fn two_people_means_two_different_people() {
    let house = open(with(lockout(Systems::All, "security_lead", "people: 2"))).await;
    let people =
        [("ann", one(&["security_lead"])), ("bob", one(&["security_lead"])), ("eve", one(&["intern"]))];
    staff(&house, &people);
    let first = house.task("run", LOCKOUT).await;
    waits(&first);
    let second = approve(&house, "run", "ann").await;
    waits(&second);
    assert_ne!(first.summary.approval.unwrap().card, second.summary.approval.as_ref().unwrap().card);
    assert!(text(&second).contains("ann"), "the card shows who said yes: {}", text(&second));
    assert!(text(&second).contains("Missing: bob.") && text(&second).contains("purple approve run"));
    let again = approve(&house, "run", "ann").await;
    waits(&again);
    assert!(text(&again).contains("Missing: bob."), "{}", text(&again));
    waits(&approve(&house, "run", "eve").await);
    assert_eq!(house.effects(), nothing());
    assert_eq!(not_taken(&house, "run").await[0], "this person has said yes already");
    ended(&approve(&house, "run", "bob").await, Ending::Done);
    assert_eq!(house.effects(), five());
    let granted = told::<approval::Granted>(&house, "run").await;
    assert_eq!(granted[0].basis, Basis::People(Redacted::all(["ann", "bob"])));
}

#[tokio::test]
async fn a_no_of_either_of_two_people_is_a_no() {
    let house = open(with(lockout(Systems::All, "security_lead", "people: 2"))).await;
    staff(&house, &[("ann", one(&["security_lead"])), ("bob", one(&["security_lead"]))]);
    waits(&house.task("run", LOCKOUT).await);
    waits(&approve(&house, "run", "ann").await);
    ended(&decide(&house, "run", "bob", reject("not yet")).await, Ending::Declined);
    assert_eq!(house.effects(), nothing());
}

#[tokio::test]
async fn an_approval_that_nobody_answered_is_a_no() {
    let house = open(with(lockout(Systems::One, "security_lead", "within: 2 hours"))).await;
    let before = house.task("run", LOCKOUT).await;
    house.clock.forward(2 * HOUR - Duration::from_millis(1));
    waits(&house.still(&before.run).await);
    house.clock.forward(Duration::from_millis(1));
    let view = house.still(&before.run).await;
    ended(&view, Ending::Declined);
    assert!(text(&view).contains("Nobody answered"), "{}", text(&view));
    assert_eq!(house.effects(), nothing());
    // A yes that comes later changes nothing.
    let open = before.summary.approval.unwrap();
    let verdict = purple_worker::Verdict {
        plan: open.plan,
        steps: before.card.unwrap().steps(),
        reason: None,
        by: crate::house::person("ann"),
        channel: purple_worker::Channel::Console,
        account: None,
        shown: open.card.0,
        message: None,
    };
    house.worker.post_decision(before.run.clone(), verdict).await.unwrap();
    ended(&house.still(&before.run).await, Ending::Declined);
    assert_eq!(house.effects(), nothing());
}

#[tokio::test]
async fn after_the_first_window_those_who_come_next_may_decide_and_not_before() {
    let house = open(with(lockout(Systems::All, "security_lead", "within: 2 hours, then: director"))).await;
    staff(&house, &[("ann", one(&["security_lead"])), ("dora", one(&["director"]))]);
    let first = house.task("run", LOCKOUT).await;
    waits(&approve(&house, "run", "dora").await);
    assert_eq!(house.effects(), nothing());
    house.clock.forward(2 * HOUR);
    let second = house.still(&first.run).await;
    waits(&second);
    assert_ne!(first.summary.approval.unwrap().plan, second.summary.approval.as_ref().unwrap().plan);
    // Two of the five, by the one who comes next.
    let steps: Vec<String> = second.card.unwrap().steps().iter().take(2).map(ToString::to_string).collect();
    ended(&decide(&house, "run", "dora", Choice::ApproveSome(steps)).await, Ending::Done);
    assert_eq!(house.effects(), five()[..2]);
}

#[tokio::test]
async fn when_those_who_come_next_do_not_answer_either_it_is_a_no() {
    let house = open(with(lockout(Systems::One, "security_lead", "within: 2 hours, then: director"))).await;
    let first = house.task("run", LOCKOUT).await;
    house.clock.forward(2 * HOUR);
    waits(&house.still(&first.run).await);
    house.clock.forward(2 * HOUR);
    ended(&house.still(&first.run).await, Ending::Declined);
    assert_eq!(house.effects(), nothing());
}

#[tokio::test]
async fn some_operations_are_approved_and_only_these_run() {
    let house = open(with(lockout(Systems::All, "security_lead", "within: 1 day"))).await;
    let view = house.task("run", LOCKOUT).await;
    let steps = view.card.unwrap().steps();
    assert_eq!(steps.len(), 5);
    let some = vec![steps[1].to_string(), steps[3].to_string()];
    let view = decide(&house, "run", "ann", Choice::ApproveSome(some)).await;
    ended(&view, Ending::Done);
    let systems: Vec<String> = house
        .ledger()
        .effects
        .iter()
        .map(|effect| effect.arguments["system"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(systems, ["AWS", "Jira"]);
    let decided = told::<approval::Decided>(&house, "run").await;
    assert_eq!(decided[0].decision, DecisionKind::ApproveSome);
}

#[tokio::test]
async fn some_of_a_plan_for_two_people_still_needs_two_people() {
    let house = open(with(lockout(Systems::All, "security_lead", "people: 2"))).await;
    staff(&house, &[("ann", one(&["security_lead"])), ("bob", one(&["security_lead"]))]);
    let view = house.task("run", LOCKOUT).await;
    let some = vec![view.card.unwrap().steps()[0].to_string()];
    waits(&decide(&house, "run", "ann", Choice::ApproveSome(some)).await);
    assert_eq!(house.effects(), nothing());
    ended(&approve(&house, "run", "bob").await, Ending::Done);
    assert_eq!(house.effects(), five()[..1]);
}

#[tokio::test]
async fn a_role_that_the_file_excludes_never_decides_not_even_through_a_substitute() {
    let house = open(with(lockout(Systems::One, "security_lead", "never: [it_admin, requester]"))).await;
    staff(
        &house,
        &[
            ("ann", one(&["security_lead", "it_admin"])),
            ("bob", standing_in(&[], &["ann"])),
            ("alex", one(&["security_lead"])),
            ("cid", one(&["security_lead"])),
        ],
    );
    waits(&house.task("run", LOCKOUT).await);
    for who in ["ann", "bob", "alex"] {
        waits(&approve(&house, "run", who).await);
        waits(&decide(&house, "run", who, reject("no")).await);
    }
    assert_eq!(not_taken(&house, "run").await.len(), 6);
    ended(&approve(&house, "run", "cid").await, Ending::Done);
    assert_eq!(house.effects(), five()[..1]);
}

#[tokio::test]
async fn the_highest_level_of_the_rules_that_ask_decides_and_the_operator_says_who_that_is() {
    let rules = json!({"rules": [
        {"id": "R-1", "condition": "employee_id == \"E-2291\"", "action": "require_approval", "level": "manager"},
        {"id": "R-2", "condition": "employee_id == \"E-2291\"", "action": "require_approval", "level": "ciso"},
    ]});
    let mut settings = under(with(lockout(Systems::One, "nobody", "within: 1 day")), rules);
    settings.levels = Levels::new([(Level::Ciso, Role::parse("head_of_security").unwrap())]);
    let house = open(settings).await;
    staff(
        &house,
        &[("mia", one(&["manager"])), ("cis", one(&["ciso"])), ("hos", one(&["head_of_security"]))],
    );
    let view = house.task("run", LOCKOUT).await;
    assert_eq!(view.summary.approval.as_ref().unwrap().asks, ["1 × head_of_security"]);
    waits(&approve(&house, "run", "mia").await);
    waits(&approve(&house, "run", "cis").await);
    assert_eq!(house.effects(), nothing());
    ended(&approve(&house, "run", "hos").await, Ending::Done);
}

#[tokio::test]
async fn who_loses_the_role_between_yes_and_write_has_said_nothing() {
    let house = open(with(lockout(Systems::One, "security_lead", "within: 1 day"))).await;
    staff(&house, &[("ann", one(&["security_lead"])), ("bob", one(&["security_lead"]))]);
    waits(&house.task("run", LOCKOUT).await);
    house.worker.halt(None, crate::house::person("ops"), "audit".to_owned()).await.unwrap();
    let view = approve(&house, "run", "ann").await;
    assert_eq!(view.summary.status, purple_worker::Status::Halted, "{:?}", view.answer);
    staff(&house, &[("ann", one(&["intern"])), ("bob", one(&["security_lead"]))]);
    assert!(house.worker.resume(None, crate::house::person("ops")).await.unwrap());
    waits(&house.still(&view.run).await);
    assert_eq!(house.effects(), nothing());
    ended(&approve(&house, "run", "bob").await, Ending::Done);
    assert_eq!(house.effects(), five()[..1]);
}

#[tokio::test]
async fn who_gets_the_role_after_a_refused_yes_can_say_it_again() {
    let house = open(settings()).await;
    staff(&house, &[("ann", one(&["ap_clerk"]))]);
    waits(&house.task("run", INVOICE).await);
    waits(&approve(&house, "run", "ann").await);
    staff(&house, &[("ann", one(&["ap_lead"]))]);
    ended(&approve(&house, "run", "ann").await, Ending::Done);
    assert_eq!(house.effects(), ["reject_invoice"]);
}
