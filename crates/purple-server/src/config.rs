//! What the operator set up about the door. Nothing here comes from a request.

use std::net::SocketAddr;
use std::time::Duration;

use crate::a2a::push::PushRules;
use crate::limits::{ANSWER_WITHIN, BODY_WITHIN, HEADERS_WITHIN, REQUESTS_PER_MINUTE};
use crate::tls::TlsFiles;

/// The door's settings.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Where to listen. Port 0 takes a free one.
    pub address: SocketAddr,
    /// The address that callers are told. Without it they are told the loopback address and the port.
    pub card_url: Option<String>,
    /// Who we say that we are.
    pub identity: Identity,
    /// What we say that we can do.
    pub skills: Vec<Skill>,
    /// Which fields the agent card has for callers that do not say what they read.
    pub card_profile: CardProfile,
    /// How a task that waits for a person looks to its caller.
    pub pause_as: PauseAs,
    /// How long a request that waits for its answer is held.
    pub answer_within: Duration,
    /// How long the headers of a request may take to arrive, and how long a connection may be idle before them.
    pub headers_within: Duration,
    /// How long the body of a request may take to arrive.
    pub body_within: Duration,
    /// Where the certificate and its key are. Without them the door speaks plain HTTP.
    pub tls: Option<TlsFiles>,
    /// How many requests a caller may make in a minute; 0 is no bound.
    pub requests_per_minute: u32,
    /// Where notifications may go.
    pub push: PushRules,
}

impl ServerConfig {
    /// The defaults, at this address.
    pub fn at(address: SocketAddr) -> Self {
        Self {
            address,
            card_url: None,
            identity: Identity::default(),
            skills: Vec::new(),
            card_profile: CardProfile::Hybrid,
            pause_as: PauseAs::InputRequired,
            answer_within: ANSWER_WITHIN,
            headers_within: HEADERS_WITHIN,
            body_within: BODY_WITHIN,
            tls: None,
            requests_per_minute: REQUESTS_PER_MINUTE,
            push: PushRules::default(),
        }
    }
}

/// Who the agent is, on its card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name.
    pub name: String,
    /// What it does, in a sentence.
    pub description: String,
    /// The version of the program.
    pub version: String,
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            name: "Purple Agent".to_owned(),
            description:
                "A worker for business processes: it reads, computes exactly, checks policy, asks a person \
                          where the policy says so, writes, and reads back what it wrote."
                    .to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// One thing that the agent can do, on its card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Its id: `invoice_reconciliation`.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Words that find it.
    pub tags: Vec<String>,
    /// Tasks that it takes.
    pub examples: Vec<String>,
}

/// Which fields the agent card has for callers that do not say what they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardProfile {
    /// Those of 0.3 and 1.0 together.
    Hybrid,
    /// Those of 1.0 only.
    PureV1,
}

/// How a task that waits for a person looks to its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseAs {
    /// As what it is.
    InputRequired,
    /// As a completed task whose answer is the card, for callers that give up on anything else.
    Completed,
}
