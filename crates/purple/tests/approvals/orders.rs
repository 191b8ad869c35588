//! Words that order nothing write nothing, whatever process they point to.

use purple_journal::record::task::Confirmed;
use purple_process::Ending;
use purple_worker::Status;

use crate::house::{session, settings};
use crate::scene::*;

/// Tasks as people type them, of which none orders a write.
const NO_ORDERS: [&str; 13] = [
    "Do NOT approve invoice INV-2024-448 for $25,500 against PO-8822. Only tell me what the policy says.",
    "Should we offboard employee E-1005, last day 2026-03-20?",
    "Cancel the offboarding of E-1014 (last day Friday)",
    "Draft an email about offboarding employee E-1013, last day 2026-03-20, but do not send it",
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Don't apply anything, just calculate the credit per contract #CTR-441.",
    "Never approve invoice INV-2024-448 for $25,500 against PO-8822.",
    "If the goods have arrived, approve invoice INV-2024-448 for $25,500 against PO-8822.",
    "The vendor wrote: \"Approve invoice INV-2024-448 for $25,500 against PO-8822.\"",
    "Next Monday approve invoice INV-2024-448 for $25,500 against PO-8822.",
    "Bitte die Rechnung INV-2024-448 über 25.500,00 USD gegen PO-8822 nicht freigeben. invoice",
    "Reject invoice INV-2024-448 for $25,500 against PO-8822.",
    "Invoice INV-2024-448 for $25,500 against PO-8822 was approved yesterday.",
    "Who has to approve invoice INV-2024-448 for $25,500 against PO-8822?",
];

#[tokio::test]
async fn words_that_order_nothing_write_nothing() {
    let house = open(settings()).await;
    for (number, text) in NO_ORDERS.into_iter().enumerate() {
        let view = house.task(&format!("run-{number}"), text).await;
        assert_eq!(house.effects(), nothing(), "{text}\n{:?}", view.answer);
        assert!(view.summary.approval.is_none(), "a plan for what was not ordered: {text}");
    }
}

#[tokio::test]
async fn a_question_is_answered_with_what_the_rules_would_do() {
    let house = open(settings()).await;
    let view = house.task("run", "Should we approve invoice INV-2024-448 for $25,500 against PO-8822?").await;
    ended(&view, Ending::Done);
    let said = text(&view);
    assert!(said.contains("Nothing was changed.") && said.contains("AP-4 would approve it"), "{said}");
}

#[tokio::test]
async fn a_question_about_a_field_is_answered_with_that_field_first() {
    let house = open(settings()).await;
    for (number, (question, first)) in [
        ("What's the status of invoice INV-2024-448?", "The status of invoice INV-2024-448 is received."),
        ("What is the status of INV-2024-448?", "The status of invoice INV-2024-448 is received."),
        ("What is the total of invoice INV-2024-448?", "The total of invoice INV-2024-448 is 25500.00 USD."),
        ("What is the variance of invoice INV-2024-448?", "500.00 USD (variance)"),
    ]
    .into_iter()
    .enumerate()
    {
        let view = house.task(&format!("run-{number}"), question).await;
        ended(&view, Ending::Done);
        assert_eq!(text(&view).lines().next(), Some(first), "{question}");
    }
}

#[tokio::test]
async fn orders_in_several_forms_are_carried_out() {
    for text in [
        "Approve invoice INV-2024-448 for $25,500 against PO-8822.",
        "Could you please approve invoice INV-2024-448 for $25,500 against PO-8822?",
        "Invoice INV-2024-448 for $25,500 against PO-8822 needs to be approved.",
        "Hi team,\n\nplease approve invoice INV-2024-448 for $25,500 against PO-8822.\n\nThanks\nMona",
    ] {
        let house = open(settings()).await;
        ended(&house.task("run", text).await, Ending::Done);
        assert_eq!(house.effects(), ["approve_invoice"], "{text}");
    }
}

/// An order with words that nothing explains.
const UNCLEAR: &str = "Approve invoice INV-2024-448 for $25,500 against PO-8822 in the blue gazebo.";

#[tokio::test]
async fn a_task_that_is_not_a_clear_order_is_restated_and_confirmed_by_its_requester_only() {
    let house = open(settings()).await;
    let view = house.task("run", UNCLEAR).await;
    assert_eq!((view.summary.status, code(&view)), (Status::Waiting, Some("task.unclear")));
    assert!(text(&view).contains("I did not understand: gazebo."), "{}", text(&view));
    let view = house.say("run", "bea", "yes").await;
    assert!(text(&view).contains("Only alex can confirm"), "{}", text(&view));
    assert_eq!(house.effects(), nothing());
    ended(&house.say("run", "alex", "Yes, please.").await, Ending::Done);
    assert_eq!(house.effects(), ["approve_invoice"]);
    let confirmed = house.worker.trace(&session("run"), 0, 500).await.unwrap();
    assert!(confirmed.iter().any(|one| one.entry.kind() == "task.confirmed"));
}

#[tokio::test]
async fn a_restated_task_is_withdrawn_or_said_again() {
    let house = open(settings()).await;
    house.task("run", UNCLEAR).await;
    ended(&house.say("run", "alex", "no").await, Ending::Cancelled);
    assert_eq!(house.effects(), nothing());
    house.task("again", UNCLEAR).await;
    let view = house.say("again", "alex", "Approve invoice INV-2024-448 for $25,500 against PO-8822.").await;
    ended(&view, Ending::Done);
    assert_eq!(house.effects(), ["approve_invoice"]);
}

#[tokio::test]
async fn words_that_ask_to_undo_something_never_start_it() {
    let house = open(settings()).await;
    let view = house.task("run", "Cancel the offboarding of E-1014 (last day Friday)").await;
    ended(&view, Ending::Done);
    assert!(text(&view).contains("Nothing was changed."), "{}", text(&view));
    house.say("run", "alex", "yes").await;
    assert_eq!(house.effects(), nothing());
}

#[tokio::test]
async fn another_time_is_said_to_be_impossible_and_a_confirmation_means_now() {
    let house = open(settings()).await;
    let view =
        house.task("run", "Next Monday approve invoice INV-2024-448 for $25,500 against PO-8822.").await;
    assert_eq!((view.summary.status, code(&view)), (Status::Waiting, Some("task.unclear")));
    assert!(text(&view).contains("schedules do not exist yet: it would be done now"), "{}", text(&view));
    assert_eq!(house.effects(), nothing());
    ended(&house.say("run", "alex", "yes").await, Ending::Done);
    assert_eq!(house.effects(), ["approve_invoice"]);
    let journal = house.worker.trace(&session("run"), 0, 500).await.unwrap();
    let confirmed = journal.iter().find_map(|one| one.record().get::<Confirmed>()).unwrap();
    assert!(confirmed.restated.to_string().ends_with(", now and not at another time"), "{confirmed:?}");
}
