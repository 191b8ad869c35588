//! Makes what is missing: a process for a kind of task that nobody defined, a function for a computation that nobody ships.
//!
//! Whatever is made here changes how a task is attempted and never what is permitted: a process that a model wrote holds no
//! rule that allows, and every operation under it is asked of a person until a person has signed its very bytes.

mod caution;
mod draft;
mod library;
mod process;
mod purse;

pub(crate) use caution::unsigned;
pub(crate) use library::{Holdings, Library};
pub(crate) use process::is_kind;

/// The journal's word for what was defined when a task was taken up.
pub(crate) const DEFINITIONS_KNOWN: &str = "definitions.known";
/// The journal's word for a process that was made.
const PROCESS_MADE: &str = "process.synthesized";
/// The journal's words for something that was made.
pub(crate) const MADE_KINDS: [&str; 1] = [PROCESS_MADE];

use std::sync::Arc;

use crate::port::{Definitions, Sandbox};

/// Where definitions are kept, and where functions run.
#[derive(Clone)]
pub struct Workshop {
    /// What was made.
    pub definitions: Arc<dyn Definitions>,
    /// Where functions are judged and run.
    pub sandbox: Arc<dyn Sandbox>,
}
