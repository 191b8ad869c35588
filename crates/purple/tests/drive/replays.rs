//! Runs with a failed audit, with two answers, and with a file that only the words point to, performed again.

use purple_journal::record::{learning, model, process};
use purple_journal::strategy::Arm;
use purple_process::Ending;
use purple_worker::Status;
use purple_worker::learn::seed::Seed;
use purple_worker::port::{Clock as _, Scored};
use serde_json::json;

use crate::house::{person, session};
use crate::scripted::*;

fn credit(amount: &str) -> serde_json::Value {
    json!([{"tool": "apply_account_credit", "arguments":
        {"vendor_id": "INFRA-9", "amount": amount, "reference": "INV-2024-447"}}])
}

#[tokio::test]
async fn a_run_whose_arithmetic_was_corrected_is_the_same_when_performed_again() {
    let wrong = match proposes(credit("1900.00 USD")) {
        Said::Reply(reply) => Said::Reply(purple_worker::port::ModelReply {
            text: "85000.00 USD - 83300.00 USD = 1900.00 USD.".to_owned(),
            ..reply
        }),
        other => other,
    };
    let script = Script::new(&[
        ("CLASSIFY", &[text(r#"{"process": "claims_desk"}"#)]),
        ("ASSESS", &[calls(&[("get_contract", json!({"contract_id": "CTR-441"}))]), text("read")]),
        ("COMPUTE", &[wrong, proposes(credit("85000.00 USD"))]),
    ]);
    let house = house(&script, with_desk(), &[]).await;
    let view = house.task("run", "Some deskwork: credit INFRA-9 for INV-2024-447.").await;
    assert_eq!(noted::<model::AuditFailed>(&house, "run").await.len(), 1, "{:#?}", view.answer);
    assert_eq!(house.effects(), ["apply_account_credit"], "{:#?}", view.answer);
    performed_again(&house).await;
}

#[tokio::test]
async fn a_run_with_two_answers_is_the_same_when_performed_again() {
    let script = Script::new(&[
        ("ASSESS", &[calls(&[("get_contract", json!({"contract_id": "CTR-441"}))]), text("read")]),
        ("COMPLETE", &[text("The fee is 85000.00 USD."), text("Nobody knows."), text("It is 85000.00 USD.")]),
    ]);
    let house = plain(&script).await;
    let at = house.clock.now();
    let score = |number: usize, arm: Arm, points: u16| Scored {
        session: session(&format!("earlier-{}-{number}", arm.as_str())),
        round: 1,
        process: "general".to_owned(),
        arm: Some(arm),
        points,
        cause: "ended".to_owned(),
        because: Vec::new(),
        at,
    };
    let scores = (0..40).flat_map(|number| {
        [score(number, Arm::Moa, 10_000), score(number, Arm::Fsm, 0), score(number, Arm::FivePhase, 0)]
    });
    let seed = Seed { scores: scores.collect(), ..Seed::default() };
    let store = house.engine.as_ref().unwrap().store().clone();
    store.import(seed, 200, person("alex")).await.unwrap();
    let view = house.task("run", "What is the monthly fee of CTR-441?").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    assert_eq!(noted::<learning::StrategyChosen>(&house, "run").await[0].arm, Arm::Moa);
    assert_eq!(
        noted::<model::AnswersCompared>(&house, "run").await,
        [model::AnswersCompared { agree: false }]
    );
    performed_again(&house).await;
}

#[tokio::test]
async fn a_run_that_words_point_elsewhere_is_the_same_when_performed_again() {
    let script = Script::new(&[
        ("CLASSIFY", &[text(r#"{"process": "none"}"#)]),
        (
            "COMPUTE",
            &[proposes(json!([{"tool": "approve_invoice", "arguments": {"invoice_id": "INV-2024-447"}}]))],
        ),
    ]);
    let house = house(&script, with_desk(), &[]).await;
    let view = house.task("run", "Some deskwork: finish INV-2024-447.").await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    assert_eq!(noted::<process::Pointed>(&house, "run").await[0].process, "claims_desk");
    performed_again(&house).await;
}
