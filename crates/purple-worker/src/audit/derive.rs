//! Where the figures of a plan come from: a field that was gathered, a value that was computed, a founded statement.

use std::collections::BTreeSet;
use std::fmt;

use purple_finance::Exact;
use serde::Serialize;
use serde_json::Value;

use super::found::{AMOUNT_PLACES, Found, Term, rounded};
use super::quantity::Quantity;
use super::token::{Token, TokenKind, tokens};
use super::{FIGURES_MAX, Statement, Unaudited, listed, shown};

/// How many values may lie inside each other.
const LEVELS_MAX: usize = 32;
/// How often the statements are gone through: one may rest on another that stands further down.
const PASSES_MAX: usize = 16;

/// Numbers that a statement may multiply or divide by without anybody vouching for them: one and two, the months of a
/// year, the hundred of a percentage, and the days by which interest is counted.
///
/// They say how a figure is scaled and never how large it is, and everybody agrees on them. The first four are those
/// that the calculator of a model takes as well. As something that is added they need a source like any other figure,
/// and a statement of nothing else founds nothing. The days of a week or a month, hours, quarters, rates and thresholds
/// are not among them: a record, the policy or the task says those.
const PLAIN_SCALES: [i128; 7] = [1, 2, 12, 100, 360, 365, 366];

/// A figure with its name: a field that was gathered, a value that was computed, or an argument of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Known {
    /// Its name: `credit.amount`.
    pub name: String,
    /// Its value.
    pub value: Exact,
}

/// A figure of an operation that nothing accounts for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Underived {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Exact,
    /// What it should be, where the text says how it came about.
    pub exact: Option<Exact>,
    /// The numbers from which that comes.
    pub inputs: Vec<Exact>,
}

impl fmt::Display for Underived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is {}", self.name, shown(&self.value))?;
        match &self.exact {
            Some(exact) => write!(f, ", but {} give {}", listed(&self.inputs), shown(exact)),
            None => f.write_str(", which no gathered field, computed value or statement gives"),
        }
    }
}

/// The figures of the operations that do not come from anywhere.
///
/// A figure is accounted for if it equals what is known or what a founded statement comes to, as it stands or rounded to
/// the decimals of an amount, half to even or half up. What a statement merely shows accounts for nothing: `10 / 3 = 3.3`
/// holds, and 3.3 is neither the value nor an amount of it.
pub(super) fn underived(
    proposed: &[Known],
    known: &[Known],
    (said, refuted): (&[Found], &[Statement]),
) -> Result<Vec<Underived>, Unaudited> {
    for figures in [proposed.len(), known.len()] {
        if figures > FIGURES_MAX {
            return Err(Unaudited::TooManyFigures { figures, figures_max: FIGURES_MAX });
        }
    }
    let sources = sources(known, said);
    let missing = proposed.iter().filter(|figure| !sources.contains(&figure.value));
    Ok(missing.map(|figure| explained(figure, said, refuted)).collect())
}

/// What is known, and what follows from it by statements that hold.
fn sources(known: &[Known], said: &[Found]) -> BTreeSet<Exact> {
    let mut sources: BTreeSet<Exact> =
        known.iter().flat_map(|known| rounded(&known.value, AMOUNT_PLACES)).collect();
    let mut open: Vec<&Found> = said.iter().filter(|found| found.statement.ok).collect();
    for _ in 0..PASSES_MAX {
        let before = open.len();
        open.retain(|found| {
            let is_founded = is_founded(&found.terms, &sources);
            if is_founded {
                sources.extend(found.gives.iter().cloned());
            }
            !is_founded
        });
        if open.len() == before {
            break;
        }
    }
    sources
}

/// Whether everything that goes in has a source, and something has one besides plain scales.
fn is_founded(terms: &[Term], sources: &BTreeSet<Exact>) -> bool {
    let has = |value: &Exact| sources.contains(value) || sources.contains(&value.negated());
    // A rate of 12 in a record is the 12% of a text.
    let points = |term: &Term| term.value.times(&Exact::from(100)).is_ok_and(|points| has(&points));
    let has_source = |term: &Term| has(&term.value) || (term.is_percent && points(term));
    let is_plain = |term: &Term| {
        term.is_scale && term.value.to_i128().is_some_and(|value| PLAIN_SCALES.contains(&value))
    };
    terms.iter().any(has_source) && terms.iter().all(|term| is_plain(term) || has_source(term))
}

/// A figure that a wrong statement claims is told with what that statement comes to.
fn explained(figure: &Known, said: &[Found], refuted: &[Statement]) -> Underived {
    let claims = |statement: &&Statement| !statement.ok && statement.stated == figure.value;
    let wrong = said.iter().map(|found| &found.statement).chain(refuted).find(claims);
    Underived {
        name: figure.name.clone(),
        value: figure.value.clone(),
        exact: wrong.and_then(|statement| statement.exact.clone()),
        inputs: wrong.map(|statement| statement.inputs.clone()).unwrap_or_default(),
    }
}

/// Every figure of a JSON value by its path: numbers, and texts that are nothing but an amount.
///
/// # Errors
///
/// [`Unaudited::TooManyFigures`].
pub fn figures_in(name: &str, value: &Value) -> Result<Vec<Known>, Unaudited> {
    let mut found = Vec::new();
    collect(name, value, LEVELS_MAX, &mut found)?;
    Ok(found)
}

fn collect(name: &str, value: &Value, levels: usize, found: &mut Vec<Known>) -> Result<(), Unaudited> {
    let figures = found.len();
    if figures >= FIGURES_MAX || levels == 0 {
        return Err(Unaudited::TooManyFigures { figures, figures_max: FIGURES_MAX });
    }
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => {
            // With every digit kept, a number is what was written; an exponent is no amount.
            found.extend(
                Exact::parse(&number.to_string()).ok().map(|value| Known { name: name.to_owned(), value }),
            );
        }
        Value::String(text) => {
            found.extend(quantity(text).map(|one| Known { name: name.to_owned(), value: one.value }))
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                collect(&format!("{name}[{at}]"), item, levels - 1, found)?;
            }
        }
        Value::Object(fields) => {
            for (field, item) in fields {
                collect(&format!("{name}.{field}"), item, levels - 1, found)?;
            }
        }
    }
    Ok(())
}

/// A text that is one figure and nothing else: `1020.00`, `1,020.00 USD`, `$5`.
pub(super) fn quantity(text: &str) -> Option<Quantity> {
    const AMOUNT_BYTES_MAX: usize = 64;
    let read = if text.len() <= AMOUNT_BYTES_MAX { tokens(text, 0) } else { Vec::new() };
    match <[Token; 1]>::try_from(read).map(|[token]| token.kind) {
        Ok(TokenKind::Figure(quantity)) => Some(quantity),
        Ok(_) | Err(_) => None,
    }
}
