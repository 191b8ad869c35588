//! How a blob is named.

use purple_process::Digest;
use serde::{Deserialize, Serialize};

/// SHA-256 of a blob's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlobHash(pub Digest);
