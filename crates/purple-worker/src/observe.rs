//! The record that an answer shows, and what a write did to it. Pure.
//!
//! Servers wrap records: in envelopes with a status of their own, in lists of one, in records of records. They call fields
//! their own way and give values back in their own form. What describes the record is compared with what was written;
//! what does not, or cannot be compared, proves nothing in either direction.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use purple_policy::{Exact, Value as Known};
use purple_process::Json;
use purple_process::fact::{inside, is_container, is_wrapper, went_well};
use serde_json::{Map, Value};

/// The plain fields of a record: by dotted path, lists by the digest of each item.
pub(crate) type Fields = BTreeMap<String, Value>;

/// How deep a record is looked for and read.
const DEPTH_MAX: usize = 8;
/// The most plain fields of a record that are compared.
const FIELDS_MAX: usize = 2_000;

/// Names of arguments that only hold the fields of a record.
const GIVEN_IN: &[&str] =
    &["fields", "updates", "update", "properties", "attributes", "changes", "values", "patch"];

/// What a write did to a record, as far as the record shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Observed {
    /// What was written stands there, and did not before.
    Written,
    /// It stands there, and did before.
    AsBefore,
    /// Something changed, and nothing in it can be compared with what was written.
    Changed,
    /// Nothing changed.
    Unchanged,
    /// Something else stands there than what was written.
    Different,
}

/// The record that an answer shows: where it is, and its plain fields. The place is `None` inside a list.
pub(crate) fn record(answer: &Value, ids: &[String]) -> (Option<String>, Fields) {
    let (mut place, mut found) = (Some(String::new()), answer);
    // Through envelopes, as long as what is inside is named like an inside or has the id that the outside lacks.
    for _ in 0..DEPTH_MAX {
        match inside(found, ids) {
            Some((name, inner)) => {
                place = place.zip(name).map(|(place, name)| joined(&place, name));
                found = inner;
            }
            None => break,
        }
    }
    let mut fields = Fields::new();
    flatten(found, "", 0, &mut fields);
    if place.as_deref() == Some("") {
        fields.retain(|name, value| !went_well(name, value));
    }
    (place, fields)
}

fn is_money(value: &Value) -> bool {
    value.is_object() && money(value).is_some()
}

fn joined(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}

fn flatten(value: &Value, path: &str, depth: usize, into: &mut Fields) {
    if into.len() >= FIELDS_MAX {
        return;
    }
    match value {
        Value::Object(fields) if !is_money(value) && depth < DEPTH_MAX => {
            for (name, inner) in fields {
                flatten(inner, &joined(path, name), depth + 1, into);
            }
        }
        // An item is known by what it is, not by where it stands: servers order lists as they like.
        Value::Array(items) if depth < DEPTH_MAX => {
            for item in items {
                let digest = crate::port::Digest::of(item.to_string().as_bytes()).to_string();
                let short: String = digest.chars().skip(7).take(12).collect();
                flatten(item, &joined(path, &format!("[{short}]")), depth + 1, into);
            }
        }
        other => {
            into.insert(path.to_owned(), other.clone());
        }
    }
}

/// The fields that are not as they were: before and after.
pub(crate) fn changed(before: &Fields, after: &Fields) -> (Fields, Fields) {
    let differs = |here: &Fields, there: &Fields| {
        let other =
            |(name, value): &(&String, &Value)| there.get(*name).is_none_or(|found| !same(found, value));
        here.iter().filter(other).map(|(name, value)| (name.clone(), value.clone())).collect::<Fields>()
    };
    let (mut was, mut is) = (differs(before, after), differs(after, before));
    // A field that came or went is shown on both sides.
    for name in is.keys().cloned().collect::<Vec<_>>() {
        was.entry(name).or_insert(Value::Null);
    }
    for name in was.keys().cloned().collect::<Vec<_>>() {
        is.entry(name).or_insert(Value::Null);
    }
    (was, is)
}

/// What was written, by name: fields inside a record that was given go by their path, or alone where it only wraps them.
pub(crate) fn spread(written: &Map<String, Value>) -> Fields {
    let mut fields = Fields::new();
    for (name, value) in written {
        match value {
            Value::Object(inner) if !is_money(value) => {
                let is_wrapper = is_wrapper(name) || GIVEN_IN.contains(&name.to_lowercase().as_str());
                let under = |path: String| if is_wrapper { path } else { joined(name, &path) };
                fields.extend(spread(inner).into_iter().map(|(path, value)| (under(path), value)));
            }
            other => {
                fields.insert(name.clone(), other.clone());
            }
        }
    }
    fields
}

/// What a write did to a record: what was written, under which name, against the record before and after it.
pub(crate) fn observed(verb: &str, written: &Fields, before: &Fields, after: &Fields) -> Observed {
    let (_, is) = changed(before, after);
    let mut seen = Tally::default();
    for (name, value) in written {
        seen.count(name, value, before, after);
    }
    match seen {
        Tally { different: true, .. } => Observed::Different,
        // Some of it was written and some was not.
        Tally { written: true, stale: true, .. } => Observed::Different,
        Tally { written: true, .. } => Observed::Written,
        Tally { as_before: true, stale: false, .. } => Observed::AsBefore,
        Tally { stale, .. } => match (is.is_empty(), done(verb, before, &is)) {
            (_, Some(observed)) if !stale => observed,
            (true, _) => Observed::Unchanged,
            (false, _) => Observed::Changed,
        },
    }
}

/// What the fields that were written show.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    written: bool,
    as_before: bool,
    stale: bool,
    different: bool,
}

impl Tally {
    fn count(&mut self, name: &str, value: &Value, before: &Fields, after: &Fields) {
        let (was, is) = (named(name, before), named(name, after));
        let agrees_in = |fields: &[&Value]| fields.iter().any(|one| compare(one, value) == Compared::Equal);
        match (agrees_in(&was), agrees_in(&is)) {
            (false, true) => self.written = true,
            (true, true) => self.as_before = true,
            // One field of that name, of a kind that can hold such a value: it says something.
            (_, false) => match (was.as_slice(), is.as_slice()) {
                ([], [one]) if compare(one, value) == Compared::Different => self.different = true,
                ([old], [one]) if compare(one, value) == Compared::Different => {
                    let unchanged = same(old, one);
                    self.stale |= unchanged;
                    self.different |= !unchanged;
                }
                _ => {}
            },
        }
    }
}

/// The fields of a record that a written name can mean, the nearest ones only.
fn named<'f>(name: &str, fields: &'f Fields) -> Vec<&'f Value> {
    let wanted = words(name);
    let bare = |words: &[String]| -> Vec<String> {
        let rest: Vec<String> =
            words.iter().skip_while(|word| *word == "new" || *word == "updated").cloned().collect();
        if rest.is_empty() { words.to_vec() } else { rest }
    };
    let wanted = bare(&wanted);
    let fits = |path: &str, how: fn(&[String], &[String]) -> bool| {
        let parts: Vec<String> =
            path.split('.').filter(|part| !part.starts_with('[')).flat_map(words).collect();
        let last = path.split('.').rfind(|part| !part.starts_with('[')).map(words).unwrap_or_default();
        how(&parts, &wanted) || how(&last, &wanted)
    };
    let found: Vec<(&String, &Value)> =
        fields.iter().filter(|(path, _)| fits(path, |have, wanted| have == wanted)).collect();
    let depth = |path: &str| path.split('.').count();
    let nearest = found.iter().map(|(path, _)| depth(path)).min();
    found.into_iter().filter(|(path, _)| Some(depth(path)) == nearest).map(|(_, value)| value).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compared {
    Equal,
    Different,
    /// Of two kinds: that says nothing.
    Not,
}

/// Whether a value of a record is what was written, in the form in which servers keep it.
fn compare(found: &Value, written: &Value) -> Compared {
    if same(found, written) {
        return Compared::Equal;
    }
    let is_blank =
        |value: &Value| value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
    if is_blank(written) {
        return if is_blank(found) { Compared::Equal } else { Compared::Different };
    }
    let of = |equal: bool| if equal { Compared::Equal } else { Compared::Different };
    if is_container(written) || is_container(found) {
        return Compared::Not;
    }
    // Empty so far: it can hold the value and does not.
    if is_blank(found) {
        return Compared::Different;
    }
    if let (Some(found), Some(written)) = (money(found), money(written)) {
        let currencies = found.1.zip(written.1);
        return of(found.0 == written.0 && currencies.is_none_or(|(one, other)| one == other));
    }
    if let (Some(found), Some(written)) = (instant(found), instant(written)) {
        return of(found.agrees(&written));
    }
    match (truth(found), truth(written)) {
        (Some(found), Some(written)) => return of(found == written),
        (Some(_), None) | (None, Some(_)) => return Compared::Not,
        (None, None) => {}
    }
    match (found, written) {
        (Value::String(found), Value::String(written)) => {
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            of(plain(found) == plain(written))
        }
        _ => Compared::Not,
    }
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "true" | "yes" => Some(true),
            "false" | "no" => Some(false),
            _ => None,
        },
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A number with its currency, where it has one: `1020`, `"1,020.00"`, `"1020.00 USD"`, `{"value": 1020, "currency": "USD"}`.
fn money(value: &Value) -> Option<(Exact, Option<String>)> {
    let number = |text: &str| Exact::parse(&ungrouped(text.trim())?).ok();
    match value {
        Value::Number(digits) => Some((number(&digits.to_string())?, None)),
        Value::String(text) => match Known::from_json(value) {
            Ok(Known::Money { amount, currency }) => Some((amount, Some(currency.code().to_owned()))),
            _ => match text.split_whitespace().collect::<Vec<_>>().as_slice() {
                [code, amount] | [amount, code] if is_code(code) => {
                    Some((number(amount)?, Some((*code).to_owned())))
                }
                _ => Some((number(text)?, None)),
            },
        },
        Value::Object(fields) => {
            let mut amount = None;
            let mut currency = None;
            for (name, field) in fields {
                match (name.to_lowercase().as_str(), field) {
                    ("amount" | "value", Value::Number(_) | Value::String(_)) => {
                        amount = Some(money(field)?.0)
                    }
                    ("currency" | "currency_code" | "currencycode", Value::String(code)) => {
                        currency = Some(code.to_uppercase());
                    }
                    _ => return None,
                }
            }
            Some((amount?, Some(currency?)))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) => None,
    }
}

fn is_code(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// A number without the commas that group its digits. Any other comma makes it no number.
fn ungrouped(text: &str) -> Option<String> {
    let (whole, _) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let is_grouped =
        groups.clone().next().is_none() || (1..=3).contains(&first.trim_start_matches('-').len());
    (is_grouped && groups.all(|group| group.len() == 3)).then(|| text.replace(',', ""))
}

/// A point in time, as exactly as it is written.
#[derive(Clone, Copy, Debug)]
enum Instant {
    Day(Date),
    Local(DateTime),
    Exact(Timestamp),
}

impl Instant {
    /// Servers add a zone and a time to a day, and turn zones into their own. A day may be the one before or after.
    fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Exact(one), Self::Exact(other)) => one == other,
            (Self::Local(one), Self::Local(other)) => one == other,
            (Self::Day(one), Self::Day(other)) => one == other,
            (Self::Day(day), Self::Local(time)) | (Self::Local(time), Self::Day(day)) => time.date() == *day,
            (Self::Day(day), Self::Exact(at)) | (Self::Exact(at), Self::Day(day)) => {
                let days = day.until(utc(*at).date()).map(|span| span.get_days().abs());
                days.is_ok_and(|days| days <= 1)
            }
            (Self::Local(time), Self::Exact(at)) | (Self::Exact(at), Self::Local(time)) => {
                let apart = time.duration_until(utc(*at)).abs();
                apart.as_hours() <= 14 && apart.as_secs() % (15 * 60) == 0
            }
        }
    }
}

fn utc(at: Timestamp) -> DateTime {
    at.to_zoned(jiff::tz::TimeZone::UTC).datetime()
}

fn instant(value: &Value) -> Option<Instant> {
    let text = value.as_str()?.trim();
    // What is a number is no time, and what has no day is none either.
    if text.len() < 8 || !text.contains('-') {
        return None;
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(Instant::Exact(at));
    }
    if text.len() == 10 {
        return text.parse::<Date>().ok().map(Instant::Day);
    }
    text.parse::<DateTime>().ok().map(Instant::Local)
}

/// Whether the record says of itself what the verb of the tool says: `approved` after `approve_expense`.
fn done(verb: &str, before: &Fields, is: &Fields) -> Option<Observed> {
    let forms = participles(verb);
    let says = |(path, value): (&String, &Value)| {
        let own = path.rsplit('.').next().unwrap_or(path);
        let is_named = words(own).iter().any(|word| forms.contains(word));
        match value {
            Value::String(text) => {
                let words = words(text);
                let denies = words
                    .iter()
                    .any(|word| matches!(word.as_str(), "not" | "non" | "pending" | "to" | "never"));
                let is_time = is_named && instant(value).is_some();
                (!denies && words.len() <= 4 && words.iter().any(|word| forms.contains(word))) || is_time
            }
            Value::Bool(truth) => *truth && is_named,
            Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
        }
    };
    let said_before = before.iter().any(says);
    let says_now = is.iter().any(says);
    match (said_before, says_now) {
        (false, true) => Some(Observed::Written),
        (true, false) if is.is_empty() => Some(Observed::AsBefore),
        _ => None,
    }
}

/// The participles of an English verb, as far as states are named by them.
fn participles(verb: &str) -> Vec<String> {
    const IRREGULAR: &[(&str, &[&str])] = &[
        ("pay", &["paid"]),
        ("send", &["sent"]),
        ("hold", &["held", "hold"]),
        ("withdraw", &["withdrawn"]),
        ("set", &["set"]),
        ("activate", &["active", "activated"]),
        ("reactivate", &["active", "reactivated"]),
        ("deactivate", &["inactive", "deactivated"]),
        ("complete", &["complete", "completed"]),
    ];
    if let Some((_, forms)) = IRREGULAR.iter().find(|(known, _)| *known == verb) {
        return forms.iter().map(|form| (*form).to_owned()).collect();
    }
    if verb.len() < 4 {
        return Vec::new();
    }
    let doubled = verb.chars().next_back().map(|last| format!("{verb}{last}ed"));
    let mut forms = vec![format!("{verb}ed")];
    forms.extend(doubled);
    forms.extend(verb.strip_suffix('e').map(|stem| format!("{stem}ed")));
    forms.extend(verb.strip_suffix('y').map(|stem| format!("{stem}ied")));
    forms
}

/// The id of what a write made, wherever its answer has it: under this name, or as the `id` of the record itself.
pub(crate) fn id_inside(answer: &Value, name: &str) -> Option<Value> {
    let (_, fields) = record(answer, &[]);
    let is_id = |value: &&Value| value.is_string() || value.is_number();
    let mut by_name = named(name, &fields).into_iter().filter(is_id);
    let mut by_id = named("id", &fields).into_iter().filter(is_id);
    let only = |first: Option<&Value>, more: Option<&Value>| first.filter(|_| more.is_none()).cloned();
    only(by_name.next(), by_name.next()).or_else(|| only(by_id.next(), by_id.next()))
}

/// Equal as exact values: `1020.00` and `1020`, `"1020.00 USD"` and `{amount, currency}`.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    left == right
        || is_figure(left, right)
        || is_figure(right, left)
        || match (Known::from_json(left), Known::from_json(right)) {
            (Ok(left), Ok(right)) => left == right,
            (Ok(_) | Err(_), Ok(_) | Err(_)) => false,
        }
}

/// Whether a text is this number, as some systems write their figures: `"1020.00"`. `"007"` is no number.
fn is_figure(text: &Value, number: &Value) -> bool {
    let (Value::String(text), Value::Number(number)) = (text, number) else { return false };
    let exact = |text: &str| purple_process::Number::parse(text).ok();
    exact(text).is_some_and(|text| exact(&number.to_string()) == Some(text))
}

/// Cut at everything that is no letter or digit, and at camel-case humps; lower case.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for character in name.chars() {
        let hump = after_small && character.is_uppercase();
        if !character.is_alphanumeric() || hump {
            words.push(String::new());
        }
        if let (true, Some(word)) = (character.is_alphanumeric(), words.last_mut()) {
            word.extend(character.to_lowercase());
        }
        after_small = character.is_lowercase() || character.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a field of a record is of the name that was written, and whether what was written is not there yet.
pub(crate) fn would_change(name: &str, value: &Value, path: &str, now: &Value) -> Option<bool> {
    let fields = Fields::from([(path.to_owned(), now.clone())]);
    let found = named(name, &fields);
    found.first().map(|found| compare(found, value) != Compared::Equal)
}

/// The same for values of a plan.
pub(crate) fn would_change_json(name: &str, value: &Json, path: &str, now: &Json) -> Option<bool> {
    let plain = |value: &Json| serde_json::from_str(&value.to_wire()).unwrap_or(Value::Null);
    would_change(name, &plain(value), path, &plain(now))
}

#[cfg(test)]
#[path = "observe_tests.rs"]
mod tests;
