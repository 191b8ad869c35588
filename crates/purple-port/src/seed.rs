//! What was learned and made, as data that is exported, imported and forgotten.

use std::fmt;

use purple_process::SessionId;
use serde::{Deserialize, Serialize};

use crate::definitions::Defined;
use crate::memory::{Check, Entity, Fact, Logged, Scored};

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

impl Seed {
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

/// What was learned and made in another installation, validated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// What was learned.
    pub seed: Seed,
    /// What was made, each unsigned.
    pub definitions: Vec<Defined>,
}

/// How many rows an import added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Imported {
    /// Rows that were added.
    pub rows: u64,
    /// Rows that were stored before.
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

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::Value;

    use super::*;
    use crate::memory::PastCase;

    fn run(name: &str) -> SessionId {
        SessionId::parse(name).unwrap()
    }

    fn logged(run_name: &str) -> Logged {
        let case = PastCase {
            session: run(run_name),
            round: 1,
            at: Timestamp::UNIX_EPOCH,
            process: "invoices".to_owned(),
            text: "Reconcile INV-1".to_owned(),
            entities: Vec::new(),
            body: Value::Null,
        };
        Logged { case, points: None, left: false }
    }

    fn check(found: &str) -> Check {
        Check {
            session: run("case-0"),
            round: 1,
            process: "invoices".to_owned(),
            figure: "variance".to_owned(),
            given: "1".to_owned(),
            found: found.to_owned(),
            hit: false,
            at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn parts_hold_every_row_once_and_the_oldest_cases_come_first() {
        let cases: Vec<Logged> = (0..10).map(|n| logged(&format!("case-{n}"))).collect();
        let checks: Vec<Check> = (0..4).map(|n| check(&n.to_string())).collect();
        let seed = Seed { cases: cases.clone(), checks: checks.clone(), ..Seed::default() };
        let parts = seed.parts(3);
        assert!(parts.iter().all(|part| part.rows() <= 3));
        assert_eq!(parts[0].cases.last().unwrap().case.session, run("case-9"));
        let newest_first = parts.iter().rev().flat_map(|part| part.cases.clone()).collect::<Vec<_>>();
        assert_eq!(newest_first, cases);
        assert_eq!(parts.iter().flat_map(|part| part.checks.clone()).collect::<Vec<_>>(), checks);
    }
}
