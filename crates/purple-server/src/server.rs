//! Binds the door and serves until it is told to stop. What was accepted is durable; a stop loses nothing.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use purple_port::{Figures, Watchers, WorkerHandle};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use crate::a2a::card::Cards;
use crate::a2a::counter::Counter;
use crate::auth::{Doorman, Lock};
use crate::config::ServerConfig;
use crate::connections;
use crate::health::Readiness;
use crate::ids::IdMaker;
use crate::limits::{DRAIN_WITHIN, STRANGERS_PER_MINUTE};
use crate::metrics::Tally;
use crate::rate::Rate;
use crate::router::{Door, router};
use crate::tls::{self, BadTls};
use crate::trace::Tracer;

/// A door that is bound and not yet opened.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    closing: watch::Sender<bool>,
    door: Door,
    tls: Option<TlsAcceptor>,
    headers_within: Duration,
}

/// What is behind the door.
#[derive(Clone)]
pub struct Ports {
    /// Where tasks go in and come out.
    pub worker: WorkerHandle,
    /// Says who a caller is.
    pub doorman: Arc<dyn Doorman>,
    /// Makes ids of runs.
    pub ids: Arc<dyn IdMaker>,
    /// Who is told about tasks. Without it notifications are not offered.
    pub watchers: Option<Arc<dyn Watchers>>,
    /// What is counted. Without it there are no metrics.
    pub figures: Option<Arc<dyn Figures>>,
    /// Whether the storage takes something in. Without it, it is asked for what it has.
    pub readiness: Option<Arc<dyn Readiness>>,
    /// Who hears of requests, for traces. Without it there are none.
    pub tracer: Option<Arc<dyn Tracer>>,
}

impl Ports {
    /// What is needed, and nothing more: no notifications, no metrics.
    pub fn new(worker: WorkerHandle, doorman: Arc<dyn Doorman>, ids: Arc<dyn IdMaker>) -> Self {
        Self { worker, doorman, ids, watchers: None, figures: None, readiness: None, tracer: None }
    }
}

/// A door that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address would let strangers in.
    #[error("`{address}` can be reached from other machines, and the door has no lock")]
    Exposed {
        /// Where it was to listen.
        address: SocketAddr,
    },
    /// The address in the card is none.
    #[error("`{url}` is no address for the agent card")]
    BadCardUrl {
        /// What was given.
        url: String,
    },
    /// The certificate or its key cannot be used.
    #[error(transparent)]
    Tls(#[from] BadTls),
    /// The address cannot be had.
    #[error("cannot listen on `{address}`")]
    Bind {
        /// Where it was to listen.
        address: SocketAddr,
        /// Why not.
        #[source]
        cause: std::io::Error,
    },
}

impl ServeError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Exposed { .. } => {
                "make a token with `purple token create`, listen on 127.0.0.1, or write `auth = \"open\"` under [serve]"
            }
            Self::BadCardUrl { .. } => "give an http or https address that callers can reach",
            Self::Tls(_) => {
                "give `serve.tls_certificate` and `serve.tls_key` as files in PEM that belong together"
            }
            Self::Bind { .. } => "choose another port, or end what listens there",
        }
    }
}

impl Server {
    /// Binds the door. It refuses an address that others can reach, unless callers must show who they are.
    pub async fn bind(config: ServerConfig, ports: Ports) -> Result<Self, ServeError> {
        let Ports { worker, doorman, ids, watchers, figures, readiness, tracer } = ports;
        let address = config.address;
        if doorman.lock() == Lock::OpenOnLoopback && !address.ip().is_loopback() {
            return Err(ServeError::Exposed { address });
        }
        let tls = config.tls.as_ref().map(tls::acceptor).transpose()?;
        let bind = |cause| ServeError::Bind { address, cause };
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        let url = card_url(&config, address)?;
        let closing = watch::Sender::new(false);
        let cards = |lock| Arc::new(Cards::new(&config, &url, lock, watchers.is_some()));
        let (cards, locked_cards) = (cards(doorman.lock()), cards(Lock::Tokens));
        let counter = Counter {
            worker,
            ids,
            pause_as: config.pause_as,
            answer_within: config.answer_within,
            closing: closing.subscribe(),
            watchers,
            push_rules: config.push,
            traced: None,
        };
        let door = Door {
            counter,
            cards,
            locked_cards,
            doorman,
            rate: Arc::new(Rate::new(config.requests_per_minute)),
            strangers: Arc::new(Rate::new(STRANGERS_PER_MINUTE)),
            streams: Arc::default(),
            body_within: config.body_within,
            readiness,
            tracer,
            tally: figures.map(|figures| Arc::new(Tally::new(figures, config.identity.version))),
        };
        Ok(Self { listener, address, closing, door, tls, headers_within: config.headers_within })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether it speaks TLS.
    pub fn is_secured(&self) -> bool {
        self.tls.is_some()
    }

    /// Serves until `shutdown` ends. Requests that wait are answered with what there is, and streams end.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) {
        let Self { listener, closing, door, tls, headers_within, .. } = self;
        let serving = connections::serve(listener, tls, router(door), headers_within, closing.subscribe());
        let stopping = async move {
            shutdown.await;
            closing.send_replace(true);
            tokio::time::sleep(DRAIN_WITHIN).await;
        };
        tokio::select! {
            () = serving => {}
            () = stopping => {}
        }
    }
}

/// The address that callers are told: never one that means "any".
fn card_url(config: &ServerConfig, address: SocketAddr) -> Result<String, ServeError> {
    let Some(url) = &config.card_url else {
        let scheme = if config.tls.is_some() { "https" } else { "http" };
        return Ok(format!("{scheme}://127.0.0.1:{}/", address.port()));
    };
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let clean = url.bytes().all(|byte| byte.is_ascii_graphic());
    match rest.filter(|rest| clean && !rest.is_empty() && !rest.starts_with('/')) {
        Some(rest) if rest.contains('/') => Ok(url.clone()),
        Some(_) => Ok(format!("{url}/")),
        None => Err(ServeError::BadCardUrl { url: url.clone() }),
    }
}
