//! The worker takes a task in plain words through four arrows: prime, execute, reflect, store.
//!
//! A session is data and a turn is short: one [`Event`] runs one turn under a single writer per session, moves
//! the process machine, saves, and ends. Everything that a turn needs from its surroundings is a port.

mod flow;
mod settings;

mod session;

mod prime;

mod execute;

mod drive;
mod strategy;

pub mod learn;

mod synthesis;

mod reflect;

mod store;

mod replay;

mod dossier;
mod run;
mod scribe;
mod shelf;

mod amount;
pub mod audit;
pub mod card;
mod client;
mod conversation;
pub mod document;
#[cfg(test)]
mod fixture;
mod observe;
mod propose;
mod shipped;
mod toolbox;

pub(crate) use purple_port::{event, shown as outside, view};

pub use purple_port as port;
pub use purple_port::WorkerHandle;
pub use purple_port::client::{ClientError, WorkerClient};
pub use purple_port::command::{Action, Awaited, Cancelled, Choice, Command, Receipt, Reviewed, Words};
pub use purple_port::limits;

pub use card::Card;
pub use client::Client;
pub use event::{
    Called, Channel, Edit, Event, Message, PrivacyCode, Refused, Sent, Settlement, Start, Verdict,
};
pub use execute::catalogue::{Manifest, Mapped, ServerStated, Stated, ToolId};
pub use execute::small_talk::small_talk;
pub use flow::Worker;
pub use outside::Shown;
pub use prime::{ReadAs, redact, redact_json};
pub use propose::{BindingState, CallProposal, propose_bindings};
pub use replay::{Archive, Difference, NoReplay, Replayed, replay};
pub use settings::{Access, LimitBy, ModelLimits, Notices, Policy, Ports, Process, Settings, Standing};
pub use shipped::{Shipped, ShippedTool};
pub use synthesis::{
    Caveats, Drafted, NoDraft, PermittedBy, Unfit, Workshop, draft_from_run, in_effect, taken_name,
};
pub use toolbox::{Statement, ToolRow, toolbox};
pub use view::{
    Answer, AnswerData, FurtherRun, Mutation, NotStarted, OpenApproval, OpenDoubt, PolicyResult, RunView,
    Status, Summary, Wanted, Witness,
};
