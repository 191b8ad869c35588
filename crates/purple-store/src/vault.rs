//! Hides what watchers are told with: addresses, tokens and passwords of other systems, which a stolen copy of the
//! database must not give away.
//!
//! ChaCha20-Poly1305 of `ring`, with a key in a file of its own beside the database. A hidden body is bound to its
//! session and its watcher: it opens in no other row.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use purple_port::{EngineError, Watcher};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::error::OpenError;
use crate::files;
use crate::row;
use crate::turn::encode;
use crate::work::Sealed;

/// The key of a data folder, for watchers.
const KEY_FILE: &str = "watchers.key";
const KEY_BYTES: usize = 32;
/// The one field of a hidden body.
const HIDDEN: &str = "hidden";

/// Hides and shows with the key of one data folder.
pub(crate) struct Vault {
    path: PathBuf,
    key: Mutex<Option<LessSafeKey>>,
}

/// Why nothing can be hidden or shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VaultError {
    #[error("the key `{}`: {cause}", path.display())]
    Files { path: PathBuf, cause: io::Error },
    #[error("`{}` holds no key of {KEY_BYTES} bytes", path.display())]
    NoKey { path: PathBuf },
    #[error("the system gave no random numbers")]
    NoRandomness,
    #[error("it is too large to be hidden")]
    TooLarge,
}

impl From<VaultError> for EngineError {
    fn from(error: VaultError) -> Self {
        Self::Storage(Box::new(error))
    }
}

/// Whether a key is made where there is none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Make,
    Leave,
}

impl Vault {
    pub(crate) fn of_folder(folder: &Path) -> Self {
        Self::with_key(folder.join(KEY_FILE))
    }

    /// One with the key in this file.
    pub(crate) fn with_key(path: PathBuf) -> Self {
        Self { path, key: Mutex::new(None) }
    }

    /// Hides bytes so that they open only with the same words beside them. The first time makes the key.
    pub(crate) fn seal(&self, plain: &[u8], beside: &[u8]) -> Result<Vec<u8>, VaultError> {
        let mut bytes = plain.to_vec();
        let mut nonce = [0_u8; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| VaultError::NoRandomness)?;
        self.with(Missing::Make, |key| {
            key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(beside), &mut bytes)
        })?
        .map_or(Err(VaultError::NoRandomness), |sealed| sealed.map_err(|_| VaultError::TooLarge))?;
        Ok([&nonce[..], &bytes].concat())
    }

    /// Opens what was hidden; `None` if this key, or these words, do not open it.
    pub(crate) fn unseal(&self, sealed: &[u8], beside: &[u8]) -> Result<Option<Vec<u8>>, VaultError> {
        let Some((nonce, sealed)) = sealed.split_first_chunk::<NONCE_LEN>() else { return Ok(None) };
        let mut bytes = sealed.to_vec();
        let opened = self.with(Missing::Leave, |key| {
            let opened =
                key.open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(beside), &mut bytes);
            opened.ok().map(|plain| plain.to_vec())
        })?;
        Ok(opened.flatten())
    }

    /// The same watcher with its body hidden. The first one makes the key.
    pub(crate) fn hide(&self, watcher: Watcher) -> Result<Watcher, VaultError> {
        let sealed = self.seal(watcher.body.to_string().as_bytes(), &bound_to(&watcher))?;
        let body = json!({HIDDEN: files::hex(&sealed)});
        Ok(Watcher { body, ..watcher })
    }

    /// The same watcher with its body shown. One that this key does not open stays hidden.
    pub(crate) fn show(&self, watcher: Watcher) -> Result<Watcher, VaultError> {
        let Some(hidden) = hidden(&watcher.body).and_then(files::unhex) else { return Ok(watcher) };
        let shown = self.unseal(&hidden, &bound_to(&watcher))?;
        Ok(match shown.and_then(|plain| serde_json::from_slice::<Value>(&plain).ok()) {
            Some(body) => Watcher { body, ..watcher },
            None => watcher,
        })
    }

    /// Hides what an earlier version left open, and counts what this key does not open.
    ///
    /// What was open is overwritten, in the database and in its log.
    pub(crate) fn tidy(&self, db: &mut Connection, path: &Path) -> Result<usize, OpenError> {
        let database = |cause| OpenError::Database { path: path.to_path_buf(), cause };
        let kept = all(db)?;
        let stored = |error: VaultError| OpenError::Stored(error.into());
        let mut unopened = 0_usize;
        let mut open = Vec::new();
        for watcher in kept {
            if hidden(&watcher.body).is_none() {
                open.push(watcher);
            } else if hidden(&self.show(watcher).map_err(stored)?.body).is_some() {
                unopened = unopened.saturating_add(1);
            }
        }
        if open.is_empty() {
            return Ok(unopened);
        }
        db.pragma_update(None, "secure_delete", "on").map_err(database)?;
        let transaction = db.transaction().map_err(database)?;
        for watcher in open {
            let text =
                encode("watcher", &self.hide(watcher.clone()).map_err(stored)?).map_err(OpenError::Stored)?;
            let Sealed { text, digest } = Sealed::new(text);
            transaction
                .execute(
                    "UPDATE watchers SET watcher = ?3, digest = ?4 WHERE session = ?1 AND id = ?2",
                    params![watcher.session.as_str(), watcher.id, text, digest.as_bytes()],
                )
                .map_err(database)?;
        }
        transaction.commit().map_err(database)?;
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(database)?;
        db.pragma_update(None, "secure_delete", "fast").map_err(database)?;
        Ok(unopened)
    }

    /// Does something with the key; `None` where there is none and none is made.
    fn with<T>(
        &self,
        missing: Missing,
        work: impl FnOnce(&LessSafeKey) -> T,
    ) -> Result<Option<T>, VaultError> {
        let mut held = self.key.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            *held = self.read(missing)?;
        }
        Ok(held.as_ref().map(work))
    }

    fn read(&self, missing: Missing) -> Result<Option<LessSafeKey>, VaultError> {
        let path = || self.path.clone();
        let bytes = match std::fs::read(&self.path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => match missing {
                Missing::Leave => return Ok(None),
                Missing::Make => self.make()?,
            },
            Err(cause) => return Err(VaultError::Files { path: path(), cause }),
        };
        let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes);
        key.map(|key| Some(LessSafeKey::new(key))).map_err(|_| VaultError::NoKey { path: path() })
    }

    fn make(&self) -> Result<Vec<u8>, VaultError> {
        let mut bytes = [0_u8; KEY_BYTES];
        SystemRandom::new().fill(&mut bytes).map_err(|_| VaultError::NoRandomness)?;
        files::write_new(&self.path, |out| {
            files::own(out.get_ref())?;
            out.write_all(&bytes)
        })
        .map_err(|cause| VaultError::Files { path: self.path.clone(), cause })?;
        Ok(bytes.to_vec())
    }
}

fn all(db: &Connection) -> Result<Vec<Watcher>, OpenError> {
    let damaged = |detail: String| OpenError::Stored(EngineError::Damaged { what: "watcher", detail });
    let read = || -> Result<Vec<Sealed>, rusqlite::Error> {
        let mut look = db.prepare("SELECT watcher, digest FROM watchers")?;
        let rows = look.query_map([], |found| row::sealed(found, 0))?;
        rows.collect()
    };
    let mut found = Vec::new();
    for sealed in read().map_err(|error| damaged(error.to_string()))? {
        // A damaged one is told when somebody asks for it; it holds nobody else up.
        let Ok(text) = sealed.check("watcher") else { continue };
        found.extend(serde_json::from_str::<Watcher>(&text).ok());
    }
    Ok(found)
}

fn hidden(body: &Value) -> Option<&str> {
    let fields = body.as_object().filter(|fields| fields.len() == 1)?;
    fields.get(HIDDEN)?.as_str()
}

fn bound_to(watcher: &Watcher) -> Vec<u8> {
    format!("{}\n{}", watcher.session, watcher.id).into_bytes()
}
