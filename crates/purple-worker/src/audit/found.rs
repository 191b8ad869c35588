//! A statement with what it rests on, and with the values that may rest on it.

use purple_finance::{Currency, Exact, Rounding};

use super::Statement;
use super::quantity::Quantity;

/// Decimals of an amount, where no currency says otherwise, and of a percentage.
pub(super) const AMOUNT_PLACES: u8 = 2;

/// A statement of a text.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) statement: Statement,
    /// The figures that go in.
    pub(super) terms: Vec<Term>,
    /// What a figure may be that rests on it; nothing where it does not hold.
    pub(super) gives: Vec<Exact>,
}

/// A figure that goes into a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) value: Exact,
    pub(super) is_percent: bool,
    /// Whether it multiplies or divides, or is the one beside a percentage: `1 + 12%`.
    pub(super) is_scale: bool,
}

impl Term {
    /// A figure that is added to others.
    pub(super) fn addend(quantity: &Quantity) -> Self {
        Self { value: quantity.value.clone(), is_percent: quantity.is_percent, is_scale: false }
    }
}

/// The exact value itself, and rounded as an amount is: to the decimals of the currency that the claim names, else to
/// two, half to even or half up. A claim may show fewer digits and hold; nothing rests on those.
pub(super) fn resting(exact: &Exact, claim: Option<&Quantity>) -> Vec<Exact> {
    let currency = claim.and_then(|claim| claim.currency.as_deref()).unwrap_or_default();
    // Yen have no decimals, and yuan have two.
    let code = if currency == "¥" { "JPY" } else { currency };
    let mut values = rounded(exact, Currency::parse(code).map_or(AMOUNT_PLACES, Currency::digits));
    if currency == "¥" {
        values.extend(rounded(exact, AMOUNT_PLACES));
    }
    values
}

/// The same for a percentage: its fraction and its points, rounded to two decimals of a point.
pub(super) fn resting_percent(fraction: &Exact) -> Vec<Exact> {
    let hundred = Exact::from(100);
    let points = fraction.times(&hundred).map(|points| rounded(&points, AMOUNT_PLACES)).unwrap_or_default();
    let fractions: Vec<Exact> = points.iter().filter_map(|points| points.over(&hundred).ok()).collect();
    [fraction.clone()].into_iter().chain(points).chain(fractions).collect()
}

/// A value as it stands, and rounded both ways.
pub(super) fn rounded(exact: &Exact, places: u8) -> Vec<Exact> {
    let [even, up] = [Rounding::HalfEven, Rounding::HalfUp].map(|rounding| exact.rounded(places, rounding));
    vec![exact.clone(), even, up]
}
