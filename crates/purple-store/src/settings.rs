//! How an engine behaves, each with the unit in its name or type.

use std::time::Duration;

/// How an engine behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many turns run at a time, each of another session.
    pub turns_max: usize,
    /// How long one turn may take. Then it is dropped at its next await and counts as failed.
    pub turn_limit: Duration,
    /// How often a turn may fail, by an error or a panic, before its session is stuck.
    pub failures_max: u32,
    /// How often the process may die in a turn before its session is stuck.
    pub crashes_max: u32,
    /// How long a failed turn waits for its second try. Each further wait is twice as long.
    pub backoff_first: Duration,
    /// The longest such wait.
    pub backoff_max: Duration,
    /// How often a notice is tried.
    pub notice_tries_max: u32,
    /// How long kept results of steps stay after they were kept.
    pub steps_kept: Duration,
    /// How long running turns may go on when the engine stops.
    pub grace: Duration,
    /// Room on the disk that is held back for turns which have begun, for the day when the disk is full.
    pub reserve_bytes: u64,
    /// The largest database, its reserve included. `None` is as much as the disk holds.
    pub database_bytes_max: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            turns_max: 64,
            turn_limit: Duration::from_secs(30 * 60),
            failures_max: 8,
            crashes_max: 20,
            backoff_first: Duration::from_millis(200),
            backoff_max: Duration::from_secs(60),
            notice_tries_max: 12,
            steps_kept: Duration::from_secs(7 * 24 * 3600),
            grace: Duration::from_secs(10),
            reserve_bytes: 4 * 1024 * 1024,
            database_bytes_max: None,
        }
    }
}

impl Settings {
    /// How long to wait before try number `tries` + 1. `salt` spreads those that failed together.
    pub(crate) fn backoff(&self, tries: u32, salt: i64) -> Duration {
        let doubled =
            self.backoff_first.saturating_mul(1_u32.checked_shl(tries.saturating_sub(1)).unwrap_or(u32::MAX));
        let wait = doubled.min(self.backoff_max);
        // Up to a quarter more, from a number that differs between events; no randomness is needed for that.
        let spread = u32::try_from(salt.unsigned_abs().wrapping_mul(0x9E37_79B9) % 256).unwrap_or(0);
        wait.saturating_add(wait.saturating_mul(spread) / 1024)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_their_limit_and_are_spread() {
        let settings = Settings::default();
        let plain: Vec<_> = (1..=12).map(|tries| settings.backoff(tries, 0).as_millis()).collect();
        assert_eq!(plain, [200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200, 60000, 60000, 60000]);
        assert_eq!(settings.backoff(u32::MAX, 0), settings.backoff_max);
        let spread: std::collections::BTreeSet<_> = (0..50).map(|salt| settings.backoff(1, salt)).collect();
        assert!(spread.len() > 25, "{spread:?}");
        assert!(spread.iter().all(|wait| (200..=250).contains(&wait.as_millis())));
    }
}
