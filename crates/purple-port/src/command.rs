//! What clients submit to the worker, and what they get back.

use std::collections::BTreeMap;

use purple_journal::BlobHash;
use purple_journal::word::EventName;
use purple_process::{Digest, PersonId, PlanHash, SessionId, StepId};
use serde::Serialize;
use serde_json::Value;

use crate::error::EngineError;
use crate::event::{Called, Channel, Event, Settlement};

/// What somebody wants of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The run, which need not exist yet for [`Action::Say`].
    pub run: SessionId,
    /// Who.
    pub by: PersonId,
    /// The channel it arrived on.
    pub channel: Channel,
    /// What its sender calls it. The same id of one sender is the same command for ever; without one, the same action
    /// at the same position of the run is.
    pub id: Option<String>,
    /// What is wanted.
    pub action: Action,
}

/// What can be wanted of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// A task, or further words in a run that exists.
    Say(Words),
    /// A decision about a plan.
    Decide(Decide),
    /// Other values in a plan. It becomes a new plan, which is judged and asked again.
    Edit {
        /// The plan and the card that the person read.
        read: Reviewed,
        /// The fields and their new values, as they were written.
        fields: BTreeMap<String, String>,
    },
    /// The undo of a verified operation. It becomes a new plan.
    Undo {
        /// The operation.
        step: StepId,
        /// The round in which it ran; without one, the latest that has such an operation.
        round: Option<u32>,
    },
    /// How an operation came out whose outcome is unknown.
    Settle {
        /// The operation.
        step: StepId,
        /// Whether it took effect.
        found: Settlement,
    },
    /// The end of a run, a round or a message's task.
    Cancel {
        /// What is cancelled.
        what: Cancelled,
        /// Why.
        reason: String,
    },
}

/// Words and what came with them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Words {
    /// The words.
    pub text: String,
    /// Rules or prose that came with the request. They can only restrict.
    pub policy: Option<Value>,
    /// Where the request says its tools are. Refused unless the operator allows the address.
    pub tools_endpoint: Option<String>,
}

/// A decision about exactly one plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decide {
    /// The plan and the card that the person read.
    pub read: Reviewed,
    /// What the person decides.
    pub choice: Choice,
    /// The decision as it was written, where it came as data in a message.
    pub body: Option<Value>,
}

/// What a person read before deciding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Reviewed {
    /// The plan.
    pub plan: PlanHash,
    /// The card that was shown for it.
    pub card: BlobHash,
}

/// What a person decides about a pending plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Yes, to all of it.
    Approve,
    /// Yes, to these steps only.
    ApproveSome(Vec<String>),
    /// No.
    Reject {
        /// Why.
        reason: String,
    },
}

/// What is cancelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cancelled {
    /// Whichever round is open.
    Run,
    /// This round. Nothing happens where another one is open by then.
    Round(u32),
    /// The task of this message, whose turn may not have come.
    Message(Called),
}

impl Command {
    /// A task, or further words in a run that exists.
    pub fn say(run: SessionId, by: PersonId, channel: Channel, text: impl Into<String>) -> Self {
        let words = Words { text: text.into(), ..Words::default() };
        Self { run, by, channel, id: None, action: Action::Say(words) }
    }

    /// A decision about the plan that the person read.
    pub fn decide(run: SessionId, by: PersonId, channel: Channel, read: Reviewed, choice: Choice) -> Self {
        let action = Action::Decide(Decide { read, choice, body: None });
        Self { run, by, channel, id: None, action }
    }

    /// The same command under the id that its sender gave it.
    #[must_use]
    pub fn named(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }
}

/// A command that was accepted and is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The run; where the command was accepted before, the run of the first one.
    pub run: SessionId,
    /// Whether it was accepted before. Then nothing happened now.
    pub repeated: bool,
    /// What the command is called: the sender's id, or one made from what it wants and the position of the run.
    pub id: String,
    /// What to wait for.
    pub awaited: Awaited,
}

/// Work on a run that can be waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// The turn is found in the journal after this position.
    pub after: u64,
    /// The round at this position.
    pub round: u32,
    /// The event whose turn it is; `None` for the first turn that ends after the position.
    pub event: Option<AwaitedEvent>,
}

/// An event as the journal names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AwaitedEvent {
    /// Its name.
    pub name: EventName,
    /// Where the turn keeps it.
    pub kept: BlobHash,
}

impl Awaited {
    /// The turn of this event.
    pub fn event((after, round): (u64, u32), event: &Event) -> Result<Self, EngineError> {
        let bytes = event.to_bytes().map_err(|error| EngineError::Storage(error.into()))?;
        let kept = BlobHash(Digest::of(&bytes));
        Ok(Self { after, round, event: Some(AwaitedEvent { name: event.name(), kept }) })
    }

    /// The end of the turn that wrote the record at this position.
    pub const fn turn_of(seq: u64, round: u32) -> Self {
        Self { after: seq, round, event: None }
    }
}
