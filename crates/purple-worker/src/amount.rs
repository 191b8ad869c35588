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

/// The same for every amount within a sentence. What is no exact amount stays as it is.
pub(crate) fn written_within(sentence: &str) -> String {
    let mut words: Vec<String> = sentence.split(' ').map(ToOwned::to_owned).collect();
    for at in 1..words.len() {
        let [Some(number), Some(code)] = [words.get(at - 1), words.get(at)] else { continue };
        let (code, rest) =
            code.split_at(code.find(|sign: char| !sign.is_ascii_uppercase()).unwrap_or(code.len()));
        let Ok(money) = Money::parse(&format!("{number} {code}")) else { continue };
        let grouped = format!("{}{rest}", written(&money));
        if let Some((number, code)) = grouped.split_once(' ')
            && let [before, after] = &mut words[at - 1..=at]
        {
            (*before, *after) = (number.to_owned(), code.to_owned());
        }
    }
    words.join(" ")
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

    #[test]
    fn amounts_within_a_sentence_are_found_and_nothing_else_changes() {
        for (sentence, shown) in [
            ("Apply credit of 1020.00 USD, vendor INFRA-9", "Apply credit of 1,020.00 USD, vendor INFRA-9"),
            ("1020.00 USD and 5000.00 EUR", "1,020.00 USD and 5,000.00 EUR"),
            ("Order 12345 is  open", "Order 12345 is  open"),
            ("1020.00 XQX", "1020.00 XQX"),
            ("USD", "USD"),
            ("", ""),
        ] {
            assert_eq!(written_within(sentence), shown);
        }
    }
}
