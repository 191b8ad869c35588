//! What was learned, and what learning chose.

use crate::Redacted;
use crate::record::family::family;
use crate::strategy::{Arm, Tally};

family! {
    /// What was learned, and what learning chose.
    Learning {
        /// The strategy of the round was chosen.
        "strategy.chosen" StrategyChosen {
            /// The strategy.
            arm: Arm,
            /// The process.
            process: Redacted,
            /// The strategies that were permitted.
            permitted: Vec<Arm>,
            /// How each strategy did so far.
            tallies: Vec<Tally>,
        }
        /// Facts were extracted from what was read.
        "facts.found" FactsFound {
            /// The round.
            round: u32,
            /// The fields.
            fields: Vec<Redacted>,
        }
    }
}
