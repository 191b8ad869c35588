//! Damages a journal in every way, and looks whether the verifier names the first record that does not hold.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::path::Path;

use jiff::Timestamp;
use purple_port::{Digest, EngineError};
use purple_store::Reader;
use purple_store::audit::{Anchor, AuditKey, BadAnchor, BadRecord, Fault, LineFault, Scope, verify_bundle};
use rusqlite::Connection;
use serde_json::json;
use support::{HandClock, engine, entry, id, idle, say, script, stop, words};

/// Sessions `a` and `b`, each with four entries.
async fn write(folder: &Path) {
    let handler = script(|turn, event| {
        Box::pin(async move {
            turn.record(entry(
                "said",
                json!({"text": words(&event), "exact": "1.50", "count": 2, "ü": [null, "\u{1}\n"]}),
            ))?;
            Ok(())
        })
    });
    let engine = engine(folder, &HandClock::new(), handler).await;
    for number in 0..4 {
        say(engine.store(), "a", &number.to_string()).await;
        say(engine.store(), "b", &number.to_string()).await;
    }
    idle(&engine).await;
    stop(engine).await;
}

#[expect(clippy::disallowed_methods, reason = "damages the database, which the product never does")]
fn damage(folder: &Path, sql: &str) {
    let db = Connection::open(folder.join("purple.db")).unwrap();
    db.execute_batch(sql).unwrap();
}

fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_file(to.join("purple.db-wal"));
    let _ = std::fs::remove_file(to.join("purple.db-shm"));
    std::fs::copy(from.join("purple.db"), to.join("purple.db")).unwrap();
}

fn bad(session: &str, seq: u64, fault: Fault) -> Option<BadRecord> {
    Some(BadRecord { session: session.to_owned(), seq, fault })
}

fn at() -> Timestamp {
    "2026-03-02T10:00:00Z".parse().unwrap()
}

const B: &str = "session = (SELECT id FROM sessions WHERE name = 'b')";

#[tokio::test]
async fn whatever_is_done_to_the_database_the_first_bad_record_is_named() {
    let (sound, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(sound.path()).await;
    let report = Reader::open(sound.path()).unwrap().verify().unwrap();
    assert_eq!((report.sessions, report.entries, report.fault), (2, 8, None));
    let cases = [
        (format!("UPDATE journal SET entry = replace(entry, '1.50', '9.50') WHERE {B} AND seq = 3"), bad("b", 3, Fault::Altered)),
        (format!("UPDATE journal SET hash = zeroblob(32) WHERE {B} AND seq = 3"), bad("b", 3, Fault::Altered)),
        (format!("UPDATE journal SET hash = zeroblob(3) WHERE {B} AND seq = 1"), bad("b", 1, Fault::Altered)),
        (format!("DELETE FROM journal WHERE {B} AND seq = 3"), bad("b", 3, Fault::Missing)),
        (format!("DELETE FROM journal WHERE {B} AND seq = 1"), bad("b", 1, Fault::Missing)),
        (format!("DELETE FROM journal WHERE {B} AND seq >= 3"), bad("b", 3, Fault::CutOff)),
        (format!("DELETE FROM journal WHERE {B}"), bad("b", 1, Fault::CutOff)),
        (
            format!(
                "UPDATE journal SET seq = -seq WHERE {B} AND seq IN (2, 3);
                 UPDATE journal SET seq = 5 + seq WHERE {B} AND seq < 0"
            ),
            bad("b", 2, Fault::Altered),
        ),
        (
            format!("INSERT INTO journal (session, seq, entry, hash) SELECT session, 5, entry, hash FROM journal WHERE {B} AND seq = 4"),
            bad("b", 5, Fault::BeyondHead),
        ),
        ("UPDATE sessions SET head_seq = 3 WHERE name = 'b'".to_owned(), bad("b", 4, Fault::BeyondHead)),
        ("UPDATE sessions SET head_hash = zeroblob(32) WHERE name = 'b'".to_owned(), bad("b", 4, Fault::Altered)),
        ("UPDATE sessions SET name = 'c' WHERE name = 'b'".to_owned(), bad("c", 1, Fault::Altered)),
        ("DELETE FROM sessions WHERE name = 'b'".to_owned(), bad("row 2", 1, Fault::SessionGone)),
        // Entries of one session put into another one.
        (
            format!(
                "CREATE TABLE t AS SELECT seq, entry, hash FROM journal WHERE session = 1;
                 UPDATE journal SET entry = (SELECT entry FROM t WHERE t.seq = journal.seq), hash = (SELECT hash FROM t WHERE t.seq = journal.seq) WHERE {B}"
            ),
            bad("b", 1, Fault::Altered),
        ),
    ];
    for (sql, expected) in cases {
        copy(sound.path(), folder.path());
        damage(folder.path(), &sql);
        assert_eq!(Reader::open(folder.path()).unwrap().verify().unwrap().fault, expected, "{sql}");
    }
}

#[tokio::test]
async fn every_byte_of_an_entry_and_of_its_hash_counts() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    let reader = Reader::open(folder.path()).unwrap();
    let place = format!("{B} AND seq = 2");
    #[expect(clippy::disallowed_methods, reason = "damages the database, which the product never does")]
    let db = Connection::open(folder.path().join("purple.db")).unwrap();
    let read = |column: &str| -> Vec<u8> {
        let sql = format!("SELECT CAST({column} AS BLOB) FROM journal WHERE {place}");
        db.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    for (column, kind) in [("entry", "TEXT"), ("hash", "BLOB")] {
        let sound = read(column);
        let write = format!("UPDATE journal SET {column} = CAST(?1 AS {kind}) WHERE {place}");
        for index in 0..sound.len() {
            let mut flipped = sound.clone();
            flipped[index] ^= if index % 2 == 0 { 1 } else { 0x80 };
            db.execute(&write, [&flipped]).unwrap();
            assert_eq!(reader.verify().unwrap().fault, bad("b", 2, Fault::Altered), "{column}, byte {index}");
        }
        db.execute(&write, [&sound]).unwrap();
        assert_eq!(reader.verify().unwrap().fault, None);
    }
}

/// A long entry is stored packed. A byte that changes there changes the text, which is seen, or changes nothing.
#[tokio::test]
async fn every_byte_of_a_packed_entry_counts_for_what_it_says() {
    use purple_port::Events as _;
    let folder = tempfile::tempdir().unwrap();
    let handler = script(|turn, event| {
        Box::pin(async move {
            let long = json!({"headline": words(&event), "outcome": "verified", "because": "the tool said done ".repeat(9)});
            turn.record(entry("write.verified", long))?;
            Ok(())
        })
    });
    let engine = engine(folder.path(), &HandClock::new(), handler).await;
    for number in 0..3 {
        say(engine.store(), "b", &number.to_string()).await;
    }
    idle(&engine).await;
    stop(engine).await;
    let reader = Reader::open(folder.path()).unwrap();
    assert_eq!(reader.verify().unwrap().fault, None);
    let written = reader.since(&id("b"), 0, 9).await.unwrap();
    #[expect(clippy::disallowed_methods, reason = "damages the database, which the product never does")]
    let db = Connection::open(folder.path().join("purple.db")).unwrap();
    let place = format!("{B} AND seq = 2");
    let read = format!("SELECT packed FROM journal WHERE {place} AND entry = ''");
    let sound: Vec<u8> = db.query_row(&read, [], |row| row.get(0)).unwrap();
    let write = format!("UPDATE journal SET packed = ?1 WHERE {place}");
    let mut seen = 0;
    for index in 0..sound.len() {
        let mut flipped = sound.clone();
        flipped[index] ^= if index % 2 == 0 { 1 } else { 0x80 };
        db.execute(&write, [&flipped]).unwrap();
        let fault = reader.verify().unwrap().fault;
        match reader.since(&id("b"), 0, 9).await {
            Ok(read) => assert_eq!((fault, read), (None, written.clone()), "byte {index}"),
            Err(_) => {
                assert_eq!(fault, bad("b", 2, Fault::Altered), "byte {index}");
                seen += 1;
            }
        }
    }
    assert!(seen * 10 > sound.len() * 9, "{seen} of {}", sound.len());
    // A text beside a packed one is not the entry.
    db.execute(&write, [&sound]).unwrap();
    db.execute(&format!("UPDATE journal SET entry = 'x' WHERE {place}"), []).unwrap();
    assert_eq!(reader.verify().unwrap().fault, bad("b", 2, Fault::Altered));
}

#[tokio::test]
async fn a_damaged_entry_is_not_handed_to_a_reader() {
    use purple_port::Events as _;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    damage(
        folder.path(),
        &format!("UPDATE journal SET entry = replace(entry, '1.50', '2.50') WHERE {B} AND seq = 3"),
    );
    let reader = Reader::open(folder.path()).unwrap();
    assert_eq!(reader.since(&id("b"), 0, 2).await.unwrap().len(), 2);
    let error = reader.since(&id("b"), 0, 9).await.unwrap_err();
    assert!(matches!(error, EngineError::Damaged { what: "journal", .. }), "{error}");
}

/// Writes the last entry of `b` anew, with a chain that holds: what somebody does who can write the database.
fn rewrite(folder: &Path) {
    #[expect(clippy::disallowed_methods, reason = "damages the database, which the product never does")]
    let db = Connection::open(folder.join("purple.db")).unwrap();
    let hash = |seq: u64| -> Vec<u8> {
        let sql = format!("SELECT hash FROM journal WHERE {B} AND seq = {seq}");
        db.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    let hex: String = hash(3).iter().map(|byte| format!("{byte:02x}")).collect();
    let entry = r#"{"at":"2026-03-02T09:00:00Z","data":"nothing happened","kind":"said"}"#;
    let chained = format!(r#"{{"entry":{entry},"prev":"sha256:{hex}","seq":4,"session":"b"}}"#);
    let forged = Digest::of(chained.as_bytes());
    db.execute(
        &format!("UPDATE journal SET entry = ?1, hash = ?2 WHERE {B} AND seq = 4"),
        (entry, forged.as_bytes()),
    )
    .unwrap();
    db.execute("UPDATE sessions SET head_hash = ?1 WHERE name = 'b'", [forged.as_bytes()]).unwrap();
}

#[tokio::test]
async fn what_a_chain_alone_cannot_show_an_anchor_elsewhere_shows() {
    let (sound, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(sound.path()).await;
    let key = AuditKey::of_folder(sound.path()).unwrap();
    let anchor = Reader::open(sound.path()).unwrap().anchor(&key, at()).unwrap();
    let anchor = Anchor::parse(anchor.text()).unwrap();
    let cut = format!(
        "DELETE FROM journal WHERE {B} AND seq > 2;
         UPDATE sessions SET head_seq = 2, head_hash = (SELECT hash FROM journal WHERE {B} AND seq = 2) WHERE name = 'b'"
    );
    let gone = format!("DELETE FROM journal WHERE {B}; DELETE FROM sessions WHERE name = 'b'");
    let cases = [
        (Some(cut), bad("b", 3, Fault::CutOff)),
        (Some(gone), bad("b", 1, Fault::CutOff)),
        (None, bad("b", 4, Fault::Rewritten)),
    ];
    for (sql, expected) in cases {
        copy(sound.path(), folder.path());
        match sql {
            Some(sql) => damage(folder.path(), &sql),
            None => rewrite(folder.path()),
        }
        let reader = Reader::open(folder.path()).unwrap();
        assert_eq!(reader.verify().unwrap().fault, None, "the chain alone holds");
        assert_eq!(reader.verify_against(&anchor, &key.public()).unwrap().fault, expected);
    }
    // What came after the anchor is no fault.
    let engine = engine(sound.path(), &HandClock::new(), support::scribe()).await;
    say(engine.store(), "a", "more").await;
    say(engine.store(), "c", "new").await;
    idle(&engine).await;
    assert_eq!(engine.store().reader().verify_against(&anchor, &key.public()).unwrap().fault, None);
    // An anchor by somebody else proves nothing.
    let stranger = AuditKey::of_folder(folder.path()).unwrap();
    let error = engine.store().reader().verify_against(&anchor, &stranger.public()).unwrap_err();
    assert!(matches!(error, EngineError::Damaged { what: "anchor", .. }), "{error}");
    stop(engine).await;
}

#[tokio::test]
async fn every_byte_of_an_anchor_counts_and_its_key_stays_the_same() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    let key = AuditKey::of_folder(folder.path()).unwrap();
    assert_eq!(AuditKey::of_folder(folder.path()).unwrap().public(), key.public());
    let anchor = Reader::open(folder.path()).unwrap().anchor(&key, at()).unwrap();
    assert_eq!(anchor.key(), key.public());
    assert_eq!(Anchor::parse(anchor.text()).unwrap(), anchor);
    for index in 0..anchor.text().len() {
        let mut bytes = anchor.text().as_bytes().to_vec();
        bytes[index] ^= 1;
        let Ok(text) = String::from_utf8(bytes) else { continue };
        assert!(Anchor::parse(&text).is_err(), "byte {index}");
    }
    assert_eq!(Anchor::parse(""), Err(BadAnchor::NotAnAnchor));
}

#[tokio::test]
async fn an_anchor_holds_for_its_database_only_and_only_with_its_own_signature() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(folder.path()).await;
    write(other.path()).await;
    let key = AuditKey::at(&folder.path().join("operator.key")).unwrap();
    let (reader, another) = (Reader::open(folder.path()).unwrap(), Reader::open(other.path()).unwrap());
    let anchor = reader.anchor(&key, at()).unwrap();
    let to = other.path().join("anchor.json");
    anchor.write_to(&to).unwrap();
    assert!(anchor.write_to(&to).is_err(), "an anchor that is there stays");
    let anchor = Anchor::parse(&std::fs::read_to_string(&to).unwrap()).unwrap();
    assert_eq!(reader.verify_against(&anchor, &key.public()).unwrap().fault, None);
    // The same sessions with the same entries, in another database.
    let error = another.verify_against(&anchor, &key.public()).unwrap_err();
    let wanted = another.anchor(&key, at()).unwrap().database().to_owned();
    let shown = format!(
        "the anchor is damaged: it anchors the database {}, and this one is {wanted}",
        anchor.database()
    );
    assert_eq!(error.to_string(), shown);
    // Another signature in its place: by the right key over something else, or by another key.
    let part = |text: &str, name: &str| -> String {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        value["signature"][name].as_str().unwrap().to_owned()
    };
    let stranger = AuditKey::at(&other.path().join("stranger.key")).unwrap();
    let elsewhere = another.anchor(&key, at()).unwrap();
    let theirs = reader.anchor(&stranger, at()).unwrap();
    let swap = |with: &Anchor, name: &str| {
        anchor.text().replace(&part(anchor.text(), name), &part(with.text(), name))
    };
    for forged in [swap(&elsewhere, "value"), swap(&theirs, "value"), swap(&theirs, "key")] {
        assert_eq!(Anchor::parse(&forged), Err(BadAnchor::NotSigned));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_may_read_the_key() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (own, elsewhere) = (folder.path().join("audit.key"), folder.path().join("operator.key"));
    let keys = [AuditKey::of_folder(folder.path()).unwrap(), AuditKey::at(&elsewhere).unwrap()];
    for path in [&own, &elsewhere] {
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_ne!(keys[0].public(), keys[1].public());
    assert_eq!(AuditKey::at(&own).unwrap().public(), keys[0].public());
}

async fn bundle(folder: &Path, scope: &Scope) -> (Vec<u8>, AuditKey) {
    write(folder).await;
    let key = AuditKey::of_folder(folder).unwrap();
    let mut out = Vec::new();
    Reader::open(folder).unwrap().export(scope, &key, at(), &mut out).unwrap();
    (out, key)
}

/// The number of the first bad line.
fn first_bad(bundle: &[u8]) -> Option<u64> {
    verify_bundle(bundle).unwrap().fault.map(|bad| bad.line)
}

#[tokio::test]
async fn an_export_verifies_and_every_byte_of_it_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (sound, key) = bundle(folder.path(), &Scope::Session(id("b"))).await;
    let report = verify_bundle(&sound[..]).unwrap();
    assert_eq!((report.entries, report.signed_by, report.fault), (4, Some(key.public()), None));
    let mut line = 1;
    for index in 0..sound.len() {
        for mask in [1, 0x80] {
            let mut flipped = sound.clone();
            flipped[index] ^= mask;
            assert_eq!(first_bad(&flipped), Some(line), "byte {index}, mask {mask}");
        }
        line += u64::from(sound[index] == b'\n');
    }
    assert_eq!(line, 7, "a manifest, four records, a seal");
}

#[tokio::test]
async fn lines_of_an_export_cannot_be_left_out_doubled_swapped_or_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let (sound, _) = bundle(folder.path(), &Scope::All).await;
    let lines: Vec<&[u8]> = sound.split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), 11, "a manifest, eight records, one of the operator journal, a seal");
    for (index, number) in (0..lines.len()).zip(1_u64..) {
        let without = [&lines[..index], &lines[index + 1..]].concat().concat();
        assert_eq!(first_bad(&without), Some(number), "line {number} left out");
        let twice = [&lines[..=index], &lines[index..]].concat().concat();
        assert_eq!(first_bad(&twice), Some(number + 1), "line {number} doubled");
        let cut = lines[..index].concat();
        assert_eq!(first_bad(&cut), Some(number), "cut before line {number}");
        let torn = [&lines[..index].concat(), &lines[index][..lines[index].len() - 1]].concat();
        assert_eq!(first_bad(&torn), Some(number), "torn in line {number}");
        if index + 1 < lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(index, index + 1);
            assert_eq!(first_bad(&swapped.concat()), Some(number), "lines {number} and the next swapped");
        }
    }
    let seal = verify_bundle(&lines[..10].concat()[..]).unwrap().fault.unwrap();
    assert_eq!(seal.fault, LineFault::NotExpected { expected: "the seal".to_owned() });
    assert_eq!(seal.to_string(), "line 11: expected the seal");
}

#[tokio::test]
async fn an_export_of_a_damaged_journal_shows_the_damage() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    damage(
        folder.path(),
        &format!("UPDATE journal SET entry = replace(entry, '1.50', '2.50') WHERE {B} AND seq = 3"),
    );
    let key = AuditKey::of_folder(folder.path()).unwrap();
    let mut out = Vec::new();
    Reader::open(folder.path()).unwrap().export(&Scope::All, &key, at(), &mut out).unwrap();
    assert_eq!(first_bad(&out), Some(1 + 4 + 3));
}

#[tokio::test]
async fn an_export_file_is_there_in_full_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    let key = AuditKey::of_folder(folder.path()).unwrap();
    let reader = Reader::open(folder.path()).unwrap();
    let to = folder.path().join("export.jsonl");
    reader.export_to(&Scope::All, &key, at(), &to).unwrap();
    assert_eq!(first_bad(&std::fs::read(&to).unwrap()), None);
    assert!(reader.export_to(&Scope::All, &key, at(), &to).is_err(), "a file that is there stays");
    assert!(!folder.path().join("export.jsonl.draft").exists());
}
