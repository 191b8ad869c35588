//! An answer while it is read, whichever way it came.

use purple_port::{FinishReason, ModelReply, ToolCall, Usage};
use serde_json::Value;

use super::json;
use super::names::ANSWER;
use super::{BadAnswer, Decoded, Reading, Shape};
use crate::limits::MODEL_NAME_BYTES_MAX;

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) text: String,
    pub(super) calls: Vec<DraftCall>,
    /// Why it ended; until then it is cut.
    pub(super) finish: Option<FinishReason>,
    pub(super) usage: Option<Usage>,
    pub(super) model: Option<String>,
    pub(super) keepsake: Option<Value>,
}

/// A call while it is read.
#[derive(Debug, Default)]
pub(super) struct DraftCall {
    pub(super) id: String,
    pub(super) wire_name: String,
    pub(super) arguments: Arguments,
}

/// Arguments as the provider sends them.
#[derive(Debug)]
pub(super) enum Arguments {
    Json(Value),
    Text(String),
}

impl Default for Arguments {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Draft {
    /// The answer, if this is one.
    pub(super) fn finish(self, reading: &Reading) -> Result<Decoded, BadAnswer> {
        let Self { text, calls, finish, usage, model, keepsake } = self;
        let finish = finish.ok_or(BadAnswer::Cut)?;
        let calls: Vec<ToolCall> = calls.into_iter().map(|call| call.finish(reading)).collect();
        let reply = match reading.shape {
            Shape::Message | Shape::Completion => {
                ModelReply { text, calls, finish, usage, keepsake, model: None }
            }
            Shape::AnswerTool | Shape::AnswerField => {
                let (text, finish) = structured(text, &calls, finish, reading.shape);
                ModelReply { text, calls: Vec::new(), finish, usage, keepsake, model: None }
            }
        };
        let model = model.map(|name| json::cut(&name, MODEL_NAME_BYTES_MAX).to_owned());
        Ok(Decoded { reply: consistent(reply)?, model })
    }
}

impl DraftCall {
    fn finish(self, reading: &Reading) -> ToolCall {
        let arguments = match self.arguments {
            Arguments::Json(value) => value,
            Arguments::Text(text) => json::arguments(&text),
        };
        ToolCall { id: self.id, name: reading.names.own(&self.wire_name), arguments }
    }
}

/// The arguments of the one tool as the text. A model that used words instead has said those.
fn structured(
    words: String,
    calls: &[ToolCall],
    finish: FinishReason,
    shape: Shape,
) -> (String, FinishReason) {
    if !finish.is_complete() {
        return (words, finish);
    }
    let answer = calls.iter().find(|call| call.name == ANSWER).map(|call| &call.arguments);
    let value = match shape {
        Shape::AnswerField => answer.and_then(|arguments| arguments.get(ANSWER)),
        Shape::AnswerTool | Shape::Message | Shape::Completion => answer,
    };
    (value.map_or(words, Value::to_string), FinishReason::Stop)
}

/// Calls and the reason of the end must tell the same story, and a cut answer asks for nothing.
fn consistent(reply: ModelReply) -> Result<ModelReply, BadAnswer> {
    match (&reply.finish, reply.calls.is_empty()) {
        (FinishReason::Stop, true) | (FinishReason::ToolCalls, false) => Ok(reply),
        (FinishReason::Stop, false) => Ok(ModelReply { finish: FinishReason::ToolCalls, ..reply }),
        (FinishReason::ToolCalls, true) => Err(BadAnswer::Missing { field: "tool calls" }),
        (FinishReason::Length | FinishReason::Filtered | FinishReason::Unknown { .. }, _) => {
            Ok(ModelReply { calls: Vec::new(), ..reply })
        }
    }
}
