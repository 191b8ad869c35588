//! The holiday tables that come with the crate, as rules by year.
//!
//! Each table says from which year its rules hold; an earlier date is refused instead of guessed.

use jiff::civil::{Date, Weekday};

/// The last year any table speaks for.
pub(crate) const YEAR_MAX: i16 = 2199;

/// A built-in holiday table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// Weekends only.
    None,
    /// Holidays of the US federal government (5 U.S.C. 6103), moved off weekends (Executive Order 11582).
    UsFederal,
    /// Closing days of the euro area's TARGET system, as the European Central Bank has kept them since 2002.
    Target,
}

impl Table {
    pub(crate) const NAMES: &'static [&'static str] = &["weekends", "us_federal", "target"];

    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "weekends" => Some(Self::None),
            "us_federal" => Some(Self::UsFederal),
            "target" => Some(Self::Target),
            _ => None,
        }
    }

    /// The first year the rules below hold for: Martin Luther King's day was first kept in 1986.
    pub(crate) const fn first_year(self) -> i16 {
        match self {
            Self::None => 1,
            Self::UsFederal => 1986,
            Self::Target => 2002,
        }
    }

    pub(crate) fn is_holiday(self, date: Date) -> bool {
        match self {
            Self::None => false,
            Self::UsFederal => is_us_federal(date),
            Self::Target => is_target(date),
        }
    }
}

fn is_us_federal(date: Date) -> bool {
    match date.weekday() {
        // A holiday on a Saturday is kept the day before, one on a Sunday the day after.
        Weekday::Friday => is_us_day(date) || date.tomorrow().is_ok_and(is_us_fixed_day),
        Weekday::Monday => is_us_day(date) || date.yesterday().is_ok_and(is_us_fixed_day),
        Weekday::Saturday | Weekday::Sunday => false,
        Weekday::Tuesday | Weekday::Wednesday | Weekday::Thursday => is_us_day(date),
    }
}

fn is_us_day(date: Date) -> bool {
    is_us_fixed_day(date) || is_us_floating_day(date)
}

fn is_us_fixed_day(date: Date) -> bool {
    match (date.month(), date.day()) {
        (1, 1) | (7, 4) | (11, 11) | (12, 25) => true,
        // Juneteenth became law in June 2021 and was kept the same week.
        (6, 19) => date.year() >= 2021,
        _ => false,
    }
}

fn is_us_floating_day(date: Date) -> bool {
    let nth = (date.day() - 1) / 7 + 1;
    let last = date.day() + 7 > date.days_in_month();
    match (date.month(), date.weekday()) {
        (1 | 2, Weekday::Monday) => nth == 3,
        (5, Weekday::Monday) => last,
        (9, Weekday::Monday) => nth == 1,
        (10, Weekday::Monday) => nth == 2,
        (11, Weekday::Thursday) => nth == 4,
        _ => false,
    }
}

fn is_target(date: Date) -> bool {
    if matches!((date.month(), date.day()), (1, 1) | (5, 1) | (12, 25 | 26)) {
        return true;
    }
    let (month, day) = easter(date.year());
    let Ok(sunday) = Date::new(date.year(), month, day) else { return false };
    let good_friday = sunday.yesterday().and_then(Date::yesterday);
    good_friday.is_ok_and(|friday| friday == date) || sunday.tomorrow().is_ok_and(|monday| monday == date)
}

/// Easter Sunday of the Gregorian calendar, as (month, day), by the anonymous algorithm in Meeus, "Astronomical
/// Algorithms", chapter 8.
fn easter(year: i16) -> (i8, i8) {
    let year = i32::from(year);
    let golden = year % 19;
    let (century, of_century) = (year / 100, year % 100);
    let (leap_centuries, century_rest) = (century / 4, century % 4);
    let moon_shift = (century - (century + 8) / 25 + 1) / 3;
    let epact = (19 * golden + century - leap_centuries - moon_shift + 15) % 30;
    let (leap_years, year_rest) = (of_century / 4, of_century % 4);
    let to_sunday = (32 + 2 * century_rest + 2 * leap_years - epact - year_rest) % 7;
    let late = (golden + 11 * epact + 22 * to_sunday) / 451;
    let days = epact + to_sunday - 7 * late + 114;
    ((days / 31) as i8, (days % 31 + 1) as i8)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn holidays(table: Table, year: i16) -> Vec<String> {
        let days = date(year, 1, 1).series(jiff::Span::new().days(1)).take_while(|day| day.year() == year);
        days.filter(|day| table.is_holiday(*day)).map(|day| day.strftime("%m-%d").to_string()).collect()
    }

    #[test]
    fn federal_holidays_are_those_the_government_published() {
        // opm.gov, federal holidays.
        let of_2026 = [
            "01-01", "01-19", "02-16", "05-25", "06-19", "07-03", "09-07", "10-12", "11-11", "11-26", "12-25",
        ];
        assert_eq!(holidays(Table::UsFederal, 2026), of_2026);
        // New Year's Day of 2022 was a Saturday, so 2021 has it twice; Juneteenth and Christmas were Saturdays too.
        let of_2021 = [
            "01-01", "01-18", "02-15", "05-31", "06-18", "07-05", "09-06", "10-11", "11-11", "11-25",
            "12-24", "12-31",
        ];
        assert_eq!(holidays(Table::UsFederal, 2021), of_2021);
        let of_2020 =
            ["01-01", "01-20", "02-17", "05-25", "07-03", "09-07", "10-12", "11-11", "11-26", "12-25"];
        assert_eq!(holidays(Table::UsFederal, 2020), of_2020, "no Juneteenth before 2021");
    }

    #[test]
    fn target_closes_on_six_days() {
        // ecb.europa.eu, TARGET closing days.
        assert_eq!(holidays(Table::Target, 2024), ["01-01", "03-29", "04-01", "05-01", "12-25", "12-26"]);
        assert_eq!(holidays(Table::Target, 2026), ["01-01", "04-03", "04-06", "05-01", "12-25", "12-26"]);
    }

    #[test]
    fn easter_is_where_the_almanac_puts_it() {
        let known = [
            (1961, 4, 2),
            (2000, 4, 23),
            (2008, 3, 23),
            (2011, 4, 24),
            (2019, 4, 21),
            (2025, 4, 20),
            (2038, 4, 25),
            (2076, 4, 19),
            (2100, 3, 28),
        ];
        for (year, month, day) in known {
            assert_eq!(easter(year), (month, day), "{year}");
        }
    }
}
