//! Whether a configuration file, or what it names, is one's own: it names programs that are started and people who
//! approve.

use std::path::Path;

use crate::config::origin::FileKind;

/// Why a file is not obeyed, and how to trust it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distrust {
    /// Others can write it.
    Writable,
    /// It, or the link to it, belongs to somebody else.
    Foreign { owner: u32 },
}

impl Distrust {
    pub(crate) fn message(self) -> String {
        match self {
            Self::Writable => "others can write this file, and it names programs that are started".to_owned(),
            Self::Foreign { owner } => {
                format!(
                    "this file belongs to another user (number {owner}), and it names programs that are started"
                )
            }
        }
    }

    pub(crate) fn help(self, path: &Path) -> String {
        match self {
            Self::Writable => format!("look at it, then: chmod go-w {}", path.display()),
            Self::Foreign { .. } => format!(
                "look at it, then name it with `--config {}`; or read no file with `--no-config`",
                path.display()
            ),
        }
    }
}

/// Who owns a file and who may write it.
#[derive(Clone, Copy, Debug)]
struct Found {
    owner: u32,
    mode: u32,
}

/// How a folder is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folder {
    /// What lies in it is obeyed, whoever put it there.
    Own,
    /// Only what is named in it counts: others may have files beside it that they cannot put in its place.
    Shared,
}

/// The owner is this user or the administrator, unless the file was named; and nobody else can write it.
fn judge(kind: FileKind, me: u32, link: Found, file: Found, folder: Folder) -> Result<(), Distrust> {
    const ADMINISTRATOR: u32 = 0;
    const OTHERS_WRITE: u32 = 0o022;
    // In a folder with the sticky bit everybody makes files, and nobody replaces those of others.
    const STICKY_FOLDER: u32 = 0o041_000;
    let is_safe = folder == Folder::Shared && file.mode & 0o171_000 == STICKY_FOLDER;
    if file.mode & OTHERS_WRITE != 0 && !is_safe {
        return Err(Distrust::Writable);
    }
    let foreign = [link.owner, file.owner].into_iter().find(|owner| ![me, ADMINISTRATOR].contains(owner));
    match (kind, foreign) {
        (FileKind::Project | FileKind::User, Some(owner)) => Err(Distrust::Foreign { owner }),
        // Whoever names a file has decided to trust its owner.
        (FileKind::Named, _) | (_, None) => Ok(()),
    }
}

/// Checks a file that is about to be read. One that cannot be looked at cannot be read either, which is told then.
pub(crate) fn check(kind: FileKind, path: &Path) -> Result<(), Distrust> {
    check_step(kind, path, Folder::Own)
}

/// The same for a file or folder on the way to what a configuration names.
#[cfg(unix)]
pub(crate) fn check_step(kind: FileKind, path: &Path, folder: Folder) -> Result<(), Distrust> {
    use std::os::unix::fs::MetadataExt as _;
    let found = |about: std::fs::Metadata| Found { owner: about.uid(), mode: about.mode() };
    let (Ok(link), Ok(file)) = (std::fs::symlink_metadata(path), std::fs::metadata(path)) else {
        return Ok(());
    };
    judge(kind, nix::unistd::getuid().as_raw(), found(link), found(file), folder)
}

#[cfg(not(unix))]
pub(crate) fn check_step(_: FileKind, _: &Path, _: Folder) -> Result<(), Distrust> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: u32 = 1000;
    const OTHER: u32 = 1001;

    fn judge(kind: FileKind, me: u32, link: Found, file: Found) -> Result<(), Distrust> {
        super::judge(kind, me, link, file, Folder::Own)
    }

    fn of(owner: u32, mode: u32) -> Found {
        Found { owner, mode: mode | 0o100_000 }
    }

    #[test]
    fn a_file_that_was_found_is_obeyed_if_it_is_mine_or_the_administrators_and_nobody_else_writes_it() {
        for kind in [FileKind::Project, FileKind::User] {
            for (owner, mode, expected) in [
                (ME, 0o600, Ok(())),
                (ME, 0o644, Ok(())),
                (0, 0o644, Ok(())),
                (ME, 0o664, Err(Distrust::Writable)),
                (ME, 0o646, Err(Distrust::Writable)),
                (0, 0o666, Err(Distrust::Writable)),
                (OTHER, 0o600, Err(Distrust::Foreign { owner: OTHER })),
            ] {
                assert_eq!(judge(kind, ME, of(owner, mode), of(owner, mode)), expected, "{owner} {mode:o}");
            }
            // A link of somebody else leads to what they chose; links have all bits.
            let theirs = judge(kind, ME, of(OTHER, 0o777), of(ME, 0o600));
            assert_eq!(theirs, Err(Distrust::Foreign { owner: OTHER }));
            assert_eq!(judge(kind, ME, of(ME, 0o777), of(ME, 0o600)), Ok(()));
            assert!(judge(kind, 0, of(ME, 0o600), of(ME, 0o600)).is_err(), "the administrator obeys nobody");
        }
    }

    #[test]
    fn naming_a_file_trusts_its_owner_and_never_everybody() {
        assert_eq!(judge(FileKind::Named, ME, of(OTHER, 0o644), of(OTHER, 0o644)), Ok(()));
        let writable = judge(FileKind::Named, ME, of(OTHER, 0o666), of(OTHER, 0o666));
        assert_eq!(writable, Err(Distrust::Writable));
    }
}
