//! What the journal names and does not hold itself: blobs, and the checkpoint of a session.

use std::collections::BTreeSet;

use purple_port::limits::{BLOB_BYTES_MAX, SESSION_BYTES_MAX};
use purple_port::{AcceptedTask, BlobHash, Digest, Event, Record};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _};

use super::Fault;
use crate::pack;
use crate::readers::Looked;
use crate::row;
use crate::work::checkpoint_digest;

/// How a blob stands in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Sound { bytes: u64 },
    Altered,
    Missing,
}

/// How the blob of this name stands.
pub(super) fn standing(db: &Connection, hash: BlobHash) -> Looked<Standing> {
    let mut read = db.prepare_cached("SELECT bytes, packed FROM blobs WHERE hash = ?1")?;
    let mut rows = read.query([hash.0.as_bytes()])?;
    let Some(found) = rows.next()? else { return Ok(Standing::Missing) };
    let unpacked;
    let bytes = match (found.get_ref(0)?, found.get_ref(1)?) {
        (ValueRef::Blob(bytes), ValueRef::Null) => Some(bytes),
        (ValueRef::Blob([]), ValueRef::Blob(packed)) => {
            unpacked = pack::unpack(packed, BLOB_BYTES_MAX);
            unpacked.as_deref()
        }
        // A column that is not what it was is no different from one with other bytes.
        (_, _) => None,
    };
    Ok(match bytes {
        Some(bytes) if Digest::of(bytes) == hash.0 => Standing::Sound { bytes: bytes.len() as u64 },
        Some(_) | None => Standing::Altered,
    })
}

/// Looks at blobs, at each one once: many sessions name the same catalogue.
#[derive(Debug, Default)]
pub(super) struct Sound(BTreeSet<BlobHash>);

impl Sound {
    /// The first blob of this record that is not there, or is not what was kept.
    pub(super) fn fault(&mut self, db: &Connection, record: &Record) -> Looked<Option<Fault>> {
        for hash in record.blobs() {
            if self.0.contains(&hash) {
                continue;
            }
            match standing(db, hash)? {
                Standing::Sound { .. } => drop(self.0.insert(hash)),
                Standing::Altered => return Ok(Some(Fault::BlobAltered(hash))),
                Standing::Missing => return Ok(Some(Fault::BlobMissing(hash))),
            }
        }
        Ok(None)
    }

    pub(super) fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// The first blob that no entry names, because no turn came to its end after it, and that is not what was kept.
    pub(super) fn unnamed_fault(&self, db: &Connection) -> Looked<Option<BlobHash>> {
        let mut read = db.prepare("SELECT hash FROM blobs ORDER BY id")?;
        let mut rows = read.query([])?;
        while let Some(found) = rows.next()? {
            let hash = BlobHash(row::digest(found, 0)?);
            if !self.0.contains(&hash) && standing(db, hash)? == Standing::Altered {
                return Ok(Some(hash));
            }
        }
        Ok(None)
    }
}

/// Whether a session without a turn is said to be of the person who said its first words, as far as those are still
/// there to tell: they wait in the inbox, with a digest of their own.
fn is_from_first(db: &Connection, session: i64, taken: Option<&AcceptedTask>) -> bool {
    let first = db
        .prepare_cached("SELECT event, digest FROM inbox WHERE session = ?1 ORDER BY id LIMIT 1")
        .and_then(|mut read| read.query_row([session], |found| row::sealed(found, 0)).optional());
    let Ok(first) = first else { return false };
    let Some(sealed) = first else { return true };
    let Ok(text) = sealed.check("event") else { return false };
    let told = serde_json::from_str::<Event>(&text).map(|event| AcceptedTask::of(&event));
    told.is_ok_and(|told| told.is_none() || told.as_ref() == taken)
}

/// Whether the stored checkpoint and summary are those that the journal says were saved last.
pub(super) fn checkpoint_fault(
    db: &Connection,
    session: i64,
    saved: Option<Digest>,
) -> Looked<Option<Fault>> {
    let found = db
        .prepare_cached(
            "SELECT c.schema, c.digest, s.summary, c.body, c.packed FROM sessions s
             LEFT JOIN checkpoints c ON c.session = s.id WHERE s.id = ?1",
        )?
        .query_row([session], |found| {
            let schema: Option<u32> = found.get(0)?;
            let own = match schema {
                Some(_) => Some((row::digest(found, 1)?, row::text(found, 3, SESSION_BYTES_MAX)?)),
                None => None,
            };
            Ok((schema.zip(own), found.get::<_, String>(2)?))
        })
        .optional();
    // A column that is not what it was is no different from one with other letters.
    let Ok(Some((stored, summary))) = found else { return Ok(Some(Fault::CheckpointAltered)) };
    Ok(match (stored, saved) {
        (None, Some(_)) => Some(Fault::CheckpointMissing),
        // No turn has ended: there is nothing yet, or whose it is.
        (None, None) => {
            let taken = serde_json::from_str::<Option<AcceptedTask>>(&summary);
            let sound = taken.is_ok_and(|taken| is_from_first(db, session, taken.as_ref()));
            (!sound).then_some(Fault::CheckpointAltered)
        }
        (Some((schema, (digest, body))), saved) => {
            let stored = body.map(|body| checkpoint_digest(schema, &body, &summary));
            let sound = stored == Some(digest) && saved.is_none_or(|saved| saved == digest);
            (!sound).then_some(Fault::CheckpointAltered)
        }
    })
}
