//! The terms of a process: who decides about its operations, and how much a run may use.

use std::num::NonZeroU8;

use super::problem::Mark;
use super::time::Span;
use crate::id::Role;

/// Who decides, how long, and who is next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// Whether the requester may not decide.
    pub never_requester: bool,
    /// Roles whose holders may not decide.
    pub never: Vec<Role>,
    /// How long the approval stays open. Expiry is a no.
    pub within: Option<Span>,
    /// Who is asked next after it has expired.
    pub then: Option<Role>,
    /// How many different people must agree.
    pub people: NonZeroU8,
    /// How often the gate may open in one run.
    pub confirmations: NonZeroU8,
    /// Computed values that an approver may change, and where the file says so.
    pub(crate) edit: Vec<(String, Mark)>,
}

impl Approval {
    /// The computed values that an approver may change.
    pub fn editable(&self) -> impl Iterator<Item = &str> {
        self.edit.iter().map(|(name, _)| name.as_str())
    }
}

impl Default for Approval {
    fn default() -> Self {
        Self {
            never_requester: false,
            never: Vec::new(),
            within: None,
            then: None,
            people: NonZeroU8::MIN,
            confirmations: NonZeroU8::MIN,
            edit: Vec::new(),
        }
    }
}

/// Bounds of one run; `None` leaves them to the operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Calls of a language model.
    pub model_calls: Option<u32>,
    /// Tokens of a language model.
    pub tokens: Option<u32>,
    /// Operations that write.
    pub writes: Option<u32>,
    /// The longest time from the task to the answer, waiting for people aside.
    pub deadline: Option<Span>,
    /// Who may answer while the wanted language model is down.
    pub fallback_model: Option<Fallback>,
}

/// A language model that may stand in for the one that is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// The other one of the two. Never a weaker one where it writes.
    Other,
}
