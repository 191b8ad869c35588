use std::collections::HashSet;

use super::*;

fn number(text: &str) -> Exact {
    Exact::parse(text).unwrap()
}

fn is_small(number: &Exact) -> bool {
    matches!(number.0, Form::Small { .. })
}

#[test]
fn tenths_add_up() {
    assert_eq!(number("0.1").plus(&number("0.2")), Ok(number("0.3")));
    assert_eq!(number("0.3").minus(&number("0.1")), Ok(number("0.2")));
}

#[test]
fn a_product_past_28_digits_is_exact() {
    // The library below rounds this one silently.
    let factor = number("0.123456789012345678901");
    let product = factor.times(&factor).unwrap();
    assert_eq!(product.to_plain().unwrap(), "0.015241578753238836750437433565526596567801");
    assert_eq!(product.over(&factor), Ok(factor));
}

#[test]
fn a_sum_past_the_small_form_is_exact_and_comes_back() {
    let largest = number("39614081257132168796771975167");
    let sum = largest.plus(&Exact::ONE).unwrap();
    assert_eq!(sum.to_string(), "39614081257132168796771975168");
    assert!(!is_small(&sum));
    let back = sum.minus(&Exact::ONE).unwrap();
    assert!(is_small(&back));
    assert_eq!(back, largest);
}

#[test]
fn what_fits_is_small_however_it_was_computed() {
    let third = Exact::ratio(1, 3).unwrap();
    assert!(!is_small(&third));
    let one = third.times(&number("3")).unwrap();
    assert!(is_small(&one));
    assert_eq!(one, Exact::ONE);
    let all: HashSet<_> =
        [one, Exact::ONE, number("1.000"), Exact::from(1), Exact::ratio(-7, -7).unwrap()].into();
    assert_eq!(all.len(), 1, "equal numbers hash alike");
    let keys = std::hash::RandomState::new();
    let hashed = |number: &Exact| std::hash::BuildHasher::hash_one(&keys, number);
    assert!((2..50).any(|whole| hashed(&Exact::from(whole)) != hashed(&Exact::ONE)), "others hash otherwise");
    assert!(is_small(&number("0.0000000000000000000000000001")), "28 decimals");
    assert!(!is_small(&number("0.00000000000000000000000000001")), "29 decimals");
    assert!(is_small(&number("1.00000000000000000000000000000000000")), "zeros do not count");
}

#[test]
fn the_smallest_small_number_has_one_form() {
    // 28 decimals, by way of a fraction that does not end.
    let smallest = number("0.0000000000000000000000000001");
    let back = smallest.over(&Exact::from(3)).unwrap().times(&Exact::from(3)).unwrap();
    assert!(is_small(&back));
    assert_eq!(back, smallest);
}

#[test]
fn wide_numbers_lose_their_trailing_zeros_and_nothing_else() {
    assert_eq!(number("12345678901234567890.50").to_string(), "12345678901234567890.5");
    assert_eq!(number("12345678901234567890.00").to_string(), "12345678901234567890");
    assert_eq!(number("100000000000000000000").to_string(), "100000000000000000000");
    assert_eq!(number("12345678901234567890.50"), number("12345678901234567890.5"));
}

#[test]
fn zero_has_one_form() {
    let zeros = [
        number("-0"),
        number("-0.00"),
        Exact::ZERO.negated(),
        Exact::default(),
        number("5").minus(&5.into()).unwrap(),
    ];
    for zero in zeros {
        assert_eq!(zero, Exact::ZERO);
        assert!(zero.is_zero() && !zero.is_negative() && !zero.is_positive());
        assert_eq!(zero.to_string(), "0");
    }
}

#[test]
fn division_is_a_ratio() {
    assert_eq!(Exact::ratio(1140, 51200).unwrap().to_string(), "0.022265625");
    assert_eq!(Exact::ratio(1, 3).unwrap().to_string(), "1/3");
    assert_eq!(Exact::ratio(2, -6).unwrap().to_string(), "-1/3");
    assert_eq!(number("0.6").over(&number("-0.2")), Ok(Exact::from(-3)));
    assert_eq!(Exact::ONE.over(&Exact::ZERO), Err(NumberError::DivisionByZero));
    assert_eq!(Exact::ratio(1, 0), Err(NumberError::DivisionByZero));
    assert_eq!(Exact::ratio(0, -5), Ok(Exact::ZERO));
    assert_eq!(Exact::ratio(i128::MIN, -1).unwrap().to_string(), "170141183460469231731687303715884105728");
    assert_eq!(Exact::ratio(i128::MIN, i128::MIN), Ok(Exact::ONE));
}

#[test]
fn the_bound_is_256_bits() {
    let mut power = Exact::from(1i64 << 32);
    for _ in 0..2 {
        power = power.times(&power).unwrap();
    }
    let below = power.times(&Exact::from((1i128 << 126) - 1)).unwrap().times(&Exact::from(4)).unwrap();
    assert_eq!(below.times(&Exact::from(2)), Err(NumberError::TooLarge));
    assert_eq!(power.times(&power), Err(NumberError::TooLarge), "2^256 needs 257 bits");
    let unit = Exact::ONE.over(&power).unwrap();
    assert_eq!(unit.times(&unit), Err(NumberError::TooLarge), "the denominator counts too");
    assert_eq!(unit.over(&power), Err(NumberError::TooLarge));
    assert_eq!(below.plus(&below), Err(NumberError::TooLarge));
    assert_eq!(below.negated().minus(&below), Err(NumberError::TooLarge));
}

#[test]
fn order_holds_across_forms_and_scales() {
    let ascending = [
        number("-39614081257132168796771975169"),
        number("-39614081257132168796771975168"),
        number("-39614081257132168796771975167"),
        number("-10000000000"),
        Exact::ratio(-1, 3).unwrap(),
        number("-0.3333"),
        number("-0.0000000000000000000000000001"),
        Exact::ZERO,
        number("0.00000000000000000000000000001"),
        number("0.0000000000000000000000000001"),
        number("0.3333"),
        Exact::ratio(1, 3).unwrap(),
        number("0.33334"),
        number("3.9614081257132168796771975167"),
        number("10000000000"),
        number("39614081257132168796771975167"),
        number("39614081257132168796771975168"),
    ];
    for (left_at, left) in ascending.iter().enumerate() {
        for (right_at, right) in ascending.iter().enumerate() {
            assert_eq!(left.cmp(right), left_at.cmp(&right_at), "{left} and {right}");
            assert_eq!(left == right, left_at == right_at);
        }
    }
}

#[test]
fn rounding_takes_every_form() {
    let percent = number("2.2265625");
    assert_eq!(percent.rounded(6, Rounding::HalfEven), number("2.226562"));
    assert_eq!(percent.rounded(6, Rounding::HalfUp), number("2.226563"));
    assert_eq!(percent.rounded(7, Rounding::Up), percent);
    assert_eq!(percent.rounded(2, Rounding::HalfEven), number("2.23"));
    assert_eq!(percent.rounded(0, Rounding::Up), number("3"));
    assert_eq!(percent.rounded(200, Rounding::Up), percent);
    assert_eq!(Exact::ratio(2, 3).unwrap().rounded(2, Rounding::HalfEven), number("0.67"));
    assert_eq!(Exact::ratio(-2, 3).unwrap().rounded(2, Rounding::Ceiling), number("-0.66"));
    assert_eq!(Exact::ratio(-1, 3).unwrap().rounded(0, Rounding::Floor), number("-1"));
    let long = Exact::ratio(1, 3).unwrap().rounded(255, Rounding::Down);
    assert_eq!(long.to_plain().unwrap().len(), 257);
}

#[test]
fn finite_places_are_counted() {
    let cases = [("0", 0), ("1000", 0), ("0.5", 1), ("0.125", 3), ("-2.2265625", 7), ("12.50", 1)];
    for (text, places) in cases {
        assert_eq!(number(text).finite_places(), Some(places), "{text}");
    }
    assert_eq!(Exact::ratio(1, 3).unwrap().finite_places(), None);
    assert_eq!(Exact::ratio(1, 6).unwrap().finite_places(), None);
    assert_eq!(Exact::ratio(1, 1 << 60).unwrap().finite_places(), Some(60));
    assert_eq!(Exact::ratio(1, 5i128.pow(40)).unwrap().finite_places(), Some(40));
}

#[test]
fn whole_numbers_are_recognised() {
    assert_eq!(number("12.00").to_i128(), Some(12));
    assert_eq!(number("12.5").to_i128(), None);
    assert_eq!(Exact::from(i128::MIN).to_i128(), Some(i128::MIN));
    assert_eq!(number("170141183460469231731687303715884105728").to_i128(), None);
    assert_eq!(Exact::ratio(1, 3).unwrap().to_i128(), None);
    assert!(Exact::from(i128::MAX).is_integer() && number("3").is_integer());
    assert!(!number("0.5").is_integer() && !Exact::ratio(1, 3).unwrap().is_integer());
}

#[test]
fn signs_are_told_apart() {
    let huge = number("-170141183460469231731687303715884105728");
    assert!(huge.is_negative() && huge.magnitude().is_positive());
    assert_eq!(huge.magnitude().negated(), huge);
    assert!(number("-0.5").is_negative() && !number("0.5").is_negative());
    assert_eq!(number("-0.5").magnitude(), number("0.5"));
    assert_eq!(number("0.5").magnitude(), number("0.5"));
}

#[test]
fn an_exact_number_is_small_in_memory() {
    assert!(size_of::<Exact>() <= 16);
}
