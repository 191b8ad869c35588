//! What a run knows: goal, plan, decision, observations, the caller's data, what was spent.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::model::{ToolCall, Usage};
use crate::planner::{Decision, Outline};
use crate::progress::{ProgressTracker, Signal};
use crate::tools::ToolError;

/// What a run knows. Only the loop changes it; everybody may read it, in every state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    pub(crate) goal: String,
    pub(crate) outline: Option<Outline>,
    pub(crate) decision: Option<Decision>,
    pub(crate) observations: Vec<Observation>,
    pub(crate) data: BTreeMap<String, Value>,
    pub(crate) progress: ProgressTracker,
    pub(crate) spent: Spent,
}

impl State {
    pub(crate) fn new(goal: String, data: BTreeMap<String, Value>) -> Self {
        Self {
            goal,
            outline: None,
            decision: None,
            observations: Vec::new(),
            data,
            progress: ProgressTracker::default(),
            spent: Spent::default(),
        }
    }

    /// The input, normalised.
    pub fn goal(&self) -> &str {
        &self.goal
    }

    /// The plan, from PLAN on. A plan that the policy refused stays visible here.
    pub fn outline(&self) -> Option<&Outline> {
        self.outline.as_ref()
    }

    /// The decision, from DECIDE on.
    pub fn decision(&self) -> Option<&Decision> {
        self.decision.as_ref()
    }

    /// Every call that was answered, in order.
    pub fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// The observations of one iteration.
    pub fn observed_in(&self, iteration: u16) -> impl Iterator<Item = &Observation> {
        self.observations.iter().filter(move |seen| seen.iteration == iteration)
    }

    /// What the caller put beside the run.
    pub fn data(&self) -> &BTreeMap<String, Value> {
        &self.data
    }

    /// Signals of the rounds so far.
    pub fn progress(&self) -> &ProgressTracker {
        &self.progress
    }

    /// What the run has used.
    pub fn spent(&self) -> &Spent {
        &self.spent
    }

    /// Records the signal of one round: what was called, and what came back.
    pub(crate) fn note_round(&mut self, iteration: u16) {
        let parts: Vec<Value> = self
            .observed_in(iteration)
            .flat_map(|seen| {
                let result = match &seen.outcome {
                    Ok(value) => value.clone(),
                    Err(error) => json!({ "error": error.to_string() }),
                };
                [Value::String(seen.call.name.clone()), seen.call.arguments.clone(), result]
            })
            .collect();
        self.progress.record(Signal::of_values(&parts));
    }
}

/// One call and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The iteration whose EXECUTE asked for it.
    pub iteration: u16,
    /// What was asked for.
    pub call: ToolCall,
    /// What came of it.
    pub outcome: Result<Value, ToolError>,
}

/// What a run has used so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spent {
    pub(crate) elapsed: Duration,
    pub(crate) usage: Usage,
    pub(crate) tokens: u64,
    pub(crate) model_calls: u32,
}

impl Spent {
    /// How long the answers took together.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The same in whole milliseconds.
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX)
    }

    /// Everything the providers read and wrote, as reported or estimated.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// New tokens: what counts against [`crate::Limits::tokens_max`].
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// How many model answers there were, failed ones included.
    pub fn model_calls(&self) -> u32 {
        self.model_calls
    }
}
