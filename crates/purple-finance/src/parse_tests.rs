use super::*;

fn read(text: &str) -> Result<String, String> {
    parse_money(text, Symbols::default()).map(|money| money.to_string()).map_err(|error| {
        assert!(!error.help().is_empty());
        error.to_string()
    })
}

#[test]
fn amounts_are_read_as_people_write_them() {
    let cases = [
        ("$52,340", "52340.00 USD"),
        ("52,340.00 USD", "52340.00 USD"),
        ("USD 52,340", "52340.00 USD"),
        ("USD52340.5", "52340.50 USD"),
        ("€8,420.00", "8420.00 EUR"),
        ("8,420.00 €", "8420.00 EUR"),
        ("8420€", "8420.00 EUR"),
        ("£0.99", "0.99 GBP"),
        ("US$ 5", "5.00 USD"),
        ("-$5", "-5.00 USD"),
        ("$-5", "-5.00 USD"),
        ("USD -5.25", "-5.25 USD"),
        ("-5 USD", "-5.00 USD"),
        ("$5 USD", "5.00 USD"),
        ("1,234,567.89 USD", "1234567.89 USD"),
        ("1,500 JPY", "1500 JPY"),
        ("1,500,000 KWD", "1500000.000 KWD"),
        ("1.234 KWD", "1.234 KWD"),
        ("1,234.5 KWD", "1234.500 KWD"),
        ("  100 SGD  ", "100.00 SGD"),
        ("0 USD", "0.00 USD"),
        ("0.5 USD", "0.50 USD"),
    ];
    for (text, written) in cases {
        assert_eq!(read(text), Ok(written.to_owned()), "{text}");
    }
}

#[test]
fn what_could_mean_two_things_is_refused_with_the_reason() {
    let cases = [
        ("", "an empty text is not an amount"),
        ("   ", "an empty text is not an amount"),
        ("1.000,00 EUR", "`1.000,00` has a comma after a point"),
        ("1.000.000 EUR", "the point in `1.000.000` could be a thousands separator"),
        ("€8.420", "the point in `8.420` could be a thousands separator"),
        ("1.234 JPY", "the point in `1.234` could be a thousands separator"),
        ("1,000 KWD", "`1,000` could have a thousands comma or a decimal comma"),
        ("12,34 EUR", "the comma in `12,34` does not group digits by three"),
        ("1234,567 USD", "the comma in `1234,567` does not group digits by three"),
        ("12,3456 USD", "the comma in `12,3456` does not group digits by three"),
        ("1,23,456 USD", "the comma in `1,23,456` does not group digits by three"),
        (",123 USD", "the comma in `,123` does not group digits by three"),
        ("1,, USD", "the comma in `1,,` does not group digits by three"),
        ("0,123 USD", "`0,123` starts with a zero, like an identifier"),
        ("007 USD", "`007` starts with a zero, like an identifier"),
        ("1e5 USD", "an amount is not written with an exponent"),
        ("1E+5 USD", "an amount is not written with an exponent"),
        ("$1e5", "an amount is not written with an exponent"),
        ("٥٠ USD", "`٥` is not one of the digits 0 to 9"),
        ("１００ USD", "`１` is not one of the digits 0 to 9"),
        ("½ USD", "`½` is not one of the digits 0 to 9"),
        ("\u{2212}5 USD", "`\u{2212}` is not the minus sign `-`"),
        ("–5 USD", "`–` is not the minus sign `-`"),
        ("(1,140.00) USD", "an amount in parentheses could be negative or a remark"),
        ("($1,140.00)", "an amount in parentheses could be negative or a remark"),
        ("52340.00", "the amount has no currency"),
        ("¥500", "`¥` stands for more than one currency"),
        ("$5 EUR", "the amount is written both in USD and in EUR"),
        ("5 usd", "`usd` is not an ISO 4217 currency code"),
        ("5 dollars", "`dollars` is not an ISO 4217 currency code"),
        ("52k USD", "`k` is not an ISO 4217 currency code"),
        ("1 000 USD", "unexpected `0` at position 3 of an amount"),
        ("1'000 USD", "unexpected `'` at position 2 of an amount"),
        ("1_000 USD", "unexpected `_` at position 2 of an amount"),
        ("1\u{a0}000 USD", "unexpected `\u{a0}` at position 2 of an amount"),
        ("+5 USD", "unexpected `+` at position 1 of an amount"),
        ("--5 USD", "unexpected `-` at position 2 of an amount"),
        ("-$-5", "unexpected `-` at position 3 of an amount"),
        ("  5!USD", "unexpected `!` at position 4 of an amount"),
        ("5 USD.", "unexpected `.` at position 6 of an amount"),
        ("5  USD", "unexpected ` ` at position 3 of an amount"),
        ("$", "an empty text is not a number"),
        ("$.50", "a digit is missing before or after the decimal point"),
        ("$5.", "a digit is missing before or after the decimal point"),
        ("$5.1234", "5.1234 has more than the 2 decimals of USD"),
    ];
    for (text, reason) in cases {
        assert_eq!(read(text), Err(reason.to_owned()), "{text}");
    }
    let forty = "1".repeat(40) + " USD";
    assert_eq!(read(&forty), Err("40 digits are more than the 30 an amount may be written with".to_owned()));
    assert!(read(&("1".repeat(30) + " USD")).is_ok());
}

#[test]
fn the_signs_mean_what_the_caller_says() {
    let canada = Currency::parse("CAD").unwrap();
    let symbols = Symbols { dollar: Some(canada), yen: Some(Currency::JPY) };
    assert_eq!(parse_money("$5", symbols).unwrap().to_string(), "5.00 CAD");
    assert_eq!(parse_money("US$5", symbols).unwrap().to_string(), "5.00 USD");
    assert_eq!(parse_money("¥500", symbols).unwrap().to_string(), "500 JPY");
    let none = Symbols { dollar: None, yen: None };
    assert_eq!(parse_money("$5", none), Err(AmountError::AmbiguousSymbol { symbol: "$" }));
}

#[test]
fn numbers_are_read_under_the_same_rules() {
    let cases = [
        ("1250.75", "1250.75"),
        ("1,250.75", "1250.75"),
        ("1,000,000", "1000000"),
        ("-3", "-3"),
        ("1.000", "1"),
    ];
    for (text, written) in cases {
        assert_eq!(parse_number(text).unwrap().to_string(), written);
    }
    let refused = [
        ("1,000", "`1,000` could have a thousands comma or a decimal comma"),
        ("1.000,00", "`1.000,00` has a comma after a point"),
        ("1e5", "an amount is not written with an exponent"),
        ("5%", "unexpected `%` at position 2 of an amount"),
        ("5 USD", "unexpected `U` at position 3 of an amount"),
        ("€5", "unexpected `€` at position 1 of an amount"),
        ("$5", "`$` stands for more than one currency"),
        ("-", "an empty text is not a number"),
        ("", "an empty text is not an amount"),
    ];
    for (text, reason) in refused {
        assert_eq!(parse_number(text).unwrap_err().to_string(), reason, "{text}");
    }
}
