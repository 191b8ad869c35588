//! The traits that adapters implement, the events that start a turn, what is shown of a run, and the limits of all
//! sides.
//!
//! Each trait states its contract. An adapter depends on this crate and not on the worker, so it cannot call worker
//! logic, and a change of worker logic does not recompile it.
//!
//! ```
//! use purple_port::{Clock, Timestamp};
//!
//! struct FixedClock(Timestamp);
//!
//! impl Clock for FixedClock {
//!     fn now(&self) -> Timestamp {
//!         self.0
//!     }
//! }
//!
//! assert_eq!(FixedClock(Timestamp::UNIX_EPOCH).now(), Timestamp::UNIX_EPOCH);
//! ```

// `Message` and `Called` of an event have namesakes among the re-exports, so events are used by their module.
pub mod event;
pub mod limits;

// What people and programs see of a run, and what clients exchange with the worker.
pub mod card;
pub mod client;
pub mod command;
pub mod shown;
pub mod view;

mod accepted;
mod blobs;
mod brake;
mod clock;
mod definitions;
mod directory;
mod error;
mod figures;
mod function;
mod handle;
mod inbox;
mod journal;
mod memory;
mod models;
mod outbox;
mod pause;
mod sandbox;
mod seed;
mod tokens;
mod tools;
mod turn;
pub mod untrusted;
mod watchers;

pub use accepted::AcceptedTask;
pub use blobs::Blobs;
pub use brake::Brake;
pub use client::{ClientError, WorkerClient};
pub use clock::Clock;
pub use command::{Awaited, AwaitedEvent, Command, Receipt};
pub use definitions::{
    DEFINITION_BYTES_MAX, DEFINITIONS_MAX, Defined, Definitions, NOT_MADE, Origin, Redefinition, Signed,
};
pub use directory::Directory;
pub use error::{EngineError, StepFailed};
pub use event::Event;
pub use figures::{Figures, Learned, Placed, Tried};
pub use function::{
    Arguments, BadSignature, CASES_MAX, CHOICES_MAX, CODE_BYTES_MAX, Case, Datum, Domain, FunctionHash,
    LIST_ITEMS_MAX, Outcome, PARAMETERS_MAX, PLACES_MAX, Parameter, Program, RECORD_FIELDS_MAX, REFUSALS_MAX,
    Shape, Signature, TEXT_BYTES_MAX, VALUE_LEVELS_MAX, WORD_CHARS_MAX,
};
pub use handle::WorkerHandle;
pub use inbox::{DedupKey, Inbox, Post, Posted};
pub use journal::{Events, SessionRow, ShowRow, Stuck};
pub use memory::{
    Check, Citation, Entity, Fact, LOG_CASES_MAX, Lesson, Logged, Memory, PastCase, Ranked, Scored, Whose,
};
pub use models::Models;
pub use outbox::{Delivery, Notice, Outbox};
pub use pause::Pause;
pub use sandbox::{Admission, CallFault, NotAdmitted, Sandbox, Seen, Trial};
pub use seed::{Carried, Forget, Imported, Seed};
pub use tokens::{DoorRole, Token, Tokens};
pub use tools::{
    Answers, Asked, BadArguments, CallOptions, Called, Definition, KeyPlace, Listing, Question, Still, Tools,
    ToolsAt, ToolsDown,
};
pub use turn::{Checkpoint, Claim, Halt, Handler, Turn, TurnFailed};
pub use watchers::{MOVED_KIND, Moved, Watcher, Watchers};

// Adapters do not depend on layer 0; these are its types that occur in the traits.
pub use agent_runtime::model::{
    BoxFuture, FinishReason, Message, Model, ModelError, ModelReply, ModelRequest, Purpose, Sampling,
    ToolCall, ToolDefinition, Usage,
};
pub use jiff::Timestamp;
pub use jiff::civil::Date;
pub use purple_finance::{
    CalendarError, Exact, NumberError, Rounding, add_days, add_months, days_between, end_of_month, parse_date,
};
pub use purple_journal::strategy::{Arm, POINTS_MAX, Tally};
pub use purple_journal::word::DefinitionKind;
pub use purple_journal::{BlobHash, Entry, Record, Recorded, redact, redact_json};
pub use purple_process::preview;
pub use purple_process::{
    Annotations, BadDigest, BadName, Call, Digest, Effect, Ending, Json, OperationKey, Pass, PersonId,
    PlanHash, Role, SessionId, Spent, State, StepId, ToolName, Values,
};
