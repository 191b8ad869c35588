//! The first arrow: loads the session, keeps the guard, and says what is to be done. Nothing is written here.

pub(crate) mod brief;
pub(crate) mod calculate;
pub(crate) mod choose;
mod load;
pub(crate) mod precompute;
pub(crate) mod privacy;

pub(crate) use load::{Primed, Todo, prime};
