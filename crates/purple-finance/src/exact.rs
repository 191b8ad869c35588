//! A number without rounding errors: what it holds, and what can be done with it.
//!
//! Nothing here rounds unless it is asked to, by name.
//! A number is a fraction in lowest terms; the common ones are decimals of 96 bits and never touch the heap.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::rounding::Rounding;

/// An exact rational number.
///
/// Equal numbers are equal values, whatever computed them, and hash alike.
/// Numerator and denominator of the reduced fraction stay below 2^256 ([`Exact::BITS_MAX`]); beyond, arithmetic
/// answers [`NumberError::TooLarge`].
///
/// ```
/// use purple_finance::Exact;
///
/// let sum = Exact::parse("0.1")?.plus(&Exact::parse("0.2")?)?;
/// assert_eq!(sum, Exact::parse("0.3")?);
/// # Ok::<(), purple_finance::NumberError>(())
/// ```
#[derive(Clone)]
pub struct Exact(Form);

// INVARIANT: a number that fits `Small` is never `Big`, `Small` has no trailing zeros after the point, and `Big` is in
// lowest terms. So equality and hashing may look at the form.
#[derive(Clone)]
enum Form {
    /// `mantissa / 10^scale`; the mantissa is a signed integer of 96 bits, in two pieces so that a number fits 16 bytes.
    Small {
        low: u64,
        high: i32,
        scale: u8,
    },
    Big(Box<BigRational>),
}

/// Why there is no exact number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The reduced fraction needs more than [`Exact::BITS_MAX`] bits.
    #[error("the number needs more than {} bits", Exact::BITS_MAX)]
    TooLarge,
    /// There is no text.
    #[error("an empty text is not a number")]
    Empty,
    /// A character that a plain decimal does not have.
    #[error("unexpected `{character}` at position {position} of a number")]
    UnexpectedCharacter {
        /// The first character that does not belong.
        character: char,
        /// Its place in the text, in characters from one.
        position: usize,
    },
    /// The point has no digits before or after it.
    #[error("a digit is missing before or after the decimal point")]
    MissingDigit,
    /// More digits than a number may be written with.
    #[error("{digits} digits are more than the {max} a number may have")]
    TooManyDigits {
        /// How many digits the text has.
        digits: usize,
        /// How many it may have.
        max: usize,
    },
}

impl NumberError {
    /// What a person can do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::DivisionByZero => "check the divisor before dividing",
            Self::TooLarge => "round an intermediate result, by name",
            Self::Empty | Self::UnexpectedCharacter { .. } | Self::MissingDigit => {
                "write digits with an optional minus sign and decimal point, such as -1250.75"
            }
            Self::TooManyDigits { .. } => "write fewer digits",
        }
    }
}

/// Powers of ten that fit an `i128`: 10^0 to 10^38.
const TENS: [i128; 39] = {
    let mut tens = [1; 39];
    let mut exponent = 1;
    while exponent < tens.len() {
        tens[exponent] = tens[exponent - 1] * 10;
        exponent += 1;
    }
    tens
};

/// The most decimals of a small number; their power of ten fits 96 bits too.
const SMALL_SCALE_MAX: u8 = 28;

impl Exact {
    /// Zero.
    pub const ZERO: Self = Self(Form::Small { low: 0, high: 0, scale: 0 });
    /// One.
    pub const ONE: Self = Self(Form::Small { low: 1, high: 0, scale: 0 });
    /// How many bits numerator and denominator may have.
    pub const BITS_MAX: u64 = 256;

    /// The fraction `numerator / denominator`.
    ///
    /// # Errors
    ///
    /// [`NumberError::DivisionByZero`].
    pub fn ratio(numerator: i128, denominator: i128) -> Result<Self, NumberError> {
        Self::from(numerator).over(&Self::from(denominator))
    }

    /// The sum.
    ///
    /// # Errors
    ///
    /// [`NumberError::TooLarge`], as for every operation that follows.
    pub fn plus(&self, other: &Self) -> Result<Self, NumberError> {
        if let Some((left, right, scale)) = self.aligned(other)
            && let Some(sum) = left.checked_add(right)
        {
            return Ok(Self::from_decimal(sum, scale));
        }
        Self::from_rational(self.to_rational() + other.to_rational())
    }

    /// The difference.
    ///
    /// # Errors
    ///
    /// [`NumberError::TooLarge`].
    pub fn minus(&self, other: &Self) -> Result<Self, NumberError> {
        if let Some((left, right, scale)) = self.aligned(other)
            && let Some(difference) = left.checked_sub(right)
        {
            return Ok(Self::from_decimal(difference, scale));
        }
        Self::from_rational(self.to_rational() - other.to_rational())
    }

    /// The product.
    ///
    /// # Errors
    ///
    /// [`NumberError::TooLarge`].
    pub fn times(&self, other: &Self) -> Result<Self, NumberError> {
        if let (Some((left, left_scale)), Some((right, right_scale))) = (self.small(), other.small())
            && let Some(product) = multiplied(left, right)
        {
            return Ok(Self::from_decimal(product, left_scale + right_scale));
        }
        Self::from_rational(self.to_rational() * other.to_rational())
    }

    /// The quotient, as an exact fraction.
    ///
    /// # Errors
    ///
    /// [`NumberError::DivisionByZero`] and [`NumberError::TooLarge`].
    pub fn over(&self, other: &Self) -> Result<Self, NumberError> {
        if other.is_zero() {
            return Err(NumberError::DivisionByZero);
        }
        // At one scale for both, the quotient of the numbers is the quotient of the integers.
        if let Some((left, right, _)) = self.aligned(other)
            && let Some(quotient) = decimal_quotient(left, right)
        {
            return Ok(quotient);
        }
        Self::from_rational(self.to_rational() / other.to_rational())
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(&self) -> Self {
        match &self.0 {
            Form::Small { low, high, scale } => Self::from_decimal(-joined(*low, *high), *scale),
            Form::Big(ratio) => Self::from_ratio_of_any_size(-ratio.as_ref()),
        }
    }

    /// The number without its sign.
    #[must_use]
    pub fn magnitude(&self) -> Self {
        if self.is_negative() { self.negated() } else { self.clone() }
    }

    /// Whether it is zero.
    #[must_use]
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Form::Small { low: 0, high: 0, .. })
    }

    /// Whether it is below zero.
    #[must_use]
    #[inline]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Form::Small { high, .. } => *high < 0,
            Form::Big(ratio) => ratio.is_negative(),
        }
    }

    /// Whether it is above zero.
    #[must_use]
    #[inline]
    pub fn is_positive(&self) -> bool {
        !self.is_zero() && !self.is_negative()
    }

    /// Whether it is a whole number.
    #[must_use]
    #[inline]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Form::Small { scale, .. } => *scale == 0,
            Form::Big(ratio) => ratio.is_integer(),
        }
    }

    /// The whole number it is, if it is one and fits.
    #[must_use]
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Form::Small { low, high, scale: 0 } => Some(joined(*low, *high)),
            Form::Small { .. } => None,
            Form::Big(ratio) if ratio.is_integer() => ratio.numer().to_i128(),
            Form::Big(_) => None,
        }
    }

    /// The number rounded to so many decimals.
    ///
    /// Never refused; only a number rounded to more than some fifty places can exceed [`Exact::BITS_MAX`] by it.
    #[must_use]
    pub fn rounded(&self, places: u8, rounding: Rounding) -> Self {
        match &self.0 {
            Form::Small { scale, .. } if *scale <= places => self.clone(),
            Form::Small { low, high, scale } => {
                let divisor = TENS[usize::from(scale - places)];
                Self::from_decimal(rounding.divide(joined(*low, *high), divisor), places)
            }
            Form::Big(ratio) => {
                let tens = ten_to(places.into());
                let scaled = rounding.divide_big(&(ratio.numer() * &tens), ratio.denom());
                Self::from_ratio_of_any_size(BigRational::new(scaled, tens))
            }
        }
    }

    /// How many decimals it has, if their number is finite.
    #[must_use]
    pub fn finite_places(&self) -> Option<u8> {
        match &self.0 {
            Form::Small { scale, .. } => Some(*scale),
            Form::Big(ratio) => finite_places(ratio.denom()),
        }
    }

    /// `self × 10^places`, rounded to a whole number, if that fits.
    pub(crate) fn scaled(&self, places: u8, rounding: Rounding) -> Option<i128> {
        if let Some((mantissa, scale)) = self.small() {
            if scale >= places {
                return Some(rounding.divide(mantissa, TENS[usize::from(scale - places)]));
            }
            let raised = TENS.get(usize::from(places - scale)).and_then(|tens| multiplied(mantissa, *tens));
            if raised.is_some() {
                return raised;
            }
        }
        let ratio = self.to_rational();
        rounding.divide_big(&(ratio.numer() * ten_to(places.into())), ratio.denom()).to_i128()
    }

    /// `mantissa / 10^places`.
    pub(crate) fn from_scaled(mantissa: i128, places: u8) -> Self {
        Self::from_decimal(mantissa, places)
    }

    pub(crate) fn to_rational(&self) -> BigRational {
        match &self.0 {
            Form::Small { low, high, scale } => {
                BigRational::new(joined(*low, *high).into(), TENS[usize::from(*scale)].into())
            }
            Form::Big(ratio) => ratio.as_ref().clone(),
        }
    }

    pub(crate) fn from_rational(ratio: BigRational) -> Result<Self, NumberError> {
        let bits = ratio.numer().bits().max(ratio.denom().bits());
        if bits > Self::BITS_MAX {
            return Err(NumberError::TooLarge);
        }
        Ok(Self::from_ratio_of_any_size(ratio))
    }

    /// The order of numbers that are not both small, or whose scales are too far apart to be brought to one.
    #[cold]
    fn cmp_slowly(&self, other: &Self) -> Ordering {
        match (self.small(), other.small()) {
            // Raising the one with fewer decimals passed 2^127; the other is below 2^95, so its sign settles it.
            (Some((left, left_scale)), Some((_, right_scale))) if left_scale < right_scale => left.cmp(&0),
            (Some(_), Some((right, _))) => 0.cmp(&right),
            (None, _) | (_, None) => self.to_rational().cmp(&other.to_rational()),
        }
    }

    /// Mantissa and scale, if the number is small.
    #[inline]
    fn small(&self) -> Option<(i128, u8)> {
        match &self.0 {
            Form::Small { low, high, scale } => Some((joined(*low, *high), *scale)),
            Form::Big(_) => None,
        }
    }

    /// Both integers at one scale, if both numbers are small and fit.
    #[inline]
    fn aligned(&self, other: &Self) -> Option<(i128, i128, u8)> {
        let ((left, left_scale), (right, right_scale)) = (self.small()?, other.small()?);
        match left_scale.cmp(&right_scale) {
            Ordering::Equal => Some((left, right, left_scale)),
            Ordering::Less => {
                Some((multiplied(left, TENS[usize::from(right_scale - left_scale)])?, right, right_scale))
            }
            Ordering::Greater => {
                Some((left, multiplied(right, TENS[usize::from(left_scale - right_scale)])?, left_scale))
            }
        }
    }

    #[inline]
    fn from_decimal(mantissa: i128, scale: u8) -> Self {
        let (mantissa, scale) = without_trailing_zeros(mantissa, scale);
        if let Some(small) = Self::from_small(mantissa, scale) {
            return small;
        }
        Self(Form::Big(Box::new(BigRational::new(mantissa.into(), ten_to(scale.into())))))
    }

    /// A mantissa without trailing zeros and its scale as a small number, if it fits.
    #[inline]
    fn from_small(mantissa: i128, scale: u8) -> Option<Self> {
        let high = i32::try_from(mantissa >> 64).ok()?;
        (scale <= SMALL_SCALE_MAX).then_some(Self(Form::Small { low: mantissa as u64, high, scale }))
    }

    fn from_ratio_of_any_size(ratio: BigRational) -> Self {
        let fitting = finite_places(ratio.denom()).and_then(|places| {
            if places > SMALL_SCALE_MAX {
                return None;
            }
            let mantissa = ratio.numer() * (ten_to(places.into()) / ratio.denom());
            Self::from_small(mantissa.to_i128()?, places)
        });
        fitting.unwrap_or_else(|| Self(Form::Big(Box::new(ratio))))
    }
}

/// The mantissa of a small number from its two pieces.
#[inline]
fn joined(low: u64, high: i32) -> i128 {
    (i128::from(high) << 64) | i128::from(low)
}

/// The product, if it fits. Most factors fit 64 bits, where no product can overflow.
#[inline]
fn multiplied(left: i128, right: i128) -> Option<i128> {
    match (i64::try_from(left), i64::try_from(right)) {
        (Ok(left), Ok(right)) => Some(i128::from(left) * i128::from(right)),
        _ => left.checked_mul(right),
    }
}

#[inline]
fn without_trailing_zeros(mut mantissa: i128, mut scale: u8) -> (i128, u8) {
    if mantissa == 0 {
        return (0, 0);
    }
    // Most amounts fit 64 bits, where a division costs a tenth.
    if let Ok(mut narrow) = i64::try_from(mantissa) {
        while scale > 0 && narrow % 10 == 0 {
            narrow /= 10;
            scale -= 1;
        }
        return (narrow.into(), scale);
    }
    while scale > 0 && mantissa % 10 == 0 {
        mantissa /= 10;
        scale -= 1;
    }
    (mantissa, scale)
}

/// `left / right` without the heap, if it is a decimal that fits. `right` is not zero.
fn decimal_quotient(left: i128, right: i128) -> Option<Exact> {
    let (left, right) = if right < 0 { (left.checked_neg()?, right.checked_neg()?) } else { (left, right) };
    let shared = match (i64::try_from(left), i64::try_from(right)) {
        (Ok(left), Ok(right)) => i128::from(left.unsigned_abs().gcd(&right.unsigned_abs())),
        _ => left.gcd(&right),
    };
    let (numerator, denominator) = (left / shared, right / shared);
    let twos = denominator.trailing_zeros();
    let (mut rest, mut fives) = (denominator >> twos, 0);
    while rest % 5 == 0 {
        rest /= 5;
        fives += 1;
    }
    if rest != 1 {
        return None;
    }
    let scale = twos.max(fives);
    let factor = TENS.get(scale as usize)? / denominator;
    Some(Exact::from_decimal(multiplied(numerator, factor)?, u8::try_from(scale).ok()?))
}

/// How many decimals a reduced fraction with this denominator has: it must be 2^a × 5^b, and then it is max(a, b).
fn finite_places(denominator: &BigInt) -> Option<u8> {
    let twos = denominator.trailing_zeros().unwrap_or(0);
    let mut rest = denominator >> twos;
    let mut fives = 0u64;
    let five = BigInt::from(5);
    while !rest.is_one() {
        let (quotient, remainder) = rest.div_rem(&five);
        if !remainder.is_zero() {
            return None;
        }
        rest = quotient;
        fives += 1;
    }
    u8::try_from(twos.max(fives)).ok()
}

fn ten_to(exponent: u32) -> BigInt {
    BigInt::from(10).pow(exponent)
}

impl Default for Exact {
    fn default() -> Self {
        Self::ZERO
    }
}

impl PartialEq for Exact {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (
                Form::Small { low, high, scale },
                Form::Small { low: other_low, high: other_high, scale: other_scale },
            ) => low == other_low && high == other_high && scale == other_scale,
            (Form::Big(left), Form::Big(right)) => left == right,
            (Form::Small { .. }, Form::Big(_)) | (Form::Big(_), Form::Small { .. }) => false,
        }
    }
}

impl Eq for Exact {}

impl Hash for Exact {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Form::Small { low, high, scale } => (low, high, scale).hash(state),
            Form::Big(ratio) => (ratio.numer(), ratio.denom()).hash(state),
        }
    }
}

impl PartialOrd for Exact {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        if let Some((left, right, _)) = self.aligned(other) {
            return left.cmp(&right);
        }
        self.cmp_slowly(other)
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Exact {
            fn from(integer: $integer) -> Self {
                Self::from_decimal(integer.into(), 0)
            }
        }
    )*};
}

from_integers!(i32, u32, i64, u64, i128);

#[cfg(test)]
#[path = "exact_tests.rs"]
mod tests;
