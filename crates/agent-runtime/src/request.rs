//! Builds what a run asks of a model, and counts what the answers cost.

use crate::json::measure;
use crate::r#loop::{AgentRun, Step};
use crate::model::{FinishReason, Message, ModelReply, ModelRequest, Purpose, ToolDefinition, Usage};
use crate::planner::{Deciding, Decision, Planning};
use crate::setup::Finishing;

/// How many bytes make a token, where the provider does not count.
const BYTES_PER_TOKEN: u64 = 4;

impl AgentRun {
    /// The request of the present state. Tools are in it for EXECUTE and for nothing else.
    pub(crate) fn request(&self, purpose: Purpose) -> ModelRequest {
        let system = self.setup.system.iter().map(|text| Message::System { text: text.clone() });
        let (own, closing, output_schema) = match purpose {
            Purpose::Plan => match &self.setup.planning {
                Planning::Model { schema, prompt } => (&[][..], Some(prompt.clone()), Some(schema.clone())),
                Planning::Given(_) => (&[][..], None, None),
            },
            Purpose::Decide => (&[][..], Some(self.decision_prompt()), Some(Decision::schema())),
            Purpose::Execute => (self.messages.as_slice(), None, None),
            Purpose::Finalize => match &self.setup.finishing {
                Finishing::Summary { prompt } => (self.messages.as_slice(), Some(prompt.clone()), None),
                Finishing::LastText => (self.messages.as_slice(), None, None),
            },
        };
        let tools = match purpose {
            Purpose::Execute => self.setup.tools.clone(),
            Purpose::Plan | Purpose::Decide | Purpose::Finalize => Vec::new(),
        };
        ModelRequest {
            purpose,
            messages: system.chain(own.iter().cloned()).chain(closing.map(Message::user)).collect(),
            tools,
            output_schema,
            sampling: self.setup.sampling.clone(),
            output_tokens_max: self.output_tokens_left(),
        }
    }

    fn decision_prompt(&self) -> String {
        let prompt = match &self.setup.deciding {
            Deciding::Model { prompt } => prompt.as_str(),
            Deciding::Rule => "",
        };
        let plan = self.state.outline.as_ref().map(|outline| outline.raw.to_string()).unwrap_or_default();
        format!("{prompt}\n\nGoal:\n{}\n\nPlan:\n{plan}", self.state.goal)
    }

    /// The longest reply that is still of use: what one reply may have, and what is left of the whole.
    fn output_tokens_left(&self) -> u32 {
        let left = self.setup.limits.tokens_max.saturating_sub(self.state.spent.tokens);
        self.setup.limits.output_tokens_max.min(u32::try_from(left).unwrap_or(u32::MAX)).max(1)
    }

    /// What the first request repeats and does not say for the first time: earlier messages and tool schemas.
    pub(crate) fn resent_tokens(&self) -> u64 {
        let seeded = self.messages.iter().take(self.seeded).map(message_bytes);
        let tools = self.setup.tools.iter().map(tool_bytes);
        tokens_of(total(seeded.chain(tools).chain(self.system_bytes())))
    }

    /// Counts one reply. New are its output and the input that no earlier request had.
    pub(crate) fn account(&mut self, reply: &ModelReply) {
        let purpose = match &self.step {
            Step::Planning => Purpose::Plan,
            Step::Deciding => Purpose::Decide,
            Step::Executing => Purpose::Execute,
            Step::Finalizing(_) => Purpose::Finalize,
            Step::Observing(_) | Step::Ended(_) => return,
        };
        let usage = reply.usage.unwrap_or_else(|| self.estimate(purpose, reply));
        let whole = usage.input_tokens.saturating_add(usage.output_tokens);
        let new = if purpose.is_single_shot() { whole } else { whole.saturating_sub(self.sent_tokens) };
        if !purpose.is_single_shot() {
            self.sent_tokens = whole;
        }
        let spent = &mut self.state.spent;
        // A conversation that shrank still had its reply written anew.
        spent.tokens = spent.tokens.saturating_add(new.max(usage.output_tokens));
        spent.usage = spent.usage.plus(usage);
        spent.model_calls = spent.model_calls.saturating_add(1);
    }

    fn estimate(&self, purpose: Purpose, reply: &ModelReply) -> Usage {
        let request = self.request(purpose);
        let messages = request.messages.iter().map(message_bytes);
        let tools = request.tools.iter().map(tool_bytes);
        Usage {
            input_tokens: tokens_of(total(messages.chain(tools))),
            output_tokens: tokens_of(reply_bytes(reply)),
            cached_tokens: None,
        }
    }

    fn system_bytes(&self) -> Option<usize> {
        self.setup.system.as_ref().map(String::len)
    }
}

/// The size of a reply as it counts against the limit.
pub(crate) fn reply_bytes(reply: &ModelReply) -> usize {
    let calls = reply
        .calls
        .iter()
        .map(|call| total([call.id.len(), call.name.len(), measure(&call.arguments).bytes]));
    let keepsake = reply.keepsake.iter().map(|keepsake| measure(keepsake).bytes);
    let reason = match &reply.finish {
        FinishReason::Unknown { reason } => reason.len(),
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Length | FinishReason::Filtered => 0,
    };
    total([reply.text.len(), reason].into_iter().chain(calls).chain(keepsake))
}

fn message_bytes(message: &Message) -> usize {
    match message {
        Message::System { text } | Message::User { text } => text.len(),
        Message::Assistant { text, calls, keepsake } => {
            let calls = calls.iter().map(|call| total([call.name.len(), measure(&call.arguments).bytes]));
            let keepsake = keepsake.iter().map(|keepsake| measure(keepsake).bytes);
            total([text.len()].into_iter().chain(calls).chain(keepsake))
        }
        Message::Tool { content, .. } => content.len(),
    }
}

fn tool_bytes(tool: &ToolDefinition) -> usize {
    total([tool.name.len(), tool.description.len(), measure(&tool.input_schema).bytes])
}

fn total(sizes: impl IntoIterator<Item = usize>) -> usize {
    sizes.into_iter().fold(0, usize::saturating_add)
}

fn tokens_of(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(BYTES_PER_TOKEN)
}
