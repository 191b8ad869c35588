//! Parameters that take several figures: cash flows, weights, hours day by day, receivables by age.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use purple_finance::catalogue::{Kind, Need, Parameter, Per};
use purple_finance::{Exact, Figure as Value, Money};
use purple_intent::value::Unit;
use regex::Regex;

use super::figures::{Figure, Reading};
use super::pattern::pattern;
use super::reader::Reader;
use super::wording::{phrase_places, says};

static RATIO: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[0-9]{1,4}(?:\s?:\s?[0-9]{1,4})+\b"));
/// The period of a cash flow, after it: "now", "in year one", "after 2 years".
static PERIOD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s?(?:usd|eur)?\s?(?:back )?\(?(?:(?P<now>now|today|upfront|up front|initially|heute|jetzt|immediately|aujourd'hui|maintenant|hoy|ahora)|(?:in|at the end of|at end of|after|nach|im|après|dans|au bout de?|después de|tras|en|dentro de)\s(?:exactly |genau |exactement |exactamente )?(?:(?:year|period|jahr|année|año)\s(?P<ordinal>\w+)|(?P<count>\w+)\s(?:years?|periods?|jahre?n?|ans?|années?|años?)))\b",
    )
});
/// A flow of zero: "nothing after one year".
static NOTHING: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:nothing|nichts|rien|nada)\b"));
/// Flows of zero in every period that is not named.
static NOTHING_BETWEEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:nothing in between|nichts dazwischen|dazwischen nichts|rien entre|nada entre)\b")
});

/// The most years for which a yearly flow is written once.
const YEARS_MAX: usize = 100;

impl Reader {
    /// The list that the parameter takes, and `None` inside where the text has none for it. `None` outside where the
    /// figures can be grouped in two ways.
    pub(crate) fn list(
        &self,
        parameter: &Parameter,
        parameters: &[Parameter],
        taken: &mut [bool],
    ) -> Option<Option<Value>> {
        let Kind::List(item) = parameter.kind else { return Some(None) };
        let optional = parameter.need != Need::Required;
        match item {
            Kind::Money => self.flows(parameter, taken).map(Some),
            Kind::Number => self.numbers(parameter, parameters, taken).map(Some),
            Kind::Hours => Some(self.hours(parameter, taken)),
            Kind::Record(fields) if !optional => self.records(fields, taken).map(Some),
            Kind::Days | Kind::Date | Kind::Text | Kind::Record(_) if optional => Some(None),
            Kind::Days
            | Kind::Date
            | Kind::Text
            | Kind::Record(_)
            | Kind::Whole
            | Kind::Percent
            | Kind::Choice(_)
            | Kind::List(_) => None,
        }
    }

    /// Cash flows of periods 0, 1, 2 in the order of the text. Where the text names periods, it names these. What is
    /// invested goes out, and without a sign, an investment or a period nobody knows whether the first flow is today.
    fn flows(&self, parameter: &Parameter, taken: &mut [bool]) -> Option<Value> {
        let mut flows: Vec<Money> = Vec::new();
        let mut named = 0_usize;
        let mut at = 0;
        while let Some(figure) = self.figures.get(at) {
            let Some(flow) = self.amount(figure) else {
                at = at.saturating_add(1);
                continue;
            };
            let flow = match self.labelled(at, parameter.labels) {
                true if !flows.is_empty() => return None,
                true if flow.is_positive() => Money::from_minor(flow.minor().checked_neg()?, flow.currency()),
                true | false => flow,
            };
            let rest = self.lower.get(figure.range.end..)?;
            // "6,000 EUR im Jahr 1" names a period, "6,000 EUR im Jahr" does not.
            if self.pers.get(at).is_none_or(|pers| !pers.is_empty()) && !PERIOD.is_match(rest) {
                let (years, counted) = self.yearly(at)?;
                flows.extend(std::iter::repeat_n(flow, years));
                *taken.get_mut(at)? = true;
                *taken.get_mut(counted)? = true;
                at = counted.saturating_add(1);
                continue;
            }
            for _ in 0..self.nothing_before(at) {
                flows.push(Money::exact(&Exact::ZERO, flow.currency()).ok()?);
            }
            *taken.get_mut(at)? = true;
            at = at.saturating_add(1);
            if let Some(period) = PERIOD.captures(rest) {
                let end = figure.range.end.saturating_add(period.get(0)?.end());
                let number = period.name("ordinal").or_else(|| period.name("count"));
                let number = number.map_or(Some(0), |word| small_number(word.as_str()))?;
                if flows.is_empty() && number == 1 {
                    flows.push(Money::exact(&Exact::ZERO, flow.currency()).ok()?);
                }
                while flows.len() < number && self.is_period_of_nothing(flows.len()) {
                    named = named.saturating_add(1);
                    flows.push(Money::exact(&Exact::ZERO, flow.currency()).ok()?);
                }
                if number != flows.len() {
                    return None;
                }
                named = named.saturating_add(1);
                while self.figures.get(at).is_some_and(|next| next.range.start < end) {
                    *taken.get_mut(at)? = true;
                    at = at.saturating_add(1);
                }
            }
            flows.push(flow);
        }
        self.take_periods_of_nothing(taken);
        self.take_today(taken);
        let all_or_first = named == 0 || named == 1 || named.saturating_add(1) >= flows.len();
        // "5,000 USD now" is paid or received; nothing in a period before the first one named is neither.
        let begins =
            flows.first().is_some_and(|first| first.is_negative() || named > 0 && !first.is_positive());
        (flows.len() > 1 && all_or_first && begins)
            .then(|| Value::List(flows.into_iter().map(Value::Money).collect()))
    }

    /// "600 EUR a year for 3 years": how many years, and which figure says so.
    fn yearly(&self, at: usize) -> Option<(usize, usize)> {
        let [(Per::Year, charge)] = self.pers.get(at)?.as_slice() else { return None };
        let next = at.checked_add(1)?;
        let counted = self.figures.get(next)?;
        let Reading::Count(years, Some(Unit::Year)) = &counted.reading else { return None };
        let between = self.lower.get(charge.end..counted.range.start)?.trim();
        let linked = matches!(between, "for" | "over" | "für" | "über" | "pendant" | "durante");
        let years = usize::try_from(years.to_i128()?).ok().filter(|years| (1..=YEARS_MAX).contains(years))?;
        linked.then_some((years, next))
    }

    /// The amount of a figure that is one, with or without a currency.
    fn amount(&self, figure: &Figure) -> Option<Money> {
        match &figure.reading {
            Reading::Money(money) => Some(*money),
            Reading::Count(number, None) | Reading::BareAmount(number) => {
                Money::exact(number, self.currency?).ok()
            }
            Reading::Price(..)
            | Reading::Percent(_)
            | Reading::Count(_, Some(_))
            | Reading::Date(_)
            | Reading::Relative(_)
            | Reading::OtherTime
            | Reading::Id
            | Reading::Unclear => None,
        }
    }

    /// How often "nothing" is written between this amount and the one before it.
    fn nothing_before(&self, at: usize) -> usize {
        let Some(end) = self.figures.get(at).map(|figure| figure.range.start) else { return 0 };
        let before = self.figures.iter().take(at).rfind(|figure| self.amount(figure).is_some());
        let start = before.map_or(0, |figure| figure.range.end);
        self.lower.get(start..end).map_or(0, |between| NOTHING.find_iter(between).count())
    }

    /// Whether the text says that nothing flows in this period: "nothing in between", "nothing after one year".
    fn is_period_of_nothing(&self, period: usize) -> bool {
        let named = |place: regex::Match<'_>| {
            let found = PERIOD.captures(self.lower.get(place.end()..)?)?;
            let number = found.name("ordinal").or_else(|| found.name("count"))?;
            small_number(number.as_str())
        };
        NOTHING_BETWEEN.is_match(&self.lower)
            || NOTHING.find_iter(&self.lower).any(|place| named(place) == Some(period))
    }

    /// "nothing after one year": the year is the period of the zero.
    fn take_periods_of_nothing(&self, taken: &mut [bool]) {
        for place in NOTHING.find_iter(&self.lower) {
            let Some(period) = self.lower.get(place.end()..).and_then(|rest| PERIOD.find(rest)) else {
                continue;
            };
            let end = place.end().saturating_add(period.end());
            let inside = |figure: &Figure| place.end() <= figure.range.start && figure.range.end <= end;
            for (figure, taken) in self.figures.iter().zip(taken.iter_mut()) {
                *taken |= inside(figure);
            }
        }
    }

    /// Where the text names the periods of cash flows.
    pub(crate) fn period_places(&self) -> Vec<std::ops::Range<usize>> {
        let ends = self.figures.iter().map(|figure| figure.range.end);
        let starts = ends.chain(NOTHING.find_iter(&self.lower).map(|place| place.end()));
        starts
            .filter_map(|start| {
                let found = PERIOD.find(self.lower.get(start..)?)?;
                Some(start..start.saturating_add(found.end()))
            })
            .collect()
    }

    /// "(first one today)" is how the flows are counted anyway.
    fn take_today(&self, taken: &mut [bool]) {
        for (figure, taken) in self.figures.iter().zip(taken.iter_mut()) {
            *taken |= figure.reading == Reading::Relative(0);
        }
    }

    /// Numbers that are written one after the other. A number before them may say how many they are.
    fn numbers(&self, parameter: &Parameter, parameters: &[Parameter], taken: &mut [bool]) -> Option<Value> {
        if let Some(ratio) = self.ratio() {
            return Some(Value::List(ratio));
        }
        if let Some(shares) = self.shares(parameter, taken) {
            return Some(shares);
        }
        let others = parameters.iter().filter(|other| other.name != parameter.name);
        let singles: Vec<&Parameter> =
            others.filter(|other| matches!(other.kind, Kind::Number | Kind::Whole)).collect();
        let fits = |at: usize| self.value(at, parameter).is_some();
        let mut runs: Vec<Vec<usize>> = Vec::new();
        for at in (0..self.figures.len()).filter(|at| fits(*at)) {
            match runs.last_mut() {
                Some(run) if self.joined(run.last().copied()?, at) && !self.ends_with_unit(run) => {
                    run.push(at)
                }
                _ => runs.push(vec![at]),
            }
        }
        let named = |run: &Vec<usize>| {
            let first = run.first().and_then(|at| self.figures.get(*at));
            first.is_some_and(|first| {
                parameter.near.iter().flat_map(|word| phrase_places(&self.lower, word)).any(|place| {
                    let gap = self.lower.get(place.end..first.range.start);
                    gap.is_some_and(|gap| matches!(gap.trim(), "" | ":" | "of" | "was"))
                })
            })
        };
        let run = match runs.iter().filter(|run| run.len() > 1).collect::<Vec<_>>().as_slice() {
            [run] => (*run).clone(),
            [] if !singles.is_empty() => runs.iter().find(|run| named(run))?.clone(),
            _ => return None,
        };
        let values: Option<Vec<Value>> = run.iter().map(|at| self.value(*at, parameter)).collect();
        let values = values?;
        for at in &run {
            *taken.get_mut(*at)? = true;
        }
        self.take_count(values.len(), singles.is_empty(), taken);
        Some(Value::List(values))
    }

    /// The weights of "25 %, 25 %, 50 %": percentages that are written one after the other and sum to the whole.
    fn shares(&self, parameter: &Parameter, taken: &mut [bool]) -> Option<Value> {
        if parameter.name != "weights" {
            return None;
        }
        let share = |figure: &Figure| match &figure.reading {
            Reading::Percent(rate) => Some(rate.as_percent().clone()),
            _ => None,
        };
        let at: Vec<usize> =
            (0..self.figures.len()).filter(|at| self.figures.get(*at).and_then(share).is_some()).collect();
        let row = at.windows(2).all(|pair| matches!(pair, [left, right] if self.joined(*left, *right)));
        let weights: Vec<Exact> = at.iter().filter_map(|at| self.figures.get(*at).and_then(share)).collect();
        let sum = weights.iter().try_fold(Exact::ZERO, |sum, one| sum.plus(one)).ok()?;
        if at.len() < 2 || !row || sum != Exact::from(100) {
            return None;
        }
        for at in &at {
            *taken.get_mut(*at)? = true;
        }
        Some(Value::List(weights.into_iter().map(Value::Number).collect()))
    }

    /// "across three departments by weights 2, 3 and 4": the three says how many weights there are.
    fn take_count(&self, items: usize, alone: bool, taken: &mut [bool]) {
        for (figure, taken) in self.figures.iter().zip(taken.iter_mut()) {
            let count = matches!(&figure.reading, Reading::Count(number, None)
                if number.to_i128().and_then(|number| usize::try_from(number).ok()) == Some(items));
            *taken |= count && alone;
        }
    }

    /// The weights of "50:30:20".
    fn ratio(&self) -> Option<Vec<Value>> {
        let mut found = RATIO.find_iter(&self.lower);
        let (Some(ratio), None) = (found.next(), found.next()) else { return None };
        let parts = ratio.as_str().split(':').map(|part| Exact::parse(part.trim()).ok().map(Value::Number));
        parts.collect()
    }

    /// Where the ratio of the text is.
    pub(crate) fn ratio_place(&self) -> Option<std::ops::Range<usize>> {
        RATIO.find(&self.lower).map(|found| found.range())
    }

    /// Whether the last of several figures has the unit of them all: "90, 20 and 70 minutes". What follows is another one.
    fn ends_with_unit(&self, run: &[usize]) -> bool {
        let has_unit = |at: &usize| {
            let written = self.figures.get(*at).and_then(|figure| self.lower.get(figure.range.clone()));
            written.is_some_and(|written| written.contains(char::is_alphabetic))
        };
        match run {
            [first, .., last] => !has_unit(first) && has_unit(last),
            _ => false,
        }
    }

    fn joined(&self, left: usize, right: usize) -> bool {
        let (Some(left), Some(right)) = (self.figures.get(left), self.figures.get(right)) else {
            return false;
        };
        let between = self.lower.get(left.range.end..right.range.start).unwrap_or_default().trim();
        matches!(
            between,
            "," | "and" | ", and" | "und" | "et" | "y" | "/" | ":" | "to" | "zu" | "-" | "à" | "a"
        )
    }

    /// The hours of each day: "10, 10, 8 hours each day", or "four days of 10 hours each".
    fn hours(&self, parameter: &Parameter, taken: &mut [bool]) -> Option<Value> {
        if let Some((days, hours, each)) = self.days_of_hours() {
            *taken.get_mut(days)? = true;
            *taken.get_mut(hours)? = true;
            return Some(Value::List(each));
        }
        let mut run: Vec<usize> = Vec::new();
        for at in 0..self.figures.len() {
            let hours = match self.figures.get(at).map(|figure| &figure.reading) {
                Some(Reading::Count(_, unit)) => unit.is_none_or(|unit| unit == Unit::Hour),
                _ => false,
            };
            if hours && run.last().is_none_or(|last| self.joined(*last, at)) {
                run.push(at);
            }
        }
        let named = parameter.near.iter().any(|word| says(&self.lower, word));
        let last = run.last().and_then(|at| self.figures.get(*at))?;
        if run.len() < 2 || !named || !matches!(last.reading, Reading::Count(_, Some(Unit::Hour))) {
            return None;
        }
        let mut values = Vec::new();
        for at in run {
            let Reading::Count(hours, _) = &self.figures.get(at)?.reading else { return None };
            values.push(Value::Hours(hours.clone()));
            *taken.get_mut(at)? = true;
        }
        Some(Value::List(values))
    }

    /// "four days of 10 hours each".
    fn days_of_hours(&self) -> Option<(usize, usize, Vec<Value>)> {
        (1..self.figures.len()).find_map(|at| {
            let days = self.figures.get(at.checked_sub(1)?)?;
            let hours = self.figures.get(at)?;
            let (Reading::Count(count, Some(Unit::Day)), Reading::Count(each, Some(Unit::Hour))) =
                (&days.reading, &hours.reading)
            else {
                return None;
            };
            let between = self.lower.get(days.range.end..hours.range.start)?.trim();
            let after = self.lower.get(hours.range.end..)?.trim_start();
            let every =
                after.starts_with("each") || after.starts_with("a day") || after.starts_with("per day");
            let linked = matches!(between, "of" | "with" | "à" | "zu je" | "mit je" | "at" | "x" | "×");
            if !(linked || every && between == ",") {
                return None;
            }
            let count = usize::try_from(count.to_i128()?).ok().filter(|count| (1..=7).contains(count))?;
            Some((at.checked_sub(1)?, at, vec![Value::Hours(each.clone()); count]))
        })
    }

    /// Records of an amount, a percentage and the words between them: "5,000 USD 31-60 days at 5%".
    fn records(&self, fields: &[Parameter], taken: &mut [bool]) -> Option<Value> {
        let kind = |wanted: fn(&Kind) -> bool| fields.iter().find(|field| wanted(&field.kind));
        let (label, amount) =
            (kind(|kind| matches!(kind, Kind::Text))?, kind(|kind| matches!(kind, Kind::Money))?);
        let share = kind(|kind| matches!(kind, Kind::Percent))?;
        if fields.len() != 3 {
            return None;
        }
        let mut records = Vec::new();
        let mut open: Option<(Value, usize)> = None;
        for (at, figure) in self.figures.iter().enumerate() {
            match (&figure.reading, open.take()) {
                (Reading::Money(money), None) => open = Some((Value::Money(*money), figure.range.end)),
                (Reading::Percent(rate), Some((money, end))) => {
                    let words = self.lower.get(end..figure.range.start)?.trim();
                    let words = words.strip_suffix("at").unwrap_or(words).trim();
                    records.push(Value::Record(BTreeMap::from([
                        (label.name.to_owned(), Value::Text(words.to_owned())),
                        (amount.name.to_owned(), money),
                        (share.name.to_owned(), Value::Percent(rate.clone())),
                    ])));
                }
                (Reading::Count(_, Some(Unit::Day)), pending @ Some(_)) => open = pending,
                _ => return None,
            }
            *taken.get_mut(at)? = true;
        }
        (open.is_none() && !records.is_empty()).then_some(Value::List(records))
    }

    /// Whether the digits at this place are part of the words of a record: "31-60 days".
    pub(crate) fn is_range_of_days(&self, place: usize) -> bool {
        DAYS.find_iter(&self.lower).any(|found| found.range().contains(&place))
    }
}

static DAYS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b[0-9]{1,3}\s?(?:-|–|to|bis)\s?[0-9]{1,3}\s(?:days|tage)\b"));

/// A period as a word or a number.
fn small_number(word: &str) -> Option<usize> {
    const WORDS: [&[&str]; 11] = [
        &["zero", "0"],
        &["one", "1", "a", "eins", "einem", "un", "uno"],
        &["two", "2", "zwei", "deux", "dos"],
        &["three", "3", "drei", "trois", "tres"],
        &["four", "4", "vier", "quatre", "cuatro"],
        &["five", "5", "fünf", "cinq", "cinco"],
        &["six", "6", "sechs", "seis"],
        &["seven", "7", "sieben", "sept", "siete"],
        &["eight", "8", "acht", "huit", "ocho"],
        &["nine", "9", "neun", "neuf", "nueve"],
        &["ten", "10", "zehn", "dix", "diez"],
    ];
    WORDS.iter().position(|words| words.contains(&word))
}
