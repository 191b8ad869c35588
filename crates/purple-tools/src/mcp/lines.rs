//! JSON-RPC in lines, over any pair of streams.
//!
//! The library's own transport drops a line that is too long or unreadable and goes on, and the caller waits until its
//! deadline. Here such a line ends the connection at once, and the reason is kept.

use std::future::Future;
use std::io;
use std::sync::Arc;

use process_wrap::tokio::ChildWrapper;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use super::Closed;
use super::listing::set_aside;
use crate::config::Streams;
use crate::limits::ANSWER_BYTES_MAX;
use crate::said::{too_long, whole};

type Writer = Arc<Mutex<Option<Box<dyn AsyncWrite + Send + Unpin>>>>;

pub(super) struct Lines {
    reader: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    line: Vec<u8>,
    writer: Writer,
    closed: Closed,
    child: Option<Child>,
}

impl Lines {
    pub(super) fn new(streams: Streams, closed: Closed) -> Self {
        let Streams { reader, writer } = streams;
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            writer: Arc::new(Mutex::new(Some(writer))),
            closed,
            child: None,
        }
    }

    /// Ends this program with the connection.
    pub(super) fn with_child(mut self, child: Box<dyn ChildWrapper>) -> Self {
        self.child = Some(Child(Some(child)));
        self
    }

    /// The next whole line is in `self.line`; `false` at the end.
    ///
    /// May be dropped at any await: what was read so far stays in `self.line`.
    async fn next_line(&mut self) -> Result<bool, String> {
        loop {
            let piece = self.reader.fill_buf().await.map_err(|error| whole(&error))?;
            if piece.is_empty() {
                return Ok(false);
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(piece.len(), |end| end + 1);
            if self.line.len() + taken > ANSWER_BYTES_MAX {
                return Err(too_long());
            }
            self.line.extend_from_slice(piece.get(..taken).unwrap_or_default());
            self.reader.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

impl Transport<RoleClient> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move {
            let mut line = serde_json::to_vec(&message).map_err(io::Error::other)?;
            line.push(b'\n');
            let mut writer = writer.lock().await;
            let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            writer.write_all(&line).await?;
            writer.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let read = match self.next_line().await {
                Ok(true) => read(&self.line),
                Ok(false) => return None,
                Err(reason) => Read::Broken(reason),
            };
            self.line.clear();
            match read {
                Read::Message(message) => return Some(*message),
                Read::Chatter => {}
                Read::Broken(reason) => {
                    // The first reason is the one that counts.
                    let _ = self.closed.set(reason);
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        drop(self.writer.lock().await.take());
        self.child = None;
        Ok(())
    }
}

enum Read {
    Message(Box<RxJsonRpcMessage<RoleClient>>),
    /// Not for us: a banner, a log line, a notification from another age.
    Chatter,
    Broken(String),
}

fn read(line: &[u8]) -> Read {
    let line = line.trim_ascii();
    // Some servers greet on stdout. What does not begin like a message is none.
    if line.first() != Some(&b'{') {
        return Read::Chatter;
    }
    let message = match serde_json::from_slice(line) {
        Ok(message) => set_aside(message),
        Err(error) => return Read::Broken(format!("the server wrote a line that is no JSON: {error}")),
    };
    match serde_json::from_value(message) {
        Ok(message) => Read::Message(Box::new(message)),
        Err(_) => Read::Chatter,
    }
}

/// A program and all that it started. They are killed when it is dropped.
struct Child(Option<Box<dyn ChildWrapper>>);

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            // It may be gone already. The kernel keeps its exit status until somebody asks; the runtime does.
            let _ = child.start_kill();
        }
    }
}
