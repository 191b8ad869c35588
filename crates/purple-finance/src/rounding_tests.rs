use std::collections::BTreeSet;

use super::*;

/// What each name does to halves and near-halves of both signs, written by hand.
const TABLE: &[(Rounding, [i128; 10])] = &[
    //                        -2.9 -2.5 -2.1 -1.5 -0.5  0.5  1.5  2.1  2.5  2.9
    (Rounding::HalfEven, [-3, -2, -2, -2, 0, 0, 2, 2, 2, 3]),
    (Rounding::HalfUp, [-3, -3, -2, -2, -1, 1, 2, 2, 3, 3]),
    (Rounding::HalfDown, [-3, -2, -2, -1, 0, 0, 1, 2, 2, 3]),
    (Rounding::Up, [-3, -3, -3, -2, -1, 1, 2, 3, 3, 3]),
    (Rounding::Down, [-2, -2, -2, -1, 0, 0, 1, 2, 2, 2]),
    (Rounding::Ceiling, [-2, -2, -2, -1, 0, 1, 2, 3, 3, 3]),
    (Rounding::Floor, [-3, -3, -3, -2, -1, 0, 1, 2, 2, 2]),
];
const TENTHS: [i128; 10] = [-29, -25, -21, -15, -5, 5, 15, 21, 25, 29];

#[test]
fn every_rounding_does_what_its_table_row_says() {
    assert_eq!(TABLE.len(), Rounding::ALL.len());
    for (rounding, expected) in TABLE {
        let small = TENTHS.map(|tenths| rounding.divide(tenths, 10));
        assert_eq!(small, *expected, "{rounding}");
        let big = TENTHS.map(|tenths| rounding.divide_big(&BigInt::from(tenths), &BigInt::from(10)));
        assert_eq!(big, expected.map(BigInt::from), "{rounding}");
    }
}

#[test]
fn an_even_division_is_never_moved() {
    for rounding in Rounding::ALL {
        for quotient in [-3, -2, -1, 0, 1, 2, 3] {
            assert_eq!(rounding.divide(quotient * 7, 7), quotient, "{rounding}");
            assert_eq!(rounding.divide_big(&BigInt::from(quotient * 7), &BigInt::from(7)), quotient.into());
        }
    }
}

#[test]
fn the_largest_operands_do_not_overflow() {
    let max = i128::MAX;
    assert_eq!(Rounding::HalfUp.divide(max, 1), max);
    assert_eq!(Rounding::HalfUp.divide(i128::MIN, 1), i128::MIN);
    assert_eq!(Rounding::HalfUp.divide(max, 2), max / 2 + 1);
    assert_eq!(Rounding::HalfEven.divide(max - 1, max), 1);
    assert_eq!(Rounding::Floor.divide(i128::MIN, max), -2);
    assert_eq!(Rounding::Ceiling.divide(1, max), 1);
}

#[test]
fn names_are_read_back_and_nothing_else_is() {
    let names: BTreeSet<_> = Rounding::ALL.iter().map(ToString::to_string).collect();
    let expected = ["ceiling", "down", "floor", "half_down", "half_even", "half_up", "up"];
    assert_eq!(names, expected.map(String::from).into());
    for rounding in Rounding::ALL {
        assert_eq!(Rounding::parse(&rounding.to_string()), Ok(rounding));
        let json = serde_json::to_string(&rounding).unwrap();
        assert_eq!(json, format!("\"{rounding}\""), "one spelling everywhere");
        assert_eq!(serde_json::from_str::<Rounding>(&json).unwrap(), rounding);
    }
    for wrong in ["", "HALF_EVEN", "half even", "bankers", "half_even "] {
        let refusal = Rounding::parse(wrong).unwrap_err();
        assert_eq!(refusal.to_string(), format!("`{wrong}` is not a rounding"));
        assert!(refusal.help().contains("half_even"));
    }
}

#[test]
fn half_to_even_is_the_default() {
    assert_eq!(Rounding::default(), Rounding::HalfEven);
}
