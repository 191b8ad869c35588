//! Values that the words of a task determine: told while they come out, and warned of when they do not.

use std::sync::Arc;

use purple_journal::record::model;
use purple_process::Ending;
use purple_worker::port::{Check, Memory as _, Message};
use purple_worker::{Process, RunView, Settings, Status};
use serde_json::json;

use crate::house::{House, settings};
use crate::scripted::{DESK, Said, Script, calls, house, noted, proposes, read_invoice, text};

/// Its words determine a credit of 8,500.00 USD.
const TASK: &str = "Some deskwork: give INFRA-9 a 10% credit on the $85,000 of contract CTR-441.";
const TOLD: &str = "credit = 8500.00 USD (85000.00 USD × 10% = 8500.00 USD)";
const WARNED: &str = "credit: drift warning";

fn desk() -> Settings {
    crate::house::careful(vec![Process::parse(DESK).unwrap()])
}

/// Credits so many percent of the monthly fee, task by task.
fn crediting(percents: &[u32]) -> Arc<Script> {
    let mut assess = Vec::new();
    let mut compute = Vec::new();
    for (percent, task) in percents.iter().zip(1..) {
        assess.extend([calls(&[("get_contract", json!({"contract_id": "CTR-441"}))]), text("read")]);
        let amount = format!("{}.00 USD", 850 * percent);
        compute.extend([
            calls(&[("calculate", json!({"expression": format!("r1.monthly_fee * {percent} / 100")}))]),
            proposes(json!([{
                "tool": "apply_account_credit",
                "arguments": {"vendor_id": "INFRA-9", "amount": amount, "reference": format!("DESK-{task}")},
                "check": {"amount": amount},
            }])),
        ]);
    }
    let classify: Vec<Said> = percents.iter().map(|_| text(r#"{"process": "claims_desk"}"#)).collect();
    Script::new(&[("CLASSIFY", &classify), ("ASSESS", &assess), ("COMPUTE", &compute)])
}

/// Does a task to its end; whoever is asked says yes.
async fn done(house: &House, run: &str, task: &str) -> RunView {
    let mut view = house.task(run, task).await;
    while view.summary.status == Status::Waiting {
        let headline = view.summary.approval.unwrap().headline;
        view = house.say(run, "alex", &headline).await;
    }
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    view
}

/// The brief with which the last task began.
fn brief(script: &Script) -> String {
    let asked = script.asked.lock().unwrap();
    let (_, request) = asked.iter().rev().find(|(state, _)| state == "DECOMPOSE").unwrap();
    let system = request.messages.iter().filter_map(|message| match message {
        Message::System { text } => Some(text.as_str()),
        Message::User { .. } | Message::Assistant { .. } | Message::Tool { .. } => None,
    });
    system.collect()
}

async fn checks(house: &House, process: &str) -> Vec<Check> {
    house.engine.as_ref().unwrap().store().checks(process, 100).await.unwrap()
}

#[tokio::test]
async fn a_value_that_does_not_come_out_gives_way_to_a_warning_and_one_that_does_stays() {
    let cases: [([u32; 5], bool); 4] = [
        ([2, 2, 2, 2, 2], true),
        ([2, 2, 10, 2, 2], true),
        ([2, 2, 2, 10, 10], false),
        ([10, 10, 10, 10, 10], false),
    ];
    for (percents, is_warned) in cases {
        let script = crediting(&[&percents[..], &[2]].concat());
        let house = house(&script, desk(), &[]).await;
        for task in 1..=5 {
            done(&house, &format!("run{task}"), TASK).await;
            assert!(brief(&script).contains(TOLD), "{task}: {}", brief(&script));
        }
        assert_eq!(house.effects().len(), 5);
        done(&house, "run6", TASK).await;
        let brief = brief(&script);
        assert_eq!(
            (brief.contains(WARNED), brief.contains(TOLD)),
            (is_warned, !is_warned),
            "{percents:?}: {brief}"
        );
        let found = checks(&house, "claims_desk").await;
        assert_eq!(found.len(), 6, "{found:#?}");
        let hits = found.iter().filter(|check| check.hit).count();
        assert_eq!(hits, percents.iter().filter(|percent| **percent == 10).count(), "{found:#?}");
    }
}

const VARIES: &str =
    "Some deskwork: look after invoice INV-2024-447 over $52,340, PO-8821 over $51,200, tolerance 2%.";

/// Works the variance out, then says this.
async fn varying(then: Said) -> (RunView, Vec<Check>) {
    let given = json!({"invoiced": "52340.00 USD", "po": "51200.00 USD", "threshold_pct": "2%"});
    let script = Script::new(&[
        ("CLASSIFY", &[text(r#"{"process": "claims_desk"}"#)]),
        (
            "ASSESS",
            &[read_invoice(), calls(&[("get_purchase_order", json!({"po_id": "PO-8821"}))]), text("read")],
        ),
        ("COMPUTE", &[calls(&[("apply_variance_check", given)]), then]),
    ]);
    let house = house(&script, desk(), &[]).await;
    let view = house.task("run", VARIES).await;
    assert_eq!(noted::<model::Computed>(&house, "run").await.len(), 1);
    let found = checks(&house, "claims_desk").await;
    (view, found)
}

#[tokio::test]
async fn what_a_function_gave_is_an_outcome_and_compared_by_its_digits() {
    let (view, found) = varying(text("nothing to propose")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    let found: Vec<(&str, &str, bool)> =
        found.iter().map(|one| (one.figure.as_str(), one.found.as_str(), one.hit)).collect();
    assert!(found.contains(&("variance", "1140.00 USD", true)), "{found:?}");
    assert!(found.iter().any(|one| one.0 == "variance_percent" && one.2), "{found:?}");
}

#[tokio::test]
async fn what_was_computed_for_a_round_that_came_to_nothing_is_no_outcome() {
    let rejects = json!({"invoice_id": "INV-2024-447", "reason": "forbidden"});
    let (view, found) = varying(proposes(json!([{"tool": "reject_invoice", "arguments": rejects}]))).await;
    assert_eq!(view.summary.ending, Some(Ending::Blocked), "{:#?}", view.answer);
    assert_eq!(found, []);
}

#[tokio::test]
async fn what_a_playbook_wrote_and_read_back_is_an_outcome() {
    for (fee, hit) in [("85,000", true), ("80,000", false)] {
        let house = house(&Script::new(&[]), settings(), &[]).await;
        let task = format!(
            "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA, fee ${fee}, multiplier 1.5. Calculate credit per contract #CTR-441."
        );
        done(&house, "run", &task).await;
        assert_eq!(house.effects(), ["apply_account_credit", "send_sla_breach_notification"]);
        let found = checks(&house, "sla_breach").await;
        let found: Vec<(&str, &str, bool)> =
            found.iter().map(|one| (one.figure.as_str(), one.found.as_str(), one.hit)).collect();
        assert_eq!(found, [("credit", "1020.00 USD", hit)]);
    }
}
