//! Every fault, judged by the ledger and by what reads show.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod desk;

use std::time::Duration;

use desk::{Desk, answer};
use purple_backoffice::{Answer, Delivery, Served};
use serde_json::{Value, json};

fn reject() -> Value {
    json!({"invoice_id": "INV-2024-447", "reason": "AP-3"})
}

fn status(desk: &Desk) -> Value {
    desk.done("get_invoice", json!({"invoice_id": "INV-2024-447"}))["status"].clone()
}

fn credit() -> Value {
    json!({"vendor_id": "INFRA-9", "amount": "1020.00 USD", "reference": "R-1"})
}

fn credited(desk: &Desk) -> Value {
    desk.done("get_credit", json!({"reference": "R-1"}))["amount"].clone()
}

/// How many effects the last call had, and what the ledger calls it.
fn last(desk: &Desk) -> (i64, String) {
    let ledger = desk.ledger();
    let call = ledger.calls.last().unwrap();
    (call.applied, call.outcome.clone())
}

fn code(served: &Served) -> &'static str {
    match &served.answer {
        Answer::Refused { code, .. } => code,
        Answer::Done(_) => "DONE",
        Answer::InputRequired { .. } => "INPUT_REQUIRED",
    }
}

#[test]
fn a_lie_says_done_and_changes_nothing() {
    let desk = Desk::faulty(&["reject_invoice:lie"]);
    assert_eq!(desk.done("reject_invoice", reject())["status"], "rejected", "it says so");
    assert_eq!((last(&desk), desk.effects()), ((0, "done".to_owned()), 0));
    assert_eq!(desk.ledger().calls[0].fault.as_deref(), Some("lie"));
    assert_eq!(status(&desk), "received");
}

#[test]
fn a_lie_does_not_use_a_key_up() {
    let desk = Desk::faulty(&["apply_account_credit:lie,times=1"]);
    answer(desk.keyed("apply_account_credit", credit(), "k"));
    assert_eq!(desk.effects(), 0);
    answer(desk.keyed("apply_account_credit", credit(), "k"));
    assert_eq!((desk.effects(), credited(&desk)), (1, json!("1020.00 USD")));
}

#[test]
fn a_partial_write_leaves_out_what_matters() {
    let desk = Desk::faulty(&["*:partial"]);
    assert_eq!(desk.done("reject_invoice", reject())["status"], "rejected");
    let invoice = desk.done("get_invoice", json!({"invoice_id": "INV-2024-447"}));
    assert_eq!((&invoice["status"], &invoice["reason"]), (&json!("received"), &json!("AP-3")));
    assert_eq!(desk.done("apply_account_credit", credit())["amount"], "1020.00 USD");
    assert_eq!(credited(&desk), "510.00 USD");
    let changes = json!([
        {"action": "remove", "quantity": 3, "item": "Widget A"}, {"action": "add", "quantity": 2, "item": "Widget B"}
    ]);
    desk.done("modify_order_items", json!({"order_id": "ORD-5592", "changes": changes}));
    let order = desk.done("get_order", json!({"order_id": "ORD-5592"}));
    assert_eq!(order["items"][0]["quantity"], 2);
    assert_eq!(order["items"][1]["quantity"], 1, "the second change was left out");
    desk.done(
        "create_offboarding_checklist",
        json!({"employee_id": "E-2291", "last_day": "2026-03-06", "systems": ["GitHub", "AWS", "Slack", "Jira"]}),
    );
    let checklist = desk.done("get_offboarding_checklist", json!({"employee_id": "E-2291"}));
    assert_eq!(checklist["systems"], json!(["GitHub", "AWS"]));
    assert_eq!(desk.effects(), 4);
}

#[test]
fn another_value_is_written_than_the_one_that_is_told() {
    let desk = Desk::faulty(&["*:other_value"]);
    assert_eq!(desk.done("reject_invoice", reject())["status"], "rejected");
    assert_eq!(status(&desk), "under_review");
    assert_eq!(desk.done("apply_account_credit", credit())["amount"], "1020.00 USD");
    assert_eq!(credited(&desk), "1021.00 USD");
    desk.done("revoke_access", json!({"employee_id": "E-2291", "system": "AWS"}));
    let access = desk.done("get_system_access", json!({"employee_id": "E-2291", "system": "AWS"}));
    assert_eq!(access["active"], true);
    let ledger = desk.ledger();
    assert_eq!(ledger.effects.len(), 3);
    assert_eq!(ledger.effects[0].after["status"], "under_review", "the witness tells what was written");
}

#[test]
fn twice_is_two_effects_and_shows_where_it_can() {
    let desk = Desk::faulty(&["*:twice"]);
    desk.done("apply_account_credit", credit());
    assert_eq!((last(&desk).0, credited(&desk)), (2, json!("2040.00 USD")));
    desk.done("send_exit_survey", json!({"employee_id": "E-2291"}));
    let sent = desk.done("list_sent_messages", json!({"about": "E-2291"}));
    assert_eq!(sent["messages"].as_array().unwrap().len(), 2);
    desk.done("reject_invoice", reject());
    assert_eq!(
        (last(&desk).0, status(&desk)),
        (2, json!("rejected")),
        "a status cannot show it, the ledger can"
    );
    assert_eq!(desk.effects(), 6);
}

#[test]
fn a_late_write_shows_after_so_many_reads() {
    let desk = Desk::faulty(&["reject_invoice:late,reads=2"]);
    desk.done("reject_invoice", reject());
    assert_eq!(desk.effects(), 0);
    assert_eq!([status(&desk), status(&desk)], ["received", "received"]);
    desk.done("get_order", json!({"order_id": "ORD-5592"}));
    assert_eq!(desk.effects(), 0, "reads of other nouns do not count");
    assert_eq!(status(&desk), "rejected");
    let ledger = desk.ledger();
    assert_eq!((ledger.effects.len(), ledger.effects[0].call_seq, ledger.calls[0].applied), (1, 1, 1));
}

#[test]
fn a_late_write_shows_after_so_much_time() {
    let desk = Desk::faulty(&["reject_invoice:late,ms=3600000"]);
    desk.done("reject_invoice", reject());
    desk.0.clock().advance(Duration::from_secs(3599));
    assert_eq!(status(&desk), "received");
    desk.0.clock().advance(Duration::from_secs(1));
    assert_eq!(status(&desk), "rejected");
    assert_eq!(desk.ledger().effects[0].at, "2026-03-04T10:00:00");
}

#[test]
fn a_slow_answer_is_left_to_the_door() {
    let desk = Desk::faulty(&["get_invoice:slow,ms=250,times=1"]);
    let invoice = json!({"invoice_id": "INV-2024-447"});
    assert_eq!(desk.serve("get_invoice", invoice.clone()).slow_ms, 250);
    assert_eq!(desk.serve("get_invoice", invoice).slow_ms, 0);
}

#[test]
fn a_failure_changes_nothing_and_a_failure_afterwards_does() {
    let desk = Desk::faulty(&["reject_invoice:fail,times=1"]);
    assert_eq!(code(&desk.serve("reject_invoice", reject())), "UNAVAILABLE");
    assert_eq!((last(&desk), status(&desk)), ((0, "failed".to_owned()), json!("received")));
    desk.set_faults(&["reject_invoice:fail_after"]);
    assert_eq!(code(&desk.serve("reject_invoice", reject())), "UNAVAILABLE");
    assert_eq!((last(&desk), status(&desk)), ((1, "failed".to_owned()), json!("rejected")));
}

#[test]
fn after_a_failure_afterwards_the_key_answers_the_first_result() {
    let desk = Desk::faulty(&["apply_account_credit:fail_after,times=1"]);
    assert_eq!(code(&desk.keyed("apply_account_credit", credit(), "k")), "UNAVAILABLE");
    assert_eq!(answer(desk.keyed("apply_account_credit", credit(), "k"))["amount"], "1020.00 USD");
    assert_eq!((desk.effects(), credited(&desk)), (1, json!("1020.00 USD")));
}

#[test]
fn a_cut_or_hanging_call_was_applied_or_not_as_the_switch_says() {
    for (spec, delivery, outcome, applied) in [
        ("reject_invoice:drop", Delivery::Cut, "cut", 1),
        ("reject_invoice:drop,applied=no", Delivery::Cut, "cut", 0),
        ("reject_invoice:hang", Delivery::Never, "unanswered", 1),
        ("reject_invoice:hang,applied=no", Delivery::Never, "unanswered", 0),
        ("reject_invoice:unavailable", Delivery::Unavailable, "unavailable", 0),
    ] {
        let desk = Desk::faulty(&[spec]);
        assert_eq!(desk.serve("reject_invoice", reject()).delivery, delivery, "{spec}");
        assert_eq!(last(&desk), (applied, outcome.to_owned()), "{spec}");
        assert_eq!(desk.effects() as i64, applied, "{spec}");
        assert_eq!(status(&desk), if applied == 1 { "rejected" } else { "received" }, "{spec}");
    }
}

#[test]
fn lagging_reads_show_the_old_state_so_many_times() {
    let desk = Desk::faulty(&["invoice:lag,reads=2"]);
    desk.done("reject_invoice", reject());
    assert_eq!(desk.effects(), 1, "the write itself is in time");
    assert_eq!([status(&desk), status(&desk), status(&desk)], ["received", "received", "rejected"]);
    let order = desk.done("get_order", json!({"order_id": "ORD-5592"}));
    assert_eq!(order["status"], "open");
}

#[test]
fn reads_go_down_after_an_effect_and_come_back() {
    let desk = Desk::faulty(&["reject_invoice:readback_down,reads=2"]);
    let read = || code(&desk.serve("get_invoice", json!({"invoice_id": "INV-2024-447"})));
    assert_eq!(read(), "DONE", "before the write reads go well");
    desk.done("reject_invoice", reject());
    assert_eq!([read(), read(), read()], ["UNAVAILABLE", "UNAVAILABLE", "DONE"]);
    desk.set_faults(&["invoice:readback_down"]);
    desk.done("reopen_invoice", json!({"invoice_id": "INV-2024-447"}));
    assert_eq!([read(), read(), read()], ["UNAVAILABLE"; 3], "without a number they stay down");
    assert_eq!(code(&desk.serve("get_order", json!({"order_id": "ORD-5592"}))), "DONE");
    assert_eq!(last(&desk).1, "done");
}

#[test]
fn calls_beyond_the_rate_are_refused() {
    let desk = Desk::faulty(&["revoke_access:rate_limit,after=2,times=1"]);
    let revoke =
        |system: &str| code(&desk.serve("revoke_access", json!({"employee_id": "E-2291", "system": system})));
    assert_eq!([revoke("GitHub"), revoke("AWS"), revoke("Slack")], ["DONE", "DONE", "RATE_LIMITED"]);
    assert_eq!(last(&desk), (0, "rate_limited".to_owned()));
    assert_eq!((revoke("Slack"), desk.effects()), ("DONE", 3));
}

#[test]
fn definitions_drift_after_so_many_lists_and_calls() {
    let desk = Desk::open();
    let listed = || {
        let definitions = desk.0.definitions();
        definitions.into_iter().find(|definition| definition.name == "reject_invoice").unwrap()
    };
    let honest = listed();
    desk.set_faults(&["reject_invoice:drift,after=2"]);
    assert_eq!(listed().description, honest.description);
    desk.done("reject_invoice", reject());
    assert_ne!(listed().description, honest.description, "one list and one call went by");
    desk.set_faults(&["reject_invoice:drift,what=schema"]);
    assert_ne!(listed().input_schema, honest.input_schema);
    desk.set_faults(&["reject_invoice:drift,what=annotations"]);
    assert_eq!(
        (honest.annotations.unwrap().read_only, listed().annotations.unwrap().read_only),
        (false, true)
    );
    assert_eq!(desk.effects(), 1, "whatever it claims, it still writes");
    desk.set_faults(&["reject_invoice:bad_definition"]);
    assert!(listed().input_schema.is_none());
    let others = desk.0.definitions().iter().filter(|definition| definition.input_schema.is_none()).count();
    assert_eq!(others, 1);
}

#[test]
fn input_is_asked_for_until_it_is_given() {
    let desk = Desk::faulty(&["reject_invoice:input_required"]);
    assert_eq!(code(&desk.serve("reject_invoice", reject())), "INPUT_REQUIRED");
    assert_eq!(last(&desk), (0, "input_required".to_owned()));
    let call = purple_backoffice::Call::new("reject_invoice", desk::fields(reject())).with_input();
    assert_eq!(code(&desk.0.call(&call)), "DONE");
    assert_eq!(desk.effects(), 1);
}

#[test]
fn huge_and_garbled_answers_are_left_to_the_door() {
    let desk = Desk::faulty(&["reject_invoice:huge,bytes=99"]);
    assert_eq!(desk.serve("reject_invoice", reject()).delivery, Delivery::Huge(99));
    desk.set_faults(&["reopen_invoice:garbage"]);
    assert_eq!(
        desk.serve("reopen_invoice", json!({"invoice_id": "INV-2024-447"})).delivery,
        Delivery::Garbage
    );
    assert_eq!(desk.effects(), 2, "both were applied");
}

#[test]
fn a_fault_may_be_for_a_tool_a_noun_or_everything_and_may_wait() {
    let desk = Desk::faulty(&["order:fail", "get_invoice:fail,after=1,times=1"]);
    assert_eq!(code(&desk.serve("get_order", json!({"order_id": "ORD-5592"}))), "UNAVAILABLE");
    assert_eq!(code(&desk.serve("list_orders", json!({}))), "UNAVAILABLE");
    let read = || code(&desk.serve("get_invoice", json!({"invoice_id": "INV-2024-447"})));
    assert_eq!([read(), read(), read()], ["DONE", "UNAVAILABLE", "DONE"]);
    desk.set_faults(&["*:fail"]);
    assert_eq!(code(&desk.serve("get_customer", json!({"customer_id": "C-8821"}))), "UNAVAILABLE");
    desk.set_faults(&[]);
    assert_eq!(read(), "DONE");
}

#[test]
fn late_writes_survive_the_process() {
    let folder = desk::Folder::new("late");
    let open = |faults: &[&str]| {
        let setup = purple_backoffice::Setup {
            data: Some(folder.path("company.db")),
            ..purple_backoffice::Setup::in_memory(desk::TODAY)
        };
        let desk = Desk(std::sync::Arc::new(purple_backoffice::Office::open(setup).unwrap()));
        desk.set_faults(faults);
        desk
    };
    open(&["reject_invoice:late,reads=1"]).done("reject_invoice", reject());
    let desk = open(&[]);
    assert_eq!([status(&desk), status(&desk)], ["received", "rejected"]);
    assert_eq!(desk.effects(), 1);
}
