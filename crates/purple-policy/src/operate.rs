//! What the signs do with two values. One table of kinds serves the checker and the evaluator.

use std::cmp::Ordering;
use std::sync::Arc;

use purple_finance::{Currency, Exact, parse_date};

use crate::ast::{Comparison, Operator};
use crate::unevaluable::{Doubt, Unevaluable};
use crate::value::{Kind, Value};

/// The kind that an arithmetic sign makes of two kinds, if it takes them.
pub(crate) fn arithmetic_kind(operator: Operator, left: Kind, right: Kind) -> Option<Kind> {
    use Kind::{Money, Number, Percent};
    match (operator, left, right) {
        (_, Number, Number) => Some(Number),
        (Operator::Plus | Operator::Minus, Percent, Percent | Number)
        | (Operator::Plus | Operator::Minus, Number, Percent) => Some(Percent),
        (Operator::Plus | Operator::Minus, Money, Money) => Some(Money),
        (Operator::Times, Number, Percent) | (Operator::Times, Percent, Number) => Some(Percent),
        (Operator::Times, Number, Money) | (Operator::Times, Money, Number) => Some(Money),
        (Operator::Over, Percent, Number | Percent) | (Operator::Over, Money, Money) => Some(Number),
        (Operator::Over, Money, Number) => Some(Money),
        _ => None,
    }
}

/// `left operator right`, exactly.
pub(crate) fn arithmetic(operator: Operator, left: &Value, right: &Value) -> Result<Value, Doubt> {
    let operation = operation_of(operator);
    refuse_null(operation, left, right)?;
    let kinds = || Arc::new(Unevaluable::Kinds { operation, left: left.kind(), right: right.kind() });
    let kind = arithmetic_kind(operator, left.kind(), right.kind()).ok_or_else(kinds)?;
    let (Some((a, left_unit)), Some((b, right_unit))) = (measure(left), measure(right)) else {
        return Err(kinds());
    };
    if let (Some(left), Some(right)) = (left_unit, right_unit)
        && left != right
    {
        return Err(Arc::new(Unevaluable::Currencies { operation, left, right }));
    }
    let number = match operator {
        Operator::Plus => a.plus(b),
        Operator::Minus => a.minus(b),
        Operator::Times => a.times(b),
        Operator::Over => a.over(b),
    }
    .map_err(|error| Arc::new(Unevaluable::Number { operation, error }))?;
    Ok(match (kind, left_unit.or(right_unit)) {
        (Kind::Percent, _) => Value::Percent(number),
        (Kind::Money, Some(currency)) => Value::Money { amount: number, currency },
        _ => Value::Number(number),
    })
}

/// `-value`.
pub(crate) fn negated(value: &Value) -> Result<Value, Doubt> {
    changed("`-`", value, Exact::negated)
}

/// A number, percentage or amount with its number changed and its unit kept.
pub(crate) fn changed(
    operation: &'static str,
    value: &Value,
    change: impl FnOnce(&Exact) -> Exact,
) -> Result<Value, Doubt> {
    match value {
        Value::Number(number) => Ok(Value::Number(change(number))),
        Value::Percent(number) => Ok(Value::Percent(change(number))),
        Value::Money { amount, currency } => Ok(Value::Money { amount: change(amount), currency: *currency }),
        Value::Null => Err(Arc::new(Unevaluable::Null { operation })),
        Value::Bool(_) | Value::Text(_) | Value::Date(_) | Value::List(_) | Value::Record(_) => {
            Err(Arc::new(Unevaluable::Kind { operation, kind: value.kind() }))
        }
    }
}

/// `left comparison right`, or why the two cannot be compared.
#[inline]
pub(crate) fn compare(comparison: Comparison, left: &Value, right: &Value) -> Result<bool, Doubt> {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) | (Value::Percent(a), Value::Percent(b)) => {
            return Ok(comparison.holds(a.cmp(b)));
        }
        (Value::Text(a), Value::Text(b)) => {
            if let Some(truth) = comparison.holds_for_equality(a == b) {
                return Ok(truth);
            }
        }
        (Value::Bool(a), Value::Bool(b)) => {
            if let Some(truth) = comparison.holds_for_equality(a == b) {
                return Ok(truth);
            }
        }
        (Value::Money { amount: a, currency: left }, Value::Money { amount: b, currency: right }) => {
            if left == right {
                return Ok(comparison.holds(a.cmp(b)));
            }
            let operation = comparison.operation();
            return Err(Arc::new(Unevaluable::Currencies { operation, left: *left, right: *right }));
        }
        (Value::Date(a), Value::Date(b)) => return Ok(comparison.holds(a.cmp(b))),
        _ => {}
    }
    compare_otherwise(comparison, left, right)
}

/// Kinds that differ, or have no order: kept apart, so that the common comparisons stay short.
#[cold]
fn compare_otherwise(comparison: Comparison, left: &Value, right: &Value) -> Result<bool, Doubt> {
    if !comparison.is_strict()
        && let Some(order) = across_kinds(comparison, left, right)?
    {
        return Ok(comparison.holds(order));
    }
    let operation = comparison.operation();
    refuse_null(operation, left, right)?;
    Err(Arc::new(Unevaluable::Kinds { operation, left: left.kind(), right: right.kind() }))
}

/// The few pairs of different kinds that say the same thing in two ways.
fn across_kinds(comparison: Comparison, left: &Value, right: &Value) -> Result<Option<Ordering>, Doubt> {
    let unreadable = |text: &str| {
        let text = text.chars().take(40).collect();
        Arc::new(Unevaluable::Unreadable { operation: comparison.operation(), text })
    };
    let number = |text: &str| Exact::parse(text).map_err(|_| unreadable(text));
    let date = |text: &str| parse_date(text).map_err(|_| unreadable(text));
    Ok(match (left, right) {
        (Value::Number(a), Value::Percent(b)) | (Value::Percent(a), Value::Number(b)) => Some(a.cmp(b)),
        (Value::Number(a), Value::Text(b)) => Some(a.cmp(&number(b)?)),
        (Value::Text(a), Value::Number(b)) => Some(number(a)?.cmp(b)),
        (Value::Date(a), Value::Text(b)) => Some(a.cmp(&date(b)?)),
        (Value::Text(a), Value::Date(b)) => Some(date(a)?.cmp(b)),
        _ => None,
    })
}

impl Comparison {
    pub(crate) fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
            Self::Equal | Self::StrictlyEqual => order.is_eq(),
            Self::NotEqual | Self::StrictlyNotEqual => order.is_ne(),
        }
    }

    /// For values that are equal or not and have no order.
    pub(crate) fn holds_for_equality(self, equal: bool) -> Option<bool> {
        match self {
            Self::Equal | Self::StrictlyEqual => Some(equal),
            Self::NotEqual | Self::StrictlyNotEqual => Some(!equal),
            Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual => None,
        }
    }

    pub(crate) fn is_strict(self) -> bool {
        match self {
            Self::StrictlyEqual | Self::StrictlyNotEqual => true,
            Self::Less
            | Self::LessOrEqual
            | Self::Greater
            | Self::GreaterOrEqual
            | Self::Equal
            | Self::NotEqual => false,
        }
    }

    pub(crate) fn operation(self) -> &'static str {
        match self {
            Self::Less => "`<`",
            Self::LessOrEqual => "`<=`",
            Self::Greater => "`>`",
            Self::GreaterOrEqual => "`>=`",
            Self::Equal => "`==`",
            Self::NotEqual => "`!=`",
            Self::StrictlyEqual => "`===`",
            Self::StrictlyNotEqual => "`!==`",
        }
    }
}

fn operation_of(operator: Operator) -> &'static str {
    match operator {
        Operator::Plus => "`+`",
        Operator::Minus => "`-`",
        Operator::Times => "`*`",
        Operator::Over => "`/`",
    }
}

/// The number in a value, and its currency if it has one.
fn measure(value: &Value) -> Option<(&Exact, Option<Currency>)> {
    match value {
        Value::Number(number) | Value::Percent(number) => Some((number, None)),
        Value::Money { amount, currency } => Some((amount, Some(*currency))),
        Value::Null
        | Value::Bool(_)
        | Value::Text(_)
        | Value::Date(_)
        | Value::List(_)
        | Value::Record(_) => None,
    }
}

fn refuse_null(operation: &'static str, left: &Value, right: &Value) -> Result<(), Doubt> {
    if matches!(left, Value::Null) || matches!(right, Value::Null) {
        return Err(Arc::new(Unevaluable::Null { operation }));
    }
    Ok(())
}
