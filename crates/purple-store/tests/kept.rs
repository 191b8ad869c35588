//! Damages what the journal names: blobs and checkpoints. The verifier names the record and the run.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::path::Path;

use jiff::Timestamp;
use purple_journal::record::turn::Ended;
use purple_port::event::{Channel, Event, Start};
use purple_port::{BlobHash, Checkpoint, DedupKey, Digest, Inbox as _, PersonId, Post, SessionId, State};
use purple_store::Reader;
use purple_store::audit::{AuditKey, BadRecord, Fault, LineFault, Scope, verify_bundle};
use rusqlite::Connection;
use serde_json::json;
use support::{HandClock, engine, entry_of, idle, intent, say, script, stop, words};

/// Sessions `a` and `b`, each with two turns: an intent that names two blobs, and an end that tells of the checkpoint
/// and of one more blob. One blob is named by all of them.
async fn write(folder: &Path) {
    let handler = script(|turn, event| {
        Box::pin(async move {
            let text = format!("{} of {}", words(&event), turn.session());
            let sent = turn.keep(format!("arguments {text}").into_bytes())?;
            let before = turn.keep(b"the catalogue of everybody".to_vec())?;
            turn.record(intent(sent, before))?;
            let case = turn.keep(format!("case {text}").into_bytes())?;
            let saved =
                turn.save(Checkpoint { schema: 1, body: json!({"at": text}), summary: json!(text) })?;
            turn.record(entry_of(Ended { state: State::Mutate, saved, kept: Some(vec![case]) }))?;
            Ok(())
        })
    });
    let engine = engine(folder, &HandClock::new(), handler).await;
    for number in 0..2 {
        say(engine.store(), "a", &number.to_string()).await;
        say(engine.store(), "b", &number.to_string()).await;
    }
    idle(&engine).await;
    stop(engine).await;
}

#[expect(clippy::disallowed_methods, reason = "damages the database, which the product never does")]
fn open(folder: &Path) -> Connection {
    Connection::open(folder.join("purple.db")).unwrap()
}

fn fault(folder: &Path) -> Option<BadRecord> {
    Reader::open(folder).unwrap().verify().unwrap().fault
}

fn hash(text: &str) -> BlobHash {
    BlobHash(Digest::of(text.as_bytes()))
}

fn at() -> Timestamp {
    "2026-03-02T10:00:00Z".parse().unwrap()
}

#[tokio::test]
async fn each_blob_that_is_deleted_or_flipped_is_named_with_its_record_and_its_run() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    let report = Reader::open(folder.path()).unwrap().verify().unwrap();
    assert_eq!((report.entries, report.blobs, report.fault), (8, 9, None));
    let db = open(folder.path());
    let blobs: Vec<(i64, Vec<u8>)> = {
        let mut read = db.prepare("SELECT id, bytes FROM blobs ORDER BY id").unwrap();
        read.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(blobs.len(), 9);
    for (id, sound) in blobs {
        let named = BlobHash(Digest::of(&sound));
        let text = String::from_utf8(sound.clone()).unwrap();
        // Of the two turns of a session, the first has records 1 and 2.
        let turn = if text.contains(" 1 of ") { 2 } else { 0 };
        let seq = turn + if text.starts_with("case") { 2 } else { 1 };
        let session = if text.ends_with(" b") { "b" } else { "a" }.to_owned();
        let bad = |fault| Some(BadRecord { session: session.clone(), seq, fault });
        for index in 0..sound.len() {
            let mut flipped = sound.clone();
            flipped[index] ^= 1;
            db.execute("UPDATE blobs SET bytes = ?2 WHERE id = ?1", (id, &flipped)).unwrap();
            assert_eq!(fault(folder.path()), bad(Fault::BlobAltered(named)), "{text}, byte {index}");
        }
        db.execute("DELETE FROM blobs WHERE id = ?1", [id]).unwrap();
        assert_eq!(fault(folder.path()), bad(Fault::BlobMissing(named)), "{text}");
        db.execute(
            "INSERT INTO blobs (id, hash, bytes) VALUES (?1, ?2, ?3)",
            (id, named.0.as_bytes(), &sound),
        )
        .unwrap();
        assert_eq!(fault(folder.path()), None);
    }
    // One that no record names: a turn that never ended may leave such a blob.
    db.execute("INSERT INTO blobs (hash, bytes) VALUES (zeroblob(32), x'00')", []).unwrap();
    let found = fault(folder.path()).unwrap();
    assert!(matches!(found.fault, Fault::UnnamedBlobAltered(_)), "{found}");
    assert!(found.to_string().starts_with("blob sha256:0000"), "{found}");
}

#[tokio::test]
async fn a_checkpoint_or_a_summary_that_the_journal_contradicts_is_named() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    let bad = |fault| Some(BadRecord { session: "b".to_owned(), seq: 4, fault });
    // A digest that fits what was written in its place does not help: the journal knows another one.
    let forged = |db: &Connection, body: &str, summary: &str| {
        let digest = Digest::of(format!("1\n{summary}\n{body}").as_bytes());
        let sql = "UPDATE checkpoints SET body = ?1, digest = ?2 WHERE session = 2";
        db.execute(sql, (body, digest.as_bytes())).unwrap();
        db.execute("UPDATE sessions SET summary = ?1 WHERE id = 2", [summary]).unwrap();
    };
    let db = open(folder.path());
    let (body, summary) = (r#"{"at":"1 of b"}"#, r#""1 of b""#);
    forged(&db, body, summary);
    assert_eq!(fault(folder.path()), None, "this is what was saved");
    // The checkpoint of the turn before, and others.
    for (body, summary) in
        [(r#"{"at":"0 of b"}"#, r#""0 of b""#), (r#"{"at":"2 of b"}"#, summary), (body, r#""all is well""#)]
    {
        forged(&db, body, summary);
        assert_eq!(fault(folder.path()), bad(Fault::CheckpointAltered), "{body} {summary}");
    }
    forged(&db, body, summary);
    db.execute("UPDATE checkpoints SET digest = zeroblob(32) WHERE session = 2", []).unwrap();
    assert_eq!(fault(folder.path()), bad(Fault::CheckpointAltered));
    db.execute("DELETE FROM checkpoints WHERE session = 2", []).unwrap();
    assert_eq!(fault(folder.path()), bad(Fault::CheckpointMissing));
    assert_eq!(
        fault(folder.path()).unwrap().to_string(),
        "record 4 of session `b` tells of a checkpoint that is missing"
    );
}

#[tokio::test]
async fn an_export_lists_the_blobs_that_its_records_name_and_every_byte_of_the_list_counts() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).await;
    let key = AuditKey::of_folder(folder.path()).unwrap();
    let export = |scope: &Scope| {
        let mut out = Vec::new();
        Reader::open(folder.path()).unwrap().export(scope, &key, at(), &mut out).unwrap();
        out
    };
    let sound = export(&Scope::Session(support::id("b")));
    let report = verify_bundle(&sound[..]).unwrap();
    assert_eq!((report.entries, report.blobs, report.fault), (4, 5, None));
    let mut line = 1;
    for index in 0..sound.len() {
        let mut flipped = sound.clone();
        flipped[index] ^= 1;
        let found = verify_bundle(&flipped[..]).unwrap().fault.map(|bad| bad.line);
        assert_eq!(found, Some(line), "byte {index}");
        line += u64::from(sound[index] == b'\n');
    }
    let lines: Vec<&[u8]> = sound.split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), 1 + 4 + 5 + 1);
    for (index, number) in (5..10).zip(6_u64..) {
        let without = [&lines[..index], &lines[index + 1..]].concat().concat();
        assert_eq!(verify_bundle(&without[..]).unwrap().fault.unwrap().line, number, "left out");
        let twice = [&lines[..=index], &lines[index..]].concat().concat();
        assert_eq!(verify_bundle(&twice[..]).unwrap().fault.unwrap().line, number + 1, "doubled");
    }
    // An export of a store that lacks a blob says which.
    let lost = hash("case 1 of b");
    open(folder.path()).execute("DELETE FROM blobs WHERE hash = ?1", [lost.0.as_bytes()]).unwrap();
    let found = verify_bundle(&export(&Scope::All)[..]).unwrap().fault.unwrap();
    assert_eq!(found.fault, LineFault::BlobNotKept(lost));
    open(folder.path()).execute("UPDATE blobs SET bytes = x'00'", []).unwrap();
    let found = verify_bundle(&export(&Scope::All)[..]).unwrap().fault.unwrap();
    assert!(matches!(found.fault, LineFault::BlobNotKept(_)), "{found}");
}

#[tokio::test]
async fn whose_a_session_is_before_its_first_turn_cannot_be_changed_unseen() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path(), &HandClock::new(), script(|_, _| Box::pin(async { Ok(()) }))).await;
    let start = Start {
        text: "pay".to_owned(),
        by: PersonId::parse("ada").unwrap(),
        channel: Channel::A2a,
        account: None,
        policy: None,
        tools_endpoint: None,
        message_id: None,
    };
    let (session, dedup) = (SessionId::parse("c").unwrap(), DedupKey("m-1".to_owned()));
    let due = Some("2099-01-01T00:00:00Z".parse().unwrap());
    engine.store().post(Post { session, dedup, due, event: Event::Start(start) }).await.unwrap();
    stop(engine).await;
    assert_eq!(fault(folder.path()), None);
    let db = open(folder.path());
    for forged in [r#"{"taken_from":"eve"}"#, "null", r#"{"status":"closed"}"#] {
        db.execute("UPDATE sessions SET summary = ?1", [forged]).unwrap();
        let found = fault(folder.path()).map(|bad| bad.fault);
        assert_eq!(found, Some(Fault::CheckpointAltered), "{forged}");
    }
    db.execute(r#"UPDATE sessions SET summary = '{"taken_from":"ada"}'"#, []).unwrap();
    assert_eq!(fault(folder.path()), None);
}
