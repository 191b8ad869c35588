//! The five worked cases, end to end, judged by the ledger of the demo business and not by our own words.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod house;

use std::sync::Arc;

use house::{Door, House, settings};
use purple_journal::record::tool::CataloguePinned;
use purple_policy::{Authority, PolicyDocument};
use purple_process::{Ending, Outcome, State};
use purple_testkit::records;
use purple_worker::{Channel, Policy, RunView, Start, Status};

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
        let journal = house.worker.trace(&run, 0, 1_000).await.unwrap();
        assert_eq!(records::all::<CataloguePinned>(&journal).len(), 1);
    }
}

#[tokio::test]
async fn a_remark_about_a_run_that_is_over_leaves_its_answer_where_it_is() {
    let house = House::open(Door::Streams, settings(), &[]).await;
    let before = house.task("sla", SLA).await.answer.unwrap();
    house.worker.cancel(&house::session("sla"), house::person("alex"), String::new()).await.unwrap();
    let after = house.still(&house::session("sla")).await.answer.unwrap();
    assert!(after.text.starts_with("The run is over already."), "{}", after.text);
    assert!(after.text.ends_with(&before.text), "{}", after.text);
    assert_eq!(after.data, before.data);
}

#[tokio::test]
async fn every_blob_that_the_cases_keep_is_named_by_their_journals() {
    let mut settings = settings();
    let policy = r#"{"rules": [{"id": "big", "condition": "amount > 50000", "action": "require_approval"}], "context": {}}"#;
    let document = PolicyDocument::parse(policy, Authority::Operator).unwrap();
    settings.policy = Some(Arc::new(Policy { name: "house".to_owned(), document, text: policy.to_owned() }));
    let mut house = House::open(Door::Streams, settings, &[]).await;
    let rules = serde_json::json!({"rules": [{"id": "mine", "condition": "amount > 1", "action": "require_approval"}]});
    let start = |text: &str, policy| Start {
        text: text.to_owned(),
        by: house::person("alex"),
        channel: Channel::A2a,
        account: None,
        policy,
        tools_endpoint: None,
        message_id: None,
    };
    house.start("case-1", start(INVOICE, Some(rules))).await;
    house.task("case-2", ORDER).await;
    house.say("case-2", "alex", "Confirmed, proceed").await;
    house.task("case-3", OVERTIME).await;
    house.task("case-4", SLA).await;
    house.task("case-5", START).await;
    house.say("case-5", "alex", REVOKE).await;
    // Words that are too long for the journal, and a question.
    house.say("case-5", "alex", &format!("What is {}?", "this ".repeat(800))).await;
    house.stop().await;
    let reader = purple_store::Reader::open(house.folder.path()).unwrap();
    let (report, health) = (reader.verify().unwrap(), reader.health().unwrap());
    assert_eq!((report.sessions, &report.fault), (5, &None));
    assert!(report.blobs > 40, "{report:?}");
    assert_eq!(report.blobs, health.blobs, "a blob that no entry names");
}

const RECONCILE: &str = r#"
process: book_totals
title: Close a month whose books and bank lines were added up
owner: finance
keywords: [add up the books]
format: 2
say: {en: ["add up books [{month}]"]}
route: [DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, MUTATE, COMPLETE]
inputs:
  month: {type: month}
read:
  books: get_transactions(month=month)
  bank: get_bank_statement(month=month)
compute:
  booked: sum(books.transactions, row.amount)
  paid: sum(bank.lines, row.value)
  rows: count(books.transactions) + count(bank.lines)
  gap: booked - paid
decide:
  - {rule: BT-1, if: 'rows > 100 && booked != paid', outcome: close, ask: nobody, because: "added up"}
outcomes:
  close:
    do: close_period(period=month)
    check: get_period(period=month).status == "closed"
tests:
  - {month: "2026-02", books: {transactions: [{amount: "1.10 USD"}, {amount: "2.20 USD"}]}, bank: {lines: [{value: "3.00 USD"}]}, expect: escalate, booked: "3.30 USD", gap: "0.30 USD"}
"#;

/// All rows of a month, as the business itself gives them out, page by page, in cents.
fn cents(house: &House, tool: &str, rows: &str, field: &str) -> Vec<i128> {
    let mut all = Vec::new();
    let (mut cursor, mut page) = (None::<String>, 1);
    loop {
        let mut arguments = serde_json::Map::new();
        arguments.insert("month".to_owned(), "2026-02".into());
        match &cursor {
            Some(cursor) => arguments.insert("cursor".to_owned(), cursor.clone().into()),
            None if rows == "lines" => arguments.insert("page".to_owned(), page.into()),
            None => None,
        };
        let served = house.office.call(&purple_backoffice::Call::new(tool, arguments));
        let purple_backoffice::Answer::Done(answer) = served.answer else { unreachable!("{served:?}") };
        for row in answer[rows].as_array().unwrap() {
            let amount = row[field].as_str().and_then(|text| text.strip_suffix(" USD")).unwrap();
            assert_eq!(amount.rsplit_once('.').unwrap().1.len(), 2, "{amount}");
            all.push(amount.replace('.', "").parse().unwrap());
        }
        cursor = answer["next_cursor"].as_str().map(str::to_owned);
        page += 1;
        if cursor.is_none() && answer["has_more"] != true {
            return all;
        }
    }
}

#[tokio::test]
async fn a_playbook_adds_up_hundreds_of_rows_over_all_their_pages_to_the_cent() {
    for door in DOORS {
        let mut settings = settings();
        let mut processes = settings.processes.to_vec();
        processes.push(purple_worker::Process::parse(RECONCILE).unwrap());
        settings.processes = processes.into();
        let house = House::open(door, settings, &[]).await;
        let view = house.task("books", "Please add up the books of February 2026").await;
        assert_eq!(view.summary.ending, Some(Ending::Done), "{door:?}: {:?}", view.answer);
        let asked =
            ["get_transactions", "get_bank_statement"].map(|tool| house.ledger().calls_of(tool).count());
        let booked = cents(&house, "get_transactions", "transactions", "amount");
        let paid = cents(&house, "get_bank_statement", "lines", "value");
        assert!(
            booked.len() > 100 && paid.len() > 100,
            "{} and {} rows are no pages",
            booked.len(),
            paid.len()
        );
        assert!(asked.iter().all(|calls| *calls > 1), "{door:?}: {asked:?}");
        let usd = |cents: i128| {
            let sign = if cents < 0 { "-" } else { "" };
            format!("{sign}{}.{:02} USD", cents.abs() / 100, cents.abs() % 100)
        };
        let (books, bank): (i128, i128) = (booked.iter().sum(), paid.iter().sum());
        assert_eq!(figure(&view, "booked"), usd(books), "{door:?}");
        assert_eq!(figure(&view, "paid"), usd(bank), "{door:?}");
        assert_eq!(figure(&view, "gap"), usd(books - bank), "{door:?}");
        assert_eq!(figure(&view, "rows"), (booked.len() + paid.len()).to_string(), "{door:?}");
        assert_eq!(house.effects(), ["close_period"]);
    }
}
