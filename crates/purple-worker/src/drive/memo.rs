//! What is kept of a model's work on a task: its loop, its budget, what it found, what it wants.

use agent_runtime::AgentRun;
use jiff::Timestamp;
use purple_journal::Redacted;
use purple_journal::word::DoubtedFigure;
use purple_process::{Operation, StepId, ToolName, Values};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::Statement;
use crate::dossier::NoAnswer;
use crate::drive::budget::Budget;
use crate::drive::held::Found;
use crate::execute::stance::WriteBasis;
use crate::port::{BlobHash, Message, ModelError};
use crate::session::{Also, Running};
use crate::synthesis::Craft;

/// A model at work on one round. Kept as a blob between two turns.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drive {
    /// The loop of the present state; `None` before it begins.
    pub run: Option<AgentRun>,
    /// What was said in the states before.
    pub transcript: Vec<Message>,
    /// Why writes are possible, where no model has read the task yet: then the plan of DECOMPOSE holds its reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<WriteBasis>,
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
    /// Whether a write was proposed that the task asks for. Messages may follow from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub served: bool,
    /// What it proposed; `None` until it has.
    pub proposed: Option<Vec<Operation>>,
    /// Whether what it proposed became a plan: then it has said what is to be done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub planned: bool,
    /// Whether a limit cut it off while it could change something: nobody knows what it had still wanted to do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_off: bool,
    /// Writes of the present loop that wait for its end.
    pub captured: Vec<Operation>,
    /// The plan of one operation that runs for the first call without a result.
    pub at_once: Option<BlobHash>,
    /// Plans whose notifications wait for the last write.
    pub tells: Vec<Running>,
    /// Why no model is asked any more.
    pub spent: Option<String>,
    /// What kind of reason that is.
    #[serde(default)]
    pub lack: Lack,
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
    /// Models that answered in place of those that were asked, as their provider says. Each is told once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherModel>,
}

/// Another model than the one that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OtherModel {
    pub asked: String,
    pub answered: String,
}

impl OtherModel {
    /// Whoever answered, if it was neither the model that was asked nor a dated version of it. Who has somebody in
    /// front of it answers for both, and is left out.
    pub(crate) fn of(asked: &str, answered: &str) -> Option<Self> {
        let is_version = |rest: &str| {
            let rest = rest.strip_prefix(['-', ':', '@']).unwrap_or("?");
            rest == "latest" || rest.chars().all(|sign| sign.is_ascii_digit() || sign == '-')
        };
        let is_same = answered
            .strip_prefix(asked.strip_suffix(":latest").unwrap_or(asked))
            .is_some_and(|rest| rest.is_empty() || is_version(rest));
        let is_delegated = asked.contains(", else ");
        (!is_same && !is_delegated).then(|| Self { asked: asked.to_owned(), answered: answered.to_owned() })
    }

    /// The same, for people.
    pub(crate) fn told(&self) -> String {
        format!("Note: the provider answered with the model {}, not with {}.", self.answered, self.asked)
    }
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
            unread: None,
            budget,
            calls: 0,
            calls_left,
            took_ms: 0,
            loops: 0,
            repairs: 0,
            says: None,
            named: 0,
            served: false,
            proposed: None,
            planned: false,
            cut_off: false,
            captured: Vec::new(),
            at_once: None,
            tells: Vec::new(),
            spent: None,
            lack: Lack::Limit,
            answer_fields: Vec::new(),
            asked_again: false,
            craft: Craft::default(),
            audits: Audits::default(),
            improving: None,
            reflected: false,
            others: Vec::new(),
        }
    }
}

/// What is lacking where no model is asked any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Lack {
    /// Tokens, calls or time.
    #[default]
    Limit,
    /// The provider does not take the key, or not for this model.
    Key,
    /// The provider did not answer, however often it was asked.
    Answer,
}

impl Lack {
    /// Why a provider that never answers does not.
    pub(crate) const fn of(error: &ModelError) -> Self {
        match error {
            ModelError::Refused { status: 401 | 403, .. } => Self::Key,
            ModelError::Unreachable { .. } | ModelError::TimedOut { .. } | ModelError::Unreadable { .. } => {
                Self::Answer
            }
            ModelError::Refused { status: 408 | 429 | 500..=599, .. } => Self::Answer,
            ModelError::Refused { .. } | ModelError::NoModel { .. } => Self::Limit,
        }
    }

    /// The stable code of an answer that says so.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Limit => "model.limit",
            Self::Key => "model.refused_key",
            Self::Answer => "model.unreachable",
        }
    }

    /// What somebody must do about it.
    pub(crate) const fn help(self) -> &'static str {
        match self {
            Self::Limit => "",
            Self::Key => {
                " Check the key of the model's provider and whether it may use this model; `purple doctor` shows which setting gives it."
            }
            Self::Answer => " Send the task again when the provider answers.",
        }
    }
}

/// What a model found out, kept with the case: what stands behind the operations that it proposes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Driven {
    /// What it read, in order.
    pub reads: Vec<Found>,
    /// What it could not read, and did not read later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
    /// What was computed for it, exactly and from founded figures.
    pub computed: Vec<Computed>,
    /// Whether the words of the task point to the process. Where only a model does, its rules can ask but not allow.
    pub pointed: bool,
    /// The file that the words of the task point to, where a model chose another one or none: its rules count too,
    /// where they are stricter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also: Option<Also>,
    /// The files that earlier rounds of the session pointed to: their rules count too, where they are stricter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Also>,
    /// Figures that a second model does not agree with: a person is asked about them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubted: Vec<Doubted>,
}

/// A read of a model that has no answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unread {
    pub tool: ToolName,
    pub arguments: Values,
    pub at: Timestamp,
    pub no_answer: NoAnswer,
    pub why: String,
}

impl Unread {
    pub(crate) fn is_of(&self, tool: &ToolName, arguments: &Values) -> bool {
        self.tool == *tool && self.arguments == *arguments
    }
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

impl Doubted {
    /// As the journal records it.
    pub(crate) fn noted(&self) -> DoubtedFigure {
        DoubtedFigure {
            step: self.step.clone(),
            argument: Redacted::of(&self.argument),
            gives: self.gives.as_ref().map(Redacted::of),
        }
    }
}

/// One value that was computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Computed {
    pub name: String,
    pub value: Value,
    /// The function that a model wrote and nobody signed, where the value rests on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// The shipped function that computed it, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

/// What a computed value rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// Figures that were read or computed, and arithmetic that people wrote.
    Founded,
    /// The same figures, and a function that a model wrote and nobody signed.
    Claimed { by: String },
    /// A figure of which nobody knows where it comes from.
    Unknown,
}

impl Basis {
    /// Of figures of which every one has a source, or not.
    pub(crate) const fn of(founded: bool) -> Self {
        if founded { Self::Founded } else { Self::Unknown }
    }

    /// The same, where it also rests on one of these values.
    pub(crate) fn resting_on(self, claimed_by: Option<&str>) -> Self {
        match (self, claimed_by) {
            (Self::Founded, Some(by)) => Self::Claimed { by: by.to_owned() },
            (basis, _) => basis,
        }
    }
}

impl Driven {
    /// The unsigned function on which the value of this name rests; a dotted name goes into it.
    pub(crate) fn claimed_by(&self, name: &str) -> Option<&str> {
        let root = name.split('.').next().unwrap_or_default();
        self.computed.iter().find(|one| one.name == root)?.claimed_by.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dated_version_of_a_model_is_the_model_that_was_asked() {
        let same = [
            ("claude-haiku-4-5", "claude-haiku-4-5"),
            ("claude-haiku-4-5", "claude-haiku-4-5-20251001"),
            ("gpt-x", "gpt-x-2026-01-31"),
            ("llama", "llama:latest"),
            ("llama:latest", "llama"),
            ("delegate, else llama", "whoever"),
        ];
        for (asked, answered) in same {
            assert_eq!(OtherModel::of(asked, answered), None, "{asked} {answered}");
        }
        let others = [
            ("gpt-x", "gpt-x-mini"),
            ("gpt-x", "gpt-xl"),
            ("claude-haiku-4-5", "claude-haiku-4"),
            ("llama", "llama:70b"),
            ("llama", ""),
        ];
        for (asked, answered) in others {
            assert!(OtherModel::of(asked, answered).is_some(), "{asked} {answered}");
        }
    }
}
