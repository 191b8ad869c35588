//! Whether a text holds words of a language whose cue words are not known: what they negate or ask is not read.

use std::collections::HashMap;

use crate::act::{Act, Reading, Role, Word};
use crate::cover::is_other_language;
use crate::language::{Detected, Language, lexicon, other_languages};
use crate::token::{Token, TokenKind, tokens};

/// This many words of one other language, of which no known language has at least one, show that it is used.
const WORDS_MIN: usize = 2;

/// Whether the requester's own words are, or may be, in a language whose cue words are not known, as a whole or in a
/// part. `uses` says which other words are understood, in lower case.
pub fn is_foreign(text: &str, reading: &Reading, uses: &dyn Fn(&str) -> bool) -> bool {
    let own: Vec<Token> = reading.own.iter().flat_map(|span| tokens(span.of(text))).collect();
    let is_unread = || !reading.acts.iter().any(Act::orders) && is_mostly_unknown(reading, uses);
    is_other_language(reading) || own.iter().any(has_other_script) || mixes_others(&own) || is_unread()
}

/// Whether too many content words are unknown to take the language for a known one: any of them where none was
/// detected, else half. A word that begins the text may be a verb, although it looks like a name.
fn is_mostly_unknown(reading: &Reading, uses: &dyn Fn(&str) -> bool) -> bool {
    let first = reading.acts.first().and_then(|act| act.words.first()).map(|word| word.span);
    let counts = |word: &&Word| word.role != Role::Name || Some(word.span) == first;
    let words = || reading.acts.iter().flat_map(|act| &act.words).filter(counts);
    let unknown = words().filter(|word| is_unknown(word, uses)).count();
    match reading.language {
        Detected::Unknown => unknown > 0,
        Detected::One(_) | Detected::Mixed(_) => unknown > 0 && unknown * 2 >= words().count(),
    }
}

/// Whether a token has a letter of another script. A single letter is a sign or a variant.
fn has_other_script(token: &Token) -> bool {
    let is_latin = |letter: char| matches!(letter, '\0'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}');
    token.lower.chars().nth(1).is_some()
        && token.lower.chars().any(|letter| letter.is_alphabetic() && !is_latin(letter))
}

/// Whether words of one other language are among the words. A capital inside a text makes a name.
fn mixes_others(own: &[Token]) -> bool {
    let mut fit: HashMap<&str, (usize, usize)> = HashMap::new();
    let begins = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| own.get(before));
        before.is_none_or(|token| token.kind == TokenKind::Mark)
    };
    let words = own.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word);
    for (_, token) in words.filter(|(at, token)| !token.capital || begins(*at)) {
        let known = is_known(&token.lower);
        for name in other_languages(&token.lower) {
            let (all, only) = fit.entry(name).or_default();
            *all += 1;
            *only += usize::from(!known);
        }
    }
    fit.values().any(|(all, only)| *all >= WORDS_MIN && *only > 0)
}

fn is_unknown(word: &Word, uses: &dyn Fn(&str) -> bool) -> bool {
    match &word.role {
        Role::Other | Role::Name => !is_known(&word.lower) && !uses(&word.lower),
        Role::Verb(_) | Role::Cue(_) => false,
    }
}

fn is_known(word: &str) -> bool {
    Language::ALL.into_iter().any(|language| {
        let lexicon = lexicon(language);
        lexicon.has_word(word) || lexicon.explains(word)
    })
}
