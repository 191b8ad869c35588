//! The phrases of a language, to be found in a text.

use std::collections::HashMap;

use super::pattern::{Beginning, Pattern, Reading};
use crate::token::Token;

/// Phrases with what each means, by what they begin with.
#[derive(Debug)]
pub(super) struct Phrases<T> {
    all: Vec<(Pattern, T)>,
    by_word: HashMap<String, Vec<usize>>,
    /// Those whose first word has a known beginning, by its first letter.
    by_first: HashMap<char, Vec<usize>>,
    /// Those whose first word has a known end, by its last letter.
    by_last: HashMap<char, Vec<usize>>,
    /// Those that can begin with any word.
    anywhere: Vec<usize>,
}

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            by_word: HashMap::new(),
            by_first: HashMap::new(),
            by_last: HashMap::new(),
            anywhere: Vec::new(),
        }
    }
}

/// What was found, and where.
pub(super) type Match<'a, T> = (Vec<usize>, Vec<&'a T>);

impl<T> Phrases<T> {
    pub(super) fn add(&mut self, pattern: Pattern, meaning: T) {
        let index = self.all.len();
        for beginning in pattern.beginnings() {
            let list = match beginning {
                Beginning::Word(word) => self.by_word.entry(word.to_owned()).or_default(),
                Beginning::First(letter) => self.by_first.entry(letter).or_default(),
                Beginning::Last(letter) => self.by_last.entry(letter).or_default(),
                Beginning::Any => &mut self.anywhere,
            };
            list.push(index);
        }
        self.all.push((pattern, meaning));
    }

    /// The phrases that can begin with this word. One can be among them twice.
    fn listed(&self, word: &str) -> impl Iterator<Item = &usize> {
        let by_word = self.by_word.get(word);
        let by_first = word.chars().next().and_then(|first| self.by_first.get(&first));
        let by_last = word.chars().next_back().and_then(|last| self.by_last.get(&last));
        by_word.into_iter().chain(by_first).chain(by_last).flatten()
    }

    /// All phrases of the text. A word belongs to one phrase: the one with most words, of those one that
    /// `prefer` is true for, of those the one with the shortest gap, and of those the first.
    pub(super) fn find(
        &self,
        tokens: &[Token],
        readings: &[Reading],
        prefer: impl Fn(&T) -> bool,
    ) -> Vec<Match<'_, T>> {
        let mut found: Vec<(Vec<usize>, &T)> = Vec::new();
        let mut words = Vec::new();
        for (at, (whole, rest)) in readings.iter().copied().enumerate() {
            let listed = self.listed(whole).chain(rest.into_iter().flat_map(|rest| self.listed(rest)));
            for index in listed.chain(&self.anywhere) {
                let Some((pattern, meaning)) = self.all.get(*index) else { continue };
                if pattern.find(tokens, readings, at, &mut words) {
                    found.push((words.clone(), meaning));
                }
            }
        }
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut candidates: Vec<Match<'_, T>> = Vec::new();
        for (words, meaning) in found {
            match candidates.last_mut().filter(|(last, _)| *last == words) {
                Some((_, meanings)) => meanings.push(meaning),
                None => candidates.push((words, vec![meaning])),
            }
        }
        let width = |words: &[usize]| words.last().zip(words.first()).map_or(0, |(last, first)| last - first);
        candidates.sort_by_key(|(words, meanings)| {
            (usize::MAX - words.len(), !meanings.iter().any(|meaning| prefer(meaning)), width(words))
        });
        let mut taken = vec![false; tokens.len()];
        candidates.retain(|(words, _)| {
            let free = words.iter().all(|word| taken.get(*word) == Some(&false));
            for word in words.iter().filter(|_| free) {
                if let Some(taken) = taken.get_mut(*word) {
                    *taken = true;
                }
            }
            free
        });
        candidates.sort_by(|(one, _), (other, _)| one.cmp(other));
        candidates
    }
}
