//! Finds values of a type in plain words: amounts, percentages, dates, months, ids.
//!
//! What can be read in two ways is not read at all; it comes back with the reason.

use std::ops::Range;

use jiff::civil::Date;
use purple_intent::value::{Amount, Day, Meaning, MonthMeaning, Value as Written, values};
use purple_intent::{Form, Language, Span, lexicon};
use purple_policy::{Money, Value};
use regex::Regex;

use super::input::{InputType, Setting};

/// Something in the text that looks like a value of the type.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
    pub(crate) value: Result<Value, &'static str>,
    /// Whether it is today or an earlier day in relation to today: often only the time of speaking.
    pub(crate) passing: bool,
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
            let mut found = by_pattern(text, pattern, kind, setting);
            let spelled = by_spelling(text, pattern, setting).into_iter();
            let is_new = |candidate: &Candidate| {
                let next = found.partition_point(|one| one.range.end <= candidate.range.start);
                found.get(next).is_none_or(|one| !overlap(&one.range, &candidate.range))
            };
            let spelled: Vec<Candidate> = spelled.filter(is_new).collect();
            found.extend(spelled);
            found.sort_by_key(|candidate| candidate.range.start);
            found
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
    let passing = matches!(fitting.as_slice(), [Meaning::Day(Day::Ahead { days })] if *days <= 0);
    Some(Candidate { range: start..end, text: written.span.of(text).to_owned(), value, passing })
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

/// The pattern of a company's ids.
///
/// # Errors
///
/// Why it cannot be used.
pub(crate) fn company_form(form: &str) -> Result<Regex, String> {
    const COMPILED_BYTES_MAX: usize = 1 << 20;
    let built = regex::RegexBuilder::new(form).size_limit(COMPILED_BYTES_MAX).nest_limit(32).build();
    match built {
        Ok(pattern) if pattern.is_match("") => Err(format!("`{form}` matches nothing at all, everywhere")),
        Ok(pattern) => Ok(pattern),
        Err(error) => Err(format!("`{form}`: {error}")),
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
                Some(Candidate { range, text: written.span.of(text).to_owned(), value, passing: false })
            }
            _ => None,
        }
    };
    written.into_iter().filter_map(candidate).collect()
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Finds a number after the kind of a record. `nouns` are the words for the kind, separated by `|`.
pub(crate) fn noun_pattern(nouns: &str) -> Result<Regex, regex::Error> {
    let nouns: Vec<String> = nouns.split('|').map(|noun| regex::escape(noun.trim())).collect();
    Regex::new(&format!(
        r"(?i)\b(?:{})(?:\s+(?:no\.?|nr\.?|number|nummer|numéro|número))?\s*#?\s*([0-9][0-9-]*[0-9])\b",
        nouns.join("|")
    ))
}

/// Ids without their prefix after the kind of their record, `invoice 2024-451`, where the number is nothing else. `noun` is
/// what [`noun_pattern`] returns.
pub(crate) fn by_noun(text: &str, written: &[Written], pattern: &Regex, noun: &Regex) -> Vec<Candidate> {
    let Some(prefix) = prefix(pattern) else { return Vec::new() };
    let is_free = |range: &Range<usize>| {
        let first = written.partition_point(|one| one.span.end <= range.start);
        let here = written.iter().skip(first).take_while(|one| one.span.start < range.end);
        here.flat_map(|one| &one.meanings)
            .all(|meaning| matches!(meaning, Meaning::Number(_) | Meaning::Id(_)))
    };
    let found = noun.captures_iter(text).filter_map(|found| found.get(1));
    let candidate = |found: regex::Match<'_>| {
        let (range, id) = (found.range(), format!("{prefix}-{}", found.as_str()));
        let whole = pattern.find(&id).is_some_and(|one| one.range() == (0..id.len()));
        let counts = text.get(range.end..).is_some_and(counts_something);
        (whole && !counts && is_whole(text, &range) && is_free(&range)).then(|| Candidate {
            range,
            text: found.as_str().to_owned(),
            value: Ok(Value::text(id)),
            passing: false,
        })
    };
    found.filter_map(candidate).collect()
}

/// Whether a number counts what follows it: `order 500 Widget B`. A function word or a verb is not counted.
fn counts_something(rest: &str) -> bool {
    let word: String = rest.trim_start().chars().take_while(|letter| letter.is_alphanumeric()).collect();
    let word = word.to_lowercase();
    let is_other = |language: Language| {
        let forms = lexicon(language).verb(&word);
        let is_verb = !forms.is_empty() && forms.iter().all(|form| form.form != Form::Noun);
        is_verb || lexicon(language).is_function_word(&word)
    };
    rest.starts_with([' ', '\u{a0}']) && !word.is_empty() && !Language::ALL.into_iter().any(is_other)
}

/// Whether a place is a word of its own: `C-88` inside `INC-88`, or before `7`, is another word.
fn is_whole(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    let joined = |c: char| c.is_alphanumeric() || c == '_';
    !before.is_some_and(|c| joined(c) || c == '-') && !after.is_some_and(joined)
}

/// Whether words are a title and a part of a name, `Frau Chen`: that is no full name.
fn begins_with_title(words: &str) -> bool {
    let first = words.split_whitespace().next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    words.contains(' ') && Language::ALL.into_iter().any(|language| lexicon(language).is_title(&first))
}

fn by_pattern(text: &str, pattern: &Regex, kind: InputType, setting: &Setting) -> Vec<Candidate> {
    pattern
        .captures_iter(text)
        .filter_map(|found| {
            let value = found.get(1).or_else(|| found.get(0))?;
            let range = found.get(0)?.range();
            let is_title = kind == InputType::Text && begins_with_title(value.as_str());
            (!value.is_empty() && !is_title && is_whole(text, &range)).then(|| Candidate {
                range,
                text: value.as_str().to_owned(),
                value: read_as(value.as_str().trim_end_matches('-'), kind, setting),
                passing: false,
            })
        })
        .collect()
}
