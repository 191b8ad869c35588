//! Patterns that are written in the code.

use regex::Regex;

/// Compiles a pattern that is made of constants.
#[expect(clippy::expect_used, reason = "the pattern is a constant, and the tests compile every one")]
pub(crate) fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern compiles")
}
