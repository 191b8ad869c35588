//! Writes exact numbers as text and reads them back.

use std::fmt;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::exact::{Exact, NumberError};
use crate::rounding::Rounding;

/// The longest plain decimal that a bounded number can have: 78 digits before the point, 255 after it.
const WRITTEN_DIGITS_MAX: usize = 78 + 255;

impl Exact {
    /// How many digits a person may write.
    pub const DIGITS_MAX: usize = 60;

    /// Reads a plain decimal: an optional minus sign, digits, and optionally a point and digits.
    ///
    /// # Errors
    ///
    /// Exponents, grouping, a plus sign, digits other than 0 to 9 and more than [`Exact::DIGITS_MAX`] digits are
    /// refused, and the refusal names the place.
    pub fn parse(text: &str) -> Result<Self, NumberError> {
        Self::read(text, Self::DIGITS_MAX)
    }

    /// The number in plain decimals, if it has finitely many: `2.2265625`, `-0.5`, `1020`.
    #[must_use]
    pub fn to_plain(&self) -> Option<String> {
        self.finite_places().map(|places| self.to_fixed(places, Rounding::Down))
    }

    /// The number with exactly so many decimals: `1020.00`.
    #[must_use]
    pub fn to_fixed(&self, places: u8, rounding: Rounding) -> String {
        let (negative, digits) = match self.scaled(places, rounding) {
            Some(scaled) => (scaled < 0, scaled.unsigned_abs().to_string()),
            None => {
                let ratio = self.to_rational();
                let tens = BigInt::from(10).pow(places.into());
                let scaled = rounding.divide_big(&(ratio.numer() * tens), ratio.denom());
                (scaled.is_negative(), scaled.magnitude().to_string())
            }
        };
        let places = usize::from(places);
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let sign = if negative { "-" } else { "" };
        let point = if places == 0 { "" } else { "." };
        format!("{sign}{whole}{point}{fraction}")
    }

    fn read(text: &str, digits_max: usize) -> Result<Self, NumberError> {
        if text.is_empty() {
            return Err(NumberError::Empty);
        }
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let wrong = |character: char| !character.is_ascii_digit();
        if let Some(character) = whole.chars().chain(fraction.chars()).find(|c| wrong(*c)) {
            return Err(NumberError::UnexpectedCharacter { character, position: unexpected_at(text) });
        }
        if whole.is_empty() || (fraction.is_empty() && unsigned.len() != whole.len()) {
            return Err(NumberError::MissingDigit);
        }
        let digits = whole.len() + fraction.len();
        if digits > digits_max {
            return Err(NumberError::TooManyDigits { digits, max: digits_max });
        }
        let sign = if unsigned.len() < text.len() { -1 } else { 1 };
        let joined = whole.bytes().chain(fraction.bytes());
        if let (Ok(places), Some(mantissa)) = (u8::try_from(fraction.len()), narrow(joined.clone())) {
            return Ok(Self::from_scaled(sign * mantissa, places));
        }
        let mantissa = joined.fold(BigInt::zero(), |sum, digit| sum * 10 + i32::from(digit - b'0'));
        let places = u32::try_from(fraction.len()).map_err(|_| NumberError::TooLarge)?;
        Self::from_rational(BigRational::new(mantissa * sign, BigInt::from(10).pow(places)))
    }

    /// Reads what `Display` writes: a plain decimal, or `numerator/denominator`.
    pub(crate) fn read_written(text: &str) -> Result<Self, NumberError> {
        let Some((numerator, denominator)) = text.split_once('/') else {
            return Self::read(text, WRITTEN_DIGITS_MAX);
        };
        let (numerator, denominator) = (whole(numerator)?, whole(denominator)?);
        if denominator.is_zero() {
            return Err(NumberError::DivisionByZero);
        }
        // The bound is on the reduced fraction, so it is checked after reducing.
        Self::from_rational(BigRational::new(numerator, denominator))
    }
}

/// A whole number of any size that a fraction may be written with.
fn whole(text: &str) -> Result<BigInt, NumberError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let stranger = |character: &char| !character.is_ascii_digit();
    if let Some(character) = digits.chars().find(stranger) {
        let before = text.chars().take_while(|c| c.is_ascii_digit() || *c == '-').count();
        return Err(NumberError::UnexpectedCharacter { character, position: before + 1 });
    }
    if digits.len() > WRITTEN_DIGITS_MAX {
        return Err(NumberError::TooManyDigits { digits: digits.len(), max: WRITTEN_DIGITS_MAX });
    }
    text.parse().map_err(|_| NumberError::Empty)
}

/// The digits as an integer, if they fit.
fn narrow(mut digits: impl Iterator<Item = u8>) -> Option<i128> {
    digits.try_fold(0i128, |sum, digit| sum.checked_mul(10)?.checked_add(i128::from(digit - b'0')))
}

/// The place of the first character that a plain decimal does not have, from one.
fn unexpected_at(text: &str) -> usize {
    let mut points = 0;
    let found = text.chars().enumerate().find(|(index, character)| match character {
        '0'..='9' => false,
        '-' => *index > 0,
        '.' => {
            points += 1;
            points > 1
        }
        _ => true,
    });
    found.map_or(1, |(index, _)| index + 1)
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_plain() {
            Some(plain) => f.write_str(&plain),
            None => {
                let ratio = self.to_rational();
                write!(f, "{}/{}", ratio.numer(), ratio.denom())
            }
        }
    }
}

impl fmt::Debug for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Exact({self})")
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl de::Visitor<'_> for Written {
            type Value = Exact;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an exact number as a string, such as \"1250.75\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Exact, E> {
                Exact::read_written(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Written)
    }
}

#[cfg(test)]
#[path = "exact_text_tests.rs"]
mod tests;
