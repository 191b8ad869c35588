//! The one way to the worker: commands in, receipts out.

use agent_runtime::model::BoxFuture;
use purple_journal::word::PrivacyCode;
use purple_process::{PersonId, SessionId};

use crate::command::{Awaited, Command, Receipt};
use crate::error::EngineError;

/// Accepts what people and programs want of the worker. Every channel uses it, and nothing else posts events.
///
/// # Contract
///
/// - `submit` checks size, privacy and the tool endpoint once. Its receipt says that the command is durable.
/// - A command is accepted once: the same one again has the receipt of the first.
pub trait WorkerClient: Send + Sync {
    /// Accepts a command.
    fn submit(&self, command: Command) -> BoxFuture<'_, Result<Receipt, ClientError>>;

    /// Waits until the turn that is awaited has ended and the run is idle: it waits for somebody, is in doubt, halted
    /// or closed, or works on a later round.
    fn idle<'a>(&'a self, run: &'a SessionId, awaited: &'a Awaited)
    -> BoxFuture<'a, Result<(), ClientError>>;

    /// Stops the start of operations: of one process, or of all.
    fn halt(
        &self,
        process: Option<String>,
        by: PersonId,
        reason: String,
    ) -> BoxFuture<'_, Result<(), ClientError>>;

    /// Ends a halt, and continues the runs that it kept waiting. Answers whether there was one.
    fn resume(&self, process: Option<String>, by: PersonId) -> BoxFuture<'_, Result<bool, ClientError>>;
}

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
    /// No words.
    #[error("the text is empty")]
    Empty,
    /// More than a command may hold.
    #[error("the {what} has {bytes} bytes; at most {bytes_max}")]
    TooLong {
        /// What is too long.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// Tools at an address that the operator does not allow.
    #[error("the operator does not allow tools at `{origin}`")]
    EndpointNotAllowed {
        /// Scheme, host and port of the address.
        origin: String,
    },
    /// A secret where it would be stored as it is.
    #[error("the {what} holds a secret ({code})")]
    Secret {
        /// Where it is.
        what: &'static str,
        /// Which kind of secret.
        code: PrivacyCode,
    },
    /// A decision names a step that the plan does not have.
    #[error("the plan of run `{run}` has no step `{step}`; it has {}", steps.join(", "))]
    NoSuchStep {
        /// The run.
        run: SessionId,
        /// What was named.
        step: String,
        /// The steps of the plan.
        steps: Vec<String>,
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
