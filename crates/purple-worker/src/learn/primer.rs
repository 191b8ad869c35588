//! The past cases that a task is told about: the three that are most like it, one line each.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use serde_json::Value;

use crate::learn::prune::prune;
use crate::learn::sharing::Audience;
use crate::port::{Logged, PastCase, Ranked, SessionId};

/// The most past cases in a brief.
pub(crate) const PRIMER_CASES_MAX: usize = 3;
/// The longest line about one of them, in characters.
const LINE_CHARS_MAX: usize = 600;
/// The longest part of it that repeats the task.
const TASK_CHARS_MAX: usize = 160;
/// The most words of a text that are compared.
const KEYWORDS_MAX: usize = 64;
/// Shorter words say little.
const KEYWORD_CHARS_MIN: usize = 4;

/// The words of a text by which it is compared.
pub(crate) fn keywords(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| {
        word.chars().count() >= KEYWORD_CHARS_MIN && !word.chars().all(|c| c.is_ascii_digit())
    });
    words.map(str::to_lowercase).take(KEYWORDS_MAX).collect()
}

/// Whether two texts share at least half of the words of the shorter one.
pub(crate) fn overlaps_by_half(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let shared = one.intersection(other).count();
    let fewer = one.len().min(other.len());
    fewer > 0 && shared * 2 >= fewer
}

/// The lines about the cases that are most like a task, best first.
pub(crate) fn primer(
    text: &str,
    log: &[Logged],
    found: Vec<Ranked>,
    now: Timestamp,
    audience: &Audience<'_>,
) -> Vec<String> {
    let passed = prune(log, now);
    let kept = log.iter().zip(&passed).filter(|(_, reason)| reason.is_none()).map(|(logged, _)| logged);
    let kept: HashMap<(&SessionId, u32), &Logged> =
        kept.map(|logged| ((&logged.case.session, logged.case.round), logged)).collect();
    let own = keywords(text);
    let mut among: Vec<(i64, usize, &Logged)> = found
        .iter()
        .filter_map(|ranked| {
            let logged = kept.get(&(&ranked.session, ranked.round))?;
            let shared = keywords(&logged.case.text).intersection(&own).count();
            Some((ranked.fit, shared, *logged))
        })
        .collect();
    // The sort is stable: what is equal in both stays newest first.
    among.sort_by_key(|(fit, shared, _)| std::cmp::Reverse((*fit, *shared)));
    let told = |(_, _, logged): (i64, usize, &Logged)| {
        let case = audience.told(&logged.case)?;
        Some(line(&case, logged.points))
    };
    among.into_iter().filter_map(told).take(PRIMER_CASES_MAX).collect()
}

/// One case in a line: what it was, how it came out, and what was of use.
fn line(case: &PastCase, points: Option<u16>) -> String {
    let task: String = case.text.chars().take(TASK_CHARS_MAX).collect();
    let task = if task.is_empty() { task } else { format!(": {task}") };
    let word = |name: &str| case.body.get(name).and_then(Value::as_str);
    let mut line = format!("Past pattern: {}{task} → {}", case.process, word("ending").unwrap_or("ended"));
    if let Some(people) = word("people") {
        line.push_str(&format!("; people: {people}"));
    }
    if let Some(points) = points {
        line.push_str(&format!("; quality {}", quality(points)));
    }
    let items = |name: &str| -> Vec<&str> {
        let items = case.body.get(name).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let (reads, did) = (items("reads"), items("did"));
    if !reads.is_empty() {
        line.push_str(&format!("; read {}", reads.join(", ")));
    }
    // An expression has commas of its own.
    for expression in items("computed") {
        line.push_str(&format!("; worked out {expression}"));
    }
    if !did.is_empty() {
        line.push_str(&format!("; did {}", did.join(", ")));
    }
    line.chars().take(LINE_CHARS_MAX).collect()
}

/// Ten-thousandths as a decimal without trailing noughts.
pub(crate) fn quality(points: u16) -> String {
    let text = format!("{}.{:04}", points / 10_000, points % 10_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
#[path = "primer_tests.rs"]
mod tests;
