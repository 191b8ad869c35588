//! What tests of the audit ask of one text.

#![allow(dead_code, unreachable_pub, reason = "a part of several tests")]

use purple_finance::Exact;
use purple_worker::audit::{Statement, statements};

pub fn exact(text: &str) -> Exact {
    Exact::parse(text).unwrap()
}

/// The one statement of a text.
#[track_caller]
pub fn only(text: &str) -> Statement {
    let found = statements(text).unwrap();
    assert_eq!(found.len(), 1, "{text}: {found:#?}");
    found.into_iter().next().unwrap()
}

#[track_caller]
pub fn holds(text: &str) {
    let statement = only(text);
    assert!(statement.ok, "{text}: {statement:?}");
    assert_eq!(text.get(statement.span.clone()), Some(statement.text.as_str()));
}

#[track_caller]
pub fn fails(text: &str, comes_to: &str) {
    let statement = only(text);
    assert!(!statement.ok, "{text}: {statement:?}");
    assert_eq!(statement.exact, Some(exact(comes_to)), "{text}");
}

#[track_caller]
pub fn is_left_alone(text: &str) {
    assert_eq!(statements(text).unwrap(), vec![], "{text}");
}

/// Which statements of a text hold, in its order.
#[track_caller]
pub fn verdicts(text: &str) -> Vec<bool> {
    statements(text).unwrap().iter().map(|statement| statement.ok).collect()
}
