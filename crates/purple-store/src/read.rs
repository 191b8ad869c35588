//! What is asked of the database: sessions, journals, blobs, and what is due.

use purple_journal::chain::{Chain, Head, Link};
use purple_port::limits::{BLOB_BYTES_MAX, ENTRY_BYTES_MAX};
use purple_port::{BlobHash, Digest, EngineError, Event, Recorded, SessionId, SessionRow, ShowRow, Stuck};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::pack;
use crate::readers::{Looked, ReadError};
use crate::row;
use crate::time::{Micros, timestamp};

/// At most `limit` entries of this session after `seq`, each verified against the one before it.
pub(crate) fn since(db: &Connection, session: &SessionId, seq: u64, limit: usize) -> Looked<Vec<Recorded>> {
    let Some(id) = id_of(db, session)? else { return Ok(Vec::new()) };
    let Some(mut head) = head_at(db, id, session, seq)? else { return Ok(Vec::new()) };
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut read = db.prepare_cached(
        "SELECT seq, hash, entry, packed FROM journal WHERE session = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
    )?;
    let mut rows = read.query(params![id, row::sql(seq), limit])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        let unpacked = row::text(next, 2, ENTRY_BYTES_MAX)?;
        let text =
            unpacked.ok_or_else(|| damaged(session, head.seq.saturating_add(1), "it cannot be unpacked"))?;
        let link = Link::behind(&head, Chain::Run(session), text);
        if (link.head.seq, link.head.hash) != (row::seq(next, 0)?, row::digest(next, 1)?) {
            return Err(damaged(session, link.head.seq, "it does not follow from the one before it"));
        }
        head = link.head;
        found.push(link.recorded(session).ok_or_else(|| damaged(session, link.head.seq, "it is no entry"))?);
    }
    Ok(found)
}

fn damaged(session: &SessionId, seq: u64, why: &str) -> ReadError {
    let detail = format!("entry {seq} of session `{session}`: {why}");
    ReadError::Engine(EngineError::Damaged { what: "journal", detail })
}

/// The chain up to `seq`, if it is that long.
fn head_at(db: &Connection, id: i64, session: &SessionId, seq: u64) -> Result<Option<Head>, rusqlite::Error> {
    if seq == 0 {
        return Ok(Some(Head::empty(Chain::Run(session))));
    }
    db.prepare_cached("SELECT seq, hash FROM journal WHERE session = ?1 AND seq = ?2")?
        .query_row(params![id, row::sql(seq)], |found| row::head(found, 0))
        .optional()
}

fn id_of(db: &Connection, session: &SessionId) -> Result<Option<i64>, rusqlite::Error> {
    db.prepare_cached("SELECT id FROM sessions WHERE name = ?1")?
        .query_row([session.as_str()], |found| found.get(0))
        .optional()
}

/// How many entries this session has.
pub(crate) fn length(db: &Connection, session: &SessionId) -> Looked<u64> {
    let found = db
        .prepare_cached("SELECT head_seq FROM sessions WHERE name = ?1")?
        .query_row([session.as_str()], |found| row::seq(found, 0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

// What is queued is the text of each event as it stands, so that nothing in it is read and written again.
const SESSION_COLUMNS: &str = "SELECT s.name, s.summary, s.began, s.changed, s.head_seq, i.stuck, i.attempts,
       (SELECT json_group_array(q.event) FROM
         (SELECT event FROM inbox WHERE session = s.id AND timer IS NULL ORDER BY id) q)
     FROM sessions s LEFT JOIN inbox i ON i.session = s.id AND i.stuck IS NOT NULL";

/// One session at a glance.
pub(crate) fn session(db: &Connection, session: &SessionId) -> Looked<Option<SessionRow>> {
    let mut read = db.prepare_cached(&format!("{SESSION_COLUMNS} WHERE s.name = ?1"))?;
    let mut rows = read.query([session.as_str()])?;
    rows.next()?.map(session_row).transpose()
}

/// At most `limit` sessions, the last changed first, after the place where `cursor` is now.
pub(crate) fn sessions(db: &Connection, cursor: Option<&SessionId>, limit: usize) -> Looked<Vec<SessionRow>> {
    let after: (Micros, i64) = match cursor {
        None => (Micros::MAX, i64::MAX),
        Some(cursor) => {
            let found = db
                .prepare_cached("SELECT changed, id FROM sessions WHERE name = ?1")?
                .query_row([cursor.as_str()], |found| Ok((found.get(0)?, found.get(1)?)))
                .optional()?;
            let Some(found) = found else { return Ok(Vec::new()) };
            found
        }
    };
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut read = db.prepare_cached(&format!(
        "{SESSION_COLUMNS} WHERE (s.changed, s.id) < (?1, ?2) ORDER BY s.changed DESC, s.id DESC LIMIT ?3"
    ))?;
    let mut rows = read.query(params![after.0, after.1, limit])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        found.push(session_row(next)?);
    }
    Ok(found)
}

/// Shows every session, the last changed first.
pub(crate) fn each(db: &Connection, mut show: ShowRow) -> Looked<()> {
    let mut read = db.prepare_cached(&format!("{SESSION_COLUMNS} ORDER BY s.changed DESC, s.id DESC"))?;
    let mut rows = read.query([])?;
    while let Some(next) = rows.next()? {
        show(session_row(next)?);
    }
    Ok(())
}

fn session_row(found: &Row<'_>) -> Looked<SessionRow> {
    let name: String = found.get(0)?;
    let summary: String = found.get(1)?;
    let stuck: Option<String> = found.get(5)?;
    let attempts: Option<u32> = found.get(6)?;
    let queued: String = found.get(7)?;
    Ok(SessionRow {
        session: row::session_name(&name)?,
        summary: serde_json::from_str(&summary).map_err(|error| EngineError::Damaged {
            what: "summary",
            detail: format!("session `{name}`: {error}"),
        })?,
        began: timestamp(found.get(2)?),
        changed: timestamp(found.get(3)?),
        entries: row::seq(found, 4)?,
        stuck: stuck.map(|reason| Stuck { reason, attempts: attempts.unwrap_or(0) }),
        queued: said(&name, &queued)?,
    })
}

/// What was said, of the events that wait. One that cannot be read is told about by its own turn.
fn said(name: &str, queued: &str) -> Looked<Vec<Event>> {
    let texts: Vec<String> = serde_json::from_str(queued).map_err(|error| EngineError::Damaged {
        what: "inbox",
        detail: format!("session `{name}`: {error}"),
    })?;
    let events = texts.iter().filter_map(|text| serde_json::from_str::<Event>(text).ok());
    Ok(events.filter(|event| event.said().is_some()).collect())
}

/// The bytes with this hash, if they still have it.
pub(crate) fn blob(db: &Connection, hash: BlobHash) -> Looked<Option<Vec<u8>>> {
    let found: Option<(Vec<u8>, Option<Vec<u8>>)> = db
        .prepare_cached("SELECT bytes, packed FROM blobs WHERE hash = ?1")?
        .query_row([hash.0.as_bytes()], |found| Ok((found.get(0)?, found.get(1)?)))
        .optional()?;
    let Some((bytes, packed)) = found else { return Ok(None) };
    let bytes = match packed {
        None => Some(bytes),
        Some(packed) => pack::unpack(&packed, BLOB_BYTES_MAX),
    };
    match bytes {
        Some(bytes) if Digest::of(&bytes) == hash.0 => Ok(Some(bytes)),
        Some(_) | None => {
            let detail = format!("its bytes do not have the hash {}", hash.0);
            Err(EngineError::Damaged { what: "blob", detail }.into())
        }
    }
}

/// The sessions with something due, the longest waiting first, and when the next becomes due.
pub(crate) fn due(db: &Connection, now: Micros) -> Looked<(Vec<i64>, Option<Micros>)> {
    let mut read = db.prepare_cached(
        "SELECT session FROM inbox WHERE wake_at <= ?1 AND stuck IS NULL GROUP BY session ORDER BY min(id)",
    )?;
    let sessions: Result<Vec<i64>, _> = read.query_map([now], |found| found.get(0))?.collect();
    let next = db
        .prepare_cached("SELECT min(wake_at) FROM inbox WHERE wake_at > ?1 AND stuck IS NULL")?
        .query_row([now], |found| found.get(0))?;
    Ok((sessions?, next))
}
