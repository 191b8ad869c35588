//! Finds values of a type in plain words: amounts, percentages, dates, months, ids.
//!
//! What can be read in two ways is not read at all; it comes back with the reason.

use std::ops::Range;

use jiff::civil::Date;
use purple_intent::Span;
use purple_intent::value::{Amount, Day, Meaning, MonthMeaning, Value as Written, values};
use purple_policy::{Money, Value};
use regex::Regex;

use super::input::{InputType, Setting};

/// Something in the text that looks like a value of the type.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
    pub(crate) value: Result<Value, &'static str>,
}

const TWO_WAYS: &str = "can be read in more than one way";

/// Everything in `text` that could be meant. `written` are the values of the text.
pub(crate) fn candidates(
    text: &str,
    written: &[Written],
    kind: InputType,
    pattern: Option<&Regex>,
    setting: &Setting,
) -> Vec<Candidate> {
    match (pattern, kind) {
        (Some(pattern), InputType::Id) => {
            let exact = by_pattern(text, pattern, kind, setting);
            if exact.is_empty() { by_spelling(text, pattern, setting) } else { exact }
        }
        (Some(pattern), _) => by_pattern(text, pattern, kind, setting),
        (None, InputType::Text | InputType::Id) => Vec::new(),
        (None, _) => written.iter().filter_map(|one| candidate(text, one, kind, setting)).collect(),
    }
}

/// A value of the text, if it can be of the type.
fn candidate(text: &str, written: &Written, kind: InputType, setting: &Setting) -> Option<Candidate> {
    let fitting: Vec<&Meaning> = written.meanings.iter().filter(|meaning| is_of(meaning, kind)).collect();
    let value = match fitting.as_slice() {
        [] => return None,
        [one] if written.meanings.len() == 1 => read(one, setting)?,
        [..] => Err(TWO_WAYS),
    };
    let Span { start, end } = written.span;
    Some(Candidate { range: start..end, text: written.span.of(text).to_owned(), value })
}

fn is_of(meaning: &Meaning, kind: InputType) -> bool {
    match kind {
        InputType::Text | InputType::Id => false,
        InputType::Number => matches!(meaning, Meaning::Number(_) | Meaning::Quantity { .. }),
        InputType::Money => matches!(meaning, Meaning::Amount(_)),
        InputType::Percent => matches!(meaning, Meaning::Percent(_)),
        InputType::Date => matches!(meaning, Meaning::Day(_)),
        InputType::Month => matches!(meaning, Meaning::Month(_)),
    }
}

/// The value that a meaning is; `None` for an id, which has no value without a pattern.
fn read(meaning: &Meaning, setting: &Setting) -> Option<Result<Value, &'static str>> {
    Some(match meaning {
        Meaning::Id(_) => return None,
        Meaning::Amount(Amount { number, currency }) => match Money::exact(number, *currency) {
            Ok(_) => Ok(Value::Money { amount: number.clone(), currency: *currency }),
            Err(_) => Err("has more digits than its currency"),
        },
        Meaning::Percent(number) => Ok(Value::Percent(number.clone())),
        Meaning::Number(number) | Meaning::Quantity { number, .. } => Ok(Value::Number(number.clone())),
        Meaning::Day(day) => date(*day, setting.today),
        Meaning::Month(month) => month_text(*month, setting.today),
    })
}

fn date(day: Day, today: Date) -> Result<Value, &'static str> {
    if matches!(day, Day::Weekday { weekday, next: false } if weekday == today.weekday()) {
        return Err("could be today or in a week: write the date");
    }
    match day.dates(today).as_slice() {
        [] => Err("is not a day of the calendar"),
        [date] => Ok(Value::Date(*date)),
        [..] => Err("could be this week's or the week after: write the date"),
    }
}

fn month_text(month: MonthMeaning, today: Date) -> Result<Value, &'static str> {
    let (year, month) = month.of(today).ok_or("is not a month")?;
    Ok(Value::text(format!("{year:04}-{month:02}")))
}

/// Reads a text that is nothing but one value of the type.
pub(crate) fn read_as(text: &str, kind: InputType, setting: &Setting) -> Result<Value, &'static str> {
    let text = text.trim();
    let one = |text: &str| {
        let written = values(text, &setting.notation(Vec::new()));
        match candidates(text, &written, kind, None, setting).as_slice() {
            [one] if one.range == (0..text.len()) => one.value.clone(),
            _ => Err("cannot be read as a value of this type"),
        }
    };
    match kind {
        InputType::Text | InputType::Id => Ok(Value::text(text)),
        InputType::Percent if !text.ends_with('%') => one(&format!("{text}%")),
        InputType::Percent | InputType::Number | InputType::Money | InputType::Date | InputType::Month => {
            one(text)
        }
    }
}

/// How the ids of a pattern begin: `INV` of `INV-[0-9]+`.
pub(crate) fn prefix(pattern: &Regex) -> Option<String> {
    let prefix: String = pattern.as_str().chars().take_while(char::is_ascii_alphabetic).collect();
    (!prefix.is_empty()).then_some(prefix)
}

/// Ids in another case, or with other separators than the pattern has: `inv 2024 448`.
fn by_spelling(text: &str, pattern: &Regex, setting: &Setting) -> Vec<Candidate> {
    let written = match prefix(pattern) {
        Some(prefix) => values(text, &setting.notation(vec![prefix])),
        None => Vec::new(),
    };
    let fits = |id: &str| pattern.find(id).is_some_and(|found| found.range() == (0..id.len()));
    let candidate = |written: Written| {
        let range = written.span.start..written.span.end;
        match written.only() {
            Some(Meaning::Id(id)) if fits(id.as_str()) && is_whole(text, &range) => {
                let value = Ok(Value::text(id.as_str()));
                Some(Candidate { range, text: written.span.of(text).to_owned(), value })
            }
            _ => None,
        }
    };
    written.into_iter().filter_map(candidate).collect()
}

/// How far a word is from a value: each word between counts one, other marks more. An id between is part of the word
/// that it follows: `invoice INV-7 for $500`.
const COMMA_COST: usize = 2;
const SENTENCE_COST: usize = 8;
/// A word after the value, and one after the value and a comma, are less likely to name it.
const AFTER_COST: usize = 1;
const AFTER_COMMA_COST: usize = 3;

/// Those of the candidates that stand nearest to the word. Of a kind that several inputs take, `all` are the words of
/// these inputs in the order of the file, and a candidate belongs to the input whose word is nearest to it; a single
/// one without a word directly beside it belongs to the first. Without the word, all of them.
pub(crate) fn nearest_to(text: &str, word: &str, all: &[&str], candidates: Vec<Candidate>) -> Vec<Candidate> {
    let places: Vec<Vec<Range<usize>>> = all.iter().map(|word| word_places(text, word)).collect();
    let Some(own) = all.iter().position(|one| *one == word) else { return candidates };
    let distances = |candidate: &Candidate| {
        places.iter().map(|places| distance(text, places, candidate)).collect::<Vec<Option<usize>>>()
    };
    let single = candidates.len() == 1;
    let mut kept: Vec<(Option<usize>, Candidate)> = Vec::new();
    for candidate in candidates {
        let distances = distances(&candidate);
        let least = distances.iter().flatten().min().copied();
        let mine = distances.get(own).copied().flatten();
        let is_mine = match least {
            None => own == 0 || all.len() == 1,
            Some(least) if single && least > AFTER_COST => own == 0,
            Some(_) => mine == least,
        };
        if is_mine {
            kept.push((mine, candidate));
        }
    }
    let nearest = kept.iter().filter_map(|(distance, _)| *distance).min();
    kept.into_iter().filter(|(distance, _)| *distance == nearest).map(|(_, candidate)| candidate).collect()
}

/// How far a value is from the nearest of these places. Both are in the order of the text, so that the nearest place is
/// the one just before or just after.
fn distance(text: &str, places: &[Range<usize>], candidate: &Candidate) -> Option<usize> {
    let after = places.partition_point(|place| place.start < candidate.range.start);
    let before = after.checked_sub(1).and_then(|before| places.get(before));
    let before = before.map(|place| gap(text, place.end..candidate.range.start));
    let after = places.get(after).map(|place| {
        let between = candidate.range.end..place.start;
        let comma = text.get(between.clone()).is_some_and(|words| words.contains(','));
        gap(text, between) + AFTER_COST + if comma { AFTER_COMMA_COST } else { 0 }
    });
    before.into_iter().chain(after).min()
}

fn gap(text: &str, between: Range<usize>) -> usize {
    let words = text.get(between).unwrap_or_default();
    let sentences = [". ", "; ", "\n", "! ", "? "].iter().filter(|end| words.contains(**end)).count();
    let is_id = |word: &&str| word.contains('-') && word.chars().any(|letter| letter.is_ascii_digit());
    let count = words.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    let count = count.filter(|word| !is_id(word)).count();
    count + sentences * SENTENCE_COST + words.matches(", ").count() * COMMA_COST
}

fn word_places(text: &str, word: &str) -> Vec<Range<usize>> {
    let pattern = format!(r"(?i)\b{}\b", regex::escape(word));
    let Ok(pattern) = Regex::new(&pattern) else { return Vec::new() };
    pattern.find_iter(text).map(|found| found.range()).collect()
}

/// Whether a place is a word of its own: `C-88` inside `INC-88`, or before `7`, is another word.
fn is_whole(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    let joined = |c: char| c.is_alphanumeric() || c == '_';
    !before.is_some_and(|c| joined(c) || c == '-') && !after.is_some_and(joined)
}

fn by_pattern(text: &str, pattern: &Regex, kind: InputType, setting: &Setting) -> Vec<Candidate> {
    pattern
        .captures_iter(text)
        .filter_map(|found| {
            let value = found.get(1).or_else(|| found.get(0))?;
            let range = found.get(0)?.range();
            (!value.is_empty() && is_whole(text, &range)).then(|| Candidate {
                range,
                text: value.as_str().to_owned(),
                value: read_as(value.as_str().trim_end_matches('-'), kind, setting),
            })
        })
        .collect()
}
