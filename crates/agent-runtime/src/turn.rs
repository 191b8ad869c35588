//! What passes between a run and its driver: needs one way, answers the other.

use crate::ending::Ending;
use crate::model::{ModelError, ModelReply, ModelRequest};
use crate::setup::BadSetup;
use crate::states::Phase;
use crate::table::IllegalMove;
use crate::tools::{Requested, ToolResult};

/// What a run needs next. Deliberately exhaustive: a new kind of need must visit every driver.
#[derive(Debug, PartialEq)]
pub enum Ask {
    /// The reply of a model.
    Model(ModelRequest),
    /// The results of these calls, in this order. Asked in OBSERVE only.
    Tools(Vec<Requested>),
    /// Nothing more.
    Stop(Ending),
}

/// The answer to what a run asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// The model replied.
    Reply(ModelReply),
    /// The model gave no reply. The loop does not ask again.
    Failed(ModelError),
    /// Results of the requested calls, in order, from the first on. What is missing is asked for again, so that a
    /// driver may tell, and store, one at a time. Whatever was started must be told.
    Results(Vec<ToolResult>),
    /// The driver stops waiting. Requested calls without a result are recorded as unanswered.
    Interrupted(Interruption),
}

/// Why a driver stops waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// Somebody wants the run to stop.
    Cancelled {
        /// Who.
        by: String,
    },
    /// The time of the run is up.
    OutOfTime,
}

/// Something was told that the run cannot take. It is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoopError {
    /// The run cannot be started.
    #[error(transparent)]
    Setup(#[from] BadSetup),
    /// Not what the run asked for.
    #[error("in {phase} the loop asked for {asked}, and was told {told}")]
    OutOfTurn {
        /// Where the run is.
        phase: Phase,
        /// What it asked for.
        asked: &'static str,
        /// What it was told.
        told: &'static str,
    },
    /// Not the result that is due.
    #[error("the result of call `{expected}` is due, and a result of `{got}` was told")]
    WrongResult {
        /// The call that is due; empty if none is.
        expected: String,
        /// The call that was answered; empty if none was.
        got: String,
    },
    /// The table does not list the move.
    #[error(transparent)]
    Illegal(#[from] IllegalMove<Phase>),
}
