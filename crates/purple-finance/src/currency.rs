//! The currencies of ISO 4217 that an amount can be in.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A currency: its code and how many decimals its amounts have.
///
/// Ordered by code. Metals, test codes and other entries without a minor unit are not currencies here.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency(iso_currency::Currency);

/// No currency has this code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{code}` is not an ISO 4217 currency code")]
pub struct UnknownCurrency {
    code: String,
}

impl UnknownCurrency {
    /// What a person can write instead.
    #[must_use]
    pub fn help(&self) -> &'static str {
        "write three capital letters, such as USD, EUR or JPY"
    }
}

impl Currency {
    /// US dollar.
    pub const USD: Self = Self(iso_currency::Currency::USD);
    /// Euro.
    pub const EUR: Self = Self(iso_currency::Currency::EUR);
    /// Pound sterling.
    pub const GBP: Self = Self(iso_currency::Currency::GBP);
    /// Japanese yen.
    pub const JPY: Self = Self(iso_currency::Currency::JPY);

    /// Reads a code in capital letters.
    ///
    /// # Errors
    ///
    /// [`UnknownCurrency`], also for `usd` and for codes without a minor unit such as `XAU`.
    pub fn parse(code: &str) -> Result<Self, UnknownCurrency> {
        iso_currency::Currency::from_code(code)
            .filter(|currency| currency.code() == code && currency.exponent().is_some())
            .map(Self)
            .ok_or_else(|| UnknownCurrency { code: code.chars().take(12).collect() })
    }

    /// The three letters.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.0.code()
    }

    /// How many decimals an amount has: 2 for USD, 0 for JPY, 3 for KWD.
    #[must_use]
    pub fn digits(self) -> u8 {
        // `parse` let in only currencies whose exponent is known, and the largest of them is 4.
        self.0.exponent().map_or(0, |digits| digits.min(4) as u8)
    }
}

impl PartialOrd for Currency {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Currency {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.code().cmp(other.code())
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Currency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = String::deserialize(deserializer)?;
        Self::parse(&code).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_are_those_of_the_standard() {
        // ISO 4217, list one: minor units.
        let table = [("USD", 2), ("EUR", 2), ("JPY", 0), ("KRW", 0), ("VND", 0), ("ISK", 0), ("CLP", 0)];
        let more =
            [("KWD", 3), ("BHD", 3), ("TND", 3), ("JOD", 3), ("OMR", 3), ("CLF", 4), ("UYW", 4), ("CHF", 2)];
        for (code, digits) in table.into_iter().chain(more) {
            let currency = Currency::parse(code).unwrap();
            assert_eq!((currency.code(), currency.digits()), (code, digits));
        }
    }

    #[test]
    fn only_capital_letters_of_a_real_currency_are_read() {
        for wrong in
            ["usd", "Usd", "", "US", "USDX", "ZZZ", "XAU", "XXX", "XTS", "XDR", "$", " USD", "ＵＳＤ"]
        {
            let refusal = Currency::parse(wrong).unwrap_err();
            assert_eq!(refusal.to_string(), format!("`{wrong}` is not an ISO 4217 currency code"));
            assert!(refusal.help().contains("capital"));
        }
    }

    #[test]
    fn currencies_are_ordered_and_written_by_their_codes() {
        let (usd, eur) = (Currency::parse("USD").unwrap(), Currency::parse("EUR").unwrap());
        assert_eq!((usd, eur), (Currency::USD, Currency::EUR));
        assert!(eur < usd);
        assert_eq!(serde_json::to_string(&usd).unwrap(), "\"USD\"");
        assert_eq!(serde_json::from_str::<Currency>("\"EUR\"").unwrap(), eur);
        assert!(serde_json::from_str::<Currency>("\"eur\"").is_err());
    }
}
