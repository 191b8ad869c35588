//! Receivables by how long they are overdue.

use jiff::civil::Date;

use super::error::{FormulaError, above_zero, items_at_most};
use crate::calendar::days_between;
use crate::catalogue::{Answer, Asked, CallError, Function, Kind, Parameter};
use crate::figure::{Figure, Line};
use crate::given::Given;
use crate::money::Money;

/// The most bounds between buckets.
pub const AGING_BOUNDS_MAX: usize = 12;

/// Something a customer owes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receivable {
    /// What identifies it.
    pub id: String,
    /// What is owed; a credit is negative.
    pub amount: Money,
    /// When it was due.
    pub due: Date,
}

/// The receivables of one age.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgingBucket {
    /// `not due`, `1-30`, …, `over 90`.
    pub label: String,
    /// What is owed in it.
    pub amount: Money,
    /// Which receivables are in it, in the order they were given.
    pub ids: Vec<String>,
}

/// All receivables by age; the buckets sum to the total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aging {
    /// The buckets, the youngest first. Empty ones are there too.
    pub buckets: Vec<AgingBucket>,
    /// The sum.
    pub total: Money,
}

/// Sorts receivables by the days they are overdue on a given date.
///
/// `bounds` are the last days of the buckets: 30, 60, 90 makes *not due* (due on that date or later), 1 to 30, 31 to
/// 60, 61 to 90 and *over 90*.
///
/// # Errors
///
/// No receivables, two currencies; no bounds, too many, or bounds that do not rise.
pub fn aging_buckets(receivables: &[Receivable], as_of: Date, bounds: &[u32]) -> Result<Aging, FormulaError> {
    let Some(first) = receivables.first() else {
        return Err(FormulaError::NoItems { parameter: "receivables" });
    };
    let Some(last_bound) = bounds.last() else {
        return Err(FormulaError::NoItems { parameter: "bounds" });
    };
    items_at_most("bounds", bounds, AGING_BOUNDS_MAX)?;
    above_zero("bounds", &bounds[0])?;
    if bounds.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(FormulaError::NotRising { parameter: "bounds" });
    }
    let zero = Money::zero(first.amount.currency());
    let bucket = |label: String| AgingBucket { label, amount: zero, ids: Vec::new() };
    let starts = std::iter::once(0).chain(bounds.iter().copied());
    let between =
        starts.zip(bounds).map(|(before, bound)| bucket(format!("{}-{bound}", u64::from(before) + 1)));
    let mut buckets: Vec<AgingBucket> = std::iter::once(bucket("not due".to_owned()))
        .chain(between)
        .chain(std::iter::once(bucket(format!("over {last_bound}"))))
        .collect();
    let mut total = zero;
    for receivable in receivables {
        let overdue = days_between(receivable.due, as_of);
        let index = if overdue <= 0 {
            0
        } else {
            1 + bounds.iter().filter(|bound| overdue > i64::from(**bound)).count()
        };
        let bucket = &mut buckets[index];
        bucket.amount = bucket.amount.plus(&receivable.amount)?;
        bucket.ids.push(receivable.id.clone());
        total = total.plus(&receivable.amount)?;
    }
    Ok(Aging { buckets, total })
}

const RECEIVABLE: &[Parameter] = &[
    Parameter::required("id", Kind::Text, "what identifies it"),
    Parameter::required("amount", Kind::Money, "what is owed"),
    Parameter::required("due", Kind::Date, "when it was due"),
];

pub(super) const ENTRY: Function = Function {
    name: "aging_buckets",
    example: None,
    summary: "Receivables sorted by how many days they are overdue.",
    words: &["aging", "ageing", "overdue", "receivables"],
    parameters: &[
        Parameter::required("receivables", Kind::List(&Kind::Record(RECEIVABLE)), "what customers owe"),
        Parameter::required("as_of", Kind::Date, "the date on which the age is taken"),
        Parameter::default("bounds", Kind::List(&Kind::Days), "30,60,90", "the last days of the buckets"),
    ],
    answer: "buckets",
    asked: Asked::PLAIN,
    run: |given| {
        let receivable = |given: Given| -> Result<Receivable, CallError> {
            Ok(Receivable {
                id: given.text("id")?.to_owned(),
                amount: given.money("amount")?,
                due: given.date("due")?,
            })
        };
        let receivables: Vec<_> = given
            .records("receivables", RECEIVABLE)?
            .into_iter()
            .map(receivable)
            .collect::<Result<_, _>>()?;
        let days = given.each("bounds", Figure::as_days)?;
        let bound = |days: i64| {
            u32::try_from(days)
                .map_err(|_| FormulaError::NotAboveZero { parameter: "bounds", given: days.to_string() })
        };
        let bounds: Vec<u32> = days.into_iter().map(bound).collect::<Result<_, _>>()?;
        let as_of = given.date("as_of")?;
        let Aging { buckets, total } = aging_buckets(&receivables, as_of, &bounds)?;
        let line = |bucket: &AgingBucket| {
            Line::new(&bucket.label, format!("{} receivables", bucket.ids.len()), bucket.amount)
        };
        let mut lines: Vec<Line> = buckets.iter().map(line).collect();
        lines.push(Line::new("total", format!("{} receivables on {as_of}", receivables.len()), total));
        let row = |bucket: AgingBucket| {
            Figure::record([
                ("label", Figure::Text(bucket.label)),
                ("amount", bucket.amount.into()),
                ("ids", Figure::List(bucket.ids.into_iter().map(Figure::Text).collect())),
            ])
        };
        let buckets = Figure::List(buckets.into_iter().map(row).collect());
        Ok(Answer::of([("buckets", buckets), ("total", total.into())]).with_lines(lines))
    },
};
