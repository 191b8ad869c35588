//! Minutes of downtime from percentages of uptime.

use super::error::{FormulaError, a_share, above_zero};
use crate::catalogue::{Answer, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::Line;
use crate::rate::Rate;

/// Minutes of downtime: allowed, measured, and beyond what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlaDowntime {
    /// The minutes that the agreement allows.
    pub allowed: Exact,
    /// The minutes that were measured.
    pub actual: Exact,
    /// The minutes beyond what is allowed; none if the agreement was kept.
    pub excess: Exact,
    /// The computation.
    pub lines: Vec<Line>,
}

/// Turns a promised and a measured uptime into minutes of downtime.
///
/// # Errors
///
/// No minutes, or an uptime outside 0 % to 100 %.
pub fn sla_downtime(
    target_pct: &Rate,
    measured_pct: &Rate,
    total_minutes: &Exact,
) -> Result<SlaDowntime, FormulaError> {
    a_share("target_pct", target_pct)?;
    a_share("measured_pct", measured_pct)?;
    above_zero("total_minutes", total_minutes)?;
    let down = |uptime: &Rate| Exact::ONE.minus(uptime.as_fraction())?.times(total_minutes);
    let (allowed, actual) = (down(target_pct)?, down(measured_pct)?);
    let beyond = actual.minus(&allowed)?;
    let excess = if beyond.is_negative() { Exact::ZERO } else { beyond };
    let lines = vec![
        Line::new("allowed minutes", format!("(100% − {target_pct}) × {total_minutes}"), allowed.clone()),
        Line::new("actual minutes", format!("(100% − {measured_pct}) × {total_minutes}"), actual.clone()),
        Line::new("excess minutes", format!("{actual} − {allowed}, at least 0"), excess.clone()),
    ];
    Ok(SlaDowntime { allowed, actual, excess, lines })
}

pub(super) const ENTRY: Function = Function {
    name: "sla_downtime",
    summary: "The minutes of downtime that an uptime percentage allows, that were measured, and the excess.",
    words: &["uptime", "downtime", "availability", "sla"],
    parameters: &[
        Parameter::required("target_pct", Kind::Percent, "the uptime that was promised").near(&[
            "sla",
            "target",
            "promised",
            "agreed",
            "guaranteed",
            "against",
        ]),
        Parameter::required("measured_pct", Kind::Percent, "the uptime that was measured").near(&[
            "uptime",
            "measured",
            "actual",
            "achieved",
            "availability",
        ]),
        Parameter::default(
            "total_minutes",
            Kind::Number,
            "43200",
            "the minutes of the period; 43200 is a month of 30 days",
        ),
    ],
    answer: "excess",
    run: |given| {
        let (target, measured) = (given.rate("target_pct")?, given.rate("measured_pct")?);
        let found = sla_downtime(target, measured, given.number("total_minutes")?)?;
        let values = [
            ("allowed", found.allowed.into()),
            ("actual", found.actual.into()),
            ("excess", found.excess.into()),
        ];
        Ok(Answer::of(values).with_lines(found.lines))
    },
};
