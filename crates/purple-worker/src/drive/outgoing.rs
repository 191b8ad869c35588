//! The one form in which a request leaves for a model: with every secret masked, wherever in it a tool or a person put it.

use std::ops::Deref;

use agent_runtime::model::{Message, ModelRequest, ToolDefinition};
use purple_privacy::{redact, redact_texts};

/// A request that a model may be sent.
///
/// INVARIANT: it is made here and nowhere else, so what is in it was redacted. What a model said itself stays as it was:
/// it has seen nothing else, and providers want it back unchanged.
#[derive(Clone, Debug)]
pub(super) struct Prompt(ModelRequest);

impl Prompt {
    pub(super) fn of(request: ModelRequest) -> Self {
        let ModelRequest { messages, tools, output_schema, .. } = request;
        Self(ModelRequest {
            messages: messages.into_iter().map(message).collect(),
            // A tool whose name is a secret cannot be offered under it, and has no other.
            tools: tools.into_iter().filter(|tool| redact(&tool.name) == tool.name).map(tool).collect(),
            output_schema: output_schema.map(redact_texts),
            ..request
        })
    }
}

impl Deref for Prompt {
    type Target = ModelRequest;

    fn deref(&self) -> &ModelRequest {
        &self.0
    }
}

fn message(message: Message) -> Message {
    match message {
        Message::System { text } => Message::System { text: redact(&text) },
        Message::User { text } => Message::User { text: redact(&text) },
        Message::Tool { call_id, tool, content, is_error } => {
            Message::Tool { call_id, tool, content: redact(&content), is_error }
        }
        own @ Message::Assistant { .. } => own,
    }
}

fn tool(tool: ToolDefinition) -> ToolDefinition {
    let (description, input_schema) = (redact(&tool.description), redact_texts(tool.input_schema));
    ToolDefinition { description, input_schema, ..tool }
}

#[cfg(test)]
mod tests {
    use agent_runtime::model::{Purpose, Sampling};
    use serde_json::json;

    use super::*;

    const CANARY: &str = "AKIAIOSFODNN7EXAMPLE";

    #[test]
    fn no_part_of_a_request_carries_a_secret_and_a_schema_keeps_its_names() {
        let mut offered = ToolDefinition::new("get_login", format!("uses {CANARY}"));
        offered.input_schema = json!({"properties": {"password": {"type": "string", "description": CANARY}}});
        let request = ModelRequest {
            purpose: Purpose::Execute,
            messages: vec![
                Message::System { text: format!("key {CANARY}") },
                Message::user(format!("known: {CANARY}")),
                Message::Tool {
                    call_id: "1".to_owned(),
                    tool: "get_login".to_owned(),
                    content: format!("error: {CANARY} and 4111 1111 1111 1111"),
                    is_error: true,
                },
            ],
            tools: vec![offered, ToolDefinition::new(CANARY, "its name is a key")],
            output_schema: Some(json!({"description": CANARY})),
            sampling: Sampling::default(),
            output_tokens_max: 10,
        };
        let prompt = Prompt::of(request);
        let sent = serde_json::to_string(&*prompt).unwrap();
        assert!(!sent.contains(CANARY) && !sent.contains("4111 1111"), "{sent}");
        assert_eq!(prompt.tools.len(), 1);
        assert_eq!(prompt.tools[0].input_schema["properties"]["password"]["type"], "string");
    }
}
