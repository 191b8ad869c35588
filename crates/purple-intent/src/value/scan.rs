//! Goes through a text once and takes the longest value at each place.

use super::cursor::Pieces;
use super::piece::{Kind, pieces};
use super::{Meaning, Notation, Value, date, date_phrase, date_word, id, measure};
use crate::span::Span;

/// What was found at a place. Without meanings, it says how far the pieces go that are no value.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) meanings: Vec<Meaning>,
}

impl Found {
    pub(super) fn skip(end: usize) -> Self {
        Self { start: 0, end, meanings: Vec::new() }
    }
}

pub(super) fn scan(text: &str, notation: &Notation) -> Vec<Value> {
    let list = pieces(text);
    let all = Pieces(&list);
    let mut out: Vec<Value> = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let Some(found) = longest(all, at, notation) else {
            at += 1;
            continue;
        };
        if let (false, Some(first), Some(last)) =
            (found.meanings.is_empty(), all.get(found.start), all.get(found.end - 1))
        {
            let span = Span::new(first.span.start, last.span.end);
            out.push(Value { span, meanings: found.meanings });
        }
        at = found.end.max(at + 1);
    }
    out
}

/// The longest value that begins here, or how far to go on.
fn longest(pieces: Pieces<'_>, at: usize, notation: &Notation) -> Option<Found> {
    if let Some(end) = telephone(pieces, at).or_else(|| account(pieces, at)) {
        return Some(Found::skip(end));
    }
    let readings = match pieces.get(at)?.kind {
        Kind::Word => [
            id::known(pieces, at, notation),
            date_word::read(pieces, at),
            date_phrase::read(pieces, at),
            measure::read(pieces, at, notation),
            id::unknown(pieces, at),
        ],
        Kind::Digits => [
            id::known(pieces, at, notation),
            date::read(pieces, at),
            date_word::read(pieces, at),
            measure::read(pieces, at, notation),
            None,
        ],
        Kind::Sign('#') => [id::known(pieces, at, notation), id::unknown(pieces, at), None, None, None],
        Kind::Sign(_) => [measure::read(pieces, at, notation), None, None, None, None],
        _ => return None,
    };
    let mut best: Option<Found> = None;
    for found in readings.into_iter().flatten() {
        let better = best.as_ref().is_none_or(|best| {
            let (new, old) = (!found.meanings.is_empty(), !best.meanings.is_empty());
            (new && !old) || (new == old && found.end > best.end)
        });
        if better {
            best = Some(found);
        }
    }
    best
}

/// The longest international number has fifteen digits.
const TELEPHONE_DIGITS_MAX: usize = 15;

/// The place after a telephone number: `+49 30 1234567`, `030 1234567`, `(555) 123-4567`, `555 123 4567`.
fn telephone(pieces: Pieces<'_>, at: usize) -> Option<usize> {
    let international = pieces.is_sign(at, '+');
    let begins = pieces.digits(at).is_none_or(|digits| digits.len() >= 3);
    if !begins {
        return None;
    }
    let area = pieces.is_sign(at, '(');
    let first = at + usize::from(international || area);
    let digits = pieces.digits(first)?;
    if pieces.is_glued(at) || (area && !(pieces.is_sign(first + 1, ')') && (3..=5).contains(&digits.len()))) {
        return None;
    }
    let (mut end, mut groups, mut total) = (first + 1, 1, digits.len());
    let mut spaced = true;
    while total <= TELEPHONE_DIGITS_MAX {
        let mut next = end;
        while next < end + 2 && (pieces.is_space(next) || pieces.sign(next).is_some_and(is_telephone_sign)) {
            spaced &= pieces.is_space(next);
            next += 1;
        }
        let Some(group) = pieces.digits(next).filter(|_| next > end) else { break };
        (end, groups, total) = (next + 1, groups + 1, total + group.len());
    }
    let zero = digits.starts_with('0') && digits.len() >= 3 && groups >= 2;
    let three = spaced
        && groups == 3
        && digits.len() == 3
        && pieces.digits(end - 1).is_some_and(|last| last.len() == 4);
    let long = (7..=TELEPHONE_DIGITS_MAX).contains(&total);
    let ends = !pieces.is_alphanumeric(end);
    (long && ends && (((international || area) && groups >= 2) || zero || three)).then_some(end)
}

fn is_telephone_sign(sign: char) -> bool {
    matches!(sign, '-' | '/' | '(' | ')')
}

/// The place after groups of four digits: the number of a card or an account.
fn account(pieces: Pieces<'_>, at: usize) -> Option<usize> {
    let four = |at: usize| pieces.digits(at).is_some_and(|digits| digits.len() == 4);
    let mut end = at;
    while four(end) && pieces.is_space(end + 1) {
        end += 2;
    }
    let last = usize::from(pieces.digits(end).is_some());
    (end >= at + 4 && end + last >= at + 5).then_some(end + last)
}
