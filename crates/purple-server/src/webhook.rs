//! Brings notices out: one POST of JSON to the one address that the operator set.
//!
//! The outbox behind it is durable and delivers at least once, so a receiver may see a notice twice: its `id` says which
//! it is.

use std::sync::Once;

use purple_port::{BoxFuture, Delivery, Notice, Outbox};

use crate::limits::{NOTICE_CONNECT_WITHIN, NOTICE_WITHIN};

/// Posts notices to an address.
pub struct Webhook {
    http: reqwest::Client,
    url: reqwest::Url,
}

/// An address that notices cannot be posted to.
#[derive(Debug, thiserror::Error)]
pub enum BadWebhook {
    /// It is no HTTP address.
    #[error("`{url}` is no address that notices can be posted to")]
    Address {
        /// What was given.
        url: String,
    },
    /// There is no HTTP client.
    #[error("there is no HTTP client for notices")]
    Client(#[source] reqwest::Error),
}

impl Webhook {
    /// Posts to this address and to no other: redirects are not followed, and no proxy of the environment is asked.
    pub fn to(url: &str) -> Result<Self, BadWebhook> {
        let bad = || BadWebhook::Address { url: url.to_owned() };
        let parsed = reqwest::Url::parse(url).map_err(|_| bad())?;
        if !matches!(parsed.scheme(), "http" | "https") || parsed.host_str().is_none() {
            return Err(bad());
        }
        install_crypto();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .connect_timeout(NOTICE_CONNECT_WITHIN)
            .timeout(NOTICE_WITHIN)
            .build()
            .map_err(BadWebhook::Client)?;
        Ok(Self { http, url: parsed })
    }

    async fn post(&self, notice: &Notice) -> Delivery {
        let sending =
            self.http.post(self.url.clone()).header("idempotency-key", &notice.id).json(notice).send();
        match sending.await {
            Ok(answer) => judged(answer.status().as_u16()),
            Err(error) if error.is_builder() => Delivery::Hopeless,
            Err(_) => Delivery::Later,
        }
    }
}

impl Outbox for Webhook {
    fn deliver<'a>(&'a self, notice: &'a Notice) -> BoxFuture<'a, Delivery> {
        Box::pin(self.post(notice))
    }
}

/// What an answer means: taken, not now, or never.
fn judged(status: u16) -> Delivery {
    match status {
        200..=299 => Delivery::Delivered,
        // Not now: too slow, too early, too many.
        408 | 425 | 429 => Delivery::Later,
        // Somebody may still set the receiver up, or mend its key.
        401 | 403 | 404 => Delivery::Later,
        300..=499 => Delivery::Hopeless,
        _ => Delivery::Later,
    }
}

/// `reqwest` is built without a crypto provider of its own.
fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Somebody else in this process may have chosen one already; any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
