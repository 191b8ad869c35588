//! A statement with what it rests on, and with the values that may rest on it.

use std::ops::Range;

use purple_finance::{Currency, Exact, Rounding};

use super::quantity::{Closeness, Quantity};
use super::{Kind, Statement};

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

/// A statement in the making: figures, what they may come to, and what is claimed.
pub(super) struct Made<'q> {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
    pub(super) inputs: Vec<&'q Quantity>,
    pub(super) claim: &'q Quantity,
    /// What it may come to; it holds if one of them is stated, and else the first is told.
    pub(super) readings: Vec<Exact>,
    pub(super) closeness: Closeness,
    /// Whether the inputs multiply or divide.
    pub(super) is_scale: bool,
}

impl Made<'_> {
    /// Holds the claim against what the figures come to.
    pub(super) fn found(self, text: &str) -> Option<Found> {
        let holding = self.readings.iter().find(|exact| self.claim.states(exact, self.closeness));
        let ok = holding.is_some();
        let exact = holding.or(self.readings.first())?.clone();
        let gives = match (ok, self.claim.is_percent) {
            (false, _) => Vec::new(),
            (true, true) => resting_percent(&exact),
            (true, false) => resting(&exact, Some(self.claim)),
        };
        let statement = Statement {
            text: text.get(self.span.clone()).unwrap_or_default().to_owned(),
            span: self.span,
            kind: self.kind,
            inputs: self.inputs.iter().map(|quantity| quantity.value.clone()).collect(),
            stated: self.claim.value.clone(),
            exact: Some(exact),
            ok,
            fault: None,
        };
        let is_scale = self.is_scale;
        let terms = self.inputs.iter().map(|quantity| Term { is_scale, ..Term::addend(quantity) }).collect();
        Some(Found { statement, terms, gives })
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
