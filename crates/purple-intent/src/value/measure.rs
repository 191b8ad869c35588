//! Reads a number with what belongs to it: a sign, a currency, a percent sign, a unit.

mod amount;
mod around;

use purple_finance::Exact;

use self::amount::{bracketed, parenthesized};
use self::around::{after_glue, is_named_after, is_named_before, may_begin};
use super::currency_word::{self, Written};
use super::cursor::{Pieces, is_dash};
use super::number_word::{self, factors};
use super::numeral::Numeral;
use super::piece::Kind;
use super::scan::Found;
use super::unit::{self, Unit};
use super::{Meaning, Notation};

/// Whether a number is negative.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
    /// A dash that can be a minus sign, or parentheses.
    Either,
}

/// A number with everything before it.
struct Measure<'a> {
    pieces: Pieces<'a>,
    notation: &'a Notation,
    start: usize,
    sign: Sign,
    before: Option<Written>,
    numeral: Numeral,
    factors: Vec<i128>,
    /// Whether the number is a word that counts only before a unit.
    careful: bool,
    spoken: bool,
    end: usize,
}

/// The measure that begins here. One without meanings says how far the digits go that are no value.
pub(super) fn read<'a>(pieces: Pieces<'a>, at: usize, notation: &'a Notation) -> Option<Found> {
    if pieces.is_sign(at, '(') {
        return parenthesized(pieces, at, notation);
    }
    if let Some(found) = times(pieces, at, notation) {
        return Some(found);
    }
    let (mut sign, mut place) = take_sign(pieces, at);
    let before = currency_word::before(pieces, place, notation.symbols);
    if let Some(before) = &before {
        place = pieces.after_space(before.end);
        if sign == Sign::Plus {
            (sign, place) = take_sign(pieces, place);
        }
        if pieces.is_sign(place, '(') {
            return bracketed(pieces, at, place, before, notation);
        }
    }
    let bare = before.is_none() && place == at;
    if bare && pieces.digits(at).is_some() && !may_begin(pieces, at) {
        return Some(Found::skip(after_glue(pieces, at)));
    }
    let mut measure = Measure::new(pieces, notation, at, sign, before);
    match measure.take_number(place)? {
        Ok(()) if measure.follows_word() => None,
        Ok(()) => Some(measure.finish()),
        Err(end) => Some(Found::skip(end)),
    }
}

/// `x2` and `x 2` after the name of an item.
fn times(pieces: Pieces<'_>, at: usize, notation: &Notation) -> Option<Found> {
    let sign = pieces.is_sign(at, '×') || pieces.word(at) == Some("x");
    if !sign || pieces.is_glued(at) {
        return None;
    }
    let place = pieces.after_space(at + 1);
    let numeral = Numeral::read(pieces, place).ok().filter(|numeral| !numeral.separated)?;
    let dimension = place > at + 1 && pieces.back(at, 2).is_some_and(|piece| piece.kind == Kind::Digits);
    let more = currency_word::after(pieces, pieces.after_space(numeral.end), notation.symbols).is_some()
        || pieces.is_alphanumeric(numeral.end);
    let number = numeral.grouped.filter(|_| !dimension && !more)?;
    Some(Found {
        start: at,
        end: numeral.end,
        meanings: vec![Meaning::Quantity { number, unit: Unit::Piece }],
    })
}

/// A sign directly before a number or currency, and the place after it.
fn take_sign(pieces: Pieces<'_>, at: usize) -> (Sign, usize) {
    let after_dash = at > 0 && pieces.sign(at - 1).is_some_and(is_dash);
    let free = !after_dash && !pieces.is_glued(at) && !pieces.is_space(at + 1);
    match pieces.sign(at) {
        Some('-' | '\u{2212}') if free => (Sign::Minus, at + 1),
        Some('+') if free => (Sign::Plus, at + 1),
        Some(dash) if free && is_dash(dash) => (Sign::Either, at + 1),
        _ => (Sign::Plus, at),
    }
}

impl<'a> Measure<'a> {
    fn new(
        pieces: Pieces<'a>,
        notation: &'a Notation,
        start: usize,
        sign: Sign,
        before: Option<Written>,
    ) -> Self {
        let numeral = Numeral::whole(0, start);
        let factors = vec![1];
        Self {
            pieces,
            notation,
            start,
            sign,
            before,
            numeral,
            factors,
            careful: false,
            spoken: false,
            end: start,
        }
    }

    /// Takes the digits or the word at this place. `None` if no number is there.
    fn take_number(&mut self, place: usize) -> Option<Result<(), usize>> {
        if self.pieces.digits(place).is_some() {
            match Numeral::read(self.pieces, place) {
                Ok(numeral) => {
                    // Behind a currency, no digits belong to a name.
                    let without_first = numeral.without_first.clone().filter(|_| self.before.is_none());
                    self.numeral = Numeral { without_first, ..numeral };
                }
                Err(end) => return Some(Err(end)),
            }
        } else {
            if place != self.start {
                return None;
            }
            match number_word::read(self.pieces, place)? {
                Ok(spoken) => {
                    (self.numeral, self.careful, self.spoken) = (spoken.numeral, spoken.careful, true);
                }
                Err(end) => return Some(Err(end)),
            }
        }
        self.end = self.numeral.end;
        Some(Ok(()))
    }

    fn finish(mut self) -> Found {
        self.take_factors();
        let found = self.amount().or_else(|| self.percent()).or_else(|| self.quantity());
        let meanings = match found {
            Some(meanings) => meanings,
            None => self.number(),
        };
        if let Some(end) = self.after_half() {
            return Found::skip(end);
        }
        let end = if meanings.is_empty() { after_glue(self.pieces, self.end - 1) } else { self.end };
        Found { start: self.start, end, meanings }
    }

    /// `k`, `Mio.`, `thousand`, `million`.
    fn take_factors(&mut self) {
        for _ in 0..2 {
            let glued = self.pieces.word(self.end).is_some();
            let place = if glued { self.end } else { self.pieces.after_space(self.end) };
            let Some(word) = self.pieces.word(place) else { return };
            let found = match word {
                "k" if glued => &[1_000],
                "m" if glued && self.has_currency(place + 1) => &[1_000_000],
                _ => factors(word),
            };
            if found.is_empty() || self.pieces.is_alphanumeric(place + 1) || self.is_joined(place + 1) {
                return;
            }
            self.factors =
                self.factors.iter().flat_map(|old| found.iter().map(move |new| old * new)).collect();
            self.end = place + 1;
        }
    }

    /// Whether a hyphen joins the word to another one: `million-dollar`.
    fn is_joined(&self, at: usize) -> bool {
        self.pieces.is_hyphen(at) && self.pieces.is_alphanumeric(at + 1)
    }

    fn percent(&mut self) -> Option<Vec<Meaning>> {
        let place = self.pieces.after_space(self.end);
        let (end, share) = unit::percent(self.pieces, place)?;
        self.end = end;
        if share == 0 {
            return Some(Vec::new());
        }
        let numbers = self.numbers(false, 1);
        let shares = numbers.iter().filter_map(|number| number.over(&Exact::from(share)).ok());
        Some(shares.map(Meaning::Percent).collect())
    }

    fn quantity(&mut self) -> Option<Vec<Meaning>> {
        let place = match self.pieces.is_hyphen(self.end) {
            true => self.end + 1,
            false => self.pieces.after_space(self.end),
        };
        let (unit, end) = unit::read(self.pieces, place)?;
        let clock = unit == Unit::Hour && self.is_clock(place);
        if clock || self.pieces.is_alphanumeric(end) || self.is_dimension(unit, end) {
            self.end = end;
            return Some(Vec::new());
        }
        let grouped_only = unit == Unit::Piece && self.numeral.doubtful.is_some();
        self.end = end;
        let numbers = self.numbers(grouped_only, 1);
        let mut meanings: Vec<Meaning> =
            numbers.into_iter().map(|number| Meaning::Quantity { number, unit }).collect();
        // `1.5m` can also be a million and a half.
        if self.pieces.word(self.numeral.end) == Some("m") {
            meanings.extend(self.numbers(false, 1_000_000).into_iter().map(Meaning::Number));
        }
        Some(meanings)
    }

    /// `à 14h`, `a las 14 h`: a time of day.
    fn is_clock(&self, place: usize) -> bool {
        self.pieces.word(place) == Some("h")
            && matches!(
                self.pieces.word_before(self.start),
                Some("a" | "vers" | "avant" | "apres" | "des" | "las" | "um" | "gegen" | "at")
            )
    }

    /// `2 x 4`.
    fn is_dimension(&self, unit: Unit, end: usize) -> bool {
        let spaced = self.pieces.is_space(self.end);
        unit == Unit::Piece && spaced && self.pieces.digits(self.pieces.after_space(end)).is_some()
    }

    /// A number without anything after it, if it is one.
    fn number(&self) -> Vec<Meaning> {
        let no_value = self.careful
            || self.numeral.loose
            || !self.ends_well(self.end)
            || self.is_year()
            || self.is_list_marker()
            || is_named_before(self.pieces, self.start)
            || is_named_after(self.pieces, self.end);
        if no_value {
            return Vec::new();
        }
        self.numbers(false, 1).into_iter().map(Meaning::Number).collect()
    }

    /// The number in each of its readings, with sign and factors.
    fn numbers(&self, grouped_only: bool, factor: i128) -> Vec<Exact> {
        let mut readings = self.numeral.readings();
        if grouped_only {
            readings = self.numeral.grouped.iter().cloned().collect();
        }
        let signs: &[bool] = match self.sign {
            Sign::Plus => &[false],
            Sign::Minus => &[true],
            Sign::Either => &[false, true],
        };
        let mut out = Vec::new();
        for number in &readings {
            for factor in self.factors.iter().map(|own| own * factor) {
                let Ok(number) = number.times(&Exact::from(factor)) else { continue };
                out.extend(signs.iter().map(|minus| if *minus { number.negated() } else { number.clone() }));
            }
        }
        out.dedup();
        out
    }
}
