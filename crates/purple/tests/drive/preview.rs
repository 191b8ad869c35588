//! What a model is told of the rules that come with a request, before it begins.

use purple_worker::port::Message;
use purple_worker::{Channel, Start};
use serde_json::json;

use crate::house::{person, settings};
use crate::scripted::{Script, house, text};

#[tokio::test]
async fn the_rules_of_a_request_are_in_the_brief_with_their_result_and_their_context() {
    let script = Script::new(&[("CLASSIFY", &[text(r#"{"process": "procurement"}"#)])]);
    let house = house(&script, settings(), &[]).await;
    let policy = json!({
        "rules": [
            {"id": "REQ-1", "condition": "purchase_limit < 500 USD", "action": "require_approval", "level": "cfo"},
            {"id": "REQ-2", "condition": "quantity > 10", "action": "block"},
        ],
        "context": {"purchase_limit": "250.00 USD"},
    });
    let start = Start {
        text: "Buy chairs from vendor V-1002 for 100.00 USD on cost center CC-100.".to_owned(),
        by: person("alex"),
        channel: Channel::A2a,
        account: None,
        policy: Some(policy),
        tools_endpoint: None,
        message_id: None,
    };
    house.start("run", start).await;
    // Whatever is restated is meant.
    house.say("run", "alex", "yes").await;
    let asked = script.asked.lock().unwrap();
    let (_, request) = asked.iter().find(|(state, _)| state == "DECOMPOSE").expect("the model was asked");
    let told: Vec<&str> = request
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::System { text } | Message::User { text } => Some(text.as_str()),
            Message::Assistant { .. } | Message::Tool { .. } => None,
        })
        .collect();
    let told = told.join("\n");
    for line in [
        "context: purchase_limit = 250.00 USD",
        "REQ-1: purchase_limit < 500 USD -> require_approval (cfo)",
        "on the words alone: require_approval",
        "REQ-2 could not be checked: `quantity` is not known",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
}
