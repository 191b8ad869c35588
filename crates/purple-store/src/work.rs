//! What the writer is asked to write.

use std::collections::BTreeMap;

use purple_journal::chain::Head;
use purple_port::{
    Claim, DedupKey, Delivery, Digest, Effect, EngineError, Halt, Lesson, PersonId, Posted, Redefinition,
    SessionId, ToolName,
};
use ring::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};

use crate::learning::NewAct;
use crate::pack::Stored;
use crate::time::Micros;
use crate::tokens::{NewToken, Revocation};
use crate::watchers::NewWatcher;

/// A session's row in the database, and the name that the world knows it by.
#[derive(Clone, Debug)]
pub(crate) struct SessionKey {
    pub(crate) id: i64,
    pub(crate) name: SessionId,
}

/// A text and the digest that shows whether it changed on disk.
#[derive(Clone, Debug)]
pub(crate) struct Sealed {
    pub(crate) text: String,
    pub(crate) digest: Digest,
}

impl Sealed {
    pub(crate) fn new(text: String) -> Self {
        let digest = Digest::of(text.as_bytes());
        Self { text, digest }
    }

    /// What was stored, if it is still what was stored.
    pub(crate) fn check(self, what: &'static str) -> Result<String, EngineError> {
        if Digest::of(self.text.as_bytes()) == self.digest {
            return Ok(self.text);
        }
        Err(EngineError::Damaged { what, detail: "its digest does not match".to_owned() })
    }
}

/// About how long the body of a case is.
const CASE_BODY_BYTES: usize = 1024;

/// One piece of work. All of it is kept, or nothing.
#[derive(Debug)]
pub(crate) enum Work {
    /// An event from outside.
    Post(NewPost),
    /// A turn begins.
    Begin { event: i64 },
    /// What a turn makes durable before it ends.
    Durable(Batch),
    /// A turn wants a business key for its session.
    Claim(NewClaim),
    /// A turn ends.
    End(Box<TurnEnd>),
    /// A turn failed.
    Failed(TurnFailure),
    /// A turn was dropped because the engine stops.
    Dropped { event: i64 },
    /// A person says how a stuck session goes on.
    Unstick(NewUnstick),
    /// The operator stops one process or all of them.
    Halt(NewHalt),
    /// The operator ends a stop.
    Resume { process: Option<String>, by: PersonId },
    /// A caller from outside gets a token.
    KeepToken(NewToken),
    /// A token is taken back.
    RevokeToken(Revocation),
    /// A program starts with these settings.
    RecordSettings(Box<NewSettings>),
    /// An operator accepts the definitions of tools.
    RecordPins { pins: Vec<ToolPin>, by: PersonId },
    /// A process or a function that was not shipped is changed.
    Redefine(Box<Redefinition>),
    /// Somebody wants to be told when a session moves.
    Watch(NewWatcher),
    /// Somebody does not want that any more.
    Unwatch { session: SessionId, id: String },
    /// An operator does something to what was learned.
    Learning(NewAct),
    /// What became of a notice.
    Told(Told),
    /// Old scratch is thrown away.
    Prune { steps_before: Micros },
    /// The last work of all.
    Close,
}

impl Work {
    /// Promises nothing to anybody: may wait for the sync of a commit that does.
    pub(crate) fn rides(&self) -> bool {
        match self {
            Self::Begin { .. } | Self::Dropped { .. } | Self::Told(_) | Self::Prune { .. } => true,
            Self::Post(_)
            | Self::Durable(_)
            | Self::Claim(_)
            | Self::End(_)
            | Self::Failed(_)
            | Self::Unstick(_)
            | Self::Halt(_)
            | Self::Resume { .. }
            | Self::KeepToken(_)
            | Self::RevokeToken(_)
            | Self::RecordSettings(_)
            | Self::RecordPins { .. }
            | Self::Redefine(_)
            | Self::Watch(_)
            | Self::Unwatch { .. }
            | Self::Learning(_)
            | Self::Close => false,
        }
    }

    /// Takes in something new, which can wait outside while there is no room.
    pub(crate) fn is_intake(&self) -> bool {
        matches!(self, Self::Post(_) | Self::KeepToken(_) | Self::Watch(_))
    }

    /// About how many bytes it writes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Durable(batch) => batch.bytes(),
            Self::End(end) => end.bytes(),
            Self::Post(post) => post.event.event.text.len(),
            Self::Begin { .. }
            | Self::Claim(_)
            | Self::Failed(_)
            | Self::Dropped { .. }
            | Self::Unstick(_)
            | Self::Halt(_)
            | Self::Resume { .. }
            | Self::KeepToken(_)
            | Self::RevokeToken(_)
            | Self::RecordSettings(_)
            | Self::RecordPins { .. }
            | Self::Redefine(_)
            | Self::Watch(_)
            | Self::Unwatch { .. }
            | Self::Learning(_)
            | Self::Told(_)
            | Self::Prune { .. }
            | Self::Close => 0,
        }
    }
}

#[derive(Debug)]
pub(crate) struct NewPost {
    pub(crate) session: SessionId,
    pub(crate) dedup: DedupKey,
    pub(crate) event: NewEvent,
    /// The summary of the session, if this makes it.
    pub(crate) summary: String,
    pub(crate) now: Micros,
}

#[derive(Debug)]
pub(crate) struct NewEvent {
    /// [`NewEvent::AT_ONCE`], or a time.
    pub(crate) due: Micros,
    /// The name of a timer, if it is one.
    pub(crate) timer: Option<String>,
    pub(crate) event: Sealed,
}

impl NewEvent {
    pub(crate) const AT_ONCE: Micros = 0;
}

#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) session: SessionKey,
    pub(crate) event: i64,
    /// The head that the database must have now.
    pub(crate) from: Head,
    pub(crate) links: Vec<NewEntry>,
    pub(crate) steps: Vec<NewStep>,
    pub(crate) blobs: Vec<NewBlob>,
    pub(crate) now: Micros,
}

impl Batch {
    pub(crate) fn to(&self) -> Head {
        self.links.last().map_or(self.from, |link| link.head)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.links.is_empty() && self.steps.is_empty() && self.blobs.is_empty()
    }

    fn bytes(&self) -> usize {
        let links: usize = self.links.iter().map(|link| link.text.len()).sum();
        let steps: usize = self.steps.iter().map(|step| step.value.text.len()).sum();
        let blobs: usize = self.blobs.iter().map(|blob| blob.bytes.len()).sum();
        links.saturating_add(steps).saturating_add(blobs)
    }
}

/// An entry in its place.
#[derive(Debug)]
pub(crate) struct NewEntry {
    pub(crate) head: Head,
    pub(crate) text: Stored<String>,
}

#[derive(Debug)]
pub(crate) struct NewStep {
    pub(crate) name: String,
    pub(crate) value: Sealed,
}

#[derive(Debug)]
pub(crate) struct NewBlob {
    pub(crate) hash: Digest,
    pub(crate) bytes: Stored<Vec<u8>>,
}

#[derive(Debug)]
pub(crate) struct TurnEnd {
    pub(crate) batch: Batch,
    pub(crate) checkpoint: Option<NewCheckpoint>,
    pub(crate) follow_ups: Vec<NewEvent>,
    /// Events for other sessions.
    pub(crate) posts: Vec<NewPost>,
    pub(crate) notices: Vec<String>,
    /// Keys that the session gives back.
    pub(crate) released: Vec<String>,
    pub(crate) lessons: Vec<Lesson>,
}

impl TurnEnd {
    fn bytes(&self) -> usize {
        let cases = self.lessons.iter().filter_map(|lesson| lesson.case.as_ref());
        let cases: usize = cases.map(|case| case.text.len().saturating_add(CASE_BODY_BYTES)).sum();
        self.batch.bytes().saturating_add(cases)
    }
}

#[derive(Debug)]
pub(crate) struct NewClaim {
    pub(crate) session: SessionKey,
    pub(crate) key: String,
    pub(crate) now: Micros,
}

#[derive(Debug)]
pub(crate) struct NewHalt {
    pub(crate) halt: Halt,
    /// The same as JSON.
    pub(crate) stored: Sealed,
}

/// The settings of a program that starts.
#[derive(Debug)]
pub(crate) struct NewSettings {
    pub(crate) settings: BTreeMap<String, String>,
    pub(crate) by: Option<PersonId>,
}

/// A pin that is written into the configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolPin {
    /// The server that offers the tool.
    pub server: String,
    /// The tool.
    pub tool: ToolName,
    /// The digest of its definition.
    pub digest: Digest,
    /// The effect that is written with the pin; `None` if the file already states one.
    pub effect: Option<Effect>,
}

#[derive(Debug)]
pub(crate) struct NewCheckpoint {
    pub(crate) schema: u32,
    pub(crate) body: Stored<String>,
    pub(crate) summary: String,
    pub(crate) digest: Digest,
}

impl NewCheckpoint {
    pub(crate) fn new(schema: u32, body: String, summary: String) -> Self {
        let digest = checkpoint_digest(schema, &body, &summary);
        Self { schema, body: Stored::of(body), summary, digest }
    }
}

/// Shows whether any part of a checkpoint changed on disk.
pub(crate) fn checkpoint_digest(schema: u32, body: &str, summary: &str) -> Digest {
    let mut context = Context::new(&SHA256);
    for part in [schema.to_string().as_bytes(), b"\n", summary.as_bytes(), b"\n", body.as_bytes()] {
        context.update(part);
    }
    finish(context)
}

/// The digest of what was put into `context`.
pub(crate) fn finish(context: Context) -> Digest {
    let mut bytes = [0; 32];
    bytes.iter_mut().zip(context.finish().as_ref()).for_each(|(to, from)| *to = *from);
    Digest::from_bytes(bytes)
}

#[derive(Debug)]
pub(crate) struct TurnFailure {
    pub(crate) session: SessionKey,
    pub(crate) event: i64,
    pub(crate) reason: String,
    pub(crate) next: AfterFailure,
    pub(crate) now: Micros,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterFailure {
    Again { wake_at: Micros },
    Stuck,
}

/// How a stuck session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unstick {
    /// The event is run again, with all its tries.
    Retry,
    /// The event is left out; the next one runs.
    Skip,
}

#[derive(Debug)]
pub(crate) struct NewUnstick {
    pub(crate) session: SessionId,
    pub(crate) how: Unstick,
    pub(crate) by: PersonId,
    pub(crate) now: Micros,
}

#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) id: i64,
    pub(crate) delivery: Delivery,
    /// When to try again, if that is to be.
    pub(crate) wake_at: Option<Micros>,
}

/// What became of a piece of work.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Done {
    Written,
    Posted(Posted),
    /// Who has the key now.
    Claimed(Claim),
    /// There was nothing to unstick, or no stop to end.
    Nothing,
    /// How much of what was learned came or went.
    Learned(purple_port::Imported),
    /// Whether there is more to throw away.
    Pruned {
        more: bool,
    },
}

/// What others want to know once it is committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// A session has something to run at this time.
    Wake { session: i64, at: Micros },
    /// The journal of a session grew.
    Grew { session: SessionId },
    /// There is a notice to deliver.
    Notice,
}
