//! OpenAI chat completions, as its own service and the many that speak like it understand them.

use std::collections::BTreeMap;

use purple_port::{FinishReason, Usage};
use serde_json::{Map, Value, json};

use super::chat::{self, Spelling};
use super::draft::{Arguments, Draft, DraftCall};
use super::names::ANSWER;
use super::{Asked, BadAnswer, Piece, Shape, json, schema};
use crate::limits::{OPENAI_DESCRIPTION_BYTES_MAX, OPENAI_STOPS_MAX};

const PATH: &str = "/chat/completions";
/// The provider's scale ends here.
const TEMPERATURE_THOUSANDTHS_MAX: u16 = 2000;
/// What ends a stream.
const DONE: &str = "[DONE]";

pub(super) fn encode(asked: &Asked<'_>) -> (&'static str, Value, Shape) {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(asked.model));
    body.insert("max_completion_tokens".to_owned(), json!(asked.output_tokens()));
    if asked.is_streamed() {
        body.insert("stream".to_owned(), json!(true));
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    body.insert("messages".to_owned(), chat::messages(asked, Spelling::OpenAi));
    if let Some(wanted) = asked.schema() {
        // Not strict: strict takes a subset of JSON Schema, and the answer is checked anyway.
        let format = json!({"name": ANSWER, "schema": wanted, "strict": false});
        body.insert("response_format".to_owned(), json!({"type": "json_schema", "json_schema": format}));
    } else if !asked.request.tools.is_empty() {
        body.insert("tools".to_owned(), tools(asked));
    }
    sampling(asked, &mut body);
    (PATH, Value::Object(body), Shape::Message)
}

pub(super) fn tools(asked: &Asked<'_>) -> Value {
    asked
        .request
        .tools
        .iter()
        .map(|tool| {
            let mut function =
                json!({"name": asked.names.wire(&tool.name), "parameters": schema::of_arguments(&tool.input_schema)});
            let description = json::cut(tool.description.trim(), OPENAI_DESCRIPTION_BYTES_MAX);
            if let (false, Value::Object(function)) = (description.is_empty(), &mut function) {
                function.insert("description".to_owned(), json!(description));
            }
            json!({"type": "function", "function": function})
        })
        .collect()
}

fn sampling(asked: &Asked<'_>, body: &mut Map<String, Value>) {
    let sampling = &asked.request.sampling;
    if let Some(temperature) = sampling.temperature_thousandths {
        let value = json::thousandths(temperature.min(TEMPERATURE_THOUSANDTHS_MAX));
        body.insert("temperature".to_owned(), value);
    }
    if let Some(top_p) = sampling.top_p_thousandths {
        body.insert("top_p".to_owned(), json::thousandths(top_p.min(1000)));
    }
    if let Some(seed) = sampling.seed {
        // A signed number there.
        body.insert("seed".to_owned(), json!(seed >> 1));
    }
    let stops: Vec<&String> =
        sampling.stop.iter().filter(|stop| !stop.is_empty()).take(OPENAI_STOPS_MAX).collect();
    if !stops.is_empty() {
        body.insert("stop".to_owned(), json!(stops));
    }
}

pub(super) fn decode(answer: &Value) -> Result<Draft, BadAnswer> {
    let mut pieces = Pieces::default();
    pieces.heed(answer)?;
    let choice = first_choice(answer)?.ok_or(BadAnswer::Missing { field: "choices" })?;
    let message = choice.get("message").ok_or(BadAnswer::Missing { field: "message" })?;
    pieces.grow(message)?;
    pieces.end(choice)?;
    Ok(pieces.into_draft())
}

/// A completion that comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    draft: Draft,
    calls: BTreeMap<u64, DraftCall>,
    has_refused: bool,
}

impl Pieces {
    pub(super) fn take(&mut self, event: &str) -> Result<Piece, BadAnswer> {
        if event.trim() == DONE {
            return Ok(Piece::Last);
        }
        let chunk = json::parse(event.as_bytes())?;
        self.heed(&chunk)?;
        // The chunk with the usage has no choice.
        let Some(choice) = first_choice(&chunk)? else { return Ok(Piece::Silent) };
        let words = match choice.get("delta") {
            Some(delta) if !delta.is_null() => self.grow(delta)?,
            Some(_) | None => String::new(),
        };
        self.end(choice)?;
        Ok(if words.is_empty() { Piece::Silent } else { Piece::Words(words) })
    }

    /// Takes what stands beside the choices.
    fn heed(&mut self, answer: &Value) -> Result<(), BadAnswer> {
        json::refuse_error(answer)?;
        if let Some(model) = answer.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
            self.draft.model = Some(model.to_owned());
        }
        if let Some(usage) = answer.get("usage").filter(|usage| !usage.is_null()) {
            let cached_tokens =
                usage.get("prompt_tokens_details").and_then(|details| json::count(details, "cached_tokens"));
            self.draft.usage = json::count(usage, "prompt_tokens")
                .zip(json::count(usage, "completion_tokens"))
                .map(|(input_tokens, output_tokens)| Usage { input_tokens, output_tokens, cached_tokens });
        }
        Ok(())
    }

    /// Takes a message or a part of one, and gives its words.
    fn grow(&mut self, part: &Value) -> Result<String, BadAnswer> {
        let words = json::maybe_text(part, "content")?.unwrap_or_default().to_owned();
        self.draft.text.push_str(&words);
        if json::maybe_text(part, "refusal")?.is_some_and(|refusal| !refusal.is_empty()) {
            self.has_refused = true;
        }
        for (place, part) in (0..).zip(json::maybe_list(part, "tool_calls")?) {
            // Some services leave the number out.
            let call = self.calls.entry(json::count(part, "index").unwrap_or(place)).or_default();
            if let Some(id) = json::maybe_text(part, "id")?.filter(|id| !id.is_empty()) {
                id.clone_into(&mut call.id);
            }
            let function = part.get("function").ok_or(BadAnswer::Missing { field: "function" })?;
            if let Some(name) = json::maybe_text(function, "name")?.filter(|name| !name.is_empty()) {
                name.clone_into(&mut call.wire_name);
            }
            match (function.get("arguments"), &mut call.arguments) {
                (None | Some(Value::Null), _) => {}
                (Some(Value::String(more)), Arguments::Text(text)) => text.push_str(more),
                // Some services send an object in place of its text.
                (Some(object @ Value::Object(_)), arguments) => *arguments = Arguments::Json(object.clone()),
                (Some(_), _) => return Err(BadAnswer::Missing { field: "arguments" }),
            }
        }
        Ok(words)
    }

    fn end(&mut self, choice: &Value) -> Result<(), BadAnswer> {
        if let Some(reason) = json::maybe_text(choice, "finish_reason")?.filter(|reason| !reason.is_empty()) {
            self.draft.finish = Some(finish(reason));
        }
        Ok(())
    }

    pub(super) fn into_draft(self) -> Draft {
        let Self { draft, calls, has_refused } = self;
        let finish = if has_refused { draft.finish.map(|_| FinishReason::Filtered) } else { draft.finish };
        Draft { calls: calls.into_values().collect(), finish, ..draft }
    }
}

/// The only choice that was asked for.
fn first_choice(answer: &Value) -> Result<Option<&Value>, BadAnswer> {
    let choices = json::maybe_list(answer, "choices")?;
    Ok(choices.iter().find(|choice| json::count(choice, "index").unwrap_or(0) == 0))
}

fn finish(reason: &str) -> FinishReason {
    match reason {
        "stop" => FinishReason::Stop,
        "tool_calls" => FinishReason::ToolCalls,
        "length" => FinishReason::Length,
        "content_filter" => FinishReason::Filtered,
        other => FinishReason::Unknown { reason: json::cut(other, 64).to_owned() },
    }
}

#[cfg(test)]
#[path = "openai_tests.rs"]
mod tests;
