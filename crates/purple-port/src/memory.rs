//! What earlier runs left behind. It can change how a task is attempted, never what is permitted.

use agent_runtime::model::BoxFuture;
use jiff::Timestamp;
use purple_process::{Digest, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::EngineError;
use purple_journal::strategy::{Arm, Tally};

/// How many cases the log keeps, unless the operator says otherwise.
pub const LOG_CASES_MAX: u32 = 200;

/// How a round came out, as it is remembered. One per session and round; a second one replaces nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastCase {
    /// The session.
    pub session: SessionId,
    /// The round of it, from 1.
    pub round: u32,
    /// When it ended.
    pub at: Timestamp,
    /// The process.
    pub process: String,
    /// The task, redacted, for the search.
    pub text: String,
    /// Whom and what it was about: `vendor:Acme Corp`, `id:INV-2024-447`.
    pub entities: Vec<Entity>,
    /// Everything else: ending, outcome, amounts, quality.
    pub body: Value,
}

/// Somebody or something that a task was about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entity {
    /// `vendor`, `person`, `id`, `amount`, `date`, `product`.
    pub kind: String,
    /// Its name as it was written.
    pub name: String,
}

/// Everything that the end of a turn teaches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lesson {
    /// How the round came out.
    pub case: Option<PastCase>,
    /// What rounds of this session are worth. A later score of a round counts in place of the earlier one, which stays.
    pub scores: Vec<Scored>,
    /// What is known now about those whom it was about.
    pub facts: Vec<Fact>,
    /// Whether what was computed beforehand came out.
    pub checks: Vec<Check>,
    /// How many cases the log keeps.
    pub cases_max: u32,
}

impl From<PastCase> for Lesson {
    fn from(case: PastCase) -> Self {
        Self { case: Some(case), cases_max: LOG_CASES_MAX, ..Self::default() }
    }
}

/// What a round was worth, by the evidence of a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scored {
    /// The session.
    pub session: SessionId,
    /// The round.
    pub round: u32,
    /// Its process.
    pub process: String,
    /// The way in which it was attempted, where there was a choice.
    pub arm: Option<Arm>,
    /// The quality in ten-thousandths.
    pub points: u16,
    /// What it was scored for: `ended`, `undone`, `imported`.
    pub cause: String,
    /// How it came about, line by line.
    pub because: Vec<String>,
    /// When.
    pub at: Timestamp,
}

/// Something that a record said about somebody, and that is of use for the next task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// The process in whose runs it was found.
    pub domain: String,
    /// About whom or what.
    pub entity: Entity,
    /// Which property: `payment_terms`.
    pub field: String,
    /// What it was.
    pub value: String,
    /// The run that found it.
    pub session: SessionId,
    /// Its round.
    pub round: u32,
    /// Where it stands.
    pub evidence: Citation,
    /// When its evidence was read.
    pub at: Timestamp,
    /// When newer evidence said otherwise.
    pub superseded: Option<Timestamp>,
}

/// Where a fact stands: no fact is kept without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Citation {
    /// The tool that answered.
    pub tool: String,
    /// The digest of its answer.
    pub digest: Digest,
    /// When it was read.
    pub read_at: Timestamp,
}

/// Whether a value that was computed before anything was read agreed with the outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The run.
    pub session: SessionId,
    /// Its round.
    pub round: u32,
    /// Its process.
    pub process: String,
    /// The figure: `variance_percent`.
    pub figure: String,
    /// What was computed.
    pub given: String,
    /// What came out.
    pub found: String,
    /// Whether the two are the same.
    pub hit: bool,
    /// When.
    pub at: Timestamp,
}

/// A case with what it is worth by now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logged {
    /// The case.
    pub case: PastCase,
    /// Its latest quality in ten-thousandths, where it has one.
    pub points: Option<u16>,
    /// Whether newer ones have taken its place in the log: then no task is told of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
}

/// Whose cases are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Those of the runs of this place. A person who decides is shown no others.
    Ours,
    /// Those that came from elsewhere too.
    Anybodys,
}

/// A case that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// Whose it is.
    pub session: SessionId,
    /// Which of its rounds.
    pub round: u32,
    /// How well it fits, in millionths; more is better. Equal fits are equal numbers.
    pub fit: i64,
}

/// Remembers.
///
/// # Contract
///
/// Reads only what committed turns learned. Newest first where nothing else is said.
pub trait Memory: Send + Sync {
    /// At most `limit` cases of the log that are most like this text, best first.
    fn recall<'a>(&'a self, text: &'a str, limit: usize) -> BoxFuture<'a, Result<Vec<Ranked>, EngineError>>;

    /// The cases of the log, at most `limit`.
    fn log(&self, limit: usize) -> BoxFuture<'_, Result<Vec<Logged>, EngineError>>;

    /// At most `limit` cases about this entity, whether or not they are in the log.
    fn history<'a>(
        &'a self,
        entity: &'a Entity,
        whose: Whose,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>>;

    /// How each way did for a process: sums over all rewards that were ever given.
    fn tallies<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<Vec<Tally>, EngineError>>;

    /// At most `limit` facts about this entity that nothing newer contradicts.
    fn facts<'a>(&'a self, entity: &'a Entity, limit: usize)
    -> BoxFuture<'a, Result<Vec<Fact>, EngineError>>;

    /// The last checks of a process, at most `limit`.
    fn checks<'a>(&'a self, process: &'a str, limit: usize)
    -> BoxFuture<'a, Result<Vec<Check>, EngineError>>;
}
