//! What the form of a value says: an id of a business, a placeholder, or perhaps a secret.

use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::pattern;

/// `INV-2024-447`, `2026-01-31`: what a business calls its things. No secret is drawn in this form.
pub(crate) static BUSINESS_ID: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:[A-Z]{1,10}[-_/#]){0,3}[A-Z]{0,4}[0-9]{1,24}(?:[-_/.][0-9]{1,12})*[.,;:]?$")
});

pub(crate) fn has_digit_and_letter(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic())
}

pub(crate) fn trimmed(value: &str) -> &str {
    value.trim_end_matches(['.', ',', ';', ')', '>', '!', '?', '\\', '}'])
}

pub(crate) fn is_placeholder(value: &str) -> bool {
    let masked = value.chars().all(|c| matches!(c, '*' | 'x' | 'X' | '.' | '•' | '…' | '_' | '-' | '?'));
    masked
        || value.starts_with("${")
        || value.starts_with("{{")
        || value.starts_with('$')
        || value.starts_with('%')
}
