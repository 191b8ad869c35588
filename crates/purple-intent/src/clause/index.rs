//! Lookups by token, so that a long sentence is not searched again for each of its words.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::language::{Cue, Phrase};

/// The phrases or verbs that each token belongs to.
#[derive(Debug)]
pub(crate) struct Owners {
    /// Tokens and the indexes of their owners, in order.
    pairs: Vec<(usize, usize)>,
}

impl Owners {
    /// From the tokens of each owner.
    pub(super) fn new<'w>(words: impl Iterator<Item = &'w [usize]>) -> Self {
        let owned = words.enumerate().flat_map(|(owner, words)| words.iter().map(move |word| (*word, owner)));
        let mut pairs: Vec<(usize, usize)> = owned.collect();
        pairs.sort_unstable();
        Self { pairs }
    }

    /// The owners of a token, in order.
    pub(super) fn of(&self, token: usize) -> impl Iterator<Item = usize> {
        let from = self.pairs.partition_point(|(one, _)| *one < token);
        let rest = self.pairs.get(from..).unwrap_or_default();
        rest.iter().take_while(move |(one, _)| *one == token).map(|(_, owner)| *owner)
    }
}

/// The tokens at which each cue begins.
#[derive(Debug)]
pub(crate) struct CuePlaces {
    places: BTreeMap<Cue, Vec<usize>>,
}

impl CuePlaces {
    /// The places of the phrases that count.
    pub(super) fn new(phrases: &[Phrase], counts: impl Fn(Cue, &Phrase) -> bool) -> Self {
        let mut places: BTreeMap<Cue, Vec<usize>> = BTreeMap::new();
        for phrase in phrases.iter().filter(|phrase| counts(phrase.cue, phrase)) {
            places.entry(phrase.cue).or_default().extend(phrase.words.first());
        }
        places.values_mut().for_each(|places| places.sort_unstable());
        Self { places }
    }

    /// Whether a cue begins in this range.
    pub(super) fn has(&self, cue: Cue, range: &Range<usize>) -> bool {
        self.first(cue, range).is_some()
    }

    /// Where a cue first begins in this range.
    pub(super) fn first(&self, cue: Cue, range: &Range<usize>) -> Option<usize> {
        let places = self.places.get(&cue)?;
        let next = places.partition_point(|place| *place < range.start);
        places.get(next).copied().filter(|place| *place < range.end)
    }
}

/// A property of tokens.
#[derive(Debug)]
pub(crate) struct Flags {
    /// How many tokens before each place have it.
    counts: Vec<usize>,
}

impl Flags {
    /// Whether a token in this range has it.
    pub(crate) fn any(&self, range: Range<usize>) -> bool {
        let last = self.counts.len().saturating_sub(1);
        let count = |at: usize| self.counts.get(at.min(last)).copied().unwrap_or_default();
        count(range.end) > count(range.start)
    }
}

impl FromIterator<bool> for Flags {
    fn from_iter<I: IntoIterator<Item = bool>>(flags: I) -> Self {
        let mut counts = vec![0];
        let mut count = 0;
        for flag in flags {
            count += usize::from(flag);
            counts.push(count);
        }
        Self { counts }
    }
}
