//! What was done without an order is no example, whoever approved it.

use purple_process::Ending;
use purple_worker::Status;
use purple_worker::port::Message;
use serde_json::{Value, json};

use crate::scripted::{Script, calls, house, proposes, text, with_desk};

const TASK: &str = "Some deskwork: credit INFRA-9 for INV-2024-447.";

/// A model that proposes this.
fn wants(tool: &str, arguments: &Value) -> std::sync::Arc<Script> {
    let operation = || proposes(json!([{"tool": tool, "arguments": arguments}]));
    let contract = || calls(&[("get_contract", json!({"contract_id": "CTR-441"}))]);
    let names = || text(r#"{"process": "claims_desk"}"#);
    Script::new(&[
        ("CLASSIFY", &[names(), names()]),
        ("ASSESS", &[contract(), text("read"), contract(), text("read")]),
        ("COMPUTE", &[operation(), operation()]),
    ])
}

/// Everything that the model was told.
fn told(script: &Script) -> String {
    let asked = script.asked.lock().unwrap();
    let words = |message: &Message| match message {
        Message::System { text } | Message::User { text } | Message::Assistant { text, .. } => text.clone(),
        Message::Tool { content, .. } => content.clone(),
    };
    asked.iter().flat_map(|(_, request)| request.messages.iter().map(words)).collect()
}

#[tokio::test]
async fn a_run_that_did_what_nobody_ordered_scores_nothing_and_is_never_shown_again() {
    let credit = json!({"vendor_id": "INFRA-9", "amount": "85000.00 USD", "reference": "INV-2024-447"});
    let other = json!({"invoice_id": "INV-2024-448"});
    for (tool, arguments, quality, is_example) in
        [("apply_account_credit", credit, None, true), ("approve_invoice", other, Some("0"), false)]
    {
        let script = wants(tool, &arguments);
        let house = house(&script, with_desk(), &[]).await;
        let mut view = house.task("run", TASK).await;
        if view.summary.status == Status::Waiting {
            let card = view.card.as_ref().unwrap().to_text(100);
            assert!(card.starts_with("NOT IN THE REQUEST"), "{card}");
            let headline = view.summary.approval.unwrap().headline;
            view = house.say("run", "bea", &headline).await;
        }
        assert_eq!(view.summary.ending, Some(Ending::Done), "{tool}: {:?}", view.summary);
        assert_eq!(house.effects(), [tool]);
        let data = view.answer.unwrap().data;
        match quality {
            Some(quality) => assert_eq!(data.quality.as_deref(), Some(quality), "{:?}", data.quality_because),
            None => assert_ne!(data.quality.as_deref(), Some("0"), "{:?}", data.quality_because),
        }
        script.asked.lock().unwrap().clear();
        house.task("again", TASK).await;
        assert_eq!(told(&script).contains("Past pattern:"), is_example, "{tool}");
    }
}
