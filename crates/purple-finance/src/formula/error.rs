//! Why a formula has no answer, and the checks that say so.

use std::fmt::Display;

use crate::calendar::CalendarError;
use crate::exact::{Exact, NumberError};
use crate::money::{Money, MoneyError};
use crate::rate::Rate;

/// Why a formula has no answer. Parameters are named as the function names them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// Zero or less where only more makes sense.
    #[error("`{parameter}` must be above zero, and is {given}")]
    NotAboveZero {
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        given: String,
    },
    /// Less than zero.
    #[error("`{parameter}` must not be below zero, and is {given}")]
    BelowZero {
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        given: String,
    },
    /// More than there may be.
    #[error("`{parameter}` must be at most {most}, and is {given}")]
    Above {
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        given: String,
        /// The most it may be.
        most: String,
    },
    /// Too little, where the bound is not zero.
    #[error("`{parameter}` must be above {bound}, and is {given}")]
    NotAbove {
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        given: String,
        /// What it must be above.
        bound: &'static str,
    },
    /// A list with too many items.
    #[error("`{parameter}` has {items} items, and may have {most}")]
    TooManyItems {
        /// The parameter.
        parameter: &'static str,
        /// How many it has.
        items: usize,
        /// How many it may have.
        most: usize,
    },
    /// A list without items.
    #[error("`{parameter}` has no items")]
    NoItems {
        /// The parameter.
        parameter: &'static str,
    },
    /// None of the values that are known.
    #[error("`{parameter}` is {given}, and only {known} are known")]
    NotKnown {
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        given: String,
        /// What would be known.
        known: String,
    },
    /// An identifier that stands twice.
    #[error("`{id}` stands twice in `{parameter}`")]
    Twice {
        /// The parameter.
        parameter: &'static str,
        /// The identifier.
        id: String,
    },
    /// An identifier that is not there.
    #[error("`{id}` is not in `{parameter}`")]
    NotIn {
        /// The parameter it should be in.
        parameter: &'static str,
        /// The identifier.
        id: String,
    },
    /// Bounds that do not rise.
    #[error("`{parameter}` must rise from item to item")]
    NotRising {
        /// The parameter.
        parameter: &'static str,
    },
    /// Two parameters that contradict each other.
    #[error("`{left}` and `{right}` do not fit: {why}")]
    Contradiction {
        /// One parameter.
        left: &'static str,
        /// The other one.
        right: &'static str,
        /// What is wrong.
        why: &'static str,
    },
    /// Cash flows of one sign have no internal rate of return.
    #[error("the cash flows never change sign, so no rate brings them to zero")]
    NoSignChange,
    /// Cash flows that change sign more than once may have several rates.
    #[error("the cash flows change sign {changes} times, so several rates may bring them to zero")]
    SeveralSignChanges {
        /// How often the sign changes.
        changes: usize,
    },
    /// The rate is outside the range that is searched.
    #[error("the rate of return is not between -99.999999% and {most}%")]
    RateOutOfRange {
        /// The highest rate searched, in percent.
        most: u32,
    },
    /// An amount cannot be computed.
    #[error(transparent)]
    Money(#[from] MoneyError),
    /// A number cannot be computed.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// A date cannot be computed.
    #[error(transparent)]
    Calendar(#[from] CalendarError),
}

impl FormulaError {
    /// What a person can do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::NotAboveZero { .. }
            | Self::BelowZero { .. }
            | Self::NotAbove { .. }
            | Self::Above { .. } => "check the figure and its sign",
            Self::TooManyItems { .. } => "give fewer items",
            Self::NoItems { .. } => "give at least one item",
            Self::NotKnown { .. } => "use one of the known values",
            Self::Twice { .. } | Self::NotIn { .. } => "check the identifiers",
            Self::NotRising { .. } => "give the bounds in rising order, such as 30, 60, 90",
            Self::Contradiction { .. } => "give one of them, or make them agree",
            Self::NoSignChange | Self::SeveralSignChanges { .. } | Self::RateOutOfRange { .. } => {
                "compare the plans by net present value at a named rate"
            }
            Self::Money(error) => error.help(),
            Self::Number(error) => error.help(),
            Self::Calendar(error) => error.help(),
        }
    }
}

/// Something that can be told from zero.
pub(super) trait Signed: Display {
    fn is_below_zero(&self) -> bool;
    fn is_zero(&self) -> bool;
}

impl Signed for Money {
    fn is_below_zero(&self) -> bool {
        self.is_negative()
    }

    fn is_zero(&self) -> bool {
        Self::is_zero(self)
    }
}

impl Signed for Exact {
    fn is_below_zero(&self) -> bool {
        self.is_negative()
    }

    fn is_zero(&self) -> bool {
        Self::is_zero(self)
    }
}

impl Signed for Rate {
    fn is_below_zero(&self) -> bool {
        self.as_fraction().is_negative()
    }

    fn is_zero(&self) -> bool {
        self.as_fraction().is_zero()
    }
}

impl Signed for u32 {
    fn is_below_zero(&self) -> bool {
        false
    }

    fn is_zero(&self) -> bool {
        *self == 0
    }
}

pub(super) fn above_zero(parameter: &'static str, given: &impl Signed) -> Result<(), FormulaError> {
    if given.is_zero() || given.is_below_zero() {
        return Err(FormulaError::NotAboveZero { parameter, given: given.to_string() });
    }
    Ok(())
}

pub(super) fn not_below_zero(parameter: &'static str, given: &impl Signed) -> Result<(), FormulaError> {
    if given.is_below_zero() {
        return Err(FormulaError::BelowZero { parameter, given: given.to_string() });
    }
    Ok(())
}

pub(super) fn at_most<T: Ord + Display>(
    parameter: &'static str,
    given: &T,
    most: &T,
) -> Result<(), FormulaError> {
    if given > most {
        let (given, most) = (given.to_string(), most.to_string());
        return Err(FormulaError::Above { parameter, given, most });
    }
    Ok(())
}

pub(super) fn items_at_most<T>(
    parameter: &'static str,
    items: &[T],
    most: usize,
) -> Result<(), FormulaError> {
    if items.len() > most {
        return Err(FormulaError::TooManyItems { parameter, items: items.len(), most });
    }
    Ok(())
}

pub(super) fn amount_at_most(
    parameter: &'static str,
    given: &Money,
    most: &Money,
) -> Result<(), FormulaError> {
    if given.compare(most)?.is_gt() {
        let (given, most) = (given.to_string(), most.to_string());
        return Err(FormulaError::Above { parameter, given, most });
    }
    Ok(())
}

/// A share: between nothing and everything.
pub(super) fn a_share(parameter: &'static str, rate: &Rate) -> Result<(), FormulaError> {
    not_below_zero(parameter, rate)?;
    if rate.as_fraction() > &Exact::ONE {
        return Err(FormulaError::Above { parameter, given: rate.to_string(), most: "100%".to_owned() });
    }
    Ok(())
}
