//! The one thread that writes. Work that waits while a commit syncs shares the next commit and its sync.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use purple_port::EngineError;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot, watch};

use crate::apply::apply;
use crate::board::Board;
use crate::error::{Grade, StorageFailed};
use crate::lock::FolderLock;
use crate::refused::Refused;
use crate::reserve::{HoldError, Reserve};
use crate::time::Time;
use crate::work::{Done, Signal, Work};

/// How much work may wait for the writer; who brings more waits outside.
const JOBS_WAITING_MAX: usize = 1024;
/// How much work shares one commit.
const GROUP_JOBS_MAX: usize = 512;
const GROUP_BYTES_MAX: usize = 8 * 1024 * 1024;
/// How often the length of the write-ahead log is looked at, and when it is moved into the database.
const COMMITS_BETWEEN_LOOKS: u32 = 32;
const LOG_PAGES_MAX: i64 = 2000;

/// A piece of work and who waits for it.
#[derive(Debug)]
struct Job {
    work: Work,
    reply: Option<oneshot::Sender<Result<Done, EngineError>>>,
}

/// Brings work to the writer.
#[derive(Clone, Debug)]
pub(crate) struct WriterHandle {
    jobs: mpsc::Sender<Job>,
    state: Arc<WriterState>,
    alive: watch::Receiver<()>,
}

/// What others may see of the writer.
#[derive(Debug)]
pub(crate) struct WriterState {
    full: AtomicBool,
    fatal: watch::Sender<Option<StorageFailed>>,
}

impl WriterHandle {
    /// Starts the thread.
    pub(crate) fn start(
        lock: FolderLock,
        db: Connection,
        reserve: Reserve,
        board: Arc<Board>,
        time: Arc<Time>,
    ) -> Result<Self, StartError> {
        let (jobs, inbox) = mpsc::channel(JOBS_WAITING_MAX);
        let full = !reserve.hold(&db)?;
        let state = Arc::new(WriterState { full: AtomicBool::new(full), fatal: watch::Sender::new(None) });
        let (alive_guard, alive) = watch::channel(());
        let writer = Writer {
            jobs: inbox,
            db,
            reserve,
            board,
            time,
            state: Arc::clone(&state),
            relaxed: false,
            commits: 0,
            _lock: lock,
            _alive: alive_guard,
        };
        thread::Builder::new().name("purple-writer".to_owned()).spawn(move || writer.run())?;
        Ok(Self { jobs, state, alive })
    }

    /// Writes, and answers when it is on the disk.
    pub(crate) async fn write(&self, work: Work) -> Result<Done, EngineError> {
        if let Some(failed) = self.failure() {
            return Err(EngineError::Storage(Box::new(failed)));
        }
        let (reply, answer) = oneshot::channel();
        self.jobs.send(Job { work, reply: Some(reply) }).await.map_err(|_| self.gone())?;
        answer.await.map_err(|_| self.gone())?
    }

    /// Hands over work that promises nothing to anybody.
    pub(crate) async fn ride(&self, work: Work) -> Result<(), EngineError> {
        self.jobs.send(Job { work, reply: None }).await.map_err(|_| self.gone())
    }

    /// The same where nobody can wait. With a full queue it is left out.
    pub(crate) fn ride_now(&self, work: Work) {
        let _ = self.jobs.try_send(Job { work, reply: None });
    }

    /// Ends when the thread has ended and the folder is free.
    pub(crate) async fn ended(&self) {
        // Nothing is ever sent: an error says that the other end is gone.
        let _ = self.alive.clone().changed().await;
    }

    /// Whether there is no room for new events.
    pub(crate) fn is_full(&self) -> bool {
        self.state.full.load(Ordering::Acquire)
    }

    /// Why it stopped, if the storage failed.
    pub(crate) fn failure(&self) -> Option<StorageFailed> {
        self.state.fatal.borrow().clone()
    }

    /// Stops everything, because what is on the disk can no longer be read.
    pub(crate) fn fail(&self, failed: StorageFailed) {
        self.state.fatal.send_if_modified(|found| {
            let first = found.is_none();
            if first {
                *found = Some(failed);
            }
            first
        });
    }

    /// Ends when the storage has failed.
    pub(crate) async fn failed(&self) -> StorageFailed {
        let mut fatal = self.state.fatal.subscribe();
        let found = fatal.wait_for(Option::is_some).await.ok().and_then(|found| found.clone());
        match found {
            Some(failed) => failed,
            None => std::future::pending().await,
        }
    }

    fn gone(&self) -> EngineError {
        match self.failure() {
            Some(failed) => EngineError::Storage(Box::new(failed)),
            None => EngineError::ShuttingDown,
        }
    }
}

/// The writer could not be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Hold(#[from] HoldError),
    #[error(transparent)]
    Thread(#[from] std::io::Error),
}

struct Writer {
    jobs: mpsc::Receiver<Job>,
    db: Connection,
    reserve: Reserve,
    board: Arc<Board>,
    time: Arc<Time>,
    state: Arc<WriterState>,
    /// Whether commits do without a sync at present.
    relaxed: bool,
    commits: u32,
    /// Let go last: with it, another process may open the database.
    _lock: FolderLock,
    _alive: watch::Sender<()>,
}

impl Writer {
    fn run(mut self) {
        while let Some(first) = self.jobs.blocking_recv() {
            let (group, last) = self.gather(first);
            if let Err(failed) = self.settle(group).and_then(|()| self.tend()) {
                self.die(&failed);
                return;
            }
            if last {
                break;
            }
        }
        self.jobs.close();
        // A log that stays is read at the next start; nothing is lost if this fails.
        let _ = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    /// What waits already shares this commit.
    fn gather(&mut self, first: Job) -> (Vec<Job>, bool) {
        let mut last = matches!(first.work, Work::Close);
        let mut bytes = first.work.bytes();
        let mut group = vec![first];
        // Those whose last commit has just ended are about to bring more: let them, instead of syncing for the
        // quickest of them alone.
        thread::yield_now();
        while !last && group.len() < GROUP_JOBS_MAX && bytes < GROUP_BYTES_MAX {
            let Ok(next) = self.jobs.try_recv() else { break };
            last = matches!(next.work, Work::Close);
            bytes = bytes.saturating_add(next.work.bytes());
            group.push(next);
        }
        (group, last)
    }

    /// Writes a group. An error means that the storage failed, and the writer must stop.
    fn settle(&mut self, group: Vec<Job>) -> Result<(), StorageFailed> {
        if self.is_full() && group.iter().any(|job| job.work.is_intake()) {
            self.try_to_recover()?;
        }
        let group = if self.is_full() { refuse_intake(group) } else { group };
        match self.commit(&group) {
            Ok((done, signals)) => {
                self.board.hear(signals, self.time.now());
                for (job, done) in group.into_iter().zip(done) {
                    answer(job, Ok(done));
                }
                Ok(())
            }
            Err(refused) if refused.grade() == Grade::Fatal => {
                let failed = StorageFailed { what: "the commit failed", said: refused.told_plainly() };
                for job in group {
                    answer(job, Err(EngineError::Storage(Box::new(failed.clone()))));
                }
                Err(failed)
            }
            // One of them is at fault, or there is no room for all: each shows what it can do alone.
            Err(_) => group.into_iter().try_for_each(|job| self.settle_alone(job)),
        }
    }

    fn settle_alone(&mut self, job: Job) -> Result<(), StorageFailed> {
        if self.is_full() && job.work.is_intake() {
            answer(job, Err(EngineError::Full));
            return Ok(());
        }
        let mut result = self.commit(std::slice::from_ref(&job));
        if result.as_ref().is_err_and(|refused| refused.grade() == Grade::Full) {
            self.run_full()?;
            if !job.work.is_intake() {
                result = self.commit(std::slice::from_ref(&job));
            }
        }
        match result {
            Ok((mut done, signals)) => {
                self.board.hear(signals, self.time.now());
                answer(job, Ok(done.pop().unwrap_or(Done::Written)));
                Ok(())
            }
            Err(refused) => {
                answer(job, Err(refused.told()));
                if refused.grade() == Grade::Fatal {
                    return Err(StorageFailed { what: "the commit failed", said: refused.told_plainly() });
                }
                Ok(())
            }
        }
    }

    /// All of the group in one transaction.
    fn commit(&mut self, group: &[Job]) -> Result<(Vec<Done>, Vec<Signal>), Refused> {
        self.relax(group.iter().all(|job| job.work.rides()))?;
        let transaction = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?;
        let now = self.time.now();
        let mut signals = Vec::new();
        let mut done = Vec::with_capacity(group.len());
        for job in group {
            done.push(apply(&transaction, &job.work, now, &mut signals)?);
        }
        transaction.commit()?;
        self.commits = self.commits.saturating_add(1);
        Ok((done, signals))
    }

    /// A group that promises nothing is written without a sync; the next one that does syncs it too.
    fn relax(&mut self, relaxed: bool) -> Result<(), rusqlite::Error> {
        if relaxed != self.relaxed {
            self.db.pragma_update(None, "synchronous", if relaxed { "normal" } else { "full" })?;
            self.relaxed = relaxed;
        }
        Ok(())
    }

    /// Moves the log into the database when it is long.
    fn tend(&mut self) -> Result<(), StorageFailed> {
        if self.commits < COMMITS_BETWEEN_LOOKS {
            return Ok(());
        }
        self.commits = 0;
        let moved = self.log_length().and_then(|pages| {
            if pages < LOG_PAGES_MAX {
                return Ok(());
            }
            self.db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
        });
        match moved {
            Ok(()) => Ok(()),
            Err(error) if crate::error::grade(&error) == Grade::Fatal => {
                Err(StorageFailed { what: "the log could not be moved", said: error.to_string() })
            }
            // Without room the log stays where it is, and nothing is lost.
            Err(_) => Ok(()),
        }
    }

    fn log_length(&self) -> Result<i64, rusqlite::Error> {
        self.db.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| {
            let (pages, moved): (i64, i64) = (row.get(1)?, row.get(2)?);
            Ok(pages.saturating_sub(moved))
        })
    }

    fn is_full(&self) -> bool {
        self.state.full.load(Ordering::Acquire)
    }

    /// No room: from here on the reserve is for turns that have begun.
    fn run_full(&self) -> Result<(), StorageFailed> {
        self.state.full.store(true, Ordering::Release);
        self.reserve.release(&self.db).map_err(|error| held(&error))
    }

    /// Takes the reserve again; if that works, there is room for others too.
    fn try_to_recover(&self) -> Result<(), StorageFailed> {
        let held_again = self.reserve.hold(&self.db).map_err(|error| held(&error))?;
        if held_again {
            self.state.full.store(false, Ordering::Release);
            return Ok(());
        }
        self.reserve.release(&self.db).map_err(|error| held(&error))
    }

    /// Nothing is tried again. Everybody who waits is told.
    fn die(mut self, failed: &StorageFailed) {
        self.state.fatal.send_if_modified(|found| {
            *found = Some(failed.clone());
            true
        });
        self.jobs.close();
        while let Ok(job) = self.jobs.try_recv() {
            answer(job, Err(EngineError::Storage(Box::new(failed.clone()))));
        }
    }
}

/// While there is no room, what can wait outside waits outside; the reserve is not for it.
fn refuse_intake(group: Vec<Job>) -> Vec<Job> {
    let (intake, rest) = group.into_iter().partition(|job: &Job| job.work.is_intake());
    for job in intake {
        answer(job, Err(EngineError::Full));
    }
    rest
}

fn held(error: &HoldError) -> StorageFailed {
    StorageFailed { what: "the reserve", said: error.to_string() }
}

/// Who no longer waits has dropped the other end.
fn answer(job: Job, result: Result<Done, EngineError>) {
    if let Some(reply) = job.reply {
        let _ = reply.send(result);
    }
}
