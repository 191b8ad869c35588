//! Durations in words and quiet hours.

use std::fmt;

/// A unit of time in a process file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Sixty seconds.
    Minutes,
    /// Sixty minutes.
    Hours,
    /// Days of the calendar.
    Days,
    /// Days on which the business works.
    BusinessDays,
    /// Seven days.
    Weeks,
}

impl TimeUnit {
    const WORDS: [(&'static str, Self); 10] = [
        ("minute", Self::Minutes),
        ("minutes", Self::Minutes),
        ("hour", Self::Hours),
        ("hours", Self::Hours),
        ("day", Self::Days),
        ("days", Self::Days),
        ("business day", Self::BusinessDays),
        ("business days", Self::BusinessDays),
        ("week", Self::Weeks),
        ("weeks", Self::Weeks),
    ];
}

/// A length of time as the author wrote it: "2 business days".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    count: u16,
    unit: TimeUnit,
}

impl Span {
    /// Longer waits are a mistake in a process file.
    pub const COUNT_MAX: u16 = 1000;

    /// Reads "2 business days"; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (count, unit) = text.trim().split_once(' ')?;
        let count = count.parse().ok().filter(|count| (1..=Self::COUNT_MAX).contains(count))?;
        let unit = unit.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, unit) = TimeUnit::WORDS.into_iter().find(|(word, _)| *word == unit)?;
        Some(Self { count, unit })
    }

    /// So many units: at least one, and at most [`Self::COUNT_MAX`].
    pub const fn of(count: u16, unit: TimeUnit) -> Self {
        let count = match count {
            0 => 1,
            count if count > Self::COUNT_MAX => Self::COUNT_MAX,
            count => count,
        };
        Self { count, unit }
    }

    /// How many units.
    pub fn count(self) -> u16 {
        self.count
    }

    /// Which unit.
    pub fn unit(self) -> TimeUnit {
        self.unit
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.count == 1 { "" } else { "s" };
        let unit = match self.unit {
            TimeUnit::Minutes => "minute",
            TimeUnit::Hours => "hour",
            TimeUnit::Days => "day",
            TimeUnit::BusinessDays => "business day",
            TimeUnit::Weeks => "week",
        };
        write!(f, "{} {unit}{plural}", self.count)
    }
}

/// Hours of the day in which a notification is held back. They may pass midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    from_minute: u16,
    to_minute: u16,
}

impl QuietHours {
    /// Reads `20:00-07:00`.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.trim().split_once('-')?;
        let (from_minute, to_minute) = (minute_of_day(from)?, minute_of_day(to)?);
        // From eight to eight could be never or always.
        (from_minute != to_minute).then_some(Self { from_minute, to_minute })
    }

    /// Whether a notification would be held back at this time of day.
    pub fn hold(self, at: jiff::civil::Time) -> bool {
        let now = i32::from(at.hour()) * 60 + i32::from(at.minute());
        let (from, to) = (i32::from(self.from_minute), i32::from(self.to_minute));
        if from < to { (from..to).contains(&now) } else { now >= from || now < to }
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from_minute, to_minute } = self;
        let (from, to) = ((from_minute / 60, from_minute % 60), (to_minute / 60, to_minute % 60));
        write!(f, "{:02}:{:02}-{:02}:{:02}", from.0, from.1, to.0, to.1)
    }
}

fn minute_of_day(text: &str) -> Option<u16> {
    let (hour, minute) = text.trim().split_once(':')?;
    let two_digits = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    if !two_digits(hour) || !two_digits(minute) {
        return None;
    }
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_in_words() {
        for text in ["2 business days", "1 business day", "30 minutes", "1 hour", "3 days", "1 week"] {
            assert_eq!(Span::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Span::parse("2  business  days").unwrap().unit(), TimeUnit::BusinessDays);
    }

    #[test]
    fn other_durations_are_refused() {
        for text in ["2d", "two days", "0 days", "-1 days", "1001 days", "2 moons", "days", "", "1.5 hours"] {
            assert_eq!(Span::parse(text), None, "{text}");
        }
    }

    #[test]
    fn quiet_hours_may_pass_midnight() {
        let quiet = QuietHours::parse("20:00-07:00").unwrap();
        for (hour, minute, held) in
            [(19, 59, false), (20, 0, true), (23, 59, true), (0, 0, true), (6, 59, true), (7, 0, false)]
        {
            assert_eq!(quiet.hold(jiff::civil::time(hour, minute, 0, 0)), held, "{hour}:{minute}");
        }
        let noon = QuietHours::parse("12:00-13:30").unwrap();
        for (hour, minute, held) in [(11, 59, false), (12, 0, true), (13, 29, true), (13, 30, false)] {
            assert_eq!(noon.hold(jiff::civil::time(hour, minute, 0, 0)), held, "{hour}:{minute}");
        }
        assert_eq!(quiet.to_string(), "20:00-07:00");
    }

    #[test]
    fn other_hours_are_refused() {
        for text in ["8-9", "08:00", "24:00-07:00", "08:60-09:00", "08:00-08:00", "8:00-9:00", "night"] {
            assert_eq!(QuietHours::parse(text), None, "{text}");
        }
    }
}
