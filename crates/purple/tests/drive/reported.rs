//! What a run says about what was done: limits are named, nothing is dropped in silence, and no words contradict the log.

use purple_port::card::Provenance;
use purple_process::{Ending, Mode, Outcome};
use purple_worker::Status;
use serde_json::{Value, json};

use crate::house::{House, session};
use crate::scripted::{
    Said, Script, calls, house, performed_again, proposes, read_invoice, rejects_and_tells, text, with_desk,
};

const TASK: &str = "Some deskwork: finish INV-2024-447.";
const CLASSIFIED: &str = r#"{"process": "claims_desk"}"#;

fn reject(reason: &str) -> (&'static str, Value) {
    ("reject_invoice", json!({"invoice_id": "INV-2024-447", "reason": reason}))
}

fn script(compute: &[Said], mutate: &[Said], complete: &[Said]) -> std::sync::Arc<Script> {
    Script::new(&[
        ("CLASSIFY", &[text(CLASSIFIED)]),
        ("ASSESS", &[read_invoice(), text("read")]),
        ("COMPUTE", compute),
        ("MUTATE", mutate),
        ("COMPLETE", complete),
    ])
}

/// The task, with a yes to every card.
async fn approved(house: &House, task: &str) -> purple_worker::RunView {
    let mut view = house.task("run", task).await;
    while let (Status::Waiting, Some(approval)) = (view.summary.status, view.summary.approval.clone()) {
        view = house.say("run", "alex", &approval.headline).await;
    }
    view
}

#[tokio::test]
async fn a_model_whose_calls_are_used_up_before_it_could_change_anything_has_not_done_the_task() {
    // Classified, decomposed, read twice, computed: five calls, and the sixth would have changed something.
    for calls_max in 3..=5 {
        let said = script(&[text("nothing yet")], &[calls(&[reject("routine")])], &[text("It is done.")]);
        let mut settings = with_desk();
        settings.model_limits.iterations_max = calls_max;
        let house = house(&said, settings, &[]).await;
        let view = house.task("run", TASK).await;
        assert_eq!(view.summary.ending, Some(Ending::Failed), "{calls_max}: {:#?}", view.answer);
        let answer = view.answer.unwrap();
        assert_eq!(answer.data.code.as_deref(), Some("model.limit"), "{calls_max}: {}", answer.text);
        assert!(answer.text.contains(&format!("all {calls_max} ")), "the limit is named: {}", answer.text);
        assert_eq!(house.effects(), [""; 0]);
    }
}

#[tokio::test]
async fn a_model_that_is_cut_off_after_a_write_has_not_done_the_task_and_the_log_shows_the_write() {
    let mutate =
        [calls(&[reject("routine")]), calls(&[("get_invoice", json!({"invoice_id": "INV-2024-447"}))])];
    let said = script(&[text("nothing yet")], &mutate, &[]);
    let mut settings = with_desk();
    settings.model_limits.iterations_max = 6;
    let house = house(&said, settings, &[]).await;
    let view = approved(&house, TASK).await;
    assert_eq!(view.summary.ending, Some(Ending::Failed), "{:#?}", view.answer);
    let answer = view.answer.unwrap();
    assert!(answer.text.contains("all 6 "), "{}", answer.text);
    assert_eq!(answer.data.mutations.len(), 1, "{}", answer.text);
    assert_eq!(house.effects(), ["reject_invoice"]);
    performed_again(&house).await;
}

#[tokio::test]
async fn what_was_captured_before_the_limit_is_asked_and_done_and_the_rest_is_not_claimed() {
    let mutate = [calls(&[reject("asked")]), text("never heard")];
    let said = script(&[text("nothing yet")], &mutate, &[text("All done.")]);
    let mut settings = with_desk();
    settings.model_limits.iterations_max = 6;
    let house = house(&said, settings, &[]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    let view = house.say("run", "alex", &view.summary.approval.unwrap().headline).await;
    assert_eq!(house.effects(), ["reject_invoice"]);
    assert_eq!(view.summary.ending, Some(Ending::Failed), "{:#?}", view.answer);
}

#[tokio::test]
async fn a_plan_that_was_proposed_in_whole_is_done_although_no_call_is_left() {
    let said = script(&[proposes(rejects_and_tells())], &[], &[]);
    let mut settings = with_desk();
    settings.model_limits.iterations_max = 5;
    settings.mode = Mode::Always;
    let house = house(&said, settings, &[]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    let view = house.say("run", "alex", &view.summary.approval.unwrap().headline).await;
    assert_eq!(house.effects(), ["reject_invoice", "send_email"]);
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    let answer = view.answer.unwrap();
    assert!(answer.text.contains("all 5 calls of a model are used"), "{}", answer.text);
}

#[tokio::test]
async fn after_a_stop_every_operation_of_the_granted_plan_is_listed_with_its_fate() {
    let hold = json!({"invoice_id": "INV-2024-447", "reason": "asked"});
    let mail = json!({"to": "ap@acme.example", "subject": "INV-2024-447", "body": "It was turned down."});
    let plan = json!([
        {"tool": "reject_invoice", "arguments": hold, "check": {"status": "rejected"}},
        {"tool": "create_ticket", "arguments": {"title": "Look at it, part 1", "body": "please"}},
        {"tool": "create_ticket", "arguments": {"title": "Look at it, part 2", "body": "please"}},
        {"tool": "send_email", "arguments": mail},
    ]);
    let said = script(&[proposes(plan)], &[], &[]);
    let mut settings = with_desk();
    settings.mode = Mode::Always;
    let house = house(&said, settings, &["reject_invoice:lie"]).await;
    let view = house.task("run", TASK).await;
    let mut view = house.say("run", "alex", &view.summary.approval.unwrap().headline).await;
    for _ in 0..20 {
        house.clock.forward(std::time::Duration::from_secs(4_000));
        view = house.still(&session("run")).await;
    }
    assert_eq!(view.summary.ending, Some(Ending::Escalated), "{:#?}", view.answer);
    let answer = view.answer.unwrap();
    let outcomes: Vec<Outcome> = answer.data.mutations.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::Mismatch]);
    let left: Vec<&str> = answer.data.not_started.iter().map(|one| one.tool.as_str()).collect();
    assert_eq!(left, ["create_ticket", "create_ticket", "send_email"]);
    assert_eq!(answer.text.matches("NOT STARTED: ").count(), 3, "{}", answer.text);
    assert!(answer.data.not_started.iter().all(|one| one.why.contains("not as it should be")));
}

#[tokio::test]
async fn words_that_contradict_the_log_are_replaced() {
    let denies = "I prepared everything. None of the operations has been executed yet.";
    let said =
        script(&[text("nothing yet")], &[calls(&[reject("routine")]), text("done")], &vec![text(denies); 3]);
    let house_ = house(&said, with_desk(), &[]).await;
    let answer = approved(&house_, TASK).await.answer.unwrap();
    assert_eq!(house_.effects(), ["reject_invoice"]);
    assert!(!answer.text.contains("None of the operations"), "{}", answer.text);
    assert!(answer.text.starts_with("Carried out: Reject invoice INV-2024-447."), "{}", answer.text);
    let claims = "I have rejected the invoice and sent a notice to the vendor.";
    let said = script(&[proposes(json!([]))], &[], &vec![text(claims); 3]);
    let house_ = house(&said, with_desk(), &[]).await;
    let answer = house_.task("run", TASK).await.answer.unwrap();
    assert_eq!(house_.effects(), [""; 0]);
    assert!(!answer.text.contains("I have rejected"), "{}", answer.text);
    assert!(answer.text.contains("Nothing was changed."), "{}", answer.text);
}

#[tokio::test]
async fn code_says_first_what_was_done_and_only_words_that_match_it_are_shown() {
    for (words, is_shown) in [
        ("I could not reject the invoice; the operation is still pending.", false),
        ("INV-2024-447 still waits for your decision.", false),
        ("I rejected INV-2024-447, approved INV-2024-448 and paid out 120.00 USD to the vendor.", false),
        ("Ich habe INV-2024-447 abgelehnt und INV-2024-448 genehmigt.", false),
        ("INV-2024-447 was rejected.", true),
        ("The invoice exceeds its order.", true),
    ] {
        let mutate = [calls(&[reject("routine")]), text("done")];
        let said = script(&[text("nothing yet")], &mutate, &vec![text(words); 3]);
        let house = house(&said, with_desk(), &[]).await;
        let answer = approved(&house, TASK).await.answer.unwrap();
        assert_eq!(house.effects(), ["reject_invoice"]);
        assert!(answer.text.starts_with("Carried out: Reject invoice INV-2024-447."), "{}", answer.text);
        assert_eq!(answer.text.contains(words), is_shown, "{words}: {}", answer.text);
    }
    let said = script(&[proposes(json!([]))], &[], &vec![text("Everything awaits approval."); 3]);
    let house = house(&said, with_desk(), &[]).await;
    let answer = house.task("run", TASK).await.answer.unwrap();
    assert!(answer.text.starts_with("Nothing was changed."), "{}", answer.text);
    assert!(!answer.text.contains("awaits"), "{}", answer.text);
}

#[tokio::test]
async fn a_read_that_failed_stands_first_on_the_card() {
    let reads = [read_invoice(), calls(&[("get_vendor", json!({"name": "Acme Corp"}))]), text("read")];
    let said = Script::new(&[
        ("CLASSIFY", &[text(CLASSIFIED)]),
        ("ASSESS", &reads),
        ("COMPUTE", &[proposes(rejects_and_tells())]),
    ]);
    let mut settings = with_desk();
    settings.mode = Mode::Always;
    let house = house(&said, settings, &["get_vendor:fail"]).await;
    let card = house.task("run", TASK).await.card.unwrap();
    let first = &card.evidence().lines[0];
    assert_eq!((first.tool.as_str(), first.trust), ("get_vendor", Provenance::NotRead));
    assert!(first.found.as_str().starts_with("failed: "), "{}", first.found);
    assert!(card.to_text(100).contains("not read"), "{}", card.to_text(100));
    assert_eq!(card.evidence().lines[1].trust, Provenance::SystemOfRecord);
}

/// A write that is given nothing but the id of its record.
async fn approves(faults: &[&str]) -> purple_worker::RunView {
    let approve = ("approve_invoice", json!({"invoice_id": "INV-2024-447"}));
    let said = script(&[text("nothing yet")], &[calls(&[approve]), text("done")], &[]);
    let house = house(&said, with_desk(), faults).await;
    let mut view = approved(&house, TASK).await;
    for _ in 0..20 {
        house.clock.forward(std::time::Duration::from_secs(4_000));
        view = house.still(&session("run")).await;
    }
    view
}

#[tokio::test]
async fn a_write_that_names_only_its_record_is_read_back() {
    let view = approves(&[]).await;
    let done = &view.answer.unwrap().data.mutations[0];
    assert_eq!(done.outcome, Outcome::Verified, "{done:#?}");
    assert_eq!((&done.before["status"], &done.after["status"]), (&json!("received"), &json!("approved")));
    assert_eq!(done.after.get("invoice_id"), None, "only what changed is shown: {done:#?}");
    let view = approves(&["approve_invoice:lie"]).await;
    assert_eq!(view.summary.ending, Some(Ending::Escalated), "{:#?}", view.answer);
    assert_eq!(view.answer.unwrap().data.mutations[0].outcome, Outcome::Mismatch);
}
