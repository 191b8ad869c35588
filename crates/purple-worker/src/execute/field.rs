//! The field of a record that a question asks for, as one plain sentence.

use serde_json::{Map, Value as Json};

use crate::execute::field_words::{FIELDS, FieldWords, MODAL, POLITE, YES_OR_NO};
use crate::execute::reference::Reference;
use crate::prime::label::asking;
use crate::prime::wording::{lowered, phrase_places};

/// A field of a record that was read.
#[derive(Clone, Copy, Debug)]
struct Field<'r> {
    record: &'r str,
    of: &'r Map<String, Json>,
    name: &'r str,
    value: &'r Json,
}

/// The field that the words ask for, in a sentence; `None` where they ask for something else, or name no field.
pub(crate) fn field_asked_for(text: &str, records: &[(String, Json)]) -> Option<String> {
    let lower = POLITE.iter().fold(lowered(text), |lower, polite| lower.replace(polite, " "));
    if MODAL.iter().any(|word| says(&lower, word)) {
        return None;
    }
    let named: Vec<(usize, Field<'_>)> = fields(text, records)
        .into_iter()
        .filter_map(|field| Some((place_of(&lower, &field)?, field)))
        .collect();
    // The words at the earliest place of the list say most; of several records the one that is named by its id.
    let best = named.iter().map(|(place, field)| (*place, !is_named(text, field))).min()?;
    let (_, field) = named.iter().find(|(place, field)| (*place, !is_named(text, field)) == best)?;
    Some(sentence(field))
}

/// The plain fields of the records, where the words name none: what a person would want to know of them.
pub(crate) fn summary(records: &[(String, Json)]) -> Vec<String> {
    const FIELDS_MAX: usize = 6;
    let one = |(record, value): &(String, Json)| {
        let of = value.as_object()?;
        let own = own_id(record, of);
        let plain = of.iter().filter(|(name, value)| {
            !value.is_null()
                && !value.is_array()
                && !value.is_object()
                && own.is_none_or(|(own, _)| own != *name)
        });
        let said: Vec<String> = plain
            .take(FIELDS_MAX)
            .map(|(name, value)| format!("{} {}", label(name), written(value)))
            .collect();
        (!said.is_empty()).then(|| format!("{}: {}.", begin(&subject(record, of)), said.join(", ")))
    };
    records.iter().filter_map(one).collect()
}

/// Every field but those that only repeat what the words say.
fn fields<'r>(text: &str, records: &'r [(String, Json)]) -> Vec<Field<'r>> {
    let of_record = |(record, value): &'r (String, Json)| {
        let of = value.as_object()?;
        let fields = of.iter().map(move |(name, value)| Field { record, of, name, value });
        Some(fields.collect::<Vec<_>>())
    };
    let said = |field: &Field<'_>| {
        let id = field.value.as_str().filter(|_| field.name.ends_with("_id"));
        id.is_some_and(|id| Reference::is_in(id, text))
            || own_id(field.record, field.of).is_some_and(|(own, _)| own == field.name)
    };
    records.iter().filter_map(of_record).flatten().filter(|field| !said(field)).collect()
}

/// Where in the list of words the field stands, if the words of the question name it. Its own name comes first.
fn place_of(lower: &str, field: &Field<'_>) -> Option<usize> {
    let own = label(field.name);
    let is_asked = || phrase_places(lower, &own).iter().any(|place| asking(lower, place).is_some());
    if own.chars().count() > 3 && own != field.record && is_asked() {
        return Some(0);
    }
    let known = FIELDS.iter().enumerate().filter(|(_, one)| one.names.contains(&field.name));
    let mut asked =
        known.filter(|(_, one)| one.words.iter().any(|word| says(lower, word)) && fits(lower, one));
    asked.next().map(|(place, _)| place.saturating_add(1))
}

/// Whether a field that answers yes or no is asked for so: "has it been paid?".
fn fits(lower: &str, words: &FieldWords) -> bool {
    let first = lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    !words.yes_or_no || YES_OR_NO.contains(&first)
}

fn says(lower: &str, phrase: &str) -> bool {
    !phrase_places(lower, phrase).is_empty()
}

/// Whether the record is named by its own id.
fn is_named(text: &str, field: &Field<'_>) -> bool {
    own_id(field.record, field.of).is_some_and(|(_, id)| Reference::is_in(id, text))
}

/// The id by which a record is known: `invoice_id`, or its only id.
fn own_id<'r>(record: &str, of: &'r Map<String, Json>) -> Option<(&'r str, &'r str)> {
    let id = |(name, value): (&'r String, &'r Json)| Some((name.as_str(), value.as_str()?));
    let named = of.get_key_value(&format!("{record}_id")).and_then(id);
    let mut ids = of.iter().filter(|(name, _)| name.ends_with("_id")).filter_map(id);
    named.or_else(|| ids.next().filter(|_| ids.next().is_none()))
}

fn sentence(field: &Field<'_>) -> String {
    let known = FIELDS.iter().find(|one| one.names.contains(&field.name));
    let label = known.map_or_else(|| label(field.name), |known| known.label.to_owned());
    // "The measured uptime of INFRA-9", and not "of measured INFRA-9".
    let of = match own_id(field.record, field.of) {
        Some((_, id)) if says(&label, field.record) => id.to_owned(),
        _ => subject(field.record, field.of),
    };
    match field.value {
        Json::Null => format!("The {label} of {of} is not set."),
        Json::Array(items) if items.is_empty() => format!("The {label} of {of}: none."),
        Json::Array(_) => format!("The {label} of {of}: {}.", written(field.value)),
        value => format!("The {label} of {of} is {}.", written(value)),
    }
}

fn subject(record: &str, of: &Map<String, Json>) -> String {
    let words = record.replace('_', " ");
    match own_id(record, of) {
        Some((_, id)) => format!("{words} {id}"),
        None => format!("the {words}"),
    }
}

/// A sentence's first letter.
fn begin(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A field's name as people read it: "last day", "monthly fee", "vendor".
fn label(name: &str) -> String {
    let name = name.strip_suffix("_id").or_else(|| name.strip_suffix("_on")).unwrap_or(name);
    name.replace('_', " ")
}

/// A value as people read it: "5 × Widget A at 29.99 USD".
fn written(value: &Json) -> String {
    match value {
        Json::Null => "not set".to_owned(),
        Json::Bool(true) => "yes".to_owned(),
        Json::Bool(false) => "no".to_owned(),
        Json::Number(number) => number.to_string(),
        Json::String(text) => text.clone(),
        Json::Array(items) => items.iter().map(written).collect::<Vec<_>>().join(", "),
        Json::Object(of) => match (of.get("quantity"), of.get("item"), of.get("unit_price")) {
            (Some(quantity), Some(item), price) => {
                let price = price.map(|price| format!(" at {}", written(price))).unwrap_or_default();
                format!("{} × {}{price}", written(quantity), written(item))
            }
            _ => {
                let fields = of.iter().map(|(name, value)| format!("{} {}", label(name), written(value)));
                fields.collect::<Vec<_>>().join(", ")
            }
        },
    }
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
