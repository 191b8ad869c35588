//! Why there is no token.

use rmcp::transport::auth::AuthError;

use crate::said::cut;

/// Why a request stays without a token. The texts hold no secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Denied {
    /// Nobody is there who could agree.
    #[error("it wants a login: run `{command} {server}`")]
    NoLogin { command: String, server: String },
    /// Nothing says where one could log in.
    #[error("it refuses the request and names no way to log in")]
    NoWay,
    /// The token has every scope that there is to ask for.
    #[error("it does not allow this to whoever is logged in")]
    Forbidden,
    /// More than the operator wants to ask for.
    #[error(
        "it wants the scope `{scope}`, which is not among the scopes that the operator set for `{server}`"
    )]
    Scope { scope: String, server: String },
    /// It asked for a login again right after one.
    #[error("it wants a login again right after {times} of them")]
    TooOften { times: u32 },
    /// Not the authorization server for which the client's secret is.
    #[error("its authorization server is `{found}`, and the secret of its client is for `{expected}`")]
    Issuer { expected: String, found: String },
    /// An address that could be read by others on the way.
    #[error("`{address}` of its authorization server is not https")]
    Plain { address: String },
    /// A client without a secret cannot agree for itself.
    #[error("a client that logs in by itself needs an id, a secret and its issuer")]
    NoClient,
    /// The person, or the authorization server, said no.
    #[error("the login was refused: {error}")]
    Refused { error: String },
    /// Nobody came back from the authorization server.
    #[error("nobody came back from the login: {why}")]
    NobodyCameBack { why: String },
    /// What came back belongs to another login.
    #[error("what came back is no answer to this login")]
    State,
    /// The authorization server, or its description, is broken.
    #[error("{what}: {why}")]
    Broken { what: &'static str, why: String },
    /// The token could not be kept.
    #[error("the login cannot be kept: {why}")]
    NotKept { why: String },
}

impl Denied {
    /// What the library says, without the secrets that a server may have put into its words.
    pub(super) fn broken(what: &'static str, error: &AuthError, secrets: &[&str]) -> Self {
        let mut why = crate::said::whole(error);
        for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
            why = why.replace(secret, "[secret]");
        }
        Self::Broken { what, why: cut(&why) }
    }

    /// Whether a login would help.
    pub(crate) fn is_for_want_of_a_login(&self) -> bool {
        match self {
            Self::NoLogin { .. } => true,
            Self::NoWay
            | Self::Forbidden
            | Self::Scope { .. }
            | Self::TooOften { .. }
            | Self::Issuer { .. }
            | Self::Plain { .. }
            | Self::NoClient
            | Self::Refused { .. }
            | Self::NobodyCameBack { .. }
            | Self::State
            | Self::Broken { .. }
            | Self::NotKept { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_server_do_not_give_our_secrets_away() {
        let said = AuthError::TokenExchangeFailed("no client `purple` with `hunter2`".to_owned());
        let denied = Denied::broken("no token", &said, &["hunter2", ""]).to_string();
        assert_eq!(denied, "no token: OAuth token exchange failed: no client `purple` with `[secret]`");
    }
}
