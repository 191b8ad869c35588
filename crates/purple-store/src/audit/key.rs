//! The key that signs anchors and exports.
//!
//! Ed25519, so that who verifies needs no secret. `ring` is in the program already, for TLS.

use std::fmt;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use crate::files::{self, hex, own, unhex};

/// Signs; made once and kept in a file that only its owner may read.
pub struct AuditKey {
    pair: Ed25519KeyPair,
}

/// A key that could not be read or made.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file system refused.
    #[error("the audit key `{}`: {cause}", path.display())]
    Files {
        /// The file.
        path: PathBuf,
        /// What it said.
        #[source]
        cause: io::Error,
    },
    /// There is a file, but no key in it.
    #[error("`{}` holds no Ed25519 key", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// The operating system gave no random numbers.
    #[error("the system gave no random numbers for a new audit key")]
    NoRandomness,
}

impl AuditKey {
    /// The key of a data folder; made now if there is none.
    pub fn of_folder(folder: &Path) -> Result<Self, KeyError> {
        Self::at(&folder.join("audit.key"))
    }

    /// The key in this file; made now if there is none. Best where who can write the database cannot read.
    pub fn at(path: &Path) -> Result<Self, KeyError> {
        let path = path.to_path_buf();
        match std::fs::read(&path) {
            Ok(found) => Self::parse(&found).ok_or(KeyError::NoKey { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::make(path),
            Err(cause) => Err(KeyError::Files { path, cause }),
        }
    }

    /// The public half, as `ed25519:` and 64 hexadecimal digits. To be noted where the anchors are kept.
    pub fn public(&self) -> String {
        shown(self.pair.public_key().as_ref())
    }

    pub(super) fn sign(&self, message: &str) -> Signature {
        let value = self.pair.sign(message.as_bytes());
        Signature { key: self.public(), value: hex(value.as_ref()) }
    }

    fn parse(document: &[u8]) -> Option<Self> {
        Ed25519KeyPair::from_pkcs8(document).ok().map(|pair| Self { pair })
    }

    fn make(path: PathBuf) -> Result<Self, KeyError> {
        let document =
            Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| KeyError::NoRandomness)?;
        let written = files::write_new(&path, |out| {
            own(out.get_ref())?;
            out.write_all(document.as_ref())
        });
        match written {
            Ok(()) => Self::parse(document.as_ref()).ok_or(KeyError::NoKey { path }),
            Err(cause) => Err(KeyError::Files { path, cause }),
        }
    }
}

impl fmt::Debug for AuditKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "AuditKey({})", self.public())
    }
}

/// A signature and the public key that it is by.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Signature {
    pub(super) key: String,
    pub(super) value: String,
}

impl Signature {
    /// Whether its own key signed this message. Whose key it is, is another question.
    pub(super) fn holds(&self, message: &str) -> bool {
        let (Some(key), Some(value)) =
            (self.key.strip_prefix("ed25519:").and_then(unhex), unhex(&self.value))
        else {
            return false;
        };
        UnparsedPublicKey::new(&ED25519, key).verify(message.as_bytes(), &value).is_ok()
    }
}

fn shown(key: &[u8]) -> String {
    format!("ed25519:{}", hex(key))
}
