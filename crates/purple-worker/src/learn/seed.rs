//! What was learned as JSON files: to look at, to carry elsewhere, and to begin with. What comes in is checked first.
//!
//! A seed holds outcomes and facts, and nothing that permits: there is no field for it, and unknown fields are refused.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::learn::bandit::{Arm, POINTS_MAX, Tally};
use crate::learn::carried::CARRIED_FILES;
use crate::learn::primer::quality;
use crate::learn::prune::is_not_ordered;
use crate::port::{Check, Entity, Fact, Logged, Scored};

pub use crate::learn::prune::Passed;
pub use purple_port::{Forget, Imported, Seed};

/// What the files say they are.
pub const FORMAT: &str = "purple-learning/1";
/// The file of the cases.
pub const CASES_FILE: &str = "case_log.json";
/// The file of the scores and the arms that are made of them.
pub const BANDIT_FILE: &str = "strategy_bandit.json";
/// The file of facts and checks.
pub const KNOWLEDGE_FILE: &str = "knowledge_base.json";
/// The longest file that is taken, in bytes.
pub const FILE_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The most rows of one kind that are taken.
const ROWS_MAX: usize = 100_000;
/// The longest text of a case, in bytes.
const TEXT_BYTES_MAX: usize = 2 * 1024;
/// The longest name, in bytes.
const NAME_BYTES_MAX: usize = 200;
/// The most lines of an explanation, and the most entities of a case.
const LINES_MAX: usize = 64;
const KINDS: [&str; 6] = ["vendor", "person", "id", "amount", "date", "product"];
/// What is kept of the body of a case that comes from elsewhere.
const BODY_FIELDS: [&str; 7] = ["ending", "people", "quality", "reads", "computed", "did", "code"];

/// Why a file is not taken.
#[derive(Debug, thiserror::Error)]
pub enum BadSeed {
    /// It is too long.
    #[error("`{file}` has {bytes} bytes; at most {FILE_BYTES_MAX}")]
    TooLong {
        /// The file.
        file: String,
        /// Its length.
        bytes: usize,
    },
    /// It is no such file.
    #[error("`{file}` is no part of a seed; its files are {}", CARRIED_FILES.join(", "))]
    Unknown {
        /// The file.
        file: String,
    },
    /// It is not of this form.
    #[error("`{file}` is not of the form `{FORMAT}`: {why}")]
    Form {
        /// The file.
        file: String,
        /// What was seen.
        why: String,
    },
    /// A row that cannot be.
    #[error("row {row} of `{list}` in `{file}` is refused: {why}")]
    Row {
        /// The file.
        file: String,
        /// The list in it.
        list: &'static str,
        /// Its place, from 1.
        row: usize,
        /// What is wrong with it.
        why: &'static str,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CasesFile {
    format: String,
    cases: Vec<Logged>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BanditFile {
    format: String,
    // Derived from the scores, so that people can read them; what they say is not taken.
    #[expect(dead_code, reason = "only the scores count")]
    arms: Value,
    scores: Vec<Scored>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnowledgeFile {
    format: String,
    facts: Vec<Fact>,
    checks: Vec<Check>,
}

/// The files of a seed, by name. Cases in which something was done without an order stay here.
pub fn files(seed: &Seed) -> Vec<(&'static str, Value)> {
    let examples: Vec<&Logged> = seed.cases.iter().filter(|one| !is_not_ordered(&one.case)).collect();
    vec![
        (CASES_FILE, json!({"format": FORMAT, "cases": examples})),
        (BANDIT_FILE, json!({"format": FORMAT, "arms": arms(&seed.scores), "scores": seed.scores})),
        (KNOWLEDGE_FILE, json!({"format": FORMAT, "facts": seed.facts, "checks": seed.checks})),
    ]
}

/// Reads one file into a seed. If a row is rejected, nothing of the file is taken.
///
/// # Errors
///
/// [`BadSeed`] says which row and why.
pub fn take(seed: &mut Seed, file: &str, text: &str, now: Timestamp) -> Result<(), BadSeed> {
    let name = || file.to_owned();
    if text.len() > FILE_BYTES_MAX {
        return Err(BadSeed::TooLong { file: name(), bytes: text.len() });
    }
    let form = |error: serde_json::Error| BadSeed::Form { file: name(), why: error.to_string() };
    let same = |format: &str| match format {
        FORMAT => Ok(()),
        other => Err(BadSeed::Form { file: name(), why: format!("it says `{other}`") }),
    };
    let refused = |list: &'static str, (row, why): (usize, &'static str)| BadSeed::Row {
        file: name(),
        list,
        row: row + 1,
        why,
    };
    match file {
        CASES_FILE => {
            let mut read: CasesFile = serde_json::from_str(text).map_err(form)?;
            same(&read.format)?;
            each(&read.cases, |logged| case(logged, now)).map_err(|bad| refused("cases", bad))?;
            read.cases.retain(|one| !is_not_ordered(&one.case));
            read.cases.iter_mut().for_each(strip);
            seed.cases.extend(read.cases);
        }
        BANDIT_FILE => {
            let mut read: BanditFile = serde_json::from_str(text).map_err(form)?;
            same(&read.format)?;
            each(&read.scores, |one| score(one, now)).map_err(|bad| refused("scores", bad))?;
            read.scores.iter_mut().for_each(|score| score.cause = "imported".to_owned());
            seed.scores.extend(read.scores);
        }
        KNOWLEDGE_FILE => {
            let read: KnowledgeFile = serde_json::from_str(text).map_err(form)?;
            same(&read.format)?;
            each(&read.facts, |one| fact(one, now)).map_err(|bad| refused("facts", bad))?;
            each(&read.checks, |one| check(one, now)).map_err(|bad| refused("checks", bad))?;
            seed.facts.extend(read.facts);
            seed.checks.extend(read.checks);
        }
        _ => return Err(BadSeed::Unknown { file: name() }),
    }
    Ok(())
}

/// The arms that scores make, by process: `q` and `n`. Only the last score of a round counts.
pub fn arms(scores: &[Scored]) -> Value {
    let mut latest: BTreeMap<(&str, u32), &Scored> = BTreeMap::new();
    for score in scores {
        latest.insert((score.session.as_str(), score.round), score);
    }
    let mut sums: BTreeMap<(&str, Arm), Tally> = BTreeMap::new();
    for score in latest.into_values() {
        let Some(arm) = score.arm else { continue };
        let sum = sums.entry((&score.process, arm)).or_insert(Tally::untried(arm));
        *sum = sum.with(score.points);
    }
    let mut arms = serde_json::Map::new();
    for ((process, arm), sum) in sums {
        let of = arms.entry(process).or_insert_with(|| json!({}));
        of[arm.as_str()] = json!({"q": mean(sum), "n": sum.tries});
    }
    Value::Object(arms)
}

/// The mean of a tally as a decimal with four places.
pub fn mean(tally: Tally) -> String {
    let points = tally.points.checked_div(tally.tries).unwrap_or_default();
    quality(u16::try_from(points).unwrap_or(POINTS_MAX))
}

type Verdict = Result<(), &'static str>;

fn each<T>(rows: &[T], check: impl Fn(&T) -> Verdict) -> Result<(), (usize, &'static str)> {
    if rows.len() > ROWS_MAX {
        return Err((ROWS_MAX, "there are too many rows"));
    }
    rows.iter().enumerate().try_for_each(|(at, row)| check(row).map_err(|why| (at, why)))
}

fn fits(what: bool, why: &'static str) -> Verdict {
    if what { Ok(()) } else { Err(why) }
}

fn name(text: &str) -> Verdict {
    let fine = (1..=NAME_BYTES_MAX).contains(&text.len()) && !text.chars().any(char::is_control);
    fits(fine, "a name is empty, too long, or holds control characters")
}

fn past(at: Timestamp, now: Timestamp) -> Verdict {
    fits(at <= now, "it is from the future")
}

fn entity(entity: &Entity) -> Verdict {
    fits(KINDS.contains(&entity.kind.as_str()), "an entity is of no known kind")?;
    name(&entity.name)
}

fn case(logged: &Logged, now: Timestamp) -> Verdict {
    let case = &logged.case;
    name(&case.process)?;
    past(case.at, now)?;
    fits(case.text.len() <= TEXT_BYTES_MAX, "its text is too long")?;
    fits(case.entities.len() <= LINES_MAX, "it has too many entities")?;
    case.entities.iter().try_for_each(entity)?;
    fits(case.body.to_string().len() <= 2 * TEXT_BYTES_MAX, "its body is too long")?;
    fits(logged.points.is_none_or(|points| points <= POINTS_MAX), "its quality is above one")
}

/// Keeps of a body only what a brief shows.
fn strip(logged: &mut Logged) {
    let kept = match &logged.case.body {
        Value::Object(fields) => {
            let known = fields.iter().filter(|(name, _)| BODY_FIELDS.contains(&name.as_str()));
            known.map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            serde_json::Map::new()
        }
    };
    logged.case.body = Value::Object(kept);
}

fn score(score: &Scored, now: Timestamp) -> Verdict {
    name(&score.process)?;
    past(score.at, now)?;
    fits(score.points <= POINTS_MAX, "its quality is above one")?;
    fits(score.because.len() <= LINES_MAX, "its explanation is too long")?;
    fits(score.because.iter().all(|line| line.len() <= TEXT_BYTES_MAX), "its explanation is too long")
}

fn fact(fact: &Fact, now: Timestamp) -> Verdict {
    entity(&fact.entity)?;
    past(fact.at, now)?;
    // Whichever was read last counts, so nothing may be read tomorrow.
    past(fact.evidence.read_at, now)?;
    [&fact.domain, &fact.field, &fact.value, &fact.evidence.tool].into_iter().try_for_each(|text| name(text))
}

fn check(check: &Check, now: Timestamp) -> Verdict {
    past(check.at, now)?;
    name(&check.process)?;
    name(&check.figure)?;
    let short = check.given.len() <= NAME_BYTES_MAX && check.found.len() <= NAME_BYTES_MAX;
    fits(short, "a value is too long")
}

/// Why a case of the log is passed over when a task is told of earlier ones, by place in the log.
pub fn passed_over(log: &[Logged], now: Timestamp) -> Vec<Option<Passed>> {
    crate::learn::prune::prune(log, now)
}

#[cfg(test)]
#[path = "seed_tests.rs"]
mod tests;
