//! Names the ways to round, and rounds integers by them.
//!
//! Every division in this crate that cannot come out even asks for one of these names.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};
use serde::{Deserialize, Serialize};

/// How a number between two representable ones is brought to one of them.
///
/// The default is half to even, everywhere in this crate: repeated rounding then has no drift.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// To the nearer; a tie goes to the even digit: 2.5 → 2, 3.5 → 4.
    #[default]
    HalfEven,
    /// To the nearer; a tie goes away from zero: 2.5 → 3, −2.5 → −3.
    HalfUp,
    /// To the nearer; a tie goes toward zero: 2.5 → 2, −2.5 → −2.
    HalfDown,
    /// Away from zero: 2.1 → 3, −2.1 → −3.
    Up,
    /// Toward zero: 2.9 → 2, −2.9 → −2.
    Down,
    /// Toward positive infinity: 2.1 → 3, −2.9 → −2.
    Ceiling,
    /// Toward negative infinity: 2.9 → 2, −2.1 → −3.
    Floor,
}

/// No rounding has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a rounding")]
pub struct UnknownRounding {
    name: String,
}

impl UnknownRounding {
    /// What a person can write instead.
    #[must_use]
    pub fn help(&self) -> &'static str {
        "write half_even, half_up, half_down, up, down, ceiling or floor"
    }
}

impl Rounding {
    /// Every way to round, in the order of the documentation.
    pub const ALL: [Self; 7] =
        [Self::HalfEven, Self::HalfUp, Self::HalfDown, Self::Up, Self::Down, Self::Ceiling, Self::Floor];

    /// Reads a name such as `half_even`.
    ///
    /// # Errors
    ///
    /// [`UnknownRounding`] for every other text; names are lower case.
    pub fn parse(name: &str) -> Result<Self, UnknownRounding> {
        let named = Self::ALL.into_iter().find(|rounding| rounding.name() == name);
        named.ok_or_else(|| UnknownRounding { name: name.chars().take(40).collect() })
    }

    /// The name, as process files and policies write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::HalfEven => "half_even",
            Self::HalfUp => "half_up",
            Self::HalfDown => "half_down",
            Self::Up => "up",
            Self::Down => "down",
            Self::Ceiling => "ceiling",
            Self::Floor => "floor",
        }
    }

    /// Divides and rounds to an integer. `divisor` is positive.
    pub(crate) fn divide(self, dividend: i128, divisor: i128) -> i128 {
        debug_assert!(0 < divisor, "the caller divides by a positive number");
        // Most numbers fit 64 bits, where a division costs a tenth.
        let (toward_zero, rest) = match (i64::try_from(dividend), i64::try_from(divisor)) {
            (Ok(dividend), Ok(divisor)) => ((dividend / divisor).into(), (dividend % divisor).into()),
            _ => (dividend / divisor, dividend % divisor),
        };
        let cut = Cut {
            rest: rest.cmp(&0),
            // `2 * rest` against `divisor`, without the overflow.
            half: rest.unsigned_abs().cmp(&(divisor.unsigned_abs() - rest.unsigned_abs())),
            odd: toward_zero % 2 != 0,
        };
        // A rest other than zero needs a divisor of at least two, so the quotient has room for one more.
        toward_zero + i128::from(self.step(cut))
    }

    /// Divides and rounds to an integer of any size. `divisor` is positive.
    pub(crate) fn divide_big(self, dividend: &BigInt, divisor: &BigInt) -> BigInt {
        debug_assert!(divisor.is_positive(), "the caller divides by a positive number");
        let (toward_zero, rest) = dividend.div_rem(divisor);
        let cut = Cut {
            rest: rest.cmp(&BigInt::zero()),
            half: (rest.abs() * 2u8).cmp(divisor),
            odd: toward_zero.is_odd(),
        };
        toward_zero + self.step(cut)
    }

    /// What to add to a quotient that was cut toward zero: 1 or −1 away from zero, or nothing.
    fn step(self, cut: Cut) -> i8 {
        let away = match cut.rest {
            Ordering::Less => -1,
            Ordering::Equal => return 0,
            Ordering::Greater => 1,
        };
        let leaves_zero = match self {
            Self::HalfEven => cut.half == Ordering::Greater || (cut.half == Ordering::Equal && cut.odd),
            Self::HalfUp => cut.half != Ordering::Less,
            Self::HalfDown => cut.half == Ordering::Greater,
            Self::Up => true,
            Self::Down => false,
            Self::Ceiling => cut.rest == Ordering::Greater,
            Self::Floor => cut.rest == Ordering::Less,
        };
        if leaves_zero { away } else { 0 }
    }
}

/// What was cut off a quotient: the sign of the rest, its size against one half, and whether the quotient is odd.
#[derive(Clone, Copy)]
struct Cut {
    rest: Ordering,
    half: Ordering,
    odd: bool,
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
#[path = "rounding_tests.rs"]
mod tests;
