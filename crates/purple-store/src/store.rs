//! The database of one data folder, open for this process alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use purple_port::{
    BlobHash, Blobs, BoxFuture, Clock, EngineError, Events, Inbox, PersonId, Post, Posted, Recorded,
    SessionId, SessionRow, ShowRow,
};

use crate::board::Board;
use crate::error::{OpenError, StorageFailed, chain_text};
use crate::open::{database_path, open_writer};
use crate::operators;
use crate::read;
use crate::reader::Reader;
use crate::readers::Readers;
use crate::recent::Recent;
use crate::recover;
use crate::reserve::{HoldError, Reserve};
use crate::settings::Settings;
use crate::time::Time;
use crate::turn::new_post;
use crate::vault::Vault;
use crate::work::{Done, NewSettings, NewUnstick, ToolPin, Unstick, Work};
use crate::writer::{StartError, WriterHandle};

/// So many entries are read where they are asked for; more would hold up others on the same thread.
pub(crate) const ENTRIES_HERE_MAX: usize = 128;

/// Everything that a data folder remembers: takes events, answers readers, and is written by one thread.
///
/// Clones are handles of the same store. Needs a tokio runtime around it.
#[derive(Clone)]
pub struct Store {
    pub(crate) core: Arc<Core>,
}

/// What the parts of an open store share.
pub(crate) struct Core {
    pub(crate) folder: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) time: Arc<Time>,
    pub(crate) board: Arc<Board>,
    pub(crate) readers: Readers,
    pub(crate) recent: Recent,
    pub(crate) writer: WriterHandle,
    pub(crate) closing: AtomicBool,
    pub(crate) vault: Vault,
    /// Watchers whose key is not here.
    unopened_watchers: usize,
    /// How often a definition was changed.
    pub(crate) definitions: AtomicU64,
}

/// Whether new events are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intake {
    /// They are.
    Open,
    /// There is no room on the disk. What has begun goes on, on the reserve.
    Full,
    /// The store is being closed.
    Closing,
    /// The storage failed; the process should end and start again.
    Failed {
        /// What it said.
        reason: String,
    },
}

impl Store {
    /// Takes the folder, brings its database up to date, and finds what the last process left unfinished.
    pub fn open(folder: &Path, settings: Settings, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let time = Arc::new(Time::new(clock));
        let board = Arc::new(Board::default());
        let (lock, mut db) = open_writer(folder)?;
        recover::recover(&mut db, &settings, time.now()).map_err(OpenError::Stored)?;
        operators::begin(&mut db, time.now()).map_err(OpenError::Stored)?;
        let reserve = Reserve::new(folder, &settings);
        let path = database_path(folder);
        let vault = Vault::of_folder(folder);
        let unopened_watchers = vault.tidy(&mut db, &path)?;
        let writer = WriterHandle::start(lock, db, reserve, Arc::clone(&board), Arc::clone(&time))
            .map_err(|error| cannot_start(error, &path))?;
        let readers = Readers::new(path);
        readers.warm()?;
        let folder = folder.to_path_buf();
        let (closing, definitions) = (AtomicBool::new(false), AtomicU64::new(0));
        let recent = Recent::default();
        let core = Core {
            folder,
            settings,
            time,
            board,
            readers,
            recent,
            writer,
            closing,
            vault,
            unopened_watchers,
            definitions,
        };
        Ok(Self { core: Arc::new(core) })
    }

    /// Whether new events are taken.
    pub fn intake(&self) -> Intake {
        if let Some(failed) = self.core.writer.failure() {
            Intake::Failed { reason: failed.to_string() }
        } else if self.core.closing.load(Ordering::Acquire) {
            Intake::Closing
        } else if self.core.writer.is_full() {
            Intake::Full
        } else {
            Intake::Open
        }
    }

    /// How many watchers cannot be told, because the key that hid how to reach them is not here: a restored database
    /// without its `watchers.key`.
    pub fn unopened_watchers(&self) -> usize {
        self.core.unopened_watchers
    }

    /// Looks at the same data: audit, export, backup.
    pub fn reader(&self) -> Reader {
        Reader::beside(database_path(&self.core.folder), self.core.readers.clone())
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.core.folder
    }

    /// Says how a stuck session goes on. `false` if it is not stuck.
    pub async fn unstick(
        &self,
        session: &SessionId,
        how: Unstick,
        by: &PersonId,
    ) -> Result<bool, EngineError> {
        let (session, by, now) = (session.clone(), by.clone(), self.core.time.now());
        let done = self.core.writer.write(Work::Unstick(NewUnstick { session, how, by, now })).await?;
        Ok(done != Done::Nothing)
    }

    /// The settings that the operator journal states, by their names.
    pub fn settings(&self) -> Result<BTreeMap<String, String>, EngineError> {
        self.core.readers.look_here(crate::configuration::stated)
    }

    /// Records the settings by their names, if they differ from those recorded last. Returns whether they do.
    ///
    /// Secrets are masked; a change inside a masked part is not seen. `by` is the person who started the program.
    pub async fn record_settings(
        &self,
        settings: BTreeMap<String, String>,
        by: Option<PersonId>,
    ) -> Result<bool, EngineError> {
        let work = Work::RecordSettings(Box::new(NewSettings { settings, by }));
        Ok(self.core.writer.write(work).await? != Done::Nothing)
    }

    /// Records that `by` pinned these tools, one record each.
    pub async fn record_pins(&self, pins: Vec<ToolPin>, by: &PersonId) -> Result<(), EngineError> {
        self.core.writer.write(Work::RecordPins { pins, by: by.clone() }).await.map(drop)
    }

    /// Writes what waits, moves the log into the database, and lets go of the folder.
    ///
    /// A running [`crate::Engine`] is stopped first, by its own `stop`.
    pub async fn close(self) -> Result<(), EngineError> {
        self.core.closing.store(true, Ordering::Release);
        match self.core.writer.write(Work::Close).await {
            Ok(_) => {
                self.core.writer.ended().await;
                Ok(())
            }
            // Somebody else closed it.
            Err(EngineError::ShuttingDown) => Ok(()),
            Err(other) => Err(other),
        }
    }
}

fn cannot_start(error: StartError, path: &Path) -> OpenError {
    let path = path.to_path_buf();
    match error {
        StartError::Hold(HoldError::Database(cause)) => OpenError::Database { path, cause },
        StartError::Hold(HoldError::Files(cause)) | StartError::Thread(cause) => {
            OpenError::Files { path, cause }
        }
    }
}

impl Core {
    /// Whether the store takes nothing any more.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire) || self.writer.failure().is_some()
    }

    /// Stops everything, because what is on the disk cannot be read.
    pub(crate) fn fail(&self, error: &EngineError) {
        self.writer.fail(StorageFailed { what: "the engine stopped", said: chain_text(error) });
    }
}

impl Inbox for Store {
    fn post(&self, post: Post) -> BoxFuture<'_, Result<Posted, EngineError>> {
        Box::pin(async move {
            if self.core.closing.load(Ordering::Acquire) {
                return Err(EngineError::ShuttingDown);
            }
            let new = new_post(post, self.core.time.now())?;
            match self.core.writer.write(Work::Post(new)).await? {
                Done::Posted(posted) => Ok(posted),
                Done::Written | Done::Claimed(_) | Done::Nothing | Done::Learned(_) | Done::Pruned { .. } => {
                    Ok(Posted::Accepted)
                }
            }
        })
    }
}

impl Events for Store {
    fn since<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Recorded>, EngineError>> {
        if limit <= ENTRIES_HERE_MAX {
            let found = self.core.readers.look_here(|db| read::since(db, session, seq, limit));
            return Box::pin(std::future::ready(found));
        }
        let session = session.clone();
        Box::pin(self.core.readers.look(move |db| read::since(db, &session, seq, limit)))
    }

    fn changed<'a>(&'a self, session: &'a SessionId, seq: u64) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(async move {
            // Watch first, look then: what is committed between the two is not missed.
            let watch = self.core.board.watch(session);
            if seq < self.core.readers.glance(|db| read::length(db, session))? {
                return Ok(());
            }
            tokio::select! {
                _ = watch => Ok(()),
                failed = self.core.writer.failed() => Err(EngineError::Storage(Box::new(failed))),
                () = self.core.writer.ended() => Err(EngineError::ShuttingDown),
            }
        })
    }

    fn sessions<'a>(
        &'a self,
        cursor: Option<&'a SessionId>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<SessionRow>, EngineError>> {
        let cursor = cursor.cloned();
        Box::pin(self.core.readers.look(move |db| read::sessions(db, cursor.as_ref(), limit)))
    }

    fn each<'a>(&'a self, show: ShowRow) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(self.core.readers.look(move |db| read::each(db, show)))
    }

    fn session<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<SessionRow>, EngineError>> {
        let found = self.core.readers.glance(|db| read::session(db, session));
        Box::pin(std::future::ready(found))
    }
}

impl Blobs for Store {
    fn get(&self, hash: BlobHash) -> BoxFuture<'_, Result<Option<Vec<u8>>, EngineError>> {
        Box::pin(std::future::ready(self.core.readers.glance(|db| read::blob(db, hash))))
    }
}
