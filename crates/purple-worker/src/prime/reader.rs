//! Brings the figures of a text together with the parameters of a finance function.
//!
//! By kind and unit, by the words beside a figure, and by what is left; never by guessing.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use purple_finance::catalogue::{Kind, Need, Parameter, Per};
use purple_finance::{Currency, Exact, Figure as Value, Money};
use purple_process::file::Setting;
use regex::Regex;

use super::argument::currency_named;
use super::figures::{Figure, Reading, figures};
use super::label::is_label;
use super::pattern::pattern;
use super::qualifiers::pers;
use super::wording::{lowered, phrase_places, says, says_phrase};

/// How far a word may be from its figure, in bytes.
const NEAR_BYTES_MAX: usize = 40;
/// What it costs to stand after the figure, in bytes.
const AFTER_COST_BYTES: usize = 1;
/// What it costs to stand in another part of the sentence, in bytes.
const CLAUSE_COST_BYTES: usize = 10;
/// The currency in which amounts without a currency are computed. It is never shown.
pub(crate) const UNSTATED: Currency = Currency::USD;

/// A text and its figures.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    /// The text in lower case.
    pub(crate) lower: String,
    /// Its figures, in their order.
    pub(crate) figures: Vec<Figure>,
    /// By what each figure is charged, and the words that say so.
    pub(crate) pers: Vec<Vec<(Per, Range<usize>)>>,
    /// The currency of amounts that are written without one; `None` where the text has several.
    pub(crate) currency: Option<Currency>,
    /// Whether no amount of the text has a currency.
    pub(crate) no_currency: bool,
}

/// Figures that are the arguments of a function.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    /// The arguments by parameter.
    pub(crate) values: BTreeMap<String, Value>,
    /// The figures that were taken only because nothing else was left for them.
    pub(crate) unnamed: Vec<usize>,
}

impl Reader {
    /// Reads a text; `None` if it is too long.
    pub(crate) fn of(text: &str, setting: &Setting) -> Option<Self> {
        let lower = lowered(text);
        let figures = figures(text, setting)?;
        let pers = figures.iter().map(|figure| pers(&lower, &figure.range)).collect();
        let mut currencies: Vec<Currency> =
            figures.iter().filter_map(|figure| figure.reading.currency()).collect();
        currencies.sort();
        currencies.dedup();
        if currencies.is_empty() {
            currencies.extend(currency_beside(&lower));
        }
        let currency = match currencies.as_slice() {
            [] => Some(UNSTATED),
            [one] => Some(*one),
            [..] => None,
        };
        Some(Self { lower, figures, pers, currency, no_currency: currencies.is_empty() })
    }

    /// Whether an amount of the text can be read in two ways.
    pub(crate) fn has_unclear_amount(&self) -> bool {
        let written = |figure: &Figure| self.lower.get(figure.range.clone()).unwrap_or_default();
        let unclear = self.figures.iter().filter(|figure| figure.reading == Reading::Unclear);
        let is_amount = |text: &str| {
            let mut words = text.split(|c: char| !c.is_alphabetic());
            text.contains(['$', '€', '£', '¥']) || words.any(|word| currency_named(word).is_some())
        };
        unclear.map(written).any(is_amount)
    }

    /// The arguments, if the figures of the task are exactly them.
    ///
    /// Figures inside `constants` are what the function assumes anyway, and no parameter takes them.
    pub(crate) fn arguments(
        &self,
        parameters: &'static [Parameter],
        constants: &[Range<usize>],
    ) -> Option<Arguments> {
        let mut values = BTreeMap::new();
        let assumed = |figure: &Figure| {
            constants.iter().any(|place| place.start <= figure.range.start && figure.range.end <= place.end)
        };
        let mut taken: Vec<bool> = self.figures.iter().map(assumed).collect();
        for parameter in parameters {
            match parameter.kind {
                Kind::Choice(choices) => {
                    if let Some(choice) = self.choice(parameter, choices)? {
                        values.insert(parameter.name.to_owned(), Value::Text(choice.to_owned()));
                    }
                }
                Kind::Text => {
                    let word = self.currency_after(parameter.near)?;
                    values.insert(parameter.name.to_owned(), Value::Text(word));
                }
                Kind::Record(_) => return None,
                Kind::List(_) => {
                    if let Some(list) = self.list(parameter, parameters, &mut taken)? {
                        values.insert(parameter.name.to_owned(), list);
                    }
                }
                Kind::Money => {
                    if parameter.zero.iter().any(|words| says_phrase(&self.lower, words)) {
                        let zero = Money::exact(&Exact::ZERO, self.currency?).ok()?;
                        values.insert(parameter.name.to_owned(), Value::Money(zero));
                    }
                }
                // "Act/360" says how many days a year has.
                Kind::Days => {
                    if let Some(days) = self.choice(parameter, &[])? {
                        values.insert(parameter.name.to_owned(), parameter.kind.read(days).ok()?);
                    }
                }
                Kind::Number | Kind::Whole | Kind::Percent | Kind::Hours | Kind::Date => {}
            }
        }
        let open = parameters
            .iter()
            .filter(|parameter| !values.contains_key(parameter.name))
            .filter(|parameter| !matches!(parameter.kind, Kind::List(_)))
            .collect();
        let (matched, unnamed) = self.matched(open, &mut taken)?;
        for (parameter, figure) in matched {
            values.insert(parameter.name.to_owned(), figure);
        }
        let complete = parameters
            .iter()
            .all(|parameter| parameter.need != Need::Required || values.contains_key(parameter.name));
        (complete && taken.iter().all(|taken| *taken)).then_some(Arguments { values, unnamed })
    }

    /// The choice that the task names; two choices end the search.
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

    /// The code of the only currency that is named after one of these words.
    fn currency_after(&self, words: &[&str]) -> Option<String> {
        let mut codes: Vec<String> = words
            .iter()
            .flat_map(|word| phrase_places(&self.lower, word))
            .filter_map(|place| {
                let next = self.lower.get(place.end..)?.trim_start();
                let word: String = next.chars().take_while(|c| c.is_alphabetic()).collect();
                currency_named(&word).map(|currency| currency.code().to_owned())
            })
            .collect();
        codes.sort();
        codes.dedup();
        if codes.len() == 1 { codes.pop() } else { None }
    }

    /// Figures and parameters, brought together: by the words beside a figure, then by what is left.
    #[expect(clippy::type_complexity, reason = "the pairs, and the figures without a word")]
    fn matched(
        &self,
        mut open: Vec<&'static Parameter>,
        taken: &mut [bool],
    ) -> Option<(Vec<(&'static Parameter, Value)>, Vec<usize>)> {
        let mut matched = Vec::new();
        let mut unnamed = Vec::new();
        for (figure, parameter) in self.by_words(&open, taken)? {
            matched.push((parameter, self.value(figure, parameter)?));
            *taken.get_mut(figure)? = true;
            open.retain(|open| open.name != parameter.name);
        }
        open.retain(|parameter| !parameter.named);
        while let Some((figure, parameter)) = self.by_what_is_left(&open, taken) {
            matched.push((parameter, self.value(figure, parameter)?));
            *taken.get_mut(figure)? = true;
            unnamed.push(figure);
            open.retain(|open| open.name != parameter.name);
        }
        Some((matched, unnamed))
    }

    /// The pairs that words name; `None` where they name two at once.
    pub(crate) fn by_words(
        &self,
        open: &[&'static Parameter],
        taken: &[bool],
    ) -> Option<Vec<(usize, &'static Parameter)>> {
        let mut pairs = Vec::new();
        for figure in (0..self.figures.len()).filter(|at| taken.get(*at) == Some(&false)) {
            let takes = |parameter: &&&Parameter| {
                self.value(figure, parameter).is_some() && self.has_other(parameter, taken)
            };
            for parameter in open.iter().filter(takes) {
                let near = parameter.near.iter().filter_map(|word| self.closeness(figure, word)).min();
                let label = self.labelled(figure, parameter.labels).then_some(Closeness::LABEL);
                if let Some(closeness) = label.or(near) {
                    pairs.push((closeness, figure, *parameter));
                }
            }
        }
        pairs.sort_by_key(|(closeness, figure, parameter)| (*closeness, *figure, parameter.name));
        let mut named: Vec<(Closeness, usize, &'static Parameter)> = Vec::new();
        for (closeness, figure, parameter) in pairs {
            let rival =
                named.iter().find(|(_, other, taken)| *other == figure || taken.name == parameter.name);
            match rival {
                None => named.push((closeness, figure, parameter)),
                Some((same, ..)) if *same == closeness => return None,
                Some(_) => {}
            }
        }
        Some(named.into_iter().map(|(_, figure, parameter)| (figure, parameter)).collect())
    }

    /// Whether a parameter that is only given beside another one leaves a figure for that.
    fn has_other(&self, parameter: &Parameter, taken: &[bool]) -> bool {
        let free = (0..self.figures.len()).filter(|at| taken.get(*at) == Some(&false));
        parameter.beside.is_none() || free.filter(|at| self.value(*at, parameter).is_some()).count() > 1
    }

    /// Whether one of these labels is directly at the figure.
    pub(crate) fn labelled(&self, figure: usize, labels: &[&str]) -> bool {
        let Some(figure) = self.figures.get(figure) else { return false };
        let mut places = labels.iter().flat_map(|label| phrase_places(&self.lower, label));
        places.any(|place| is_label(&self.lower, &place, &figure.range))
    }

    /// A figure that only one open parameter takes, and that is the only one for it. What is required comes first.
    fn by_what_is_left(
        &self,
        open: &[&'static Parameter],
        taken: &[bool],
    ) -> Option<(usize, &'static Parameter)> {
        let left = || (0..self.figures.len()).filter(|at| taken.get(*at) == Some(&false));
        left().find_map(|figure| {
            let fits = |parameter: &&&'static Parameter| self.fits_alone(figure, parameter);
            let required: Vec<_> =
                open.iter().filter(fits).filter(|parameter| parameter.need == Need::Required).collect();
            let any: Vec<_> = open.iter().filter(fits).collect();
            let only = match (required.as_slice(), any.as_slice()) {
                ([one], _) | ([], [one]) => **one,
                _ => return None,
            };
            (left().filter(|other| self.fits_alone(*other, only)).count() == 1).then_some((figure, only))
        })
    }

    /// How close the word is to the figure, with no other figure between them.
    fn closeness(&self, figure: usize, word: &str) -> Option<Closeness> {
        let own = self.figures.get(figure)?.range.clone();
        phrase_places(&self.lower, word)
            .into_iter()
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

/// The only currency that a text names in brackets or after "in", for amounts that are written without one.
fn currency_beside(lower: &str) -> Option<Currency> {
    let names = BESIDE.captures_iter(lower).filter_map(|found| Some(found.name("code")?.as_str().to_owned()));
    let mut named: Vec<Currency> = names.filter_map(|code| currency_named(&code)).collect();
    named.sort();
    named.dedup();
    if named.len() == 1 { named.pop() } else { None }
}

static BESIDE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:\(|\b(?:all in|amounts in|alles in) )(?P<code>\p{L}{3,6})\)?"));

/// How close a word is to a figure; of two at the same place the longer word is closer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Closeness {
    far: usize,
    shorter: std::cmp::Reverse<usize>,
}

impl Closeness {
    /// A label directly at the figure.
    const LABEL: Self = Self { far: 0, shorter: std::cmp::Reverse(usize::MAX) };
}
