//! Patterns that are written in the code or in its data.

use regex::Regex;

/// Compiles a constant pattern.
#[expect(clippy::expect_used, reason = "the pattern is a constant, and the tests compile every one")]
pub(crate) fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern compiles")
}
