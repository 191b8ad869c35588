//! The people of this set-up.

use jiff::civil::Date;

/// Knows who holds which role, what they may approve, and for whom they stand in.
///
/// # Contract
///
/// Answers for one day, because substitutes are dated. It is asked again at every decision and before every operation.
pub trait Directory: Send + Sync {
    /// The people on this day.
    fn on(&self, day: Date) -> purple_process::Directory;
}
