//! The rate at which cash flows are worth nothing today.

use num_bigint::{BigInt, Sign};
use num_traits::Zero;

use super::error::FormulaError;
use super::npv::{FLOW_WORDS, OUTLAY_WORDS, flows, given_flows};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::Line;
use crate::money::Money;
use crate::rate::Rate;
use crate::rounding::Rounding;

/// The decimals of the percentage.
pub const IRR_PLACES: u8 = 6;
/// The highest rate that is searched, in percent.
pub const IRR_PERCENT_MAX: u32 = 1_000_000;

/// Steps of one millionth of a percent in a growth factor of one.
const UNIT: i128 = 100_000_000;

/// The internal rate of return of one period, to six decimals of a percent, correctly rounded.
///
/// Flows that change sign exactly once have exactly one rate above −100 % (Descartes' rule of signs); it is found by
/// halving an interval with exact integers. Flows that never change sign have none, and flows that change sign more
/// than once may have several: both are refused.
///
/// # Errors
///
/// As above; also no flows, too many flows, two currencies, and a rate outside −99.999999 % to
/// [`IRR_PERCENT_MAX`] %.
pub fn irr(cash_flows: &[Money], rounding: Rounding) -> Result<Rate, FormulaError> {
    let (_, minors) = flows(cash_flows)?;
    match sign_changes(&minors) {
        0 => return Err(FormulaError::NoSignChange),
        1 => {}
        changes => return Err(FormulaError::SeveralSignChanges { changes }),
    }
    // In units of 1/(4 × UNIT), so that a quarter tells which side of a tie the rate is on.
    let value = |quarters: i128| sign_at(&minors, quarters, 4 * UNIT);
    let (mut low, mut high) = (1, UNIT + i128::from(IRR_PERCENT_MAX) * (UNIT / 100));
    let early = value(4 * low);
    let out_of_range = FormulaError::RateOutOfRange { most: IRR_PERCENT_MAX };
    if early != Sign::NoSign && value(4 * high) == early {
        return Err(out_of_range);
    }
    // INVARIANT: the rate is at `low` or above it, and not above `high`.
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if value(4 * middle) == early {
            low = middle;
        } else {
            high = middle;
        }
    }
    let quarters = if value(4 * low) != early || early == Sign::NoSign {
        4 * low
    } else if value(4 * high) == Sign::NoSign {
        4 * high
    } else {
        match value(4 * low + 2) {
            Sign::NoSign => 4 * low + 2,
            sign if sign == early => 4 * low + 3,
            _ => 4 * low + 1,
        }
    };
    let units = rounding.divide(quarters - 4 * UNIT, 4);
    Ok(Rate::percent(&Exact::from_scaled(units, IRR_PLACES))?)
}

/// How often the sign changes from one flow to the next, zeros aside.
fn sign_changes(minors: &[BigInt]) -> usize {
    let signs: Vec<Sign> = minors.iter().map(BigInt::sign).filter(|sign| *sign != Sign::NoSign).collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// The sign of the flows' value at the growth factor `numerator / denominator`.
fn sign_at(minors: &[BigInt], numerator: i128, denominator: i128) -> Sign {
    let (numerator, denominator) = (BigInt::from(numerator), BigInt::from(denominator));
    // Horner with flow 0 first: the sum of flow × numerator^(n−t) × denominator^t has the sign of the value.
    let mut sum = BigInt::zero();
    let mut power = BigInt::from(1);
    for minor in minors {
        sum = sum * &numerator + minor * &power;
        power *= &denominator;
    }
    sum.sign()
}

pub(super) const ENTRY: Function = Function {
    name: "irr",
    example: Some("What is the IRR of cash flows -5,000 USD, 3,000 USD, 3,000 USD?"),
    summary: "The internal rate of return of cash flows, per period.",
    words: &[
        "internen zinsfußes",
        "internen rendite",
        "interner zins",
        "internen zins",
        "interner zinsfusses",
        "tasa de retorno",
        "tir",
        "tri",
        "taux de rendement interne",
        "tasa interna de retorno",
        "interner zinssatz",
        "internen zinssatz",
        "interne verzinsung",
        "irr",
        "internal rate of return",
        "rate of return",
        "interner zinsfuß",
        "interner zinsfuss",
        "interne zinsfuß",
        "interne zinsfuss",
        "internen zinsfuß",
        "interne rendite",
    ],
    parameters: &[
        Parameter::required("cash_flows", Kind::List(&Kind::Money), "the flows of periods 0, 1, 2 and so on")
            .near(FLOW_WORDS)
            .labels(OUTLAY_WORDS, &[]),
        Parameter::ROUNDING,
    ],
    answer: "rate",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("rate", "", &[])],
        also: &[
            "zahlungen",
            "zahlungsreihe",
            "von",
            "haben",
            "have",
            "hat",
            "heute",
            "aujourd'hui",
            "hoy",
            "nichts",
            "rien",
            "nada",
            "per year",
            "a year",
            "get",
            "back",
            "invest",
            "after",
            "annual",
            "pro jahr",
            "exactly",
            "nothing in between",
            "in between",
            "dazwischen",
            "receive",
            "pay",
            "per period",
            "year",
            "today",
            "now",
            "nothing",
            "first one",
            "initial",
            "return",
            "returns",
        ],
        evidence: &[],
        unless: &["modified", "mirr"],
    },
    run: |given| {
        let flows = given_flows(given)?;
        let rate = irr(&flows, given.rounding()?)?;
        let line = Line::new(
            "internal rate of return",
            format!("the rate at which {} flows are worth 0 today", flows.len()),
            rate.clone(),
        );
        Ok(Answer::of([("rate", rate.into())]).with_lines(vec![line]))
    },
};
