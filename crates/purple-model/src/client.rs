//! Sends a request to a provider and waits for the answer, within limits.
//!
//! Time and randomness enter by ports. Dropping the future of a call closes its connection.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Once};
use std::time::Duration;

use purple_port::{BoxFuture, Model, ModelError, ModelReply, ModelRequest, Pause};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::endpoint::{Api, Delivery, Endpoint};
use crate::fault::{Fault, Limit};
use crate::limits::{PROBLEM_BYTES_MAX, REFUSAL_BYTES_MAX, RESPONSE_BYTES_MAX};
use crate::retry::{Backoff, Dice, Retries, millis, retry_after};
use crate::stream::{Frames, Framing};
use crate::wire::{self, BadAnswer, Decoded, Encoded, Piece, Reading};

const ANTHROPIC_VERSION: &str = "2023-06-01";

/// How long to wait, for what, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the first byte of the answer. An answer at once has it only when the model is done.
    pub first_byte: Duration,
    /// Between two bytes.
    pub idle: Duration,
    /// For everything, tries and waits included.
    pub total: Duration,
    /// How often to try again.
    pub retries: Retries,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(90),
            idle: Duration::from_secs(30),
            total: Duration::from_secs(180),
            retries: Retries::default(),
        }
    }
}

/// Sees words while they come. They are for the eye: they may belong to an answer that is never finished.
pub trait Words: Send + Sync {
    /// The next words.
    fn words(&self, words: &str);
}

/// Hears what happens to calls.
pub trait Witness: Send + Sync {
    /// Something happened.
    fn saw(&self, event: &CallEvent);
}

/// What happens to calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEvent {
    /// A try failed, and another follows.
    Waiting {
        /// The model that was asked.
        model: String,
        /// Why.
        fault: Fault,
        /// How long until the next try.
        wait: Duration,
    },
    /// An answer was read to its end.
    Answered {
        /// The model that was asked.
        asked: String,
        /// The model that the provider says it was, if it says so.
        answered: Option<String>,
        /// How many tries it took.
        tries: u32,
    },
}

/// An answer, and who gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The answer.
    pub reply: ModelReply,
    /// The model that the provider says it was, if it says so.
    pub model: Option<String>,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum BadEndpoint {
    /// The key has characters that no header takes.
    #[error("the key for {api} has characters that cannot be sent")]
    Key {
        /// Whose key.
        api: Api,
    },
    /// The address is none.
    #[error("`{base_url}` is no http or https address")]
    BaseUrl {
        /// As it was given.
        base_url: String,
    },
    /// The HTTP client cannot be made.
    #[error("the HTTP client cannot be made: {0}")]
    Http(#[source] reqwest::Error),
}

/// One model behind its provider's API.
#[derive(Clone)]
pub struct Client {
    endpoint: Endpoint,
    delivery: Delivery,
    patience: Patience,
    http: reqwest::Client,
    pause: Arc<dyn Pause>,
    dice: Arc<dyn Dice>,
    words: Option<Arc<dyn Words>>,
    witness: Option<Arc<dyn Witness>>,
}

impl Client {
    /// A client for one model. Nothing is sent yet.
    pub fn new(
        endpoint: Endpoint,
        delivery: Delivery,
        patience: Patience,
        pause: Arc<dyn Pause>,
        dice: Arc<dyn Dice>,
    ) -> Result<Self, BadEndpoint> {
        let is_web = reqwest::Url::parse(&endpoint.base_url)
            .is_ok_and(|url| ["http", "https"].contains(&url.scheme()) && url.has_host());
        if !is_web {
            return Err(BadEndpoint::BaseUrl { base_url: endpoint.base_url });
        }
        install_crypto();
        let http = reqwest::Client::builder()
            .default_headers(headers(&endpoint)?)
            // A redirect would carry the key and the conversation to a place that nobody configured.
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .connect_timeout(patience.connect)
            .build()
            .map_err(BadEndpoint::Http)?;
        Ok(Self { endpoint, delivery, patience, http, pause, dice, words: None, witness: None })
    }

    /// The same client, showing words while they come. A try that has shown some is not repeated.
    #[must_use]
    pub fn showing(self, words: Arc<dyn Words>) -> Self {
        Self { words: Some(words), ..self }
    }

    /// The same client, told about by `witness`.
    #[must_use]
    pub fn seen_by(self, witness: Arc<dyn Witness>) -> Self {
        Self { witness: Some(witness), ..self }
    }

    /// Asks, tries again where that may help, and gives the answer with the name of the model that gave it.
    pub async fn answer(&self, request: &ModelRequest) -> Result<Answer, Fault> {
        let Endpoint { api, model, .. } = &self.endpoint;
        let fresh = self.fresh();
        let encoded = wire::encode(*api, model, request, (self.delivery, &fresh)).map_err(Fault::NotSent)?;
        let Decoded { reply, model } = self.within(Limit::Total, self.tries(&encoded)).await?;
        Ok(Answer { reply, model })
    }

    /// A name that no conversation has yet.
    fn fresh(&self) -> String {
        format!("purple-{:016x}{:016x}", self.dice.below(u64::MAX), self.dice.below(u64::MAX))
    }

    async fn tries(&self, encoded: &Encoded) -> Result<Decoded, Fault> {
        let url = format!("{}{}", self.endpoint.base_url.trim_end_matches('/'), encoded.path);
        let body = encoded.body.to_string();
        let mut backoff = Backoff::new(self.patience.retries, self.patience.total);
        loop {
            let mut has_shown = false;
            let fault = match self.once(&url, &body, &encoded.reading, &mut has_shown).await {
                Ok(decoded) => {
                    self.tell(|| CallEvent::Answered {
                        asked: self.endpoint.model.clone(),
                        answered: decoded.model.clone(),
                        tries: backoff.tried().saturating_add(1),
                    });
                    return Ok(decoded);
                }
                Err(fault) => fault,
            };
            // Words that were shown cannot be taken back, and another try would say others.
            let wait = if has_shown { None } else { backoff.next(&fault, &*self.dice) };
            let Some(wait) = wait else { return Err(fault) };
            let model = self.endpoint.model.clone();
            self.tell(|| CallEvent::Waiting { model, fault, wait });
            self.pause.pause(wait).await;
        }
    }

    /// One try.
    async fn once(
        &self,
        url: &str,
        body: &str,
        reading: &Reading,
        has_shown: &mut bool,
    ) -> Result<Decoded, Fault> {
        let sending =
            self.http.post(url).header(CONTENT_TYPE, "application/json").body(body.to_owned()).send();
        let began = async {
            let mut response = sending.await.map_err(|error| self.no_response(&error))?;
            let first = chunk(&mut response).await?;
            Ok((response, first))
        };
        let (response, first) = self.within(Limit::FirstByte, began).await?;
        let mut body = Body { client: self, response, first: Some(first), bytes_read: 0 };
        if !body.response.status().is_success() {
            return Err(self.refusal(body, reading).await);
        }
        match self.framing(body.response.headers()) {
            Some(framing) => self.pieces(&mut body, framing, reading, has_shown).await,
            None => {
                let mut bytes = Vec::new();
                while let Some(more) = body.next().await? {
                    bytes.extend_from_slice(&more);
                }
                reading.whole(&bytes).map_err(|bad| self.unreadable(bad))
            }
        }
    }

    async fn pieces(
        &self,
        body: &mut Body<'_>,
        framing: Framing,
        reading: &Reading,
        has_shown: &mut bool,
    ) -> Result<Decoded, Fault> {
        let mut frames = Frames::new(framing);
        let mut pieces = reading.pieces();
        while let Some(bytes) = body.next().await? {
            for event in frames.push(&bytes).map_err(|bad| self.unreadable(bad))? {
                match pieces.take(&event).map_err(|bad| self.unreadable(bad))? {
                    Piece::Silent => {}
                    Piece::Words(words) => {
                        if let Some(shown_to) = &self.words {
                            *has_shown = true;
                            shown_to.words(&words);
                        }
                    }
                    // What a provider sends after the end is nothing to wait for.
                    Piece::Last => return pieces.finish(reading).map_err(|bad| self.unreadable(bad)),
                }
            }
        }
        if let Some(event) = frames.end().map_err(|bad| self.unreadable(bad))? {
            // A line that cannot be read here is the beginning of one.
            pieces.take(&event).map_err(|bad| self.unreadable(cut_if_not_json(bad)))?;
        }
        pieces.finish(reading).map_err(|bad| self.unreadable(bad))
    }

    /// How the answer is cut into events; `None` if it came at once, asked or not.
    fn framing(&self, headers: &HeaderMap) -> Option<Framing> {
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_at_once = ["application/json", "text/html"].iter().any(|at_once| kind.starts_with(at_once));
        match (self.delivery, self.endpoint.api) {
            // It streams whether asked or not.
            (Delivery::Whole | Delivery::Streamed, Api::BrainOs) => {
                (!is_at_once).then_some(Framing::ServerSentEvents)
            }
            (Delivery::Whole, _) => None,
            (Delivery::Streamed, _) if is_at_once => None,
            (Delivery::Streamed, Api::Anthropic | Api::OpenAi) => Some(Framing::ServerSentEvents),
            (Delivery::Streamed, Api::Ollama) => Some(Framing::Lines),
        }
    }

    async fn refusal(&self, mut body: Body<'_>, reading: &Reading) -> Fault {
        let status = body.response.status().as_u16();
        let retry_after = retry_after(body.response.headers());
        let mut bytes = Vec::new();
        while let Ok(Some(more)) = body.next().await {
            bytes.extend_from_slice(&more);
            if bytes.len() > REFUSAL_BYTES_MAX {
                bytes.truncate(REFUSAL_BYTES_MAX);
                break;
            }
        }
        let said =
            reading.problem(&bytes).unwrap_or_else(|| String::from_utf8_lossy(&bytes).trim().to_owned());
        Fault::Refused { status, problem: self.scrubbed(&said), retry_after }
    }

    /// What a provider said, without the key and not too long.
    fn scrubbed(&self, text: &str) -> String {
        let text = self.endpoint.key.as_ref().map_or_else(|| text.to_owned(), |key| key.scrub(text));
        wire::cut(&text, PROBLEM_BYTES_MAX).to_owned()
    }

    /// An answer that is none. One that is an error may speak of the key.
    fn unreadable(&self, bad: BadAnswer) -> Fault {
        Fault::Unreadable(match bad {
            BadAnswer::Error { kind, message } => {
                BadAnswer::Error { kind: self.scrubbed(&kind), message: self.scrubbed(&message) }
            }
            other => other,
        })
    }

    fn no_response(&self, error: &reqwest::Error) -> Fault {
        if error.is_connect() && error.is_timeout() {
            return Fault::TimedOut { limit: Limit::Connect, limit_ms: millis(self.patience.connect) };
        }
        Fault::Unreachable { problem: self.scrubbed(&causes(error)) }
    }

    /// Waits for `work`, but not longer than the limit. Work that is ready counts, even at the last moment.
    async fn within<T>(
        &self,
        limit: Limit,
        work: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let length = match limit {
            Limit::Connect => self.patience.connect,
            Limit::FirstByte => self.patience.first_byte,
            Limit::Idle => self.patience.idle,
            Limit::Total => self.patience.total,
        };
        let (mut work, mut alarm) = (pin!(work), self.pause.pause(length));
        tokio::select! {
            biased;
            done = &mut work => done,
            () = &mut alarm => Err(Fault::TimedOut { limit, limit_ms: millis(length) }),
        }
    }

    fn tell(&self, event: impl FnOnce() -> CallEvent) {
        if let Some(witness) = &self.witness {
            witness.saw(&event());
        }
    }
}

impl Model for Client {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let answer = self.answer(request).await;
            answer
                .map(|Answer { reply, model }| ModelReply { model, ..reply })
                .map_err(|fault| fault.told(&self.endpoint.model))
        })
    }
}

/// The bytes of an answer, counted and waited for.
struct Body<'a> {
    client: &'a Client,
    response: reqwest::Response,
    /// The first bytes were waited for with the response.
    first: Option<Option<Vec<u8>>>,
    bytes_read: usize,
}

impl Body<'_> {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let bytes = match self.first.take() {
            Some(first) => first,
            None => self.client.within(Limit::Idle, chunk(&mut self.response)).await?,
        };
        self.bytes_read = self.bytes_read.saturating_add(bytes.as_ref().map_or(0, Vec::len));
        if self.bytes_read > RESPONSE_BYTES_MAX {
            return Err(Fault::Unreadable(BadAnswer::TooLarge { bytes_max: RESPONSE_BYTES_MAX }));
        }
        Ok(bytes)
    }
}

/// The next bytes, or the end. A connection that breaks in the middle has cut the answer.
async fn chunk(response: &mut reqwest::Response) -> Result<Option<Vec<u8>>, Fault> {
    match response.chunk().await {
        Ok(bytes) => Ok(bytes.map(|bytes| bytes.to_vec())),
        Err(_) => Err(Fault::Unreadable(BadAnswer::Cut)),
    }
}

fn cut_if_not_json(bad: BadAnswer) -> BadAnswer {
    match bad {
        BadAnswer::NotJson { .. } | BadAnswer::NotUtf8 { .. } => BadAnswer::Cut,
        other => other,
    }
}

fn headers(endpoint: &Endpoint) -> Result<HeaderMap, BadEndpoint> {
    let mut headers = HeaderMap::new();
    let secret = |text: String| {
        let mut value = HeaderValue::from_str(&text).map_err(|_| BadEndpoint::Key { api: endpoint.api })?;
        value.set_sensitive(true);
        Ok(value)
    };
    match (endpoint.api, &endpoint.key) {
        (Api::Anthropic, key) => {
            let version = HeaderValue::from_static(ANTHROPIC_VERSION);
            headers.insert(HeaderName::from_static("anthropic-version"), version);
            if let Some(key) = key {
                headers.insert(HeaderName::from_static("x-api-key"), secret(key.reveal().to_owned())?);
            }
        }
        (Api::OpenAi | Api::Ollama, Some(key)) => {
            headers.insert(AUTHORIZATION, secret(format!("Bearer {}", key.reveal()))?);
        }
        (Api::OpenAi | Api::Ollama, None) => {}
        (Api::BrainOs, key) => {
            headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
            if let Some(key) = key {
                // One platform reads the one, one the other.
                headers.insert(AUTHORIZATION, secret(format!("Bearer {}", key.reveal()))?);
                headers.insert(HeaderName::from_static("x-api-key"), secret(key.reveal().to_owned())?);
            }
        }
    }
    Ok(headers)
}

/// An error with all its reasons. The address is left out: it may carry a password.
fn causes(error: &reqwest::Error) -> String {
    let mut said = vec![if error.is_connect() { "cannot connect" } else { "the exchange broke" }.to_owned()];
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        said.push(cause.to_string());
        next = cause.source();
    }
    said.dedup();
    said.join(": ")
}

/// `reqwest` is built without a crypto provider of its own.
fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Somebody else in this process may have chosen one already; any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
