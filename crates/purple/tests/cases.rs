//! The five worked cases, end to end, judged by the ledger of the demo business and not by our own words.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod house;

use house::{Door, House, settings};
use purple_process::{Ending, Outcome, State};
use purple_worker::{RunView, Status};

const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";
const ORDER: &str = "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.";
const OVERTIME: &str =
    "Calculate Sarah Chen's overtime: 52 hours this week, base rate $28/hr, CA state rules apply.";
const SLA: &str =
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";
const START: &str = "Start offboarding for employee E-2291 (last day Friday)";
const REVOKE: &str = "Now revoke system access and send exit survey";

const DOORS: [Door; 3] = [Door::Streams, Door::HttpMcp, Door::Bridge];

fn figure(view: &RunView, name: &str) -> String {
    let answer = view.answer.as_ref().unwrap();
    answer.data.figures.iter().find(|(figure, _)| figure == name).unwrap().1.clone()
}

fn verified(view: &RunView) -> Vec<(String, Outcome)> {
    let answer = view.answer.as_ref().unwrap();
    answer.data.mutations.iter().map(|mutation| (mutation.tool.clone(), mutation.outcome)).collect()
}

#[tokio::test]
async fn an_invoice_above_its_order_stops_at_the_gate_and_nothing_is_written() {
    for door in DOORS {
        let house = House::open(door, settings(), &[]).await;
        let view = house.task("case-1", INVOICE).await;
        println!("{}", view.answer.as_ref().unwrap().text);
        assert_eq!(
            (view.summary.status, view.summary.state),
            (Status::Waiting, State::ApprovalGate),
            "{door:?}"
        );
        assert_eq!(figure(&view, "variance"), "1140.00 USD");
        assert_eq!(figure(&view, "variance_percent"), "2.2265625");
        let approval = view.summary.approval.unwrap();
        assert_eq!(approval.headline, "Reject invoice INV-2024-447 of 52340.00 USD");
        assert_eq!(house.effects(), Vec::<String>::new(), "{door:?}");
    }
}

#[tokio::test]
async fn an_order_is_changed_after_its_confirmation_read_back_and_then_told() {
    for door in DOORS {
        let house = House::open(door, settings(), &[]).await;
        let view = house.task("case-2", ORDER).await;
        assert_eq!(view.summary.state, State::ApprovalGate, "{door:?} {:?}", view.answer);
        assert_eq!(figure(&view, "price_delta"), "-25.97 USD");
        assert_eq!(house.effects(), Vec::<String>::new());
        let view = house.say("case-2", "alex", "Confirmed, proceed").await;
        println!("{}", view.answer.as_ref().unwrap().text);
        assert_eq!(view.summary.ending, Some(Ending::Done), "{door:?}");
        assert_eq!(house.effects(), ["modify_order_items", "send_order_confirmation"], "{door:?}");
        let expected = [
            ("modify_order_items".to_owned(), Outcome::Verified),
            ("send_order_confirmation".to_owned(), Outcome::Unverifiable),
        ];
        assert_eq!(verified(&view), expected);
    }
}

#[tokio::test]
async fn overtime_is_calculated_by_the_shipped_function_without_a_model_or_a_tool() {
    let house = House::open(Door::Streams, settings(), &[]).await;
    let view = house.task("case-3", OVERTIME).await;
    let answer = view.answer.as_ref().unwrap();
    println!("{}", answer.text);
    assert_eq!(view.summary.ending, Some(Ending::Done));
    assert!(answer.text.contains("1,624.00"), "{}", answer.text);
    assert!(answer.text.contains("daily"), "{}", answer.text);
    assert_eq!(house.ledger().calls.len(), 0);
}

#[tokio::test]
async fn a_missed_uptime_is_credited_read_back_and_told_after() {
    for door in DOORS {
        let house = House::open(door, settings(), &[]).await;
        let view = house.task("case-4", SLA).await;
        println!("{}", view.answer.as_ref().unwrap().text);
        assert_eq!(view.summary.ending, Some(Ending::Done), "{door:?}");
        assert_eq!(figure(&view, "credit"), "1020.00 USD");
        assert_eq!(house.effects(), ["apply_account_credit", "send_sla_breach_notification"], "{door:?}");
        assert_eq!(verified(&view)[0], ("apply_account_credit".to_owned(), Outcome::Verified));
    }
}

#[tokio::test]
async fn an_offboarding_takes_two_turns_of_one_session_and_is_not_classified_again() {
    for door in DOORS {
        let house = House::open(door, settings(), &[]).await;
        let view = house.task("case-5", START).await;
        println!("{}", view.answer.as_ref().unwrap().text);
        assert_eq!(view.summary.ending, Some(Ending::Done), "{door:?}");
        assert_eq!(figure(&view, "equipment_deadline"), "2026-03-06");
        let first = house.effects();
        assert_eq!(first[..2], ["update_employee_status", "create_offboarding_checklist"]);
        assert_eq!(first.len(), 5);
        let view = house.say("case-5", "alex", REVOKE).await;
        println!("{}", view.answer.as_ref().unwrap().text);
        assert_eq!((view.summary.ending, view.summary.round), (Some(Ending::Done), 2), "{door:?}");
        let second: Vec<String> = house.effects().split_off(5);
        assert_eq!(
            second,
            ["revoke_access"; 5].iter().copied().chain(["send_exit_survey"]).collect::<Vec<_>>()
        );
        let run = house::session("case-5");
        let kinds: Vec<String> =
            house.desk.trace(&run, 0, 1_000).await.unwrap().into_iter().map(|one| one.entry.kind).collect();
        assert_eq!(kinds.iter().filter(|kind| *kind == "catalogue.pinned").count(), 1);
    }
}

#[tokio::test]
async fn a_remark_about_a_run_that_is_over_leaves_its_answer_where_it_is() {
    let house = House::open(Door::Streams, settings(), &[]).await;
    let before = house.task("sla", SLA).await.answer.unwrap();
    house.desk.cancel(&house::session("sla"), house::person("alex"), String::new()).await.unwrap();
    let after = house.still(&house::session("sla")).await.answer.unwrap();
    assert!(after.text.starts_with("The run is over already."), "{}", after.text);
    assert!(after.text.ends_with(&before.text), "{}", after.text);
    assert_eq!(after.data, before.data);
}
