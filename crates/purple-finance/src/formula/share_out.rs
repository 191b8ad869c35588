//! An amount shared out so that the parts sum to the whole.

use super::error::FormulaError;
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

pub(super) const SPLIT_ENTRY: Function = Function {
    name: "split_amount",
    example: Some("Split 100.00 USD in 3 parts"),
    summary: "An amount in equal parts that sum to it.",
    words: &["split", "divide", "divide equally", "equal parts", "teile", "aufteilen", "répartis", "divide"],
    parameters: &[
        Parameter::required("total", Kind::Money, "the amount to split"),
        Parameter::required("parts", Kind::Whole, "how many parts"),
    ],
    answer: "parts",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("parts", "", &["~each", "~jeder", "~chacun", "~cada uno"])],
        also: &[
            "equal",
            "equally",
            "parts",
            "add up",
            "each",
            "evenly",
            "gleich*",
            "gleichmäßig",
            "auf",
            "how much is each",
        ],
        evidence: &[],
        unless: &[
            "weights",
            "weighted",
            "ratio",
            "proportion*",
            "verhältnis",
            "by headcount",
            "pro rata",
            "tip",
            "plus",
        ],
    },
    run: |given| Ok(answer(split_amount(given.money("total")?, given.count("parts")?)?)),
};

pub(super) const ALLOCATE_ENTRY: Function = Function {
    name: "allocate_amount",
    example: Some("Allocate 100.00 USD by weights 1, 1, 2"),
    summary: "An amount in parts by weight that sum to it.",
    words: &[
        "allocate",
        "allocation",
        "apportion",
        "distribute",
        "pro rata",
        "by weight*",
        "weights",
        "split",
        "divide",
        "ratio",
        "verteile",
        "verteilen",
        "teile",
        "aufteilen",
        "verhältnis",
        "im verhältnis",
    ],
    parameters: &[
        Parameter::required("total", Kind::Money, "the amount to share out"),
        Parameter::required("weights", Kind::List(&Kind::Number), "the weight of each part"),
    ],
    answer: "parts",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("parts", "", &["~each", "~jeder", "~chacun", "~cada uno"])],
        also: &["each", "weights", "weight", "by", "auf", "across", "parts", "proportion", "shares"],
        evidence: &[],
        unless: &["equal", "equally", "evenly", "plus", "gleichmäßig"],
    },
    run: |given| {
        let weights = given.each("weights", |figure| figure.as_number().cloned())?;
        Ok(answer(allocate_amount(given.money("total")?, &weights)?))
    },
};
