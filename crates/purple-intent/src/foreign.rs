//! Whether a text holds words of a language whose cue words are not known: what they negate or ask is not read.

use std::collections::HashMap;

use crate::act::{Act, Reading};
use crate::cover::is_other_language;
use crate::language::{Detected, Language, lexicon, other_languages};
use crate::token::{Token, TokenKind, tokens};

/// This many words of one other language, of which no known language has at least one, show that it is used.
const WORDS_MIN: usize = 2;

/// Whether the requester's own words are, or may be, in a language whose cue words are not known, as a whole or in a
/// part. `uses` says which other words are understood, in lower case.
pub fn is_foreign(text: &str, reading: &Reading, uses: &dyn Fn(&str) -> bool) -> bool {
    let own: Vec<Token> = reading.own.iter().flat_map(|span| tokens(span.of(text))).collect();
    let is_unread = || !reading.acts.iter().any(Act::orders) && is_unknown(&own, &reading.language, uses);
    is_other_language(reading) || own.iter().any(has_other_script) || mixes_others(&own) || is_unread()
}

/// Whether too many words are unknown to take the language for what it was detected as: half of them, or any where
/// none was detected.
fn is_unknown(own: &[Token], detected: &Detected, uses: &dyn Fn(&str) -> bool) -> bool {
    let languages = match detected {
        Detected::One(language) => std::slice::from_ref(language),
        Detected::Mixed(languages) => languages.as_slice(),
        Detected::Unknown => &Language::ALL,
    };
    let words = || plain_words(own);
    let unknown = words().filter(|word| !is_known(&word.lower, languages) && !uses(&word.lower)).count();
    match detected {
        Detected::Unknown => unknown > 0,
        Detected::One(_) | Detected::Mixed(_) => unknown > 0 && unknown * 2 >= words().count(),
    }
}

/// The words without ids and names. A capital inside a text makes a name; the first word may be a verb.
fn plain_words(own: &[Token]) -> impl Iterator<Item = &Token> {
    let begins = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| own.get(before));
        before.is_none_or(|token| token.kind == TokenKind::Mark)
    };
    let is_word = |token: &Token| token.kind == TokenKind::Word && !token.lower.contains(char::is_numeric);
    let words = own.iter().enumerate().filter(move |(_, token)| is_word(token));
    words.filter(move |(at, token)| !token.capital || begins(*at)).map(|(_, token)| token)
}

/// Whether a token has a letter of another script. A single letter is a sign or a variant.
fn has_other_script(token: &Token) -> bool {
    let is_latin = |letter: char| matches!(letter, '\0'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}');
    token.lower.chars().nth(1).is_some()
        && token.lower.chars().any(|letter| letter.is_alphabetic() && !is_latin(letter))
}

/// Whether words of one other language are among the words.
fn mixes_others(own: &[Token]) -> bool {
    let mut fit: HashMap<&str, (usize, usize)> = HashMap::new();
    for token in plain_words(own) {
        let known = is_known(&token.lower, &Language::ALL);
        for name in other_languages(&token.lower) {
            let (all, only) = fit.entry(name).or_default();
            *all += 1;
            *only += usize::from(!known);
        }
    }
    fit.values().any(|(all, only)| *all >= WORDS_MIN && *only > 0)
}

fn is_known(word: &str, languages: &[Language]) -> bool {
    languages.iter().any(|language| {
        let lexicon = lexicon(*language);
        lexicon.has_word(word) || lexicon.explains(word)
    })
}
