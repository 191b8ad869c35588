//! What is kept of a model's work on a task: its loop, its budget, what it found, what it wants.

use std::collections::BTreeMap;

use agent_runtime::AgentRun;
use jiff::Timestamp;
use purple_process::{Operation, StepId, ToolName, Values};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::Statement;
use crate::drive::budget::Budget;
use crate::port::{BlobHash, Message};
use crate::session::{Chosen, Running};
use crate::synthesis::Craft;

/// A model at work on one round. Kept as a blob between two turns.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drive {
    /// The loop of the present state; `None` before it begins.
    pub run: Option<AgentRun>,
    /// What was said in the states before.
    pub transcript: Vec<Message>,
    /// What may still be spent.
    pub budget: Budget,
    /// How often a model was asked in this round.
    pub calls: u32,
    /// How often it may still be asked.
    pub calls_left: u16,
    /// How long its answers took together, in milliseconds.
    pub took_ms: u64,
    /// How many loops MUTATE has had.
    pub loops: u8,
    /// How many unusable replies were mended.
    pub repairs: u8,
    /// What the model is told instead, where a state begins again.
    pub says: Option<String>,
    /// How many operations were named.
    pub named: u32,
    /// What it proposed; `None` until it has.
    pub proposed: Option<Vec<Operation>>,
    /// Writes of the present loop that wait for its end.
    pub captured: Vec<Operation>,
    /// The plan of one operation that runs for the first call without a result.
    pub at_once: Option<BlobHash>,
    /// Plans whose notifications wait for the last write.
    pub tells: Vec<Running>,
    /// Why no model is asked any more.
    pub spent: Option<String>,
    /// The fields that the task asks for in the answer.
    pub answer_fields: Vec<String>,
    /// Whether it was asked for missing fields already.
    pub asked_again: bool,
    /// What was made for the task.
    #[serde(default)]
    pub craft: Craft,
    /// What the audit found of what it said and proposed.
    #[serde(default)]
    pub audits: Audits,
    /// The answer that is being improved.
    #[serde(default)]
    pub improving: Option<String>,
    /// Whether an answer was improved already.
    #[serde(default)]
    pub reflected: bool,
}

/// What the audit of a round has found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Audits {
    /// How much of the conversation the model was told about already, in messages.
    pub heard: usize,
    /// Statements that did not hold. What they claim stays refuted, however it is proposed again.
    pub refuted: Vec<Statement>,
    /// How often an audit failed.
    pub failed: u8,
    /// What the last audit found wrong; empty once a later one passes.
    pub open: Vec<String>,
}

impl Drive {
    pub(crate) fn new(budget: Budget, calls_left: u16) -> Self {
        Self {
            run: None,
            transcript: Vec::new(),
            budget,
            calls: 0,
            calls_left,
            took_ms: 0,
            loops: 0,
            repairs: 0,
            says: None,
            named: 0,
            proposed: None,
            captured: Vec::new(),
            at_once: None,
            tells: Vec::new(),
            spent: None,
            answer_fields: Vec::new(),
            asked_again: false,
            craft: Craft::default(),
            audits: Audits::default(),
            improving: None,
            reflected: false,
        }
    }
}

/// What a model found out, kept with the case: what stands behind the operations that it proposes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Driven {
    /// What it read, in order.
    pub reads: Vec<Found>,
    /// What was computed for it, exactly and from founded figures.
    pub computed: Vec<Computed>,
    /// Whether the words of the task point to the process. Where only a model does, its rules can ask but not allow.
    pub pointed: bool,
    /// The file that the words of the task point to, where a model chose another one or none: its rules count too,
    /// where they are stricter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also: Option<Also>,
    /// Figures that a second model does not agree with: a person is asked about them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubted: Vec<Doubted>,
}

/// A file that the words of a task point to, beside the one by which it is worked on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Also {
    pub chosen: Chosen,
    /// What the words say to its inputs, as inputs are stored.
    pub inputs: BTreeMap<String, Value>,
}

/// A figure that a second model does not agree with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Doubted {
    /// The operation.
    pub step: StepId,
    /// Its argument.
    pub argument: String,
    /// What independent calculations give, as a plain number.
    pub gives: Option<String>,
}

/// One read that a model asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Found {
    pub tool: ToolName,
    pub arguments: Values,
    pub at: Timestamp,
    pub answer: Value,
}

/// One value that was computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Computed {
    pub name: String,
    pub value: Value,
}
