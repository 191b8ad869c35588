//! Whether two figures that are written differently are one: `2.226562%` and `2.2265625`, `$1,140` and `1140.00 USD`.

use purple_finance::Exact;

use super::derive::quantity;
use super::quantity::{Quantity, rounds_to, same_currency};

/// Compares two texts as exact decimals, at the coarser of their precisions; `None` where one is no figure.
///
/// A percentage counts by its points, and beside a figure without the sign also as its fraction. What is of two
/// currencies does not agree.
pub(crate) fn agree(one: &str, other: &str) -> Option<bool> {
    let (one, other) = (quantity(one)?, quantity(other)?);
    if let (Some(one), Some(other)) = (&one.currency, &other.currency)
        && !same_currency(one, other)
    {
        return Some(false);
    }
    let points = |quantity: &Quantity| {
        if quantity.is_percent {
            in_points(quantity)
        } else {
            Some((quantity.value.clone(), quantity.places))
        }
    };
    let agrees = is_one(&points(&one)?, &points(&other)?);
    if agrees || one.is_percent == other.is_percent {
        return Some(agrees);
    }
    Some(is_one(&in_points(&one)?, &in_points(&other)?))
}

/// A fraction in points, with the place of its last digit.
fn in_points(quantity: &Quantity) -> Option<(Exact, i32)> {
    let points = quantity.value.times(&Exact::from(100)).ok()?;
    Some((points, quantity.places.checked_sub(2)?))
}

fn is_one((one, one_places): &(Exact, i32), (other, other_places): &(Exact, i32)) -> bool {
    if one_places < other_places {
        rounds_to(other, one, *one_places)
    } else {
        rounds_to(one, other, *other_places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_compared_at_the_coarser_of_their_precisions() {
        let cases = [
            ("2.226562%", "2.2265625", Some(true)),
            ("2.2265625", "2.226562%", Some(true)),
            ("2.226562%", "2.23", Some(true)),
            ("2.226562%", "2.24 %", Some(false)),
            ("2.226562%", "0.022265625", Some(true)),
            ("2.226562%", "0.0232", Some(false)),
            ("1140.00 USD", "$1,140", Some(true)),
            ("1140.00 USD", "1,140.01", Some(false)),
            ("1140.00 USD", "1140.00 EUR", Some(false)),
            ("-100.00 USD", "-100", Some(true)),
            ("-100.00 USD", "100", Some(false)),
            ("345.6", "345.60000", Some(true)),
            ("345.6", "approved", None),
            ("no value: unknown", "5", None),
        ];
        for (one, other, expected) in cases {
            assert_eq!(agree(one, other), expected, "{one} and {other}");
        }
    }
}
