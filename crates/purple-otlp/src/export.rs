//! Reads journals on, and sends what they came to. What cannot be sent is dropped: telemetry holds nobody up.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use purple_port::{EngineError, Figures};
use reqwest::Url;

use crate::requests::Requests;
use crate::span::Span;
use crate::weave::Weaver;
use crate::wire;

/// How often the journals are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Entries that are read at once.
const PAGE_ENTRIES: usize = 2_000;
/// The most spans of one request.
const SPANS_MAX: usize = 512;
/// How long a request may take.
const SEND_WITHIN: Duration = Duration::from_secs(5);
/// How often a request is tried.
const TRIES_MAX: u32 = 3;

/// Sends traces of runs.
pub struct Exporter {
    figures: Arc<dyn Figures>,
    endpoint: Url,
    client: reqwest::Client,
    every: Duration,
    requests: Requests,
}

/// Traces cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum NoExporter {
    /// The address is none.
    #[error("`{endpoint}` is no address to send traces to")]
    BadEndpoint {
        /// What was given.
        endpoint: String,
    },
    /// No HTTP client could be made.
    #[error("traces cannot be sent: {0}")]
    Client(#[from] reqwest::Error),
}

impl Exporter {
    /// For a collector at this address; traces go to `v1/traces` below it.
    pub fn new(figures: Arc<dyn Figures>, endpoint: &str) -> Result<Self, NoExporter> {
        let bad = || NoExporter::BadEndpoint { endpoint: endpoint.to_owned() };
        let base = format!("{}/", endpoint.trim_end_matches('/'));
        let endpoint = Url::parse(&base).and_then(|base| base.join("v1/traces")).map_err(|_| bad())?;
        if !matches!(endpoint.scheme(), "http" | "https") {
            return Err(bad());
        }
        let client = reqwest::Client::builder().timeout(SEND_WITHIN).build()?;
        Ok(Self { figures, endpoint, client, every: LOOK_EVERY, requests: Requests::default() })
    }

    /// Where requests are told of, whose spans are sent with those of the runs that they led to.
    pub fn requests(&self) -> Requests {
        self.requests.clone()
    }

    /// Looks at the journals this often instead.
    pub fn every(self, every: Duration) -> Self {
        Self { every, ..self }
    }

    /// Sends what happens from now on, until `stop` ends; what happened until then is sent too.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let mut weaver = Weaver::under(self.requests.clone());
        // What happened before is somebody else's trace.
        let Ok(mut place) = self.last().await else { return };
        let mut stop = std::pin::pin!(stop);
        let mut look = tokio::time::interval(self.every);
        loop {
            let stopped = tokio::select! {
                () = &mut stop => true,
                _ = look.tick() => false,
            };
            match self.read(&mut weaver, place).await {
                Ok((last, mut spans)) => {
                    place = last;
                    spans.extend(self.requests.take());
                    for batch in spans.chunks(SPANS_MAX) {
                        self.send(batch).await;
                    }
                }
                // The storage is going away, and so are we.
                Err(_) => return,
            }
            if stopped {
                return;
            }
        }
    }

    async fn last(&self) -> Result<i64, EngineError> {
        let mut place = 0;
        while let Some(last) = self.figures.entries(place, PAGE_ENTRIES).await?.last() {
            place = last.place;
        }
        Ok(place)
    }

    async fn read(&self, weaver: &mut Weaver, from: i64) -> Result<(i64, Vec<Span>), EngineError> {
        let (mut place, mut spans) = (from, Vec::new());
        loop {
            let page = self.figures.entries(place, PAGE_ENTRIES).await?;
            let Some(last) = page.last() else { return Ok((place, spans)) };
            place = last.place;
            spans.extend(page.iter().flat_map(|one| weaver.weave(one)));
        }
    }

    async fn send(&self, spans: &[Span]) {
        let body = wire::request(spans).to_string();
        for _ in 0..TRIES_MAX {
            let request = self.client.post(self.endpoint.clone()).header("content-type", "application/json");
            match request.body(body.clone()).send().await {
                Ok(response) if response.status().is_server_error() || response.status() == 429 => {}
                // Taken, or refused for good.
                Ok(_) => return,
                Err(_) => {}
            }
        }
    }
}
