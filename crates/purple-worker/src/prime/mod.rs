//! The first arrow: loads the session, keeps the guard, and says what is to be done. Nothing is written here.

mod assemble;
pub(crate) mod brief;
pub(crate) mod calculate;
pub(crate) mod choose;
mod figures;
mod load;
pub(crate) mod pattern;
pub(crate) mod precompute;
mod reader;
pub(crate) mod wording;

pub(crate) use load::{Primed, Todo, prime};
pub(crate) use purple_privacy as privacy;
pub use purple_privacy::{redact, redact_json};
