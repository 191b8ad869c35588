//! What is learned from a round after it ended.
