//! What the operator says about logging in to a tool server.

use crate::config::assemble::{Named, list, secret, text};
use crate::config::problem::{Problem, ProblemCode};
use crate::config::secret::SecretRef;

use crate::config::value::Value;

/// The keys of `[servers.NAME]` that speak of logins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OAuth {
    /// A client that was registered by hand.
    pub(crate) client: Option<Client>,
    /// Where a document says who we are.
    pub(crate) document: Option<String>,
    /// What is asked for, and nothing beyond it.
    pub(crate) scopes: Vec<String>,
    /// Whether the client agrees for itself.
    pub(crate) by_client: bool,
    /// Where a browser is sent back to on this machine; 0 is any port that is free.
    pub(crate) redirect_port: u16,
}

/// A client, and its secret with the issuer that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) id: String,
    pub(crate) secret: Option<(SecretRef, String)>,
}

/// Reads them; what does not go together becomes a problem.
pub(crate) fn of(name: &str, set: &Named<'_>, problems: &mut Vec<Problem>) -> OAuth {
    let by_client = text(set.get("grant")).as_deref() == Some("client");
    let (id, issuer) = (text(set.get("client_id")), text(set.get("issuer")));
    let client = match (id, secret(set.get("client_secret")), issuer) {
        (Some(id), Some(secret), Some(issuer)) => Some(Client { id, secret: Some((secret, issuer)) }),
        (Some(id), None, _) => Some(Client { id, secret: None }),
        (None, None, _) => None,
        (id, Some(_), _) => {
            let missing = if id.is_none() { "client_id" } else { "issuer" };
            let message = format!("the secret of server `{name}` is of no use without `{missing}`");
            let help = "a secret goes to one authorization server only: name its client and its issuer";
            problems.push(incomplete(set, message, help));
            None
        }
    };
    let has_secret = client.as_ref().is_some_and(|client| client.secret.is_some());
    if by_client && !has_secret && set.get("client_secret").is_none() {
        let message = format!("the client of server `{name}` cannot agree for itself without a secret");
        problems.push(incomplete(set, message, "give `client_id`, `client_secret` and `issuer`"));
    }
    let redirect_port = match set.get("redirect_port") {
        Some(Value::Count(port)) => u16::try_from(*port).unwrap_or_default(),
        _ => 0,
    };
    let (document, scopes) = (text(set.get("client_document")), list(set.get("scopes")));
    OAuth { client, document, scopes, by_client, redirect_port }
}

fn incomplete(set: &Named<'_>, message: String, help: &str) -> Problem {
    Problem { at: set.at(), code: ProblemCode::Incomplete, message, help: help.to_owned() }
}
