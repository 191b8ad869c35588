//! Who wants to be told when a session moves.

use agent_runtime::model::BoxFuture;
use purple_process::{PersonId, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::EngineError;

/// The kind of the notices that watchers get. Their body is a [`Moved`].
pub const MOVED_KIND: &str = "moved";

/// Somebody who is told whenever a turn of a session ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watcher {
    /// The session, which need not have had a turn yet.
    pub session: SessionId,
    /// What makes it this watcher of the session and no other.
    pub id: String,
    /// Whose it is.
    pub owner: PersonId,
    /// Where and how they are told; opaque to the engine.
    pub body: Value,
}

/// What a notice to a watcher says: which part of the journal is new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// The watcher, by its id.
    pub watcher: String,
    /// The length of the journal before.
    pub from: u64,
    /// The length of the journal now.
    pub to: u64,
}

/// Keeps watchers.
///
/// # Contract
///
/// - A notice of the kind [`MOVED_KIND`] is put into the outbox for each watcher with the end of each turn of its
///   session, in the same commit, and one when the watcher is kept: who comes late misses nothing.
/// - Keeping one again replaces its body.
pub trait Watchers: Send + Sync {
    /// Keeps a watcher, durably.
    fn watch(&self, watcher: Watcher) -> BoxFuture<'_, Result<(), EngineError>>;

    /// The watchers of a session, by id.
    fn watchers<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Vec<Watcher>, EngineError>>;

    /// Forgets one. `false`: there was none.
    fn unwatch<'a>(&'a self, session: &'a SessionId, id: &'a str)
    -> BoxFuture<'a, Result<bool, EngineError>>;
}
