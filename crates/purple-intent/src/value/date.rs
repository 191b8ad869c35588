//! Dates and months in digits.

use jiff::civil::Date;

use super::cursor::{Pieces, is_dash};
use super::numeral::Run;
use super::scan::Found;
use super::{Day, Meaning, MonthMeaning};

/// The date or month in digits that begins here.
pub(super) fn read(pieces: Pieces<'_>, at: usize) -> Option<Found> {
    pieces.digits(at)?;
    if !stands_alone(pieces, at) {
        return None;
    }
    if let Some(found) = spaced(pieces, at) {
        return Some(found);
    }
    let run = Run::read(pieces, at)?;
    let separator = run.same_separator().map(|sign| if is_dash(sign) { '-' } else { sign });
    let groups: Vec<Group> = run.groups.iter().map(|digits| Group::new(digits)).collect::<Option<_>>()?;
    let meanings = match (groups.as_slice(), separator) {
        ([first, second, third], Some(sign)) => {
            let german = pieces.word_before(at).is_some_and(is_german);
            full([*first, *second, *third], sign, german)
        }
        ([first, second], Some('.')) if first.len <= 2 && second.len <= 2 => {
            return day_month_points(pieces, at, *first, *second, run.end);
        }
        ([first, second], Some(sign)) => partial(*first, *second, sign),
        _ => Vec::new(),
    };
    let clock =
        groups.len() == 3 && pieces.word(run.end) == Some("t") && pieces.digits(run.end + 1).is_some();
    let ends = clock || !pieces.is_alphanumeric(run.end);
    (ends && !meanings.is_empty()).then_some(Found { start: at, end: run.end, meanings })
}

/// Whether no letter, digit or separator is directly before.
fn stands_alone(pieces: Pieces<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| pieces.sign(before));
    let joins = matches!(before, Some('.' | '/' | '_' | '#' | '@' | '\\' | '$' | '€' | '£' | '¥' | '+'));
    let hyphen = before.is_some_and(is_dash) && pieces.is_glued(at - 1);
    !pieces.is_glued(at) && !joins && !hyphen
}

/// Digits as a number, with how many there are.
#[derive(Clone, Copy)]
struct Group {
    len: usize,
    number: i16,
}

impl Group {
    fn new(digits: &str) -> Option<Self> {
        let number = digits.parse().ok().filter(|_| digits.len() <= 4)?;
        Some(Self { len: digits.len(), number })
    }

    fn small(self) -> Option<i8> {
        i8::try_from(self.number).ok().filter(|_| self.len <= 2)
    }

    /// A year of four digits, or of two: up to 69 in this century, from 70 in the last one.
    fn year(self) -> Option<i16> {
        match (self.len, self.number) {
            (4, 1900..=2199) => Some(self.number),
            (2, 0..=69) => Some(2000 + self.number),
            (2, 70..=99) => Some(1900 + self.number),
            _ => None,
        }
    }
}

fn date(year: Group, month: Group, day: Group) -> Option<Date> {
    Date::new(year.year()?, month.small()?, day.small()?).ok()
}

/// Words before a day that only German has; there the day comes first.
fn is_german(word: &str) -> bool {
    matches!(word, "am" | "zum" | "vom" | "dem" | "den" | "beim" | "bis" | "ab" | "seit")
}

/// Three groups: every order that is in use with this separator and gives a date.
fn full([first, second, third]: [Group; 3], separator: char, german: bool) -> Vec<Meaning> {
    let day_first = date(third, second, first);
    let month_first = date(third, first, second);
    let year_first = date(first, second, third);
    let dates = match separator {
        '-' | '/' | '.' if first.len == 4 => [year_first, None, None],
        // With a year of two digits, points are written in both orders.
        '.' if third.len == 2 && !german => [day_first, month_first, None],
        '.' => [day_first, None, None],
        '/' => [day_first, month_first, None],
        '-' => [day_first, month_first, year_first.filter(|_| third.len == 2)],
        _ => [None; 3],
    };
    let mut dates: Vec<Date> = dates.into_iter().flatten().collect();
    dates.dedup();
    dates.into_iter().map(|date| Meaning::Day(Day::On(date))).collect()
}

/// Two groups: a month of a year, or a day of a month.
fn partial(first: Group, second: Group, separator: char) -> Vec<Meaning> {
    let month_of = |year: Group, month: Group| {
        let month = month.small().filter(|month| (1..=12).contains(month))?;
        let year = year.year().filter(|_| year.len == 4)?;
        Some(Meaning::Month(MonthMeaning::Of { year, month }))
    };
    match (separator, first.len, second.len) {
        ('-' | '/', 4, 2) => month_of(first, second).into_iter().collect(),
        ('-' | '/', 1 | 2, 4) => month_of(second, first).into_iter().collect(),
        // `12.2026` is also a number.
        ('.', 2, 4) if first.number < 10 => month_of(second, first).into_iter().collect(),
        // Around the clock.
        ('/', 2, 1) if (first.number, second.number) == (24, 7) => Vec::new(),
        ('/', 1 | 2, 1 | 2) => day_month_slash(first, second),
        _ => Vec::new(),
    }
}

fn day_month_slash(first: Group, second: Group) -> Vec<Meaning> {
    let mut days: Vec<Meaning> = [day_month(first, second), day_month(second, first)]
        .into_iter()
        .flatten()
        .map(Meaning::Day)
        .collect();
    days.dedup();
    // Fractions that people write.
    if matches!((first.number, second.number), (1, 2..=4) | (2, 3) | (3, 4)) && first.len + second.len == 2 {
        let share = purple_finance::Exact::ratio(first.number.into(), second.number.into());
        days.extend(share.ok().map(Meaning::Number));
    }
    days
}

fn day_month(day: Group, month: Group) -> Option<Day> {
    let (day, month) = (day.small()?, month.small()?);
    is_day_month(day, month).then_some(Day::DayMonth { day, month })
}

/// Whether a month can have this day.
pub(super) fn is_day_month(day: i8, month: i8) -> bool {
    Date::new(2024, month, day).is_ok()
}

/// `17.03.` is a day after a word such as `am`; else it can be a number at the end of a sentence.
fn day_month_points(pieces: Pieces<'_>, at: usize, day: Group, month: Group, end: usize) -> Option<Found> {
    let day = Meaning::Day(day_month(day, month)?);
    let point = pieces.is_sign(end, '.');
    if pieces.is_alphanumeric(end) || pieces.is_line_start(at) {
        return None;
    }
    let number = || super::numeral::Numeral::read(pieces, at).ok()?.decimal.map(Meaning::Number);
    let word = pieces.word_before(at);
    match word {
        Some("am" | "zum" | "vom" | "dem" | "den" | "beim") => {
            Some(Found { start: at, end: end + usize::from(point), meanings: vec![day] })
        }
        _ if point || matches!(word, Some("bis" | "ab" | "seit" | "on" | "by")) => {
            let meanings = number().into_iter().chain([day]).collect();
            Some(Found { start: at, end, meanings })
        }
        _ => None,
    }
}

/// `20. 3. 2026`.
fn spaced(pieces: Pieces<'_>, at: usize) -> Option<Found> {
    let groups = [pieces.digits(at)?, pieces.digits(at + 3)?, pieces.digits(at + 6)?];
    let shaped =
        [at + 1, at + 4].iter().all(|point| pieces.is_sign(*point, '.') && pieces.is_space(point + 1));
    let [day, month, year] = groups.map(Group::new);
    let date = date(year.filter(|year| year.len == 4)?, month?, day?)?;
    let ends = !pieces.is_alphanumeric(at + 7);
    (shaped && ends).then(|| Found { start: at, end: at + 7, meanings: vec![Meaning::Day(Day::On(date))] })
}
