//! The words of a text in plain letters, clause by clause.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::pattern;

/// A word in plain letters.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// Lower case, without accents; digits that stand for letters are letters.
    pub(super) plain: String,
    /// Whether it looks like a person's name: a capital letter that begins no clause.
    pub(super) is_name: bool,
    /// Whether it is the id of a person: `E-2291`.
    pub(super) is_person_id: bool,
    /// Whether it was written so that it is not read: `k3ys`, `p a s s`.
    pub(super) is_disguised: bool,
    /// Whether a hyphen joins it to the next word: `PIN-Pad`.
    pub(super) is_joined: bool,
}

/// What stands between two ends of a sentence.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) words: Vec<Word>,
}

static CLAUSE_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"[.!?](?:\s|$)|[;\n]"));
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\p{L}\p{N}@$]+"));
static PERSON_ID: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|[^A-Za-z0-9-])[EU]-[0-9]{2,8}\b"));

/// The clauses of a text.
pub(super) fn clauses(text: &str) -> Vec<Clause> {
    let mut start = 0;
    let mut found = Vec::new();
    let ends: Vec<Range<usize>> = CLAUSE_END.find_iter(text).map(|end| end.range()).collect();
    for end in ends.into_iter().chain(std::iter::once(text.len()..text.len())) {
        let part = text.get(start..end.start).unwrap_or_default();
        found.push(Clause { words: words(part) });
        start = end.end;
    }
    found.retain(|clause| !clause.words.is_empty());
    found
}

/// The fewest single letters in a row that are one word.
const SPACED_LETTERS_MIN: usize = 4;

static SPACED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:^|[\s(])(?P<v>[\p{L}0-9@$](?:[ ._*-]{1,2}[\p{L}0-9@$]){3,})(?:$|[\s,.;:!?)])")
});

/// The text with words in one that are written letter by letter: `p a s s`, `p.a.s.s`.
pub(super) fn joined(text: &str) -> Option<String> {
    let mut joined = String::new();
    let mut start = 0;
    for parts in SPACED.captures_iter(text) {
        let Some(word) = parts.name("v") else { continue };
        let letters: String =
            word.as_str().chars().filter(|c| c.is_alphanumeric() || "@$".contains(*c)).collect();
        let is_word = letters.chars().filter(|c| c.is_alphabetic()).count() >= SPACED_LETTERS_MIN;
        if is_word {
            joined.push_str(text.get(start..word.start()).unwrap_or_default());
            joined.push_str(&letters);
            start = word.end();
        }
    }
    if start == 0 && joined.is_empty() {
        return None;
    }
    joined.push_str(text.get(start..).unwrap_or_default());
    Some(joined)
}

fn words(part: &str) -> Vec<Word> {
    let ids: Vec<Range<usize>> = PERSON_ID.find_iter(part).map(|id| id.range()).collect();
    let mut words = Vec::new();
    for found in WORD.find_iter(part) {
        let capital = found.as_str().chars().next().is_some_and(char::is_uppercase);
        let shouts = found.as_str().chars().filter(|letter| letter.is_uppercase()).count() > 1;
        let plain = plain(found.as_str());
        let digits = |text: &str| text.chars().filter(|c| !c.is_alphabetic()).count();
        words.push(Word {
            is_joined: part
                .get(found.end()..)
                .and_then(|rest| rest.strip_prefix('-'))
                .is_some_and(|rest| rest.starts_with(char::is_uppercase)),
            is_disguised: digits(&plain) < digits(found.as_str()),
            plain,
            is_name: capital && !shouts && !words.is_empty(),
            is_person_id: ids.iter().any(|id| id.contains(&found.start())),
        });
    }
    words
}

/// A word in lower case, without accents, and with letters for the digits and signs that stand for them.
fn plain(word: &str) -> String {
    // French "to", which is not "has".
    if word == "à" {
        return word.to_owned();
    }
    let lower: String = word.to_lowercase().chars().flat_map(letters).collect();
    let stands_in = |c: char| c.is_ascii_digit() || "@$".contains(c);
    let letters = lower.chars().filter(|c| c.is_alphabetic()).count();
    // `k3y` is a word, `b2b` and `m3` are none.
    let inside = lower.starts_with(char::is_alphabetic) && lower.ends_with(char::is_alphabetic);
    let mixed = lower.chars().any(stands_in) && (letters >= 3 || (inside && letters == 2));
    if !mixed {
        return lower;
    }
    let letter = |c: char| match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    };
    lower.chars().map(letter).collect()
}

/// A letter without its accent.
fn letters(letter: char) -> impl Iterator<Item = char> {
    let plain = match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => "a",
        'ç' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => "o",
        'ù' | 'ú' | 'û' | 'ü' => "u",
        'ß' => "ss",
        'œ' => "oe",
        _ => "",
    };
    plain.chars().chain(plain.is_empty().then_some(letter))
}
