//! The figure that a task asks for, with its unit.

use std::ops::Range;

use purple_finance::Figure as Value;
use purple_finance::catalogue::{Answer, AskedResult, Function};

use purple_intent::{Act, Mood};

use super::calculate::Task;
use super::figures::Reading;
use super::label::{Asking, asking, is_label, names_percentage};
use super::understood::is_within;
use super::wording::phrase_places;

impl Task {
    /// The figure that is asked for: by a question, else by the words, else what the function answers.
    pub(super) fn headline(&self, function: &Function, answer: &Answer) -> Option<String> {
        let results = function.asked.results.iter();
        let found: Vec<(Asking, &AskedResult)> =
            results.filter_map(|one| Some((self.asked_by(one, function.asked.results)?, one))).collect();
        let clearest = found.iter().map(|(asking, _)| *asking).min();
        let asked: Vec<&AskedResult> =
            found.iter().filter(|(asking, _)| Some(*asking) == clearest).map(|(_, one)| *one).collect();
        let is_list = |name: &str| matches!(answer.value(name), Some(Value::List(_)));
        let given = |result: &&AskedResult| {
            let same = function.parameters.iter().any(|parameter| parameter.name == result.name);
            same && !is_list(result.name)
        };
        if asked.iter().any(given) {
            return None;
        }
        match asked.as_slice() {
            _ if !self.question_is_about(function) => None,
            [] if function.asked.must_name => None,
            [] => {
                let result = function.asked.results.iter().find(|result| result.name == function.answer);
                let unit = result.map_or("", |result| result.unit);
                Some(written(answer.value(function.answer)?, unit))
            }
            [one] => {
                let value = &value_of(function, answer, one.name)?;
                // What the words name needs no name in the answer; what they only imply does.
                let named = value.as_money().is_some() && clearest != Some(Asking::Implied);
                let unit = if named { "" } else { one.unit };
                Some(written(value, unit))
            }
            several => {
                let each = several.iter().map(|result| {
                    let value = &value_of(function, answer, result.name)?;
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

    /// Whether a question of the text, if it has one, is about the function or one of its results. "How much do I get
    /// back?" is about something else than a fee.
    fn question_is_about(&self, function: &Function) -> bool {
        let results = function.asked.results.iter().flat_map(|result| result.words);
        let words: Vec<&str> =
            results.map(|word| plain(word)).chain(function.words.iter().copied()).collect();
        let places = self.places(&words);
        let asks = |act: &&Act| {
            let clause = self.reader.lower.get(act.span.start..act.span.end).unwrap_or_default();
            let clause = clause.trim_start_matches(|c: char| !c.is_alphabetic());
            let begins = |word: &&str| {
                clause.strip_prefix(*word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            };
            matches!(act.mood, Mood::Question | Mood::Calculation) && INTERROGATIVE.iter().any(begins)
        };
        let mut questions = self.reading.acts.iter().filter(asks).peekable();
        let about =
            |act: &Act| places.iter().any(|place| act.span.start <= place.start && place.end <= act.span.end);
        questions.peek().is_none() || questions.any(about)
    }

    /// How the text asks for this result. Words that are part of longer words for another result do not count:
    /// "covered" in "not covered".
    fn asked_by(&self, result: &AskedResult, all: &[AskedResult]) -> Option<Asking> {
        let lower = &self.reader.lower;
        let others = all.iter().filter(|other| other.name != result.name).flat_map(|other| other.words);
        let others: Vec<Range<usize>> = others.flat_map(|word| phrase_places(lower, plain(word))).collect();
        let part = |place: &Range<usize>| {
            others
                .iter()
                .any(|other| other.len() > place.len() && is_within(place, std::slice::from_ref(other)))
        };
        let mut found = None;
        for word in result.words {
            let (strict, weak) = (word.starts_with('?'), word.starts_with('~'));
            let counts =
                |place: &Range<usize>| !part(place) && !self.is_charge(place) && !is_compound(lower, place);
            for place in phrase_places(lower, plain(word)).iter().filter(|place| counts(place)) {
                let asked = match (strict, weak) {
                    _ if word.starts_with('!') => Some(Asking::Question),
                    (true, _) => asking(lower, place),
                    (false, true) => Some(Asking::Implied),
                    // "What is the remaining value?" asks more clearly than "it was used".
                    (false, false) => asking(lower, place)
                        .filter(|asked| *asked == Asking::Question)
                        .or(Some(Asking::Begins)),
                };
                if asked == Some(Asking::Begins) && strict && self.is_named_figure(place) {
                    continue;
                }
                found = [found, asked].into_iter().flatten().min();
            }
        }
        found
    }

    /// Whether the words only say by what a figure is charged: "a year" in "6 % a year".
    fn is_charge(&self, place: &Range<usize>) -> bool {
        self.reader.pers.iter().flatten().any(|(_, charge)| is_within(place, std::slice::from_ref(charge)))
    }

    /// Whether the word at this place says what a figure is.
    pub(super) fn is_named_figure(&self, place: &Range<usize>) -> bool {
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

/// Words that begin a question for a figure.
const INTERROGATIVE: &[&str] = &[
    "how much", "how many", "what", "what's", "which", "wie viel", "wieviel", "wie hoch", "was", "welche",
    "welcher", "welches", "combien", "quel", "quelle", "quels", "quelles", "cuánto", "cuánta", "cuántos",
    "cuántas", "cuál", "cuáles", "qué",
];

/// The words without the sign that says how they count.
pub(super) fn plain(word: &str) -> &str {
    word.trim_start_matches(['?', '~', '!'])
}

/// Whether the word is a part of a longer one: "interest-free".
fn is_compound(lower: &str, place: &Range<usize>) -> bool {
    let mut after = lower.get(place.end..).unwrap_or_default().chars();
    after.next() == Some('-') && after.next().is_some_and(char::is_alphabetic)
}

/// A result by name. Where the answer of a function is a list, that can be one of its items: the largest part.
fn value_of(function: &Function, answer: &Answer, name: &str) -> Option<Value> {
    if let Some(value) = answer.value(name) {
        return Some(value.clone());
    }
    let Value::List(items) = answer.value(function.answer)? else { return None };
    let size = |item: &&Value| item.as_money().map(|money| money.minor());
    let item = match name {
        "first" => items.first(),
        "last" => items.last(),
        "largest" => items.iter().max_by_key(size),
        "smallest" => items.iter().min_by_key(size),
        _ => None,
    };
    item.cloned()
}

/// A figure with its unit.
fn written(value: &Value, unit: &str) -> String {
    match (value, unit) {
        (_, "") => value.to_string(),
        (Value::Days(days), unit) => format!("{days} {unit}"),
        (value, unit) => format!("{value} {unit}"),
    }
}
