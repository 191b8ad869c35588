//! What a record shows: its text, its tone, and whether it belongs to the line of its state.

use purple_journal::Redacted;
use serde_json::Value;

use crate::show::style::Tone;
use crate::show::text::one_line;

/// How a record is displayed.
pub(super) struct Line {
    /// Its text; `None` for the data of the record as it is.
    pub(super) text: Option<String>,
    pub(super) tone: Tone,
    /// Whether the line of its state shows it while the run works.
    pub(super) is_detail: bool,
}

impl Line {
    /// A record in a few words.
    pub(super) fn of(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::data() }
    }

    /// A record as it is.
    pub(super) fn data() -> Self {
        Self { text: None, tone: Tone::Faint, is_detail: true }
    }

    /// A record by one of its texts.
    pub(super) fn quoting(text: &Redacted) -> Self {
        Self::of(shown(text))
    }

    /// A reason with its stable code.
    pub(super) fn coded(code: &Redacted, why: &Redacted) -> Self {
        Self::of(format!("{}: {}", shown(code), shown(why)))
    }

    /// The same, in this tone.
    pub(super) fn tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    /// The same, but not in the line of its state.
    pub(super) fn trace_only(self) -> Self {
        Self { is_detail: false, ..self }
    }
}

/// Text from outside, on one line.
pub(super) fn shown(text: &Redacted) -> String {
    one_line(text.as_str())
}

/// Texts from outside, on one line.
pub(super) fn listed(texts: &[Redacted]) -> String {
    texts.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// A JSON value: text without quotes, a list without brackets.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        Value::Array(items) => items.iter().map(self::value).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => compact(value),
    }
}

/// Arguments by name.
pub(super) fn pairs(arguments: &Value) -> String {
    match arguments {
        Value::Object(all) => {
            let pair = |(name, value): (&String, &Value)| format!("{name}={}", compact(value));
            all.iter().map(pair).collect::<Vec<_>>().join(", ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            compact(arguments)
        }
    }
}

/// JSON on one line; nothing for null.
pub(super) fn compact(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            one_line(&value.to_string())
        }
    }
}
