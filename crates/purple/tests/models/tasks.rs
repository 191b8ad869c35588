//! Ten tasks for which there is no file: a model finds out what is to be done, and a person decides.

use purple_process::{Ending, State};
use purple_testkit::{Clerk, Job};
use purple_worker::{Channel, Choice};
use serde_json::{Value, json};

use crate::house::{person, session};
use crate::seat::{Driven, WAYS, only_the_rest, operation, words};

/// A task, what is looked at, and what is done about it.
struct Task {
    text: &'static str,
    looks: Vec<(&'static str, Value)>,
    does: Vec<(&'static str, Value)>,
}

fn tasks() -> Vec<Task> {
    vec![
        Task {
            text: "Put INV-2024-449 on hold: its currency differs.",
            looks: vec![("get_invoice", json!({"invoice_id": "INV-2024-449"}))],
            does: vec![(
                "put_invoice_on_hold",
                json!({"invoice_id": "INV-2024-449", "reason": "billed in EUR"}),
            )],
        },
        Task {
            text: "Give incident INC-901 to E-1002 and notify the team.",
            looks: vec![
                ("get_incident", json!({"incident_id": "INC-901"})),
                ("get_employee", json!({"employee_id": "E-1002"})),
            ],
            does: vec![
                ("assign_incident", json!({"incident_id": "INC-901", "owner": "E-1002"})),
                ("announce_to_team", json!({"to": ["operations"], "text": "INC-901 has an owner."})),
            ],
        },
        Task {
            text: "Mark INC-902 as mitigated.",
            looks: vec![("get_incident", json!({"incident_id": "INC-902"}))],
            does: vec![("update_incident_status", json!({"incident_id": "INC-902", "status": "mitigated"}))],
        },
        Task {
            text: "Cancel ORD-5592 as the buyer wishes.",
            looks: vec![("get_order", json!({"order_id": "ORD-5592"}))],
            does: vec![("cancel_order", json!({"order_id": "ORD-5592"}))],
        },
        Task {
            text: "Settle DSP-501 by a replacement.",
            looks: vec![("get_dispute", json!({"dispute_id": "DSP-501"}))],
            does: vec![("resolve_dispute", json!({"dispute_id": "DSP-501", "resolution": "replacement"}))],
        },
        Task {
            text: "Close the month of 2026-02.",
            looks: vec![("get_period", json!({"period": "2026-02"}))],
            does: vec![("close_period", json!({"period": "2026-02"}))],
        },
        Task {
            text: "Take Jordan Kim (E-2291) off Jira and Slack.",
            looks: vec![("list_system_access", json!({"employee_id": "E-2291"}))],
            does: vec![
                ("revoke_access", json!({"employee_id": "E-2291", "system": "Jira"})),
                ("revoke_access", json!({"employee_id": "E-2291", "system": "Slack"})),
            ],
        },
        Task {
            text: "Pay C-8821 back the price of Widget B.",
            looks: vec![
                ("get_inventory", json!({"item": "Widget B"})),
                ("get_customer", json!({"customer_id": "C-8821"})),
            ],
            does: vec![(
                "issue_refund",
                json!({"customer_id": "C-8821", "amount": "32.00 USD", "reference": "ORD-5592"}),
            )],
        },
        Task {
            text: "Write to orders@northwind.example that their widgets are late.",
            looks: vec![("get_customer", json!({"customer_id": "C-8821"}))],
            does: vec![(
                "send_email",
                json!({"to": ["orders@northwind.example"], "subject": "Your widgets", "body": "They are late."}),
            )],
        },
        Task {
            text: "Note down in the audit log that PO-8821 was looked at.",
            looks: vec![("get_purchase_order", json!({"po_id": "PO-8821"}))],
            does: vec![("create_audit_entry", json!({"subject": "PO-8821", "text": "looked at"}))],
        },
    ]
}

fn clerk() -> Clerk {
    let job = |task: Task| Job {
        about: task.text.to_owned(),
        looks: task.looks.into_iter().map(|(tool, arguments)| (tool.to_owned(), arguments)).collect(),
        proposes: task.does.into_iter().map(|(tool, arguments)| operation(tool, arguments)).collect(),
        answer: "That is what the task asked for.".to_owned(),
        ..Job::default()
    };
    Clerk(tasks().into_iter().map(job).collect())
}

#[tokio::test]
async fn ten_tasks_without_a_file_wait_for_a_person_and_do_what_was_approved() {
    for way in WAYS {
        let driven = Driven::open(way, clerk(), crate::house::careful(only_the_rest())).await;
        for (number, task) in tasks().into_iter().enumerate() {
            let run = format!("task-{number}");
            let before = driven.effects().len();
            let view = driven.house.task(&run, task.text).await;
            assert_eq!(view.summary.state, State::ApprovalGate, "{way:?} {} {}", task.text, words(&view));
            assert_eq!(driven.effects().len(), before, "{way:?} {}", task.text);
            driven
                .house
                .worker
                .decide(&session(&run), person("bea"), Channel::Cli, Choice::Approve)
                .await
                .unwrap();
            let view = driven.house.still(&session(&run)).await;
            assert_eq!(view.summary.ending, Some(Ending::Done), "{way:?} {} {}", task.text, words(&view));
            let expected: Vec<(String, Value)> =
                task.does.into_iter().map(|(tool, arguments)| (tool.to_owned(), arguments)).collect();
            assert_eq!(driven.effects()[before..], expected, "{way:?}");
        }
        driven.were_all_requests_valid();
    }
}

#[tokio::test]
async fn ten_tasks_without_a_file_change_nothing_when_a_person_says_no() {
    let driven = Driven::open(WAYS[0], clerk(), crate::house::careful(only_the_rest())).await;
    for (number, task) in tasks().into_iter().enumerate() {
        let run = format!("task-{number}");
        driven.house.task(&run, task.text).await;
        let no = Choice::Reject { reason: "not now".to_owned() };
        driven.house.worker.decide(&session(&run), person("bea"), Channel::Cli, no).await.unwrap();
        let view = driven.house.still(&session(&run)).await;
        assert_eq!(view.summary.ending, Some(Ending::Declined), "{} {}", task.text, words(&view));
    }
    assert_eq!(driven.effects(), []);
}
