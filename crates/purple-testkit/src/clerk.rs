//! A model that knows its jobs: it reads, computes, proposes and answers by a script, whoever carries its words.

use purple_worker::port::{Message, ModelReply, ModelRequest, ToolCall};
use serde_json::{Value, json};

use crate::brain::{Asked as _, Brain, call};

/// What a clerk does about one task. Everything is done once, in the state that offers it.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Words of the task by which it is recognised. Of several the last one counts.
    pub about: String,
    /// The process that it belongs to; empty for none.
    pub process: String,
    /// Calls that look or calculate, in order; one that is not offered waits for a state that offers it.
    pub looks: Vec<(String, Value)>,
    /// What is proposed: `{tool, arguments, check}` each. Nothing at all, if there is nothing here but something in `acts`.
    pub proposes: Vec<Value>,
    /// Calls with effects that are made after the plan has run.
    pub acts: Vec<(String, Value)>,
    /// What is said in the end.
    pub answer: String,
}

/// A clerk with a list of jobs.
#[derive(Clone, Debug, Default)]
pub struct Clerk(pub Vec<Job>);

impl Brain for Clerk {
    fn reply(&self, request: &ModelRequest) -> ModelReply {
        let job = self.0.iter().rev().find(|job| job.is_asked_for(request));
        job.map_or_else(|| ModelReply::text("I do not know this task."), |job| job.next(request))
    }
}

impl Job {
    /// Whether a request is about this job. Earlier tasks that a brief tells of are none of it.
    fn is_asked_for(&self, request: &ModelRequest) -> bool {
        let texts = request.messages.iter().filter_map(|message| match message {
            Message::System { text } | Message::User { text } | Message::Tool { content: text, .. } => {
                Some(text)
            }
            Message::Assistant { .. } => None,
        });
        let mut lines = texts.flat_map(|text| text.lines()).filter(|line| !line.contains("Past pattern:"));
        lines.any(|line| line.contains(&self.about))
    }

    fn next(&self, request: &ModelRequest) -> ModelReply {
        if let Some(schema) = &request.output_schema {
            return ModelReply::text(self.structured(schema).to_string());
        }
        let is_due = |(tool, arguments): &&(String, Value)| {
            request.offers(tool) && !request.calls_of(tool).contains(&arguments)
        };
        let calls = |all: &[(String, Value)]| -> Vec<ToolCall> {
            all.iter().filter(is_due).map(|(tool, arguments)| call(tool, arguments.clone())).collect()
        };
        let looks = calls(&self.looks);
        if !looks.is_empty() {
            return ModelReply::calls(looks);
        }
        let proposal = json!({"operations": self.proposes});
        // Who means to act later proposes nothing: an empty proposal says that there is nothing to do.
        let has_proposal = !self.proposes.is_empty() || self.acts.is_empty();
        if has_proposal && request.offers(PROPOSE) && !request.calls_of(PROPOSE).contains(&&proposal) {
            return ModelReply::calls(vec![call(PROPOSE, proposal)]);
        }
        match calls(&self.acts).into_iter().next() {
            Some(act) => ModelReply::calls(vec![act]),
            None => ModelReply::text(&self.answer),
        }
    }

    fn structured(&self, schema: &Value) -> Value {
        match schema.pointer("/properties/process") {
            Some(_) if self.process.is_empty() => json!({"process": "none"}),
            Some(_) => json!({"process": self.process}),
            None => {
                json!({"goal": self.about, "data_needs": self.looks.iter().map(|(tool, _)| tool).collect::<Vec<_>>()})
            }
        }
    }
}

/// The tool by which operations are proposed.
const PROPOSE: &str = "propose_operations";
