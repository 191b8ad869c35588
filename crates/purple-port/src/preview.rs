//! What the rules of a request say about its text alone, before any work.

/// What the rules say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// The rules that fired, by id.
    pub applied: Vec<String>,
    /// Those of them that forbid, each with its reason.
    pub violations: Vec<Violation>,
}

/// A rule that forbids what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: String,
    /// What it is for, or what it says.
    pub why: String,
}

/// Rules that cannot be read, and what is wrong with them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rules cannot be read: {}", wrong.join("; "))]
pub struct BadRules {
    /// What is wrong, the first few.
    pub wrong: Vec<String>,
}
