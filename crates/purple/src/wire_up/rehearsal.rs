//! A rehearsal: it works in a store of its own, and sees what the real runs left without touching it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use purple_process::SessionId;
use purple_store::Reader;
use purple_worker::port::{
    BlobHash, Blobs, BoxFuture, Checkpoint, Claim, Defined, Definitions, EngineError, Entry, Halt, Handler,
    Lesson, Notice, Post, Recorded, Redefinition, StepFailed, Turn, TurnFailed,
};
use purple_worker::{Event, Worker, Workshop};
use serde_json::Value;

use crate::failure::Failure;

/// What the real runs left, to be read, also beside a server that works there.
pub(super) struct Kept(Arc<Reader>);

impl Kept {
    /// `None` where nothing has run yet.
    pub(super) fn open(folder: &Path) -> Result<Option<Self>, Failure> {
        match super::reader(folder) {
            Ok(reader) => Ok(Some(Self(Arc::new(reader)))),
            Err(Failure::NothingYet { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    pub(super) fn reader(&self) -> Arc<Reader> {
        Arc::clone(&self.0)
    }

    /// What the rehearsal kept itself, then what the real runs did.
    pub(super) fn blobs(&self, own: Arc<dyn Blobs>) -> BothBlobs {
        BothBlobs { own, kept: self.reader() }
    }

    /// What the real runs defined, then what the rehearsal does; it leaves nothing behind.
    pub(super) fn workshop(&self, own: Option<Workshop>) -> Option<Workshop> {
        own.map(|Workshop { definitions: own, sandbox }| {
            let definitions = Arc::new(BothDefinitions { own, kept: self.reader() });
            Workshop { definitions, sandbox }
        })
    }

    /// The worker, to whom business keys of real runs are taken.
    pub(super) fn rehearsing(self, worker: Worker) -> Rehearsing {
        Rehearsing { worker, kept: self.0 }
    }
}

pub(super) struct BothBlobs {
    own: Arc<dyn Blobs>,
    kept: Arc<Reader>,
}

impl Blobs for BothBlobs {
    fn get(&self, hash: BlobHash) -> BoxFuture<'_, Result<Option<Vec<u8>>, EngineError>> {
        Box::pin(async move {
            match self.own.get(hash).await? {
                Some(bytes) => Ok(Some(bytes)),
                None => self.kept.get(hash).await,
            }
        })
    }
}

struct BothDefinitions {
    own: Arc<dyn Definitions>,
    kept: Arc<Reader>,
}

impl Definitions for BothDefinitions {
    fn revision(&self) -> u64 {
        self.own.revision()
    }

    fn definitions(&self) -> BoxFuture<'_, Result<Vec<Defined>, EngineError>> {
        Box::pin(async move {
            let mut all = self.kept.definitions().await?;
            for own in self.own.definitions().await? {
                if !all.iter().any(|one| one.kind == own.kind && one.name == own.name) {
                    all.push(own);
                }
            }
            Ok(all)
        })
    }

    fn redefine(&self, change: Redefinition) -> BoxFuture<'_, Result<bool, EngineError>> {
        self.own.redefine(change)
    }
}

pub(super) struct Rehearsing {
    worker: Worker,
    kept: Arc<Reader>,
}

impl Handler for Rehearsing {
    fn handle<'a>(&'a self, turn: &'a dyn Turn, event: Event) -> BoxFuture<'a, Result<(), TurnFailed>> {
        Box::pin(async move { self.worker.handle(&Rehearsed { turn, kept: &self.kept }, event).await })
    }
}

/// A turn of the rehearsal. Only a business key is looked for elsewhere first; all the rest is its own.
struct Rehearsed<'a> {
    turn: &'a dyn Turn,
    kept: &'a Reader,
}

impl Turn for Rehearsed<'_> {
    fn claim<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Claim, EngineError>> {
        Box::pin(async move {
            match self.kept.holder(key).await? {
                Some(session) => Ok(Claim::Theirs { session }),
                None => self.turn.claim(key).await,
            }
        })
    }

    fn session(&self) -> &SessionId {
        self.turn.session()
    }

    fn attempt(&self) -> u32 {
        self.turn.attempt()
    }

    fn began(&self) -> Timestamp {
        self.turn.began()
    }

    fn load(&self) -> BoxFuture<'_, Result<Option<Checkpoint>, EngineError>> {
        self.turn.load()
    }

    fn journal(&self, seq: u64) -> BoxFuture<'_, Result<Vec<Arc<Recorded>>, EngineError>> {
        self.turn.journal(seq)
    }

    fn step<'a>(
        &'a self,
        name: &'a str,
        work: BoxFuture<'a, Result<Value, StepFailed>>,
    ) -> BoxFuture<'a, Result<Value, EngineError>> {
        self.turn.step(name, work)
    }

    fn record(&self, entry: Entry) -> Result<(), EngineError> {
        self.turn.record(entry)
    }

    fn keep(&self, bytes: Vec<u8>) -> Result<BlobHash, EngineError> {
        self.turn.keep(bytes)
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        self.turn.durable()
    }

    fn save(&self, checkpoint: Checkpoint) -> Result<purple_worker::port::Digest, EngineError> {
        self.turn.save(checkpoint)
    }

    fn later(&self, after: Duration, event: Event) -> Result<(), EngineError> {
        self.turn.later(after, event)
    }

    /// Further tasks are rehearsed too. Runs that exist are not touched.
    fn post(&self, post: Post) -> Result<(), EngineError> {
        match post.event {
            Event::Start(_) => self.turn.post(post),
            Event::Message(_)
            | Event::Refused(_)
            | Event::Decision(_)
            | Event::Edit(_)
            | Event::Settled { .. }
            | Event::Undo { .. }
            | Event::Cancel { .. }
            | Event::Timer { .. }
            | Event::Continue => Ok(()),
        }
    }

    fn release(&self, key: &str) -> Result<(), EngineError> {
        self.turn.release(key)
    }

    fn halted<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<Option<Halt>, EngineError>> {
        self.turn.halted(process)
    }

    fn learn(&self, lesson: Lesson) -> Result<(), EngineError> {
        self.turn.learn(lesson)
    }

    fn notify(&self, notice: Notice) -> Result<(), EngineError> {
        self.turn.notify(notice)
    }
}
