use serde_json::json;

use super::*;

fn check(value: Value, wanted: &[&str], expected: Value, fixes: &[(&str, &str)]) {
    let (adapted, told) = adapt(value, wanted);
    assert_eq!(adapted, expected);
    let told: Vec<(&str, &str)> = told.iter().map(|fix| (fix.wanted.as_str(), fix.is.as_str())).collect();
    assert_eq!(told, fixes);
}

#[test]
fn a_renamed_field_is_there_under_both_names_and_told_of() {
    check(
        json!({"id": "INV-1", "total_amount": "52340.00 USD"}),
        &["total", "id"],
        json!({"id": "INV-1", "total_amount": "52340.00 USD", "total": "52340.00 USD"}),
        &[("total", "total_amount")],
    );
    check(
        json!({"rows": [{"client_name": "A"}, {"client_name": "B"}]}),
        &["rows.customer_name"],
        json!({"rows": [
            {"client_name": "A", "customer_name": "A"}, {"client_name": "B", "customer_name": "B"},
        ]}),
        &[("rows.customer_name", "client_name")],
    );
}

#[test]
fn a_field_that_is_there_is_never_changed() {
    for there in [json!({"total": null, "total_amount": "1.00 USD"}), json!({"total": 0, "amount": 1})] {
        check(there.clone(), &["total"], there, &[]);
    }
}

#[test]
fn two_candidates_are_none() {
    let value = json!({"price": 1, "cost": 2});
    check(value.clone(), &["amount"], value, &[]);
}

#[test]
fn rows_that_disagree_are_left_alone() {
    let value = json!([{"total_amount": 1}, {"price": 2}]);
    check(value.clone(), &["total"], value, &[]);
    let value = json!([{"total_amount": 1}, {"x": 2}]);
    check(value.clone(), &["total"], value, &[]);
}

#[test]
fn money_is_never_text_and_text_is_never_money() {
    for (value, wanted) in [
        (json!({"value": "high"}), "amount"),
        (json!({"total": {"lines": 3}}), "amount"),
        (json!({"full_name": "10.00 USD"}), "name"),
        (json!({"state_code": 4}), "status"),
        (json!({"created": "soon"}), "created_at"),
        (json!({"creator_id": "10.00 USD"}), "user_id"),
        (json!({"total": null}), "amount"),
        (json!({"total": true}), "amount"),
        (json!({"colour_codes": "10.00 EUR"}), "colour_code"),
    ] {
        check(value.clone(), &[wanted], value, &[]);
    }
    check(
        json!({"total": {"amount": "5", "currency": "EUR"}}),
        &["amount"],
        json!({"total": {"amount": "5", "currency": "EUR"}, "amount": {"amount": "5", "currency": "EUR"}}),
        &[("amount", "total")],
    );
}

#[test]
fn a_way_that_leads_nowhere_changes_nothing() {
    for value in [json!(null), json!(3), json!("x"), json!([]), json!({"a": {"b": 1}})] {
        check(value.clone(), &["a.b.c", "rows.amount", ""], value, &[]);
    }
}

#[test]
fn the_status_of_a_call_is_not_the_status_of_the_record_inside() {
    let ids = ["O-1".to_owned()];
    let record = json!({"order_id": "O-1", "status": "open", "total": 7});
    for answer in [
        json!({"status": "ok", "reason": "found", "data": record}),
        json!({"status": "ok", "result": {"code": 200, "order": record}}),
        json!({"data": record}),
    ] {
        let got = unwrapped(answer, &["status", "total"], &ids);
        assert_eq!((&got["status"], &got["total"]), (&json!("open"), &json!(7)));
    }
    for bare in [record, json!({"status": "closed", "customer": {"status": "gold"}, "name": "x"})] {
        assert_eq!(unwrapped(bare.clone(), &["status"], &ids), bare);
    }
}
