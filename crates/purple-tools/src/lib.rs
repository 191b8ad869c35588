//! Talks to tool servers: MCP over stdio, HTTP and streams in both protocol eras, and the plain HTTP bridge.
//!
//! [`ToolServers`] is the worker's `Tools` port. It sends one wire request per `Pass`, says what became of it, and
//! decides nothing: no effects, no paging of results, no retries.
//!
//! ```
//! use purple_tools::{Era, ServerConfig, ServerKind, ToolServers};
//! use purple_port::{Tools, ToolsAt};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let nobody_there = ServerConfig {
//!     name: "books".to_owned(),
//!     kind: ServerKind::Url("http://127.0.0.1:9".to_owned()),
//!     era: Era::Auto,
//! };
//! let servers = ToolServers::new(vec![nobody_there])?;
//! let down = servers.list(&ToolsAt::Configured).await.unwrap_err();
//! assert!(down.reason.starts_with("`books`: "), "{}", down.reason);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod config;
pub mod limits;

mod request;
mod said;

mod addresses;
mod bridge;
mod http;
mod mcp;
mod oauth;

mod catalogue;
mod supervise;

mod arguments;
mod servers;

pub use config::{BadServers, Dialect, Era, Program, ServerConfig, ServerKind, StreamFactory, Streams};
pub use oauth::{Consent, Grant, Issuer, Keep, KnownClient, LoggedIn, Logins, NoConsent, OAuth, Secret};
pub use servers::{LoginFailed, ToolServers};
