//! A figure as a parameter takes it: its kind, its unit, and by what it is charged.

use purple_finance::catalogue::{Counted, Kind, Parameter, Per};
use purple_finance::{Currency, Exact, Figure as Value, Money};
use purple_intent::value::Unit;

use super::figures::Reading;
use super::reader::Reader;
use super::wording::{says, says_phrase};

impl Reader {
    /// Whether a parameter can take a figure that no word names: it has a currency or the unit that it needs.
    pub(super) fn fits_alone(&self, figure: usize, parameter: &Parameter) -> bool {
        let Some(found) = self.figures.get(figure) else { return false };
        let bare = matches!(found.reading, Reading::Count(_, None) | Reading::BareAmount(_));
        let needs_unit = matches!(parameter.kind, Kind::Money)
            || !matches!(parameter.counts, Counted::Plain | Counted::Pieces);
        !(bare && needs_unit) && self.value(figure, parameter).is_some()
    }

    /// The figure as the parameter takes it.
    pub(crate) fn value(&self, figure: usize, parameter: &Parameter) -> Option<Value> {
        let charged = self.pers.get(figure)?;
        let accepted = |per: &Per| {
            parameter.per.contains(per) || parameter.must_be.is_some_and(|(must, _)| must == *per)
        };
        if !charged.iter().all(|(per, _)| accepted(per)) || self.labelled(figure, parameter.never) {
            return None;
        }
        if let Some((must, implied)) = parameter.must_be {
            let said = charged.iter().any(|(per, _)| *per == must);
            let implied = implied.iter().any(|words| says_phrase(&self.lower, words));
            if !said && !implied {
                return None;
            }
        }
        let value = self.plain_value(figure, parameter)?;
        let allowed = |whole: i64| parameter.only.is_empty() || parameter.only.contains(&whole);
        value.as_days().is_none_or(allowed).then_some(value)
    }

    fn plain_value(&self, figure: usize, parameter: &Parameter) -> Option<Value> {
        let reading = &self.figures.get(figure)?.reading;
        let kind = if let Kind::List(kind) = &parameter.kind { kind } else { &parameter.kind };
        match (kind, reading) {
            (Kind::Money, Reading::Money(money)) if self.is_quote(figure).is_none() => {
                Some(Value::Money(*money))
            }
            (Kind::Number, Reading::Money(money)) if self.is_quote(figure).is_some() => {
                Some(Value::Number(money.amount()))
            }
            (Kind::Money, Reading::Count(number, None) | Reading::BareAmount(number)) => {
                Money::exact(number, self.currency?).ok().map(Value::Money)
            }
            (Kind::Percent, Reading::Percent(rate)) => Some(Value::Percent(rate.clone())),
            (Kind::Date, Reading::Date(date)) => Some(Value::Date(*date)),
            (Kind::Hours, Reading::Count(hours, Some(Unit::Hour))) => Some(Value::Hours(hours.clone())),
            (Kind::Days, Reading::Count(days, Some(unit))) => {
                let days = match (unit, parameter.counts) {
                    (Unit::Day, Counted::Plain) | (Unit::WorkingDay, Counted::WorkingDays) => days.clone(),
                    (Unit::Week, Counted::Plain) => days.times(&Exact::from(7)).ok()?,
                    _ => return None,
                };
                Some(Value::Days(days.to_i128().and_then(|days| i64::try_from(days).ok())?))
            }
            (Kind::Number, Reading::Price(number, _)) if self.is_quote(figure).is_some() => {
                Some(Value::Number(number.clone()))
            }
            (Kind::Number | Kind::Whole, Reading::Count(number, unit)) => {
                let number = self.counted(number, *unit, parameter)?;
                (matches!(kind, Kind::Number) || number.is_integer()).then_some(Value::Number(number))
            }
            (
                Kind::Money
                | Kind::Percent
                | Kind::Date
                | Kind::Hours
                | Kind::Days
                | Kind::Number
                | Kind::Whole
                | Kind::Text
                | Kind::Choice(_)
                | Kind::List(_)
                | Kind::Record(_),
                _,
            ) => None,
        }
    }

    /// The number in the unit of the parameter, if it has one that fits.
    fn counted(&self, number: &Exact, unit: Option<Unit>, parameter: &Parameter) -> Option<Exact> {
        let times = |factor: i64| number.times(&Exact::from(factor)).ok();
        match (parameter.counts, unit) {
            (Counted::Plain, None) | (Counted::Pieces, None | Some(Unit::Piece)) => Some(number.clone()),
            (Counted::Minutes, Some(Unit::Minute))
            | (Counted::Days, Some(Unit::Day))
            | (Counted::WorkingDays, Some(Unit::WorkingDay))
            | (Counted::Months, Some(Unit::Month)) => Some(number.clone()),
            (Counted::Minutes, Some(Unit::Hour)) => times(60),
            (Counted::Minutes, Some(Unit::Day)) => times(24 * 60),
            (Counted::Days, Some(Unit::Week)) => times(7),
            (Counted::Months, Some(Unit::Year)) => times(12),
            // The words that name the parameter have the unit: "345.6 excess minutes", "24 monthly instalments".
            (Counted::Minutes, None) => self.near_unit(parameter, "minute").then(|| number.clone()),
            (Counted::Months, None) => self.near_unit(parameter, "month").then(|| number.clone()),
            _ => None,
        }
    }

    fn near_unit(&self, parameter: &Parameter, unit: &str) -> bool {
        parameter.near.iter().any(|words| words.contains(unit) && says(&self.lower, words))
    }

    /// The price of one unit of another currency: "0.9215 EUR per USD" is a quote in EUR for USD.
    pub(crate) fn is_quote(&self, figure: usize) -> Option<(Currency, Currency)> {
        let found = self.figures.get(figure)?;
        let quoted = found.reading.currency()?;
        let after = self.lower.get(found.range.end..)?.trim_start();
        let after =
            ["per ", "/", "pro ", "je ", "par ", "por "].iter().find_map(|per| after.strip_prefix(per))?;
        let word: String = after.trim_start().chars().take_while(|c| c.is_alphabetic()).collect();
        Some((quoted, currency_named(&word)?))
    }
}

/// The currency of a code or a word.
pub(crate) fn currency_named(word: &str) -> Option<Currency> {
    let code = match word {
        "euro" | "euros" => "EUR",
        "dollar" | "dollars" => "USD",
        "pound" | "pounds" => "GBP",
        "franc" | "francs" | "franken" => "CHF",
        "yen" => "JPY",
        _ => return Currency::parse(&word.to_uppercase()).ok(),
    };
    Currency::parse(code).ok()
}
