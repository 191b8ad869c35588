//! Bytes that changed on the disk: found and refused, never used.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use purple_port::{
    BlobHash, Blobs as _, Brake as _, Checkpoint, Clock as _, Digest, EngineError, Events as _, Halt,
    Handler, Recorded, SessionRow,
};
use purple_store::{Engine, Reader, Settings, Store};
use purple_testkit::within;
use rusqlite::Connection;
use serde_json::{Value, json};
use support::{
    Delivered, HandClock, engine, entry, id, idle, say, scribe, script, settings, stop, told, words,
};
use tokio::sync::Semaphore;

#[expect(clippy::disallowed_methods, reason = "damages the database, which the product never does")]
fn database(folder: &Path) -> Connection {
    Connection::open(folder.join("purple.db")).unwrap()
}

fn keeper() -> Arc<dyn Handler> {
    script(|turn, event| {
        Box::pin(async move {
            turn.load().await?;
            turn.record(entry("said", json!(words(&event))))?;
            turn.keep(words(&event).into_bytes())?;
            turn.step("kept", Box::pin(async { Ok(json!("scratch")) })).await?;
            turn.durable().await?;
            turn.save(Checkpoint { schema: 1, body: json!({"last": words(&event)}), summary: json!("sum") })?;
            Ok(())
        })
    })
}

#[tokio::test]
async fn a_checkpoint_or_an_event_that_changed_on_disk_parks_its_session_and_no_other() {
    for (what, damage) in [
        ("checkpoint", "UPDATE checkpoints SET body = replace(body, 'one', 'two') WHERE session = 1"),
        ("checkpoint", "UPDATE checkpoints SET schema = 2 WHERE session = 1"),
        ("checkpoint", "UPDATE sessions SET summary = '\"sun\"' WHERE id = 1"),
        ("event", "UPDATE inbox SET event = replace(event, 'next', 'text') WHERE session = 1"),
    ] {
        let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
        let engine = engine(folder.path(), &clock, keeper()).await;
        say(engine.store(), "s", "one").await;
        say(engine.store(), "other", "one").await;
        idle(&engine).await;
        stop(engine).await;
        let store = support::store(folder.path(), &clock).await;
        say(&store, "s", "next").await;
        say(&store, "other", "next").await;
        store.close().await.unwrap();
        assert_eq!(database(folder.path()).execute(damage, []).unwrap(), 1);
        let engine = support::engine(folder.path(), &clock, keeper()).await;
        idle(&engine).await;
        let stuck = engine.store().session(&id("s")).await.unwrap().unwrap().stuck.unwrap();
        assert_eq!(stuck.reason, format!("the {what} is damaged: its digest does not match"), "{damage}");
        assert_eq!(told(engine.store(), "other", "said").await, [json!("one"), json!("next")]);
        stop(engine).await;
    }
}

/// A changed stop must not read as no stop: the turn that asks fails, and is tried again.
#[tokio::test]
async fn a_stop_that_changed_on_disk_lets_nobody_go_on() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, _| {
        Box::pin(async move {
            turn.halted("payments").await?;
            turn.record(entry("went on", Value::Null))?;
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    let by = purple_port::PersonId::parse("olga").unwrap();
    let stop = Halt { process: Some("payments".to_owned()), by, reason: String::new(), at: clock.now() };
    engine.store().halt(stop).await.unwrap();
    let damage = "UPDATE halts SET scope = 'process:paymentt', halt = replace(halt, 'payments', 'paymentt')";
    assert_eq!(database(folder.path()).execute(damage, []).unwrap(), 1);
    say(engine.store(), "s", "go").await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "went on").await, Vec::<Value>::new());
    let error = engine.store().halts().await.unwrap_err();
    assert_eq!(error.to_string(), "the halt is damaged: its digest does not match");
    support::stop(engine).await;
}

#[tokio::test]
async fn a_blob_that_changed_on_disk_is_not_handed_out() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = engine(folder.path(), &clock, keeper()).await;
    say(engine.store(), "s", "one").await;
    idle(&engine).await;
    let hash = BlobHash(Digest::of(b"one"));
    assert_eq!(engine.store().get(hash).await.unwrap(), Some(b"one".to_vec()));
    database(folder.path()).execute("UPDATE blobs SET bytes = x'6f6e66'", []).unwrap();
    let error = engine.store().get(hash).await.unwrap_err();
    assert!(matches!(error, EngineError::Damaged { what: "blob", .. }), "{error}");
    assert_eq!(engine.store().get(BlobHash(Digest::of(b"two"))).await.unwrap(), None);
    stop(engine).await;
}

#[tokio::test]
async fn a_turn_whose_session_was_written_by_somebody_else_keeps_nothing_and_spoils_no_other() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let (gate, begun) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (opened, here) = (Arc::clone(&gate), Arc::clone(&begun));
    let handler = script(move |turn, event| {
        let (opened, here) = (Arc::clone(&opened), Arc::clone(&here));
        Box::pin(async move {
            here.add_permits(1);
            opened.acquire().await.unwrap().forget();
            turn.record(entry("said", json!(words(&event))))?;
            Ok(())
        })
    });
    let settings = Settings { failures_max: 1, ..settings() };
    let store = Store::open(folder.path(), settings, clock.clone()).unwrap();
    let engine = Engine::start(store, handler, Arc::new(Delivered::default()));
    let others: Vec<String> = (0..20).map(|number| format!("other{number}")).collect();
    for session in others.iter().map(String::as_str).chain(["s"]) {
        say(engine.store(), session, "hello").await;
    }
    within("21 turns to begin", begun.acquire_many(21)).await.unwrap().forget();
    let moved = database(folder.path()).execute("UPDATE sessions SET head_seq = 7 WHERE name = 's'", []);
    assert_eq!(moved.unwrap(), 1);
    // All of them end together, and share a commit with the one that is refused.
    gate.add_permits(21);
    idle(&engine).await;
    for session in &others {
        assert_eq!(told(engine.store(), session, "said").await, [json!("hello")], "{session}");
    }
    let stuck = engine.store().session(&id("s")).await.unwrap().unwrap().stuck.unwrap();
    assert_eq!(stuck.reason, "the journal is damaged: the head of session `s` is not where its turn left it");
    stop(engine).await;
}

#[tokio::test]
async fn a_turn_that_kills_the_process_too_often_is_parked_at_the_start() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let settings = Settings { crashes_max: 3, ..settings() };
    let start = |handler| {
        let store = Store::open(folder.path(), settings.clone(), clock.clone()).unwrap();
        Engine::start(store, handler, Arc::new(Delivered::default()))
    };
    let store = Store::open(folder.path(), settings.clone(), clock.clone()).unwrap();
    say(&store, "s", "poison").await;
    store.close().await.unwrap();
    for crash in 1..=3 {
        // A process that died in the turn leaves it begun.
        let begun = database(folder.path())
            .execute("UPDATE inbox SET begun = 1, attempts = attempts + 1 WHERE stuck IS NULL", []);
        assert_eq!(begun.unwrap(), 1);
        if crash < 3 {
            Store::open(folder.path(), settings.clone(), clock.clone()).unwrap().close().await.unwrap();
        }
    }
    let engine = start(scribe());
    say(engine.store(), "other", "fine").await;
    idle(&engine).await;
    let stuck = engine.store().session(&id("s")).await.unwrap().unwrap().stuck.unwrap();
    assert_eq!((stuck.reason.as_str(), stuck.attempts), ("the process died 3 times in this turn", 3));
    assert_eq!(told(engine.store(), "s", "said").await, Vec::<Value>::new());
    assert_eq!(told(engine.store(), "other", "said").await, [json!("fine")]);
    stop(engine).await;
}

#[tokio::test]
async fn results_of_steps_are_thrown_away_after_their_time_and_not_before() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = engine(folder.path(), &clock, keeper()).await;
    let steps = |folder: &Path| -> i64 {
        database(folder).query_row("SELECT count(*) FROM steps", [], |row| row.get(0)).unwrap()
    };
    for number in 0..1200 {
        say(engine.store(), &format!("s{}", number % 40), &number.to_string()).await;
    }
    idle(&engine).await;
    clock.advance(Duration::from_secs(6 * 24 * 3600));
    say(engine.store(), "s", "later").await;
    idle(&engine).await;
    assert_eq!(steps(folder.path()), 1201);
    clock.advance(Duration::from_secs(2 * 24 * 3600));
    // The tick keeps a result too.
    while steps(folder.path()) > 2 {
        say(engine.store(), "tick", "tock").await;
    }
    stop(engine).await;
    assert_eq!(steps(folder.path()), 2);
}

/// All that a reader can see, or the first thing that it refuses.
async fn everything(
    folder: &Path,
) -> Result<(Vec<SessionRow>, Vec<Vec<Recorded>>, Vec<Option<Vec<u8>>>), String> {
    let reader = Reader::open(folder).map_err(|error| error.to_string())?;
    let fault = reader.health().map_err(|error| error.to_string())?.fault;
    fault.map_or(Ok(()), Err)?;
    let report = reader.verify().map_err(|error| error.to_string())?;
    report.fault.map_or(Ok(()), |fault| Err(fault.to_string()))?;
    let sessions = reader.sessions(None, 100).await.map_err(|error| error.to_string())?;
    let (mut journals, mut blobs) = (Vec::new(), Vec::new());
    for number in 0..4 {
        let session = id(&format!("s{number}"));
        journals.push(reader.since(&session, 0, 100).await.map_err(|error| error.to_string())?);
        let hash = BlobHash(Digest::of(format!("text {number}").as_bytes()));
        blobs.push(reader.get(hash).await.map_err(|error| error.to_string())?);
    }
    Ok((sessions, journals, blobs))
}

#[tokio::test]
async fn a_bit_flipped_anywhere_in_the_file_is_found_or_changes_nothing_that_is_read() {
    let (sound, folder, clock) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), HandClock::new());
    let engine = engine(sound.path(), &clock, keeper()).await;
    for number in 0..4 {
        for _ in 0..3 {
            say(engine.store(), &format!("s{number}"), &format!("text {number}")).await;
        }
    }
    idle(&engine).await;
    stop(engine).await;
    let expected = everything(sound.path()).await.unwrap();
    assert_eq!(expected.1.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1, 1]);
    let bytes = std::fs::read(sound.path().join("purple.db")).unwrap();
    let (mut found, mut harmless) = (0, 0);
    for index in (0..bytes.len()).step_by(61) {
        let mut flipped = bytes.clone();
        flipped[index] ^= 1 << (index % 8);
        for leftover in ["purple.db-wal", "purple.db-shm"] {
            let _ = std::fs::remove_file(folder.path().join(leftover));
        }
        std::fs::write(folder.path().join("purple.db"), flipped).unwrap();
        match everything(folder.path()).await {
            Err(_) => found += 1,
            Ok(read) => {
                // What a list shows of a session is a view; the turn that loads it checks it.
                let (sessions, journals, blobs) = read;
                assert_eq!((&journals, blobs.len()), (&expected.1, expected.2.len()), "byte {index}");
                assert!(blobs.iter().zip(&expected.2).all(|(read, kept)| read.is_none() || read == kept));
                assert_eq!(sessions.len(), expected.0.len(), "byte {index}");
                harmless += 1;
            }
        }
    }
    assert!(found > 0 && harmless > 0, "{found} found, {harmless} harmless");
}
