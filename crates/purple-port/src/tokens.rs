//! What callers from outside show at the door, and what it lets them do.

use std::collections::BTreeSet;

use agent_runtime::model::BoxFuture;
use jiff::Timestamp;
use purple_process::{Digest, PersonId, Role};
use serde::{Deserialize, Serialize};

use crate::error::EngineError;

/// What a caller may do at the door. What they may *approve* is said by their business roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoorRole {
    /// Sends tasks, and follows their own.
    Requester,
    /// Sees what waits for a decision, and decides.
    Approver,
    /// Sees every task, and may call it off.
    Operator,
    /// Sees every task, and changes nothing.
    Auditor,
}

impl DoorRole {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Requester, Self::Approver, Self::Operator, Self::Auditor];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Requester => "requester",
            Self::Approver => "approver",
            Self::Operator => "operator",
            Self::Auditor => "auditor",
        }
    }
}

/// A token as it is kept: everything but the secret, of which there is a hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Its public name, which is part of what is shown.
    pub id: String,
    /// SHA-256 of the secret, which is random and long.
    pub hash: Digest,
    /// Who shows it.
    pub person: PersonId,
    /// What they may do at the door.
    pub roles: BTreeSet<DoorRole>,
    /// The business roles that they decide in, if they are an approver.
    pub groups: BTreeSet<Role>,
    /// When it was made.
    pub made: Timestamp,
    /// When it stops to count; `None` is never.
    pub until: Option<Timestamp>,
    /// When it was taken back.
    pub revoked: Option<Timestamp>,
}

impl Token {
    /// Whether it opens anything at this time.
    pub fn counts(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.until.is_none_or(|until| now < until)
    }
}

/// Keeps tokens.
///
/// # Contract
///
/// - What is kept or revoked is durable when it is acknowledged, and holds for the next look.
/// - Nothing is forgotten: a revoked token stays, with the time.
/// - A token whose bytes changed is an error, never none.
pub trait Tokens: Send + Sync {
    /// The token with this id. Read at once, because it is asked for with every request.
    fn token(&self, id: &str) -> Result<Option<Token>, EngineError>;

    /// All of them, by id.
    fn tokens(&self) -> Result<Vec<Token>, EngineError>;

    /// Stores a new token that `by` created. Returns `false` if the id is taken; nothing changes then.
    fn keep_token<'a>(&'a self, token: Token, by: &'a PersonId) -> BoxFuture<'a, Result<bool, EngineError>>;

    /// Revokes a token on behalf of `by`. Returns `false` if there is no valid token with this id.
    fn revoke_token<'a>(
        &'a self,
        id: &'a str,
        by: &'a PersonId,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<bool, EngineError>>;
}
