//! A provider that answers with what a brain thinks, over HTTP.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use purple_worker::port::{ModelReply, ModelRequest};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::raw::{chunk, end, perform, read_request};
use super::speech::{Heard, Said, Speech};
use super::trouble::{self, Trouble};
use crate::brain::Brain;

/// One request and what was answered.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The path that was asked.
    pub path: String,
    /// The request as the provider understood it, or what it refused it for.
    pub request: Result<ModelRequest, String>,
    /// The model that was asked for.
    pub model: String,
    /// Whether it was to be streamed.
    pub is_streamed: bool,
    /// What was answered; `None` where something went wrong in place of it.
    pub reply: Option<ModelReply>,
}

/// A running provider. It ends when it is dropped.
pub struct Provider {
    address: std::net::SocketAddr,
    shared: Arc<Shared>,
    listening: JoinHandle<()>,
}

struct Shared {
    speech: Speech,
    brain: Arc<dyn Brain>,
    troubles: Mutex<VecDeque<Option<Trouble>>>,
    /// The model that it says answered, where that is not the one that was asked.
    pretends: Mutex<Option<String>>,
    keeps: Keeps,
    exchanges: Mutex<Vec<Exchange>>,
    number: AtomicU64,
    stalled: Notify,
    left: Notify,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeps {
    Everything,
    Nothing,
}

impl Provider {
    /// Opens a provider that speaks one language and thinks with this brain.
    ///
    /// # Errors
    /// If no port can be had.
    pub async fn open(speech: Speech, brain: Arc<dyn Brain>) -> io::Result<Self> {
        Self::listen(speech, brain, Keeps::Everything).await
    }

    /// The same for measuring: it does not remember what was said.
    ///
    /// # Errors
    /// If no port can be had.
    pub async fn forgetful(speech: Speech, brain: Arc<dyn Brain>) -> io::Result<Self> {
        Self::listen(speech, brain, Keeps::Nothing).await
    }

    async fn listen(speech: Speech, brain: Arc<dyn Brain>, keeps: Keeps) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            speech,
            brain,
            troubles: Mutex::default(),
            pretends: Mutex::default(),
            keeps,
            exchanges: Mutex::default(),
            number: AtomicU64::new(0),
            stalled: Notify::new(),
            left: Notify::new(),
        });
        let serving = Arc::clone(&shared);
        let listening = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&serving);
                connections.spawn(async move { while_it_lasts(stream, &shared).await });
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, shared, listening })
    }

    /// Where it listens, as a base URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What goes wrong with the next requests, one each; `None` lets one through.
    pub fn trouble(&self, troubles: impl IntoIterator<Item = Option<Trouble>>) {
        unpoisoned(&self.shared.troubles).extend(troubles);
    }

    /// Says from now on that another model answered.
    pub fn pretend(&self, model: &str) {
        *unpoisoned(&self.shared.pretends) = Some(model.to_owned());
    }

    /// Everything that was asked so far.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        unpoisoned(&self.shared.exchanges).clone()
    }

    /// Ends when a silence or a stall has begun.
    pub async fn stalled(&self) {
        self.shared.stalled.notified().await;
    }

    /// Ends when the caller of a silence or a stall has gone away.
    pub async fn left(&self) {
        self.shared.left.notified().await;
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn while_it_lasts(mut stream: TcpStream, shared: &Shared) {
    // Small answers go out at once.
    let _ = stream.set_nodelay(true);
    while let Ok(request) = read_request(&mut stream).await {
        if !serve(&mut stream, &request, shared).await.unwrap_or(false) {
            return;
        }
    }
}

/// Answers one request; `false` if the connection is over.
async fn serve(stream: &mut TcpStream, request: &str, shared: &Shared) -> io::Result<bool> {
    let (head, body) = request.split_once("\r\n\r\n").unwrap_or((request, ""));
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let number = shared.number.fetch_add(1, Ordering::Relaxed);
    let heard = match shared.speech.hear(&path, body) {
        Ok(heard) => heard,
        Err(complaint) => {
            let said = shared.speech.error("invalid_request_error", &complaint);
            shared.note(Exchange {
                path,
                request: Err(complaint),
                model: String::new(),
                is_streamed: false,
                reply: None,
            });
            return whole(stream, "400 Bad Request", "application/json", &said).await;
        }
    };
    let reply = shared.brain.reply(&heard.request);
    let pretended = unpoisoned(&shared.pretends).clone();
    let model = pretended.unwrap_or_else(|| heard.model.clone());
    let said = Said { reply: &reply, model: &model, number };
    let trouble = unpoisoned(&shared.troubles).pop_front().flatten();
    let act = trouble.as_ref().map(|trouble| trouble::act(trouble, shared.speech, &heard, &said));
    shared.note(Exchange {
        path,
        request: Ok(heard.request.clone()),
        model: heard.model.clone(),
        is_streamed: heard.is_streamed,
        reply: trouble.is_none().then(|| reply.clone()),
    });
    match act {
        Some(act) => perform(stream, act, &shared.stalled, &shared.left).await.map(|()| false),
        None => say(stream, shared.speech, &heard, &said).await,
    }
}

async fn say(stream: &mut TcpStream, speech: Speech, heard: &Heard, said: &Said<'_>) -> io::Result<bool> {
    let kind = speech.content_type(heard.is_streamed);
    if !heard.is_streamed {
        return whole(stream, "200 OK", kind, &speech.whole(heard, said)).await;
    }
    let mut bytes =
        format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n").into_bytes();
    for piece in speech.pieces(heard, said) {
        bytes.extend(chunk(&piece));
    }
    bytes.extend(end());
    stream.write_all(&bytes).await?;
    Ok(true)
}

async fn whole(stream: &mut TcpStream, status: &str, kind: &str, body: &str) -> io::Result<bool> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await?;
    Ok(true)
}

impl Shared {
    fn note(&self, exchange: Exchange) {
        if self.keeps == Keeps::Everything {
            unpoisoned(&self.exchanges).push(exchange);
        }
    }
}
