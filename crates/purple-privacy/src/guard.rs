//! Rejects a text that contains a secret or asks for one.

use crate::refusal::Refusal;
use crate::{fold, literal, request};

/// Checks a text before it is stored or shown to a model or tool.
///
/// The guard takes the text and nothing else, so no setting and no words in the text can disable it. Its time is
/// linear in the length of the text; callers limit the length.
pub fn guard(text: &str) -> Result<(), Refusal> {
    let folded = fold::fold(text);
    // A secret in the text takes precedence over a request for one; of two readings the longer one is used.
    let found = literal::find_in(text)
        .into_iter()
        .min_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)))
        .map(|found| found.code);
    match found.or_else(|| request::find(&folded.text)) {
        Some(code) => Err(Refusal::of(code)),
        None => Ok(()),
    }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
