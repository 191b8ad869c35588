//! All that an engine must give to a turn, and the one thing that it calls.

use std::sync::Arc;
use std::time::Duration;

use agent_runtime::model::BoxFuture;
use jiff::Timestamp;
use purple_process::{Digest, PersonId, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{EngineError, StepFailed};
use crate::event::Event;
use crate::inbox::Post;
use crate::memory::Lesson;
use crate::outbox::Notice;
use purple_journal::{BlobHash, Entry, Recorded};

/// A saved session: small, versioned, opaque to the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The version of the form of `body`. A newer worker reads older ones.
    pub schema: u32,
    /// The session itself, at most [`crate::limits::SESSION_BYTES_MAX`] bytes as text.
    pub body: Value,
    /// What a list of sessions shows of it.
    pub summary: Value,
}

/// What one turn may ask of the engine.
///
/// # Contract
///
/// - One turn at a time per session.
/// - What is recorded, kept, notified and posted is in memory until [`Turn::durable`] or the end of the turn.
///   The end of a turn commits all of it, the checkpoint and the end of the event in one transaction, or none.
/// - A turn that did not end (a crash, an error) is run again with the same event and the same
///   [`Turn::attempt`] + 1. What it had made durable is there: journal entries, finished steps, blobs.
/// - Outside effects are not the engine's: it gives durable intents, not exactly-once.
pub trait Turn: Send + Sync {
    /// The session.
    fn session(&self) -> &SessionId;

    /// How often this event was begun before; 0 at first. If an earlier attempt made anything durable, it is not 0.
    fn attempt(&self) -> u32;

    /// The time at which this turn began, the same for all its steps; never earlier than what the engine told another turn before.
    fn began(&self) -> Timestamp;

    /// The last saved checkpoint, the one that this turn saved included.
    fn load(&self) -> BoxFuture<'_, Result<Option<Checkpoint>, EngineError>>;

    /// The journal of this session after `seq`, what this turn recorded included.
    fn journal(&self, seq: u64) -> BoxFuture<'_, Result<Vec<Arc<Recorded>>, EngineError>>;

    /// Runs `work` at least once and keeps its result once: a later attempt of the same event gets the kept one.
    /// The result rides in the next commit. `name` is unique within the event.
    fn step<'a>(
        &'a self,
        name: &'a str,
        work: BoxFuture<'a, Result<Value, StepFailed>>,
    ) -> BoxFuture<'a, Result<Value, EngineError>>;

    /// Appends to the journal; rides in the next commit.
    fn record(&self, entry: Entry) -> Result<(), EngineError>;

    /// Keeps bytes; rides in the next commit.
    fn keep(&self, bytes: Vec<u8>) -> Result<BlobHash, EngineError>;

    /// Makes everything so far durable. Nothing is sent before the intent to send it went through here.
    fn durable(&self) -> BoxFuture<'_, Result<(), EngineError>>;

    /// The checkpoint that the end of the turn commits. The last one counts. Its digest is for the turn's last entry,
    /// so that the journal shows whether a stored checkpoint is the one that was saved.
    fn save(&self, checkpoint: Checkpoint) -> Result<Digest, EngineError>;

    /// An event for this session after `after`; committed with the end of the turn. A timer of the same name replaces the earlier one.
    fn later(&self, after: Duration, event: Event) -> Result<(), EngineError>;

    /// An event for another session; committed with the end of the turn. A session that does not exist begins with it.
    fn post(&self, post: Post) -> Result<(), EngineError>;

    /// Claims a business key for this session, for ever, durably and at once: of all sessions the first one gets it.
    /// Claiming again what is one's own is fine.
    fn claim<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Claim, EngineError>>;

    /// Gives a claimed key back, because there was no effect; committed with the end of the turn.
    fn release(&self, key: &str) -> Result<(), EngineError>;

    /// Whether the operator has stopped this process, or all of them. Reads what is durable now, not when the turn began.
    fn halted<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<Option<Halt>, EngineError>>;

    /// The same before a call that is no operation. A replay answers such a call from its record, so that it need not
    /// be told apart from a call that was made.
    fn halted_before_call<'a>(
        &'a self,
        process: &'a str,
    ) -> BoxFuture<'a, Result<Option<Halt>, EngineError>> {
        self.halted(process)
    }

    /// Ends when another event of this session is due while this turn runs. What nobody waits for gives way to it.
    ///
    /// An engine that cannot tell need not implement it: what gives way has a deadline of its own.
    fn others_wait(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    /// Remembers what a turn taught; committed with the end of the turn.
    fn learn(&self, lesson: Lesson) -> Result<(), EngineError>;

    /// A notice for the outbox; committed with the end of the turn.
    fn notify(&self, notice: Notice) -> Result<(), EngineError>;
}

/// Who has a business key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// This session.
    Ours,
    /// Another one got it first.
    Theirs {
        /// Which.
        session: SessionId,
    },
}

/// The operator's stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Halt {
    /// The process that is stopped; `None` is all of them.
    pub process: Option<String>,
    /// Who stopped it.
    pub by: PersonId,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

/// What the engine calls: the worker.
///
/// # Contract
///
/// An `Err` means that the turn must be tried again later; what it said about business is in the journal, never here.
pub trait Handler: Send + Sync {
    /// Runs one turn for one event.
    fn handle<'a>(&'a self, turn: &'a dyn Turn, event: Event) -> BoxFuture<'a, Result<(), TurnFailed>>;
}

/// A turn that could not end.
#[derive(Debug, thiserror::Error)]
pub enum TurnFailed {
    /// The engine failed it.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The worker and the process machine disagree. It is a fault of the worker; nothing was done.
    #[error("a step that the process machine does not know")]
    Misstep(#[from] purple_process::Misstep),
    /// A saved session or a kept blob that cannot be read.
    #[error("the {what} of the session cannot be read: {why}")]
    Unreadable {
        /// What it is.
        what: &'static str,
        /// What was seen.
        why: String,
    },
    /// A saved session that this worker cannot read.
    #[error("session schema {schema} is newer than this worker, which reads up to {known}")]
    NewerSchema {
        /// The schema that was saved.
        schema: u32,
        /// The newest that this worker knows.
        known: u32,
    },
}
