//! What becomes of operations that are refused, repeated, asked late, or that ask somebody.

use purple_backoffice::Approver;
use purple_journal::record::model;
use purple_journal::word::Becomes;
use purple_process::{Ending, Mode, Outcome, State};
use purple_worker::{Settings, Status};
use serde_json::{Value, json};

use crate::house::House;
use crate::scripted::{
    Said, Script, calls, house, noted, performed_again, proposes, read_invoice, text, with_desk,
};

const TASK: &str = "Some deskwork: finish INV-2024-447.";
const CLASSIFIED: &str = r#"{"process": "claims_desk"}"#;

fn in_mode(mode: Mode) -> Settings {
    Settings { mode, ..with_desk() }
}

async fn desk(settings: Settings, faults: &[&str], states: &[(&str, &[Said])]) -> House {
    let mut all: Vec<(&str, &[Said])> = vec![];
    let (classified, read) = ([text(CLASSIFIED)], [read_invoice(), text("read")]);
    all.extend([("CLASSIFY", &classified[..]), ("ASSESS", &read[..])]);
    all.extend(states);
    house(&Script::new(&all), settings, faults).await
}

fn ticket(number: usize) -> (&'static str, Value) {
    ("create_ticket", json!({"title": format!("Look at it, part {number}"), "body": "please"}))
}

fn mail() -> (&'static str, Value) {
    let body = json!({"to": "ap@acme.example", "subject": "INV-2024-447", "body": "It was looked after."});
    ("send_email", body)
}

#[tokio::test]
async fn a_message_that_needs_a_person_after_the_last_write_goes_to_the_gate_and_is_then_sent() {
    let tells = [calls(&[mail()]), text("told")];
    let house = desk(in_mode(Mode::Always), &[], &[("SCHEDULE_NOTIFY", &tells)]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(
        (view.summary.status, view.summary.state),
        (Status::Waiting, State::ApprovalGate),
        "{view:#?}"
    );
    assert_eq!(noted::<model::Wants>(&house, "run").await[0].becomes, Becomes::Captured);
    assert_eq!(house.effects(), [""; 0]);
    let view = house.say("run", "alex", &view.summary.approval.unwrap().headline).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    assert_eq!(house.effects(), ["send_email"]);
    performed_again(&house).await;
}

#[tokio::test]
async fn the_same_operation_in_a_second_plan_is_marked_and_runs_again_only_when_that_was_seen() {
    let writes = [calls(&[ticket(1)]), calls(&[ticket(1)]), text("done")];
    let house = desk(in_mode(Mode::Permissive), &[], &[("MUTATE", &writes)]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    assert_eq!(house.effects(), ["create_ticket"]);
    let card = view.answer.as_ref().unwrap().text.clone();
    assert!(card.contains("the same was done at 2026-"), "{card}");
    let view = house.say("run", "alex", &view.summary.approval.unwrap().headline).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    assert_eq!(house.effects(), ["create_ticket"; 2]);
    performed_again(&house).await;
}

#[tokio::test]
async fn a_model_is_told_of_a_refusal_and_may_correct_it() {
    let writes = [calls(&[ticket(1)]), calls(&[ticket(2)]), text("done")];
    let house =
        desk(in_mode(Mode::Permissive), &["create_ticket:fail,times=1"], &[("MUTATE", &writes)]).await;
    house.task("run", TASK).await;
    let view = crate::shaky::rested(&house, "run").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    assert_eq!(house.effects(), ["create_ticket"]);
    let log = view.answer.unwrap().data.mutations;
    let outcomes: Vec<Outcome> = log.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::Absent, Outcome::Verified], "{log:#?}");
    performed_again(&house).await;
}

#[tokio::test]
async fn a_refusal_that_nobody_corrects_is_not_called_done() {
    let writes = [calls(&[ticket(1)]), text("done, all of it")];
    let house = desk(in_mode(Mode::Permissive), &["create_ticket:fail"], &[("MUTATE", &writes)]).await;
    house.task("run", TASK).await;
    let view = crate::shaky::rested(&house, "run").await;
    assert_eq!(view.summary.ending, Some(Ending::Escalated), "{:#?}", view.answer);
    let answer = view.answer.unwrap();
    assert!(answer.text.starts_with("Escalated") && answer.text.contains("is not done"), "{}", answer.text);
    assert_eq!(house.effects(), [""; 0]);
}

fn asks_first() -> Said {
    let reject = json!({"invoice_id": "INV-2024-447", "reason": "routine"});
    proposes(json!([
        {"tool": "reject_invoice", "arguments": reject, "check": {"status": "rejected"}},
        {"tool": "confirm_with_user", "arguments": {"question": "Shall INV-2024-447 be rejected?"}},
    ]))
}

#[tokio::test]
async fn who_is_asked_is_asked_before_the_write_and_without_a_yes_it_does_not_run() {
    for (approver, ending) in [
        (Approver::Approves, Ending::Done),
        (Approver::Rejects, Ending::Escalated),
        (Approver::Silent, Ending::Escalated),
    ] {
        let proposal = [asks_first()];
        let house = desk(in_mode(Mode::Always), &[], &[("COMPUTE", &proposal)]).await;
        house.office.set_approver(approver).unwrap();
        let view = house.task("run", TASK).await;
        assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
        assert_eq!(house.effects(), [""; 0], "nobody is asked before the plan is approved");
        assert_eq!(view.card.as_ref().unwrap().effects().len(), 2);
        let view = house.say("run", "alex", &view.summary.approval.unwrap().headline).await;
        assert_eq!(view.summary.ending, Some(ending), "{:#?}", view.answer);
        let expected: &[&str] = if ending == Ending::Done {
            &["confirm_with_user", "reject_invoice"]
        } else {
            &["confirm_with_user"]
        };
        assert_eq!(house.effects(), expected);
        performed_again(&house).await;
    }
}

#[tokio::test]
async fn who_is_asked_by_a_call_after_the_write_is_asked_before_it_and_a_no_leaves_it_not_started() {
    let question = ("confirm_with_user", json!({"question": "Shall INV-2024-447 be rejected?"}));
    let reject = ("reject_invoice", json!({"invoice_id": "INV-2024-447", "reason": "routine"}));
    for (approver, done) in [
        (Approver::Approves, &["confirm_with_user", "reject_invoice"][..]),
        (Approver::Rejects, &["confirm_with_user"]),
    ] {
        let writes = [calls(&[reject.clone(), question.clone()]), text("done")];
        let house = desk(in_mode(Mode::Always), &[], &[("MUTATE", &writes)]).await;
        house.office.set_approver(approver).unwrap();
        let view = house.task("run", TASK).await;
        assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
        let view = house.say("run", "alex", &view.summary.approval.unwrap().headline).await;
        assert_eq!(house.effects(), done);
        let answer = view.answer.unwrap();
        let left: Vec<&str> = answer.data.not_started.iter().map(|one| one.tool.as_str()).collect();
        let expected: &[&str] = if done.len() == 1 { &["reject_invoice"] } else { &[] };
        assert_eq!(left, expected, "{}", answer.text);
        performed_again(&house).await;
    }
}

#[tokio::test]
async fn a_question_to_somebody_needs_permission_like_any_other_operation() {
    let writes = [calls(&[("confirm_with_user", json!({"question": "May I?"}))]), text("done")];
    let house = desk(in_mode(Mode::Always), &[], &[("MUTATE", &writes)]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    assert_eq!(house.effects(), [""; 0]);
}
