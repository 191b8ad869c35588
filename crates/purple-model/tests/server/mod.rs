//! A provider on the loopback that answers by a script, well or badly, one connection after the other.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What the server does with one request.
#[derive(Clone)]
pub(crate) enum Act {
    /// Sends these bytes and closes.
    Say(Vec<u8>),
    /// Sends these bytes and then nothing more, until the other side goes away.
    Stall(Vec<u8>),
    /// Sends these bytes and this many more, as long as they are taken.
    Flood(Vec<u8>, usize),
}

/// A running server.
pub(crate) struct Provider {
    pub(crate) url: String,
    /// The requests that came, heads and bodies.
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
    /// Told when a stall has begun.
    pub(crate) stalled: Arc<Notify>,
    /// Told when the other side of a stall has gone away.
    pub(crate) left: Arc<Notify>,
}

impl Provider {
    /// Answers one connection by each act; further ones are refused.
    pub(crate) async fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let provider = Self { url, requests: Arc::default(), stalled: Arc::default(), left: Arc::default() };
        let (requests, stalled, left) =
            (provider.requests.clone(), provider.stalled.clone(), provider.left.clone());
        tokio::spawn(async move {
            for act in acts {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                requests.lock().unwrap().push(request);
                match act {
                    Act::Say(bytes) => {
                        // The other side may have gone away already.
                        let _ = stream.write_all(&bytes).await;
                        let _ = stream.shutdown().await;
                    }
                    Act::Stall(bytes) => {
                        stream.write_all(&bytes).await.unwrap();
                        stalled.notify_one();
                        let mut rest = [0; 64];
                        while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
                        left.notify_one();
                    }
                    Act::Flood(bytes, more) => {
                        let _ = stream.write_all(&bytes).await;
                        let block = vec![b'x'; 64 * 1024];
                        let mut sent = 0;
                        while sent < more && stream.write_all(&block).await.is_ok() {
                            sent += block.len();
                        }
                        left.notify_one();
                    }
                }
            }
        });
        provider
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .filter_map(|line| {
                    line.to_lowercase().strip_prefix("content-length:").map(|n| n.trim().to_owned())
                })
                .find_map(|length| length.parse::<usize>().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return text;
            }
        }
        let mut more = [0; 4096];
        let read = stream.read(&mut more).await.unwrap();
        assert!(read > 0, "the request ended early: {text}");
        bytes.extend_from_slice(&more[..read]);
    }
}

/// An answer with a length that is true.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// The beginning of an answer in chunks.
pub(crate) fn chunked(kind: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    .into_bytes()
}

/// One chunk.
pub(crate) fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

/// The last chunk.
pub(crate) fn end() -> Vec<u8> {
    b"0\r\n\r\n".to_vec()
}
