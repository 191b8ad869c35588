//! An amount shared out so that the parts sum to the whole.

use super::error::FormulaError;
use super::share_words as words;
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::Figure;
use crate::money::Money;

/// Equal parts that sum to the total, the larger ones first.
///
/// # Errors
///
/// No parts, or more than [`Money::PARTS_MAX`].
pub fn split_amount(total: Money, parts: u32) -> Result<Vec<Money>, FormulaError> {
    Ok(total.split(parts as usize)?)
}

/// Parts in proportion to weights that sum to the total. Each is cut toward zero, and the minor units left over go to
/// the largest rests, earlier ones first among equals.
///
/// # Errors
///
/// No weights, a negative one, or all of them zero.
pub fn allocate_amount(total: Money, weights: &[Exact]) -> Result<Vec<Money>, FormulaError> {
    Ok(total.allocate(weights)?)
}

fn answer(parts: Vec<Money>) -> Answer {
    Answer::of([("parts", Figure::List(parts.into_iter().map(Figure::Money).collect()))])
}

/// The results that a task can ask for. Those of one part are picked from the list where the answer is written.
const PARTS_ASKED: &[AskedResult] = &[
    AskedResult::new("parts", "", words::EACH_PART),
    AskedResult::new("largest", "", words::LARGEST_PART),
    AskedResult::new("smallest", "", words::SMALLEST_PART),
    AskedResult::new("first", "", words::FIRST_PART),
    AskedResult::new("last", "", words::LAST_PART),
];

pub(super) const SPLIT_ENTRY: Function = Function {
    name: "split_amount",
    example: Some("Split 100.00 USD in 3 parts"),
    summary: "An amount in equal parts that sum to it.",
    words: words::SPLITTING,
    parameters: &[
        Parameter::required("total", Kind::Money, "the amount to split"),
        Parameter::required("parts", Kind::Whole, "how many parts"),
    ],
    answer: "parts",
    asked: Asked {
        must_name: false,
        results: PARTS_ASKED,
        also: words::EQUALLY,
        evidence: &[],
        unless: words::UNEQUALLY,
    },
    run: |given| Ok(answer(split_amount(given.money("total")?, given.count("parts")?)?)),
};

pub(super) const ALLOCATE_ENTRY: Function = Function {
    name: "allocate_amount",
    example: Some("Allocate 100.00 USD by weights 1, 1, 2"),
    summary: "An amount in parts by weight that sum to it.",
    words: words::ALLOCATING,
    parameters: &[
        Parameter::required("total", Kind::Money, "the amount to share out"),
        Parameter::required("weights", Kind::List(&Kind::Number), "the weight of each part"),
    ],
    answer: "parts",
    asked: Asked {
        must_name: false,
        results: PARTS_ASKED,
        also: words::BY_WEIGHT,
        evidence: &[],
        unless: words::NOT_BY_WEIGHT,
    },
    run: |given| {
        let weights = given.each("weights", |figure| figure.as_number().cloned())?;
        Ok(answer(allocate_amount(given.money("total")?, &weights)?))
    },
};
