//! The account of the operating system under which this process runs. The kernel says it, not the environment.

use std::path::Path;

/// Its name, or its number where it has no name. `None` where the system cannot say.
#[cfg(unix)]
pub(crate) fn account() -> Option<String> {
    let uid = nix::unistd::getuid();
    let user = nix::unistd::User::from_uid(uid).ok().flatten();
    Some(user.map_or_else(|| format!("uid:{uid}"), |user| user.name))
}

#[cfg(not(unix))]
pub(crate) fn account() -> Option<String> {
    None
}

/// Whether this account owns a folder. One that is not there yet will be owned by whoever makes it.
#[cfg(unix)]
pub(crate) fn owns(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(folder).map_or(true, |found| found.uid() == nix::unistd::getuid().as_raw())
}

#[cfg(not(unix))]
pub(crate) fn owns(_: &Path) -> bool {
    true
}
