//! What an expression can hold, and how values come in and go out.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jiff::civil::Date;
use purple_finance::{Currency, Exact, Money, NumberError, Rounding};

use crate::diagnostic::is_invisible;
use crate::limits::{LIST_ROWS_MAX, NUMBER_DIGITS_MAX, VALUE_LEVELS_MAX};

/// A value of the language. Numbers are exact; text and rows are shared, so that copies are cheap.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing known.
    Null,
    /// True or false.
    Bool(bool),
    /// A plain number.
    Number(Exact),
    /// A percentage, as the number before the sign: `2.5%` holds 2.5.
    Percent(Exact),
    /// An amount of one currency, not rounded until a rounding is named.
    Money {
        /// How much.
        amount: Exact,
        /// Of what.
        currency: Currency,
    },
    /// A text.
    Text(Arc<str>),
    /// A day of the calendar.
    Date(Date),
    /// Rows, or any list of values.
    List(Arc<[Value]>),
    /// Named fields.
    Record(Arc<BTreeMap<String, Value>>),
}

/// What kind of value something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Nothing known.
    Null,
    /// True or false.
    Bool,
    /// A plain number.
    Number,
    /// A percentage.
    Percent,
    /// An amount of one currency.
    Money,
    /// A text.
    Text,
    /// A day of the calendar.
    Date,
    /// A list of values.
    List,
    /// Named fields.
    Record,
    /// Known only when evaluated.
    Unknown,
}

/// Why data from outside cannot become a [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// A number that cannot be held exactly.
    #[error("a number cannot be held: {0}")]
    Number(#[from] NumberError),
    /// A number whose exponent writes out to too many digits.
    #[error("a number has more than {NUMBER_DIGITS_MAX} digits when written out")]
    Exponent,
    /// Lists or records inside one another, too deep.
    #[error("lists and records nest deeper than {VALUE_LEVELS_MAX} levels")]
    TooDeep,
    /// A list with too many rows.
    #[error("a list has more than {LIST_ROWS_MAX} rows")]
    TooManyRows,
}

impl Value {
    /// A text.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// A list.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(items.into_iter().collect())
    }

    /// A record.
    pub fn record<N: Into<String>>(fields: impl IntoIterator<Item = (N, Self)>) -> Self {
        Self::Record(Arc::new(fields.into_iter().map(|(name, value)| (name.into(), value)).collect()))
    }

    /// What kind of value this is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Bool,
            Self::Number(_) => Kind::Number,
            Self::Percent(_) => Kind::Percent,
            Self::Money { .. } => Kind::Money,
            Self::Text(_) => Kind::Text,
            Self::Date(_) => Kind::Date,
            Self::List(_) => Kind::List,
            Self::Record(_) => Kind::Record,
        }
    }

    /// Reads JSON: numbers exactly, `"85000.00 USD"` and `{"amount": …, "currency": …}` as money.
    ///
    /// Other strings stay text; a date in a text compares with dates.
    ///
    /// # Errors
    ///
    /// When a number cannot be held exactly, or lists and records are too large or too deep.
    pub fn from_json(json: &serde_json::Value) -> Result<Self, ValueError> {
        Self::from_json_at(json, 0)
    }

    fn from_json_at(json: &serde_json::Value, level: usize) -> Result<Self, ValueError> {
        if level > VALUE_LEVELS_MAX {
            return Err(ValueError::TooDeep);
        }
        Ok(match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(truth) => Self::Bool(*truth),
            serde_json::Value::Number(number) => Self::Number(json_number(&number.to_string())?),
            serde_json::Value::String(text) => money_text(text).unwrap_or_else(|| Self::text(text.as_str())),
            serde_json::Value::Array(items) if items.len() > LIST_ROWS_MAX => {
                return Err(ValueError::TooManyRows);
            }
            serde_json::Value::Array(items) => Self::List(
                items.iter().map(|item| Self::from_json_at(item, level + 1)).collect::<Result<_, _>>()?,
            ),
            serde_json::Value::Object(fields) => match money_record(fields)? {
                Some(money) => money,
                None => Self::Record(Arc::new(
                    fields
                        .iter()
                        .map(|(name, field)| Ok((name.clone(), Self::from_json_at(field, level + 1)?)))
                        .collect::<Result<_, ValueError>>()?,
                )),
            },
        })
    }

    /// Reads a quoted scalar of a process file: `52340.00 USD`, `99.9`, `2.5%`, `true`, else text.
    pub fn from_literal(text: &str) -> Self {
        match text {
            "true" => return Self::Bool(true),
            "false" => return Self::Bool(false),
            _ => {}
        }
        if let Ok(number) = Exact::parse(text) {
            return Self::Number(number);
        }
        if let Some(number) = text.strip_suffix('%').and_then(|digits| Exact::parse(digits).ok()) {
            return Self::Percent(number);
        }
        money_text(text).unwrap_or_else(|| Self::text(text))
    }

    /// Writes JSON: numbers with all their digits, everything else that JSON lacks as text.
    ///
    /// A number without a finite decimal form becomes the text `n/d`: round it first, by name.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(truth) => serde_json::Value::Bool(*truth),
            Self::Number(number) => number
                .to_plain()
                .and_then(|plain| plain.parse().ok())
                .map_or_else(|| serde_json::Value::String(number.to_string()), serde_json::Value::Number),
            Self::List(items) => serde_json::Value::Array(items.iter().map(Self::to_json).collect()),
            Self::Record(fields) => serde_json::Value::Object(
                fields.iter().map(|(name, field)| (name.clone(), field.to_json())).collect(),
            ),
            Self::Percent(_) | Self::Money { .. } | Self::Text(_) | Self::Date(_) => {
                serde_json::Value::String(self.to_string())
            }
        }
    }

    /// Takes a field. On a list, takes it from every row. Money has `amount` and `currency`.
    pub(crate) fn field(&self, name: &str) -> Option<Cow<'_, Self>> {
        match self {
            Self::Record(fields) => fields.get(name).map(Cow::Borrowed),
            Self::List(rows) => {
                let taken: Option<Arc<[Self]>> =
                    rows.iter().map(|row| row.field(name).map(Cow::into_owned)).collect();
                taken.map(|taken| Cow::Owned(Self::List(taken)))
            }
            Self::Money { amount, currency } => match name {
                "amount" => Some(Cow::Owned(Self::Number(amount.clone()))),
                "currency" => Some(Cow::Owned(Self::text(currency.code()))),
                _ => None,
            },
            Self::Null
            | Self::Bool(_)
            | Self::Number(_)
            | Self::Percent(_)
            | Self::Text(_)
            | Self::Date(_) => None,
        }
    }

    /// Takes a field of a field of a field.
    pub(crate) fn walk<'a>(&'a self, path: &[String]) -> Option<Cow<'a, Self>> {
        let mut here = Cow::Borrowed(self);
        for name in path {
            here = match here {
                Cow::Borrowed(value) => value.field(name)?,
                Cow::Owned(value) => Cow::Owned(value.field(name)?.into_owned()),
            };
        }
        Some(here)
    }

    /// As it is shown beside a name in an explanation: short, quoted where it is text, nothing invisible.
    pub(crate) fn shown(&self) -> String {
        const CHARS_MAX: usize = 80;
        match self {
            Self::Text(text) => {
                let mut shown = String::from("\"");
                for (index, character) in text.chars().enumerate() {
                    if index == CHARS_MAX {
                        shown.push('…');
                        break;
                    }
                    if is_invisible(character) || matches!(character, '"' | '\\') {
                        shown.extend(character.escape_default());
                    } else {
                        shown.push(character);
                    }
                }
                shown.push('"');
                shown
            }
            Self::Number(number) => shown_number(number),
            Self::Percent(number) => format!("{}%", shown_number(number)),
            Self::Money { amount, currency } => match Money::exact(amount, *currency) {
                Ok(money) => money.to_string(),
                Err(_) => format!("{} {}", shown_number(amount), currency.code()),
            },
            Self::List(rows) if rows.len() == 1 => "1 row".to_owned(),
            Self::List(rows) => format!("{} rows", rows.len()),
            Self::Record(_) => "a record".to_owned(),
            Self::Null | Self::Bool(_) | Self::Date(_) => self.to_string(),
        }
    }

    /// As a literal of the language. Only what a literal can hold is ever given here.
    pub(crate) fn write_literal(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write_quoted(out, text),
            Self::Money { amount, currency } => write!(out, "{amount} {}", currency.code()),
            Self::Null
            | Self::Bool(_)
            | Self::Number(_)
            | Self::Percent(_)
            | Self::Date(_)
            | Self::List(_)
            | Self::Record(_) => write!(out, "{self}"),
        }
    }
}

/// Plain text, as a person reads it: `52340.00 USD`, `2.5%`, `2026-01-31`.
impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => out.write_str("null"),
            Self::Bool(truth) => write!(out, "{truth}"),
            Self::Number(number) => write!(out, "{number}"),
            Self::Percent(number) => write!(out, "{number}%"),
            Self::Money { amount, currency } => match Money::exact(amount, *currency) {
                Ok(money) => write!(out, "{money}"),
                Err(_) => write!(out, "{amount} {}", currency.code()),
            },
            Self::Text(text) => out.write_str(text),
            Self::Date(date) => write!(out, "{date}"),
            Self::List(items) => {
                out.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(out, "{}{item}", if index > 0 { ", " } else { "" })?;
                }
                out.write_str("]")
            }
            Self::Record(fields) => {
                out.write_str("{")?;
                for (index, (name, field)) in fields.iter().enumerate() {
                    write!(out, "{}{name}: {field}", if index > 0 { ", " } else { "" })?;
                }
                out.write_str("}")
            }
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Null => "null",
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Percent => "a percentage",
            Self::Money => "money",
            Self::Text => "a text",
            Self::Date => "a date",
            Self::List => "a list",
            Self::Record => "a record",
            Self::Unknown => "a value",
        })
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<Exact> for Value {
    fn from(number: Exact) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(Exact::from(number))
    }
}

impl From<Money> for Value {
    fn from(money: Money) -> Self {
        Self::Money { amount: money.amount(), currency: money.currency() }
    }
}

impl From<Date> for Value {
    fn from(date: Date) -> Self {
        Self::Date(date)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

/// A number for the eye: all digits if there are few, else six decimals and a sign that it goes on.
fn shown_number(number: &Exact) -> String {
    const PLACES_MAX: u8 = 12;
    match number.finite_places() {
        Some(places) if places <= PLACES_MAX => number.to_string(),
        Some(_) | None => format!("≈ {}", number.to_fixed(6, Rounding::HalfEven)),
    }
}

fn write_quoted(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    out.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            other => write!(out, "{other}")?,
        }
    }
    out.write_str("\"")
}

/// `85000.00 USD`.
fn money_text(text: &str) -> Option<Value> {
    let (amount, code) = text.split_once(' ')?;
    Some(Value::Money { amount: Exact::parse(amount).ok()?, currency: Currency::parse(code).ok()? })
}

/// `{"amount": 85000, "currency": "USD"}` and nothing beside.
fn money_record(fields: &serde_json::Map<String, serde_json::Value>) -> Result<Option<Value>, ValueError> {
    let (2, Some(amount), Some(serde_json::Value::String(code))) =
        (fields.len(), fields.get("amount"), fields.get("currency"))
    else {
        return Ok(None);
    };
    let Ok(currency) = Currency::parse(code) else { return Ok(None) };
    let amount = match amount {
        serde_json::Value::Number(number) => Some(json_number(&number.to_string())?),
        serde_json::Value::String(text) => Exact::parse(text).ok(),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Array(_)
        | serde_json::Value::Object(_) => None,
    };
    Ok(amount.map(|amount| Value::Money { amount, currency }))
}

/// A JSON number; its exponent is written out, within bounds.
pub(crate) fn json_number(text: &str) -> Result<Exact, ValueError> {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else { return Ok(Exact::parse(text)?) };
    let exponent: i32 = exponent.parse().map_err(|_| ValueError::Exponent)?;
    let places = usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX);
    if places >= NUMBER_DIGITS_MAX {
        return Err(ValueError::Exponent);
    }
    let power = Exact::parse(&format!("1{}", "0".repeat(places)))?;
    let mantissa = Exact::parse(mantissa)?;
    Ok(if exponent < 0 { mantissa.over(&power)? } else { mantissa.times(&power)? })
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
