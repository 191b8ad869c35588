//! Turns that fail, hang, panic or bring the process down: tried again, then parked where everybody sees it.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use purple_journal::record::turn;
use purple_journal::{Record, Redacted};
use purple_port::{
    Checkpoint, Clock, EngineError, Event, Events as _, Handler, Inbox as _, PersonId, StepFailed, Stuck,
    TurnFailed,
};
use purple_store::{Engine, Settings, Store, Unstick};
use purple_testkit::within;
use serde_json::{Value, json};
use support::{
    Delivered, HandClock, engine, entry, id, idle, message, say, script, settings, stop, told, words,
};

async fn start(
    folder: &std::path::Path,
    clock: &Arc<HandClock>,
    settings: Settings,
    handler: Arc<dyn Handler>,
) -> Engine {
    let store = Store::open(folder, settings, Arc::clone(clock) as Arc<dyn Clock>).unwrap();
    Engine::start(store, handler, Arc::new(Delivered::default()))
}

async fn records(store: &Store, session: &str) -> Vec<Record> {
    let found = store.since(&id(session), 0, usize::MAX).await.unwrap();
    found.into_iter().map(|found| found.entry.record).collect()
}

/// Fails on messages that say `fail` as long as `failing` says so, and writes down the rest.
fn failing(times: u32) -> (Arc<AtomicU32>, Arc<dyn Handler>) {
    let left = Arc::new(AtomicU32::new(times));
    let count = Arc::clone(&left);
    let handler = script(move |turn, event| {
        let count = Arc::clone(&count);
        Box::pin(async move {
            let fails = words(&event) == "fail";
            if fails
                && count.try_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
            {
                let step =
                    turn.step("read", Box::pin(async { Err(StepFailed { reason: "no answer".into() }) }));
                step.await?;
            }
            turn.record(entry("said", json!([words(&event), turn.attempt()])))?;
            Ok(())
        })
    });
    (left, handler)
}

#[tokio::test]
async fn a_failed_turn_waits_longer_each_time_and_holds_up_its_own_session_only() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let (left, handler) = failing(3);
    let engine = engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "fail").await;
    say(engine.store(), "s", "next").await;
    say(engine.store(), "other", "hello").await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "other", "said").await, [json!(["hello", 0])]);
    assert_eq!(left.load(Ordering::SeqCst), 2);
    // 200 ms, 400 ms, 800 ms, each with up to a quarter more.
    for (wait_ms, tries_left) in [(199, 2), (52, 1), (399, 1), (102, 0), (799, 0)] {
        clock.advance(Duration::from_millis(wait_ms));
        idle(&engine).await;
        assert_eq!(left.load(Ordering::SeqCst), tries_left, "after {wait_ms} ms");
        assert_eq!(told(engine.store(), "s", "said").await, Vec::<Value>::new());
    }
    clock.advance(Duration::from_millis(202));
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "said").await, [json!(["fail", 3]), json!(["next", 0])]);
    stop(engine).await;
}

#[tokio::test]
async fn a_turn_that_keeps_failing_is_parked_and_a_person_says_how_to_go_on() {
    for (how, expected) in [
        (Unstick::Retry, vec![json!(["fail", 4]), json!(["next", 0])]),
        (Unstick::Skip, vec![json!(["next", 0])]),
    ] {
        let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
        let (_, handler) = failing(4);
        let settings = Settings { failures_max: 4, ..settings() };
        let engine = start(folder.path(), &clock, settings.clone(), handler).await;
        say(engine.store(), "s", "fail").await;
        say(engine.store(), "s", "next").await;
        for _ in 0..10 {
            clock.advance(Duration::from_secs(100));
            idle(&engine).await;
        }
        let stuck = engine.store().session(&id("s")).await.unwrap().unwrap().stuck;
        let reason = "step `read`: the step failed: no answer".to_owned();
        assert_eq!(stuck, Some(Stuck { reason: reason.clone(), attempts: 4 }));
        let stuck = turn::Stuck { attempts: 4, reason: Redacted::of(&reason) };
        assert_eq!(records(engine.store(), "s").await, [stuck.into()]);
        assert_eq!(engine.store().reader().health().unwrap().stuck, 1);
        // A restart does not hide it.
        stop(engine).await;
        let (_, handler) = failing(0);
        let engine = start(folder.path(), &clock, settings, handler).await;
        idle(&engine).await;
        assert_eq!(told(engine.store(), "s", "said").await, Vec::<Value>::new());
        let dana = PersonId::parse("dana").unwrap();
        assert!(engine.store().unstick(&id("s"), how, &dana).await.unwrap());
        idle(&engine).await;
        assert!(!engine.store().unstick(&id("s"), how, &dana).await.unwrap());
        assert_eq!(told(engine.store(), "s", "said").await, expected, "{how:?}");
        assert_eq!(engine.store().session(&id("s")).await.unwrap().unwrap().stuck, None);
        let by = Redacted::of("dana");
        let unstuck = match how {
            Unstick::Retry => turn::Retried { by }.into(),
            Unstick::Skip => turn::Skipped { by }.into(),
        };
        assert!(records(engine.store(), "s").await.contains(&unstuck), "{how:?}");
        assert_eq!(engine.store().reader().verify().unwrap().fault, None);
        stop(engine).await;
    }
}

#[tokio::test]
async fn a_panic_fails_its_turn_and_no_other() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, event| {
        // Before there is a future to poll.
        assert_ne!(words(&event), "boom at once", "no luck");
        Box::pin(async move {
            turn.record(entry("said", json!(words(&event))))?;
            if words(&event) == "boom" {
                panic!("out of {}", "luck");
            }
            Ok(())
        })
    });
    let settings = Settings { failures_max: 1, ..settings() };
    let engine = start(folder.path(), &clock, settings, handler).await;
    say(engine.store(), "a", "boom").await;
    say(engine.store(), "b", "boom at once").await;
    say(engine.store(), "c", "fine").await;
    idle(&engine).await;
    let row = engine.store().session(&id("a")).await.unwrap().unwrap();
    assert_eq!(row.stuck.unwrap().reason, "the turn failed: it panicked: out of luck");
    let row = engine.store().session(&id("b")).await.unwrap().unwrap();
    assert!(row.stuck.unwrap().reason.contains("no luck"));
    assert_eq!(told(engine.store(), "a", "said").await, Vec::<Value>::new());
    assert_eq!(told(engine.store(), "c", "said").await, [json!("fine")]);
    stop(engine).await;
}

#[tokio::test]
async fn a_turn_that_hangs_is_dropped_and_tried_again() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, event| {
        Box::pin(async move {
            if turn.attempt() == 0 {
                std::future::pending::<()>().await;
            }
            turn.record(entry("said", json!(words(&event))))?;
            Ok(())
        })
    });
    let settings = Settings { turn_limit: Duration::from_millis(20), ..settings() };
    let engine = start(folder.path(), &clock, settings, handler).await;
    say(engine.store(), "s", "hello").await;
    idle(&engine).await;
    clock.advance(Duration::from_secs(1));
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "said").await, [json!("hello")]);
    stop(engine).await;
}

#[tokio::test]
async fn a_session_of_a_newer_worker_is_parked_at_once() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, _| {
        Box::pin(async move {
            match turn.load().await? {
                Some(found) => Err(TurnFailed::NewerSchema { schema: found.schema, known: 1 }),
                None => {
                    turn.save(Checkpoint { schema: 2, body: json!({}), summary: json!({}) })?;
                    Ok(())
                }
            }
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "one").await;
    say(engine.store(), "s", "two").await;
    idle(&engine).await;
    let stuck = engine.store().session(&id("s")).await.unwrap().unwrap().stuck.unwrap();
    assert_eq!(stuck.reason, "session schema 2 is newer than this worker, which reads up to 1");
    stop(engine).await;
}

#[tokio::test]
async fn stopping_lets_a_turn_end_within_the_grace_and_drops_it_after() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let attempts: Arc<Mutex<Vec<u32>>> = Arc::default();
    let (seen, entered) = (Arc::clone(&attempts), Arc::new(tokio::sync::Notify::new()));
    let here = Arc::clone(&entered);
    let handler = script(move |turn, event| {
        let (seen, here) = (Arc::clone(&seen), Arc::clone(&here));
        Box::pin(async move {
            seen.lock().unwrap().push(turn.attempt());
            if turn.attempt() == 0 {
                here.notify_one();
                std::future::pending::<()>().await;
            }
            turn.record(entry("said", json!(words(&event))))?;
            Ok(())
        })
    });
    let settings = Settings { grace: Duration::from_millis(10), crashes_max: 1, ..settings() };
    let engine = start(folder.path(), &clock, settings.clone(), Arc::clone(&handler)).await;
    let store = engine.store().clone();
    say(&store, "s", "hello").await;
    within("the turn to begin", entered.notified()).await;
    stop(engine).await;
    let error = purple_port::Inbox::post(
        &store,
        purple_port::Post {
            session: id("s"),
            dedup: purple_port::DedupKey("late".into()),
            due: None,
            event: Event::Continue,
        },
    );
    assert!(matches!(error.await, Err(EngineError::ShuttingDown)));
    // It was not a crash: with one crash allowed the session would be stuck now.
    let engine = start(folder.path(), &clock, settings, handler).await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "said").await, [json!("hello")]);
    assert_eq!(*attempts.lock().unwrap(), [0, 1]);
    stop(engine).await;
}

#[tokio::test]
async fn timers_ring_when_they_are_due_and_a_later_one_of_the_same_name_replaces_the_earlier() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, event| {
        Box::pin(async move {
            let said = words(&event);
            turn.record(entry("said", json!([said, turn.began().to_string()])))?;
            let timer = |name: &str| Event::Timer { name: name.to_owned() };
            if let Some(wait_s) = said.strip_prefix("remind in ") {
                turn.later(Duration::from_secs(1), timer("expiry"))?;
                turn.later(Duration::from_secs(wait_s.parse().unwrap()), timer("expiry"))?;
                turn.later(Duration::from_secs(3600), timer("reminder"))?;
            }
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, Arc::clone(&handler)).await;
    say(engine.store(), "s", "remind in 60").await;
    idle(&engine).await;
    clock.advance(Duration::from_secs(59));
    say(engine.store(), "s", "remind in 600").await;
    idle(&engine).await;
    clock.advance(Duration::from_secs(599));
    idle(&engine).await;
    // A timer outlives the process.
    stop(engine).await;
    let engine = support::engine(folder.path(), &clock, handler).await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "said").await.len(), 2);
    clock.advance(Duration::from_secs(1));
    idle(&engine).await;
    clock.advance(Duration::from_secs(24 * 3600));
    idle(&engine).await;
    assert_eq!(
        told(engine.store(), "s", "said").await,
        [
            json!(["remind in 60", "2026-03-02T09:00:00Z"]),
            json!(["remind in 600", "2026-03-02T09:00:59Z"]),
            json!(["timer expiry", "2026-03-02T09:10:59Z"]),
            json!(["timer reminder", "2026-03-03T09:10:59Z"]),
        ]
    );
    stop(engine).await;
}

#[tokio::test]
async fn a_clock_that_is_set_back_rings_nothing_again_and_makes_no_turn_earlier() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, event| {
        Box::pin(async move {
            turn.record(entry("said", json!([words(&event), turn.began().to_string()])))?;
            if words(&event) == "go" {
                turn.later(Duration::from_secs(60), Event::Timer { name: "t".to_owned() })?;
            }
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "go").await;
    idle(&engine).await;
    clock.advance(Duration::from_secs(61));
    idle(&engine).await;
    clock.set("1970-01-01T00:00:00Z");
    say(engine.store(), "s", "after").await;
    idle(&engine).await;
    assert_eq!(
        told(engine.store(), "s", "said").await,
        [
            json!(["go", "2026-03-02T09:00:00Z"]),
            json!(["timer t", "2026-03-02T09:01:01Z"]),
            json!(["after", "2026-03-02T09:01:01Z"]),
        ]
    );
    stop(engine).await;
}

#[tokio::test]
async fn an_event_that_is_due_later_waits_and_does_not_hold_up_others() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = engine(folder.path(), &clock, support::scribe()).await;
    let due = Some(clock.now() + jiff::SignedDuration::from_secs(10));
    let dedup = purple_port::DedupKey("later".into());
    let post = purple_port::Post { session: id("s"), dedup, due, event: message("later") };
    purple_port::Inbox::post(engine.store(), post).await.unwrap();
    say(engine.store(), "s", "now").await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "said").await, [json!("now")]);
    clock.advance(Duration::from_secs(10));
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "said").await, [json!("now"), json!("later")]);
    stop(engine).await;
}

#[tokio::test]
async fn no_other_event_of_the_session_runs_between_two_tries_of_one() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let (_, handler) = failing(4);
    let engine = engine(folder.path(), &clock, handler).await;
    // Accepted earlier, so it would come first if it were only a matter of order.
    let due = Some(clock.now() + jiff::SignedDuration::from_millis(1000));
    let dedup = purple_port::DedupKey("timer".into());
    let post = purple_port::Post { session: id("s"), dedup, due, event: message("timer") };
    purple_port::Inbox::post(engine.store(), post).await.unwrap();
    say(engine.store(), "s", "fail").await;
    for _ in 0..30 {
        idle(&engine).await;
        clock.advance(Duration::from_millis(50));
    }
    idle(&engine).await;
    assert_eq!(
        told(engine.store(), "s", "said").await,
        Vec::<Value>::new(),
        "1.5 s: it still waits for a try"
    );
    clock.advance(Duration::from_secs(10));
    idle(&engine).await;
    clock.advance(Duration::from_secs(10));
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "said").await, [json!(["fail", 4]), json!(["timer", 0])]);
    stop(engine).await;
}

/// A demo's clock: it starts at a fixed time and then runs with real time. It rings no bell of its own.
struct FromNine(tokio::time::Instant);

impl Clock for FromNine {
    fn now(&self) -> jiff::Timestamp {
        let start: jiff::Timestamp = "2026-03-02T09:00:00Z".parse().unwrap();
        start + jiff::SignedDuration::try_from(self.0.elapsed()).unwrap()
    }
}

#[tokio::test]
async fn timers_ring_on_a_clock_that_starts_at_a_fixed_time_and_runs_with_real_time() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let clock = Arc::new(FromNine(tokio::time::Instant::now()));
        Store::open(folder.path(), settings(), clock).unwrap()
    };
    // One process takes something that is due a little after nine, and ends; the next one starts at nine again.
    let first = open();
    let due: jiff::Timestamp = "2026-03-02T09:00:00.030Z".parse().unwrap();
    let dedup = purple_port::DedupKey("due".into());
    first
        .post(purple_port::Post { session: id("due"), dedup, due: Some(due), event: message("due") })
        .await
        .unwrap();
    first.close().await.unwrap();
    let handler = script(|turn, event| {
        Box::pin(async move {
            turn.record(entry(&words(&event), json!(turn.began().to_string())))?;
            if words(&event) == "set" {
                turn.later(Duration::from_millis(20), Event::Timer { name: "t".to_owned() })?;
                turn.later(Duration::from_secs(3600), Event::Timer { name: "late".to_owned() })?;
            }
            Ok(())
        })
    });
    let engine = Engine::start(open(), handler, Arc::new(Delivered::default()));
    let store = engine.store();
    say(store, "s", "set").await;
    for (session, kind) in [("s", "timer t"), ("due", "due")] {
        let recorded = async {
            loop {
                // The position is read before the entries: an entry that arrives between the two ends the wait at once.
                let seen = store.session(&id(session)).await.unwrap().map_or(0, |row| row.entries);
                if !told(store, session, kind).await.is_empty() {
                    break;
                }
                store.changed(&id(session), seen).await.unwrap();
            }
        };
        within(&format!("`{kind}` of session `{session}`"), recorded).await;
    }
    let time = |told: Vec<Value>| -> jiff::Timestamp { told[0].as_str().unwrap().parse().unwrap() };
    let (set, rung) = (time(told(store, "s", "set").await), time(told(store, "s", "timer t").await));
    assert!(rung.duration_since(set) >= jiff::SignedDuration::from_millis(20), "{set} {rung}");
    assert!(rung.to_string().starts_with("2026-03-02T09:00:"), "{rung}");
    assert!(due <= time(told(store, "due", "due").await));
    assert_eq!(told(store, "s", "timer late").await, Vec::<Value>::new());
    stop(engine).await;
}
