//! What happens to a task before anything is done about it.

mod calculate;
mod figures;
pub(crate) mod pattern;
mod precompute;
mod privacy;
mod reader;
mod wording;
