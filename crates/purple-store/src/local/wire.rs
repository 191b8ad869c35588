//! What goes over the local socket, and its frames.

use std::io;

use jiff::Timestamp;
use purple_port::{
    EngineError, Forget, Halt, Imported, PersonId, Post, Posted, Redefinition, Seed, SessionId, StepFailed,
    Token,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::error::{StorageFailed, chain_text};
use crate::work::{ToolPin, Unstick};

/// What is spoken. Another form of a frame has another number.
pub(super) const PROTOCOL: &str = "purple-local/2";
pub(super) const HELLO_BYTES_MAX: usize = 1024;
pub(super) const REQUEST_BYTES_MAX: usize = 512 * 1024;
pub(super) const REPLY_BYTES_MAX: usize = 4 * 1024 * 1024;

const _: () = assert!(purple_port::limits::EVENT_BYTES_MAX * 2 < REQUEST_BYTES_MAX);

/// The first frame of both sides. A later version may say more.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) hello: String,
}

impl Hello {
    pub(super) fn ours() -> Self {
        Self { hello: PROTOCOL.to_owned() }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Request {
    /// Whether somebody is there.
    Ping,
    Post(Post),
    Halt(Halt),
    Resume {
        process: Option<String>,
        by: PersonId,
    },
    Halts,
    /// One page of them.
    Held {
        after: Option<SessionId>,
    },
    Unstick {
        session: SessionId,
        how: How,
        by: PersonId,
    },
    KeepToken {
        token: Token,
        by: PersonId,
    },
    Redefine(Redefinition),
    RevokeToken {
        id: String,
        by: PersonId,
        at: Timestamp,
    },
    RecordPins {
        pins: Vec<ToolPin>,
        by: PersonId,
    },
    Forget {
        what: Forget,
        by: PersonId,
    },
    /// A part of a seed.
    Import {
        seed: Box<Seed>,
        cases_max: u32,
        by: PersonId,
    },
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum How {
    Retry,
    Skip,
}

impl From<Unstick> for How {
    fn from(how: Unstick) -> Self {
        match how {
            Unstick::Retry => Self::Retry,
            Unstick::Skip => Self::Skip,
        }
    }
}

impl From<How> for Unstick {
    fn from(how: How) -> Self {
        match how {
            How::Retry => Self::Retry,
            How::Skip => Self::Skip,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Reply {
    Done,
    /// Whether there was something to do.
    Was(bool),
    Accepted,
    Repeated {
        session: SessionId,
    },
    Conflicting {
        session: SessionId,
    },
    Halts(Vec<Halt>),
    Held(Vec<SessionId>),
    Learned(Imported),
    Failed(Fault),
    Refused(Refusal),
}

impl From<Posted> for Reply {
    fn from(posted: Posted) -> Self {
        match posted {
            Posted::Accepted => Self::Accepted,
            Posted::Repeated { session } => Self::Repeated { session },
            Posted::Conflicting { session } => Self::Conflicting { session },
        }
    }
}

/// Why the server does not even try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Refusal {
    /// The client is another user.
    NotTheOwner,
    /// The client speaks something else.
    Protocol { spoken: String },
    /// A frame that is longer than allowed.
    TooLong { bytes: u64, bytes_max: u64 },
    /// A frame that holds no request.
    NotARequest { said: String },
}

/// An [`EngineError`] on its way.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Fault {
    TooLarge { what: String, bytes: u64, bytes_max: u64 },
    Step { name: String, reason: String },
    StepRepeated { name: String },
    Full,
    Damaged { what: String, detail: String },
    Storage { said: String },
    ShuttingDown,
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::TooLarge { what, bytes, bytes_max } => {
                Self::TooLarge { what: what.to_owned(), bytes: bytes as u64, bytes_max: bytes_max as u64 }
            }
            EngineError::Step { name, cause } => Self::Step { name, reason: cause.reason },
            EngineError::StepRepeated { name } => Self::StepRepeated { name },
            EngineError::Full => Self::Full,
            EngineError::Damaged { what, detail } => Self::Damaged { what: what.to_owned(), detail },
            EngineError::Storage(cause) => Self::Storage { said: chain_text(&*cause) },
            EngineError::ShuttingDown => Self::ShuttingDown,
        }
    }
}

impl From<Fault> for EngineError {
    fn from(fault: Fault) -> Self {
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        match fault {
            Fault::TooLarge { what, bytes, bytes_max } => {
                Self::TooLarge { what: known(&what), bytes: size(bytes), bytes_max: size(bytes_max) }
            }
            Fault::Step { name, reason } => Self::Step { name, cause: StepFailed { reason } },
            Fault::StepRepeated { name } => Self::StepRepeated { name },
            Fault::Full => Self::Full,
            Fault::Damaged { what, detail } => Self::Damaged { what: known(&what), detail },
            Fault::Storage { said } => Self::Storage(Box::new(StorageFailed { what: "the server", said })),
            Fault::ShuttingDown => Self::ShuttingDown,
        }
    }
}

/// The words that the store uses; a newer server may know one that we do not.
fn known(what: &str) -> &'static str {
    const WORDS: &[&str] = &[
        "event",
        "dedup key",
        "halt",
        "journal",
        "session",
        "summary",
        "checkpoint",
        "case",
        "token",
        "number of tokens",
        "definition",
        "operator journal",
        "number of definitions",
        "request",
        "reply",
    ];
    WORDS.iter().copied().find(|word| *word == what).unwrap_or("data")
}

/// Why a frame did not come or go.
#[derive(Debug)]
pub(super) enum FrameError {
    Io(io::Error),
    TooLong { bytes: usize, bytes_max: usize },
    NotJson(serde_json::Error),
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads one frame. The length is looked at before anything is read for it.
pub(super) async fn read<T: DeserializeOwned>(
    from: &mut (impl AsyncRead + Unpin),
    bytes_max: usize,
) -> Result<T, FrameError> {
    let bytes = usize::try_from(from.read_u32().await?).unwrap_or(usize::MAX);
    if bytes_max < bytes {
        return Err(FrameError::TooLong { bytes, bytes_max });
    }
    let mut frame = vec![0; bytes];
    from.read_exact(&mut frame).await?;
    serde_json::from_slice(&frame).map_err(FrameError::NotJson)
}

/// A frame, if it is not too long.
pub(super) fn frame(value: &impl Serialize, bytes_max: usize) -> Result<Vec<u8>, FrameError> {
    let body = serde_json::to_vec(value).map_err(FrameError::NotJson)?;
    let too_long = FrameError::TooLong { bytes: body.len(), bytes_max };
    let length = u32::try_from(body.len()).ok().filter(|_| body.len() <= bytes_max).ok_or(too_long)?;
    let mut frame = length.to_be_bytes().to_vec();
    frame.extend(body);
    Ok(frame)
}

/// Sends frames in one piece.
pub(super) async fn send(to: &mut (impl AsyncWrite + Unpin), frame: &[u8]) -> io::Result<()> {
    to.write_all(frame).await?;
    to.flush().await
}
