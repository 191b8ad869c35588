//! What a calculation lacks, so that it can be asked for: a meaning, a figure, or words that are understood.

use std::ops::Range;

use purple_finance::Exact;
use purple_finance::catalogue::{self, Function, Kind, Need, Parameter};
use purple_intent::value::{Day, Meaning, values};
use purple_process::file::Setting;

use super::calculate::Task;
use super::figures::Reading;

/// A calculation that cannot be answered as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    /// The function that it looks like.
    pub(crate) function: &'static str,
    /// What it lacks.
    pub(crate) lack: Lack,
}

/// What a calculation lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// A figure has two possible meanings.
    Meaning {
        /// As it is written.
        written: String,
        /// What it can mean.
        meanings: Vec<String>,
    },
    /// Words that may change the figure are not understood.
    Words(Vec<String>),
    /// These parameters are missing; what they mean.
    Missing(Vec<&'static str>),
    /// These figures are not part of it.
    Surplus(Vec<String>),
    /// It is not clear which figure is what.
    Figures,
    /// It is not clear what is asked for.
    Which,
    /// The function refuses the figures, and why.
    Refused(String),
    /// It asks for something else than a figure.
    Purpose,
}

impl Lack {
    /// How near the function was to an answer.
    pub(super) const fn nearness(&self) -> u8 {
        match self {
            Self::Meaning { .. } => 6,
            Self::Words(_) => 5,
            Self::Refused(_) => 4,
            Self::Which => 3,
            Self::Figures => 2,
            Self::Surplus(_) => 1,
            Self::Missing(_) | Self::Purpose => 0,
        }
    }
}

impl Open {
    /// What is asked, in plain words.
    pub(crate) fn question(&self) -> String {
        let function = catalogue::find(self.function).ok();
        let summary = function.map(|function| function.summary.trim_end_matches('.')).unwrap_or_default();
        let example = function.and_then(|function| function.example);
        let example = example.map(|one| format!(" For example: \"{one}\"")).unwrap_or_default();
        let read = format!("Nothing was calculated. I read this as a calculation ({summary})");
        match &self.lack {
            Lack::Meaning { written, meanings } => {
                format!("{read}, and `{written}` can mean {}. Which is it?", meanings.join(" or "))
            }
            Lack::Words(words) => {
                format!("{read}, and did not understand: {}.{example}", words.join(", "))
            }
            Lack::Missing(parameters) => {
                format!("{read}, and these figures are missing: {}.{example}", parameters.join("; "))
            }
            Lack::Surplus(figures) => {
                format!("{read}, and do not know what {} is in it.{example}", figures.join(", "))
            }
            Lack::Figures => format!("{read}, and cannot tell which figure is what.{example}"),
            Lack::Which | Lack::Purpose => {
                let results = function.map(asked_results).unwrap_or_default();
                let choice = match results.as_slice() {
                    [] | [_] => String::new(),
                    several => format!(" It can be: {}.", several.join(", ")),
                };
                format!("{read}, and cannot tell which figure is asked for.{choice}{example}")
            }
            Lack::Refused(why) => format!("{read}. It has no answer: {why}."),
        }
    }

    /// Whether the requester alone can say what is meant: no language model knows it either.
    pub(crate) fn is_ambiguous(&self) -> bool {
        matches!(self.lack, Lack::Meaning { .. })
    }
}

fn asked_results(function: &'static Function) -> Vec<String> {
    let given = |name: &str| function.parameters.iter().any(|parameter| parameter.name == name);
    let results = function.asked.results.iter().filter(|result| !given(result.name));
    results.map(|result| result.name.replace('_', " ")).collect()
}

/// The first figure of a text that has several meanings, none of which the rest of the text excludes.
pub(super) fn ambiguous(text: &str, setting: &Setting) -> Option<Lack> {
    let figures = super::figures::figures(text, setting)?;
    let unclear = figures.iter().find(|figure| figure.reading == Reading::Unclear)?;
    let found = values(text, &setting.notation(Vec::new()));
    let value = found.iter().find(|value| value.span.start == unclear.range.start)?;
    let mut meanings: Vec<String> = value.meanings.iter().map(written).collect();
    if let Some(Meaning::Amount(amount)) = value.only() {
        // Only the language of the text makes it unclear.
        let smaller = amount.number.over(&Exact::from(1000)).ok()?;
        meanings.push(format!("{smaller} {}", amount.currency));
    }
    Some(Lack::Meaning { written: value.span.of(text).to_owned(), meanings })
}

/// A meaning as a person would write it without doubt.
pub(super) fn written(meaning: &Meaning) -> String {
    match meaning {
        Meaning::Id(id) => format!("{id:?}"),
        Meaning::Amount(amount) => format!("{} {}", amount.number, amount.currency),
        Meaning::Percent(percent) => format!("{percent}%"),
        Meaning::Number(number) => number.to_string(),
        Meaning::Quantity { number, unit } => format!("{number} {}", format!("{unit:?}").to_lowercase()),
        Meaning::Day(Day::On(date)) => date.to_string(),
        Meaning::Day(Day::DayMonth { day, month }) => format!("day {day} of month {month}"),
        Meaning::Day(day) => format!("{day:?}"),
        Meaning::Month(month) => format!("{month:?}"),
    }
}

impl Task {
    /// These words are not understood.
    pub(super) fn not_understood(&self, places: &[Range<usize>]) -> Lack {
        let mut words: Vec<String> = places
            .iter()
            .filter_map(|place| self.reader.lower.get(place.clone()))
            .map(ToOwned::to_owned)
            .collect();
        words.dedup();
        Lack::Words(words)
    }

    /// Why the figures are not the arguments of a function.
    pub(super) fn misfit(&self, function: &'static Function, explained: &[Range<usize>]) -> Lack {
        let count = self.reader.figures.len();
        let takes = |at: usize, parameter: &Parameter| self.reader.value(at, parameter).is_some();
        let single = |parameter: &&Parameter| {
            !matches!(parameter.kind, Kind::Text | Kind::Choice(_) | Kind::List(_) | Kind::Record(_))
        };
        let required = function.parameters.iter().filter(|parameter| parameter.need == Need::Required);
        let missing: Vec<&'static str> = required
            .filter(single)
            .filter(|parameter| !(0..count).any(|at| takes(at, parameter)))
            .map(|parameter| parameter.description)
            .collect();
        if !missing.is_empty() {
            return Lack::Missing(missing);
        }
        let surplus: Vec<String> = (0..count)
            .filter(|at| !function.parameters.iter().any(|parameter| takes(*at, parameter)))
            .filter_map(|at| self.reader.figures.get(at))
            .filter_map(|figure| self.reader.lower.get(figure.range.clone()))
            .map(ToOwned::to_owned)
            .collect();
        let unknown = self.unknown_words(function, explained);
        match (surplus.is_empty(), unknown.is_empty()) {
            (false, _) => Lack::Surplus(surplus),
            (true, false) => Lack::Words(unknown.into_iter().map(ToOwned::to_owned).collect()),
            (true, true) => Lack::Figures,
        }
    }
}
