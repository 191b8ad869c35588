//! What a tool does to the world: the five effects, and what is known about it.

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

/// What is known about the effect of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// It reads.
    Read,
    /// It calculates. Never inferred: our own functions, and what an operator declared.
    Compute,
    /// It writes.
    Write,
    /// It notifies.
    Notify,
    /// It asks somebody. Never inferred: only what an operator declared.
    Approval,
    /// Nothing proves what it does. It counts as a write until an operator reviews it.
    Unclear,
}

impl Class {
    /// The effect that counts.
    pub const fn effect(self) -> Effect {
        match self {
            Self::Read => Effect::Read,
            Self::Compute => Effect::Compute,
            Self::Write | Self::Unclear => Effect::Write,
            Self::Notify => Effect::Notify,
            Self::Approval => Effect::Approval,
        }
    }

    /// The name in lists and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unclear => "unclear",
            Self::Read | Self::Compute | Self::Write | Self::Notify | Self::Approval => self.effect().name(),
        }
    }
}

impl From<Effect> for Class {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::Read => Self::Read,
            Effect::Compute => Self::Compute,
            Effect::Write => Self::Write,
            Effect::Notify => Self::Notify,
            Effect::Approval => Self::Approval,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
