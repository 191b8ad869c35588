//! One turn of the engine in memory.

use std::sync::Mutex;
use std::time::Duration;

use jiff::Timestamp;
use purple_journal::Record;
use purple_journal::record::run::Run;
use purple_journal::record::write::Write;
use purple_process::{Digest, Event as State, SessionId};
use purple_worker::Event;
use purple_worker::port::{
    BlobHash, BoxFuture, Checkpoint, Claim, EngineError, Entry, Halt, Lesson, Notice, Post, Recorded,
    StepFailed, Turn,
};
use serde_json::Value;

use super::{Due, Forgets, MemoryEngine, ready, unpoisoned};

/// Takes out the files that earlier rounds pointed to, wherever the session keeps them.
fn forget_pointed(body: &mut Value) {
    let Some(fields) = body.as_object_mut() else { return };
    if fields.get("pointed").is_some_and(Value::is_array) {
        fields.remove("pointed");
    }
    fields.values_mut().for_each(forget_pointed);
}

/// Whether this says what was sent before the last round began.
fn is_of_earlier_round(recorded: &Recorded, journal: &[Recorded]) -> bool {
    let begins = |one: &&Recorded| matches!(one.record(), Record::Run(Run::StateEntered(entered)) if entered.event == State::NewRound);
    let began = journal.iter().rev().find(begins).map_or(0, |one| one.seq);
    recorded.seq < began && matches!(recorded.record(), Record::Write(Write::Intent(_)))
}

pub(super) struct MemoryTurn<'a> {
    engine: &'a MemoryEngine,
    session: SessionId,
    attempt: u32,
    began: Timestamp,
    /// What the end of the turn commits.
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    entries: Vec<Entry>,
    checkpoint: Option<Checkpoint>,
    later: Vec<(Duration, Event)>,
    posts: Vec<Post>,
    released: Vec<String>,
    notices: Vec<Notice>,
}

impl<'a> MemoryTurn<'a> {
    pub(super) fn new(engine: &'a MemoryEngine, due: &Due) -> Self {
        let began = engine.state().high_water;
        let (session, attempt) = (due.session.clone(), due.attempt);
        Self { engine, session, attempt, began, pending: Mutex::default() }
    }

    pub(super) fn commit(&self) -> Result<(), EngineError> {
        let pending = std::mem::take(&mut *unpoisoned(&self.pending));
        let mut state = self.engine.state();
        state.append(&self.session, self.began, pending.entries);
        if let (Some(saved), Some(kept)) = (pending.checkpoint, state.sessions.get_mut(&self.session)) {
            kept.checkpoint = Some(saved);
        }
        state.notices.extend(pending.notices);
        for key in pending.released {
            state.claims.remove(&key);
        }
        for (after, event) in pending.later {
            let at = self.began.checked_add(after).unwrap_or(Timestamp::MAX);
            state.post(self.session.clone(), at, event);
        }
        for post in pending.posts {
            state.take(post, self.began);
        }
        Ok(())
    }
}

impl Turn for MemoryTurn<'_> {
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
        let saving = unpoisoned(&self.pending).checkpoint.clone();
        let saved = || self.engine.state().sessions.get(&self.session)?.checkpoint.clone();
        let mut checkpoint = saving.or_else(saved);
        if self.engine.forgets == Forgets::PointedFiles
            && let Some(saved) = &mut checkpoint
        {
            forget_pointed(&mut saved.body);
        }
        ready(Ok(checkpoint))
    }

    fn journal(&self, seq: u64) -> BoxFuture<'_, Result<Vec<std::sync::Arc<Recorded>>, EngineError>> {
        // Entries have their places only in the journal.
        let entries = std::mem::take(&mut unpoisoned(&self.pending).entries);
        let mut state = self.engine.state();
        state.append(&self.session, self.began, entries);
        let journal = state.sessions.get(&self.session).map_or(&[][..], |kept| &kept.journal);
        let is_forgotten = |recorded: &Recorded| {
            self.engine.forgets == Forgets::EarlierRounds && is_of_earlier_round(recorded, journal)
        };
        ready(Ok(journal
            .iter()
            .filter(|recorded| recorded.seq > seq && !is_forgotten(recorded))
            .cloned()
            .map(std::sync::Arc::new)
            .collect()))
    }

    fn step<'a>(
        &'a self,
        name: &'a str,
        work: BoxFuture<'a, Result<Value, StepFailed>>,
    ) -> BoxFuture<'a, Result<Value, EngineError>> {
        Box::pin(
            async move { work.await.map_err(|cause| EngineError::Step { name: name.to_owned(), cause }) },
        )
    }

    fn record(&self, entry: Entry) -> Result<(), EngineError> {
        unpoisoned(&self.pending).entries.push(entry);
        Ok(())
    }

    fn keep(&self, bytes: Vec<u8>) -> Result<BlobHash, EngineError> {
        let hash = BlobHash(Digest::of(&bytes));
        self.engine.state().blobs.insert(hash, bytes);
        Ok(hash)
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        let entries = std::mem::take(&mut unpoisoned(&self.pending).entries);
        self.engine.state().append(&self.session, self.began, entries);
        ready(Ok(()))
    }

    fn save(&self, checkpoint: Checkpoint) -> Result<Digest, EngineError> {
        let digest = Digest::of(checkpoint.body.to_string().as_bytes());
        unpoisoned(&self.pending).checkpoint = Some(checkpoint);
        Ok(digest)
    }

    fn later(&self, after: Duration, event: Event) -> Result<(), EngineError> {
        unpoisoned(&self.pending).later.push((after, event));
        Ok(())
    }

    fn post(&self, post: Post) -> Result<(), EngineError> {
        unpoisoned(&self.pending).posts.push(post);
        Ok(())
    }

    fn claim<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Claim, EngineError>> {
        let mut state = self.engine.state();
        let owner = state.claims.entry(key.to_owned()).or_insert_with(|| self.session.clone());
        let claim =
            if *owner == self.session { Claim::Ours } else { Claim::Theirs { session: owner.clone() } };
        ready(Ok(claim))
    }

    fn release(&self, key: &str) -> Result<(), EngineError> {
        unpoisoned(&self.pending).released.push(key.to_owned());
        Ok(())
    }

    fn halted<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<Option<Halt>, EngineError>> {
        let holds = |halt: &&Halt| halt.process.as_deref().is_none_or(|name| name == process);
        ready(Ok(self.engine.state().halts.iter().find(holds).cloned()))
    }

    fn learn(&self, _: Lesson) -> Result<(), EngineError> {
        Ok(())
    }

    fn notify(&self, notice: Notice) -> Result<(), EngineError> {
        unpoisoned(&self.pending).notices.push(notice);
        Ok(())
    }
}
