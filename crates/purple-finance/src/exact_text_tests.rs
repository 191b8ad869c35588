use super::*;

fn number(text: &str) -> Exact {
    Exact::parse(text).unwrap()
}

#[test]
fn plain_decimals_are_read() {
    let cases =
        [("0", "0"), ("-1250.75", "-1250.75"), ("007", "7"), ("1.10", "1.1"), ("0.10", "0.1"), ("-0.0", "0")];
    for (text, written) in cases {
        assert_eq!(number(text).to_string(), written);
    }
}

#[test]
fn everything_else_is_refused_with_its_place() {
    let at = |character, position| NumberError::UnexpectedCharacter { character, position };
    let cases = [
        ("", NumberError::Empty),
        ("-", NumberError::MissingDigit),
        (".5", NumberError::MissingDigit),
        ("5.", NumberError::MissingDigit),
        ("-.5", NumberError::MissingDigit),
        (".", NumberError::MissingDigit),
        ("1e5", at('e', 2)),
        ("+5", at('+', 1)),
        ("1,000", at(',', 2)),
        ("1.000,00", at(',', 6)),
        ("1.2.3", at('.', 4)),
        ("--5", at('-', 2)),
        ("5-", at('-', 2)),
        (" 5", at(' ', 1)),
        ("5 ", at(' ', 2)),
        ("\u{2212}5", at('\u{2212}', 1)),
        ("٥", at('٥', 1)),
        ("NaN", at('N', 1)),
        ("0x10", at('x', 2)),
        ("1_000", at('_', 2)),
        ("1/3", at('/', 2)),
    ];
    for (text, refusal) in cases {
        assert_eq!(Exact::parse(text), Err(refusal), "{text}");
        assert!(refusal.help().contains("-1250.75"), "the help shows how a number is written");
    }
    let (sixty, more) = ("1".repeat(60), "0.".to_owned() + &"1".repeat(60));
    assert_eq!(number(&sixty).to_string(), sixty);
    assert_eq!(Exact::parse(&more), Err(NumberError::TooManyDigits { digits: 61, max: 60 }));
}

#[test]
fn fixed_notation_pads_and_rounds() {
    assert_eq!(number("1020").to_fixed(2, Rounding::HalfEven), "1020.00");
    assert_eq!(number("-0.005").to_fixed(2, Rounding::HalfUp), "-0.01");
    assert_eq!(number("-0.005").to_fixed(2, Rounding::HalfEven), "0.00", "no negative zero");
    assert_eq!(number("0.5").to_fixed(0, Rounding::HalfUp), "1");
    assert_eq!(Exact::ratio(1, 3).unwrap().to_fixed(6, Rounding::HalfEven), "0.333333");
    assert_eq!(
        Exact::ratio(-2, 3).unwrap().to_fixed(45, Rounding::HalfEven),
        format!("-0.{}7", "6".repeat(44))
    );
    assert_eq!(number("12").to_fixed(40, Rounding::Down), format!("12.{}", "0".repeat(40)));
}

#[test]
fn json_carries_strings_and_nothing_else() {
    for text in ["\"0.1\"", "\"-1250.75\"", "\"1/3\"", "\"-22/7\"", "\"0\""] {
        let read: Exact = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
    for wrong in [
        "0.1",
        "1",
        "1e5",
        "\"1e5\"",
        "\"1/0\"",
        "\"1.5/2\"",
        "\"1/2.0\"",
        "\"1/2/3\"",
        "\"/\"",
        "\"\"",
        "null",
        "true",
    ] {
        assert!(serde_json::from_str::<Exact>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_longest_numbers_survive_json() {
    let mut long = Exact::ONE;
    for _ in 0..255 {
        long = long.over(&Exact::from(2)).unwrap();
    }
    let largest = number(&"9".repeat(60)).times(&number("99999999999999999")).unwrap();
    for number in [long.clone(), long.negated(), largest.clone(), largest.over(&Exact::from(7)).unwrap()] {
        let json = serde_json::to_string(&number).unwrap();
        assert_eq!(serde_json::from_str::<Exact>(&json).unwrap(), number);
    }
    assert!(serde_json::from_str::<Exact>(&format!("\"{}\"", "9".repeat(78))).is_err(), "past 256 bits");
    assert!(serde_json::from_str::<Exact>(&format!("\"0.{}1\"", "0".repeat(300))).is_err(), "past 256 bits");
}

#[test]
fn debug_shows_the_number() {
    assert_eq!(format!("{:?}", number("2.50")), "Exact(2.5)");
}
