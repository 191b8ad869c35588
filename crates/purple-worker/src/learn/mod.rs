//! What is made of outcomes: how a task is attempted next time, never what is permitted.
//!
//! Everything here is a pure function over what was remembered. Nothing in it makes, widens or restores a grant, and
//! nothing that decides about one reads it.

pub mod bandit;

pub(crate) mod accuracy;
mod attempt;
pub mod carried;
pub(crate) mod extract;
pub(crate) mod glean;
pub(crate) mod outcomes;
pub(crate) mod primer;
pub(crate) mod prune;
mod record;
pub mod seed;
pub(crate) mod sharing;

use purple_port::LOG_CASES_MAX;

pub use sharing::Sharing;

/// What the operator says about learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Learning {
    /// Whether anything is remembered and recalled.
    pub switch: Switch,
    /// How many cases the log keeps.
    pub cases_max: u32,
    /// Whose cases a task is told about, and how.
    pub sharing: Sharing,
}

impl Default for Learning {
    fn default() -> Self {
        Self { switch: Switch::On, cases_max: LOG_CASES_MAX, sharing: Sharing::default() }
    }
}

/// Whether something is done at all: remembering and recalling, or making what is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// It is.
    On,
    /// Nothing is written and nothing is read.
    Off,
}
