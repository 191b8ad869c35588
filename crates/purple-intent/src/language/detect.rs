//! Which language a text is written in.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::{Language, lexicon};
use crate::token::{Token, TokenKind};

/// The language of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detected {
    /// One language whose cues are known.
    One(Language),
    /// Several of them, the one with most words first.
    Mixed(Vec<Language>),
    /// Another language, or too few words to decide.
    Unknown,
}

/// A second language counts from this share of the words of the first, one in so many.
const SHARE: usize = 4;
/// This many words of a second language count in a text of any length.
const CLEAR: usize = 3;
/// At least one word in so many must be known.
const KNOWN: usize = 6;

impl Language {
    /// The language of a text. Ids, numbers, names and words of several languages do not count.
    pub fn detect(tokens: &[Token]) -> Detected {
        let mut votes = Votes::default();
        let words = || tokens.iter().filter(|token| counts(token));
        let in_capitals = words().filter(|token| token.capital).count() * 3 > words().count() * 2;
        for (index, token) in tokens.iter().enumerate().filter(|(_, token)| counts(token)) {
            let begins = index.checked_sub(1).and_then(|before| tokens.get(before)).is_none_or(is_mark);
            votes.count(&token.lower, token.capital && !begins && !in_capitals);
        }
        votes.decide()
    }
}

/// Whether a token is a word, not an id such as `inv2024451` or `ord-5044`. A single letter is a size or a variant.
fn counts(token: &Token) -> bool {
    let is_id = |letter: char| letter.is_numeric() || letter == '_';
    token.kind == TokenKind::Word && !token.lower.contains(is_id) && token.lower.chars().nth(1).is_some()
}

fn is_mark(token: &Token) -> bool {
    token.kind == TokenKind::Mark
}

#[derive(Default)]
struct Votes {
    known: [usize; 4],
    /// The words that each language has, those it shares included.
    fit: [usize; 4],
    foreign: HashMap<&'static str, usize>,
    foreign_fit: HashMap<&'static str, usize>,
    words: usize,
}

impl Votes {
    /// Counts a word. A capital inside a sentence makes it a name, except in German.
    fn count(&mut self, word: &str, capital: bool) {
        let known = Language::ALL.map(|language| {
            let lexicon = lexicon(language);
            let noun = language == Language::German && !lexicon.is_function_word(word);
            (noun || !capital) && lexicon.has_word(word)
        });
        let others = if capital { &[][..] } else { other_languages(word) };
        if capital && !known.contains(&true) {
            return;
        }
        self.words += 1;
        for (fit, _) in self.fit.iter_mut().zip(known).filter(|(_, known)| *known) {
            *fit += 1;
        }
        for name in others {
            *self.foreign_fit.entry(name).or_default() += 1;
        }
        let single = known.iter().filter(|known| **known).count() == 1;
        if single && others.is_empty() {
            for (vote, _) in self.known.iter_mut().zip(known).filter(|(_, known)| *known) {
                *vote += 1;
            }
        } else if !known.contains(&true) {
            self.count_foreign(word, others);
        }
    }

    /// A word of no known language: one of another language, or with letters that no known language has.
    fn count_foreign(&mut self, word: &str, others: &[&'static str]) {
        for name in others {
            *self.foreign.entry(name).or_default() += 1;
        }
        if others.is_empty() && word.chars().any(is_foreign_letter) {
            *self.foreign.entry("letters").or_default() += 1;
        }
    }

    fn decide(&self) -> Detected {
        let mut order: Vec<(usize, usize, Language)> = Language::ALL
            .into_iter()
            .zip(self.known.into_iter().zip(self.fit))
            .map(|(language, (votes, fit))| (votes, fit, language))
            .collect();
        order.sort_by_key(|(votes, fit, language)| (usize::MAX - votes, usize::MAX - fit, *language));
        let [(top, fit, first), (_, second_fit, _), ..] = order[..] else { return Detected::Unknown };
        let most = |votes: &HashMap<&str, usize>| votes.values().copied().max().unwrap_or(0);
        let (foreign, foreign_fit) = (most(&self.foreign), most(&self.foreign_fit));
        if foreign >= top.max(1) || (foreign > 0 && foreign_fit > fit) || fit * KNOWN < self.words {
            return Detected::Unknown;
        }
        if top == 0 {
            let clear = fit > 1 && fit > second_fit && fit > foreign_fit;
            return if clear { Detected::One(first) } else { Detected::Unknown };
        }
        let counts = |votes: usize| votes > 0 && (votes * SHARE >= top || votes >= CLEAR);
        let several: Vec<Language> =
            order.iter().filter(|(votes, ..)| counts(*votes)).map(|(.., language)| *language).collect();
        if several.len() > 1 { Detected::Mixed(several) } else { Detected::One(first) }
    }
}

/// A letter that is in no word of the four languages.
fn is_foreign_letter(letter: char) -> bool {
    letter.is_alphabetic() && !letter.is_ascii() && !"äöüßàâæçéèêëîïôœùûÿáíóúñåªº".contains(letter)
}

/// The languages without known cue words that have this word.
pub(crate) fn other_languages(word: &str) -> &'static [&'static str] {
    OTHERS.get(word).map_or(&[][..], Vec::as_slice)
}

/// Words of other languages, each with the languages that have it.
static OTHERS: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let lists: BTreeMap<&'static str, String> =
        toml::from_str(include_str!("../../data/other.toml")).unwrap_or_default();
    let mut words: HashMap<String, Vec<&'static str>> = HashMap::new();
    for (name, list) in lists {
        for word in list.split_whitespace() {
            words.entry(word.to_owned()).or_default().push(name);
        }
    }
    words
});
