//! Approvals and conversations, each judged by the ledger of the demo business and by the journal.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

#[path = "../house/mod.rs"]
mod house;

mod commands;
mod doors;
mod edited;
mod gates;
mod once;
mod orders;
mod people;
mod scene;
mod table;
mod talks;
mod undone;
mod words;
