use std::collections::BTreeMap;

use purple_policy::Kind;
use serde_json::json;

use super::*;
use crate::effect::Effect;
use crate::id::{StepId, ToolName};
use crate::operation::{Argument, Arguments, Check};
use crate::order::Order;

/// A read of a test: its tool, what it was asked with, what it told.
struct Read(&'static str, serde_json::Value, Option<serde_json::Value>);

fn values(json: &serde_json::Value) -> Values {
    match Json::from_serde(json).unwrap() {
        Json::Record(fields) => fields,
        _ => BTreeMap::new(),
    }
}

fn known(reads: &[Read]) -> Known {
    let made: Vec<(&str, Values, Option<Json>)> = reads
        .iter()
        .map(|Read(tool, asked, told)| {
            (*tool, values(asked), told.as_ref().map(|told| Json::from_serde(told).unwrap()))
        })
        .collect();
    Known::of(made.iter().map(|(tool, arguments, told)| Reading {
        record: None,
        tool,
        arguments,
        told: told.as_ref().map_or(Told::Unread(purple_policy::Unread::Failed), Told::Answer),
        at: Timestamp::UNIX_EPOCH,
    }))
}

fn operation(tool: &str, arguments: &serde_json::Value) -> Operation {
    let arguments: Arguments =
        values(arguments).into_iter().map(|(name, value)| (name, Argument::Value(value))).collect();
    let (step, tool) = (StepId::parse("op1").unwrap(), ToolName::parse(tool).unwrap());
    Operation::new(step, tool, Effect::Write, arguments, Check::Unverifiable, Order::missing())
}

/// What `record.field` means for an operation: its value as text, or why it has none.
fn bound(reads: &[Read], path: &str, kind: Kind, tool: &str, arguments: serde_json::Value) -> String {
    let (record, name) = path.split_once('.').unwrap();
    let binding = known(reads)
        .bind(&[Field::new(record, name, kind)], &Subject::of(Some(&operation(tool, &arguments))));
    match &binding[0].value {
        Ok(value) => value.to_string(),
        Err(why) => format!("? {why}"),
    }
}

fn vendor(id: &str, status: &str) -> Read {
    let id = json!(id);
    Read(
        "get_vendor",
        json!({"vendor_id": id}),
        Some(json!({"vendor_id": id, "name": "Acme", "status": status})),
    )
}

#[test]
fn the_record_that_the_operation_names_tells() {
    let reads = [vendor("V-3", "approved"), vendor("V-9", "suspended")];
    let status = |arguments| bound(&reads, "vendor.status", Kind::Text, "create_purchase_order", arguments);
    assert_eq!(status(json!({"vendor_id": "V-9", "amount": "10 USD"})), "suspended");
    assert_eq!(status(json!({"vendor_id": "V-3", "amount": "10 USD"})), "approved");
    // Its parameter may be called otherwise.
    assert_eq!(status(json!({"supplier": "v-9"})), "suspended");
    // Two records say two things.
    let neither = status(json!({"amount": "10 USD"}));
    assert!(neither.contains("ambiguous"), "{neither}");
}

#[test]
fn another_record_never_stands_in_for_the_one_that_was_not_read() {
    let reads = [vendor("V-3", "approved")];
    for arguments in [
        json!({"vendor_id": "V-9"}),
        json!({"vendor": "V-9"}),
        json!({"supplier_ref": "V-9"}),
        json!({"to": "V-9"}),
        json!({"vendor_id": ["V-3", "V-9"]}),
    ] {
        let told = bound(&reads, "vendor.status", Kind::Text, "create_purchase_order", arguments.clone());
        assert!(told.starts_with('?'), "{arguments}: {told}");
    }
    // What a quote says is a vendor's id, too.
    let quote =
        Read("list_quotes", json!({}), Some(json!({"results": [{"quote_id": "Q-1", "vendor_id": "V-9"}]})));
    let reads = [vendor("V-3", "approved"), quote];
    for arguments in [json!({"supplier": "V-9"}), json!({"quote_id": "Q-1"})] {
        let told = bound(&reads, "vendor.status", Kind::Text, "create_purchase_order", arguments.clone());
        assert_eq!(told, "? `vendor.status` was not read", "{arguments}");
    }
}

#[test]
fn what_a_record_refers_to_tells_where_the_operation_names_only_the_record() {
    let receivable = |status: &str| {
        let told = json!({"receivable_id": "AR-1", "customer_id": "C-1", "customer_status": status, "days_overdue": 12});
        Read("get_receivable", json!({"receivable_id": "AR-1"}), Some(told))
    };
    let told = |reads: &[Read]| {
        bound(reads, "customer.status", Kind::Text, "send_payment_reminder", json!({"receivable_id": "AR-1"}))
    };
    assert_eq!(told(&[receivable("insolvent")]), "insolvent");
    let customer = |status: &str| {
        Read(
            "get_customer",
            json!({"customer_id": "C-1"}),
            Some(json!({"customer_id": "C-1", "status": status})),
        )
    };
    assert_eq!(told(&[receivable("insolvent"), customer("insolvent")]), "insolvent");
    // The copy and the record disagree.
    let both = told(&[receivable("active"), customer("insolvent")]);
    assert!(both.contains("ambiguous"), "{both}");
    let days = bound(
        &[receivable("x")],
        "receivable.days_overdue",
        Kind::Number,
        "write_off",
        json!({"id": "AR-1"}),
    );
    assert_eq!(days, "12");
}

#[test]
fn rows_of_a_list_are_records_of_their_own() {
    let rows = json!({"rows": [
        {"receivable_id": "AR-1", "days_overdue": 12},
        {"receivable_id": "AR-2", "days_overdue": 120},
    ]});
    let reads = [Read("list_open_receivables", json!({"page": 1}), Some(rows))];
    let days = |id| {
        bound(&reads, "receivable.days_overdue", Kind::Number, "send_reminder", json!({"receivable_id": id}))
    };
    assert_eq!((days("AR-1").as_str(), days("AR-2").as_str()), ("12", "120"));
    assert!(days("AR-3").starts_with('?'));
}

#[test]
fn fields_go_by_other_names_and_amounts_need_a_currency() {
    let claim = |answer| [Read("get_expense_claim", json!({"claim_id": "E-1"}), Some(answer))];
    let amount = |answer| {
        bound(&claim(answer), "claim.amount", Kind::Money, "approve_expense", json!({"claim_id": "E-1"}))
    };
    assert_eq!(amount(json!({"claim_id": "E-1", "total_amount": "100.73 USD"})), "100.73 USD");
    assert_eq!(amount(json!({"data": {"id": "E-1", "total": 100, "currency": "EUR"}})), "100.00 EUR");
    let bare = amount(json!({"claim_id": "E-1", "total_amount": 100.73}));
    assert!(bare.starts_with("? an amount of money"), "{bare}");
    assert_eq!(amount(json!({"claim_id": "E-1", "status": "submitted"})), "? `claim.amount` was not read");
}

#[test]
fn what_the_operation_itself_moves_counts_beside_what_was_read() {
    let dispute = Read(
        "get_dispute",
        json!({"dispute_id": "D-1"}),
        Some(json!({"dispute_id": "D-1", "amount": "80 USD"})),
    );
    let amount = |tool, arguments| {
        bound(std::slice::from_ref(&dispute), "dispute.amount", Kind::Money, tool, arguments)
    };
    assert_eq!(amount("resolve_dispute", json!({"dispute_id": "D-1"})), "80.00 USD");
    assert_eq!(amount("issue_refund", json!({"reference": "D-1", "amount": "80 USD"})), "80.00 USD");
    let more = amount("issue_refund", json!({"reference": "D-1", "amount": "9000 USD"}));
    assert!(more.contains("ambiguous"), "{more}");
    let made = bound(
        &[],
        "purchase.amount",
        Kind::Money,
        "create_purchase_order",
        json!({"vendor_id": "V-9", "amount": "60000 USD"}),
    );
    assert_eq!(made, "60000.00 USD");
}

#[test]
fn a_later_read_of_the_same_thing_takes_the_place_of_the_earlier() {
    let reads = [vendor("V-9", "approved"), vendor("V-9", "suspended")];
    let told =
        bound(&reads, "vendor.status", Kind::Text, "create_purchase_order", json!({"vendor_id": "V-9"}));
    assert_eq!(told, "suspended");
}

#[test]
fn a_read_that_failed_is_told_as_that() {
    let reads = [Read("get_vendor", json!({"vendor_id": "V-9"}), None)];
    let told =
        bound(&reads, "vendor.status", Kind::Text, "create_purchase_order", json!({"vendor_id": "V-9"}));
    assert_eq!(told, "? `vendor.status` could not be read: the read failed");
}

#[test]
fn a_binding_says_where_the_value_was_read() {
    let operation = operation("create_purchase_order", &json!({"vendor_id": "V-9"}));
    let bindings = known(&[vendor("V-9", "suspended")])
        .bind(&[Field::new("vendor", "status", Kind::Text)], &Subject::of(Some(&operation)));
    let origin = &bindings[0].origins[0];
    assert_eq!(
        (origin.tool.as_str(), origin.record.as_str(), origin.field.as_str()),
        ("get_vendor", "vendor v-9", "status")
    );
}

#[test]
fn shapes_of_answers_do_not_hide_what_they_say() {
    let field = |path: &str, kind, words: &[&str]| {
        let (record, name) = path.split_once('.').unwrap();
        let compared: Vec<_> = words.iter().map(|word| (path.to_owned(), Value::text(*word))).collect();
        Field::new(record, name, kind).compared_with(&compared)
    };
    let told = |answer: serde_json::Value, field: &Field| {
        let reads = [Read("get_claim", json!({"claim_id": "C-1"}), Some(answer))];
        let operation = operation("approve_claim", &json!({"claim_id": "C-1"}));
        let binding =
            known(&reads).bind(std::slice::from_ref(field), &Subject::of(Some(&operation))).remove(0);
        match &binding.value {
            Ok(value) => value.to_string(),
            Err(why) => format!("? {why}"),
        }
    };
    let amount = field("claim.amount", Kind::Money, &[]);
    for answer in [
        json!({"claim_id": "C-1", "amount": "1200.50 USD"}),
        json!({"claim_id": "C-1", "amount": "$1,200.50"}),
        json!({"claim_id": "C-1", "amount": 1200.50, "currency": "USD"}),
        json!({"claim_id": "C-1", "amount": "1200.50", "currencyCode": "usd"}),
        json!({"claimId": "C-1", "totalAmount": {"value": "1200.50", "currency_code": "USD"}}),
        json!({"data": {"claim_id": "C-1", "amount": {"amount": 1200.50, "currency": "USD", "formatted": "$1,200.50"}}}),
        json!({"ok": true, "result": {"items": [{"id": "C-1", "total": "1200.50 USD"}]}}),
    ] {
        assert_eq!(told(answer.clone(), &amount), "1200.50 USD", "{answer}");
    }
    assert!(told(json!({"claim_id": "C-1", "amount": 1200.50}), &amount).starts_with('?'));
    let status = field("claim.status", Kind::Text, &["on_hold"]);
    for answer in [
        json!({"status": "success", "data": {"claim_id": "C-1", "status": "on_hold"}}),
        json!({"ok": true, "code": 200, "claim": {"claim_id": "C-1", "status": "on_hold"}}),
    ] {
        assert_eq!(told(answer.clone(), &status), "on_hold", "{answer}");
    }
    // What is no word for success counts.
    let both = json!({"status": "closed", "data": {"claim_id": "C-1", "status": "on_hold"}});
    assert!(told(both, &status).contains("ambiguous"));
    for written in ["on_hold", "ON HOLD", "On-Hold", "OnHold"] {
        assert_eq!(told(json!({"claim_id": "C-1", "status": written}), &status), "on_hold");
    }
    let hit = field("claim.hit", Kind::Bool, &[]);
    for written in [json!(true), json!("TRUE"), json!("yes"), json!("Y"), json!(1), json!("1")] {
        assert_eq!(told(json!({"claim_id": "C-1", "hit": written}), &hit), "true");
    }
}

#[test]
fn what_is_read_by_the_id_of_something_is_not_that_thing() {
    let kyc = || {
        Read(
            "get_kyc_record",
            json!({"customer_id": "C-1"}),
            Some(json!({"customer_id": "C-1", "status": "passed"})),
        )
    };
    let customer = Read(
        "get_customer",
        json!({"customer_id": "C-1"}),
        Some(json!({"customer_id": "C-1", "status": "active"})),
    );
    let told = |reads: &[Read], path| {
        bound(reads, path, Kind::Text, "provision_workspace", json!({"customer_id": "C-1"}))
    };
    assert_eq!(told(&[kyc()], "customer.status"), "? `customer.status` was not read");
    assert_eq!(told(&[kyc()], "kyc.status"), "passed");
    assert_eq!(told(&[kyc(), customer], "customer.status"), "active");
    for answer in [json!({"usage": 8}), json!({"usage": {"usage": 8}})] {
        let usage = Read("get_usage", json!({"customer_id": "C-1"}), Some(answer));
        assert_eq!(told(&[usage], "customer.usage"), "8");
    }
    // A tool may call the record by more words than the file, beside others that are read by the same id.
    let claim = |amount: &str| {
        Read(
            "get_expense_claim",
            json!({"claim_id": "EXP-1"}),
            Some(json!({"claim_id": "EXP-1", "amount": amount})),
        )
    };
    let receipts = Read(
        "get_receipts",
        json!({"claim_id": "EXP-1"}),
        Some(json!({"claim_id": "EXP-1", "receipt_total": "9 USD",
            "receipts": [{"receipt_id": "R-1", "claim_id": "EXP-1", "amount": "5 USD"}]})),
    );
    let arguments = json!({"claim_id": "EXP-1"});
    let reads = [claim("10 USD"), receipts];
    let told = |path: &str| bound(&reads, path, Kind::Money, "approve_expense", arguments.clone());
    assert_eq!((told("claim.amount").as_str(), told("receipt.total").as_str()), ("10.00 USD", "9.00 USD"));
}

#[test]
fn what_a_function_computed_can_restrict_and_cannot_release() {
    let files = crate::file::builtin().unwrap();
    let file = files.iter().find(|file| file.name() == "subscription_migration").unwrap();
    let task = &file.tasks()[0];
    let reads = || {
        [
            Read("get_usage", json!({"subscription_id": "SUB-1"}), Some(json!({"usage": 8}))),
            Read("get_plan", json!({"plan_id": "basic"}), Some(json!({"plan_id": "basic", "limit": 10}))),
        ]
    };
    let operation =
        operation("change_subscription_plan", &json!({"subscription_id": "SUB-1", "plan_id": "basic"}));
    for (fee, rule, told) in [
        ("1000.01 USD", "MIG-2", "is above 1000.00 USD"),
        ("10.00 USD", "MIG-3", "MIG-2 could not be checked"),
    ] {
        let result = Json::from_serde(&json!({ "fee": fee })).unwrap();
        let known = known(&reads()).with_computed([("early_termination_fee", &result)]);
        let case = crate::playbook::Case::start(task, &BTreeMap::new(), jiff::civil::date(2026, 3, 4));
        let decision = case.knowing(std::sync::Arc::new(known)).judge(&operation);
        assert_eq!(decision.rule(), Some(rule), "{decision:?}");
        let asked = format!("{:?}", decision.demands());
        assert!(asked.contains("account_director") && asked.contains("Requester"), "{asked}");
        let ruling = decision.ruling(file.owner(), None).unwrap();
        assert!(ruling.because().contains(told), "{}", ruling.because());
        let facts = ruling.voice().rules.join("\n");
        assert!(facts.contains(&format!("subscription.termination_fee = {fee} (computed by")), "{facts}");
    }
}

#[test]
fn the_status_of_a_call_is_no_fact_about_the_record_inside() {
    let record = json!({"status": "open", "reason": null, "total": 7});
    let with_id = json!({"order_id": "O-1", "status": "open", "total": 7});
    for record in [record, with_id] {
        for answer in [
            record.clone(),
            json!({"status": "ok", "reason": "found", "data": record}),
            json!({"data": {"status": "ok", "result": record}}),
            json!({"success": true, "message": "fetched", "status": "success", "order": record}),
            json!({"code": 200, "status": "done", "record": record}),
        ] {
            let reads = [Read("get_order", json!({"order_id": "O-1"}), Some(answer.clone()))];
            let told = |name: &str, kind: Kind| {
                bound(&reads, name, kind, "update_order", json!({"order_id": "O-1"}))
            };
            assert_eq!(told("order.status", Kind::Text), "open", "{answer}");
            assert_eq!(told("order.total", Kind::Number), "7", "{answer}");
        }
    }
}

#[test]
fn a_record_keeps_its_status_beside_what_belongs_to_it() {
    for (answer, status) in [
        (json!({"status": "completed", "items": [{"sku": "A", "status": "shipped"}]}), "completed"),
        (json!({"order_id": "O-1", "status": "ok", "customer": {"status": "gold"}}), "ok"),
        (json!({"status": "closed", "customer": {"name": "Ada"}}), "closed"),
    ] {
        let reads = [Read("get_order", json!({"order_id": "O-1"}), Some(answer))];
        let told = bound(&reads, "order.status", Kind::Text, "update_order", json!({"order_id": "O-1"}));
        assert_eq!(told, status);
    }
}
