//! What a write moves besides the record it names, and that an undo brings it back.

mod desk;

use desk::Desk;
use serde_json::{Value, json};

#[test]
fn a_credit_moves_the_balance_and_its_reversal_moves_it_back() {
    let desk = Desk::open();
    let balance =
        |vendor: &str| desk.done("get_account_balance", json!({"vendor_id": vendor}))["balance"].clone();
    let other = balance("INFRA-1");
    let credit = |amount: &str, reference: &str| {
        desk.done(
            "apply_account_credit",
            json!({"vendor_id": "INFRA-9", "amount": amount, "reference": reference}),
        )
    };
    credit("1020.00 USD", "R-1");
    assert_eq!(balance("INFRA-9"), "1020.00 USD");
    credit("0.50 USD", "R-2");
    assert_eq!(balance("INFRA-9"), "1020.50 USD");
    desk.done("reverse_credit", json!({"reference": "R-1"}));
    assert_eq!(balance("INFRA-9"), "0.50 USD");
    assert_eq!(balance("INFRA-1"), other, "other accounts stay as they are");
    let again = json!({"vendor_id": "INFRA-9", "amount": "1.00 USD", "reference": "R-1"});
    assert_eq!(
        desk.refused("apply_account_credit", again).0,
        "CONSTRAINT_VIOLATION",
        "a reference is used once"
    );
    assert_eq!(desk.refused("reverse_credit", json!({"reference": "R-1"})).0, "CONSTRAINT_VIOLATION");
}

#[test]
fn changing_an_order_reserves_stock_and_restoring_it_gives_the_stock_back() {
    let desk = Desk::open();
    let stock = |item: &str| desk.done("get_inventory", json!({"item": item}))["reserved"].as_i64().unwrap();
    let order = || desk.done("get_order", json!({"order_id": "ORD-5592"}));
    let (first, reserved) = (order(), [stock("Widget A"), stock("Widget B")]);
    let changes = json!([
        {"action": "remove", "quantity": 3, "item": "Widget A"}, {"action": "add", "quantity": 2, "item": "Widget B"}
    ]);
    desk.done("modify_order_items", json!({"order_id": "ORD-5592", "changes": changes}));
    assert_eq!([stock("Widget A"), stock("Widget B")], [reserved[0] - 3, reserved[1] + 2]);
    assert_eq!((&order()["item_count"], &order()["total"]), (&json!(5), &json!("155.98 USD")));
    desk.done("restore_order_items", json!({"order_id": "ORD-5592", "items": first["items"]}));
    assert_eq!([stock("Widget A"), stock("Widget B")], reserved);
    assert_eq!(order(), first);
}

#[test]
fn removing_all_of_an_item_removes_its_line_and_a_shipped_order_stays() {
    let desk = Desk::open();
    let all = json!([{"action": "remove", "quantity": 5, "item": "Widget A"}]);
    let order = desk.done("modify_order_items", json!({"order_id": "ORD-5592", "changes": all}));
    assert_eq!(order["items"].as_array().unwrap().len(), 1);
    desk.done("cancel_order", json!({"order_id": "ORD-5592"}));
    let more = json!([{"action": "add", "quantity": 1, "item": "Widget A"}]);
    let (code, message) =
        desk.refused("modify_order_items", json!({"order_id": "ORD-5592", "changes": more}));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("CONSTRAINT_VIOLATION", "order `ORD-5592` is cancelled; that needs open")
    );
}

#[test]
fn a_purchase_is_charged_to_its_cost_centre() {
    let desk = Desk::open();
    let left = || desk.done("get_budget", json!({"cost_center": "CC-100"}))["budget_left"].clone();
    assert_eq!(left(), "137655.00 USD");
    let purchase = |key: &str| {
        let arguments = json!({
            "vendor_id": "V-1001", "amount": "100.25 USD", "description": "desk", "cost_center": "CC-100",
            "idempotency_key": key,
        });
        desk.done("create_purchase_order", arguments)["po_id"].clone()
    };
    assert_eq!([purchase("k-1"), purchase("k-1"), purchase("k-2")], ["PO-9001", "PO-9001", "PO-9002"]);
    assert_eq!(left(), "137454.50 USD", "charged twice, not three times");
}

#[test]
fn an_offboarding_goes_forth_and_back() {
    let desk = Desk::open();
    let employee = || desk.done("get_employee", json!({"employee_id": "E-2291"}));
    let first = employee();
    let set = |status: &str| {
        desk.done("update_employee_status", json!({"employee_id": "E-2291", "status": status}))
    };
    set("offboarding");
    let leaving = json!({"employee_id": "E-2291", "last_day": "2026-03-06", "systems": first["systems"]});
    let checklist = desk.done("create_offboarding_checklist", leaving.clone());
    assert_eq!(
        desk.refused("create_offboarding_checklist", leaving).0,
        "CONSTRAINT_VIOLATION",
        "one is open"
    );
    for system in ["GitHub", "AWS", "Slack", "Jira", "Okta"] {
        let access = json!({"employee_id": "E-2291", "system": system});
        assert_eq!(desk.done("revoke_access", access.clone())["active"], false);
        assert_eq!(desk.refused("revoke_access", access).0, "CONSTRAINT_VIOLATION", "twice");
    }
    assert_eq!(employee()["systems"], json!([]));
    assert_eq!(desk.effects(), 7);
    for system in ["GitHub", "AWS", "Slack", "Jira", "Okta"] {
        desk.done("grant_access", json!({"employee_id": "E-2291", "system": system}));
    }
    desk.done("cancel_offboarding_checklist", json!({"checklist_id": checklist["checklist_id"]}));
    set("active");
    assert_eq!(employee(), first);
}

#[test]
fn a_new_grant_needs_a_system_that_exists() {
    let desk = Desk::open();
    let grant = |system: &str| json!({"employee_id": "EMP-4421", "system": system});
    assert_eq!(desk.done("grant_access", grant("GitHub"))["active"], true);
    assert_eq!(desk.refused("grant_access", grant("Nowhere")).0, "NOT_FOUND");
}

#[test]
fn a_payment_plan_takes_its_receivable_out_of_the_open_ones() {
    let desk = Desk::open();
    let status = || desk.done("get_receivable", json!({"receivable_id": "AR-1002"}))["status"].clone();
    let plan = json!({"receivable_id": "AR-1002", "instalments": 3, "first_due_on": "2026-04-01"});
    desk.done("create_payment_plan", plan.clone());
    assert_eq!(status(), "in_plan");
    assert_eq!(desk.refused("create_payment_plan", plan).0, "CONSTRAINT_VIOLATION");
    desk.done("write_off_receivable", json!({"receivable_id": "AR-1002", "reason": "insolvent"}));
    assert_eq!(status(), "written_off");
}

#[test]
fn nothing_is_posted_to_a_closed_period_and_both_sides_differ() {
    let desk = Desk::open();
    let entry = |period: &str, credit: &str| -> Value {
        json!({"period": period, "debit_account": "6100 Rent", "credit_account": credit, "amount": "1.00 USD", "memo": "x"})
    };
    assert_eq!(desk.refused("post_journal_entry", entry("2026-02", "6100 Rent")).0, "CONSTRAINT_VIOLATION");
    desk.done("close_period", json!({"period": "2026-02"}));
    let (_, message) = desk.refused("post_journal_entry", entry("2026-02", "2000 Accruals"));
    assert_eq!(message, "period `2026-02` is closed; that needs open");
    desk.done("post_journal_entry", entry("2026-03", "2000 Accruals"));
}

#[test]
fn a_plan_must_hold_the_seats_in_use() {
    let desk = Desk::open();
    let used = desk.done("get_usage", json!({"subscription_id": "SUB-703"}))["usage"].as_i64().unwrap();
    assert!(used > 10, "the seed gave SUB-703 {used} seats");
    let change = |plan: &str| json!({"subscription_id": "SUB-703", "plan_id": plan});
    let (_, message) = desk.refused("change_subscription_plan", change("basic"));
    assert_eq!(message, format!("subscription `SUB-703`: {used} seats are in use, `basic` has 10"));
    desk.done("change_subscription_plan", change("enterprise"));
    assert_eq!(desk.refused("change_subscription_plan", change("enterprise")).0, "CONSTRAINT_VIOLATION");
}
