//! Where the figures of a plan come from: a field that was gathered, a value that was computed, a statement that holds.

use std::fmt;

use purple_finance::{Exact, Rounding};
use serde::Serialize;
use serde_json::Value;

use super::token::{TokenKind, tokens};
use super::{FIGURES_MAX, Statement, Unaudited, listed, shown};

/// How many values may lie inside each other.
const LEVELS_MAX: usize = 32;
/// Decimals of an amount: a computed value may be longer than what is paid.
const AMOUNT_PLACES: u8 = 2;

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
/// A figure is accounted for if it equals what is known or what a statement that holds comes to, as it stands or rounded
/// to the two decimals of an amount, half to even or half up; or the number that such a statement shows.
pub(super) fn underived(
    proposed: &[Known],
    known: &[Known],
    (statements, refuted): (&[Statement], &[Statement]),
) -> Result<Vec<Underived>, Unaudited> {
    for figures in [proposed.len(), known.len()] {
        if figures > FIGURES_MAX {
            return Err(Unaudited::TooManyFigures { figures, figures_max: FIGURES_MAX });
        }
    }
    let holding = || statements.iter().filter(|statement| statement.ok);
    let mut sources: Vec<Exact> = Vec::new();
    for value in known.iter().map(|known| &known.value).chain(holding().filter_map(|s| s.exact.as_ref())) {
        let rounded =
            [Rounding::HalfEven, Rounding::HalfUp].map(|rounding| value.rounded(AMOUNT_PLACES, rounding));
        sources.push(value.clone());
        sources.extend(rounded);
    }
    sources.extend(holding().map(|statement| statement.stated.clone()));
    sources.sort_unstable();
    sources.dedup();
    let missing = proposed.iter().filter(|figure| sources.binary_search(&figure.value).is_err());
    Ok(missing.map(|figure| explained(figure, (statements, refuted))).collect())
}

/// A figure that a wrong statement claims is told with what that statement comes to.
fn explained(figure: &Known, (statements, refuted): (&[Statement], &[Statement])) -> Underived {
    let claims = |statement: &&Statement| !statement.ok && statement.stated == figure.value;
    let wrong = statements.iter().chain(refuted).find(claims);
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
        Value::String(text) => found.extend(amount(text).map(|value| Known { name: name.to_owned(), value })),
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
fn amount(text: &str) -> Option<Exact> {
    const AMOUNT_BYTES_MAX: usize = 64;
    let read = if text.len() <= AMOUNT_BYTES_MAX { tokens(text, 0) } else { Vec::new() };
    match read.as_slice() {
        [token] => match &token.kind {
            TokenKind::Figure(quantity) => Some(quantity.value.clone()),
            _ => None,
        },
        _ => None,
    }
}
