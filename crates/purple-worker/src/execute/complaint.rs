//! What a failed read means: a column that is not there, a bad moment, or a plain no.

use std::time::Duration;

use crate::execute::call::QUARANTINED;
use crate::port::Called;

/// What can be done about a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It may go away. The server may have said when.
    Passing { retry_after: Option<Duration> },
    /// A column or field is called something else now.
    Drift { column: String },
    /// There is no such thing.
    Absent,
    /// Somebody said no. That is not gone around.
    Denied,
    /// Anything else.
    Other,
}

const PASSING_CODES: &[&str] = &[
    "UNAVAILABLE",
    "RATE_LIMITED",
    "RATE_LIMIT",
    "RATE_LIMIT_EXCEEDED",
    "TOO_MANY_REQUESTS",
    "RESOURCE_EXHAUSTED",
    "TIMEOUT",
    "DEADLINE_EXCEEDED",
    "429",
    "502",
    "503",
    "504",
];
const PASSING_WORDS: &[&str] =
    &["rate limit", "too many requests", "temporarily", "service unavailable", "try again", "timed out"];
const DENIED_CODES: &[&str] = &[
    "PERMISSION_DENIED",
    "FORBIDDEN",
    "UNAUTHORIZED",
    "UNAUTHENTICATED",
    "ACCESS_DENIED",
    "401",
    "403",
    QUARANTINED,
];
const DENIED_WORDS: &[&str] =
    &["permission denied", "access denied", "forbidden", "not authorized", "unauthorized"];
const ABSENT_CODES: &[&str] = &["NOT_FOUND", "NO_SUCH_TABLE", "404"];

/// What a failed call means; nothing for one that was answered.
pub(crate) fn trouble(called: &Called) -> Option<Trouble> {
    let (code, message) = match called {
        Called::Answered(_) => return None,
        Called::Lost { .. } | Called::NotSent { .. } => return Some(Trouble::Passing { retry_after: None }),
        Called::Asked(_) => return Some(Trouble::Other),
        Called::Refused { code, message } => {
            (code.as_ref().map(|code| code.for_work().as_str()).unwrap_or_default(), message.for_work())
        }
    };
    let code = code.to_ascii_uppercase();
    let says = |words: &[&str]| {
        let message = message.to_ascii_lowercase();
        words.iter().any(|word| message.contains(word))
    };
    Some(if let Some(column) = missing_column(message) {
        Trouble::Drift { column }
    } else if DENIED_CODES.contains(&code.as_str()) || says(DENIED_WORDS) {
        Trouble::Denied
    } else if ABSENT_CODES.contains(&code.as_str()) {
        Trouble::Absent
    } else if PASSING_CODES.contains(&code.as_str()) || says(PASSING_WORDS) {
        Trouble::Passing { retry_after: retry_after(message) }
    } else {
        Trouble::Other
    })
}

/// The phrases around the name of a column that is not there: sqlite, Postgres, MySQL, SQL Server, Oracle,
/// DB2, Snowflake, BigQuery, DuckDB, ClickHouse, Spark, Trino, GraphQL, OData, Salesforce, Python.
///
/// Before the name, and what must follow it somewhere.
const PHRASES: &[(&str, &str)] = &[
    ("no such column", ""),
    ("has no column named", ""),
    ("invalid column name", ""),
    ("invalid column", ""),
    ("unknown column", ""),
    ("undefined column", ""),
    ("missing columns", ""),
    ("column or function parameter with name", "cannot be resolved"),
    ("referenced column", "not found"),
    ("column named", "not found"),
    ("column name", "not found"),
    ("column", "does not exist"),
    ("column", "not found"),
    ("column", "is unknown"),
    ("column", "unknown"),
    ("column", "cannot be resolved"),
    ("unrecognized name", ""),
    ("invalid identifier", ""),
    ("ora-00904", "invalid identifier"),
    ("sql0206n", "not valid"),
    ("no such field", ""),
    ("unknown field", ""),
    ("invalid field", ""),
    ("cannot query field", ""),
    ("field", "does not exist"),
    ("field", "not found"),
    ("could not find a property named", ""),
    ("unknown property", ""),
    ("property", "does not exist"),
    ("property", "not found"),
    ("keyerror", ""),
    ("key error", ""),
];

/// The name that a message says is no column or field, without its table.
pub(crate) fn missing_column(message: &str) -> Option<String> {
    const MESSAGE_CHARS_MAX: usize = 2_000;
    let message: String = message.chars().take(MESSAGE_CHARS_MAX).collect();
    // ASCII only, so that places in one are places in the other.
    let lower = message.to_ascii_lowercase();
    PHRASES.iter().find_map(|(before, after)| {
        let mut from = 0;
        while let Some(at) = lower.get(from..)?.find(before) {
            let start = from + at;
            from = start + before.len();
            let begins_a_word = !lower.get(..start)?.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let Some((name, rest)) = begins_a_word.then(|| identifier(message.get(from..)?)).flatten() else {
                continue;
            };
            const BETWEEN_CHARS_MAX: usize = 60;
            let near: String = rest.chars().take(BETWEEN_CHARS_MAX).collect();
            if near.to_ascii_lowercase().contains(after) {
                return Some(name);
            }
        }
        None
    })
}

/// The name at the start of a text, its quotes and its table taken off, and what follows it.
fn identifier(text: &str) -> Option<(String, &str)> {
    const LEAD: &[char] = &[' ', ':', '\'', '"', '`', '[', '('];
    let start = text.trim_start_matches(LEAD);
    let quoted = start.len() < text.trim_start_matches([' ', ':']).len();
    let bare = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '#');
    let inside = |c: char| bare(c) || (quoted && matches!(c, '"' | '`' | '[' | ']' | '-'));
    let end = start.find(|c: char| !inside(c)).unwrap_or(start.len());
    let (name, rest) = start.split_at_checked(end)?;
    let name = name.trim_matches(['"', '`', '[', ']', '\'', '.']);
    let name = name.rsplit('.').next()?.trim_matches(['"', '`', '[', ']', '\'']);
    // "column not found", "field does not exist": the name came before, or not at all.
    const NO_NAMES: &[&str] =
        &["not", "does", "is", "name", "named", "was", "in", "with", "of", "cannot", "or"];
    let names = !name.is_empty() && (quoted || !NO_NAMES.contains(&name.to_ascii_lowercase().as_str()));
    names.then(|| (name.to_owned(), rest))
}

/// "try again in 3 s", "Retry-After: 3", "retry in 1500ms".
fn retry_after(message: &str) -> Option<Duration> {
    let lower = message.to_ascii_lowercase();
    let after = ["again in", "retry after", "retry-after", "retry in"]
        .iter()
        .find_map(|phrase| lower.find(phrase).and_then(|at| lower.get(at + phrase.len()..)))?;
    let after = after.trim_start_matches([' ', ':']);
    let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let (number, unit) = after.split_at_checked(digits)?;
    let number: u64 = number.parse().ok()?;
    let unit = unit.trim_start();
    Some(if unit.starts_with("ms") || unit.starts_with("milli") {
        Duration::from_millis(number)
    } else if unit.starts_with('m') {
        Duration::from_secs(number.checked_mul(60)?)
    } else if unit.starts_with('h') {
        Duration::from_secs(number.checked_mul(3600)?)
    } else {
        Duration::from_secs(number)
    })
}

#[cfg(test)]
#[path = "complaint_tests.rs"]
mod tests;
