//! Brings the figures of a text together with the parameters of a finance function.
//!
//! By kind and unit, by the words that stand beside a figure, and by what is left; never by guessing.

use std::collections::BTreeMap;

use purple_finance::catalogue::{Kind, Need, Parameter};
use purple_finance::{Currency, Exact, Figure as Value};
use purple_process::file::Setting;

use super::figures::{Figure, Reading, Unit, figures};
use super::wording::{places, says};

/// How far a word may stand from its figure, in bytes.
const NEAR_BYTES_MAX: usize = 40;
/// What it costs to stand after the figure, in bytes.
const AFTER_COST_BYTES: usize = 1;
/// What it costs to stand in another part of the sentence, in bytes.
const CLAUSE_COST_BYTES: usize = 10;

/// A text and its figures.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    /// The text in lower case.
    pub(crate) lower: String,
    /// Its figures, in their order.
    pub(crate) figures: Vec<Figure>,
}

impl Reader {
    /// Reads a text; `None` if it is too long.
    pub(crate) fn of(text: &str, setting: &Setting) -> Option<Self> {
        // Lower case by ASCII only keeps every place where it was.
        Some(Self { lower: text.to_ascii_lowercase(), figures: figures(text, setting)? })
    }

    /// Whether an amount of the text can be read in two ways.
    pub(crate) fn has_unclear_amount(&self) -> bool {
        let written = |figure: &Figure| self.lower.get(figure.range.clone()).unwrap_or_default();
        let unclear = self.figures.iter().filter(|figure| figure.reading == Reading::Unclear);
        unclear.map(written).any(|text| text.contains(['$', '€', '£', '¥']))
    }

    /// The arguments, if the figures of the task are exactly them.
    pub(crate) fn arguments(&self, parameters: &'static [Parameter]) -> Option<BTreeMap<String, Value>> {
        let mut arguments = BTreeMap::new();
        let mut taken = vec![false; self.figures.len()];
        for parameter in parameters {
            match parameter.kind {
                Kind::Choice(choices) => {
                    if let Some(choice) = self.choice(parameter, choices)? {
                        arguments.insert(parameter.name.to_owned(), Value::Text(choice.to_owned()));
                    }
                }
                Kind::Text => {
                    let word = self.word_after(parameter.near)?;
                    arguments.insert(parameter.name.to_owned(), Value::Text(word));
                }
                Kind::Record(_) => return None,
                Kind::List(Kind::Record(_) | Kind::Text) if parameter.need == Need::Required => return None,
                Kind::Money
                | Kind::Number
                | Kind::Whole
                | Kind::Percent
                | Kind::Hours
                | Kind::Days
                | Kind::Date
                | Kind::List(_) => {}
            }
        }
        for (parameter, figures) in self.matched(parameters, &mut taken)? {
            arguments.insert(parameter.name.to_owned(), figures);
        }
        let complete = parameters
            .iter()
            .all(|parameter| parameter.need != Need::Required || arguments.contains_key(parameter.name));
        (complete && taken.iter().all(|taken| *taken)).then_some(arguments)
    }

    /// The choice that the task names; an error of two choices ends the search.
    fn choice(&self, parameter: &Parameter, choices: &[&'static str]) -> Option<Option<&'static str>> {
        let by_name = choices.iter().filter(|choice| says(&self.lower, &choice.replace('_', " "))).copied();
        let by_word =
            parameter.called.iter().filter(|(word, _)| says(&self.lower, word)).map(|(_, choice)| *choice);
        let mut named: Vec<&str> = by_name.chain(by_word).collect();
        named.sort_unstable();
        named.dedup();
        match named.as_slice() {
            [] => Some(None),
            [one] => Some(Some(*one)),
            [..] => None,
        }
    }

    /// The currency code after one of these words.
    fn word_after(&self, words: &[&str]) -> Option<String> {
        let mut codes: Vec<String> = words
            .iter()
            .flat_map(|word| places(&self.lower, word))
            .filter_map(|place| {
                let next = self.lower.get(place.end..)?.trim_start();
                let code: String = next.chars().take_while(|c| c.is_ascii_alphabetic()).collect();
                Currency::parse(&code.to_uppercase()).ok().map(|currency| currency.code().to_owned())
            })
            .collect();
        codes.sort();
        codes.dedup();
        if codes.len() == 1 { codes.pop() } else { None }
    }

    /// Figures and parameters, brought together: lists first, then by the words beside a figure, then by what is left.
    fn matched(
        &self,
        parameters: &'static [Parameter],
        taken: &mut [bool],
    ) -> Option<Vec<(&'static Parameter, Value)>> {
        let mut open: Vec<&'static Parameter> = parameters.iter().collect();
        let mut matched = Vec::new();
        if let Some(list) = parameters.iter().find(|parameter| self.takes_all(parameter, parameters)) {
            let mut values = Vec::new();
            for (at, taken) in taken.iter_mut().enumerate() {
                if let Some(value) = self.value(at, list) {
                    values.push(value);
                    *taken = true;
                }
            }
            matched.push((list, Value::List(values)));
            open.retain(|parameter| parameter.name != list.name);
        }
        let mut take = |figure: usize, parameter: &'static Parameter, taken: &mut [bool]| {
            if let (Some(value), Some(taken)) = (self.value(figure, parameter), taken.get_mut(figure)) {
                matched.push((parameter, value));
                *taken = true;
            }
        };
        for (figure, parameter) in self.by_words(&open, taken)? {
            take(figure, parameter, taken);
            open.retain(|open| open.name != parameter.name);
        }
        while let Some((figure, parameter)) = self.by_what_is_left(&open, taken) {
            take(figure, parameter, taken);
            open.retain(|open| open.name != parameter.name);
        }
        Some(matched)
    }

    /// Whether a list takes every figure of its kind: nothing else takes that kind, or the task calls it by its word.
    fn takes_all(&self, list: &Parameter, parameters: &[Parameter]) -> bool {
        let fitting = |parameter: &Parameter| {
            (0..self.figures.len()).filter(|at| self.value(*at, parameter).is_some()).collect::<Vec<_>>()
        };
        let mine = fitting(list);
        let mut others = parameters.iter().filter(|other| other.name != list.name);
        let alone = !others.any(|other| fitting(other).iter().any(|at| mine.contains(at)));
        let called = list.near.iter().any(|word| says(&self.lower, word));
        let several = mine.len() > 1 && list.need == Need::Optional && called;
        matches!(list.kind, Kind::List(_))
            && !mine.is_empty()
            && (several || alone && list.need == Need::Required)
    }

    /// The pairs that words tell; `None` where they tell two at once.
    pub(crate) fn by_words(
        &self,
        open: &[&'static Parameter],
        taken: &[bool],
    ) -> Option<Vec<(usize, &'static Parameter)>> {
        let mut pairs = Vec::new();
        for figure in (0..self.figures.len()).filter(|at| taken.get(*at) == Some(&false)) {
            for parameter in open.iter().filter(|parameter| self.value(figure, parameter).is_some()) {
                if let Some(closeness) =
                    parameter.near.iter().filter_map(|word| self.closeness(figure, word)).min()
                {
                    pairs.push((closeness, figure, *parameter));
                }
            }
        }
        pairs.sort_by_key(|(closeness, figure, parameter)| (*closeness, *figure, parameter.name));
        let mut told: Vec<(Closeness, usize, &'static Parameter)> = Vec::new();
        for (closeness, figure, parameter) in pairs {
            let rival =
                told.iter().find(|(_, other, taken)| *other == figure || taken.name == parameter.name);
            match rival {
                None => told.push((closeness, figure, parameter)),
                Some((same, ..)) if *same == closeness => return None,
                Some(_) => {}
            }
        }
        Some(told.into_iter().map(|(_, figure, parameter)| (figure, parameter)).collect())
    }

    /// A figure that only one open parameter takes, and that is the only one for it. What is required comes first.
    fn by_what_is_left(
        &self,
        open: &[&'static Parameter],
        taken: &[bool],
    ) -> Option<(usize, &'static Parameter)> {
        let left = || (0..self.figures.len()).filter(|at| taken.get(*at) == Some(&false));
        left().find_map(|figure| {
            let fits = |parameter: &&&'static Parameter| self.value(figure, parameter).is_some();
            let required: Vec<_> =
                open.iter().filter(fits).filter(|parameter| parameter.need == Need::Required).collect();
            let any: Vec<_> = open.iter().filter(fits).collect();
            let only = match (required.as_slice(), any.as_slice()) {
                ([one], _) | ([], [one]) => **one,
                _ => self.the_single_one(&any)?,
            };
            (left().filter(|other| self.value(*other, only).is_some()).count() == 1).then_some((figure, only))
        })
    }

    /// Of one parameter and a list of the same kind, a single figure is the parameter's.
    fn the_single_one(&self, open: &[&&'static Parameter]) -> Option<&'static Parameter> {
        let mut single = open.iter().filter(|parameter| !matches!(parameter.kind, Kind::List(_)));
        match (single.next(), single.next()) {
            (Some(one), None) => Some(**one),
            _ => None,
        }
    }

    pub(crate) fn value(&self, figure: usize, parameter: &Parameter) -> Option<Value> {
        let reading = &self.figures.get(figure)?.reading;
        let kind = if let Kind::List(kind) = &parameter.kind { kind } else { &parameter.kind };
        match (kind, reading) {
            (Kind::Money, Reading::Money(money)) => Some(Value::Money(*money)),
            (Kind::Percent, Reading::Percent(rate)) => Some(Value::Percent(rate.clone())),
            (Kind::Date, Reading::Date(date)) => Some(Value::Date(*date)),
            (Kind::Hours, Reading::Count(hours, Some(Unit::Hours))) => Some(Value::Hours(hours.clone())),
            (Kind::Days, Reading::Count(days, Some(Unit::Days))) => {
                Some(Value::Days(days.to_i128().and_then(|days| i64::try_from(days).ok())?))
            }
            (Kind::Number | Kind::Whole, Reading::Count(number, unit)) => {
                let number = counted(number, *unit, parameter)?;
                (matches!(kind, Kind::Number) || number.is_integer()).then_some(Value::Number(number))
            }
            (
                Kind::Money
                | Kind::Percent
                | Kind::Date
                | Kind::Hours
                | Kind::Days
                | Kind::Number
                | Kind::Whole
                | Kind::Text
                | Kind::Choice(_)
                | Kind::List(_)
                | Kind::Record(_),
                _,
            ) => None,
        }
    }

    /// How close the word is to the figure, with no other figure between them.
    fn closeness(&self, figure: usize, word: &str) -> Option<Closeness> {
        let own = self.figures.get(figure)?.range.clone();
        places(&self.lower, word)
            .filter_map(|place| {
                let (gap, cost) = if place.end <= own.start {
                    (place.end..own.start, 0)
                } else if own.end <= place.start {
                    (own.end..place.start, AFTER_COST_BYTES)
                } else {
                    return None;
                };
                // An id belongs to the word before it: "invoice INV-7 for 5 USD".
                let crossed = |other: &Figure| {
                    other.reading != Reading::Id
                        && gap.start <= other.range.start
                        && other.range.end <= gap.end
                };
                let between = self.lower.get(gap.clone())?;
                if gap.len() > NEAR_BYTES_MAX || self.figures.iter().any(crossed) {
                    return None;
                }
                let clause = if between.contains([',', ';', '.', ':']) { CLAUSE_COST_BYTES } else { 0 };
                let far = gap.len().saturating_add(cost).saturating_add(clause);
                Some(Closeness { far, shorter: std::cmp::Reverse(word.len()) })
            })
            .min()
    }
}

/// How close a word is to a figure; of two at the same place the longer word is closer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Closeness {
    far: usize,
    shorter: std::cmp::Reverse<usize>,
}

/// The number in the unit of the parameter, if it has one that fits.
fn counted(number: &Exact, unit: Option<Unit>, parameter: &Parameter) -> Option<Exact> {
    let in_unit = |unit: Unit| {
        let said = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == unit.word());
        said(&parameter.name.replace('_', " ")) || said(parameter.description)
    };
    match unit {
        None => Some(number.clone()),
        Some(unit) if in_unit(unit) => Some(number.clone()),
        Some(Unit::Years) if in_unit(Unit::Months) => number.times(&Exact::from(12)).ok(),
        Some(_) => None,
    }
}
