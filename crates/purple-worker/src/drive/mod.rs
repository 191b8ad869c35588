//! The model-driven path: a language model works inside a state, and proposes; the machine decides.

#[cfg_attr(not(test), expect(dead_code, reason = "the states that spend it come next"))]
pub(crate) mod budget;
