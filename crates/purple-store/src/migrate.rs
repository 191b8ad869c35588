//! Brings a database from the version it has to the version that this program knows.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::error::OpenError;

/// "PrPl" in the header of the file says that it is ours.
const APPLICATION: i32 = 0x5072_506C;

/// All migrations; the n-th one leads to version n. What is released is never edited: a change is a new file.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_engine.sql"),
    include_str!("migrations/0002_learning.sql"),
    include_str!("migrations/0003_claims_halts_recall.sql"),
    include_str!("migrations/0004_door.sql"),
    include_str!("migrations/0005_packed.sql"),
    include_str!("migrations/0006_memory.sql"),
    include_str!("migrations/0007_definitions.sql"),
    include_str!("migrations/0008_forgotten.sql"),
    include_str!("migrations/0009_imported.sql"),
    include_str!("migrations/0010_packed_form_2.sql"),
    include_str!("migrations/0011_operator_journal.sql"),
];

/// The earliest version that a reader understands without a migration: version 10 changed no table, and version 11 only
/// added those of the operator journal, which a reader of an earlier version leaves out.
const READABLE_FROM: u32 = 9;

/// The first version that has an operator journal.
const OPERATOR_JOURNAL_FROM: u32 = 11;

/// Whether the database has an operator journal. The version decides, so that removed tables are an error.
pub(crate) fn has_operator_journal(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(version >= OPERATOR_JOURNAL_FROM)
}

/// Runs what is missing, each migration in one transaction with its new version.
///
/// A crash leaves the old version or the new one, never something between.
pub(crate) fn migrate(
    connection: &mut Connection,
    path: &Path,
    migrations: &[&str],
) -> Result<(), OpenError> {
    let known = count(migrations);
    let found = version(connection, path)?;
    if known < found {
        return Err(OpenError::Newer { path: path.to_path_buf(), found, known });
    }
    for (version, sql) in (1_u32..).zip(migrations).filter(|(version, _)| found < *version) {
        let stays = version - 1;
        one(connection, version, sql).map_err(|cause| OpenError::Migration { version, stays, cause })?;
    }
    Ok(())
}

/// Refuses a database that a reader here would not understand.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let known = count(MIGRATIONS);
    let found = version(connection, path)?;
    if found > known {
        return Err(OpenError::Newer { path: path.to_path_buf(), found, known });
    }
    if found < READABLE_FROM {
        return Err(OpenError::Older { path: path.to_path_buf(), found, known });
    }
    Ok(())
}

fn one(connection: &mut Connection, version: u32, sql: &str) -> Result<(), rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(sql)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", version)?;
    transaction.commit()
}

/// The version of the database; 0 for an empty one.
fn version(connection: &Connection, path: &Path) -> Result<u32, OpenError> {
    let database = |cause| OpenError::Database { path: path.to_path_buf(), cause };
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let found = number("user_version").map_err(database)?;
    let application = number("application_id").map_err(database)?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(database)?;
    let ours = application == i64::from(APPLICATION);
    let empty = tables == 0 && found == 0 && application == 0;
    if !ours && !empty {
        return Err(OpenError::Foreign { path: path.to_path_buf() });
    }
    u32::try_from(found).map_err(|_| OpenError::Foreign { path: path.to_path_buf() })
}

fn count(migrations: &[&str]) -> u32 {
    u32::try_from(migrations.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "migrate_tests.rs"]
mod tests;
