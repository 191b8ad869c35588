//! An engine in memory: it takes events like an engine, and its "worker" does what the words say.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use purple_journal::record::run::{Answered, Ended, StateEntered};
use purple_journal::record::task::{DecisionReceived, Received};
use purple_journal::word::{Channel, DecisionKind};
use purple_journal::{Record, Redacted, RedactedJson};
use purple_port::Event;
use purple_port::view::{Answer, AnswerData};
use purple_port::*;
use purple_server::{
    Caller, Doorman, IdMaker, Lock, NoId, OpenDoor, Ports, Server, ServerConfig, TurnedAway, limits,
};
use purple_testkit::records;
use serde_json::{Value, json};
use tokio::sync::watch;

/// The card of every plan that waits.
const CARD: &[u8] = include_bytes!("../../../purple/src/commands/card.json");

#[derive(Default)]
struct Inner {
    dedup: BTreeMap<DedupKey, (SessionId, Event)>,
    rows: BTreeMap<SessionId, SessionRow>,
    journal: BTreeMap<SessionId, Vec<Recorded>>,
    blobs: BTreeMap<BlobHash, Vec<u8>>,
    watchers: BTreeMap<(SessionId, String), Watcher>,
}

pub(crate) struct Memory {
    inner: Mutex<Inner>,
    moved: watch::Sender<u64>,
}

impl Memory {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { inner: Mutex::new(Inner::default()), moved: watch::Sender::new(0) })
    }

    pub(crate) fn worker(self: &Arc<Self>) -> WorkerHandle {
        let client = purple_testkit::Client {
            inbox: self.clone(),
            events: self.clone(),
            blobs: self.clone(),
            brake: self.clone(),
            clock: Arc::new(Noon),
            endpoints_allowed: Vec::new(),
            account: None,
        };
        client.handle()
    }

    /// How many events were taken.
    pub(crate) fn taken(&self) -> usize {
        self.inner.lock().unwrap().dedup.len()
    }

    /// How many readers wait for something to happen.
    pub(crate) fn followers(&self) -> usize {
        self.moved.receiver_count()
    }

    /// The turn that an earlier event left undone.
    pub(crate) fn finish(&self, run: &str, words: &str) {
        let run = SessionId::parse(run).unwrap();
        self.inner.lock().unwrap().turn(&run, words);
        self.moved.send_modify(|moves| *moves += 1);
    }
}

impl Inner {
    fn note(&mut self, run: &SessionId, record: impl Into<Record>) {
        let journal = self.journal.entry(run.clone()).or_default();
        let seq = u64::try_from(journal.len()).unwrap() + 1;
        let entry = Entry { at: Noon.now(), record: record.into() };
        let (prev, hash) = (Digest::of(b"before"), Digest::of(&seq.to_be_bytes()));
        journal.push(Recorded { session: run.clone(), seq, prev, hash, entry });
    }

    fn round(&self, run: &SessionId) -> u32 {
        self.rows[run].summary["round"].as_u64().map_or(1, |round| u32::try_from(round).unwrap())
    }

    /// Begins a turn; a run that is over begins another round.
    fn hear(&mut self, run: &SessionId, event: &Event, text: &str, by: &str) {
        let fresh = SessionRow {
            session: run.clone(),
            summary: Value::Null,
            began: Noon.now(),
            changed: Noon.now(),
            entries: 0,
            stuck: None,
            queued: Vec::new(),
        };
        let row = self.rows.entry(run.clone()).or_insert(fresh).clone();
        if row.summary["status"] == "working" {
            self.note(run, records::turn_ended());
        }
        self.note(run, records::turn_of(event));
        let starts = matches!(event, Event::Start(_));
        if let Event::Start(start) = event {
            let message = start.message_id.as_ref().map(Redacted::of);
            self.note(run, Received { message, ..records::received(by, text) });
        }
        let again = u32::from(row.summary["status"] == "closed");
        let round = self.round(run) + again;
        let entered = records::entered(State::Complete, State::Decompose);
        self.note(run, StateEntered { round: records::round(round), ..entered });
        let first = self.rows.get_mut(run).unwrap();
        first.summary = json!({
            "status": "working", "state": State::Decompose, "ending": null, "round": round, "title": text,
            "process": null, "requester": if starts { json!(by) } else { row.summary["requester"].clone() },
            "mode": "careful", "approval": null, "doubt": null, "answer": null,
            "decided_by": row.summary.get("decided_by").cloned().unwrap_or(json!([])),
        });
    }

    /// Ends a turn as the words say: `ask`, `wait`, `fail`, `cancel`, anything else is done.
    fn turn(&mut self, run: &SessionId, words: &str) {
        let (status, state, ending) = match words.split(' ').next().unwrap_or_default() {
            "wait" => return self.count(run),
            "ask" | "gate" => ("waiting", State::ApprovalGate, None),
            "fail" => ("closed", State::Failed, Some(Ending::Failed)),
            "cancel" => ("closed", State::Complete, Some(Ending::Cancelled)),
            _ => ("closed", State::Complete, Some(Ending::Done)),
        };
        let data = AnswerData {
            answer: words.to_owned(),
            process: None,
            ending,
            mutations: Vec::new(),
            not_started: Vec::new(),
            figures: vec![("sum".to_owned(), "0.10".to_owned())],
            policy: None,
            runs: Vec::new(),
            code: None,
            quality: None,
            quality_because: Vec::new(),
            took_ms: 1,
        };
        let text = format!("Heard: {words}");
        let bytes = serde_json::to_vec(&Answer { text, data }).unwrap();
        let hash = BlobHash(Digest::of(&bytes));
        self.blobs.insert(hash, bytes);
        self.blobs.insert(BlobHash(Digest::of(CARD)), CARD.to_vec());
        let round = records::round(self.round(run));
        match ending {
            None => self.note(run, Answered { answer: hash, round, ..records::answered() }),
            Some(_) => self.note(run, Ended { answer: hash, round, ..records::ended(ending) }),
        }
        let row = self.rows.get_mut(run).unwrap();
        row.summary["status"] = json!(status);
        row.summary["state"] = json!(state);
        row.summary["ending"] = json!(ending);
        row.summary["answer"] = json!(hash);
        let open = json!({
            "id": "apr_1", "plan": Digest::of(b"plan"), "card": BlobHash(Digest::of(CARD)), "headline": "pay",
            "asks": ["1 × ap_lead"], "asked_at": Noon.now(), "expires_at": "2026-03-06T12:00:00Z",
        });
        row.summary["approval"] = if status == "waiting" { open } else { Value::Null };
        self.note(run, records::turn_ended());
        self.count(run);
    }

    fn count(&mut self, run: &SessionId) {
        self.rows.get_mut(run).unwrap().entries = u64::try_from(self.journal[run].len()).unwrap();
    }
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        "2026-03-04T12:00:00Z".parse().unwrap()
    }
}

impl Inbox for Memory {
    fn post(&self, post: Post) -> BoxFuture<'_, Result<Posted, EngineError>> {
        let mut inner = self.inner.lock().unwrap();
        let posted = match inner.dedup.get(&post.dedup) {
            Some((session, event)) if *event == post.event => Posted::Repeated { session: session.clone() },
            Some((session, _)) => Posted::Conflicting { session: session.clone() },
            None => {
                inner.dedup.insert(post.dedup, (post.session.clone(), post.event.clone()));
                match &post.event {
                    Event::Start(start) => {
                        inner.hear(&post.session, &post.event, &start.text, start.by.as_str());
                        inner.turn(&post.session, &start.text);
                    }
                    Event::Cancel { by, .. } => {
                        inner.hear(&post.session, &post.event, "", by.as_str());
                        inner.turn(&post.session, "cancel");
                    }
                    Event::Decision(verdict) => {
                        inner.hear(&post.session, &post.event, "", verdict.by.as_str());
                        let by = verdict.by.as_str();
                        if let Some(sent) = &verdict.message {
                            let (by, channel) = (Redacted::of(by), Channel::A2a);
                            let message = Redacted::of(&sent.id);
                            let said = RedactedJson::of(&sent.body);
                            inner.note(&post.session, DecisionReceived { by, channel, message, said });
                        }
                        inner.rows.get_mut(&post.session).unwrap().summary["decided_by"] = json!([by]);
                        inner.note(&post.session, records::decided(by, DecisionKind::Approve));
                        inner.turn(&post.session, "decided");
                    }
                    other => unreachable!("{other:?}"),
                }
                self.moved.send_modify(|moves| *moves += 1);
                Posted::Accepted
            }
        };
        Box::pin(std::future::ready(Ok(posted)))
    }
}

impl Events for Memory {
    fn since<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Recorded>, EngineError>> {
        let inner = self.inner.lock().unwrap();
        let journal = inner.journal.get(session).map_or(&[][..], Vec::as_slice);
        let found = journal.iter().filter(|one| one.seq > seq).take(limit).cloned().collect();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn changed<'a>(&'a self, session: &'a SessionId, seq: u64) -> BoxFuture<'a, Result<(), EngineError>> {
        let mut moved = self.moved.subscribe();
        Box::pin(async move {
            let beyond = |inner: &Inner| inner.rows.get(session).is_some_and(|row| row.entries > seq);
            while !beyond(&self.inner.lock().unwrap()) {
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
        let rows = self.inner.lock().unwrap().rows.values().rev().take(limit).cloned().collect();
        Box::pin(std::future::ready(Ok(rows)))
    }

    fn session<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<SessionRow>, EngineError>> {
        let row = self.inner.lock().unwrap().rows.get(session).cloned();
        Box::pin(std::future::ready(Ok(row)))
    }
}

impl Blobs for Memory {
    fn get(&self, hash: BlobHash) -> BoxFuture<'_, Result<Option<Vec<u8>>, EngineError>> {
        let found = self.inner.lock().unwrap().blobs.get(&hash).cloned();
        Box::pin(std::future::ready(Ok(found)))
    }
}

impl Brake for Memory {
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

impl Watchers for Memory {
    fn watch(&self, watcher: Watcher) -> BoxFuture<'_, Result<(), EngineError>> {
        let key = (watcher.session.clone(), watcher.id.clone());
        self.inner.lock().unwrap().watchers.insert(key, watcher);
        Box::pin(std::future::ready(Ok(())))
    }

    fn watchers<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Vec<Watcher>, EngineError>> {
        let inner = self.inner.lock().unwrap();
        let of_session = inner.watchers.values().filter(|one| one.session == *session);
        Box::pin(std::future::ready(Ok(of_session.cloned().collect())))
    }

    fn unwatch<'a>(
        &'a self,
        session: &'a SessionId,
        id: &'a str,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        let key = (session.clone(), id.to_owned());
        let gone = self.inner.lock().unwrap().watchers.remove(&key).is_some();
        Box::pin(std::future::ready(Ok(gone)))
    }
}

#[derive(Default)]
pub(crate) struct Counted(AtomicU32);

impl IdMaker for Counted {
    fn fresh(&self) -> Result<SessionId, NoId> {
        let next = self.0.fetch_add(1, Ordering::Relaxed);
        SessionId::parse(&format!("run_{next}")).map_err(|_| NoId)
    }
}

/// Tokens that are names: `ada` and `bob` are requesters, and every role has somebody who holds it alone.
pub(crate) struct Names;

impl Doorman for Names {
    fn lock(&self) -> Lock {
        Lock::Tokens
    }

    fn admit<'a>(&'a self, token: Option<&'a str>) -> BoxFuture<'a, Result<Caller, TurnedAway>> {
        let caller = match token {
            Some(name @ ("ada" | "bob")) => {
                Ok(Caller { roles: [DoorRole::Requester].into(), ..Caller::unbounded(person(name)) })
            }
            Some(name) => match DoorRole::ALL.into_iter().find(|role| role.name() == name) {
                Some(role) => Ok(Caller { roles: [role].into(), ..Caller::unbounded(person(name)) }),
                None => Err(TurnedAway::BadToken),
            },
            None => Err(TurnedAway::NoToken),
        };
        Box::pin(std::future::ready(caller))
    }
}

pub(crate) fn person(name: &str) -> PersonId {
    PersonId::parse(name).unwrap()
}

/// A client that waits for no answer beyond the deadline of tests.
fn client() -> reqwest::Client {
    reqwest::Client::builder().timeout(purple_testkit::WAIT_MAX).build().unwrap()
}

pub(crate) struct Door {
    pub(crate) memory: Arc<Memory>,
    pub(crate) url: String,
    pub(crate) client: reqwest::Client,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    serving: tokio::task::JoinHandle<()>,
}

impl Door {
    pub(crate) async fn open() -> Self {
        Self::with(Arc::new(OpenDoor::on_loopback(person("alex"))), |_| {}).await
    }

    pub(crate) async fn with(doorman: Arc<dyn Doorman>, change: impl FnOnce(&mut ServerConfig)) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let memory = Memory::new();
        let mut config = ServerConfig::at("127.0.0.1:0".parse().unwrap());
        change(&mut config);
        let ids = Arc::new(Counted::default());
        let ports = Ports {
            watchers: Some(memory.clone()),
            figures: Some(memory.clone()),
            ..Ports::new(memory.worker(), doorman, ids)
        };
        let server = Server::bind(config, ports).await.unwrap();
        let url = format!("http://{}", server.address());
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let serving = tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            server.run(shutdown).await;
        });
        Self { memory, url, client: client(), stop: Some(stop), serving }
    }

    pub(crate) fn post(&self, body: impl Into<String>) -> reqwest::RequestBuilder {
        self.client.post(&self.url).header("content-type", "application/json").body(body.into())
    }

    pub(crate) async fn rpc(&self, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": "7", "method": method, "params": params});
        let answer: Value = self.post(body.to_string()).send().await.unwrap().json().await.unwrap();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!("7")), "{answer}");
        answer
    }

    pub(crate) async fn say(&self, message_id: &str, context: Option<&str>, text: &str) -> Value {
        self.rpc("SendMessage", json!({"message": message(message_id, context, text)})).await
    }

    /// Stops, and fails where an open request keeps the server from stopping.
    pub(crate) async fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        let stopped = tokio::time::timeout(limits::DRAIN_WITHIN / 2, &mut self.serving);
        stopped.await.unwrap().unwrap();
    }
}

pub(crate) fn message(id: &str, context: Option<&str>, text: &str) -> Value {
    let mut message = json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": text}]});
    if let Some(context) = context {
        message["contextId"] = json!(context);
    }
    message
}

impl Figures for Memory {
    fn entries(&self, after: i64, limit: usize) -> BoxFuture<'_, Result<Vec<Placed>, EngineError>> {
        let inner = self.inner.lock().unwrap();
        let all = inner.journal.values().flatten().zip(1_i64..);
        let placed =
            all.map(|(one, place)| Placed { place, session: one.session.clone(), entry: one.entry.clone() });
        let found = placed.filter(|one| one.place > after).take(limit).collect();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn learned(&self) -> BoxFuture<'_, Result<Learned, EngineError>> {
        let arm = Tried {
            context: "procurement".to_owned(),
            arm: "fsm".to_owned(),
            tries: 2,
            mean: "0.7500".to_owned(),
        };
        let learned =
            Learned { cases: vec![("procurement".to_owned(), 3)], arms: vec![arm], tools: 1, processes: 2 };
        Box::pin(std::future::ready(Ok(learned)))
    }
}
