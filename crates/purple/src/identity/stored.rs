//! The token of a person who logged in, in a file that only they can read.

use std::io;
use std::path::{Path, PathBuf};

use purple_process::Digest;

use crate::config::{Config, Environment, TOKEN_VARIABLE};
use crate::failure::Failure;

/// The token that this person shows: the variable, or what `purple login` kept.
pub(super) fn shown(config: &Config, environment: &Environment) -> Result<Option<String>, Failure> {
    if let Some(text) = environment.get(TOKEN_VARIABLE) {
        return Ok(Some(text.trim().to_owned()));
    }
    let Some(file) = file(config, environment) else { return Ok(None) };
    match std::fs::read_to_string(&file) {
        Ok(_) if !is_private(&file) => Err(Failure::LooseLogin { file }),
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(Failure::Read { file, cause }),
    }
}

/// Keeps a token for this data folder.
pub(crate) fn keep(config: &Config, environment: &Environment, text: &str) -> Result<PathBuf, Failure> {
    let file = file(config, environment).ok_or(Failure::NoHome)?;
    let unwritten = |cause| Failure::Write { file: file.clone(), cause };
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(unwritten)?;
    }
    // A file that is there may have been opened by somebody: it is replaced, not written into.
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritten(error)),
        _ => {}
    }
    write(&file, text).map_err(unwritten)?;
    Ok(file)
}

/// Forgets it, and says whether there was one.
pub(crate) fn forget(config: &Config, environment: &Environment) -> Result<bool, Failure> {
    let Some(file) = file(config, environment) else { return Ok(false) };
    match std::fs::remove_file(&file) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(Failure::Write { file, cause }),
    }
}

/// One file for each data folder: a token opens nothing elsewhere.
fn file(config: &Config, environment: &Environment) -> Option<PathBuf> {
    let folder = environment.folder().join(&config.settings.data_dir);
    let name = Digest::of(folder.as_os_str().as_encoded_bytes()).to_string();
    let name = name.rsplit(':').next()?.get(..16)?.to_owned();
    Some(environment.user_state()?.join("logins").join(name))
}

fn write(file: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    writeln!(options.open(file)?, "{text}")
}

#[cfg(unix)]
fn is_private(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(file).is_ok_and(|found| found.mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    true
}
