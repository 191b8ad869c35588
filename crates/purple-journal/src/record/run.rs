//! States and endings of a run.

use purple_process::{Ending, Event, Round, State};

use crate::record::family::family;
use crate::word::{Points, Score};
use crate::{BlobHash, Redacted};

family! {
    /// States and endings of a run.
    Run {
        /// The process machine moved.
        "state.entered" StateEntered {
            /// The state that was left.
            from: State,
            /// The state that was entered.
            to: State,
            /// The event of the move table.
            event: Event,
            /// The round.
            round: Round,
        }
        /// The run answered and goes on.
        "run.answered" Answered {
            /// How the round ended; null where it has not.
            ending: Option<Ending>,
            /// The answer.
            answer: BlobHash,
            /// A stable code where the run could not do what was asked.
            code: Option<Redacted>,
            /// Quality from 0 to 1.
            quality: Option<Redacted>,
            /// From the task to this answer, in milliseconds.
            took_ms: u64,
            /// The round.
            round: Round,
            /// The parts of the quality.
            score: Option<Score>,
        }
        /// The round ended.
        "run.ended" Ended {
            /// How it ended.
            ending: Option<Ending>,
            /// The answer.
            answer: BlobHash,
            /// A stable code where the run could not do what was asked.
            code: Option<Redacted>,
            /// Quality from 0 to 1.
            quality: Option<Redacted>,
            /// From the task to this answer, in milliseconds.
            took_ms: u64,
            /// The round.
            round: Round,
            /// The parts of the quality.
            score: Option<Score>,
        }
        /// The run failed.
        "run.failed" Failed {
            /// A stable code.
            code: Redacted,
            /// The reason.
            why: Redacted,
        }
        /// The run stopped, and a person takes over.
        "run.stopped" Stopped {
            /// The reason.
            why: Redacted,
        }
        /// The run was cancelled.
        "run.cancelled" Cancelled {
            /// Who cancelled it.
            by: Redacted,
            /// The reason.
            reason: Redacted,
        }
        /// A cancellation was not accepted.
        "cancel.not_taken" CancelNotTaken {
            /// Who cancelled.
            by: Redacted,
            /// The round that was named.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            round: Option<u32>,
            /// The reason.
            why: Redacted,
        }
        /// An earlier round was scored again.
        "run.rescored" Rescored {
            /// The round.
            of_round: u32,
            /// Why.
            cause: Redacted,
            /// The new score.
            score: Points,
        }
    }
}

impl From<Answered> for Ended {
    fn from(answered: Answered) -> Self {
        let Answered { ending, answer, code, quality, took_ms, round, score } = answered;
        Self { ending, answer, code, quality, took_ms, round, score }
    }
}
