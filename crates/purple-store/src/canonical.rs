//! The one text of a JSON value, so that its hash means the value.
//!
//! As RFC 8785: no space, keys in the order of their UTF-16 units, the shortest escapes. Unlike it, a number is
//! written with all the digits that it was read with: a detour through a double would make different big numbers one.
//! The canonical form of plans is another one: it holds no JSON numbers at all, and refuses them. A journal takes any.

use std::fmt::Write as _;

use serde_json::Value;

/// The canonical text of `value`.
pub(crate) fn text(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Appends the canonical text of `value`.
pub(crate) fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
            sorted.sort_by(|(left, _), (right, _)| left.encode_utf16().cmp(right.encode_utf16()));
            out.push('{');
            for (index, (name, value)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(name, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

/// Appends `text` in quotes.
pub(crate) fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control if control < ' ' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_by_their_utf16_units_and_numbers_keep_their_text() {
        let value: Value = serde_json::from_str(
            "{\"\u{ff5e}\": 1.50, \"\u{1f600}\": [1e2, -0, 12345678901234567890123], \"a\": \"\\u0001\\n\"}",
        )
        .unwrap();
        assert_eq!(
            text(&value),
            "{\"a\":\"\\u0001\\n\",\"\u{1f600}\":[1e+2,-0,12345678901234567890123],\"\u{ff5e}\":1.50}"
        );
    }

    #[test]
    fn the_canonical_text_is_read_back_as_the_same_value() {
        let value = serde_json::json!({"b": [null, true, {"x": "\"\\\u{8}\u{c}\r\t"}], "a": {}});
        let read: Value = serde_json::from_str(&text(&value)).unwrap();
        assert_eq!(read, value);
        assert_eq!(text(&read), text(&value));
    }
}
