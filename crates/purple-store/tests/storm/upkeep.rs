//! Kills the process while it brings an old database up to date, and while it makes a backup.
//!
//! How far it is, is seen by the files that grow, so that each kill comes at another place.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use purple_port::Digest;
use purple_store::{Reader, Settings, Store};
use purple_testkit::ChildDeadline;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::support::{HandClock, engine, idle, intent, say, script, stop};

/// The environment variable with the orders.
const ORDERS: &str = "PURPLE_UPKEEP_ORDERS";
const MIGRATIONS: [&str; 11] = [
    include_str!("../../src/migrations/0001_engine.sql"),
    include_str!("../../src/migrations/0002_learning.sql"),
    include_str!("../../src/migrations/0003_claims_halts_recall.sql"),
    include_str!("../../src/migrations/0004_door.sql"),
    include_str!("../../src/migrations/0005_packed.sql"),
    include_str!("../../src/migrations/0006_memory.sql"),
    include_str!("../../src/migrations/0007_definitions.sql"),
    include_str!("../../src/migrations/0008_forgotten.sql"),
    include_str!("../../src/migrations/0009_imported.sql"),
    include_str!("../../src/migrations/0010_packed_form_2.sql"),
    include_str!("../../src/migrations/0011_operator_journal.sql"),
];
/// What SQLite's header says of a database that is ours.
const APPLICATION: i32 = 0x5072_506C;

#[derive(Serialize, Deserialize)]
enum Orders {
    /// Open the folder, and bring what is in it up to date.
    Open { folder: PathBuf },
    /// Copy the database of the folder.
    Backup { folder: PathBuf, to: PathBuf },
}

#[test]
fn this_is_the_child_and_does_nothing_when_run_alone() {
    let Some(orders) = std::env::var_os(ORDERS) else { return };
    println!("begins");
    match serde_json::from_str(orders.to_str().unwrap()).unwrap() {
        Orders::Open { folder } => {
            let settings = Settings { reserve_bytes: 0, ..Settings::default() };
            drop(Store::open(&folder, settings, HandClock::new()).unwrap());
        }
        Orders::Backup { folder, to } => Reader::open(&folder).unwrap().backup(&to).unwrap(),
    }
    println!("over");
}

/// Starts the child and waits until it is about to begin.
fn begun(orders: &Orders) -> Child {
    let child = "upkeep::this_is_the_child_and_does_nothing_when_run_alone";
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", child, "--nocapture"])
        .env(ORDERS, serde_json::to_string(orders).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = ChildDeadline::of(&child);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.by_ref().map(Result::unwrap).any(|line| line.ends_with("begins")));
    drop(deadline);
    child
}

/// Kills the child as soon as the file has this many bytes. `true` if it had not ended by itself.
fn kill_at(mut child: Child, file: &Path, bytes: u64) -> bool {
    let deadline = ChildDeadline::of(&child);
    while fs::metadata(file).map_or(0, |found| found.len()) < bytes {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
    child.kill().unwrap();
    let ended = child.wait().unwrap();
    drop(deadline);
    !ended.success()
}

#[expect(
    clippy::disallowed_methods,
    reason = "makes and looks at databases of every age, which the product never does"
)]
fn connect(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

/// A database as an older program left it, with cases in it.
fn old(path: &Path, version: usize) {
    let db = connect(path);
    db.pragma_update(None, "journal_mode", "wal").unwrap();
    for sql in &MIGRATIONS[..version] {
        db.execute_batch(sql).unwrap();
    }
    db.pragma_update(None, "application_id", APPLICATION).unwrap();
    db.pragma_update(None, "user_version", i64::try_from(version).unwrap()).unwrap();
    if version == 2 {
        let case = "INSERT INTO cases (session, round, at, process, body)
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                    SELECT 's' || i, 1, i, 'sla_breach', '{\"ending\":\"done\"}' FROM n";
        db.execute_batch(case).unwrap();
    }
}

/// The version of a database, and everything that it is made of.
fn made_of(path: &Path) -> (i64, Vec<String>) {
    let db = connect(path);
    let version = db.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let mut read = db
        .prepare("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1")
        .unwrap();
    let parts = read.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    (version, parts)
}

#[test]
fn a_kill_during_a_migration_leaves_the_old_schema_or_the_new_one_and_never_a_mixture() {
    let folder = tempfile::tempdir().unwrap();
    let sound: Vec<(i64, Vec<String>)> = (0..=MIGRATIONS.len())
        .map(|version| {
            let path = folder.path().join(format!("version-{version}.db"));
            old(&path, version);
            made_of(&path)
        })
        .collect();
    let (mut killed, mut left) = (0, std::collections::BTreeMap::<i64, usize>::new());
    for from in 0..MIGRATIONS.len() {
        for frames in 0..40_u64 {
            let data = tempfile::tempdir().unwrap();
            let path = data.path().join("purple.db");
            if from > 0 {
                old(&path, from);
            }
            let child = begun(&Orders::Open { folder: data.path().to_path_buf() });
            // A frame of the log is a page of 4096 bytes and its header.
            let dead = kill_at(child, &data.path().join("purple.db-wal"), frames * 4_120);
            killed += usize::from(dead);
            let found = made_of(&path);
            let version = usize::try_from(found.0).unwrap();
            assert!(from <= version, "from {from}, {frames} frames");
            assert_eq!(found, sound[version], "from {from}, {frames} frames: a mixture");
            *left.entry(found.0).or_default() += 1;
            // The next start makes it whole, and nothing is gone.
            let settings = Settings { reserve_bytes: 0, ..Settings::default() };
            drop(Store::open(data.path(), settings, HandClock::new()).unwrap());
            let db = connect(&path);
            let count: i64 = db.query_row("SELECT count(*) FROM cases", [], |row| row.get(0)).unwrap();
            assert_eq!(count, if from == 2 { 500 } else { 0 });
            let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!((made_of(&path), check.as_str()), (sound[MIGRATIONS.len()].clone(), "ok"));
        }
    }
    println!("{killed} kills during migrations; the versions that were found: {left:?}");
    assert!(killed > 30 && left.len() > 2, "{killed} kills, {left:?}");
}

#[tokio::test]
async fn a_kill_during_a_backup_leaves_a_whole_copy_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let handler = script(|turn, _| {
        Box::pin(async move {
            // Digests cannot be compressed, so they are stored in their full size.
            let digest = |number: u32| Digest::of(format!("{} {number}", turn.session()).as_bytes());
            let bytes = (0..500).flat_map(|number| *digest(number).as_bytes()).collect();
            let sent = turn.keep(bytes)?;
            turn.record(intent(sent, sent))?;
            Ok(())
        })
    });
    let engine = engine(folder.path(), &HandClock::new(), handler).await;
    for number in 0..200 {
        say(engine.store(), &format!("s{number}"), "x").await;
    }
    idle(&engine).await;
    stop(engine).await;
    let whole = Reader::open(folder.path()).unwrap().health().unwrap();
    let (mut killed, mut copies) = (0, 0);
    for step in 0..40_u64 {
        let to = folder.path().join("copy").join("purple.db");
        let _ = fs::remove_dir_all(folder.path().join("copy"));
        fs::create_dir(folder.path().join("copy")).unwrap();
        let child = begun(&Orders::Backup { folder: folder.path().to_path_buf(), to: to.clone() });
        killed += usize::from(kill_at(child, &to.with_extension("db.draft"), step * 100_000));
        // Whoever finds a copy finds all of it.
        if to.exists() {
            copies += 1;
            let copy = Reader::open(&folder.path().join("copy")).unwrap();
            assert_eq!(copy.health().unwrap(), whole, "step {step}");
            assert_eq!(copy.verify().unwrap().fault, None);
            continue;
        }
        // What a killed one left is in nobody's way.
        Reader::open(folder.path()).unwrap().backup(&to).unwrap();
        assert_eq!(Reader::open(&folder.path().join("copy")).unwrap().health().unwrap(), whole);
    }
    println!("{killed} kills during backups, {copies} whole copies");
    assert!(killed > 10 && copies < 40, "{killed} {copies}");
}
