//! The functions of the language that take plain values.
//!
//! Functions over rows, and those that do not look at all of their arguments, are in `eval.rs`.

use std::sync::Arc;

use jiff::civil::Date;
use purple_finance::{Calendar, Currency, Exact, Money, NumberError, add_days, days_between, parse_date};

use crate::ast::{Comparison, Operator};
use crate::limits::{MADE_TEXT_BYTES_MAX, MOVED_BUSINESS_DAYS_MAX, MOVED_DAYS_MAX};
use crate::operate::{arithmetic, changed, compare};
use crate::unevaluable::{Doubt, Unevaluable};
use crate::value::{Kind, Value};

/// Every function there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    // Looking at only what is needed.
    Exists,
    Default,
    If,
    // With words as arguments.
    Round,
    // Over rows.
    Filter,
    Map,
    Any,
    All,
    GroupBy,
    Sum,
    Count,
    Max,
    Min,
    // Over plain values.
    First,
    Len,
    Abs,
    PercentOf,
    Percent,
    Money,
    Amount,
    Currency,
    Number,
    Date,
    DaysBetween,
    AddDays,
    AddBusinessDays,
    Join,
    Concat,
    Lower,
    Upper,
    Contains,
    StartsWith,
    EndsWith,
}

/// One line of the table of functions.
pub(crate) struct Entry {
    pub(crate) function: Function,
    pub(crate) name: &'static str,
    /// The name as it stands in a message.
    pub(crate) operation: &'static str,
    pub(crate) arguments_min: usize,
    pub(crate) arguments_max: usize,
    /// How it is called, for help texts.
    pub(crate) usage: &'static str,
}

macro_rules! functions {
    ($($function:ident $name:literal $min:literal..=$max:expr, $usage:literal;)*) => {
        /// The table of functions.
        pub(crate) const FUNCTIONS: &[Entry] = &[$(Entry {
            function: Function::$function,
            name: $name,
            operation: concat!("`", $name, "`"),
            arguments_min: $min,
            arguments_max: $max,
            usage: $usage,
        },)*];
    };
}

functions! {
    Exists "exists" 1..=1, "exists(name)";
    Default "default" 2..=2, "default(value, instead)";
    If "if" 3..=3, "if(condition, then, otherwise)";
    Round "round" 3..=3, "round(value, cents, half_even)";
    Filter "filter" 2..=2, "filter(rows, row.amount > 5)";
    Map "map" 2..=2, "map(rows, row.amount * 2)";
    Any "any" 2..=2, "any(rows, row.amount > 5)";
    All "all" 2..=2, "all(rows, row.amount > 5)";
    GroupBy "group_by" 2..=2, "group_by(rows, row.customer)";
    Sum "sum" 1..=2, "sum(rows, row.amount)";
    Count "count" 1..=2, "count(rows, row.amount > 5)";
    Max "max" 1..=usize::MAX, "max(a, b) or max(rows, row.amount)";
    Min "min" 1..=usize::MAX, "min(a, b) or min(rows, row.amount)";
    First "first" 1..=1, "first(rows)";
    Len "len" 1..=1, "len(text or list)";
    Abs "abs" 1..=1, "abs(value)";
    PercentOf "percent_of" 2..=2, "percent_of(rate, amount)";
    Percent "percent" 1..=1, "percent(number)";
    Money "money" 2..=2, "money(number, \"USD\")";
    Amount "amount" 1..=1, "amount(money)";
    Currency "currency" 1..=1, "currency(money)";
    Number "number" 1..=1, "number(text or percentage)";
    Date "date" 1..=1, "date(\"2026-01-31\")";
    DaysBetween "days_between" 2..=2, "days_between(from, to)";
    AddDays "add_days" 2..=2, "add_days(date, days)";
    AddBusinessDays "add_business_days" 2..=3, "add_business_days(date, days)";
    Join "join" 2..=usize::MAX, "join(\"SLA\", contract_id, month)";
    Concat "concat" 1..=usize::MAX, "concat(first, second)";
    Lower "lower" 1..=1, "lower(text)";
    Upper "upper" 1..=1, "upper(text)";
    Contains "contains" 2..=2, "contains(text, part)";
    StartsWith "starts_with" 2..=2, "starts_with(text, start)";
    EndsWith "ends_with" 2..=2, "ends_with(text, end)";
}

impl Function {
    pub(crate) fn named(name: &str) -> Option<&'static Entry> {
        FUNCTIONS.iter().find(|entry| entry.name == name)
    }

    pub(crate) fn operation(self) -> &'static str {
        FUNCTIONS.iter().find(|entry| entry.function == self).map_or("a function", |entry| entry.operation)
    }

    /// Whether the second argument may be computed for each row of the first.
    pub(crate) fn takes_rows(self) -> bool {
        matches!(
            self,
            Self::Filter
                | Self::Map
                | Self::Any
                | Self::All
                | Self::GroupBy
                | Self::Sum
                | Self::Count
                | Self::Max
                | Self::Min
        )
    }
}

/// Calls a function of plain values.
pub(crate) fn apply(function: Function, arguments: &[Value]) -> Result<Value, Doubt> {
    let call = Call { operation: function.operation() };
    match (function, arguments) {
        (Function::First, [list]) => call.list(list)?.first().cloned().ok_or_else(|| call.empty()),
        (Function::Len, [value]) => call.length(value),
        (Function::Abs, [value]) => changed(call.operation, value, Exact::magnitude),
        (Function::PercentOf, [rate, amount]) => call.percent_of(rate, amount),
        (Function::Percent, [value]) => match value {
            Value::Number(number) | Value::Percent(number) => Ok(Value::Percent(number.clone())),
            other => Err(call.kind(other)),
        },
        (Function::Money, [number, code]) => call.money(number, code),
        (Function::Amount, [money]) => Ok(Value::Number(call.money_parts(money)?.0.clone())),
        (Function::Currency, [money]) => Ok(Value::text(call.money_parts(money)?.1.code())),
        (Function::Number, [value]) => match value {
            Value::Number(number) | Value::Percent(number) => Ok(Value::Number(number.clone())),
            Value::Text(text) => Exact::parse(text).map(Value::Number).map_err(|_| call.unreadable(text)),
            other => Err(call.kind(other)),
        },
        (Function::Date, [value]) => Ok(Value::Date(call.date(value)?)),
        (Function::DaysBetween, [from, to]) => {
            Ok(Value::from(days_between(call.date(from)?, call.date(to)?)))
        }
        (Function::AddDays, [date, days]) => {
            let moved = add_days(call.date(date)?, call.days(days, MOVED_DAYS_MAX)?);
            moved.map(Value::Date).map_err(|_| call.out_of_range())
        }
        (Function::AddBusinessDays, [date, days, calendar @ ..]) => {
            call.add_business_days(date, days, calendar.first())
        }
        (Function::Join, parts) => call.joined(parts, "-"),
        (Function::Concat, parts) => call.joined(parts, ""),
        (Function::Lower, [text]) => call.made(call.text(text)?.to_lowercase()),
        (Function::Upper, [text]) => call.made(call.text(text)?.to_uppercase()),
        (Function::Contains, [text, part]) => Ok(Value::Bool(call.text(text)?.contains(call.text(part)?))),
        (Function::StartsWith, [text, part]) => {
            Ok(Value::Bool(call.text(text)?.starts_with(call.text(part)?)))
        }
        (Function::EndsWith, [text, part]) => Ok(Value::Bool(call.text(text)?.ends_with(call.text(part)?))),
        (Function::Max, values) => call.extreme(values, Comparison::Greater),
        (Function::Min, values) => call.extreme(values, Comparison::Less),
        (Function::Sum, values) => call.sum(values),
        // INVARIANT: the checker counted the arguments, and the other functions are compiled to their own nodes.
        (_, _) => Err(call.out_of_range()),
    }
}

struct Call {
    operation: &'static str,
}

impl Call {
    fn kind(&self, value: &Value) -> Doubt {
        let operation = self.operation;
        Arc::new(match value.kind() {
            Kind::Null => Unevaluable::Null { operation },
            kind => Unevaluable::Kind { operation, kind },
        })
    }

    fn empty(&self) -> Doubt {
        Arc::new(Unevaluable::Empty { operation: self.operation })
    }

    fn out_of_range(&self) -> Doubt {
        Arc::new(Unevaluable::OutOfRange { operation: self.operation })
    }

    fn unreadable(&self, text: &str) -> Doubt {
        let text = text.chars().take(40).collect();
        Arc::new(Unevaluable::Unreadable { operation: self.operation, text })
    }

    fn number(&self, error: NumberError) -> Doubt {
        Arc::new(Unevaluable::Number { operation: self.operation, error })
    }

    fn list<'v>(&self, value: &'v Value) -> Result<&'v [Value], Doubt> {
        if let Value::List(items) = value { Ok(items) } else { Err(self.kind(value)) }
    }

    fn text<'v>(&self, value: &'v Value) -> Result<&'v str, Doubt> {
        if let Value::Text(text) = value { Ok(text) } else { Err(self.kind(value)) }
    }

    fn money_parts<'v>(&self, value: &'v Value) -> Result<(&'v Exact, Currency), Doubt> {
        if let Value::Money { amount, currency } = value {
            Ok((amount, *currency))
        } else {
            Err(self.kind(value))
        }
    }

    fn date(&self, value: &Value) -> Result<Date, Doubt> {
        match value {
            Value::Date(date) => Ok(*date),
            Value::Text(text) => parse_date(text).map_err(|_| self.unreadable(text)),
            other => Err(self.kind(other)),
        }
    }

    fn days(&self, value: &Value, days_max: i64) -> Result<i64, Doubt> {
        let Value::Number(number) = value else { return Err(self.kind(value)) };
        number
            .to_i128()
            .and_then(|days| i64::try_from(days).ok())
            .filter(|days| days.abs() <= days_max)
            .ok_or_else(|| self.out_of_range())
    }

    fn length(&self, value: &Value) -> Result<Value, Doubt> {
        let length = match value {
            Value::Text(text) => text.chars().count(),
            other => self.list(other)?.len(),
        };
        Ok(Value::from(i64::try_from(length).unwrap_or(i64::MAX)))
    }

    fn percent_of(&self, rate: &Value, amount: &Value) -> Result<Value, Doubt> {
        let (Value::Percent(rate) | Value::Number(rate)) = rate else { return Err(self.kind(rate)) };
        let factor = rate.over(&Exact::from(100_i64)).map_err(|error| self.number(error))?;
        match amount {
            Value::Number(_) | Value::Money { .. } => {
                arithmetic(Operator::Times, &Value::Number(factor), amount)
            }
            other => Err(self.kind(other)),
        }
    }

    fn money(&self, number: &Value, code: &Value) -> Result<Value, Doubt> {
        let code = self.text(code)?;
        let currency = Currency::parse(code).map_err(|_| self.unreadable(code))?;
        let Value::Number(amount) = number else { return Err(self.kind(number)) };
        Ok(Value::Money { amount: amount.clone(), currency })
    }

    /// Moves over days off: weekends, and the holidays of the calendar that is named.
    fn add_business_days(
        &self,
        date: &Value,
        days: &Value,
        calendar: Option<&Value>,
    ) -> Result<Value, Doubt> {
        let calendar = match calendar {
            None => Calendar::weekends(),
            Some(name) => {
                let name = self.text(name)?;
                Calendar::named(name).map_err(|_| self.unreadable(name))?
            }
        };
        let (date, days) = (self.date(date)?, self.days(days, MOVED_BUSINESS_DAYS_MAX)?);
        calendar.add_business_days(date, days).map(Value::Date).map_err(|_| self.out_of_range())
    }

    fn joined(&self, parts: &[Value], separator: &str) -> Result<Value, Doubt> {
        let mut text = String::new();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                text.push_str(separator);
            }
            self.write(&mut text, part)?;
            if text.len() > MADE_TEXT_BYTES_MAX {
                return Err(Arc::new(Unevaluable::TextTooLong { operation: self.operation }));
            }
        }
        self.made(text)
    }

    /// Writes a value into a text, if it can be written exactly.
    fn write(&self, text: &mut String, value: &Value) -> Result<(), Doubt> {
        let written = match value {
            Value::Text(part) => {
                text.push_str(part);
                return Ok(());
            }
            Value::Number(number) => number.to_plain(),
            Value::Percent(number) => number.to_plain().map(|number| format!("{number}%")),
            Value::Money { amount, currency } => {
                Money::exact(amount, *currency).ok().map(|money| money.to_string())
            }
            Value::Bool(_) | Value::Date(_) => Some(value.to_string()),
            Value::Null | Value::List(_) | Value::Record(_) => return Err(self.kind(value)),
        };
        text.push_str(&written.ok_or_else(|| self.out_of_range())?);
        Ok(())
    }

    fn made(&self, text: String) -> Result<Value, Doubt> {
        if text.len() > MADE_TEXT_BYTES_MAX {
            return Err(Arc::new(Unevaluable::TextTooLong { operation: self.operation }));
        }
        Ok(Value::text(text))
    }

    /// The largest or smallest of several values, or of one list.
    fn extreme(&self, values: &[Value], wanted: Comparison) -> Result<Value, Doubt> {
        let values = if let [Value::List(items)] = values { items } else { values };
        // A text has no order of its own, even where it reads as a number.
        let ordered = |value: &Value| {
            matches!(value, Value::Number(_) | Value::Percent(_) | Value::Money { .. } | Value::Date(_))
        };
        if let Some(other) = values.iter().find(|value| !ordered(value)) {
            return Err(self.kind(other));
        }
        let mut values = values.iter();
        let mut best = values.next().ok_or_else(|| self.empty())?;
        for value in values {
            if compare(wanted, value, best)? {
                best = value;
            }
        }
        Ok(best.clone())
    }

    fn sum(&self, values: &[Value]) -> Result<Value, Doubt> {
        let [list] = values else { return Err(self.out_of_range()) };
        let mut items = self.list(list)?.iter();
        let first = items.next().ok_or_else(|| self.empty())?;
        let mut total = changed(self.operation, first, Exact::clone)?;
        for item in items {
            total = arithmetic(Operator::Plus, &total, item)?;
        }
        Ok(total)
    }
}
