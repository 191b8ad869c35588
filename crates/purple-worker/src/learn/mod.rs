//! What is made of outcomes: how a task is attempted next time, never what is permitted.
//!
//! Everything here is a pure function over what was remembered. Nothing in it makes, widens or restores a grant, and
//! nothing that decides about one reads it.

pub mod bandit;
