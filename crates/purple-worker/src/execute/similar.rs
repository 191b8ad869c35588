//! How alike two short names are: matching blocks as Python's `difflib` finds them, and edit distance.
//!
//! Exact fractions, no floats. Pure.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The longest name that is compared, in characters. Longer ones are alike to nothing but themselves.
///
/// Below 200, where `difflib` begins to leave out popular characters.
pub(crate) const NAME_CHARS_MAX: usize = 128;

/// A part of a whole, between 0 and 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ratio {
    part: u32,
    whole: u32,
}

impl Ratio {
    pub(crate) const ONE: Self = Self { part: 1, whole: 1 };
    pub(crate) const ZERO: Self = Self { part: 0, whole: 1 };

    /// `whole` is positive.
    pub(crate) const fn new(part: u32, whole: u32) -> Self {
        Self { part, whole }
    }

    fn of(part: usize, whole: usize) -> Self {
        match (u32::try_from(part), u32::try_from(whole)) {
            (Ok(part), Ok(whole)) if whole > 0 => Self { part, whole },
            (Ok(_), Ok(_)) => Self::ONE,
            (Err(_), _) | (_, Err(_)) => Self::ZERO,
        }
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let [left, right] =
            [(self.part, other.whole), (other.part, self.whole)].map(|(a, b)| u64::from(a) * u64::from(b));
        left.cmp(&right)
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ratio {}

/// `difflib.SequenceMatcher(None, left, right).ratio()`, as a fraction.
pub(crate) fn sequence_ratio(left: &str, right: &str) -> Ratio {
    let Some([left, right]) = characters(left, right) else { return unequal(left, right) };
    Ratio::of(2 * matched(&left, &right), left.len() + right.len())
}

/// One less the share of characters that must be inserted, deleted or replaced.
pub(crate) fn edit_ratio(left: &str, right: &str) -> Ratio {
    let Some([left, right]) = characters(left, right) else { return unequal(left, right) };
    let longest = left.len().max(right.len());
    Ratio::of(longest - edits(&left, &right), longest)
}

/// [`edit_ratio`] of the two names with their words in alphabetical order: `name_client` is `client_name`.
pub(crate) fn sorted_edit_ratio(left: &str, right: &str) -> Ratio {
    let [left, right] = [left, right].map(|name| {
        let mut words: Vec<&str> =
            name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.join(" ")
    });
    edit_ratio(&left, &right)
}

fn unequal(left: &str, right: &str) -> Ratio {
    if left == right { Ratio::ONE } else { Ratio::ZERO }
}

fn characters(left: &str, right: &str) -> Option<[Vec<char>; 2]> {
    let [left, right] = [left, right].map(|name| name.chars().take(NAME_CHARS_MAX + 1).collect::<Vec<_>>());
    (left.len() <= NAME_CHARS_MAX && right.len() <= NAME_CHARS_MAX).then_some([left, right])
}

/// Characters in matching blocks: the longest block, then the same to its left and to its right.
fn matched(left: &[char], right: &[char]) -> usize {
    let mut places: BTreeMap<char, Vec<usize>> = BTreeMap::new();
    for (place, character) in right.iter().enumerate() {
        places.entry(*character).or_default().push(place);
    }
    let mut sum = 0;
    let mut open = vec![[0, left.len(), 0, right.len()]];
    while let Some([left_from, left_to, right_from, right_to]) = open.pop() {
        let [at, beside, size] = longest(left, &places, [left_from, left_to, right_from, right_to]);
        if size == 0 {
            continue;
        }
        sum += size;
        open.push([left_from, at, right_from, beside]);
        open.push([at + size, left_to, beside + size, right_to]);
    }
    sum
}

/// The longest common block, the earliest of several: where in the left, where in the right, how long.
fn longest(
    left: &[char],
    places: &BTreeMap<char, Vec<usize>>,
    [from, to, right_from, right_to]: [usize; 4],
) -> [usize; 3] {
    let mut best = [from, right_from, 0];
    // How long the block is that ends at a place of the right, for the character before.
    let mut ending: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, character) in left.iter().enumerate().take(to).skip(from) {
        let mut ending_here = BTreeMap::new();
        for place in places.get(character).into_iter().flatten().copied() {
            if !(right_from..right_to).contains(&place) {
                continue;
            }
            let before = place.checked_sub(1).and_then(|place| ending.get(&place)).copied().unwrap_or(0);
            let size = before + 1;
            ending_here.insert(place, size);
            let [_, _, best_size] = best;
            if size > best_size {
                best = [at + 1 - size, place + 1 - size, size];
            }
        }
        ending = ending_here;
    }
    best
}

/// Levenshtein's distance.
fn edits(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, from) in left.iter().enumerate() {
        let mut diagonal = above;
        let mut beside = above + 1;
        let mut next = vec![beside];
        for (to, old) in right.iter().zip(row.iter().skip(1)) {
            let replaced = diagonal + usize::from(from != to);
            beside = replaced.min(old + 1).min(beside + 1);
            next.push(beside);
            diagonal = *old;
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
#[path = "similar_tests.rs"]
mod tests;
