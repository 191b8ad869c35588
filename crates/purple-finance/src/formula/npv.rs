//! What a series of cash flows is worth today.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use super::error::{FormulaError, items_at_most};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter, Per};
use crate::exact::Exact;
use crate::figure::{Figure, Line};
use crate::money::{Money, MoneyError};
use crate::rate::Rate;
use crate::rounding::Rounding;

/// The most cash flows that are discounted: fifty years of months.
pub const FLOWS_MAX: usize = 600;

/// The net present value: the sum of `flow / (1 + rate)^t`, where the first flow is today (t = 0).
///
/// Exact until the one rounding at the end. A spreadsheet's `NPV` discounts the first flow too; ours does not.
///
/// # Errors
///
/// No flows or more than [`FLOWS_MAX`], a rate of −100 % or less, two currencies.
pub fn npv(rate: &Rate, cash_flows: &[Money], rounding: Rounding) -> Result<Money, FormulaError> {
    let (currency, minors) = flows(cash_flows)?;
    let growth = BigRational::one() + rate.as_fraction().to_rational();
    if growth <= BigRational::zero() {
        return Err(FormulaError::NotAbove { parameter: "rate", given: rate.to_string(), bound: "-100%" });
    }
    // Horner from the last flow, over one denominator: sum = dividend / numer^k.
    let (mut dividend, mut divisor) = (BigInt::zero(), BigInt::one());
    for (index, minor) in minors.iter().rev().enumerate() {
        if index > 0 {
            dividend *= growth.denom();
            divisor *= growth.numer();
        }
        dividend += minor * &divisor;
    }
    let minor = rounding.divide_big(&dividend, &divisor).to_i128();
    Ok(Money::from_minor(minor.ok_or(MoneyError::TooLarge { currency })?, currency))
}

/// Cash flows as minor units of their one currency.
pub(super) fn flows(cash_flows: &[Money]) -> Result<(crate::currency::Currency, Vec<BigInt>), FormulaError> {
    let Some(first) = cash_flows.first() else {
        return Err(FormulaError::NoItems { parameter: "cash_flows" });
    };
    items_at_most("cash_flows", cash_flows, FLOWS_MAX)?;
    for flow in cash_flows {
        first.compare(flow)?;
    }
    Ok((first.currency(), cash_flows.iter().map(|flow| flow.minor().into()).collect()))
}

pub(super) fn given_flows(given: &crate::given::Given) -> Result<Vec<Money>, crate::catalogue::CallError> {
    given.each("cash_flows", Figure::as_money)
}

/// Words for money that comes in.
pub(super) const FLOW_WORDS: &[&str] = &[
    "cash flow",
    "cash flows",
    "flows",
    "return",
    "returns",
    "inflow",
    "inflows",
    "proceeds",
    "receipts",
    "income",
    "followed by",
    "then",
    "get back",
    "pays back",
    "rückfluss",
    "rückflüsse",
    "rückflüssen",
    "einzahlung",
    "einzahlungen",
    "zahlungsreihe",
    "zahlungen",
    "cashflows",
    "flux",
    "suivi de",
    "suivis de",
    "flujos",
    "seguido de",
];

/// Words directly at money that goes out at the beginning, written without a sign.
pub(super) const OUTLAY_WORDS: &[&str] = &[
    "pay",
    "pays",
    "paying",
    "spend",
    "spends",
    "spending",
    "cost",
    "costs",
    "costing",
    "cost of",
    "buy for",
    "zahle",
    "zahlen",
    "kostet",
    "kosten",
    "coûte",
    "payer",
    "payons",
    "cuesta",
    "pagamos",
    "pago",
    "initial investment",
    "investment",
    "invest",
    "investing",
    "invested",
    "initial outlay",
    "outlay",
    "initial cost",
    "upfront cost",
    "anfangsinvestition",
    "investition",
    "investitionssumme",
    "anfangsauszahlung",
    "investissement",
    "investissement initial",
    "inversión",
    "inversión inicial",
];

pub(super) const ENTRY: Function = Function {
    name: "npv",
    example: Some("What is the NPV of cash flows -1,000 USD, 600 USD, 600 USD at 10%?"),
    summary: "The net present value of cash flows; the first one is today.",
    words: &[
        "nettobarwerts",
        "kapitalwerts",
        "barwerts",
        "gegenwartswert",
        "van à",
        "van au taux",
        "van de",
        "vna",
        "valor presente neto",
        "nettobarwert",
        "valeur présente nette",
        "npv",
        "net present value",
        "present value",
        "kapitalwert",
        "barwert",
        "valeur actuelle nette",
        "valor actual neto",
    ],
    parameters: &[
        Parameter::required("rate", Kind::Percent, "the discount rate of one period").per(&[Per::Year]),
        Parameter::required("cash_flows", Kind::List(&Kind::Money), "the flows of periods 0, 1, 2 and so on")
            .near(FLOW_WORDS)
            .labels(OUTLAY_WORDS, &[]),
        Parameter::ROUNDING,
    ],
    answer: "npv",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("npv", "", &[])],
        also: &[
            "zinssatz",
            "kalkulationszins*",
            "diskontsatz",
            "diskontierungszins*",
            "abzinsung*",
            "zu",
            "zahlungsreihe",
            "zahlungen",
            "der",
            "rate of",
            "abgezinst",
            "heute",
            "aujourd'hui",
            "hoy",
            "nothing",
            "nichts",
            "rien",
            "nada",
            "after",
            "nach",
            "return",
            "receive",
            "pay",
            "taux",
            "tasa",
            "interest",
            "discounted at",
            "discount",
            "discount rate",
            "discounted",
            "net",
            "year",
            "today",
            "now",
            "first one",
            "initial",
        ],
        evidence: &[],
        unless: &["annuity", "perpetuity", "payback", "amortisationsdauer"],
    },
    run: |given| {
        let (rate, flows) = (given.rate("rate")?, given_flows(given)?);
        let value = npv(rate, &flows, given.rounding()?)?;
        let terms = flows.iter().enumerate().take(12).map(|(t, flow)| format!("{flow} / (1 + {rate})^{t}"));
        let mut expression = terms.collect::<Vec<_>>().join(" + ");
        if flows.len() > 12 {
            expression.push_str(" + …");
        }
        let line = Line::new("net present value", expression, value);
        let count = Exact::from(flows.len() as u64);
        Ok(Answer::of([("npv", value.into()), ("periods", count.into())]).with_lines(vec![line]))
    },
};
