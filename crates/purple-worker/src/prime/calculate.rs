//! Answers a task that is nothing but a calculation by a shipped finance function, without a model.
//!
//! A function answers only if its words are in the task, every figure of the task is one of its parameters, every
//! required parameter is there once, it explains every word that changes a figure, and no other function fits as
//! well. Everything else is not understood here.

use std::ops::Range;

use purple_finance::catalogue::{self, Function};
use purple_process::file::Setting;

use super::figures::{Figure, Reading};
use super::purity::is_pure;
use super::reader::{Reader, UNSTATED};
use super::wording::{phrase_places, says_phrase};

/// A task that was a calculation, and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Calculation {
    /// The function.
    pub(crate) function: &'static str,
    /// What it was given, by parameter.
    pub(crate) given: Vec<(String, String)>,
    /// The figure that was asked for.
    pub(crate) result: String,
    /// How it was computed.
    pub(crate) lines: Vec<String>,
    /// What the reader must know.
    pub(crate) notes: Vec<String>,
}

/// The answer to a pure calculation; `None` for everything else.
pub(crate) fn calculate(text: &str, setting: &Setting) -> Option<Calculation> {
    let reader = Reader::of(text, setting)?;
    let unreadable =
        |figure: &Figure| matches!(figure.reading, Reading::Id | Reading::OtherTime | Reading::Unclear);
    if reader.figures.is_empty() || reader.figures.iter().any(unreadable) {
        return None;
    }
    let task = Task { reading: purple_intent::read(text, &setting.notation(Vec::new())), reader };
    let fitting: Vec<(Vec<Range<usize>>, Calculation)> = catalogue::functions()
        .iter()
        .map(|function| (task.places(function.words), function))
        .filter(|(words, _)| !words.is_empty())
        .filter_map(|(words, function)| Some((words, task.run(function)?)))
        .collect();
    let wins = |(words, own): &&(Vec<Range<usize>>, Calculation)| {
        fitting.iter().all(|(others, other)| own.function == other.function || say_more(words, others))
    };
    fitting.iter().find(wins).map(|(_, calculation)| calculation.clone())
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
}

impl Task {
    /// Every place of one of the phrases.
    pub(super) fn places(&self, phrases: &[&str]) -> Vec<Range<usize>> {
        phrases.iter().flat_map(|phrase| phrase_places(&self.reader.lower, phrase)).collect()
    }

    fn run(&self, function: &'static Function) -> Option<Calculation> {
        let lower = &self.reader.lower;
        if function.asked.unless.iter().any(|phrase| says_phrase(lower, phrase)) {
            return None;
        }
        let arguments = self.reader.arguments(function.parameters)?;
        let explained = self.explained(function);
        if !self.is_understood(function, &arguments, &explained)
            || !is_pure(lower, &self.reading, &explained, &self.figures())
        {
            return None;
        }
        let answer = catalogue::call(function.name, &arguments.values).ok()?;
        let result = self.headline(function, &answer)?;
        let shown = |text: String| if self.reader.no_currency { without_currency(&text) } else { text };
        let given = function.parameters.iter().filter_map(|parameter| {
            Some((parameter.name.to_owned(), shown(arguments.values.get(parameter.name)?.to_string())))
        });
        Some(Calculation {
            function: function.name,
            given: given.collect(),
            result: shown(result),
            lines: answer.lines.iter().map(|line| shown(line.to_string())).collect(),
            notes: answer.notes,
        })
    }

    pub(super) fn figures(&self) -> Vec<Range<usize>> {
        self.reader.figures.iter().map(|figure| figure.range.clone()).collect()
    }
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
