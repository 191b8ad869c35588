//! Which cases of the log are worth telling: poor, stale and repeated failures are passed over, never all of them.
//!
//! Passed over is not deleted: the log still lists them, with the reason.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::learn::primer::{keywords, overlaps_by_half};
use crate::port::Logged;

/// Below this a case is poor, in ten-thousandths.
const POOR_POINTS_BELOW: u16 = 3_500;
/// After so many hours a case may be stale.
const STALE_HOURS: i64 = 72;
/// A case is stale only where so many fresher ones of its kind and period exist.
const FRESHER_MIN: usize = 3;
/// So many cases are told about, if there are so many, however poor they are.
pub(crate) const FLOOR_CASES: usize = 5;

/// Why a case is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// Its quality is too low.
    Poor,
    /// It is old, and there are fresher ones of its kind and period.
    Stale,
    /// It failed as a later one did.
    Repeated,
}

impl Passed {
    /// In a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Poor => "poor",
            Self::Stale => "stale",
            Self::Repeated => "repeated failure",
        }
    }
}

/// For each case, in the order of the log (newest first), why it is passed over, if it is.
pub(crate) fn prune(log: &[Logged], now: Timestamp) -> Vec<Option<Passed>> {
    let words: Vec<BTreeSet<String>> = log.iter().map(|logged| keywords(&logged.case.text)).collect();
    let mut passed: Vec<Option<Passed>> = (0..log.len()).map(|at| reason(log, &words, at, now)).collect();
    let kept = passed.iter().filter(|reason| reason.is_none()).count();
    let mut spare: Vec<usize> = (0..log.len()).filter(|at| passed[*at].is_some()).collect();
    // The best come back first, of equals the newest.
    spare.sort_by_key(|at| std::cmp::Reverse(log[*at].points));
    for at in spare.into_iter().take(FLOOR_CASES.saturating_sub(kept)) {
        passed[at] = None;
    }
    passed
}

fn reason(log: &[Logged], words: &[BTreeSet<String>], at: usize, now: Timestamp) -> Option<Passed> {
    let own = &log[at];
    if own.points.is_some_and(|points| points < POOR_POINTS_BELOW) {
        return Some(Passed::Poor);
    }
    let fresher = log[..at].iter().filter(|other| same_kind(own, other) && is_fresh(other, now)).count();
    if !is_fresh(own, now) && fresher >= FRESHER_MIN {
        return Some(Passed::Stale);
    }
    let again = |other: usize| {
        failed(&log[other]) && same_kind(own, &log[other]) && overlaps_by_half(&words[at], &words[other])
    };
    (failed(own) && (0..at).any(again)).then_some(Passed::Repeated)
}

fn is_fresh(logged: &Logged, now: Timestamp) -> bool {
    now.duration_since(logged.case.at) <= SignedDuration::from_hours(STALE_HOURS)
}

/// The same process, and the same period: the month that the task names, or in which it ended.
fn same_kind(one: &Logged, other: &Logged) -> bool {
    one.case.process == other.case.process && period(one) == period(other)
}

fn period(logged: &Logged) -> String {
    let dates = logged.case.entities.iter().filter(|entity| entity.kind == "date");
    let month = |text: &str| {
        let month = text.get(..7)?;
        let dashed = month.char_indices().all(|(at, c)| if at == 4 { c == '-' } else { c.is_ascii_digit() });
        dashed.then(|| month.to_owned())
    };
    let named = dates.filter_map(|entity| month(&entity.name)).next();
    named.unwrap_or_else(|| logged.case.at.to_string().chars().take(7).collect())
}

fn failed(logged: &Logged) -> bool {
    let ending = logged.case.body.get("ending").and_then(serde_json::Value::as_str);
    matches!(ending, Some("failed" | "declined")) || logged.points.is_some_and(|points| points < 5_000)
}

#[cfg(test)]
#[path = "prune_tests.rs"]
mod tests;
