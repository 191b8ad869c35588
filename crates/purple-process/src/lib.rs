//! What may happen next: the process machine, the gate, plans, grants and process files.

mod canonical;
mod classify;
mod describe;
mod diagram;
mod door;
mod effect;
pub mod file;
mod gate;
mod grant;
mod headline;
mod id;
mod json;
mod judge;
mod machine;
mod operation;
mod people;
mod plan;
pub mod playbook;
mod progress;
mod route;
mod said;
mod schema;
mod tool;
mod verbs;
mod walk;
mod words;

#[cfg(test)]
mod fixture;

pub use canonical::{BadDigest, Digest, NotCanonical};
pub use classify::{Candidate, Classified, classify, is_question};
pub use describe::{describe, page};
pub use diagram::{diagram, route_diagram};
pub use effect::Effect;
pub use gate::{Pass, Refusal, Spent, Why, gate, resend};
pub use grant::{ApprovedPlan, Basis, ClockReading, Evidence, Grant, GrantRefused, Next, Standing, restore};
pub use id::{BadName, PersonId, Role, SessionId, StepId, ToolName};
pub use json::{BadJson, Json, Number, Values};
pub use judge::{
    Approvals, AtOnce, Attendance, EarlierInTurn, Mode, OperationRuling, PlanRuling, Ruling, Unjudged, judge,
};
pub use machine::{
    Ending, Event, IllegalMove, Landing, MOVES, Move, Need, STATES, State, StateRow, Tier, lawful, step,
};
pub use operation::{Argument, Arguments, Check, Operation, Reference, Repeat, Seen, ToolUse};
pub use people::{Answer, Channel, Decision, Directory, NotCounted, OwnRequests, Person, Requirement, Who};
pub use plan::{BadPlan, BadRound, OperationKey, Pin, Plan, PlanDraft, PlanHash, Round, Version};
pub use progress::{BadSettlement, Outcome, Started};
pub use route::{Arithmetic, Route, RouteFlaw, UnlawfulRoute};
pub use said::{Said, read_message};
pub use schema::schema;
pub use tool::{Annotations, Call, DecidedBy, Declared, Tool, Trust};
pub use walk::{Fact, Misstep, Position, Walk};
