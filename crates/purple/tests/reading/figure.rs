//! Compares a stated result with the right one.

/// A number in a text, in thousandths of a thousandth, with the number of its decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number {
    micros: i128,
    decimals: usize,
}

const PLACES: usize = 6;

impl Number {
    /// Reads `1,234.50`, `-7` and `1'234`. Ids, dates and words are no numbers.
    fn parse(word: &str) -> Option<Self> {
        let word = word.trim_matches(|one: char| !one.is_ascii_digit() && one != '-');
        let (sign, digits) = word.strip_prefix('-').map_or((1, word), |rest| (-1, rest));
        let plain: String = digits.chars().filter(|one| !matches!(one, ',' | '\'')).collect();
        let (whole, part) = plain.split_once('.').unwrap_or((&plain, ""));
        let digits = |text: &str| text.chars().all(|one| one.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(part) {
            return None;
        }
        let kept: String = part.chars().chain("000000".chars()).take(PLACES).collect();
        let micros: i128 = format!("{whole}{kept}").parse().ok()?;
        Some(Self { micros: sign * micros, decimals: part.len().min(PLACES) })
    }

    /// The same number, or one with more decimals that is rounded to it.
    fn is_stated_by(self, stated: Self) -> bool {
        if self.decimals == 0 || stated.decimals <= self.decimals {
            return self.micros == stated.micros;
        }
        let unit = 10_i128.pow(u32::try_from(PLACES - self.decimals).unwrap_or(0));
        2 * (self.micros - stated.micros).abs() <= unit
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let split =
        |one: char| one.is_whitespace() || matches!(one, '(' | ')' | ';' | ':' | '=' | '/' | '$' | '€');
    text.split(split).flat_map(|word| word.split('%')).filter(|word| !word.is_empty())
}

fn numbers(text: &str) -> Vec<Number> {
    words(text).filter_map(Number::parse).collect()
}

/// Whether a line states a figure: each of its numbers, its date and its currency.
pub(crate) fn states(line: &str, figure: &str) -> bool {
    let stated = numbers(line);
    let named = |word: &str| match (is_date(word), currency_sign(word)) {
        (true, _) => line.contains(word.trim_end_matches(',')),
        (false, Some(sign)) => line.contains(word.trim_end_matches(',')) || line.contains(sign),
        (false, None) => true,
    };
    numbers(figure).iter().all(|one| stated.iter().any(|other| one.is_stated_by(*other)))
        && words(figure).all(named)
}

/// A number in the line that is neither the right figure nor in the task: another result.
pub(crate) fn other_result(line: &str, figure: &str, task: &str) -> Option<String> {
    if states(line, figure) {
        return None;
    }
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let given: Vec<String> = task.split_whitespace().map(digits).collect();
    let known =
        |word: &str| given.iter().any(|one| one.trim_end_matches('0') == digits(word).trim_end_matches('0'));
    let mut results = words(line).filter(|word| Number::parse(word).is_some() && !known(word));
    results.next().map(str::to_owned)
}

fn is_date(word: &str) -> bool {
    let word = word.trim_end_matches(',');
    word.len() == 10 && word.matches('-').count() == 2
}

fn currency_sign(word: &str) -> Option<char> {
    match word.trim_end_matches(',') {
        "USD" => Some('$'),
        "EUR" => Some('€'),
        "CHF" => Some('₣'),
        _ => None,
    }
}

#[test]
fn a_figure_is_stated_by_the_same_number_in_the_same_currency() {
    for (line, figure) in [
        ("2,951.20 EUR with VAT", "2951.20 EUR"),
        ("The rate is 13.0662 %.", "13.07 %"),
        ("33.34 EUR, 33.33 EUR, 33.33 EUR", "33.34 EUR, 33.33 EUR, 33.33 EUR"),
        ("It ends on 2026-03-18.", "2026-03-18"),
        ("$1,020.00 under SLA-4", "1020.00 USD"),
    ] {
        assert!(states(line, figure), "{line} / {figure}");
        assert_eq!(other_result(line, figure, ""), None, "{line}");
    }
    for (line, figure) in [
        ("1,416.10 EUR", "190.00 EUR"),
        ("190.00 USD", "190.00 EUR"),
        ("90.4 days", "90 days"),
        ("It ends on 2026-03-19.", "2026-03-18"),
        ("Under SLA-190", "190"),
    ] {
        assert!(!states(line, figure), "{line} / {figure}");
    }
    assert_eq!(other_result("1,416.10 EUR", "190.00 EUR", "19% of 1,190.00 EUR").unwrap(), "1,416.10");
    assert_eq!(other_result("I read 1,190.00 EUR.", "190.00 EUR", "19% of 1.190,00 EUR"), None);
}
