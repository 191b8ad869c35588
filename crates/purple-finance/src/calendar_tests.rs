use jiff::civil::date;

use super::*;

fn exact(numerator: i128, denominator: i128) -> Exact {
    Exact::ratio(numerator, denominator).unwrap()
}

#[test]
fn only_one_spelling_of_a_date_is_read() {
    assert_eq!(parse_date("2026-01-31"), Ok(date(2026, 1, 31)));
    assert_eq!(parse_date("2024-02-29"), Ok(date(2024, 2, 29)));
    let wrong = [
        "2025-02-29",
        "2026-13-01",
        "01/02/2026",
        "2026-1-31",
        "20260131",
        "2026-01-31T00:00",
        "",
        "２026-01-3",
        "2026-01-32",
    ];
    for text in wrong {
        let refusal = parse_date(text).unwrap_err();
        assert_eq!(refusal.to_string(), format!("`{text}` is not a date"));
        assert!(refusal.help().contains("2026-01-31"));
    }
}

#[test]
fn business_days_skip_weekends_and_holidays() {
    let plain = Calendar::weekends();
    // 2026-07-03 is a Friday.
    assert_eq!(plain.add_business_days(date(2026, 7, 2), 2), Ok(date(2026, 7, 6)));
    let federal = Calendar::named("us_federal").unwrap();
    assert_eq!(federal.add_business_days(date(2026, 7, 2), 2), Ok(date(2026, 7, 7)));
    assert_eq!(federal.add_business_days(date(2026, 7, 7), -2), Ok(date(2026, 7, 2)));
    assert_eq!(plain.add_business_days(date(2026, 7, 4), 0), Ok(date(2026, 7, 4)), "zero days stay");
    assert_eq!(plain.business_day_on_or_after(date(2026, 7, 4)), Ok(date(2026, 7, 6)));
    assert_eq!(plain.business_day_on_or_after(date(2026, 7, 6)), Ok(date(2026, 7, 6)));
    assert_eq!(plain.business_days(date(2026, 7, 1), date(2026, 7, 31)), Ok(23));
    assert_eq!(federal.business_days(date(2026, 7, 1), date(2026, 7, 31)), Ok(22));
    assert_eq!(plain.business_days(date(2026, 7, 4), date(2026, 7, 5)), Ok(0));
    assert_eq!(plain.business_days(date(2026, 7, 6), date(2026, 7, 6)), Ok(1));
    let closed = plain.with_holidays([date(2026, 7, 6)]);
    assert_eq!(closed.business_days(date(2026, 7, 6), date(2026, 7, 7)), Ok(1));
    assert_eq!(closed.is_business_day(date(2026, 7, 6)), Ok(false));
}

#[test]
fn another_weekend_is_possible_and_a_week_of_weekends_is_not() {
    let friday_saturday = Calendar::weekends().with_weekend(&[Weekday::Friday, Weekday::Saturday]).unwrap();
    assert_eq!(friday_saturday.is_business_day(date(2026, 7, 5)), Ok(true));
    assert_eq!(friday_saturday.is_business_day(date(2026, 7, 3)), Ok(false));
    let all: Vec<_> = Weekday::Monday.cycle_forward().take(7).collect();
    assert_eq!(Calendar::weekends().with_weekend(&all), Err(CalendarError::NoBusinessDay));
    assert!(Calendar::weekends().with_weekend(&all[..6]).is_ok());
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let federal = Calendar::named("us_federal").unwrap();
    let early = date(1985, 12, 31);
    let not_covered = CalendarError::YearNotCovered { date: early, first: 1986, last: 2199 };
    assert_eq!(federal.is_business_day(early), Err(not_covered.clone()));
    assert_eq!(federal.business_days(early, date(1986, 1, 2)), Err(not_covered));
    assert!(federal.is_business_day(date(2199, 12, 31)).is_ok());
    assert!(federal.is_business_day(date(2200, 1, 1)).is_err());
    assert!(Calendar::weekends().is_business_day(date(1, 1, 1)).is_ok());
    let unknown = Calendar::named("moon").unwrap_err();
    assert_eq!(unknown.to_string(), "there is no calendar `moon`");
    let (from, to) = (date(2026, 1, 2), date(2026, 1, 1));
    assert_eq!(Calendar::weekends().business_days(from, to), Err(CalendarError::Reversed { from, to }));
    let far = Calendar::weekends().business_days(date(1, 1, 1), date(9999, 12, 31));
    assert!(matches!(far, Err(CalendarError::TooFar { .. })));
    assert_eq!(
        Calendar::weekends().add_business_days(to, 73_001),
        Err(CalendarError::TooFar { days: 73_001 })
    );
    assert!(Calendar::weekends().add_business_days(to, i64::MIN).is_err());
    assert_eq!(Calendar::weekends().add_business_days(date(9999, 12, 31), 1), Err(CalendarError::OutOfRange));
    assert_eq!(Calendar::weekends().business_days(date(9999, 12, 31), date(9999, 12, 31)), Ok(1));
    assert_eq!(Calendar::weekends().business_day_on_or_after(date(-9999, 1, 1)), Ok(date(-9999, 1, 1)));
}

#[test]
fn every_name_of_a_calendar_and_a_day_count_is_read() {
    assert!(Calendar::NAMES.iter().all(|name| Calendar::named(name).is_ok()));
    assert!(DayCount::NAMES.iter().all(|name| DayCount::parse(name).is_ok()));
    assert_eq!(DayCount::parse("30/360").unwrap_err().to_string(), "there is no day count `30/360`");
}

#[test]
fn months_end_where_they_end() {
    assert_eq!(end_of_month(date(2024, 2, 10)), date(2024, 2, 29));
    assert_eq!(add_months(date(2026, 1, 31), 1), Ok(date(2026, 2, 28)));
    assert_eq!(add_months(date(2026, 3, 31), -1), Ok(date(2026, 2, 28)));
    assert_eq!(add_months(date(9999, 12, 31), 1), Err(CalendarError::OutOfRange));
    assert_eq!(add_months(date(2026, 1, 1), i32::MAX), Err(CalendarError::OutOfRange));
    assert_eq!(add_days(date(2026, 1, 31), 30), Ok(date(2026, 3, 2)));
    assert_eq!(add_days(date(2026, 3, 2), -30), Ok(date(2026, 1, 31)));
    assert_eq!(add_days(date(2026, 3, 2), i64::MIN), Err(CalendarError::OutOfRange));
    assert_eq!(days_between(date(2026, 1, 31), date(2026, 3, 2)), 30);
    assert_eq!(days_between(date(2026, 3, 2), date(2026, 1, 31)), -30);
}

#[test]
fn day_counts_follow_their_definitions() {
    // Examples worked by hand from ISDA 2006, section 4.16.
    let (from, to) = (date(2024, 1, 31), date(2024, 3, 31));
    assert_eq!(DayCount::Actual365.days(from, to), Ok(60));
    assert_eq!(DayCount::Actual360.year_fraction(from, to), Ok(exact(60, 360)));
    assert_eq!(DayCount::Thirty360.days(from, to), Ok(60));
    assert_eq!(DayCount::ThirtyE360.days(from, to), Ok(60));
    let (from, to) = (date(2024, 1, 15), date(2024, 3, 31));
    assert_eq!(DayCount::Thirty360.days(from, to), Ok(76), "the last 31 stays unless the first is the 30th");
    assert_eq!(DayCount::ThirtyE360.days(from, to), Ok(75));
    let (from, to) = (date(2024, 1, 30), date(2024, 3, 31));
    assert_eq!(DayCount::Thirty360.days(from, to), Ok(60));
    assert_eq!(DayCount::Thirty360.year_fraction(date(2024, 1, 1), date(2025, 1, 1)), Ok(Exact::ONE));
    assert_eq!(DayCount::Actual365.year_fraction(date(2024, 1, 1), date(2025, 1, 1)), Ok(exact(366, 365)));
    assert_eq!(DayCount::ActualActual.year_fraction(date(2024, 1, 1), date(2025, 1, 1)), Ok(Exact::ONE));
    let halves = exact(184, 366).plus(&exact(181, 365)).unwrap();
    assert_eq!(DayCount::ActualActual.year_fraction(date(2024, 7, 1), date(2025, 7, 1)), Ok(halves.clone()));
    let longer = halves.plus(&Exact::from(2)).unwrap();
    assert_eq!(DayCount::ActualActual.year_fraction(date(2024, 7, 1), date(2027, 7, 1)), Ok(longer));
    assert_eq!(DayCount::ActualActual.year_fraction(date(2025, 3, 1), date(2025, 3, 11)), Ok(exact(10, 365)));
    for name in DayCount::NAMES {
        let count = DayCount::parse(name).unwrap();
        assert_eq!(count.days(date(2026, 1, 1), date(2026, 1, 1)), Ok(0));
        assert!(count.days(date(2026, 1, 2), date(2026, 1, 1)).is_err());
    }
}
