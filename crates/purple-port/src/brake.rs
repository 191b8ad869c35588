//! The operator's stop, and its end.

use agent_runtime::model::BoxFuture;
use purple_process::{PersonId, SessionId};

use crate::error::EngineError;
use crate::turn::Halt;

/// Stops the start of operations, durably.
///
/// # Contract
///
/// After `halt` returns, [`crate::turn::Turn::halted`] reports the halt to every turn.
pub trait Brake: Send + Sync {
    /// Stops one process or all of them. Stopping again what is stopped replaces who and why.
    fn halt(&self, halt: Halt) -> BoxFuture<'_, Result<(), EngineError>>;

    /// Ends a stop. `None` ends the stop of all; a stop of one process stays until it is ended by name.
    /// Returns whether there was one. `by` is the person who ends it.
    fn resume<'a>(
        &'a self,
        process: Option<&'a str>,
        by: &'a PersonId,
    ) -> BoxFuture<'a, Result<bool, EngineError>>;

    /// Every stop that holds now.
    fn halts(&self) -> BoxFuture<'_, Result<Vec<Halt>, EngineError>>;

    /// The sessions that a stop keeps waiting: their summary says `"status": "halted"`.
    fn held(&self) -> BoxFuture<'_, Result<Vec<SessionId>, EngineError>>;
}
