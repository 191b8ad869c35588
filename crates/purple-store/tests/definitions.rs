//! Definitions: one of a kind and name, signed by digest, kept over restarts.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::sync::Arc;

use purple_port::*;
use purple_store::{Reader, Settings, Store};
use purple_testkit::within;

struct Noon;

impl Clock for Noon {
    fn now(&self) -> jiff::Timestamp {
        "2026-03-04T12:00:00Z".parse().unwrap()
    }
}

fn open(folder: &std::path::Path) -> Store {
    Store::open(folder, Settings::default(), Arc::new(Noon)).unwrap()
}

fn defined(name: &str, text: &str) -> Defined {
    Defined {
        kind: DefinitionKind::Process,
        name: name.to_owned(),
        text: text.to_owned(),
        origin: Origin::Model { run: SessionId::parse("run_1").unwrap(), model: "careful-1".to_owned() },
        at: Noon.now(),
        signed: None,
        quarantined: None,
    }
}

fn sign(of: &Defined) -> Redefinition {
    let signed = Signed { by: PersonId::parse("bea").unwrap(), at: Noon.now(), digest: of.digest() };
    Redefinition::Sign { kind: of.kind, name: of.name.clone(), signed }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_that_come_at_once_the_first_stays() {
    const MANY: usize = 64;
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..MANY {
        let store = store.clone();
        tasks.spawn(async move {
            let new = defined("travel", &format!("text {number}"));
            (number, store.redefine(Redefinition::Define(new)).await.unwrap())
        });
    }
    let firsts: Vec<usize> = within("all definitions", tasks.join_all())
        .await
        .into_iter()
        .filter(|(_, first)| *first)
        .map(|(number, _)| number)
        .collect();
    let all = store.definitions().await.unwrap();
    assert_eq!((firsts.len(), all.len()), (1, 1));
    assert_eq!(all[0].text, format!("text {}", firsts[0]));
    // The same name of another kind is another definition.
    let tool = Defined { kind: DefinitionKind::Tool, ..defined("travel", "x") };
    assert!(store.redefine(Redefinition::Define(tool)).await.unwrap());
    assert_eq!(store.definitions().await.unwrap().len(), 2);
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_signature_is_on_a_text_and_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let one = defined("travel", "first");
    let before = store.revision();
    assert!(store.redefine(Redefinition::Define(one.clone())).await.unwrap());
    assert_ne!(store.revision(), before);
    assert!(!store.redefine(sign(&defined("travel", "another"))).await.unwrap());
    assert!(!store.definitions().await.unwrap()[0].is_signed());
    assert!(store.redefine(sign(&one)).await.unwrap());
    assert!(store.definitions().await.unwrap()[0].is_signed());
    store.close().await.unwrap();

    let store = open(folder.path());
    let kept = store.definitions().await.unwrap().remove(0);
    assert!(kept.is_signed());
    let changed = Defined { text: "second".to_owned(), ..kept };
    assert!(store.redefine(Redefinition::Replace(changed)).await.unwrap());
    assert!(!Reader::open(folder.path()).unwrap().definitions().await.unwrap()[0].is_signed());
    store.close().await.unwrap();
}

#[tokio::test]
async fn what_is_quarantined_stays_and_what_is_forgotten_goes() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let one = defined("travel", "first");
    store.redefine(Redefinition::Define(one.clone())).await.unwrap();
    let quarantine = |digest: Digest| Redefinition::Quarantine {
        kind: one.kind,
        name: one.name.clone(),
        digest,
        why: "it was wrong".to_owned(),
    };
    assert!(!store.redefine(quarantine(Digest::of(b"another"))).await.unwrap());
    assert!(store.redefine(quarantine(one.digest())).await.unwrap());
    assert!(!store.redefine(quarantine(one.digest())).await.unwrap(), "once is enough");
    assert_eq!(store.definitions().await.unwrap()[0].quarantined.as_deref(), Some("it was wrong"));
    let forget = || Redefinition::Forget { kind: one.kind, name: one.name.clone() };
    assert!(store.redefine(forget()).await.unwrap());
    assert!(!store.redefine(forget()).await.unwrap());
    assert!(store.definitions().await.unwrap().is_empty());
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_text_that_is_too_long_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let long = defined("travel", &"x".repeat(DEFINITION_BYTES_MAX + 1));
    assert!(store.redefine(Redefinition::Define(long)).await.is_err());
    assert!(store.definitions().await.unwrap().is_empty());
    store.close().await.unwrap();
}

#[tokio::test]
async fn what_could_not_be_made_is_remembered_and_counted_as_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let tool = |name: &str| Defined { kind: DefinitionKind::Tool, ..defined(name, "x") };
    let counted = async || {
        let learned = purple_port::Figures::learned(&store).await.unwrap();
        (learned.tools, learned.processes)
    };
    assert_eq!(counted().await, (0, 0));
    for one in [
        tool("yard_storage"),
        tool(&format!("{NOT_MADE}fuel_surcharge")),
        tool("notmade_x"),
        defined("travel", "first"),
    ] {
        assert!(store.redefine(Redefinition::Define(one)).await.unwrap());
    }
    assert_eq!(store.definitions().await.unwrap().len(), 4);
    assert_eq!(counted().await, (2, 1));
    store.close().await.unwrap();
}
