//! Amounts as people write them: `1,020.00 USD`.

use purple_policy::Money;

/// Digits between two commas.
const GROUP_DIGITS: usize = 3;

/// An amount with commas between thousands. Nothing is rounded: the digits are those of the exact amount.
pub(crate) fn written(money: &Money) -> String {
    let exact = money.to_string();
    let (sign, unsigned) = match exact.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", exact.as_str()),
    };
    let whole_digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = unsigned.split_at(whole_digits);
    let mut grouped = String::with_capacity(exact.len() + whole_digits / GROUP_DIGITS);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole_digits - at).is_multiple_of(GROUP_DIGITS) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{rest}")
}

/// The same for text that is an exact amount; any other text as it is.
pub(crate) fn written_text(text: &str) -> String {
    Money::parse(text).map_or_else(|_| text.to_owned(), |money| written(&money))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart_and_no_digit_changes() {
        for (exact, shown) in [
            ("1020.00 USD", "1,020.00 USD"),
            ("52340.00 USD", "52,340.00 USD"),
            ("999.99 EUR", "999.99 EUR"),
            ("-1234567.80 EUR", "-1,234,567.80 EUR"),
            ("-100.00 EUR", "-100.00 EUR"),
            ("1000000 JPY", "1,000,000 JPY"),
            ("2.2265625", "2.2265625"),
            ("INV-2024-447", "INV-2024-447"),
        ] {
            assert_eq!(written_text(exact), shown);
        }
    }
}
