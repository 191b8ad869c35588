//! A model without a model: what it answers is computed from what it is asked.

use std::sync::Arc;

use purple_worker::port::{BoxFuture, Message, Model, ModelError, ModelReply, ModelRequest, ToolCall};
use serde_json::Value;

/// Thinks of a reply. It knows no provider, no wire and no time.
pub trait Brain: Send + Sync {
    /// The reply to one request.
    fn reply(&self, request: &ModelRequest) -> ModelReply;
}

impl<F: Fn(&ModelRequest) -> ModelReply + Send + Sync> Brain for F {
    fn reply(&self, request: &ModelRequest) -> ModelReply {
        self(request)
    }
}

/// A brain in the seat of a model, inside the process.
#[derive(Clone)]
pub struct Seat(pub Arc<dyn Brain>);

impl Model for Seat {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(std::future::ready(Ok(self.0.reply(request))))
    }
}

/// What a brain looks for in what it is asked.
pub trait Asked {
    /// Whether this tool may be called now.
    fn offers(&self, tool: &str) -> bool;

    /// The arguments of every call of this tool that the conversation holds, in order.
    fn calls_of(&self, tool: &str) -> Vec<&Value>;

    /// The last result of this tool, and whether it was an error.
    fn last_result(&self, tool: &str) -> Option<(&str, bool)>;

    /// Whether any words of the caller's side hold this text.
    fn says(&self, text: &str) -> bool;
}

impl Asked for ModelRequest {
    fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|offered| offered.name == tool)
    }

    fn calls_of(&self, tool: &str) -> Vec<&Value> {
        let calls = self.messages.iter().flat_map(|message| match message {
            Message::Assistant { calls, .. } => calls.as_slice(),
            Message::System { .. } | Message::User { .. } | Message::Tool { .. } => &[],
        });
        calls.filter(|call| call.name == tool).map(|call| &call.arguments).collect()
    }

    fn last_result(&self, tool: &str) -> Option<(&str, bool)> {
        self.messages.iter().rev().find_map(|message| match message {
            Message::Tool { tool: called, content, is_error, .. } if called == tool => {
                Some((content.as_str(), *is_error))
            }
            Message::Tool { .. }
            | Message::System { .. }
            | Message::User { .. }
            | Message::Assistant { .. } => None,
        })
    }

    fn says(&self, text: &str) -> bool {
        self.messages.iter().any(|message| match message {
            Message::System { text: words } | Message::User { text: words } => words.contains(text),
            Message::Tool { content, .. } => content.contains(text),
            Message::Assistant { .. } => false,
        })
    }
}

/// A call without an id: the loop gives it one.
#[must_use]
pub fn call(tool: impl Into<String>, arguments: Value) -> ToolCall {
    ToolCall { id: String::new(), name: tool.into(), arguments }
}
