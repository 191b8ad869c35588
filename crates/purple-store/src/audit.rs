//! Shows that the journal is complete, in order and unaltered, and that what it names is there as it was kept; or names
//! the first record of which that is not so.

mod anchor;
mod bundle;
mod kept;
mod key;
mod line;

use std::fmt;

use purple_worker::limits::ENTRY_BYTES_MAX;
use purple_worker::port::{BlobHash, EngineError};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

pub use anchor::{Anchor, BadAnchor};
pub use bundle::{BadLine, BundleReport, LineFault, Scope, verify_bundle};
pub use key::{AuditKey, KeyError};

pub(crate) use bundle::export;

use crate::chain::{Head, Link};
use crate::readers::{Looked, ReadError};
use crate::row;
use kept::Sound;

/// What a walk over all chains found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// How many sessions were walked.
    pub sessions: u64,
    /// How many entries hold.
    pub entries: u64,
    /// How many blobs they name that are there as they were kept.
    pub blobs: u64,
    /// The first one that does not, in the order of sessions.
    pub fault: Option<BadRecord>,
}

/// A record that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// Its session, or the number of its row where the name is lost.
    pub session: String,
    /// Its place; 0 where no record is to blame.
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
    /// It names a blob that is not there.
    BlobMissing(BlobHash),
    /// It names a blob whose bytes are not those that were kept.
    BlobAltered(BlobHash),
    /// Nobody names this blob, and its bytes are not those that were kept.
    UnnamedBlobAltered(BlobHash),
    /// It tells of a checkpoint that is not there.
    CheckpointMissing,
    /// The stored checkpoint or summary is not the one that it tells of.
    CheckpointAltered,
}

impl fmt::Display for BadRecord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let record = format!("record {} of session `{}`", self.seq, self.session);
        match self.fault {
            Fault::Missing => write!(out, "{record} is missing"),
            Fault::Altered => write!(out, "{record} was altered"),
            Fault::CutOff => write!(out, "{record} and all after it were cut off"),
            Fault::BeyondHead => write!(out, "{record} lies beyond the head of its session"),
            Fault::SessionGone => write!(out, "{record} belongs to a session that is gone"),
            Fault::Rewritten => write!(out, "{record} is not the one that was anchored"),
            Fault::BlobMissing(BlobHash(hash)) => write!(out, "{record} names blob {hash}, which is missing"),
            Fault::BlobAltered(BlobHash(hash)) => {
                write!(out, "{record} names blob {hash}, which was altered")
            }
            Fault::UnnamedBlobAltered(BlobHash(hash)) => {
                write!(out, "blob {hash}, which no record names, was altered")
            }
            Fault::CheckpointMissing => write!(out, "{record} tells of a checkpoint that is missing"),
            Fault::CheckpointAltered => {
                write!(out, "{record} contradicts the checkpoint or the summary of its session")
            }
        }
    }
}

/// Walks every chain.
pub(crate) fn verify(db: &Connection) -> Looked<AuditReport> {
    let mut report = AuditReport { sessions: 0, entries: 0, blobs: 0, fault: None };
    let mut sound = Sound::default();
    let mut read = db.prepare("SELECT id, name, head_seq, head_hash FROM sessions ORDER BY id")?;
    let mut rows = read.query([])?;
    while let Some(found) = rows.next()? {
        let (id, name): (i64, String) = (found.get(0)?, found.get(1)?);
        report.sessions = report.sessions.saturating_add(1);
        let session = Chain { id, name: &name, head_seq: row::seq(found, 2)?, head_hash: blob(found, 3)? };
        let (held, fault) = walk(db, session, &mut sound)?;
        report.entries = report.entries.saturating_add(held);
        report.blobs = sound.count();
        if let Some((seq, fault)) = fault {
            report.fault = Some(BadRecord { session: name, seq, fault });
            return Ok(report);
        }
    }
    report.fault = orphan(db)?;
    if let (None, Some(hash)) = (&report.fault, sound.unnamed_fault(db)?) {
        let fault = Fault::UnnamedBlobAltered(hash);
        report.fault = Some(BadRecord { session: String::new(), seq: 0, fault });
    }
    Ok(report)
}

/// A chain as the row of its session tells it.
struct Chain<'a> {
    id: i64,
    name: &'a str,
    head_seq: u64,
    head_hash: &'a [u8],
}

/// Walks one chain: how many records hold, and the first that does not.
fn walk(db: &Connection, chain: Chain<'_>, sound: &mut Sound) -> Looked<(u64, Option<(u64, Fault)>)> {
    let Chain { id, name, head_seq, head_hash } = chain;
    let Ok(session) = row::session_name(name) else { return Ok((0, Some((1, Fault::Altered)))) };
    let mut head = Head::empty(&session);
    let mut saved = None;
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
        let holds = link.head.hash.as_bytes() == blob(found, 1)?;
        let recorded = link.recorded(&session).filter(|_| holds);
        let Some(recorded) = recorded else {
            return Ok((head.seq, Some((expected, Fault::Altered))));
        };
        if let Some(fault) = sound.fault(db, &recorded.entry)? {
            return Ok((head.seq, Some((expected, fault))));
        }
        saved = recorded.entry.saved().map(|digest| (expected, digest)).or(saved);
        head = link.head;
    }
    if head.seq < head_seq {
        return Ok((head.seq, Some((head.seq.saturating_add(1), Fault::CutOff))));
    }
    if head.hash.as_bytes() != head_hash {
        return Ok((head.seq, Some((head.seq, Fault::Altered))));
    }
    let told_at = saved.map_or(head.seq, |(seq, _)| seq);
    let fault = kept::checkpoint_fault(db, id, saved.map(|(_, digest)| digest))?;
    Ok((head.seq, fault.map(|fault| (told_at, fault))))
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
