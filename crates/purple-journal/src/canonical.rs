//! The canonical text of a journal value, so that its hash means the value.
//!
//! RFC 8785 with one difference: a number is written with all the digits that it was read with. Through a double,
//! different big numbers would become one.

use purple_process::canonical::{Numbers, write};
use serde_json::Value;

pub use purple_process::canonical::write_text;

/// The canonical text of `value`.
pub fn text(value: &Value) -> String {
    let mut out = String::new();
    append(value, &mut out);
    out
}

/// Appends the canonical text of `value`.
pub fn append(value: &Value, out: &mut String) {
    // Only numbers can be refused, and here they are not.
    let _ = write(value, Numbers::AsWritten, out);
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
