//! Reads amounts and numbers as people write them, and refuses what could mean two things.
//!
//! The point is always the decimal point, and the comma always groups by three.
//! A lone comma before three digits is read as grouping only where a decimal comma is impossible: before a currency
//! with fewer than three decimals.

use crate::currency::{Currency, UnknownCurrency};
use crate::exact::{Exact, NumberError};
use crate::money::{Money, MoneyError};

/// What the ambiguous currency signs mean here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbols {
    /// What `$` means, if anything.
    pub dollar: Option<Currency>,
    /// What `¥` means, if anything.
    pub yen: Option<Currency>,
}

impl Default for Symbols {
    /// `$` is the US dollar, and `¥` (yen or yuan) is refused.
    fn default() -> Self {
        Self { dollar: Some(Currency::USD), yen: None }
    }
}

/// Why a written amount is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// There is no text.
    #[error("an empty text is not an amount")]
    Empty,
    /// More digits than a written amount may have.
    #[error("{digits} digits are more than the {max} an amount may be written with", max = WRITTEN_DIGITS_MAX)]
    TooManyDigits {
        /// How many digits the text has.
        digits: usize,
    },
    /// An exponent such as `1e5`.
    #[error("an amount is not written with an exponent")]
    Exponent,
    /// A digit of another script.
    #[error("`{character}` is not one of the digits 0 to 9")]
    ForeignDigit {
        /// The digit.
        character: char,
    },
    /// A dash that is not the hyphen on the keyboard.
    #[error("`{character}` is not the minus sign `-`")]
    ForeignMinus {
        /// The dash.
        character: char,
    },
    /// Parentheses: a negative amount in accounting, a remark in a sentence.
    #[error("an amount in parentheses could be negative or a remark")]
    Parentheses,
    /// A lone comma that could group or divide.
    #[error("`{number}` could have a thousands comma or a decimal comma")]
    AmbiguousComma {
        /// The number as written.
        number: String,
    },
    /// A comma that does not group by three.
    #[error("the comma in `{number}` does not group digits by three")]
    BadGrouping {
        /// The number as written.
        number: String,
    },
    /// A point that could be a thousands separator.
    #[error("the point in `{number}` could be a thousands separator")]
    AmbiguousPoint {
        /// The number as written.
        number: String,
    },
    /// A comma after a point.
    #[error("`{number}` has a comma after a point")]
    MixedSeparators {
        /// The number as written.
        number: String,
    },
    /// A leading zero, as in an identifier.
    #[error("`{number}` starts with a zero, like an identifier")]
    LeadingZero {
        /// The number as written.
        number: String,
    },
    /// A character that belongs to no amount.
    #[error("unexpected `{character}` at position {position} of an amount")]
    UnexpectedCharacter {
        /// The character.
        character: char,
        /// Its place in the text, in characters from one.
        position: usize,
    },
    /// No currency was written.
    #[error("the amount has no currency")]
    NoCurrency,
    /// A sign that several currencies share.
    #[error("`{symbol}` stands for more than one currency")]
    AmbiguousSymbol {
        /// The sign.
        symbol: &'static str,
    },
    /// Two currencies for one amount.
    #[error("the amount is written both in {before} and in {after}")]
    TwoCurrencies {
        /// The currency before the number.
        before: Currency,
        /// The currency after it.
        after: Currency,
    },
    /// The letters are no currency.
    #[error(transparent)]
    Currency(#[from] UnknownCurrency),
    /// The digits are no number.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The number is no amount of its currency.
    #[error(transparent)]
    Money(#[from] MoneyError),
}

impl AmountError {
    /// How to write it instead.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Empty => "write an amount such as 1,250.75 USD",
            Self::TooManyDigits { .. } => "write fewer digits",
            Self::Exponent => "write the digits out: 100000 instead of 1e5",
            Self::ForeignDigit { .. } => "write the digits 0 to 9",
            Self::ForeignMinus { .. } => "write the minus sign as -",
            Self::Parentheses => "write a negative amount as -1,140.00",
            Self::AmbiguousComma { .. } => "write 1000 or 1,000.00 for a thousand, and 1.000 for one",
            Self::BadGrouping { .. } | Self::MixedSeparators { .. } => {
                "write 1,234.56: a comma between thousands and a point before the decimals"
            }
            Self::AmbiguousPoint { .. } => "write 8,420.00 for thousands, and 8.42 for decimals",
            Self::LeadingZero { .. } => "write the amount without leading zeros",
            Self::UnexpectedCharacter { .. } => {
                "write only the amount and its currency, such as $1,250.75 or 1,250.75 USD"
            }
            Self::NoCurrency => "write the currency too, such as 1,250.75 USD",
            Self::AmbiguousSymbol { .. } => "write the currency code instead of the sign, such as JPY",
            Self::TwoCurrencies { .. } => "write one currency",
            Self::Currency(error) => error.help(),
            Self::Number(error) => error.help(),
            Self::Money(error) => error.help(),
        }
    }
}

/// How many digits a person may write into an amount. More than any budget, and far from the limits of [`Money`].
const WRITTEN_DIGITS_MAX: usize = 30;

/// Reads an amount with its currency: `$52,340`, `52,340.00 USD`, `USD 52,340`, `€8,420.00`, `-$5`.
///
/// # Errors
///
/// Everything that could mean two things is refused; [`AmountError::help`] says how to write it.
pub fn parse_money(text: &str, symbols: Symbols) -> Result<Money, AmountError> {
    let written = Written::take_apart(text, symbols)?;
    let currency = match (written.before, written.after) {
        (None, None) => return Err(AmountError::NoCurrency),
        (Some(currency), None) | (None, Some(currency)) => currency,
        (Some(before), Some(after)) if before == after => before,
        (Some(before), Some(after)) => return Err(AmountError::TwoCurrencies { before, after }),
    };
    let plain = plain_digits(written.number, Some(currency))?;
    let magnitude = Exact::parse(&plain)?;
    let number = if written.negative { magnitude.negated() } else { magnitude };
    Ok(Money::exact(&number, currency)?)
}

/// Reads a number without a unit: `1250.75`, `1,250.75`, `1,000,000`, `-3`.
///
/// # Errors
///
/// Everything that could mean two things is refused, a lone comma as in `1,000` too.
pub fn parse_number(text: &str) -> Result<Exact, AmountError> {
    let written = Written::take_apart(text, Symbols { dollar: None, yen: None })?;
    if written.before.is_some() || written.after.is_some() {
        let (index, character) =
            text.chars().enumerate().find(|(_, c)| !"0123456789., -".contains(*c)).unwrap_or_default();
        return Err(AmountError::UnexpectedCharacter { character, position: index + 1 });
    }
    let magnitude = Exact::parse(&plain_digits(written.number, None)?)?;
    Ok(if written.negative { magnitude.negated() } else { magnitude })
}

/// An amount taken apart: sign, currency before and after, and the digits with their separators.
struct Written<'a> {
    negative: bool,
    before: Option<Currency>,
    number: &'a str,
    after: Option<Currency>,
}

impl<'a> Written<'a> {
    fn take_apart(text: &'a str, symbols: Symbols) -> Result<Self, AmountError> {
        let whole = text.trim_matches(' ');
        refuse_strangers(whole)?;
        let mut rest = whole;
        let mut negative = take(&mut rest, "-");
        let before = take_currency(&mut rest, symbols)?;
        if before.is_some() {
            take(&mut rest, " ");
            negative = negative || take(&mut rest, "-");
        }
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(rest.len());
        let (number, mut rest) = rest.split_at(end);
        let mut exponent = rest.chars();
        if !number.is_empty()
            && exponent.next().is_some_and(|c| c.eq_ignore_ascii_case(&'e'))
            && exponent.next().is_some_and(|c| c.is_ascii_digit() || c == '+' || c == '-')
        {
            return Err(AmountError::Exponent);
        }
        let mut after = None;
        if !number.is_empty() {
            take(&mut rest, " ");
            after = take_currency(&mut rest, symbols)?;
        }
        if let Some(character) = rest.chars().next() {
            let leading = text.chars().count() - text.trim_start_matches(' ').chars().count();
            let position = leading + whole.chars().count() - rest.chars().count() + 1;
            return Err(AmountError::UnexpectedCharacter { character, position });
        }
        Ok(Self { negative, before, number, after })
    }
}

/// Refuses characters that look like parts of an amount and are none, each with its own reason.
fn refuse_strangers(text: &str) -> Result<(), AmountError> {
    if text.is_empty() {
        return Err(AmountError::Empty);
    }
    let mut digits = 0;
    for character in text.chars() {
        match character {
            '0'..='9' => digits += 1,
            '(' | ')' => return Err(AmountError::Parentheses),
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => {
                return Err(AmountError::ForeignMinus { character });
            }
            other if other.is_numeric() => return Err(AmountError::ForeignDigit { character }),
            _ => {}
        }
    }
    if digits > WRITTEN_DIGITS_MAX {
        return Err(AmountError::TooManyDigits { digits });
    }
    Ok(())
}

fn take(rest: &mut &str, prefix: &str) -> bool {
    let stripped = rest.strip_prefix(prefix);
    *rest = stripped.unwrap_or(rest);
    stripped.is_some()
}

/// Takes a currency sign or code off the front, if one is there.
fn take_currency(rest: &mut &str, symbols: Symbols) -> Result<Option<Currency>, AmountError> {
    let signs = [
        ("US$", Some(Currency::USD)),
        ("$", symbols.dollar),
        ("€", Some(Currency::EUR)),
        ("£", Some(Currency::GBP)),
        ("¥", symbols.yen),
    ];
    for (symbol, currency) in signs {
        if take(rest, symbol) {
            return currency.map(Some).ok_or(AmountError::AmbiguousSymbol { symbol });
        }
    }
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (letters, after) = rest.split_at(end);
    if letters.is_empty() {
        return Ok(None);
    }
    *rest = after;
    Ok(Some(Currency::parse(letters)?))
}

/// The digits without their separators, if these can only mean one thing.
fn plain_digits(number: &str, currency: Option<Currency>) -> Result<String, AmountError> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let has_point = whole.len() < number.len();
    if fraction.contains(',') {
        return Err(AmountError::MixedSeparators { number: number.to_owned() });
    }
    if fraction.contains('.') {
        return Err(AmountError::AmbiguousPoint { number: number.to_owned() });
    }
    let groups: Vec<&str> = whole.split(',').collect();
    let grouped = groups.len() > 1;
    if grouped {
        let first_fits = (1..=3).contains(&groups[0].len());
        if !first_fits || groups[1..].iter().any(|group| group.len() != 3) {
            return Err(AmountError::BadGrouping { number: number.to_owned() });
        }
        let decimal_comma_possible = currency.is_none_or(|currency| currency.digits() >= 3);
        if groups.len() == 2 && !has_point && decimal_comma_possible {
            return Err(AmountError::AmbiguousComma { number: number.to_owned() });
        }
    }
    if whole.starts_with('0') && whole.len() > 1 {
        return Err(AmountError::LeadingZero { number: number.to_owned() });
    }
    if fraction.len() == 3 && currency.is_some_and(|currency| currency.digits() < 3) {
        return Err(AmountError::AmbiguousPoint { number: number.to_owned() });
    }
    Ok(number.replace(',', ""))
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
