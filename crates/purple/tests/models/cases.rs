//! The five worked cases, driven by a model.

use purple_process::{Ending, Outcome, State};
use purple_testkit::{Clerk, Job};
use purple_worker::{Channel, Choice, Status};
use serde_json::{Value, json};

use crate::house::{person, session};
use crate::seat::{Driven, WAYS, files_with_gaps, operation, words};

const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";
const ORDER: &str = "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.";
const OVERTIME: &str =
    "Calculate Sarah Chen's overtime: 52 hours this week, base rate $28/hr, CA state rules apply.";
const SLA: &str =
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";
const START: &str = "Start offboarding for employee E-2291 (last day Friday)";
const REVOKE: &str = "Now revoke system access and send exit survey";
const SYSTEMS: [&str; 5] = ["GitHub", "AWS", "Slack", "Jira", "Okta"];

fn look(tool: &str, arguments: Value) -> (String, Value) {
    (tool.to_owned(), arguments)
}

fn clerk() -> Clerk {
    let changes = json!([
        {"action": "remove", "quantity": 3, "item": "Widget A"},
        {"action": "add", "quantity": 2, "item": "Widget B"},
    ]);
    let employee = json!({"employee_id": "E-2291"});
    let mut revokes: Vec<Value> = SYSTEMS
        .iter()
        .map(|system| operation("revoke_access", json!({"employee_id": "E-2291", "system": system})))
        .collect();
    revokes.push(operation("send_exit_survey", employee.clone()));
    Clerk(vec![
        Job {
            about: "INV-2024-447 for $52,340".to_owned(),
            process: "invoice_reconciliation".to_owned(),
            looks: vec![look("get_invoice", json!({"invoice_id": "INV-2024-447"}))],
            proposes: vec![operation(
                "reject_invoice",
                json!({"invoice_id": "INV-2024-447", "reason": "more than 2 % above its order"}),
            )],
            answer: "INV-2024-447 is 1,140.00 USD above PO-8821.".to_owned(),
            ..Job::default()
        },
        Job {
            about: "ORD-5592: remove 3x".to_owned(),
            process: "order_management".to_owned(),
            looks: vec![
                look("get_order", json!({"order_id": "ORD-5592"})),
                look("get_inventory", json!({"item": "Widget B"})),
                look(
                    "calculate",
                    json!({"expression": "2 * r2.unit_price - 3 * first(filter(r1.items, row.item == \"Widget A\")).unit_price"}),
                ),
            ],
            proposes: vec![
                operation("modify_order_items", json!({"order_id": "ORD-5592", "changes": changes})),
                operation(
                    "send_order_confirmation",
                    json!({"order_id": "ORD-5592", "customer_id": "C-8821"}),
                ),
            ],
            answer: "The order costs 25.97 USD less.".to_owned(),
            ..Job::default()
        },
        Job {
            about: "Sarah Chen's overtime".to_owned(),
            process: "payroll_overtime".to_owned(),
            answer: "1,624.00 USD".to_owned(),
            ..Job::default()
        },
        Job {
            about: "credit per contract #CTR-441".to_owned(),
            process: "sla_breach".to_owned(),
            looks: vec![
                look("get_contract", json!({"contract_id": "CTR-441"})),
                look("get_account_balance", json!({"vendor_id": "INFRA-9"})),
            ],
            proposes: vec![
                operation(
                    "apply_account_credit",
                    json!({"vendor_id": "INFRA-9", "amount": "1020.00 USD", "reference": "SLA-CTR-441-2026-02"}),
                ),
                operation(
                    "send_sla_breach_notification",
                    json!({"contract_id": "CTR-441", "amount": "1020.00 USD", "to": ["sla@ninthcloud.example"]}),
                ),
            ],
            answer: "A credit of 1,020.00 USD was applied.".to_owned(),
            ..Job::default()
        },
        Job {
            about: "Start offboarding".to_owned(),
            process: "hr_offboarding".to_owned(),
            looks: vec![look("get_employee", employee.clone())],
            proposes: vec![
                operation(
                    "update_employee_status",
                    json!({"employee_id": "E-2291", "status": "offboarding"}),
                ),
                operation(
                    "create_offboarding_checklist",
                    json!({"employee_id": "E-2291", "last_day": "2026-03-06", "systems": SYSTEMS}),
                ),
                operation(
                    "schedule_equipment_return",
                    json!({"employee_id": "E-2291", "date": "2026-03-06"}),
                ),
                operation(
                    "notify_it_team",
                    json!({"employee_id": "E-2291", "systems": SYSTEMS, "last_day": "2026-03-06"}),
                ),
                operation("schedule_exit_survey", json!({"employee_id": "E-2291", "date": "2026-03-06"})),
            ],
            answer: "The offboarding has begun.".to_owned(),
            ..Job::default()
        },
        Job {
            about: "Now revoke system access".to_owned(),
            process: "hr_offboarding".to_owned(),
            looks: vec![look("list_system_access", employee)],
            proposes: revokes,
            answer: "Access to five systems was revoked.".to_owned(),
            ..Job::default()
        },
    ])
}

/// The tools of all effects, in order.
fn tools(driven: &Driven) -> Vec<String> {
    driven.effects().into_iter().map(|(tool, _)| tool).collect()
}

#[tokio::test]
async fn an_invoice_above_its_order_is_rejected_once_somebody_says_so() {
    for way in WAYS {
        let driven = Driven::open(way, clerk(), files_with_gaps()).await;
        let view = driven.house.task("case-1", INVOICE).await;
        assert_eq!(view.summary.state, State::ApprovalGate, "{way:?} {}", words(&view));
        assert_eq!(tools(&driven), Vec::<String>::new());
        driven
            .house
            .worker
            .decide(&session("case-1"), person("bea"), Channel::Cli, Choice::Approve)
            .await
            .unwrap();
        let view = driven.house.still(&session("case-1")).await;
        assert_eq!(view.summary.ending, Some(Ending::Done), "{way:?} {}", words(&view));
        let reject = json!({"invoice_id": "INV-2024-447", "reason": "more than 2 % above its order"});
        assert_eq!(driven.effects(), [("reject_invoice".to_owned(), reject)], "{way:?}");
        assert!(words(&view).contains("1,140.00 USD above PO-8821"), "{}", words(&view));
        driven.were_all_requests_valid();
    }
}

#[tokio::test]
async fn an_order_is_changed_once_it_is_confirmed_and_then_told() {
    for way in WAYS {
        let driven = Driven::open(way, clerk(), files_with_gaps()).await;
        let view = driven.house.task("case-2", ORDER).await;
        assert_eq!(view.summary.state, State::ApprovalGate, "{way:?} {}", words(&view));
        assert_eq!(tools(&driven), Vec::<String>::new());
        let view = driven.house.say("case-2", "alex", "Confirmed, proceed").await;
        assert_eq!(view.summary.ending, Some(Ending::Done), "{way:?} {}", words(&view));
        assert_eq!(tools(&driven), ["modify_order_items", "send_order_confirmation"], "{way:?}");
        let order = &driven.house.ledger().effects[0].after;
        assert_eq!(order["total"], "155.98 USD", "{order}");
        driven.were_all_requests_valid();
    }
}

#[tokio::test]
async fn overtime_is_told_and_nothing_is_changed() {
    for way in WAYS {
        let driven = Driven::open(way, clerk(), files_with_gaps()).await;
        let view = driven.house.task("case-3", OVERTIME).await;
        assert_eq!(view.summary.ending, Some(Ending::Done), "{way:?} {}", words(&view));
        assert!(words(&view).contains("1,624.00"), "{}", words(&view));
        assert_eq!(tools(&driven), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_credit_that_a_rule_allows_is_applied_read_back_and_told_after() {
    for way in WAYS {
        let driven = Driven::open(way, clerk(), files_with_gaps()).await;
        let view = driven.house.task("case-4", SLA).await;
        assert_eq!(view.summary.ending, Some(Ending::Done), "{way:?} {}", words(&view));
        assert_eq!(tools(&driven), ["apply_account_credit", "send_sla_breach_notification"], "{way:?}");
        assert_eq!(driven.effects()[0].1["amount"], "1020.00 USD");
        driven.were_all_requests_valid();
    }
}

#[tokio::test]
async fn an_offboarding_takes_two_rounds_of_one_session() {
    for way in WAYS {
        let driven = Driven::open(way, clerk(), files_with_gaps()).await;
        let view = driven.house.task("case-5", START).await;
        assert_eq!(
            (view.summary.status, view.summary.ending),
            (Status::Closed, Some(Ending::Done)),
            "{way:?} {}",
            words(&view)
        );
        let first = [
            "update_employee_status",
            "create_offboarding_checklist",
            "schedule_equipment_return",
            "notify_it_team",
            "schedule_exit_survey",
        ];
        assert_eq!(tools(&driven), first, "{way:?}");
        let view = driven.house.say("case-5", "alex", REVOKE).await;
        assert_eq!(
            (view.summary.ending, view.summary.round),
            (Some(Ending::Done), 2),
            "{way:?} {}",
            words(&view)
        );
        let second = tools(&driven).split_off(5);
        assert_eq!(second[..5], ["revoke_access"; 5], "{way:?}");
        assert_eq!(second[5..], ["send_exit_survey"], "{way:?}");
        let mutations = &view.answer.as_ref().unwrap().data.mutations;
        assert!(mutations.iter().all(|one| one.outcome != Outcome::InDoubt), "{mutations:?}");
        driven.were_all_requests_valid();
    }
}
