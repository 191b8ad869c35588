//! One process per data folder: an operating-system lock that dies with its process, however that ends.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use crate::error::OpenError;

/// The lock file, beside the database.
pub(crate) const NAME: &str = "lock";

/// The folder is ours while this lives.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _held: File,
}

impl FolderLock {
    /// Takes the folder, or says who has it.
    pub(crate) fn take(folder: &Path) -> Result<Self, OpenError> {
        let path = folder.join(NAME);
        let files = |cause| OpenError::Files { path: path.clone(), cause };
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(files)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(OpenError::InUse { folder: folder.to_path_buf(), process: who(&mut file) });
            }
            Err(TryLockError::Error(cause)) => return Err(files(cause)),
        }
        // Only a hint for people; the lock itself is what counts.
        file.set_len(0).map_err(files)?;
        file.rewind().map_err(files)?;
        writeln!(file, "{}", std::process::id()).map_err(files)?;
        Ok(Self { _held: file })
    }
}

fn who(file: &mut File) -> Option<String> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    let id: u32 = text.trim().parse().ok()?;
    Some(id.to_string())
}
