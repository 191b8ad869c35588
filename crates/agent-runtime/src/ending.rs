//! How a run ends: with an answer, or with the cause of its stop.

use serde::{Deserialize, Serialize};

use crate::model::{FinishReason, ModelError};
use crate::planner::BadAnswer;
use crate::policy::{Checkpoint, Violation};
use crate::tools::ToolError;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// In FINALIZE, with an answer.
    Finished(Finished),
    /// In HALT, with a cause.
    Halted(Halt),
}

/// The answer of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finished {
    /// The summary, or else the model's last words; empty if it never said any.
    pub answer: String,
    /// What brought the run to FINALIZE.
    pub because: Because,
    /// Where the answer comes from.
    pub source: AnswerSource,
}

/// What brought a run to FINALIZE.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Because {
    /// DECIDE said stop.
    Decided {
        /// Why.
        reason: String,
    },
    /// The model called no tools.
    NoToolCalls,
    /// The policy saw the goal reached.
    Converged,
}

impl std::fmt::Display for Because {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Decided { reason } => write!(f, "decided to stop: {reason}"),
            Self::NoToolCalls => f.write_str("the model called no tools"),
            Self::Converged => f.write_str("the policy sees the goal reached"),
        }
    }
}

/// Where an answer comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerSource {
    /// The model's last words in EXECUTE, as the run was set up.
    LastText,
    /// A summary that FINALIZE asked for.
    Summary,
    /// The model's last words, because the summary could not be used.
    LastTextInstead(SummaryFault),
}

/// Why a summary could not be used. FINALIZE does not ask again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum SummaryFault {
    /// What would have halted the run in any other state: a limit, an unusable reply, an interruption.
    #[error("{0}")]
    Unusable(Box<Halt>),
    /// The model failed.
    #[error("{0}")]
    Model(ModelError),
    /// It is empty.
    #[error("the summary is empty")]
    Empty,
}

/// Why a run stopped without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Halt {
    /// The reply of PLAN is not a plan.
    #[error("the plan is invalid: {fault}")]
    InvalidPlan {
        /// What is wrong with it.
        fault: BadAnswer,
    },
    /// The reply of DECIDE is not a decision.
    #[error("the decision is invalid: {fault}")]
    InvalidDecision {
        /// What is wrong with it.
        fault: BadAnswer,
    },
    /// A tool failed in a way that the policy calls fatal.
    #[error("`{tool}` failed fatally: {error}")]
    FatalTool {
        /// The tool's name, as the model wrote it.
        tool: String,
        /// How it failed.
        error: ToolError,
    },
    /// The policy said no.
    #[error("the policy refuses the {at}: {violation}")]
    PolicyViolation {
        /// Where.
        at: Checkpoint,
        /// Why.
        violation: Violation,
    },
    /// Time is up.
    #[error("{elapsed_ms} ms have passed, and {ms_max} ms are allowed")]
    Timeout {
        /// How long the answers took together.
        elapsed_ms: u64,
        /// The limit.
        ms_max: u64,
    },
    /// EXECUTE was entered as often as it may be.
    #[error("all {iterations_max} iterations are used")]
    IterationLimit {
        /// The limit.
        iterations_max: u16,
    },
    /// The tokens are spent.
    #[error("{tokens} tokens are spent, and {tokens_max} are allowed")]
    TokenLimit {
        /// What was spent.
        tokens: u64,
        /// The limit.
        tokens_max: u64,
    },
    /// The conversation is full.
    #[error("the conversation has {messages} messages, and {messages_max} are allowed")]
    MessageLimit {
        /// What it has.
        messages: usize,
        /// The limit.
        messages_max: u32,
    },
    /// A reply is too large to be read.
    #[error("a reply has {bytes} bytes, and {bytes_max} are allowed")]
    ReplyTooLarge {
        /// What it has.
        bytes: usize,
        /// The limit.
        bytes_max: u32,
    },
    /// A reply is nested too deep to be stored.
    #[error("a reply is nested deeper than {depth_max} levels")]
    ReplyTooDeep {
        /// The limit.
        depth_max: usize,
    },
    /// A reply asks for too much at once.
    #[error("a reply has {calls} tool calls, and {calls_max} are allowed")]
    TooManyCalls {
        /// What it has.
        calls: usize,
        /// The limit.
        calls_max: u16,
    },
    /// A reply is not whole and cannot be acted upon.
    #[error("the reply is not whole: {finish}")]
    IncompleteReply {
        /// How it ended.
        finish: FinishReason,
    },
    /// The model failed.
    #[error("{error}")]
    Model {
        /// How.
        error: ModelError,
    },
    /// Somebody stopped it.
    #[error("cancelled by `{by}`")]
    Cancelled {
        /// Who.
        by: String,
    },
}

impl Halt {
    /// Every code that [`Self::code`] may give, and what brings it about.
    pub const CODES: [(&'static str, &'static str); 14] = [
        ("invalid_plan", "the reply of PLAN is not JSON, or not valid against the schema"),
        ("invalid_decision", "the reply of DECIDE is not `{continue, reason}`"),
        ("fatal_tool", "a tool failed, and the policy calls that error fatal"),
        ("policy_violation", "the policy refuses the plan, the decision or the continuation"),
        ("timeout", "the answers took longer than the time limit, or the driver's alarm rang"),
        ("iteration_limit", "EXECUTE would be entered once more than allowed"),
        ("token_limit", "the tokens are spent and more is needed"),
        ("message_limit", "the conversation is full and more is needed"),
        ("reply_too_large", "a reply has more bytes than allowed"),
        ("reply_too_deep", "the arguments of a call are nested too deep to be stored"),
        ("too_many_calls", "a reply has more tool calls than allowed"),
        ("incomplete_reply", "a reply was cut, withheld, or ended for an unknown reason"),
        ("model", "the model gave no reply"),
        ("cancelled", "somebody stopped the run"),
    ];

    /// A stable word for the cause.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidPlan { .. } => "invalid_plan",
            Self::InvalidDecision { .. } => "invalid_decision",
            Self::FatalTool { .. } => "fatal_tool",
            Self::PolicyViolation { .. } => "policy_violation",
            Self::Timeout { .. } => "timeout",
            Self::IterationLimit { .. } => "iteration_limit",
            Self::TokenLimit { .. } => "token_limit",
            Self::MessageLimit { .. } => "message_limit",
            Self::ReplyTooLarge { .. } => "reply_too_large",
            Self::ReplyTooDeep { .. } => "reply_too_deep",
            Self::TooManyCalls { .. } => "too_many_calls",
            Self::IncompleteReply { .. } => "incomplete_reply",
            Self::Model { .. } => "model",
            Self::Cancelled { .. } => "cancelled",
        }
    }
}
