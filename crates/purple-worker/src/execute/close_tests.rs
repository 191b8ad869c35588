use jiff::tz::TimeZone;

use super::*;

fn ends(from: &str, span: &str, settings: &Settings) -> String {
    after(from.parse().unwrap(), Span::parse(span).unwrap(), settings).unwrap().to_string()
}

#[test]
fn business_days_are_those_of_the_calendar_and_of_the_zone() {
    let plain = Settings::careful(Vec::new());
    // A Friday: the weekend does not count.
    assert_eq!(ends("2026-07-03T15:00:00Z", "2 business days", &plain), "2026-07-07T15:00:00Z");
    assert_eq!(ends("2026-07-03T15:00:00Z", "2 days", &plain), "2026-07-05T15:00:00Z");
    assert_eq!(ends("2026-07-03T15:00:00Z", "4 hours", &plain), "2026-07-03T19:00:00Z");
    // Independence Day is a Saturday in 2026, so the Friday before it is the holiday.
    let federal = Settings { calendar: Calendar::named("us_federal").unwrap(), ..plain.clone() };
    assert_eq!(ends("2026-07-02T15:00:00Z", "1 business day", &federal), "2026-07-06T15:00:00Z");
    assert_eq!(ends("2026-07-02T15:00:00Z", "1 business day", &plain), "2026-07-03T15:00:00Z");
    // The end is at the same time of day where the business is, also over a change of the clocks.
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let here = Settings { zone, ..plain };
    assert_eq!(ends("2026-03-27T09:00:00Z", "1 business day", &here), "2026-03-30T08:00:00Z");
}

#[test]
fn a_year_without_a_holiday_table_is_counted_by_weekends() {
    let settings = Settings { calendar: Calendar::named("target").unwrap(), ..Settings::careful(Vec::new()) };
    assert_eq!(ends("2500-01-04T09:00:00Z", "1 business day", &settings), "2500-01-05T09:00:00Z");
}
