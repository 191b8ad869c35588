//! A place in a text.

use serde::{Deserialize, Serialize};

/// A part of a text, in bytes. Both ends are between characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// Where it begins.
    pub start: usize,
    /// Where it ends; this byte is not part of it.
    pub end: usize,
}

impl Span {
    /// From here to there.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The words at this place; empty where the place is not in the text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// Whether the other place is inside this one.
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether both have a byte in common.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}
