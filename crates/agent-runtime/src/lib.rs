//! A formal agent loop that is plain data: ask it what it needs, tell it what happened.
//!
//! ```text
//! INTAKE → PLAN → DECIDE → EXECUTE ⇄ (OBSERVE → LOOP_CHECK) → FINALIZE | HALT
//! ```
//!
//! A language model proposes; this machine decides. Which move may follow which is one constant table. Tools run in one
//! state only, a model cannot make the loop go on beyond its limits, and every move is in the history with its reason.
//! The loop does no I/O: it can be stored after any step, continued on another machine, replayed and property-tested.
//!
//! # Ask and tell
//!
//! ```
//! use std::time::Duration;
//! use agent_runtime::model::{ModelReply, ToolCall, ToolDefinition};
//! use agent_runtime::{AgentRun, Ask, Ending, Permissive, Setup, Told};
//! use serde_json::json;
//!
//! let mut setup = Setup::new("How many boxes are in hall 3?");
//! setup.tools = vec![ToolDefinition::new("count_boxes", "counts the boxes of a hall")];
//! let mut run = AgentRun::start(setup, &Permissive)?;
//!
//! let answer = loop {
//!     let told = match run.ask() {
//!         // A program would call its model here. This one asks for the tool first and answers then.
//!         Ask::Model(request) if request.messages.len() == 1 => {
//!             let call = ToolCall { id: "1".into(), name: "count_boxes".into(), arguments: json!({ "hall": 3 }) };
//!             Told::Reply(ModelReply::calls(vec![call]))
//!         }
//!         Ask::Model(_) => Told::Reply(ModelReply::text("There are 12 boxes.")),
//!         // A program would run its tools here.
//!         Ask::Tools(due) => Told::Results(due.into_iter().map(|call| call.answer(Ok(json!(12)))).collect()),
//!         Ask::Stop(Ending::Finished(finished)) => break finished.answer,
//!         Ask::Stop(Ending::Halted(cause)) => return Err(cause.into()),
//!     };
//!     run.tell(told, Duration::from_millis(40), &Permissive)?;
//!
//!     // Plain data: stored here and continued elsewhere, it gives the same answer.
//!     run = serde_json::from_str(&serde_json::to_string(&run)?)?;
//! };
//!
//! assert_eq!(answer, "There are 12 boxes.");
//! let path: Vec<&str> = run.history().iter().map(|step| step.to.name()).collect();
//! assert_eq!(path, ["PLAN", "DECIDE", "EXECUTE", "OBSERVE", "LOOP_CHECK", "EXECUTE", "FINALIZE"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is what
//!
//! | name | is |
//! |---|---|
//! | [`AgentRun`] | one run, as data; [`AgentRun::ask`] and [`AgentRun::tell`] |
//! | [`Setup`], [`Limits`] | what a run starts with, and what it may use |
//! | [`Planner`] | where plans come from: a schema and a prompt builder, or a rule |
//! | [`Policy`] | the caller's say on plan, decision, continuation, convergence and fatal errors |
//! | [`ToolRegistry`], [`Executor`] | tools by name, and what runs them once the loop requests it |
//! | [`State`], [`ProgressTracker`] | what a run knows, and whether it gets anywhere |
//! | [`AuditLog`] | who receives every move, refusal and ending |
//! | [`Driver`] | the thin async driver that does what a run asks for |
//! | [`AgentFsm`], [`Agent`] | the formal agent with inspection, and the simple one without |
//! | [`model::Model`] | a language model; the provider's client implements it, retries included |
//! | [`machine::LOOP`] | the table of moves |
//!
//! The loop as a specification, with the laws it keeps, is in `docs/spec/agent-loop.md`.

// The machine: a table of moves, the states, what was taken.
mod history;
mod states;
mod table;

// What is said to a model, and JSON in general.
mod json;
pub mod model;

// The caller's parts.
mod audit;
mod limits;
mod planner;
mod policy;
mod progress;
mod tools;

// One run: what it starts with, knows and ends with.
mod ending;
mod setup;
mod state;

// The loop: ask and tell, the checks between its moves, its stored form.
mod guards;
mod inspect;
mod r#loop;
mod request;
mod saved;
mod turn;

// Those who do what it asks for.
mod agent;
mod driver;
mod fsm;

// Its picture.
mod spec;

pub use agent::Agent;
pub use audit::{AuditLog, MemoryAuditLog, NoAuditLog};
pub use driver::{Clock, Driver, StoppedClock};
pub use ending::{Ending, Finished, Halt};
pub use fsm::{AgentError, AgentFsm};
pub use limits::Limits;
pub use r#loop::AgentRun;
pub use planner::{Decision, Outline, Planner};
pub use policy::{Permissive, Policy, Violation};
pub use progress::{ProgressTracker, Signal};
pub use setup::Setup;
pub use state::State;
pub use tools::{Executor, Requested, ToolError, ToolRegistry, ToolResult};
pub use turn::{Ask, Interruption, LoopError, Told};

// The root holds what a caller writes. What it only meets inside those stands in two modules, so that the front page
// stays one screen; `model` is public because a provider's client uses it and nothing else.

pub mod machine {
    //! The machine itself: the generic table, the eight states, their moves, and their picture.

    pub use crate::history::Transition;
    pub use crate::spec::{refresh_spec, spec_blocks};
    pub use crate::states::{LOOP, Needs, Phase};
    pub use crate::table::{IllegalMove, Move, Table};
}

pub mod detail {
    //! What the parts of a run are made of: the choices of a setup, the entries of a state and of the audit, and the
    //! facts inside errors.

    pub use crate::audit::{AuditEntry, AuditEvent};
    pub use crate::ending::{AnswerSource, Because, SummaryFault};
    pub use crate::json::BadSchema;
    pub use crate::planner::{BadAnswer, Deciding, Planning};
    pub use crate::policy::Checkpoint;
    pub use crate::saved::BadRun;
    pub use crate::setup::{BadSetup, Finishing, Opening};
    pub use crate::state::{Observation, Spent};
    pub use crate::tools::BadTool;
}
