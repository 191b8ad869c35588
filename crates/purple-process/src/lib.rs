//! What may happen next: the process machine, the gate, plans, grants and process files.

mod canonical;
mod classify;
mod door;
mod effect;
mod file;
mod id;
mod json;
mod machine;
mod operation;
mod plan;
mod route;

pub use canonical::{BadDigest, Digest, NotCanonical};
pub use effect::Effect;
pub use id::{BadName, PersonId, Role, SessionId, StepId, ToolName};
pub use json::{BadJson, Json, Number, Values};
pub use machine::{
    Ending, Event, IllegalMove, Landing, MOVES, Move, Need, STATES, State, StateRow, Tier, lawful, step,
};
pub use operation::{Argument, Arguments, Check, Operation, Reference, Repeat, Seen, ToolUse};
pub use plan::{BadPlan, BadRound, OperationKey, Pin, Plan, PlanDraft, PlanHash, Round, Version};
pub use route::{Arithmetic, Route, RouteFlaw, UnlawfulRoute};
