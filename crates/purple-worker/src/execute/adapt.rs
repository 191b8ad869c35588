//! Fields of answers that are called something else than expected.

use purple_process::fact::{inside, is_about_call};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::columns::{self, Found, Meaning, Trust};

/// A field that was given the name that was asked for. The journal and the card show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldFix {
    /// Where, as it was asked for: `rows.amount`.
    pub(crate) wanted: String,
    /// The field that it is.
    pub(crate) is: String,
    pub(crate) found: Found,
}

/// Adds fields under the names that are wanted, where exactly one other can be meant.
///
/// A wanted name is a path; lists on the way are gone through row by row, and all rows must agree.
/// What is there is never changed.
pub(crate) fn adapt(value: Value, wanted: &[&str]) -> (Value, Vec<FieldFix>) {
    let mut value = value;
    let mut fixes = Vec::new();
    for path in wanted {
        let steps: Vec<&str> = path.split('.').collect();
        let Some((last, way)) = steps.split_last() else { continue };
        let mut records = Vec::new();
        collect(&mut value, way, &mut records);
        records.retain(|record| !record.contains_key(*last));
        let mut meant = records.iter().map(|record| candidate(last, record));
        let Some(Some((is, found))) = meant.next() else { continue };
        if !meant.all(|other| other.as_ref().is_some_and(|(name, _)| *name == is)) {
            continue;
        }
        for record in records {
            if let Some(alias) = record.get(&is).cloned() {
                record.insert((*last).to_owned(), alias);
            }
        }
        fixes.push(FieldFix { wanted: (*path).to_owned(), is, found });
    }
    (value, fixes)
}

/// Puts the wanted fields of the record inside an envelope beside it, where the envelope has none of that name or one that
/// only says how the call went. `ids` are those that the record was asked for by.
pub(crate) fn unwrapped(value: Value, wanted: &[&str], ids: &[String]) -> Value {
    let mut inner = &value;
    while let Some((Some(_), deeper)) = inside(inner, ids) {
        inner = deeper;
    }
    let (Value::Object(outer), Value::Object(own)) = (&value, inner) else { return value };
    if std::ptr::eq(outer, own) {
        return value;
    }
    let names = wanted.iter().filter_map(|path| path.split('.').next());
    let is_own = |name: &&str| {
        own.contains_key(*name) && outer.get(*name).is_none_or(|said| is_about_call(name, said, inner))
    };
    let lifted: Vec<(String, Value)> =
        names.filter(is_own).filter_map(|name| Some((name.to_owned(), own.get(name)?.clone()))).collect();
    let mut outer = outer.clone();
    outer.extend(lifted);
    Value::Object(outer)
}

/// All records at the end of a way.
fn collect<'v>(value: &'v mut Value, way: &[&str], records: &mut Vec<&'v mut Map<String, Value>>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| collect(item, way, records)),
        Value::Object(fields) => match way.split_first() {
            None => records.push(fields),
            Some((step, rest)) => {
                if let Some(inner) = fields.get_mut(*step) {
                    collect(inner, rest, records);
                }
            }
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn candidate(wanted: &str, record: &Map<String, Value>) -> Option<(String, Found)> {
    let names: Vec<&str> = record.keys().map(String::as_str).collect();
    let (is, found) = columns::find(wanted, &names, Trust::ToBelieve)?;
    fits(columns::meaning(wanted), record.get(is)?).then(|| (is.to_owned(), found))
}

/// Whether a value can be what a name says. Money is never text, and text is never money.
fn fits(meaning: Meaning, value: &Value) -> bool {
    let text = match value {
        Value::Null => return false,
        Value::Bool(_) => return matches!(meaning, Meaning::Unknown),
        Value::Number(number) => {
            let whole = number.is_i64() || number.is_u64();
            return match meaning {
                Meaning::Amount | Meaning::Count | Meaning::Share | Meaning::Unknown => true,
                Meaning::Id => whole,
                Meaning::Day | Meaning::Text | Meaning::Thing => false,
            };
        }
        Value::Object(fields) => {
            let money = fields.len() == 2 && fields.contains_key("amount") && fields.contains_key("currency");
            return match meaning {
                Meaning::Amount => money,
                Meaning::Thing | Meaning::Unknown => !money,
                Meaning::Id | Meaning::Count | Meaning::Share | Meaning::Day | Meaning::Text => false,
            };
        }
        Value::Array(_) => return meaning == Meaning::Unknown,
        Value::String(text) => text.as_str(),
    };
    match meaning {
        Meaning::Amount => is_money(text) || is_number(text),
        Meaning::Count => is_number(text),
        Meaning::Share => is_number(text.trim_end_matches('%').trim_end()),
        Meaning::Day => text.get(..10).is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok()),
        Meaning::Id | Meaning::Text | Meaning::Thing => !is_money(text),
        Meaning::Unknown => !is_money(text),
    }
}

/// `52340.00 USD`.
fn is_money(text: &str) -> bool {
    text.rsplit_once(' ').is_some_and(|(amount, currency)| {
        is_number(amount) && currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_uppercase())
    })
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    [whole, part].iter().all(|side| !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
#[path = "adapt_tests.rs"]
mod tests;
