//! Shows that the journal is complete, in order and unaltered, and that what it names is there as it was kept; or names
//! the first record of which that is not so.

mod anchor;
mod bundle;
mod kept;
mod key;
mod line;
mod name;
mod operators;

use std::fmt;

use purple_journal::Entry;
use purple_journal::chain::{Chain, Head, Link};
use purple_port::limits::ENTRY_BYTES_MAX;
use purple_port::{BlobHash, Digest, EngineError};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row, Rows, params};

pub(crate) use anchor::database_id;
pub use anchor::{Anchor, BadAnchor};
pub use bundle::{BadLine, BundleReport, LineFault, Scope, verify_bundle};
pub use key::{AuditKey, KeyError};
pub use operators::{OperatorJournal, OperatorRecord};

pub(crate) use bundle::export;
pub(crate) use operators::read as read_operator_journal;

use crate::readers::{Looked, ReadError};
use crate::row;
use kept::Sound;
use name::ChainName;

/// What a walk over all chains found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// How many sessions were walked.
    pub sessions: u64,
    /// How many entries hold.
    pub entries: u64,
    /// How many records of the operator journal hold.
    pub operators: u64,
    /// How many blobs they name that are there as they were kept.
    pub blobs: u64,
    /// The first one that does not, in the order of sessions.
    pub fault: Option<BadRecord>,
}

/// A record that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// Its session, or the number of its row where the name is lost, or `operator journal`.
    pub session: String,
    /// Its place; 0 where no record is to blame.
    pub seq: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The operator journal states another content of this row.
    RowAltered(String),
    /// The operator journal states this row, which is not there.
    RowMissing(String),
    /// No record of the operator journal states this row.
    RowAdded(String),
}

impl fmt::Display for BadRecord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let record = if self.session == Chain::Operators.name() {
            format!("record {} of the operator journal", self.seq)
        } else {
            format!("record {} of session `{}`", self.seq, self.session)
        };
        match &self.fault {
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
            Fault::RowAltered(row) => write!(out, "{row} was changed: {record} states another content"),
            Fault::RowMissing(row) => write!(out, "{row} was removed: {record} states it"),
            Fault::RowAdded(row) => {
                write!(out, "{row} was added: no record of the operator journal states it")
            }
        }
    }
}

/// Walks every chain.
pub(crate) fn verify(db: &Connection) -> Looked<AuditReport> {
    let mut report = AuditReport { sessions: 0, entries: 0, operators: 0, blobs: 0, fault: None };
    let mut sound = Sound::default();
    let mut read = db.prepare("SELECT id, name, head_seq, head_hash FROM sessions ORDER BY id")?;
    let mut rows = read.query([])?;
    while let Some(found) = rows.next()? {
        let (id, name): (i64, String) = (found.get(0)?, found.get(1)?);
        report.sessions = report.sessions.saturating_add(1);
        let end = ChainEnd { seq: row::seq(found, 2)?, hash: blob(found, 3)?.to_vec() };
        let (held, fault) = walk(db, &StoredChain { id, name: &name, end }, &mut sound)?;
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
    if report.fault.is_none() {
        (report.operators, report.fault) = operators::verify(db)?;
    }
    Ok(report)
}

/// The end of a chain as the database states it. The hash can have any length.
struct ChainEnd {
    seq: u64,
    hash: Vec<u8>,
}

/// A chain as the row of its session describes it.
struct StoredChain<'a> {
    id: i64,
    name: &'a str,
    end: ChainEnd,
}

/// Walks one chain: how many records hold, and the first that does not.
fn walk(db: &Connection, chain: &StoredChain<'_>, sound: &mut Sound) -> Looked<(u64, Option<(u64, Fault)>)> {
    let StoredChain { id, name, end } = chain;
    let Ok(session) = row::session_name(name) else { return Ok((0, Some((1, Fault::Altered)))) };
    let mut saved = None;
    let mut read =
        db.prepare_cached("SELECT seq, hash, entry, packed FROM journal WHERE session = ?1 ORDER BY seq")?;
    let (head, fault) =
        walk_chain(read.query([id])?, Chain::Run(&session), end, |seq, Entry { record, .. }| {
            let fault = sound.fault(db, record)?;
            saved = record.saved().map(|digest| (seq, digest)).or(saved);
            Ok(fault)
        })?;
    if fault.is_some() {
        return Ok((head.seq, fault));
    }
    let told_at = saved.map_or(head.seq, |(seq, _)| seq);
    let fault = kept::checkpoint_fault(db, *id, saved.map(|(_, digest)| digest))?;
    Ok((head.seq, fault.map(|fault| (told_at, fault))))
}

/// Walks rows of `seq, hash, entry, packed`: the last record that holds, and the first that does not. `check` gets each
/// entry that follows from the one before it.
fn walk_chain(
    mut rows: Rows<'_>,
    chain: Chain<'_>,
    end: &ChainEnd,
    mut check: impl FnMut(u64, &Entry) -> Looked<Option<Fault>>,
) -> Looked<(Head, Option<(u64, Fault)>)> {
    let mut head = Head::empty(chain);
    while let Some(found) = rows.next()? {
        let expected = head.seq.saturating_add(1);
        let seq: i64 = found.get(0)?;
        if u64::try_from(seq) != Ok(expected) {
            return Ok((head, Some((expected, Fault::Missing))));
        }
        if end.seq < expected {
            return Ok((head, Some((expected, Fault::BeyondHead))));
        }
        // Bytes that are no text at all are an error to SQLite, and altered to us.
        let Ok(Some(text)) = row::text(found, 2, ENTRY_BYTES_MAX) else {
            return Ok((head, Some((expected, Fault::Altered))));
        };
        let link = Link::behind(&head, chain, text);
        let holds = link.head.hash.as_bytes() == blob(found, 1)?;
        let Some(entry) = Entry::parse(&link.text).ok().filter(|_| holds) else {
            return Ok((head, Some((expected, Fault::Altered))));
        };
        if let Some(fault) = check(expected, &entry)? {
            return Ok((head, Some((expected, fault))));
        }
        head = link.head;
    }
    let fault = if head.seq < end.seq {
        Some((head.seq.saturating_add(1), Fault::CutOff))
    } else {
        (head.hash.as_bytes()[..] != end.hash).then_some((head.seq, Fault::Altered))
    };
    Ok((head, fault))
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
    if report.fault.is_none() {
        report.fault = lost(db, anchor)?;
    }
    Ok(report)
}

/// The first anchored head that is not in its place any more. The chains are not walked.
pub(crate) fn lost(db: &Connection, anchor: &Anchor) -> Looked<Option<BadRecord>> {
    for (chain, head) in anchor.heads() {
        let fault = match anchored(db, chain, head.seq)? {
            Some(hash) if hash == head.hash => continue,
            Some(_) => Fault::Rewritten,
            None => Fault::CutOff,
        };
        let left = length(db, chain)?.saturating_add(1);
        let seq = if fault == Fault::CutOff { left.min(head.seq) } else { head.seq };
        return Ok(Some(BadRecord { session: chain.chain().name().to_owned(), seq, fault }));
    }
    Ok(None)
}

/// The hash in this place of a chain.
fn anchored(db: &Connection, chain: &ChainName, seq: u64) -> Looked<Option<Digest>> {
    let seq = row::sql(seq);
    let found = match chain {
        ChainName::Run(run) => db
            .prepare_cached(
                "SELECT j.hash FROM journal j JOIN sessions s ON s.id = j.session
                 WHERE s.name = ?1 AND j.seq = ?2",
            )?
            .query_row(params![run.as_str(), seq], |found| row::digest(found, 0)),
        // The table is there: an anchor with this chain was made of a database that had it.
        ChainName::Operators => db
            .prepare_cached("SELECT hash FROM operator_journal WHERE seq = ?1")?
            .query_row([seq], |found| row::digest(found, 0)),
    };
    Ok(found.optional()?)
}

/// How many records a chain has.
fn length(db: &Connection, chain: &ChainName) -> Looked<u64> {
    match chain {
        ChainName::Run(run) => crate::read::length(db, run),
        ChainName::Operators => Ok(db
            .prepare_cached("SELECT count(*) FROM operator_journal")?
            .query_row([], |found| row::seq(found, 0))?),
    }
}
