//! What a tool does to the world: the five effects.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks something up.
    Read,
    /// Calculates, without the outside world.
    Compute,
    /// Changes something.
    Write,
    /// Tells somebody something.
    Notify,
    /// Asks somebody something; the answer grants nothing.
    Approval,
}

impl Effect {
    /// Every effect.
    pub const ALL: [Self; 5] = [Self::Read, Self::Compute, Self::Write, Self::Notify, Self::Approval];

    /// The name in manifests and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Compute => "compute",
            Self::Write => "write",
            Self::Notify => "notify",
            Self::Approval => "approval",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
