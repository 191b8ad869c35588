//! The canonical form: RFC 8785 except for numbers, and its SHA-256.
//!
//! RFC 8785 alone sends numbers through a double, where different big numbers become one. Plans hold no JSON numbers at
//! all, because [`Json`](crate::Json) writes them as text, `"#100"`; journals keep the digits that were read.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The canonical text of a value that holds no JSON numbers.
pub(crate) fn of<T: Serialize>(value: &T) -> Result<String, NotCanonical> {
    let value =
        serde_json::to_value(value).map_err(|error| NotCanonical::Shape { what: error.to_string() })?;
    let mut out = String::new();
    write(&value, Numbers::Refused, &mut out)?;
    Ok(out)
}

/// A value that has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCanonical {
    /// A bare JSON number.
    #[error("the number {number} is not written as text")]
    Number {
        /// The number.
        number: String,
    },
    /// Something that JSON cannot hold.
    #[error("no JSON: {what}")]
    Shape {
        /// What the serializer said.
        what: String,
    },
}

/// How a JSON number is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// As an error: numbers are to be written as text.
    Refused,
    /// Written with the digits that were read.
    AsWritten,
}

/// Appends the canonical text of `value`. Only a refused number is an error.
pub fn write(value: &Value, numbers: Numbers, out: &mut String) -> Result<(), NotCanonical> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => match numbers {
            Numbers::Refused => return Err(NotCanonical::Number { number: number.to_string() }),
            Numbers::AsWritten => out.push_str(number.as_str()),
        },
        Value::String(text) => write_text(text, out),
        Value::Array(items) => {
            let mut result = Ok(());
            write_list(items, out, |item, out| {
                result = result.clone().and_then(|()| write(item, numbers, out));
            });
            return result;
        }
        Value::Object(fields) => {
            let mut result = Ok(());
            write_record(fields, out, |value, out| {
                result = result.clone().and_then(|()| write(value, numbers, out));
            });
            return result;
        }
    }
    Ok(())
}

pub(crate) fn write_list<T>(items: &[T], out: &mut String, mut write: impl FnMut(&T, &mut String)) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

/// Keys are ordered by their UTF-16 code units, as RFC 8785 demands; the order of UTF-8 differs beyond the basic plane.
pub(crate) fn write_record<'a, T: 'a>(
    fields: impl IntoIterator<Item = (&'a String, &'a T)>,
    out: &mut String,
    mut write: impl FnMut(&T, &mut String),
) {
    let mut sorted: Vec<(&String, &T)> = fields.into_iter().collect();
    sorted.sort_by(|(left, _), (right, _)| left.encode_utf16().cmp(right.encode_utf16()));
    out.push('{');
    for (index, (name, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_text(name, out);
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

/// Appends `text` in quotes, with the shortest escapes.
pub fn write_text(text: &str, out: &mut String) {
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
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
}

/// A SHA-256, shown as `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A digest that was computed before, from where it was stored.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes, to be stored.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads the shown form, lower case only.
    pub fn parse(text: &str) -> Result<Self, BadDigest> {
        let hex = text.strip_prefix("sha256:").ok_or(BadDigest)?;
        if hex.len() != 64 {
            return Err(BadDigest);
        }
        let mut bytes = [0_u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            let [high, low] = *pair else { return Err(BadDigest) };
            *byte = nibble(high)? << 4 | nibble(low)?;
        }
        Ok(Self(bytes))
    }
}

fn nibble(digit: u8) -> Result<u8, BadDigest> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(BadDigest),
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = *b"sha256:0000000000000000000000000000000000000000000000000000000000000000";
        let places = text.iter_mut().skip("sha256:".len());
        let nibbles = self.0.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
        for (place, nibble) in places.zip(nibbles) {
            *place = DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0');
        }
        out.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl TryFrom<String> for Digest {
    type Error = BadDigest;

    fn try_from(text: String) -> Result<Self, BadDigest> {
        Self::parse(&text)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

/// Text that is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is `sha256:` and 64 lower-case hexadecimal digits")]
pub struct BadDigest;

#[cfg(test)]
#[path = "canonical_tests.rs"]
mod tests;
