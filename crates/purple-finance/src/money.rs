//! An amount of one currency, to the last minor unit.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::currency::{Currency, UnknownCurrency};
use crate::exact::{Exact, NumberError};
use crate::rounding::Rounding;

/// An amount of money: a whole number of minor units of one currency.
///
/// Two currencies never meet: adding and comparing them is an error, and there is no `<` between amounts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    minor: i128,
    currency: Currency,
}

/// Why there is no amount.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// Two currencies met.
    #[error("{left} and {right} do not mix")]
    CurrencyMismatch {
        /// The currency on the left.
        left: Currency,
        /// The currency on the right.
        right: Currency,
    },
    /// More minor units than an amount can hold.
    #[error("the amount of {currency} is too large")]
    TooLarge {
        /// The currency of the amount.
        currency: Currency,
    },
    /// The number has more decimals than the currency.
    #[error("{number} has more than the {digits} decimals of {currency}", digits = currency.digits())]
    TooManyDecimals {
        /// The number that does not fit.
        number: Exact,
        /// The currency it was meant for.
        currency: Currency,
    },
    /// The text is not an amount, a space and a currency code.
    #[error("`{text}` is not an amount with a currency")]
    NotAnAmount {
        /// The beginning of the text.
        text: String,
    },
    /// Its number cannot be read or computed.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// Its currency cannot be read.
    #[error(transparent)]
    Currency(#[from] UnknownCurrency),
    /// A split into nothing.
    #[error("an amount cannot be split into no parts")]
    NoParts,
    /// A split into too many parts.
    #[error("{parts} parts are more than the {max} an amount may be split into", max = Money::PARTS_MAX)]
    TooManyParts {
        /// How many were asked for.
        parts: usize,
    },
    /// A share below zero.
    #[error("the weight {weight} is below zero")]
    NegativeWeight {
        /// The weight.
        weight: Exact,
    },
    /// All shares are zero.
    #[error("the weights sum to zero")]
    NoWeight,
}

impl MoneyError {
    /// What a person can do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::CurrencyMismatch { .. } => "convert one of the amounts first, with a named rate",
            Self::TooLarge { .. } => "check the factors: no real amount is that large",
            Self::TooManyDecimals { .. } => "round it first, by name",
            Self::NotAnAmount { .. } => "write an amount, a space and a currency code, such as 1250.75 USD",
            Self::Number(error) => error.help(),
            Self::Currency(error) => error.help(),
            Self::NoParts | Self::TooManyParts { .. } => "split into at least one part and not too many",
            Self::NegativeWeight { .. } | Self::NoWeight => {
                "give weights of zero or more, at least one above zero"
            }
        }
    }
}

impl Money {
    /// How many parts an amount may be split into.
    pub const PARTS_MAX: usize = 10_000;

    /// An amount of so many minor units: 1234 of USD is 12.34.
    #[must_use]
    pub const fn from_minor(minor: i128, currency: Currency) -> Self {
        Self { minor, currency }
    }

    /// No money of this currency.
    #[must_use]
    pub const fn zero(currency: Currency) -> Self {
        Self { minor: 0, currency }
    }

    /// Exactly this number of the currency.
    ///
    /// # Errors
    ///
    /// [`MoneyError::TooManyDecimals`] if it would have to be rounded; [`MoneyError::TooLarge`].
    pub fn exact(number: &Exact, currency: Currency) -> Result<Self, MoneyError> {
        if number.finite_places().is_none_or(|places| places > currency.digits()) {
            return Err(MoneyError::TooManyDecimals { number: number.clone(), currency });
        }
        Self::rounded(number, currency, Rounding::Down)
    }

    /// This number of the currency, rounded to its minor unit.
    ///
    /// # Errors
    ///
    /// [`MoneyError::TooLarge`].
    pub fn rounded(number: &Exact, currency: Currency, rounding: Rounding) -> Result<Self, MoneyError> {
        match number.scaled(currency.digits(), rounding) {
            Some(minor) => Ok(Self { minor, currency }),
            None => Err(MoneyError::TooLarge { currency }),
        }
    }

    /// Reads what `Display` writes: an amount, one space, a currency code.
    ///
    /// Fewer decimals than the currency has are fine (`5000 USD`), more are not.
    ///
    /// # Errors
    ///
    /// Everything else is refused with the reason.
    pub fn parse(text: &str) -> Result<Self, MoneyError> {
        let (number, code) = text
            .split_once(' ')
            .ok_or_else(|| MoneyError::NotAnAmount { text: text.chars().take(60).collect() })?;
        let currency = Currency::parse(code)?;
        Self::exact(&Exact::parse(number)?, currency)
    }

    /// The amount as a number.
    #[must_use]
    pub fn amount(&self) -> Exact {
        Exact::from_scaled(self.minor, self.currency.digits())
    }

    /// The number of minor units.
    #[must_use]
    pub const fn minor(&self) -> i128 {
        self.minor
    }

    /// The currency.
    #[must_use]
    pub const fn currency(&self) -> Currency {
        self.currency
    }

    /// Whether it is nothing.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.minor == 0
    }

    /// Whether it is below zero.
    #[must_use]
    pub const fn is_negative(&self) -> bool {
        self.minor < 0
    }

    /// Whether it is above zero.
    #[must_use]
    pub const fn is_positive(&self) -> bool {
        self.minor > 0
    }

    /// The sum.
    ///
    /// # Errors
    ///
    /// [`MoneyError::CurrencyMismatch`] and [`MoneyError::TooLarge`].
    pub fn plus(&self, other: &Self) -> Result<Self, MoneyError> {
        self.same_currency(other)?;
        self.of_minor(self.minor.checked_add(other.minor))
    }

    /// The difference.
    ///
    /// # Errors
    ///
    /// [`MoneyError::CurrencyMismatch`] and [`MoneyError::TooLarge`].
    pub fn minus(&self, other: &Self) -> Result<Self, MoneyError> {
        self.same_currency(other)?;
        self.of_minor(self.minor.checked_sub(other.minor))
    }

    /// The amount with the other sign.
    ///
    /// # Errors
    ///
    /// [`MoneyError::TooLarge`], only for the one amount that has no counterpart.
    pub fn negated(&self) -> Result<Self, MoneyError> {
        self.of_minor(self.minor.checked_neg())
    }

    /// The amount times a factor, rounded to the minor unit.
    ///
    /// # Errors
    ///
    /// [`MoneyError::TooLarge`], and a [`NumberError`] if the factor is too large itself.
    pub fn times(&self, factor: &Exact, rounding: Rounding) -> Result<Self, MoneyError> {
        Self::rounded(&self.amount().times(factor)?, self.currency, rounding)
    }

    /// Which of two amounts of one currency is larger.
    ///
    /// # Errors
    ///
    /// [`MoneyError::CurrencyMismatch`].
    pub fn compare(&self, other: &Self) -> Result<Ordering, MoneyError> {
        self.same_currency(other)?;
        Ok(self.minor.cmp(&other.minor))
    }

    /// The sum of many amounts of one currency; nothing sums to zero.
    ///
    /// # Errors
    ///
    /// [`MoneyError::CurrencyMismatch`] and [`MoneyError::TooLarge`].
    pub fn sum(currency: Currency, amounts: impl IntoIterator<Item = Self>) -> Result<Self, MoneyError> {
        amounts.into_iter().try_fold(Self::zero(currency), |sum, amount| sum.plus(&amount))
    }

    /// Equal parts that sum to the whole; the larger ones come first.
    ///
    /// # Errors
    ///
    /// [`MoneyError::NoParts`] and [`MoneyError::TooManyParts`].
    pub fn split(&self, parts: usize) -> Result<Vec<Self>, MoneyError> {
        if parts == 0 {
            return Err(MoneyError::NoParts);
        }
        if parts > Self::PARTS_MAX {
            return Err(MoneyError::TooManyParts { parts });
        }
        let count = parts as i128;
        Ok((0..count).map(|index| self.part(index, count)).collect())
    }

    /// Part `index` of `count` equal parts. `0 <= index < count`.
    ///
    /// Larger in magnitude come first, so that −100.00 in three starts with −33.34.
    pub(crate) fn part(&self, index: i128, count: i128) -> Self {
        let (base, rest) = (self.minor / count, self.minor % count);
        let extra = if index < rest.abs() { rest.signum() } else { 0 };
        Self { minor: base + extra, currency: self.currency }
    }

    /// Parts in proportion to the weights that sum to the whole.
    ///
    /// Each part is cut toward zero; the units left over go to the largest rests, earlier ones first among equals.
    ///
    /// # Errors
    ///
    /// A negative weight, no weight at all, no parts, too many parts.
    pub fn allocate(&self, weights: &[Exact]) -> Result<Vec<Self>, MoneyError> {
        if weights.is_empty() {
            return Err(MoneyError::NoParts);
        }
        if weights.len() > Self::PARTS_MAX {
            return Err(MoneyError::TooManyParts { parts: weights.len() });
        }
        if let Some(weight) = weights.iter().find(|weight| weight.is_negative()) {
            return Err(MoneyError::NegativeWeight { weight: weight.clone() });
        }
        let integers = whole_weights(weights)?;
        let sum: BigInt = integers.iter().sum();
        if sum.is_zero() {
            return Err(MoneyError::NoWeight);
        }
        let whole = BigInt::from(self.minor.unsigned_abs());
        let shares: Vec<_> = integers.iter().map(|weight| (&whole * weight).div_rem(&sum)).collect();
        let given: BigInt = shares.iter().map(|(share, _)| share).sum();
        let left_over = (whole - given).to_usize().unwrap_or(0);
        let mut by_rest: Vec<usize> = (0..shares.len()).collect();
        by_rest.sort_by(|a, b| shares[*b].1.cmp(&shares[*a].1).then(a.cmp(b)));
        let mut units: Vec<BigInt> = shares.into_iter().map(|(share, _)| share).collect();
        for index in by_rest.into_iter().take(left_over) {
            units[index] += 1;
        }
        units.iter().map(|units| self.of_minor((units * self.minor.signum()).to_i128())).collect()
    }

    fn same_currency(&self, other: &Self) -> Result<(), MoneyError> {
        if self.currency == other.currency {
            return Ok(());
        }
        Err(MoneyError::CurrencyMismatch { left: self.currency, right: other.currency })
    }

    fn of_minor(&self, minor: Option<i128>) -> Result<Self, MoneyError> {
        let minor = minor.ok_or(MoneyError::TooLarge { currency: self.currency })?;
        Ok(Self { minor, currency: self.currency })
    }
}

/// The weights times their common denominator.
fn whole_weights(weights: &[Exact]) -> Result<Vec<BigInt>, MoneyError> {
    /// Bits of a common denominator: enough for any real key, and quick to multiply.
    const DENOMINATOR_BITS_MAX: u64 = 64 * Exact::BITS_MAX;

    let ratios: Vec<BigRational> = weights.iter().map(Exact::to_rational).collect();
    let mut common = BigInt::from(1);
    for ratio in &ratios {
        // Most weights share a denominator, and a division is quicker than a common multiple.
        if !(&common % ratio.denom()).is_zero() {
            common = common.lcm(ratio.denom());
        }
        if common.bits() > DENOMINATOR_BITS_MAX {
            return Err(NumberError::TooLarge.into());
        }
    }
    Ok(ratios.iter().map(|ratio| ratio.numer() * (&common / ratio.denom())).collect())
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amount = self.amount().to_fixed(self.currency.digits(), Rounding::Down);
        write!(f, "{amount} {}", self.currency)
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Money({self})")
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
#[path = "money_tests.rs"]
mod tests;
