//! What a turn may rely on: order, one at a time, one commit, kept steps, limits.

mod support;

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use purple_port::event::{Channel, Event, Start};
use purple_port::limits::{
    DEDUP_BYTES_MAX, ENTRY_BYTES_MAX, EVENT_BYTES_MAX, SESSION_BYTES_MAX, STEP_BYTES_MAX, SUMMARY_BYTES_MAX,
};
use purple_port::{
    BlobHash, Blobs as _, Checkpoint, DedupKey, Digest, EngineError, Events as _, Inbox as _, Post, Posted,
    StepFailed,
};
use purple_testkit::within;
use serde_json::{Value, json};
use support::{
    HandClock, engine, entry, id, idle, message, post, say, scribe, script, settings, stop, told, words,
};
use tokio::sync::{Barrier, Semaphore};

#[tokio::test]
async fn the_same_post_is_taken_once_and_another_under_its_key_is_refused() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = engine(folder.path(), &clock, scribe()).await;
    let store = engine.store().clone();
    assert_eq!(post(&store, "s1", "k", message("one")).await, Posted::Accepted);
    assert_eq!(post(&store, "s1", "k", message("one")).await, Posted::Repeated { session: id("s1") });
    assert_eq!(post(&store, "s2", "k", message("one")).await, Posted::Repeated { session: id("s1") });
    assert_eq!(post(&store, "s1", "k", message("two")).await, Posted::Conflicting { session: id("s1") });
    idle(&engine).await;
    // The key outlives its event, and the process.
    assert_eq!(post(&store, "s1", "k", message("one")).await, Posted::Repeated { session: id("s1") });
    stop(engine).await;
    let engine = support::engine(folder.path(), &clock, scribe()).await;
    assert_eq!(post(engine.store(), "s9", "k", message("one")).await, Posted::Repeated { session: id("s1") });
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s1", "said").await, [json!("one")]);
    assert_eq!(engine.store().session(&id("s2")).await.unwrap(), None);
    stop(engine).await;
}

#[tokio::test]
async fn a_hundred_posts_of_one_event_at_once_are_one_event() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = engine(folder.path(), &clock, scribe()).await;
    let mut posts = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let store = engine.store().clone();
        posts.spawn(async move { say(&store, "s", "once").await });
    }
    let said = posts.join_all().await;
    assert_eq!(said.iter().filter(|posted| **posted == Posted::Accepted).count(), 1);
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "said").await, [json!("once")]);
    stop(engine).await;
}

#[tokio::test]
async fn an_event_with_exact_numbers_reaches_its_turn_as_it_was_posted() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&seen);
    let handler = script(move |_, event| {
        keep.lock().unwrap().push(event);
        Box::pin(std::future::ready(Ok(())))
    });
    let engine = engine(folder.path(), &clock, handler).await;
    let policy = r#"{"rules": [{"limit": 0.10000000000000000001, "n": [1, -2.50, 1e400, null, true]}]}"#;
    let start = Event::Start(Start {
        text: "pay \u{1f600} \"now\"".to_owned(),
        by: purple_port::PersonId::parse("dana").unwrap(),
        channel: Channel::A2a,
        account: None,
        policy: Some(serde_json::from_str(policy).unwrap()),
        tools_endpoint: None,
        message_id: None,
    });
    post(engine.store(), "s", "k", start.clone()).await;
    idle(&engine).await;
    assert_eq!(*seen.lock().unwrap(), [start]);
    stop(engine).await;
}

#[tokio::test]
async fn turns_of_one_session_never_overlap_and_sessions_do() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let meeting = Arc::new(Barrier::new(4));
    let inside: Arc<Mutex<Vec<String>>> = Arc::default();
    let (at, seen) = (Arc::clone(&meeting), Arc::clone(&inside));
    let handler = script(move |turn, _| {
        let (at, seen) = (Arc::clone(&at), Arc::clone(&seen));
        Box::pin(async move {
            let name = turn.session().to_string();
            assert!(!seen.lock().unwrap().contains(&name), "two turns of {name} at once");
            seen.lock().unwrap().push(name.clone());
            // Nobody passes until four sessions are in a turn at the same time.
            at.wait().await;
            seen.lock().unwrap().retain(|other| *other != name);
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    for round in 0..5 {
        for session in ["a", "b", "c", "d"] {
            say(engine.store(), session, &round.to_string()).await;
        }
    }
    idle(&engine).await;
    assert_eq!(engine.store().reader().health().unwrap().events, 0);
    stop(engine).await;
}

#[tokio::test]
async fn no_more_turns_run_at_a_time_than_allowed() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count, highest) = (Arc::clone(&now), Arc::clone(&most));
    let handler = script(move |turn, _| {
        let (count, highest) = (Arc::clone(&count), Arc::clone(&highest));
        Box::pin(async move {
            highest.fetch_max(count.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            turn.record(entry("x", Value::Null))?;
            turn.durable().await?;
            count.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        })
    });
    let settings = purple_store::Settings { turns_max: 3, ..settings() };
    let store = purple_store::Store::open(folder.path(), settings, clock.clone()).unwrap();
    for session in 0..40 {
        say(&store, &format!("s{session}"), "go").await;
    }
    let engine = purple_store::Engine::start(store, handler, Arc::new(support::Delivered::default()));
    idle(&engine).await;
    assert_eq!(most.load(Ordering::SeqCst), 3);
    stop(engine).await;
}

#[tokio::test]
async fn the_end_of_a_turn_commits_everything_or_nothing() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, event| {
        Box::pin(async move {
            turn.record(entry("kept.first", json!(words(&event))))?;
            turn.durable().await?;
            turn.record(entry("rode", Value::Null))?;
            let blob = turn.keep(b"exact bytes".to_vec())?;
            turn.save(Checkpoint { schema: 3, body: json!({"n": 1.50}), summary: json!("sum") })?;
            if words(&event) == "go" {
                turn.later(Duration::ZERO, message("follow-up"))?;
            }
            assert_eq!(blob, BlobHash(Digest::of(b"exact bytes")));
            if words(&event) == "go" && turn.attempt() == 0 {
                return Err(EngineError::ShuttingDown.into());
            }
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "go").await;
    idle(&engine).await;
    let all = |found: Vec<purple_port::Recorded>| -> Vec<(String, Value)> {
        found.iter().map(|found| (found.entry.kind().to_owned(), found.record().data())).collect()
    };
    let hash = BlobHash(Digest::of(b"exact bytes"));
    // The first attempt ended in an error: only what it made durable is there.
    let found = all(engine.store().since(&id("s"), 0, 99).await.unwrap());
    assert_eq!(found, [("kept.first".to_owned(), json!("go"))]);
    assert_eq!(engine.store().get(hash).await.unwrap(), None);
    assert_eq!(engine.store().session(&id("s")).await.unwrap().unwrap().summary, Value::Null);
    clock.advance(Duration::from_secs(1));
    idle(&engine).await;
    let found = all(engine.store().since(&id("s"), 1, 99).await.unwrap());
    let expected = [("kept.first", json!("go")), ("rode", json!(null))];
    let expected = expected.into_iter().chain([("kept.first", json!("follow-up")), ("rode", json!(null))]);
    assert_eq!(found, expected.map(|(kind, data)| (kind.to_owned(), data)).collect::<Vec<_>>());
    assert_eq!(engine.store().get(hash).await.unwrap(), Some(b"exact bytes".to_vec()));
    assert_eq!(engine.store().session(&id("s")).await.unwrap().unwrap().summary, json!("sum"));
    stop(engine).await;
}

#[tokio::test]
async fn a_later_turn_finds_what_the_one_before_it_saved() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, event| {
        Box::pin(async move {
            let before = turn.load().await?;
            let count = before.as_ref().and_then(|found| found.body["count"].as_u64()).unwrap_or(0);
            turn.record(entry("turn", json!({"event": words(&event), "count": count})))?;
            let saved = Checkpoint {
                schema: 7,
                body: json!({"count": count + 1, "exact": "0.10"}),
                summary: json!({"count": count + 1}),
            };
            turn.save(saved.clone())?;
            assert_eq!(turn.load().await?, Some(saved));
            if count < 2 {
                turn.later(Duration::ZERO, Event::Continue)?;
            }
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "go").await;
    idle(&engine).await;
    assert_eq!(
        told(engine.store(), "s", "turn").await,
        [
            json!({"event": "go", "count": 0}),
            json!({"event": "continue", "count": 1}),
            json!({"event": "continue", "count": 2})
        ]
    );
    let row = engine.store().session(&id("s")).await.unwrap().unwrap();
    assert_eq!((row.summary, row.entries, row.stuck), (json!({"count": 3}), 3, None));
    stop(engine).await;
}

#[tokio::test]
async fn a_step_runs_once_if_its_result_was_made_durable_and_again_if_not() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let runs: Arc<[AtomicU32; 2]> = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let counted = Arc::clone(&runs);
    let handler = script(move |turn, _| {
        let counted = Arc::clone(&counted);
        Box::pin(async move {
            let run = |index: usize| {
                let counted = Arc::clone(&counted);
                Box::pin(async move { Ok(json!(counted[index].fetch_add(1, Ordering::SeqCst))) })
            };
            let kept = turn.step("kept", run(0)).await?;
            turn.durable().await?;
            let lost = turn.step("lost", run(1)).await?;
            if turn.attempt() < 2 {
                panic!("attempt {}", turn.attempt());
            }
            turn.record(entry("results", json!([kept, lost])))?;
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "go").await;
    idle(&engine).await;
    for _ in 0..2 {
        clock.advance(Duration::from_secs(60));
        idle(&engine).await;
    }
    assert_eq!(told(engine.store(), "s", "results").await, [json!([0, 2])]);
    assert_eq!(runs.each_ref().map(|count| count.load(Ordering::SeqCst)), [1, 3]);
    stop(engine).await;
}

#[tokio::test]
async fn a_failed_step_keeps_nothing_and_a_step_asked_for_twice_is_refused() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, _| {
        Box::pin(async move {
            let failed = turn
                .step("read", Box::pin(async { Err(StepFailed { reason: "no route".to_owned() }) }))
                .await
                .unwrap_err();
            turn.record(entry("error", json!(failed.to_string())))?;
            turn.step("once", Box::pin(async { Ok(json!(1)) })).await?;
            let twice = turn.step("once", Box::pin(async { Ok(json!(2)) })).await.unwrap_err();
            turn.record(entry("error", json!(twice.to_string())))?;
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "go").await;
    idle(&engine).await;
    assert_eq!(
        told(engine.store(), "s", "error").await,
        [json!("step `read`: the step failed: no route"), json!("step `once` was run before in this turn")]
    );
    stop(engine).await;
}

#[tokio::test]
async fn a_turn_reads_the_journal_with_what_it_has_just_recorded() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, event| {
        Box::pin(async move {
            turn.record(entry("a", json!(words(&event))))?;
            turn.durable().await?;
            turn.record(entry("b", json!(words(&event))))?;
            let all = turn.journal(0).await?;
            let mut prev = Digest::of(turn.session().as_str().as_bytes());
            for (seq, found) in (1..).zip(&all) {
                assert_eq!((found.seq, found.prev), (seq, prev));
                prev = found.hash;
            }
            let tail = turn.journal(1).await?;
            assert_eq!(tail, all[1..]);
            turn.record(entry("length", json!(all.len())))?;
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "one").await;
    say(engine.store(), "s", "two").await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "length").await, [json!(2), json!(5)]);
    stop(engine).await;
}

#[tokio::test]
async fn what_is_larger_than_its_limit_is_refused_and_what_is_as_large_is_not() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let results = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&results);
    let handler = script(move |turn, _| {
        let seen = Arc::clone(&seen);
        Box::pin(async move {
            let text = |bytes: usize| json!("x".repeat(bytes));
            let saved = |body: Value, summary: Value| Checkpoint { schema: 1, body, summary };
            let around = entry("k", json!("")).record.data().to_string().len();
            let shell = r#"{"at":"2026-03-02T09:00:00Z","data":"","kind":"k"}"#.len();
            assert_eq!(around, 2);
            let seen = |what, at: Result<(), EngineError>, above: Result<(), EngineError>| {
                let refused = matches!(above, Err(EngineError::TooLarge { .. }));
                seen.lock().unwrap().push((what, at.is_ok(), refused));
            };
            let room = ENTRY_BYTES_MAX - shell;
            seen("entry", turn.record(entry("k", text(room))), turn.record(entry("k", text(room + 1))));
            let room = SESSION_BYTES_MAX - 2;
            seen(
                "session",
                turn.save(saved(text(room), Value::Null)).map(drop),
                turn.save(saved(text(room + 1), Value::Null)).map(drop),
            );
            let room = SUMMARY_BYTES_MAX - 2;
            seen(
                "summary",
                turn.save(saved(Value::Null, text(room))).map(drop),
                turn.save(saved(Value::Null, text(room + 1))).map(drop),
            );
            let room = STEP_BYTES_MAX - 2;
            let at = turn.step("at", Box::pin(async move { Ok(text(room)) })).await.map(drop);
            let above = turn.step("above", Box::pin(async move { Ok(text(room + 1)) })).await.map(drop);
            seen("step", at, above);
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "go").await;
    idle(&engine).await;
    assert_eq!(
        *results.lock().unwrap(),
        [("entry", true, true), ("session", true, true), ("summary", true, true), ("step", true, true)]
    );
    let big = |bytes| Post {
        session: id("t"),
        dedup: DedupKey("big".into()),
        due: None,
        event: message(&"x".repeat(bytes)),
    };
    let shell = serde_json::to_string(&message("")).unwrap().len();
    let error = engine.store().post(big(EVENT_BYTES_MAX - shell + 1)).await.unwrap_err();
    assert!(matches!(error, EngineError::TooLarge { what: "event", .. }), "{error}");
    assert_eq!(engine.store().post(big(EVENT_BYTES_MAX - shell)).await.unwrap(), Posted::Accepted);
    let long = DedupKey("x".repeat(DEDUP_BYTES_MAX + 1));
    let post = Post { session: id("t"), dedup: long, due: None, event: Event::Continue };
    let error = engine.store().post(post).await.unwrap_err();
    assert!(matches!(error, EngineError::TooLarge { what: "dedup key", .. }), "{error}");
    stop(engine).await;
}

#[tokio::test]
async fn a_session_is_watched_without_missing_an_entry() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let gate = Arc::new(Semaphore::new(0));
    let opened = Arc::clone(&gate);
    let handler = script(move |turn, event| {
        let opened = Arc::clone(&opened);
        Box::pin(async move {
            opened.acquire().await.unwrap().forget();
            turn.record(entry("said", json!(words(&event))))?;
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    let store = engine.store().clone();
    for text in ["one", "two", "three"] {
        say(&store, "s", text).await;
    }
    let watched = tokio::spawn(async move {
        let (mut seen, session) = (0, id("s"));
        while seen < 3 {
            store.changed(&session, seen).await.unwrap();
            seen += store.since(&session, seen, 10).await.unwrap().len() as u64;
        }
        seen
    });
    for _ in 0..3 {
        gate.add_permits(1);
    }
    idle(&engine).await;
    assert_eq!(within("three entries", watched).await.unwrap(), 3);
    stop(engine).await;
}

#[tokio::test]
async fn sessions_are_listed_in_pages_with_the_last_changed_first() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = engine(folder.path(), &clock, scribe()).await;
    for session in ["a", "b", "c", "d", "e"] {
        clock.advance(Duration::from_secs(1));
        say(engine.store(), session, "hello").await;
        idle(&engine).await;
    }
    clock.advance(Duration::from_secs(1));
    say(engine.store(), "b", "again").await;
    idle(&engine).await;
    let mut listed = Vec::new();
    loop {
        let cursor = listed.last().map(|name: &String| id(name));
        let page = engine.store().sessions(cursor.as_ref(), 2).await.unwrap();
        if page.is_empty() {
            break;
        }
        listed.extend(page.into_iter().map(|row| row.session.to_string()));
    }
    assert_eq!(listed, ["b", "e", "d", "c", "a"]);
    stop(engine).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn however_posts_interleave_each_session_runs_them_in_their_order(
        pauses in proptest::collection::vec(proptest::collection::vec(0_usize..4, 0..20), 1..6),
        turns_max in 1_usize..6,
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
            let settings = purple_store::Settings { turns_max, ..settings() };
            let store = purple_store::Store::open(folder.path(), settings, clock.clone()).unwrap();
            let engine = purple_store::Engine::start(store, scribe(), Arc::new(support::Delivered::default()));
            let mut clients = tokio::task::JoinSet::new();
            for (session, pauses) in pauses.clone().into_iter().enumerate() {
                clients.spawn(client(engine.store().clone(), format!("s{session}"), pauses));
            }
            within("the clients to end", clients.join_all()).await;
            idle(&engine).await;
            for (session, pauses) in pauses.into_iter().enumerate() {
                let expected: Vec<Value> = (0..pauses.len()).map(|number| json!(number.to_string())).collect();
                prop_assert_eq!(told(engine.store(), &format!("s{session}"), "said").await, expected);
            }
            stop(engine).await;
            Ok(())
        })?;
    }
}

/// Posts numbered messages to one session, each after the last was accepted, letting others in between.
async fn client(store: purple_store::Store, session: String, pauses: Vec<usize>) {
    for (number, pause) in pauses.into_iter().enumerate() {
        for _ in 0..pause {
            tokio::task::yield_now().await;
        }
        assert_eq!(say(&store, &session, &number.to_string()).await, Posted::Accepted);
    }
}
