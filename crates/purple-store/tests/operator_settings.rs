//! The operator journal states settings, pins, and who made a change; and a damaged one refuses further changes.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use purple_journal::record::operator::{
    ConfigurationChanged, HaltLifted, TokenCreated, TokenRevoked, ToolPinned,
};
use purple_journal::{RecordType, Redacted};
use purple_port::limits::ENTRY_BYTES_MAX;
use purple_port::{
    Brake as _, Clock as _, Digest, DoorRole, Effect, EngineError, Halt, PersonId, Token, Tokens as _,
    ToolName,
};
use purple_store::{LocalDoor, Reader, Remote, Store, ToolPin};
use purple_testkit::within;
use support::{HandClock, store};

type Settings = BTreeMap<String, String>;

fn person(name: &str) -> PersonId {
    PersonId::parse(name).unwrap()
}

fn settings(of: &[(&str, &str)]) -> Settings {
    of.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// All records of one type, oldest first. The journal holds.
fn records<T: RecordType + Clone>(reader: &Reader) -> Vec<T> {
    let journal = reader.operator_journal().unwrap();
    assert_eq!(journal.fault, None);
    journal.records.iter().filter_map(|found| found.entry.record.get::<T>().cloned()).collect()
}

/// The last recorded change: names and new values.
fn last_change(reader: &Reader) -> Vec<(String, Option<String>)> {
    let last = records::<ConfigurationChanged>(reader).pop().unwrap();
    last.changed
        .into_iter()
        .map(|one| (one.key.into_string(), one.value.map(Redacted::into_string)))
        .collect()
}

fn change(key: &str, value: Option<&str>) -> (String, Option<String>) {
    (key.to_owned(), value.map(str::to_owned))
}

async fn close(store: Store) {
    within("the store to close", async { store.close().await.unwrap() }).await;
}

async fn open(folder: &Path) -> Store {
    store(folder, &HandClock::new()).await
}

#[tokio::test]
async fn settings_are_recorded_when_they_differ_from_those_recorded_last() {
    let folder = tempfile::tempdir().unwrap();
    let first = settings(&[("approvals.mode", "careful"), ("currency", "EUR")]);
    let second = settings(&[("approvals.mode", "always"), ("policy.file", "p.json")]);
    let opened = open(folder.path()).await;
    assert!(opened.record_settings(first.clone(), Some(person("olga"))).await.unwrap());
    assert!(!opened.record_settings(first.clone(), Some(person("dana"))).await.unwrap());
    let reader = opened.reader();
    assert_eq!(
        last_change(&reader),
        [change("approvals.mode", Some("careful")), change("currency", Some("EUR"))]
    );
    close(opened).await;
    // The comparison is with the database, not with what this process recorded.
    let opened = open(folder.path()).await;
    assert!(!opened.record_settings(first.clone(), None).await.unwrap());
    assert!(opened.record_settings(second.clone(), None).await.unwrap());
    let reader = opened.reader();
    assert_eq!(
        last_change(&reader),
        [
            change("approvals.mode", Some("always")),
            change("currency", None),
            change("policy.file", Some("p.json"))
        ]
    );
    assert_eq!(reader.settings().unwrap(), second, "what was recorded last is what is known");
    assert!(!opened.record_settings(second, None).await.unwrap());
    // Back to the first ones: the same digest, and the same settings differ.
    assert!(opened.record_settings(first.clone(), None).await.unwrap());
    assert_eq!(opened.settings().unwrap(), first);
    assert_eq!(
        last_change(&reader),
        [
            change("approvals.mode", Some("careful")),
            change("currency", Some("EUR")),
            change("policy.file", None)
        ]
    );
    let all = records::<ConfigurationChanged>(&reader);
    let by: Vec<Option<&str>> = all.iter().map(|one| one.by.as_ref().map(Redacted::as_str)).collect();
    assert_eq!(by, [Some("olga"), None, None]);
    assert_eq!(all[0].digest, all[2].digest);
    assert_eq!(all[0].digest, Digest::of(br#"{"approvals.mode":"careful","currency":"EUR"}"#));
    close(opened).await;
}

#[tokio::test]
async fn a_recorded_setting_shows_no_secret_and_keeps_pins_and_long_values_apart() {
    let folder = tempfile::tempdir().unwrap();
    let opened = open(folder.path()).await;
    let (pin, long) = (Digest::of(b"tool").to_string(), "https://tools.example.com, ".repeat(40));
    let mut all = settings(&[("note", "password: hunter2!"), ("tools.pay.pin", &pin), ("long", &long)]);
    assert!(opened.record_settings(all.clone(), None).await.unwrap());
    let reader = opened.reader();
    let first = last_change(&reader);
    assert_eq!(first[0], change("long", Some(&Digest::of(long.as_bytes()).to_string())));
    assert!(!first[1].1.as_ref().unwrap().contains("hunter2"), "{first:?}");
    assert_eq!(first[2], change("tools.pay.pin", Some(&pin)));
    // The end of a long value differs, which a shortened text would not show.
    all.insert("long".to_owned(), format!("{long}https://evil.example.com"));
    assert!(opened.record_settings(all, None).await.unwrap());
    assert_eq!(last_change(&reader).iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["long"]);
    close(opened).await;
}

#[tokio::test]
async fn more_settings_than_fit_in_one_record_are_in_several() {
    let folder = tempfile::tempdir().unwrap();
    let opened = open(folder.path()).await;
    let pin = |number: usize| Digest::of(&number.to_le_bytes()).to_string();
    let mut many: Settings = (0..800).map(|one| (format!("tools.tool_{one:04}.pin"), pin(one))).collect();
    assert!(opened.record_settings(many.clone(), None).await.unwrap());
    assert!(!opened.record_settings(many.clone(), None).await.unwrap());
    let reader = opened.reader();
    let parts = records::<ConfigurationChanged>(&reader);
    assert!(parts.len() > 1);
    let journal = reader.operator_journal().unwrap();
    assert!(journal.records.iter().all(|found| found.entry.text().len() <= ENTRY_BYTES_MAX));
    let keys: BTreeSet<&str> =
        parts.iter().flat_map(|part| part.changed.iter().map(|one| one.key.as_str())).collect();
    assert_eq!(keys.len(), many.len());
    many.remove("tools.tool_0007.pin");
    assert!(opened.record_settings(many, None).await.unwrap());
    assert_eq!(last_change(&reader), [change("tools.tool_0007.pin", None)]);
    close(opened).await;
}

fn pins(count: usize) -> Vec<ToolPin> {
    let pin = |number: usize| ToolPin {
        server: "company".to_owned(),
        tool: ToolName::parse(&format!("tool_{number}")).unwrap(),
        digest: Digest::of(&number.to_le_bytes()),
        effect: (number == 0).then_some(Effect::Write),
    };
    (0..count).map(pin).collect()
}

fn token(id: &str) -> Token {
    Token {
        id: id.to_owned(),
        hash: Digest::of(id.as_bytes()),
        person: person("dana"),
        roles: BTreeSet::from([DoorRole::Requester]),
        groups: BTreeSet::new(),
        made: HandClock::new().now(),
        until: None,
        revoked: None,
    }
}

#[tokio::test]
async fn who_changed_something_is_recorded_here_and_through_the_local_socket() {
    let (folder, now) = (tempfile::tempdir().unwrap(), HandClock::new().now());
    let opened = open(folder.path()).await;
    let door = LocalDoor::open(&opened).unwrap();
    let remote = Remote::connect(folder.path()).await.unwrap();
    let halt = Halt { process: None, by: person("olga"), reason: "inventory".to_owned(), at: now };
    assert!(opened.keep_token(token("t1"), &person("kim")).await.unwrap());
    assert!(remote.keep_token(token("t2"), &person("lea")).await.unwrap());
    assert!(remote.revoke_token("t1", &person("max"), now).await.unwrap());
    assert!(opened.revoke_token("t2", &person("eve"), now).await.unwrap());
    for (is_here, by) in [(true, "kim"), (false, "lea")] {
        opened.halt(halt.clone()).await.unwrap();
        let by = person(by);
        let lifted = if is_here { opened.resume(None, &by).await } else { remote.resume(None, &by).await };
        assert!(lifted.unwrap());
    }
    opened.record_pins(pins(1), &person("kim")).await.unwrap();
    remote.record_pins(pins(1200), &person("lea")).await.unwrap();
    let reader = opened.reader();
    let name = |by: Option<Redacted>| by.map(Redacted::into_string).unwrap_or_default();
    let created = records::<TokenCreated>(&reader).into_iter().map(|one| name(one.by));
    assert_eq!(created.collect::<Vec<_>>(), ["kim", "lea"]);
    let revoked = records::<TokenRevoked>(&reader).into_iter().map(|one| name(one.by));
    assert_eq!(revoked.collect::<Vec<_>>(), ["max", "eve"]);
    let lifted = records::<HaltLifted>(&reader).into_iter().map(|one| name(one.by));
    assert_eq!(lifted.collect::<Vec<_>>(), ["kim", "lea"]);
    let pinned = records::<ToolPinned>(&reader);
    assert_eq!(pinned.len(), 1201);
    assert!(pinned[0].by == "kim" && pinned[1..].iter().all(|one| one.by == "lea"));
    assert_eq!(
        (pinned[0].digest, pinned[0].effect),
        (Digest::of(&0_usize.to_le_bytes()), Some(Effect::Write))
    );
    assert_eq!(pinned[2].effect, None);
    door.close().await;
    close(opened).await;
}

#[expect(clippy::disallowed_methods, reason = "damages the database, which the product never does")]
fn remove_head(folder: &Path) {
    let db = rusqlite::Connection::open(folder.join("purple.db")).unwrap();
    assert_eq!(db.execute("DELETE FROM operator_head", []).unwrap(), 1);
}

#[tokio::test]
async fn without_a_head_nothing_changes_and_the_error_names_the_operator_journal() {
    let folder = tempfile::tempdir().unwrap();
    close(open(folder.path()).await).await;
    remove_head(folder.path());
    let opened = open(folder.path()).await;
    let door = LocalDoor::open(&opened).unwrap();
    let remote = Remote::connect(folder.path()).await.unwrap();
    let at = HandClock::new().now();
    let halt = || Halt { process: None, by: person("olga"), reason: "inventory".to_owned(), at };
    for refused in [
        opened.halt(halt()).await,
        remote.halt(halt()).await,
        opened.record_settings(settings(&[("currency", "EUR")]), None).await.map(drop),
        opened.record_pins(pins(1), &person("kim")).await,
        opened.keep_token(token("t1"), &person("kim")).await.map(drop),
    ] {
        let damaged = refused.unwrap_err();
        assert!(matches!(damaged, EngineError::Damaged { what: "operator journal", .. }), "{damaged}");
    }
    assert_eq!(opened.halts().await.unwrap(), []);
    assert_eq!(opened.tokens().unwrap(), []);
    // The store goes on with everything else.
    assert_eq!(opened.intake(), purple_store::Intake::Open);
    door.close().await;
    close(opened).await;
}
