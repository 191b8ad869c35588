//! Full disks, second processes, notices, scratch that is thrown away, backups, readers beside a writer.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap and panic")]

mod support;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use purple_port::{
    BoxFuture, Brake as _, Clock, DedupKey, Delivery, Digest, EngineError, Events as _, Halt, Inbox as _,
    Notice, Outbox, Post, Posted,
};
use purple_store::{Engine, Intake, OpenError, Reader, Settings, Store};
use purple_testkit::{becomes, within};
use serde_json::{Value, json};
use support::{HandClock, entry, id, idle, message, say, scribe, script, settings, stop, told, words};

fn open<'a>(folder: &'a Path, clock: &Arc<HandClock>, settings: Settings) -> BoxFuture<'a, Store> {
    let clock = Arc::clone(clock) as Arc<dyn Clock>;
    Box::pin(async move { Store::open(folder, settings, clock).unwrap() })
}

async fn try_say(store: &Store, session: &str, text: &str) -> Result<Posted, EngineError> {
    let dedup = DedupKey(format!("{session}/{text}"));
    store.post(Post { session: id(session), dedup, due: None, event: message(text) }).await
}

#[tokio::test]
async fn a_full_disk_takes_nothing_new_lets_begun_turns_end_and_recovers_when_room_is_made() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let waiting = Arc::new(tokio::sync::Semaphore::new(0));
    let begun = Arc::new(tokio::sync::Notify::new());
    let (gate, here) = (Arc::clone(&waiting), Arc::clone(&begun));
    let handler = script(move |turn, event| {
        let (gate, here) = (Arc::clone(&gate), Arc::clone(&here));
        Box::pin(async move {
            if words(&event) == "slow" {
                turn.step("scratch", Box::pin(async { Ok(json!("x".repeat(120_000))) })).await?;
                turn.record(entry("write.intent", Value::Null))?;
                turn.durable().await?;
                here.notify_one();
                gate.acquire().await.unwrap().forget();
            }
            turn.record(entry("write.outcome", json!(words(&event))))?;
            Ok(())
        })
    });
    let limited = Settings {
        reserve_bytes: 256 * 1024,
        database_bytes_max: Some(1024 * 1024),
        steps_kept: Duration::from_secs(60),
        ..settings()
    };
    let engine = Engine::start(
        open(folder.path(), &clock, limited).await,
        handler,
        Arc::new(support::Delivered::default()),
    );
    let store = engine.store().clone();
    say(&store, "begun", "slow").await;
    within("the turn to begin", begun.notified()).await;
    // Fill the database from outside until it takes nothing more. What is not due fills it best.
    let far = Some(clock.now() + jiff::SignedDuration::from_hours(1000));
    let mut accepted = Vec::new();
    let full = loop {
        let number = accepted.len();
        let dedup = DedupKey(format!("fill/{number}"));
        let event = message(&"y".repeat(20_000));
        match store.post(Post { session: id("fill"), dedup: dedup.clone(), due: far, event }).await {
            Ok(_) => accepted.push(dedup),
            Err(error) => break error,
        }
    };
    assert!(matches!(full, EngineError::Full), "{full}");
    assert!(accepted.len() > 10, "{}", accepted.len());
    assert_eq!(store.intake(), Intake::Full);
    let large = Post {
        session: id("fill"),
        dedup: DedupKey("z".into()),
        due: far,
        event: message(&"z".repeat(20_000)),
    };
    assert!(matches!(store.post(large).await, Err(EngineError::Full)));
    // The operator can still stop it all.
    let by = purple_port::PersonId::parse("olga").unwrap();
    let stop = Halt { process: None, by, reason: "full".to_owned(), at: clock.now() };
    store.halt(stop.clone()).await.unwrap();
    assert_eq!(store.halts().await.unwrap(), [stop]);
    // Reads go on, and the turn that has begun writes down how it went, on the reserve.
    assert_eq!(told(&store, "begun", "write.intent").await.len(), 1);
    waiting.add_permits(1);
    idle(&engine).await;
    assert_eq!(told(&store, "begun", "write.outcome").await, [json!("slow")]);
    assert_eq!(store.intake(), Intake::Full);
    // Scratch that is thrown away is room that comes back.
    clock.advance(Duration::from_secs(2 * 3600));
    idle(&engine).await;
    let mut refused = 0;
    while let Err(error) = try_say(&store, "after", "hello").await {
        assert!(matches!(error, EngineError::Full), "{error}");
        refused += 1;
        assert!(refused < 1000, "the room never came back");
        tokio::task::yield_now().await;
    }
    assert_eq!(store.intake(), Intake::Open);
    idle(&engine).await;
    assert_eq!(told(&store, "after", "write.outcome").await, [json!("hello")]);
    // What was accepted is there; what was refused is not.
    assert_eq!(store.reader().health().unwrap().events, accepted.len() as u64);
    assert_eq!(store.reader().verify().unwrap().fault, None);
    support::stop(engine).await;
}

/// Bytes that take as much room as they are.
fn incompressible(count: usize) -> Vec<u8> {
    let blocks = (0..count / 32 + 1).flat_map(|number| *Digest::of(&number.to_be_bytes()).as_bytes());
    blocks.take(count).collect()
}

#[tokio::test]
async fn a_turn_that_finds_no_room_at_all_waits_and_ends_when_there_is_some() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let tries = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&tries);
    let handler = script(move |turn, event| {
        let counted = Arc::clone(&counted);
        Box::pin(async move {
            if words(&event) == "scratch" {
                turn.step("scratch", Box::pin(async { Ok(json!("x".repeat(120_000))) })).await?;
                turn.durable().await?;
            }
            if words(&event) == "large" {
                counted.fetch_add(1, Ordering::SeqCst);
                turn.keep(incompressible(250_000))?;
            }
            turn.record(entry("ended", json!([words(&event), turn.attempt() > 0])))?;
            Ok(())
        })
    });
    let limited = Settings {
        database_bytes_max: Some(512 * 1024),
        steps_kept: Duration::from_secs(60),
        failures_max: 2,
        ..settings()
    };
    let store = open(folder.path(), &clock, limited.clone()).await;
    let engine = Engine::start(store.clone(), Arc::clone(&handler), Arc::new(support::Delivered::default()));
    for number in 0..2 {
        store
            .post(Post {
                session: id("scratch"),
                dedup: DedupKey(format!("scratch/{number}")),
                due: None,
                event: message("scratch"),
            })
            .await
            .unwrap();
    }
    idle(&engine).await;
    stop(engine).await;
    let store = open(folder.path(), &clock, limited).await;
    say(&store, "s", "large").await;
    say(&store, "s", "next").await;
    let engine = Engine::start(store.clone(), handler, Arc::new(support::Delivered::default()));
    idle(&engine).await;
    // It is not the turn's fault: it is neither tried in a hurry nor given up.
    for _ in 0..4 {
        clock.advance(Duration::from_secs(59));
        idle(&engine).await;
    }
    assert!((2..=4).contains(&tries.load(Ordering::SeqCst)), "{tries:?}");
    assert_eq!(told(&store, "s", "ended").await, Vec::<Value>::new());
    assert_eq!(store.session(&id("s")).await.unwrap().unwrap().stuck, None);
    // The scratch is thrown away within the hour.
    let mut minutes = 0;
    while told(&store, "s", "ended").await.len() < 2 {
        clock.advance(Duration::from_secs(61));
        idle(&engine).await;
        minutes += 1;
        assert!(minutes < 200, "it never ended");
    }
    assert_eq!(told(&store, "s", "ended").await, [json!(["large", true]), json!(["next", false])]);
    stop(engine).await;
}

#[tokio::test]
async fn the_turn_that_fills_the_disk_ends_on_the_reserve() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, _| {
        Box::pin(async move {
            turn.keep(incompressible(200_000))?;
            turn.record(entry("ended", Value::Null))?;
            Ok(())
        })
    });
    let (most, reserve) = (1024 * 1024, 256 * 1024);
    let limited = Settings { reserve_bytes: reserve, database_bytes_max: Some(most), ..settings() };
    let store = open(folder.path(), &clock, limited).await;
    #[expect(clippy::disallowed_methods, reason = "looks how large the database is")]
    let db = rusqlite::Connection::open(folder.path().join("purple.db")).unwrap();
    let bytes =
        || -> i64 { db.pragma_query_value(None, "page_count", |row| row.get::<_, i64>(0)).unwrap() * 4096 };
    let far = Some(clock.now() + jiff::SignedDuration::from_hours(1000));
    let mut number = 0;
    while u64::try_from(bytes()).unwrap() < most - reserve - 60_000 {
        let (dedup, event) = (DedupKey(format!("fill/{number}")), message(&"y".repeat(20_000)));
        store.post(Post { session: id("fill"), dedup, due: far, event }).await.unwrap();
        number += 1;
    }
    assert_eq!(say(&store, "s", "go").await, Posted::Accepted);
    let engine = Engine::start(store.clone(), handler, Arc::new(support::Delivered::default()));
    idle(&engine).await;
    assert_eq!(told(&store, "s", "ended").await, [Value::Null]);
    assert_eq!(store.intake(), Intake::Full);
    assert!(matches!(try_say(&store, "s", "more").await, Err(EngineError::Full)));
    stop(engine).await;
}

#[tokio::test]
async fn a_second_store_on_the_folder_is_refused_by_name_and_let_in_after_the_first() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let first = support::store(folder.path(), &clock).await;
    let second = Store::open(folder.path(), settings(), clock.clone()).err().unwrap();
    let shown =
        format!("the data folder `{}` is in use by process {}", folder.path().display(), std::process::id());
    assert_eq!(second.to_string(), shown);
    assert!(matches!(second, OpenError::InUse { .. }));
    assert!(second.help().contains("socket"), "{}", second.help());
    first.close().await.unwrap();
    support::store(folder.path(), &clock).await.close().await.unwrap();
}

#[tokio::test]
async fn a_reader_beside_the_writer_sees_what_is_committed() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    assert!(matches!(Reader::open(folder.path()).unwrap_err(), OpenError::Missing { .. }));
    let engine = support::engine(folder.path(), &clock, scribe()).await;
    let reader = Reader::open(folder.path()).unwrap();
    let seen = tokio::spawn({
        let reader = reader.clone();
        async move {
            reader.changed(&id("s"), 0).await.unwrap();
            reader.since(&id("s"), 0, 10).await.unwrap()
        }
    });
    say(engine.store(), "s", "hello").await;
    let seen = within("the reader to see the entry", seen).await.unwrap();
    assert_eq!(seen.iter().map(|found| found.record().data()).collect::<Vec<_>>(), [json!("hello")]);
    assert_eq!(reader.sessions(None, 10).await.unwrap(), engine.store().sessions(None, 10).await.unwrap());
    stop(engine).await;
    // And without any writer.
    let alone = Reader::open(folder.path()).unwrap();
    assert_eq!(alone.verify().unwrap().entries, 1);
    assert_eq!(alone.health().unwrap().fault, None);
}

#[tokio::test]
async fn a_backup_is_one_moment_of_a_store_that_is_being_written() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = support::engine(folder.path(), &clock, scribe()).await;
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("purple.db");
    let writing = Arc::new(AtomicBool::new(true));
    let (store, on) = (engine.store().clone(), Arc::clone(&writing));
    let started = Arc::new(tokio::sync::Notify::new());
    let first = Arc::clone(&started);
    let client = tokio::spawn(async move {
        let mut number = 0;
        while on.load(Ordering::SeqCst) {
            say(&store, &format!("s{}", number % 7), &number.to_string()).await;
            number += 1;
            first.notify_one();
        }
        number
    });
    within("the first message", started.notified()).await;
    let reader = engine.store().reader();
    let to = copy.clone();
    tokio::task::spawn_blocking(move || reader.backup(&to)).await.unwrap().unwrap();
    writing.store(false, Ordering::SeqCst);
    let posted: u64 = within("the client to end", client).await.unwrap();
    idle(&engine).await;
    // A file that is there is not overwritten.
    assert!(matches!(engine.store().reader().backup(&copy), Err(OpenError::Files { .. })));
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1, "a draft was left behind");
    stop(engine).await;
    // The copy opens as a store, and what it had not run yet runs there.
    let engine = support::engine(elsewhere.path(), &clock, scribe()).await;
    idle(&engine).await;
    let report = engine.store().reader().verify().unwrap();
    assert_eq!(report.fault, None);
    assert!((1..=posted).contains(&report.entries), "{} of {posted}", report.entries);
    assert_eq!(engine.store().reader().health().unwrap().events, 0);
    stop(engine).await;
}

/// Refuses the first tries of every notice.
#[derive(Default)]
struct Reluctant {
    refusals: u32,
    tries: AtomicU32,
    told: Mutex<Vec<String>>,
}

impl Outbox for Reluctant {
    fn deliver<'a>(&'a self, notice: &'a Notice) -> BoxFuture<'a, Delivery> {
        let delivery = match notice.kind.as_str() {
            "nowhere" => Delivery::Hopeless,
            "bad" if self.told.lock().unwrap().is_empty() => {
                self.told.lock().unwrap().push(format!("{} panics", notice.id));
                panic!("a bad deliverer");
            }
            _ if self.tries.fetch_add(1, Ordering::SeqCst) < self.refusals => Delivery::Later,
            _ => Delivery::Delivered,
        };
        self.told.lock().unwrap().push(format!("{} {delivery:?}", notice.id));
        Box::pin(std::future::ready(delivery))
    }
}

async fn notify(kind: &'static str, refusals: u32, hours: u32) -> (Vec<String>, purple_store::Health) {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(move |turn, _| {
        Box::pin(async move {
            let (id, session) = ("n1".to_owned(), turn.session().clone());
            turn.notify(Notice {
                id,
                session,
                kind: kind.to_owned(),
                body: purple_journal::RedactedJson::of(&json!({"card": 1})),
            })?;
            Ok(())
        })
    });
    let outbox = Arc::new(Reluctant { refusals, ..Reluctant::default() });
    let settings = Settings { notice_tries_max: 3, ..settings() };
    let store = open(folder.path(), &clock, settings).await;
    let engine = Engine::start(store, handler, Arc::clone(&outbox) as Arc<dyn Outbox>);
    say(engine.store(), "s", "go").await;
    idle(&engine).await;
    let reader = engine.store().reader();
    // Each try is on the disk before the clock is moved for the next.
    for hour in 0..hours {
        becomes("the next try of the notice", || outbox.told.lock().unwrap().len() > hour as usize).await;
        engine
            .store()
            .post(Post {
                session: id("tick"),
                dedup: DedupKey(format!("tick {hour}")),
                due: Some(clock.now() + jiff::SignedDuration::from_hours(100_000)),
                event: message("x"),
            })
            .await
            .unwrap();
        let is_last = hour + 1 == hours;
        becomes("the outbox to become empty", || !is_last || reader.health().unwrap().notices == 0).await;
        clock.advance(Duration::from_secs(3600));
    }
    stop(engine).await;
    let told = outbox.told.lock().unwrap().clone();
    (told, Reader::open(folder.path()).unwrap().health().unwrap())
}

#[tokio::test]
async fn a_notice_is_delivered_at_last_or_stays_where_it_is_seen() {
    let (told, health) = notify("mail", 2, 3).await;
    assert_eq!(told, ["n1 Later", "n1 Later", "n1 Delivered"]);
    assert_eq!((health.notices, health.dead_notices), (0, 0));
    let (told, health) = notify("mail", 9, 3).await;
    assert_eq!(told, ["n1 Later", "n1 Later", "n1 Later"]);
    assert_eq!((health.notices, health.dead_notices), (0, 1));
    let (told, health) = notify("bad", 0, 2).await;
    assert_eq!(told, ["n1 panics", "n1 Delivered"]);
    assert_eq!((health.notices, health.dead_notices), (0, 0));
    let (told, health) = notify("nowhere", 0, 1).await;
    assert_eq!(told, ["n1 Hopeless"]);
    assert_eq!((health.notices, health.dead_notices), (0, 1));
}
