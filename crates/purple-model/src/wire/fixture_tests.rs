//! Requests that all languages are tested with, and how answers to them are read.

use purple_port::{Message, ModelRequest, Purpose, Sampling, ToolCall, ToolDefinition};
use serde_json::{Value, json};

use super::{BadAnswer, Decoded, Encoded, Piece, encode};
use crate::endpoint::{Api, Delivery};

/// A conversation that nobody has met.
pub(super) const FRESH: &str = "fresh-1";

/// A number with every digit that it was written with.
pub(super) fn number(digits: &str) -> Value {
    serde_json::from_str(digits).unwrap()
}

/// Arguments that floats would spoil.
pub(super) fn exact() -> Value {
    json!({"amount": number("0.10000000000000000001")})
}

/// EXECUTE after one round of calls: one that is still offered under another name, one that is not.
pub(super) fn conversation() -> ModelRequest {
    let result = |call_id: &str, tool: &str, content: &str, is_error| Message::Tool {
        call_id: call_id.to_owned(),
        tool: tool.to_owned(),
        content: content.to_owned(),
        is_error,
    };
    let call =
        |id: &str, name: &str, arguments| ToolCall { id: id.to_owned(), name: name.to_owned(), arguments };
    ModelRequest {
        purpose: Purpose::Execute,
        messages: vec![
            Message::System { text: "Be exact.".to_owned() },
            Message::user("Find it."),
            Message::Assistant {
                text: "Looking.".to_owned(),
                calls: vec![call("call-1", "books.find", exact()), call("call-2", "gone", json!({}))],
                keepsake: None,
            },
            result("call-1", "books.find", "found", false),
            result("call-2", "gone", "no such tool", true),
        ],
        tools: vec![ToolDefinition::new("books.find", "Finds.")],
        output_schema: None,
        sampling: Sampling {
            temperature_thousandths: Some(700),
            top_p_thousandths: None,
            seed: Some(8),
            stop: vec!["END".to_owned(), String::new()],
        },
        output_tokens_max: 256,
    }
}

/// FINALIZE of the same conversation.
pub(super) fn finalize() -> ModelRequest {
    ModelRequest { purpose: Purpose::Finalize, tools: Vec::new(), ..conversation() }
}

/// PLAN with its schema.
pub(super) fn plan() -> (ModelRequest, Value) {
    let schema = json!({"type": "object", "properties": {"steps": {"type": "array"}}, "required": ["steps"]});
    let messages = vec![Message::System { text: "Be exact.".to_owned() }, Message::user("Plan it.")];
    let request = ModelRequest {
        purpose: Purpose::Plan,
        messages,
        tools: Vec::new(),
        output_schema: Some(schema.clone()),
        ..conversation()
    };
    (request, schema)
}

pub(super) fn encoded(api: Api, request: &ModelRequest, delivery: Delivery) -> Encoded {
    encode(api, "m", request, (delivery, FRESH)).unwrap()
}

#[track_caller]
pub(super) fn check_request(api: Api, request: &ModelRequest, delivery: Delivery, path: &str, body: Value) {
    let sent = encoded(api, request, delivery);
    assert_eq!(sent.path, path);
    assert_eq!(sent.body, body, "{:#}", sent.body);
}

/// Reads an answer that came at once.
pub(super) fn decoded(api: Api, request: &ModelRequest, answer: &str) -> Result<Decoded, BadAnswer> {
    encoded(api, request, Delivery::Whole).reading.whole(answer.as_bytes())
}

/// Reads an answer that came in events: the words that were shown, and what it was.
pub(super) fn streamed(
    api: Api,
    request: &ModelRequest,
    events: &[&str],
) -> (Vec<String>, Result<Decoded, BadAnswer>) {
    let reading = encoded(api, request, Delivery::Streamed).reading;
    let mut pieces = reading.pieces();
    let mut shown = Vec::new();
    for event in events {
        match pieces.take(event) {
            Ok(Piece::Silent) => {}
            Ok(Piece::Words(words)) => shown.push(words),
            Ok(Piece::Last) => break,
            Err(bad) => return (shown, Err(bad)),
        }
    }
    (shown, pieces.finish(&reading))
}
