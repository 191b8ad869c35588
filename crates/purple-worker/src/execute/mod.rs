//! Execute: the work itself, and what is said in the end.

pub(crate) mod finish;
