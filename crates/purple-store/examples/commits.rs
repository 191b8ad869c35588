//! Measures durable turns: `cargo run --release -p purple-store --example commits [FOLDER [SESSIONS…]]`.
//!
//! Each turn records two entries of about 300 bytes, makes them durable, records a third, saves a checkpoint of
//! about 2 KB and ends; then its session posts the next event. So a turn is three promises: accepted, durable, ended.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "an example tells what it measured")]
#![expect(clippy::disallowed_methods, reason = "it measures real time")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use purple_journal::Redacted;
use purple_journal::record::run::Stopped;
use purple_port::{
    BoxFuture, Checkpoint, Clock, DedupKey, Delivery, Entry, Event, Events as _, Handler, Inbox as _, Notice,
    Outbox, Post, SessionId, Turn, TurnFailed,
};
use purple_store::{Engine, Settings, Store};
use serde_json::json;

struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

struct Silent;

impl Outbox for Silent {
    fn deliver<'a>(&'a self, _notice: &'a Notice) -> BoxFuture<'a, Delivery> {
        Box::pin(std::future::ready(Delivery::Delivered))
    }
}

struct Measured;

impl Handler for Measured {
    fn handle<'a>(&'a self, turn: &'a dyn Turn, _event: Event) -> BoxFuture<'a, Result<(), TurnFailed>> {
        Box::pin(async move {
            let why = Redacted::of(&"x".repeat(220));
            let entry = || Entry { at: turn.began(), record: Stopped { why: why.clone() }.into() };
            turn.load().await?;
            turn.record(entry())?;
            turn.record(entry())?;
            turn.durable().await?;
            turn.record(entry())?;
            turn.save(Checkpoint {
                schema: 1,
                body: json!({ "state": "MUTATE", "facts": "y".repeat(2000) }),
                summary: json!({ "state": "MUTATE" }),
            })?;
            Ok(())
        })
    }
}

async fn open(folder: &Path) -> Engine {
    let store = Store::open(folder, Settings::default(), Arc::new(RealClock)).unwrap();
    Engine::start(store, Arc::new(Measured), Arc::new(Silent))
}

/// One session: posts an event, waits until its turn has ended, posts the next.
async fn client(store: Store, name: String, turns: u64) {
    let session = SessionId::parse(&name).unwrap();
    for turn in 0..turns {
        let dedup = DedupKey(format!("{name}/{turn}"));
        let post = Post { session: session.clone(), dedup, due: None, event: Event::Continue };
        store.post(post).await.unwrap();
        // The third entry of a turn comes with its end.
        while store.session(&session).await.unwrap().unwrap().entries < (turn + 1) * 3 {
            store.changed(&session, turn * 3 + 2).await.unwrap();
        }
    }
}

fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |field: usize| {
        stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(field)?.parse::<u64>().ok())
    };
    Duration::from_millis((ticks(11).unwrap_or(0) + ticks(12).unwrap_or(0)) * 10)
}

async fn round(folder: &Path, clients: u64, total: u64) {
    let folder = folder.join(format!("c{clients}"));
    let engine = open(&folder).await;
    let turns = total / clients;
    let (began, cpu_before) = (Instant::now(), cpu());
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..clients {
        tasks.spawn(client(engine.store().clone(), format!("session-{number}"), turns));
    }
    tasks.join_all().await;
    let (took, cpu_used) = (began.elapsed(), cpu() - cpu_before);
    engine.stop().await.unwrap();
    let done = clients * turns;
    let bytes = std::fs::metadata(folder.join("purple.db")).unwrap().len();
    let began = Instant::now();
    let engine = open(&folder).await;
    engine.idle().await.unwrap();
    let cold = began.elapsed();
    engine.stop().await.unwrap();
    let per_second = done as f64 / took.as_secs_f64();
    println!(
        "{clients:>3} sessions: {per_second:>6.0} durable turns/s, {:>6.0} promises/s, {:>6.0} journal rows/s, \
         CPU {:.3} ms/turn, {} bytes/turn, open and idle in {:.1} ms",
        per_second * 3.0,
        per_second * 3.0,
        cpu_used.as_secs_f64() * 1000.0 / done as f64,
        bytes / done,
        cold.as_secs_f64() * 1000.0,
    );
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let temporary = tempfile::tempdir().unwrap();
    let folder = arguments.next().map_or_else(|| temporary.path().to_path_buf(), PathBuf::from);
    let clients: Vec<u64> = arguments.map(|number| number.parse().unwrap()).collect();
    let clients = if clients.is_empty() { vec![1, 8, 32, 64] } else { clients };
    for clients in clients {
        round(&folder, clients, 8000).await;
    }
}
