use super::*;

fn money(text: &str) -> Money {
    Money::parse(text).unwrap()
}

fn number(text: &str) -> Exact {
    Exact::parse(text).unwrap()
}

#[test]
fn amounts_are_written_with_the_decimals_of_their_currency() {
    let cases = [
        ("52340 USD", "52340.00 USD"),
        ("-0.5 USD", "-0.50 USD"),
        ("0 EUR", "0.00 EUR"),
        ("1500 JPY", "1500 JPY"),
        ("1.234 KWD", "1.234 KWD"),
        ("-0.0001 CLF", "-0.0001 CLF"),
    ];
    for (text, written) in cases {
        assert_eq!(money(text).to_string(), written);
        assert_eq!(money(written), money(text));
    }
}

#[test]
fn what_is_not_an_amount_is_refused_with_the_reason() {
    let cases = [
        ("12.345 USD", "12.345 has more than the 2 decimals of USD"),
        ("0.5 JPY", "0.5 has more than the 0 decimals of JPY"),
        ("12.34", "`12.34` is not an amount with a currency"),
        ("12.34 usd", "`usd` is not an ISO 4217 currency code"),
        ("12.34  USD", "` USD` is not an ISO 4217 currency code"),
        ("USD 12.34", "`12.34` is not an ISO 4217 currency code"),
        ("1,234.00 USD", "unexpected `,` at position 2 of a number"),
        ("1e5 USD", "unexpected `e` at position 2 of a number"),
        (" USD", "an empty text is not a number"),
        ("10000000000000000000000000000000000000000 USD", "the amount of USD is too large"),
    ];
    for (text, reason) in cases {
        let refusal = Money::parse(text).unwrap_err();
        assert_eq!(refusal.to_string(), reason, "{text}");
        assert!(!refusal.help().is_empty());
    }
}

#[test]
fn currencies_never_mix() {
    let (dollars, euros) = (money("1 USD"), money("1 EUR"));
    let mismatch = MoneyError::CurrencyMismatch { left: Currency::USD, right: Currency::EUR };
    assert_eq!(dollars.plus(&euros), Err(mismatch.clone()));
    assert_eq!(dollars.minus(&euros), Err(mismatch.clone()));
    assert_eq!(dollars.compare(&euros), Err(mismatch.clone()));
    assert_eq!(Money::sum(Currency::USD, [dollars, euros]), Err(mismatch.clone()));
    assert_eq!(mismatch.to_string(), "USD and EUR do not mix");
    assert_ne!(Money::zero(Currency::USD), Money::zero(Currency::EUR));
}

#[test]
fn amounts_add_compare_and_scale() {
    assert_eq!(money("0.10 USD").plus(&money("0.20 USD")), Ok(money("0.30 USD")));
    assert_eq!(money("0.10 USD").minus(&money("0.20 USD")), Ok(money("-0.10 USD")));
    assert_eq!(money("0.10 USD").negated(), Ok(money("-0.10 USD")));
    assert_eq!(money("2 USD").compare(&money("1 USD")), Ok(Ordering::Greater));
    assert_eq!(money("0.05 USD").times(&number("0.5"), Rounding::HalfEven), Ok(money("0.02 USD")));
    assert_eq!(money("0.05 USD").times(&number("0.5"), Rounding::HalfUp), Ok(money("0.03 USD")));
    assert_eq!(money("0.05 USD").times(&number("-0.5"), Rounding::HalfUp), Ok(money("-0.03 USD")));
    assert!(money("-1 USD").is_negative() && money("1 USD").is_positive() && money("0 USD").is_zero());
    assert!(!money("0 USD").is_negative() && !money("0 USD").is_positive() && !money("1 USD").is_zero());
}

#[test]
fn the_largest_amounts_do_not_overflow() {
    let (most, least) =
        (Money::from_minor(i128::MAX, Currency::USD), Money::from_minor(i128::MIN, Currency::USD));
    let too_large = MoneyError::TooLarge { currency: Currency::USD };
    assert_eq!(most.plus(&money("0.01 USD")), Err(too_large.clone()));
    assert_eq!(least.minus(&money("0.01 USD")), Err(too_large.clone()));
    assert_eq!(least.negated(), Err(too_large.clone()));
    assert_eq!(most.times(&number("2"), Rounding::Down), Err(too_large));
    assert_eq!(Money::sum(Currency::USD, least.split(7).unwrap()), Ok(least));
    assert_eq!(Money::sum(Currency::USD, most.allocate(&[1.into(), 2.into()]).unwrap()), Ok(most));
    assert_eq!(Money::parse(&least.to_string()), Ok(least));
}

#[test]
fn parts_sum_to_the_whole_and_the_larger_come_first() {
    let parts = money("100.00 USD").split(3).unwrap();
    assert_eq!(parts, ["33.34 USD", "33.33 USD", "33.33 USD"].map(money));
    let parts = money("-100.00 USD").split(3).unwrap();
    assert_eq!(parts, ["-33.34 USD", "-33.33 USD", "-33.33 USD"].map(money));
    assert_eq!(money("0.02 USD").split(3).unwrap(), ["0.01 USD", "0.01 USD", "0.00 USD"].map(money));
    assert_eq!(money("1 USD").split(0), Err(MoneyError::NoParts));
    assert_eq!(money("1 USD").split(10_001), Err(MoneyError::TooManyParts { parts: 10_001 }));
    assert_eq!(money("1 USD").split(10_000).unwrap().len(), 10_000);
}

#[test]
fn weights_share_an_amount_out() {
    let share = |whole: &str, weights: &[&str]| {
        let weights: Vec<_> = weights.iter().map(|weight| number(weight)).collect();
        money(whole).allocate(&weights)
    };
    assert_eq!(
        share("100 USD", &["1", "1", "1"]).unwrap(),
        ["33.34 USD", "33.33 USD", "33.33 USD"].map(money)
    );
    assert_eq!(share("100 USD", &["0.5", "0.3", "0.2"]).unwrap(), ["50 USD", "30 USD", "20 USD"].map(money));
    assert_eq!(
        share("0.05 USD", &["3", "7"]).unwrap(),
        ["0.02 USD", "0.03 USD"].map(money),
        "1.5 and 3.5: a tie"
    );
    assert_eq!(share("0.10 USD", &["1", "2", "4"]).unwrap(), ["0.01 USD", "0.03 USD", "0.06 USD"].map(money));
    assert_eq!(share("-0.05 USD", &["3", "7"]).unwrap(), ["-0.02 USD", "-0.03 USD"].map(money));
    assert_eq!(share("1 USD", &["0", "1"]).unwrap(), ["0 USD", "1 USD"].map(money));
    assert_eq!(share("1 USD", &[]), Err(MoneyError::NoParts));
    assert_eq!(share("1 USD", &["0", "0"]), Err(MoneyError::NoWeight));
    assert_eq!(share("1 USD", &["2", "-1"]), Err(MoneyError::NegativeWeight { weight: number("-1") }));
    let too_many = vec![Exact::ONE; Money::PARTS_MAX + 1];
    assert_eq!(money("1 USD").allocate(&too_many), Err(MoneyError::TooManyParts { parts: 10_001 }));
}

#[test]
fn weights_whose_common_denominator_explodes_are_refused() {
    // Denominators that share no factor multiply up; a thousand of them would take minutes.
    let primes = (2i128..9000).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
    let weights: Vec<_> = primes.map(|prime| Exact::ratio(1, prime.pow(9)).unwrap()).take(900).collect();
    assert_eq!(money("1 USD").allocate(&weights), Err(MoneyError::Number(NumberError::TooLarge)));
}

#[test]
fn json_carries_the_written_amount() {
    let amount = money("52340 USD");
    assert_eq!(serde_json::to_string(&amount).unwrap(), "\"52340.00 USD\"");
    assert_eq!(serde_json::from_str::<Money>("\"52340.00 USD\"").unwrap(), amount);
    assert!(serde_json::from_str::<Money>("52340.00").is_err());
    assert!(serde_json::from_str::<Money>("\"52340.00\"").is_err());
    assert_eq!(format!("{amount:?}"), "Money(52340.00 USD)");
}
