//! Answers a task that is nothing but a calculation by a shipped finance function, without a model.
//!
//! A function is used only if its words are in the task, every figure of the task is one of its parameters, every
//! required parameter is there once, and no other function fits as well. Anything else is left to others.

use std::ops::Range;
use std::sync::LazyLock;

use purple_finance::catalogue::{self, Function};
use purple_process::file::Setting;
use regex::Regex;

use super::figures::{Figure, Reading};
use super::pattern::pattern;
use super::reader::Reader;
use super::wording::places;

/// A task that was a calculation, and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Calculation {
    /// The function.
    pub(crate) function: &'static str,
    /// What it was given, by parameter.
    pub(crate) given: Vec<(String, String)>,
    /// The answer.
    pub(crate) result: String,
    /// How it was computed.
    pub(crate) lines: Vec<String>,
    /// What the reader must know.
    pub(crate) notes: Vec<String>,
}

/// The answer to a pure calculation; `None` for everything else.
pub(crate) fn calculate(text: &str, setting: &Setting) -> Option<Calculation> {
    let task = pure(text, setting)?;
    let fitting: Vec<(Vec<Range<usize>>, Calculation)> = catalogue::functions()
        .iter()
        .map(|function| {
            (function.words.iter().flat_map(|word| places(&task.lower, word)).collect(), function)
        })
        .filter(|(words, _): &(Vec<Range<usize>>, _)| !words.is_empty())
        .filter_map(|(words, function)| Some((words, run(&task, function)?)))
        .collect();
    let wins = |(words, own): &&(Vec<Range<usize>>, Calculation)| {
        fitting.iter().all(|(others, other)| own.function == other.function || say_more(words, others))
    };
    fitting.iter().find(wins).map(|(_, calculation)| calculation.clone())
}

/// Whether these words hold all the others and more: "vat included" holds "vat".
fn say_more(words: &[Range<usize>], others: &[Range<usize>]) -> bool {
    let within = |inner: &[Range<usize>], outer: &[Range<usize>]| {
        inner
            .iter()
            .all(|place| outer.iter().any(|whole| whole.start <= place.start && place.end <= whole.end))
    };
    within(others, words) && !within(words, others)
}

static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:calculate|compute|work out|figure out|determine|estimate|what|what's|how much|how many|convert|split|divide|allocate|apportion|amortize|prorate|depreciate|recognize|withhold|add|extract)\b",
    )
});

/// A verb that changes something, where a part of a sentence begins.
static WRITES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)(?:^|[.;:,!?\n(-]\s*|\b(?:and|then|please|also|or|but|finally|now)\s+)
          (?: (?:approve|reject|deny|pay|send|apply|post|submit|create|update|delete|cancel|transfer|notify|email|schedule|release|revoke|modify|remove|reimburse|disburse|wire|process|change|set\sup|close|open)\b
            | (?:refund|charge|credit|debit|book|issue|invoice|bill|record|order|file)\s(?:the|a|an|it|them|this|that|him|her|us|me|all|customer|vendor|employee)\b )",
    )
});

/// The task, if it asks for figures and for nothing else.
fn pure(text: &str, setting: &Setting) -> Option<Reader> {
    let reader = Reader::of(text, setting)?;
    let unreadable = |figure: &Figure| matches!(figure.reading, Reading::Id | Reading::Unclear);
    let pure = ASKS.is_match(&reader.lower)
        && !WRITES.is_match(&reader.lower)
        && !reader.figures.iter().any(unreadable);
    pure.then_some(reader)
}

fn run(reader: &Reader, function: &'static Function) -> Option<Calculation> {
    let arguments = reader.arguments(function.parameters)?;
    let answer = catalogue::call(function.name, &arguments).ok()?;
    let given = function.parameters.iter().filter_map(|parameter| {
        Some((parameter.name.to_owned(), arguments.get(parameter.name)?.to_string()))
    });
    Some(Calculation {
        function: function.name,
        given: given.collect(),
        result: answer.value(function.answer)?.to_string(),
        lines: answer.lines.iter().map(ToString::to_string).collect(),
        notes: answer.notes,
    })
}

#[cfg(test)]
#[path = "calculate_tests.rs"]
mod tests;
