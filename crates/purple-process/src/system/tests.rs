use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::date;
use purple_policy::Value;
use serde_json::json;

use super::*;
use crate::file::builtin;
use crate::json::Json;
use crate::operation::{Argument, Check, Operation};
use crate::order::Order;
use crate::playbook::Case;

fn json(value: serde_json::Value) -> Json {
    Json::from_serde(&value).unwrap()
}

fn field(at: &str) -> FieldMap {
    FieldMap { at: at.to_owned(), ..FieldMap::default() }
}

fn fields(pairs: &[(&str, FieldMap)]) -> Fields {
    pairs.iter().map(|(name, map)| ((*name).to_owned(), map.clone())).collect()
}

fn words(at: &str, pairs: &[(&str, &str)]) -> FieldMap {
    let words = pairs.iter().map(|(own, theirs)| ((*own).to_owned(), (*theirs).to_owned())).collect();
    FieldMap { words, ..field(at) }
}

fn money(at: &str, currency: CurrencyOf, is_minor: bool) -> FieldMap {
    FieldMap { currency: Some(currency), is_minor, ..field(at) }
}

fn call(tool: &str, is_read: bool) -> CallMap {
    CallMap {
        server: "erp".to_owned(),
        tool: ToolName::parse(tool).unwrap(),
        is_read,
        pin: None,
        arguments: Fields::new(),
        constants: Values::new(),
        at: String::new(),
        fields: Fields::new(),
    }
}

fn bound(calls: Vec<(&str, CallMap)>) -> Arc<Binding> {
    let one = |(name, map): (&str, CallMap)| (name.to_owned(), BoundCall { tool: map.tool.clone(), map });
    Arc::new(Binding { calls: calls.into_iter().map(one).collect() })
}

/// A company that keeps invoices as bills, counts cents, and writes one state for every decision.
fn erp() -> Arc<Binding> {
    let states = [("received", "OPEN"), ("approved", "RELEASED"), ("rejected", "REFUSED")];
    let in_field = CurrencyOf::In("money.curr".to_owned());
    let number = FieldMap { form: Some(Form::Number), ..field("bill.no") };
    let bill = CallMap {
        arguments: fields(&[("invoice_id", field("bill_no"))]),
        at: "rows.0".to_owned(),
        fields: fields(&[
            ("status", words("state", &states)),
            ("total", money("money.gross", in_field, true)),
            ("po_id", field("links.order")),
        ]),
        ..call("fetch_bill", true)
    };
    let order = CallMap {
        arguments: fields(&[("po_id", field("id"))]),
        fields: fields(&[("total", money("sum", CurrencyOf::Is(CurrencyCode(Currency::USD)), false))]),
        ..call("fetch_order", true)
    };
    let decide = |state: &str| CallMap {
        arguments: fields(&[("invoice_id", number.clone()), ("reason", field("note"))]),
        constants: Values::from([("bill.state".to_owned(), Json::from(state))]),
        ..call("set_bill_state", false)
    };
    bound(vec![
        ("get_invoice", bill),
        ("get_purchase_order", order),
        ("approve_invoice", decide("RELEASED")),
        ("reject_invoice", decide("REFUSED")),
    ])
}

#[test]
fn a_playbook_runs_on_tools_with_other_names_and_its_plan_names_the_real_ones() {
    let files = builtin().unwrap();
    let file = files.iter().find(|file| file.name() == "invoice_reconciliation").unwrap().bound(&erp());
    let task = &file.tasks()[0];
    let inputs = BTreeMap::from([("invoice_id".to_owned(), Value::text("4711"))]);
    let mut case = Case::start(task, &inputs, date(2026, 3, 4));

    let due = case.due();
    assert_eq!(due[0].tool.as_str(), "fetch_bill");
    assert_eq!(due[0].calls[0], Values::from([("bill_no".to_owned(), Json::from("4711"))]));
    let bill = json!({"rows": [{"bill": 4711, "state": "OPEN", "vendor_id": "V-1", "number": "7",
        "money": {"gross": 1531, "curr": "USD"}, "links": {"order": 88}}]});
    case.answer("invoice", vec![Value::from_json(&bill).unwrap()]).unwrap();

    let due = case.due();
    assert_eq!(due[0].tool.as_str(), "fetch_order");
    assert_eq!(due[0].calls[0], Values::from([("id".to_owned(), Json::from("88"))]), "an id is text");
    case.answer("order", vec![Value::from_json(&json!({"sum": 15.0})).unwrap()]).unwrap();

    let decision = case.decide();
    assert_eq!(decision.rule(), Some("AP-3"), "{decision:?}");
    let order = Order::task("Approve or reject invoice 4711").unwrap();
    let operations = case.operations(&decision, &order).unwrap();
    let [reject] = operations.as_slice() else { panic!("{operations:?}") };
    assert_eq!(reject.tool.as_str(), "set_bill_state");
    let given = json!({"bill": {"no": 4711, "state": "REFUSED"}, "note": "AP-3"});
    let fields = json_record(given).into_iter();
    let expected: BTreeMap<String, Argument> =
        fields.map(|(name, value)| (name, Argument::Value(value))).collect();
    assert_eq!(reject.arguments, expected);
    let Check::ReadBack { tool, arguments, expect } = &reject.check else { panic!("{reject:?}") };
    assert_eq!(tool.as_str(), "fetch_bill");
    assert_eq!(arguments.keys().collect::<Vec<_>>(), ["bill_no"]);
    assert_eq!(expect["rows.0.state"], Argument::Value(Json::from("REFUSED")));
    let seen = reject.before.iter().find(|seen| seen.field == "rows.0.money.gross").unwrap();
    assert_eq!((seen.tool.as_str(), &seen.value), ("fetch_bill", &json(json!(1531))));
    assert_eq!(reject.amount.map(|money| money.to_string()).as_deref(), Some("15.31 USD"));

    // What a model proposes with the company's names is the file's own operation, and what differs is not.
    assert_eq!(case.judge(reject).rule(), Some("AP-3"));
    assert_eq!(task.in_business(reject).tool.as_str(), "reject_invoice");
    let mut other = reject.clone();
    other.arguments.insert("bill".to_owned(), json(json!({"no": 4711, "state": "RELEASED"})).into());
    assert_eq!(task.in_business(&other).tool.as_str(), "approve_invoice");
}

fn json_record(value: serde_json::Value) -> Values {
    match json(value) {
        Json::Record(fields) => fields,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_without_the_record_is_an_absent_one() {
    let files = builtin().unwrap();
    let file = files.iter().find(|file| file.name() == "invoice_reconciliation").unwrap().bound(&erp());
    let inputs = BTreeMap::from([("invoice_id".to_owned(), Value::text("4711"))]);
    let mut case = Case::start(&file.tasks()[0], &inputs, date(2026, 3, 4));
    case.answer("invoice", vec![Value::from_json(&json!({"rows": []})).unwrap()]).unwrap();
    let decision = case.decide();
    assert!(decision.doubts()[0].why.contains("the invoice was not found"), "{decision:?}");
}

#[test]
fn the_first_row_of_a_bare_list_is_found_where_the_list_was_not_read_to_its_end() {
    let map =
        CallMap { at: "0".to_owned(), fields: fields(&[("status", field("state"))]), ..call("read", true) };
    let calls = bound(vec![("get_invoice", map)]);
    let read = |answer: serde_json::Value| calls.calls["get_invoice"].answer(&json(answer));
    let row = json(json!({"status": "OPEN"}));
    assert_eq!(read(json!([{"state": "OPEN"}])), row);
    let cut = json!({"rows": [{"state": "OPEN"}], "complete": false, "incomplete_because": "page 2 repeats page 1"});
    assert_eq!(read(cut), row);
    // A record of the company with such a field is no list.
    assert_eq!(read(json!({"rows": [{"state": "OPEN"}], "complete": true})), Json::Null);
}

#[test]
fn rows_values_and_amounts_go_both_ways() {
    let map = fields(&[
        (
            "changes",
            FieldMap {
                within: fields(&[
                    ("action", words("op", &[("add", "+"), ("remove", "-")])),
                    ("quantity", field("qty")),
                ]),
                ..field("lines")
            },
        ),
        ("credit", money("amount", CurrencyOf::In("curr".to_owned()), false)),
        ("active", words("on", &[("true", "Y"), ("false", "N")])),
    ]);
    let own = json_record(json!({
        "changes": [{"action": "add", "quantity": 2, "item": "Widget B"}], "credit": "5.50 EUR", "active": false,
    }));
    let theirs = json!({
        "lines": [{"op": "+", "qty": 2, "item": "Widget B"}], "amount": 5.5, "curr": "EUR", "on": "N",
    });
    let made = translate::to_company(&own, &map);
    assert_eq!(Json::Record(made.clone()), json(theirs));
    let back = translate::to_business(&Json::Record(made), &map);
    let expected = json!({
        "changes": [{"action": "add", "quantity": 2, "item": "Widget B"}], "credit": "5.50 EUR", "active": false,
        "curr": "EUR",
    });
    assert_eq!(back, json(expected));
}

#[test]
fn an_amount_of_another_currency_is_never_sent_as_a_bare_number() {
    let map = fields(&[("credit", money("amount", CurrencyOf::Is(CurrencyCode(Currency::USD)), true))]);
    let given = json_record(json!({"credit": "5.50 EUR"}));
    assert_eq!(translate::to_company(&given, &map), json_record(json!({"amount": "5.50 EUR"})));
    let given = json_record(json!({"credit": "5.50 USD"}));
    assert_eq!(translate::to_company(&given, &map), json_record(json!({"amount": 550})));
}

#[test]
fn a_field_that_means_something_else_here_is_not_taken_for_the_files() {
    let map = fields(&[("status", field("state"))]);
    let answer = json(json!({"status": "printed", "note": "x"}));
    assert_eq!(translate::to_business(&answer, &map), json(json!({"note": "x"})));
}

#[test]
fn limits_of_people_hold_where_the_currency_is_in_another_argument() {
    let map = CallMap {
        arguments: fields(&[("amount", money("value", CurrencyOf::In("curr".to_owned()), false))]),
        ..call("post_credit", false)
    };
    let binding = bound(vec![("apply_account_credit", map)]);
    let arguments = BTreeMap::from([("amount".to_owned(), Argument::from("90000.00 USD"))]);
    let order = Order::task("Credit it").unwrap();
    let step = crate::id::StepId::parse("a1").unwrap();
    let tool = ToolName::parse("apply_account_credit").unwrap();
    let own = Operation::new(step, tool, Effect::Write, arguments, Check::Unverifiable, order);
    let made = binding.operations(vec![own]);
    assert_eq!(made[0].tool.as_str(), "post_credit");
    assert_eq!(made[0].amounts()[0].to_string(), "90000.00 USD");
}

#[test]
fn a_record_is_named_by_what_is_read() {
    for (tool, record) in [
        ("get_purchase_order", "purchase_order"),
        ("list_employees", "employees"),
        ("get_invoice", "invoice"),
        ("vendor", "vendor"),
    ] {
        assert_eq!(record_of(tool), record);
    }
}
