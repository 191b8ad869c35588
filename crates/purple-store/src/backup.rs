//! A copy of the database as it is at one moment, while it is being written.

use std::fs::File;
use std::path::Path;

use crate::error::OpenError;
use crate::files;
use crate::open::open_reader;

/// Copies the database to a new file `to`. It is there in full when this returns, or not at all.
pub(crate) fn backup(database: &Path, to: &Path) -> Result<(), OpenError> {
    let files = |cause| OpenError::Files { path: to.to_path_buf(), cause };
    let draft = files::draft_path(to);
    let copied = copy(database, &draft).and_then(|()| files::place(&draft, to).map_err(files));
    if copied.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    copied
}

fn copy(database: &Path, draft: &Path) -> Result<(), OpenError> {
    let files = |cause| OpenError::Files { path: draft.to_path_buf(), cause };
    // A draft that a crash left is of no use to anybody.
    if draft.try_exists().map_err(files)? {
        std::fs::remove_file(draft).map_err(files)?;
    }
    let source = open_reader(database)?;
    source
        .execute("VACUUM INTO ?1", [draft.to_string_lossy()])
        .map_err(|cause| OpenError::Database { path: database.to_path_buf(), cause })?;
    // SQLite does not sync what it writes here.
    File::options().write(true).open(draft).and_then(|file| file.sync_all()).map_err(files)?;
    let copy = open_reader(draft)?;
    let verdict: String = copy
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|cause| OpenError::Database { path: draft.to_path_buf(), cause })?;
    if verdict == "ok" { Ok(()) } else { Err(OpenError::Setting { setting: "quick_check", found: verdict }) }
}
