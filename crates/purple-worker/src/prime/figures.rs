//! The figures of a text: amounts, percentages, numbers with their units and dates, as `purple-intent` reads them.
//!
//! A figure with two possible meanings is [`Reading::Unclear`]: nothing is computed with it.

use std::collections::BTreeSet;
use std::ops::Range;

use jiff::civil::Date;
use purple_finance::{Currency, Exact, Money, Rate};
use purple_intent::value::{Day, Meaning, Notation, Unit, Value, values};
use purple_intent::{Detected, Language};
use purple_process::file::Setting;

/// The longest text that is searched for figures, in bytes. A longer one is no calculation.
pub(crate) const FIGURE_TEXT_BYTES_MAX: usize = 16 * 1024;
/// How many figures a text may hold.
pub(crate) const FIGURES_MAX: usize = 64;

/// A figure in a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// Where it is, its unit included.
    pub(crate) range: Range<usize>,
    /// What it means.
    pub(crate) reading: Reading,
}

/// What a figure means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reading {
    /// An amount.
    Money(Money),
    /// An amount with more decimals than its currency has: the price of a unit, a rate of exchange.
    Price(Exact, Currency),
    /// A percentage.
    Percent(Rate),
    /// A number, of what the next word says.
    Count(Exact, Option<Unit>),
    /// A number that is unclear alone and clear as an amount: `126,000`.
    BareAmount(Exact),
    /// A day.
    Date(Date),
    /// A day as it is named from today: `today`, `tomorrow`.
    Relative(i32),
    /// A time that is no date: a month, a day of the week.
    OtherTime,
    /// The name of something that must be looked up.
    Id,
    /// It has two possible meanings, or none that a calculation takes.
    Unclear,
}

impl Reading {
    /// The currency of an amount or a price.
    pub(crate) fn currency(&self) -> Option<Currency> {
        match self {
            Self::Money(money) => Some(money.currency()),
            Self::Price(_, currency) => Some(*currency),
            Self::Percent(_)
            | Self::Count(..)
            | Self::BareAmount(_)
            | Self::Date(_)
            | Self::Relative(_)
            | Self::OtherTime
            | Self::Id
            | Self::Unclear => None,
        }
    }
}

/// Every figure of the text in its order; `None` for a text that is too long or has too many.
pub(crate) fn figures(text: &str, setting: &Setting) -> Option<Vec<Figure>> {
    if text.len() > FIGURE_TEXT_BYTES_MAX {
        return None;
    }
    let notation = setting.notation(Vec::new());
    let found = values(text, &notation);
    if found.len() > FIGURES_MAX {
        return None;
    }
    let grouping = grouping(text, &found);
    let comma = || is_written_with_a_decimal_comma(text, &notation);
    let reading = |value: &Value| match is_comma_before_three(value.span.of(text)) && comma() {
        true => Reading::Unclear,
        false => read(text, value, grouping, &notation),
    };
    let mut figures: Vec<Figure> = found
        .iter()
        .map(|value| Figure { range: value.span.start..value.span.end, reading: reading(value) })
        .collect();
    name_working_days(text, &mut figures);
    share_units(text, &mut figures);
    Some(figures)
}

/// Whether the language of a text has a decimal comma: there "1,000 EUR" is a euro or a thousand.
fn is_written_with_a_decimal_comma(text: &str, notation: &Notation) -> bool {
    match purple_intent::read(text, notation).language {
        Detected::One(Language::German | Language::French | Language::Spanish) => true,
        Detected::One(Language::English) | Detected::Mixed(_) | Detected::Unknown => false,
    }
}

/// Whether a number has one comma, with three digits after it: `1,000`.
pub(super) fn is_comma_before_three(written: &str) -> bool {
    let number = written.trim_matches(|c: char| !c.is_ascii_digit());
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    number.split_once(',').is_some_and(|(whole, rest)| {
        digits(whole) && whole.len() <= 3 && !whole.starts_with('0') && rest.len() == 3 && digits(rest)
    })
}

/// The mark that groups thousands in the clear amounts of the text: the comma of `8,420 EUR`.
fn grouping(text: &str, found: &[Value]) -> Option<char> {
    let marks: BTreeSet<char> = found
        .iter()
        .filter(|value| matches!(value.only(), Some(Meaning::Amount(_))))
        .filter_map(|value| {
            let written = value.span.of(text);
            let (at, mark) = written.char_indices().find(|(_, mark)| matches!(mark, '.' | ','))?;
            let after = written.get(at.saturating_add(1)..)?;
            let digits = after.chars().take_while(char::is_ascii_digit).count();
            (digits == 3).then_some(mark)
        })
        .collect();
    if marks.len() == 1 { marks.first().copied() } else { None }
}

/// The meaning of digits with one mark: if it groups thousands in this text it does so here, and else it marks the
/// decimals.
fn by_grouping<'v>(text: &str, value: &'v Value, grouping: Option<char>) -> Option<&'v Meaning> {
    let written = value.span.of(text);
    let mut marks = written.chars().filter(|mark| matches!(mark, '.' | ','));
    let (Some(mark), None) = (marks.next(), marks.next()) else { return None };
    let groups = grouping? == mark;
    let mut fitting = value.meanings.iter().filter(|meaning| match meaning {
        Meaning::Number(number) | Meaning::Percent(number) | Meaning::Quantity { number, .. } => {
            number.is_integer() == groups
        }
        Meaning::Id(_) | Meaning::Amount(_) | Meaning::Day(_) | Meaning::Month(_) => false,
    });
    let found = fitting.next();
    if fitting.next().is_none() { found } else { None }
}

fn read(text: &str, value: &Value, grouping: Option<char>, notation: &Notation) -> Reading {
    let Some(meaning) = value.only().or_else(|| by_grouping(text, value, grouping)) else {
        return as_amount(value.span.of(text), notation).map_or(Reading::Unclear, Reading::BareAmount);
    };
    match meaning {
        Meaning::Id(_) => Reading::Id,
        Meaning::Amount(amount) => Money::exact(&amount.number, amount.currency)
            .map_or_else(|_| Reading::Price(amount.number.clone(), amount.currency), Reading::Money),
        Meaning::Percent(percent) => Rate::percent(percent).map_or(Reading::Unclear, Reading::Percent),
        Meaning::Number(number) => Reading::Count(number.clone(), None),
        Meaning::Quantity { number, unit } => Reading::Count(number.clone(), Some(*unit)),
        Meaning::Day(Day::On(date)) => Reading::Date(*date),
        Meaning::Day(Day::Ahead { days }) => Reading::Relative(*days),
        Meaning::Day(Day::DayMonth { .. } | Day::Weekday { .. }) | Meaning::Month(_) => Reading::OtherTime,
    }
}

/// The only amount of money that the digits can be. With a currency beside it `126,000` has one meaning.
fn as_amount(written: &str, notation: &Notation) -> Option<Exact> {
    let found = values(&format!("{written} EUR"), notation);
    match found.as_slice() {
        [value] => match value.only()? {
            Meaning::Amount(amount) => Some(amount.number.clone()),
            Meaning::Id(_)
            | Meaning::Percent(_)
            | Meaning::Number(_)
            | Meaning::Quantity { .. }
            | Meaning::Day(_)
            | Meaning::Month(_) => None,
        },
        _ => None,
    }
}

/// "5 Werktage" are working days, by words that are no unit of measure elsewhere.
fn name_working_days(text: &str, figures: &mut [Figure]) {
    const WORDS: [&str; 6] =
        ["werktag", "geschäftstag", "bankarbeitstag", "bankgeschäftstag", "jours ouvrables", "jour ouvrable"];
    for figure in figures {
        let after = text.get(figure.range.end..).unwrap_or_default().trim_start().to_lowercase();
        if let Reading::Count(_, unit @ None) = &mut figure.reading
            && WORDS.iter().any(|word| after.starts_with(word))
        {
            *unit = Some(Unit::WorkingDay);
        }
    }
}

/// "90 of 365 days" counts days twice.
fn share_units(text: &str, figures: &mut [Figure]) {
    for at in (1..figures.len()).rev() {
        let Some((left, right)) = figures.split_at_mut_checked(at) else { continue };
        let (Some(first), Some(second)) = (left.last_mut(), right.first()) else { continue };
        let between = text.get(first.range.end..second.range.start).unwrap_or_default().trim();
        let joined = matches!(
            between,
            "of" | "of the"
                | "out of"
                | "and"
                | ","
                | ", and"
                | "/"
                | "von"
                | "sur"
                | "de"
                | "und"
                | "et"
                | "y"
        );
        if let (true, Reading::Count(_, unit @ None), Reading::Count(_, shared @ Some(_))) =
            (joined, &mut first.reading, &second.reading)
        {
            *unit = *shared;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(text: &str) -> Vec<String> {
        let setting = Setting { today: jiff::civil::date(2026, 3, 2), dollar: Currency::USD };
        let written = |figure: Figure| match figure.reading {
            Reading::Money(money) => money.to_string(),
            Reading::Price(number, currency) => format!("{number} {currency} each"),
            Reading::Percent(rate) => rate.to_string(),
            Reading::Count(number, unit) => format!("{number} {unit:?}"),
            Reading::BareAmount(number) => format!("amount {number}"),
            Reading::Date(date) => date.to_string(),
            Reading::Relative(days) => format!("{days} days ahead"),
            Reading::OtherTime => "time".to_owned(),
            Reading::Id => "id".to_owned(),
            Reading::Unclear => "unclear".to_owned(),
        };
        figures(text, &setting).unwrap().into_iter().map(written).collect()
    }

    #[test]
    fn figures_are_read_with_their_units() {
        let cases = [
            ("52 hours this week, base rate $28/hr", vec!["52 Some(Hour)", "28.00 USD"]),
            ("invoice INV-2024-447 for $52,340.", vec!["id", "52340.00 USD"]),
            ("EUR 8,420 at 1.091", vec!["8420.00 EUR", "1.091 None"]),
            ("EUR 8,42 at 1.091", vec!["8.42 EUR", "unclear"]),
            ("0.9215 EUR per USD", vec!["0.9215 EUR each"]),
            (
                "8420 EUR and 7.5% for 90 of 365 days",
                vec!["8420.00 EUR", "7.5%", "90 Some(Day)", "365 Some(Day)"],
            ),
            ("a 12-month term from 2026-01-31", vec!["12 Some(Month)", "2026-01-31"]),
            ("on 1/2/2026 about $5k", vec!["unclear", "5000.00 USD"]),
            ("52.340 USD, 25'500.00 USD", vec!["unclear", "25500.00 USD"]),
            ("sales of 840,000", vec!["amount 840000"]),
            ("Wie viel sind 1,000 EUR netto mit 19 % MwSt?", vec!["unclear", "19%"]),
            ("-$1,000 then $500", vec!["-1000.00 USD", "500.00 USD"]),
            ("contract #CTR-441 of last month", vec!["id", "time"]),
        ];
        for (text, expected) in cases {
            assert_eq!(readings(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_with_too_many_figures_is_not_searched() {
        let setting = Setting { today: jiff::civil::date(2026, 3, 2), dollar: Currency::USD };
        assert_eq!(figures(&"1 ".repeat(FIGURES_MAX + 1), &setting), None);
    }
}
