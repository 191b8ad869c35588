//! Amounts of money: a number with a currency before or after it.

use purple_finance::Currency;

use super::{Measure, Sign, read};
use crate::value::currency_word::{self, Written};
use crate::value::cursor::Pieces;
use crate::value::numeral::Numeral;
use crate::value::piece::Kind;
use crate::value::scan::Found;
use crate::value::{Amount, Meaning, Notation, unit};

/// `(1,140.00)`: a negative number in accounting, a remark in a sentence.
pub(super) fn parenthesized(pieces: Pieces<'_>, at: usize, notation: &Notation) -> Option<Found> {
    if pieces.is_sign(at + 1, '(') {
        return None;
    }
    let inner = read(pieces, at + 1, notation)?;
    if !pieces.is_sign(inner.end, ')') || inner.meanings.is_empty() {
        return None;
    }
    let before = if at > 0 && pieces.is_space(at - 1) { pieces.back(at, 2) } else { pieces.back(at, 1) };
    let in_sentence = before.is_some_and(|piece| matches!(piece.kind, Kind::Word | Kind::Digits));
    let doubtful = inner.meanings.iter().all(|meaning| match meaning {
        Meaning::Number(number) => number.is_positive(),
        Meaning::Amount(amount) => amount.number.is_positive() && !in_sentence,
        _ => false,
    });
    let negative = inner.meanings.iter().filter_map(|meaning| match meaning {
        Meaning::Number(number) => Some(Meaning::Number(number.negated())),
        Meaning::Amount(Amount { number, currency }) => {
            Some(Meaning::Amount(Amount { number: number.negated(), currency: *currency }))
        }
        _ => None,
    });
    let meanings = inner.meanings.iter().cloned().chain(negative).collect();
    doubtful.then(|| Found { start: at, end: inner.end + 1, meanings })
}

/// `USD (1,140.00)`.
pub(super) fn bracketed(
    pieces: Pieces<'_>,
    at: usize,
    open: usize,
    before: &Written,
    notation: &Notation,
) -> Option<Found> {
    let numeral = Numeral::read(pieces, open + 1).ok()?;
    if !pieces.is_sign(numeral.end, ')') {
        return None;
    }
    let mut measure = Measure::new(pieces, notation, at, Sign::Either, Some(before.clone()));
    measure.end = numeral.end + 1;
    measure.numeral = Numeral { end: measure.end, ..numeral };
    Some(measure.finish())
}

impl Measure<'_> {
    pub(super) fn has_currency(&self, at: usize) -> bool {
        let after = self.pieces.after_space(at);
        self.before.is_some() || currency_word::after(self.pieces, after, self.notation.symbols).is_some()
    }

    /// Where a currency after the number would begin: over a space, a hyphen, `de` or the point of an abbreviation.
    fn place_after(&self) -> usize {
        let multiplied = self.end > self.numeral.end;
        let point = usize::from(multiplied && self.pieces.is_sign(self.end, '.'));
        let gap = self.end + point;
        let place = if self.pieces.is_hyphen(gap) { gap + 1 } else { self.pieces.after_space(gap) };
        let of = multiplied && matches!(self.pieces.word(place), Some("de" | "d"));
        if of { place + 2 } else { place }
    }

    /// The currency after the number, unless it belongs to the next number: `EUR 500 USD 300`, `33 $27,156.00`.
    fn currency_after(&self) -> Option<Written> {
        let (pieces, place) = (self.pieces, self.place_after());
        let found = currency_word::after(pieces, place, self.notation.symbols)?;
        let number_follows = pieces.digits(pieces.after_space(found.end)).is_some();
        let joined_to_next = pieces.digits(found.end).is_some() && place > self.end;
        let own = !number_follows || (self.before.is_none() && !joined_to_next);
        (own && (self.numeral.separated || !found.wordlike)).then_some(found)
    }

    /// The amount that the currency after this number could belong to instead: `33 USD 27,156.00`.
    fn contested(&self) -> Option<Found> {
        let (pieces, place) = (self.pieces, self.place_after());
        if self.before.is_some() || place == self.end {
            return None;
        }
        let written = currency_word::before(pieces, place, self.notation.symbols)?;
        let number = Numeral::read(pieces, pieces.after_space(written.end)).ok()?;
        let next = pieces.after_space(number.end);
        let measured = unit::read(pieces, next).is_some()
            || unit::percent(pieces, next).is_some()
            || currency_word::after(pieces, next, self.notation.symbols).is_some();
        let found = if measured { None } else { read(pieces, place, self.notation) };
        found.filter(|found| !found.meanings.is_empty())
    }

    pub(super) fn amount(&mut self) -> Option<Vec<Meaning>> {
        let after = self.currency_after();
        if after.is_none() && self.before.is_none() {
            return None;
        }
        let other = after.as_ref().and_then(|_| self.contested());
        let factor = [&self.before, &after].into_iter().flatten().map(|written| written.factor).product();
        let currencies = self.currencies(after.as_ref());
        self.end = after.map_or(self.end, |after| after.end);
        if !self.ends_well(self.end) {
            return Some(Vec::new());
        }
        let mut meanings: Vec<Meaning> =
            currencies.into_iter().flat_map(|currency| self.amounts(currency, factor)).collect();
        if let Some(other) = other {
            meanings.extend(other.meanings);
            self.end = other.end;
        }
        Some(meanings)
    }

    /// The currencies that are written before and after the number. A code says which currency a sign means.
    fn currencies(&self, after: Option<&Written>) -> Vec<Currency> {
        let before = self.before.as_ref();
        let mut all = before.map(|before| before.currencies.clone()).unwrap_or_default();
        let Some(after) = after else { return all };
        let precise = |currency: &Currency| before.is_some_and(|before| before.may_mean(*currency));
        if after.currencies.iter().all(precise) {
            all.clear();
        }
        all.extend(after.currencies.iter().filter(|new| !self.knows(**new) || precise(new)));
        all.dedup();
        all
    }

    /// Whether the currency before the number is a word such as `ALL`, so that only the number is read.
    pub(super) fn follows_word(&self) -> bool {
        !self.numeral.separated && self.before.as_ref().is_some_and(|before| before.wordlike)
    }

    fn knows(&self, currency: Currency) -> bool {
        self.before.as_ref().is_some_and(|before| before.currencies.contains(&currency))
    }

    fn amounts(&self, currency: Currency, factor: i128) -> Vec<Meaning> {
        let plain = factor == 1 && self.factors == [1];
        let grouped_only = match self.numeral.doubtful {
            Some(',') => plain && currency.digits() < 3,
            Some(_) => plain && currency.digits() == 0,
            None => false,
        };
        let readings = self.numbers(grouped_only, factor);
        readings.into_iter().map(|number| Meaning::Amount(Amount { number, currency })).collect()
    }
}
