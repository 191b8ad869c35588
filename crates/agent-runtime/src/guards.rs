//! The checks between the loop's moves: what is unusable, what is exhausted, what may not run.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::audit::AuditEvent;
use crate::ending::Halt;
use crate::json::{DEPTH_MAX, Measure, is_too_deep, measure};
use crate::r#loop::AgentRun;
use crate::model::{Message, ModelReply, ToolCall};
use crate::policy::Policy;
use crate::request::reply_bytes;
use crate::state::Observation;
use crate::tools::ToolError;

/// The longest call id that is kept as the provider gave it, in bytes.
const CALL_ID_BYTES_MAX: usize = 128;

impl AgentRun {
    /// Why a reply cannot be acted upon at all, in whichever state it arrives.
    pub(crate) fn unusable(&self, reply: &ModelReply) -> Option<Halt> {
        let limits = &self.setup.limits;
        let (bytes, bytes_max) = (reply_bytes(reply), limits.reply_bytes_max);
        if is_above(bytes, bytes_max) {
            return Some(Halt::ReplyTooLarge { bytes, bytes_max });
        }
        let (calls, calls_max) = (reply.calls.len(), limits.calls_per_reply_max);
        if is_above(calls, u32::from(calls_max)) {
            return Some(Halt::TooManyCalls { calls, calls_max });
        }
        if reply.calls.iter().map(|call| &call.arguments).chain(&reply.keepsake).any(is_too_deep) {
            return Some(Halt::ReplyTooDeep { depth_max: DEPTH_MAX });
        }
        let finish = reply.finish.clone();
        if finish.is_complete() { None } else { Some(Halt::IncompleteReply { finish }) }
    }

    /// Which limit forbids to ask a model for anything more.
    pub(crate) fn exhausted(&self) -> Option<Halt> {
        let limits = &self.setup.limits;
        let (tokens, tokens_max) = (self.state.spent.tokens, limits.tokens_max);
        let (messages, messages_max) = (self.messages.len(), limits.messages_max);
        if let Some(halt) = self.time_is_up() {
            Some(halt)
        } else if tokens >= tokens_max {
            Some(Halt::TokenLimit { tokens, tokens_max })
        } else if is_above(messages, messages_max) {
            Some(Halt::MessageLimit { messages, messages_max })
        } else {
            None
        }
    }

    /// Whether time forbids to ask for anything more, tools included.
    pub(crate) fn time_is_up(&self) -> Option<Halt> {
        let is_up = self.state.spent.elapsed_ms() >= self.setup.limits.time_ms_max;
        is_up.then(|| self.timeout())
    }

    /// How long the answers may still take. A driver stops waiting after it.
    pub fn time_left(&self) -> Duration {
        Duration::from_millis(self.setup.limits.time_ms_max).saturating_sub(self.state.spent.elapsed)
    }

    pub(crate) fn timeout(&self) -> Halt {
        let elapsed_ms = self.state.spent.elapsed_ms();
        Halt::Timeout { elapsed_ms, ms_max: self.setup.limits.time_ms_max }
    }

    /// Why a call may not run: not offered, or without arguments that any tool could take.
    pub(crate) fn refusal(&self, call: &ToolCall) -> Option<ToolError> {
        if !self.setup.tools.iter().any(|tool| tool.name == call.name) {
            let offered = self.setup.tools.iter().map(|tool| tool.name.clone()).collect();
            return Some(ToolError::NotOffered { tool: call.name.clone(), offered });
        }
        if call.arguments.is_object() {
            return None;
        }
        let (tool, at) = (call.name.clone(), String::new());
        let problem = "they are not a JSON object".to_owned();
        Some(ToolError::BadArguments { tool, at, problem })
    }

    /// Records one call and what came of it: observation, message, audit. Gives the halt if the policy calls its
    /// error fatal.
    pub(crate) fn record(
        &mut self,
        call: ToolCall,
        outcome: Result<Value, ToolError>,
        policy: &dyn Policy,
    ) -> Option<Halt> {
        let outcome = self.within_limits(&call, outcome);
        let (call_id, tool) = (call.id.clone(), call.name.clone());
        let (content, error) = match &outcome {
            Ok(Value::String(text)) => (text.clone(), None),
            Ok(value) => (value.to_string(), None),
            Err(error) => (error.to_string(), Some(error.clone())),
        };
        self.messages.push(Message::Tool {
            call_id: call_id.clone(),
            tool: tool.clone(),
            content,
            is_error: error.is_some(),
        });
        let iteration = self.history.iteration();
        self.state.observations.push(Observation { iteration, call: call.clone(), outcome });
        self.note(match (error.clone(), self.refusal(&call)) {
            (Some(error), Some(_)) => AuditEvent::Refused { call_id, tool, error },
            (error, _) => AuditEvent::Observed { call_id, tool, error },
        });
        let error = error.filter(|error| policy.is_fatal(&call, error, &self.state))?;
        Some(Halt::FatalTool { tool: call.name, error })
    }

    fn within_limits(&self, call: &ToolCall, outcome: Result<Value, ToolError>) -> Result<Value, ToolError> {
        let bytes_max = self.setup.limits.result_bytes_max;
        let value = match outcome {
            Ok(value) => value,
            Err(error) => return Err(error.shortened(usize::try_from(bytes_max).unwrap_or(usize::MAX))),
        };
        let Measure { bytes, depth } = measure(&value);
        let tool = call.name.clone();
        if depth > DEPTH_MAX {
            Err(ToolError::ResultTooDeep { tool, depth_max: DEPTH_MAX })
        } else if is_above(bytes, bytes_max) {
            Err(ToolError::ResultTooLarge { tool, bytes, bytes_max })
        } else {
            Ok(value)
        }
    }

    /// Gives every call an id of its own: the provider's where it is usable, else one of ours.
    pub(crate) fn with_own_ids(&self, calls: Vec<ToolCall>) -> Vec<ToolCall> {
        let mut used: BTreeSet<String> = self
            .messages
            .iter()
            .flat_map(|message| match message {
                Message::Assistant { calls, .. } => calls.as_slice(),
                Message::System { .. } | Message::User { .. } | Message::Tool { .. } => &[],
            })
            .map(|call| call.id.clone())
            .collect();
        let named = calls.into_iter().map(|mut call| {
            let fits = (1..=CALL_ID_BYTES_MAX).contains(&call.id.len());
            if !fits || used.contains(&call.id) {
                call.id = own_id(&used);
            }
            used.insert(call.id.clone());
            call
        });
        named.collect()
    }

    /// What the model said last in this run; empty if it never said anything.
    pub(crate) fn last_text(&self) -> String {
        let said = self.messages.iter().skip(self.seeded).rev().find_map(|message| match message {
            Message::Assistant { text, .. } if !text.trim().is_empty() => Some(text.clone()),
            Message::Assistant { .. }
            | Message::System { .. }
            | Message::User { .. }
            | Message::Tool { .. } => None,
        });
        said.unwrap_or_default()
    }
}

/// The first of `call-1`, `call-2`, … from the number of used ids on that is free.
fn own_id(used: &BTreeSet<String>) -> String {
    let mut nth = used.len();
    loop {
        nth = nth.wrapping_add(1);
        let id = format!("call-{nth}");
        if !used.contains(&id) {
            return id;
        }
    }
}

fn is_above(size: usize, limit: u32) -> bool {
    u32::try_from(size).map_or(true, |size| size > limit)
}
