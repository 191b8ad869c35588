//! The worker takes a task in plain words through four arrows: prime, execute, reflect, store.
//!
//! A session is data and a turn is short: one [`Event`] runs one turn under a single writer per session, moves
//! the process machine, saves, and ends. Everything that a turn needs from its surroundings is a port.

mod card;
mod desk;
mod event;
mod execute;
pub mod limits;
pub mod port;
mod view;

pub use card::Card;
pub use desk::{Choice, Desk, DeskError};
pub use event::{Channel, Event, Message, Settlement, Start, Verdict};
pub use execute::{Manifest, Stated};
pub use view::{
    Answer, AnswerData, Mutation, OpenApproval, OpenDoubt, PolicyResult, RunView, Status, Summary,
};
