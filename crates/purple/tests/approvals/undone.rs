//! Undoing what was verified: a new plan, asked and read back like any other.

use purple_journal::record::write;
use purple_process::{Ending, Outcome, StepId};
use purple_worker::{Process, RunView};

use crate::house::{House, person, session, settings};
use crate::scene::*;

async fn undo(house: &House, run: &str, step: &str, by: &str) -> RunView {
    let step = StepId::parse(step).unwrap();
    house.worker.undo(&session(run), step, None, person(by)).await.unwrap();
    house.still(&session(run)).await
}

fn asks(view: &RunView) -> Vec<String> {
    view.summary.approval.as_ref().unwrap().asks.clone()
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

/// Sets the status of a vendor, and puts back what stood there.
fn vetting() -> Process {
    let text = r#"process: vetting
title: Set the status of a vendor
owner: purchasing
keywords: [vetting]
format: 2
say: {en: ["vetting {vendor_id} {status}"]}
inputs:
  vendor_id: {type: id, pattern: 'V-[0-9]+'}
  status: {type: text, pattern: 'approved|suspended|pending'}
read:
  vendor: get_vendor(vendor_id=vendor_id)
decide:
  - {rule: VET-1, if: 'vendor.status != status', outcome: set, ask: nobody}
outcomes:
  set:
    do:
      - call: update_vendor_status(vendor_id=vendor_id, status=status)
        check: get_vendor(vendor_id=vendor_id).status == status
        undo: update_vendor_status(vendor_id=vendor_id, status=vendor.status)
tests:
  - {vendor_id: V-1, status: suspended, vendor.status: approved, expect: set}
"#;
    Process::parse(text).unwrap()
}

async fn undo_in(house: &House, step: &str, round: Option<u32>) -> RunView {
    let step = StepId::parse(step).unwrap();
    house.worker.undo(&session("run"), step, round, person("sam")).await.unwrap();
    house.still(&session("run")).await
}

async fn refused(house: &House) -> String {
    told::<write::UndoNotTaken>(house, "run").await.pop().unwrap().why.into_string()
}

#[tokio::test]
async fn an_operation_of_an_earlier_round_is_undone_by_its_own_process_and_only_once() {
    let house = open(with(lockout(Systems::One, "nobody", "within: 1 day"))).await;
    ended(&house.task("run", LOCKOUT).await, Ending::Done);
    let done = house.say("run", "alex", INVOICE).await;
    waits(&done);
    ended(&approve(&house, "run", "kim").await, Ending::Done);
    assert_eq!(house.effects(), ["revoke_access", "reject_invoice"]);
    // The first round has another process, and another record.
    let view = undo_in(&house, "do_1", Some(1)).await;
    waits(&view);
    assert_eq!((view.summary.round, view.summary.process.as_deref()), (3, Some("lockout")));
    assert!(view.card.as_ref().unwrap().to_text(100).contains("LOCK-1") || asks(&view) == ["1 × security"]);
    ended(&approve(&house, "run", "kim").await, Ending::Done);
    assert_eq!(house.effects(), ["revoke_access", "reject_invoice", "grant_access"]);
    // Not a second time; the one between them is still there to be undone.
    ended(&undo_in(&house, "do_1", Some(1)).await, Ending::Done);
    let why = refused(&house).await;
    assert!(why.contains("was undone already") && why.contains("`do_1` of round 2 (Reject invoice"), "{why}");
    assert!(!why.contains("of round 1"), "{why}");
    waits(&undo_in(&house, "do_1", None).await);
    ended(&approve(&house, "run", "kim").await, Ending::Done);
    assert_eq!(house.effects().last().unwrap(), "reopen_invoice");
}

#[tokio::test]
async fn what_was_done_to_one_record_is_undone_from_the_last_to_the_first() {
    let house = open(with(vetting())).await;
    let vendor = "V-1001";
    ended(&house.task("run", &format!("vetting {vendor}: suspended")).await, Ending::Done);
    ended(&house.say("run", "alex", &format!("vetting {vendor}: approved")).await, Ending::Done);
    assert_eq!(house.effects().len(), 2);
    let step = "do_1";
    ended(&undo_in(&house, step, Some(1)).await, Ending::Done);
    let why = refused(&house).await;
    assert!(why.contains("is not undone before") && why.contains("of round 2"), "{why}");
    assert_eq!(house.effects().len(), 2);
    let view = undo_in(&house, step, None).await;
    waits(&view);
    assert!(view.card.as_ref().unwrap().to_text(100).contains(r#""approved" → "suspended""#));
    ended(&approve(&house, "run", "kim").await, Ending::Done);
    waits(&undo_in(&house, step, None).await);
    ended(&approve(&house, "run", "kim").await, Ending::Done);
    assert_eq!(house.effects().len(), 4);
    ended(&undo_in(&house, step, None).await, Ending::Done);
    assert!(refused(&house).await.contains("What can be undone: nothing"));
}
