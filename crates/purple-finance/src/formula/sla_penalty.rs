//! The penalty for downtime beyond what an agreement allows.

use super::error::{FormulaError, above_zero, at_most, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Counted, Function, Kind, Parameter, Per};
use crate::exact::Exact;
use crate::figure::Line;
use crate::money::Money;
use crate::rounding::Rounding;

/// The penalty: `excess_minutes / total_minutes × monthly_fee × multiplier`, rounded once, at the end.
///
/// # Errors
///
/// No minutes, more excess than there are minutes, a negative figure, a multiplier of zero or less.
pub fn sla_penalty(
    excess_minutes: &Exact,
    total_minutes: &Exact,
    monthly_fee: Money,
    multiplier: &Exact,
    rounding: Rounding,
) -> Result<Money, FormulaError> {
    above_zero("total_minutes", total_minutes)?;
    not_below_zero("excess_minutes", excess_minutes)?;
    at_most("excess_minutes", excess_minutes, total_minutes)?;
    not_below_zero("monthly_fee", &monthly_fee)?;
    above_zero("multiplier", multiplier)?;
    let factor = excess_minutes.over(total_minutes)?.times(multiplier)?;
    Ok(monthly_fee.times(&factor, rounding)?)
}

pub(super) const ENTRY: Function = Function {
    name: "sla_penalty",
    example: Some(
        "Calculate the SLA penalty: 345.6 excess minutes of 43200 total minutes, monthly fee 85,000 USD, multiplier 1.5",
    ),
    summary: "The penalty for downtime beyond what a service level agreement allows.",
    words: &[
        "sla-strafe",
        "sla-vertragsstrafe",
        "strafe",
        "pönale",
        "sla-pönale",
        "pénalité",
        "penalización",
        "penalidad",
        "sla",
        "penalty",
        "uptime",
        "excess downtime",
        "vertragsstrafe",
    ],
    parameters: &[
        Parameter::required("excess_minutes", Kind::Number, "the minutes of downtime beyond what is allowed")
            .near(&[
                "überschritten*",
                "überschrittenen minuten",
                "überschreitungsminuten",
                "überschrittene minuten",
                "zu viel",
                "minutes beyond",
                "beyond the limit",
                "excédentaires",
                "excedentes",
                "excess",
                "beyond",
                "excess minutes",
            ])
            .counts(Counted::Minutes),
        Parameter::required("total_minutes", Kind::Number, "the minutes of the whole month")
            .near(&["gesamtminuten", "totales", "total", "month", "whole", "total minutes"])
            .counts(Counted::Minutes),
        Parameter::required("monthly_fee", Kind::Money, "the fee of the month").per(&[Per::Month]),
        Parameter::required("multiplier", Kind::Number, "how many times the share of the fee is owed")
            .near(&["faktor", "multiplikator", "facteur", "multiplicador", "multiplier", "factor"]),
        Parameter::ROUNDING,
    ],
    answer: "penalty",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("penalty", "", &[])],
        also: &[
            "minuten",
            "monatsgebühr",
            "monatliche gebühr",
            "faktor",
            "überschritten*",
            "überschreitungsminuten",
            "gesamtminuten",
            "beyond the limit",
            "limit",
            "beyond",
            "factor",
            "monatlich*",
            "multiplikator",
            "insgesamt",
            "gesamt",
            "excess",
            "minutes",
            "total",
            "multiplier",
            "monthly",
            "fee",
        ],
        evidence: &[],
        unless: &["cap", "capped", "yearly", "annual"],
    },
    run: |given| {
        let (excess, total) = (given.number("excess_minutes")?, given.number("total_minutes")?);
        let (fee, multiplier) = (given.money("monthly_fee")?, given.number("multiplier")?);
        let penalty = sla_penalty(excess, total, fee, multiplier, given.rounding()?)?;
        let line = Line::new("penalty", format!("{excess} / {total} × {fee} × {multiplier}"), penalty);
        Ok(Answer::of([("penalty", penalty.into())]).with_lines(vec![line]))
    },
};
