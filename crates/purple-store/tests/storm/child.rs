//! The process that gets killed.

use std::error::Error as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use purple_port::{
    BoxFuture, Checkpoint, Claim, Clock, EngineError, Event, Events as _, Handler, Inbox as _, Post, Turn,
    TurnFailed,
};
use purple_store::{Engine, Settings, Store};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{Delivered, entry, id, message, stop};

/// The environment variable with the orders.
pub(crate) const ORDERS: &str = "PURPLE_STORM_ORDERS";
/// How many outside effects a session has.
pub(crate) const OPERATIONS: u64 = 3;
/// How many messages are posted to a session.
pub(crate) const SAYINGS: u64 = 4;
/// Where a child may be told to die. The begin of a turn is also the end of the one before it.
pub(crate) const POINTS: &[&str] = &[
    "after accept",
    "begin",
    "after step",
    "after claim",
    "before durable",
    "after durable",
    "after effect",
    "before outcome",
    "after outcome",
    "before end",
];

/// What the child is to do.
#[derive(Serialize, Deserialize)]
pub(crate) struct Orders {
    pub(crate) folder: PathBuf,
    pub(crate) sessions: usize,
    /// Die when this point is passed for the n-th time.
    pub(crate) point: Option<(String, u32)>,
    /// Send before the intent is durable.
    pub(crate) weak: bool,
}

struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the storm runs in real time")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn this_is_the_child_and_does_nothing_when_run_alone() {
    let Some(orders) = std::env::var_os(ORDERS) else { return };
    let orders: Orders = serde_json::from_str(orders.to_str().unwrap()).unwrap();
    // Not counted as the worker's fault: they are all ours.
    let settings = Settings { crashes_max: u32::MAX, reserve_bytes: 0, ..Settings::default() };
    let store = match Store::open(&orders.folder, settings, Arc::new(SystemClock)) {
        Ok(store) => store,
        Err(error) => {
            println!("refused: {error}");
            return;
        }
    };
    println!("opened");
    let sessions = orders.sessions;
    let worker = Arc::new(Worker { orders, passed: AtomicU32::new(0) });
    let engine = Engine::start(store, Arc::clone(&worker) as _, Arc::new(Delivered::default()));
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..sessions {
        clients.spawn(client(engine.store().clone(), Arc::clone(&worker), format!("s{number}")));
    }
    tokio::select! {
        _ = clients.join_all() => {}
        failed = engine.failed() => {
            println!("failed: {}", failed.source().unwrap());
            return;
        }
    }
    stop(engine).await;
    println!("all done");
}

/// Posts everything of one session, then waits until it has finished.
async fn client(store: Store, worker: Arc<Worker>, name: String) {
    let session = id(&name);
    let mut seen = Seen::default();
    seen.look(&store, &session).await;
    if seen.all() {
        // From an earlier run; what is new is to be killed too.
        return;
    }
    let start = format!("{name}/start");
    let sayings = (0..SAYINGS).map(|number| format!("{name}/m{number}"));
    let posts =
        std::iter::once((start, Event::Continue)).chain(sayings.map(|key| (key.clone(), message(&key))));
    for (key, event) in posts {
        let dedup = purple_port::DedupKey(key.clone());
        let posted = store.post(Post { session: session.clone(), dedup, due: None, event }).await;
        if matches!(posted, Err(EngineError::Storage(_))) {
            // The engine tells why, and ends the process.
            return std::future::pending().await;
        }
        posted.unwrap();
        worker.pass("after accept");
        println!("accepted {key}.");
    }
    loop {
        seen.look(&store, &session).await;
        if seen.all() {
            println!("finished {name}.");
            return;
        }
        if store.changed(&session, seen.seq).await.is_err() {
            return std::future::pending().await;
        }
    }
}

/// How far a session is.
#[derive(Default)]
struct Seen {
    seq: u64,
    said: u64,
    finished: bool,
}

impl Seen {
    async fn look(&mut self, store: &Store, session: &purple_port::SessionId) {
        for found in store.since(session, self.seq, 100).await.unwrap() {
            self.seq = found.seq;
            self.said += u64::from(found.entry.kind() == "said");
            self.finished |= found.entry.kind() == "finished";
        }
    }

    fn all(&self) -> bool {
        self.said == SAYINGS && self.finished
    }
}

struct Worker {
    orders: Orders,
    passed: AtomicU32,
}

impl Handler for Worker {
    fn handle<'a>(&'a self, turn: &'a dyn Turn, event: Event) -> BoxFuture<'a, Result<(), TurnFailed>> {
        Box::pin(async move {
            self.pass("begin");
            match event {
                Event::Message(message) => turn.record(entry("said", json!(message.text)))?,
                Event::Continue => self.operate(turn).await?,
                Event::Timer { .. } => turn.record(entry("finished", json!(turn.session().as_str())))?,
                other => unreachable!("{other:?}"),
            }
            self.pass("before end");
            Ok(())
        })
    }
}

impl Worker {
    /// One operation: a read, a durable intent, an effect outside, a durable outcome.
    async fn operate(&self, turn: &dyn Turn) -> Result<(), EngineError> {
        let stage = turn.load().await?.map_or(1, |found| found.body["stage"].as_u64().unwrap());
        let key = format!("{}/op{stage}", turn.session());
        let read = Box::pin(async {
            self.append("steps.log", &format!("ran {key}"));
            Ok(json!(key))
        });
        let value = turn.step("read", read).await?;
        assert_eq!(value, json!(key));
        self.pass("after step");
        self.claim(turn, stage).await?;
        let journal = turn.journal(0).await?;
        let wanted = json!(key);
        let has = |kind| journal.iter().any(|it| it.entry.kind() == kind && it.record().data() == wanted);
        if !has("outcome") {
            self.send(turn, &key, has("intent")).await?;
        }
        let (next, after) =
            (stage + 1, if stage < OPERATIONS { Duration::ZERO } else { Duration::from_millis(1) });
        turn.save(Checkpoint { schema: 1, body: json!({"stage": next}), summary: Value::Null })?;
        let timer = Event::Timer { name: "finish".to_owned() };
        turn.later(after, if stage < OPERATIONS { Event::Continue } else { timer })
    }

    /// Its own key is always its own; of a key that all want, everybody is told the same owner, for ever.
    async fn claim(&self, turn: &dyn Turn, stage: u64) -> Result<(), EngineError> {
        assert_eq!(turn.claim(&format!("{}/op{stage}", turn.session())).await?, Claim::Ours);
        let wanted = format!("op{stage}");
        let owner = match turn.claim(&wanted).await? {
            Claim::Ours => turn.session().clone(),
            Claim::Theirs { session } => session,
        };
        self.append("claims.log", &format!("{wanted} {owner}"));
        self.pass("after claim");
        Ok(())
    }

    async fn send(&self, turn: &dyn Turn, key: &str, intended: bool) -> Result<(), EngineError> {
        if self.orders.weak {
            self.append("effects.log", key);
            self.pass("after effect");
        }
        if !intended {
            turn.record(entry("intent", json!(key)))?;
            self.pass("before durable");
            turn.durable().await?;
            self.acknowledged(turn).await?;
            self.append("steps.log", &format!("kept {key}"));
            self.pass("after durable");
        }
        // An intent from an earlier attempt: the effect may be there already.
        let there = intended && self.has_effect(key);
        if intended {
            self.append("probes.log", if there { "adopted" } else { "sent" });
        }
        if !there && !self.orders.weak {
            self.append("effects.log", key);
            self.pass("after effect");
        }
        turn.record(entry("outcome", json!(key)))?;
        self.pass("before outcome");
        turn.durable().await?;
        self.acknowledged(turn).await?;
        self.pass("after outcome");
        Ok(())
    }

    /// Writes down outside what the engine said was durable.
    async fn acknowledged(&self, turn: &dyn Turn) -> Result<(), EngineError> {
        if let Some(last) = turn.journal(0).await?.last() {
            self.append("acks.log", &format!("{} {} {}", turn.session(), last.seq, last.hash));
        }
        Ok(())
    }

    /// Dies here, if that was ordered.
    fn pass(&self, point: &str) {
        let Some((wanted, pass)) = &self.orders.point else { return };
        if point == wanted && self.passed.fetch_add(1, Ordering::SeqCst) + 1 == *pass {
            std::process::abort();
        }
    }

    /// One line in one write: lines of different threads do not mix, and a killed process leaves whole ones.
    fn append(&self, log: &str, line: &str) {
        let mut file = open(&self.orders.folder.join(log));
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn has_effect(&self, key: &str) -> bool {
        let effects = std::fs::read_to_string(self.orders.folder.join("effects.log")).unwrap_or_default();
        effects.lines().any(|line| line == key)
    }
}

fn open(path: &Path) -> File {
    File::options().create(true).append(true).open(path).unwrap()
}
