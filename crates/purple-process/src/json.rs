//! JSON values whose numbers are exact: what a tool call carries, byte for byte.
//!
//! A number is kept in one plain decimal notation, so `1e2`, `100` and `100.0` are one value and no digit is lost.

use std::collections::BTreeMap;
use std::fmt;

use purple_policy::{Exact, Money, Value};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The deepest nesting of lists and records.
pub(crate) const NESTING_MAX: usize = 32;
/// The longest number, in digits of its plain notation.
pub(crate) const NUMBER_DIGITS_MAX: usize = 60;
/// The longest document that is read, in bytes.
pub(crate) const JSON_BYTES_MAX: usize = 256 * 1024;

/// `serde_json` marks its own numbers with keys of this kind; as data they would be read as something else.
const RESERVED_KEY: &str = "$serde_json::private::";

/// An exact number in plain notation: `-?digits[.digits]`, no leading or trailing zeros, no `-0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(String);

impl Number {
    /// Reads a number as JSON writes it, exponent included.
    pub fn parse(text: &str) -> Result<Self, BadJson> {
        let refused = || BadJson::Number { text: cut(text) };
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent).ok_or_else(refused)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return Err(refused()),
            None => (mantissa, ""),
        };
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return Err(refused());
        }
        if whole.len() > 1 && whole.starts_with('0') {
            return Err(refused());
        }
        plain(negative, whole, fraction, exponent).map(Self).ok_or_else(refused)
    }

    /// The plain notation.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An exponent beyond this moves the point further than any number that is accepted.
const EXPONENT_MAX: i32 = 400;

fn read_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Too long to parse is too large: clamped, and refused later unless the number is zero.
    let size = digits.trim_start_matches('0');
    let size = if size.is_empty() { 0 } else { size.parse::<i32>().unwrap_or(i32::MAX) };
    let size = size.min(EXPONENT_MAX);
    Some(if text.starts_with('-') { -size } else { size })
}

/// Moves the point and drops needless zeros. `None` if too many digits remain.
fn plain(negative: bool, whole: &str, fraction: &str, exponent: i32) -> Option<String> {
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_start_matches('0');
    if kept.is_empty() {
        return Some("0".to_owned());
    }
    if digits.len() > JSON_BYTES_MAX {
        return None;
    }
    let skipped = i32::try_from(digits.len() - kept.len()).ok()?;
    // Where the point stands, counted from the first kept digit.
    let point = i32::try_from(whole.len()).ok()?.checked_add(exponent)?.checked_sub(skipped)?;
    let kept = kept.trim_end_matches('0');
    let digits_max = i32::try_from(NUMBER_DIGITS_MAX).ok()?;
    let count = i32::try_from(kept.len()).ok()?;
    let wide = point.max(1).checked_add(count.checked_sub(point)?.max(0))?;
    if wide > digits_max {
        return None;
    }
    let (before, after) = if point <= 0 {
        let zeros = "0".repeat(usize::try_from(point.checked_neg()?).ok()?);
        ("0".to_owned(), format!("{zeros}{kept}"))
    } else {
        let split = usize::try_from(point).ok()?;
        match kept.split_at_checked(split) {
            Some((before, after)) => (before.to_owned(), after.to_owned()),
            None => (format!("{kept}{}", "0".repeat(split.checked_sub(kept.len())?)), String::new()),
        }
    };
    let sign = if negative { "-" } else { "" };
    let point = if after.is_empty() { "" } else { "." };
    Some(format!("{sign}{before}{point}{after}"))
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(number.to_string())
    }
}

/// One JSON value. Read it with [`Json::parse`], which refuses what two readers could understand differently.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exact.
    Number(Number),
    /// Text, as it is: no Unicode normalisation.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// A record.
    Record(BTreeMap<String, Json>),
}

/// Named values, as a tool call carries them.
pub type Values = BTreeMap<String, Json>;

impl Json {
    /// Takes a value that a library has parsed already. Repeated keys cannot be seen any more: prefer [`Json::parse`].
    pub fn from_serde(value: &serde_json::Value) -> Result<Self, BadJson> {
        let json = Self::convert(value, 0)?;
        json.check()?;
        Ok(json)
    }

    fn convert(value: &serde_json::Value, depth: usize) -> Result<Self, BadJson> {
        if depth > NESTING_MAX {
            return Err(BadJson::TooDeep);
        }
        Ok(match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => Self::Number(Number::parse(&number.to_string())?),
            serde_json::Value::String(text) => Self::Text(text.clone()),
            serde_json::Value::Array(items) => {
                Self::List(items.iter().map(|item| Self::convert(item, depth + 1)).collect::<Result<_, _>>()?)
            }
            serde_json::Value::Object(fields) => {
                let convert = |(name, value): (&String, &serde_json::Value)| {
                    Ok((name.clone(), Self::convert(value, depth + 1)?))
                };
                Self::Record(fields.iter().map(convert).collect::<Result<_, BadJson>>()?)
            }
        })
    }

    /// Refuses values that could be understood in two ways: NUL in text, reserved keys, nesting beyond the limit.
    pub fn check(&self) -> Result<(), BadJson> {
        self.check_at(0)
    }

    fn check_at(&self, depth: usize) -> Result<(), BadJson> {
        if depth > NESTING_MAX {
            return Err(BadJson::TooDeep);
        }
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => Ok(()),
            Self::Text(text) => check_text(text),
            Self::List(items) => items.iter().try_for_each(|item| item.check_at(depth + 1)),
            Self::Record(fields) => fields.iter().try_for_each(|(name, value)| {
                check_key(name)?;
                value.check_at(depth + 1)
            }),
        }
    }

    /// The JSON text that goes over the wire: plain numbers, keys in canonical order.
    pub fn to_wire(&self) -> String {
        let mut out = String::new();
        self.write_wire(&mut out);
        out
    }

    fn write_wire(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Number(number) => out.push_str(number.as_str()),
            Self::Text(text) => crate::canonical::write_text(text, out),
            Self::List(items) => {
                crate::canonical::write_list(items, out, |item, out| item.write_wire(out));
            }
            Self::Record(fields) => {
                crate::canonical::write_record(fields, out, |value, out| value.write_wire(out));
            }
        }
    }

    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::List(_) | Self::Record(_) => None,
        }
    }
}

/// The wire form of a value of the expression language. Money is text, `1020.00 USD`, as reads give it; a percentage is
/// the number before the sign; a date is ISO text.
impl TryFrom<&Value> for Json {
    type Error = BadJson;

    fn try_from(value: &Value) -> Result<Self, BadJson> {
        let number = |number: &Exact| {
            let plain = number.to_plain().ok_or_else(|| BadJson::Unrounded { value: number.to_string() })?;
            Number::parse(&plain).map(Self::Number)
        };
        match value {
            Value::Null => Ok(Self::Null),
            Value::Bool(value) => Ok(Self::Bool(*value)),
            Value::Number(exact) | Value::Percent(exact) => number(exact),
            Value::Money { amount, currency } => match Money::exact(amount, *currency) {
                Ok(money) => Ok(Self::Text(money.to_string())),
                Err(_) => Err(BadJson::Unrounded { value: value.to_string() }),
            },
            Value::Text(text) => Ok(Self::Text(text.as_ref().to_owned())),
            Value::Date(date) => Ok(Self::Text(date.to_string())),
            Value::List(items) => items.iter().map(Self::try_from).collect::<Result<_, _>>().map(Self::List),
            Value::Record(fields) => fields
                .iter()
                .map(|(name, value)| Ok((name.clone(), Self::try_from(value)?)))
                .collect::<Result<_, BadJson>>()
                .map(Self::Record),
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

pub(crate) fn check_text(text: &str) -> Result<(), BadJson> {
    if text.contains('\0') { Err(BadJson::Nul) } else { Ok(()) }
}

pub(crate) fn check_key(name: &str) -> Result<(), BadJson> {
    if name.starts_with(RESERVED_KEY) {
        return Err(BadJson::ReservedKey { key: cut(name) });
    }
    check_text(name)
}

pub(crate) fn cut(text: &str) -> String {
    const SHOWN_CHARS_MAX: usize = 40;
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

/// JSON that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadJson {
    /// Not JSON.
    #[error("no JSON at byte {at}: {what}")]
    Syntax {
        /// Where, in bytes from the start.
        at: usize,
        /// What was expected there.
        what: &'static str,
    },
    /// The same key twice in one record: two readers could take different ones.
    #[error("the key `{key}` comes twice at byte {at}")]
    DuplicateKey {
        /// The key.
        key: String,
        /// Where the second one stands.
        at: usize,
    },
    /// A number that is malformed or too long.
    #[error("`{text}` is no number of at most {NUMBER_DIGITS_MAX} digits")]
    Number {
        /// What was given.
        text: String,
    },
    /// Half of a surrogate pair: not text in any encoding.
    #[error("half a surrogate pair at byte {at}")]
    LoneSurrogate {
        /// Where.
        at: usize,
    },
    /// A NUL character: programs in C would see a shorter text than we do.
    #[error("text holds a NUL character")]
    Nul,
    /// A key that a library keeps for itself.
    #[error("the key `{key}` is reserved")]
    ReservedKey {
        /// The key.
        key: String,
    },
    /// Nested too deep.
    #[error("nested deeper than {NESTING_MAX}")]
    TooDeep,
    /// Too long.
    #[error("longer than {JSON_BYTES_MAX} bytes")]
    TooLong,
    /// A number that no finite decimal writes, or money finer than its currency.
    #[error("`{value}` must be rounded before it can be sent")]
    Unrounded {
        /// The value.
        value: String,
    },
    /// Text that begins with `#` and is none of the forms that stand for numbers, references or such text.
    #[error("`{text}` is not in the canonical form")]
    Coded {
        /// What was given.
        text: String,
    },
}

/// Writes the coded form: a number as `"#100"`, text that begins with `#` with one more in front.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => out.serialize_unit(),
            Self::Bool(value) => out.serialize_bool(*value),
            Self::Number(number) => out.collect_str(&format_args!("#{number}")),
            Self::Text(text) if text.starts_with('#') => out.collect_str(&format_args!("#{text}")),
            Self::Text(text) => out.serialize_str(text),
            Self::List(items) => out.collect_seq(items),
            Self::Record(fields) => out.collect_map(fields),
        }
    }
}

impl Json {
    /// Reads one coded text: see the [`Serialize`] form.
    pub(crate) fn decode(coded: &str) -> Result<Self, BadJson> {
        let Some(rest) = coded.strip_prefix('#') else { return Ok(Self::Text(coded.to_owned())) };
        if rest.starts_with('#') {
            return Ok(Self::Text(rest.to_owned()));
        }
        match Number::parse(rest) {
            // Only the normal notation: one value, one form.
            Ok(number) if number.as_str() == rest => Ok(Self::Number(number)),
            Ok(_) | Err(_) => Err(BadJson::Coded { text: cut(coded) }),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(CodedVisitor)
    }
}

struct CodedVisitor;

impl<'de> Visitor<'de> for CodedVisitor {
    type Value = Json;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value whose numbers are written as text, \"#100\"")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_str<E: de::Error>(self, coded: &str) -> Result<Json, E> {
        Json::decode(coded).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut record = BTreeMap::new();
        while let Some(name) = fields.next_key::<String>()? {
            // A bare number arrives as a record with a reserved key; it is refused like one.
            check_key(&name).map_err(de::Error::custom)?;
            let value = fields.next_value()?;
            if record.insert(name.clone(), value).is_some() {
                return Err(de::Error::custom(BadJson::DuplicateKey { key: cut(&name), at: 0 }));
            }
        }
        Ok(Json::Record(record))
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
