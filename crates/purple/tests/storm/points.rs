//! The worker's ports as a killed process has them: each named point may be where it dies.

use std::future::{Future, poll_fn};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use jiff::Timestamp;
use purple_backoffice::Ledger;
use purple_journal::Record;
use purple_journal::record::plan::Plan;
use purple_journal::record::run::Run;
use purple_journal::record::write::{Intent, Write};
use purple_server::Webhook;
use purple_tools::ToolServers;
use purple_worker::port::{
    BadArguments, BlobHash, BoxFuture, CallOptions, Called, Checkpoint, Claim, Definition, Delivery, Digest,
    Effect, EngineError, Entry, Halt, Handler, Inbox, Lesson, Listing, Notice, Outbox, Pass, Post, Posted,
    Recorded, SessionId, StepFailed, Still, Tools, ToolsAt, ToolsDown, Turn, TurnFailed, Values,
};
use purple_worker::{Event, Worker};
use serde_json::Value;

use crate::child::{Orders, Weakness};
use crate::judge::arguments_of;

/// Where a child may be told to die, by the line of the table in `docs/heavy-checks.md`.
pub(crate) const POINTS: &[(&str, &str)] = &[
    ("A2", "accepted, not told"),
    ("A3", "before a read"),
    ("A3", "after a read"),
    ("A6", "verdict, not stored"),
    ("A7", "notice not sent"),
    ("A7", "notice sent, not stored"),
    ("A8", "decision received, not stored"),
    ("A9", "decision accepted, not told"),
    ("A10", "before the intent"),
    ("A10", "intent not durable"),
    ("A11", "intent durable"),
    ("A11", "before the send"),
    ("A12", "during the send"),
    ("A13", "after the answer"),
    ("A13", "outcome not durable"),
    ("A14", "outcome durable"),
    ("A14", "before the read-back"),
    ("A14", "after the read-back"),
    ("A14", "verified, not stored"),
    ("A15", "between two operations"),
    ("A16", "ended, not stored"),
    ("A16", "ended, not told"),
    ("A17", "during the append"),
];

/// Counts how often the ordered point was passed, and dies there.
pub(crate) struct Points {
    point: Option<(String, u32)>,
    passed: Mutex<u32>,
}

impl Points {
    pub(crate) fn new(orders: &Orders) -> Arc<Self> {
        Arc::new(Self { point: orders.point.clone(), passed: Mutex::new(0) })
    }

    /// Whether this is the moment. Nobody else comes after it.
    fn is_here(&self, point: &str) -> bool {
        let Some((wanted, times)) = &self.point else { return false };
        if wanted != point {
            return false;
        }
        let mut passed = unpoisoned(&self.passed);
        *passed += 1;
        *passed == *times
    }

    /// Dies here, if that was ordered. An abort runs no destructor and flushes nothing, just as `kill -9`,
    /// and it comes at exactly this point.
    pub(crate) fn pass(&self, point: &str) {
        if self.is_here(point) {
            std::process::abort();
        }
    }
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

tokio::task_local! {
    /// The last thing that the turn of this task recorded.
    static LAST: Arc<Mutex<Option<Record>>>;
}

fn last_recorded() -> Option<Record> {
    LAST.try_with(|last| unpoisoned(last).clone()).unwrap_or_default()
}

/// The worker, its turns wrapped.
pub(crate) struct Stormy {
    pub(crate) worker: Worker,
    pub(crate) points: Arc<Points>,
    pub(crate) weak: Option<Weakness>,
}

impl Handler for Stormy {
    fn handle<'a>(&'a self, turn: &'a dyn Turn, event: Event) -> BoxFuture<'a, Result<(), TurnFailed>> {
        Box::pin(LAST.scope(Arc::default(), async move {
            if event == Event::Continue {
                self.points.pass("between two operations");
            }
            let turn = StormyTurn { turn, points: &self.points, weak: self.weak };
            self.worker.handle(&turn, event).await
        }))
    }
}

/// The outbox, its deliveries wrapped.
pub(crate) struct StormyOutbox {
    pub(crate) webhook: Webhook,
    pub(crate) points: Arc<Points>,
    pub(crate) weak: Option<Weakness>,
}

impl Outbox for StormyOutbox {
    fn deliver<'a>(&'a self, notice: &'a Notice) -> BoxFuture<'a, Delivery> {
        Box::pin(async move {
            if self.weak == Some(Weakness::ForgetsNotices) {
                return Delivery::Delivered;
            }
            self.points.pass("notice not sent");
            let delivered = self.webhook.deliver(notice).await;
            if delivered == Delivery::Delivered {
                self.points.pass("notice sent, not stored");
            }
            delivered
        })
    }
}

/// The inbox, its posts wrapped.
pub(crate) struct StormyInbox {
    pub(crate) inbox: Arc<dyn Inbox>,
    pub(crate) points: Arc<Points>,
}

impl Inbox for StormyInbox {
    fn post(&self, post: Post) -> BoxFuture<'_, Result<Posted, EngineError>> {
        if matches!(post.event, Event::Decision(_)) {
            self.points.pass("decision received, not stored");
        }
        self.inbox.post(post)
    }
}

struct StormyTurn<'a> {
    turn: &'a dyn Turn,
    points: &'a Points,
    weak: Option<Weakness>,
}

impl StormyTurn<'_> {
    async fn make_durable(&self) -> Result<(), EngineError> {
        let what = match last_recorded() {
            Some(Record::Write(Write::Intent(_))) => "intent",
            Some(Record::Write(Write::CallEnded(_))) => "outcome",
            _ => "other",
        };
        self.points.pass(&format!("{what} not durable"));
        if what == "intent" && self.weak == Some(Weakness::IntentAfterSend) {
            return Ok(());
        }
        let mut durable = self.turn.durable();
        if self.points.is_here("during the append") {
            begin(&mut durable).await;
            // The writer thread is somewhere between its queue and its sync.
            for _ in 0..300 {
                std::thread::yield_now();
            }
            std::process::abort();
        }
        durable.await?;
        self.points.pass(&format!("{what} durable"));
        Ok(())
    }
}

async fn begin<T>(future: &mut Pin<Box<dyn Future<Output = T> + Send + '_>>) {
    poll_fn(|context| {
        let _ = future.as_mut().poll(context);
        Poll::Ready(())
    })
    .await;
}

impl Turn for StormyTurn<'_> {
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
        match self.weak {
            Some(Weakness::ForgetsIntents) => Box::pin(async move {
                let mut journal = self.turn.journal(seq).await?;
                journal.retain(|recorded| recorded.record().get::<Intent>().is_none());
                Ok(journal)
            }),
            Some(Weakness::IntentAfterSend | Weakness::ForgetsNotices) | None => self.turn.journal(seq),
        }
    }

    fn step<'a>(
        &'a self,
        name: &'a str,
        work: BoxFuture<'a, Result<Value, StepFailed>>,
    ) -> BoxFuture<'a, Result<Value, EngineError>> {
        self.turn.step(name, work)
    }

    fn record(&self, entry: Entry) -> Result<(), EngineError> {
        let record = entry.record.clone();
        if record.get::<Intent>().is_some() {
            self.points.pass("before the intent");
        }
        self.turn.record(entry)?;
        match &record {
            Record::Plan(Plan::PolicyVerdict(_)) => self.points.pass("verdict, not stored"),
            Record::Write(Write::Verified(_)) => self.points.pass("verified, not stored"),
            Record::Run(Run::Ended(_)) => self.points.pass("ended, not stored"),
            _ => {}
        }
        let _ = LAST.try_with(|last| *unpoisoned(last) = Some(record));
        Ok(())
    }

    fn keep(&self, bytes: Vec<u8>) -> Result<BlobHash, EngineError> {
        self.turn.keep(bytes)
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(self.make_durable())
    }

    fn save(&self, checkpoint: Checkpoint) -> Result<Digest, EngineError> {
        self.turn.save(checkpoint)
    }

    fn later(&self, after: Duration, event: Event) -> Result<(), EngineError> {
        self.turn.later(after, event)
    }

    fn post(&self, post: Post) -> Result<(), EngineError> {
        self.turn.post(post)
    }

    fn claim<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Claim, EngineError>> {
        self.turn.claim(key)
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

/// The tool servers, their calls wrapped.
pub(crate) struct StormyTools {
    pub(crate) servers: ToolServers,
    pub(crate) points: Arc<Points>,
    pub(crate) ledger: PathBuf,
}

impl StormyTools {
    async fn read(&self, at: &ToolsAt, pass: Pass, options: CallOptions) -> Called {
        let back = matches!(last_recorded(), Some(Record::Write(Write::CallEnded(_))));
        self.points.pass(if back { "before the read-back" } else { "before a read" });
        let called = self.servers.call(at, pass, options).await;
        self.points.pass(if back { "after the read-back" } else { "after a read" });
        called
    }

    async fn write(&self, at: &ToolsAt, pass: Pass, options: CallOptions) -> Called {
        self.points.pass("before the send");
        let tool = pass.call().tool().to_string();
        let arguments = arguments_of(&pass);
        let mut sending = self.servers.call(at, pass, options);
        if self.points.is_here("during the send") {
            let arrived = async {
                while !self.has_arrived(&tool, &arguments) {
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! {
                biased;
                _ = &mut sending => {}
                () = arrived => {}
            }
            std::process::abort();
        }
        let called = sending.await;
        self.points.pass("after the answer");
        self.points.pass(&format!("after the answer of {tool}"));
        called
    }

    fn has_arrived(&self, tool: &str, arguments: &Value) -> bool {
        let ledger = Ledger::read(&self.ledger).unwrap();
        ledger.calls_of(tool).any(|call| call.arguments == *arguments)
    }
}

impl Tools for StormyTools {
    fn list<'a>(&'a self, at: &'a ToolsAt) -> BoxFuture<'a, Result<Listing, ToolsDown>> {
        self.servers.list(at)
    }

    fn check(&self, definition: &Definition, arguments: &Values) -> Result<(), BadArguments> {
        self.servers.check(definition, arguments)
    }

    fn misfits(&self, schema: &Value, value: &Value) -> Vec<String> {
        self.servers.misfits(schema, value)
    }

    fn still<'a>(&'a self, at: &'a ToolsAt, seen: &'a Definition) -> BoxFuture<'a, Still> {
        self.servers.still(at, seen)
    }

    fn call<'a>(&'a self, at: &'a ToolsAt, pass: Pass, options: CallOptions) -> BoxFuture<'a, Called> {
        match pass.call().effect() {
            Effect::Read | Effect::Compute | Effect::Approval => Box::pin(self.read(at, pass, options)),
            Effect::Write | Effect::Notify => Box::pin(self.write(at, pass, options)),
        }
    }
}
