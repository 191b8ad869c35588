//! Where turns are performed again: a turn that remembers what it is told and commits nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use purple_journal::Record;
use purple_process::{Digest, SessionId};
use serde_json::Value;

use super::tape::Tape;
use crate::event::Event;
use crate::port::{
    BlobHash, Blobs, BoxFuture, Checkpoint, Claim, EngineError, Entry, Halt, Lesson, Notice, Post, Recorded,
    StepFailed, Turn,
};

type Kept = Arc<Mutex<BTreeMap<BlobHash, Vec<u8>>>>;

/// One session on the stage.
pub(super) struct Stage {
    session: SessionId,
    began: Timestamp,
    attempt: u32,
    tape: Option<Arc<Tape>>,
    kept: Kept,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What the turns before wrote.
    journal: Vec<Arc<Recorded>>,
    /// What this turn wrote.
    written: Vec<Entry>,
    saved: Option<Checkpoint>,
    saving: Option<Checkpoint>,
}

impl Stage {
    pub(super) fn new(session: SessionId) -> Self {
        Self {
            session,
            began: Timestamp::UNIX_EPOCH,
            attempt: 0,
            tape: None,
            kept: Kept::default(),
            state: Mutex::default(),
        }
    }

    pub(super) fn begin(&mut self, began: Timestamp, attempt: u32, tape: Arc<Tape>) {
        (self.began, self.attempt, self.tape) = (began, attempt, Some(tape));
    }

    /// Ends the turn: what it wrote, of which an interrupted one keeps only so much.
    pub(super) fn end(&self, interrupted: bool, entries: usize) -> Vec<Record> {
        let mut state = self.state();
        let written = std::mem::take(&mut state.written);
        let records = written.iter().map(|entry| entry.record.clone()).collect();
        let stays = if interrupted { entries } else { written.len() };
        for entry in written.into_iter().take(stays) {
            let recorded = self.recorded(state.journal.len(), entry);
            state.journal.push(Arc::new(recorded));
        }
        let saving = state.saving.take();
        if !interrupted && saving.is_some() {
            state.saved = saving;
        }
        records
    }

    /// What was kept here, and behind it what the run itself kept.
    pub(super) fn blobs(&self, behind: Arc<dyn Blobs>) -> StageBlobs {
        StageBlobs { kept: Arc::clone(&self.kept), behind }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An entry in its place. Nobody looks at the chain here.
    fn recorded(&self, before: usize, entry: Entry) -> Recorded {
        let seq = u64::try_from(before).unwrap_or(u64::MAX).saturating_add(1);
        let nothing = Digest::of(b"");
        Recorded { session: self.session.clone(), seq, prev: nothing, hash: nothing, entry }
    }
}

impl Turn for Stage {
    fn session(&self) -> &SessionId {
        &self.session
    }

    fn attempt(&self) -> u32 {
        self.attempt
    }

    fn began(&self) -> Timestamp {
        self.began
    }

    fn load(&self) -> BoxFuture<'_, Result<Option<Checkpoint>, EngineError>> {
        let state = self.state();
        let saved = state.saving.clone().or_else(|| state.saved.clone());
        Box::pin(std::future::ready(Ok(saved)))
    }

    fn journal(&self, seq: u64) -> BoxFuture<'_, Result<Vec<Arc<Recorded>>, EngineError>> {
        let state = self.state();
        let mut journal = state.journal.clone();
        for entry in &state.written {
            let recorded = self.recorded(journal.len(), entry.clone());
            journal.push(Arc::new(recorded));
        }
        journal.retain(|recorded| recorded.seq > seq);
        Box::pin(std::future::ready(Ok(journal)))
    }

    fn step<'a>(
        &'a self,
        name: &'a str,
        work: BoxFuture<'a, Result<Value, StepFailed>>,
    ) -> BoxFuture<'a, Result<Value, EngineError>> {
        if name == crate::execute::reverse::STEP {
            let found = self.tape.as_ref().map_or(Value::Null, |tape| tape.reversal());
            return Box::pin(std::future::ready(Ok(found)));
        }
        if name.starts_with(crate::drive::STEP) {
            let ended = || Err(StepFailed { reason: "\"the journal ends here\"".to_owned() });
            let told = self.tape.as_ref().and_then(|tape| tape.replied()).unwrap_or_else(ended);
            let told = told.map_err(|cause| EngineError::Step { name: name.to_owned(), cause });
            return Box::pin(std::future::ready(told));
        }
        Box::pin(
            async move { work.await.map_err(|cause| EngineError::Step { name: name.to_owned(), cause }) },
        )
    }

    fn record(&self, entry: Entry) -> Result<(), EngineError> {
        self.state().written.push(entry);
        Ok(())
    }

    fn keep(&self, bytes: Vec<u8>) -> Result<BlobHash, EngineError> {
        let hash = BlobHash(Digest::of(&bytes));
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).insert(hash, bytes);
        Ok(hash)
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn save(&self, checkpoint: Checkpoint) -> Result<Digest, EngineError> {
        self.state().saving = Some(checkpoint);
        // Times differ, so the digest does too; nobody compares it.
        Ok(Digest::of(b""))
    }

    fn later(&self, _: Duration, _: Event) -> Result<(), EngineError> {
        Ok(())
    }

    fn post(&self, _: Post) -> Result<(), EngineError> {
        Ok(())
    }

    fn claim<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Claim, EngineError>> {
        let claim = self.tape.as_ref().map_or(Claim::Ours, |tape| tape.claimed());
        Box::pin(std::future::ready(Ok(claim)))
    }

    fn release(&self, _: &str) -> Result<(), EngineError> {
        Ok(())
    }

    fn halted<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Halt>, EngineError>> {
        let halt = self.tape.as_ref().and_then(|tape| tape.halted());
        Box::pin(std::future::ready(Ok(halt)))
    }

    fn halted_before_call<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Halt>, EngineError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    fn learn(&self, _: Lesson) -> Result<(), EngineError> {
        Ok(())
    }

    fn notify(&self, _: Notice) -> Result<(), EngineError> {
        Ok(())
    }
}

/// Blobs of the stage before those of the archive.
pub(super) struct StageBlobs {
    kept: Kept,
    behind: Arc<dyn Blobs>,
}

impl Blobs for StageBlobs {
    fn get(&self, hash: BlobHash) -> BoxFuture<'_, Result<Option<Vec<u8>>, EngineError>> {
        let here = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&hash).cloned();
        match here {
            Some(bytes) => Box::pin(std::future::ready(Ok(Some(bytes)))),
            None => self.behind.get(hash),
        }
    }
}
