//! Servers that want a login: what the operator says about it, and what the program lends for it.

mod challenge;
mod denied;
mod grant;
mod login;
mod record;
mod wire;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use purple_port::BoxFuture;
use zeroize::Zeroizing;

pub(crate) use challenge::Challenge;
pub(crate) use denied::Denied;
pub(crate) use login::Login;

/// How logins are made and kept. Without one, a server that wants a login is refused.
#[derive(Clone)]
pub struct Logins {
    /// What the operator says, by the name of a server. The others are logged in to without a client of our own.
    pub servers: BTreeMap<String, OAuth>,
    /// Who is asked when a server wants a login in the middle of a request. With nobody the request fails, and says
    /// how to log in.
    pub consent: Option<Arc<dyn Consent>>,
    /// Where tokens are between two runs.
    pub keep: Arc<dyn Keep>,
    /// The command that logs in, without the name of the server: it is put into what people read.
    pub command: String,
}

impl fmt::Debug for Logins {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Logins").field("servers", &self.servers).field("command", &self.command).finish()
    }
}

/// What the operator says about logging in to one server.
#[derive(Clone, Debug, Default)]
pub struct OAuth {
    /// A client that the authorization server knows already.
    pub client: Option<KnownClient>,
    /// The https address of a document that says who we are, for authorization servers that read such documents.
    pub document: Option<String>,
    /// What is asked for, and nothing beyond it. Empty: what the server asks for.
    pub scopes: Vec<String>,
    /// Who agrees.
    pub grant: Grant,
}

/// A client that was registered by hand.
#[derive(Clone, Debug)]
pub struct KnownClient {
    /// Its id.
    pub id: String,
    /// Its secret. It goes to this issuer and to no other.
    pub secret: Option<(Secret, Issuer)>,
}

/// Who agrees that we act at a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grant {
    /// A person in a browser.
    #[default]
    Person,
    /// Nobody beyond whoever gave us a client and its secret.
    Client,
}

/// The name of an authorization server: its address, as its own metadata says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer(pub String);

/// A secret. It has no `Display`, its `Debug` says nothing, and its memory is wiped.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a secret over.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(Zeroizing::new(secret.into()))
    }

    /// The secret itself, for whoever sends or seals it and for nothing else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret")
    }
}

/// Takes a person to an authorization server and hears what came of it.
pub trait Consent: Send + Sync {
    /// The address to which the person is sent back; it is told to the authorization server beforehand.
    fn redirect(&self) -> String;

    /// Shows the person `address`, and answers the whole address to which they were sent back.
    fn ask<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<String, NoConsent>>;
}

/// Nobody came back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct NoConsent {
    /// Why.
    pub why: String,
}

/// Keeps what a login gave, one text a server. The texts are secrets.
///
/// It is asked rarely and answers at once: a small file, or memory.
pub trait Keep: Send + Sync {
    /// The text of a server; `None` if there is none, or none that can be read.
    ///
    /// # Errors
    /// If it cannot be looked for.
    fn load(&self, server: &str) -> std::io::Result<Option<Secret>>;

    /// Keeps a text in place of the one before.
    ///
    /// # Errors
    /// If it is not kept.
    fn save(&self, server: &str, text: &Secret) -> std::io::Result<()>;

    /// Forgets the text of a server, and says whether there was one.
    ///
    /// # Errors
    /// If it may still be there.
    fn forget(&self, server: &str) -> std::io::Result<bool>;
}

/// What came of a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedIn {
    /// There is a token now.
    Yes,
    /// The server names no authorization server: it wants none.
    NotNeeded,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_show() {
        let secret = (Secret::new("hunter2"), Issuer("https://login.example".to_owned()));
        let client = KnownClient { id: "purple".to_owned(), secret: Some(secret) };
        let shown = format!("{:?}", OAuth { client: Some(client), ..OAuth::default() });
        assert!(shown.contains("purple") && shown.contains("login.example"), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
