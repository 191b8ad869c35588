//! What can go wrong in an engine.

/// Work inside a step that failed. Nothing is kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the step failed: {reason}")]
pub struct StepFailed {
    /// Why.
    pub reason: String,
}

/// What can go wrong in an engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Larger than its limit.
    #[error("the {what} has {bytes} bytes; at most {bytes_max}")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// Work inside a step failed.
    #[error("step `{name}`: {cause}")]
    Step {
        /// The step.
        name: String,
        /// Why.
        cause: StepFailed,
    },
    /// Two steps of one attempt have the same name: the second would be answered with the result of the first.
    #[error("step `{name}` was run before in this turn")]
    StepRepeated {
        /// The step.
        name: String,
    },
    /// There is no room on the disk. Nothing was taken; the same call works when room is made.
    #[error("the disk is full; nothing was stored")]
    Full,
    /// What was stored does not verify.
    #[error("the {what} is damaged: {detail}")]
    Damaged {
        /// What it is.
        what: &'static str,
        /// What was seen.
        detail: String,
    },
    /// The storage refused; the process should end and recover.
    #[error("the storage failed")]
    Storage(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The engine is shutting down.
    #[error("the engine is shutting down")]
    ShuttingDown,
}
