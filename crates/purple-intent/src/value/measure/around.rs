//! The characters directly before and after digits, which show that the digits are not a number of their own.

use purple_finance::Exact;

use super::{Measure, Sign};
use crate::value::cursor::{Pieces, is_dash, is_hyphen};
use crate::value::piece::{Case, Kind};

/// Whether a number can begin at these digits, by what is directly before them.
pub(super) fn may_begin(pieces: Pieces<'_>, at: usize) -> bool {
    if pieces.is_glued(at) {
        return false;
    }
    let Some(before) = at.checked_sub(1).and_then(|before| pieces.sign(before)) else { return true };
    match before {
        '#' | '_' | '\\' | '%' | '^' | '@' | '.' => false,
        ':' | ',' => at < 2 || pieces.digits(at - 2).is_none(),
        '/' | '\'' | '’' => !pieces.is_glued(at - 1),
        other => !is_dash(other) || !pieces.is_glued(at - 1),
    }
}

/// The place after letters, digits and separators that hang together.
pub(super) fn after_glue(pieces: Pieces<'_>, at: usize) -> usize {
    let mut end = at + 1;
    loop {
        if pieces.is_alphanumeric(end) {
            end += 1;
        } else if pieces.sign(end).is_some_and(|sign| matches!(sign, '.' | ',' | ':' | '/') || is_dash(sign))
            && pieces.digits(end + 1).is_some()
        {
            end += 2;
        } else {
            return end;
        }
    }
}

impl Measure<'_> {
    /// Whether nothing follows that makes the digits part of something else.
    pub(super) fn ends_well(&self, end: usize) -> bool {
        let pieces = self.pieces;
        if pieces.is_alphanumeric(end) {
            return false;
        }
        match pieces.sign(end) {
            Some('_' | '°' | '^') => false,
            Some('.') => {
                !pieces.get(end + 1).is_some_and(|next| next.kind == Kind::Word && next.case == Case::Lower)
            }
            Some(hyphen) if is_hyphen(hyphen) => self.end > self.numeral.end || self.before.is_some(),
            _ => true,
        }
    }

    pub(super) fn is_year(&self) -> bool {
        let four = self.pieces.digits(self.numeral.end - 1).is_some_and(|digits| digits.len() == 4);
        let range =
            self.numeral.grouped.as_ref().and_then(Exact::to_i128).is_some_and(|n| (1900..2100).contains(&n));
        four && range && !self.numeral.separated && self.factors == [1] && self.sign == Sign::Plus
    }

    /// `1.` and `2)` at the beginning of a line.
    pub(super) fn is_list_marker(&self) -> bool {
        let point = self.pieces.is_sign(self.end, '.') || self.pieces.is_sign(self.end, ')');
        let short = !self.spoken && !self.numeral.separated && self.end == self.start + 1;
        point && short && self.pieces.is_line_start(self.start) && self.pieces.is_space(self.end + 1)
    }

    /// The place after a fraction that belongs to the number: `2 1/2`, `two and a half`.
    pub(super) fn after_half(&self) -> Option<usize> {
        let Some(first) = self.pieces.next_word(self.end) else {
            let one = |at: usize| self.pieces.digits(at).is_some_and(|digits| digits.len() == 1);
            let (over, under) = (self.end + 1, self.end + 3);
            let fraction = self.pieces.is_space(self.end)
                && one(over)
                && self.pieces.is_sign(over + 1, '/')
                && one(under);
            let whole = !self.numeral.separated && self.end == self.numeral.end;
            return (fraction && whole).then_some(under + 1);
        };
        let word = |steps: usize| self.pieces.word(first + steps).unwrap_or_default();
        match (word(0), word(2)) {
            ("and", "a") if word(4) == "half" => Some(first + 5),
            ("et", "demi" | "demie") | ("y", "medio" | "media") => Some(first + 3),
            _ => None,
        }
    }
}

/// `version 2.1`: the word before says that the number is a name.
pub(super) fn is_named_before(pieces: Pieces<'_>, start: usize) -> bool {
    matches!(
        pieces.word_before(start),
        Some(
            "version"
                | "v"
                | "ver"
                | "release"
                | "rev"
                | "revision"
                | "tel"
                | "telefon"
                | "phone"
                | "fax"
                | "plz"
        )
    )
}

/// `5 pm`, `17 Uhr`, `50 cents`, `16th`: the word after says that the number is a time, a smaller coin or a place in a row.
pub(super) fn is_named_after(pieces: Pieces<'_>, end: usize) -> bool {
    let place = pieces.after_space(end);
    let clock = pieces.is_sign(place + 1, '.') && pieces.word(place + 2) == Some("m");
    match pieces.word(place) {
        Some("am" | "pm" | "uhr") => true,
        Some("a" | "p") => clock,
        Some("o") => pieces.word(place + 2) == Some("clock"),
        Some("cent" | "cents" | "ct" | "pence" | "centimes" | "centimos" | "rappen") => true,
        _ => false,
    }
}
