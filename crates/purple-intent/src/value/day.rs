//! Days and months as people name them, and which ones they are on a given day.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

/// A day as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Day {
    /// A full date.
    On(Date),
    /// A day of a month without a year: `20. März`.
    DayMonth {
        /// The day of the month, from 1.
        day: i8,
        /// The month, from 1.
        month: i8,
    },
    /// A day of the week.
    Weekday {
        /// Which one.
        weekday: Weekday,
        /// Whether `next` is written with it.
        next: bool,
    },
    /// Days from today: 1 for `tomorrow`, -1 for `yesterday`.
    Ahead {
        /// How many.
        days: i32,
    },
}

impl Day {
    /// The date that this day can only be, read on the day `today`.
    ///
    /// A day of a month is the next one from today on, today included. A day of the week is the next one from today
    /// on: `Friday` on a Friday is today. `next Friday` can be the coming Friday or the one of the week after; where
    /// these differ there is no answer, and [`Day::dates`] has both.
    pub fn on(self, today: Date) -> Option<Date> {
        match self.dates(today).as_slice() {
            [date] => Some(*date),
            _ => None,
        }
    }

    /// Every date that this day can be, read on the day `today`. Empty if there is no such date.
    pub fn dates(self, today: Date) -> Vec<Date> {
        match self {
            Self::On(date) => vec![date],
            Self::DayMonth { day, month } => next_day_month(today, day, month).into_iter().collect(),
            Self::Weekday { weekday, next: false } => coming(today, weekday, 0).into_iter().collect(),
            Self::Weekday { weekday, next: true } => next_weekday(today, weekday),
            Self::Ahead { days } => after(today, days).into_iter().collect(),
        }
    }
}

fn after(today: Date, days: i32) -> Option<Date> {
    today.checked_add(jiff::Span::new().try_days(days).ok()?).ok()
}

fn next_day_month(today: Date, day: i8, month: i8) -> Option<Date> {
    match Date::new(today.year(), month, day) {
        Ok(date) if date >= today => Some(date),
        _ => Date::new(today.year().checked_add(1)?, month, day).ok(),
    }
}

/// The first such weekday so many days after today or later.
fn coming(today: Date, weekday: Weekday, from: i32) -> Option<Date> {
    let first = after(today, from)?;
    after(first, i32::from(first.weekday().until(weekday)))
}

/// The first such weekday after today, and the one of the next calendar week (from Monday).
fn next_weekday(today: Date, weekday: Weekday) -> Vec<Date> {
    let week_end = i32::from(today.weekday().until(Weekday::Sunday));
    let mut dates: Vec<Date> =
        [1, week_end + 1].iter().filter_map(|from| coming(today, weekday, *from)).collect();
    dates.dedup();
    dates
}

/// A month as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonthMeaning {
    /// A month of a year.
    Of {
        /// The year.
        year: i16,
        /// The month, from 1.
        month: i8,
    },
    /// A month without a year: `im Februar`.
    Named {
        /// The month, from 1.
        month: i8,
    },
    /// Months from this one: -1 for `last month`.
    Ahead {
        /// How many.
        months: i32,
    },
}

impl MonthMeaning {
    /// The year and the month, read on the day `today`.
    ///
    /// A month without a year is the last one that has begun: processes of business look back at a month. There is no
    /// answer outside the years of the calendar.
    pub fn of(self, today: Date) -> Option<(i16, i8)> {
        match self {
            Self::Of { year, month } => Some((year, month)),
            Self::Named { month } if month <= today.month() => Some((today.year(), month)),
            Self::Named { month } => Some((today.year().checked_sub(1)?, month)),
            Self::Ahead { months } => {
                let first = today.first_of_month();
                let date = first.checked_add(0.months().try_months(months).ok()?).ok()?;
                Some((date.year(), date.month()))
            }
        }
    }
}

#[cfg(test)]
#[path = "day_tests.rs"]
mod tests;
