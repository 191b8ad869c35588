//! What the worker asks of the outside world, one trait a file, each with its contract.

mod blobs;
mod brake;
mod clock;
mod directory;
mod figures;
mod inbox;
mod journal;
mod memory;
mod outbox;
mod pause;
mod tokens;
mod tools;
mod turn;
mod watchers;

// Adapters know this room only; what they need of the rooms below comes through here.
pub use agent_runtime::model::{
    BoxFuture, FinishReason, Message, Model, ModelError, ModelReply, ModelRequest, Purpose, Sampling,
    ToolCall, ToolDefinition, Usage,
};
pub use blobs::{BlobHash, Blobs};
pub use brake::Brake;
pub use clock::Clock;
pub use directory::Directory;
pub use figures::{Arm, Figures, Learned, Placed};
pub use inbox::{DedupKey, Inbox, Post, Posted};
pub use journal::{Entry, EntryKind, Events, Recorded, SessionRow, Stuck};
pub use memory::{Entity, Memory, PastCase};
pub use outbox::{Delivery, Notice, Outbox};
pub use pause::Pause;
pub use purple_process::{
    Annotations, BadDigest, BadName, Call, Digest, Effect, Ending, Json, OperationKey, Pass, PersonId,
    PlanHash, Role, SessionId, Spent, State, StepId, ToolName, Values,
};
pub use tokens::{DoorRole, Token, Tokens};
pub use tools::{
    BadArguments, CallOptions, Called, Definition, KeyPlace, Listing, Tools, ToolsAt, ToolsDown,
};
pub use turn::{Checkpoint, Claim, EngineError, Halt, Handler, StepFailed, Turn, TurnFailed};
pub use watchers::{MOVED_KIND, Moved, Watcher, Watchers};
