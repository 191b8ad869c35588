//! The first arrow: loads the session, keeps the guard, and says what is to be done. Nothing is written here.

mod answer;
mod argument;
mod assemble;
pub(crate) mod brief;
pub(crate) mod calculate;
pub(crate) mod choose;
mod figures;
mod headline;
pub(crate) mod label;
mod lists;
mod load;
pub(crate) mod open;
pub(crate) mod pattern;
pub(crate) mod precompute;
mod purity;
mod qualifiers;
mod read_as;
mod reader;
pub(crate) mod suggest;
mod swaps;
mod understood;
mod vocabulary;
pub(crate) mod way;
pub(crate) mod wording;

pub use read_as::ReadAs;

pub(crate) use load::{Primed, Todo, Undo, prime};
pub(crate) use purple_privacy as privacy;
pub use purple_privacy::{redact, redact_json};
