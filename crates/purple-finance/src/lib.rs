//! Exact money, rates, dates and the formulas of business.
//!
//! Nothing here touches a float, a clock or the outside world.
//! Every number is exact, every rounding has a name, and what cannot be computed is an error.
//!
//! ```
//! use purple_finance::{Currency, Exact, Money, Rounding};
//!
//! let invoice = Money::parse("52340.00 USD")?;
//! let parts = Money::parse("100.00 USD")?.split(3)?;
//! assert_eq!(parts[0], Money::from_minor(33_34, Currency::USD));
//! assert_eq!(Money::sum(Currency::USD, parts)?, Money::parse("100 USD")?);
//! let converted = invoice.times(&Exact::parse("0.005")?, Rounding::HalfEven)?;
//! assert_eq!(converted.to_string(), "261.70 USD");
//! # Ok::<(), purple_finance::MoneyError>(())
//! ```
#![deny(clippy::float_arithmetic)]

mod rounding;

mod exact;
mod exact_text;

mod currency;
mod money;
mod rate;

mod parse;

mod calendar;
mod holidays;

pub mod formula;
mod root;

pub mod catalogue;
mod figure;
mod given;

pub use calendar::{
    Calendar, CalendarError, DayCount, add_days, add_months, days_between, end_of_month, parse_date,
};
pub use currency::{Currency, UnknownCurrency};
pub use exact::{Exact, NumberError};
pub use figure::{Figure, Line};
pub use money::{Money, MoneyError};
pub use parse::{AmountError, Symbols, parse_money, parse_number};
pub use rate::{Rate, RateError};
pub use rounding::{Rounding, UnknownRounding};
