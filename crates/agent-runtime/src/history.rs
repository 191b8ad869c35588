//! Records every move of a run: from, to, reason, iteration.

use serde::{Deserialize, Serialize};

use crate::states::{LOOP, Phase};
use crate::table::IllegalMove;

/// One move that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// The state that was left.
    pub from: Phase,
    /// The state that was entered.
    pub to: Phase,
    /// Why, in words.
    pub reason: String,
    /// How many times EXECUTE had been entered, this move included.
    pub iteration: u16,
}

/// Every move of a run, in order. It begins in INTAKE and only takes moves of [`LOOP`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct History(Vec<Transition>);

impl History {
    /// The moves, in order.
    pub(crate) fn transitions(&self) -> &[Transition] {
        &self.0
    }

    /// The state after the last move.
    pub(crate) fn present(&self) -> Phase {
        self.0.last().map_or(LOOP.start(), |last| last.to)
    }

    /// How many times EXECUTE has been entered.
    pub(crate) fn iteration(&self) -> u16 {
        self.0.last().map_or(0, |last| last.iteration)
    }

    /// Whether a run has ever been in `phase`.
    pub(crate) fn visited(&self, phase: Phase) -> bool {
        phase == LOOP.start() || self.0.iter().any(|step| step.to == phase)
    }

    /// Takes one move, if the table lists it.
    pub(crate) fn go(&mut self, to: Phase, reason: String) -> Result<&Transition, IllegalMove<Phase>> {
        let from = self.present();
        LOOP.check(from, to)?;
        let iteration = self.iteration().saturating_add(u16::from(to == Phase::Execute));
        Ok(self.0.push_mut(Transition { from, to, reason, iteration }))
    }

    /// Whether this could have been recorded by [`Self::go`]: a connected path with true counts.
    pub(crate) fn is_sound(&self) -> bool {
        let mut replayed = Self::default();
        self.0.iter().all(|step| replayed.go(step.to, step.reason.clone()).is_ok_and(|taken| taken == step))
    }
}
