//! Shows that the journal is complete, in order and unaltered, or names the first record that is not.

mod anchor;
mod bundle;
mod key;
mod line;

use std::fmt;

use purple_worker::limits::ENTRY_BYTES_MAX;
use purple_worker::port::EngineError;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

pub use anchor::{Anchor, BadAnchor};
pub use bundle::{BadLine, BundleReport, LineFault, Scope, verify_bundle};
pub use key::{AuditKey, KeyError};

pub(crate) use bundle::export;

use crate::chain::{Head, Link};
use crate::readers::{Looked, ReadError};
use crate::row;

/// What a walk over all chains found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// How many sessions were walked.
    pub sessions: u64,
    /// How many entries hold.
    pub entries: u64,
    /// The first one that does not, in the order of sessions.
    pub fault: Option<BadRecord>,
}

/// A record that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// Its session, or the number of its row where the name is lost.
    pub session: String,
    /// Its place.
    pub seq: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not there, and later ones are.
    Missing,
    /// It, or its hash, is not what was written.
    Altered,
    /// It and all after it are gone; the head or an anchor knows better.
    CutOff,
    /// It lies beyond the head of its session.
    BeyondHead,
    /// Its session is gone.
    SessionGone,
    /// The chain holds, but an anchor knows another record in this place.
    Rewritten,
}

impl fmt::Display for BadRecord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = match self.fault {
            Fault::Missing => "is missing",
            Fault::Altered => "was altered",
            Fault::CutOff => "and all after it were cut off",
            Fault::BeyondHead => "lies beyond the head of its session",
            Fault::SessionGone => "belongs to a session that is gone",
            Fault::Rewritten => "is not the one that was anchored",
        };
        write!(out, "record {} of session `{}` {said}", self.seq, self.session)
    }
}

/// Walks every chain.
pub(crate) fn verify(db: &Connection) -> Looked<AuditReport> {
    let mut report = AuditReport { sessions: 0, entries: 0, fault: None };
    let mut read = db.prepare("SELECT id, name, head_seq, head_hash FROM sessions ORDER BY id")?;
    let mut rows = read.query([])?;
    while let Some(found) = rows.next()? {
        let (id, name): (i64, String) = (found.get(0)?, found.get(1)?);
        report.sessions = report.sessions.saturating_add(1);
        let (held, fault) = walk(db, id, &name, row::seq(found, 2)?, blob(found, 3)?)?;
        report.entries = report.entries.saturating_add(held);
        if let Some((seq, fault)) = fault {
            report.fault = Some(BadRecord { session: name, seq, fault });
            return Ok(report);
        }
    }
    report.fault = orphan(db)?;
    Ok(report)
}

/// Walks one chain: how many records hold, and the first that does not.
fn walk(
    db: &Connection,
    id: i64,
    name: &str,
    head_seq: u64,
    head_hash: &[u8],
) -> Looked<(u64, Option<(u64, Fault)>)> {
    let Ok(session) = row::session_name(name) else { return Ok((0, Some((1, Fault::Altered)))) };
    let mut head = Head::empty(&session);
    let mut read =
        db.prepare_cached("SELECT seq, hash, entry, packed FROM journal WHERE session = ?1 ORDER BY seq")?;
    let mut rows = read.query([id])?;
    while let Some(found) = rows.next()? {
        let expected = head.seq.saturating_add(1);
        let seq: i64 = found.get(0)?;
        if u64::try_from(seq) != Ok(expected) {
            return Ok((head.seq, Some((expected, Fault::Missing))));
        }
        if head_seq < expected {
            return Ok((head.seq, Some((expected, Fault::BeyondHead))));
        }
        // Bytes that are no text at all are an error to SQLite, and altered to us.
        let Ok(Some(text)) = row::text(found, 2, ENTRY_BYTES_MAX) else {
            return Ok((head.seq, Some((expected, Fault::Altered))));
        };
        let link = Link::behind(&head, &session, text);
        if link.head.hash.as_bytes() != blob(found, 1)? || link.recorded(&session).is_none() {
            return Ok((head.seq, Some((expected, Fault::Altered))));
        }
        head = link.head;
    }
    if head.seq < head_seq {
        return Ok((head.seq, Some((head.seq.saturating_add(1), Fault::CutOff))));
    }
    if head.hash.as_bytes() != head_hash {
        return Ok((head.seq, Some((head.seq, Fault::Altered))));
    }
    Ok((head.seq, None))
}

fn blob<'a>(found: &'a Row<'_>, column: usize) -> Result<&'a [u8], rusqlite::Error> {
    match found.get_ref(column)? {
        ValueRef::Blob(bytes) => Ok(bytes),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Text(_) => Ok(&[]),
    }
}

/// Records whose session is not there any more.
fn orphan(db: &Connection) -> Looked<Option<BadRecord>> {
    let found = db
        .query_row(
            "SELECT session, seq FROM journal WHERE session NOT IN (SELECT id FROM sessions)
             ORDER BY session, seq LIMIT 1",
            [],
            |found| Ok((found.get::<_, i64>(0)?, found.get::<_, i64>(1)?)),
        )
        .optional()?;
    Ok(found.map(|(session, seq)| BadRecord {
        session: format!("row {session}"),
        seq: seq.max(0).unsigned_abs(),
        fault: Fault::SessionGone,
    }))
}

/// Walks every chain, then looks for each anchored head in its place.
pub(crate) fn verify_against(db: &Connection, anchor: &Anchor, key: &str) -> Looked<AuditReport> {
    anchor.check(db, key)?.map_err(|error| {
        ReadError::Engine(EngineError::Damaged { what: "anchor", detail: error.to_string() })
    })?;
    let mut report = verify(db)?;
    let mut read = db.prepare_cached(
        "SELECT j.hash FROM journal j JOIN sessions s ON s.id = j.session WHERE s.name = ?1 AND j.seq = ?2",
    )?;
    for (session, head) in anchor.heads() {
        if report.fault.is_some() {
            break;
        }
        let found = read
            .query_row(params![session.as_str(), row::sql(head.seq)], |found| row::digest(found, 0))
            .optional()?;
        let fault = match found {
            Some(hash) if hash == head.hash => continue,
            Some(_) => Fault::Rewritten,
            None => Fault::CutOff,
        };
        let left = crate::read::length(db, session)?.saturating_add(1);
        let seq = if fault == Fault::CutOff { left.min(head.seq) } else { head.seq };
        report.fault = Some(BadRecord { session: session.to_string(), seq, fault });
    }
    Ok(report)
}
