//! Who is at the door. Nobody acts without a name.

use std::collections::BTreeSet;

use axum::http::{HeaderMap, header};
use purple_port::view::Decides;
use purple_port::{BoxFuture, DoorRole, PersonId};

/// Somebody who was let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Who they are.
    pub person: PersonId,
    /// What they may do here.
    pub roles: BTreeSet<DoorRole>,
    /// What they can decide about.
    pub decides: Decides,
}

impl Caller {
    /// Somebody who may do everything: the one person at the keyboard.
    pub fn unbounded(person: PersonId) -> Self {
        Self { person, roles: DoorRole::ALL.into(), decides: Decides::Everything }
    }

    pub(crate) fn is(&self, role: DoorRole) -> bool {
        self.roles.contains(&role)
    }
}

/// What keeps strangers out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// Nothing; only callers on this machine may come.
    OpenOnLoopback,
    /// Nothing, wherever it listens, because the operator said so.
    OpenAnywhere,
    /// A token that each caller shows.
    Tokens,
}

/// Nobody is let in with what was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnedAway {
    /// No token was shown.
    #[error("a bearer token is needed")]
    NoToken,
    /// It is unknown, or it was revoked.
    #[error("this token opens nothing")]
    BadToken,
    /// Who it is cannot be found out now.
    #[error("tokens cannot be looked up now; try again")]
    NotNow,
}

/// Says who a caller is.
///
/// # Contract
///
/// - Of tokens it keeps hashes only, and compares them in a time that tells nothing.
/// - What it answers holds now: a revoked token is turned away at once.
pub trait Doorman: Send + Sync {
    /// What keeps strangers out.
    fn lock(&self) -> Lock;

    /// Who shows this bearer token, or none.
    fn admit<'a>(&'a self, token: Option<&'a str>) -> BoxFuture<'a, Result<Caller, TurnedAway>>;
}

/// A door without a lock: every caller is the one person at the keyboard.
#[derive(Clone, Debug)]
pub struct OpenDoor {
    person: PersonId,
    lock: Lock,
}

impl OpenDoor {
    /// For callers on this machine only. A server that listens elsewhere does not start with it.
    pub fn on_loopback(person: PersonId) -> Self {
        Self { person, lock: Lock::OpenOnLoopback }
    }

    /// For everybody. The operator must have asked for it in so many words.
    pub fn anywhere(person: PersonId) -> Self {
        Self { person, lock: Lock::OpenAnywhere }
    }
}

impl Doorman for OpenDoor {
    fn lock(&self) -> Lock {
        self.lock
    }

    fn admit<'a>(&'a self, _: Option<&'a str>) -> BoxFuture<'a, Result<Caller, TurnedAway>> {
        Box::pin(std::future::ready(Ok(Caller::unbounded(self.person.clone()))))
    }
}

/// The bearer token that a request shows.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

/// Whether a request to an open loopback door was sent by a web page, which any site could make a browser do.
///
/// A page that was not served here has an `Origin` of its own, and a name that was bound anew to the loopback address
/// shows in `Host`.
pub(crate) fn from_a_strange_page(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let host = text(header::HOST).unwrap_or_default();
    let origin_is_strange = text(header::ORIGIN).is_some_and(|origin| {
        let origin = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        origin.is_none_or(|origin| !is_loopback_name(origin))
    });
    origin_is_strange || !is_loopback_name(host)
}

/// Whether a name with or without a port is one of this machine.
fn is_loopback_name(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_page_of_another_site_is_strange_and_a_program_on_this_machine_is_not() {
        let strange = |pairs: &[_]| from_a_strange_page(&headers(pairs));
        assert!(!strange(&[("host", "127.0.0.1:9010")]));
        assert!(!strange(&[("host", "localhost")]));
        assert!(!strange(&[("host", "[::1]:9010"), ("origin", "http://localhost:9010")]));
        assert!(strange(&[("host", "127.0.0.1:9010"), ("origin", "https://evil.example")]));
        assert!(strange(&[("host", "127.0.0.1:9010"), ("origin", "null")]));
        assert!(strange(&[("host", "rebound.example:9010")]));
        assert!(strange(&[("host", "127.0.0.1.evil.example")]));
        assert!(strange(&[]));
    }

    #[test]
    fn a_bearer_token_is_read_whatever_the_case_of_its_scheme() {
        assert_eq!(bearer(&headers(&[("authorization", "bearer abc")])), Some("abc"));
        assert_eq!(bearer(&headers(&[("authorization", "Bearer  abc ")])), Some("abc"));
        assert_eq!(bearer(&headers(&[("authorization", "Basic abc")])), None);
        assert_eq!(bearer(&headers(&[("authorization", "Bearer ")])), None);
    }
}
