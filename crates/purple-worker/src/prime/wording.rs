//! Where words are in a text.

use std::ops::Range;

/// Every place where the word is whole. Both are in lower case.
pub(crate) fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    text.match_indices(word).map(|(start, found)| start..start.saturating_add(found.len())).filter(|place| {
        let before = text.get(..place.start).and_then(|before| before.chars().next_back());
        let after = text.get(place.end..).and_then(|after| after.chars().next());
        !before.is_some_and(joined) && !after.is_some_and(joined)
    })
}

/// Whether the word is in the text. Both are in lower case.
pub(crate) fn says(text: &str, word: &str) -> bool {
    places(text, word).next().is_some()
}

/// Every place of a phrase. A final `*` stands for any ending of its last word.
pub(crate) fn phrase_places(text: &str, phrase: &str) -> Vec<Range<usize>> {
    let Some(stem) = phrase.strip_suffix('*') else { return places(text, phrase).collect() };
    let begins = |place: &usize| {
        let before = text.get(..*place).and_then(|before| before.chars().next_back());
        !before.is_some_and(joined)
    };
    let end = |start: usize| {
        let rest = text.get(start..).unwrap_or_default();
        let word = rest.char_indices().skip_while(|(at, c)| *at < stem.len() || joined(*c)).map(|(at, _)| at);
        start.saturating_add(word.into_iter().next().unwrap_or(rest.len()))
    };
    let starts = text.match_indices(stem).map(|(start, _)| start).filter(begins);
    starts.map(|start| start..end(start)).collect()
}

/// Whether the phrase is in the text.
pub(crate) fn says_phrase(text: &str, phrase: &str) -> bool {
    !phrase_places(text, phrase).is_empty()
}

/// The text in lower case and on one line. Every character keeps its place.
pub(crate) fn lowered(text: &str) -> String {
    let lower = |c: char| {
        if c.is_whitespace() && c.len_utf8() == 1 {
            return ' ';
        }
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) if one.len_utf8() == c.len_utf8() => one,
            _ => c,
        }
    };
    text.chars().map(lower).collect()
}

fn joined(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
