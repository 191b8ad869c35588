//! Binds the door and serves until it is told to stop. What was accepted is durable; a stop loses nothing.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use purple_worker::Desk;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::a2a::card::Cards;
use crate::a2a::counter::Counter;
use crate::auth::{Doorman, Lock};
use crate::config::ServerConfig;
use crate::ids::IdMaker;
use crate::limits::DRAIN_WITHIN;
use crate::router::{Door, router};

/// A door that is bound and not yet opened.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    closing: watch::Sender<bool>,
    door: Door,
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
    /// The address cannot be had.
    #[error("cannot listen on `{address}`")]
    Bind {
        /// Where it was to listen.
        address: SocketAddr,
        /// Why not.
        #[source]
        cause: std::io::Error,
    },
    /// Serving broke.
    #[error("the door broke")]
    Broken(#[source] std::io::Error),
}

impl ServeError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Exposed { .. } => "listen on 127.0.0.1; `purple serve` cannot ask callers for tokens yet",
            Self::BadCardUrl { .. } => "give an http or https address that callers can reach",
            Self::Bind { .. } => "choose another port, or end what listens there",
            Self::Broken(_) => "start again: what was accepted is kept",
        }
    }
}

impl Server {
    /// Binds the door. It refuses an address that others can reach, unless callers must show who they are.
    pub async fn bind(
        config: ServerConfig,
        desk: Desk,
        doorman: Arc<dyn Doorman>,
        ids: Arc<dyn IdMaker>,
    ) -> Result<Self, ServeError> {
        let address = config.address;
        if doorman.lock() == Lock::OpenOnLoopback && !address.ip().is_loopback() {
            return Err(ServeError::Exposed { address });
        }
        let bind = |cause| ServeError::Bind { address, cause };
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        let url = card_url(&config, address)?;
        let closing = watch::Sender::new(false);
        let counter = Counter {
            desk,
            ids,
            pause_as: config.pause_as,
            answer_within: config.answer_within,
            closing: closing.subscribe(),
            expected: Arc::default(),
        };
        let cards = Arc::new(Cards::new(&config, &url, doorman.lock()));
        Ok(Self { listener, address, closing, door: Door { counter, cards, doorman } })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` ends. Requests that wait are answered with what there is, and streams end.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), ServeError> {
        let Self { listener, closing, door, .. } = self;
        let mut told = closing.subscribe();
        let serving = axum::serve(listener, router(door)).with_graceful_shutdown(async move {
            let _ = told.wait_for(|closing| *closing).await;
        });
        let stopping = async move {
            shutdown.await;
            closing.send_replace(true);
            tokio::time::sleep(DRAIN_WITHIN).await;
        };
        tokio::select! {
            served = serving.into_future() => served.map_err(ServeError::Broken),
            () = stopping => Ok(()),
        }
    }
}

/// The address that callers are told: never one that means "any".
fn card_url(config: &ServerConfig, address: SocketAddr) -> Result<String, ServeError> {
    let Some(url) = &config.card_url else {
        return Ok(format!("http://127.0.0.1:{}/", address.port()));
    };
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let clean = url.bytes().all(|byte| byte.is_ascii_graphic());
    match rest.filter(|rest| clean && !rest.is_empty() && !rest.starts_with('/')) {
        Some(rest) if rest.contains('/') => Ok(url.clone()),
        Some(_) => Ok(format!("{url}/")),
        None => Err(ServeError::BadCardUrl { url: url.clone() }),
    }
}
