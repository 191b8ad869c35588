//! Business days between two dates, and the date some business days away.

use jiff::civil::Date;

use super::error::FormulaError;
use crate::calendar::Calendar;
use crate::catalogue::{Answer, Asked, AskedResult, CallError, Counted, Function, Kind, Parameter};
use crate::figure::{Figure, Line};
use crate::given::Given;

/// How many business days there are from one date to another, both included.
///
/// # Errors
///
/// Dates in the wrong order, too far apart, or outside the holiday table.
pub fn working_days(from: Date, to: Date, calendar: &Calendar) -> Result<i64, FormulaError> {
    Ok(calendar.business_days(from, to)?)
}

/// The date so many business days after another, or before it if negative; the start does not count.
///
/// # Errors
///
/// Too many days, or a date outside the holiday table.
pub fn add_working_days(from: Date, days: i64, calendar: &Calendar) -> Result<Date, FormulaError> {
    Ok(calendar.add_business_days(from, days)?)
}

const CALENDAR: Parameter = Parameter::default(
    "calendar",
    Kind::Choice(Calendar::NAMES),
    "weekends",
    "whose holidays count: none beyond weekends, the US federal ones, or the euro area's TARGET days",
);
const HOLIDAYS: Parameter =
    Parameter::optional("holidays", Kind::List(&Kind::Date), "more days off").near(&["holiday", "holidays"]);

fn calendar(given: &Given) -> Result<Calendar, CallError> {
    let holidays = given.each("holidays", Figure::as_date)?;
    let named = Calendar::named(given.text("calendar")?).map_err(FormulaError::from)?;
    Ok(named.with_holidays(holidays))
}

pub(super) const COUNT_ENTRY: Function = Function {
    name: "working_days",
    example: Some("How many working days are there from 2026-03-02 to 2026-03-06?"),
    summary: "How many working days there are from one date to another, both included.",
    words: &[
        "anzahl der werktage",
        "anzahl der arbeitstage",
        "anzahl werktage",
        "anzahl arbeitstage",
        "arbeitstagen",
        "werktagen",
        "werktag",
        "arbeitstag",
        "geschäftstage",
        "bankarbeitstage",
        "jours ouvrables",
        "working days",
        "business days",
        "workdays",
        "weekdays",
        "working days between",
        "business days between",
        "arbeitstage",
        "werktage",
        "jours ouvrés",
        "días hábiles",
        "días laborables",
    ],
    parameters: &[
        Parameter::required("from", Kind::Date, "the first date").near(&[
            "from",
            "between",
            "since",
            "vom",
            "von",
            "zwischen",
            "zwischen dem",
            "du",
            "desde",
            "del",
        ]),
        Parameter::required("to", Kind::Date, "the last date").near(&[
            "to", "and", "until", "through", "till", "bis", "bis zum", "und", "und dem", "au", "hasta", "al",
        ]),
        CALENDAR,
        HOLIDAYS,
    ],
    answer: "days",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("days", "working days", &[])],
        also: &[
            "count",
            "anzahl",
            "liegen",
            "number of",
            "entre",
            "entre le",
            "both included",
            "both inclusive",
            "both days included",
            "inclusive",
            "included",
            "including both",
            "beide mitgezählt",
            "beide eingeschlossen",
            "einschließlich",
            "inklusive",
            "no holidays",
            "without holidays",
            "ohne feiertage",
        ],
        evidence: &[],
        unless: &[
            "in germany",
            "in deutschland",
            "in france",
            "in spain",
            "in the us",
            "in the uk",
            "in austria",
            "in österreich",
            "in switzerland",
            "in der schweiz",
            "in bayern",
            "in bavaria",
            "excluding",
            "exclusive",
            "excluded",
            "not included",
            "before",
            "after",
            "holidays in",
            "hours",
        ],
    },
    run: |given| {
        let (from, to) = (given.date("from")?, given.date("to")?);
        let days = Figure::Days(working_days(from, to, &calendar(given)?)?);
        let line = Line::new("working days", format!("{from} to {to}, both included"), days.clone());
        Ok(Answer::of([("days", days)]).with_lines(vec![line]))
    },
};

pub(super) const ADD_ENTRY: Function = Function {
    name: "add_working_days",
    example: Some("Which date is 5 business days after 2026-03-02?"),
    summary: "The date that is some working days after or before another.",
    words: &[
        "días hábiles",
        "días laborables",
        "jours ouvrés",
        "working days after",
        "business days from",
        "due in working days",
        "working days",
        "business days",
        "workdays",
        "arbeitstage*",
        "werktag*",
        "geschäftstage",
        "bankarbeitstage",
        "jours ouvrables",
    ],
    parameters: &[
        Parameter::required("from", Kind::Date, "the date to count from; it does not count itself"),
        Parameter::required("days", Kind::Days, "how many working days; negative goes back")
            .counts(Counted::WorkingDays),
        CALENDAR,
        HOLIDAYS,
    ],
    answer: "date",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new(
            "date",
            "",
            &[
                "which date",
                "what date",
                "date",
                "when",
                "which day",
                "welches datum",
                "welcher tag",
                "wann",
                "quelle date",
                "quel jour",
                "quand",
                "qué fecha",
                "qué día",
                "cuándo",
            ],
        )],
        also: &[
            "vorbei",
            "um",
            "after",
            "from",
            "nach",
            "later",
            "ab",
            "après",
            "après le",
            "después de",
            "después del",
            "jours ouvrés",
            "días hábiles",
            "días laborables",
            "due",
            "no holidays",
            "without holidays",
            "ohne feiertage",
        ],
        evidence: &[
            "after",
            "from",
            "nach",
            "ab",
            "later",
            "following",
            "après",
            "à partir du",
            "después",
            "a partir del",
        ],
        unless: &[
            "in germany",
            "in deutschland",
            "in france",
            "in spain",
            "in the us",
            "in the uk",
            "in austria",
            "in österreich",
            "in switzerland",
            "in der schweiz",
            "in bayern",
            "in bavaria",
            "before",
            "prior",
            "earlier",
            "vor",
            "ago",
            "between",
        ],
    },
    run: |given| {
        let (from, days) = (given.date("from")?, given.whole("days")?);
        let date = Figure::Date(add_working_days(from, days, &calendar(given)?)?);
        let line = Line::new("date", format!("{from} + {days} working days"), date.clone());
        Ok(Answer::of([("date", date)]).with_lines(vec![line]))
    },
};
