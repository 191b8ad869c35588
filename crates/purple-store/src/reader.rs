//! Looks at a data folder without changing it, beside a process that works on it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use purple_port::{
    BlobHash, Blobs, BoxFuture, Brake, EngineError, Events, Halt, Inbox, PersonId, Post, Posted, Recorded,
    SessionId, SessionRow, ShowRow,
};
use rusqlite::Connection;

use crate::audit::{self, Anchor, AuditKey, AuditReport, BadRecord, OperatorJournal, Scope};
use crate::backup;
use crate::error::{OpenError, StorageFailed};
use crate::halts;
use crate::keys;
use crate::open::database_path;
use crate::read;
use crate::readers::{Looked, Readers};

/// How often a reader in another process looks whether the database changed.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Reads sessions, journals and blobs, verifies and exports the audit journal, and makes backups.
///
/// The methods without `async` wait for the disk: a server calls them where waiting is allowed.
#[derive(Clone, Debug)]
pub struct Reader {
    path: PathBuf,
    readers: Readers,
}

/// The refusal of a reader that was asked to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the data folder is open to read only")]
pub struct ReadOnly;

/// The state of a data folder in figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// How many sessions there are.
    pub sessions: u64,
    /// How many journal entries they have.
    pub entries: u64,
    /// How many blobs are kept.
    pub blobs: u64,
    /// How many events wait or are being run.
    pub events: u64,
    /// How many sessions are stuck.
    pub stuck: u64,
    /// How many notices wait to be delivered.
    pub notices: u64,
    /// How many notices will never be.
    pub dead_notices: u64,
    /// The first fault that SQLite finds in the file, if any.
    pub fault: Option<String>,
}

impl Reader {
    /// Opens the folder to read. Works while another process runs turns on it.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        let path = database_path(folder);
        if !path.exists() {
            return Err(OpenError::Missing { folder: folder.to_path_buf() });
        }
        let readers = Readers::new(path.clone());
        readers.warm()?;
        Ok(Self { path, readers })
    }

    pub(crate) fn beside(path: PathBuf, readers: Readers) -> Self {
        Self { path, readers }
    }

    pub(crate) fn readers(&self) -> &Readers {
        &self.readers
    }

    /// Walks every chain and names the first record that does not hold.
    pub fn verify(&self) -> Result<AuditReport, EngineError> {
        self.readers.look_here(audit::verify)
    }

    /// Reads and verifies the operator journal.
    pub fn operator_journal(&self) -> Result<OperatorJournal, EngineError> {
        self.readers.look_here(audit::read_operator_journal)
    }

    /// The settings that the operator journal states, by their names.
    pub fn settings(&self) -> Result<std::collections::BTreeMap<String, String>, EngineError> {
        self.readers.look_here(crate::configuration::stated)
    }

    /// The id that the database was made with.
    pub fn database(&self) -> Result<String, EngineError> {
        self.readers.look_here(audit::database_id)
    }

    /// The first head of an anchor of this database that is not in its place any more. Quick: no chain is walked.
    pub fn lost_since(&self, anchor: &Anchor) -> Result<Option<BadRecord>, EngineError> {
        self.readers.look_here(|db| audit::lost(db, anchor))
    }

    /// Walks every chain, and compares it with what was anchored before. The anchor must be signed by `key`,
    /// and be one of this database.
    pub fn verify_against(&self, anchor: &Anchor, key: &str) -> Result<AuditReport, EngineError> {
        self.readers.look_here(|db| audit::verify_against(db, anchor, key))
    }

    /// Signs the heads of all chains as they are now. To be kept where who can write the database cannot write.
    pub fn anchor(&self, key: &AuditKey, at: Timestamp) -> Result<Anchor, EngineError> {
        self.readers.look_here(|db| Anchor::make(db, key, at))
    }

    /// Writes the journal as lines of JSON that can be verified without this program.
    pub fn export(
        &self,
        scope: &Scope,
        key: &AuditKey,
        at: Timestamp,
        out: &mut dyn Write,
    ) -> Result<(), EngineError> {
        self.readers.look_here(|db| audit::export(db, scope, key, at, out))
    }

    /// The same into a new file, which is there in full or not at all.
    pub fn export_to(
        &self,
        scope: &Scope,
        key: &AuditKey,
        at: Timestamp,
        to: &Path,
    ) -> Result<(), EngineError> {
        crate::files::write_new(to, |out| self.export(scope, key, at, out).map_err(std::io::Error::other))
            .map_err(|error| {
                EngineError::Storage(Box::new(StorageFailed { what: "exporting", said: error.to_string() }))
            })
    }

    /// Copies the database to a new file, while it is being written. The copy is one moment of it.
    pub fn backup(&self, to: &Path) -> Result<(), OpenError> {
        backup::backup(&self.path, to)
    }

    /// Which session has a business key, if one has it.
    pub async fn holder(&self, key: &str) -> Result<Option<SessionId>, EngineError> {
        let key = key.to_owned();
        self.readers.look(move |db| keys::holder(db, &key)).await
    }

    /// Counts what is there, and lets SQLite check its file.
    pub fn health(&self) -> Result<Health, EngineError> {
        self.readers.look_here(health)
    }
}

fn health(db: &Connection) -> Looked<Health> {
    let count = |sql: &str| {
        db.query_row(sql, [], |row| row.get::<_, i64>(0)).map(|count| count.max(0).unsigned_abs())
    };
    let verdict: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(Health {
        sessions: count("SELECT count(*) FROM sessions")?,
        entries: count("SELECT count(*) FROM journal")?,
        blobs: count("SELECT count(*) FROM blobs")?,
        events: count("SELECT count(*) FROM inbox")?,
        stuck: count("SELECT count(*) FROM inbox WHERE stuck IS NOT NULL")?,
        notices: count("SELECT count(*) FROM outbox WHERE dead IS NULL")?,
        dead_notices: count("SELECT count(*) FROM outbox WHERE dead IS NOT NULL")?,
        fault: (verdict != "ok").then_some(verdict),
    })
}

impl Events for Reader {
    fn since<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Recorded>, EngineError>> {
        let session = session.clone();
        Box::pin(self.readers.look(move |db| read::since(db, &session, seq, limit)))
    }

    fn changed<'a>(&'a self, session: &'a SessionId, seq: u64) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(async move {
            // Another process rings no bell here; SQLite has none either.
            loop {
                let name = session.clone();
                if seq < self.readers.look(move |db| read::length(db, &name)).await? {
                    return Ok(());
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        })
    }

    fn sessions<'a>(
        &'a self,
        cursor: Option<&'a SessionId>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<SessionRow>, EngineError>> {
        let cursor = cursor.cloned();
        Box::pin(self.readers.look(move |db| read::sessions(db, cursor.as_ref(), limit)))
    }

    fn each<'a>(&'a self, show: ShowRow) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(self.readers.look(move |db| read::each(db, show)))
    }

    fn session<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<SessionRow>, EngineError>> {
        let session = session.clone();
        Box::pin(self.readers.look(move |db| read::session(db, &session)))
    }
}

impl Blobs for Reader {
    fn get(&self, hash: BlobHash) -> BoxFuture<'_, Result<Option<Vec<u8>>, EngineError>> {
        Box::pin(self.readers.look(move |db| read::blob(db, hash)))
    }
}

/// A reader takes nothing in. It is an inbox so that a desk can stand on a reader alone.
impl Inbox for Reader {
    fn post(&self, _post: Post) -> BoxFuture<'_, Result<Posted, EngineError>> {
        Box::pin(std::future::ready(Err(EngineError::Storage(Box::new(ReadOnly)))))
    }
}

/// A reader shows stops, and neither makes nor ends them.
impl Brake for Reader {
    fn halt(&self, _halt: Halt) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(std::future::ready(Err(EngineError::Storage(Box::new(ReadOnly)))))
    }

    fn resume<'a>(
        &'a self,
        _process: Option<&'a str>,
        _by: &'a PersonId,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(std::future::ready(Err(EngineError::Storage(Box::new(ReadOnly)))))
    }

    fn halts(&self) -> BoxFuture<'_, Result<Vec<Halt>, EngineError>> {
        Box::pin(self.readers.look(halts::list))
    }

    fn held(&self) -> BoxFuture<'_, Result<Vec<SessionId>, EngineError>> {
        Box::pin(halts::held_all(&self.readers))
    }
}
