//! What can happen to a session. One event runs one turn.

use std::collections::BTreeMap;

use purple_journal::word::EventName;
use purple_process::{Digest, PersonId, PlanHash, StepId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use purple_journal::word::{Channel, PrivacyCode, Settlement};

/// A thing that happened to a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// A task came in.
    Start(Start),
    /// Somebody said something in a session that exists.
    Message(Message),
    /// Words that the privacy guard refused at the door, so that they were never stored.
    Refused(Refused),
    /// Somebody decided about a plan.
    Decision(Verdict),
    /// Somebody wants other values in the plan that waits.
    Edit(Edit),
    /// A person settled an operation whose outcome was unknown.
    Settled {
        /// The operation.
        step: StepId,
        /// Whether it took effect.
        done: Settlement,
        /// Who says so.
        by: PersonId,
        /// The account of the operating system that it was given from, on the command line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account: Option<String>,
    },
    /// Somebody wants verified operations undone. They become a new plan.
    Undo {
        /// The operation; without one, all of the round that can be undone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<StepId>,
        /// The round in which it ran; without one, the latest that has such an operation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        round: Option<u32>,
        /// Who asks.
        by: PersonId,
        /// The channel it arrived on.
        channel: Channel,
        /// The account of the operating system that it was given from, on the command line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account: Option<String>,
        /// The words that ask for it; without them, a command that names the operation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
    /// A durable timer rang.
    Timer {
        /// The name it was set under.
        name: String,
    },
    /// The requester or the operator calls it off.
    Cancel {
        /// Who.
        by: PersonId,
        /// Why.
        reason: String,
        /// The round that is meant; without one, whichever is open.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        round: Option<u32>,
        /// The message whose task is meant, where its round was not known yet.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Called>,
    },
    /// The last turn asked for another.
    Continue,
}

/// A message by its sender and what they call it, as the journal shows both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Called {
    /// Who sent it.
    pub by: String,
    /// What they call it.
    pub id: String,
}

impl Event {
    /// Its name in the journal.
    pub const fn name(&self) -> EventName {
        match self {
            Self::Start(_) => EventName::Start,
            Self::Message(_) => EventName::Message,
            Self::Refused(_) => EventName::Refused,
            Self::Decision(_) => EventName::Decision,
            Self::Edit(_) => EventName::Edit,
            Self::Settled { .. } => EventName::Settled,
            Self::Undo { .. } => EventName::Undo,
            Self::Timer { .. } => EventName::Timer,
            Self::Cancel { .. } => EventName::Cancel,
            Self::Continue => EventName::Continue,
        }
    }

    /// The account of the operating system that it was given from, where it came by the command line.
    pub fn account(&self) -> Option<&str> {
        match self {
            Self::Start(Start { account, .. })
            | Self::Message(Message { account, .. })
            | Self::Decision(Verdict { account, .. })
            | Self::Edit(Edit { account, .. })
            | Self::Settled { account, .. }
            | Self::Undo { account, .. } => account.as_deref(),
            Self::Refused(_) | Self::Timer { .. } | Self::Cancel { .. } | Self::Continue => None,
        }
    }

    /// Its bytes as its turn keeps them.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// Who says something by it, and what they call it; `None` where nobody says anything.
    pub fn said(&self) -> Option<(&PersonId, Option<&str>)> {
        match self {
            Self::Start(start) => Some((&start.by, start.message_id.as_deref())),
            Self::Message(message) => Some((&message.by, None)),
            Self::Refused(refused) => Some((&refused.by, refused.message_id.as_deref())),
            Self::Decision(verdict) => {
                Some((&verdict.by, verdict.message.as_ref().map(|sent| sent.id.as_str())))
            }
            Self::Edit(_)
            | Self::Settled { .. }
            | Self::Undo { .. }
            | Self::Timer { .. }
            | Self::Cancel { .. }
            | Self::Continue => None,
        }
    }
}

/// A task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The task in plain words.
    pub text: String,
    /// Who asks.
    pub by: PersonId,
    /// Through which door.
    pub channel: Channel,
    /// The account of the operating system that it was given from, on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Rules or prose that came with the request. They can only restrict.
    pub policy: Option<Value>,
    /// Where the request says its tools are. Used only if the operator allows it.
    pub tools_endpoint: Option<String>,
    /// What the caller calls this message, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
}

/// A further message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// The words.
    pub text: String,
    /// Who says them.
    pub by: PersonId,
    /// Through which door.
    pub channel: Channel,
    /// The account of the operating system that it was given from, on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

/// Words that the privacy guard refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// What they were refused for.
    pub code: PrivacyCode,
    /// The words, redacted.
    pub text: String,
    /// Who said them.
    pub by: PersonId,
    /// Through which door.
    pub channel: Channel,
    /// What the caller calls this message, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
}

/// A decision about exactly one plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The plan that was shown.
    pub plan: PlanHash,
    /// The steps that are approved; none is a rejection.
    pub steps: Vec<StepId>,
    /// Why, where it is a rejection.
    pub reason: Option<String>,
    /// Who.
    pub by: PersonId,
    /// Through which door.
    pub channel: Channel,
    /// The account of the operating system that it was given from, on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The digest of the card as it was shown.
    pub shown: Digest,
    /// The message that it came in, where it came in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Sent>,
}

/// A message that decides by data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// What its sender calls it.
    pub id: String,
    /// What it says.
    pub body: Value,
}

/// New values for declared fields of exactly one plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The plan that was shown.
    pub plan: PlanHash,
    /// The fields and their new values, as they were written.
    pub fields: BTreeMap<String, String>,
    /// Who.
    pub by: PersonId,
    /// Through which door.
    pub channel: Channel,
    /// The account of the operating system that it was given from, on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The digest of the card as it was shown.
    pub shown: Digest,
}
