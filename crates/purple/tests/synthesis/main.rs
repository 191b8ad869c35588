//! A kind of task that nobody defined and a computation that nobody ships: made once, used for ever after, and never
//! able to allow anything. The model is a script behind real HTTP.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]
#![expect(clippy::panic, reason = "tests may panic")]

#[path = "../house/mod.rs"]
mod house;
#[path = "../running/mod.rs"]
mod running;

mod again;
mod commands;
mod drafts;
mod functions;
mod processes;
mod scribbler;
mod signing;
