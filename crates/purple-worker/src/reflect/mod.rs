//! What is learned from a round after it ended.

mod entities;
mod score;
