//! Tasks that a model drives: what it may call in each state, and what reaches the ledger of the demo business.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]
#![expect(clippy::panic, reason = "tests may panic")]

#[path = "../house/mod.rs"]
mod house;
#[path = "../shaky/mod.rs"]
mod shaky;

mod again;
mod aside;
mod foretold;
mod handles;
mod made;
mod mutating;
mod opinions;
mod outcomes;
mod owed;
mod planted;
mod preview;
mod proposing;
mod replays;
mod reported;
mod rounds;
mod scripted;
mod unordered;
mod unusable;
mod violations;
