//! Ids of records.

use super::cursor::Pieces;
use super::piece::{Case, Kind};
use super::scan::Found;
use super::{Meaning, Notation, currency_word, date_word, unit};

/// More groups than any id has.
const GROUPS_MAX: usize = 6;
/// More characters than any id has.
const LENGTH_MAX: usize = 64;

/// The id of a record, in capital letters and with a hyphen between its groups: `INV-2024-451`.
///
/// It has a hyphen where the text has a separator. Where the text has none between prefix and digits, it has one there
/// only: `INV2024451` is `INV-2024451`. Compare by [`Id::key`], which is the same for both. An id without a prefix,
/// such as `2024-451` or `#5081`, has only its digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Id {
    canonical: String,
}

impl Id {
    /// The id in its canonical form.
    pub fn as_str(&self) -> &str {
        &self.canonical
    }

    /// The id without hyphens. Ids with the same key are the same id.
    pub fn key(&self) -> String {
        self.canonical.replace('-', "")
    }

    fn new(groups: &[String]) -> Self {
        Self { canonical: groups.join("-").to_uppercase() }
    }
}

/// Short prefixes that are words too: in lower case they need a hyphen.
const WORDS: [&str; 24] = [
    "so", "in", "it", "an", "am", "at", "on", "or", "to", "is", "no", "do", "as", "be", "by", "la", "le",
    "de", "en", "es", "et", "un", "ab", "um",
];

/// An id with a known prefix, or after a number sign.
pub(super) fn known(pieces: Pieces<'_>, at: usize, notation: &Notation) -> Option<Found> {
    let head = after_number_sign(pieces, at)?;
    let Some(prefix) = pieces.word(head) else {
        return if head > at { numbered(pieces, at, head) } else { without_prefix(pieces, at) };
    };
    if !notation.prefixes.iter().any(|known| known.eq_ignore_ascii_case(prefix)) {
        return None;
    }
    let (first, glued) = first_group(pieces, head, prefix)?;
    let mut groups = vec![prefix.to_owned()];
    let end = take_groups(pieces, first, &mut groups)?;
    if glued && prefix.len() == 1 && groups[1].len() < 4 {
        return None;
    }
    found(pieces, at, end, &groups)
}

/// The place of the prefix or of the digits after `#`; the place itself if there is no `#`.
fn after_number_sign(pieces: Pieces<'_>, at: usize) -> Option<usize> {
    if pieces.is_glued(at) {
        return None;
    }
    if pieces.is_sign(at, '#') { Some(at + 1) } else { Some(at) }
}

/// The place of the first group after a known prefix, and whether it directly follows.
fn first_group(pieces: Pieces<'_>, head: usize, prefix: &str) -> Option<(usize, bool)> {
    let after = head + 1;
    if pieces.digits(after).is_some() {
        return Some((after, true));
    }
    if pieces.is_hyphen(after) {
        return Some((after + 1, false));
    }
    let case = pieces.get(head)?.case;
    let mark = pieces.after_space(after);
    if pieces.is_sign(mark, '#') {
        return Some((pieces.after_space(mark + 1), false));
    }
    let digits = pieces.digits(mark)?;
    let free = match prefix.len() {
        1 => case == Case::Upper && digits.len() >= 3,
        2 => case == Case::Upper || !WORDS.contains(&prefix),
        _ => true,
    };
    (pieces.is_space(after) && free).then_some((mark, false))
}

/// Takes the groups from here on and returns the place after the last one.
fn take_groups(pieces: Pieces<'_>, first: usize, groups: &mut Vec<String>) -> Option<usize> {
    let mut end = take_group(pieces, first, groups)?;
    while groups.len() < GROUPS_MAX {
        if !pieces.is_hyphen(end) && !space_joins(pieces, end, groups) {
            break;
        }
        match take_group(pieces, end + 1, groups) {
            Some(after) => end = after,
            None => break,
        }
    }
    Some(end)
}

/// Takes letters and digits that hang together and have a digit.
fn take_group(pieces: Pieces<'_>, at: usize, groups: &mut Vec<String>) -> Option<usize> {
    let (mut group, mut end, mut digits) = (String::new(), at, 0);
    while let Some(piece) = pieces.get(end).filter(|piece| matches!(piece.kind, Kind::Word | Kind::Digits)) {
        if group.len() > LENGTH_MAX {
            return None;
        }
        group.push_str(&piece.text);
        digits += usize::from(piece.kind == Kind::Digits);
        end += 1;
    }
    let whole = digits > 0 && group.is_ascii() && !pieces.is_alphanumeric(end);
    if whole && group.len() <= LENGTH_MAX {
        groups.push(group);
        return Some(end);
    }
    None
}

/// Whether a space joins a number to the year before it: `inv 2024 451`, not `PO 2024 500 EUR`.
fn space_joins(pieces: Pieces<'_>, end: usize, groups: &[String]) -> bool {
    let year = groups.len() == 2 && is_year(&groups[1]);
    let number = pieces.digits(end + 1).is_some_and(|digits| digits.len() >= 3);
    let after = pieces.after_space(end + 2);
    let own = currency_word::ends_amount(pieces, after)
        || pieces.is_sign(after, '%')
        || unit::read(pieces, after).is_some()
        || (pieces.sign(end + 2).is_some_and(|sign| sign != '-') && pieces.digits(end + 3).is_some());
    year && pieces.is_space(end) && number && !own
}

fn is_year(group: &str) -> bool {
    group.len() == 4 && group.parse().is_ok_and(|year: u16| (1900..2100).contains(&year))
}

/// `#5081`.
fn numbered(pieces: Pieces<'_>, at: usize, head: usize) -> Option<Found> {
    pieces.digits(head).filter(|digits| digits.len() >= 3)?;
    let mut groups = Vec::new();
    let end = take_groups(pieces, head, &mut groups)?;
    found(pieces, at, end, &groups)
}

/// `2024-451`: a year and a number that is no month.
fn without_prefix(pieces: Pieces<'_>, at: usize) -> Option<Found> {
    let year = pieces.digits(at).filter(|digits| is_year(digits))?;
    let number = pieces.digits(at + 2).filter(|number| (3..=8).contains(&number.len()))?;
    let before = at.checked_sub(1).and_then(|before| pieces.sign(before));
    let alone = !matches!(before, Some('-' | '/' | '.' | '_' | ':' | '+' | ','));
    if !pieces.is_hyphen(at + 1) || !alone {
        return None;
    }
    found(pieces, at, at + 3, &[year.to_owned(), number.to_owned()])
}

/// An id whose prefix is not known: letters, a hyphen and digits.
pub(super) fn unknown(pieces: Pieces<'_>, at: usize) -> Option<Found> {
    let head = after_number_sign(pieces, at)?;
    let prefix = pieces.word(head).filter(|prefix| prefix.is_ascii() && prefix.len() <= 10)?;
    let before_hyphen = at > 0 && pieces.is_hyphen(at - 1);
    let currency = currency_word::code(pieces, head).is_some();
    if currency || !pieces.is_hyphen(head + 1) || before_hyphen || date_word::month(prefix).is_some() {
        return None;
    }
    pieces.digits(head + 2)?;
    let mut groups = vec![prefix.to_owned()];
    let end = take_groups(pieces, head + 2, &mut groups)?;
    let digits: usize = groups[1..].iter().map(String::len).sum();
    let capitals = pieces.get(head)?.case == Case::Upper && prefix.len() >= 2;
    let short = groups.len() == 2 && is_year(&groups[1]);
    (capitals || (digits >= 3 && prefix.len() <= 6 && !short)).then(|| found(pieces, at, end, &groups))?
}

fn found(pieces: Pieces<'_>, start: usize, end: usize, groups: &[String]) -> Option<Found> {
    // `INV-2024-451.50` and `INV-2024-451/2` are something else.
    let goes_on = matches!(pieces.sign(end), Some('.' | '/' | ':' | ',')) && pieces.digits(end + 1).is_some();
    let meanings = if goes_on { Vec::new() } else { vec![Meaning::Id(Id::new(groups))] };
    let end = if goes_on { end + 2 } else { end };
    Some(Found { start, end, meanings })
}
