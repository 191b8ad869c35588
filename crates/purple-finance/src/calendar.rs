//! Days on which business is done, and the counting of days.
//!
//! Today's date is never asked: every date is an argument.

use std::collections::BTreeSet;

use jiff::civil::{Date, Weekday};

use crate::exact::{Exact, NumberError};
use crate::holidays::{Table, YEAR_MAX};

/// Which days are business days: everything but weekends and holidays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calendar {
    weekend: Vec<Weekday>,
    table: Table,
    holidays: BTreeSet<Date>,
}

/// Why a date cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalendarError {
    /// The text is not a date.
    #[error("`{text}` is not a date")]
    NotADate {
        /// The beginning of the text.
        text: String,
    },
    /// There is no such calendar.
    #[error("there is no calendar `{name}`")]
    UnknownCalendar {
        /// The name that was asked for.
        name: String,
    },
    /// There is no such day count.
    #[error("there is no day count `{name}`")]
    UnknownDayCount {
        /// The name that was asked for.
        name: String,
    },
    /// The holiday table does not cover the date.
    #[error("the holiday table covers the years {first} to {last}, and {date} is outside")]
    YearNotCovered {
        /// The date.
        date: Date,
        /// The first year the table covers.
        first: i16,
        /// The last year the table covers.
        last: i16,
    },
    /// All seven days are weekend.
    #[error("a week without a business day")]
    NoBusinessDay,
    /// The later date comes first.
    #[error("{from} is after {to}")]
    Reversed {
        /// The date that should come first.
        from: Date,
        /// The date that should come last.
        to: Date,
    },
    /// The dates are too far apart, or too many days are added.
    #[error("{days} days are more than the {max} that are counted at once", max = Calendar::DAYS_MAX)]
    TooFar {
        /// How many days.
        days: i64,
    },
    /// The result is past the last date there is.
    #[error("the date is out of range")]
    OutOfRange,
}

impl CalendarError {
    /// What a person can do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::NotADate { .. } => "write year, month and day, such as 2026-01-31",
            Self::UnknownCalendar { .. } => "use weekends, us_federal or target, and add holidays to it",
            Self::UnknownDayCount { .. } => {
                "use actual_365, actual_360, actual_actual, thirty_360 or thirty_e_360"
            }
            Self::YearNotCovered { .. } => "use the calendar `weekends` and give the holidays",
            Self::NoBusinessDay => "leave at least one weekday out of the weekend",
            Self::Reversed { .. } => "give the earlier date first",
            Self::TooFar { .. } => "count in shorter stretches",
            Self::OutOfRange => "check the year",
        }
    }
}

/// Reads a date in the one form that is never ambiguous: `2026-01-31`.
///
/// # Errors
///
/// [`CalendarError::NotADate`] for everything else.
pub fn parse_date(text: &str) -> Result<Date, CalendarError> {
    let read = || {
        let shaped = text.len() == 10
            && text.bytes().enumerate().all(|(index, byte)| match index {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shaped {
            return None;
        }
        Date::new(text[..4].parse().ok()?, text[5..7].parse().ok()?, text[8..].parse().ok()?).ok()
    };
    read().ok_or_else(|| CalendarError::NotADate { text: text.chars().take(40).collect() })
}

/// The number of days from one date to another; negative if `to` is earlier.
#[must_use]
pub fn days_between(from: Date, to: Date) -> i64 {
    from.duration_until(to).as_hours() / 24
}

/// The last day of the month.
#[must_use]
pub fn end_of_month(date: Date) -> Date {
    date.last_of_month()
}

/// The same day so many months later, or the last day of that month if it is shorter.
///
/// # Errors
///
/// [`CalendarError::OutOfRange`].
pub fn add_months(date: Date, months: i32) -> Result<Date, CalendarError> {
    let span = jiff::Span::new().try_months(months).map_err(|_| CalendarError::OutOfRange)?;
    date.checked_add(span).map_err(|_| CalendarError::OutOfRange)
}

/// The date so many days later, or earlier if negative.
///
/// # Errors
///
/// [`CalendarError::OutOfRange`].
pub fn add_days(date: Date, days: i64) -> Result<Date, CalendarError> {
    let span = jiff::Span::new().try_days(days).map_err(|_| CalendarError::OutOfRange)?;
    date.checked_add(span).map_err(|_| CalendarError::OutOfRange)
}

impl Calendar {
    /// The furthest that days are counted at once: some 200 years.
    pub const DAYS_MAX: i64 = 73_000;

    /// The names of the built-in calendars.
    pub const NAMES: &'static [&'static str] = Table::NAMES;

    /// Saturdays and Sundays off, and no holidays.
    #[must_use]
    pub fn weekends() -> Self {
        let weekend = vec![Weekday::Saturday, Weekday::Sunday];
        Self { weekend, table: Table::None, holidays: BTreeSet::new() }
    }

    /// A built-in calendar: `weekends`, `us_federal` or `target`.
    ///
    /// # Errors
    ///
    /// [`CalendarError::UnknownCalendar`].
    pub fn named(name: &str) -> Result<Self, CalendarError> {
        let table = Table::parse(name)
            .ok_or_else(|| CalendarError::UnknownCalendar { name: name.chars().take(40).collect() })?;
        Ok(Self { table, ..Self::weekends() })
    }

    /// The same calendar with more holidays.
    #[must_use]
    pub fn with_holidays(mut self, holidays: impl IntoIterator<Item = Date>) -> Self {
        self.holidays.extend(holidays);
        self
    }

    /// The same calendar with another weekend.
    ///
    /// # Errors
    ///
    /// [`CalendarError::NoBusinessDay`] if all seven days are off.
    pub fn with_weekend(mut self, weekend: &[Weekday]) -> Result<Self, CalendarError> {
        let mut working = Weekday::Monday.cycle_forward().take(7);
        if working.all(|day| weekend.contains(&day)) {
            return Err(CalendarError::NoBusinessDay);
        }
        self.weekend = weekend.to_vec();
        Ok(self)
    }

    /// Whether business is done on this day.
    ///
    /// # Errors
    ///
    /// [`CalendarError::YearNotCovered`].
    pub fn is_business_day(&self, date: Date) -> Result<bool, CalendarError> {
        let (first, last) = (self.table.first_year(), YEAR_MAX);
        if self.table != Table::None && !(first..=last).contains(&date.year()) {
            return Err(CalendarError::YearNotCovered { date, first, last });
        }
        let off = self.weekend.contains(&date.weekday())
            || self.table.is_holiday(date)
            || self.holidays.contains(&date);
        Ok(!off)
    }

    /// This day if business is done on it, else the next one.
    ///
    /// # Errors
    ///
    /// [`CalendarError::YearNotCovered`] and [`CalendarError::OutOfRange`].
    pub fn business_day_on_or_after(&self, date: Date) -> Result<Date, CalendarError> {
        let mut day = date;
        while !self.is_business_day(day)? {
            day = day.tomorrow().map_err(|_| CalendarError::OutOfRange)?;
        }
        Ok(day)
    }

    /// The date so many business days later, or earlier if negative. The start itself does not count, and zero days
    /// leave it where it is, also on a weekend.
    ///
    /// # Errors
    ///
    /// [`CalendarError::TooFar`], [`CalendarError::YearNotCovered`] and [`CalendarError::OutOfRange`].
    pub fn add_business_days(&self, date: Date, days: i64) -> Result<Date, CalendarError> {
        if days.unsigned_abs() > Self::DAYS_MAX.unsigned_abs() {
            return Err(CalendarError::TooFar { days });
        }
        let (mut day, mut left) = (date, days.unsigned_abs());
        while left > 0 {
            let next = if days > 0 { day.tomorrow() } else { day.yesterday() };
            day = next.map_err(|_| CalendarError::OutOfRange)?;
            left -= u64::from(self.is_business_day(day)?);
        }
        Ok(day)
    }

    /// How many business days there are from one date to another, both included.
    ///
    /// # Errors
    ///
    /// [`CalendarError::Reversed`], [`CalendarError::TooFar`] and [`CalendarError::YearNotCovered`].
    pub fn business_days(&self, from: Date, to: Date) -> Result<i64, CalendarError> {
        let days = distance(from, to)?;
        if days > Self::DAYS_MAX {
            return Err(CalendarError::TooFar { days });
        }
        let (mut day, mut count) = (from, 0);
        while day <= to {
            count += i64::from(self.is_business_day(day)?);
            match day.tomorrow() {
                Ok(next) => day = next,
                Err(_) => break,
            }
        }
        Ok(count)
    }
}

/// A convention for counting days of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayCount {
    /// Actual days over 365, leap years too (Actual/365 Fixed).
    Actual365,
    /// Actual days over 360.
    Actual360,
    /// Actual days, each over the length of its own year (Actual/Actual ISDA).
    ActualActual,
    /// Months of 30 days, the bond basis (30/360; ISDA 2006, 4.16(f)).
    Thirty360,
    /// Months of 30 days, the European way (30E/360; ISDA 2006, 4.16(g)).
    ThirtyE360,
}

impl DayCount {
    /// The names, as callers write them.
    pub const NAMES: &'static [&'static str] =
        &["actual_365", "actual_360", "actual_actual", "thirty_360", "thirty_e_360"];

    /// Reads a name such as `actual_365`.
    ///
    /// # Errors
    ///
    /// [`CalendarError::UnknownDayCount`].
    pub fn parse(name: &str) -> Result<Self, CalendarError> {
        match name {
            "actual_365" => Ok(Self::Actual365),
            "actual_360" => Ok(Self::Actual360),
            "actual_actual" => Ok(Self::ActualActual),
            "thirty_360" => Ok(Self::Thirty360),
            "thirty_e_360" => Ok(Self::ThirtyE360),
            _ => Err(CalendarError::UnknownDayCount { name: name.chars().take(40).collect() }),
        }
    }

    /// How many days this convention counts from one date to another.
    ///
    /// # Errors
    ///
    /// [`CalendarError::Reversed`].
    pub fn days(self, from: Date, to: Date) -> Result<i64, CalendarError> {
        let actual = distance(from, to)?;
        let (first_day, last_day) = (i64::from(from.day()), i64::from(to.day()));
        let first = first_day.min(30);
        let thirty = |last: i64| {
            360 * (i64::from(to.year()) - i64::from(from.year()))
                + 30 * (i64::from(to.month()) - i64::from(from.month()))
                + (last - first)
        };
        Ok(match self {
            Self::Actual365 | Self::Actual360 | Self::ActualActual => actual,
            Self::Thirty360 if first < 30 => thirty(last_day),
            Self::Thirty360 | Self::ThirtyE360 => thirty(last_day.min(30)),
        })
    }

    /// The share of a year from one date to another, exactly.
    ///
    /// # Errors
    ///
    /// [`CalendarError::Reversed`].
    pub fn year_fraction(self, from: Date, to: Date) -> Result<Exact, CalendarError> {
        let days = self.days(from, to)?;
        let fraction = match self {
            Self::Actual365 => Exact::ratio(days.into(), 365),
            Self::Actual360 | Self::Thirty360 | Self::ThirtyE360 => Exact::ratio(days.into(), 360),
            Self::ActualActual => actual_years(from, to),
        };
        fraction.map_err(|_| CalendarError::OutOfRange)
    }
}

/// Days in ordinary years over 365 plus days in leap years over 366. `from` is not after `to`.
fn actual_years(from: Date, to: Date) -> Result<Exact, NumberError> {
    let part = |days: i64, of: Date| Exact::ratio(days.into(), of.days_in_year().into());
    if from.year() == to.year() {
        return part(days_between(from, to), from);
    }
    let head = part(days_between(from, from.last_of_year()) + 1, from)?;
    let tail = part(days_between(to.first_of_year(), to), to)?;
    let whole = i64::from(to.year()) - i64::from(from.year()) - 1;
    head.plus(&tail)?.plus(&Exact::from(whole))
}

fn distance(from: Date, to: Date) -> Result<i64, CalendarError> {
    let days = days_between(from, to);
    if days < 0 { Err(CalendarError::Reversed { from, to }) } else { Ok(days) }
}

#[cfg(test)]
#[path = "calendar_tests.rs"]
mod tests;
