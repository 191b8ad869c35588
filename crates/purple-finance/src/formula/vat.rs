//! Value-added tax on top of an amount, and inside one.

use super::error::{FormulaError, not_below_zero};
use super::vat_words as words;
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::Line;
use crate::money::Money;
use crate::rate::Rate;
use crate::rounding::Rounding;

/// An amount without tax, the tax, and both together; `net + tax = gross` always.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vat {
    /// Without tax.
    pub net: Money,
    /// The tax.
    pub tax: Money,
    /// With tax.
    pub gross: Money,
}

/// Adds tax to a net amount; the tax is rounded.
///
/// # Errors
///
/// A negative rate.
pub fn add_vat(net: Money, rate: &Rate, rounding: Rounding) -> Result<Vat, FormulaError> {
    not_below_zero("rate", rate)?;
    let tax = rate.of(&net, rounding)?;
    Ok(Vat { net, tax, gross: net.plus(&tax)? })
}

/// Finds the tax inside a gross amount: `gross × rate / (1 + rate)`, rounded; the net amount is what is left.
///
/// # Errors
///
/// A negative rate.
pub fn extract_vat(gross: Money, rate: &Rate, rounding: Rounding) -> Result<Vat, FormulaError> {
    not_below_zero("rate", rate)?;
    let share = rate.as_fraction().over(&Exact::ONE.plus(rate.as_fraction())?)?;
    let tax = gross.times(&share, rounding)?;
    Ok(Vat { net: gross.minus(&tax)?, tax, gross })
}

fn answer(vat: &Vat, lines: Vec<Line>) -> Answer {
    Answer::of([("net", vat.net.into()), ("tax", vat.tax.into()), ("gross", vat.gross.into())])
        .with_lines(lines)
}

pub(super) const ADD_ENTRY: Function = Function {
    name: "add_vat",
    example: Some("What is the gross amount for 1,000 EUR net at 19% VAT?"),
    summary: "A net amount with value-added tax added.",
    words: words::TAX_NAMES,
    parameters: &[
        Parameter::required("net", Kind::Money, "the amount without tax")
            .labels(words::NET_LABELS, words::GROSS_LABELS),
        Parameter::required("rate", Kind::Percent, "the tax rate"),
        Parameter::ROUNDING,
    ],
    answer: "gross",
    asked: Asked {
        must_name: true,
        results: &[
            AskedResult::new("tax", "", words::ADDED_TAX),
            AskedResult::new("net", "", words::NET_ASKED),
            AskedResult::new("gross", "", words::ADDED_GROSS),
        ],
        also: &["total", "put"],
        evidence: words::ADD_EVIDENCE,
        unless: words::ADD_UNLESS,
    },
    run: |given| {
        let (net, rate) = (given.money("net")?, given.rate("rate")?);
        let vat = add_vat(net, rate, given.rounding()?)?;
        let lines = vec![
            Line::new("tax", format!("{net} × {rate}"), vat.tax),
            Line::new("gross", format!("{net} + {}", vat.tax), vat.gross),
        ];
        Ok(answer(&vat, lines))
    },
};

pub(super) const EXTRACT_ENTRY: Function = Function {
    name: "extract_vat",
    example: Some("Extract 19% VAT from 1,190.00 EUR gross"),
    summary: "The value-added tax that a gross amount contains.",
    words: words::TAX_NAMES,
    parameters: &[
        Parameter::required("gross", Kind::Money, "the amount with tax")
            .labels(words::GROSS_LABELS, words::NET_LABELS),
        Parameter::required("rate", Kind::Percent, "the tax rate"),
        Parameter::ROUNDING,
    ],
    answer: "tax",
    asked: Asked {
        must_name: true,
        results: &[
            AskedResult::new("tax", "", words::TAX_ASKED),
            AskedResult::new("net", "", words::EXTRACTED_NET),
            AskedResult::new("gross", "", words::GROSS_ASKED),
        ],
        also: &[
            "inside",
            "within",
            "in it",
            "drin",
            "darin",
            "contain",
            "enthaltene*",
            "wie viel",
            "herauszurechnen",
            "dans",
            "hay",
            "gibt es",
            "take",
            "out of",
            "out",
            "tax",
        ],
        evidence: words::EXTRACT_EVIDENCE,
        unless: words::EXTRACT_UNLESS,
    },
    run: |given| {
        let (gross, rate) = (given.money("gross")?, given.rate("rate")?);
        let vat = extract_vat(gross, rate, given.rounding()?)?;
        let lines = vec![
            Line::new("tax", format!("{gross} × {rate} / (1 + {rate})"), vat.tax),
            Line::new("net", format!("{gross} − {}", vat.tax), vat.net),
        ];
        Ok(answer(&vat, lines))
    },
};
