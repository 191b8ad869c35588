//! Functions that nobody ships.

use purple_process::{Ending, State};
use purple_testkit::Job;
use purple_worker::port::*;
use purple_worker::{Channel, Choice};
use serde_json::{Value, json};

use crate::house::{person, session, settings};
use crate::scribbler::{Question, Scene, Scribbler};

pub(crate) const TASK: &str = "Equipment of INFRA-9 stood in our yard for 9 days under CTR-441, and 4 days are free of charge. Work out the yard storage charge by the agreement and put it on the account of INFRA-9.";
const AGAIN: &str = "Under CTR-441 the equipment of INFRA-9 was with us again, for 6 days this time with 4 days free. Put the yard storage charge on the account of INFRA-9, please.";

fn case(fee: &str, days: u32, free: u32, expected: &str) -> Value {
    json!({"given": {"monthly_fee": fee, "days": days, "free_days": free}, "expected": expected})
}

fn cases() -> Value {
    json!({
        "parameters": [
            {"name": "monthly_fee", "takes": {"number": {"least": "0", "most": "10000000", "places": 2}}, "unit": "money"},
            {"name": "days", "takes": {"number": {"least": "0", "most": "366", "places": 0}}},
            {"name": "free_days", "takes": {"number": {"least": "0", "most": "366", "places": 0}}},
        ],
        "answers": {"number": {"places": 2}},
        "unit": "money",
        "cases": [
            case("1000", 5, 4, "0.50"), case("1000", 10, 4, "3"), case("85000", 4, 4, "0"), case("2000", 2, 4, "0"),
            case("85000", 14, 4, "425"), case("100", 3, 0, "0.15"),
        ],
    })
}

pub(crate) const GOOD: &str = r#"fn storage_charge(monthly_fee, days, free_days) {
    let over = max(days - free_days, 0);
    round(monthly_fee * 0.05 / 100 * over, 2, "half_even")
}"#;
/// Knows what it was shown, and nothing else.
const BY_HEART: &str = r#"fn storage_charge(monthly_fee, days, free_days) {
    if monthly_fee == 1000 { return 0.50; }
    if monthly_fee == 85000 && days == 4 { return 0; }
    if monthly_fee == 85000 { return 425; }
    0
}"#;
const WRONG: &str = "fn storage_charge(monthly_fee, days, free_days) { 1 }";
const HOSTILE: &str = "fn storage_charge(monthly_fee, days, free_days) { import \"fs\" as fs; 0 }";

fn job(about: &str, amount: &str, days: u32) -> Job {
    let charge = json!({"monthly_fee": "85000.00 USD", "days": days, "free_days": 4});
    Job {
        about: about.to_owned(),
        looks: vec![
            ("get_contract".to_owned(), json!({"contract_id": "CTR-441"})),
            ("storage_charge".to_owned(), charge),
        ],
        proposes: vec![json!({
            "tool": "apply_account_credit",
            "arguments": {"vendor_id": "INFRA-9", "amount": amount, "reference": format!("ST-CTR-441-{days}")},
        })],
        answer: "The charge was credited.".to_owned(),
        ..Job::default()
    }
}

pub(crate) fn scribbler(codes: &[&str]) -> Scribbler {
    let codes: Vec<Value> = codes.iter().map(|code| json!({ "code": code })).collect();
    Scribbler::new(vec![job(TASK, "212.50 USD", 9), job(AGAIN, "85.00 USD", 6)])
        .says(Question::Classify, &[json!({"process": "none"})])
        .says(
            Question::Gap,
            &[json!({
                "missing": true, "name": "storage_charge",
                "about": "the charge for days beyond the free ones, 0.05 % of the monthly fee a day, to cents",
                "words": ["yard storage", "storage charge"],
            })],
        )
        .says(Question::Cases, &[cases()])
        .says(Question::Code, &codes)
}

/// What the card says about where figures come from.
async fn doubts(scene: &Scene, run: &str) -> bool {
    let entries = scene.house.desk.trace(&session(run), 0, 10_000).await.unwrap();
    entries.iter().any(|one| one.entry.data.to_string().contains("provenance:"))
}

#[tokio::test]
async fn a_function_is_specified_then_written_then_used_and_never_written_again() {
    let scene = Scene::open(scribbler(&[GOOD]), settings()).await;
    let view = scene.house.task("first", TASK).await;
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
    assert!(!doubts(&scene, "first").await, "what an admitted function computes has a source");
    let asked = [Question::Gap, Question::Cases, Question::Code].map(|one| scene.scribbler.count(one));
    assert_eq!(asked, [1, 1, 1]);
    let told = scene.scribbler.told(Question::Code);
    assert!(told.contains("85000") && !told.contains("2000"), "held-back cases are not told: {told}");
    scene.house.desk.decide(&session("first"), person("bea"), Channel::Cli, Choice::Approve).await.unwrap();
    let view = scene.house.still(&session("first")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done));
    assert_eq!(scene.house.ledger().effects[0].arguments["amount"], "212.50 USD");

    let view = scene.house.task("second", AGAIN).await;
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
    assert!(!doubts(&scene, "second").await);
    let asked = [Question::Gap, Question::Cases, Question::Code].map(|one| scene.scribbler.count(one));
    assert_eq!(asked, [1, 1, 1], "the second task makes no synthesis call");
    assert_eq!(scene.noted("second", "function.called").await.len(), 1);
    scene.performed_again("first").await;
    scene.performed_again("second").await;
}

#[tokio::test]
async fn a_restart_admits_the_function_again() {
    let mut scene = Scene::open(scribbler(&[GOOD]), settings()).await;
    scene.house.task("first", TASK).await;
    let settings = scene.house.settings.clone();
    scene.house.restart(settings).await;
    scene.house.task("second", AGAIN).await;
    assert_eq!(scene.noted("second", "function.called").await.len(), 1);
    assert_eq!(scene.scribbler.count(Question::Code), 1);
    // What does not pass again is not used, and stays to be looked at.
    let mut broken = scene.defined().await.remove(0);
    broken.text = broken.text.replace("0.05", "0.06");
    assert!(scene.redefine(Redefinition::Replace(broken)).await);
    scene.house.task("third", "Work out the yard storage charge for INFRA-9.").await;
    let broken = scene.defined().await.remove(0);
    assert!(broken.quarantined.is_some());
    assert!(scene.noted("third", "function.called").await.is_empty());
}

#[tokio::test]
async fn a_wrong_function_is_refused_and_its_second_version_is_taken() {
    let scene = Scene::open(scribbler(&[WRONG, GOOD]), settings()).await;
    scene.house.task("first", TASK).await;
    let refused = scene.noted("first", "function.refused").await;
    assert_eq!(refused.len(), 1);
    assert!(scene.scribbler.told(Question::Code).contains("expected 0.5, came out: 1"));
    assert_eq!(scene.defined().await.len(), 1);
    assert!(!doubts(&scene, "first").await);
    scene.performed_again("first").await;
}

#[tokio::test]
async fn a_function_that_only_fits_what_it_was_shown_is_caught_by_what_was_held_back() {
    let scene = Scene::open(scribbler(&[BY_HEART]), settings()).await;
    let view = scene.house.task("first", TASK).await;
    let refused = scene.noted("first", "function.refused").await;
    assert_eq!(refused.len(), 2);
    assert!(refused.iter().all(|one| one["why"].as_str().unwrap().contains("held-back case")), "{refused:?}");
    assert!(!scene.scribbler.told(Question::Code).contains("2000"), "not even then");
    assert!(scene.defined().await.is_empty());
    // The figure rests on nothing that was computed, and a person is told so.
    assert_eq!(view.summary.state, State::ApprovalGate);
    assert!(doubts(&scene, "first").await);
    assert!(scene.scribbler.told(Question::Work).contains("work it out step by step"));
    scene.performed_again("first").await;
}

#[tokio::test]
async fn a_function_that_reaches_out_is_refused() {
    let scene = Scene::open(scribbler(&[HOSTILE]), settings()).await;
    scene.house.task("first", TASK).await;
    assert_eq!(scene.noted("first", "function.refused").await.len(), 2);
    assert!(scene.defined().await.is_empty());
}

#[tokio::test]
async fn a_computation_of_the_table_needs_no_naming() {
    let task = "Work out the reorder point for Widget B.";
    let said =
        Scribbler::new(vec![Job { about: task.to_owned(), answer: "done".to_owned(), ..Job::default() }])
            .says(Question::Classify, &[json!({"process": "none"})])
            .says(Question::Cases, &[json!("nothing")]);
    let scene = Scene::open(said, settings()).await;
    scene.house.task("first", task).await;
    assert_eq!((scene.scribbler.count(Question::Gap), scene.scribbler.count(Question::Cases)), (0, 1));
    assert_eq!(scene.noted("first", "synthesis.failed").await[0]["function"], "reorder_point");
}

/// The second task orders for this much, which is read back.
async fn ordered(amount: &str) -> Scene {
    let mut order = job(AGAIN, amount, 6);
    order.proposes = vec![json!({
        "tool": "create_purchase_order", "check": {"total": amount},
        "arguments": {"vendor_id": "V-1001", "amount": amount, "description": "Yard", "cost_center": "CC-100"},
    })];
    let mut said = scribbler(&[GOOD]);
    said.clerk.0[1] = order;
    let scene = Scene::open(said, settings()).await;
    scene.house.task("first", TASK).await;
    assert!(scene.defined().await[0].quarantined.is_none());
    scene.house.task("second", AGAIN).await;
    scene.house.desk.decide(&session("second"), person("bea"), Channel::Cli, Choice::Approve).await.unwrap();
    let told = scene.house.still(&session("second")).await.answer.unwrap().text;
    assert!(told.contains("verified: read back as intended"), "{told}");
    scene
}

#[tokio::test]
async fn a_function_that_a_verified_outcome_contradicts_is_not_used_again() {
    let scene = ordered("170.00 USD").await;
    let why = scene.defined().await[0].quarantined.clone().unwrap();
    assert!(why.contains("85.00 USD") && why.contains("170.00 USD"), "{why}");
    assert_eq!(scene.noted("second", "function.quarantined").await.len(), 1);
    scene.house.task("third", "Work out the yard storage charge for INFRA-9.").await;
    assert!(scene.noted("third", "function.called").await.is_empty());
}

#[tokio::test]
async fn a_function_that_a_verified_outcome_confirms_stays() {
    let scene = ordered("85.00 USD").await;
    assert!(scene.defined().await[0].quarantined.is_none());
}
