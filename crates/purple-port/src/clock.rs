//! The time.

use agent_runtime::model::BoxFuture;
use jiff::Timestamp;

/// Tells the time. The worker never asks the operating system.
///
/// # Contract
///
/// May jump, forwards and backwards: who compares times keeps the highest one seen.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;

    /// Ends when the clock may have reached `at`; it may end early, and who waits looks at [`Clock::now`] again.
    ///
    /// A clock that runs with real time need not implement it, since who waits also waits by real time.
    /// A clock that is moved by hand ends it at every move, and no test needs to sleep.
    fn reached(&self, at: Timestamp) -> BoxFuture<'_, ()> {
        let _ = at;
        Box::pin(std::future::pending())
    }
}
