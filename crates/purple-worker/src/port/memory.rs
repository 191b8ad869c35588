//! What earlier runs left behind. It can change how a task is attempted, never what is permitted.

use agent_runtime::model::BoxFuture;
use jiff::Timestamp;
use purple_process::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::port::EngineError;

/// How a round came out, as it is remembered. One per session and round; a second one replaces nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastCase {
    /// The session.
    pub session: SessionId,
    /// The round of it, from 1.
    pub round: u32,
    /// When it ended.
    pub at: Timestamp,
    /// The process.
    pub process: String,
    /// The task, redacted, for the search.
    pub text: String,
    /// Whom and what it was about: `vendor:Acme Corp`, `id:INV-2024-447`.
    pub entities: Vec<Entity>,
    /// Everything else: ending, outcome, amounts, quality.
    pub body: Value,
}

/// Somebody or something that a task was about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entity {
    /// `vendor`, `person`, `id`, `amount`, `date`, `product`.
    pub kind: String,
    /// Its name as it was written.
    pub name: String,
}

/// Remembers.
///
/// # Contract
///
/// Reads only what committed turns learned. Newest first where nothing else is said.
pub trait Memory: Send + Sync {
    /// At most `limit` cases that are most like this text, best first.
    fn recall<'a>(&'a self, text: &'a str, limit: usize)
    -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>>;

    /// At most `limit` cases about this entity.
    fn history<'a>(
        &'a self,
        entity: &'a Entity,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>>;
}
