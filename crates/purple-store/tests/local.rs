//! Commands beside a running server: through its local socket, or on a reader.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use purple_port::event::{Channel, Start};
use purple_port::limits::EVENT_BYTES_MAX;
use purple_port::{
    Brake as _, Checkpoint, DedupKey, EngineError, Event, Events as _, Halt, Inbox, PersonId, Post, Posted,
};
use purple_store::{LocalDoor, LocalError, ReadOnly, Reader, Remote, RemoteError, Store, Unstick};
use purple_testkit::within;
use serde_json::json;
use support::{HandClock, engine, id, idle, message, say, scribe, script, told, words};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

fn olga() -> PersonId {
    PersonId::parse("olga").unwrap()
}

fn stop(process: Option<&str>) -> Halt {
    let at = "2026-03-02T09:00:00.5Z".parse().unwrap();
    Halt { process: process.map(str::to_owned), by: olga(), reason: "wrong \"rate\"".to_owned(), at }
}

fn post(session: &str, key: &str, event: Event) -> Post {
    Post { session: id(session), dedup: DedupKey(key.to_owned()), due: None, event }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn a_command_posts_to_the_store_of_another_process_while_it_runs() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&seen);
    let handler = script(move |_, event| {
        keep.lock().unwrap().push(event);
        Box::pin(std::future::ready(Ok(())))
    });
    let engine = engine(folder.path(), &clock, handler).await;
    let door = LocalDoor::open(engine.store()).unwrap();
    let remote = Remote::connect(folder.path()).await.unwrap();
    let start = Event::Start(Start {
        text: "pay \u{1f600} \"now\"".to_owned(),
        by: olga(),
        channel: Channel::Cli,
        account: None,
        policy: Some(
            serde_json::from_str(r#"{"limit": 0.10000000000000000001, "n": [1e400, -2.50]}"#).unwrap(),
        ),
        tools_endpoint: None,
        message_id: None,
    });
    assert_eq!(remote.post(post("s", "k", start.clone())).await.unwrap(), Posted::Accepted);
    let repeated = Posted::Repeated { session: id("s") };
    assert_eq!(remote.post(post("t", "k", start.clone())).await.unwrap(), repeated);
    let conflicting = Posted::Conflicting { session: id("s") };
    assert_eq!(remote.post(post("s", "k", Event::Continue)).await.unwrap(), conflicting);
    idle(&engine).await;
    assert_eq!(*seen.lock().unwrap(), [start]);
    // What the store says about a post, it says through the socket too.
    let large = remote.post(post("s", "l", message(&"x".repeat(EVENT_BYTES_MAX)))).await.unwrap_err();
    assert!(matches!(large, EngineError::TooLarge { what: "event", .. }), "{large}");
    let larger = remote.post(post("s", "l", message(&"x".repeat(5 * EVENT_BYTES_MAX)))).await.unwrap_err();
    assert!(matches!(larger, EngineError::TooLarge { what: "request", .. }), "{larger}");
    engine.store().clone().close().await.unwrap();
    let late = remote.post(post("s", "l", Event::Continue)).await.unwrap_err();
    assert!(matches!(late, EngineError::ShuttingDown), "{late}");
    door.close().await;
}

#[tokio::test]
async fn a_stop_through_the_socket_is_the_stop_of_the_store() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, event| {
        Box::pin(async move {
            let summary = json!({ "status": words(&event) });
            turn.save(Checkpoint { schema: 1, body: json!(null), summary })?;
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    let _door = LocalDoor::open(engine.store()).unwrap();
    let remote = Remote::connect(folder.path()).await.unwrap();
    remote.halt(stop(None)).await.unwrap();
    remote.halt(stop(Some("payments"))).await.unwrap();
    assert_eq!(engine.store().halts().await.unwrap(), [stop(None), stop(Some("payments"))]);
    assert_eq!(remote.halts().await.unwrap(), [stop(None), stop(Some("payments"))]);
    assert!(remote.resume(None, &olga()).await.unwrap());
    assert!(!remote.resume(None, &olga()).await.unwrap());
    assert_eq!(engine.store().halts().await.unwrap(), [stop(Some("payments"))]);
    say(engine.store(), "other", "working").await;
    for session in 0..501 {
        say(engine.store(), &format!("s{session:03}"), "halted").await;
    }
    idle(&engine).await;
    let held = remote.held().await.unwrap();
    assert_eq!(held, engine.store().held().await.unwrap());
    assert_eq!(held.len(), 501);
    support::stop(engine).await;
}

#[tokio::test]
async fn a_stuck_session_is_helped_through_the_socket() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, event| {
        Box::pin(async move {
            let failed = purple_port::TurnFailed::NewerSchema { schema: 2, known: 1 };
            if words(&event) == "bad" {
                return Err(failed);
            }
            turn.record(support::entry("said", json!(words(&event))))?;
            Ok(())
        })
    });
    let engine = engine(folder.path(), &clock, handler).await;
    let _door = LocalDoor::open(engine.store()).unwrap();
    let remote = Remote::connect(folder.path()).await.unwrap();
    say(engine.store(), "s", "bad").await;
    say(engine.store(), "s", "good").await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "said").await, Vec::<serde_json::Value>::new());
    assert!(remote.unstick(&id("s"), Unstick::Skip, &olga()).await.unwrap());
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "said").await, [json!("good")]);
    assert!(!remote.unstick(&id("s"), Unstick::Retry, &olga()).await.unwrap());
    support::stop(engine).await;
}

#[tokio::test]
async fn a_folder_that_nobody_serves_is_told_from_one_whose_server_was_killed() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let path = folder.path().join("local.sock");
    let error = Remote::connect(folder.path()).await.unwrap_err();
    let shown = format!("no process serves the data folder `{}`", folder.path().display());
    assert_eq!(error.to_string(), shown);
    // What kill -9 leaves: a socket that nobody listens on. Half of one that was being made, too.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    drop(std::os::unix::net::UnixListener::bind(folder.path().join("local.sock.draft")).unwrap());
    assert!(matches!(Remote::connect(folder.path()).await, Err(RemoteError::NoServer { .. })));
    let store = support::store(folder.path(), &clock).await;
    let door = LocalDoor::open(&store).unwrap();
    assert_eq!(mode(door.path()), 0o600);
    let remote = Remote::connect(folder.path()).await.unwrap();
    door.close().await;
    assert!(!path.exists());
    let error = remote.halts().await.unwrap_err();
    assert!(matches!(error, EngineError::Storage(_)), "{error}");
    // A server that was started again is found again.
    let door = LocalDoor::open(&store).unwrap();
    assert_eq!(remote.halts().await.unwrap(), []);
    drop(door);
    assert!(!path.exists());
    store.close().await.unwrap();
}

#[tokio::test]
async fn an_old_door_does_not_take_away_the_socket_of_a_new_one() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let store = support::store(folder.path(), &clock).await;
    let old = LocalDoor::open(&store).unwrap();
    let _new = LocalDoor::open(&store).unwrap();
    drop(old);
    Remote::connect(folder.path()).await.unwrap();
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_folder_that_others_may_write_and_a_file_in_the_way_are_refused() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let inside = folder.path().join("new/data");
    let store = support::store(&inside, &clock).await;
    assert_eq!(mode(&inside), 0o700);
    std::fs::set_permissions(&inside, std::fs::Permissions::from_mode(0o770)).unwrap();
    let error = LocalDoor::open(&store).unwrap_err();
    assert!(matches!(error, LocalError::FolderOpen { mode: 0o770, .. }), "{error}");
    assert_eq!(error.help(), "let only its owner write into it: chmod 700");
    std::fs::set_permissions(&inside, std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::write(inside.join("local.sock"), "notes").unwrap();
    assert!(matches!(LocalDoor::open(&store), Err(LocalError::NotASocket { .. })));
    assert_eq!(std::fs::read_to_string(inside.join("local.sock")).unwrap(), "notes");
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_folder_whose_path_is_too_long_for_a_socket_says_so_and_works_without_one() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let deep = folder.path().join("x".repeat(120));
    let store = support::store(&deep, &clock).await;
    let error = LocalDoor::open(&store).unwrap_err();
    assert!(error.help().contains("fewer than 90 bytes"), "{error}");
    assert!(matches!(Remote::connect(&deep).await, Err(RemoteError::NoServer { .. })));
    assert_eq!(store.halts().await.unwrap(), []);
    store.close().await.unwrap();
}

#[test]
fn garbage_is_answered_or_dropped_and_the_next_client_is_served() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let (store, door) = runtime.block_on(async {
        let store = support::store(folder.path(), &clock).await;
        let door = LocalDoor::open(&store).unwrap();
        (store, door)
    });
    let hello = b"\x00\x00\x00\x1a{\"hello\":\"purple-local/2\"}";
    let garbage = (any::<bool>(), proptest::collection::vec(any::<u8>(), 0..600));
    proptest!(ProptestConfig::with_cases(100), |((polite, bytes) in garbage)| {
        runtime.block_on(async {
            let mut stream = UnixStream::connect(door.path()).await.unwrap();
            let greeting = if polite { &hello[..] } else { &[] };
            // The server may be gone before all of it was sent.
            let _ = stream.write_all(&[greeting, &bytes].concat()).await;
            let _ = stream.shutdown().await;
            let mut answer = Vec::new();
            let _ = within("the end of the answer", stream.read_to_end(&mut answer)).await;
            assert!(answer.len() < 2048);
            let remote = Remote::connect(folder.path()).await.unwrap();
            assert_eq!(remote.halts().await.unwrap(), []);
        });
    });
    runtime.block_on(async {
        assert_eq!(store.sessions(None, 9).await.unwrap(), []);
        door.close().await;
        store.close().await.unwrap();
    });
}

#[tokio::test]
async fn a_server_that_speaks_something_else_is_named_and_one_that_talks_nonsense_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let listener = tokio::net::UnixListener::bind(folder.path().join("local.sock")).unwrap();
    let serve = |bytes: &'static [u8]| async {
        let server = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(bytes).await.unwrap();
        };
        let both = async { tokio::join!(server, Remote::connect(folder.path())) };
        let ((), client) = within("client and server", both).await;
        client.unwrap_err().to_string()
    };
    let newer = serve(b"\x00\x00\x00\x1a{\"hello\":\"purple-local/7\"}").await;
    assert_eq!(newer, "the server speaks `purple-local/7`, and this program `purple-local/2`");
    let nonsense = serve(b"\x00\x00\x00\x02[]").await;
    assert_eq!(nonsense, "the server gave no answer that can be read: []");
    let long = serve(b"\xff\xff\xff\xff").await;
    assert_eq!(long, "the server gave no answer that can be read: it has 4294967295 bytes; at most 4194304");
    let other = serve(b"\x00\x00\x00\x1a{\"hello\":\"purple-local/2\"}\x00\x00\x00\x0d{\"was\":false}").await;
    assert_eq!(other, "the server gave no answer that can be read: it answers another question");
    let cut = serve(b"\x00\x00").await;
    assert!(cut.starts_with("the server's answer was lost"), "{cut}");
}

#[tokio::test]
async fn a_reader_reads_and_rejects_writes_while_a_server_holds_the_folder() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = engine(folder.path(), &clock, scribe()).await;
    say(engine.store(), "run-1", "hello").await;
    idle(&engine).await;
    engine.store().halt(stop(None)).await.unwrap();
    let second = Store::open(folder.path(), support::settings(), clock.clone());
    assert!(second.is_err(), "the folder is held");
    let reader = Reader::open(folder.path()).unwrap();
    let rows = reader.sessions(None, 9).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.session.as_str()).collect::<Vec<_>>(), ["run-1"]);
    assert_eq!(reader.since(&id("run-1"), 0, 9).await.unwrap()[0].record().data(), json!("hello"));
    assert_eq!(reader.halts().await.unwrap(), [stop(None)]);
    assert_eq!(reader.held().await.unwrap(), []);
    for refused in [
        reader.post(post("s", "k", Event::Continue)).await.map(drop),
        reader.halt(stop(None)).await,
        reader.resume(None, &olga()).await.map(drop),
    ] {
        let Err(EngineError::Storage(cause)) = refused else { panic!("{refused:?}") };
        assert_eq!(cause.downcast_ref(), Some(&ReadOnly));
    }
    // The socket of the server accepts what the reader rejects.
    let _door = LocalDoor::open(engine.store()).unwrap();
    let remote = Remote::connect(folder.path()).await.unwrap();
    remote.halt(stop(Some("payments"))).await.unwrap();
    assert_eq!(engine.store().halts().await.unwrap().len(), 2);
    clock.advance(Duration::from_secs(1));
    support::stop(engine).await;
}
