//! The three languages that providers speak, from their side: a request is heard, a reply is said.
//!
//! Written from the providers' documentation and not from our client: the two must meet on the wire.

mod anthropic;
mod ollama;
mod openai;

use purple_worker::port::{
    FinishReason, Message, ModelReply, ModelRequest, Purpose, Sampling, ToolDefinition,
};
use serde_json::Value;

/// The language of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI chat completions.
    OpenAi,
    /// Ollama.
    Ollama,
}

/// A request as it was understood.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    pub(super) request: ModelRequest,
    pub(super) is_streamed: bool,
    pub(super) model: String,
    pub(super) form: Form,
    /// Bytes of the body, for the count of tokens.
    pub(super) bytes: usize,
}

/// What kind of answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A message: words, calls, or both.
    Message,
    /// One completion of one prompt.
    Completion,
    /// The arguments of a tool that must be called.
    Forced,
    /// The same, and only the field `answer` of them.
    ForcedField,
}

impl Speech {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Anthropic, Self::OpenAi, Self::Ollama];

    /// Understands a request, or says what the provider would refuse it for.
    pub(super) fn hear(self, path: &str, body: &str) -> Result<Heard, String> {
        let value: Value = serde_json::from_str(body).map_err(|error| error.to_string())?;
        let mut heard = match self {
            Self::Anthropic => anthropic::hear(path, &value),
            Self::OpenAi => openai::hear(path, &value),
            Self::Ollama => ollama::hear(path, &value),
        }?;
        heard.bytes = body.len();
        Ok(heard)
    }

    /// The reply as one document.
    pub(super) fn whole(self, heard: &Heard, reply: &Said<'_>) -> String {
        match self {
            Self::Anthropic => anthropic::whole(heard, reply),
            Self::OpenAi => openai::whole(heard, reply),
            Self::Ollama => ollama::whole(heard, reply),
        }
    }

    /// The reply in the pieces of a stream.
    pub(super) fn pieces(self, heard: &Heard, reply: &Said<'_>) -> Vec<String> {
        match self {
            Self::Anthropic => anthropic::pieces(heard, reply),
            Self::OpenAi => openai::pieces(heard, reply),
            Self::Ollama => ollama::pieces(heard, reply),
        }
    }

    /// An error as this provider words it.
    pub(super) fn error(self, kind: &str, message: &str) -> String {
        match self {
            Self::Anthropic => {
                serde_json::json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
            }
            Self::OpenAi => serde_json::json!({"error": {"type": kind, "message": message}}).to_string(),
            Self::Ollama => serde_json::json!({"error": message}).to_string(),
        }
    }

    /// The content type of an answer.
    pub(super) fn content_type(self, is_streamed: bool) -> &'static str {
        match (self, is_streamed) {
            (Self::Anthropic | Self::OpenAi, true) => "text/event-stream",
            (Self::Ollama, true) => "application/x-ndjson",
            (Self::Anthropic | Self::OpenAi | Self::Ollama, false) => "application/json",
        }
    }
}

/// A reply on its way out.
pub(super) struct Said<'a> {
    pub(super) reply: &'a ModelReply,
    /// The model that says it was it.
    pub(super) model: &'a str,
    /// Makes the ids of calls differ from those of other replies.
    pub(super) number: u64,
}

impl Said<'_> {
    fn id(&self, at: usize) -> String {
        let given = self.reply.calls.get(at).map(|call| call.id.as_str()).unwrap_or_default();
        if given.is_empty() { format!("call_{}_{at}", self.number) } else { given.to_owned() }
    }

    /// Tokens in and out: what the reply says, or four bytes each.
    fn tokens(&self, heard: &Heard) -> (u64, u64) {
        let reply = self.reply;
        reply.usage.map_or_else(
            || {
                let calls = reply.calls.iter().map(|call| call.name.len() + call.arguments.to_string().len());
                (tokens_of(heard.bytes), tokens_of(reply.text.len() + calls.sum::<usize>()))
            },
            |usage| (usage.input_tokens, usage.output_tokens),
        )
    }

    fn finish(&self, words: [&'static str; 4]) -> String {
        let [stop, calls, length, filtered] = words;
        match &self.reply.finish {
            FinishReason::Stop => stop.to_owned(),
            FinishReason::ToolCalls => calls.to_owned(),
            FinishReason::Length => length.to_owned(),
            FinishReason::Filtered => filtered.to_owned(),
            FinishReason::Unknown { reason } => reason.clone(),
        }
    }
}

fn tokens_of(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(4)
}

/// A neutral request from its parts.
fn neutral(messages: Vec<Message>, tools: Vec<ToolDefinition>, output_schema: Option<Value>) -> ModelRequest {
    let purpose = match (&output_schema, tools.is_empty()) {
        (Some(_), _) => Purpose::Plan,
        (None, false) => Purpose::Execute,
        (None, true) => Purpose::Finalize,
    };
    let sampling = Sampling::default();
    ModelRequest { purpose, messages, tools, output_schema, sampling, output_tokens_max: 1 }
}

fn text_of<'a>(value: &'a Value, field: &str) -> Result<&'a str, String> {
    value.get(field).and_then(Value::as_str).ok_or_else(|| format!("`{field}` is no text in {value}"))
}

fn list_of<'a>(value: &'a Value, field: &str) -> Result<&'a [Value], String> {
    match value.get(field) {
        None => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(other) => Err(format!("`{field}` is no list: {other}")),
    }
}

fn words_of<'a>(value: &'a Value, field: &str) -> Result<&'a str, String> {
    let words = text_of(value, field)?;
    if words.trim().is_empty() { Err(format!("`{field}` is empty in {value}")) } else { Ok(words) }
}

/// A tool's name within the narrowest limits of any provider.
fn tool_name(value: &Value) -> Result<String, String> {
    let name = text_of(value, "name")?;
    let fits = (1..=64).contains(&name.len());
    if fits && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
        Ok(name.to_owned())
    } else {
        Err(format!("`{name}` is no name of a tool"))
    }
}

fn no_name_twice(tools: &[ToolDefinition]) -> Result<(), String> {
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("the tool `{}` is defined twice", pair[0])),
        None => Ok(()),
    }
}

/// The text in two halves, so that a stream has something to put together.
fn halves(text: &str) -> (&str, &str) {
    let mut at = text.len() / 2;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    text.split_at(at)
}
