//! A conversation as the list of messages that OpenAI began with and Ollama took over, each in its own spelling.

use serde_json::{Map, Value, json};

use super::Asked;
use super::conversation::{self, CallResult, Turn};

/// Whose spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Calls have ids, and their arguments are text.
    OpenAi,
    /// Results name their tool, and arguments are objects.
    Ollama,
}

/// The standing instructions, if any, and every turn.
pub(super) fn messages(asked: &Asked<'_>, spelling: Spelling) -> Value {
    let mut messages = Vec::new();
    if !asked.conversation.system.is_empty() {
        messages.push(json!({"role": "system", "content": asked.conversation.system}));
    }
    asked.conversation.turns.iter().for_each(|turn| say(turn, spelling, &mut messages));
    Value::Array(messages)
}

fn say(turn: &Turn, spelling: Spelling, messages: &mut Vec<Value>) {
    match turn {
        Turn::Caller { results, text } => {
            messages.extend(results.iter().map(|result| result_of(result, spelling)));
            if !text.is_empty() {
                messages.push(json!({"role": "user", "content": text}));
            }
        }
        Turn::Model { text, calls, keepsake: _ } => {
            let mut message = Map::new();
            message.insert("role".to_owned(), json!("assistant"));
            if !text.is_empty() {
                message.insert("content".to_owned(), json!(text));
            }
            if !calls.is_empty() {
                let calls = calls.iter().map(|call| call_of(call, spelling)).collect();
                message.insert("tool_calls".to_owned(), Value::Array(calls));
            }
            messages.push(Value::Object(message));
        }
    }
}

fn result_of(result: &CallResult, spelling: Spelling) -> Value {
    let content = result.marked();
    match spelling {
        Spelling::OpenAi => json!({"role": "tool", "tool_call_id": result.id, "content": content}),
        Spelling::Ollama => json!({"role": "tool", "tool_name": result.wire_name, "content": content}),
    }
}

fn call_of(call: &conversation::Asked, spelling: Spelling) -> Value {
    match spelling {
        Spelling::OpenAi => {
            let function = json!({"name": call.wire_name, "arguments": call.arguments.to_string()});
            json!({"id": call.id, "type": "function", "function": function})
        }
        Spelling::Ollama => json!({"function": {"name": call.wire_name, "arguments": call.arguments}}),
    }
}
