//! Why there is no answer.

use std::fmt;
use std::time::Duration;

use purple_port::ModelError;

use crate::wire::{BadAnswer, BadRequest};

/// Which of the four limits ended a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Until there is a connection.
    Connect,
    /// Until the first byte of the answer.
    FirstByte,
    /// Between two bytes of the answer.
    Idle,
    /// For everything, tries and waits included.
    Total,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connection",
            Self::FirstByte => "first byte",
            Self::Idle => "next byte",
            Self::Total => "answer",
        })
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It cannot be said in the provider's language; nothing was sent.
    #[error("not sent: {0}")]
    NotSent(BadRequest),
    /// No connection, or it broke.
    #[error("no connection: {problem}")]
    Unreachable {
        /// What happened.
        problem: String,
    },
    /// A limit was reached.
    #[error("no {limit} within {limit_ms} ms")]
    TimedOut {
        /// Which limit.
        limit: Limit,
        /// Its length.
        limit_ms: u64,
    },
    /// The provider refused.
    #[error("refused with status {status}: {problem}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What it said, without the key.
        problem: String,
        /// How long it asked to wait.
        retry_after: Option<Duration>,
    },
    /// The answer is none.
    #[error("the answer is not usable: {0}")]
    Unreadable(BadAnswer),
}

impl Fault {
    /// The same in the words of the agent loop.
    pub(crate) fn told(self, model: &str) -> ModelError {
        let model = model.to_owned();
        match self {
            Self::NotSent(bad) => {
                let problem = format!("not sent: {bad}");
                ModelError::Refused { model, status: 400, problem, retry_after_s: None }
            }
            Self::Unreachable { problem } => ModelError::Unreachable { model, problem },
            Self::TimedOut { limit: _, limit_ms } => ModelError::TimedOut { model, limit_ms },
            Self::Refused { status, problem, retry_after } => {
                let retry_after_s = retry_after.map(whole_seconds);
                ModelError::Refused { model, status, problem, retry_after_s }
            }
            Self::Unreadable(BadAnswer::Error { kind, message }) => {
                let status = passing_status(&kind).unwrap_or(200);
                let problem = format!("{kind}: {message}");
                ModelError::Refused { model, status, problem, retry_after_s: None }
            }
            Self::Unreadable(BadAnswer::Cut) => {
                ModelError::Unreachable { model, problem: BadAnswer::Cut.to_string() }
            }
            Self::Unreadable(bad) => ModelError::Unreadable { model, problem: bad.to_string() },
        }
    }
}

/// The status that a provider gives with an error that passes, where it gives one at all: an error may come in a body
/// whose status says that all is well.
pub(crate) fn passing_status(kind: &str) -> Option<u16> {
    match kind {
        "rate_limit_error" => Some(429),
        "overloaded_error" => Some(529),
        "api_error" | "server_error" => Some(500),
        _ => None,
    }
}

/// Never less than was asked.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs().saturating_add(u64::from(duration.subsec_nanos() > 0))
}
