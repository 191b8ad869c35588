//! The worked cases: classified, read, computed, decided and turned into operations without a model.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap, in their helpers too")]

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use purple_policy::{Currency, Value, Verdict};
use purple_process::file::{Ask, End, Extracted, ProcessFile, Setting, Task, builtin, extract};
use purple_process::playbook::{Case, Decision};
use purple_process::{Arithmetic, Candidate, Check, Operation, Order, classify, is_question};
use serde_json::json;

/// A Wednesday.
const TODAY: Date = date(2026, 3, 4);

fn setting() -> Setting {
    Setting { today: TODAY, dollar: Currency::parse("USD").unwrap() }
}

fn files() -> Vec<ProcessFile> {
    builtin().unwrap_or_else(|refused| panic!("{refused}"))
}

fn taken(task: &Task, text: &str, earlier: &BTreeMap<String, Value>) -> Extracted {
    extract(text, task.inputs(), earlier, &setting())
}

/// The process and task that a text goes to.
fn chosen<'f>(files: &'f [ProcessFile], text: &str) -> (&'f ProcessFile, &'f Task) {
    let none = BTreeMap::new();
    let complete = |task: &Task| !task.inputs().is_empty() && taken(task, text, &none).missing.is_empty();
    let candidates: Vec<Candidate<'_>> = files
        .iter()
        .map(|file| Candidate {
            name: file.name(),
            keywords: file.keywords(),
            inputs_found: file.tasks().iter().any(complete),
        })
        .collect();
    let name = classify(text, &candidates).map_or("general", |classified| classified.name);
    let file = files.iter().find(|file| file.name() == name).unwrap();
    let tasks: Vec<Candidate<'_>> = file
        .tasks()
        .iter()
        .map(|task| Candidate { name: task.name(), keywords: task.keywords(), inputs_found: complete(task) })
        .collect();
    let task = classify(text, &tasks).and_then(|classified| file.task(classified.name));
    (file, task.unwrap_or(&file.tasks()[0]))
}

/// Runs the reads of a case against answers by tool name.
fn prepared<'t>(
    task: &'t Task,
    text: &str,
    earlier: &BTreeMap<String, Value>,
    answers: &dyn Fn(&str, &str) -> serde_json::Value,
) -> Case<'t> {
    let extracted = taken(task, text, earlier);
    assert_eq!(extracted.missing, []);
    let mut case = Case::start(task, &extracted.found, TODAY);
    loop {
        let due = case.due();
        if due.is_empty() {
            return case;
        }
        for read in due {
            let replies = read.calls.iter().map(|arguments| {
                let key: Vec<&str> = arguments.values().filter_map(|value| value.as_text()).collect();
                Value::from_json(&answers(read.tool.as_str(), &key.join(","))).unwrap()
            });
            case.answer(read.name, replies.collect()).unwrap();
        }
    }
}

fn told(operations: &[Operation]) -> Vec<(String, String)> {
    operations
        .iter()
        .map(|operation| (operation.tool.to_string(), serde_json::to_string(&operation.arguments).unwrap()))
        .collect()
}

fn figure(case: &Case<'_>, name: &str) -> String {
    case.facts().get(name).unwrap().to_string()
}

fn ask(decision: &Decision) -> &str {
    match decision.ask().unwrap() {
        Ask::Nobody => "nobody",
        Ask::Requester => "requester",
        Ask::Role(role) => role.as_str(),
    }
}

const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";

#[test]
fn an_invoice_above_its_order_is_to_be_rejected_and_somebody_is_asked() {
    let files = files();
    let (file, task) = chosen(&files, INVOICE);
    assert_eq!(file.name(), "invoice_reconciliation");
    let case = prepared(task, INVOICE, &BTreeMap::new(), &|tool, key| match (tool, key) {
        ("get_invoice", "INV-2024-447") => {
            json!({"status": "received", "po_id": "PO-8821", "total": "52340.00 USD", "vendor_id": "V-77", "number": "447"})
        }
        ("get_purchase_order", "PO-8821") => json!({"total": "51200.00 USD"}),
        other => panic!("{other:?}"),
    });
    assert_eq!(figure(&case, "variance"), "1140.00 USD");
    assert_eq!(figure(&case, "variance_percent"), "2.2265625");
    let decision = case.decide();
    assert_eq!((decision.rule(), decision.verdict()), (Some("AP-3"), Some(Verdict::RequireApproval)));
    assert_eq!(ask(&decision), "ap_lead");
    assert_eq!(decision.explanation(), "variance_percent (2.2265625) > 2.0");
    let operations = case.operations(&decision, &Order::missing()).unwrap();
    assert_eq!(
        told(&operations),
        [("reject_invoice".to_owned(), r#"{"invoice_id":"INV-2024-447","reason":"AP-3"}"#.to_owned())]
    );
    assert!(matches!(operations[0].check, Check::ReadBack { .. }));
    assert_eq!(operations[0].undo.as_ref().unwrap().tool.as_str(), "reopen_invoice");
    let seen: Vec<&str> = operations[0].before.iter().map(|seen| seen.field.as_str()).collect();
    assert_eq!(seen, ["po_id", "status", "total", "total"]);
    assert_eq!(case.business_key().unwrap(), [Value::text("V-77"), Value::text("447")]);
}

const ORDER: &str = "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.";

#[test]
fn a_changed_order_is_priced_and_the_requester_confirms_it() {
    let files = files();
    let (file, task) = chosen(&files, ORDER);
    assert_eq!(file.name(), "order_management");
    assert!(file.answers_to("order_modification"));
    let case = prepared(task, ORDER, &BTreeMap::new(), &|tool, key| match (tool, key) {
        ("get_order", "ORD-5592") => json!({
            "customer_id": "C-8821", "status": "open", "contact": "buyer@example.com", "total": "149.95 USD", "item_count": 5,
            "items": [{"item": "Widget A", "quantity": 5, "unit_price": "29.99 USD"}],
        }),
        ("get_inventory", "Widget B") => {
            json!({"item": "Widget B", "available": 47, "reserved": 12, "unit_price": "32.00 USD"})
        }
        other => panic!("{other:?}"),
    });
    assert_eq!(figure(&case, "credit"), "89.97 USD");
    assert_eq!(figure(&case, "charge"), "64.00 USD");
    assert_eq!(figure(&case, "price_delta"), "-25.97 USD");
    let decision = case.decide();
    assert_eq!((decision.rule(), ask(&decision)), (Some("ORD-6"), "requester"));
    let ruling = decision.ruling(file.owner(), None).unwrap();
    assert_eq!((ruling.verdict(), ruling.asks().len()), (Verdict::RequireApproval, 1));
    let operations = case.operations(&decision, &Order::missing()).unwrap();
    let tools: Vec<String> = told(&operations).into_iter().map(|(tool, _)| tool).collect();
    assert_eq!(tools, ["modify_order_items", "send_order_confirmation"]);
    let Check::ReadBack { tool, expect, .. } = &operations[0].check else { panic!("unverifiable") };
    assert_eq!(tool.as_str(), "get_order");
    assert_eq!(serde_json::to_string(expect).unwrap(), r##"{"item_count":"#4","total":"123.98 USD"}"##);
    assert_eq!(operations[1].recipients, ["buyer@example.com"]);
}

#[test]
fn an_overtime_question_needs_no_process_file() {
    let text = "Calculate Sarah Chen's overtime: 52 hours this week, base rate $28/hr, CA state rules apply.";
    let files = files();
    assert_eq!(chosen(&files, text).0.name(), "general");
}

const SLA: &str =
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";

#[test]
fn a_missed_uptime_is_credited_and_told() {
    let files = files();
    let (file, task) = chosen(&files, SLA);
    assert_eq!(file.name(), "sla_breach");
    let case = prepared(task, SLA, &BTreeMap::new(), &|tool, key| match (tool, key) {
        ("get_contract", "CTR-441") => json!({
            "vendor_id": "INFRA-9", "sla_percent": 99.9, "monthly_fee": "85000.00 USD", "multiplier": 1.5, "contact": "ops@example.com",
        }),
        ("get_uptime", "2026-02,INFRA-9") => json!({"percent": 99.1}),
        other => panic!("{other:?}"),
    });
    let decision = case.decide();
    assert_eq!((decision.rule(), decision.verdict()), (Some("SLA-4"), Some(Verdict::Allow)));
    let operations = case.operations(&decision, &Order::missing()).unwrap();
    assert_eq!(
        told(&operations),
        [
            (
                "apply_account_credit".to_owned(),
                r#"{"amount":"1020.00 USD","reference":"SLA-CTR-441-2026-02","vendor_id":"INFRA-9"}"#
                    .to_owned()
            ),
            (
                "send_sla_breach_notification".to_owned(),
                r#"{"amount":"1020.00 USD","contract_id":"CTR-441","to":"ops@example.com"}"#.to_owned()
            ),
        ]
    );
    assert_eq!(operations[1].quiet.as_deref(), Some("20:00-07:00"));
    let shows = case.shows(&decision).unwrap();
    assert_eq!(shows[0].0.as_str(), "get_account_balance");
}

#[test]
fn a_credit_above_the_fee_ends_in_escalate() {
    let files = files();
    let task = &files.iter().find(|file| file.name() == "sla_breach").unwrap().tasks()[0];
    let text = SLA.replace("99.1%", "20.0%");
    let case = prepared(task, &text, &BTreeMap::new(), &|tool, _| match tool {
        "get_contract" => {
            json!({"vendor_id": "INFRA-9", "sla_percent": 99.9, "monthly_fee": "85000.00 USD", "multiplier": 1.5})
        }
        _ => json!({"percent": 20.0}),
    });
    let decision = case.decide();
    assert_eq!((decision.end().cloned(), decision.verdict()), (Some(End::Escalate), Some(Verdict::Escalate)));
    assert_eq!(case.operations(&decision, &Order::missing()).unwrap(), []);
}

#[test]
fn an_offboarding_takes_two_turns() {
    let files = files();
    let first = "Start offboarding for employee E-2291 (last day Friday)";
    let (file, task) = chosen(&files, first);
    assert_eq!((file.name(), task.name()), ("hr_offboarding", "start"));
    let employee = |status: &str| json!({"status": status, "email": "jordan@example.com", "systems": ["GitHub", "AWS", "Slack", "Jira", "Okta"]});
    let case = prepared(task, first, &BTreeMap::new(), &|tool, key| match (tool, key) {
        ("get_employee", "E-2291") => employee("active"),
        ("get_pay_calendar", "2026-03-06,E-2291") => json!({"next_pay_date": "2026-03-31"}),
        other => panic!("{other:?}"),
    });
    assert_eq!(figure(&case, "equipment_deadline"), "2026-03-06");
    assert_eq!(figure(&case, "final_pay_date"), "2026-03-31");
    let decision = case.decide();
    assert_eq!(decision.verdict(), Some(Verdict::Allow));
    let tools: Vec<String> = told(&case.operations(&decision, &Order::missing()).unwrap())
        .into_iter()
        .map(|(tool, _)| tool)
        .collect();
    assert_eq!(
        tools,
        [
            "update_employee_status",
            "create_offboarding_checklist",
            "schedule_equipment_return",
            "notify_it_team",
            "schedule_exit_survey"
        ]
    );

    let second = "Now revoke system access and send exit survey";
    let (file, task) = chosen(&files, second);
    assert_eq!((file.name(), task.name()), ("hr_offboarding", "revoke_access"));
    let earlier = BTreeMap::from([("employee_id".to_owned(), Value::text("E-2291"))]);
    let case = prepared(task, second, &earlier, &|_, _| employee("offboarding"));
    let operations = case.operations(&case.decide(), &Order::missing()).unwrap();
    let systems: Vec<&str> =
        operations[..5].iter().map(|o| o.arguments["system"].value().unwrap().as_text().unwrap()).collect();
    assert_eq!(systems, ["GitHub", "AWS", "Slack", "Jira", "Okta"]);
    assert!(operations[..5].iter().all(|operation| matches!(operation.check, Check::ReadBack { .. })));
    assert_eq!(operations[5].tool.as_str(), "send_exit_survey");
    assert_eq!(operations.len(), 6);
}

#[test]
fn words_point_to_their_process() {
    let files = files();
    for (text, name) in [
        ("Approve the expense claim of Ana for $300, receipt attached", "expense_approval"),
        ("Get a quote from the supplier and raise a purchase", "procurement"),
        ("P1 incident: the checkout is down", "incident_response"),
        ("Onboard the new customer Nordwind", "customer_onboarding"),
        ("Run the KYC audit for the regulatory review", "compliance_audit"),
        ("Resolve the chargeback dispute of card holder 4", "dispute_resolution"),
        ("Where is the shipment of this cart item?", "order_management"),
        ("Do the month-end close of the books", "month_end_close"),
        ("Chase overdue accounts receivable by aging", "ar_collections"),
        ("Downgrade and migrate them to the small plan", "subscription_migration"),
        ("Start the pay run for March, wages included", "payroll"),
        ("Water the plants", "general"),
    ] {
        assert_eq!(chosen(&files, text).0.name(), name, "{text}");
    }
}

#[test]
fn the_worked_cases_are_no_questions() {
    for text in [INVOICE, ORDER, SLA] {
        assert_eq!(is_question(text), None, "{text}");
    }
    assert_eq!(is_question("What is the balance of INFRA-9?"), Some(Arithmetic::None));
}
