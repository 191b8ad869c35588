//! How many days it takes until customers pay.

use super::error::{FormulaError, above_zero, not_below_zero};
use crate::catalogue::{Answer, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::Line;
use crate::money::Money;
use crate::rounding::Rounding;

/// The decimals of the days.
pub const DSO_PLACES: u8 = 2;

/// Days sales outstanding: `receivables / credit_sales × days`, to two decimals.
///
/// # Errors
///
/// No sales, no days, negative receivables, two currencies.
pub fn dso(
    receivables: Money,
    credit_sales: Money,
    days: u32,
    rounding: Rounding,
) -> Result<Exact, FormulaError> {
    not_below_zero("receivables", &receivables)?;
    above_zero("credit_sales", &credit_sales)?;
    above_zero("days", &days)?;
    receivables.compare(&credit_sales)?;
    let share = receivables.amount().over(&credit_sales.amount())?;
    Ok(share.times(&Exact::from(days))?.rounded(DSO_PLACES, rounding))
}

pub(super) const ENTRY: Function =
    Function {
        name: "dso",
        summary: "Days sales outstanding: how many days of sales are still unpaid.",
        words: &["dso", "days sales outstanding", "collection period"],
        parameters: &[
            Parameter::required("receivables", Kind::Money, "what customers owe at the end of the period")
                .near(&["receivables", "owed"]),
            Parameter::required("credit_sales", Kind::Money, "what was sold on credit in the period")
                .near(&["credit sales", "sales", "revenue", "sold"]),
            Parameter::default("days", Kind::Days, "365", "the days of the period"),
            Parameter::ROUNDING,
        ],
        answer: "dso",
        run: |given| {
            let (owed, sold, days) =
                (given.money("receivables")?, given.money("credit_sales")?, given.count("days")?);
            let outstanding = dso(owed, sold, days, given.rounding()?)?;
            let line =
                Line::new("days outstanding", format!("{owed} / {sold} × {days}"), outstanding.clone());
            Ok(Answer::of([("dso", outstanding.into())]).with_lines(vec![line]))
        },
    };
