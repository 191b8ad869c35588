//! What a server says when it does not let a request in.

use reqwest::Url;
use rmcp::transport::auth::WWWAuthenticateParams;
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// A door that stayed shut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// The header that says what is missing.
    pub(super) header: Option<String>,
    pub(super) missing: Missing,
}

/// What is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// A token, or a good one.
    Token,
    /// A token that may do this; the scopes that it needs, if they are told.
    Scope(Vec<String>),
    /// The token is good, and the answer is no.
    Permission,
}

/// How the library writes a refusal that names no way in.
const BARE: &str = "HTTP 401 ";

impl Challenge {
    /// Reads an error of the transport; `None` if it is another one.
    pub(crate) fn of(error: &StreamableHttpError<reqwest::Error>) -> Option<Self> {
        match error {
            StreamableHttpError::AuthRequired(told) => {
                Some(Self { header: Some(told.www_authenticate_header.clone()), missing: Missing::Token })
            }
            StreamableHttpError::InsufficientScope(told) => {
                let header = told.www_authenticate_header.clone();
                Some(Self { missing: forbidden(&header), header: Some(header) })
            }
            StreamableHttpError::UnexpectedServerResponse(words) if words.starts_with(BARE) => {
                Some(Self { header: None, missing: Missing::Token })
            }
            _ => None,
        }
    }

    /// Whether the server speaks of tokens itself.
    pub(super) fn names_tokens(&self) -> bool {
        let header = self.header.as_deref().unwrap_or_default();
        header.trim_start().get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer"))
    }
}

fn forbidden(header: &str) -> Missing {
    // The address matters only where a header names one relative to it, and here only words are read.
    let Ok(base) = Url::parse("http://localhost") else { return Missing::Permission };
    let told = WWWAuthenticateParams::parse(header, &base);
    if !told.is_insufficient_scope() {
        return Missing::Permission;
    }
    Missing::Scope(told.scope.unwrap_or_default().split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use rmcp::transport::streamable_http_client::{AuthRequiredError, InsufficientScopeError};

    use super::*;

    fn read(error: StreamableHttpError<reqwest::Error>) -> Option<Missing> {
        Challenge::of(&error).map(|challenge| challenge.missing)
    }

    fn forbidden(header: &str) -> StreamableHttpError<reqwest::Error> {
        StreamableHttpError::InsufficientScope(InsufficientScopeError::new(header.to_owned(), None))
    }

    #[test]
    fn only_a_scope_that_is_missing_can_be_asked_for() {
        let header = r#"Bearer error="insufficient_scope", scope="read write", resource_metadata="/x""#;
        assert_eq!(
            read(forbidden(header)),
            Some(Missing::Scope(vec!["read".to_owned(), "write".to_owned()]))
        );
        assert_eq!(read(forbidden(r#"Bearer error="insufficient_scope""#)), Some(Missing::Scope(vec![])));
        assert_eq!(read(forbidden(r#"Bearer scope="read""#)), Some(Missing::Permission));
        assert_eq!(read(forbidden("Basic realm=\"x\"")), Some(Missing::Permission));
    }

    #[test]
    fn a_refusal_is_known_with_and_without_its_header() {
        let told =
            |header: &str| StreamableHttpError::AuthRequired(AuthRequiredError::new(header.to_owned()));
        let challenge = |error| Challenge::of(&error).unwrap();
        assert!(challenge(told("bearer realm=\"x\"")).names_tokens());
        assert!(!challenge(told("Basic")).names_tokens());
        let bare = StreamableHttpError::UnexpectedServerResponse("HTTP 401 Unauthorized: no".into());
        assert!(!challenge(bare).names_tokens());
        let other = StreamableHttpError::UnexpectedServerResponse("HTTP 404 Not Found: no".into());
        assert_eq!(read(other), None);
    }
}
