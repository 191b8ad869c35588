//! Which values a word is near to: `total` of `the total of $500`.

use std::collections::HashSet;
use std::ops::Range;

use super::literal::Candidate;

/// How far a word is from a value: each word between counts one, other marks more. An id between is part of the word
/// that it follows: `invoice INV-7 for $500`.
const COMMA_COST: usize = 2;
const SENTENCE_COST: usize = 8;
/// A word after the value, and one after the value and a comma, are less likely to name it.
const AFTER_COST: usize = 1;
const AFTER_COMMA_COST: usize = 3;

/// Those of the candidates that stand nearest to the word. Of a kind that several inputs take, `all` are the words of
/// these inputs in the order of the file, and a candidate belongs to the input whose word is nearest to it; a single
/// one without a word directly beside it belongs to the first. The first input that no value is nearest to takes what
/// the others leave over.
pub(crate) fn nearest_to(
    gaps: &Gaps<'_>,
    word: &str,
    all: &[&str],
    candidates: Vec<Candidate>,
) -> Vec<Candidate> {
    let places: Vec<Vec<Range<usize>>> = all.iter().map(|word| word_places(gaps.text, word)).collect();
    let Some(own) = all.iter().position(|one| *one == word) else { return candidates };
    let mut kept: Vec<Vec<&Candidate>> =
        (0..all.len()).map(|own| kept_by(gaps, &places, own, &candidates)).collect();
    // "99.5% instead of 99.9%": what the words of no other input take is the value of the first input without one.
    if kept.iter().position(Vec::is_empty) == Some(own) {
        let taken: HashSet<&Range<usize>> = kept.iter().flatten().map(|one| &one.range).collect();
        return candidates.iter().filter(|one| !taken.contains(&one.range)).cloned().collect();
    }
    kept.swap_remove(own).into_iter().cloned().collect()
}

/// The candidates that the words of an input, at `places[own]`, are nearest to.
fn kept_by<'c>(
    gaps: &Gaps<'_>,
    places: &[Vec<Range<usize>>],
    own: usize,
    candidates: &'c [Candidate],
) -> Vec<&'c Candidate> {
    let mut kept: Vec<(Option<usize>, &Candidate)> = Vec::new();
    for candidate in candidates {
        let distances = places.iter().map(|places| distance(gaps, places, candidate));
        let distances: Vec<Option<usize>> = distances.collect();
        let least = distances.iter().flatten().min().copied();
        let mine = distances.get(own).copied().flatten();
        let is_mine = match least {
            None => own == 0 || places.len() == 1,
            Some(least) if candidates.len() == 1 && least > AFTER_COST => own == 0,
            Some(_) => mine == least,
        };
        if is_mine {
            kept.push((mine, candidate));
        }
    }
    let nearest = kept.iter().filter_map(|(distance, _)| *distance).min();
    kept.into_iter().filter(|(distance, _)| *distance == nearest).map(|(_, candidate)| candidate).collect()
}

/// The days nearest to the word, and every other day that is not only the time of speaking: two days are asked for.
pub(crate) fn nearest_day(gaps: &Gaps<'_>, word: &str, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let nearest = nearest_to(gaps, word, &[word], candidates.clone());
    let nearest: HashSet<Range<usize>> = nearest.into_iter().map(|one| one.range).collect();
    let is_near = |candidate: &Candidate| nearest.contains(&candidate.range);
    // "She leaves on 31 March. Start it today": where no word tells them apart, today is the time of speaking.
    let other = candidates.iter().any(|candidate| !candidate.passing && is_near(candidate));
    candidates.into_iter().filter(|candidate| !candidate.passing || is_near(candidate) && !other).collect()
}

/// How far a value is from the nearest of these places. Both are in the order of the text, so that the nearest place is
/// the one just before or just after.
fn distance(gaps: &Gaps<'_>, places: &[Range<usize>], candidate: &Candidate) -> Option<usize> {
    let after = places.partition_point(|place| place.start < candidate.range.start);
    let before = after.checked_sub(1).and_then(|before| places.get(before));
    let before = before.map(|place| gaps.cost(place.end..candidate.range.start));
    let after = places.get(after).map(|place| {
        let between = candidate.range.end..place.start;
        let comma = count_in(&gaps.commas, 1, &between) > 0;
        gaps.cost(between) + AFTER_COST + if comma { AFTER_COMMA_COST } else { 0 }
    });
    before.into_iter().chain(after).min()
}

/// What the distance between two places of a text depends on, so that the words between them are not read again for
/// each value.
pub(crate) struct Gaps<'t> {
    text: &'t str,
    /// The places of the words, which spaces divide.
    words: Vec<Range<usize>>,
    /// How many words before each one count.
    counted: Vec<usize>,
    /// Where each mark is that ends a sentence.
    ends: [Vec<usize>; SENTENCE_ENDS.len()],
    commas: Vec<usize>,
    /// The commas with a space after them.
    pauses: Vec<usize>,
}

const SENTENCE_ENDS: [&str; 5] = [". ", "; ", "\n", "! ", "? "];
const PAUSE: &str = ", ";

impl<'t> Gaps<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let places = |mark: &str| text.match_indices(mark).map(|(at, _)| at).collect::<Vec<usize>>();
        let mut words: Vec<Range<usize>> = Vec::new();
        let mut counted = vec![0];
        let mut count = 0;
        let mut end = 0;
        for word in text.split(char::is_whitespace) {
            let place = end..end + word.len();
            end = place.end
                + text.get(place.end..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            if !word.is_empty() {
                count += usize::from(counts(word));
                words.push(place);
                counted.push(count);
            }
        }
        let (ends, commas, pauses) = (SENTENCE_ENDS.map(places), places(","), places(PAUSE));
        Self { text, words, counted, ends, commas, pauses }
    }

    /// How far it is from one end of a place to the other.
    fn cost(&self, between: Range<usize>) -> usize {
        if between.is_empty() {
            return 0;
        }
        let sentences = self
            .ends
            .iter()
            .zip(SENTENCE_ENDS)
            .filter(|(places, end)| count_in(places, end.len(), &between) > 0);
        let pauses = count_in(&self.pauses, PAUSE.len(), &between);
        self.words_in(&between) + sentences.count() * SENTENCE_COST + pauses * COMMA_COST
    }

    /// How many words in this place count. A word that it divides counts by its part inside.
    fn words_in(&self, between: &Range<usize>) -> usize {
        let first = self.words.partition_point(|word| word.end <= between.start);
        let last = self.words.partition_point(|word| word.start < between.end);
        let whole_first = self.words.partition_point(|word| word.start < between.start);
        let whole_last = self.words.partition_point(|word| word.end <= between.end);
        let before = |at: usize| self.counted.get(at).copied().unwrap_or_default();
        let part = |at: usize| {
            let place =
                self.words.get(at).map(|word| word.start.max(between.start)..word.end.min(between.end));
            usize::from(place.and_then(|place| self.text.get(place)).is_some_and(counts))
        };
        let whole = if whole_first < whole_last { before(whole_last) - before(whole_first) } else { 0 };
        let divided = (first..whole_first).chain(whole_last.max(whole_first)..last);
        whole + divided.map(part).sum::<usize>()
    }
}

/// Whether a word counts as a distance: ids and marks do not.
fn counts(word: &str) -> bool {
    let is_id = word.contains('-') && word.chars().any(|letter| letter.is_ascii_digit());
    !is_id && word.chars().any(char::is_alphanumeric)
}

/// How many of these marks, each of so many bytes, are in a place.
fn count_in(marks: &[usize], length: usize, place: &Range<usize>) -> usize {
    let first = marks.partition_point(|mark| *mark < place.start);
    let last = marks.partition_point(|mark| mark + length <= place.end);
    last.saturating_sub(first)
}

/// The places of a word, or of any of several words with `|` between them, in any case.
fn word_places(text: &str, words: &str) -> Vec<Range<usize>> {
    let words: Vec<String> = words.split('|').map(|word| word.trim().to_lowercase()).collect();
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut inside = false;
    for (at, letter) in text.char_indices() {
        let begins = !inside && letter.is_alphanumeric();
        inside = letter.is_alphanumeric();
        let rest = text.get(at..).filter(|_| begins).unwrap_or_default();
        let ends = words.iter().filter_map(|word| word_end(rest, word)).max();
        places.extend(ends.filter(|end| *end > 0).map(|end| at..at + end));
    }
    places
}

/// Where this word in lower case ends, if the text begins with it.
fn word_end(text: &str, word: &str) -> Option<usize> {
    let mut wanted = word.chars();
    let mut end = 0;
    for letter in text.chars() {
        if wanted.as_str().is_empty() {
            return (!letter.is_alphanumeric()).then_some(end);
        }
        if !letter.to_lowercase().all(|one| wanted.next() == Some(one)) {
            return None;
        }
        end += letter.len_utf8();
    }
    wanted.as_str().is_empty().then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of the words between two places, from these words alone.
    fn cost(words: &str) -> usize {
        let sentences = SENTENCE_ENDS.iter().filter(|end| words.contains(**end)).count();
        let count = words.split_whitespace().filter(|word| counts(word)).count();
        count + sentences * SENTENCE_COST + words.matches(PAUSE).count() * COMMA_COST
    }

    #[test]
    fn every_gap_costs_what_its_words_cost() {
        let text = "Pay INV-7, the total is $500.\nWhy?  \u{a0}No, für 3-4 days; ok! -- x,y ,  z";
        let gaps = Gaps::new(text);
        let places: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        for (start, end) in places.iter().flat_map(|start| places.iter().map(move |end| (*start, *end))) {
            let words = text.get(start..end).unwrap_or_default();
            assert_eq!(gaps.cost(start..end), cost(words), "{words:?}");
            assert_eq!(count_in(&gaps.commas, 1, &(start..end)), words.matches(',').count(), "{words:?}");
        }
    }
}
