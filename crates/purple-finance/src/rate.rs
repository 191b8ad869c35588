//! A rate that knows its unit, so that 5 is never taken for 5 %.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::exact::{Exact, NumberError};
use crate::money::{Money, MoneyError};
use crate::rounding::Rounding;

/// An exact rate, made from percent or from basis points and never from a bare number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate {
    fraction: Exact,
    percent: Exact,
}

/// Why a text is not a rate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RateError {
    /// A bare number: it could be a fraction or a percentage.
    #[error("`{text}` has no unit: it could be a fraction or percent")]
    NoUnit {
        /// The beginning of the text.
        text: String,
    },
    /// The number before the unit cannot be read.
    #[error(transparent)]
    Number(#[from] NumberError),
}

impl RateError {
    /// What a person can write instead.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoUnit { .. } => "write percent as 2.5% or basis points as 250 bp",
            Self::Number(error) => error.help(),
        }
    }
}

impl Rate {
    /// A rate of so many percent: `Rate::percent(5)` is 0.05.
    ///
    /// # Errors
    ///
    /// [`NumberError::TooLarge`].
    pub fn percent(percent: &Exact) -> Result<Self, NumberError> {
        let fraction = percent.over(&Exact::from(100))?;
        Ok(Self { fraction, percent: percent.clone() })
    }

    /// A rate of so many hundredths of a percent: `Rate::basis_points(250)` is 0.025.
    ///
    /// # Errors
    ///
    /// [`NumberError::TooLarge`].
    pub fn basis_points(points: &Exact) -> Result<Self, NumberError> {
        Self::percent(&points.over(&Exact::from(100))?)
    }

    /// Reads `2.5%`, `2.5 %`, `250 bp` or `250 bps`.
    ///
    /// # Errors
    ///
    /// [`RateError::NoUnit`] for a bare number, and everything [`Exact::parse`] refuses.
    pub fn parse(text: &str) -> Result<Self, RateError> {
        Self::read(text, Exact::parse)
    }

    /// The rate as a fraction: 0.05 for 5 %.
    #[must_use]
    pub fn as_fraction(&self) -> &Exact {
        &self.fraction
    }

    /// The number before the percent sign: 5 for 5 %.
    #[must_use]
    pub fn as_percent(&self) -> &Exact {
        &self.percent
    }

    /// This share of an amount, rounded to the minor unit.
    ///
    /// # Errors
    ///
    /// [`MoneyError::TooLarge`].
    pub fn of(&self, amount: &Money, rounding: Rounding) -> Result<Money, MoneyError> {
        amount.times(&self.fraction, rounding)
    }

    fn read(text: &str, number: fn(&str) -> Result<Exact, NumberError>) -> Result<Self, RateError> {
        type Unit = fn(&Exact) -> Result<Rate, NumberError>;
        let units: [(&str, Unit); 5] = [
            (" %", Self::percent),
            ("%", Self::percent),
            (" bps", Self::basis_points),
            (" bp", Self::basis_points),
            ("bp", Self::basis_points),
        ];
        for (unit, make) in units {
            if let Some(before) = text.strip_suffix(unit) {
                return Ok(make(&number(before)?)?);
            }
        }
        Err(RateError::NoUnit { text: text.chars().take(40).collect() })
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.percent)
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rate({self})")
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text, Exact::read_written).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Rate {
        Rate::parse(text).unwrap()
    }

    #[test]
    fn percent_and_basis_points_meet_and_bare_numbers_do_not() {
        assert_eq!(rate("2.5%"), rate("250 bp"));
        assert_eq!(rate("2.5 %"), rate("250 bps"));
        assert_eq!(rate("5%").as_fraction(), &Exact::parse("0.05").unwrap());
        assert_eq!(rate("250bp").as_percent(), &Exact::parse("2.5").unwrap());
        for bare in ["5", "0.05", "", "5 percent", "5‰"] {
            let refusal = Rate::parse(bare).unwrap_err();
            assert_eq!(
                refusal.to_string(),
                format!("`{bare}` has no unit: it could be a fraction or percent")
            );
            assert!(refusal.help().contains("2.5%"));
        }
        for wrong in ["%", "1e2%", "1,5%", "--5%", "5%%", "5  %"] {
            assert!(matches!(Rate::parse(wrong), Err(RateError::Number(_))), "{wrong}");
        }
    }

    #[test]
    fn a_share_of_an_amount_is_rounded_by_name() {
        let amount = Money::parse("0.50 USD").unwrap();
        assert_eq!(rate("5%").of(&amount, Rounding::HalfEven).unwrap().to_string(), "0.02 USD");
        assert_eq!(rate("5%").of(&amount, Rounding::HalfUp).unwrap().to_string(), "0.03 USD");
    }

    #[test]
    fn rates_are_ordered_written_and_read_back() {
        assert!(rate("2%") < rate("2.01%") && rate("-1%") < rate("0%"));
        let third = Rate::percent(&Exact::ratio(1, 3).unwrap()).unwrap();
        for rate in [rate("2.5%"), rate("-0.01%"), third] {
            let json = serde_json::to_string(&rate).unwrap();
            assert_eq!(serde_json::from_str::<Rate>(&json).unwrap(), rate);
        }
        assert_eq!(format!("{:?}", rate("250 bp")), "Rate(2.5%)");
        assert!(serde_json::from_str::<Rate>("0.05").is_err());
    }
}
