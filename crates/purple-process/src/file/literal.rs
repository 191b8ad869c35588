//! Finds values of a type in plain words: amounts, percentages, dates, months, ids.
//!
//! What can be read in two ways is not read at all; it comes back with the reason.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};
use purple_policy::{Currency, Exact, Money, Value};
use regex::Regex;

use super::input::{InputType, Setting};

/// Something in the text that looks like a value of the type.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
    pub(crate) value: Result<Value, &'static str>,
}

/// Everything in `text` that could be meant.
pub(crate) fn candidates(
    text: &str,
    kind: InputType,
    pattern: Option<&Regex>,
    setting: &Setting,
) -> Vec<Candidate> {
    if let Some(pattern) = pattern {
        return by_pattern(text, pattern, kind, setting);
    }
    match kind {
        InputType::Text | InputType::Id => Vec::new(),
        InputType::Number => found(text, &NUMBER, |m| number(&m["n"])),
        InputType::Money => {
            let mut amounts = found(text, &MONEY, |m| money(m, setting));
            // "3 PDF" has the form of an amount and is none.
            amounts.retain(|amount| amount.value != Err(NO_CURRENCY));
            amounts
        }
        InputType::Percent => found(text, &PERCENT, |m| digits(&m["n"]).map(Value::Percent)),
        InputType::Date => found(text, &DATE, |m| date(m, setting.today)),
        InputType::Month => found(text, &MONTH, |m| month(m, setting.today)),
    }
}

/// Reads a text that is nothing but one value of the type.
pub(crate) fn read_as(text: &str, kind: InputType, setting: &Setting) -> Result<Value, &'static str> {
    let text = text.trim();
    match kind {
        InputType::Text | InputType::Id => Ok(Value::text(text)),
        InputType::Number => number(text),
        InputType::Percent => digits(text.trim_end_matches('%').trim_end()).map(Value::Percent),
        InputType::Money | InputType::Date | InputType::Month => {
            match candidates(text, kind, None, setting).as_slice() {
                [one] if one.range == (0..text.len()) => one.value.clone(),
                _ => Err("cannot be read as a value of this type"),
            }
        }
    }
}

/// Those of the candidates that stand nearest to the word. Without the word, all of them.
pub(crate) fn nearest_to(text: &str, word: &str, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let places = word_places(text, word);
    let distance = |candidate: &Candidate| {
        // Both stand in the order of the text, so the nearest place is the one just before or just after.
        let after = places.partition_point(|place| place.start < candidate.range.start);
        let before = after.checked_sub(1).and_then(|before| places.get(before));
        let gap_before = before.map(|place| candidate.range.start.saturating_sub(place.end));
        let gap_after = places.get(after).map(|place| place.start.saturating_sub(candidate.range.end));
        gap_before.into_iter().chain(gap_after).min()
    };
    let gaps: Vec<Option<usize>> = candidates.iter().map(distance).collect();
    let nearest = gaps.iter().flatten().min().copied();
    candidates
        .into_iter()
        .zip(gaps)
        .filter(|(_, gap)| *gap == nearest)
        .map(|(candidate, _)| candidate)
        .collect()
}

fn word_places(text: &str, word: &str) -> Vec<Range<usize>> {
    let pattern = format!(r"(?i)\b{}\b", regex::escape(word));
    let Ok(pattern) = Regex::new(&pattern) else { return Vec::new() };
    pattern.find_iter(text).map(|found| found.range()).collect()
}

fn by_pattern(text: &str, pattern: &Regex, kind: InputType, setting: &Setting) -> Vec<Candidate> {
    let whole = |range: &Range<usize>| {
        let before = text[..range.start].chars().next_back();
        let after = text[range.end..].chars().next();
        // `C-88` inside `INC-88` or `C-88` before `7` is another word.
        let joined = |c: char| c.is_alphanumeric() || c == '_';
        !before.is_some_and(|c| joined(c) || c == '-') && !after.is_some_and(joined)
    };
    pattern
        .captures_iter(text)
        .filter_map(|found| {
            let value = found.get(1).or_else(|| found.get(0))?;
            let range = found.get(0)?.range();
            (!value.is_empty() && whole(&range)).then(|| Candidate {
                range,
                text: value.as_str().to_owned(),
                value: read_as(value.as_str().trim_end_matches('-'), kind, setting),
            })
        })
        .collect()
}

fn found(
    text: &str,
    pattern: &Option<Regex>,
    read: impl Fn(&regex::Captures<'_>) -> Result<Value, &'static str>,
) -> Vec<Candidate> {
    let Some(pattern) = pattern else { return Vec::new() };
    let candidate = |found: regex::Captures<'_>| {
        let value = found.name("v")?;
        Some(Candidate { range: value.range(), text: value.as_str().to_owned(), value: read(&found) })
    };
    pattern.captures_iter(text).filter_map(candidate).collect()
}

/// A pattern of ours; `None` could only come from a slip that the tests catch.
fn pattern(source: &str) -> Option<Regex> {
    Regex::new(source).ok()
}

static MONEY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?x) (?P<v> (?P<minus>[-−])? (?: (?P<sign>US\$|[$€£]) | \b(?P<code>[A-Z]{3})\s )
                (?P<n>[0-9][0-9.,]*[0-9]|[0-9]) (?P<tail>\s?(?:k|K|m|M|bn|thousand|million|billion)\b)?
              | (?P<minus2>[-−])? \b(?P<n2>[0-9][0-9.,]*[0-9]|[0-9]) \s? (?P<code2>[A-Z]{3}|€|£) )(?:\b|$|[^A-Za-z0-9])",
    )
});
static PERCENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?P<v>(?P<n>[0-9]+(?:[.,][0-9]+)*)\s?(?:%|percent\b))"));
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?:^|[\s(\[=:])(?P<v>(?P<n>-?[0-9][0-9.,]*[0-9]|-?[0-9]))(?:$|[\s)\];:!?]|[.,](?:\s|$))")
});
static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?xi) \b(?P<v> (?P<iso>[0-9]{4}-[0-9]{2}-[0-9]{2})
            | (?P<slash>[0-9]{1,2}[/.][0-9]{1,2}[/.][0-9]{2,4})
            | (?P<day1>[0-9]{1,2})(?:st|nd|rd|th)?\s(?P<name1>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?\s(?P<year1>[0-9]{4})
            | (?P<name2>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s(?P<day2>[0-9]{1,2})(?:st|nd|rd|th)?,?\s(?P<year2>[0-9]{4})
            | (?P<word>today|tomorrow|yesterday)
            | (?:(?P<which>last|this|next)\s)?(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)
        )\b",
    )
});
static MONTH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?xi) (?:^|[^-0-9A-Za-z])(?P<v> (?P<which>last|this|next|previous|current)\smonth
            | (?P<iso>[0-9]{4}-[0-9]{2})
            | (?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s(?P<year>[0-9]{4})
        )(?:$|[^-0-9A-Za-z]|-(?:\s|$))",
    )
});

/// Digits with groups of three and a decimal point; anything else could be read in two ways.
fn digits(text: &str) -> Result<Exact, &'static str> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let grouped = whole.contains(',');
    let mut groups = whole.trim_start_matches('-').split(',');
    let first = groups.next().unwrap_or_default();
    let well_grouped = !grouped || ((1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3));
    if !well_grouped || fraction.contains([',', '.']) {
        return Err("has separators that can be read in more than one way");
    }
    let plain: String = text.chars().filter(|c| *c != ',').collect();
    Exact::parse(&plain).map_err(|_| "is not a number")
}

fn number(text: &str) -> Result<Value, &'static str> {
    digits(text).map(Value::Number)
}

const NO_CURRENCY: &str = "has no known currency";

fn money(found: &regex::Captures<'_>, setting: &Setting) -> Result<Value, &'static str> {
    if found.name("tail").is_some() {
        return Err("is shortened: write the amount out");
    }
    let code = found.name("sign").or_else(|| found.name("code")).or_else(|| found.name("code2"));
    let currency = match code.map(|code| code.as_str()).unwrap_or_default() {
        "$" => setting.dollar,
        "US$" => Currency::parse("USD").map_err(|_| NO_CURRENCY)?,
        "€" => Currency::parse("EUR").map_err(|_| NO_CURRENCY)?,
        "£" => Currency::parse("GBP").map_err(|_| NO_CURRENCY)?,
        code => Currency::parse(code).map_err(|_| NO_CURRENCY)?,
    };
    let written = found.name("n").or_else(|| found.name("n2")).map(|n| n.as_str()).unwrap_or_default();
    let mut amount = digits(written)?;
    if found.name("minus").or_else(|| found.name("minus2")).is_some() {
        amount = amount.negated();
    }
    match Money::exact(&amount, currency) {
        Ok(_) => Ok(Value::Money { amount, currency }),
        Err(_) => Err("has more digits than its currency"),
    }
}

fn month_number(name: &str) -> Option<i8> {
    const NAMES: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let name = name.to_lowercase();
    NAMES.iter().zip(1..).find(|(known, _)| **known == name).map(|(_, number)| number)
}

const NO_DATE: &str = "is not a day of the calendar";

fn date(found: &regex::Captures<'_>, today: Date) -> Result<Value, &'static str> {
    let part = |name: &str| found.name(name).map(|part| part.as_str());
    if let Some(iso) = part("iso") {
        return iso.parse().map(Value::Date).map_err(|_| NO_DATE);
    }
    if part("slash").is_some() {
        return Err("could put the month or the day first: write 2026-01-31");
    }
    for (year, name, day) in [("year1", "name1", "day1"), ("year2", "name2", "day2")] {
        if let (Some(year), Some(name), Some(day)) = (part(year), part(name), part(day)) {
            let month = month_number(name).ok_or(NO_DATE)?;
            let (year, day) = (year.parse().map_err(|_| NO_DATE)?, day.parse().map_err(|_| NO_DATE)?);
            return Date::new(year, month, day).map(Value::Date).map_err(|_| NO_DATE);
        }
    }
    if let Some(word) = part("word") {
        let moved: Span = match word.to_lowercase().as_str() {
            "tomorrow" => 1.day(),
            "yesterday" => -1.day(),
            _ => 0.days(),
        };
        return today.checked_add(moved).map(Value::Date).map_err(|_| NO_DATE);
    }
    weekday(part("which"), part("weekday").unwrap_or_default(), today)
}

/// "Friday" is the next Friday after today; on a Friday, and for "next Friday", nobody can be sure.
fn weekday(which: Option<&str>, name: &str, today: Date) -> Result<Value, &'static str> {
    let wanted = match name.to_lowercase().as_str() {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return Err(NO_DATE),
    };
    let which = which.map(str::to_lowercase);
    let nth = match which.as_deref() {
        Some("next") => return Err("could be this week's or the week after: write the date"),
        Some("last") => -1,
        _ if today.weekday() == wanted => return Err("could be today or in a week: write the date"),
        _ => 1,
    };
    today.nth_weekday(nth, wanted).map(Value::Date).map_err(|_| NO_DATE)
}

fn month(found: &regex::Captures<'_>, today: Date) -> Result<Value, &'static str> {
    const NO_MONTH: &str = "is not a month";
    let part = |name: &str| found.name(name).map(|part| part.as_str());
    let first = if let Some(which) = part("which") {
        let moved: Span = match which.to_lowercase().as_str() {
            "last" | "previous" => -1.month(),
            "next" => 1.month(),
            _ => 0.months(),
        };
        today.first_of_month().checked_add(moved).map_err(|_| NO_MONTH)?
    } else if let Some((year, month)) = part("iso").and_then(|iso| iso.split_once('-')) {
        let (year, month) = (year.parse().map_err(|_| NO_MONTH)?, month.parse().map_err(|_| NO_MONTH)?);
        Date::new(year, month, 1).map_err(|_| NO_MONTH)?
    } else {
        let month = part("name").and_then(month_number).ok_or(NO_MONTH)?;
        let year = part("year").and_then(|year| year.parse().ok()).ok_or(NO_MONTH)?;
        Date::new(year, month, 1).map_err(|_| NO_MONTH)?
    };
    Ok(Value::text(format!("{:04}-{:02}", first.year(), first.month())))
}
