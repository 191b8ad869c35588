//! How often somebody may come: a bucket of requests per caller that fills again with time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::limits::{BUCKETS_MAX, RATE_WINDOW};

/// The buckets of all callers of a kind.
#[derive(Debug)]
pub(crate) struct Rate<K> {
    per_minute: u32,
    buckets: Mutex<HashMap<K, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// Thousandths of a request that are left.
    left: u64,
    at: Instant,
}

const WHOLE: u64 = 1_000;

impl<K: Eq + Hash + Clone> Rate<K> {
    /// At most so many requests a minute from each; 0 is no bound.
    pub(crate) fn new(per_minute: u32) -> Self {
        Self { per_minute, buckets: Mutex::default() }
    }

    /// Takes one request out of the bucket, or says how long to wait.
    pub(crate) fn take(&self, key: &K, now: Instant) -> Result<(), Duration> {
        if self.per_minute == 0 {
            return Ok(());
        }
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(key) {
            // Whoever was not here for a while has a full bucket, which is the same as none.
            buckets.retain(|_, bucket| now.saturating_duration_since(bucket.at) < RATE_WINDOW);
            if buckets.len() >= BUCKETS_MAX {
                return Err(RATE_WINDOW);
            }
        }
        let full = u64::from(self.per_minute) * WHOLE;
        let bucket = buckets.entry(key.clone()).or_insert(Bucket { left: full, at: now });
        let passed = now.saturating_duration_since(bucket.at);
        let window_ms = u64::try_from(RATE_WINDOW.as_millis()).unwrap_or(u64::MAX);
        let passed_ms = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX).min(window_ms);
        let filled = passed_ms * full / window_ms;
        if filled > 0 {
            *bucket = Bucket { left: bucket.left.saturating_add(filled).min(full), at: now };
        }
        if bucket.left >= WHOLE {
            bucket.left -= WHOLE;
            return Ok(());
        }
        let missing = WHOLE - bucket.left;
        Err(Duration::from_millis(missing * window_ms / full + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_fills_with_time_and_is_nobody_elses() {
        let rate = Rate::new(60);
        let start = Instant::now();
        for _ in 0..60 {
            assert_eq!(rate.take(&"ada", start), Ok(()));
        }
        let wait = rate.take(&"ada", start).unwrap_err();
        assert!(wait <= Duration::from_millis(1_001), "{wait:?}");
        assert_eq!(rate.take(&"bob", start), Ok(()));
        assert_eq!(rate.take(&"ada", start + wait), Ok(()));
        assert!(rate.take(&"ada", start + wait).is_err());
        let later = start + Duration::from_secs(3_600);
        let taken = (0..200).filter(|_| rate.take(&"ada", later).is_ok()).count();
        assert_eq!(taken, 60);
        let unbounded = Rate::new(0);
        assert!((0..1_000).all(|_| unbounded.take(&"ada", start).is_ok()));
    }

    #[test]
    fn strangers_cannot_make_it_grow_without_bound() {
        let rate = Rate::new(60);
        let start = Instant::now();
        for caller in 0..BUCKETS_MAX {
            assert_eq!(rate.take(&caller, start), Ok(()));
        }
        assert!(rate.take(&BUCKETS_MAX, start).is_err());
        assert_eq!(rate.take(&BUCKETS_MAX, start + RATE_WINDOW), Ok(()));
        assert_eq!(rate.buckets.lock().unwrap().len(), 1);
    }
}
