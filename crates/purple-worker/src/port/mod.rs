//! What the worker asks of the outside world, one trait a file, each with its contract.

mod blobs;
mod brake;
mod clock;
mod definitions;
mod directory;
mod figures;
mod function;
mod inbox;
mod journal;
mod memory;
mod models;
mod outbox;
mod pause;
mod sandbox;
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
pub use definitions::{
    DEFINITION_BYTES_MAX, DEFINITIONS_MAX, Defined, DefinitionKind, Definitions, NOT_MADE, Origin,
    Redefinition, Signed,
};
pub use directory::Directory;
pub use figures::{Figures, Learned, Placed, Tried};
pub use function::{
    Arguments, BadSignature, CASES_MAX, CHOICES_MAX, CODE_BYTES_MAX, Case, Datum, Domain, FunctionHash,
    LIST_ITEMS_MAX, Outcome, PARAMETERS_MAX, PLACES_MAX, Parameter, Program, RECORD_FIELDS_MAX, REFUSALS_MAX,
    Shape, Signature, TEXT_BYTES_MAX, VALUE_LEVELS_MAX, WORD_CHARS_MAX,
};
pub use inbox::{DedupKey, Inbox, Post, Posted};
pub use jiff::Timestamp;
pub use jiff::civil::Date;
pub(crate) use journal::TURN_ENDED;
pub use journal::{Entry, EntryKind, Events, Recorded, SessionRow, ShowRow, Stuck};
pub use memory::{Check, Citation, Entity, Fact, Lesson, Logged, Memory, PastCase, Ranked, Scored, Whose};
pub use models::Models;
pub use outbox::{Delivery, Notice, Outbox};
pub use pause::Pause;
pub use purple_finance::{
    CalendarError, Exact, NumberError, Rounding, add_days, add_months, days_between, end_of_month, parse_date,
};
pub use purple_process::{
    Annotations, BadDigest, BadName, Call, Digest, Effect, Ending, Json, OperationKey, Pass, PersonId,
    PlanHash, Role, SessionId, Spent, State, StepId, ToolName, Values,
};
pub use sandbox::{Admission, CallFault, NotAdmitted, Sandbox, Seen, Trial};
pub use tokens::{DoorRole, Token, Tokens};
pub use tools::{
    Answers, Asked, BadArguments, CallOptions, Called, Definition, KeyPlace, Listing, Question, Still, Tools,
    ToolsAt, ToolsDown,
};
pub use turn::{Checkpoint, Claim, EngineError, Halt, Handler, StepFailed, Turn, TurnFailed};
pub use watchers::{MOVED_KIND, Moved, Watcher, Watchers};
