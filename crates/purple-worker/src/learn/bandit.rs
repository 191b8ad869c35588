//! Which way a task is attempted: UCB1 over the lawful ways, one bandit per process.
//!
//! `Q + √2 · √(ln N / n)`: the mean reward of a way, and more the less it was tried. A first visit takes `fsm`, a way
//! that was never tried comes before those that were, and of equals the first by name is taken.
//! Sums come from rows that are never pruned, so nothing depends on the order in which sessions end.

pub use purple_port::{Arm, POINTS_MAX, Tally};

/// Whether a task can change anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It reads and computes: its route has no MUTATE and nothing to notify.
    Reads,
    /// It may write.
    Writes,
}

/// The ways that are lawful for a task. `fsm` is always one of them, and none can be added to what is lawful.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permitted {
    five_phase: bool,
    moa: bool,
}

impl Permitted {
    /// Every way that the law leaves to a task: one that may write never runs under `moa`.
    pub const fn lawful(reach: Reach) -> Self {
        let moa = match reach {
            Reach::Reads => true,
            Reach::Writes => false,
        };
        Self { five_phase: true, moa }
    }

    /// Only `fsm`.
    pub const fn only_fsm() -> Self {
        Self { five_phase: false, moa: false }
    }

    /// The same without one more. `fsm` stays.
    #[must_use]
    pub const fn without(self, arm: Arm) -> Self {
        match arm {
            Arm::FivePhase => Self { five_phase: false, ..self },
            Arm::Fsm => self,
            Arm::Moa => Self { moa: false, ..self },
        }
    }

    /// Whether a way is one of them.
    pub const fn contains(self, arm: Arm) -> bool {
        match arm {
            Arm::FivePhase => self.five_phase,
            Arm::Fsm => true,
            Arm::Moa => self.moa,
        }
    }

    /// All of them, by name.
    pub fn iter(self) -> impl Iterator<Item = Arm> {
        Arm::ALL.into_iter().filter(move |arm| self.contains(*arm))
    }
}

/// The way for the next task of a process, among those that are lawful for it.
///
/// What is said twice about one way is added up. Ways that are not permitted count for `N` and are never taken.
pub fn choose(permitted: Permitted, tallies: &[Tally]) -> Arm {
    let all: u64 = tallies.iter().map(|tally| tally.tries).fold(0, u64::saturating_add);
    if all == 0 {
        return Arm::Fsm;
    }
    let mut best = (Arm::Fsm, f64::NEG_INFINITY);
    for arm in permitted.iter() {
        let bound = upper_bound(tally_of(arm, tallies), all);
        if bound > best.1 {
            best = (arm, bound);
        }
    }
    best.0
}

/// The mean reward, from 0 to 1; 0 without rewards.
fn mean(tally: Tally) -> f64 {
    if tally.tries == 0 {
        return 0.0;
    }
    tally.points as f64 / f64::from(POINTS_MAX) / tally.tries as f64
}

/// The upper confidence bound of a way after `all_tries` tries of all ways; infinite if it was never tried.
fn upper_bound(tally: Tally, all_tries: u64) -> f64 {
    if tally.tries == 0 {
        return f64::INFINITY;
    }
    let (all, own) = (all_tries.max(1) as f64, tally.tries as f64);
    mean(tally) + std::f64::consts::SQRT_2 * (all.ln() / own).sqrt()
}

/// Everything that is said about one way.
pub fn tally_of(arm: Arm, tallies: &[Tally]) -> Tally {
    tallies.iter().filter(|tally| tally.arm == arm).fold(Tally::untried(arm), |sum, tally| Tally {
        arm,
        tries: sum.tries.saturating_add(tally.tries),
        points: sum.points.saturating_add(tally.points),
    })
}

#[cfg(test)]
#[path = "bandit_tests.rs"]
mod tests;
