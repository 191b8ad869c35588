//! The values in a text: amounts, dates, ids, percentages, numbers and quantities with units.
//!
//! Nothing is guessed. A value that can be read in two ways has two meanings, an impossible meaning is left out, and
//! digits that are no value (a year, a time, a telephone number, a version) are not returned at all.
//!
//! ```
//! use purple_intent::value::{Meaning, Notation, values};
//!
//! let found = values("Pay 1.190,00 EUR, not 52.340 USD", &Notation::default());
//! assert!(matches!(found[0].only(), Some(Meaning::Amount(amount)) if amount.number.to_string() == "1190"));
//! assert_eq!(found[1].meanings.len(), 2);
//! ```

mod currency_word;
mod cursor;
mod date;
mod date_phrase;
mod date_word;
mod day;
mod id;
mod measure;
mod number_word;
mod numeral;
mod piece;
mod scan;
mod unit;

use purple_finance::{Currency, Exact, Symbols};

use crate::span::Span;

pub use day::{Day, MonthMeaning};
pub use id::Id;
pub use unit::Unit;

/// How values are written in the texts of one company.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notation {
    /// What `$`, `dollars` and `¥` mean. A `¥` without a meaning is read as yen or yuan, a `$` without one is not read.
    pub symbols: Symbols,
    /// The known prefixes of ids, such as `INV` or `PO`, in any case. Only letters are matched.
    pub prefixes: Vec<String>,
}

/// A value at a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Where it is written.
    pub span: Span,
    /// What it can mean, in no order of preference. There is at least one meaning.
    pub meanings: Vec<Meaning>,
}

impl Value {
    /// The meaning, if there is only one.
    pub fn only(&self) -> Option<&Meaning> {
        match self.meanings.as_slice() {
            [meaning] => Some(meaning),
            _ => None,
        }
    }
}

/// What a value can mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The id of a record.
    Id(Id),
    /// An amount of money.
    Amount(Amount),
    /// A percentage: 19 for `19 %`, and 0.5 for `50 bps`.
    Percent(Exact),
    /// A number without a unit.
    Number(Exact),
    /// A number with a unit.
    Quantity {
        /// How many.
        number: Exact,
        /// Of what.
        unit: Unit,
    },
    /// A day.
    Day(Day),
    /// A month.
    Month(MonthMeaning),
}

/// An amount of money. It can have more decimals than its currency: `$0.0125`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// How much.
    pub number: Exact,
    /// In which currency.
    pub currency: Currency,
}

/// The values of a text in order, without overlap. Where several readings begin at one place, the longest counts.
pub fn values(text: &str, notation: &Notation) -> Vec<Value> {
    scan::scan(text, notation)
}
