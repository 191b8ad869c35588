//! How models attempt tasks: what the audit blocks, what second opinions ask about, and which ways are taken.
//!
//! Through the worker's own path, from the task to the tool, with an engine in memory.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

#[path = "../../../purple-worker/tests/planted/mod.rs"]
mod planted;

mod audit;
mod canary;
mod opinions;
mod shop;
mod ways;
