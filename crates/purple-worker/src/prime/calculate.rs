//! Answers a task that is nothing but a calculation by a shipped finance function, without a model.
//!
//! A function answers only if its words are in the task, every figure of the task is one of its parameters, every
//! required parameter is there once, it explains every word that changes a figure, and no other function fits as
//! well. Everything else is not understood here.

use std::ops::Range;

use purple_finance::catalogue::{self, Function};
use purple_process::file::Setting;

use super::figures::Reading;
use super::headline::plain;
use super::open::{Lack, Open, ambiguous};
use super::purity::is_pure;
use super::reader::{Arguments, Reader, UNSTATED};
use super::understood::PRICE_DIFFERENCE;
use super::wording::phrase_places;

/// A task that was a calculation, and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Calculation {
    /// The function.
    pub(crate) function: &'static str,
    /// What it was given, by parameter.
    pub(crate) given: Vec<(String, String)>,
    /// The figure that was asked for.
    pub(crate) result: String,
    /// What was assumed for it and is not in the task.
    pub(crate) assumed: Option<String>,
    /// The figure that it is a part of, or that it is often taken for, by name.
    pub(crate) beside: Vec<(String, String)>,
    /// How it was computed.
    pub(crate) lines: Vec<String>,
    /// What the reader must know.
    pub(crate) notes: Vec<String>,
}

/// What a text is, as a calculation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is one, and a shipped function answers it.
    Answer(Calculation),
    /// It is one, and something has to be asked first.
    Open(Open),
    /// It is something else.
    Other,
}

/// The answer to a pure calculation; `None` for everything else.
pub(crate) fn calculate(text: &str, setting: &Setting) -> Option<Calculation> {
    match outcome(text, setting) {
        Outcome::Answer(calculation) => Some(calculation),
        Outcome::Open(_) | Outcome::Other => None,
    }
}

/// What a text is, as a calculation.
pub(crate) fn outcome(text: &str, setting: &Setting) -> Outcome {
    let Some(reader) = Reader::of(text, setting) else { return Outcome::Other };
    if reader.figures.is_empty() || reader.figures.iter().any(|figure| figure.reading == Reading::Id) {
        return Outcome::Other;
    }
    let reading = purple_intent::read(text, &setting.notation(Vec::new()));
    let task = Task { reading, reader, ambiguous: ambiguous(text, setting) };
    let functions = catalogue::functions().iter().map(|function| (task.places(function.words), *function));
    let tried: Vec<Attempt> = functions
        .filter(|(words, _)| !words.is_empty())
        .map(|(words, function)| Attempt { words, function, result: task.run(function) })
        .collect();
    answer(&tried).or_else(|| question(&tried)).unwrap_or(Outcome::Other)
}

/// A function whose words are in the task, and what it makes of it.
struct Attempt {
    words: Vec<Range<usize>>,
    function: &'static Function,
    result: Result<Calculation, Lack>,
}

/// The only answer, or the one whose words say more than those of every other.
fn answer(tried: &[Attempt]) -> Option<Outcome> {
    let fitting: Vec<&Attempt> = tried.iter().filter(|attempt| attempt.result.is_ok()).collect();
    let wins = |own: &&&Attempt| {
        fitting
            .iter()
            .all(|other| own.function.name == other.function.name || say_more(&own.words, &other.words))
    };
    fitting.iter().find(wins)?.result.clone().ok().map(Outcome::Answer)
}

/// What has to be asked for the function that most of the words point to.
fn question(tried: &[Attempt]) -> Option<Outcome> {
    // Of equals the first one counts.
    let open = tried.iter().rev().filter_map(|attempt| {
        let lack = match &attempt.result {
            Err(Lack::Purpose) => return None,
            Err(lack) => lack.clone(),
            Ok(_) => Lack::Which,
        };
        let said: usize = attempt.words.iter().map(Range::len).sum();
        Some((said, lack.nearness(), Open { function: attempt.function.name, lack }))
    });
    open.max_by_key(|(said, near, _)| (*said, *near)).map(|(_, _, open)| Outcome::Open(open))
}

/// Whether these words hold all the others and more: "safety stock" holds "stock".
fn say_more(words: &[Range<usize>], others: &[Range<usize>]) -> bool {
    let within = |inner: &[Range<usize>], outer: &[Range<usize>]| {
        inner
            .iter()
            .all(|place| outer.iter().any(|whole| whole.start <= place.start && place.end <= whole.end))
    };
    within(others, words) && !within(words, others)
}

/// A task as a calculation reads it.
pub(super) struct Task {
    pub(super) reader: Reader,
    pub(super) reading: purple_intent::Reading,
    /// A figure with two meanings, if there is one.
    pub(super) ambiguous: Option<Lack>,
}

impl Task {
    /// Every place of one of the phrases.
    pub(super) fn places(&self, phrases: &[&str]) -> Vec<Range<usize>> {
        phrases.iter().flat_map(|phrase| phrase_places(&self.reader.lower, phrase)).collect()
    }

    fn run(&self, function: &'static Function) -> Result<Calculation, Lack> {
        let explained = self.explained(function);
        if !is_pure(&self.reader.lower, &self.reading, &explained, &self.figures()) {
            return Err(Lack::Purpose);
        }
        if let Some(ambiguous) = &self.ambiguous {
            return Err(ambiguous.clone());
        }
        let contradicting = self.contradicting(function);
        if !contradicting.is_empty() {
            return Err(self.not_understood(&contradicting));
        }
        let arguments = self.arguments(function).ok_or_else(|| self.misfit(function, &explained))?;
        self.understand(function, &arguments, &explained)?;
        let refused = |error: catalogue::CallError| Lack::Refused(error.to_string());
        let answer = catalogue::call(function.name, &arguments.values).map_err(refused)?;
        let result = self.headline(function, &answer).ok_or(Lack::Which)?;
        let shown = |text: String| if self.reader.no_currency { without_currency(&text) } else { text };
        let given = function.parameters.iter().filter_map(|parameter| {
            Some((parameter.name.to_owned(), shown(arguments.values.get(parameter.name)?.to_string())))
        });
        let result = shown(result);
        Ok(Calculation {
            function: function.name,
            given: given.collect(),
            assumed: self.assumed(function, &arguments),
            beside: beside(function, &answer, &result).map(|(name, value)| (name, shown(value))).collect(),
            result,
            lines: answer.lines.iter().map(|line| shown(line.to_string())).collect(),
            notes: answer.notes,
        })
    }

    /// The figures of the task as the function takes them.
    fn arguments(&self, function: &'static Function) -> Option<Arguments> {
        if function.name == PRICE_DIFFERENCE {
            return self.reader.swapped();
        }
        // "In one week", "in a 30-day month", "the smallest one": figures that the function assumes anyway.
        let mut constants = self.places(function.asked.also);
        let results = function.asked.results.iter().flat_map(|result| result.words);
        constants.extend(self.places(&results.map(|word| plain(word)).collect::<Vec<_>>()));
        self.reader.arguments(function.parameters, &constants)
    }

    /// The defaults that the answer rests on, where the task does not state them.
    fn assumed(&self, function: &Function, arguments: &Arguments) -> Option<String> {
        let open = function.parameters.iter().filter(|one| !arguments.values.contains_key(one.name));
        let unsaid =
            open.filter_map(|one| one.assumed).filter(|(_, stated_by)| self.places(stated_by).is_empty());
        let said: Vec<&str> = unsaid.map(|(said, _)| said).collect();
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// The words that contradict the function. Part of longer words for a result does not: "price including".
    fn contradicting(&self, function: &Function) -> Vec<Range<usize>> {
        let results = function.asked.results.iter().flat_map(|result| result.words);
        let asked: Vec<Range<usize>> =
            results.flat_map(|word| phrase_places(&self.reader.lower, plain(word))).collect();
        let longer = |place: &Range<usize>| {
            let over = |one: &&Range<usize>| one.len() > place.len();
            asked.iter().filter(over).any(|one| one.start <= place.start && place.end <= one.end)
        };
        self.places(function.asked.unless).into_iter().filter(|place| !longer(place)).collect()
    }

    pub(super) fn figures(&self) -> Vec<Range<usize>> {
        self.reader.figures.iter().map(|figure| figure.range.clone()).collect()
    }
}

/// The answer that a function gives where nothing else is asked for, if the task asks for something else of the same
/// unit: the whole pay beside the overtime.
fn beside(
    function: &Function,
    answer: &catalogue::Answer,
    result: &str,
) -> impl Iterator<Item = (String, String)> {
    let usual =
        answer.value(function.answer).and_then(|value| value.as_money()).map(|money| money.to_string());
    let other = usual.filter(|usual| function.name == "overtime" && usual != result);
    other.map(|usual| (function.answer.to_owned(), usual)).into_iter()
}

/// A text in which the currency was only assumed.
fn without_currency(text: &str) -> String {
    text.replace(&format!(" {}", UNSTATED.code()), "")
}

#[cfg(test)]
#[path = "calculate_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "calculate_corpus_tests.rs"]
mod corpus_tests;

#[cfg(test)]
#[path = "calculate_property_tests.rs"]
mod property_tests;
