//! Whether and when a request is sent again. Pure, but for the dice.

use std::time::Duration;

use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use crate::fault::{Fault, Limit, passing_status};
use crate::wire::BadAnswer;

/// Randomness, so that many who wait do not come back together.
pub trait Dice: Send + Sync {
    /// Some number below `bound`, any of them as likely as another; 0 if `bound` is 0.
    fn below(&self, bound: u64) -> u64;
}

/// How often and how long to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// How many times a request is sent again after the first.
    pub retries_max: u32,
    /// The first wait, in milliseconds; each further one is twice as long.
    pub first_wait_ms: u64,
    /// The longest wait that nobody asked for, in milliseconds.
    pub wait_ms_max: u64,
}

impl Default for Retries {
    fn default() -> Self {
        Self { retries_max: 4, first_wait_ms: 500, wait_ms_max: 30_000 }
    }
}

/// What is left of the retries of one request.
#[derive(Debug)]
pub(crate) struct Backoff {
    retries: Retries,
    /// How long all waits together may be, in milliseconds.
    waits_ms_left: u64,
    tried: u32,
}

impl Backoff {
    pub(crate) fn new(retries: Retries, total: Duration) -> Self {
        Self { retries, waits_ms_left: millis(total), tried: 0 }
    }

    /// How long to wait before the next try; `None` if there is none. A wait that would end after the deadline is not
    /// begun.
    pub(crate) fn next(&mut self, fault: &Fault, dice: &dyn Dice) -> Option<Duration> {
        if self.tried >= self.retries.retries_max || !is_passing(fault) {
            return None;
        }
        let doubled =
            self.retries.first_wait_ms.saturating_mul(1_u64.checked_shl(self.tried).unwrap_or(u64::MAX));
        let own = doubled.min(self.retries.wait_ms_max);
        let half = own / 2;
        let wait = match asked_wait(fault) {
            // Never earlier than asked, and not all at once.
            Some(asked) => millis(asked).saturating_add(dice.below(half + 1).min(half)),
            None => (own - half).saturating_add(dice.below(half + 1).min(half)),
        };
        self.waits_ms_left = self.waits_ms_left.checked_sub(wait).filter(|left| *left > 0)?;
        self.tried += 1;
        Some(Duration::from_millis(wait))
    }

    /// How often the request was sent again.
    pub(crate) const fn tried(&self) -> u32 {
        self.tried
    }
}

/// Whether the same request may succeed later. What has used up its time is not tried again.
fn is_passing(fault: &Fault) -> bool {
    match fault {
        Fault::Unreachable { .. } => true,
        Fault::TimedOut { limit, .. } => match limit {
            Limit::Connect => true,
            Limit::FirstByte | Limit::Idle | Limit::Total => false,
        },
        Fault::Refused { status, .. } => *status == 429 || (500..=599).contains(status),
        Fault::Unreadable(bad) => match bad {
            BadAnswer::Cut => true,
            BadAnswer::Error { kind, .. } => passing_status(kind).is_some(),
            BadAnswer::TooLarge { .. }
            | BadAnswer::TooDeep { .. }
            | BadAnswer::NotUtf8 { .. }
            | BadAnswer::Empty
            | BadAnswer::Html
            | BadAnswer::NotJson { .. }
            | BadAnswer::Missing { .. } => false,
        },
        Fault::NotSent(_) => false,
    }
}

fn asked_wait(fault: &Fault) -> Option<Duration> {
    match fault {
        Fault::Refused { retry_after, .. } => *retry_after,
        Fault::Unreachable { .. } | Fault::TimedOut { .. } | Fault::Unreadable(_) | Fault::NotSent(_) => None,
    }
}

/// The wait that an answer asks for, in seconds, in milliseconds, or until a date by the server's own clock.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |value: &reqwest::header::HeaderValue| value.to_str().ok().map(|text| text.trim().to_owned());
    let number = |text: String| text.parse::<u64>().ok();
    if let Some(wait_ms) = headers.get("retry-after-ms").and_then(text).and_then(number) {
        return Some(Duration::from_millis(wait_ms));
    }
    let asked = headers.get(RETRY_AFTER).and_then(text)?;
    if let Ok(seconds) = asked.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let parser = DateTimeParser::new();
    let until = parser.parse_timestamp(asked.as_str()).ok()?;
    let now = parser.parse_timestamp(headers.get(DATE).and_then(text)?.as_str()).ok()?;
    Some(Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO))
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
