//! Waiting inside a turn.

use std::time::Duration;

use agent_runtime::model::BoxFuture;

/// Waits for a short while between two tries of a read. Whatever is longer ends the turn and sets a timer.
pub trait Pause: Send + Sync {
    /// Ends after this long.
    fn pause(&self, duration: Duration) -> BoxFuture<'_, ()>;
}
