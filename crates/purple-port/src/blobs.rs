//! Large and exact bytes, by their hash.

use agent_runtime::model::BoxFuture;
use purple_journal::BlobHash;

use crate::error::EngineError;

/// Reads what turns kept.
///
/// # Contract
///
/// - What comes back hashes to what was asked for, or it is an error; bytes that changed on disk are never handed out.
/// - A blob that nobody has is `None`.
pub trait Blobs: Send + Sync {
    /// The bytes with this hash.
    fn get(&self, hash: BlobHash) -> BoxFuture<'_, Result<Option<Vec<u8>>, EngineError>>;
}
