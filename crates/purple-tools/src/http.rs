//! One HTTP client for all servers, and what its errors mean.

use std::sync::{Arc, Once};
use std::time::Duration;

use crate::addresses::Guard;
use crate::config::BadServers;
use crate::limits::TCP_MS_MAX;
use crate::said::causes;

/// A client that sends what it is given, once, to where it is told.
///
/// No redirects (each would be a second request, to a place that nobody allowed), no retries, and no proxy from the
/// environment.
/// Names are looked up under the eyes of a guard.
pub(crate) fn client(guard: Guard) -> Result<reqwest::Client, BadServers> {
    install_crypto();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .dns_resolver(Arc::new(guard))
        .connect_timeout(Duration::from_millis(TCP_MS_MAX))
        .build()
        .map_err(BadServers::Http)
}

/// `reqwest` is built without a crypto provider of its own.
fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Somebody else in this process may have chosen one already; any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// Whether there was no connection to send anything over.
pub(crate) fn never_connected(error: &(dyn std::error::Error + 'static)) -> bool {
    causes(error).any(|cause| cause.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_connect))
}
