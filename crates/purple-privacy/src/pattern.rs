//! Patterns that are written in the code.

use regex::Regex;

/// Compiles a constant pattern.
#[expect(clippy::expect_used, reason = "the pattern is a constant, and the tests compile every one")]
pub(crate) fn pattern(source: &'static str) -> Regex {
    Regex::new(source).expect("a constant pattern compiles")
}
