//! Social security numbers, and what stands beside a number.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::pattern;

/// Whether a letter, or a dash and a letter or digit, follows: then it is a part of something longer.
pub(crate) fn glued_after(text: &str, end: usize) -> bool {
    let mut after = text.get(end..).unwrap_or_default().chars();
    match after.next() {
        Some('-' | '/' | '_') => after.next().is_some_and(char::is_alphanumeric),
        Some(c) => c.is_alphanumeric(),
        None => false,
    }
}

/// Whether a letter or digit, or one and a dash, stands before.
pub(crate) fn glued_before(text: &str, start: usize) -> bool {
    let mut before = text.get(..start).unwrap_or_default().chars().rev();
    match before.next() {
        Some('-' | '/' | '_' | '.') => before.next().is_some_and(char::is_alphanumeric),
        Some(c) => c.is_alphanumeric() || c == '$' || c == '+',
        None => false,
    }
}

/// The letters and digits at the end.
pub(crate) fn last_word(text: &str) -> &str {
    let end = text.trim_end_matches(|c: char| c.is_alphanumeric()).len();
    text.get(end..).unwrap_or_default()
}

/// Where the social security numbers are.
pub(crate) fn find_ssns(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for parts in SPACED.captures_iter(text) {
        let Some(number) = parts.name("n") else { continue };
        if is_ssn(number.as_str()) && !glued_before(text, number.start()) && !glued_after(text, number.end())
        {
            found.push(number.range());
        }
    }
    for beside in [&*AFTER_THE_WORD, &*BEFORE_THE_WORD] {
        for parts in beside.captures_iter(text) {
            let between = parts.name("between").map(|between| between.as_str()).unwrap_or_default();
            let Some(number) = parts.name("n") else { continue };
            let whole = !glued_before(text, number.start()) && !glued_after(text, number.end());
            if is_ssn(number.as_str()) && whole && !OTHER_ID.is_match(between) {
                found.push(number.range());
            }
        }
    }
    found
}

static SPACED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<n>[0-9]{3}(?: ?- ?|[ \t]{1,2})[0-9]{2}(?: ?- ?|[ \t]{1,2})[0-9]{4})"));
// Beside the word the nine digits may be written in any way.
static AFTER_THE_WORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:ssns?|s\.s\.n\.|social security|soc\.? sec\.?|social sec)\b(?P<between>[^0-9\n]{0,24})(?P<n>[0-9](?:[ \t.,_-]{0,2}[0-9]){8})",
    )
});
static BEFORE_THE_WORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?P<n>[0-9](?:[ \t.,_-]{0,2}[0-9]){8})(?P<between>[^0-9\n]{0,16})\b(?:ssn|social security|soc\.? sec)\b",
    )
});
static OTHER_ID: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:tickets?|cases?|invoices?|orders?|incidents?|requests?|contracts?|claims?|phone|call|po|ref|reference|service|tracking|usd|eur)\b",
    )
});

/// Whether nine digits are a number that can be given to a person.
fn is_ssn(written: &str) -> bool {
    let digits: String = written.chars().filter(char::is_ascii_digit).collect();
    let (Some(area), Some(group), Some(serial)) = (digits.get(..3), digits.get(3..5), digits.get(5..)) else {
        return false;
    };
    digits.len() == 9
        && area != "000"
        && area != "666"
        && !area.starts_with('9')
        && group != "00"
        && serial != "0000"
}
