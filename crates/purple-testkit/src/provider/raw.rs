//! A provider that sends bytes by a script, well or badly, one connection after the other.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What the server does with one request.
#[derive(Clone, Debug)]
pub enum Act {
    /// Sends these bytes and closes.
    Say(Vec<u8>),
    /// Sends these bytes and then nothing more, until the other side goes away.
    Stall(Vec<u8>),
    /// Sends these bytes and this many more, as long as they are taken.
    Flood(Vec<u8>, usize),
}

/// A running server.
#[derive(Debug)]
pub struct RawProvider {
    /// Where it listens.
    pub url: String,
    /// Told when a stall has begun.
    pub stalled: Arc<Notify>,
    /// Told when the other side of a stall or a flood has gone away.
    pub left: Arc<Notify>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl RawProvider {
    /// Answers one connection by each act; further ones are refused.
    ///
    /// # Errors
    /// If no port can be had.
    pub async fn start(acts: Vec<Act>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let provider = Self { url, requests: Arc::default(), stalled: Arc::default(), left: Arc::default() };
        let (requests, stalled, left) =
            (provider.requests.clone(), provider.stalled.clone(), provider.left.clone());
        tokio::spawn(async move {
            for act in acts {
                let Ok((mut stream, _)) = listener.accept().await else { return };
                let Ok(request) = read_request(&mut stream).await else { return };
                requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
                // The other side may have gone away already.
                let _ = perform(&mut stream, act, &stalled, &left).await;
            }
        });
        Ok(provider)
    }

    /// Answers every connection by what `decide` says to its request, several at a time.
    ///
    /// # Errors
    /// If no port can be had.
    pub async fn deciding(mut decide: impl FnMut(&str) -> Act + Send + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let provider = Self { url, requests: Arc::default(), stalled: Arc::default(), left: Arc::default() };
        let (requests, stalled, left) =
            (provider.requests.clone(), provider.stalled.clone(), provider.left.clone());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let Ok(request) = read_request(&mut stream).await else { continue };
                let act = decide(&request);
                requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
                let (stalled, left) = (stalled.clone(), left.clone());
                // The other side may have gone away already.
                tokio::spawn(async move { perform(&mut stream, act, &stalled, &left).await });
            }
        });
        Ok(provider)
    }

    /// The requests that came, heads and bodies.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub(super) async fn perform(
    stream: &mut TcpStream,
    act: Act,
    stalled: &Notify,
    left: &Notify,
) -> io::Result<()> {
    match act {
        Act::Say(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await
        }
        Act::Stall(bytes) => {
            stream.write_all(&bytes).await?;
            stalled.notify_one();
            let mut rest = [0; 64];
            while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
            left.notify_one();
            Ok(())
        }
        Act::Flood(bytes, more) => {
            let begun = stream.write_all(&bytes).await;
            let block = vec![b'x'; 64 * 1024];
            let mut sent = 0;
            while sent < more && stream.write_all(&block).await.is_ok() {
                sent += block.len();
            }
            left.notify_one();
            begun
        }
    }
}

/// One request with its body; what follows on the same connection must wait for the answer.
pub(super) async fn read_request(stream: &mut TcpStream) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut more = [0; 16 * 1024];
    let mut wanted = None;
    loop {
        if wanted.is_none()
            && let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n")
        {
            wanted = Some(at + 4 + content_length(&bytes[..at]));
        }
        if wanted.is_some_and(|wanted| bytes.len() >= wanted) {
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        let read = stream.read(&mut more).await?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&more[..read]);
    }
}

fn content_length(head: &[u8]) -> usize {
    let head = String::from_utf8_lossy(head).to_lowercase();
    let mut lengths =
        head.lines().filter_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    lengths.next().unwrap_or(0)
}

/// An answer with a length that is true.
#[must_use]
pub fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// The beginning of an answer in chunks.
#[must_use]
pub fn chunked(kind: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    .into_bytes()
}

/// One chunk.
#[must_use]
pub fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

/// The last chunk.
#[must_use]
pub fn end() -> Vec<u8> {
    b"0\r\n\r\n".to_vec()
}
