//! What was learned as JSON files: to look at, to carry elsewhere, and to begin with. What comes in is checked first.
//!
//! A seed holds outcomes and facts, and nothing that permits: there is no field for it, and unknown fields are refused.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use purple_process::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::learn::bandit::{Arm, POINTS_MAX, Tally};
use crate::learn::carried::CARRIED_FILES;
use crate::learn::primer::quality;
use crate::port::{Check, Entity, Fact, Logged, Scored};

pub use crate::learn::prune::Passed;

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

/// What was learned, or a part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seed {
    /// Cases, the newest first.
    pub cases: Vec<Logged>,
    /// Scores, the oldest first.
    pub scores: Vec<Scored>,
    /// Facts, those that were superseded included.
    pub facts: Vec<Fact>,
    /// Checks of computed values.
    pub checks: Vec<Check>,
}

/// What became of a seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taken {
    /// Rows that are new.
    pub rows: u64,
    /// Rows that were here already.
    pub known: u64,
}

/// What is to be forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Forget {
    /// What one run left.
    Run(SessionId),
    /// All about somebody or something.
    Entity(Entity),
    /// What the runs of one process left.
    Process(String),
    /// All of it.
    Everything,
}

impl fmt::Display for Forget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(run) => write!(f, "run {run}"),
            // The record of forgetting somebody does not name them.
            Self::Entity(entity) => write!(f, "one {}", entity.kind),
            Self::Process(process) => write!(f, "process {process}"),
            Self::Everything => f.write_str("everything"),
        }
    }
}

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

impl Seed {
    /// The files of it, by name.
    pub fn files(&self) -> Vec<(&'static str, Value)> {
        vec![
            (CASES_FILE, json!({"format": FORMAT, "cases": self.cases})),
            (BANDIT_FILE, json!({"format": FORMAT, "arms": arms(&self.scores), "scores": self.scores})),
            (KNOWLEDGE_FILE, json!({"format": FORMAT, "facts": self.facts, "checks": self.checks})),
        ]
    }

    /// Takes one file in. Nothing of it is taken where a row is refused.
    ///
    /// # Errors
    ///
    /// [`BadSeed`] says which row and why.
    pub fn take(&mut self, file: &str, text: &str, now: Timestamp) -> Result<(), BadSeed> {
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
                read.cases.iter_mut().for_each(strip);
                self.cases.extend(read.cases);
            }
            BANDIT_FILE => {
                let mut read: BanditFile = serde_json::from_str(text).map_err(form)?;
                same(&read.format)?;
                each(&read.scores, |one| score(one, now)).map_err(|bad| refused("scores", bad))?;
                read.scores.iter_mut().for_each(|score| score.cause = "imported".to_owned());
                self.scores.extend(read.scores);
            }
            KNOWLEDGE_FILE => {
                let read: KnowledgeFile = serde_json::from_str(text).map_err(form)?;
                same(&read.format)?;
                each(&read.facts, |one| fact(one, now)).map_err(|bad| refused("facts", bad))?;
                each(&read.checks, |one| check(one, now)).map_err(|bad| refused("checks", bad))?;
                self.facts.extend(read.facts);
                self.checks.extend(read.checks);
            }
            _ => return Err(BadSeed::Unknown { file: name() }),
        }
        Ok(())
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.cases.len() + self.scores.len() + self.facts.len() + self.checks.len()
    }

    /// The same in parts of at most so many rows.
    pub fn parts(mut self, rows_max: usize) -> Vec<Self> {
        let rows_max = rows_max.max(1);
        let mut parts = Vec::new();
        // The oldest cases first, so that the newest stay in the log.
        self.cases.reverse();
        for chunk in self.cases.chunks(rows_max) {
            parts.push(Self { cases: chunk.iter().rev().cloned().collect(), ..Self::default() });
        }
        parts.extend(
            self.scores.chunks(rows_max).map(|rows| Self { scores: rows.to_vec(), ..Self::default() }),
        );
        parts
            .extend(self.facts.chunks(rows_max).map(|rows| Self { facts: rows.to_vec(), ..Self::default() }));
        parts.extend(
            self.checks.chunks(rows_max).map(|rows| Self { checks: rows.to_vec(), ..Self::default() }),
        );
        parts
    }
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
