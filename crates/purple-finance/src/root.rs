//! Square roots, correctly rounded, without a float.

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::exact::{Exact, NumberError};
use crate::rounding::Rounding;

/// The square root to so many decimals. `square` is not negative.
///
/// The root is taken of an integer; what was cut off is compared with one half exactly, so the rounding is the one
/// that was named and not that of some intermediate precision.
pub(crate) fn square_root(square: &Exact, places: u8, rounding: Rounding) -> Result<Exact, NumberError> {
    debug_assert!(!square.is_negative(), "the caller checks the sign");
    let ratio = square.to_rational();
    let tens = BigInt::from(10).pow(u32::from(places));
    let scaled: BigInt = ratio.numer() * &tens * &tens;
    let floor = (&scaled / ratio.denom()).sqrt();
    // Where the true root lies between `floor` and the next unit, in quarters that round as it does.
    let quarter = if &floor * &floor * ratio.denom() == scaled {
        0
    } else {
        let middle: BigInt = &floor * 2 + 1;
        let square: BigInt = &middle * &middle * ratio.denom();
        match square.cmp(&(&scaled * 4)) {
            std::cmp::Ordering::Greater => 1,
            std::cmp::Ordering::Equal => 2,
            std::cmp::Ordering::Less => 3,
        }
    };
    let units = rounding.divide_big(&(floor * 4 + quarter), &BigInt::from(4));
    Exact::from_rational(BigRational::new(units, tens))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(square: &str, places: u8, rounding: Rounding) -> String {
        square_root(&Exact::parse(square).unwrap(), places, rounding)
            .unwrap()
            .to_fixed(places, Rounding::Down)
    }

    #[test]
    fn roots_are_rounded_by_name() {
        assert_eq!(root("2", 10, Rounding::HalfEven), "1.4142135624");
        assert_eq!(root("2", 10, Rounding::Down), "1.4142135623");
        assert_eq!(root("2", 0, Rounding::Up), "2");
        assert_eq!(root("0", 2, Rounding::Up), "0.00");
        assert_eq!(root("144", 2, Rounding::Up), "12.00", "an exact root is not moved");
        assert_eq!(root("0.0625", 1, Rounding::HalfEven), "0.2", "0.25 is a tie");
        assert_eq!(root("0.1225", 1, Rounding::HalfEven), "0.4", "0.35 is a tie");
        assert_eq!(root("0.0625", 1, Rounding::HalfUp), "0.3");
        assert_eq!(root("0.06250001", 1, Rounding::HalfDown), "0.3", "just above the tie");
        assert_eq!(root("0.06249999", 1, Rounding::HalfUp), "0.2", "just below the tie");
    }
}
