//! The values that records hold besides texts and hashes. Their stored spelling is frozen.

use std::fmt;

use jiff::Timestamp;
pub use purple_privacy::PrivacyCode;
use purple_process::StepId;
pub use purple_process::{Ending, Mode, Outcome, Round};
use serde::{Deserialize, Serialize};

use crate::strategy::Arm;
use crate::{BlobHash, Redacted};

/// Declares a fieldless enum that is stored by its name in `snake_case`.
macro_rules! words {
    ($($(#[doc = $about:expr])+ $name:ident { $($(#[doc = $note:expr])+ $variant:ident,)+ })+) => {
        $(
            $(#[doc = $about])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
            #[serde(rename_all = "snake_case")]
            pub enum $name {
                $($(#[doc = $note])+ $variant,)+
            }

            impl $name {
                /// Every value.
                pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            }

            impl fmt::Display for $name {
                /// Writes the stored spelling.
                fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.serialize(out)
                }
            }
        )+
    };
}

words! {
    /// Through which channel something arrived.
    Channel {
        /// The command line.
        Cli,
        /// The web console.
        Console,
        /// An A2A message.
        A2a,
        /// An approval tool that the operator declared as a channel.
        Tool,
    }
    /// How callers are admitted.
    Access {
        /// Without authentication.
        Open,
    }
    /// Who summarised a conversation.
    FoldedBy {
        /// A model.
        Model,
    }
    /// How a process was chosen.
    ChosenBy {
        /// By an earlier round of the run.
        Session,
        /// By the keywords of its file.
        Keywords,
        /// By a model.
        Model,
    }
    /// The place that a signed process file takes.
    Place {
        /// That of the shipped file of the same name.
        Shipped,
    }
    /// What the words of a task do, as a model reads them.
    TaskAct {
        /// They order something now.
        Order,
        /// They ask something.
        Question,
        /// They say that something is not to be done.
        Negated,
        /// They order something only if something else holds.
        Conditional,
        /// They ask to undo something.
        Reversal,
        /// They ask for a text.
        Draft,
        /// They ask for a figure.
        Calculation,
        /// They report what somebody else wants.
        Reported,
        /// They name another time.
        OtherTime,
        /// They state something.
        Statement,
    }
    /// Whether something is to be done or left, as a model reads it.
    Polarity {
        /// It is to be done.
        Do,
        /// It is not to be done.
        DoNot,
    }
    /// What the words of a task permit where a model works on it.
    WordsPermit {
        /// Operations: the words order something.
        Orders,
        /// Operations: a form of the process file declares that the words order it.
        Declared,
        /// Operations: the words name a task and order nothing in so many words.
        Named,
        /// Operations: the requester confirmed the task.
        Confirmed,
        /// Reads only.
        ReadOnly,
        /// Nothing before the requester confirms the task.
        Confirmation,
    }
    /// The class of a language model.
    Tier {
        /// Quick and cheap.
        Fast,
        /// Careful.
        Strong,
    }
    /// The cost of a call whose reply was lost.
    UnknownCost {
        /// It is unknown.
        Unknown,
    }
    /// What follows from a write that a model called.
    Becomes {
        /// It runs now, granted by policy.
        Runs,
        /// It waits on a plan for the end of the model's turn.
        Captured,
        /// It is refused.
        Refused,
        /// The run ends, and a person takes over.
        Ends,
    }
    /// What detected that a tool must not be called.
    DetectedBy {
        /// It differs from what the operator pinned.
        Pin,
        /// It differs from what the run first listed.
        Drift,
        /// It asked for a secret.
        Question,
    }
    /// What a person decided about a plan.
    DecisionKind {
        /// All of it may run.
        Approve,
        /// Some operations may run.
        ApproveSome,
        /// None of it may run.
        Reject,
    }
    /// What a person found out about an operation in doubt.
    Settlement {
        /// It took effect.
        Done,
        /// It did not.
        NotDone,
    }
    /// What a tool replied to an operation.
    Reply {
        /// Done.
        Ok,
        /// An error. The operation may have taken effect all the same.
        Error,
        /// Too many calls.
        NotNow,
        /// It needs an answer of a person first.
        Asks,
        /// Nothing that can be relied on.
        Unknown,
    }
    /// What a definition defines.
    DefinitionKind {
        /// A process file.
        Process,
        /// A function in the language of the sandbox.
        Tool,
    }
    /// The event that a turn handles.
    EventName {
        /// A task.
        Start,
        /// A message.
        Message,
        /// A text that the privacy guard refused.
        Refused,
        /// A decision about a plan.
        Decision,
        /// An edit of a plan.
        Edit,
        /// A statement about an operation in doubt.
        Settled,
        /// A request to undo an operation.
        Undo,
        /// A timer.
        Timer,
        /// A cancellation.
        Cancel,
        /// The next turn of the same work.
        Continue,
    }
}

/// Whether an operation is sent for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Attempt {
    /// For the first time.
    #[serde(rename = "first")]
    First,
    /// Again, to a target that executes it once per key.
    #[serde(rename = "again, by key")]
    Again,
}

/// The purpose of a model call, as the agent loop names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// PLAN.
    Plan,
    /// DECIDE.
    Decide,
    /// EXECUTE.
    Execute,
    /// FINALIZE.
    Finalize,
}

/// Why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finish {
    /// It had said everything.
    Stop,
    /// It called tools.
    ToolCalls,
    /// It reached the length limit.
    Length,
    /// The provider withheld the reply, or the model refused.
    Filtered,
    /// A reason that was not known when the record was written.
    Unknown {
        /// The provider's word.
        reason: Redacted,
    },
}

/// Tokens of one reply, as the provider counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Tokens that were read, cached ones included.
    pub input_tokens: u64,
    /// Tokens that were written.
    pub output_tokens: u64,
    /// Of the input, those that came from the provider's cache.
    pub cached_tokens: Option<u64>,
}

/// Where a process file of a run comes from that was synthesized or signed here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefinitionNote {
    /// Whether a person signed it.
    pub signed: bool,
    /// The file whose place it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<Place>,
    /// Who signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Redacted>,
}

/// A figure that a second model disagrees with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoubtedFigure {
    /// The operation.
    pub step: StepId,
    /// Its argument.
    pub argument: Redacted,
    /// What independent calculations give.
    pub gives: Option<Redacted>,
}

/// The result of a tool call. What was answered is a blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallResult {
    /// The tool answered; null where the answer could not be kept.
    Answered(Option<BlobHash>),
    /// The tool refused.
    Refused {
        /// Its code.
        code: Option<Redacted>,
        /// Its message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Redacted>,
    },
    /// The tool asks something first.
    Asked(BlobHash),
    /// The call was certainly not sent.
    NotSent(Redacted),
    /// The call was sent, and no usable answer came back.
    Lost(Redacted),
}

/// A question that a tool asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its id.
    pub id: Redacted,
    /// Its text.
    pub message: Redacted,
}

/// A figure that was computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its name.
    pub name: Redacted,
    /// Its exact value, or why it has none.
    pub value: Redacted,
}

/// A rule that could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleDoubt {
    /// The rule.
    pub rule: Redacted,
    /// The reason.
    pub why: Redacted,
}

/// An operation of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedOperation {
    /// The operation.
    pub step: StepId,
    /// The tool.
    pub tool: Redacted,
    /// The operation in one line.
    pub headline: Redacted,
    /// What asks for it. Records that are older than orders have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Redacted>,
}

/// Requester and decider compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeparationOfDuties {
    /// Who requested.
    pub requester: Redacted,
    /// Whether the same person decided.
    pub same_person: bool,
}

/// A field of a plan that a person edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditedField {
    /// The field.
    pub field: Redacted,
    /// The value before.
    pub before: Redacted,
    /// The value after.
    pub after: Redacted,
}

/// Who granted a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The rules and the mode.
    Policy,
    /// These people.
    People(Vec<Redacted>),
}

/// What the outcome of an operation rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Witness {
    /// It was read back.
    ReadBack,
    /// The tool's own statement; nothing reads it back.
    Tool,
    /// A person's statement.
    Person(Redacted),
}

/// A halt of the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HaltNote {
    /// The process; null for all of them.
    pub process: Option<Redacted>,
    /// Who set it.
    pub by: Redacted,
    /// The reason.
    pub reason: Redacted,
    /// When.
    pub at: Timestamp,
}

/// A setting that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingChange {
    /// Its name.
    pub key: Redacted,
    /// Its new value as `purple config show` prints it; the digest of the value if it is long; null if it is not set.
    pub value: Option<Redacted>,
}

/// The parts of a quality score, each from 0 to 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// The answer.
    pub answer: Redacted,
    /// The use of tools.
    pub tools: Redacted,
    /// The policy.
    pub policy: Redacted,
    /// The strategy; null where there was no choice.
    pub arm: Option<Arm>,
}

/// A quality score in ten-thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Points {
    /// The score.
    pub points: u16,
}

impl DefinitionKind {
    /// Its stored spelling.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Tool => "tool",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_displayed_as_they_are_stored() {
        for event in EventName::ALL {
            assert_eq!(serde_json::to_value(event).unwrap(), event.to_string());
        }
        for outcome in Outcome::ALL {
            assert_eq!(serde_json::to_value(outcome).unwrap(), outcome.to_string());
        }
        assert_eq!(DecisionKind::ApproveSome.to_string(), "approve_some");
        assert_eq!(Ending::Escalated.to_string(), "escalated");
    }
}
