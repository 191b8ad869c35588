//! Tasks that were taken and whose first turn has not ended: the run does not show them yet.
//!
//! It is a convenience for those who ask at once. What was taken is durable in the inbox, and shows a moment later.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use purple_worker::port::{PersonId, SessionId};

use crate::limits::EXPECTED_MAX;

/// The last round that was taken of each run, and for whom.
#[derive(Debug, Default)]
pub(crate) struct Expected(Mutex<BTreeMap<SessionId, (PersonId, u32)>>);

impl Expected {
    /// A message was taken.
    pub(super) fn note(&self, run: &SessionId, by: &PersonId, round: u32) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= EXPECTED_MAX {
            all.pop_first();
        }
        all.insert(run.clone(), (by.clone(), round));
    }

    /// Whether this round was taken, of this person if one is named.
    pub(super) fn is(&self, run: &SessionId, of: Option<&PersonId>, round: u32) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(run).is_some_and(|(by, taken)| *taken == round && of.is_none_or(|of| of == by))
    }

    /// The run shows this round itself.
    pub(super) fn forget(&self, run: &SessionId, round: u32) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.get(run).is_some_and(|(_, taken)| *taken <= round) {
            all.remove(run);
        }
    }
}
