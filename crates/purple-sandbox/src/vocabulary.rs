//! The functions that a text may call: a closed list, each with its result bounded beforehand.
//!
//! None of them changes what it is given. The language measures what a function answers with, but not the whole of a
//! value of which a function changed a part; so that there is no such function, and no such assignment (see `source`).

use std::collections::BTreeSet;

use purple_port::{
    Exact, LIST_ITEMS_MAX, PLACES_MAX, Rounding, TEXT_BYTES_MAX, add_days, add_months, days_between,
    end_of_month, parse_date,
};
use rhai::{Array, Dynamic, ImmutableString, Map, Module, Shared};

use crate::fault::{Answer, end, long_list, long_text, number, wrong};
use crate::operators;
use crate::value::{from_exact, kind, order, same, to_exact, to_text};

/// The module that every call runs with, and the names that a text may call.
pub(crate) struct Vocabulary {
    pub(crate) module: Shared<Module>,
    pub(crate) names: BTreeSet<&'static str>,
}

/// Puts one function into the module and its name on the list.
macro_rules! word {
    ($module:ident, $names:ident, $name:literal, $function:expr) => {
        $module.set_native_fn($name, $function);
        $names.insert($name);
    };
}

impl Vocabulary {
    pub(crate) fn new() -> Self {
        let (mut module, mut names) = (Module::new(), BTreeSet::new());
        operators::register(&mut module);
        module.set_iterable::<Array>();
        module.set_iterator::<std::ops::Range<i64>>();
        module.set_iterator::<std::ops::RangeInclusive<i64>>();
        numbers(&mut module, &mut names);
        dates(&mut module, &mut names);
        texts(&mut module, &mut names);
        lists(&mut module, &mut names);
        records(&mut module, &mut names);
        Self { module: module.into(), names }
    }
}

type Names = BTreeSet<&'static str>;

fn numbers(module: &mut Module, names: &mut Names) {
    word!(module, names, "round", |value: Dynamic, places: i64, name: &str| {
        let rounding = rounding(name)?;
        Ok(from_exact(exact(&value)?.rounded(decimals(places)?, rounding)))
    });
    word!(module, names, "div", |value: Dynamic, by: Dynamic, places: i64, name: &str| {
        let quotient = exact(&value)?.over(&exact(&by)?).map_err(number)?;
        Ok(from_exact(quotient.rounded(decimals(places)?, rounding(name)?)))
    });
    word!(module, names, "floor", |value: Dynamic| Ok(from_exact(
        exact(&value)?.rounded(0, Rounding::Floor)
    )));
    word!(module, names, "ceiling", |value: Dynamic| {
        Ok(from_exact(exact(&value)?.rounded(0, Rounding::Ceiling)))
    });
    word!(module, names, "abs", |value: Dynamic| Ok(from_exact(exact(&value)?.magnitude())));
    word!(module, names, "min", |left: Dynamic, right: Dynamic| {
        Ok(from_exact(exact(&left)?.min(exact(&right)?)))
    });
    word!(module, names, "max", |left: Dynamic, right: Dynamic| {
        Ok(from_exact(exact(&left)?.max(exact(&right)?)))
    });
    word!(module, names, "is_whole", |value: Dynamic| Ok(exact(&value)?.is_integer()));
    word!(module, names, "number", |text: &str| Exact::parse(text).map(from_exact).map_err(number));
    word!(module, names, "to_text", |value: Dynamic| {
        let text = match exact(&value)?.to_plain() {
            Some(text) => text,
            None => return wrong("a number without an end has no text: round it first"),
        };
        Ok(ImmutableString::from(text))
    });
}

fn dates(module: &mut Module, names: &mut Names) {
    word!(module, names, "days_between", |from: &str, to: &str| Ok(days_between(date(from)?, date(to)?)));
    word!(module, names, "add_days", |from: &str, days: i64| {
        add_days(date(from)?, days).map_or_else(|error| wrong(error.to_string()), |date| Ok(date.to_string()))
    });
    word!(module, names, "add_months", |from: &str, months: i64| {
        let Ok(months) = i32::try_from(months) else { return wrong("so many months are out of range") };
        add_months(date(from)?, months)
            .map_or_else(|error| wrong(error.to_string()), |date| Ok(date.to_string()))
    });
    word!(module, names, "end_of_month", |day: &str| Ok(end_of_month(date(day)?).to_string()));
}

fn texts(module: &mut Module, names: &mut Names) {
    word!(module, names, "len", |text: &mut ImmutableString| Ok(counted(text.chars().count())));
    word!(module, names, "upper", |text: &str| bounded(text.to_uppercase()));
    word!(module, names, "lower", |text: &str| bounded(text.to_lowercase()));
    word!(module, names, "trim", |text: &str| bounded(text.trim().to_owned()));
    word!(module, names, "starts_with", |text: &str, start: &str| Ok(text.starts_with(start)));
    word!(module, names, "ends_with", |text: &str, end: &str| Ok(text.ends_with(end)));
    word!(module, names, "contains", |text: &str, part: &str| Ok(text.contains(part)));
    word!(module, names, "part", |text: &str, from: i64, count: i64| {
        let (Ok(from), Ok(count)) = (usize::try_from(from), usize::try_from(count)) else {
            return wrong("a part begins and counts at zero or above");
        };
        Ok(ImmutableString::from(text.chars().skip(from).take(count).collect::<String>()))
    });
    word!(module, names, "replace", |text: &str, from: &str, to: &str| {
        let found = if from.is_empty() { 0 } else { text.matches(from).count() };
        // The size is known before the text is made: a replacement can multiply a text by its own length.
        let grown = found.saturating_mul(to.len().saturating_sub(from.len())).saturating_add(text.len());
        if grown > TEXT_BYTES_MAX {
            return end(long_text());
        }
        Ok(ImmutableString::from(if found == 0 { text.to_owned() } else { text.replace(from, to) }))
    });
    word!(module, names, "split", |text: &str, separator: &str| {
        if separator.is_empty() {
            return wrong("a text is not split by nothing");
        }
        let pieces = text.split(separator).take(LIST_ITEMS_MAX + 1);
        let pieces: Array = pieces.map(|piece| Dynamic::from(ImmutableString::from(piece))).collect();
        if pieces.len() > LIST_ITEMS_MAX { end(long_list()) } else { Ok(pieces) }
    });
    word!(module, names, "join", |list: &mut Array, separator: &str| {
        let mut joined = String::new();
        for (at, item) in list.iter().enumerate() {
            let Some(text) = to_text(item) else {
                return wrong(format!("`join` does not take a {}", kind(item)));
            };
            joined.push_str(if at == 0 { "" } else { separator });
            joined.push_str(&text);
            if joined.len() > TEXT_BYTES_MAX {
                return end(long_text());
            }
        }
        Ok(ImmutableString::from(joined))
    });
}

fn lists(module: &mut Module, names: &mut Names) {
    word!(module, names, "len", |list: &mut Array| Ok(counted(list.len())));
    word!(module, names, "slice", |list: &mut Array, from: i64, count: i64| {
        let (Ok(from), Ok(count)) = (usize::try_from(from), usize::try_from(count)) else {
            return wrong("a slice begins and counts at zero or above");
        };
        Ok(list.iter().skip(from).take(count).cloned().collect::<Array>())
    });
    word!(module, names, "reversed", |list: &mut Array| {
        Ok(list.iter().rev().cloned().collect::<Array>())
    });
    word!(module, names, "sorted", |list: &mut Array| sorted(list));
    word!(module, names, "contains", |list: &mut Array, item: Dynamic| {
        Ok(list.iter().any(|other| same(other, &item) == Some(true)))
    });
    word!(module, names, "sum", |list: &mut Array| {
        let sum = list.iter().try_fold(Exact::ZERO, |sum, item| sum.plus(&exact(item)?).map_err(number));
        sum.map(from_exact)
    });
    word!(module, names, "min", |list: &mut Array| extreme(list, Exact::min));
    word!(module, names, "max", |list: &mut Array| extreme(list, Exact::max));
}

fn records(module: &mut Module, names: &mut Names) {
    word!(module, names, "len", |record: &mut Map| Ok(counted(record.len())));
    word!(module, names, "keys", |record: &mut Map| {
        Ok(record.keys().map(|key| Dynamic::from(ImmutableString::from(key.as_str()))).collect::<Array>())
    });
    word!(module, names, "values", |record: &mut Map| Ok(record.values().cloned().collect::<Array>()));
    word!(module, names, "contains", |record: &mut Map, key: &str| Ok(record.contains_key(key)));
    word!(module, names, "get", |record: &mut Map, key: &str, otherwise: Dynamic| {
        Ok(record.get(key).cloned().unwrap_or(otherwise))
    });
    word!(module, names, "put", |record: &mut Map, key: &str, value: Dynamic| {
        let mut changed = record.clone();
        changed.insert(key.into(), value);
        Ok(changed)
    });
    word!(module, names, "leave_out", |record: &mut Map, key: &str| {
        let mut changed = record.clone();
        changed.remove(key);
        Ok(changed)
    });
}

fn exact(value: &Dynamic) -> Answer<Exact> {
    to_exact(value).map_or_else(|| wrong(format!("a {} is not a number", kind(value))), Ok)
}

fn rounding(name: &str) -> Answer<Rounding> {
    Rounding::parse(name).or_else(|error| wrong(format!("{error}: {}", error.help())))
}

fn decimals(places: i64) -> Answer<u8> {
    match u8::try_from(places) {
        Ok(places) if places <= PLACES_MAX => Ok(places),
        Ok(_) | Err(_) => wrong(format!("a number is rounded to 0 to {PLACES_MAX} decimals, not {places}")),
    }
}

fn date(text: &str) -> Answer<purple_port::Date> {
    parse_date(text).or_else(|error| wrong(error.to_string()))
}

fn bounded(text: String) -> Answer<ImmutableString> {
    if text.len() > TEXT_BYTES_MAX { end(long_text()) } else { Ok(text.into()) }
}

fn counted(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The list in ascending order: all numbers, or all texts. Equal items keep their order.
fn sorted(list: &Array) -> Answer<Array> {
    if let Some((first, second)) = list.windows(2).find_map(|pair| match pair {
        [first, second] if order(first, second).is_none() => Some((first, second)),
        _ => None,
    }) {
        return wrong(format!("a {} and a {} have no order", kind(first), kind(second)));
    }
    let mut sorted = list.clone();
    sorted.sort_by(|left, right| order(left, right).unwrap_or(std::cmp::Ordering::Equal));
    Ok(sorted)
}

fn extreme(list: &Array, choose: fn(Exact, Exact) -> Exact) -> Answer<Dynamic> {
    let mut numbers = list.iter().map(exact);
    let Some(first) = numbers.next() else {
        return wrong("an empty list has no smallest and no largest number");
    };
    numbers.try_fold(first?, |found, next| Ok(choose(found, next?))).map(from_exact)
}
