//! The time.

use jiff::Timestamp;

/// Tells the time. The worker never asks the operating system.
///
/// # Contract
///
/// May jump, forwards and backwards: who compares times keeps the highest one seen.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}
