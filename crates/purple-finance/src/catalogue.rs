//! Every shipped function by name, for callers that learn at run time which one they need.
//!
//! The table says what a function is called, which words point to it and what it takes; [`call`] checks the
//! arguments against the table and runs it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::calendar::parse_date;
use crate::figure::{Figure, Line};
use crate::formula::{ENTRIES, FormulaError};
use crate::given::Given;
use crate::parse::{Symbols, parse_money, parse_number};
use crate::rate::Rate;
use crate::rounding::Rounding;

/// A shipped function: its face to callers, and how to run it.
#[derive(Debug)]
pub struct Function {
    /// The name it is called by.
    pub name: &'static str,
    /// What it answers, in one sentence.
    pub summary: &'static str,
    /// A task that it answers; `None` where its figures are lists of records, which one sentence does not hold.
    pub example: Option<&'static str>,
    /// Words in a task that point to it, in lower case.
    pub words: &'static [&'static str],
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// Which of its results is the headline where the task names none.
    pub answer: &'static str,
    /// How a task asks for it, beyond its words.
    pub asked: Asked,
    pub(crate) run: fn(&Given) -> Result<Answer, CallError>,
}

/// How a task asks for a function. A phrase is in lower case; a final `*` stands for any ending.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// The results that a task can ask for, each with its unit and its words. A word that begins with `?` counts only
    /// where something is asked: "how much tax", and not "plus 19 % tax". With `~` it is only implied, and with `!` it decides.
    pub results: &'static [AskedResult],
    /// Further words that change nothing about the figure or are part of how it is computed.
    pub also: &'static [&'static str],
    /// Words of which the task has at least one, unless a label stands at a figure. Empty if none is needed.
    pub evidence: &'static [&'static str],
    /// Words that contradict the function.
    pub unless: &'static [&'static str],
    /// Whether a task has to name the result that it asks for.
    pub must_name: bool,
}

/// A result that a task can ask for.
#[derive(Clone, Copy, Debug)]
pub struct AskedResult {
    /// The name of the result.
    pub name: &'static str,
    /// Its unit; empty where the figure has its own.
    pub unit: &'static str,
    /// The words that ask for it.
    pub words: &'static [&'static str],
}

/// What a figure is counted or charged by: `a year`, `per unit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// By the hour.
    Hour,
    /// By the day.
    Day,
    /// By the week.
    Week,
    /// By the month.
    Month,
    /// By the quarter of a year.
    Quarter,
    /// By the year.
    Year,
    /// By the piece.
    Piece,
    /// By the order.
    Order,
}

/// What a number without a kind of its own counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Whatever the function says, without a unit.
    Plain,
    /// Minutes.
    Minutes,
    /// Calendar days.
    Days,
    /// Days on which business is done.
    WorkingDays,
    /// Months.
    Months,
    /// Pieces.
    Pieces,
}

/// One parameter of a function.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What kind of figure it takes.
    pub kind: Kind,
    /// Whether it must be given.
    pub need: Need,
    /// What it means.
    pub description: &'static str,
    /// Words that stand beside its figure in a task, in lower case, where the kind alone does not tell.
    pub near: &'static [&'static str],
    /// Other words for its choices, in lower case, each with the choice.
    pub called: &'static [(&'static str, &'static str)],
    /// Words directly at its figure that say what it is: "net" in "1,000 EUR net".
    pub labels: &'static [&'static str],
    /// Words directly at a figure that contradict it: "gross" where a net amount is taken.
    pub never: &'static [&'static str],
    /// By what its figure may be counted or charged.
    pub per: &'static [Per],
    /// By what its figure must be charged, and the words that imply it.
    pub must_be: Option<(Per, &'static [&'static str])>,
    /// What it counts.
    pub counts: Counted,
    /// The only whole numbers that it takes; empty if it takes any.
    pub only: &'static [i64],
    /// Whether it takes a figure only where one of its words names it.
    pub named: bool,
    /// Words that say that it is zero: "no salvage value".
    pub zero: &'static [&'static str],
    /// The parameter without which it takes no figure: where only one of both is there, it is the other.
    pub beside: Option<&'static str>,
    /// What an answer has to say where the default was used, and the words of a task that state the default anyway.
    pub assumed: Option<(&'static str, &'static [&'static str])>,
}

/// Whether a parameter must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It must.
    Required,
    /// It may be left out; the function says what that means.
    Optional,
    /// It may be left out and is then this, written as a person would write it.
    Default(&'static str),
}

/// The kind of figure a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// An amount with its currency.
    Money,
    /// A number.
    Number,
    /// A whole number.
    Whole,
    /// A rate in percent or basis points.
    Percent,
    /// Hours of work.
    Hours,
    /// Whole days.
    Days,
    /// A date.
    Date,
    /// A word.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Several figures of one kind; a single one counts as a list of one.
    List(&'static Kind),
    /// Several figures by name.
    Record(&'static [Parameter]),
}

/// What a function answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The results by name.
    pub values: BTreeMap<&'static str, Figure>,
    /// How they were computed, line by line.
    pub lines: Vec<Line>,
    /// What the reader must know: which rule was applied, and why.
    pub notes: Vec<String>,
}

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// No function has this name.
    #[error("there is no function `{name}`")]
    UnknownFunction {
        /// The name that was called.
        name: String,
    },
    /// A required parameter was not given.
    #[error("`{parameter}` is missing")]
    Missing {
        /// The parameter.
        parameter: String,
    },
    /// The function has no such parameter.
    #[error("there is no parameter `{parameter}`")]
    Surplus {
        /// What was given.
        parameter: String,
    },
    /// A figure of another kind was given.
    #[error("`{parameter}` takes {expected}, and {given} was given")]
    WrongKind {
        /// The parameter.
        parameter: String,
        /// What it takes.
        expected: String,
        /// What was given.
        given: String,
    },
    /// A text is not a figure of the kind.
    #[error("`{text}` is not {expected}: {reason}")]
    Unreadable {
        /// The beginning of the text.
        text: String,
        /// What was expected.
        expected: String,
        /// Why it is not.
        reason: String,
    },
    /// The function itself refused.
    #[error(transparent)]
    Formula(#[from] FormulaError),
}

impl CallError {
    /// What a person can do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::UnknownFunction { .. } => "the catalogue lists every function",
            Self::Missing { .. } => "give it",
            Self::Surplus { .. } => "leave it out, or check its spelling",
            Self::WrongKind { .. } | Self::Unreadable { .. } => {
                "write money as 1250.75 USD, percent as 2.5%, dates as 2026-01-31"
            }
            Self::Formula(error) => error.help(),
        }
    }
}

/// Every shipped function, in the order of the documentation.
#[must_use]
pub fn functions() -> &'static [&'static Function] {
    ENTRIES
}

/// The function of this name.
///
/// # Errors
///
/// [`CallError::UnknownFunction`].
pub fn find(name: &str) -> Result<&'static Function, CallError> {
    let found = ENTRIES.iter().find(|function| function.name == name);
    found.copied().ok_or_else(|| CallError::UnknownFunction { name: excerpt(name) })
}

/// Checks the arguments and runs the function of this name.
///
/// # Errors
///
/// An unknown function, a missing, surplus or wrong parameter (each named), or the refusal of the function.
pub fn call(name: &str, arguments: &BTreeMap<String, Figure>) -> Result<Answer, CallError> {
    let function = find(name)?;
    let given = Given::check(function.parameters, arguments, "")?;
    (function.run)(&given)
}

impl Kind {
    /// Reads a figure of this kind from the text a person wrote.
    ///
    /// # Errors
    ///
    /// [`CallError::Unreadable`] with the reason; always for lists and records, whose parts are read one by one.
    pub fn read(&self, text: &str) -> Result<Figure, CallError> {
        let unreadable = |reason: String| CallError::Unreadable {
            text: excerpt(text),
            expected: self.to_string(),
            reason,
        };
        let number = |text: &str| parse_number(text).map_err(|error| unreadable(error.to_string()));
        match self {
            Self::Money => parse_money(text, Symbols::default())
                .map(Figure::Money)
                .map_err(|error| unreadable(error.to_string())),
            Self::Number => Ok(Figure::Number(number(text)?)),
            Self::Whole => {
                let number = number(text)?;
                if !number.is_integer() {
                    return Err(unreadable("it has decimals".to_owned()));
                }
                Ok(Figure::Number(number))
            }
            Self::Percent => {
                Rate::parse(text).map(Figure::Percent).map_err(|error| unreadable(error.to_string()))
            }
            Self::Hours => Ok(Figure::Hours(number(text.strip_suffix(" h").unwrap_or(text))?)),
            Self::Days => {
                let whole = number(text.strip_suffix(" days").unwrap_or(text))?.to_i128();
                let days = whole.and_then(|days| i64::try_from(days).ok());
                Ok(Figure::Days(
                    days.ok_or_else(|| unreadable("it is not a number of whole days".to_owned()))?,
                ))
            }
            Self::Date => parse_date(text).map(Figure::Date).map_err(|error| unreadable(error.to_string())),
            Self::Text => Ok(Figure::Text(text.to_owned())),
            Self::Choice(choices) if choices.contains(&text) => Ok(Figure::Text(text.to_owned())),
            Self::Choice(_) => Err(unreadable("it is not one of them".to_owned())),
            Self::List(_) | Self::Record(_) => Err(unreadable("its parts are given one by one".to_owned())),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Money => f.write_str("money"),
            Self::Number => f.write_str("a number"),
            Self::Whole => f.write_str("a whole number"),
            Self::Percent => f.write_str("percent"),
            Self::Hours => f.write_str("hours"),
            Self::Days => f.write_str("days"),
            Self::Date => f.write_str("a date"),
            Self::Text => f.write_str("text"),
            Self::Choice(choices) => write!(f, "one of {}", choices.join(", ")),
            Self::List(kind) => write!(f, "a list of {kind}"),
            Self::Record(fields) => {
                let names: Vec<_> = fields.iter().map(|field| field.name).collect();
                write!(f, "a record of {}", names.join(", "))
            }
        }
    }
}

impl Asked {
    pub(crate) const PLAIN: Self =
        Self { results: &[], also: &[], evidence: &[], unless: &[], must_name: false };
}

impl AskedResult {
    pub(crate) const fn new(name: &'static str, unit: &'static str, words: &'static [&'static str]) -> Self {
        Self { name, unit, words }
    }
}

impl Parameter {
    const fn new(name: &'static str, kind: Kind, need: Need, description: &'static str) -> Self {
        Self {
            name,
            kind,
            need,
            description,
            near: &[],
            called: &[],
            labels: &[],
            never: &[],
            per: &[],
            must_be: None,
            counts: Counted::Plain,
            only: &[],
            named: false,
            zero: &[],
            beside: None,
            assumed: None,
        }
    }

    pub(crate) const fn required(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self::new(name, kind, Need::Required, description)
    }

    pub(crate) const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self::new(name, kind, Need::Optional, description)
    }

    pub(crate) const fn default(
        name: &'static str,
        kind: Kind,
        default: &'static str,
        description: &'static str,
    ) -> Self {
        Self::new(name, kind, Need::Default(default), description)
    }

    /// The same, with the words that stand beside its figure.
    pub(crate) const fn near(mut self, words: &'static [&'static str]) -> Self {
        self.near = words;
        self
    }

    /// The same, with other words for its choices.
    pub(crate) const fn called(mut self, words: &'static [(&'static str, &'static str)]) -> Self {
        self.called = words;
        self
    }

    /// The same, with the words directly at its figure that say or contradict what it is.
    pub(crate) const fn labels(
        mut self,
        labels: &'static [&'static str],
        never: &'static [&'static str],
    ) -> Self {
        self.labels = labels;
        self.never = never;
        self
    }

    /// The same, charged by one of these where the text says so.
    pub(crate) const fn per(mut self, per: &'static [Per]) -> Self {
        self.per = per;
        self
    }

    /// The same, charged by this, which the text says or one of the words implies.
    pub(crate) const fn must_be(mut self, per: Per, implied_by: &'static [&'static str]) -> Self {
        self.must_be = Some((per, implied_by));
        self
    }

    /// The same, counting this.
    pub(crate) const fn counts(mut self, counts: Counted) -> Self {
        self.counts = counts;
        self
    }

    /// The same, with the only numbers it takes.
    pub(crate) const fn only(mut self, numbers: &'static [i64]) -> Self {
        self.only = numbers;
        self
    }

    /// The same, taking a figure only where one of its words names it.
    pub(crate) const fn named(mut self) -> Self {
        self.named = true;
        self
    }

    /// The same, with the words that say that it is zero.
    pub(crate) const fn zero(mut self, words: &'static [&'static str]) -> Self {
        self.zero = words;
        self
    }

    /// The same, taking a figure only where the other parameter gets one too.
    pub(crate) const fn beside(mut self, other: &'static str) -> Self {
        self.beside = Some(other);
        self
    }

    /// The same, whose default is said with the answer unless one of the words states it.
    pub(crate) const fn assumed(mut self, said: &'static str, stated_by: &'static [&'static str]) -> Self {
        self.assumed = Some((said, stated_by));
        self
    }

    /// The parameter that every function with a division has.
    pub(crate) const ROUNDING: Self = Self::default(
        "rounding",
        Kind::Choice(&ROUNDING_NAMES),
        Rounding::HalfEven.name(),
        "how the result is rounded to the minor unit",
    );
}

const ROUNDING_NAMES: [&str; Rounding::ALL.len()] = {
    let mut names = [""; Rounding::ALL.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = Rounding::ALL[index].name();
        index += 1;
    }
    names
};

impl Answer {
    /// The result of this name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Figure> {
        self.values.get(name)
    }

    pub(crate) fn of<const N: usize>(values: [(&'static str, Figure); N]) -> Self {
        Self { values: values.into(), lines: Vec::new(), notes: Vec::new() }
    }

    pub(crate) fn with_lines(mut self, lines: Vec<Line>) -> Self {
        self.lines = lines;
        self
    }

    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
