//! What the tests share: a clock that is moved by hand, handlers made of closures, and stores in temporary folders.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "tests may unwrap")]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use purple_journal::record::write::Intent;
use purple_journal::word::Attempt;
use purple_journal::{Redacted, RedactedJson};
use purple_port::event::{Channel, Event, Message};
use purple_port::{
    BlobHash, BoxFuture, Clock, DedupKey, Delivery, Digest, Effect, Entry, Events as _, Handler, Inbox as _,
    Notice, OperationKey, Outbox, PlanHash, Post, Posted, Record, Recorded, SessionId, StepId, Turn,
    TurnFailed,
};
use purple_store::{Engine, Settings, Store};
use purple_testkit::within;
use serde_json::{Value, json};
use tokio::sync::watch;

/// A clock that stands still until it is moved.
pub struct HandClock {
    now: watch::Sender<Timestamp>,
}

impl HandClock {
    pub fn new() -> Arc<Self> {
        let start: Timestamp = "2026-03-02T09:00:00Z".parse().unwrap();
        Arc::new(Self { now: watch::Sender::new(start) })
    }

    pub fn advance(&self, by: Duration) {
        self.now.send_modify(|now| *now += SignedDuration::try_from(by).unwrap());
    }

    pub fn set(&self, to: &str) {
        self.now.send_replace(to.parse().unwrap());
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        *self.now.borrow()
    }

    fn reached(&self, at: Timestamp) -> BoxFuture<'_, ()> {
        let mut moved = self.now.subscribe();
        Box::pin(async move {
            let _ = moved.wait_for(|now| at <= *now).await;
        })
    }
}

/// A handler made of a closure.
pub struct Script<F>(F);

impl<F> Handler for Script<F>
where
    F: for<'a> Fn(&'a dyn Turn, Event) -> BoxFuture<'a, Result<(), TurnFailed>> + Send + Sync,
{
    fn handle<'a>(&'a self, turn: &'a dyn Turn, event: Event) -> BoxFuture<'a, Result<(), TurnFailed>> {
        self.0(turn, event)
    }
}

pub fn script<F>(run: F) -> Arc<dyn Handler>
where
    F: for<'a> Fn(&'a dyn Turn, Event) -> BoxFuture<'a, Result<(), TurnFailed>> + Send + Sync + 'static,
{
    Arc::new(Script(run))
}

/// Writes down the words of every message.
pub fn scribe() -> Arc<dyn Handler> {
    script(|turn, event| {
        Box::pin(async move {
            turn.record(entry("said", json!(words(&event))))?;
            Ok(())
        })
    })
}

/// Delivers everything, and remembers it.
#[derive(Default)]
pub struct Delivered(pub Mutex<Vec<Notice>>);

impl Outbox for Delivered {
    fn deliver<'a>(&'a self, notice: &'a Notice) -> BoxFuture<'a, Delivery> {
        self.0.lock().unwrap().push(notice.clone());
        Box::pin(std::future::ready(Delivery::Delivered))
    }
}

pub fn settings() -> Settings {
    // A reserve of megabytes per store would only make tests slow.
    Settings { reserve_bytes: 16 * 1024, ..Settings::default() }
}

pub async fn store(folder: &Path, clock: &Arc<HandClock>) -> Store {
    Store::open(folder, settings(), Arc::clone(clock) as Arc<dyn Clock>).unwrap()
}

pub async fn engine(folder: &Path, clock: &Arc<HandClock>, handler: Arc<dyn Handler>) -> Engine {
    Engine::start(store(folder, clock).await, handler, Arc::new(Delivered::default()))
}

/// Waits until no turn runs and none is due.
#[track_caller]
pub fn idle(engine: &Engine) -> impl Future<Output = ()> {
    within("the engine to become idle", async { engine.idle().await.unwrap() })
}

#[track_caller]
pub fn stop(engine: Engine) -> impl Future<Output = ()> {
    within("the engine to stop", async { engine.stop().await.unwrap() })
}

pub fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

pub fn message(text: &str) -> Event {
    let by = purple_port::PersonId::parse("dana").unwrap();
    Event::Message(Message { text: text.to_owned(), by, channel: Channel::Cli, account: None })
}

pub fn words(event: &Event) -> String {
    match event {
        Event::Message(message) => message.text.clone(),
        Event::Timer { name } => format!("timer {name}"),
        Event::Continue => "continue".to_owned(),
        Event::Start(_)
        | Event::Refused(_)
        | Event::Decision(_)
        | Event::Settled { .. }
        | Event::Edit(_)
        | Event::Undo { .. }
        | Event::Cancel { .. } => "other".to_owned(),
    }
}

const AT: &str = "2026-03-02T09:00:00Z";

/// An entry of a kind that only these tests have.
pub fn entry(kind: &str, data: Value) -> Entry {
    serde_json::from_value(json!({ "at": AT, "kind": kind, "data": data })).unwrap()
}

/// An entry with one of the records that the worker writes.
pub fn entry_of(record: impl Into<Record>) -> Entry {
    Entry { at: AT.parse().unwrap(), record: record.into() }
}

/// The intent of an operation, which names two blobs.
pub fn intent(sent: BlobHash, before: BlobHash) -> Entry {
    let digest = Digest::of(b"pay INV-447");
    entry_of(Intent {
        step: StepId::parse("do_1").unwrap(),
        key: OperationKey(digest),
        plan: PlanHash(digest),
        attempt: Attempt::First,
        headline: Redacted::of("Pay INV-447"),
        tool: Redacted::of("pay"),
        effect: Effect::Write,
        arguments: RedactedJson::of("INV-447"),
        sent,
        before,
    })
}

pub async fn post(store: &Store, session: &str, dedup: &str, event: Event) -> Posted {
    store
        .post(Post { session: id(session), dedup: DedupKey(dedup.to_owned()), due: None, event })
        .await
        .unwrap()
}

/// Posts a message whose words are its key.
pub async fn say(store: &Store, session: &str, text: &str) -> Posted {
    post(store, session, &format!("{session}/{text}"), message(text)).await
}

/// The data of all entries of a kind.
pub async fn told(store: &Store, session: &str, kind: &str) -> Vec<Value> {
    let found = store.since(&id(session), 0, usize::MAX).await.unwrap();
    found.iter().map(Recorded::record).filter(|record| record.kind() == kind).map(Record::data).collect()
}
