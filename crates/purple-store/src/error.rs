//! What can go wrong when a store is opened, and how faults of the database are told.

use std::path::PathBuf;

use purple_port::EngineError;

/// A store that could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process works on the folder.
    #[error("the data folder `{}` is in use by process {}", folder.display(), process.as_deref().unwrap_or("unknown"))]
    InUse {
        /// The folder.
        folder: PathBuf,
        /// The id of the process, as it wrote it down.
        process: Option<String>,
    },
    /// The database was written by a newer program.
    #[error("the database `{}` has version {found}; this program knows versions up to {known}", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version known here.
        known: u32,
    },
    /// A database that is there, but is not one of ours.
    #[error("`{}` is a database of another program", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// No database to read.
    #[error("there is no database in `{}`", folder.display())]
    Missing {
        /// The folder.
        folder: PathBuf,
    },
    /// The database has an older version, and a reader changes nothing.
    #[error("the database `{}` has version {found} and must be brought to version {known} first", path.display())]
    Older {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is read here.
        known: u32,
    },
    /// A migration that the database refused. Nothing of it was kept.
    #[error("migration {version} failed; the database stays at version {stays}")]
    Migration {
        /// The migration.
        version: u32,
        /// The version that the database still has.
        stays: u32,
        /// What SQLite said.
        #[source]
        cause: rusqlite::Error,
    },
    /// The SQLite that is linked in is too old to be trusted.
    #[error("SQLite {found} is linked in; at least {least} is needed")]
    OldSqlite {
        /// What is linked in.
        found: &'static str,
        /// The oldest that will do.
        least: &'static str,
    },
    /// The database does not keep a setting that durability rests on.
    #[error("the database did not take the setting `{setting}`: it says `{found}`")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// What came back.
        found: String,
    },
    /// The file system refused.
    #[error("`{}`: {cause}", path.display())]
    Files {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        #[source]
        cause: std::io::Error,
    },
    /// SQLite refused.
    #[error("the database `{}` could not be opened: {cause}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What it said.
        #[source]
        cause: rusqlite::Error,
    },
    /// What is stored does not verify.
    #[error(transparent)]
    Stored(EngineError),
}

impl OpenError {
    /// What a person can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::InUse { .. } => {
                "one process works on a data folder at a time: stop the other one, or let it do the work: \
                 read commands work beside it, and the others reach it through its local socket"
            }
            Self::Newer { .. } => "use the newer program; an older one would not understand what it wrote",
            Self::Foreign { .. } => "choose another data folder",
            Self::Missing { .. } => "check the data folder; the first run makes the database",
            Self::Older { .. } => "start the worker once; it brings the database up to date",
            Self::Migration { .. } => "nothing was changed; keep a backup and report what SQLite said",
            Self::OldSqlite { .. } => "build with the bundled SQLite",
            Self::Setting { .. } => "the file system may lack shared memory or locks; use a local disk",
            Self::Files { .. } => "check that the folder exists and may be written",
            Self::Database { .. } | Self::Stored(_) => "restore the last backup; keep the damaged file aside",
        }
    }
}

/// Why the storage failed, in words that can be told to everybody who waits for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {said}")]
pub(crate) struct StorageFailed {
    pub(crate) what: &'static str,
    pub(crate) said: String,
}

/// How bad a fault of the database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grade {
    /// There is no room; it may come back.
    Full,
    /// The disk or the file can no longer be trusted. Nothing is tried again: after a failed sync nobody knows
    /// what is on the disk, and only a restart reads it anew.
    Fatal,
    /// This one piece of work was refused.
    Refused,
}

/// Grades a fault.
pub(crate) fn grade(error: &rusqlite::Error) -> Grade {
    use rusqlite::ErrorCode as Code;
    match error.sqlite_error_code() {
        Some(Code::DiskFull) => Grade::Full,
        Some(
            Code::SystemIoFailure
            | Code::DatabaseCorrupt
            | Code::NotADatabase
            | Code::CannotOpen
            | Code::ReadOnly
            | Code::OutOfMemory
            | Code::FileLockingProtocolFailed
            | Code::PermissionDenied
            | Code::InternalMalfunction,
        ) => Grade::Fatal,
        // SQLite's list is open; what is not known to be fatal spoils one piece of work only.
        Some(_) | None => Grade::Refused,
    }
}

/// A fault of the database as callers see it.
pub(crate) fn storage(what: &'static str, error: &rusqlite::Error) -> EngineError {
    match grade(error) {
        Grade::Full => EngineError::Full,
        Grade::Fatal | Grade::Refused => {
            EngineError::Storage(Box::new(StorageFailed { what, said: error.to_string() }))
        }
    }
}

/// The error and what caused it.
pub(crate) fn chain_text(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    fn sqlite(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
    }

    #[test]
    fn a_failed_sync_is_fatal_and_a_full_disk_is_not() {
        for code in
            [ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB]
        {
            assert_eq!(grade(&sqlite(code)), Grade::Fatal, "{code}");
        }
        assert_eq!(grade(&sqlite(ffi::SQLITE_FULL)), Grade::Full);
        assert_eq!(grade(&sqlite(ffi::SQLITE_CONSTRAINT)), Grade::Refused);
        assert_eq!(grade(&rusqlite::Error::QueryReturnedNoRows), Grade::Refused);
    }
}
