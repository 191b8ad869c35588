//! Which cases of the log are worth telling: poor, stale and repeated failures are passed over, never all of them; what was
//! done without an order is always passed over.
//!
//! Passed over is not deleted: the log still lists them, with the reason.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use jiff::{SignedDuration, Timestamp};

use crate::learn::primer::{keywords, overlaps_by_half};
use crate::port::{Logged, PastCase};

/// Below this a case is poor, in ten-thousandths.
const POOR_POINTS_BELOW: u16 = 3_500;
/// After so many hours a case may be stale.
const STALE_HOURS: i64 = 72;
/// A case is stale only where so many fresher ones of its kind and period exist.
const FRESHER_MIN: usize = 3;
/// So many cases are told about, if there are so many, however poor they are.
pub(crate) const FLOOR_CASES: usize = 5;

/// The member of a case's body which says that something was done that is not in the request.
pub(crate) const NOT_ORDERED: &str = "not_ordered";

/// Whether something was done in a case that is not in the request. Such a case is no example, however few others exist.
pub(crate) fn is_not_ordered(case: &PastCase) -> bool {
    case.body.get(NOT_ORDERED).is_some_and(|mark| *mark != serde_json::Value::Bool(false))
}

/// Why a case is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// Its quality is too low.
    Poor,
    /// It is old, and there are fresher ones of its kind and period.
    Stale,
    /// It failed as a later one did.
    Repeated,
    /// Something was done that is not in the request.
    NotOrdered,
}

impl Passed {
    /// In a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Poor => "poor",
            Self::Stale => "stale",
            Self::Repeated => "repeated failure",
            Self::NotOrdered => "not in the request",
        }
    }
}

/// For each case, in the order of the log (newest first), why it is passed over, if it is.
pub(crate) fn prune(log: &[Logged], now: Timestamp) -> Vec<Option<Passed>> {
    let mut earlier: HashMap<Kind<'_>, Newer> = HashMap::new();
    let mut passed: Vec<Option<Passed>> = log
        .iter()
        .map(|logged| {
            let newer = earlier.entry(Kind::of(logged)).or_default();
            let reason = newer.reason(logged, now);
            newer.count(logged, now);
            reason
        })
        .collect();
    let kept = passed.iter().filter(|reason| reason.is_none()).count();
    let may_return = |reason: Option<Passed>| match reason {
        Some(Passed::Poor | Passed::Stale | Passed::Repeated) => true,
        Some(Passed::NotOrdered) | None => false,
    };
    let mut spare: Vec<usize> = (0..log.len()).filter(|at| may_return(passed[*at])).collect();
    // The best come back first, of equals the newest.
    spare.sort_by_key(|at| std::cmp::Reverse(log[*at].points));
    for at in spare.into_iter().take(FLOOR_CASES.saturating_sub(kept)) {
        passed[at] = None;
    }
    passed
}

/// The same process, and the same period.
#[derive(PartialEq, Eq, Hash)]
struct Kind<'a> {
    process: &'a str,
    /// The month that a task names, or in which it ended.
    period: Cow<'a, str>,
}

impl<'a> Kind<'a> {
    fn of(logged: &'a Logged) -> Self {
        let dates = logged.case.entities.iter().filter(|entity| entity.kind == "date");
        let named = dates.filter_map(|entity| month(&entity.name)).next();
        let ended = || Cow::Owned(logged.case.at.strftime("%Y-%m").to_string());
        Self { process: &logged.case.process, period: named.map_or_else(ended, Cow::Borrowed) }
    }
}

/// What is newer than a case and of its kind.
#[derive(Default)]
struct Newer {
    fresh: usize,
    /// The words of those that failed.
    failures: Vec<BTreeSet<String>>,
}

impl Newer {
    fn reason(&self, own: &Logged, now: Timestamp) -> Option<Passed> {
        if is_not_ordered(&own.case) {
            return Some(Passed::NotOrdered);
        }
        if own.points.is_some_and(|points| points < POOR_POINTS_BELOW) {
            return Some(Passed::Poor);
        }
        if !is_fresh(own, now) && self.fresh >= FRESHER_MIN {
            return Some(Passed::Stale);
        }
        if !failed(own) || self.failures.is_empty() {
            return None;
        }
        let words = keywords(&own.case.text);
        self.failures.iter().any(|other| overlaps_by_half(&words, other)).then_some(Passed::Repeated)
    }

    fn count(&mut self, logged: &Logged, now: Timestamp) {
        self.fresh += usize::from(is_fresh(logged, now));
        if failed(logged) {
            self.failures.push(keywords(&logged.case.text));
        }
    }
}

fn is_fresh(logged: &Logged, now: Timestamp) -> bool {
    now.duration_since(logged.case.at) <= SignedDuration::from_hours(STALE_HOURS)
}

/// The month of a date, `2026-03`.
fn month(date: &str) -> Option<&str> {
    let month = date.get(..7)?;
    let dashed = month.char_indices().all(|(at, c)| if at == 4 { c == '-' } else { c.is_ascii_digit() });
    dashed.then_some(month)
}

fn failed(logged: &Logged) -> bool {
    let ending = logged.case.body.get("ending").and_then(serde_json::Value::as_str);
    matches!(ending, Some("failed" | "declined")) || logged.points.is_some_and(|points| points < 5_000)
}

#[cfg(test)]
#[path = "prune_tests.rs"]
mod tests;
