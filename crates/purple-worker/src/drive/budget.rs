//! What a task may spend on models, and what that means for the next call. Pure.
//!
//! Output counts, and input that no earlier request of the task had. Tool schemas and repeated messages do not.

pub(crate) use purple_journal::word::Tier;
use std::collections::BTreeSet;

use crate::port::{Message, ModelReply, ModelRequest};
use serde::{Deserialize, Serialize};

/// How many characters make a token, where the provider does not count.
pub(crate) const CHARS_PER_TOKEN: u64 = 4;
/// From this share on, in percent, brevity is strict.
const STRICT_FROM_PERCENT: u64 = 30;
/// Above this share, in percent, it is an emergency, and the fast tier answers.
const EMERGENCY_ABOVE_PERCENT: u64 = 80;

/// What depends on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stakes {
    /// It reads, thinks or tells.
    Ordinary,
    /// Something in the world is about to change. Nobody saves here.
    Writes,
}

/// How much the model is to save words. `docs/decisions/` says where the borders are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Thrift {
    /// Below 30 % spent.
    Mild,
    /// From 30 % to 80 % spent.
    Strict,
    /// Above 80 % spent.
    Emergency,
}

/// The tokens of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Budget {
    tokens_max: u64,
    tokens_spent: u64,
    /// Fingerprints of the messages that were sent already.
    sent: BTreeSet<u64>,
}

impl Budget {
    /// A budget of which nothing is spent.
    pub(crate) const fn new(tokens_max: u64) -> Self {
        Self { tokens_max, tokens_spent: 0, sent: BTreeSet::new() }
    }

    /// The same with no more than this in all.
    pub(crate) fn limit(&mut self, tokens_max: u64) {
        self.tokens_max = self.tokens_max.min(tokens_max);
    }

    /// What was spent, in tokens.
    pub(crate) const fn spent(&self) -> u64 {
        self.tokens_spent
    }

    /// What is left, in tokens.
    pub(crate) const fn left(&self) -> u64 {
        self.tokens_max.saturating_sub(self.tokens_spent)
    }

    /// How much the model is to save words. A budget of nothing is an emergency.
    pub(crate) fn thrift(&self) -> Thrift {
        let (spent, whole) = (u128::from(self.tokens_spent) * 100, u128::from(self.tokens_max));
        if self.left() == 0 || spent > whole * u128::from(EMERGENCY_ABOVE_PERCENT) {
            Thrift::Emergency
        } else if spent >= whole * u128::from(STRICT_FROM_PERCENT) {
            Thrift::Strict
        } else {
            Thrift::Mild
        }
    }

    /// Which tier may answer now, if one is `wanted`. `None`: nothing is left, and no model is called.
    pub(crate) fn tier(&self, wanted: Tier, stakes: Stakes) -> Option<Tier> {
        if self.left() == 0 {
            return None;
        }
        Some(match (self.thrift(), stakes) {
            (Thrift::Mild | Thrift::Strict, Stakes::Ordinary | Stakes::Writes) => wanted,
            (Thrift::Emergency, Stakes::Ordinary) => Tier::Fast,
            (Thrift::Emergency, Stakes::Writes) => wanted,
        })
    }

    /// The output limit of the next call: what it asks for, and never more than is left. `None`: no call.
    pub(crate) fn output_tokens(&self, asked: u32) -> Option<u32> {
        match self.left() {
            0 => None,
            left => Some(asked.max(1).min(u32::try_from(left).unwrap_or(u32::MAX))),
        }
    }

    /// Counts one answered request, and says what it cost in tokens.
    pub(crate) fn count(&mut self, request: &ModelRequest, reply: &ModelReply) -> u64 {
        let (mut new_chars, mut old_chars) = (0_u64, 0_u64);
        for message in &request.messages {
            let chars = message_chars(message);
            let bucket = if self.sent.insert(fingerprint(message)) { &mut new_chars } else { &mut old_chars };
            *bucket = bucket.saturating_add(chars);
        }
        let (input, output) = match reply.usage {
            Some(usage) => {
                let tools = request.tools.iter().map(|tool| {
                    chars_of(&tool.name)
                        + chars_of(&tool.description)
                        + chars_of(&tool.input_schema.to_string())
                });
                let whole = tools.fold(new_chars.saturating_add(old_chars), u64::saturating_add);
                (share(usage.input_tokens, new_chars, whole), usage.output_tokens)
            }
            None => (tokens_of(new_chars), tokens_of(reply_chars(reply))),
        };
        let cost = input.saturating_add(output);
        self.tokens_spent = self.tokens_spent.saturating_add(cost);
        // The reply comes back with the next request, and was counted as output.
        self.sent.insert(fingerprint(&Message::Assistant {
            text: reply.text.clone(),
            calls: reply.calls.clone(),
            keepsake: reply.keepsake.clone(),
        }));
        cost
    }
    /// Counts one answered request at a cost that is known already.
    pub(crate) fn count_at(&mut self, request: &ModelRequest, reply: &ModelReply, cost: u64) {
        let before = self.tokens_spent;
        self.count(request, reply);
        self.tokens_spent = before.saturating_add(cost);
    }

    /// Counts a request whose reply was lost: at least what was sent for the first time. Says how much that is.
    pub(crate) fn lose(&mut self, request: &ModelRequest) -> u64 {
        let new = request.messages.iter().filter(|message| !self.sent.contains(&fingerprint(message)));
        let cost = tokens_of(new.map(message_chars).fold(0, u64::saturating_add));
        self.tokens_spent = self.tokens_spent.saturating_add(cost);
        cost
    }
}

/// `part` of `whole` of these tokens, rounded up. A provider counts a request as one; only some of it is new.
fn share(tokens: u64, part: u64, whole: u64) -> u64 {
    if whole == 0 {
        return tokens;
    }
    let product = u128::from(tokens) * u128::from(part);
    u64::try_from(product.div_ceil(u128::from(whole))).unwrap_or(u64::MAX)
}

fn tokens_of(chars: u64) -> u64 {
    chars.div_ceil(CHARS_PER_TOKEN)
}

fn chars_of(text: &str) -> u64 {
    u64::try_from(text.chars().count()).unwrap_or(u64::MAX)
}

fn message_chars(message: &Message) -> u64 {
    match message {
        Message::System { text } | Message::User { text } => chars_of(text),
        Message::Assistant { text, calls, keepsake: _ } => calls
            .iter()
            .map(|call| chars_of(&call.name) + chars_of(&call.arguments.to_string()))
            .fold(chars_of(text), u64::saturating_add),
        Message::Tool { content, .. } => chars_of(content),
    }
}

fn reply_chars(reply: &ModelReply) -> u64 {
    let said = Message::Assistant { text: reply.text.clone(), calls: reply.calls.clone(), keepsake: None };
    message_chars(&said)
}

/// FNV-1a over the message as JSON, with a separator. Stored with a budget, so it must not change with a compiler.
/// Two messages with one fingerprint cost at most a miscount, never a permission.
fn fingerprint(message: &Message) -> u64 {
    let text = match message {
        Message::System { text } => format!("s{text}"),
        Message::User { text } => format!("u{text}"),
        // The loop may have given calls other ids than the provider did.
        Message::Assistant { text, calls, .. } => {
            let calls: Vec<String> =
                calls.iter().map(|call| format!("{}{}", call.name, call.arguments)).collect();
            format!("a{text}\0{}", calls.join("\0"))
        }
        Message::Tool { call_id, tool, content, is_error } => {
            format!("t{call_id}\0{tool}\0{is_error}\0{content}")
        }
    };
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
