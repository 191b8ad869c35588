//! The loss of value of an asset, in equal months.

use super::error::{FormulaError, above_zero, amount_at_most, at_most, not_below_zero};
use crate::catalogue::{Answer, Function, Kind, Parameter};
use crate::figure::{Figure, Line};
use crate::money::Money;

/// The longest life of an asset: a hundred years.
pub const LIFE_MONTHS_MAX: u32 = 1200;

/// The depreciation of an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Depreciation {
    /// Cost less salvage value: what is lost over the whole life.
    pub base: Money,
    /// What is lost in each month. The months sum to the base, the larger ones first.
    pub months: Vec<Money>,
}

/// Spreads cost less salvage value evenly over the months of an asset's life.
///
/// # Errors
///
/// A life of no months or more than [`LIFE_MONTHS_MAX`], a negative salvage value, or one above the cost.
pub fn straight_line_depreciation(
    cost: Money,
    salvage: Money,
    life_months: u32,
) -> Result<Depreciation, FormulaError> {
    above_zero("cost", &cost)?;
    not_below_zero("salvage", &salvage)?;
    amount_at_most("salvage", &salvage, &cost)?;
    above_zero("life_months", &life_months)?;
    at_most("life_months", &life_months, &LIFE_MONTHS_MAX)?;
    let base = cost.minus(&salvage)?;
    Ok(Depreciation { base, months: base.split(life_months as usize)? })
}

pub(super) const ENTRY: Function = Function {
    name: "straight_line_depreciation",
    summary: "The monthly straight-line depreciation of an asset.",
    words: &["depreciation", "depreciate", "straight-line", "salvage"],
    parameters: &[
        Parameter::required("cost", Kind::Money, "what the asset cost")
            .near(&["cost", "costs", "bought", "price"]),
        Parameter::required("salvage", Kind::Money, "what it is worth at the end of its life")
            .near(&["salvage", "residual", "scrap"]),
        Parameter::required("life_months", Kind::Whole, "how many months it lives"),
    ],
    answer: "first_month",
    run: |given| {
        let (cost, salvage, life) =
            (given.money("cost")?, given.money("salvage")?, given.count("life_months")?);
        let Depreciation { base, months } = straight_line_depreciation(cost, salvage, life)?;
        let (first, last) = (months.first().copied().unwrap_or(base), months.last().copied().unwrap_or(base));
        let lines = vec![
            Line::new("depreciable base", format!("{cost} − {salvage}"), base),
            Line::new("first month", format!("part 1 of {base} in {life}"), first),
            Line::new("last month", format!("part {life} of {base} in {life}"), last),
        ];
        let values = [
            ("base", base.into()),
            ("first_month", first.into()),
            ("last_month", last.into()),
            ("schedule", Figure::List(months.into_iter().map(Figure::Money).collect())),
        ];
        Ok(Answer::of(values).with_lines(lines))
    },
};
