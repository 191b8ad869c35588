//! The doors of the company: MCP over stdio and HTTP, and a plain HTTP bridge. All lead to the same office.

mod bridge;
mod http;
mod mcp;
mod severance;
mod sieve;

use std::net::SocketAddr;

pub use http::HttpDoor;
pub use mcp::{serve_mcp, serve_stdio};

/// Why a door did not open, or closed.
#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    /// The demo company knows no passwords, so it does not listen to the world.
    #[error("`{address}` is not a loopback address")]
    NotLoopback {
        /// The address that was asked for.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on `{address}`: {source}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The peer did not speak MCP, or left before it said anything.
    #[error("the MCP conversation did not start: {0}")]
    Handshake(#[from] Box<rmcp::service::ServerInitializeError>),
}
