//! Amounts as integer minor units, written and read as `52340.00 USD`.

use std::fmt;

/// Digits an amount may have in all; nineteen would no longer fit.
const DIGITS_MAX: usize = 15;

/// The currencies this company deals in, with their decimal places.
const CURRENCIES: &[(&str, u32)] =
    &[("USD", 2), ("EUR", 2), ("GBP", 2), ("CHF", 2), ("SEK", 2), ("CAD", 2), ("JPY", 0)];

/// An amount of one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Money {
    pub(crate) minor: i64,
    pub(crate) currency: &'static str,
}

impl Money {
    /// Reads `52340.00 USD`, `52340 USD` or `-1.5 EUR`; never more places than the currency has.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (number, code) = text.split_once(' ')?;
        let (currency, places) = known(code)?;
        let (negative, digits) = match number.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, number),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let dotted = digits.contains('.');
        if whole.is_empty() || !plain(whole) || !plain(fraction) || (dotted && fraction.is_empty()) {
            return None;
        }
        let places = usize::try_from(places).ok()?;
        if fraction.len() > places || whole.len() + places > DIGITS_MAX {
            return None;
        }
        let minor: i64 = format!("{whole}{fraction:0<places$}").parse().ok()?;
        Some(Self { minor: if negative { -minor } else { minor }, currency })
    }

    /// The currency of a stored row; what is not known is shown as it stands, with two places.
    pub(crate) fn stored(minor: i64, code: &str) -> String {
        match known(code) {
            Some((currency, _)) => Self { minor, currency }.to_string(),
            None => format!("{} {code}", decimal(minor, 2)),
        }
    }

    /// An amount in US dollars.
    #[cfg(test)]
    pub(crate) fn usd(minor: i64) -> Self {
        Self { minor, currency: "USD" }
    }
}

impl fmt::Display for Money {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = known(self.currency).map_or(2, |(_, places)| places);
        write!(out, "{} {}", decimal(self.minor, places), self.currency)
    }
}

fn known(code: &str) -> Option<(&'static str, u32)> {
    CURRENCIES.iter().find(|(known, _)| *known == code).copied()
}

fn decimal(minor: i64, places: u32) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    let minor = minor.unsigned_abs();
    if places == 0 {
        return format!("{sign}{minor}");
    }
    let unit = 10_u64.pow(places);
    let width = usize::try_from(places).unwrap_or(2);
    format!("{sign}{}.{:0width$}", minor / unit, minor % unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_with_the_places_of_their_currency() {
        assert_eq!(Money::usd(5_234_000).to_string(), "52340.00 USD");
        assert_eq!(Money::usd(-5).to_string(), "-0.05 USD");
        assert_eq!(Money { minor: 1200, currency: "JPY" }.to_string(), "1200 JPY");
        assert_eq!(Money::stored(150, "XTS"), "1.50 XTS");
    }

    #[test]
    fn what_is_written_is_read_back_and_nonsense_is_not() {
        for text in ["52340.00 USD", "-0.05 USD", "1200 JPY", "0.00 EUR"] {
            assert_eq!(Money::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Money::parse("1020 USD"), Some(Money::usd(102_000)));
        assert_eq!(Money::parse("1020.5 USD"), Some(Money::usd(102_050)));
        for text in [
            "1020",
            "USD",
            "1020.005 USD",
            "1,020.00 USD",
            "1e3 USD",
            "1020. USD",
            ".5 USD",
            "+5 USD",
            "5 usd",
            "5  USD",
            "12.5 JPY",
            "9999999999999999 USD",
            "٣ USD",
            "",
        ] {
            assert_eq!(Money::parse(text), None, "{text}");
        }
    }
}
