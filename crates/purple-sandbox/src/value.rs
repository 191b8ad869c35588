//! How values cross the border of the language, and how they compare.
//!
//! Inside, a whole number that fits 64 bits is an integer of the language, so that it can count and index; every other
//! result is an [`Exact`]. A literal with a point is a decimal of the language until something is done with it.

use std::cmp::Ordering;

use purple_port::{CallFault, Datum, Exact, VALUE_LEVELS_MAX};
use rhai::{Array, Dynamic, ImmutableString, Map};
use rust_decimal::Decimal;

use crate::fault::wide;

/// The value for the language.
pub(crate) fn inward(datum: &Datum) -> Dynamic {
    match datum {
        Datum::Number(number) => from_exact(number.clone()),
        Datum::Text(text) => Dynamic::from(ImmutableString::from(text.as_str())),
        Datum::Truth(truth) => Dynamic::from(*truth),
        Datum::List(items) => Dynamic::from(items.iter().map(inward).collect::<Array>()),
        Datum::Record(fields) => Dynamic::from(
            fields.iter().map(|(name, datum)| (name.as_str().into(), inward(datum))).collect::<Map>(),
        ),
    }
}

/// The value that the language gives, if it is one that may leave.
pub(crate) fn outward(value: &Dynamic) -> Result<Datum, CallFault> {
    let datum = out(value, VALUE_LEVELS_MAX)?;
    if datum.is_within_bounds() {
        Ok(datum)
    } else {
        Err(CallFault::TooLarge { what: "the answer", most: wide(VALUE_LEVELS_MAX) })
    }
}

fn out(value: &Dynamic, levels: usize) -> Result<Datum, CallFault> {
    if let Some(number) = to_exact(value) {
        return Ok(Datum::Number(number));
    }
    if let Some(text) = to_text(value) {
        return Ok(Datum::Text(text));
    }
    if let Ok(truth) = value.as_bool() {
        return Ok(Datum::Truth(truth));
    }
    let Some(below) = levels.checked_sub(1) else {
        return Err(CallFault::TooLarge { what: "the depth of the answer", most: wide(VALUE_LEVELS_MAX) });
    };
    if let Ok(items) = value.as_array_ref() {
        return items.iter().map(|item| out(item, below)).collect::<Result<_, _>>().map(Datum::List);
    }
    if let Ok(fields) = value.as_map_ref() {
        let fields = fields.iter().map(|(name, field)| Ok((name.to_string(), out(field, below)?)));
        return fields.collect::<Result<_, _>>().map(Datum::Record);
    }
    Err(CallFault::WrongShape { found: kind(value) })
}

/// What kind of value it is, in a word.
pub(crate) fn kind(value: &Dynamic) -> &'static str {
    if is_number(value) {
        "number"
    } else if value.is_string() || value.is_char() {
        "text"
    } else if value.is_bool() {
        "truth"
    } else if value.is_array() {
        "list"
    } else if value.is_map() {
        "record"
    } else if value.is_unit() {
        "nothing"
    } else {
        "other value"
    }
}

pub(crate) fn is_number(value: &Dynamic) -> bool {
    value.is_int() || value.is::<Exact>() || value.is::<Decimal>()
}

/// The exact number, if it is a number.
pub(crate) fn to_exact(value: &Dynamic) -> Option<Exact> {
    if let Ok(whole) = value.as_int() {
        return Some(Exact::from(whole));
    }
    if let Some(exact) = value.read_lock::<Exact>() {
        return Some(exact.clone());
    }
    let decimal = value.as_decimal().ok()?;
    // A literal has at most 28 decimals, and ten to that power fits.
    Exact::ratio(decimal.mantissa(), 10i128.checked_pow(decimal.scale())?).ok()
}

/// The number for the language, in its one form.
pub(crate) fn from_exact(number: Exact) -> Dynamic {
    match number.to_i128().and_then(|whole| i64::try_from(whole).ok()) {
        Some(whole) => Dynamic::from(whole),
        None => Dynamic::from(number),
    }
}

/// The text, if it is one; a character is a short text.
pub(crate) fn to_text(value: &Dynamic) -> Option<String> {
    if let Ok(text) = value.as_immutable_string_ref() {
        return Some(text.to_string());
    }
    value.as_char().ok().map(String::from)
}

/// Whether two values are the same. Values of different kinds are not; too deep ones have no answer.
pub(crate) fn same(left: &Dynamic, right: &Dynamic) -> Option<bool> {
    alike(left, right, VALUE_LEVELS_MAX)
}

fn alike(left: &Dynamic, right: &Dynamic, levels: usize) -> Option<bool> {
    if let (Ok(left), Ok(right)) = (left.as_array_ref(), right.as_array_ref()) {
        let below = levels.checked_sub(1)?;
        return every(left.len() == right.len(), left.iter().zip(right.iter()), below);
    }
    if let (Ok(left), Ok(right)) = (left.as_map_ref(), right.as_map_ref()) {
        let below = levels.checked_sub(1)?;
        return every(left.keys().eq(right.keys()), left.values().zip(right.values()), below);
    }
    Some(order(left, right).map_or(left.is_unit() && right.is_unit(), Ordering::is_eq))
}

fn every<'a>(
    mut so_far: bool,
    pairs: impl Iterator<Item = (&'a Dynamic, &'a Dynamic)>,
    levels: usize,
) -> Option<bool> {
    for (left, right) in pairs {
        so_far = so_far && alike(left, right, levels)?;
    }
    Some(so_far)
}

/// The order of two numbers, two texts or two truths.
pub(crate) fn order(left: &Dynamic, right: &Dynamic) -> Option<Ordering> {
    if let (Ok(left), Ok(right)) = (left.as_int(), right.as_int()) {
        return Some(left.cmp(&right));
    }
    if let (Some(left), Some(right)) = (to_exact(left), to_exact(right)) {
        return Some(left.cmp(&right));
    }
    if let (Ok(left), Ok(right)) = (left.as_bool(), right.as_bool()) {
        return Some(left.cmp(&right));
    }
    Some(to_text(left)?.cmp(&to_text(right)?))
}
