//! Recomputes what a text claims, before anything is written: its arithmetic, its totals, and the figures of operations.
//!
//! Pure, exact, and without a model. What the small grammar cannot read in one way only is not read: a date, an
//! identifier, a range or a line of code is never a false alarm. What it reads is either right to the digits shown or
//! told with its inputs and its exact value. A statement that holds stands behind a figure of an operation only if
//! everything that goes into it was gathered, computed, named by the task, or follows from that by another statement.
//!
//! ```
//! use purple_worker::audit::{Known, audit};
//! use purple_finance::Exact;
//!
//! let known = |name: &str, value: i64| Known { name: name.to_owned(), value: Exact::from(value) };
//! let text = "The credit is 12% of $8,500 = $1,120.";
//! let audit = audit(text, &[known("credit.amount", 1_120)], &[known("invoice.total", 8_500)])?;
//! assert!(!audit.passes());
//! assert_eq!(audit.statements[0].exact, Some(Exact::from(1_020)));
//! assert_eq!(audit.underived[0].exact, Some(Exact::from(1_020)));
//! # Ok::<(), purple_worker::audit::Unaudited>(())
//! ```

mod agree;
mod aside;
mod compare;
mod derive;
mod difference;
mod expression;
mod found;
mod line;
mod listing;
mod phrase;
mod quantity;
mod range;
mod relation;
mod result;
mod share;
mod statement;
mod table;
mod token;
mod told;
mod total;
mod worded;

use std::fmt;
use std::ops::Range;

use found::Found;
use purple_finance::Exact;
use serde::{Deserialize, Serialize};

pub(crate) use agree::agree;
pub use derive::{Known, Underived, figures_in};

/// The longest text that is audited, in bytes.
pub const AUDIT_TEXT_BYTES_MAX: usize = 64 * 1024;
/// How many statements a text may make.
pub const STATEMENTS_MAX: usize = 512;
/// How many figures a plan may have, and how many may be known.
pub const FIGURES_MAX: usize = 20_000;

/// A text or a plan that cannot be audited. Doubt is refused: who asks treats it as a failed audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unaudited {
    /// The text is too long.
    #[error("the text has {bytes} bytes; at most {bytes_max} are audited")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The bound.
        bytes_max: usize,
    },
    /// The text makes too many statements.
    #[error("the text makes more than {statements_max} arithmetic statements")]
    TooManyStatements {
        /// The bound.
        statements_max: usize,
    },
    /// There are too many figures.
    #[error("{figures} figures; at most {figures_max} are audited")]
    TooManyFigures {
        /// How many.
        figures: usize,
        /// The bound.
        figures_max: usize,
    },
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Audit {
    /// Every arithmetic statement that was read, in the order of the text.
    pub statements: Vec<Statement>,
    /// Every figure of an operation that nothing accounts for.
    pub underived: Vec<Underived>,
}

/// An arithmetic statement of a text, recomputed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The statement as it is written.
    pub text: String,
    /// Where it stands in the text, in bytes.
    pub span: Range<usize>,
    /// What kind of statement it is.
    pub kind: Kind,
    /// The numbers that go in.
    pub inputs: Vec<Exact>,
    /// The number that the text claims.
    pub stated: Exact,
    /// The number that comes out; `None` where there is none.
    pub exact: Option<Exact>,
    /// Whether the claim holds, to the digits that it shows: rounded half to even, or half up.
    pub ok: bool,
    /// Why there is no exact number, or why the claim fails for another reason than its value.
    pub fault: Option<Fault>,
}

/// What kind of statement it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// `a op b = c`, longer ones, and the same in words.
    Equation,
    /// From one number to another.
    Difference,
    /// The total of the lines above, or of figures in a row.
    Total,
}

/// Why a statement cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// It divides by zero.
    DivisionByZero,
    /// It adds or subtracts amounts of different currencies.
    MixedCurrencies,
    /// Its numbers are too large to be computed.
    TooLarge,
}

impl Audit {
    /// Whether everything holds.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.underived.is_empty() && self.statements.iter().all(|statement| statement.ok)
    }

    /// Everything that does not hold, each in a sentence: which figure, which inputs, what the exact value is.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        let wrong = self.statements.iter().filter(|statement| !statement.ok).map(ToString::to_string);
        wrong.chain(self.underived.iter().map(ToString::to_string)).collect()
    }

    /// What is wrong for certain: a statement that does not hold, and a figure that such a statement claims.
    ///
    /// A figure of unknown origin is not among them: there is nothing to hold it against.
    #[must_use]
    pub fn contradictions(&self) -> Vec<String> {
        let wrong = self.statements.iter().filter(|statement| !statement.ok).map(ToString::to_string);
        let claimed = self.underived.iter().filter(|figure| figure.exact.is_some());
        wrong.chain(claimed.map(ToString::to_string)).collect()
    }

    /// The figures that neither a field, nor a value, nor a statement accounts for.
    pub fn unknown_origin(&self) -> impl Iterator<Item = &Underived> {
        self.underived.iter().filter(|figure| figure.exact.is_none())
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        write!(f, "`{text}`")?;
        match (&self.exact, self.ok, self.fault) {
            (_, true, _) => f.write_str(" holds"),
            (_, false, Some(Fault::DivisionByZero)) => f.write_str(" divides by zero"),
            (_, false, Some(Fault::MixedCurrencies)) => f.write_str(" adds amounts of different currencies"),
            (_, false, Some(Fault::TooLarge)) | (None, false, None) => f.write_str(" cannot be computed"),
            (Some(exact), false, None) => {
                write!(f, " says {}, but {} give {}", shown(&self.stated), listed(&self.inputs), shown(exact))
            }
        }
    }
}

/// Recomputes the statements of a text, and looks for the origin of every figure of the proposed operations.
///
/// `known` are the fields that were gathered and the values that were computed.
///
/// # Errors
///
/// [`Unaudited`].
pub fn audit(text: &str, proposed: &[Known], known: &[Known]) -> Result<Audit, Unaudited> {
    audit_after(&[], &[text], proposed, known)
}

/// The same for several texts, after statements that did not hold: a figure that one of those claims is told with what
/// it comes to, however often it is proposed again, unless something that is known gives it.
///
/// # Errors
///
/// [`Unaudited`].
pub fn audit_after(
    refuted: &[Statement],
    texts: &[&str],
    proposed: &[Known],
    known: &[Known],
) -> Result<Audit, Unaudited> {
    let mut said = Vec::new();
    for text in texts {
        said.extend(found(text)?);
        if said.len() > STATEMENTS_MAX {
            return Err(Unaudited::TooManyStatements { statements_max: STATEMENTS_MAX });
        }
    }
    let underived = derive::underived(proposed, known, (&said, refuted))?;
    Ok(Audit { statements: said.into_iter().map(|found| found.statement).collect(), underived })
}

/// Recomputes the statements of a text.
///
/// # Errors
///
/// [`Unaudited`].
pub fn statements(text: &str) -> Result<Vec<Statement>, Unaudited> {
    Ok(found(text)?.into_iter().map(|found| found.statement).collect())
}

fn found(text: &str) -> Result<Vec<Found>, Unaudited> {
    if text.len() > AUDIT_TEXT_BYTES_MAX {
        return Err(Unaudited::TooLong { bytes: text.len(), bytes_max: AUDIT_TEXT_BYTES_MAX });
    }
    let mut found = statement::equations(text);
    found.extend(total::totals(text));
    if found.len() > STATEMENTS_MAX {
        return Err(Unaudited::TooManyStatements { statements_max: STATEMENTS_MAX });
    }
    found.sort_by_key(|found| (found.statement.span.start, found.statement.span.end));
    let kept: Vec<bool> = (0..found.len()).map(|at| !is_read_twice(&found, at)).collect();
    let mut kept = kept.into_iter();
    found.retain(|_| kept.next().unwrap_or(true));
    Ok(found)
}

/// Whether another reading of the same claim stands for this one: it holds, or it needs fewer words.
fn is_read_twice(found: &[Found], at: usize) -> bool {
    let Some(this) = found.get(at).map(|found| &found.statement) else { return false };
    found.iter().enumerate().filter(|(other_at, _)| *other_at != at).any(|(other_at, other)| {
        let other = &other.statement;
        let is_same = other.span.end == this.span.end && other.stated == this.stated;
        let is_shorter =
            other.span.start > this.span.start || (other.span.start == this.span.start && other_at < at);
        is_same && ((other.ok && !this.ok) || (other.ok == this.ok && is_shorter))
    })
}

/// The number in plain decimals, cut after ten where it has no end.
fn shown(number: &Exact) -> String {
    number.to_plain().unwrap_or_else(|| {
        let rounded = number.rounded(10, purple_finance::Rounding::HalfEven);
        format!("about {}", rounded.to_plain().unwrap_or_else(|| rounded.to_string()))
    })
}

fn listed(numbers: &[Exact]) -> String {
    const LISTED_MAX: usize = 12;
    let mut shown: Vec<String> = numbers.iter().take(LISTED_MAX).map(shown).collect();
    if numbers.len() > LISTED_MAX {
        shown.push(format!("{} more", numbers.len() - LISTED_MAX));
    }
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "no inputs".to_owned(),
    }
}
