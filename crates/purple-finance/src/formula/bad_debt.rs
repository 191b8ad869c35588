//! What must be set aside for receivables that will not be paid.

use super::error::{FormulaError, a_share, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::figure::Line;
use crate::given::Given;
use crate::money::Money;
use crate::rate::Rate;
use crate::rounding::Rounding;

/// Receivables of one age and the share of them that is expected to be lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReserveBucket {
    /// What the bucket is called: `31-60`.
    pub label: String,
    /// What is owed in it.
    pub amount: Money,
    /// The share that is expected to be lost.
    pub loss_pct: Rate,
}

/// A reserve, in all and by bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reserve {
    /// The sum of the lines.
    pub reserve: Money,
    /// What is set aside for each bucket.
    pub lines: Vec<Line>,
}

/// Sums `amount × loss_pct` over the buckets; each is rounded, and the reserve is their sum.
///
/// # Errors
///
/// No buckets, a negative amount, a share outside 0 % to 100 %, two currencies.
pub fn bad_debt_reserve(buckets: &[ReserveBucket], rounding: Rounding) -> Result<Reserve, FormulaError> {
    let Some(first) = buckets.first() else {
        return Err(FormulaError::NoItems { parameter: "buckets" });
    };
    let mut reserve = Money::zero(first.amount.currency());
    let mut lines = Vec::new();
    for ReserveBucket { label, amount, loss_pct } in buckets {
        not_below_zero("amount", amount)?;
        a_share("loss_pct", loss_pct)?;
        let loss = loss_pct.of(amount, rounding)?;
        reserve = reserve.plus(&loss)?;
        lines.push(Line::new(label, format!("{amount} × {loss_pct}"), loss));
    }
    Ok(Reserve { reserve, lines })
}

const BUCKET: &[Parameter] = &[
    Parameter::required("label", Kind::Text, "what the bucket is called"),
    Parameter::required("amount", Kind::Money, "what is owed in it"),
    Parameter::required("loss_pct", Kind::Percent, "the share that is expected to be lost"),
];

pub(super) const ENTRY: Function = Function {
    name: "bad_debt_reserve",
    example: Some("What is the bad debt reserve for 20,000 USD at 2% and 10,000 USD at 10%?"),
    summary: "The reserve for bad debt, from receivables by age and their expected loss.",
    words: &[
        "pauschalwertberichtigung",
        "uneinbringlich*",
        "zweifelhaft*",
        "forderungsausfall",
        "forderungsausfälle",
        "rückstellung für",
        "doubtful accounts",
        "doubtful debts",
        "allowance for",
        "provision for doubtful",
        "loss allowance",
        "einzelwertberichtigung",
        "provision pour créances",
        "provisión para insolvencias",
        "bad debt",
        "bad-debt",
        "doubtful",
        "allowance",
        "reserve",
        "wertberichtigung",
    ],
    parameters: &[
        Parameter::required("buckets", Kind::List(&Kind::Record(BUCKET)), "the receivables by age"),
        Parameter::ROUNDING,
    ],
    answer: "reserve",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("reserve", "", &[])],
        also: &[
            "forderungen",
            "mit",
            "zu",
            "needed",
            "for",
            "rückstellung",
            "und",
            "debts",
            "uneinbringlich*",
            "zweifelhaft*",
            "accounts",
            "current",
            "over",
            "days",
            "overdue",
            "loss",
            "expected",
            "not",
            "due",
            "past due",
            "older",
        ],
        evidence: &[],
        unless: &[],
    },
    run: |given| {
        let bucket = |given: Given| -> Result<ReserveBucket, crate::catalogue::CallError> {
            Ok(ReserveBucket {
                label: given.text("label")?.to_owned(),
                amount: given.money("amount")?,
                loss_pct: given.rate("loss_pct")?.clone(),
            })
        };
        let buckets: Vec<_> =
            given.records("buckets", BUCKET)?.into_iter().map(bucket).collect::<Result<_, _>>()?;
        let found = bad_debt_reserve(&buckets, given.rounding()?)?;
        Ok(Answer::of([("reserve", found.reserve.into())]).with_lines(found.lines))
    },
};
