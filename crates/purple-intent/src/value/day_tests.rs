use jiff::civil::{Weekday, date};

use super::*;

#[test]
fn a_weekday_is_today_or_the_next_one() {
    let wednesday = date(2026, 3, 4);
    let named = |weekday| Day::Weekday { weekday, next: false }.on(wednesday);
    assert_eq!(named(Weekday::Wednesday), Some(wednesday));
    assert_eq!(named(Weekday::Friday), Some(date(2026, 3, 6)));
    assert_eq!(named(Weekday::Tuesday), Some(date(2026, 3, 10)));
}

#[test]
fn next_friday_is_certain_only_where_both_readings_agree() {
    let next = |weekday, today| Day::Weekday { weekday, next: true }.dates(today);
    let wednesday = date(2026, 3, 4);
    assert_eq!(next(Weekday::Friday, wednesday), [date(2026, 3, 6), date(2026, 3, 13)]);
    assert_eq!(next(Weekday::Monday, wednesday), [date(2026, 3, 9)]);
    assert_eq!(next(Weekday::Wednesday, wednesday), [date(2026, 3, 11)]);
    assert_eq!(next(Weekday::Sunday, date(2026, 3, 8)), [date(2026, 3, 15)]);
    assert_eq!(Day::Weekday { weekday: Weekday::Friday, next: true }.on(wednesday), None);
}

#[test]
fn a_day_of_a_month_is_the_next_one() {
    let day = Day::DayMonth { day: 4, month: 3 };
    assert_eq!(day.on(date(2026, 3, 4)), Some(date(2026, 3, 4)));
    assert_eq!(day.on(date(2026, 3, 5)), Some(date(2027, 3, 4)));
    let leap = Day::DayMonth { day: 29, month: 2 };
    assert_eq!(leap.on(date(2026, 3, 4)), None);
    assert_eq!(leap.on(date(2027, 3, 4)), Some(date(2028, 2, 29)));
}

#[test]
fn days_ahead_stay_in_the_calendar() {
    assert_eq!(Day::Ahead { days: -1 }.on(date(2026, 3, 1)), Some(date(2026, 2, 28)));
    assert_eq!(Day::Ahead { days: 1 }.on(Date::MAX), None);
    assert_eq!(Day::Ahead { days: i32::MAX }.on(Date::MAX), None);
    assert_eq!(Day::DayMonth { day: 1, month: 1 }.on(Date::MAX), None);
    assert_eq!(Day::Weekday { weekday: Weekday::Monday, next: true }.on(Date::MAX), None);
}

#[test]
fn a_month_without_a_year_is_the_last_one_that_has_begun() {
    let today = date(2026, 3, 31);
    assert_eq!(MonthMeaning::Named { month: 2 }.of(today), Some((2026, 2)));
    assert_eq!(MonthMeaning::Named { month: 3 }.of(today), Some((2026, 3)));
    assert_eq!(MonthMeaning::Named { month: 4 }.of(today), Some((2025, 4)));
    assert_eq!(MonthMeaning::Of { year: 2024, month: 5 }.of(today), Some((2024, 5)));
}

#[test]
fn months_ahead_go_over_the_year() {
    assert_eq!(MonthMeaning::Ahead { months: -1 }.of(date(2026, 3, 31)), Some((2026, 2)));
    assert_eq!(MonthMeaning::Ahead { months: -1 }.of(date(2026, 1, 1)), Some((2025, 12)));
    assert_eq!(MonthMeaning::Ahead { months: 1 }.of(Date::MAX), None);
    assert_eq!(MonthMeaning::Ahead { months: i32::MAX }.of(Date::MAX), None);
}
