//! Business keys and the operator's stop, as turns see them.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use purple_port::limits::{CLAIM_BYTES_MAX, HALT_BYTES_MAX};
use purple_port::{
    Brake as _, Checkpoint, Claim, EngineError, Halt, Handler, Inbox as _, PersonId, TurnFailed,
};
use purple_store::{Intake, Store};
use purple_testkit::within;
use serde_json::{Value, json};
use support::{HandClock, engine, entry, id, idle, say, script, stop, told, words};
use tokio::sync::{Barrier, Notify};

/// A turn does what its words say: `claim K`, `release K`, `fail`, one after another.
fn obedient() -> Arc<dyn Handler> {
    script(|turn, event| {
        Box::pin(async move {
            for order in words(&event).split("; ") {
                match order.split_once(' ') {
                    Some(("claim", key)) => {
                        let said = match turn.claim(key).await? {
                            Claim::Ours => "ours".to_owned(),
                            Claim::Theirs { session } => session.to_string(),
                        };
                        turn.record(entry("claim", json!(said)))?;
                    }
                    Some(("release", key)) => turn.release(key)?,
                    _ if turn.attempt() == 0 => return Err(EngineError::ShuttingDown.into()),
                    _ => {}
                }
            }
            Ok(())
        })
    })
}

#[tokio::test]
async fn the_first_session_gets_a_key_and_keeps_it_in_a_store_that_was_opened_again() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let one = engine(folder.path(), &clock, obedient()).await;
    say(one.store(), "a", "claim INV-447; claim INV-447").await;
    idle(&one).await;
    say(one.store(), "b", "claim INV-447; claim INV-448").await;
    idle(&one).await;
    stop(one).await;
    let again = engine(folder.path(), &clock, obedient()).await;
    say(again.store(), "b", "claim INV-447").await;
    say(again.store(), "a", "claim INV-447").await;
    idle(&again).await;
    assert_eq!(told(again.store(), "a", "claim").await, vec![json!("ours"); 3]);
    assert_eq!(told(again.store(), "b", "claim").await, [json!("a"), json!("ours"), json!("a")]);
    stop(again).await;
}

#[tokio::test]
async fn of_many_turns_that_claim_one_key_at_once_one_gets_it_and_the_others_hear_who() {
    const SESSIONS: usize = 16;
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let meeting = Arc::new(Barrier::new(SESSIONS));
    let claims: Arc<Mutex<Vec<(String, Claim)>>> = Arc::default();
    let (at, kept) = (Arc::clone(&meeting), Arc::clone(&claims));
    let handler = script(move |turn, _| {
        let (at, kept) = (Arc::clone(&at), Arc::clone(&kept));
        Box::pin(async move {
            at.wait().await;
            let claim = turn.claim("INV-447").await?;
            kept.lock().unwrap().push((turn.session().to_string(), claim));
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    for session in 0..SESSIONS {
        say(engine.store(), &format!("s{session}"), "go").await;
    }
    idle(&engine).await;
    let claims = claims.lock().unwrap().clone();
    let winners: Vec<&String> =
        claims.iter().filter(|(_, claim)| *claim == Claim::Ours).map(|(name, _)| name).collect();
    assert_eq!((claims.len(), winners.len()), (SESSIONS, 1), "{claims:?}");
    let theirs = Claim::Theirs { session: id(winners[0]) };
    assert_eq!(claims.iter().filter(|(_, claim)| *claim == theirs).count(), SESSIONS - 1);
    stop(engine).await;
}

#[tokio::test]
async fn a_claim_of_a_turn_that_failed_is_there_for_its_next_attempt_and_for_nobody_else() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = engine(folder.path(), &clock, obedient()).await;
    say(engine.store(), "a", "claim K; fail").await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "a", "claim").await, Vec::<Value>::new(), "the turn did not end");
    say(engine.store(), "b", "claim K").await;
    idle(&engine).await;
    clock.advance(Duration::from_secs(1));
    idle(&engine).await;
    assert_eq!(told(engine.store(), "a", "claim").await, [json!("ours")]);
    assert_eq!(told(engine.store(), "b", "claim").await, [json!("a")]);
    stop(engine).await;
}

#[tokio::test]
async fn a_key_is_given_back_with_the_end_of_the_turn_and_only_by_who_has_it() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = engine(folder.path(), &clock, obedient()).await;
    let orders = [
        ("a", "claim K"),
        // Not its own: nothing happens.
        ("b", "release K; claim K"),
        ("b", "release K"),
        ("b", "claim K"),
        // The turn that gives it back fails at first: until it ends, the key stays.
        ("a", "release K; fail"),
        ("b", "claim K; claim K"),
    ];
    for (session, order) in orders {
        say(engine.store(), session, order).await;
        idle(&engine).await;
    }
    assert_eq!(told(engine.store(), "b", "claim").await, vec![json!("a"); 4]);
    clock.advance(Duration::from_secs(1));
    idle(&engine).await;
    say(engine.store(), "c", "claim K").await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "c", "claim").await, [json!("ours")]);
    // Given back and claimed again in one turn, it is kept.
    say(engine.store(), "c", "release K; claim K").await;
    idle(&engine).await;
    say(engine.store(), "a", "claim K; claim L").await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "a", "claim").await[1..], [json!("c"), json!("ours")]);
    stop(engine).await;
}

#[tokio::test]
async fn a_key_or_a_stop_that_is_too_long_is_refused() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, _| {
        Box::pin(async move {
            assert_eq!(turn.claim(&"k".repeat(CLAIM_BYTES_MAX)).await?, Claim::Ours);
            let long = "k".repeat(CLAIM_BYTES_MAX + 1);
            let error = turn.claim(&long).await.unwrap_err();
            assert_eq!(error.to_string(), "the business key has 513 bytes; at most 512");
            assert!(matches!(turn.release(&long), Err(EngineError::TooLarge { .. })));
            turn.record(entry("done", Value::Null))?;
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "go").await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "done").await.len(), 1);
    let error = engine.store().halt(halt(None, &"x".repeat(HALT_BYTES_MAX))).await.unwrap_err();
    assert!(matches!(error, EngineError::TooLarge { what: "halt", .. }), "{error}");
    assert_eq!(engine.store().halts().await.unwrap(), []);
    stop(engine).await;
}

fn olga() -> PersonId {
    PersonId::parse("olga").unwrap()
}

fn halt(process: Option<&str>, reason: &str) -> Halt {
    Halt {
        process: process.map(str::to_owned),
        by: olga(),
        reason: reason.to_owned(),
        at: "2026-03-02T09:00:00.123456789Z".parse().unwrap(),
    }
}

#[tokio::test]
async fn a_turn_in_flight_sees_a_stop_as_soon_as_it_was_acknowledged_and_its_end() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let (asks, answers) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let seen: Arc<Mutex<Vec<Option<Halt>>>> = Arc::default();
    let (asked, answered, kept) = (Arc::clone(&asks), Arc::clone(&answers), Arc::clone(&seen));
    let handler = script(move |turn, _| {
        let (asked, answered, kept) = (Arc::clone(&asked), Arc::clone(&answered), Arc::clone(&kept));
        Box::pin(async move {
            for _ in 0..6 {
                asked.notified().await;
                let found = turn.halted("payments").await?;
                kept.lock().unwrap().push(found);
                answered.notify_one();
            }
            Ok::<_, TurnFailed>(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "go").await;
    let look = async || {
        asks.notify_one();
        within("the turn to look", answers.notified()).await;
        seen.lock().unwrap().last().unwrap().clone()
    };
    let store = engine.store();
    assert_eq!(look().await, None);
    let (other, ours, all) =
        (halt(Some("refunds"), "not this one"), halt(Some("payments"), "wrong rate"), halt(None, "fire"));
    store.halt(other.clone()).await.unwrap();
    assert_eq!(look().await, None);
    store.halt(ours.clone()).await.unwrap();
    assert_eq!(look().await, Some(ours.clone()));
    store.halt(all.clone()).await.unwrap();
    assert_eq!(look().await, Some(all.clone()));
    assert_eq!(store.halts().await.unwrap(), [all, ours.clone(), other]);
    // The end of the stop of all leaves the one by name.
    assert!(store.resume(None, &olga()).await.unwrap());
    assert!(!store.resume(None, &olga()).await.unwrap());
    assert_eq!(look().await, Some(ours));
    assert!(store.resume(Some("payments"), &olga()).await.unwrap());
    assert_eq!(look().await, None);
    idle(&engine).await;
    stop(engine).await;
}

#[tokio::test]
async fn a_stop_outlives_the_process_and_a_second_one_replaces_who_and_why() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let store = support::store(folder.path(), &clock).await;
    store.halt(halt(Some("payments"), "first")).await.unwrap();
    store.halt(halt(Some("payments"), "second")).await.unwrap();
    store.close().await.unwrap();
    let store = support::store(folder.path(), &clock).await;
    assert_eq!(store.halts().await.unwrap(), [halt(Some("payments"), "second")]);
    // A process may have any name.
    store.halt(halt(Some(""), "odd")).await.unwrap();
    store.halt(halt(Some("all"), "odd")).await.unwrap();
    assert!(!store.resume(None, &olga()).await.unwrap());
    assert_eq!(store.halts().await.unwrap().len(), 3);
    store.close().await.unwrap();
}

#[tokio::test]
async fn the_sessions_that_a_stop_keeps_waiting_are_those_whose_summary_says_so() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, event| {
        Box::pin(async move {
            let summary = serde_json::from_str(&words(&event)).unwrap();
            turn.save(Checkpoint { schema: 1, body: Value::Null, summary })?;
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    let store: &Store = engine.store();
    let summaries =
        [r#"{"status":"working"}"#, r#"{"status":"halted"}"#, r#""halted""#, "null", r#"{"title":"halted"}"#];
    for (session, summary) in ('a'..).zip(summaries) {
        say(store, &session.to_string(), summary).await;
    }
    // More than one page of them.
    for session in 0..501 {
        say(store, &format!("n{session:03}"), r#"{"status":"halted","n":1.50}"#).await;
    }
    say(store, "n500", r#"{"status":"working"}"#).await;
    idle(&engine).await;
    let held = store.held().await.unwrap();
    assert_eq!((held.len(), &held[0], &held[500]), (501, &id("b"), &id("n499")));
    assert_eq!(store.intake(), Intake::Open);
    stop(engine).await;
}

#[tokio::test]
async fn a_closed_store_stops_nothing_and_says_so() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let store = support::store(folder.path(), &clock).await;
    store.clone().close().await.unwrap();
    let error = store.halt(halt(None, "late")).await.unwrap_err();
    assert!(matches!(error, EngineError::ShuttingDown), "{error}");
    let post = purple_port::Post {
        session: id("s"),
        dedup: purple_port::DedupKey("k".to_owned()),
        due: None,
        event: purple_port::Event::Continue,
    };
    assert!(matches!(store.post(post).await, Err(EngineError::ShuttingDown)));
}
