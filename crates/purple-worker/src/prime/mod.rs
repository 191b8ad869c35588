//! Prime: what is known before the work begins.

pub(crate) mod brief;
