//! What goes into a formula and what comes out of it, when the caller knows only its name.

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use serde::{Serialize, Serializer};

use crate::exact::Exact;
use crate::money::Money;
use crate::rate::Rate;

/// One typed figure: an argument of a catalogue function, or a part of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// An amount.
    Money(Money),
    /// A number without a unit.
    Number(Exact),
    /// A rate.
    Percent(Rate),
    /// Hours of work.
    Hours(Exact),
    /// Whole days.
    Days(i64),
    /// A date.
    Date(Date),
    /// A word: an identifier, a currency code, a choice.
    Text(String),
    /// Yes or no.
    Truth(bool),
    /// Several figures in order.
    List(Vec<Figure>),
    /// Several figures by name.
    Record(BTreeMap<String, Figure>),
}

impl Figure {
    /// What kind of figure it is, in a word.
    #[must_use]
    pub const fn kind_name(&self) -> &'static str {
        match self {
            Self::Money(_) => "money",
            Self::Number(_) => "number",
            Self::Percent(_) => "percent",
            Self::Hours(_) => "hours",
            Self::Days(_) => "days",
            Self::Date(_) => "date",
            Self::Text(_) => "text",
            Self::Truth(_) => "truth",
            Self::List(_) => "list",
            Self::Record(_) => "record",
        }
    }

    /// The amount, if it is one.
    #[must_use]
    pub fn as_money(&self) -> Option<Money> {
        if let Self::Money(money) = self { Some(*money) } else { None }
    }

    /// The number, if it is one without a unit.
    #[must_use]
    pub fn as_number(&self) -> Option<&Exact> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// The rate, if it is one.
    #[must_use]
    pub fn as_percent(&self) -> Option<&Rate> {
        if let Self::Percent(rate) = self { Some(rate) } else { None }
    }

    /// The hours, if they are hours.
    #[must_use]
    pub fn as_hours(&self) -> Option<&Exact> {
        if let Self::Hours(hours) = self { Some(hours) } else { None }
    }

    /// The days, if they are days.
    #[must_use]
    pub fn as_days(&self) -> Option<i64> {
        if let Self::Days(days) = self { Some(*days) } else { None }
    }

    /// The date, if it is one.
    #[must_use]
    pub fn as_date(&self) -> Option<Date> {
        if let Self::Date(date) = self { Some(*date) } else { None }
    }

    /// The word, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Yes or no, if it is one of them.
    #[must_use]
    pub fn as_truth(&self) -> Option<bool> {
        if let Self::Truth(truth) = self { Some(*truth) } else { None }
    }

    /// The items, if it is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(figures) = self { Some(figures) } else { None }
    }

    /// The fields, if it is a record.
    #[must_use]
    pub fn as_record(&self) -> Option<&BTreeMap<String, Self>> {
        if let Self::Record(fields) = self { Some(fields) } else { None }
    }

    /// A record of named figures.
    pub(crate) fn record<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Record(fields.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect())
    }
}

impl From<Money> for Figure {
    fn from(money: Money) -> Self {
        Self::Money(money)
    }
}

impl From<Exact> for Figure {
    fn from(number: Exact) -> Self {
        Self::Number(number)
    }
}

impl From<Rate> for Figure {
    fn from(rate: Rate) -> Self {
        Self::Percent(rate)
    }
}

impl From<bool> for Figure {
    fn from(truth: bool) -> Self {
        Self::Truth(truth)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Money(money) => money.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Percent(rate) => rate.fmt(f),
            Self::Hours(hours) => write!(f, "{hours} h"),
            Self::Days(days) => write!(f, "{days} days"),
            Self::Date(date) => date.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Truth(truth) => truth.fmt(f),
            Self::List(figures) => {
                let written: Vec<_> = figures.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", written.join(", "))
            }
            Self::Record(fields) => {
                let written: Vec<_> =
                    fields.iter().map(|(name, figure)| format!("{name}: {figure}")).collect();
                write!(f, "{{{}}}", written.join(", "))
            }
        }
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Money(money) => money.serialize(serializer),
            Self::Number(number) | Self::Hours(number) => number.serialize(serializer),
            Self::Percent(rate) => rate.serialize(serializer),
            Self::Days(days) => serializer.serialize_i64(*days),
            Self::Date(date) => serializer.collect_str(date),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Truth(truth) => serializer.serialize_bool(*truth),
            Self::List(figures) => figures.serialize(serializer),
            Self::Record(fields) => fields.serialize(serializer),
        }
    }
}

/// One line of a worked answer: what it is, how it was computed, and what came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// What the line computes: `overtime at 1.5 times`.
    pub label: String,
    /// The computation with the numbers put in: `12 h × 28.00 USD × 1.5`.
    pub expression: String,
    /// The result.
    pub result: Figure,
}

impl Line {
    pub(crate) fn new(
        label: impl Into<String>,
        expression: impl Into<String>,
        result: impl Into<Figure>,
    ) -> Self {
        Self { label: label.into(), expression: expression.into(), result: result.into() }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} = {}", self.label, self.expression, self.result)
    }
}
