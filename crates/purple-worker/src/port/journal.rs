//! The one log of a session, and who may read it.

use agent_runtime::model::BoxFuture;
use jiff::Timestamp;
use purple_process::{Digest, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Event;
use crate::port::{BlobHash, EngineError};

/// The word for what an entry tells: `write.intent`, `policy.verdict`.
pub type EntryKind = String;

/// What happened, before it has a place in the chain. Views are redacted; exact bytes are blobs that it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// When, as the clock port told it.
    pub at: Timestamp,
    /// What it tells.
    pub kind: EntryKind,
    /// The facts.
    pub data: Value,
}

/// Where entries name blobs: the kind, and the dotted path of the member that holds a hash or a list of them.
///
/// Nothing that comes from outside ever stands in these places, so nobody can make the journal name what is not there.
const NAMES_OF_BLOBS: [(&str, &str); 20] = [
    ("turn.began", "kept"),
    ("task.received", "whole"),
    ("brief.made", "brief"),
    ("catalogue.pinned", "catalogue"),
    ("process.chosen", "file"),
    ("tool.read", "result.answered"),
    ("plan.made", "kept"),
    ("history.seen", "history"),
    ("model.found", "result"),
    ("definitions.known", "definition"),
    ("process.synthesized", "definition"),
    ("function.synthesized", "definition"),
    ("approval.asked", "card"),
    ("approval.channel", "result.answered"),
    ("write.intent", "sent"),
    ("write.intent", "before"),
    ("write.outcome", "called.answered"),
    ("write.verified", "seen"),
    ("run.answered", "answer"),
    ("run.ended", "answer"),
];
/// What the last entry of a turn is called.
pub(crate) const TURN_ENDED: &str = "turn.ended";

impl Entry {
    /// The blobs that it names, in the order of its kind's members.
    pub fn blobs(&self) -> Vec<BlobHash> {
        // The end of a turn names what none of its other entries did.
        let rest = (TURN_ENDED, "kept");
        let places = NAMES_OF_BLOBS.iter().chain([&rest]).filter(|(kind, _)| *kind == self.kind);
        let named = places
            .filter_map(|(_, path)| path.split('.').try_fold(&self.data, |value, member| value.get(member)));
        let hash = |value: &Value| value.as_str().and_then(|text| Digest::parse(text).ok()).map(BlobHash);
        named
            .flat_map(|value| match value {
                Value::Array(several) => several.iter().filter_map(hash).collect::<Vec<_>>(),
                one => hash(one).into_iter().collect(),
            })
            .collect()
    }

    /// The digest of the checkpoint that this turn saved, if it is the end of one that did.
    pub fn saved(&self) -> Option<Digest> {
        let told = self.data.get("saved").filter(|_| self.kind == TURN_ENDED)?;
        told.as_str().and_then(|text| Digest::parse(text).ok())
    }
}

/// An entry in its place in the chain of its session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// The session.
    pub session: SessionId,
    /// Its place, from 1, without gaps.
    pub seq: u64,
    /// The hash of the entry before it; the first one names the session's digest.
    pub prev: Digest,
    /// SHA-256 over session, place, `prev` and the entry in canonical form.
    pub hash: Digest,
    /// What happened.
    pub entry: Entry,
}

/// A session at a glance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRow {
    /// The session.
    pub session: SessionId,
    /// A short summary that the last turn saved with the checkpoint.
    pub summary: Value,
    /// When it began.
    pub began: Timestamp,
    /// When it last changed.
    pub changed: Timestamp,
    /// How many journal entries it has.
    pub entries: u64,
    /// Set when the engine gave up on an event of this session: it runs no further turn until a person says how to go on.
    pub stuck: Option<Stuck>,
    /// What was said to it, in order, as far as the turn of it has not ended.
    #[serde(default)]
    pub queued: Vec<Event>,
}

/// Why a session runs no further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stuck {
    /// What the last try of the event said.
    pub reason: String,
    /// How often the event was begun.
    pub attempts: u32,
}

/// What looks at sessions one by one.
pub type ShowRow = Box<dyn FnMut(SessionRow) + Send>;

/// Reads sessions and their journals.
///
/// # Contract
///
/// - Entries come in the order of the chain, and each was verified against the one before it.
/// - `changed` ends when a session may have entries beyond `seq`; it may end early, never late.
pub trait Events: Send + Sync {
    /// At most `limit` entries after `seq`.
    fn since<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Recorded>, EngineError>>;

    /// Waits for entries after `seq`.
    fn changed<'a>(&'a self, session: &'a SessionId, seq: u64) -> BoxFuture<'a, Result<(), EngineError>>;

    /// At most `limit` sessions, the last changed first, after `cursor`.
    fn sessions<'a>(
        &'a self,
        cursor: Option<&'a SessionId>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<SessionRow>, EngineError>>;

    /// Shows every session once, the last changed first, as all of them are at one moment.
    fn each<'a>(&'a self, mut show: ShowRow) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(async move {
            self.sessions(None, usize::MAX).await?.into_iter().for_each(&mut show);
            Ok(())
        })
    }

    /// One session at a glance.
    fn session<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<SessionRow>, EngineError>>;
}
