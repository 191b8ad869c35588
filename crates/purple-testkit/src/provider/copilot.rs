//! A copilot that thinks with a brain and remembers its conversations, as a BrainOS platform does.
//!
//! Written from its side of the wire and not from our client: the two must meet there.

use std::collections::BTreeMap;

use purple_worker::port::{Message, ModelReply, ModelRequest, Purpose, Sampling, ToolCall, ToolDefinition};
use serde_json::{Value, json};

use super::raw::{Act, answer, chunk, chunked, end};
use crate::brain::Brain;

/// What a copilot remembers.
pub struct Copilot {
    brain: Box<dyn Brain>,
    conversations: BTreeMap<String, Vec<Message>>,
}

impl Copilot {
    /// A copilot that thinks with this brain.
    pub fn new(brain: impl Brain + 'static) -> Self {
        Self { brain: Box::new(brain), conversations: BTreeMap::new() }
    }

    /// Answers one HTTP request; one that the platform would not understand is refused.
    pub fn answer(&mut self, request: &str) -> Act {
        match self.events(request) {
            Ok(events) => {
                let events: Vec<Vec<u8>> =
                    events.iter().map(|event| chunk(&format!("data: {event}\n\n"))).collect();
                let done = [chunk("data: [DONE]\n\n"), end()].concat();
                Act::Say([chunked("text/event-stream"), events.concat(), done].concat())
            }
            Err(complaint) => {
                Act::Say(answer("400 Bad Request", "", &json!({"error": complaint}).to_string()))
            }
        }
    }

    fn events(&mut self, request: &str) -> Result<Vec<Value>, String> {
        let (head, body) = request.split_once("\r\n\r\n").ok_or("no body")?;
        if !head.starts_with("POST /api/copilot/chat ") {
            return Err(format!("no such path: {head}"));
        }
        let body: Value = serde_json::from_str(body).map_err(|error| error.to_string())?;
        let text = |field: &str| body.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        let id = text("conversationId").ok_or("no conversationId")?.to_owned();
        let said = text("message").ok_or("no message")?;
        let context =
            body.pointer("/extraParams/systemContext").and_then(Value::as_str).ok_or("no context")?;
        let messages = self.conversations.entry(id.clone()).or_default();
        for result in body.get("toolResults").and_then(Value::as_array).into_iter().flatten() {
            let word = |field: &str| result.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
            let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
            let (call_id, tool, content) = (word("id"), word("name"), word("result"));
            messages.push(Message::Tool { call_id, tool, content, is_error });
        }
        messages.push(Message::user(said));
        let request = heard(messages.clone(), context);
        let ModelReply { text, mut calls, .. } = self.brain.reply(&request);
        let turn = messages.len();
        for (at, call) in calls.iter_mut().enumerate() {
            call.id = format!("call_{turn}_{at}");
        }
        messages.push(Message::Assistant { text: text.clone(), calls: calls.clone(), keepsake: None });
        let words = (!text.is_empty()).then(|| json!({"text": text}));
        let calls = calls.into_iter().map(|ToolCall { id, name, arguments }| {
            json!({"tool_call": {"id": id, "name": name, "params": arguments}})
        });
        Ok(words.into_iter().chain(calls).collect())
    }
}

/// The neutral request: tools and schemas stand in the context, one JSON document a line.
fn heard(messages: Vec<Message>, context: &str) -> ModelRequest {
    let documents: Vec<Value> =
        context.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(Value::is_object).collect();
    let tools: Vec<ToolDefinition> = documents
        .iter()
        .filter(|document| document.get("parameters").is_some())
        .filter_map(|tool| {
            Some(ToolDefinition::new(tool.get("name")?.as_str()?, tool.get("description")?.as_str()?))
        })
        .collect();
    let output_schema = documents.into_iter().find(|document| document.get("parameters").is_none());
    let purpose = match (&output_schema, tools.is_empty()) {
        (Some(_), _) => Purpose::Plan,
        (None, false) => Purpose::Execute,
        (None, true) => Purpose::Finalize,
    };
    let sampling = Sampling::default();
    ModelRequest { purpose, messages, tools, output_schema, sampling, output_tokens_max: 1 }
}
