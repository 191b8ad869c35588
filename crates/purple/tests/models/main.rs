//! The model-driven path over real HTTP: five cases whose files have rules and no outcomes, and ten tasks without any
//! file, in three languages, whole and streamed. The ledger of the demo business says whether it was right.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod cases;
#[path = "../house/mod.rs"]
mod house;
mod seat;
mod tasks;
