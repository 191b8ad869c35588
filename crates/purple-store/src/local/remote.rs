//! Reaches the process that holds a data folder, through its local socket.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use purple_port::{
    BoxFuture, Brake, EngineError, Forget, Halt, Imported, Inbox, PersonId, Post, Posted, Redefinition, Seed,
    SessionId, Token,
};
use tokio::net::UnixStream;

use super::socket_path;
use super::wire::{
    self, FrameError, HELLO_BYTES_MAX, Hello, PROTOCOL, REPLY_BYTES_MAX, REQUEST_BYTES_MAX, Refusal, Reply,
    Request,
};
use crate::work::{ToolPin, Unstick};

/// So many rows of a seed fit into one request.
const SEED_ROWS_MAX: usize = 32;
/// So many pins fit into one request: names of servers and tools are short.
const PINS_PER_REQUEST_MAX: usize = 500;
/// How long an answer may take. The server may wait for its disk.
const ANSWER_WAIT: Duration = Duration::from_secs(60);

/// The store of another process.
///
/// Each call is a connection of its own: a server that was started again is simply found again.
/// A call whose answer was lost may or may not have been done. Posts, stops and their ends may be made again;
/// before [`Remote::unstick`] is, look whether the session is still stuck.
#[derive(Clone, Debug)]
pub struct Remote {
    folder: PathBuf,
}

/// A server that could not be reached, or not be understood.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// Nobody serves this folder.
    #[error("no process serves the data folder `{}`", folder.display())]
    NoServer {
        /// The folder.
        folder: PathBuf,
    },
    /// Who serves the socket is not who owns the folder, or does not serve this user.
    #[error("the data folder `{}` is served for another user", folder.display())]
    OtherUser {
        /// The folder.
        folder: PathBuf,
    },
    /// The server speaks another version.
    #[error("the server speaks `{theirs}`, and this program `{ours}`")]
    OtherProtocol {
        /// What the server speaks.
        theirs: String,
        /// What is spoken here.
        ours: &'static str,
    },
    /// The server did not understand.
    #[error("the server refused the request: {said}")]
    NotUnderstood {
        /// What it said.
        said: String,
    },
    /// What came back is no answer to what was asked.
    #[error("the server gave no answer that can be read: {said}")]
    NoAnswer {
        /// What was seen.
        said: String,
    },
    /// The answer was lost on its way. It may or may not have been done.
    #[error("the server's answer was lost: {cause}")]
    Lost {
        /// What was seen.
        #[source]
        cause: io::Error,
    },
}

impl RemoteError {
    /// What a person can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoServer { .. } => "start the server, or run the command without one",
            Self::OtherUser { .. } => "run the command as the user who runs the server",
            Self::OtherProtocol { .. } => "use the same version for the server and the command",
            Self::NotUnderstood { .. } | Self::NoAnswer { .. } => {
                "use the same version for the server and the command; look into the server's log"
            }
            Self::Lost { .. } => {
                "look whether it was done, or make the same call again: a post is not taken twice"
            }
        }
    }
}

impl From<RemoteError> for EngineError {
    fn from(error: RemoteError) -> Self {
        Self::Storage(Box::new(error))
    }
}

impl Remote {
    /// Finds the server of this folder, and whether it is understood.
    pub async fn connect(folder: &Path) -> Result<Self, RemoteError> {
        let remote = Self { folder: folder.to_path_buf() };
        let frame = wire::frame(&Request::Ping, REQUEST_BYTES_MAX).map_err(unread)?;
        let Reply::Done = remote.exchange(&frame).await? else { return Err(beside_the_point()) };
        Ok(remote)
    }

    /// Says how a stuck session goes on. `false` if it is not stuck.
    pub async fn unstick(
        &self,
        session: &SessionId,
        how: Unstick,
        by: &PersonId,
    ) -> Result<bool, EngineError> {
        let (session, how, by) = (session.clone(), how.into(), by.clone());
        let reply = self.ask(Request::Unstick { session, how, by }).await?;
        let Reply::Was(was) = reply else { return Err(beside_the_point().into()) };
        Ok(was)
    }

    /// Keeps a new token. `false`: its id is taken.
    pub async fn keep_token(&self, token: Token, by: &PersonId) -> Result<bool, EngineError> {
        let Reply::Was(was) = self.ask(Request::KeepToken { token, by: by.clone() }).await? else {
            return Err(beside_the_point().into());
        };
        Ok(was)
    }

    /// Takes a token back. `false`: there is none that counts.
    pub async fn revoke_token(&self, id: &str, by: &PersonId, at: Timestamp) -> Result<bool, EngineError> {
        let request = Request::RevokeToken { id: id.to_owned(), by: by.clone(), at };
        let Reply::Was(was) = self.ask(request).await? else { return Err(beside_the_point().into()) };
        Ok(was)
    }

    /// Records that `by` pinned these tools.
    pub async fn record_pins(&self, pins: Vec<ToolPin>, by: &PersonId) -> Result<(), EngineError> {
        for part in pins.chunks(PINS_PER_REQUEST_MAX) {
            let request = Request::RecordPins { pins: part.to_vec(), by: by.clone() };
            let Reply::Done = self.ask(request).await? else { return Err(beside_the_point().into()) };
        }
        Ok(())
    }

    /// Changes a definition. `false`: there was nothing to change, or somebody was first.
    pub async fn redefine(&self, change: Redefinition) -> Result<bool, EngineError> {
        let Reply::Was(was) = self.ask(Request::Redefine(change)).await? else {
            return Err(beside_the_point().into());
        };
        Ok(was)
    }

    /// Forgets what was learned. Answers how many rows that were.
    pub async fn forget(&self, what: Forget, by: PersonId) -> Result<u64, EngineError> {
        let Reply::Learned(taken) = self.ask(Request::Forget { what, by }).await? else {
            return Err(beside_the_point().into());
        };
        Ok(taken.rows)
    }

    /// Takes up what was learned elsewhere, part by part.
    pub async fn import(&self, seed: Seed, cases_max: u32, by: PersonId) -> Result<Imported, EngineError> {
        let mut all = Imported::default();
        for part in seed.parts(SEED_ROWS_MAX) {
            let (seed, by) = (Box::new(part), by.clone());
            let Reply::Learned(taken) = self.ask(Request::Import { seed, cases_max, by }).await? else {
                return Err(beside_the_point().into());
            };
            all.rows += taken.rows;
            all.known += taken.known;
        }
        Ok(all)
    }

    async fn ask(&self, request: Request) -> Result<Reply, EngineError> {
        let frame = wire::frame(&request, REQUEST_BYTES_MAX).map_err(|error| match error {
            FrameError::TooLong { bytes, bytes_max } => {
                EngineError::TooLarge { what: "request", bytes, bytes_max }
            }
            other @ (FrameError::Io(_) | FrameError::NotJson(_)) => unread(other).into(),
        })?;
        match self.exchange(&frame).await? {
            Reply::Failed(fault) => Err(fault.into()),
            reply => Ok(reply),
        }
    }

    /// One connection: hello, request, answer.
    async fn exchange(&self, request: &[u8]) -> Result<Reply, RemoteError> {
        let talk = async {
            let mut stream = self.open().await?;
            let hello = wire::frame(&Hello::ours(), HELLO_BYTES_MAX).map_err(unread)?;
            // A server that does not want us answers and closes; what it said is read all the same.
            let sent = match wire::send(&mut stream, &hello).await {
                Ok(()) => wire::send(&mut stream, request).await,
                refused => refused,
            };
            let heard = self.hear(&mut stream).await;
            match (heard, sent) {
                (Err(RemoteError::Lost { .. }), Err(cause)) => Err(RemoteError::Lost { cause }),
                (heard, _) => heard,
            }
        };
        let late = || RemoteError::Lost { cause: io::ErrorKind::TimedOut.into() };
        tokio::time::timeout(ANSWER_WAIT, talk).await.map_err(|_| late())?
    }

    async fn open(&self) -> Result<UnixStream, RemoteError> {
        let stream =
            UnixStream::connect(socket_path(&self.folder)).await.map_err(|cause| match cause.kind() {
                // A path that is too long for a socket has none either.
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused | io::ErrorKind::InvalidInput => {
                    RemoteError::NoServer { folder: self.folder.clone() }
                }
                io::ErrorKind::PermissionDenied => RemoteError::OtherUser { folder: self.folder.clone() },
                _ => RemoteError::Lost { cause },
            })?;
        let lost = |cause| RemoteError::Lost { cause };
        let server = stream.peer_cred().map_err(lost)?.uid();
        let owner = std::fs::metadata(&self.folder).map_err(lost)?.uid();
        // The owner of the folder, or root: anybody else has put their own socket there.
        if server != owner && server != 0 {
            return Err(RemoteError::OtherUser { folder: self.folder.clone() });
        }
        Ok(stream)
    }

    async fn hear(&self, stream: &mut UnixStream) -> Result<Reply, RemoteError> {
        let first: serde_json::Value = wire::read(stream, REPLY_BYTES_MAX).await.map_err(unread)?;
        // Before its hello a server only ever refuses.
        let Some(theirs) = first.get("hello").and_then(serde_json::Value::as_str) else {
            let said = first.to_string();
            let reply = serde_json::from_value(first).map_err(|_| RemoteError::NoAnswer { said })?;
            return self.not_refused(reply);
        };
        if theirs != PROTOCOL {
            return Err(RemoteError::OtherProtocol { theirs: theirs.to_owned(), ours: PROTOCOL });
        }
        let reply = wire::read(stream, REPLY_BYTES_MAX).await.map_err(unread)?;
        self.not_refused(reply)
    }

    fn not_refused(&self, reply: Reply) -> Result<Reply, RemoteError> {
        match reply {
            Reply::Refused(Refusal::NotTheOwner) => {
                Err(RemoteError::OtherUser { folder: self.folder.clone() })
            }
            Reply::Refused(Refusal::Protocol { spoken }) => {
                Err(RemoteError::OtherProtocol { theirs: spoken, ours: PROTOCOL })
            }
            Reply::Refused(Refusal::TooLong { bytes, bytes_max }) => {
                let said = format!("it has {bytes} bytes; at most {bytes_max}");
                Err(RemoteError::NotUnderstood { said })
            }
            Reply::Refused(Refusal::NotARequest { said }) => Err(RemoteError::NotUnderstood { said }),
            reply @ (Reply::Done
            | Reply::Was(_)
            | Reply::Accepted
            | Reply::Repeated { .. }
            | Reply::Conflicting { .. }
            | Reply::Halts(_)
            | Reply::Held(_)
            | Reply::Learned(_)
            | Reply::Failed(_)) => Ok(reply),
        }
    }
}

fn unread(error: FrameError) -> RemoteError {
    match error {
        FrameError::Io(cause) => RemoteError::Lost { cause },
        FrameError::TooLong { bytes, bytes_max } => {
            RemoteError::NoAnswer { said: format!("it has {bytes} bytes; at most {bytes_max}") }
        }
        FrameError::NotJson(error) => RemoteError::NoAnswer { said: error.to_string() },
    }
}

fn beside_the_point() -> RemoteError {
    RemoteError::NoAnswer { said: "it answers another question".to_owned() }
}

impl Inbox for Remote {
    fn post(&self, post: Post) -> BoxFuture<'_, Result<Posted, EngineError>> {
        Box::pin(async move {
            match self.ask(Request::Post(post)).await? {
                Reply::Accepted => Ok(Posted::Accepted),
                Reply::Repeated { session } => Ok(Posted::Repeated { session }),
                Reply::Conflicting { session } => Ok(Posted::Conflicting { session }),
                Reply::Done
                | Reply::Was(_)
                | Reply::Halts(_)
                | Reply::Held(_)
                | Reply::Learned(_)
                | Reply::Failed(_)
                | Reply::Refused(_) => Err(beside_the_point().into()),
            }
        })
    }
}

impl Brake for Remote {
    fn halt(&self, halt: Halt) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(async move {
            let Reply::Done = self.ask(Request::Halt(halt)).await? else {
                return Err(beside_the_point().into());
            };
            Ok(())
        })
    }

    fn resume<'a>(
        &'a self,
        process: Option<&'a str>,
        by: &'a PersonId,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(async move {
            let request = Request::Resume { process: process.map(str::to_owned), by: by.clone() };
            let reply = self.ask(request).await?;
            let Reply::Was(was) = reply else { return Err(beside_the_point().into()) };
            Ok(was)
        })
    }

    fn halts(&self) -> BoxFuture<'_, Result<Vec<Halt>, EngineError>> {
        Box::pin(async move {
            let Reply::Halts(halts) = self.ask(Request::Halts).await? else {
                return Err(beside_the_point().into());
            };
            Ok(halts)
        })
    }

    fn held(&self) -> BoxFuture<'_, Result<Vec<SessionId>, EngineError>> {
        Box::pin(async move {
            let mut all: Vec<SessionId> = Vec::new();
            loop {
                let reply = self.ask(Request::Held { after: all.last().cloned() }).await?;
                let Reply::Held(page) = reply else { return Err(beside_the_point().into()) };
                if page.is_empty() {
                    return Ok(all);
                }
                all.extend(page);
            }
        })
    }
}
