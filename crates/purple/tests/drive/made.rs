//! A proposal whose later operation needs the id of what an earlier one makes.

use purple_process::Ending;
use purple_worker::Status;
use serde_json::{Value, json};

use crate::scripted::{Script, house, performed_again, plain, proposes, with_desk};

const TASK: &str = "Please open a note for the desk about INV-2024-447 and close it again.";

fn opens() -> Value {
    json!({"tool": "create_ticket", "arguments": {"title": "Look at INV-2024-447", "body": "please"}})
}

fn made_by(operation: u64, field: &str) -> Value {
    json!({"$from": {"operation": operation, "field": field}})
}

#[tokio::test]
async fn the_id_of_what_an_earlier_operation_makes_is_approved_as_such_and_put_in_when_it_is_known() {
    let closes = json!({"tool": "close_ticket", "arguments": {"ticket_id": made_by(1, "ticket_id")}, "check": {"state": "closed"}});
    let script = Script::new(&[("COMPUTE", &[proposes(json!([opens(), closes]))])]);
    let house = plain(&script).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    let card = view.card.unwrap().to_text(120);
    assert!(card.contains("(ticket_id of step op1)"), "{card}");
    assert_eq!(house.effects(), [""; 0]);
    let headline = view.summary.approval.unwrap().headline;
    let done = house.say("run", "alex", &headline).await;
    assert_eq!(done.summary.ending, Some(Ending::Done), "{:#?}", done.answer);
    assert_eq!(house.effects(), ["create_ticket", "close_ticket"]);
    performed_again(&house).await;
}

#[tokio::test]
async fn nothing_but_an_id_of_an_earlier_write_may_be_left_open() {
    let credit = |vendor: Value, amount: Value| json!({"tool": "apply_account_credit", "arguments": {"vendor_id": vendor, "amount": amount, "reference": "X"}});
    let ticket = |from: Value| json!({"tool": "close_ticket", "arguments": {"ticket_id": from}});
    let id = || made_by(1, "ticket_id");
    let hostile = [
        (credit(id(), json!("1.00 USD")), "only an id of what it makes may"),
        (credit(json!("INFRA-9"), made_by(1, "amount")), "only an id of what it makes may"),
        (ticket(made_by(1, "title")), "only an id of what it makes may"),
        (ticket(made_by(2, "ticket_id")), "no earlier write of this proposal"),
        (ticket(made_by(0, "ticket_id")), "no earlier write of this proposal"),
        (
            ticket(json!({"$from": {"operation": 1, "field": "ticket_id", "or": "T-1"}})),
            "takes an operation and a field",
        ),
        (ticket(json!({"$from": "op1.ticket_id"})), "takes an operation and a field"),
        (json!({"tool": "close_ticket", "arguments": {"id": id()}}), "has no parameter `id`"),
    ];
    for (operation, why) in hostile {
        let script = Script::new(&[
            ("CLASSIFY", &[crate::scripted::text(r#"{"process": "claims_desk"}"#)]),
            ("COMPUTE", &[proposes(json!([opens(), operation.clone()]))]),
        ]);
        let house = house(&script, with_desk(), &[]).await;
        let view = house.task("run", "Some deskwork: open a note.").await;
        assert_eq!(house.effects(), [""; 0], "{operation}");
        assert_ne!(view.summary.status, Status::Waiting, "{operation}: {:#?}", view.answer);
        assert!(script.told("COMPUTE").contains(why), "{operation}: {}", script.told("COMPUTE"));
    }
}

#[tokio::test]
async fn an_id_that_the_earlier_operation_does_not_give_stops_the_plan() {
    let closes = json!({"tool": "close_ticket", "arguments": {"ticket_id": made_by(1, "other_id")}});
    let script = Script::new(&[("COMPUTE", &[proposes(json!([opens(), closes]))])]);
    let house = plain(&script).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    let headline = view.summary.approval.unwrap().headline;
    let done = house.say("run", "alex", &headline).await;
    assert_eq!(house.effects(), ["create_ticket"]);
    assert_ne!(done.summary.ending, Some(Ending::Done), "{:#?}", done.answer);
}

#[tokio::test]
async fn text_that_looks_like_a_stored_reference_stays_text() {
    let closes = json!({"tool": "close_ticket", "arguments": {"ticket_id": "#@op1.ticket_id"}});
    let script = Script::new(&[("COMPUTE", &[proposes(json!([opens(), closes]))])]);
    let mut house = plain(&script).await;
    let view = house.task("run", TASK).await;
    let headline = view.summary.approval.unwrap().headline;
    // What was stored is read again.
    let again = house.settings.clone();
    house.restart(again).await;
    house.say("run", "alex", &headline).await;
    assert_eq!(house.effects(), ["create_ticket"], "there is no ticket of that name");
}
