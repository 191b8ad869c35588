//! What the worker asks of the outside world, one trait a file, each with its contract.

mod blobs;
mod clock;
mod inbox;
mod journal;
mod outbox;
mod turn;

// Adapters know this room only; what they need of the rooms below comes through here.
pub use agent_runtime::model::BoxFuture;
pub use blobs::{BlobHash, Blobs};
pub use clock::Clock;
pub use inbox::{DedupKey, Inbox, Post, Posted};
pub use journal::{Entry, EntryKind, Events, Recorded, SessionRow, Stuck};
pub use outbox::{Delivery, Notice, Outbox};
pub use purple_process::{BadDigest, BadName, Digest, PersonId, PlanHash, SessionId, StepId};
pub use turn::{Checkpoint, EngineError, Handler, StepFailed, Turn, TurnFailed};
