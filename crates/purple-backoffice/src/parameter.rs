//! What a tool may be told: one description of a parameter gives its JSON Schema and checks its value.

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::money::Money;
use crate::refusal::Refusal;

/// Bytes of one text argument.
const TEXT_BYTES_MAX: usize = 4096;
/// Entries of one list argument.
const LIST_ENTRIES_MAX: usize = 200;

/// The form of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Text,
    /// A whole number between two bounds.
    Whole(i64, i64),
    /// An amount with its currency, `52340.00 USD`.
    Amount,
    /// A calendar day, `2026-03-06`.
    Day,
    /// A month, `2026-02`.
    Month,
    OneOf(&'static [&'static str]),
    Texts,
    /// A person or several, by address or by the name of a group.
    Recipients,
    /// Order changes: `{action, quantity, item}`.
    Changes,
    /// Order lines: `{item, quantity, unit_price}`.
    Lines,
    /// Equality filters: `{column: value}`.
    Filters,
}

/// One parameter of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) form: Form,
    pub(crate) required: bool,
}

/// A parameter that must be given.
pub(crate) const fn needs(name: &'static str, form: Form, about: &'static str) -> Parameter {
    Parameter { name, about, form, required: true }
}

/// A parameter that may be left out.
pub(crate) const fn may(name: &'static str, form: Form, about: &'static str) -> Parameter {
    Parameter { name, about, form, required: false }
}

/// The JSON Schema of a list of parameters.
pub(crate) fn schema(parameters: &[Parameter]) -> Map<String, Value> {
    let mut properties = Map::new();
    for parameter in parameters {
        let mut property = parameter.form.schema();
        property.insert("description".to_owned(), json!(parameter.about));
        properties.insert(parameter.name.to_owned(), Value::Object(property));
    }
    let required: Vec<&str> =
        parameters.iter().filter(|parameter| parameter.required).map(|parameter| parameter.name).collect();
    object(json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    }))
}

/// Checks arguments against their parameters.
pub(crate) fn check(parameters: &[Parameter], arguments: &Map<String, Value>) -> Result<(), Refusal> {
    for name in arguments.keys() {
        if !parameters.iter().any(|parameter| parameter.name == name) {
            let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            return Err(Refusal::UnknownParameter { name: name.clone(), known: known.join(", ") });
        }
    }
    for parameter in parameters {
        match arguments.get(parameter.name) {
            None | Some(Value::Null) if parameter.required => {
                return Err(Refusal::Missing { name: parameter.name });
            }
            None | Some(Value::Null) => {}
            Some(value) => parameter.form.check(parameter.name, value)?,
        }
    }
    Ok(())
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

impl Form {
    fn schema(self) -> Map<String, Value> {
        object(match self {
            Self::Text => json!({"type": "string", "minLength": 1, "maxLength": TEXT_BYTES_MAX}),
            Self::Whole(min, max) => json!({"type": "integer", "minimum": min, "maximum": max}),
            Self::Amount => json!({"type": "string", "pattern": "^-?[0-9]+(\\.[0-9]+)? [A-Z]{3}$"}),
            Self::Day => json!({"type": "string", "format": "date"}),
            Self::Month => json!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"}),
            Self::OneOf(words) => json!({"type": "string", "enum": words}),
            Self::Texts => json!({
                "type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": LIST_ENTRIES_MAX,
            }),
            Self::Recipients => json!({"anyOf": [
                {"type": "string", "minLength": 1},
                {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": LIST_ENTRIES_MAX},
            ]}),
            Self::Changes => json!({
                "type": "array", "minItems": 1, "maxItems": LIST_ENTRIES_MAX,
                "items": {
                    "type": "object",
                    "properties": {
                        "action": {"type": "string", "enum": ["add", "remove"]},
                        "quantity": {"type": "integer", "minimum": 1},
                        "item": {"type": "string"},
                    },
                    "required": ["action", "quantity", "item"],
                },
            }),
            Self::Lines => json!({
                "type": "array", "maxItems": LIST_ENTRIES_MAX,
                "items": {
                    "type": "object",
                    "properties": {
                        "item": {"type": "string"},
                        "quantity": {"type": "integer", "minimum": 1},
                        "unit_price": {"type": "string"},
                    },
                    "required": ["item", "quantity", "unit_price"],
                },
            }),
            Self::Filters => json!({
                "type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
            }),
        })
    }

    fn check(self, name: &str, value: &Value) -> Result<(), Refusal> {
        if self.fits(value) {
            return Ok(());
        }
        let given: String = value.to_string().chars().take(80).collect();
        Err(Refusal::BadParameter { name: name.to_owned(), wanted: self.wanted(), given })
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.as_str().is_some_and(short),
            Self::Whole(min, max) => value.as_i64().is_some_and(|number| (min..=max).contains(&number)),
            Self::Amount => value.as_str().is_some_and(|text| Money::parse(text).is_some()),
            Self::Day => value.as_str().is_some_and(|text| day(text).is_some()),
            Self::Month => value.as_str().is_some_and(|text| day(&format!("{text}-01")).is_some()),
            Self::OneOf(words) => value.as_str().is_some_and(|text| words.contains(&text)),
            Self::Texts => texts(value),
            Self::Recipients => value.as_str().is_some_and(short) || texts(value),
            Self::Changes => list(value, |entry| {
                let action = entry.get("action").and_then(Value::as_str);
                matches!(action, Some("add" | "remove")) && named(entry) && counted(entry)
            }),
            Self::Lines => {
                let priced = |entry: &Value| {
                    entry
                        .get("unit_price")
                        .and_then(Value::as_str)
                        .is_some_and(|text| Money::parse(text).is_some())
                };
                value.as_array().is_some_and(Vec::is_empty)
                    || list(value, |entry| named(entry) && counted(entry) && priced(entry))
            }
            Self::Filters => value.as_object().is_some_and(|filters| {
                filters.len() <= LIST_ENTRIES_MAX
                    && filters.values().all(|filter| !filter.is_object() && !filter.is_array())
            }),
        }
    }

    fn wanted(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Whole(min, max) => format!("a whole number from {min} to {max}"),
            Self::Amount => "an amount such as `1020.00 USD`".to_owned(),
            Self::Day => "a date such as `2026-03-06`".to_owned(),
            Self::Month => "a month such as `2026-02`".to_owned(),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
            Self::Texts => "a list of texts".to_owned(),
            Self::Recipients => "a recipient or a list of recipients".to_owned(),
            Self::Changes => "a list of {action: add or remove, quantity, item}".to_owned(),
            Self::Lines => "a list of {item, quantity, unit_price}".to_owned(),
            Self::Filters => "an object of column: value".to_owned(),
        }
    }
}

/// A calendar day in its one accepted writing.
pub(crate) fn day(text: &str) -> Option<Date> {
    if text.len() == 10 { text.parse().ok() } else { None }
}

fn short(text: &str) -> bool {
    (1..=TEXT_BYTES_MAX).contains(&text.len())
}

fn texts(value: &Value) -> bool {
    list(value, |entry| entry.as_str().is_some_and(short))
}

fn list(value: &Value, fits: impl Fn(&Value) -> bool) -> bool {
    value
        .as_array()
        .is_some_and(|entries| (1..=LIST_ENTRIES_MAX).contains(&entries.len()) && entries.iter().all(fits))
}

fn named(entry: &Value) -> bool {
    entry.get("item").and_then(Value::as_str).is_some_and(short)
}

fn counted(entry: &Value) -> bool {
    entry.get("quantity").and_then(Value::as_i64).is_some_and(|quantity| (1..=1_000_000).contains(&quantity))
}

/// Arguments that were checked against the parameters of their tool.
pub(crate) struct Arguments<'a>(pub(crate) &'a Map<String, Value>);

impl Arguments<'_> {
    pub(crate) fn text(&self, name: &'static str) -> Result<&str, Refusal> {
        self.maybe_text(name).ok_or(Refusal::Missing { name })
    }

    pub(crate) fn maybe_text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    pub(crate) fn whole(&self, name: &str, otherwise: i64) -> i64 {
        self.0.get(name).and_then(Value::as_i64).unwrap_or(otherwise)
    }

    pub(crate) fn money(&self, name: &'static str) -> Result<Money, Refusal> {
        Money::parse(self.text(name)?).ok_or(Refusal::Missing { name })
    }

    pub(crate) fn day(&self, name: &'static str) -> Result<Date, Refusal> {
        day(self.text(name)?).ok_or(Refusal::Missing { name })
    }

    pub(crate) fn entries(&self, name: &str) -> &[Value] {
        self.0.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        match self.0.get(name) {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn object(&self, name: &str) -> Option<&Map<String, Value>> {
        self.0.get(name).and_then(Value::as_object)
    }
}
