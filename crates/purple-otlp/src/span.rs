//! A span, before it is written.

use jiff::Timestamp;
use purple_port::Digest;

/// One thing that took its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) trace: TraceId,
    pub(crate) id: SpanId,
    pub(crate) parent: Option<SpanId>,
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) began: Timestamp,
    pub(crate) ended: Timestamp,
    pub(crate) attributes: Vec<(&'static str, String)>,
    /// The kind of the error, if it failed.
    pub(crate) error: Option<String>,
    /// The trace that this one goes on from.
    pub(crate) link: Option<(TraceId, SpanId)>,
}

/// Whose side a span is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Work in here.
    Internal,
    /// A request from outside that was served.
    Server,
}

/// 16 bytes in hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TraceId(pub(crate) String);

/// 8 bytes in hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpanId(pub(crate) String);

impl TraceId {
    /// The same story has the same id, whoever tells it.
    pub(crate) fn of(text: &str) -> Self {
        Self(hex(text, 32))
    }
}

impl SpanId {
    pub(crate) fn of(text: &str) -> Self {
        Self(hex(text, 16))
    }
}

fn hex(text: &str, digits: usize) -> String {
    Digest::of(text.as_bytes()).to_string().trim_start_matches("sha256:").chars().take(digits).collect()
}
