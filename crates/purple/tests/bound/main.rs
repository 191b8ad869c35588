//! Process files on the tools of companies that call everything otherwise.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]
#![expect(clippy::panic, reason = "tests may panic")]

#[path = "../house/mod.rs"]
mod house;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "../drive/scripted.rs"]
mod scripted;

mod by_hand;
mod expert;
mod foreign;
mod proposals;
mod renamed;
