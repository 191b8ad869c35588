//! The rows that the witness writes: calls, effects, keys, and writes that were put off.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value};

use crate::desk::Change;
use crate::office::Call;
use crate::refusal::Refusal;
use crate::tool::Tool;

/// The parts of a call that the ledger repeats with each effect.
pub(crate) struct Entry<'a> {
    pub(crate) seq: i64,
    pub(crate) tool: &'a Tool,
    pub(crate) arguments: &'a Map<String, Value>,
    /// The arguments in canonical form.
    pub(crate) text: &'a str,
    pub(crate) key: Option<&'a str>,
    pub(crate) now: &'a str,
}

/// A write that was promised.
pub(crate) struct Late {
    pub(crate) seq: i64,
    pub(crate) tool: String,
    pub(crate) arguments: String,
    pub(crate) key: Option<String>,
    pub(crate) reads_left: Option<u32>,
    pub(crate) due_ms: Option<u64>,
}

/// A call arrived.
pub(crate) fn arrived(
    db: &Connection,
    call: &Call<'_>,
    [text, now]: [&str; 2],
    key: Option<&str>,
) -> Result<i64, Refusal> {
    db.prepare_cached(
        "INSERT INTO calls (at, session, tool, arguments, key, outcome, applied) VALUES (?1, ?2, ?3, ?4, ?5, '', 0)",
    )?
    .execute(params![now, call.session, call.tool, text, key])?;
    Ok(db.last_insert_rowid())
}

/// What a call came to.
pub(crate) fn settled(
    db: &Connection,
    seq: i64,
    (outcome, message): (&str, Option<&str>),
    applied: i64,
    faults: &[&str],
) -> Result<(), Refusal> {
    let fault = if faults.is_empty() { None } else { Some(faults.join(" ")) };
    db.prepare_cached(
        "UPDATE calls SET outcome = ?2, message = ?3, applied = ?4, fault = ?5 WHERE seq = ?1",
    )?
    .execute(params![seq, outcome, message, applied, fault])?;
    Ok(())
}

/// One effect happened. Answers how many that are: one.
pub(crate) fn effect(db: &Connection, entry: &Entry<'_>, change: &Change) -> Result<i64, Refusal> {
    db.prepare_cached(
        "INSERT INTO effects (call_seq, at, tool, arguments, key, target, before, after)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        entry.seq,
        entry.now,
        entry.tool.name,
        entry.text,
        entry.key,
        change.target,
        change.before.to_string(),
        change.after.to_string(),
    ])?;
    Ok(1)
}

/// Keeps the first answer under its key.
pub(crate) fn keep(db: &Connection, entry: &Entry<'_>, key: &str, answer: &Value) -> Result<(), Refusal> {
    db.prepare_cached("INSERT INTO keys (tool, key, arguments, answer) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![entry.tool.name, key, entry.text, answer.to_string()])?;
    Ok(())
}

/// The first answer under this key. Other arguments under the same key are refused.
pub(crate) fn replay(db: &Connection, entry: &Entry<'_>, key: &str) -> Result<Option<Value>, Refusal> {
    let kept: Option<(String, String)> = db
        .prepare_cached("SELECT arguments, answer FROM keys WHERE tool = ?1 AND key = ?2")?
        .query_row([entry.tool.name, key], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match kept {
        None => Ok(None),
        Some((arguments, answer)) if arguments == entry.text => Ok(Some(serde_json::from_str(&answer)?)),
        Some(_) => Err(Refusal::KeyReused { key: key.to_owned() }),
    }
}

/// Puts a write off. Answers how many effects happened: none yet.
pub(crate) fn postpone(
    db: &Connection,
    entry: &Entry<'_>,
    (reads_left, due_ms): (Option<u32>, Option<u64>),
) -> Result<i64, Refusal> {
    let due_ms = due_ms.map(|due_ms| i64::try_from(due_ms).unwrap_or(i64::MAX));
    db.execute(
        "INSERT INTO late_writes (call_seq, tool, arguments, key, reads_left, due_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![entry.seq, entry.tool.name, entry.text, entry.key, reads_left, due_ms],
    )?;
    Ok(0)
}

/// The writes that were put off, oldest first.
pub(crate) fn late(db: &Connection) -> Result<Vec<Late>, Refusal> {
    let mut statement = db.prepare_cached(
        "SELECT call_seq, tool, arguments, key, reads_left, due_ms FROM late_writes ORDER BY call_seq",
    )?;
    let rows = statement.query_map([], |row| {
        let due_ms: Option<i64> = row.get(5)?;
        Ok(Late {
            seq: row.get(0)?,
            tool: row.get(1)?,
            arguments: row.get(2)?,
            key: row.get(3)?,
            reads_left: row.get(4)?,
            due_ms: due_ms.map(|due_ms| u64::try_from(due_ms).unwrap_or(0)),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(crate) fn one_read_less(db: &Connection, seq: i64) -> Result<(), Refusal> {
    db.execute("UPDATE late_writes SET reads_left = reads_left - 1 WHERE call_seq = ?1", [seq])?;
    Ok(())
}

/// A promised write was made: the call counts as applied from now on.
pub(crate) fn made_good(db: &Connection, seq: i64) -> Result<(), Refusal> {
    db.execute("DELETE FROM late_writes WHERE call_seq = ?1", [seq])?;
    db.execute(
        "UPDATE calls SET applied = (SELECT count(*) FROM effects WHERE call_seq = ?1) WHERE seq = ?1",
        [seq],
    )?;
    Ok(())
}
