//! Room that is held back, so that a turn which has begun can still write down how it went when the disk is full.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::settings::Settings;

/// The file whose only content is its size.
const NAME: &str = "reserve";
const PAGE_BYTES: u64 = 4096;
static CHUNK: [u8; 64 * 1024] = [0; 64 * 1024];

/// Holds a file of the reserved size, and keeps the database below its largest size by as much.
#[derive(Debug)]
pub(crate) struct Reserve {
    path: PathBuf,
    bytes: u64,
    pages_max: Option<u64>,
}

impl Reserve {
    pub(crate) fn new(folder: &Path, settings: &Settings) -> Self {
        let pages_max = settings.database_bytes_max.map(|bytes| bytes / PAGE_BYTES);
        Self { path: folder.join(NAME), bytes: settings.reserve_bytes, pages_max }
    }

    /// Takes the room. `false` if there is none.
    pub(crate) fn hold(&self, db: &Connection) -> Result<bool, HoldError> {
        let roomy = self.limit_pages(db, self.bytes / PAGE_BYTES)?;
        Ok(roomy && self.hold_file()?)
    }

    /// Gives the room to those who need it now.
    pub(crate) fn release(&self, db: &Connection) -> Result<(), HoldError> {
        self.limit_pages(db, 0)?;
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(HoldError::Files(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Lets the database grow up to its limit but for `spared` pages. `false` if it is larger already.
    fn limit_pages(&self, db: &Connection, spared: u64) -> Result<bool, HoldError> {
        let Some(pages_max) = self.pages_max else { return Ok(true) };
        let limit = pages_max.saturating_sub(spared).max(1);
        let number = |name: &str| db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        // SQLite takes a limit below the present size as the present size.
        db.pragma_update(None, "max_page_count", i64::try_from(limit).unwrap_or(i64::MAX))?;
        let used = number("page_count")?.saturating_sub(number("freelist_count")?);
        Ok(used.max(0).unsigned_abs() < limit)
    }

    fn hold_file(&self) -> Result<bool, HoldError> {
        if self.bytes == 0 || self.path.metadata().is_ok_and(|found| found.len() == self.bytes) {
            return Ok(true);
        }
        match self.write_file() {
            Ok(()) => Ok(true),
            Err(error)
                if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) =>
            {
                // What was written of it would only take more room away.
                let _ = std::fs::remove_file(&self.path);
                Ok(false)
            }
            Err(error) => Err(HoldError::Files(error)),
        }
    }

    /// Written out, not only stretched: a hole holds no room.
    fn write_file(&self) -> io::Result<()> {
        let mut file = File::create(&self.path)?;
        let mut left = self.bytes;
        while left > 0 {
            let chunk = usize::try_from(left).unwrap_or(usize::MAX).min(CHUNK.len());
            file.write_all(CHUNK.get(..chunk).unwrap_or(&CHUNK))?;
            left = left.saturating_sub(chunk as u64);
        }
        file.sync_all()
    }
}

/// The room could neither be held nor given.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HoldError {
    #[error("the reserve could not be written")]
    Files(#[source] io::Error),
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
}
