//! One turn: gathers in memory what it says, and hands it to the writer where a promise is made.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use purple_journal::canonical;
use purple_journal::chain::{Chain, Head};
use purple_port::limits::{
    BLOB_BYTES_MAX, CASE_BYTES_MAX, CLAIM_BYTES_MAX, DEDUP_BYTES_MAX, ENTRY_BYTES_MAX, EVENT_BYTES_MAX,
    NOTICE_BYTES_MAX, SESSION_BYTES_MAX, STEP_BYTES_MAX, SUMMARY_BYTES_MAX,
};
use purple_port::{
    AcceptedTask, BlobHash, BoxFuture, Checkpoint, Claim, Digest, EngineError, Entry, Event, Halt, Lesson,
    Notice, Post, Recorded, SessionId, StepFailed, Turn,
};
use serde_json::Value;

use crate::board::lock;
use crate::claim::{Claimed, others_wait};
use crate::error::StorageFailed;
use crate::halts;
use crate::pack::Stored;
use crate::read;
use crate::recent::{Left, Whole};
use crate::store::{Core, ENTRIES_HERE_MAX};
use crate::time::{Micros, later, micros, timestamp};
use crate::work::{
    Batch, Done, NewBlob, NewCheckpoint, NewClaim, NewEntry, NewEvent, NewPost, NewStep, Sealed, SessionKey,
    TurnEnd, Work,
};

/// A turn that runs.
pub(crate) struct LiveTurn {
    core: Arc<Core>,
    session: SessionKey,
    event: i64,
    attempt: u32,
    began: Micros,
    /// How long the journal was when the turn began.
    first: u64,
    state: Mutex<State>,
}

struct State {
    loaded: Option<Checkpoint>,
    /// The journal before this turn, if it is known here.
    earlier: Option<Whole>,
    /// All that this turn recorded.
    said: Whole,
    /// What of it did not go to the writer yet, the head before that, and the head behind it.
    links: Vec<NewEntry>,
    sent: Head,
    head: Head,
    /// Results that are kept, from this attempt and earlier ones.
    steps: HashMap<String, Value>,
    /// Names that this attempt asked for.
    asked: HashSet<String>,
    new_steps: Vec<NewStep>,
    blobs: Vec<NewBlob>,
    saved: Option<NewCheckpoint>,
    follow_ups: Vec<NewEvent>,
    posts: Vec<NewPost>,
    notices: Vec<String>,
    released: Vec<String>,
    lessons: Vec<Lesson>,
    writer: WriterWord,
}

/// What the writer said last to this turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriterWord {
    /// All that was sent is on the disk.
    Kept,
    /// Something is on its way; nobody waited for the answer yet.
    Asked,
    /// Something was not kept: the turn cannot end.
    Refused,
}

impl LiveTurn {
    pub(crate) fn new(core: Arc<Core>, claimed: Claimed) -> (Self, Event) {
        let state = State {
            loaded: claimed.checkpoint,
            earlier: claimed.journal,
            said: Whole::default(),
            links: Vec::new(),
            sent: claimed.head,
            head: claimed.head,
            steps: claimed.steps,
            asked: HashSet::new(),
            new_steps: Vec::new(),
            blobs: Vec::new(),
            saved: None,
            follow_ups: Vec::new(),
            posts: Vec::new(),
            notices: Vec::new(),
            released: Vec::new(),
            lessons: Vec::new(),
            writer: WriterWord::Kept,
        };
        let turn = Self {
            began: core.time.now(),
            core,
            session: claimed.session,
            event: claimed.id,
            attempt: claimed.attempts,
            first: claimed.head.seq,
            state: Mutex::new(state),
        };
        (turn, claimed.event)
    }

    /// Commits all of the turn with its end.
    pub(crate) async fn end(self) -> Result<(), EngineError> {
        let batch = self.batch()?;
        let end = {
            let mut state = lock(&self.state);
            Box::new(TurnEnd {
                // Results that no commit has taken yet are not needed any more: their event ends here.
                batch: Batch { steps: Vec::new(), ..batch },
                checkpoint: state.saved.take(),
                follow_ups: std::mem::take(&mut state.follow_ups),
                posts: std::mem::take(&mut state.posts),
                notices: std::mem::take(&mut state.notices),
                released: std::mem::take(&mut state.released),
                lessons: std::mem::take(&mut state.lessons),
            })
        };
        self.core.writer.write(Work::End(end)).await?;
        self.leave();
        Ok(())
    }

    /// What the next turn of this session begins with.
    fn leave(self) {
        let State { loaded, earlier, said, head, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(mut journal) = earlier else { return };
        journal.bytes = journal.bytes.saturating_add(said.bytes);
        journal.entries.extend(said.entries);
        self.core.recent.put(self.session.id, Left { head, checkpoint: loaded, journal });
    }

    /// What was gathered since the last batch.
    fn batch(&self) -> Result<Batch, EngineError> {
        let mut state = lock(&self.state);
        if state.writer == WriterWord::Refused {
            let said = "an earlier commit of this turn failed".to_owned();
            return Err(EngineError::Storage(Box::new(StorageFailed { what: "writing", said })));
        }
        let (from, head) = (state.sent, state.head);
        state.sent = head;
        let links = std::mem::take(&mut state.links);
        Ok(Batch {
            session: self.session.clone(),
            event: self.event,
            from,
            links,
            steps: std::mem::take(&mut state.new_steps),
            blobs: std::mem::take(&mut state.blobs),
            now: self.core.time.now(),
        })
    }

    async fn make_durable(&self) -> Result<(), EngineError> {
        let batch = self.batch()?;
        if batch.is_empty() && lock(&self.state).writer == WriterWord::Kept {
            return Ok(());
        }
        lock(&self.state).writer = WriterWord::Asked;
        let result = self.core.writer.write(Work::Durable(batch)).await;
        lock(&self.state).writer = if result.is_ok() { WriterWord::Kept } else { WriterWord::Refused };
        result.map(drop)
    }

    fn keep_step(&self, name: &str, value: Value) -> Result<Value, EngineError> {
        let text = value.to_string();
        fits("result of a step", text.len(), STEP_BYTES_MAX)?;
        let mut state = lock(&self.state);
        state.steps.insert(name.to_owned(), value.clone());
        state.new_steps.push(NewStep { name: name.to_owned(), value: Sealed::new(text) });
        Ok(value)
    }

    /// The journal before this turn after `seq`: from memory, or from the disk.
    async fn before(&self, seq: u64) -> Result<Vec<Arc<Recorded>>, EngineError> {
        if let Some(known) = &lock(&self.state).earlier {
            return Ok(known.entries.iter().filter(|recorded| seq < recorded.seq).cloned().collect());
        }
        let (name, readers) = (self.session.name.clone(), &self.core.readers);
        let limit = usize::try_from(self.first.saturating_sub(seq)).unwrap_or(usize::MAX);
        let found = match limit {
            0 => Vec::new(),
            1..=ENTRIES_HERE_MAX => readers.look_here(|db| read::since(db, &name, seq, limit))?,
            _ => readers.look(move |db| read::since(db, &name, seq, limit)).await?,
        };
        let entries: Vec<Arc<Recorded>> = found.into_iter().map(Arc::new).collect();
        if seq == 0 {
            let bytes = entries.iter().map(|recorded| recorded.entry.text().len()).sum();
            lock(&self.state).earlier = Some(Whole { entries: entries.clone(), bytes });
        }
        Ok(entries)
    }
}

impl Turn for LiveTurn {
    fn session(&self) -> &SessionId {
        &self.session.name
    }

    fn attempt(&self) -> u32 {
        self.attempt
    }

    fn began(&self) -> Timestamp {
        timestamp(self.began)
    }

    fn load(&self) -> BoxFuture<'_, Result<Option<Checkpoint>, EngineError>> {
        let loaded = lock(&self.state).loaded.clone();
        Box::pin(std::future::ready(Ok(loaded)))
    }

    fn journal(&self, seq: u64) -> BoxFuture<'_, Result<Vec<Arc<Recorded>>, EngineError>> {
        Box::pin(async move {
            let mut found = self.before(seq).await?;
            let state = lock(&self.state);
            found.extend(state.said.entries.iter().filter(|recorded| seq < recorded.seq).cloned());
            Ok(found)
        })
    }

    fn step<'a>(
        &'a self,
        name: &'a str,
        work: BoxFuture<'a, Result<Value, StepFailed>>,
    ) -> BoxFuture<'a, Result<Value, EngineError>> {
        Box::pin(async move {
            let kept = {
                let mut state = lock(&self.state);
                if !state.asked.insert(name.to_owned()) {
                    return Err(EngineError::StepRepeated { name: name.to_owned() });
                }
                state.steps.get(name).cloned()
            };
            if let Some(value) = kept {
                return Ok(value);
            }
            let value = work.await.map_err(|cause| EngineError::Step { name: name.to_owned(), cause })?;
            self.keep_step(name, value)
        })
    }

    fn record(&self, entry: Entry) -> Result<(), EngineError> {
        let text = entry.text();
        fits("journal entry", text.len(), ENTRY_BYTES_MAX)?;
        let mut state = lock(&self.state);
        let prev = state.head.hash;
        let head = state.head.after(Chain::Run(&self.session.name), &text);
        state.head = head;
        state.said.bytes = state.said.bytes.saturating_add(text.len());
        let session = self.session.name.clone();
        state.said.entries.push(Arc::new(Recorded { session, seq: head.seq, prev, hash: head.hash, entry }));
        state.links.push(NewEntry { head, text: Stored::of(text) });
        Ok(())
    }

    fn keep(&self, bytes: Vec<u8>) -> Result<BlobHash, EngineError> {
        fits("blob", bytes.len(), BLOB_BYTES_MAX)?;
        let hash = Digest::of(&bytes);
        lock(&self.state).blobs.push(NewBlob { hash, bytes: Stored::of(bytes) });
        Ok(BlobHash(hash))
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(self.make_durable())
    }

    fn save(&self, checkpoint: Checkpoint) -> Result<Digest, EngineError> {
        let body = checkpoint.body.to_string();
        fits("session", body.len(), SESSION_BYTES_MAX)?;
        let summary = checkpoint.summary.to_string();
        fits("summary", summary.len(), SUMMARY_BYTES_MAX)?;
        let mut state = lock(&self.state);
        let saved = NewCheckpoint::new(checkpoint.schema, body, summary);
        let digest = saved.digest;
        state.saved = Some(saved);
        state.loaded = Some(checkpoint);
        Ok(digest)
    }

    fn later(&self, after: Duration, event: Event) -> Result<(), EngineError> {
        let due = if after.is_zero() { NewEvent::AT_ONCE } else { later(self.core.time.now(), after) };
        let new = new_event(due, &event)?;
        let mut state = lock(&self.state);
        if new.timer.is_some() {
            state.follow_ups.retain(|earlier| earlier.timer != new.timer);
        }
        state.follow_ups.push(new);
        Ok(())
    }

    fn post(&self, post: Post) -> Result<(), EngineError> {
        let new = new_post(post, self.core.time.now())?;
        lock(&self.state).posts.push(new);
        Ok(())
    }

    fn claim<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Claim, EngineError>> {
        Box::pin(async move {
            fits("business key", key.len(), CLAIM_BYTES_MAX)?;
            // Who claims again what this turn has given back keeps it.
            lock(&self.state).released.retain(|released| released != key);
            let (session, key, now) = (self.session.clone(), key.to_owned(), self.core.time.now());
            match self.core.writer.write(Work::Claim(NewClaim { session, key, now })).await? {
                Done::Claimed(claim) => Ok(claim),
                other @ (Done::Written
                | Done::Posted(_)
                | Done::Nothing
                | Done::Learned(_)
                | Done::Pruned { .. }) => {
                    let said = format!("a claim was answered with {other:?}");
                    Err(EngineError::Storage(Box::new(StorageFailed { what: "writing", said })))
                }
            }
        })
    }

    fn release(&self, key: &str) -> Result<(), EngineError> {
        fits("business key", key.len(), CLAIM_BYTES_MAX)?;
        lock(&self.state).released.push(key.to_owned());
        Ok(())
    }

    fn halted<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<Option<Halt>, EngineError>> {
        // A new look sees every commit that was answered before it.
        let found = self.core.readers.glance(|db| halts::holding(db, process));
        Box::pin(std::future::ready(found))
    }

    fn others_wait(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let (session, event) = (self.session.id, self.event);
            loop {
                let told = self.core.board.watch_wishes(session);
                let now = self.core.time.now();
                match self.core.readers.look_here(|db| others_wait(db, session, event, now)) {
                    Ok(true) => return,
                    Ok(false) => {}
                    // Who reads next is told.
                    Err(_) => return std::future::pending().await,
                }
                if told.await.is_err() {
                    return std::future::pending().await;
                }
            }
        })
    }

    fn learn(&self, lesson: Lesson) -> Result<(), EngineError> {
        if let Some(case) = &lesson.case {
            fits("case", encode("case", case)?.len(), CASE_BYTES_MAX)?;
        }
        lock(&self.state).lessons.push(lesson);
        Ok(())
    }

    fn notify(&self, notice: Notice) -> Result<(), EngineError> {
        let text = encode("notice", &notice)?;
        fits("notice", text.len(), NOTICE_BYTES_MAX)?;
        lock(&self.state).notices.push(text);
        Ok(())
    }
}

/// An event as it is stored. Its canonical text decides whether two posts are the same.
/// An event for a session, as it is written.
pub(crate) fn new_post(post: Post, now: Micros) -> Result<NewPost, EngineError> {
    fits("dedup key", post.dedup.0.len(), DEDUP_BYTES_MAX)?;
    let due = post.due.map_or(NewEvent::AT_ONCE, micros);
    let event = new_event(due, &post.event)?;
    let summary = encode("summary", &AcceptedTask::of(&post.event))?;
    Ok(NewPost { session: post.session, dedup: post.dedup, event, summary, now })
}

pub(crate) fn new_event(due: Micros, event: &Event) -> Result<NewEvent, EngineError> {
    let value = serde_json::to_value(event).map_err(|error| unwritable("event", &error))?;
    let text = canonical::text(&value);
    fits("event", text.len(), EVENT_BYTES_MAX)?;
    let timer = match event {
        Event::Timer { name } => Some(name.clone()),
        Event::Start(_)
        | Event::Message(_)
        | Event::Refused(_)
        | Event::Decision(_)
        | Event::Edit(_)
        | Event::Settled { .. }
        | Event::Undo { .. }
        | Event::Cancel { .. }
        | Event::Continue => None,
    };
    Ok(NewEvent { due, timer, event: Sealed::new(text) })
}

pub(crate) fn encode(what: &'static str, value: &impl serde::Serialize) -> Result<String, EngineError> {
    serde_json::to_string(value).map_err(|error| unwritable(what, &error))
}

fn unwritable(what: &'static str, error: &serde_json::Error) -> EngineError {
    EngineError::Damaged { what, detail: error.to_string() }
}

/// Refuses what is larger than its limit.
pub(crate) fn fits(what: &'static str, bytes: usize, bytes_max: usize) -> Result<(), EngineError> {
    if bytes <= bytes_max { Ok(()) } else { Err(EngineError::TooLarge { what, bytes, bytes_max }) }
}
