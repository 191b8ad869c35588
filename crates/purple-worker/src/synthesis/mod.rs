//! Makes what is missing: a process for a kind of task that nobody defined, a function for a computation that nobody ships.
//!
//! Whatever is made here changes how a task is attempted and never what is permitted: a process that a model wrote holds no
//! rule that allows, and every operation under it is asked of a person until a person has signed its very bytes.

mod caution;
mod compose;
mod craft;
mod disagree;
mod draft;
mod extend;
mod frame;
mod from_run;
mod further;
mod library;
mod made;
mod needs;
mod origin;
mod process;
mod purse;
mod record;
mod refusal;

pub(crate) use caution::unsigned;
pub(crate) use craft::Craft;
pub use from_run::{Drafted, NoDraft, draft_from_run};
pub(crate) use library::{Holdings, Library};
pub use library::{in_effect, taken_name};
pub(crate) use made::Made;
pub(crate) use needs::recognised;
pub(crate) use origin::renamed;
pub(crate) use process::is_kind;
pub use record::{Caveats, PermittedBy, Unfit};
pub(crate) use refusal::NotMade;

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
