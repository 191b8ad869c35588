//! Text from outside as one line in which nothing hides: what cannot be seen, or only looks like something else, is
//! written out.

use std::fmt;

use purple_journal::Redacted;
use purple_process::{Digest, hides};
use serde::{Deserialize, Serialize};

/// The longest value that is shown, in characters. What is cut says how long it was and which digest it had.
const SHOWN_CHARS_MAX: usize = 400;
/// The longest shown form, in characters: each character may be written out, and a mark follows.
const WRITTEN_CHARS_MAX: usize = SHOWN_CHARS_MAX * "\\u{10ffff}".len() + CUT_MARK_CHARS_MAX;
const CUT_MARK_CHARS_MAX: usize = 80;
/// The most digits of a digest that a person compares.
const DIGEST_DIGITS_SHOWN: usize = 12;
/// The most marks on one letter: what stacks higher reaches into other lines.
const MARKS_ON_A_LETTER_MAX: usize = 2;

/// A value from outside, safe to show on one line: its secrets are masked, and nothing hides in it. Reading a stored one
/// checks it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Shown(String);

impl Shown {
    /// Masks its secrets, writes out what hides in it, and cuts it.
    pub fn new(text: &str) -> Self {
        let text = Redacted::of(text);
        let text = text.as_str();
        let Some((cut, _)) = text.char_indices().nth(SHOWN_CHARS_MAX) else { return Self(escaped(text)) };
        let (kept, _) = text.split_at(cut);
        let length = text.chars().count();
        let digest = short(&Digest::of(text.as_bytes()));
        Self(format!("{}… [cut: {length} characters, {digest}]", escaped(kept)))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl From<String> for Shown {
    fn from(text: String) -> Self {
        let shown = || Redacted::of(&text) == *text && escaped(&text) == text;
        let clean = text.chars().count() <= WRITTEN_CHARS_MAX && shown();
        if clean { Self(text) } else { Self::new(&text) }
    }
}

impl From<Shown> for String {
    fn from(shown: Shown) -> Self {
        shown.0
    }
}

/// The first digits of a digest, for people to compare: `sha256:1f2e3d4c5b6a`.
pub fn short(digest: &Digest) -> String {
    digest.to_string().chars().take("sha256:".len() + DIGEST_DIGITS_SHOWN).collect()
}

/// Writes out every character that hides or disguises itself. Doing it twice changes nothing.
pub fn escaped(text: &str) -> String {
    // Nearly every text: no letter of it can look like another.
    if text.is_ascii() && !text.chars().any(hides) {
        return text.to_owned();
    }
    let words = words(text);
    let real = |script: Script| {
        let is_real = |letter: char| script_of(letter) == Some(script) && !looks_latin(letter);
        words.iter().any(|word| !is_mixed(word) && word.chars().any(is_real))
    };
    let real_scripts: Vec<Script> = Script::ALL.into_iter().filter(|script| real(*script)).collect();
    let mut out = String::with_capacity(text.len());
    for word in words {
        let mixed = is_mixed(word);
        let mut marks = 0;
        for character in word.chars() {
            marks = if is_mark(character) { marks + 1 } else { 0 };
            let pretends =
                script_of(character).is_some_and(|script| mixed || !real_scripts.contains(&script));
            if hides(character) || is_disguise(character) || pretends || marks > MARKS_ON_A_LETTER_MAX {
                out.push_str(&format!("\\u{{{:x}}}", u32::from(character)));
            } else {
                out.push(character);
            }
        }
    }
    out
}

/// Text of several lines in which nothing steers a terminal or turns the direction of reading. Letters stay as they are.
pub fn unsteered(text: &str) -> String {
    let steers = |character: char| {
        (character.is_control() && character != '\n' && character != '\t')
            || matches!(character, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if steers(character) {
            out.push_str(&format!("\\u{{{:x}}}", u32::from(character)));
        } else {
            out.push(character);
        }
    }
    out
}

/// The text in pieces: words, and single characters between them.
fn words(text: &str) -> Vec<&str> {
    let in_word = |character: char| (character.is_alphanumeric() || is_mark(character)) && !hides(character);
    let mut words = Vec::new();
    let mut start = 0;
    for (at, character) in text.char_indices() {
        if in_word(character) {
            continue;
        }
        let end = at + character.len_utf8();
        words.extend(text.get(start..at).filter(|word| !word.is_empty()));
        words.extend(text.get(at..end));
        start = end;
    }
    words.extend(text.get(start..).filter(|word| !word.is_empty()));
    words
}

/// A word with Latin letters and letters of a script that can imitate them.
fn is_mixed(word: &str) -> bool {
    word.chars().any(is_latin) && word.chars().any(|letter| script_of(letter).is_some())
}

fn is_latin(letter: char) -> bool {
    letter.is_ascii_alphabetic()
        || (letter.is_alphabetic()
            && matches!(letter, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{fb00}'..='\u{fb06}'))
}

/// A script some of whose letters look like Latin ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Greek,
    Cyrillic,
    Armenian,
    /// Scripts in which nearly every letter has a Latin double.
    Double,
}

impl Script {
    const ALL: [Self; 4] = [Self::Greek, Self::Cyrillic, Self::Armenian, Self::Double];
}

fn script_of(letter: char) -> Option<Script> {
    if !letter.is_alphabetic() {
        return None;
    }
    match letter {
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(Script::Greek),
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{a640}'..='\u{a69f}' => Some(Script::Cyrillic),
        '\u{530}'..='\u{58f}' => Some(Script::Armenian),
        // Phonetic letters, Cherokee, Coptic, Lisu, Deseret.
        '\u{250}'..='\u{2af}'
        | '\u{1d00}'..='\u{1dbf}'
        | '\u{13a0}'..='\u{13ff}'
        | '\u{ab70}'..='\u{abbf}'
        | '\u{2c80}'..='\u{2cff}'
        | '\u{a4d0}'..='\u{a4ff}'
        | '\u{10400}'..='\u{1044f}' => Some(Script::Double),
        _ => None,
    }
}

/// Letters that are taken for Latin ones. A value of nothing else shows no sign of its script.
fn looks_latin(letter: char) -> bool {
    const GREEK: &str = "ορνυικατωγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";
    const CYRILLIC: &str = "асеорхугкьѕіјԁһӏѵԛԝАВЕЗКМНОРСТУХЅІЈӀԌԚԜѴҮү";
    const ARMENIAN: &str = "օոսհցզԼՏՍՕ";
    GREEK.contains(letter)
        || CYRILLIC.contains(letter)
        || ARMENIAN.contains(letter)
        || script_of(letter) == Some(Script::Double)
}

/// Letters and signs of other alphabets' making that are Latin ones in dress: wide, mathematical, circled.
fn is_disguise(character: char) -> bool {
    matches!(
        character,
        '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}' | '\u{2460}'..='\u{24ff}' | '\u{1f100}'..='\u{1f1ff}'
    ) || (matches!(character, '\u{2100}'..='\u{214f}') && character.is_alphabetic())
}

fn is_mark(character: char) -> bool {
    matches!(
        character,
        '\u{300}'..='\u{36f}'
            | '\u{483}'..='\u{489}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe20}'..='\u{fe2f}'
    )
}

#[cfg(test)]
#[path = "shown_tests.rs"]
mod tests;
