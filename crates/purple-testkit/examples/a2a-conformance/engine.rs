//! An engine in memory whose "worker" does what the official compatibility kit asks of a system under test.
//!
//! The kit says what is to happen by how a message id begins; a text that begins so counts as well.

#![allow(clippy::unwrap_used, reason = "a tool for tests, which may unwrap")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use jiff::Timestamp;
use purple_journal::record::run::{Answered, Ended, StateEntered};
use purple_journal::record::task::Received;
use purple_journal::{Record, Redacted};
use purple_testkit::records;
use purple_worker::port::*;
use purple_worker::{Answer, AnswerData, Client, Event};
use serde_json::{Value, json};
use tokio::sync::watch;

/// How a turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With an answer.
    Completed,
    /// With a question.
    InputRequired,
    /// With an error.
    Failed,
}

/// What a message leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Script {
    /// How long it works first.
    pub(crate) works_for: Duration,
    pub(crate) end: End,
}

/// What the kit expects where a message says nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Otherwise {
    /// The line of 1.0: it is completed.
    Completed,
    /// The line of 0.3: it works for three seconds and then asks.
    WorksThenAsks,
}

/// Beginnings and what they lead to. The longest that fits counts.
const SCRIPTS: &[(&str, u64, End)] = &[
    ("tck-complete-task", 0, End::Completed),
    ("tck-artifact-", 0, End::Completed),
    ("tck-input-required", 0, End::InputRequired),
    ("tck-reject-task", 0, End::Failed),
    ("tck-stream-", 200, End::Completed),
    ("test-resubscribe-message-id", 4_000, End::Completed),
];

/// What a message with this id and these words leads to.
pub(crate) fn script(message_id: &str, words: &str, otherwise: Otherwise) -> Script {
    let fits = |(start, _, _): &&(&str, u64, End)| message_id.starts_with(start) || words.starts_with(start);
    let found = SCRIPTS.iter().filter(fits).max_by_key(|(start, _, _)| start.len());
    match (found, otherwise) {
        (Some((_, ms, end)), _) => Script { works_for: Duration::from_millis(*ms), end: *end },
        (None, Otherwise::Completed) => Script { works_for: Duration::ZERO, end: End::Completed },
        (None, Otherwise::WorksThenAsks) => {
            Script { works_for: Duration::from_secs(3), end: End::InputRequired }
        }
    }
}

#[derive(Default)]
struct Kept {
    dedup: BTreeMap<DedupKey, (SessionId, Event)>,
    rows: BTreeMap<SessionId, SessionRow>,
    order: Vec<SessionId>,
    journal: BTreeMap<SessionId, Vec<Recorded>>,
    blobs: BTreeMap<BlobHash, Vec<u8>>,
    watchers: BTreeMap<(SessionId, String), Watcher>,
}

/// The engine.
pub(crate) struct Conformance {
    kept: Mutex<Kept>,
    moved: watch::Sender<u64>,
    otherwise: Otherwise,
    outbox: Mutex<Option<Arc<dyn Outbox>>>,
}

impl Conformance {
    pub(crate) fn new(otherwise: Otherwise) -> Arc<Self> {
        let (kept, moved, outbox) = (Mutex::default(), watch::Sender::new(0), Mutex::default());
        Arc::new(Self { kept, moved, otherwise, outbox })
    }

    pub(crate) fn worker(self: &Arc<Self>) -> WorkerHandle {
        let client = Client {
            inbox: Arc::new(Taking(self.clone())),
            events: self.clone(),
            blobs: self.clone(),
            brake: self.clone(),
            clock: Arc::new(Now),
            endpoints_allowed: Vec::new(),
            account: None,
        };
        client.handle()
    }

    /// Who delivers notifications.
    pub(crate) fn deliver_by(&self, outbox: Arc<dyn Outbox>) {
        *self.outbox.lock().unwrap() = Some(outbox);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap()
    }

    /// A change became visible: readers look again, and watchers are told.
    fn tell(self: &Arc<Self>, run: &SessionId) {
        self.moved.send_modify(|moves| *moves += 1);
        let kept = self.kept();
        let to = kept.rows[run].entries;
        let ids: Vec<String> =
            kept.watchers.keys().filter(|(of, _)| of == run).map(|(_, id)| id.clone()).collect();
        drop(kept);
        for watcher in ids {
            self.notify(run, Moved { watcher, from: 0, to });
        }
    }

    fn notify(&self, session: &SessionId, moved: Moved) {
        let Some(outbox) = self.outbox.lock().unwrap().clone() else { return };
        let id = format!("{session}:{}:{}", moved.watcher, moved.to);
        let notice = Notice {
            id,
            session: session.clone(),
            kind: MOVED_KIND.to_owned(),
            body: purple_journal::RedactedJson::of(&moved),
        };
        tokio::spawn(async move { outbox.deliver(&notice).await });
    }
}

impl Kept {
    fn note(&mut self, run: &SessionId, record: impl Into<Record>) {
        let journal = self.journal.entry(run.clone()).or_default();
        let seq = journal.len() as u64 + 1;
        let entry = Entry { at: Now.now(), record: record.into() };
        let (prev, hash) = (Digest::of(b"before"), Digest::of(&seq.to_be_bytes()));
        journal.push(Recorded { session: run.clone(), seq, prev, hash, entry });
        if let Some(row) = self.rows.get_mut(run) {
            (row.entries, row.changed) = (seq, Now.now());
        }
    }

    fn begin(&mut self, run: &SessionId, event: &Event, text: &str, by: &PersonId) {
        let now = Now.now();
        let fresh = SessionRow {
            session: run.clone(),
            summary: Value::Null,
            began: now,
            changed: now,
            entries: 0,
            stuck: None,
            queued: Vec::new(),
        };
        let before = self.rows.entry(run.clone()).or_insert(fresh).summary.clone();
        self.order.retain(|one| one != run);
        self.order.push(run.clone());
        let over = u32::from(before["status"] == "closed");
        let round = before["round"].as_u64().map_or(1, |round| u32::try_from(round).unwrap() + over);
        let requester = if before.is_null() { json!(by) } else { before["requester"].clone() };
        self.rows.get_mut(run).unwrap().summary = json!({
            "status": "working", "state": State::Decompose, "ending": null, "round": round, "title": text,
            "process": null, "requester": requester, "mode": "careful", "approval": null, "doubt": null, "answer": null,
        });
        if before["status"] == "working" {
            self.note(run, records::turn_ended());
        }
        self.note(run, records::turn_of(event));
        if let Event::Start(start) = event {
            let message = start.message_id.as_ref().map(Redacted::of);
            self.note(run, Received { message, ..records::received(by.as_str(), text) });
        }
        let entered = records::entered(State::Complete, State::Decompose);
        self.note(run, StateEntered { round: records::round(round), ..entered });
    }

    fn end(&mut self, run: &SessionId, end: End) {
        let (status, state, ending) = match end {
            End::Completed => ("closed", State::Complete, Some(Ending::Done)),
            End::InputRequired => ("waiting", State::ApprovalGate, None),
            End::Failed => ("closed", State::Failed, Some(Ending::Failed)),
        };
        self.finish(run, status, state, ending, "Hello from TCK");
    }

    fn finish(&mut self, run: &SessionId, status: &str, state: State, ending: Option<Ending>, text: &str) {
        let data = AnswerData {
            answer: text.to_owned(),
            process: None,
            ending,
            mutations: Vec::new(),
            not_started: Vec::new(),
            figures: Vec::new(),
            policy: None,
            runs: Vec::new(),
            code: None,
            quality: None,
            quality_because: Vec::new(),
            took_ms: 0,
        };
        let bytes = serde_json::to_vec(&Answer { text: text.to_owned(), data }).unwrap();
        let hash = BlobHash(Digest::of(&bytes));
        self.blobs.insert(hash, bytes);
        let round = self.rows[run].summary["round"].as_u64().map_or(1, |round| u32::try_from(round).unwrap());
        let round = records::round(round);
        let summary = &mut self.rows.get_mut(run).unwrap().summary;
        summary["status"] = json!(status);
        summary["state"] = json!(state);
        summary["ending"] = json!(ending);
        summary["answer"] = json!(hash);
        match ending {
            None => self.note(run, Answered { answer: hash, round, ..records::answered() }),
            Some(_) => self.note(run, Ended { answer: hash, round, ..records::ended(ending) }),
        }
        self.note(run, records::turn_ended());
    }
}

struct Now;

impl Clock for Now {
    #[expect(clippy::disallowed_methods, reason = "this is the clock of a tool for tests")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The way in.
struct Taking(Arc<Conformance>);

impl Inbox for Taking {
    fn post(&self, post: Post) -> BoxFuture<'_, Result<Posted, EngineError>> {
        let conformance = self.0.clone();
        Box::pin(async move {
            let Post { session, dedup, event, .. } = post;
            {
                let mut kept = conformance.kept();
                match kept.dedup.get(&dedup) {
                    Some((session, before)) if *before == event => {
                        return Ok(Posted::Repeated { session: session.clone() });
                    }
                    Some((session, _)) => return Ok(Posted::Conflicting { session: session.clone() }),
                    None => kept.dedup.insert(dedup.clone(), (session.clone(), event.clone())),
                };
            }
            let message_id = dedup.0.splitn(3, ':').nth(2).unwrap_or_default().to_owned();
            match &event {
                Event::Start(start) => {
                    let script = script(&message_id, &start.text, conformance.otherwise);
                    conformance.kept().begin(&session, &event, &start.text, &start.by);
                    conformance.tell(&session);
                    tokio::spawn(async move {
                        tokio::time::sleep(script.works_for).await;
                        let works = conformance.kept().rows[&session].summary["status"] == "working";
                        if works {
                            conformance.kept().end(&session, script.end);
                            conformance.tell(&session);
                        }
                    });
                }
                Event::Cancel { by, .. } => {
                    let ending = Some(Ending::Cancelled);
                    let mut kept = conformance.kept();
                    kept.begin(&session, &event, "", by);
                    kept.finish(&session, "closed", State::Complete, ending, "Called off.");
                    drop(kept);
                    conformance.tell(&session);
                }
                Event::Message(_)
                | Event::Refused(_)
                | Event::Decision(_)
                | Event::Edit(_)
                | Event::Settled { .. }
                | Event::Undo { .. }
                | Event::Timer { .. }
                | Event::Continue => {}
            }
            Ok(Posted::Accepted)
        })
    }
}

impl Events for Conformance {
    fn since<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Recorded>, EngineError>> {
        let kept = self.kept();
        let journal = kept.journal.get(session).map_or(&[][..], Vec::as_slice);
        let found = journal.iter().filter(|one| one.seq > seq).take(limit).cloned().collect();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn changed<'a>(&'a self, session: &'a SessionId, seq: u64) -> BoxFuture<'a, Result<(), EngineError>> {
        let mut moved = self.moved.subscribe();
        Box::pin(async move {
            while self.kept().rows.get(session).is_none_or(|row| row.entries <= seq) {
                let _ = moved.changed().await;
            }
            Ok(())
        })
    }

    fn sessions<'a>(
        &'a self,
        _: Option<&'a SessionId>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<SessionRow>, EngineError>> {
        let kept = self.kept();
        let rows = kept.order.iter().rev().take(limit).map(|run| kept.rows[run].clone()).collect();
        Box::pin(std::future::ready(Ok(rows)))
    }

    fn session<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<SessionRow>, EngineError>> {
        let row = self.kept().rows.get(session).cloned();
        Box::pin(std::future::ready(Ok(row)))
    }
}

impl Blobs for Conformance {
    fn get(&self, hash: BlobHash) -> BoxFuture<'_, Result<Option<Vec<u8>>, EngineError>> {
        let found = self.kept().blobs.get(&hash).cloned();
        Box::pin(std::future::ready(Ok(found)))
    }
}

impl Watchers for Conformance {
    fn watch(&self, watcher: Watcher) -> BoxFuture<'_, Result<(), EngineError>> {
        let (session, id) = (watcher.session.clone(), watcher.id.clone());
        let to = {
            let mut kept = self.kept();
            kept.watchers.insert((session.clone(), id.clone()), watcher);
            kept.rows.get(&session).map_or(0, |row| row.entries)
        };
        if to > 0 {
            self.notify(&session, Moved { watcher: id, from: 0, to });
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn watchers<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Vec<Watcher>, EngineError>> {
        let kept = self.kept();
        let found = kept.watchers.values().filter(|one| one.session == *session).cloned().collect();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn unwatch<'a>(
        &'a self,
        session: &'a SessionId,
        id: &'a str,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        let gone = self.kept().watchers.remove(&(session.clone(), id.to_owned())).is_some();
        Box::pin(std::future::ready(Ok(gone)))
    }
}

impl Brake for Conformance {
    fn halt(&self, _: Halt) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn resume<'a>(&'a self, _: Option<&'a str>, _: &'a PersonId) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(std::future::ready(Ok(false)))
    }

    fn halts(&self) -> BoxFuture<'_, Result<Vec<Halt>, EngineError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn held(&self) -> BoxFuture<'_, Result<Vec<SessionId>, EngineError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}
