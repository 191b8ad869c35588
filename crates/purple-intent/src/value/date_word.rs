//! Dates and months with the name of the month.

use jiff::civil::Date;

use super::cursor::Pieces;
use super::date::is_day_month;
use super::piece::Case;
use super::scan::Found;
use super::{Day, Meaning, MonthMeaning, currency_word};

/// The month of a folded name or abbreviation in English, German, French or Spanish.
pub(super) fn month(word: &str) -> Option<i8> {
    Some(match word {
        "january" | "jan" | "januar" | "janner" | "janvier" | "janv" | "enero" | "ene" => 1,
        "february" | "feb" | "februar" | "fevrier" | "fevr" | "fev" | "febrero" => 2,
        "march" | "mar" | "marz" | "maerz" | "mrz" | "mars" | "marzo" => 3,
        "april" | "apr" | "avril" | "avr" | "abril" | "abr" => 4,
        "may" | "mai" | "mayo" => 5,
        "june" | "jun" | "juni" | "juin" | "junio" => 6,
        "july" | "jul" | "juli" | "juillet" | "juil" | "julio" => 7,
        "august" | "aug" | "aout" | "agosto" => 8,
        "september" | "sept" | "sep" | "septembre" | "septiembre" => 9,
        "october" | "oct" | "oktober" | "okt" | "octobre" | "octubre" => 10,
        "november" | "nov" | "novembre" | "noviembre" => 11,
        "december" | "dec" | "dezember" | "dez" | "decembre" | "diciembre" | "dic" => 12,
        _ => return None,
    })
}

/// The date or month with a name that begins here.
pub(super) fn read(pieces: Pieces<'_>, at: usize) -> Option<Found> {
    if pieces.is_glued(at) {
        return None;
    }
    match pieces.digits(at) {
        Some(_) => day_first(pieces, at),
        None => month_first(pieces, at),
    }
}

/// `20 March 2026`, `20th of March`, `20. März`, `1er mars`, `20 de marzo de 2026`, `20-Mar-2026`.
fn day_first(pieces: Pieces<'_>, at: usize) -> Option<Found> {
    let before = at.checked_sub(1).and_then(|before| pieces.sign(before));
    if matches!(before, Some('.' | '/' | '_' | '#' | '-' | '$' | '€' | '£')) {
        return None;
    }
    let day = day(pieces, at)?;
    let mut place = after_ordinal(pieces, at + 1);
    place += usize::from(place == at + 1 && pieces.is_sign(place, '.'));
    if pieces.word(place).is_none() {
        place = pieces.next_word(place)?;
    }
    if matches!(pieces.word(place), Some("of" | "de")) {
        place = pieces.next_word(place + 1)?;
    }
    let month = month(pieces.word(place)?)?;
    let end = after_abbreviation(pieces, place);
    (!pieces.is_alphanumeric(place + 1)).then_some(())?;
    dated(pieces, at, day, month, end)
}

/// `March 20th`, `Mar. 20, 2026`, `February 2026`, `im Februar`.
fn month_first(pieces: Pieces<'_>, at: usize) -> Option<Found> {
    let word = pieces.word(at)?;
    let month = month(word)?;
    if pieces.is_alphanumeric(at + 1) {
        return None;
    }
    let end = after_abbreviation(pieces, at);
    let place = end + 1;
    let joined = pieces.is_space(end) || pieces.is_hyphen(end);
    if joined && let Some(found) = month_and_day(pieces, at, month, place) {
        return Some(found);
    }
    if let Some((year, end)) = year(pieces, end) {
        let meaning = Meaning::Month(MonthMeaning::Of { year, month });
        return Some(Found { start: at, end, meanings: vec![meaning] });
    }
    if matches!(pieces.word_before(at), Some("next" | "nachsten" | "nachster" | "kommenden")) {
        return Some(Found::skip(at + 1));
    }
    let meaning = Meaning::Month(MonthMeaning::Named { month });
    is_surely_month(pieces, at).then(|| Found { start: at, end: at + 1, meanings: vec![meaning] })
}

fn month_and_day(pieces: Pieces<'_>, at: usize, month: i8, place: usize) -> Option<Found> {
    // `You may 20 times`: a verb.
    if pieces.word(at) == Some("may") && pieces.get(at)?.case == Case::Lower {
        return None;
    }
    let day = day(pieces, place)?;
    let end = after_ordinal(pieces, place + 1);
    let after = pieces.after_space(end);
    let own = currency_word::ends_amount(pieces, after)
        || pieces.is_sign(after, '%')
        || (pieces.sign(end).is_some() && pieces.digits(end + 1).is_some());
    if own || pieces.is_alphanumeric(end) {
        return None;
    }
    dated(pieces, at, day, month, end)
}

/// A day and a month with the year after them, if one is there.
fn dated(pieces: Pieces<'_>, start: usize, day: i8, month: i8, end: usize) -> Option<Found> {
    if let Some((year, end)) = year(pieces, end) {
        let date = Date::new(year, month, day).ok();
        let meanings = date.map(|date| Meaning::Day(Day::On(date))).into_iter().collect();
        return Some(Found { start, end, meanings });
    }
    let day = is_day_month(day, month).then_some(Meaning::Day(Day::DayMonth { day, month }));
    Some(Found { start, end, meanings: day.into_iter().collect() })
}

/// One or two digits from 1 to 31.
fn day(pieces: Pieces<'_>, at: usize) -> Option<i8> {
    let digits = pieces.digits(at).filter(|digits| digits.len() <= 2)?;
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

fn after_ordinal(pieces: Pieces<'_>, at: usize) -> usize {
    let ordinal = matches!(pieces.word(at), Some("st" | "nd" | "rd" | "th" | "er" | "º" | "ª"));
    at + usize::from(ordinal || pieces.is_sign(at, '°'))
}

/// The place after a month, with the point of an abbreviation if more follows on the line.
fn after_abbreviation(pieces: Pieces<'_>, at: usize) -> usize {
    let short = pieces.word(at).is_some_and(|word| word.len() <= 5);
    let point = short && pieces.is_sign(at + 1, '.');
    let digits = pieces.digits(pieces.after_space(at + 2)).is_some();
    at + 1 + usize::from(point && digits)
}

/// The year after a day or month: ` 2026`, `, 2026`, ` de 2026`, ` del 2026`, `-2026`.
fn year(pieces: Pieces<'_>, end: usize) -> Option<(i16, usize)> {
    let mut place = end + usize::from(pieces.is_sign(end, ','));
    if !pieces.is_space(place) && !pieces.is_hyphen(place) {
        return None;
    }
    place += 1;
    if matches!(pieces.word(place), Some("de" | "del")) && pieces.is_space(place + 1) {
        place += 2;
    }
    let digits = pieces.digits(place).filter(|digits| digits.len() == 4)?;
    let year: i16 = digits.parse().ok().filter(|year| (1900..2200).contains(year))?;
    let goes_on = pieces.sign(place + 1).is_some() && pieces.digits(place + 2).is_some()
        || currency_word::ends_amount(pieces, pieces.after_space(place + 1));
    (!goes_on && !pieces.is_alphanumeric(place + 1)).then_some((year, place + 1))
}

/// Names that are only months.
const MONTHS_ONLY: [&str; 31] = [
    "january",
    "february",
    "july",
    "september",
    "october",
    "november",
    "december",
    "januar",
    "februar",
    "marz",
    "maerz",
    "oktober",
    "dezember",
    "janvier",
    "fevrier",
    "juin",
    "juillet",
    "aout",
    "septembre",
    "octobre",
    "novembre",
    "decembre",
    "enero",
    "febrero",
    "marzo",
    "junio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

/// Words after which a name is a month.
const BEFORE_MONTH: [&str; 31] = [
    "in", "for", "of", "since", "during", "until", "till", "by", "last", "this", "the", "im", "fur", "seit",
    "bis", "vom", "des", "den", "ab", "en", "de", "du", "depuis", "desde", "para", "hasta", "pour", "month",
    "monat", "mois", "mes",
];

/// Whether a word alone can only be a month. Names of people and other words need a word such as `in` before them.
fn is_surely_month(pieces: Pieces<'_>, at: usize) -> bool {
    let Some(word) = pieces.word(at) else { return false };
    let shown = pieces.word_before(at).is_some_and(|before| BEFORE_MONTH.contains(&before));
    // `the offboarding of April Kim`: a person.
    let person = pieces.next_word(at + 1).is_some_and(|next| pieces.is_capital(next))
        && !matches!(
            pieces.word_before(at),
            Some("in" | "im" | "during" | "since" | "month" | "last" | "this")
        );
    let verb = word == "may" && !pieces.is_capital(at);
    MONTHS_ONLY.contains(&word) || (shown && !verb && !person)
}
