use purple_journal::chain::{Chain, Head};

use super::*;

/// A database as version 1 made it, with a session in it.
#[expect(clippy::disallowed_methods, reason = "makes an old database by hand")]
fn version_1(path: &Path) -> Connection {
    let mut db = Connection::open(path).unwrap();
    migrate(&mut db, path, &MIGRATIONS[..1]).unwrap();
    db.execute(
        "INSERT INTO sessions (name, began, changed, head_seq, head_hash, summary)
         VALUES ('old', 1, 2, 0, zeroblob(32), '{\"state\":\"ASSESS\"}')",
        [],
    )
    .unwrap();
    db
}

fn number(db: &Connection, pragma: &str) -> i64 {
    db.pragma_query_value(None, pragma, |row| row.get(0)).unwrap()
}

fn tables(db: &Connection) -> Vec<String> {
    let mut read = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").unwrap();
    read.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_database_of_version_1_comes_to_the_present_one_with_what_is_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("purple.db");
    let mut db = version_1(&path);
    assert_eq!(number(&db, "user_version"), 1);
    assert!(!tables(&db).contains(&"cases".to_owned()));
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    assert_eq!(number(&db, "user_version"), i64::try_from(MIGRATIONS.len()).unwrap());
    assert!(tables(&db).contains(&"cases".to_owned()));
    let summary: String = db.query_row("SELECT summary FROM sessions", [], |row| row.get(0)).unwrap();
    assert_eq!(summary, "{\"state\":\"ASSESS\"}");
    // A second time nothing is left to do.
    migrate(&mut db, &path, MIGRATIONS).unwrap();
}

#[test]
fn a_migration_that_fails_in_its_middle_leaves_the_old_version_and_nothing_of_the_new() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("purple.db");
    let mut db = version_1(&path);
    let before = tables(&db);
    let broken = "CREATE TABLE new_one (x INTEGER); ALTER TABLE sessions ADD COLUMN y; INSERT INTO nowhere VALUES (1);";
    let error = migrate(&mut db, &path, &[MIGRATIONS[0], broken, MIGRATIONS[1]]).unwrap_err();
    assert!(matches!(error, OpenError::Migration { version: 2, stays: 1, .. }), "{error}");
    assert_eq!((number(&db, "user_version"), tables(&db)), (1, before));
    assert!(db.query_row("SELECT y FROM sessions", [], |_| Ok(())).is_err());
}

#[test]
fn cases_that_were_learned_before_they_could_be_searched_stay_and_the_index_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("purple.db");
    let mut db = version_1(&path);
    migrate(&mut db, &path, &MIGRATIONS[..2]).unwrap();
    let old = "INSERT INTO cases (session, round, at, process, body) VALUES ('old', 1, 2, 'p', '{}')";
    db.execute(old, []).unwrap();
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    let new = "INSERT INTO cases (session, round, at, process, body, text) VALUES ('new', 1, 2, 'p', '{}', 'pay it')";
    db.execute(new, []).unwrap();
    let found: Vec<(String, String)> = db
        .prepare("SELECT session, text FROM cases ORDER BY id")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let expected =
        [("old", ""), ("new", "pay it")].map(|(session, text)| (session.to_owned(), text.to_owned()));
    assert_eq!(found, expected);
    // With 1, the index is compared with the rows that it is an index of.
    db.execute("INSERT INTO case_words (case_words, rank) VALUES ('integrity-check', 1)", []).unwrap();
}

#[test]
fn what_version_3_wrote_is_read_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("purple.db");
    let mut db = version_1(&path);
    migrate(&mut db, &path, &MIGRATIONS[..3]).unwrap();
    let session = purple_port::SessionId::parse("old").unwrap();
    let text = r#"{"at":"2026-03-02T12:00:00Z","data":{},"kind":"turn.ended"}"#;
    let chain = Chain::Run(&session);
    let head = Head::empty(chain).after(chain, text);
    let entry = "INSERT INTO journal (session, seq, entry, hash) VALUES (1, 1, ?1, ?2)";
    db.execute(entry, (text, head.hash.as_bytes())).unwrap();
    let bytes = b"as it is".to_vec();
    let hash = purple_port::Digest::of(&bytes);
    db.execute("INSERT INTO blobs (hash, bytes) VALUES (?1, ?2)", (hash.as_bytes(), &bytes)).unwrap();
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    let found = crate::read::since(&db, &session, 0, 9).unwrap();
    assert_eq!((found.len(), found[0].hash, found[0].entry.kind()), (1, head.hash, "turn.ended"));
    let blob = crate::read::blob(&db, purple_port::BlobHash(hash)).unwrap();
    assert_eq!(blob, Some(bytes));
}

#[test]
fn cases_of_runs_that_were_never_here_and_contradictions_between_domains_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("purple.db");
    let mut db = version_1(&path);
    migrate(&mut db, &path, &MIGRATIONS[..8]).unwrap();
    for session in ["old", "far"] {
        let case = "INSERT INTO cases (session, round, at, process, body) VALUES (?1, 1, 2, 'p', '{}')";
        db.execute(case, [session]).unwrap();
    }
    for (domain, value, at) in [("a", "30", 1), ("b", "45", 2), ("c", "45", 3)] {
        db.execute(
            "INSERT INTO knowledge (domain, kind, folded, name, field, value, session, round, evidence, at)
             VALUES (?1, 'vendor', 'acme', 'Acme', 'terms', ?2, 'old', 1, '{}', ?3)",
            rusqlite::params![domain, value, at],
        )
        .unwrap();
    }
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    let names = |sql: &str| -> Vec<String> {
        let mut read = db.prepare(sql).unwrap();
        read.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(names("SELECT session FROM cases WHERE imported = 1"), ["far"]);
    assert_eq!(names("SELECT domain FROM knowledge WHERE superseded IS NULL ORDER BY id"), ["b", "c"]);
}

#[test]
fn a_newer_database_is_refused_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("purple.db");
    let mut db = version_1(&path);
    db.pragma_update(None, "user_version", 99).unwrap();
    let error = migrate(&mut db, &path, MIGRATIONS).unwrap_err();
    let known = count(MIGRATIONS);
    let shown = format!(
        "the database `{}` has version 99; this program knows versions up to {known}",
        path.display()
    );
    assert_eq!(error.to_string(), shown);
    assert!(error.help().contains("newer program"));
    assert!(matches!(check(&db, &path), Err(OpenError::Newer { found: 99, .. })));
    assert_eq!(number(&db, "user_version"), 99);
}

#[test]
fn a_reader_waits_for_the_worker_to_bring_an_old_database_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("purple.db");
    let db = version_1(&path);
    let known = count(MIGRATIONS);
    assert!(
        matches!(check(&db, &path), Err(OpenError::Older { found: 1, known: told, .. }) if told == known)
    );
}

#[test]
fn a_reader_understands_the_last_versions_that_have_the_same_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("purple.db");
    let mut db = version_1(&path);
    let schema = |db: &Connection| -> String {
        // Readers ask for the version before they read these.
        let sql = "SELECT group_concat(sql, ';') FROM sqlite_schema WHERE name NOT IN ('operator_journal', 'operator_head')";
        db.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    migrate(&mut db, &path, &MIGRATIONS[..READABLE_FROM as usize - 1]).unwrap();
    assert!(matches!(check(&db, &path), Err(OpenError::Older { .. })));
    migrate(&mut db, &path, &MIGRATIONS[..READABLE_FROM as usize]).unwrap();
    assert!(check(&db, &path).is_ok());
    let readable = schema(&db);
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    assert_eq!(schema(&db), readable, "raise READABLE_FROM: a later migration changes tables");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "makes a database of somebody else")]
fn a_database_of_another_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("purple.db");
    let mut db = Connection::open(&path).unwrap();
    db.execute_batch("CREATE TABLE recipes (name TEXT)").unwrap();
    assert!(matches!(migrate(&mut db, &path, MIGRATIONS), Err(OpenError::Foreign { .. })));
    assert_eq!(tables(&db), ["recipes"]);
}
