//! What goes out to people and programs after a turn: notices to approvers, push notifications.

use agent_runtime::model::BoxFuture;
use purple_journal::RedactedJson;
use purple_process::SessionId;
use serde::{Deserialize, Serialize};

/// Something to be told outside. It is stored with the turn that made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notice {
    /// What makes it this notice and no other, so that a receiver can drop a repetition.
    pub id: String,
    /// The session it tells of.
    pub session: SessionId,
    /// Which deliverer it is for: `webhook`, `mail`.
    pub kind: String,
    /// What to tell, redacted: it leaves the house.
    pub body: RedactedJson,
}

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It arrived.
    Delivered,
    /// It did not; try again later.
    Later,
    /// It never will.
    Hopeless,
}

/// Delivers notices.
///
/// # Contract
///
/// Called at least once for each stored notice, until it says `Delivered` or `Hopeless`, or its tries are used up.
pub trait Outbox: Send + Sync {
    /// Tries to deliver one notice.
    fn deliver<'a>(&'a self, notice: &'a Notice) -> BoxFuture<'a, Delivery>;
}
