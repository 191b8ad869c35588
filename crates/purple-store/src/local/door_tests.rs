use std::sync::Arc;

use purple_port::Clock;
use purple_testkit::within;
use tokio::io::AsyncReadExt as _;

use super::*;
use crate::local::{Remote, RemoteError};
use crate::settings::Settings;

struct Noon;

impl Clock for Noon {
    fn now(&self) -> jiff::Timestamp {
        "2026-03-02T12:00:00Z".parse().unwrap()
    }
}

fn store(folder: &Path) -> Store {
    let settings = Settings { reserve_bytes: 16 * 1024, ..Settings::default() };
    Store::open(folder, settings, Arc::new(Noon)).unwrap()
}

fn open(store: &Store, change: impl FnOnce(&mut House)) -> LocalDoor {
    let (listener, path, found) = listen(store.folder()).unwrap();
    let mut house = House { owner: found.uid(), client_wait: CLIENT_WAIT };
    change(&mut house);
    LocalDoor::serve(store.clone(), listener, path, (found.dev(), found.ino()), house)
}

#[tokio::test]
async fn another_user_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let door = open(&store, |house| house.owner += 1);
    let error = Remote::connect(folder.path()).await.unwrap_err();
    assert!(matches!(error, RemoteError::OtherUser { .. }), "{error}");
    door.close().await;
    store.close().await.unwrap();
}

/// As many clients as are served at a time say nothing, or half of something; the next one waits until they are thrown out.
#[tokio::test]
async fn clients_that_stop_in_the_middle_hold_nobody_up_for_long() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let door = open(&store, |house| house.client_wait = Duration::from_millis(50));
    let mut silent = Vec::new();
    for number in 0..CLIENTS_MAX {
        let mut stream = UnixStream::connect(door.path()).await.unwrap();
        let hello = wire::frame(&Hello::ours(), HELLO_BYTES_MAX).unwrap();
        let half = &hello[..number % hello.len()];
        wire::send(&mut stream, half).await.unwrap();
        silent.push(stream);
    }
    Remote::connect(folder.path()).await.unwrap();
    for mut stream in silent {
        let mut rest = Vec::new();
        within("the end of the stream", stream.read_to_end(&mut rest)).await.unwrap();
    }
    door.close().await;
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_frame_of_the_wrong_kind_is_told_what_is_wrong_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let door = open(&store, |_| {});
    let hello = wire::frame(&Hello::ours(), HELLO_BYTES_MAX).unwrap();
    let cases: [(Vec<u8>, &str); 6] = [
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), "TooLong { bytes: 1195725856, bytes_max: 1024 }"),
        (framed(b"{\"hello\":\"purple-local/9\"}"), "Protocol { spoken: \"purple-local/2\" }"),
        (framed(b"{}"), "NotARequest"),
        ([&hello[..], &framed(b"\xff\xfe")].concat(), "NotARequest"),
        ([&hello[..], &framed(b"{\"unknown\":1}")].concat(), "NotARequest"),
        ([&hello[..], &[0xff; 4]].concat(), "TooLong { bytes: 4294967295, bytes_max: 524288 }"),
    ];
    for (bytes, expected) in cases {
        let mut stream = UnixStream::connect(door.path()).await.unwrap();
        wire::send(&mut stream, &bytes).await.unwrap();
        if bytes.starts_with(&hello) {
            let theirs: Hello = wire::read(&mut stream, HELLO_BYTES_MAX).await.unwrap();
            assert_eq!(theirs.hello, PROTOCOL);
        }
        let reply: Reply = wire::read(&mut stream, REPLY_BYTES_MAX).await.unwrap();
        assert!(format!("{reply:?}").starts_with(&format!("Refused({expected}")), "{reply:?}");
        assert!(stream.read_u8().await.is_err(), "nothing comes after it");
    }
    Remote::connect(folder.path()).await.unwrap();
    door.close().await;
    store.close().await.unwrap();
}

fn framed(body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len()).unwrap().to_be_bytes()[..], body].concat()
}

#[test]
fn every_error_keeps_its_meaning_on_its_way() {
    use purple_port::StepFailed;
    let cause = || StepFailed { reason: "no".to_owned() };
    let errors = [
        EngineError::TooLarge { what: "event", bytes: 9, bytes_max: 8 },
        EngineError::Step { name: "s".to_owned(), cause: cause() },
        EngineError::StepRepeated { name: "s".to_owned() },
        EngineError::Full,
        EngineError::Damaged { what: "journal", detail: "d".to_owned() },
        EngineError::ShuttingDown,
    ];
    for error in errors {
        let shown = format!("{error:?}");
        let text = serde_json::to_string(&Reply::Failed(error.into())).unwrap();
        let Reply::Failed(fault) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
        assert_eq!(format!("{:?}", EngineError::from(fault)), shown);
    }
    let fault = Fault::from(EngineError::Storage(Box::new(cause())));
    let error = EngineError::from(fault);
    assert_eq!(crate::error::chain_text(&error), "the storage failed: the server: the step failed: no");
    let unknown = Fault::Damaged { what: "something of a later version".to_owned(), detail: String::new() };
    assert!(matches!(EngineError::from(unknown), EngineError::Damaged { what: "data", .. }));
}

#[test]
fn an_answer_that_is_too_long_becomes_one_that_says_so() {
    let session = purple_port::SessionId::parse(&"s".repeat(64)).unwrap();
    let frame = reply_frame(&Reply::Held(vec![session; 70_000])).unwrap();
    assert!(frame.len() < 200);
    let reply: Reply = serde_json::from_slice(&frame[4..]).unwrap();
    assert!(matches!(reply, Reply::Failed(Fault::TooLarge { .. })), "{reply:?}");
}
