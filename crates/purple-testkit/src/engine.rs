//! An engine in memory: turns one after the other, timers by a clock that is moved by hand, nothing on any disk.
//!
//! It keeps the worker's promises to a turn and forgets everything at its end; what must survive a kill is tested with
//! the real store.

mod turn;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use purple_process::{Digest, PersonId, SessionId};
use purple_worker::Event;
use purple_worker::learn::bandit::Tally;
use purple_worker::port::{
    BlobHash, Blobs, BoxFuture, Brake, Check, Checkpoint, Clock, EngineError, Entity, Entry, Events, Fact,
    Halt, Handler, Inbox, Logged, Memory, Notice, PastCase, Post, Posted, Ranked, Recorded, SessionRow,
    Stuck, Whose,
};
use serde_json::Value;

use turn::MemoryTurn;

/// How often an event is begun before its session is stuck.
const ATTEMPTS_MAX: u32 = 3;

/// A clock that is moved by hand; who waits is woken by every move.
pub struct HandClock {
    now: Mutex<Timestamp>,
    moved: tokio::sync::watch::Sender<u64>,
}

impl HandClock {
    /// A clock that stands at this time.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self { now: Mutex::new(now), moved: tokio::sync::watch::Sender::new(0) }
    }

    /// Moves it on; beyond the end of time it stays where it is.
    pub fn forward(&self, by: Duration) {
        let mut now = unpoisoned(&self.now);
        *now = now.checked_add(by).unwrap_or(*now);
        drop(now);
        self.moved.send_modify(|moves| *moves += 1);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        *unpoisoned(&self.now)
    }

    fn reached(&self, at: Timestamp) -> BoxFuture<'_, ()> {
        let mut moved = self.moved.subscribe();
        Box::pin(async move {
            while self.now() < at {
                let _ = moved.changed().await;
            }
        })
    }
}

/// Sessions, journals, blobs and what is due, all in memory.
pub struct MemoryEngine {
    clock: std::sync::Arc<dyn Clock>,
    state: Mutex<State>,
    forgets: Forgets,
}

#[derive(Default)]
struct State {
    sessions: BTreeMap<SessionId, Kept>,
    blobs: BTreeMap<BlobHash, Vec<u8>>,
    due: Vec<Due>,
    posted: BTreeMap<String, (SessionId, Event)>,
    claims: BTreeMap<String, SessionId>,
    notices: Vec<Notice>,
    halts: Vec<Halt>,
    number: u64,
    high_water: Timestamp,
}

struct Kept {
    began: Timestamp,
    changed: Timestamp,
    checkpoint: Option<Checkpoint>,
    journal: Vec<Recorded>,
    stuck: Option<Stuck>,
}

/// An event that waits for its time.
#[derive(Clone)]
struct Due {
    at: Timestamp,
    /// Its place among all events; the key of its steps.
    number: u64,
    session: SessionId,
    event: Event,
    attempt: u32,
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What an engine gives back no more, so that a worker can be made worse than it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forgets {
    /// Nothing: everything comes back as it was kept.
    #[default]
    Nothing,
    /// The process files that earlier rounds pointed to.
    PointedFiles,
    /// What earlier rounds sent.
    EarlierRounds,
}

impl MemoryEngine {
    /// An empty engine.
    #[must_use]
    pub fn new(clock: std::sync::Arc<dyn Clock>) -> Self {
        Self { clock, state: Mutex::default(), forgets: Forgets::Nothing }
    }

    /// The same with a bad memory: what a worker would be that does not look at it.
    #[must_use]
    pub fn forgetting(self, forgets: Forgets) -> Self {
        Self { forgets, ..self }
    }

    /// Runs everything that is due, and what comes of it, until nothing is due.
    pub async fn run(&self, handler: &dyn Handler) {
        while let Some(due) = self.take() {
            let (attempt, event) = (due.attempt, due.event.clone());
            let turn = MemoryTurn::new(self, &due);
            let ended = handler.handle(&turn, event).await.and_then(|()| Ok(turn.commit()?));
            let Err(failed) = ended else { continue };
            let mut state = self.state();
            let attempts = attempt + 1;
            if attempts < ATTEMPTS_MAX {
                state.due.push(Due { attempt: attempts, ..due });
            } else if let Some(kept) = state.sessions.get_mut(&due.session) {
                kept.stuck = Some(Stuck { reason: failed.to_string(), attempts });
            }
        }
    }

    /// When the next timer rings, if any is set.
    #[must_use]
    pub fn rings_at(&self) -> Option<Timestamp> {
        self.state().due.iter().map(|due| due.at).min()
    }

    /// What was given to the outbox, in order.
    #[must_use]
    pub fn notices(&self) -> Vec<Notice> {
        self.state().notices.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        unpoisoned(&self.state)
    }

    /// The first event that is due.
    fn take(&self) -> Option<Due> {
        let now = self.clock.now();
        let mut state = self.state();
        state.high_water = state.high_water.max(now);
        let due = state.due.iter().enumerate().filter(|(_, due)| due.at <= now);
        let (at, _) = due.min_by_key(|(_, due)| (due.at, due.number))?;
        Some(state.due.remove(at))
    }
}

impl State {
    fn session(&mut self, session: &SessionId, now: Timestamp) -> &mut Kept {
        let new = || Kept { began: now, changed: now, checkpoint: None, journal: Vec::new(), stuck: None };
        self.sessions.entry(session.clone()).or_insert_with(new)
    }

    fn append(&mut self, session: &SessionId, now: Timestamp, entries: Vec<Entry>) {
        let kept = self.session(session, now);
        kept.changed = now;
        for entry in entries {
            let seq = u64::try_from(kept.journal.len()).unwrap_or(u64::MAX).saturating_add(1);
            // Nobody verifies the chain here.
            let nothing = Digest::of(b"");
            let session = session.clone();
            kept.journal.push(Recorded { session, seq, prev: nothing, hash: nothing, entry });
        }
    }

    /// Takes an event from outside or from another session, once.
    fn take(&mut self, post: Post, now: Timestamp) -> Posted {
        match self.posted.get(&post.dedup.0) {
            Some((session, event)) if *event == post.event => Posted::Repeated { session: session.clone() },
            Some((session, _)) => Posted::Conflicting { session: session.clone() },
            None => {
                let (session, event) = (post.session, post.event);
                self.session(&session, now);
                self.posted.insert(post.dedup.0, (session.clone(), event.clone()));
                self.post(session, post.due.unwrap_or(now), event);
                Posted::Accepted
            }
        }
    }

    fn post(&mut self, session: SessionId, at: Timestamp, event: Event) {
        self.number += 1;
        if let Event::Timer { .. } = &event {
            self.due.retain(|due| due.session != session || due.event != event);
        }
        self.due.push(Due { at, number: self.number, session, event, attempt: 0 });
    }
}

fn ready<'a, T: Send + 'a>(value: T) -> BoxFuture<'a, T> {
    Box::pin(std::future::ready(value))
}

impl Inbox for MemoryEngine {
    fn post(&self, post: Post) -> BoxFuture<'_, Result<Posted, EngineError>> {
        let now = self.clock.now();
        let posted = self.state().take(post, now);
        ready(Ok(posted))
    }
}

impl Events for MemoryEngine {
    fn since<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Recorded>, EngineError>> {
        let state = self.state();
        let journal = state.sessions.get(session).map_or(&[][..], |kept| &kept.journal);
        let after = journal.iter().filter(|recorded| recorded.seq > seq).take(limit);
        ready(Ok(after.cloned().collect()))
    }

    fn changed<'a>(&'a self, _: &'a SessionId, _: u64) -> BoxFuture<'a, Result<(), EngineError>> {
        ready(Ok(()))
    }

    fn sessions<'a>(
        &'a self,
        _: Option<&'a SessionId>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<SessionRow>, EngineError>> {
        let state = self.state();
        ready(Ok(state.sessions.iter().take(limit).map(|(session, kept)| kept.row(session)).collect()))
    }

    fn session<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<SessionRow>, EngineError>> {
        ready(Ok(self.state().sessions.get(session).map(|kept| kept.row(session))))
    }
}

impl Kept {
    fn row(&self, session: &SessionId) -> SessionRow {
        SessionRow {
            session: session.clone(),
            summary: self.checkpoint.as_ref().map_or(Value::Null, |saved| saved.summary.clone()),
            began: self.began,
            changed: self.changed,
            entries: u64::try_from(self.journal.len()).unwrap_or(u64::MAX),
            stuck: self.stuck.clone(),
            queued: Vec::new(),
        }
    }
}

impl Blobs for MemoryEngine {
    fn get(&self, hash: BlobHash) -> BoxFuture<'_, Result<Option<Vec<u8>>, EngineError>> {
        ready(Ok(self.state().blobs.get(&hash).cloned()))
    }
}

impl Brake for MemoryEngine {
    fn halt(&self, halt: Halt) -> BoxFuture<'_, Result<(), EngineError>> {
        let mut state = self.state();
        state.halts.retain(|held| held.process != halt.process);
        state.halts.push(halt);
        ready(Ok(()))
    }

    fn resume<'a>(
        &'a self,
        process: Option<&'a str>,
        _: &'a PersonId,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        let mut state = self.state();
        let before = state.halts.len();
        state.halts.retain(|halt| halt.process.as_deref() != process);
        ready(Ok(state.halts.len() < before))
    }

    fn halts(&self) -> BoxFuture<'_, Result<Vec<Halt>, EngineError>> {
        ready(Ok(self.state().halts.clone()))
    }

    fn held(&self) -> BoxFuture<'_, Result<Vec<SessionId>, EngineError>> {
        let state = self.state();
        let held = state.sessions.iter().filter(|(_, kept)| {
            kept.checkpoint.as_ref().is_some_and(|saved| saved.summary["status"] == "halted")
        });
        ready(Ok(held.map(|(session, _)| session.clone()).collect()))
    }
}

impl Memory for MemoryEngine {
    fn recall<'a>(&'a self, _: &'a str, _: usize) -> BoxFuture<'a, Result<Vec<Ranked>, EngineError>> {
        ready(Ok(Vec::new()))
    }

    fn log(&self, _: usize) -> BoxFuture<'_, Result<Vec<Logged>, EngineError>> {
        ready(Ok(Vec::new()))
    }

    fn tallies<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<Tally>, EngineError>> {
        ready(Ok(Vec::new()))
    }

    fn facts<'a>(&'a self, _: &'a Entity, _: usize) -> BoxFuture<'a, Result<Vec<Fact>, EngineError>> {
        ready(Ok(Vec::new()))
    }

    fn checks<'a>(&'a self, _: &'a str, _: usize) -> BoxFuture<'a, Result<Vec<Check>, EngineError>> {
        ready(Ok(Vec::new()))
    }

    fn history<'a>(
        &'a self,
        _: &'a Entity,
        _: Whose,
        _: usize,
    ) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>> {
        ready(Ok(Vec::new()))
    }
}
