//! Tokens of callers, and those who are told when a session moves.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::sync::Arc;

use purple_port::limits::WATCHERS_MAX;
use purple_port::{
    Digest, DoorRole, EngineError, Figures as _, MOVED_KIND, Moved, PersonId, Role, Token, Tokens as _,
    Watcher, Watchers as _,
};
use purple_store::{Engine, LocalDoor, Reader, Remote};
use purple_testkit::becomes;
use serde_json::json;
use support::{Delivered, HandClock, id, idle, say, scribe, script, stop, store};

fn olga() -> PersonId {
    PersonId::parse("olga").unwrap()
}

fn token(name: &str) -> Token {
    Token {
        id: format!("tok_{name}"),
        hash: Digest::of(b"secret"),
        person: PersonId::parse(name).unwrap(),
        roles: [DoorRole::Approver, DoorRole::Requester].into(),
        groups: [Role::parse("ap_lead").unwrap()].into(),
        made: "2026-03-02T09:00:00Z".parse().unwrap(),
        until: None,
        revoked: None,
    }
}

fn watcher(session: &str, name: &str) -> Watcher {
    let owner = PersonId::parse("ada").unwrap();
    Watcher { session: id(session), id: name.to_owned(), owner, body: json!({"url": "https://a.example"}) }
}

#[tokio::test]
async fn a_token_is_kept_through_a_restart_and_revoked_for_ever() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let now = "2026-03-02T10:00:00Z".parse().unwrap();
    let first = store(folder.path(), &clock).await;
    assert!(first.keep_token(token("ada"), &olga()).await.unwrap());
    assert!(!first.keep_token(Token { hash: Digest::of(b"other"), ..token("ada") }, &olga()).await.unwrap());
    assert!(first.keep_token(token("bob"), &olga()).await.unwrap());
    assert_eq!(first.token("tok_ada").unwrap(), Some(token("ada")));
    assert!(first.revoke_token("tok_bob", &olga(), now).await.unwrap());
    assert!(!first.revoke_token("tok_bob", &olga(), now).await.unwrap());
    assert!(!first.revoke_token("tok_eve", &olga(), now).await.unwrap());
    first.close().await.unwrap();
    let again = store(folder.path(), &clock).await;
    let revoked = Token { revoked: Some(now), ..token("bob") };
    assert_eq!(again.tokens().unwrap(), [token("ada"), revoked.clone()]);
    assert!(!revoked.counts(now) && token("ada").counts(now));
    assert!(!Token { until: Some(now), ..token("ada") }.counts(now));
    again.close().await.unwrap();
}

#[tokio::test]
async fn a_command_makes_and_revokes_tokens_of_a_running_server() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = Engine::start(store(folder.path(), &clock).await, scribe(), Arc::new(Delivered::default()));
    let door = LocalDoor::open(engine.store()).unwrap();
    let remote = Remote::connect(folder.path()).await.unwrap();
    assert!(remote.keep_token(token("ada"), &olga()).await.unwrap());
    assert!(!remote.keep_token(token("ada"), &olga()).await.unwrap());
    assert_eq!(engine.store().tokens().unwrap(), [token("ada")]);
    let reader = Reader::open(folder.path()).unwrap();
    assert_eq!(reader.tokens().unwrap(), [token("ada")]);
    assert!(matches!(reader.keep_token(token("bob"), &olga()).await, Err(EngineError::Storage(_))));
    let now = "2026-03-02T10:00:00Z".parse().unwrap();
    assert!(remote.revoke_token("tok_ada", &olga(), now).await.unwrap());
    // What was revoked is so at once.
    assert!(!engine.store().token("tok_ada").unwrap().unwrap().counts(now));
    door.close().await;
}

#[tokio::test]
async fn a_token_whose_bytes_changed_is_an_error_and_not_none() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let first = store(folder.path(), &clock).await;
    first.keep_token(token("ada"), &olga()).await.unwrap();
    first.close().await.unwrap();
    let database = folder.path().join("purple.db");
    let mut bytes = std::fs::read(&database).unwrap();
    let place = bytes.windows(9).position(|window| window == b"requester").unwrap();
    bytes[place..place + 9].copy_from_slice(b"operator ");
    std::fs::write(&database, bytes).unwrap();
    let again = store(folder.path(), &clock).await;
    assert!(matches!(again.token("tok_ada"), Err(EngineError::Damaged { what: "token", .. })));
    again.close().await.unwrap();
}

#[tokio::test]
async fn each_turn_tells_each_watcher_once_and_a_late_one_where_the_session_stands() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let told = Arc::new(Delivered::default());
    let engine = Engine::start(store(folder.path(), &clock).await, scribe(), told.clone());
    let store = engine.store().clone();
    store.watch(watcher("s", "early")).await.unwrap();
    say(&store, "s", "one").await;
    say(&store, "t", "other").await;
    idle(&engine).await;
    store.watch(watcher("s", "late")).await.unwrap();
    assert!(store.unwatch(&id("s"), "early").await.unwrap());
    assert!(!store.unwatch(&id("s"), "early").await.unwrap());
    say(&store, "s", "two").await;
    idle(&engine).await;
    let expected = [("early", 0, 1), ("late", 0, 1), ("late", 1, 2)];
    becomes("all notices", || told.0.lock().unwrap().len() >= expected.len()).await;
    let mut seen: Vec<Moved> = Vec::new();
    for notice in told.0.lock().unwrap().iter() {
        assert_eq!((notice.kind.as_str(), &notice.session), (MOVED_KIND, &id("s")));
        seen.push(serde_json::from_value(notice.body.value().clone()).unwrap());
    }
    seen.sort_by_key(|moved| (moved.watcher.clone(), moved.to));
    let expected = expected.map(|(name, from, to)| Moved { watcher: name.to_owned(), from, to });
    assert_eq!(seen, expected);
    assert_eq!(store.watchers(&id("s")).await.unwrap(), [watcher("s", "late")]);
    stop(engine).await;
}

#[tokio::test]
async fn a_turn_that_failed_tells_nobody_and_the_watchers_of_a_session_are_bounded() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let told = Arc::new(Delivered::default());
    let fails = script(|_, _| {
        Box::pin(std::future::ready(Err(purple_port::TurnFailed::NewerSchema { schema: 2, known: 1 })))
    });
    let engine = Engine::start(store(folder.path(), &clock).await, fails, told.clone());
    let store = engine.store().clone();
    for at in 0..WATCHERS_MAX {
        store.watch(watcher("s", &at.to_string())).await.unwrap();
    }
    assert!(store.watch(watcher("s", "one more")).await.is_err());
    store.watch(watcher("s", "0")).await.unwrap();
    say(&store, "s", "one").await;
    idle(&engine).await;
    assert!(told.0.lock().unwrap().is_empty());
    stop(engine).await;
}

#[tokio::test]
async fn entries_of_all_sessions_come_once_in_order() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = Engine::start(store(folder.path(), &clock).await, scribe(), Arc::new(Delivered::default()));
    for (session, words) in [("a", "1"), ("b", "2"), ("a", "3")] {
        say(engine.store(), session, words).await;
        idle(&engine).await;
    }
    let first = engine.store().entries(0, 2).await.unwrap();
    let rest = engine.store().entries(first.last().unwrap().place, 2).await.unwrap();
    let all: Vec<_> =
        first.iter().chain(&rest).map(|one| (one.session.as_str(), one.entry.record.data())).collect();
    assert_eq!(all, [("a", json!("1")), ("b", json!("2")), ("a", json!("3"))]);
    assert!(engine.store().entries(rest.last().unwrap().place, 2).await.unwrap().is_empty());
    assert_eq!(engine.store().learned().await.unwrap(), Default::default());
    stop(engine).await;
}

/// Every byte of the database and its log.
fn bytes_of(folder: &std::path::Path) -> Vec<u8> {
    ["purple.db", "purple.db-wal"]
        .iter()
        .flat_map(|name| std::fs::read(folder.join(name)).unwrap_or_default())
        .collect()
}

fn holds(folder: &std::path::Path, text: &str) -> bool {
    bytes_of(folder).windows(text.len()).any(|part| part == text.as_bytes())
}

fn secret_watcher() -> Watcher {
    Watcher {
        body: json!({"url": "https://a.example", "credentials": "hunter2-credential"}),
        ..watcher("s", "one")
    }
}

#[tokio::test]
async fn how_a_watcher_is_reached_is_not_in_the_database_and_opens_with_the_key_beside_it_only() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let first = store(folder.path(), &clock).await;
    first.watch(secret_watcher()).await.unwrap();
    assert_eq!(first.watchers(&id("s")).await.unwrap(), [secret_watcher()]);
    first.close().await.unwrap();
    assert!(!holds(folder.path(), "hunter2") && !holds(folder.path(), "a.example"));
    assert!(holds(folder.path(), "ada"), "what is not secret is there");
    let key = folder.path().join("watchers.key");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let again = store(folder.path(), &clock).await;
    assert_eq!(
        (again.watchers(&id("s")).await.unwrap(), again.unopened_watchers()),
        (vec![secret_watcher()], 0)
    );
    again.close().await.unwrap();
    // A copy of the database without its key knows who watches, and not how they are reached.
    std::fs::remove_file(&key).unwrap();
    let robbed = store(folder.path(), &clock).await;
    let found = robbed.watchers(&id("s")).await.unwrap();
    assert_eq!((found.len(), &found[0].owner, robbed.unopened_watchers()), (1, &secret_watcher().owner, 1));
    assert!(!found[0].body.to_string().contains("hunter2"));
    assert!(robbed.unwatch(&id("s"), "one").await.unwrap());
    robbed.close().await.unwrap();
}

#[tokio::test]
async fn what_an_earlier_version_left_open_is_hidden_at_the_next_start() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    store(folder.path(), &clock).await.close().await.unwrap();
    let text = serde_json::to_string(&secret_watcher()).unwrap();
    let db = rusqlite::Connection::open_with_flags(
        folder.path().join("purple.db"),
        rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE,
    )
    .unwrap();
    db.execute(
        "INSERT INTO watchers (session, id, watcher, digest) VALUES ('s', 'one', ?1, ?2)",
        rusqlite::params![text, Digest::of(text.as_bytes()).as_bytes()],
    )
    .unwrap();
    drop(db);
    assert!(holds(folder.path(), "hunter2"), "the test leaves it open");
    let again = store(folder.path(), &clock).await;
    assert_eq!(again.watchers(&id("s")).await.unwrap(), [secret_watcher()]);
    again.close().await.unwrap();
    assert!(!holds(folder.path(), "hunter2") && !holds(folder.path(), "a.example"));
}
