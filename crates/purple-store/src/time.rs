//! Time as the database keeps it, and a clock that does not run backwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use purple_port::Clock;

/// Who waits for a clock looks again at least this often: it may have been set.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Microseconds since 1970.
pub(crate) type Micros = i64;

/// The highest time that the clock showed since the store was opened.
///
/// A clock that is set back rings no timer twice and makes no turn earlier than the one before it.
/// One that was wrongly in the future is forgotten with the process.
pub(crate) struct Time {
    clock: Arc<dyn Clock>,
    highest: AtomicI64,
}

impl Time {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, highest: AtomicI64::new(i64::MIN) }
    }

    pub(crate) fn now(&self) -> Micros {
        let seen = self.clock.now().as_microsecond();
        self.highest.fetch_max(seen, Ordering::Relaxed).max(seen)
    }

    /// Ends at `at`, or earlier. For ever, if there is nothing to wait for.
    pub(crate) async fn reached(&self, at: Option<Micros>) {
        let Some(at) = at else { return std::future::pending().await };
        let left = Duration::from_micros(at.saturating_sub(self.now()).max(0).unsigned_abs());
        tokio::select! {
            () = self.clock.reached(timestamp(at)) => {}
            () = tokio::time::sleep(left.min(LOOK_AGAIN)) => {}
        }
    }
}

/// `after` later than `now`.
pub(crate) fn later(now: Micros, after: Duration) -> Micros {
    now.saturating_add(i64::try_from(after.as_micros()).unwrap_or(i64::MAX))
}

/// A stored time; one that no clock can show becomes the nearest one that it can.
pub(crate) fn timestamp(micros: Micros) -> Timestamp {
    let nearest = if micros < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_microsecond(micros).unwrap_or(nearest)
}

/// A time to be stored. A part of a microsecond counts in full: nothing rings early.
pub(crate) fn micros(at: Timestamp) -> Micros {
    let rest = at.as_nanosecond().rem_euclid(1000);
    let floor = at.as_nanosecond().div_euclid(1000);
    i64::try_from(if rest > 0 { floor.saturating_add(1) } else { floor }).unwrap_or(i64::MAX)
}
