//! Looks up the next event of a session and all that its turn begins with, in one look.

use std::collections::HashMap;

use purple_journal::chain::Head;
use purple_port::limits::SESSION_BYTES_MAX;
use purple_port::{Checkpoint, EngineError, Event};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::Value;

use crate::readers::Looked;
use crate::recent::{Left, Recent, Whole};
use crate::row;
use crate::time::Micros;
use crate::work::{Sealed, SessionKey, checkpoint_digest};

/// What a session has to run.
#[derive(Debug)]
pub(crate) enum Claim {
    /// Nothing now.
    Nothing,
    /// One event.
    Turn(Box<Claimed>),
    /// An event whose turn cannot begin, because what is stored does not verify.
    Damaged { session: SessionKey, event: i64, reason: String },
}

/// An event and all that its turn begins with.
#[derive(Debug)]
pub(crate) struct Claimed {
    pub(crate) session: SessionKey,
    pub(crate) id: i64,
    pub(crate) event: Event,
    pub(crate) attempts: u32,
    pub(crate) failures: u32,
    pub(crate) head: Head,
    pub(crate) checkpoint: Option<Checkpoint>,
    pub(crate) steps: HashMap<String, Value>,
    /// The journal, where the last turn left it in memory.
    pub(crate) journal: Option<Whole>,
    /// Whether another event waits behind it.
    pub(crate) more: bool,
}

struct Waiting {
    id: i64,
    wake_at: Micros,
    attempts: u32,
    failures: u32,
    stuck: Option<String>,
    event: Sealed,
}

/// The next event of this session that may run now.
///
/// An event that was begun goes on before any other, so that no turn runs between two attempts of one event;
/// while it waits for its next try or is stuck, the session waits with it.
pub(crate) fn claim(db: &Connection, recent: &Recent, id: i64, now: Micros) -> Looked<Claim> {
    let mut read = db.prepare_cached(
        "SELECT id, wake_at, attempts, failures, stuck, event, digest FROM inbox
         WHERE session = ?1 AND (due <= ?2 OR attempts > 0) ORDER BY attempts > 0 DESC, id LIMIT 2",
    )?;
    let mut waiting = read.query_map(params![id, now], waiting)?;
    let Some(first) = waiting.next().transpose()? else { return Ok(Claim::Nothing) };
    let more = waiting.next().transpose()?.is_some();
    if first.stuck.is_some() || now < first.wake_at {
        return Ok(Claim::Nothing);
    }
    let (name, head, summary) = db
        .prepare_cached("SELECT name, head_seq, head_hash, summary FROM sessions WHERE id = ?1")?
        .query_row([id], |found| {
            Ok((found.get::<_, String>(0)?, row::head(found, 1)?, found.get::<_, String>(3)?))
        })?;
    let session = SessionKey { id, name: row::session_name(&name)? };
    let event_id = first.id;
    let left = recent.take(id).filter(|left| left.head == head);
    match load(db, first, session.clone(), (head, summary, left), more) {
        Ok(claimed) => Ok(Claim::Turn(Box::new(claimed))),
        Err(crate::readers::ReadError::Engine(EngineError::Damaged { what, detail })) => {
            let reason = EngineError::Damaged { what, detail }.to_string();
            Ok(Claim::Damaged { session, event: event_id, reason })
        }
        Err(other) => Err(other),
    }
}

/// Whether something that somebody sent waits behind the event of a turn. A timer can wait.
pub(crate) fn others_wait(db: &Connection, session: i64, event: i64, now: Micros) -> Looked<bool> {
    let mut look = db.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM inbox WHERE session = ?1 AND id <> ?2 AND due <= ?3 AND timer IS NULL)",
    )?;
    Ok(look.query_row(params![session, event, now], |found| found.get(0))?)
}

fn waiting(found: &Row<'_>) -> Result<Waiting, rusqlite::Error> {
    Ok(Waiting {
        id: found.get(0)?,
        wake_at: found.get(1)?,
        attempts: found.get(2)?,
        failures: found.get(3)?,
        stuck: found.get(4)?,
        event: row::sealed(found, 5)?,
    })
}

fn load(
    db: &Connection,
    first: Waiting,
    session: SessionKey,
    (head, summary, left): (Head, String, Option<Left>),
    more: bool,
) -> Looked<Claimed> {
    let event = parse("event", &first.event.check("event")?)?;
    let (checkpoint, journal) = match left {
        Some(left) => (left.checkpoint, Some(left.journal)),
        None => (checkpoint(db, session.id, summary)?, (head.seq == 0).then(Whole::default)),
    };
    let steps = if first.attempts > 0 { steps(db, first.id)? } else { HashMap::new() };
    Ok(Claimed {
        session,
        id: first.id,
        event,
        attempts: first.attempts,
        failures: first.failures,
        head,
        checkpoint,
        steps,
        journal,
        more,
    })
}

fn checkpoint(db: &Connection, session: i64, summary: String) -> Looked<Option<Checkpoint>> {
    let found = db
        .prepare_cached("SELECT schema, digest, body, packed FROM checkpoints WHERE session = ?1")?
        .query_row([session], |found| {
            Ok((found.get(0)?, row::digest(found, 1)?, row::text(found, 2, SESSION_BYTES_MAX)?))
        })
        .optional()?;
    let Some((schema, digest, body)) = found else { return Ok(None) };
    let body = body.filter(|body| checkpoint_digest(schema, body, &summary) == digest);
    let Some(body) = body else {
        let detail = "its digest does not match".to_owned();
        return Err(EngineError::Damaged { what: "checkpoint", detail }.into());
    };
    Ok(Some(Checkpoint { schema, body: parse("checkpoint", &body)?, summary: parse("summary", &summary)? }))
}

fn steps(db: &Connection, event: i64) -> Looked<HashMap<String, Value>> {
    let mut read = db.prepare_cached("SELECT name, value, digest FROM steps WHERE event = ?1")?;
    let mut rows = read.query([event])?;
    let mut steps = HashMap::new();
    while let Some(found) = rows.next()? {
        let value = row::sealed(found, 1)?.check("step")?;
        steps.insert(found.get(0)?, parse("step", &value)?);
    }
    Ok(steps)
}

fn parse<T: serde::de::DeserializeOwned>(what: &'static str, text: &str) -> Result<T, EngineError> {
    serde_json::from_str(text).map_err(|error| EngineError::Damaged { what, detail: error.to_string() })
}
