//! A conversation in the order that every provider takes: a caller's turn, a model's turn, and so on.
//!
//! Every call has exactly one result, in the turn after it; nothing is empty; the first and the last turn are the
//! caller's. What the loop hands over is so already; what was shortened or stored by others is brought into order.

use purple_port::{Message, ToolCall};
use serde_json::{Value, json};

use super::BadRequest;
use super::names::{Names, fits};
use crate::limits::CALL_ID_BYTES_MAX;

const EMPTY_RESULT: &str = "(empty result)";
const NO_RESULT: &str = "no result was recorded for this call";
const BEGINNING: &str = "(The beginning of this conversation is not shown.)";
const GO_ON: &str = "Continue.";

/// A conversation in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Conversation {
    /// Standing instructions; may be empty.
    pub(super) system: String,
    pub(super) turns: Vec<Turn>,
}

/// Whose turn it is. The two alternate.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Turn {
    /// Results of all calls of the turn before, then words; not both empty.
    Caller { results: Vec<CallResult>, text: String },
    /// Words, then calls; not both empty.
    Model { text: String, calls: Vec<Asked>, keepsake: Option<Value> },
}

/// A call that a model asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) id: String,
    pub(super) wire_name: String,
    /// An object.
    pub(super) arguments: Value,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallResult {
    pub(super) id: String,
    pub(super) wire_name: String,
    /// Not empty.
    pub(super) content: String,
    pub(super) is_error: bool,
}

impl CallResult {
    /// The content for providers that have no mark for errors.
    pub(super) fn marked(&self) -> String {
        if self.is_error { format!("error: {}", self.content) } else { self.content.clone() }
    }
}

impl Conversation {
    /// Brings messages into order.
    pub(super) fn of(messages: &[Message], names: &Names) -> Result<Self, BadRequest> {
        let mut order =
            Order { names, system: Vec::new(), turns: Vec::new(), open: Vec::new(), ids: Vec::new() };
        for message in messages {
            order.take(message);
        }
        order.close_calls();
        let Order { system, mut turns, .. } = order;
        match turns.last() {
            None => return Err(BadRequest::NothingToSay),
            Some(Turn::Model { .. }) => {
                turns.push(Turn::Caller { results: Vec::new(), text: GO_ON.to_owned() })
            }
            Some(Turn::Caller { .. }) => {}
        }
        if let Some(Turn::Model { .. }) = turns.first() {
            turns.insert(0, Turn::Caller { results: Vec::new(), text: BEGINNING.to_owned() });
        }
        Ok(Self { system: system.join("\n\n"), turns })
    }
}

/// A call that waits for its result.
struct Open {
    own_id: String,
    result: CallResult,
    is_answered: bool,
}

/// What was brought into order so far.
struct Order<'a> {
    names: &'a Names,
    system: Vec<String>,
    turns: Vec<Turn>,
    /// The calls of the last turn of the model.
    open: Vec<Open>,
    /// Ids that are in use.
    ids: Vec<String>,
}

impl Order<'_> {
    fn take(&mut self, message: &Message) {
        match message {
            Message::System { text } if is_blank(text) => {}
            Message::System { text } => self.system.push(text.clone()),
            Message::User { text } => self.say(text),
            Message::Assistant { text, calls, keepsake } => {
                if !is_blank(text) || !calls.is_empty() {
                    self.close_calls();
                    self.answer(text, calls, keepsake.as_ref());
                }
            }
            Message::Tool { call_id, tool, content, is_error } => {
                let content = if is_blank(content) { EMPTY_RESULT } else { content };
                match self.open.iter_mut().find(|open| open.own_id == *call_id && !open.is_answered) {
                    Some(open) => {
                        open.is_answered = true;
                        open.result.content = content.to_owned();
                        open.result.is_error = *is_error;
                    }
                    None => self.say_as_data(tool, content),
                }
            }
        }
    }

    /// Words of the caller, after whatever results there are.
    fn say(&mut self, words: &str) {
        if is_blank(words) {
            return;
        }
        self.open_caller();
        if let Some(Turn::Caller { text, .. }) = self.turns.last_mut() {
            join(text, words);
        }
    }

    /// A result whose call is no longer shown. It is data, so no line of it can look like words of the caller.
    fn say_as_data(&mut self, tool: &str, content: &str) {
        let fenced: Vec<String> = content.lines().map(|line| format!("| {line}")).collect();
        let wire_name = self.names.wire(tool).to_owned();
        self.say(&format!(
            "A result of `{wire_name}`, whose call is no longer shown. Lines that begin with `|` are data:\n{}",
            fenced.join("\n")
        ));
    }

    /// Makes the last turn the caller's. Results come into it when the calls are closed.
    fn open_caller(&mut self) {
        match self.turns.last() {
            Some(Turn::Caller { .. }) => {}
            Some(Turn::Model { .. }) | None => {
                self.turns.push(Turn::Caller { results: Vec::new(), text: String::new() });
            }
        }
    }

    /// Gives every open call its result.
    fn close_calls(&mut self) {
        if self.open.is_empty() {
            return;
        }
        self.open_caller();
        let closed = std::mem::take(&mut self.open);
        if let Some(Turn::Caller { results, .. }) = self.turns.last_mut() {
            results.extend(closed.into_iter().map(|open| open.result));
        }
    }

    fn answer(&mut self, words: &str, calls: &[ToolCall], kept: Option<&Value>) {
        let asked: Vec<Asked> = calls.iter().map(|call| self.ask(call)).collect();
        let words = if is_blank(words) { "" } else { words };
        match self.turns.last_mut() {
            // Two turns of the model without a word between them are one.
            Some(Turn::Model { text, calls, keepsake }) => {
                join(text, words);
                calls.extend(asked);
                if keepsake.is_none() {
                    *keepsake = kept.cloned();
                }
            }
            Some(Turn::Caller { .. }) | None => {
                self.turns.push(Turn::Model {
                    text: words.to_owned(),
                    calls: asked,
                    keepsake: kept.cloned(),
                });
            }
        }
    }

    fn ask(&mut self, call: &ToolCall) -> Asked {
        let is_usable = call.id.len() <= CALL_ID_BYTES_MAX && fits(&call.id) && !self.ids.contains(&call.id);
        let id = if is_usable { call.id.clone() } else { self.free_id() };
        self.ids.push(id.clone());
        let wire_name = self.names.wire(&call.name).to_owned();
        let result = CallResult {
            id: id.clone(),
            wire_name: wire_name.clone(),
            content: NO_RESULT.to_owned(),
            is_error: true,
        };
        self.open.push(Open { own_id: call.id.clone(), result, is_answered: false });
        let arguments = match &call.arguments {
            object @ Value::Object(_) => object.clone(),
            other => json!({ "unreadable_arguments": other }),
        };
        Asked { id, wire_name, arguments }
    }

    fn free_id(&self) -> String {
        (self.ids.len() + 1..)
            .map(|number| format!("call_{number}"))
            .find(|id| !self.ids.contains(id))
            .unwrap_or_default()
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn join(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
