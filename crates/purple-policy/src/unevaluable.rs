//! Why an expression has no value: the doubt that makes a restricting rule ask a person.

use std::fmt;
use std::sync::Arc;

use purple_finance::{Currency, NumberError};

use crate::facts::Source;
use crate::value::Kind;

/// A shared reason, so that a bound context can hand it out without copying it.
pub(crate) type Doubt = Arc<Unevaluable>;

/// Why an expression could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unevaluable {
    /// No source knows the name, or a record lacks the field.
    #[error("`{name}` is not known")]
    Missing {
        /// The dotted path.
        name: String,
    },
    /// A read that should have told did not end with an answer, so that nobody knows whether there is anything.
    #[error("`{name}` {how}")]
    Unread {
        /// The name of the read.
        name: String,
        /// How the read ended.
        how: Unread,
    },
    /// What is computed under the name has no value, for a reason that is more than absence.
    #[error("`{name}` has no value: {why}")]
    Uncomputed {
        /// The name.
        name: String,
        /// Why its expression has no value.
        why: Box<Unevaluable>,
    },
    /// Several sources know the name and disagree.
    #[error("`{name}` is ambiguous: {}", told(.values))]
    Ambiguous {
        /// The dotted path.
        name: String,
        /// What each source says.
        values: Vec<(Source, String)>,
    },
    /// Null was used as if it were a value.
    #[error("{operation} met null")]
    Null {
        /// The sign or function.
        operation: &'static str,
    },
    /// A list without rows has no such value.
    #[error("{operation} of an empty list has no value")]
    Empty {
        /// The function.
        operation: &'static str,
    },
    /// Two kinds of value that do not go together.
    #[error("{operation} cannot take {left} and {right}{}", hint(*left, *right))]
    Kinds {
        /// The sign.
        operation: &'static str,
        /// The kind on its left.
        left: Kind,
        /// The kind on its right.
        right: Kind,
    },
    /// A kind of value that the sign or function cannot take.
    #[error("{operation} cannot take {kind}")]
    Kind {
        /// The sign or function.
        operation: &'static str,
        /// What it was given.
        kind: Kind,
    },
    /// Two currencies met.
    #[error("{operation} cannot take {left} and {right}")]
    Currencies {
        /// The sign or function.
        operation: &'static str,
        /// The currency on its left.
        left: Currency,
        /// The currency on its right.
        right: Currency,
    },
    /// A text that does not say what was expected.
    #[error("{operation} cannot read `{text}`")]
    Unreadable {
        /// The sign or function.
        operation: &'static str,
        /// The text, cut to a readable length.
        text: String,
    },
    /// A number that does not exist or is too large to hold.
    #[error("{operation}: {error}")]
    Number {
        /// The sign or function.
        operation: &'static str,
        /// What is wrong with the number.
        error: NumberError,
    },
    /// A number or date outside what the function takes.
    #[error("{operation} is given a number or date outside its range")]
    OutOfRange {
        /// The function.
        operation: &'static str,
    },
    /// The rows would take more steps than one evaluation may take.
    #[error("the rows take more steps than one evaluation may take")]
    TooManyRows,
    /// A text grew beyond what one text may hold.
    #[error("{operation} made a text that is too long")]
    TextTooLong {
        /// The function.
        operation: &'static str,
    },
    /// A text to be searched was longer than what is searched.
    #[error("the text is longer than the {bytes_max} bytes that are searched")]
    SubjectTooLong {
        /// The limit.
        bytes_max: usize,
    },
}

/// How a read ended that was not answered. What was answered with nothing, or with "there is no such thing", is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// Somebody said no.
    Refused,
    /// It failed.
    Failed,
    /// It was not made, or not yet.
    NotMade,
}

impl fmt::Display for Unread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Refused => "could not be read: the read was refused",
            Self::Failed => "could not be read: the read failed",
            Self::NotMade => "was not read",
        })
    }
}

impl Unevaluable {
    /// The name that has no value, where the reason is a name.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Missing { name }
            | Self::Unread { name, .. }
            | Self::Uncomputed { name, .. }
            | Self::Ambiguous { name, .. } => Some(name),
            Self::Null { .. }
            | Self::Empty { .. }
            | Self::Kinds { .. }
            | Self::Kind { .. }
            | Self::Currencies { .. }
            | Self::Unreadable { .. }
            | Self::Number { .. }
            | Self::OutOfRange { .. }
            | Self::TooManyRows
            | Self::TextTooLong { .. }
            | Self::SubjectTooLong { .. } => None,
        }
    }

    /// Whether there is simply nothing there, which `default` may replace.
    ///
    /// What is there and contradicts itself is never replaced, nor is what could not be read.
    pub fn is_absence(&self) -> bool {
        match self {
            Self::Missing { .. } | Self::Null { .. } | Self::Empty { .. } => true,
            Self::Unread { .. }
            | Self::Uncomputed { .. }
            | Self::Ambiguous { .. }
            | Self::Kinds { .. }
            | Self::Kind { .. }
            | Self::Currencies { .. }
            | Self::Unreadable { .. }
            | Self::Number { .. }
            | Self::OutOfRange { .. }
            | Self::TooManyRows
            | Self::TextTooLong { .. }
            | Self::SubjectTooLong { .. } => false,
        }
    }
}

/// A bare number beside an amount is an error of whoever wrote it, and easily corrected.
fn hint(left: Kind, right: Kind) -> &'static str {
    match (left, right) {
        (Kind::Money, Kind::Number) | (Kind::Number, Kind::Money) => ": the number has no currency",
        _ => "",
    }
}

fn told(values: &[(Source, String)]) -> String {
    let told: Vec<String> = values.iter().map(|(source, value)| format!("{source} says {value}")).collect();
    told.join(", ")
}
