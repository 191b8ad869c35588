//! The operator journal: every change of tokens, halts and definitions is a record, and `verify` compares them.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use jiff::Timestamp;
use purple_port::{
    Brake as _, Clock as _, Defined, DefinitionKind, Definitions as _, Digest, DoorRole, Halt, Origin,
    PersonId, Redefinition, Signed, Token, Tokens as _,
};
use purple_store::audit::{Anchor, AuditKey, BadRecord, Fault, Scope, verify_bundle};
use purple_store::{Reader, Store};
use purple_testkit::within;
use rusqlite::Connection;
use support::{HandClock, store};

const CHAIN: &str = "operator journal";

fn person(name: &str) -> PersonId {
    PersonId::parse(name).unwrap()
}

fn token(id: &str, at: Timestamp) -> Token {
    Token {
        id: id.to_owned(),
        hash: Digest::of(id.as_bytes()),
        person: person("dana"),
        roles: BTreeSet::from([DoorRole::Requester]),
        groups: BTreeSet::new(),
        made: at,
        until: None,
        revoked: None,
    }
}

fn halt(process: Option<&str>, at: Timestamp) -> Halt {
    Halt { process: process.map(str::to_owned), by: person("olga"), reason: "inventory".to_owned(), at }
}

fn defined(name: &str, at: Timestamp) -> Defined {
    let (kind, name) = (DefinitionKind::Process, name.to_owned());
    let text = format!("name: {name}");
    let origin = Origin::Person { by: person("dana") };
    Defined { kind, name, text, origin, at, signed: None, quarantined: None }
}

#[expect(clippy::disallowed_methods, reason = "damages the database, which the product never does")]
fn database(folder: &Path) -> Connection {
    Connection::open(folder.join("purple.db")).unwrap()
}

fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_file(to.join("purple.db-wal"));
    let _ = std::fs::remove_file(to.join("purple.db-shm"));
    std::fs::copy(from.join("purple.db"), to.join("purple.db")).unwrap();
}

fn fault(folder: &Path) -> Option<BadRecord> {
    Reader::open(folder).unwrap().verify().unwrap().fault
}

fn bad(seq: u64, fault: Fault) -> Option<BadRecord> {
    Some(BadRecord { session: CHAIN.to_owned(), seq, fault })
}

fn kinds(folder: &Path) -> Vec<String> {
    let mut out = Vec::new();
    let key = AuditKey::of_folder(folder).unwrap();
    Reader::open(folder).unwrap().export(&Scope::All, &key, Timestamp::UNIX_EPOCH, &mut out).unwrap();
    let lines = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let values = lines.map(|line| serde_json::from_slice::<serde_json::Value>(line).unwrap());
    let records = values.filter(|value| value["session"] == CHAIN);
    records.map(|value| value["entry"]["kind"].as_str().unwrap().to_owned()).collect()
}

/// Rewrites the text of a row and its digest column, so that the row by itself looks sound.
fn forge(folder: &Path, table: &str, column: &str, (from, to): (&str, &str)) {
    let db = database(folder);
    let text: String = db.query_row(&format!("SELECT {column} FROM {table}"), [], |row| row.get(0)).unwrap();
    let forged = text.replacen(from, to, 1);
    assert_ne!(text, forged);
    let digest = Digest::of(forged.as_bytes());
    let sql = format!("UPDATE {table} SET {column} = ?1, digest = ?2");
    assert_eq!(db.execute(&sql, (&forged, digest.as_bytes())).unwrap(), 1);
}

async fn close(store: Store) {
    within("the store to close", async { store.close().await.unwrap() }).await;
}

/// One token, one halt and one definition: records 2, 3 and 4, after `operator.began`.
async fn write(folder: &Path) {
    let clock = HandClock::new();
    let store = store(folder, &clock).await;
    assert!(store.keep_token(token("t1", clock.now()), &person("olga")).await.unwrap());
    store.halt(halt(Some("payments"), clock.now())).await.unwrap();
    assert!(store.redefine(Redefinition::Define(defined("own", clock.now()))).await.unwrap());
    close(store).await;
}

#[tokio::test]
async fn every_change_is_one_record_and_a_change_that_does_nothing_is_none() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let store = store(folder.path(), &clock).await;
    let (kind, name) = (DefinitionKind::Process, "own".to_owned());
    let new = defined("own", clock.now());
    let digest = new.digest();
    let signed = Signed { by: person("olga"), at: clock.now(), digest };
    for again in [false, true] {
        assert_eq!(store.keep_token(token("t1", clock.now()), &person("olga")).await.unwrap(), !again);
    }
    for again in [false, true] {
        assert_eq!(store.revoke_token("t1", &person("olga"), clock.now()).await.unwrap(), !again);
    }
    store.halt(halt(None, clock.now())).await.unwrap();
    for again in [false, true] {
        assert_eq!(store.resume(None, &person("olga")).await.unwrap(), !again);
    }
    for again in [false, true] {
        assert_eq!(store.redefine(Redefinition::Define(new.clone())).await.unwrap(), !again);
    }
    assert!(store.redefine(Redefinition::Replace(new)).await.unwrap());
    assert!(store.redefine(Redefinition::Sign { kind, name: name.clone(), signed }).await.unwrap());
    let why = "its test fails".to_owned();
    let quarantine = Redefinition::Quarantine { kind, name: name.clone(), digest, why };
    for again in [false, true] {
        assert_eq!(store.redefine(quarantine.clone()).await.unwrap(), !again);
    }
    assert_eq!(store.reader().verify().unwrap().fault, None);
    for again in [false, true] {
        let forget = Redefinition::Forget { kind, name: name.clone() };
        assert_eq!(store.redefine(forget).await.unwrap(), !again);
    }
    let report = store.reader().verify().unwrap();
    assert_eq!((report.operators, report.fault), (10, None));
    close(store).await;
    let expected = [
        "operator.began",
        "token.created",
        "token.revoked",
        "halt.set",
        "halt.lifted",
        "definition.stored",
        "definition.stored",
        "definition.signed",
        "definition.quarantined",
        "definition.removed",
    ];
    assert_eq!(kinds(folder.path()), expected);
}

#[tokio::test]
async fn a_row_that_was_changed_with_its_digest_is_named() {
    let (sound, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(sound.path()).await;
    assert_eq!(fault(sound.path()), None);
    let cases = [
        ("tokens", "token", ("requester", "operator"), 2, "row `t1` of `tokens`"),
        ("halts", "halt", ("inventory", "inventorz"), 3, "row `process:payments` of `halts`"),
        ("definitions", "definition", ("name: own", "name: owm"), 4, "row `process own` of `definitions`"),
    ];
    for (table, column, change, seq, called) in cases {
        copy(sound.path(), folder.path());
        forge(folder.path(), table, column, change);
        let found = fault(folder.path());
        assert_eq!(found, bad(seq, Fault::RowAltered(called.to_owned())), "{table}");
        let shown =
            format!("{called} was changed: record {seq} of the operator journal states another content");
        assert_eq!(found.unwrap().to_string(), shown);
    }
}

#[tokio::test]
async fn a_row_that_was_removed_added_or_renamed_is_named() {
    let (sound, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(sound.path()).await;
    let row = |table: &str, name: &str| format!("row `{name}` of `{table}`");
    let cases = [
        ("DELETE FROM tokens", bad(2, Fault::RowMissing(row("tokens", "t1")))),
        ("DELETE FROM halts", bad(3, Fault::RowMissing(row("halts", "process:payments")))),
        ("DELETE FROM definitions", bad(4, Fault::RowMissing(row("definitions", "process own")))),
        (
            "INSERT INTO tokens SELECT 't2', token, digest FROM tokens",
            bad(0, Fault::RowAdded(row("tokens", "t2"))),
        ),
        (
            "INSERT INTO halts SELECT 'all', halt, digest FROM halts",
            bad(0, Fault::RowAdded(row("halts", "all"))),
        ),
        (
            "INSERT INTO definitions SELECT 'tool', name, definition, digest FROM definitions",
            bad(0, Fault::RowAdded(row("definitions", "tool own"))),
        ),
        ("UPDATE tokens SET id = 't2'", bad(0, Fault::RowAdded(row("tokens", "t2")))),
        (
            "UPDATE halts SET digest = zeroblob(32)",
            bad(3, Fault::RowAltered(row("halts", "process:payments"))),
        ),
        ("UPDATE tokens SET digest = zeroblob(3)", bad(2, Fault::RowAltered(row("tokens", "t1")))),
        ("UPDATE tokens SET token = CAST(x'ff' AS TEXT)", bad(2, Fault::RowAltered(row("tokens", "t1")))),
    ];
    for (sql, expected) in cases {
        copy(sound.path(), folder.path());
        database(folder.path()).execute_batch(sql).unwrap();
        assert_eq!(fault(folder.path()), expected, "{sql}");
    }
}

#[tokio::test]
async fn a_damaged_chain_is_named() {
    let (sound, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(sound.path()).await;
    let cases = [
        ("DELETE FROM operator_journal WHERE seq = 4", bad(4, Fault::CutOff)),
        ("DELETE FROM operator_journal WHERE seq = 2", bad(2, Fault::Missing)),
        ("DELETE FROM operator_journal", bad(1, Fault::CutOff)),
        ("DELETE FROM operator_head", bad(1, Fault::CutOff)),
        ("UPDATE operator_head SET seq = 3", bad(4, Fault::BeyondHead)),
        ("UPDATE operator_head SET hash = zeroblob(32)", bad(4, Fault::Altered)),
        ("UPDATE operator_journal SET hash = zeroblob(32) WHERE seq = 3", bad(3, Fault::Altered)),
        ("UPDATE operator_journal SET entry = 'x', packed = NULL WHERE seq = 3", bad(3, Fault::Altered)),
    ];
    for (sql, expected) in cases {
        copy(sound.path(), folder.path());
        database(folder.path()).execute_batch(sql).unwrap();
        assert_eq!(fault(folder.path()), expected, "{sql}");
        // The next start of a writer does not hide it.
        let reopened = store(folder.path(), &HandClock::new()).await;
        assert_eq!(reopened.reader().verify().unwrap().fault, expected, "{sql}, opened again");
        close(reopened).await;
    }
}

#[tokio::test]
async fn a_chain_that_was_cut_off_with_its_head_set_back_is_seen_by_an_anchor() {
    let (sound, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(sound.path()).await;
    let key = AuditKey::of_folder(sound.path()).unwrap();
    let anchor = Reader::open(sound.path()).unwrap().anchor(&key, Timestamp::UNIX_EPOCH).unwrap();
    let anchor = Anchor::parse(anchor.text()).unwrap();
    assert_eq!(
        Reader::open(sound.path()).unwrap().verify_against(&anchor, &key.public()).unwrap().fault,
        None
    );
    copy(sound.path(), folder.path());
    let cut = "DELETE FROM definitions; DELETE FROM operator_journal WHERE seq = 4;
               UPDATE operator_head SET seq = 3, hash = (SELECT hash FROM operator_journal WHERE seq = 3)";
    database(folder.path()).execute_batch(cut).unwrap();
    let reader = Reader::open(folder.path()).unwrap();
    assert_eq!(reader.verify().unwrap().fault, None, "the chain alone holds");
    let found = reader.verify_against(&anchor, &key.public()).unwrap().fault;
    assert_eq!(found, bad(4, Fault::CutOff));
    assert_eq!(found.unwrap().to_string(), "record 4 of the operator journal and all after it were cut off");
}

#[tokio::test]
async fn nothing_is_exported_or_anchored_without_the_head_of_the_chain() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    database(folder.path()).execute_batch("DELETE FROM operator_head").unwrap();
    let key = AuditKey::of_folder(folder.path()).unwrap();
    let reader = Reader::open(folder.path()).unwrap();
    let exported = reader.export(&Scope::All, &key, Timestamp::UNIX_EPOCH, &mut Vec::new()).err();
    let anchored = reader.anchor(&key, Timestamp::UNIX_EPOCH).err();
    for refused in [exported, anchored] {
        let told = refused.unwrap().to_string();
        assert!(told.contains("operator journal") && told.contains("head is missing"), "{told}");
    }
}

/// Runs the independent verifier; `Err` is what it prints.
fn verify_with_python(bundle: &Path) -> Result<String, String> {
    let tool = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/verify_audit.py");
    let ran = purple_testkit::output_of(Command::new("python3").arg(tool).arg(bundle)).unwrap();
    let printed = String::from_utf8(ran.stdout).unwrap();
    if ran.status.success() { Ok(printed) } else { Err(printed) }
}

#[tokio::test]
async fn an_export_holds_the_chain_and_both_verifiers_check_it() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    let key = AuditKey::of_folder(folder.path()).unwrap();
    let to = folder.path().join("export.jsonl");
    Reader::open(folder.path()).unwrap().export_to(&Scope::All, &key, Timestamp::UNIX_EPOCH, &to).unwrap();
    let sound = std::fs::read(&to).unwrap();
    let report = verify_bundle(&sound[..]).unwrap();
    assert_eq!((report.entries, report.operators, report.fault), (0, 4, None));
    assert!(verify_with_python(&to).unwrap().starts_with("4 records and 0 blobs hold"));
    // The reason of the halt, in line 4: a manifest and two records precede it.
    let place = sound.windows(9).position(|found| found == b"inventory").unwrap();
    let mut forged = sound.clone();
    forged[place] = b'I';
    std::fs::write(&to, &forged).unwrap();
    assert_eq!(verify_bundle(&forged[..]).unwrap().fault.unwrap().line, 4);
    let printed = verify_with_python(&to).unwrap_err();
    assert!(printed.contains("line 4: "), "{printed}");
}

#[tokio::test]
async fn changes_at_the_same_time_keep_chain_and_rows_consistent() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let store = Arc::new(store(folder.path(), &clock).await);
    let mut tasks = tokio::task::JoinSet::new();
    for worker in 0..8 {
        let (store, now) = (Arc::clone(&store), clock.now());
        tasks.spawn(async move {
            let process = format!("p{}", worker % 3);
            for number in 0..20 {
                let id = format!("t{}", (worker % 2) * 100 + number);
                store.keep_token(token(&id, now), &person("olga")).await.unwrap();
                store.halt(halt(Some(&process), now)).await.unwrap();
                store.revoke_token(&id, &person("olga"), now).await.unwrap();
                store.resume(Some(&process), &person("olga")).await.unwrap();
                assert_eq!(store.reader().verify().unwrap().fault, None);
            }
        });
    }
    within("all changes", tasks.join_all()).await;
    let report = store.reader().verify().unwrap();
    assert_eq!(report.fault, None);
    // 40 tokens were created and revoked, and 160 halts set; how many were lifted depends on the order.
    assert!((1 + 80 + 160..=1 + 80 + 320).contains(&report.operators), "{}", report.operators);
    close(Arc::into_inner(store).unwrap()).await;
}

/// Makes the database one of version 10, which has no operator journal.
fn set_back(folder: &Path) {
    let sql = "DROP TABLE operator_journal; DROP TABLE operator_head; PRAGMA user_version = 10";
    database(folder).execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_database_of_version_10_is_taken_over_with_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    set_back(folder.path());
    // A reader does not wait for the writer: there is nothing to compare yet.
    let report = Reader::open(folder.path()).unwrap().verify().unwrap();
    assert_eq!((report.operators, report.fault), (0, None));
    close(store(folder.path(), &HandClock::new()).await).await;
    let adopted = ["operator.began", "operator.row_adopted", "operator.row_adopted", "operator.row_adopted"];
    assert_eq!(kinds(folder.path()), adopted);
    let report = Reader::open(folder.path()).unwrap().verify().unwrap();
    assert_eq!((report.operators, report.fault), (4, None));
    // A second start takes nothing over again.
    close(store(folder.path(), &HandClock::new()).await).await;
    assert_eq!(kinds(folder.path()), adopted);
    forge(folder.path(), "tokens", "token", ("requester", "operator"));
    assert_eq!(fault(folder.path()), bad(2, Fault::RowAltered("row `t1` of `tokens`".to_owned())));
}

#[tokio::test]
async fn a_row_that_was_damaged_before_it_was_taken_over_stays_damaged() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    set_back(folder.path());
    database(folder.path()).execute("UPDATE halts SET halt = replace(halt, 'inv', 'inx')", []).unwrap();
    close(store(folder.path(), &HandClock::new()).await).await;
    assert_eq!(
        fault(folder.path()),
        bad(3, Fault::RowAltered("row `process:payments` of `halts`".to_owned()))
    );
}
