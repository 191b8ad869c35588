//! Reads sessions and their journals.

use agent_runtime::model::BoxFuture;
use jiff::Timestamp;
use purple_journal::Recorded;
use purple_process::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::EngineError;
use crate::event::Event;

/// A session at a glance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRow {
    /// The session.
    pub session: SessionId,
    /// A short summary that the last turn saved with the checkpoint.
    pub summary: Value,
    /// When it began.
    pub began: Timestamp,
    /// When it last changed.
    pub changed: Timestamp,
    /// How many journal entries it has.
    pub entries: u64,
    /// Set when the engine gave up on an event of this session: it runs no further turn until a person says how to go on.
    pub stuck: Option<Stuck>,
    /// What was said to it, in order, as far as the turn of it has not ended.
    #[serde(default)]
    pub queued: Vec<Event>,
}

/// Why a session runs no further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stuck {
    /// What the last try of the event said.
    pub reason: String,
    /// How often the event was begun.
    pub attempts: u32,
}

/// What looks at sessions one by one.
pub type ShowRow = Box<dyn FnMut(SessionRow) + Send>;

/// Reads sessions and their journals.
///
/// # Contract
///
/// - Entries come in the order of the chain, and each was verified against the one before it.
/// - `changed` ends when a session may have entries beyond `seq`; it may end early, never late.
pub trait Events: Send + Sync {
    /// At most `limit` entries after `seq`.
    fn since<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Recorded>, EngineError>>;

    /// Waits for entries after `seq`.
    fn changed<'a>(&'a self, session: &'a SessionId, seq: u64) -> BoxFuture<'a, Result<(), EngineError>>;

    /// At most `limit` sessions, the last changed first, after `cursor`.
    fn sessions<'a>(
        &'a self,
        cursor: Option<&'a SessionId>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<SessionRow>, EngineError>>;

    /// Shows every session once, the last changed first, as all of them are at one moment.
    fn each<'a>(&'a self, mut show: ShowRow) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(async move {
            self.sessions(None, usize::MAX).await?.into_iter().for_each(&mut show);
            Ok(())
        })
    }

    /// One session at a glance.
    fn session<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<SessionRow>, EngineError>>;
}
