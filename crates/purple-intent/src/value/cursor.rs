//! Looks at the pieces around a place.

use super::piece::{Case, Kind, Piece};

/// The pieces of a text, to be read from any place.
#[derive(Clone, Copy)]
pub(super) struct Pieces<'a>(pub(super) &'a [Piece]);

impl<'a> Pieces<'a> {
    pub(super) fn get(self, at: usize) -> Option<&'a Piece> {
        self.0.get(at)
    }

    /// The piece so many places before.
    pub(super) fn back(self, at: usize, steps: usize) -> Option<&'a Piece> {
        at.checked_sub(steps).and_then(|at| self.0.get(at))
    }

    /// The word at a place, folded.
    pub(super) fn word(self, at: usize) -> Option<&'a str> {
        self.get(at).filter(|piece| piece.kind == Kind::Word).map(|piece| piece.text.as_str())
    }

    pub(super) fn digits(self, at: usize) -> Option<&'a str> {
        self.get(at).filter(|piece| piece.kind == Kind::Digits).map(|piece| piece.text.as_str())
    }

    pub(super) fn sign(self, at: usize) -> Option<char> {
        match self.get(at)?.kind {
            Kind::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    pub(super) fn is_sign(self, at: usize, wanted: char) -> bool {
        self.sign(at) == Some(wanted)
    }

    /// Whether spaces inside a line are here.
    pub(super) fn is_space(self, at: usize) -> bool {
        self.get(at).is_some_and(|piece| matches!(piece.kind, Kind::Space | Kind::HardSpace))
    }

    /// The place after spaces inside a line, if any are here.
    pub(super) fn after_space(self, at: usize) -> usize {
        if self.is_space(at) { at + 1 } else { at }
    }

    /// Whether a letter, a digit or a mark on one is here.
    pub(super) fn is_alphanumeric(self, at: usize) -> bool {
        self.get(at).is_some_and(|piece| {
            matches!(piece.kind, Kind::Word | Kind::Digits | Kind::Foreign | Kind::Opaque)
        })
    }

    /// Whether the place before is a letter, a digit or a mark on one.
    pub(super) fn is_glued(self, at: usize) -> bool {
        at > 0 && self.is_alphanumeric(at - 1)
    }

    /// The word before this place with one space or hyphen between.
    pub(super) fn word_before(self, at: usize) -> Option<&'a str> {
        let between = at.checked_sub(1)?;
        let joined = self.is_space(between) || self.is_hyphen(between);
        if joined { self.word(between.checked_sub(1)?) } else { None }
    }

    /// The place of the word after this place, with one space or hyphen between.
    pub(super) fn next_word(self, at: usize) -> Option<usize> {
        let joined = self.is_space(at) || self.is_hyphen(at);
        (joined && self.word(at + 1).is_some()).then_some(at + 1)
    }

    pub(super) fn is_hyphen(self, at: usize) -> bool {
        self.sign(at).is_some_and(is_hyphen)
    }

    /// Whether the word at a place begins with a capital letter.
    pub(super) fn is_capital(self, at: usize) -> bool {
        self.word(at).is_some() && self.get(at).is_some_and(|piece| piece.case != Case::Lower)
    }

    /// Whether a line begins here.
    pub(super) fn is_line_start(self, at: usize) -> bool {
        let before = if at > 0 && self.is_space(at - 1) { at - 1 } else { at };
        before == 0 || self.get(before - 1).is_some_and(|piece| piece.kind == Kind::LineEnd)
    }
}

/// The hyphen on the keyboard and the typographic ones.
pub(super) fn is_hyphen(sign: char) -> bool {
    matches!(sign, '-' | '\u{2010}' | '\u{2011}')
}

/// Hyphens, and the dashes that stand between the ends of a range.
pub(super) fn is_dash(sign: char) -> bool {
    is_hyphen(sign) || matches!(sign, '\u{2012}' | '\u{2013}' | '\u{2014}')
}

/// The apostrophes that group digits.
pub(super) fn is_apostrophe(sign: char) -> bool {
    matches!(sign, '\'' | '’' | '‘' | 'ʼ' | '´' | '`')
}
