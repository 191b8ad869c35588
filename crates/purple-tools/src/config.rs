//! Which servers there are, and how each is reached.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

/// A configured tool server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The operator's name for it: letters, digits, `-` and single `_`.
    pub name: String,
    /// How it is reached.
    pub kind: ServerKind,
    /// Which MCP it speaks.
    pub era: Era,
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub enum ServerKind {
    /// A program that speaks MCP on its stdin and stdout.
    Stdio(Program),
    /// A base URL, probed once: MCP there, under `/mcp` or under `/rpc`, and then the plain bridge.
    /// A `session_id` in its query goes to a bridge as the session of every request.
    Url(String),
    /// The base URL of a plain bridge; nothing is probed.
    Bridge(String),
    /// A server inside this process, or one that somebody else connected.
    Streams(StreamFactory),
}

impl ServerKind {
    /// Its address, if it has one.
    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Self::Url(url) | Self::Bridge(url) => Some(url),
            Self::Stdio(_) | Self::Streams(_) => None,
        }
    }
}

/// A program to start. It ends with the connection, together with the programs that it started.
#[derive(Clone)]
pub struct Program {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// All the variables that it sees; nothing of our own environment goes to it, not even `PATH`.
    pub env: BTreeMap<String, String>,
    /// Its working folder.
    pub cwd: Option<PathBuf>,
}

/// Shows the names of variables and not their values, which are often secrets.
impl fmt::Debug for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Program")
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("cwd", &self.cwd)
            .finish()
    }
}

/// Which revisions of MCP a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Era {
    /// Asked once, then remembered.
    #[default]
    Auto,
    /// 2025-11-25 and before: a handshake, then a session.
    Legacy,
    /// 2026-07-28: every request stands alone.
    Modern,
}

/// What a connected server turned out to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// MCP with sessions.
    Sessions,
    /// MCP without sessions.
    Stateless,
    /// The plain bridge.
    Bridge,
}

/// Both directions of a connection.
pub struct Streams {
    /// What the server says.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// What it hears.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
}

/// Makes a fresh connection to the same server, at first and after each loss.
#[derive(Clone)]
pub struct StreamFactory(Arc<dyn Fn() -> std::io::Result<Streams> + Send + Sync>);

impl StreamFactory {
    /// Takes what makes connections. It is called inside a Tokio runtime.
    pub fn new(make: impl Fn() -> std::io::Result<Streams> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    pub(crate) fn make(&self) -> std::io::Result<Streams> {
        (self.0)()
    }
}

impl fmt::Debug for StreamFactory {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("StreamFactory")
    }
}

/// A configuration that cannot work.
#[derive(Debug, thiserror::Error)]
pub enum BadServers {
    /// The name would not fit into the name of a tool.
    #[error("`{name}` is no name of a tool server: 1 to 48 ASCII letters, digits, `-` or single `_`")]
    Name {
        /// The name.
        name: String,
    },
    /// Two servers have the same name.
    #[error("two tool servers are called `{name}`")]
    Repeated {
        /// The name.
        name: String,
    },
    /// Not an address that can be called.
    #[error("`{url}` of tool server `{name}` is no http or https URL")]
    Url {
        /// The server.
        name: String,
        /// What was given.
        url: String,
    },
    /// An address at which no tool server may be.
    #[error("`{url}` is not called: {reason}")]
    Address {
        /// What was given.
        url: String,
        /// Why.
        reason: String,
    },
    /// There is no HTTP on this machine: no source of randomness, or no certificates.
    #[error("the HTTP client cannot be made")]
    Http(#[source] reqwest::Error),
}

const NAME_BYTES_MAX: usize = 48;

pub(crate) fn check(servers: &[ServerConfig]) -> Result<(), BadServers> {
    let mut seen = BTreeSet::new();
    for ServerConfig { name, kind, era: _ } in servers {
        let clean = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        if !(1..=NAME_BYTES_MAX).contains(&name.len()) || !clean || name.contains("__") {
            return Err(BadServers::Name { name: name.clone() });
        }
        if !seen.insert(name) {
            return Err(BadServers::Repeated { name: name.clone() });
        }
        match kind {
            ServerKind::Url(url) | ServerKind::Bridge(url) => {
                if parse_url(url).is_none() {
                    return Err(BadServers::Url { name: name.clone(), url: url.clone() });
                }
            }
            ServerKind::Stdio(_) | ServerKind::Streams(_) => {}
        }
    }
    Ok(())
}

/// An address with a host, over HTTP.
pub(crate) fn parse_url(raw: &str) -> Option<reqwest::Url> {
    let url = reqwest::Url::parse(raw).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, kind: ServerKind) -> ServerConfig {
        ServerConfig { name: name.to_owned(), kind, era: Era::Auto }
    }

    fn at(url: &str) -> ServerKind {
        ServerKind::Url(url.to_owned())
    }

    #[test]
    fn names_fit_into_names_of_tools_and_are_unique() {
        let url = "http://127.0.0.1:1";
        assert!(check(&[named("books", at(url)), named("post-2_b", at(url))]).is_ok());
        for name in ["", "a b", "a__b", "ä", &"x".repeat(49)] {
            assert!(matches!(check(&[named(name, at(url))]), Err(BadServers::Name { .. })), "{name}");
        }
        let twice = [named("a", at(url)), named("a", at(url))];
        assert!(matches!(check(&twice), Err(BadServers::Repeated { name }) if name == "a"));
    }

    #[test]
    fn an_address_is_http_with_a_host() {
        for good in ["http://127.0.0.1:9009", "https://tools.example/base?session_id=1"] {
            assert!(check(&[named("a", at(good))]).is_ok(), "{good}");
        }
        for bad in ["", "tools.example", "ftp://tools.example", "file:///etc/passwd", "http://"] {
            assert!(matches!(check(&[named("a", at(bad))]), Err(BadServers::Url { .. })), "{bad}");
            assert!(check(&[named("a", ServerKind::Bridge(bad.to_owned()))]).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_program_shows_no_values_of_its_variables() {
        let program = Program {
            command: "x".to_owned(),
            args: vec![],
            env: BTreeMap::from([("TOKEN".to_owned(), "hunter2".to_owned())]),
            cwd: None,
        };
        let shown = format!("{program:?}");
        assert!(shown.contains("TOKEN") && !shown.contains("hunter2"), "{shown}");
    }
}
