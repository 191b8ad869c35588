//! Where events come in.

use agent_runtime::model::BoxFuture;
use jiff::Timestamp;
use purple_process::SessionId;
use serde::{Deserialize, Serialize};

use crate::error::EngineError;
use crate::event::Event;

/// What makes two posts the same one: an A2A message id with its owner, a gate id with its decision, a timer's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DedupKey(pub String);

/// An event on its way to a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Post {
    /// The session, which need not exist yet.
    pub session: SessionId,
    /// What makes it this post and no other.
    pub dedup: DedupKey,
    /// Not before this time; `None` is at once.
    pub due: Option<Timestamp>,
    /// What happened.
    pub event: Event,
}

/// What became of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Posted {
    /// Taken, and durable.
    Accepted,
    /// The same post was taken before, for this session; nothing happened now.
    Repeated {
        /// The session of the first one.
        session: SessionId,
    },
    /// Another event was posted under this key before; nothing happened now.
    Conflicting {
        /// The session of the first one.
        session: SessionId,
    },
}

/// Takes events in.
///
/// # Contract
///
/// - `Accepted` is said only when the event is durable.
/// - A dedup key is kept for ever. The same key with the same event is `Repeated`, with another one `Conflicting`.
/// - Events of one session that are due run in the order in which they were accepted.
pub trait Inbox: Send + Sync {
    /// Posts one event.
    fn post(&self, post: Post) -> BoxFuture<'_, Result<Posted, EngineError>>;
}
