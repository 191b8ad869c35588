//! The amount of one period out of several.

use super::error::{FormulaError, above_zero, at_most};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter, Per};
use crate::figure::Line;
use crate::money::Money;

/// The amount of period `period_num`, counted from one. All periods sum to the total to the minor unit, and the
/// earlier ones carry what does not divide evenly: 100.00 in three is 33.34, 33.33, 33.33.
///
/// # Errors
///
/// No periods, or a period that is not one of them.
pub fn prorated_for_period(total: Money, period_num: u32, total_periods: u32) -> Result<Money, FormulaError> {
    above_zero("total_periods", &total_periods)?;
    above_zero("period_num", &period_num)?;
    at_most("period_num", &period_num, &total_periods)?;
    Ok(total.part(i128::from(period_num) - 1, total_periods.into()))
}

pub(super) const ENTRY: Function = Function {
    name: "prorated_for_period",
    example: Some("Calculate the amount of period 1 of 3 of a prorated total of 100.00 USD"),
    summary: "The amount of one period, such that all periods sum to the total.",
    words: &[
        "periode",
        "perioden",
        "rate",
        "teilbetrag",
        "anteilig*",
        "zeitraum",
        "échéances",
        "mensualités",
        "cuotas",
        "plazo",
        "teilzahlung",
        "raten",
        "échéance",
        "mensualité",
        "cuota",
        "period",
        "periods",
        "instalment",
        "installment",
        "prorated",
    ],
    parameters: &[
        Parameter::required("total", Kind::Money, "the amount of all periods"),
        Parameter::required("period_num", Kind::Whole, "which period, counted from one").near(&[
            "rate",
            "échéance",
            "mensualité",
            "cuota",
            "teilzahlung",
            "teilbetrag",
            "periode",
            "zeitraum",
            "period",
            "instalment",
            "installment",
        ]),
        Parameter::required("total_periods", Kind::Whole, "how many periods there are")
            .near(&[
                "von",
                "sur",
                "de",
                "raten",
                "teilzahlungen",
                "échéances",
                "cuotas",
                "equal periods",
                "monthly periods",
                "perioden",
                "of",
                "periods",
                "instalments",
                "installments",
            ])
            .per(&[Per::Week, Per::Month, Per::Quarter, Per::Year]),
    ],
    answer: "amount",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("amount", "", &[])],
        also: &[
            "anteilig*",
            "gesamtbetrag",
            "summe",
            "betrag",
            "einer",
            "bei",
            "der",
            "total",
            "amount",
            "rate",
            "somme",
            "importe",
            "prorate",
            "prorated",
            "monthly",
            "equal",
            "quarterly",
            "yearly",
        ],
        evidence: &[],
        unless: &["loan", "interest"],
    },
    run: |given| {
        let (total, number) = (given.money("total")?, given.count("period_num")?);
        let periods = given.count("total_periods")?;
        let amount = prorated_for_period(total, number, periods)?;
        let line =
            Line::new(format!("period {number}"), format!("part {number} of {total} in {periods}"), amount);
        Ok(Answer::of([("amount", amount.into())]).with_lines(vec![line]))
    },
};
