//! What may happen next: the process machine, the gate, plans, grants and process files.
//!
//! Permission is a value here. A session walks a lawful route by facts; a plan is judged; a grant follows from the
//! ruling or from named people; and the gate gives a [`Pass`] for exactly one call, which dispatch uses up.
//!
//! ```
//! use purple_process::{Arithmetic, Call, Declared, Fact, Grant, Json, Route, SessionId, State, Tool, ToolName};
//! use purple_process::{Values, Walk, gate};
//!
//! let walk = Walk::new(SessionId::parse("ses_1")?, Route::question(Arithmetic::None));
//! let walk = walk.after(Fact::Decomposed)?;
//! assert_eq!(walk.state(), State::Assess);
//!
//! let call = |name: &str| -> Result<Call, Box<dyn std::error::Error>> {
//!     let tool = Tool::new(ToolName::parse(name)?, &Json::Null, Declared::NOTHING);
//!     Ok(Call::new(&tool, Values::new()))
//! };
//! let now = "2026-01-31T10:00:00Z".parse()?;
//! let pass = gate(walk.position(), call("get_invoice")?, Grant::nothing(), now)?;
//! assert_eq!(pass.into_call().0.tool().as_str(), "get_invoice");
//!
//! let refusal = gate(walk.position(), call("get_and_delete_invoice")?, Grant::nothing(), now).unwrap_err();
//! assert_eq!(
//!     refusal.to_string(),
//!     "`get_and_delete_invoice` (write) is refused in ASSESS: this state has no such power"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The machine and where a session stands in it.
mod machine;
mod route;
mod walk;

// Tools and what they do to the world.
mod effect;
mod evidence;
mod graphql;
mod hosts;
mod messages;
mod nouns;
mod opening;
mod parameter;
mod percall;
mod products;
mod proof;
mod purpose;
mod selector;
mod sql;
mod tool;
mod verbs;
mod words;

// Exact values and their canonical form.
pub mod canonical;
mod door;
mod id;
mod json;
mod name;

// What will be done.
mod headline;
mod operation;
mod order;
mod plan;

// Who allowed it.
mod embedded;
mod grant;
mod judge;
mod people;
mod progress;
mod provenance;
mod said;

// The yes to one call.
mod gate;

// Processes as files.
mod classify;
mod describe;
mod diagram;
pub mod fact;
pub mod file;
pub mod playbook;
mod schema;
pub mod system;

#[cfg(test)]
mod fixture;

pub use canonical::{BadDigest, Digest, NotCanonical};
pub use classify::{Candidate, Classified, classify, is_question};
pub use describe::{describe, page};
pub use diagram::{diagram, route_diagram};
pub use effect::{Class, Effect};
pub use evidence::{Annotations, DecidedBy, Declared, Offered, Trust, vendor_words};
pub use gate::{ApprovalChannel, Pass, Refusal, Spent, Why, ask, gate, resend};
pub use grant::{
    ApprovedPlan, Basis, ClockReading, Evidence, Grant, GrantRefused, Next, Standing, may_decide, restore,
};
pub use headline::hides;
pub use hosts::{BadHostPattern, HostPattern};
pub use id::{BadName, PersonId, Role, SessionId, StepId, ToolName};
pub use json::{BadJson, Json, Number, Values};
pub use judge::{
    Approvals, AtOnce, Attendance, EarlierInTurn, Levels, Mode, OperationRuling, PlanRuling, Ruling,
    Unjudged, Voice, judge,
};
pub use machine::{
    Ending, Event, IllegalMove, Landing, MOVES, Move, Need, STATES, State, StateRow, Tier, lawful, step,
};
pub use operation::{
    Argument, Arguments, Check, DoneBefore, Earlier, Operation, Reference, Repeat, Seen, ToolUse,
};
pub use order::{Confirmation, NotAnOrder, Order, OrderMismatch, Ordered, Request};
pub use parameter::Language;
pub use people::{
    Answer, At, Channel, Decision, Directory, NotCounted, OwnRequests, Person, Requirement, Who,
};
pub use percall::ByArgument;
pub use plan::{BadPlan, BadRound, OperationKey, Pin, Plan, PlanDraft, PlanHash, Round, Version};
pub use progress::{BadSettlement, Outcome, Ran, Started};
pub use provenance::{Sources, Unfounded, is_free_text, may_be_made, unfounded};
pub use purple_policy::preview;
pub use route::{Arithmetic, Route, RouteFlaw, UnlawfulRoute};
pub use said::{Answered, Said, read_answer, read_message};
pub use schema::schema;
pub use sql::{SQL_BYTES_MAX, plainly_reads};
pub use tool::{Call, Tool};
pub use walk::{Fact, Misstep, Position, Walk};
pub use words::asks_somebody;
