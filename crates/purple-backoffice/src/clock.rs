//! What day it is in the company, and what time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jiff::civil::{Date, DateTime};

/// The company's clock: a fixed business day that starts at nine.
///
/// The day never changes while the company is open, so that "last month" means the same all along.
#[derive(Debug)]
pub struct Clock {
    today: Date,
    hands: Hands,
}

#[derive(Debug)]
enum Hands {
    /// Stands still until somebody moves it.
    Still(AtomicU64),
    Running(Instant),
}

impl Clock {
    /// A clock that stands at nine until [`Clock::advance`] moves it.
    #[must_use]
    pub fn still(today: Date) -> Self {
        Self { today, hands: Hands::Still(AtomicU64::new(0)) }
    }

    /// A clock that starts at nine and runs.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the demo company's own clock, not the worker's")]
    pub fn running(today: Date) -> Self {
        Self { today, hands: Hands::Running(Instant::now()) }
    }

    /// A running clock that shows today's date of the machine, in UTC.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the demo company's own clock, not the worker's")]
    pub fn system() -> Self {
        Self::running(jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date())
    }

    /// Moves a still clock forward. A running one moves by itself.
    pub fn advance(&self, by: Duration) {
        if let Hands::Still(elapsed) = &self.hands {
            elapsed.fetch_add(u64::try_from(by.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }

    pub(crate) fn today(&self) -> Date {
        self.today
    }

    /// Milliseconds since the company opened.
    pub(crate) fn elapsed_ms(&self) -> u64 {
        match &self.hands {
            Hands::Still(elapsed) => elapsed.load(Ordering::Relaxed),
            Hands::Running(start) => u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// The time as it is stored.
    pub(crate) fn now(&self) -> String {
        let opening: DateTime = self.today.at(9, 0, 0, 0);
        let elapsed = jiff::SignedDuration::from_millis(i64::try_from(self.elapsed_ms()).unwrap_or(i64::MAX));
        opening.checked_add(elapsed).unwrap_or(opening).to_string()
    }
}
