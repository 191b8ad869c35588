//! Every request to an authorization server, under the eyes of our own guard.

use std::fmt;
use std::time::Duration;

use reqwest::Url;
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};

use crate::addresses::Guard;
use crate::limits::{OAUTH_ANSWER_BYTES_MAX, OAUTH_MS_MAX};

/// Sends what the library asks for, once, to where it may go. Redirects are not followed.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) http: reqwest::Client,
    pub(super) guard: Guard,
}

/// A request that was not sent, or an answer that is not read.
#[derive(Debug)]
enum Stopped {
    Plain(Url),
    Address(String),
    TooLong,
}

impl fmt::Display for Stopped {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(url) => write!(out, "`{}` is not https", bare(url)),
            Self::Address(reason) => out.write_str(reason),
            Self::TooLong => write!(out, "the answer is longer than {OAUTH_ANSWER_BYTES_MAX} bytes"),
        }
    }
}

impl std::error::Error for Stopped {}

impl OAuthHttpClient for Wire {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let mut request = reqwest::Request::try_from(request.request)?;
            if !is_private_enough(request.url()) {
                return Err(Box::new(Stopped::Plain(request.url().clone())) as OAuthHttpClientError);
            }
            self.guard.admit(request.url()).map_err(Stopped::Address)?;
            *request.timeout_mut() = Some(Duration::from_millis(OAUTH_MS_MAX));
            let mut response = self.http.execute(request).await.map_err(reqwest::Error::without_url)?;
            let mut body = Vec::new();
            while let Some(piece) = response.chunk().await? {
                if body.len() + piece.len() > OAUTH_ANSWER_BYTES_MAX {
                    return Err(Box::new(Stopped::TooLong) as OAuthHttpClientError);
                }
                body.extend_from_slice(&piece);
            }
            let response: http::Response<reqwest::Body> = response.into();
            Ok(response.map(|_| body))
        })
    }
}

/// Whether nobody on the way can read along: https, or our own machine.
pub(super) fn is_private_enough(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let loopback =
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    url.scheme() == "https" || (url.scheme() == "http" && loopback)
}

/// An address without what may be secret in it.
fn bare(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_password(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_our_own_machine_are_private_enough() {
        let judge = |url: &str| is_private_enough(&Url::parse(url).unwrap());
        for good in
            ["https://login.example/x", "http://127.0.0.1:9/x", "http://localhost/x", "http://[::1]:9/"]
        {
            assert!(judge(good), "{good}");
        }
        for bad in ["http://login.example", "http://10.0.0.1", "http://127.0.0.1.example", "ftp://localhost"]
        {
            assert!(!judge(bad), "{bad}");
        }
    }
}
