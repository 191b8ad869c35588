//! The only place that opens the database, and what durability rests on.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::OpenError;
use crate::lock::FolderLock;
use crate::migrate::{self, MIGRATIONS};

/// The database in a data folder.
pub(crate) const DATABASE: &str = "purple.db";

/// Below this, a WAL database could be damaged by a checkpoint that met a write.
const SQLITE_LEAST: (i32, &str) = (3_051_003, "3.51.3");

const STATEMENTS_CACHED: usize = 64;
/// Readers of other processes may hold the write-ahead log for a moment while they recover it.
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// The path of the database in this folder.
pub(crate) fn database_path(folder: &Path) -> PathBuf {
    folder.join(DATABASE)
}

/// Takes the folder and opens its database for the one writer. Makes both where they are missing.
pub(crate) fn open_writer(folder: &Path) -> Result<(FolderLock, Connection), OpenError> {
    make_folder(folder).map_err(|cause| OpenError::Files { path: folder.to_path_buf(), cause })?;
    let lock = FolderLock::take(folder)?;
    let path = database_path(folder);
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = open(&path, flags)?;
    prepare_writer(&connection, &path)?;
    migrate::migrate(&mut connection, &path, MIGRATIONS)?;
    Ok((lock, connection))
}

/// A new folder is its owner's alone. One that is there stays as it is.
#[cfg(unix)]
pub(crate) fn make_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
pub(crate) fn make_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// Opens a database to read, beside whoever writes it.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, OpenError> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    migrate::check(&connection, path)?;
    Ok(connection)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, OpenError> {
    if rusqlite::version_number() < SQLITE_LEAST.0 {
        return Err(OpenError::OldSqlite { found: rusqlite::version(), least: SQLITE_LEAST.1 });
    }
    let database = |cause| OpenError::Database { path: path.to_path_buf(), cause };
    let connection = Connection::open_with_flags(path, flags).map_err(database)?;
    connection.busy_timeout(BUSY_WAIT).map_err(database)?;
    // Without it SQLite plans a statement anew whenever a bound value could matter to the plan: most of ours, each time.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(database)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
    Ok(connection)
}

fn prepare_writer(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let database = |cause| OpenError::Database { path: path.to_path_buf(), cause };
    let settings = [
        // A page of 4 KiB is what disks and file systems write; it must be set before the first table.
        ("page_size", "4096"),
        ("journal_mode", "wal"),
        ("synchronous", "full"),
        // On macOS an ordinary fsync stops at the disk's cache. Elsewhere these two do nothing.
        ("fullfsync", "on"),
        ("checkpoint_fullfsync", "on"),
        // The writer moves the log into the database itself, where a failed sync is seen and not swallowed.
        ("wal_autocheckpoint", "0"),
        ("journal_size_limit", "67108864"),
        // Texts that left the inbox are overwritten where that costs no further page.
        ("secure_delete", "fast"),
    ];
    for (setting, value) in settings {
        connection.pragma_update(None, setting, value).map_err(database)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(database)?;
    confirm(connection, path, "journal_mode", "wal")?;
    confirm(connection, path, "synchronous", "2")
}

fn confirm(
    connection: &Connection,
    path: &Path,
    setting: &'static str,
    wanted: &str,
) -> Result<(), OpenError> {
    let found: rusqlite::types::Value = connection
        .pragma_query_value(None, setting, |row| row.get(0))
        .map_err(|cause| OpenError::Database { path: path.to_path_buf(), cause })?;
    let found = match found {
        rusqlite::types::Value::Text(text) => text,
        rusqlite::types::Value::Integer(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    if found == wanted { Ok(()) } else { Err(OpenError::Setting { setting, found }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(sources(&path));
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
        found
    }

    /// The lint knows `Connection::open`; the demo business opens its own databases by the other name.
    #[test]
    fn no_other_file_of_this_room_opens_a_database() {
        let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
        assert!(sources.len() > 20, "only {} files were looked at", sources.len());
        let opens = |path: &&PathBuf| {
            let text = std::fs::read_to_string(path).unwrap();
            text.contains("open_with_flags") || text.contains("open_in_memory")
        };
        let found: Vec<_> = sources.iter().filter(opens).filter_map(|path| path.file_name()).collect();
        assert_eq!(found, ["open.rs"]);
    }

    #[test]
    fn a_writer_syncs_every_commit_and_writes_a_log() {
        let folder = tempfile::tempdir().unwrap();
        let (_lock, db) = open_writer(folder.path()).unwrap();
        let path = database_path(folder.path());
        confirm(&db, &path, "journal_mode", "wal").unwrap();
        confirm(&db, &path, "synchronous", "2").unwrap();
        confirm(&db, &path, "fullfsync", "1").unwrap();
        confirm(&db, &path, "wal_autocheckpoint", "0").unwrap();
        db.pragma_update(None, "synchronous", "normal").unwrap();
        let error = confirm(&db, &path, "synchronous", "2").unwrap_err();
        assert_eq!(error.to_string(), "the database did not take the setting `synchronous`: it says `1`");
    }
}
