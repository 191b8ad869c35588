//! The worker takes a task in plain words through four arrows: prime, execute, reflect, store.
//!
//! A session is data and a turn is short: one [`Event`] runs one turn under a single writer per session, moves
//! the process machine, saves, and ends. Everything that a turn needs from its surroundings is a port.

mod amount;
pub mod card;
mod conversation;
mod desk;
pub mod document;
mod event;
mod execute;
#[cfg(test)]
mod fixture;
pub mod limits;
mod outside;
pub mod port;
mod prime;
mod view;

pub use card::Card;
pub use desk::{Choice, Desk, DeskError};
pub use event::{Channel, Event, Message, Settlement, Start, Verdict};
pub use outside::Shown;
pub use view::{
    Answer, AnswerData, Mutation, OpenApproval, OpenDoubt, PolicyResult, RunView, Status, Summary,
};
