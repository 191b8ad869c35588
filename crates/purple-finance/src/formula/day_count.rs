//! Days between two dates by a convention of the money market.

use jiff::civil::Date;

use super::error::FormulaError;
use crate::calendar::DayCount;
use crate::catalogue::{Answer, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::{Figure, Line};

/// Days and the share of a year between two dates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedDays {
    /// The days that the convention counts.
    pub days: i64,
    /// The share of a year, exactly.
    pub year_fraction: Exact,
}

/// Counts the days from one date to another, the last one not included.
///
/// # Errors
///
/// Dates in the wrong order.
pub fn day_count(from: Date, to: Date, convention: DayCount) -> Result<CountedDays, FormulaError> {
    let days = convention.days(from, to)?;
    Ok(CountedDays { days, year_fraction: convention.year_fraction(from, to)? })
}

pub(super) const ENTRY: Function = Function {
    name: "day_count",
    summary: "Days and the share of a year between two dates, by a named convention.",
    words: &["days between", "day count", "year fraction"],
    parameters: &[
        Parameter::required("from", Kind::Date, "the first date").near(&["from", "between", "since"]),
        Parameter::required("to", Kind::Date, "the last date, which is not counted")
            .near(&["to", "and", "until"]),
        Parameter::default(
            "convention",
            Kind::Choice(DayCount::NAMES),
            "actual_365",
            "how days and years are counted",
        ),
    ],
    answer: "days",
    run: |given| {
        let convention = DayCount::parse(given.text("convention")?).map_err(FormulaError::from)?;
        let (from, to) = (given.date("from")?, given.date("to")?);
        let counted = day_count(from, to, convention)?;
        let days = Figure::Days(counted.days);
        let line = Line::new("days", format!("{from} to {to}"), days.clone());
        Ok(Answer::of([("days", days), ("year_fraction", counted.year_fraction.into())])
            .with_lines(vec![line]))
    },
};
