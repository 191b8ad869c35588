//! The figures that a text holds: amounts, percentages, counts with their units, dates; and the ids beside them.
//!
//! What can be read in two ways is not read: it is [`Reading::Unclear`], and who computes leaves the text alone.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use purple_finance::{Exact, Money, Rate, Symbols, parse_date, parse_money, parse_number};
use purple_process::file::Setting;
use regex::{Captures, Regex};

use super::pattern::pattern;

/// The longest text that is searched for figures, in bytes. A longer one is no calculation.
pub(crate) const FIGURE_TEXT_BYTES_MAX: usize = 16 * 1024;
/// How many figures a text may hold.
pub(crate) const FIGURES_MAX: usize = 64;

/// A figure in a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// Where it stands, its unit included.
    pub(crate) range: Range<usize>,
    /// What it says.
    pub(crate) reading: Reading,
}

/// What a figure says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reading {
    /// An amount.
    Money(Money),
    /// A percentage.
    Percent(Rate),
    /// A number, of what the next word says.
    Count(Exact, Option<Unit>),
    /// A day.
    Date(Date),
    /// The name of something that must be looked up.
    Id,
    /// It can be read in two ways, or not at all.
    Unclear,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
    /// Days.
    Days,
    /// Months.
    Months,
    /// Years.
    Years,
}

impl Unit {
    /// The word for it, as parameters use it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Minutes => "minutes",
            Self::Hours => "hours",
            Self::Days => "days",
            Self::Months => "months",
            Self::Years => "years",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Some(match word.to_lowercase().as_str() {
            "minute" | "minutes" | "min" | "mins" => Self::Minutes,
            "hour" | "hours" | "hrs" | "hr" | "h" => Self::Hours,
            "day" | "days" => Self::Days,
            "month" | "months" => Self::Months,
            "year" | "years" => Self::Years,
            _ => return None,
        })
    }
}

/// Every figure of the text in its order; `None` for a text that is too long or holds too many.
pub(crate) fn figures(text: &str, setting: &Setting) -> Option<Vec<Figure>> {
    if text.len() > FIGURE_TEXT_BYTES_MAX {
        return None;
    }
    let mut found: Vec<Figure> = FIGURE
        .captures_iter(text)
        .take(FIGURES_MAX.saturating_add(1))
        .filter_map(|found| Some(Figure { range: found.get(0)?.range(), reading: read(&found, setting) }))
        .collect();
    if found.len() > FIGURES_MAX {
        return None;
    }
    share_units(text, &mut found);
    Some(found)
}

static FIGURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)
        (?P<id> \#[A-Za-z0-9][A-Za-z0-9-]* | \b[A-Z][A-Za-z]{0,9}-[0-9][A-Za-z0-9-]* | \b[A-Z]{2,6}[0-9]{3,}\b )
        | \b(?P<date> [0-9]{4}-[0-9]{2}-[0-9]{2} )\b
        | \b(?P<slash> [0-9]{1,4}[/.][0-9]{1,2}[/.][0-9]{2,4} )\b
        | \b(?P<month> (?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s[0-9]{1,2}(?:st|nd|rd|th)?\b(?:,?\s[0-9]{4}\b)? )
        | (?P<money> [-−]? (?: US\$|[$€£¥] | \b[A-Z]{3}\s ) [-−]?[0-9][0-9,.]*[0-9] | [-−]? (?: US\$|[$€£¥] | \b[A-Z]{3}\s ) [-−]?[0-9] )
            (?P<tail> \s?(?:k|K|m|M|bn|thousand|million|billion)\b )?
        | (?P<after> (?:\b|[-−]) (?:[0-9][0-9,.]*[0-9]|[0-9]) \s? (?: €|£ | [A-Z]{3}\b ) )
        | (?P<percent> \b(?:[0-9][0-9,.]*[0-9]|[0-9]) \s? (?: % | percent\b | bps\b | basis\spoints\b ) )
        | \b(?P<count> [0-9][0-9,.]*[0-9] | [0-9] ) (?: [\s-]? (?P<unit> (?i:minutes?|mins?|hours?|hrs?|h|days?|months?|years?) )\b )?
        ",
    )
});

fn read(found: &Captures<'_>, setting: &Setting) -> Reading {
    let part = |name: &str| found.name(name).map(|part| part.as_str());
    if part("id").is_some() {
        return Reading::Id;
    }
    if let Some(date) = part("date") {
        return parse_date(date).map_or(Reading::Unclear, Reading::Date);
    }
    if part("slash").is_some() || part("month").is_some() || part("tail").is_some() {
        return Reading::Unclear;
    }
    if let Some(amount) = part("money").or_else(|| part("after")) {
        return money(amount, setting);
    }
    if let Some(percent) = part("percent") {
        let written = percent.replace("percent", "%").replace("basis points", "bps");
        let written = if written.ends_with('%') { written.replace(' ', "") } else { written };
        return Rate::parse(&written).map_or(Reading::Unclear, Reading::Percent);
    }
    match part("count").map(parse_number) {
        Some(Ok(number)) => Reading::Count(number, part("unit").and_then(Unit::parse)),
        Some(Err(_)) | None => Reading::Unclear,
    }
}

fn money(written: &str, setting: &Setting) -> Reading {
    let symbols = Symbols { dollar: Some(setting.dollar), yen: None };
    let plain = written.replace('−', "-");
    match parse_money(&plain, symbols) {
        Ok(money) => Reading::Money(money),
        // "3 PDF" is a count of something.
        Err(_) => match plain.split_once(' ').map(|(number, code)| (parse_number(number), code)) {
            Some((Ok(number), code)) if purple_finance::Currency::parse(code).is_err() => {
                Reading::Count(number, None)
            }
            _ => Reading::Unclear,
        },
    }
}

/// "90 of 365 days" counts days twice.
fn share_units(text: &str, figures: &mut [Figure]) {
    for at in (1..figures.len()).rev() {
        let Some((left, right)) = figures.split_at_mut_checked(at) else { continue };
        let (Some(first), Some(second)) = (left.last_mut(), right.first()) else { continue };
        let between = text.get(first.range.end..second.range.start).unwrap_or_default().trim();
        let joined = matches!(between, "of" | "of the" | "out of" | "and" | "," | "/");
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
        let setting = Setting { today: jiff::civil::date(2026, 3, 2), dollar: purple_finance::Currency::USD };
        let written = |figure: Figure| match figure.reading {
            Reading::Money(money) => money.to_string(),
            Reading::Percent(rate) => rate.to_string(),
            Reading::Count(number, unit) => format!("{number} {}", unit.map_or("-", Unit::word)),
            Reading::Date(date) => date.to_string(),
            Reading::Id => "id".to_owned(),
            Reading::Unclear => "unclear".to_owned(),
        };
        figures(text, &setting).unwrap().into_iter().map(written).collect()
    }

    #[test]
    fn figures_are_read_with_their_units() {
        let cases = [
            ("52 hours this week, base rate $28/hr", vec!["52 hours", "28.00 USD"]),
            ("invoice INV-2024-447 for $52,340.", vec!["id", "52340.00 USD"]),
            ("EUR 8,420 at 1.091", vec!["8420.00 EUR", "1.091 -"]),
            ("8420 EUR and 7.5% for 90 of 365 days", vec!["8420.00 EUR", "7.5%", "90 days", "365 days"]),
            ("a 12-month term from 2026-01-31", vec!["12 months", "2026-01-31"]),
            ("on 1/2/2026 about $5k", vec!["unclear", "unclear"]),
            ("-$1,000 then $500", vec!["-1000.00 USD", "500.00 USD"]),
            ("3 PDF files, contract #CTR-441", vec!["3 -", "id"]),
        ];
        for (text, expected) in cases {
            assert_eq!(readings(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_with_too_many_figures_is_not_searched() {
        let setting = Setting { today: jiff::civil::date(2026, 3, 2), dollar: purple_finance::Currency::USD };
        assert_eq!(figures(&"1 ".repeat(FIGURES_MAX + 1), &setting), None);
    }
}
