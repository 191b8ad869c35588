//! What clients of the worker exchange with it: decisions and errors.

use purple_process::{SessionId, StepId};

use crate::error::EngineError;

/// Why a request of a client fails.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The engine failed it.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There is no such run.
    #[error("there is no run `{run}`")]
    NoSuchRun {
        /// What was asked for.
        run: String,
    },
    /// More than one run begins so.
    #[error("`{prefix}` begins more than one run: {}", runs.join(", "))]
    Ambiguous {
        /// What was asked for.
        prefix: String,
        /// Those that it could be.
        runs: Vec<String>,
    },
    /// The same id was used for something else.
    #[error("this id was used for another message of run `{run}`")]
    Conflicting {
        /// The run of the first one.
        run: SessionId,
    },
    /// More words than a message may have.
    #[error("the text has {bytes} bytes; at most {bytes_max}")]
    TooLong {
        /// Its size.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// No plan waits there.
    #[error("run `{run}` waits for nobody")]
    NothingWaits {
        /// The run.
        run: SessionId,
    },
    /// A summary or blob that cannot be read.
    #[error("the {what} of run `{run}` cannot be read")]
    Unreadable {
        /// What it is.
        what: &'static str,
        /// The run.
        run: SessionId,
    },
}

/// What a person decides about a pending plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Yes, to all of it.
    Approve,
    /// Yes, to these steps only.
    ApproveSome(Vec<StepId>),
    /// No.
    Reject {
        /// Why.
        reason: String,
    },
}
