//! The witness: every physical call and every effect, as the company saw them.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use serde_json::Value;

use crate::office::OpenError;

/// One change that happened, or one message that left.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectRecord {
    /// Its place among the effects, from 1.
    pub seq: i64,
    /// The call that caused it.
    pub call_seq: i64,
    /// The company's time.
    pub at: String,
    /// The tool that did it.
    pub tool: String,
    /// Its arguments with sorted keys, without the idempotency key.
    pub arguments: Value,
    /// The idempotency key, if one was given.
    pub key: Option<String>,
    /// What was changed: a noun and an id.
    pub target: String,
    /// The target before, null if it did not exist.
    pub before: Value,
    /// The target afterwards.
    pub after: Value,
}

/// One call that arrived.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallRecord {
    /// Its place among the calls, from 1.
    pub seq: i64,
    /// The company's time.
    pub at: String,
    /// Who called, as far as the transport knows.
    pub session: String,
    /// The tool that was asked for.
    pub tool: String,
    /// The arguments with sorted keys, without the idempotency key.
    pub arguments: Value,
    /// The idempotency key, if one was given.
    pub key: Option<String>,
    /// What the caller was told: `done`, `replayed`, `refused`, `failed`, `rate_limited`, `input_required`,
    /// `unavailable`, `unanswered` or `cut`.
    pub outcome: String,
    /// The refusal's words.
    pub message: Option<String>,
    /// How many effects it had.
    pub applied: i64,
    /// The faults that were on, by name.
    pub fault: Option<String>,
}

/// Everything the witness saw.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Ledger {
    /// The effects, in order.
    pub effects: Vec<EffectRecord>,
    /// The calls, in order.
    pub calls: Vec<CallRecord>,
}

impl Ledger {
    /// Reads the ledger of a company's file, while the company may be open elsewhere.
    ///
    /// # Errors
    /// If the file is not a company's.
    pub fn read(file: &Path) -> Result<Self, OpenError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(file, flags)?;
        db.busy_timeout(crate::office::BUSY_TIMEOUT)?;
        Self::of(&db)
    }

    pub(crate) fn of(db: &Connection) -> Result<Self, OpenError> {
        Ok(Self { effects: effects(db)?, calls: calls(db)? })
    }

    /// The effects of one tool.
    pub fn effects_of<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = &'a EffectRecord> {
        self.effects.iter().filter(move |effect| effect.tool == tool)
    }

    /// The calls of one tool.
    pub fn calls_of<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = &'a CallRecord> {
        self.calls.iter().filter(move |call| call.tool == tool)
    }

    /// The effects as JSON lines.
    #[must_use]
    pub fn effects_as_lines(&self) -> String {
        lines(&self.effects)
    }

    /// The calls as JSON lines.
    #[must_use]
    pub fn calls_as_lines(&self) -> String {
        lines(&self.calls)
    }
}

fn lines<T: Serialize>(records: &[T]) -> String {
    records.iter().filter_map(|record| serde_json::to_string(record).ok()).map(|line| line + "\n").collect()
}

fn effects(db: &Connection) -> Result<Vec<EffectRecord>, OpenError> {
    let mut statement = db.prepare_cached(
        "SELECT seq, call_seq, at, tool, arguments, key, target, before, after FROM effects ORDER BY seq",
    )?;
    let mut rows = statement.query([])?;
    let mut effects = Vec::new();
    while let Some(row) = rows.next()? {
        effects.push(EffectRecord {
            seq: row.get(0)?,
            call_seq: row.get(1)?,
            at: row.get(2)?,
            tool: row.get(3)?,
            arguments: parsed(row.get(4)?),
            key: row.get(5)?,
            target: row.get(6)?,
            before: parsed(row.get(7)?),
            after: parsed(row.get(8)?),
        });
    }
    Ok(effects)
}

fn calls(db: &Connection) -> Result<Vec<CallRecord>, OpenError> {
    let mut statement = db.prepare_cached(
        "SELECT seq, at, session, tool, arguments, key, outcome, message, applied, fault FROM calls ORDER BY seq",
    )?;
    let mut rows = statement.query([])?;
    let mut calls = Vec::new();
    while let Some(row) = rows.next()? {
        calls.push(CallRecord {
            seq: row.get(0)?,
            at: row.get(1)?,
            session: row.get(2)?,
            tool: row.get(3)?,
            arguments: parsed(row.get(4)?),
            key: row.get(5)?,
            outcome: row.get(6)?,
            message: row.get(7)?,
            applied: row.get(8)?,
            fault: row.get(9)?,
        });
    }
    Ok(calls)
}

/// What is not JSON is shown as the text it is: a witness leaves nothing out.
fn parsed(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}
