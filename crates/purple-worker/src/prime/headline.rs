//! The figure that a task asks for, with its unit.

use std::ops::Range;

use purple_finance::Figure as Value;
use purple_finance::catalogue::{Answer, AskedResult, Function};

use super::calculate::Task;
use super::figures::Reading;
use super::label::{Asking, asking, is_label, names_percentage};
use super::understood::is_within;
use super::wording::phrase_places;

impl Task {
    /// The figure that is asked for: by a question, else by the words, else what the function answers.
    pub(super) fn headline(&self, function: &Function, answer: &Answer) -> Option<String> {
        let mut by_question: Vec<&AskedResult> = Vec::new();
        let mut by_words: Vec<&AskedResult> = Vec::new();
        for result in function.asked.results {
            match self.asked_by(result, function.asked.results) {
                Some(Asking::Question) => by_question.push(result),
                Some(Asking::Begins) => by_words.push(result),
                None => {}
            }
        }
        let asked = if by_question.is_empty() { by_words } else { by_question };
        let given =
            |result: &&AskedResult| function.parameters.iter().any(|parameter| parameter.name == result.name);
        if asked.iter().any(given) {
            return None;
        }
        match asked.as_slice() {
            [] if function.asked.must_name => None,
            [] => {
                let result = function.asked.results.iter().find(|result| result.name == function.answer);
                let unit = result.map_or("", |result| result.unit);
                Some(written(answer.value(function.answer)?, unit))
            }
            [one] => {
                let value = answer.value(one.name)?;
                let unit = if value.as_money().is_some() { "" } else { one.unit };
                Some(written(value, unit))
            }
            several => {
                let each = several.iter().map(|result| {
                    let value = answer.value(result.name)?;
                    let name = result.name.replace('_', " ");
                    let unit = match (result.unit, value.as_money()) {
                        ("", Some(_)) => &name,
                        (unit, _) => unit,
                    };
                    Some(written(value, unit))
                });
                Some(each.collect::<Option<Vec<_>>>()?.join(", "))
            }
        }
    }

    /// How the text asks for this result. Words that are part of longer words for another result do not count:
    /// "covered" in "not covered".
    fn asked_by(&self, result: &AskedResult, all: &[AskedResult]) -> Option<Asking> {
        let lower = &self.reader.lower;
        let others = all.iter().filter(|other| other.name != result.name).flat_map(|other| other.words);
        let others: Vec<Range<usize>> =
            others.flat_map(|word| phrase_places(lower, word.trim_start_matches('?'))).collect();
        let part = |place: &Range<usize>| {
            others
                .iter()
                .any(|other| other.len() > place.len() && is_within(place, std::slice::from_ref(other)))
        };
        let mut found = None;
        for word in result.words {
            for place in
                phrase_places(lower, word.trim_start_matches('?')).iter().filter(|place| !part(place))
            {
                let strict = word.starts_with('?');
                let asked = if strict { asking(lower, place) } else { Some(Asking::Begins) };
                match asked {
                    Some(Asking::Question) => return asked,
                    Some(Asking::Begins) if !(strict && self.is_named_figure(place)) => found = asked,
                    Some(Asking::Begins) | None => {}
                }
            }
        }
        found
    }

    /// Whether the word at this place says what a figure is.
    fn is_named_figure(&self, place: &Range<usize>) -> bool {
        let lower = &self.reader.lower;
        self.reader.figures.iter().any(|figure| match figure.reading {
            Reading::Percent(_) => names_percentage(lower, place, &figure.range),
            Reading::Money(_)
            | Reading::Price(..)
            | Reading::Count(..)
            | Reading::BareAmount(_)
            | Reading::Date(_)
            | Reading::Relative(_)
            | Reading::OtherTime
            | Reading::Id
            | Reading::Unclear => is_label(lower, place, &figure.range),
        })
    }
}

/// A figure with its unit.
fn written(value: &Value, unit: &str) -> String {
    match (value, unit) {
        (_, "") => value.to_string(),
        (Value::Days(days), unit) => format!("{days} {unit}"),
        (value, unit) => format!("{value} {unit}"),
    }
}
