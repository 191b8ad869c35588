//! Ollama: `/api/generate` for plans and decisions, `/api/chat` for conversations.

use purple_port::{FinishReason, Usage};
use serde_json::{Map, Value, json};

use super::chat::{self, Spelling};
use super::conversation::Turn;
use super::draft::{Arguments, Draft, DraftCall};
use super::{Asked, BadAnswer, Piece, Shape, json, openai};
use crate::limits::OLLAMA_CONTEXT_TOKENS;

const GENERATE: &str = "/api/generate";
const CHAT: &str = "/api/chat";

pub(super) fn encode(asked: &Asked<'_>) -> (&'static str, Value, Shape) {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(asked.model));
    // Streaming is the default there.
    body.insert("stream".to_owned(), json!(asked.is_streamed()));
    body.insert("options".to_owned(), options(asked));
    let system = &asked.conversation.system;
    let prompt = match (asked.request.purpose.is_single_shot(), asked.conversation.turns.as_slice()) {
        (true, [Turn::Caller { results, text }]) if results.is_empty() => Some(text),
        (true | false, _) => None,
    };
    if let Some(wanted) = asked.schema() {
        body.insert("format".to_owned(), wanted.clone());
    }
    if let Some(prompt) = prompt {
        if !system.is_empty() {
            body.insert("system".to_owned(), json!(system));
        }
        body.insert("prompt".to_owned(), json!(prompt));
        return (GENERATE, Value::Object(body), Shape::Completion);
    }
    body.insert("messages".to_owned(), chat::messages(asked, Spelling::Ollama));
    if !asked.request.tools.is_empty() {
        body.insert("tools".to_owned(), openai::tools(asked));
    }
    (CHAT, Value::Object(body), Shape::Message)
}

fn options(asked: &Asked<'_>) -> Value {
    let sampling = &asked.request.sampling;
    let mut options = Map::new();
    options.insert("num_predict".to_owned(), json!(asked.output_tokens()));
    options.insert("num_ctx".to_owned(), json!(OLLAMA_CONTEXT_TOKENS));
    if let Some(temperature) = sampling.temperature_thousandths {
        options.insert("temperature".to_owned(), json::thousandths(temperature));
    }
    if let Some(top_p) = sampling.top_p_thousandths {
        options.insert("top_p".to_owned(), json::thousandths(top_p.min(1000)));
    }
    if let Some(seed) = sampling.seed {
        // Half of a signed number there, on every build of it.
        options.insert("seed".to_owned(), json!(seed & 0x7fff_ffff));
    }
    let stops: Vec<&String> = sampling.stop.iter().filter(|stop| !stop.is_empty()).collect();
    if !stops.is_empty() {
        options.insert("stop".to_owned(), json!(stops));
    }
    Value::Object(options)
}

pub(super) fn decode(answer: &Value, shape: Shape) -> Result<Draft, BadAnswer> {
    let mut pieces = Pieces::new(shape);
    pieces.take(answer)?;
    Ok(pieces.into_draft())
}

/// An answer that comes line by line. A whole answer is one line.
#[derive(Debug)]
pub(crate) struct Pieces {
    shape: Shape,
    draft: Draft,
}

impl Pieces {
    pub(super) fn new(shape: Shape) -> Self {
        Self { shape, draft: Draft::default() }
    }

    pub(super) fn take(&mut self, line: &Value) -> Result<Piece, BadAnswer> {
        json::refuse_error(line)?;
        if let Some(model) = line.get("model").and_then(Value::as_str) {
            self.draft.model = Some(model.to_owned());
        }
        let words = match self.shape {
            Shape::Completion => json::text(line, "response")?,
            Shape::Message | Shape::AnswerTool | Shape::AnswerField => {
                let message = line.get("message").filter(|message| message.is_object());
                let message = message.ok_or(BadAnswer::Missing { field: "message" })?;
                for call in json::maybe_list(message, "tool_calls")? {
                    self.draft.calls.push(call_of(call)?);
                }
                json::maybe_text(message, "content")?.unwrap_or_default()
            }
        };
        self.draft.text.push_str(words);
        match line.get("done").and_then(Value::as_bool) {
            None => Err(BadAnswer::Missing { field: "done" }),
            Some(true) => {
                self.draft.finish = Some(finish(json::maybe_text(line, "done_reason")?));
                self.draft.usage = json::count(line, "prompt_eval_count")
                    .zip(json::count(line, "eval_count"))
                    .map(|(input_tokens, output_tokens)| Usage {
                        input_tokens,
                        output_tokens,
                        cached_tokens: None,
                    });
                Ok(Piece::Last)
            }
            Some(false) if words.is_empty() => Ok(Piece::Silent),
            Some(false) => Ok(Piece::Words(words.to_owned())),
        }
    }

    pub(super) fn into_draft(self) -> Draft {
        self.draft
    }
}

fn call_of(call: &Value) -> Result<DraftCall, BadAnswer> {
    let function = call.get("function").ok_or(BadAnswer::Missing { field: "function" })?;
    let arguments = match function.get("arguments") {
        None | Some(Value::Null) => Arguments::default(),
        Some(Value::String(text)) => Arguments::Text(text.clone()),
        Some(other) => Arguments::Json(other.clone()),
    };
    let id = json::maybe_text(call, "id")?.unwrap_or_default().to_owned();
    Ok(DraftCall { id, wire_name: json::text(function, "name")?.to_owned(), arguments })
}

/// Calls that are present make it a wait for tools; see `draft.rs`.
fn finish(reason: Option<&str>) -> FinishReason {
    match reason {
        // Old versions give none.
        None | Some("stop") => FinishReason::Stop,
        Some("length") => FinishReason::Length,
        Some(other) => FinishReason::Unknown { reason: json::cut(other, 64).to_owned() },
    }
}

#[cfg(test)]
#[path = "ollama_tests.rs"]
mod tests;
