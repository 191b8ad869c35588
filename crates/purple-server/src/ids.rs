//! Where new ids come from. Randomness enters by this port.

use purple_port::SessionId;

/// Makes the ids of new runs.
///
/// # Contract
///
/// No id is given twice, also not after a restart, and nobody can guess one. None contains `~`.
pub trait IdMaker: Send + Sync {
    /// An id that was never given before.
    fn fresh(&self) -> Result<SessionId, NoId>;
}

/// There is no randomness to make an id from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no id could be made")]
pub struct NoId;
