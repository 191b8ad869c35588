//! Anthropic Messages.
//!
//! A structured answer is asked for as the arguments of one tool that must be called: that takes any schema, where
//! the provider's own structured output takes a subset.

use std::collections::BTreeMap;

use purple_port::{FinishReason, Usage};
use serde_json::{Map, Value, json};

use super::conversation::Turn;
use super::draft::{Arguments, Draft, DraftCall};
use super::names::ANSWER;
use super::{Asked, BadAnswer, Piece, Shape, json, schema};

const PATH: &str = "/v1/messages";
/// The provider's scale ends here.
const TEMPERATURE_THOUSANDTHS_MAX: u16 = 1000;
/// Under this name signed reasoning is kept with a message.
const KEEPSAKE: &str = "anthropic";

pub(super) fn encode(asked: &Asked<'_>) -> (&'static str, Value, Shape) {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(asked.model));
    body.insert("max_tokens".to_owned(), json!(asked.output_tokens()));
    if asked.is_streamed() {
        body.insert("stream".to_owned(), json!(true));
    }
    if !asked.conversation.system.is_empty() {
        let block = json!({"type": "text", "text": asked.conversation.system, "cache_control": ephemeral()});
        body.insert("system".to_owned(), json!([block]));
    }
    body.insert("messages".to_owned(), messages(&asked.conversation.turns));
    let shape = tools(asked, &mut body);
    sampling(asked, &mut body);
    (PATH, Value::Object(body), shape)
}

fn ephemeral() -> Value {
    json!({"type": "ephemeral"})
}

fn messages(turns: &[Turn]) -> Value {
    let mut messages: Vec<Value> = turns.iter().map(message).collect();
    // The next request of this conversation begins with everything up to here.
    if let Some(Value::Object(last)) =
        messages.last_mut().and_then(|message| message.get_mut("content")?.as_array_mut()?.last_mut())
    {
        last.insert("cache_control".to_owned(), ephemeral());
    }
    Value::Array(messages)
}

fn message(turn: &Turn) -> Value {
    match turn {
        Turn::Caller { results, text } => {
            let results = results.iter().map(|result| {
                let mut block =
                    json!({"type": "tool_result", "tool_use_id": result.id, "content": result.content});
                if let (true, Value::Object(block)) = (result.is_error, &mut block) {
                    block.insert("is_error".to_owned(), json!(true));
                }
                block
            });
            let content: Vec<Value> = results.chain(words(text)).collect();
            json!({"role": "user", "content": content})
        }
        Turn::Model { text, calls, keepsake } => {
            let calls = calls.iter().map(|call| {
                json!({"type": "tool_use", "id": call.id, "name": call.wire_name, "input": call.arguments})
            });
            let content: Vec<Value> =
                reasoning(keepsake.as_ref()).into_iter().chain(words(text)).chain(calls).collect();
            json!({"role": "assistant", "content": content})
        }
    }
}

fn words(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({"type": "text", "text": text}))
}

/// Reasoning that this provider signed; what another one left is not sent.
fn reasoning(keepsake: Option<&Value>) -> Vec<Value> {
    let blocks = keepsake.and_then(|kept| kept.get(KEEPSAKE)?.as_array());
    blocks
        .map(|blocks| blocks.iter().filter(|block| is_reasoning(block)).cloned().collect())
        .unwrap_or_default()
}

fn is_reasoning(block: &Value) -> bool {
    let has = |field: &str| block.get(field).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    match block.get("type").and_then(Value::as_str) {
        Some("thinking") => has("thinking") && has("signature"),
        Some("redacted_thinking") => has("data"),
        Some(_) | None => false,
    }
}

fn tools(asked: &Asked<'_>, body: &mut Map<String, Value>) -> Shape {
    if let Some(wanted) = asked.schema() {
        let (input_schema, shape) = if schema::is_of_an_object(wanted) {
            (wanted.clone(), Shape::AnswerTool)
        } else {
            let properties = json!({ANSWER: wanted});
            let whole = json!({"type": "object", "properties": properties, "required": [ANSWER]});
            (whole, Shape::AnswerField)
        };
        let tool = json!({"name": ANSWER, "description": "Give the answer.", "input_schema": input_schema});
        body.insert("tools".to_owned(), json!([tool]));
        body.insert("tool_choice".to_owned(), json!({"type": "tool", "name": ANSWER}));
        return shape;
    }
    let offered = asked.request.tools.iter().map(|tool| {
        let mut definition =
            json!({"name": asked.names.wire(&tool.name), "input_schema": schema::of_arguments(&tool.input_schema)});
        if let (false, Value::Object(definition)) = (tool.description.trim().is_empty(), &mut definition) {
            definition.insert("description".to_owned(), json!(tool.description));
        }
        definition
    });
    // A conversation with calls of tools that are not defined would be refused.
    let mentioned = asked.request.tools_only_mentioned().into_iter().map(|name| {
        let input_schema = schema::of_arguments(&Value::Null);
        json!({"name": asked.names.wire(name), "description": "Not available now.", "input_schema": input_schema})
    });
    let mut all: Vec<Value> = offered.chain(mentioned).collect();
    if let Some(Value::Object(last)) = all.last_mut() {
        last.insert("cache_control".to_owned(), ephemeral());
        body.insert("tools".to_owned(), Value::Array(all));
        if asked.request.tools.is_empty() {
            body.insert("tool_choice".to_owned(), json!({"type": "none"}));
        }
    }
    Shape::Message
}

fn sampling(asked: &Asked<'_>, body: &mut Map<String, Value>) {
    let sampling = &asked.request.sampling;
    // The newer models refuse the two together; the temperature is what people set on purpose.
    match (sampling.temperature_thousandths, sampling.top_p_thousandths) {
        (Some(temperature), _) => {
            let value = json::thousandths(temperature.min(TEMPERATURE_THOUSANDTHS_MAX));
            body.insert("temperature".to_owned(), value);
        }
        (None, Some(top_p)) => {
            body.insert("top_p".to_owned(), json::thousandths(top_p.min(1000)));
        }
        (None, None) => {}
    }
    let stops: Vec<&String> = sampling.stop.iter().filter(|stop| !stop.trim().is_empty()).collect();
    if !stops.is_empty() {
        body.insert("stop_sequences".to_owned(), json!(stops));
    }
}

pub(super) fn decode(answer: &Value) -> Result<Draft, BadAnswer> {
    json::refuse_error(answer)?;
    let mut pieces = Pieces::default();
    pieces.begin(answer);
    let blocks =
        answer.get("content").and_then(Value::as_array).ok_or(BadAnswer::Missing { field: "content" })?;
    for (index, block) in (0..).zip(blocks) {
        pieces.open(index, block)?;
        pieces.close(index)?;
    }
    pieces.end(answer)?;
    pieces.into_draft()
}

/// A message that comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    draft: Draft,
    blocks: BTreeMap<u64, Block>,
    input_tokens: Option<u64>,
    cached_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// A part of a message, and whether it has ended.
#[derive(Debug)]
struct Block {
    content: Content,
    is_closed: bool,
}

#[derive(Debug)]
enum Content {
    Text(String),
    Call(DraftCall),
    Reasoning(Value),
    /// What this version does not know. It is left out.
    Other,
}

impl Pieces {
    pub(super) fn take(&mut self, event: &Value) -> Result<Piece, BadAnswer> {
        json::refuse_error(event)?;
        match json::text(event, "type")? {
            "message_start" => {
                self.begin(event.get("message").ok_or(BadAnswer::Missing { field: "message" })?);
                Ok(Piece::Silent)
            }
            "content_block_start" => {
                let block =
                    event.get("content_block").ok_or(BadAnswer::Missing { field: "content_block" })?;
                self.open(index(event)?, block)
            }
            "content_block_delta" => {
                let delta = event.get("delta").ok_or(BadAnswer::Missing { field: "delta" })?;
                self.grow(index(event)?, delta)
            }
            "content_block_stop" => self.close(index(event)?).map(|()| Piece::Silent),
            "message_delta" => {
                self.end(event)?;
                Ok(Piece::Silent)
            }
            "message_stop" => Ok(Piece::Last),
            // Pings, and whatever is added later.
            _ => Ok(Piece::Silent),
        }
    }

    fn begin(&mut self, message: &Value) {
        self.draft.model = message.get("model").and_then(Value::as_str).map(str::to_owned);
        self.count(message);
    }

    fn count(&mut self, message: &Value) {
        let Some(usage) = message.get("usage") else { return };
        let read = json::count(usage, "cache_read_input_tokens");
        let written = json::count(usage, "cache_creation_input_tokens").unwrap_or(0);
        if let Some(fresh) = json::count(usage, "input_tokens") {
            self.input_tokens = Some(fresh.saturating_add(read.unwrap_or(0)).saturating_add(written));
            self.cached_tokens = read;
        }
        // Each count is of the whole message so far.
        self.output_tokens = json::count(usage, "output_tokens").or(self.output_tokens);
    }

    fn open(&mut self, index: u64, block: &Value) -> Result<Piece, BadAnswer> {
        let (content, piece) = match json::text(block, "type")? {
            "text" => {
                let text = json::text(block, "text")?;
                (Content::Text(text.to_owned()), spoken(text))
            }
            "tool_use" => {
                let id = json::text(block, "id")?.to_owned();
                let wire_name = json::text(block, "name")?.to_owned();
                let input = block.get("input").ok_or(BadAnswer::Missing { field: "input" })?;
                let arguments = Arguments::Json(input.clone());
                (Content::Call(DraftCall { id, wire_name, arguments }), Piece::Silent)
            }
            "thinking" | "redacted_thinking" => (Content::Reasoning(block.clone()), Piece::Silent),
            _ => (Content::Other, Piece::Silent),
        };
        match self.blocks.insert(index, Block { content, is_closed: false }) {
            None => Ok(piece),
            Some(_) => Err(BadAnswer::Missing { field: "index" }),
        }
    }

    fn grow(&mut self, index: u64, delta: &Value) -> Result<Piece, BadAnswer> {
        let block = self.blocks.get_mut(&index).filter(|block| !block.is_closed);
        let block = block.ok_or(BadAnswer::Missing { field: "index" })?;
        match (json::text(delta, "type")?, &mut block.content) {
            ("text_delta", Content::Text(text)) => {
                let more = json::text(delta, "text")?;
                text.push_str(more);
                Ok(spoken(more))
            }
            ("input_json_delta", Content::Call(call)) => {
                let more = json::text(delta, "partial_json")?;
                match &mut call.arguments {
                    Arguments::Text(text) => text.push_str(more),
                    // The block began with an empty object in their place.
                    Arguments::Json(_) => call.arguments = Arguments::Text(more.to_owned()),
                }
                Ok(Piece::Silent)
            }
            ("thinking_delta", Content::Reasoning(block)) => append(block, delta, "thinking"),
            ("signature_delta", Content::Reasoning(block)) => append(block, delta, "signature"),
            ("text_delta" | "input_json_delta", _) => Err(BadAnswer::Missing { field: "delta" }),
            _ => Ok(Piece::Silent),
        }
    }

    fn close(&mut self, index: u64) -> Result<(), BadAnswer> {
        let block = self.blocks.get_mut(&index).ok_or(BadAnswer::Missing { field: "index" })?;
        block.is_closed = true;
        Ok(())
    }

    /// Takes the reason of the end, from a whole message or from its last delta.
    fn end(&mut self, message: &Value) -> Result<(), BadAnswer> {
        self.count(message);
        let carrier = message.get("delta").unwrap_or(message);
        if let Some(reason) = json::maybe_text(carrier, "stop_reason")? {
            self.draft.finish = Some(finish(reason));
        }
        Ok(())
    }

    pub(super) fn into_draft(self) -> Result<Draft, BadAnswer> {
        let Self { mut draft, blocks, input_tokens, cached_tokens, output_tokens } = self;
        let mut kept = Vec::new();
        for block in blocks.into_values() {
            if !block.is_closed {
                return Err(BadAnswer::Cut);
            }
            match block.content {
                Content::Text(text) => draft.text.push_str(&text),
                Content::Call(call) => draft.calls.push(call),
                Content::Reasoning(block) => kept.push(block),
                Content::Other => {}
            }
        }
        if !kept.is_empty() {
            draft.keepsake = Some(json!({KEEPSAKE: kept}));
        }
        draft.usage = input_tokens.zip(output_tokens).map(|(input_tokens, output_tokens)| Usage {
            input_tokens,
            output_tokens,
            cached_tokens,
        });
        Ok(draft)
    }
}

fn append(block: &mut Value, delta: &Value, field: &'static str) -> Result<Piece, BadAnswer> {
    let more = json::text(delta, field)?;
    if let Value::Object(block) = block {
        match block.get_mut(field) {
            Some(Value::String(text)) => text.push_str(more),
            Some(_) | None => {
                block.insert(field.to_owned(), json!(more));
            }
        }
    }
    Ok(Piece::Silent)
}

fn spoken(text: &str) -> Piece {
    if text.is_empty() { Piece::Silent } else { Piece::Words(text.to_owned()) }
}

fn index(event: &Value) -> Result<u64, BadAnswer> {
    json::count(event, "index").ok_or(BadAnswer::Missing { field: "index" })
}

fn finish(reason: &str) -> FinishReason {
    match reason {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "tool_use" => FinishReason::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "refusal" => FinishReason::Filtered,
        other => FinishReason::Unknown { reason: json::cut(other, 64).to_owned() },
    }
}

#[cfg(test)]
#[path = "anthropic_tests.rs"]
mod tests;
