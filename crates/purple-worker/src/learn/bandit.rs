//! Which way a task is attempted: UCB1 over the lawful ways, one bandit per process.
//!
//! `Q + √2 · √(ln N / n)`: the mean reward of a way, and more the less it was tried. A first visit takes `fsm`, a way
//! that was never tried comes before those that were, and of equals the first by name is taken.
//! Sums come from rows that are never pruned, so nothing depends on the order in which sessions end.

use serde::{Deserialize, Serialize};

/// What a full reward counts. Rewards are qualities with four decimals, so that sums of them are exact.
pub const POINTS_MAX: u16 = 10_000;

/// A way to attempt a task. The order is that of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// Plan, gather, synthesize, artifact, insight.
    FivePhase,
    /// State by state. It is always permitted.
    Fsm,
    /// Two answers, and a third where they differ.
    Moa,
}

impl Arm {
    /// All of them, by name.
    pub const ALL: [Self; 3] = [Self::FivePhase, Self::Fsm, Self::Moa];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FivePhase => "five_phase",
            Self::Fsm => "fsm",
            Self::Moa => "moa",
        }
    }

    /// The one with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|arm| arm.as_str() == name)
    }
}

impl std::fmt::Display for Arm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

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

/// How a way did so far for one process: sums over reward rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// The way.
    pub arm: Arm,
    /// How often it was tried.
    pub tries: u64,
    /// The sum of its rewards, in ten-thousandths.
    pub points: u64,
}

impl Tally {
    /// A way that was never tried.
    pub const fn untried(arm: Arm) -> Self {
        Self { arm, tries: 0, points: 0 }
    }

    /// With one more reward. Points above [`POINTS_MAX`] count as that.
    #[must_use]
    pub fn with(self, points: u16) -> Self {
        Self {
            tries: self.tries.saturating_add(1),
            points: self.points.saturating_add(u64::from(points.min(POINTS_MAX))),
            ..self
        }
    }

    /// The mean reward, from 0 to 1; 0 where there is none.
    pub fn mean(self) -> f64 {
        if self.tries == 0 {
            return 0.0;
        }
        self.points as f64 / f64::from(POINTS_MAX) / self.tries as f64
    }

    /// The upper bound of what it may be worth, when all ways together were tried so often. Untried, it has none.
    pub fn bound(self, all_tries: u64) -> f64 {
        if self.tries == 0 {
            return f64::INFINITY;
        }
        let (all, own) = (all_tries.max(1) as f64, self.tries as f64);
        self.mean() + std::f64::consts::SQRT_2 * (all.ln() / own).sqrt()
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
        let bound = tally_of(arm, tallies).bound(all);
        if bound > best.1 {
            best = (arm, bound);
        }
    }
    best.0
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
