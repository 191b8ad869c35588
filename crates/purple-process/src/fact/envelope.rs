//! What a server wraps around a record: envelopes with a status of their own, lists of one, records of records.
//!
//! Pure. Facts and read-backs unwrap by the same rules, so that the status of a call is never the status of a record.

use serde_json::Value;

use crate::json::Json;

/// How deep an answer is looked into.
const DEPTH_MAX: usize = 8;
/// Names under which servers put the record itself.
const WRAPPERS: &[&str] =
    &["data", "result", "results", "record", "item", "items", "response", "payload", "value", "body", "rows"];
/// Names with which an envelope says how a call went, whatever was called.
const OF_CALL: &[&str] = &["status", "result", "message", "code", "ok", "success", "reason", "state"];
/// What it says when it went well.
const WENT_WELL: &[&str] =
    &["ok", "success", "successful", "succeeded", "true", "200", "done", "completed", "fetched"];

/// A part of an answer.
pub trait Part: Sized {
    /// Its fields, where it is a record.
    fn fields(&self) -> Option<Vec<(&str, &Self)>>;
    /// Its items, where it is a list.
    fn items(&self) -> Option<&[Self]>;
    /// Its text, number or truth, as text.
    fn text(&self) -> Option<String>;
}

impl Part for Value {
    fn fields(&self) -> Option<Vec<(&str, &Self)>> {
        Some(self.as_object()?.iter().map(|(name, value)| (name.as_str(), value)).collect())
    }

    fn items(&self) -> Option<&[Self]> {
        self.as_array().map(Vec::as_slice)
    }

    fn text(&self) -> Option<String> {
        match self {
            Self::String(text) => Some(text.clone()),
            Self::Number(number) => Some(number.to_string()),
            Self::Bool(truth) => Some(truth.to_string()),
            Self::Null | Self::Array(_) | Self::Object(_) => None,
        }
    }
}

impl Part for Json {
    fn fields(&self) -> Option<Vec<(&str, &Self)>> {
        let Self::Record(fields) = self else { return None };
        Some(fields.iter().map(|(name, value)| (name.as_str(), value)).collect())
    }

    fn items(&self) -> Option<&[Self]> {
        let Self::List(items) = self else { return None };
        Some(items)
    }

    fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) => Some(number.as_str().to_owned()),
            Self::Bool(truth) => Some(truth.to_string()),
            Self::Null | Self::List(_) | Self::Record(_) => None,
        }
    }
}

/// What is one step inside: the named field of an envelope, or one item of a list. `ids` are those that the record was
/// asked for by.
pub fn inside<'p, P: Part>(part: &'p P, ids: &[String]) -> Option<(Option<&'p str>, &'p P)> {
    if let Some(items) = part.items() {
        let mut with_id = items.iter().filter(|item| has_id(*item, ids));
        let only = match (with_id.next(), with_id.next(), items) {
            (Some(one), None, _) | (None, None, [one]) => one,
            _ => return None,
        };
        return Some((None, only));
    }
    let fields = part.fields()?;
    if has_id(part, ids) {
        return None;
    }
    let containers: Vec<(&str, &P)> =
        fields.iter().filter(|(_, inner)| is_container(*inner)).copied().collect();
    let holding: Vec<(&str, &P)> =
        containers.iter().filter(|(_, inner)| holds_id(*inner, ids, 0)).copied().collect();
    let named: Vec<(&str, &P)> = holding.iter().filter(|(name, _)| is_wrapper(name)).copied().collect();
    match (holding.as_slice(), named.as_slice()) {
        ([(name, inner)], _) | (_, [(name, inner)]) => return Some((Some(*name), *inner)),
        _ => {}
    }
    let is_all_of_call = || {
        let mut plain = fields.iter().filter(|(_, value)| !is_container(*value));
        plain.all(|(name, value)| went_well(name, *value))
    };
    match containers.as_slice() {
        [(name, inner)] if is_wrapper(name) || is_all_of_call() => Some((Some(*name), *inner)),
        _ => None,
    }
}

/// Whether a field of a record says that a call went well, and nothing of what was called.
pub fn went_well<P: Part>(name: &str, value: &P) -> bool {
    let said = value.text().map(|text| text.trim().to_lowercase());
    is_of_call(name) && said.is_some_and(|said| WENT_WELL.contains(&said.as_str()))
}

/// Whether a field of an envelope is about the call: it says that all is well in words that no record has, or the record
/// inside has a field of that name, which is the record's own.
pub fn is_about_call<P: Part>(name: &str, value: &P, inner: &P) -> bool {
    // An order may be done or completed; it is never `ok`.
    const OF_RECORDS: &[&str] = &["done", "completed"];
    let is_own = || inner.fields().is_some_and(|fields| fields.iter().any(|(own, _)| *own == name));
    let is_of_record = || {
        let said = value.text().map(|text| text.trim().to_lowercase());
        said.is_some_and(|said| OF_RECORDS.contains(&said.as_str()))
    };
    is_of_call(name) && (is_own() || (went_well(name, value) && !is_of_record()))
}

/// Whether a part has others inside; an amount with its currency has none.
pub fn is_container<P: Part>(part: &P) -> bool {
    part.items().is_some() || (part.fields().is_some() && !is_amount(part))
}

fn is_amount<P: Part>(part: &P) -> bool {
    let names: Vec<String> =
        part.fields().into_iter().flatten().map(|(name, _)| name.to_lowercase()).collect();
    let has = |of: &[&str]| names.iter().any(|name| of.contains(&name.as_str()));
    names.len() == 2 && has(&["amount", "value"]) && has(&["currency", "currency_code", "currencycode"])
}

fn is_of_call(name: &str) -> bool {
    OF_CALL.contains(&name.to_lowercase().as_str())
}

/// Whether servers put the record itself under this name.
pub fn is_wrapper(name: &str) -> bool {
    WRAPPERS.contains(&name.to_lowercase().as_str())
}

/// Whether one of its own plain fields is an id.
fn has_id<P: Part>(part: &P, ids: &[String]) -> bool {
    let is_id = |text: &str| ids.iter().any(|id| id.trim().to_lowercase() == text.trim().to_lowercase());
    part.fields()
        .is_some_and(|fields| fields.iter().any(|(_, field)| field.text().is_some_and(|text| is_id(&text))))
}

fn holds_id<P: Part>(part: &P, ids: &[String], depth: usize) -> bool {
    let within = |inner: &P| holds_id(inner, ids, depth + 1);
    depth < DEPTH_MAX
        && (has_id(part, ids)
            || part.fields().is_some_and(|fields| fields.iter().any(|(_, inner)| within(inner)))
            || part.items().is_some_and(|items| items.iter().any(within)))
}
