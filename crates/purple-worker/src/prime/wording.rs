//! Where words stand in a text.

use std::ops::Range;

/// Every place where the word stands whole. Both are in lower case.
pub(crate) fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    text.match_indices(word).map(|(start, found)| start..start.saturating_add(found.len())).filter(|place| {
        let joined = |c: char| c.is_alphanumeric() || c == '_';
        let before = text.get(..place.start).and_then(|before| before.chars().next_back());
        let after = text.get(place.end..).and_then(|after| after.chars().next());
        !before.is_some_and(joined) && !after.is_some_and(joined)
    })
}

/// Whether the word stands in the text. Both are in lower case.
pub(crate) fn says(text: &str, word: &str) -> bool {
    places(text, word).next().is_some()
}
