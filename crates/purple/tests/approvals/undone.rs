//! Undoing what was verified: a new plan, asked and read back like any other.

use purple_process::{Ending, Outcome, StepId};
use purple_worker::{Channel, RunView};

use crate::house::{House, person, session, settings};
use crate::scene::*;

async fn undo(house: &House, run: &str, step: &str, by: &str) -> RunView {
    let step = StepId::parse(step).unwrap();
    house.desk.undo(&session(run), step, person(by), Channel::Cli).await.unwrap();
    house.still(&session(run)).await
}

fn step(view: &RunView) -> String {
    view.answer.as_ref().unwrap().data.mutations[0].step.to_string()
}

#[tokio::test]
async fn a_verified_operation_is_undone_by_a_plan_that_those_approve_who_approved_it() {
    let house = open(settings()).await;
    staff(&house, &[("lead", one(&["ap_lead"])), ("other", one(&["ap_lead"]))]);
    waits(&house.task("run", INVOICE).await);
    let done = approve(&house, "run", "lead").await;
    ended(&done, Ending::Done);
    let view = undo(&house, "run", &step(&done), "lead").await;
    waits(&view);
    assert_eq!((view.summary.round, view.summary.requester.as_str()), (2, "lead"));
    let card = view.card.as_ref().unwrap().to_text(100);
    assert!(card.contains(r#"status: "rejected" → "received""#), "{card}");
    assert_eq!(view.summary.approval.as_ref().unwrap().asks, ["1 × ap_lead"]);
    assert_eq!(house.effects(), ["reject_invoice"]);
    // Whoever asks for the undo does not approve it.
    waits(&approve(&house, "run", "lead").await);
    let view = approve(&house, "run", "other").await;
    ended(&view, Ending::Done);
    assert_eq!(house.effects(), ["reject_invoice", "reopen_invoice"]);
    let last = view.answer.unwrap().data.mutations.pop().unwrap();
    assert_eq!((last.tool.as_str(), last.outcome), ("reopen_invoice", Outcome::Verified));
}

#[tokio::test]
async fn what_ran_without_a_person_is_undone_only_by_its_owner() {
    let house = open(with(lockout(Systems::One, "nobody", "within: 1 day"))).await;
    staff(&house, &[("own", one(&["security"])), ("sam", one(&["sales"]))]);
    let done = house.task("run", LOCKOUT).await;
    ended(&done, Ending::Done);
    let view = undo(&house, "run", &step(&done), "alex").await;
    waits(&view);
    assert_eq!(view.summary.approval.as_ref().unwrap().asks, ["1 × security"]);
    waits(&approve(&house, "run", "sam").await);
    assert_eq!(house.effects(), ["revoke_access"]);
    ended(&approve(&house, "run", "own").await, Ending::Done);
    assert_eq!(house.effects(), ["revoke_access", "grant_access"]);
}

#[tokio::test]
async fn an_undo_that_cannot_be_is_explained_and_changes_nothing() {
    let house = open(settings()).await;
    waits(&house.task("run", ORDER).await);
    let view = undo(&house, "run", "modify_order_items", "sam").await;
    waits(&view);
    assert!(text(&view).contains("Only a finished run"), "{}", text(&view));
    let done = house.say("run", "alex", "Confirmed").await;
    ended(&done, Ending::Done);
    let effects = house.effects();
    for (step, why) in
        [("no_such_step", "not among the verified"), ("send_order_confirmation", "not among the verified")]
    {
        let view = undo(&house, "run", step, "sam").await;
        ended(&view, Ending::Done);
        assert!(text(&view).contains(why), "{}", text(&view));
        assert_eq!(view.summary.requester, person("alex"));
    }
    assert_eq!(house.effects(), effects);
}

#[tokio::test]
async fn whoever_asks_for_an_undo_at_the_gate_does_not_become_the_requester() {
    let house = open(settings()).await;
    staff(&house, &[("alex", one(&["ap_lead"])), ("lead", one(&["ap_lead"]))]);
    waits(&house.task("run", INVOICE).await);
    waits(&undo(&house, "run", "reject_invoice", "sam").await);
    waits(&approve(&house, "run", "alex").await);
    assert_eq!(house.effects(), nothing());
    ended(&approve(&house, "run", "lead").await, Ending::Done);
}
