//! Reading JSON that nobody here wrote: bounded in size and depth, exact in numbers, never guessing.

use serde_json::{Number, Value};

use super::BadAnswer;
use crate::limits::{JSON_DEPTH_MAX, RESPONSE_BYTES_MAX};

/// Parses a whole document.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, BadAnswer> {
    if bytes.len() > RESPONSE_BYTES_MAX {
        return Err(BadAnswer::TooLarge { bytes_max: RESPONSE_BYTES_MAX });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| BadAnswer::NotUtf8 { at: error.valid_up_to() })?;
    match text.trim_start().bytes().next() {
        None => return Err(BadAnswer::Empty),
        Some(b'<') => return Err(BadAnswer::Html),
        Some(_) => {}
    }
    if is_too_deep(text) {
        return Err(BadAnswer::TooDeep { depth_max: JSON_DEPTH_MAX });
    }
    serde_json::from_str(text)
        .map_err(|error| BadAnswer::NotJson { line: error.line(), column: error.column() })
}

/// Whether brackets outside of strings are nested too deep.
fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => depth += 1,
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            (true | false, _) => {}
        }
        if depth > JSON_DEPTH_MAX {
            return true;
        }
    }
    false
}

/// Parses the arguments of a call that a model wrote as text. What is no JSON stays text, and never runs.
pub(super) fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    parse(text.as_bytes()).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// A text that must be there.
pub(super) fn text<'a>(value: &'a Value, field: &'static str) -> Result<&'a str, BadAnswer> {
    value.get(field).and_then(Value::as_str).ok_or(BadAnswer::Missing { field })
}

/// A text that may be missing or null, but nothing else.
pub(super) fn maybe_text<'a>(value: &'a Value, field: &'static str) -> Result<Option<&'a str>, BadAnswer> {
    match value.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Err(BadAnswer::Missing { field })
        }
    }
}

/// A list that may be missing or null, but nothing else.
pub(super) fn maybe_list<'a>(value: &'a Value, field: &'static str) -> Result<&'a [Value], BadAnswer> {
    match value.get(field) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
            Err(BadAnswer::Missing { field })
        }
    }
}

/// A count; anything that is none was not reported.
pub(super) fn count(value: &Value, field: &str) -> Option<u64> {
    value.get(field).and_then(Value::as_u64)
}

/// The error that a document is, if it is one: its kind and its words, as long as they are. Whoever has the key cuts
/// them, after it has taken the key out.
pub(super) fn error_of(answer: &Value) -> Option<(String, String)> {
    let error = answer.get("error").filter(|error| !error.is_null())?;
    let word = |field: &str| error.get(field).and_then(Value::as_str).map(str::to_owned);
    let kind = word("type").or_else(|| word("code")).unwrap_or_else(|| "error".to_owned());
    let message = match error {
        Value::String(message) => message.clone(),
        other => word("message").unwrap_or_else(|| other.to_string()),
    };
    Some((kind, message))
}

/// Refuses a document that is an error.
pub(super) fn refuse_error(answer: &Value) -> Result<(), BadAnswer> {
    match error_of(answer) {
        Some((kind, message)) => Err(BadAnswer::Error { kind, message }),
        None => Ok(()),
    }
}

/// The beginning of a text, cut between characters.
pub(crate) fn cut(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Thousandths as an exact decimal: 700 is 0.7.
pub(super) fn thousandths(thousandths: u16) -> Value {
    let digits = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    digits.parse::<Number>().map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousandths_are_written_as_people_write_them() {
        let shown = |number| thousandths(number).to_string();
        assert_eq!(
            [0, 1, 50, 700, 1000, 2500, 65535].map(shown),
            ["0", "0.001", "0.05", "0.7", "1", "2.5", "65.535"]
        );
    }

    #[test]
    fn depth_counts_outside_of_strings_only() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(nested(JSON_DEPTH_MAX).as_bytes()).is_ok());
        let depth_max = JSON_DEPTH_MAX;
        assert_eq!(parse(nested(JSON_DEPTH_MAX + 1).as_bytes()), Err(BadAnswer::TooDeep { depth_max }));
        assert_eq!(parse("[".repeat(1_000_000).as_bytes()), Err(BadAnswer::TooDeep { depth_max }));
        let in_string = format!("\"\\\"{}\"", "[".repeat(1000));
        assert!(parse(in_string.as_bytes()).is_ok());
    }

    #[test]
    fn every_kind_of_garbage_has_its_name() {
        assert_eq!(parse(b" \n"), Err(BadAnswer::Empty));
        assert_eq!(parse(b"\n <html>"), Err(BadAnswer::Html));
        assert_eq!(parse(b"{\"a\": \xff}"), Err(BadAnswer::NotUtf8 { at: 6 }));
        assert_eq!(parse(b"{\"a\": 1"), Err(BadAnswer::NotJson { line: 1, column: 7 }));
        let large = vec![b' '; RESPONSE_BYTES_MAX + 1];
        assert_eq!(parse(&large), Err(BadAnswer::TooLarge { bytes_max: RESPONSE_BYTES_MAX }));
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!([cut("aäb", 0), cut("aäb", 2), cut("aäb", 3), cut("aäb", 9)], ["", "a", "aä", "aäb"]);
    }

    #[test]
    fn arguments_keep_every_digit_and_broken_ones_stay_text() {
        assert_eq!(
            arguments("{\"a\": 0.10000000000000000001}").to_string(),
            "{\"a\":0.10000000000000000001}"
        );
        assert_eq!(arguments(" "), serde_json::json!({}));
        assert_eq!(arguments("{\"a\": "), Value::String("{\"a\": ".to_owned()));
    }
}
