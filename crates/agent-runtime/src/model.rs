//! What the loop says to a language model and what it hears back.
//!
//! The words here belong to no provider. `docs/spec/agent-loop.md` says how each of them maps to Anthropic
//! Messages, OpenAI chat completions and Ollama.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A boxed future, so that ports can be used as `dyn`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers one request.
///
/// # Contract
///
/// - One call of `complete` is one answer. Retries, back-off and the deadline of one request live inside the
///   implementation; the loop never asks twice.
/// - An answer that was cut, filtered or could not be read is reported as such, never mended by guessing.
/// - `complete` may be dropped at any await.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a language model",
    note = "implement `agent_runtime::model::Model`: one method that turns a request into a reply"
)]
pub trait Model: Send + Sync {
    /// Gives the reply to `request`.
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>>;
}

impl<M: Model + ?Sized> Model for std::sync::Arc<M> {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        (**self).complete(request)
    }
}

/// Which state asks. A provider may choose its endpoint by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Purpose {
    /// PLAN: single-shot, JSON against a schema, no tools.
    Plan,
    /// DECIDE: single-shot, JSON against a schema, no tools.
    Decide,
    /// EXECUTE: the conversation, with tools.
    Execute,
    /// FINALIZE: the conversation, without tools.
    Finalize,
}

impl Purpose {
    /// Every purpose, in the order in which a run meets them.
    pub const ALL: [Self; 4] = [Self::Plan, Self::Decide, Self::Execute, Self::Finalize];

    /// Whether the request stands alone: one prompt and a schema, no conversation.
    pub const fn is_single_shot(self) -> bool {
        match self {
            Self::Plan | Self::Decide => true,
            Self::Execute | Self::Finalize => false,
        }
    }
}

/// One question to a model, complete in itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// Which state asks.
    pub purpose: Purpose,
    /// What was said so far. A system message, if any, is the first.
    pub messages: Vec<Message>,
    /// The tools that may be called now; empty unless the purpose is [`Purpose::Execute`].
    pub tools: Vec<ToolDefinition>,
    /// The JSON Schema that the text of the reply must satisfy; given for single-shot purposes.
    pub output_schema: Option<Value>,
    /// How to choose among likely words.
    pub sampling: Sampling,
    /// The longest reply that is of use, in tokens.
    pub output_tokens_max: u32,
}

impl ModelRequest {
    /// The tools that the conversation mentions and that may not be called now, sorted.
    ///
    /// Some providers refuse a conversation with calls of tools that the request does not define.
    /// They can be sent a bare definition for each of these; the loop refuses calls to them anyway.
    pub fn tools_only_mentioned(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .messages
            .iter()
            .flat_map(|message| match message {
                Message::Assistant { calls, .. } => calls.as_slice(),
                Message::System { .. } | Message::User { .. } | Message::Tool { .. } => &[],
            })
            .map(|call| call.name.as_str())
            .filter(|name| !self.tools.iter().any(|tool| tool.name == *name))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Message {
    /// Standing instructions.
    System {
        /// The words.
        text: String,
    },
    /// The caller's side.
    User {
        /// The words.
        text: String,
    },
    /// The model's side.
    Assistant {
        /// The words; may be empty beside calls.
        text: String,
        /// The tools it asked for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// What the provider wants back unchanged with this message (see [`ModelReply::keepsake`]).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keepsake: Option<Value>,
    },
    /// The result of one call.
    Tool {
        /// The call it answers.
        call_id: String,
        /// The tool that was called.
        tool: String,
        /// The result, or the error in words.
        content: String,
        /// Whether the content is an error.
        is_error: bool,
    },
}

impl Message {
    /// The caller's words.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// The model's words, without calls.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), calls: Vec::new(), keepsake: None }
    }
}

/// A tool that may be offered to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolDefinition {
    /// 1 to 64 bytes of ASCII letters, digits, `_`, `-` and `.`.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

impl ToolDefinition {
    /// The longest name, in bytes.
    pub const NAME_BYTES_MAX: usize = 64;

    /// A tool that takes any object; set `input_schema` to be stricter.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        let input_schema = serde_json::json!({ "type": "object" });
        Self { name: name.into(), description: description.into(), input_schema }
    }

    pub(crate) fn has_valid_name(&self) -> bool {
        let fits = (1..=Self::NAME_BYTES_MAX).contains(&self.name.len());
        fits && self.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
    }
}

/// A call that a model asks for. Asking is all it can do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// Joins the call with its result. Where it is empty or used before, the loop gives another.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments. A provider whose model wrote broken JSON hands the text over as a JSON string:
    /// anything but an object is answered with an error and never runs.
    pub arguments: Value,
}

/// How to choose among likely words. Thousandths instead of floats, so that requests compare and store exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// The temperature in thousandths: 700 is 0.7.
    pub temperature_thousandths: Option<u16>,
    /// The nucleus in thousandths: 950 is 0.95.
    pub top_p_thousandths: Option<u16>,
    /// A seed, for providers that take one.
    pub seed: Option<u64>,
    /// Texts at which the model stops.
    pub stop: Vec<String>,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// The words.
    pub text: String,
    /// The calls it asks for, in its order.
    pub calls: Vec<ToolCall>,
    /// Why it stopped.
    pub finish: FinishReason,
    /// What it cost; `None` if the provider does not say, and then the loop estimates.
    pub usage: Option<Usage>,
    /// Anything the provider wants to see again with this reply in later requests, such as signed reasoning.
    /// The loop keeps it with the message and does not look inside.
    pub keepsake: Option<Value>,
    /// The model that the provider says it was, if it says so. For the record; nothing depends on it.
    #[serde(default)]
    pub model: Option<String>,
}

impl ModelReply {
    /// A finished reply of words only.
    pub fn text(text: impl Into<String>) -> Self {
        let finish = FinishReason::Stop;
        Self { text: text.into(), calls: Vec::new(), finish, usage: None, keepsake: None, model: None }
    }

    /// A reply that asks for tools.
    pub fn calls(calls: Vec<ToolCall>) -> Self {
        let finish = FinishReason::ToolCalls;
        Self { text: String::new(), calls, finish, usage: None, keepsake: None, model: None }
    }

    /// The same reply with its cost.
    #[must_use]
    pub fn costing(self, usage: Usage) -> Self {
        Self { usage: Some(usage), ..self }
    }
}

/// Why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FinishReason {
    /// It had said everything.
    Stop,
    /// It waits for tools.
    ToolCalls,
    /// It ran into the length limit: the reply is cut.
    Length,
    /// The provider withheld the reply, or the model refused.
    Filtered,
    /// The provider gave a reason that this version does not know.
    Unknown {
        /// The provider's word.
        reason: String,
    },
}

impl FinishReason {
    /// Whether the reply is whole, so that it may be acted upon.
    pub const fn is_complete(&self) -> bool {
        match self {
            Self::Stop | Self::ToolCalls => true,
            Self::Length | Self::Filtered | Self::Unknown { .. } => false,
        }
    }
}

impl fmt::Display for FinishReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stop => f.write_str("finished"),
            Self::ToolCalls => f.write_str("waiting for tools"),
            Self::Length => f.write_str("cut at its length limit"),
            Self::Filtered => f.write_str("withheld by the provider"),
            Self::Unknown { reason } => write!(f, "ended for the unknown reason `{reason}`"),
        }
    }
}

/// Tokens of one reply, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Tokens that were read, cached ones included.
    pub input_tokens: u64,
    /// Tokens that were written.
    pub output_tokens: u64,
    /// Of the input, those that came from the provider's cache, if it says so.
    pub cached_tokens: Option<u64>,
}

impl Usage {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_tokens: match (self.cached_tokens, other.cached_tokens) {
                (None, None) => None,
                (one, two) => Some(one.unwrap_or(0).saturating_add(two.unwrap_or(0))),
            },
        }
    }
}

/// Why there is no reply. Final for the loop: whoever retries has done so already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ModelError {
    /// No connection, or it broke.
    #[error("the model `{model}` cannot be reached: {problem}")]
    Unreachable {
        /// Which model.
        model: String,
        /// What happened.
        problem: String,
    },
    /// The provider refused the request.
    #[error("the model `{model}` refused the request with status {status}: {problem}")]
    Refused {
        /// Which model.
        model: String,
        /// The HTTP status, or the provider's own number.
        status: u16,
        /// What it said.
        problem: String,
        /// How long it asked to be left alone, in seconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_s: Option<u64>,
    },
    /// The answer could not be read.
    #[error("the answer of the model `{model}` cannot be read: {problem}")]
    Unreadable {
        /// Which model.
        model: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No answer in time.
    #[error("the model `{model}` gave no answer within {limit_ms} ms")]
    TimedOut {
        /// Which model.
        model: String,
        /// The provider client's own deadline.
        limit_ms: u64,
    },
    /// There is no model for this.
    #[error("no model can answer: {problem}")]
    NoModel {
        /// Why, and what would provide one.
        problem: String,
    },
}
