//! The records of an answer, each with the names by which it says what it is itself.
//!
//! A record that carries the id of a customer need not be the customer: an order does too. So a name counts only in the
//! field of the record's own id or name, or where the tool was asked for it and nothing else in the record has an id.

use purple_process::Json;
use serde_json::Value;

use crate::learn::glean::{Piece, Record};
use crate::port::Entity;

/// How many records of one answer are looked through.
const RECORDS_MAX: usize = 50;
/// How deep an answer is looked through.
const LEVELS_MAX: u8 = 4;
/// Fields that name their own record, alone (`id`) or after what it is (`order_id`).
const NAMING: &[&str] = &["id", "name", "number", "code"];
/// What comes after these words in the name of a tool is not what it answers with: `list_contracts_of_vendor`.
const LINKS: &[&str] = &["of", "for", "by", "with", "from", "in", "to"];

/// One record, and what it is.
#[derive(Clone, Debug)]
pub(crate) struct Told<'v> {
    pub record: &'v Record,
    names: Vec<&'v str>,
}

impl Told<'_> {
    /// Whether the record is this one's own.
    pub(crate) fn is(&self, entity: &Entity) -> bool {
        self.names.iter().any(|name| name.eq_ignore_ascii_case(&entity.name))
    }
}

/// What is still to be looked at.
struct Open<'v> {
    value: &'v Value,
    level: u8,
    /// What a record here may be, the likeliest first.
    nouns: Vec<String>,
}

/// The records of an answer.
pub(crate) fn told<'v>(piece: &Piece<'v>) -> Vec<Told<'v>> {
    let mut found = Vec::new();
    let mut open = vec![Open { value: piece.value, level: 0, nouns: nouns(piece.tool) }];
    while let Some(Open { value, level, nouns: of }) = open.pop()
        && found.len() < RECORDS_MAX
    {
        let inside: Vec<Open<'v>> = match value {
            Value::Object(record) => {
                let names = names(record, &of, piece);
                // What stands in a record that has a name is a part of it, and no other one of its kind.
                let of = if names.is_empty() { of } else { Vec::new() };
                found.push(Told { record, names });
                let part = |(field, value): (&String, &'v Value)| {
                    let nouns = nouns(field).into_iter().chain(of.iter().cloned()).collect();
                    Open { value, level: level + 1, nouns }
                };
                record.iter().map(part).collect()
            }
            Value::Array(items) => {
                let item = |value| Open { value, level: level + 1, nouns: of.clone() };
                items.iter().take(RECORDS_MAX).map(item).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        };
        if level < LEVELS_MAX {
            open.extend(inside.into_iter().rev());
        }
    }
    found
}

/// What a tool or a field is about: its words, as they are and one of each, the last first.
fn nouns(name: &str) -> Vec<String> {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let head = words.map(str::to_lowercase).take_while(|word| !LINKS.contains(&word.as_str()));
    let mut nouns: Vec<String> = head.flat_map(|word| [singular(&word), word]).collect();
    nouns.reverse();
    nouns
}

fn singular(word: &str) -> String {
    match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

/// The names by which a record says what it is itself.
fn names<'v>(record: &'v Record, of: &[String], piece: &Piece<'_>) -> Vec<&'v str> {
    let text = |field: &str| record.get(field).and_then(Value::as_str);
    let plain = NAMING.iter().filter_map(|field| text(field));
    let of_noun = |noun: &String| {
        let own = NAMING.iter().filter_map(|naming| text(&format!("{noun}_{naming}"))).chain(text(noun));
        Some(own.collect::<Vec<_>>()).filter(|own| !own.is_empty())
    };
    let mut names: Vec<&str> = plain.chain(of.iter().find_map(of_noun).into_iter().flatten()).collect();
    if names.is_empty() && !NAMING.iter().any(|field| record.contains_key(*field)) {
        names.extend(asked_for(record, piece));
    }
    names
}

/// What the tool was asked for, where the record has no id beside it.
fn asked_for<'v>(record: &'v Record, piece: &Piece<'_>) -> Option<&'v str> {
    let asked =
        |text: &str| piece.arguments.values().any(|value| matches!(value, Json::Text(own) if own == text));
    let texts = || record.iter().filter_map(|(field, value)| Some((field, value.as_str()?)));
    let mut found = texts().filter(|(_, text)| asked(text));
    let (_, name) = found.next()?;
    let is_id = |field: &str| field.rsplit('_').next() == Some("id");
    let other = |(field, text): (&String, &str)| text != name && (is_id(field) || asked(text));
    (!texts().any(other)).then_some(name)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use purple_process::Values;
    use serde_json::json;

    use super::*;

    fn with<T>(tool: &str, arguments: &Value, value: &Value, look: impl Fn(Vec<Told<'_>>) -> T) -> T {
        let one = |(name, value): (&String, &Value)| (name.clone(), Json::from_serde(value).unwrap());
        let arguments: Values = arguments.as_object().unwrap().iter().map(one).collect();
        look(told(&Piece { tool, arguments: &arguments, at: Timestamp::UNIX_EPOCH, value }))
    }

    /// Of each record its names.
    fn named(tool: &str, arguments: &Value, value: &Value) -> Vec<Vec<String>> {
        let own = |told: &Told<'_>| told.names.iter().map(|name| (*name).to_owned()).collect();
        with(tool, arguments, value, |told| told.iter().map(own).collect())
    }

    #[test]
    fn records_are_found_at_any_level_within_limits() {
        let count = |answer: &Value| with("get_vendor", &json!({}), answer, |told| told.len());
        let answer =
            json!({"vendor": {"name": "Acme Corp", "terms": "Net 30"}, "items": [{"id": 1}, {"id": 2}]});
        assert_eq!(count(&answer), 4);
        assert_eq!(count(&json!(vec![json!({"a": 1}); 10_000])), RECORDS_MAX);
        let mut deep = json!({"name": "x"});
        for _ in 0..200 {
            deep = json!({ "in": deep });
        }
        assert!(count(&deep) <= usize::from(LEVELS_MAX) + 1);
    }

    #[test]
    fn a_record_is_what_its_own_id_or_name_says() {
        let contract = json!({"contract_id": "CTR-441", "vendor_id": "INFRA-9", "sla_percent": 99.9});
        let order = json!({"order_id": "ORD-5592", "customer_id": "C-8821", "currency": "USD"});
        let (of_contract, of_vendor) = (json!({"contract_id": "CTR-441"}), json!({"vendor_id": "INFRA-9"}));
        for (tool, arguments, value, own) in [
            ("get_contract", &of_contract, &contract, &["CTR-441"][..]),
            ("get_vendor_contract", &of_vendor, &contract, &["CTR-441"]),
            ("list_contracts_of_vendor", &of_vendor, &contract, &["CTR-441"]),
            ("lookup", &of_vendor, &contract, &[]),
            ("get_order", &json!({"order_id": "ORD-5592"}), &order, &["ORD-5592"]),
            ("find", &json!({}), &json!({"id": "CTR-441", "vendor": "INFRA-9"}), &["CTR-441"]),
            ("get_contract", &of_vendor, &json!({"id": 441, "vendor": "INFRA-9"}), &[]),
            ("find", &json!({}), &json!({"name": "Acme Corp", "terms": "Net 30"}), &["Acme Corp"]),
            ("get_vendor", &json!({}), &json!({"vendor": "Acme Corp", "terms": "Net 30"}), &["Acme Corp"]),
            ("get_account", &of_vendor, &json!({"vendor_id": "INFRA-9", "currency": "USD"}), &["INFRA-9"]),
            ("get_account", &json!({}), &json!({"vendor_id": "INFRA-9", "currency": "USD"}), &[]),
            ("get_companies", &json!({}), &json!({"company_name": "Acme Corp"}), &["Acme Corp"]),
        ] {
            assert_eq!(named(tool, arguments, value), [own], "{tool} {value}");
        }
    }

    #[test]
    fn what_stands_in_a_record_has_a_name_of_its_own_or_none() {
        let order = json!({"order_id": "ORD-5592", "customer": {"customer_id": "C-8821", "tier": "gold"},
            "items": [{"order_id": "ORD-5592", "product_id": "W-1", "tax_rate": "19"}]});
        let none: Vec<String> = Vec::new();
        let own = |name: &str| vec![name.to_owned()];
        let of = json!({"order_id": "ORD-5592"});
        assert_eq!(named("get_order", &of, &order), [own("ORD-5592"), own("C-8821"), none.clone()]);
        let page = json!({"data": [{"contract_id": "CTR-441", "vendor_id": "INFRA-9"}], "next": 2});
        assert_eq!(named("list_contracts", &json!({}), &page), [none, own("CTR-441")]);
    }
}
