//! What happened in all sessions together, for counting.

use agent_runtime::model::BoxFuture;
use purple_process::SessionId;

use crate::error::EngineError;
use purple_journal::Entry;

/// An entry of any session, and its place among all entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Its place among the entries of all sessions. It only grows.
    pub place: i64,
    /// The session.
    pub session: SessionId,
    /// What happened.
    pub entry: Entry,
}

/// What was learned so far, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// Remembered cases, by process.
    pub cases: Vec<(String, u64)>,
    /// The arms of the bandit.
    pub arms: Vec<Tried>,
    /// Tools that a model wrote.
    pub tools: u64,
    /// Processes that a model wrote.
    pub processes: u64,
}

/// A way to attempt tasks of a kind, and how it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The kind of task.
    pub context: String,
    /// The way.
    pub arm: String,
    /// How often it was tried.
    pub tries: u64,
    /// Its mean reward, as decimal text.
    pub mean: String,
}

/// Lets all sessions be counted.
///
/// # Contract
///
/// Every committed entry comes once, in the order of `place`, to somebody who asks from the place of the last one on.
pub trait Figures: Send + Sync {
    /// At most `limit` entries of all sessions after `place`.
    fn entries(&self, after: i64, limit: usize) -> BoxFuture<'_, Result<Vec<Placed>, EngineError>>;

    /// What was learned.
    fn learned(&self) -> BoxFuture<'_, Result<Learned, EngineError>>;
}
