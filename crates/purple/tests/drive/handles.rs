//! Answers that are too large for a model: it gets a handle, looks into it, and only what it looked at vouches.

use std::sync::Arc;

use purple_process::Ending;
use purple_worker::{Settings, Status};
use serde_json::{Value, json};

use crate::house::House;
use crate::scripted::{Script, calls, house, performed_again, proposes, refusals, text, with_desk};

const TASK: &str = "Some deskwork: credit INFRA-9 with the bookings of INV-2024-447.";

fn settings() -> Settings {
    let mut settings = with_desk();
    settings.model_limits.task_tokens_max = 100_000;
    settings
}

/// A late transaction of a long month, chosen by its condition.
fn looks() -> Value {
    json!({"name": "r2", "where": "row.account == \"4000 Revenue\"", "fields": ["transaction_id", "amount"], "offset": 30, "limit": 1})
}

fn script(look: &[Value], amount: &str) -> Arc<Script> {
    let mut assess = vec![
        calls(&[("get_contract", json!({"contract_id": "CTR-441"}))]),
        calls(&[("get_transactions", json!({"month": "2026-02"}))]),
    ];
    assess.extend(look.iter().map(|one| calls(&[("look_into", one.clone())])));
    assess.push(text("read"));
    let credit = proposes(json!([{
        "tool": "apply_account_credit",
        "arguments": {"vendor_id": "INFRA-9", "amount": amount, "reference": "INV-2024-447"},
    }]));
    Script::steady(&[
        ("CLASSIFY", &[text(r#"{"process": "claims_desk"}"#)]),
        ("ASSESS", &assess),
        ("COMPUTE", &[credit]),
    ])
}

/// Everything that the model was told in ASSESS, answer by answer.
fn told(script: &Script) -> Vec<Value> {
    let asked = script.asked.lock().unwrap();
    let (_, last) = asked.iter().rev().find(|(state, _)| state == "ASSESS").unwrap();
    let answers = last.messages.iter().filter_map(|message| match message {
        purple_worker::port::Message::Tool { content, .. } => serde_json::from_str(content).ok(),
        _ => None,
    });
    answers.collect()
}

async fn run(script: &Arc<Script>) -> (House, purple_worker::RunView) {
    let house = house(script, settings(), &[]).await;
    let view = house.task("run", TASK).await;
    (house, view)
}

/// An amount that stands deep in the books, as the model would find it.
async fn late_amount() -> String {
    let script = script(&[looks()], "0.01 USD");
    run(&script).await;
    let told = told(&script);
    told[2]["data"][0]["amount"].as_str().unwrap_or_else(|| panic!("{told:#?}")).to_owned()
}

#[tokio::test]
async fn a_long_list_reaches_the_model_as_a_handle_and_its_rows_only_where_it_looks() {
    let sum = json!({"name": "r2", "sum": "amount", "group_by": "account"});
    let script = script(&[looks(), sum], "0.01 USD");
    let (house, _) = run(&script).await;
    let told = told(&script);
    let (handle, row, sums) = (&told[1], &told[2], &told[3]);
    assert_eq!((handle["handle"].as_bool(), handle["rows"].as_u64()), (Some(true), Some(287)), "{handle}");
    assert_eq!(handle["rows_at"], "transactions");
    assert!(handle["fields"].get("amount").is_some() && handle.to_string().len() < 4_000, "{handle}");
    assert_eq!(row["data"].as_array().map(Vec::len), Some(1), "{row}");
    assert_eq!(row["data"][0].as_object().map(|fields| fields.len()), Some(2), "{row}");
    assert_eq!(sums["name"], "c1", "{sums}");
    let counted: u64 = sums["data"].as_array().unwrap().iter().filter_map(|one| one["count"].as_u64()).sum();
    assert_eq!(counted, 287);
    performed_again(&house).await;
}

#[tokio::test]
async fn an_amount_of_a_handle_is_founded_once_it_was_looked_at_and_not_before() {
    let amount = late_amount().await;
    let (house, view) = run(&script(&[looks()], &amount)).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    assert_eq!(house.effects(), ["apply_account_credit"]);
    performed_again(&house).await;

    let (house, view) = run(&script(&[], &amount)).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    let card = view.card.unwrap().to_text(200);
    assert!(card.contains("which was neither read nor computed"), "{card}");
    assert_eq!(house.effects(), [""; 0]);
}

#[tokio::test]
async fn a_handle_survives_a_restart_and_the_plan_on_it_still_runs() {
    let amount = late_amount().await;
    let script = script(&[], &amount);
    let mut house = house(&script, settings(), &[]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    let headline = view.summary.approval.unwrap().headline;
    let again = house.settings.clone();
    house.restart(again).await;
    let view = house.say("run", "alex", &headline).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    assert_eq!(house.effects(), ["apply_account_credit"]);
    performed_again(&house).await;
}

#[tokio::test]
async fn a_look_that_asks_for_nothing_sensible_is_told_so_and_ends_nothing() {
    let odd = [
        json!({"name": "r9"}),
        json!({"name": "r2", "where": "row.nothing > 1"}),
        json!({"name": "r1", "path": "contract_id", "sum": "x"}),
    ];
    let script = script(&odd, "0.01 USD");
    let (house, view) = run(&script).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    assert_eq!(refusals(&house, "run").await, 0);
    assert!(script.told("ASSESS").contains("there are no rows"), "{}", script.told("ASSESS"));
}
