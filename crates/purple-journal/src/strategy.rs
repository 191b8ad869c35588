//! Strategies, and how each did so far.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a full reward counts. Rewards are qualities with four decimals, so that sums of them are exact.
pub const POINTS_MAX: u16 = 10_000;

/// A strategy for a task, in the order of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// Plan, gather, synthesize, artifact, insight.
    FivePhase,
    /// State by state. Always permitted.
    Fsm,
    /// Two answers, and a third where they differ.
    Moa,
}

impl Arm {
    /// Every strategy, by name.
    pub const ALL: [Self; 3] = [Self::FivePhase, Self::Fsm, Self::Moa];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FivePhase => "five_phase",
            Self::Fsm => "fsm",
            Self::Moa => "moa",
        }
    }

    /// The strategy with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|arm| arm.as_str() == name)
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// How a strategy did so far for one process: sums over reward rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// The strategy.
    pub arm: Arm,
    /// How often it was tried.
    pub tries: u64,
    /// The sum of its rewards, in ten-thousandths.
    pub points: u64,
}

impl Tally {
    /// A strategy that was never tried.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for arm in Arm::ALL {
            assert_eq!(Arm::parse(arm.as_str()), Some(arm));
            assert_eq!(serde_json::to_value(arm).unwrap(), arm.as_str());
        }
        assert_eq!(Arm::parse("Fsm"), None);
        let mut by_name = Arm::ALL;
        by_name.sort_by_key(|arm| arm.as_str());
        assert_eq!(by_name, Arm::ALL);
        let mut by_order = Arm::ALL;
        by_order.sort();
        assert_eq!(by_order, Arm::ALL);
    }
}
