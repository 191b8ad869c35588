//! Days of the week, and days and months counted from today.

use jiff::civil::Weekday;

use super::cursor::{Pieces, is_apostrophe, is_hyphen};
use super::piece::Case;
use super::scan::Found;
use super::{Day, Meaning, MonthMeaning, date, date_word};

/// What a phrase means.
#[derive(Clone, Copy)]
enum Said {
    Days(i32),
    Months(i32),
    /// It looks like a day but does not name one: `guten Morgen`.
    No,
}

/// Phrases by their first word and the words after it, folded. A longer phrase comes before its beginning.
const PHRASES: [(&str, &str, Said); 53] = [
    ("day", "after tomorrow", Said::Days(2)),
    ("day", "before yesterday", Said::Days(-2)),
    ("today", "", Said::Days(0)),
    ("tomorrow", "", Said::Days(1)),
    ("yesterday", "", Said::Days(-1)),
    ("heute", "", Said::Days(0)),
    ("guten", "morgen", Said::No),
    ("am", "morgen", Said::No),
    ("jeden", "morgen", Said::No),
    ("ubermorgen", "", Said::Days(2)),
    ("uebermorgen", "", Said::Days(2)),
    ("vorgestern", "", Said::Days(-2)),
    ("gestern", "", Said::Days(-1)),
    ("aujourd", "hui", Said::Days(0)),
    ("apres", "demain", Said::Days(2)),
    ("avant", "hier", Said::Days(-2)),
    ("demain", "", Said::Days(1)),
    ("hoy", "", Said::Days(0)),
    ("pasado", "manana", Said::Days(2)),
    ("la", "manana", Said::No),
    ("esta", "manana", Said::No),
    ("manana", "", Said::Days(1)),
    ("anteayer", "", Said::Days(-2)),
    ("ayer", "", Said::Days(-1)),
    ("last", "month", Said::Months(-1)),
    ("previous", "month", Said::Months(-1)),
    ("this", "month", Said::Months(0)),
    ("current", "month", Said::Months(0)),
    ("next", "month", Said::Months(1)),
    ("letzten", "monat", Said::Months(-1)),
    ("letzter", "monat", Said::Months(-1)),
    ("letztem", "monat", Said::Months(-1)),
    ("letzten", "monats", Said::Months(-1)),
    ("vorigen", "monat", Said::Months(-1)),
    ("vergangenen", "monat", Said::Months(-1)),
    ("vormonat", "", Said::Months(-1)),
    ("diesen", "monat", Said::Months(0)),
    ("diesem", "monat", Said::Months(0)),
    ("dieser", "monat", Said::Months(0)),
    ("nachsten", "monat", Said::Months(1)),
    ("naechsten", "monat", Said::Months(1)),
    ("kommenden", "monat", Said::Months(1)),
    ("mois", "dernier", Said::Months(-1)),
    ("mois", "passe", Said::Months(-1)),
    ("mois", "prochain", Said::Months(1)),
    ("ce", "mois ci", Said::Months(0)),
    ("ce", "mois", Said::Months(0)),
    ("mes", "pasado", Said::Months(-1)),
    ("mes", "que viene", Said::Months(1)),
    ("proximo", "mes", Said::Months(1)),
    ("este", "mes", Said::Months(0)),
    ("mes", "proximo", Said::Months(1)),
    ("mes", "anterior", Said::Months(-1)),
];

/// The day or month in words that begins here.
pub(super) fn read(pieces: Pieces<'_>, at: usize) -> Option<Found> {
    pieces.word(at).filter(|_| !pieces.is_glued(at))?;
    if let Some(found) = weekday_phrase(pieces, at) {
        return Some(found);
    }
    if pieces.word(at) == Some("morgen") {
        return tomorrow_in_german(pieces, at);
    }
    let word = pieces.word(at)?;
    let mut phrases = PHRASES.iter().filter(|(first, ..)| *first == word);
    let (end, said) = phrases.find_map(|(_, rest, said)| Some((follows(pieces, at + 1, rest)?, *said)))?;
    let meaning = match said {
        Said::Days(days) => Meaning::Day(Day::Ahead { days }),
        Said::Months(months) => Meaning::Month(MonthMeaning::Ahead { months }),
        Said::No => return Some(Found::skip(end)),
    };
    Some(Found { start: at, end, meanings: vec![meaning] })
}

/// The place after these words, with one space, hyphen or apostrophe before each.
fn follows(pieces: Pieces<'_>, end: usize, words: &str) -> Option<usize> {
    let mut end = end;
    for word in words.split_terminator(' ') {
        let joins = |sign| is_hyphen(sign) || is_apostrophe(sign);
        let joined = pieces.is_space(end) || pieces.sign(end).is_some_and(joins);
        if !joined || pieces.word(end + 1) != Some(word) {
            return None;
        }
        end += 2;
    }
    (!pieces.is_alphanumeric(end)).then_some(end)
}

/// `morgen` is tomorrow; `Morgen` is the morning, unless it begins a sentence that goes on in lower case.
fn tomorrow_in_german(pieces: Pieces<'_>, at: usize) -> Option<Found> {
    let capital = pieces.is_capital(at);
    let begins = pieces.word_before(at).is_none();
    let goes_on = pieces.next_word(at + 1).is_some_and(|next| !pieces.is_capital(next));
    let ends = !pieces.is_alphanumeric(at + 1);
    let tomorrow = ends && (!capital || (begins && goes_on));
    let meanings = vec![Meaning::Day(Day::Ahead { days: 1 })];
    tomorrow.then_some(Found { start: at, end: at + 1, meanings })
}

/// `Friday`, `next Friday`, `vendredi prochain`, `Friday, 13 March 2026`.
fn weekday_phrase(pieces: Pieces<'_>, at: usize) -> Option<Found> {
    let before = direction(pieces.word(at)?);
    let place = match before {
        Some(_) => pieces.next_word(at + 1)?,
        None => at,
    };
    let (weekday, short) = weekday(pieces.word(place)?)?;
    if pieces.is_alphanumeric(place + 1) {
        return None;
    }
    if before.is_none()
        && let Some(found) = with_date(pieces, at, weekday, short)
    {
        return Some(found);
    }
    if short && !is_certain(pieces, place) {
        return None;
    }
    let (after, end) = direction_after(pieces, place + 1);
    match before.or(after) {
        Some(Direction::Past | Direction::Other) => Some(Found::skip(end)),
        direction => {
            let next = direction == Some(Direction::Next);
            let day = Day::Weekday { weekday, next };
            Some(Found { start: at, end, meanings: vec![Meaning::Day(day)] })
        }
    }
}

/// Which of the weekdays with one name is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Coming,
    Next,
    Past,
    /// One that is not read: `Friday next week`.
    Other,
}

fn direction(word: &str) -> Option<Direction> {
    Some(match word {
        "next" | "nachsten" | "nachster" | "nachste" | "nachstem" | "naechsten" | "naechster" | "proximo" => {
            Direction::Next
        }
        "this" | "coming" | "diesen" | "dieser" | "diesem" | "kommenden" | "kommender" | "ce" | "este" => {
            Direction::Coming
        }
        "last" | "previous" | "letzten" | "letzter" | "letztem" | "vergangenen" | "vorigen" | "pasado" => {
            Direction::Past
        }
        "every" | "each" | "jeden" | "jeder" | "chaque" | "cada" => Direction::Other,
        _ => return None,
    })
}

/// A direction after the weekday, and the place after it.
fn direction_after(pieces: Pieces<'_>, end: usize) -> (Option<Direction>, usize) {
    let after = [
        ("prochain", Direction::Next),
        ("dernier", Direction::Past),
        ("passe", Direction::Past),
        ("que viene", Direction::Next),
        ("proximo", Direction::Next),
        ("pasado", Direction::Past),
        ("next week", Direction::Other),
        ("of next week", Direction::Other),
        ("last week", Direction::Other),
        ("of last week", Direction::Other),
        ("week", Direction::Other),
        ("nachste woche", Direction::Other),
        ("nachster woche", Direction::Other),
        ("in two weeks", Direction::Other),
        ("in zwei wochen", Direction::Other),
        ("de la semaine prochaine", Direction::Other),
        ("de la proxima semana", Direction::Other),
    ];
    let found = after.iter().find_map(|(words, direction)| Some((*direction, follows(pieces, end, words)?)));
    match found {
        Some((direction, end)) => (Some(direction), end),
        None => (None, end),
    }
}

/// The weekday of a folded name, and whether it is an abbreviation.
fn weekday(word: &str) -> Option<(Weekday, bool)> {
    Some(match word {
        "monday" | "montag" | "lundi" | "lunes" => (Weekday::Monday, false),
        "tuesday" | "dienstag" | "mardi" | "martes" => (Weekday::Tuesday, false),
        "wednesday" | "mittwoch" | "mercredi" | "miercoles" => (Weekday::Wednesday, false),
        "thursday" | "donnerstag" | "jeudi" | "jueves" => (Weekday::Thursday, false),
        "friday" | "freitag" | "vendredi" | "viernes" => (Weekday::Friday, false),
        "saturday" | "samstag" | "sonnabend" | "samedi" | "sabado" => (Weekday::Saturday, false),
        "sunday" | "sonntag" | "dimanche" | "domingo" => (Weekday::Sunday, false),
        "mon" | "mo" | "lun" => (Weekday::Monday, true),
        "tue" | "tues" | "di" => (Weekday::Tuesday, true),
        "wed" | "mi" | "mer" => (Weekday::Wednesday, true),
        "thu" | "thur" | "thurs" | "do" | "jeu" => (Weekday::Thursday, true),
        "fri" | "fr" | "ven" | "vie" => (Weekday::Friday, true),
        "sat" | "sa" => (Weekday::Saturday, true),
        "sun" | "so" | "dim" => (Weekday::Sunday, true),
        _ => return None,
    })
}

/// Abbreviations that are no other word when they are written with a capital letter.
fn is_certain(pieces: Pieces<'_>, at: usize) -> bool {
    let capital = pieces.get(at).is_some_and(|piece| piece.case == Case::Capital);
    capital && matches!(pieces.word(at), Some("tue" | "tues" | "thu" | "thur" | "thurs" | "fri"))
}

/// A weekday and the date it belongs to. Where they contradict each other, both are meanings.
fn with_date(pieces: Pieces<'_>, at: usize, weekday: Weekday, short: bool) -> Option<Found> {
    if short && !pieces.is_capital(at) {
        return None;
    }
    let mut place = at + 1;
    place += usize::from(pieces.is_sign(place, '.'));
    place += usize::from(pieces.is_sign(place, ','));
    place = pieces.after_space(place);
    if matches!(pieces.word(place), Some("the" | "den" | "dem" | "le" | "el")) {
        place = pieces.after_space(place + 1);
    }
    let mut found = date::read(pieces, place).or_else(|| date_word::read(pieces, place))?;
    let dates: Vec<_> = found
        .meanings
        .iter()
        .filter_map(|meaning| match meaning {
            Meaning::Day(day) => Some(*day),
            _ => None,
        })
        .collect();
    if dates.is_empty() || dates.len() < found.meanings.len() {
        return None;
    }
    let fits = |day: &Day| !matches!(day, Day::On(date) if date.weekday() != weekday);
    let mut fitting: Vec<Day> = dates.iter().copied().filter(fits).collect();
    if fitting.is_empty() {
        // An abbreviation such as `So` is also a word.
        if short {
            return None;
        }
        fitting = dates;
        fitting.push(Day::Weekday { weekday, next: false });
    }
    found.meanings = fitting.into_iter().map(Meaning::Day).collect();
    Some(Found { start: at, ..found })
}
