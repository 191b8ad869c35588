//! Days between two dates by a convention of the money market.

use jiff::civil::Date;

use super::error::FormulaError;
use crate::calendar::DayCount;
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::{Figure, Line};

/// Days and the share of a year between two dates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedDays {
    /// The days that the convention counts.
    pub days: i64,
    /// The share of a year, exactly.
    pub year_fraction: Exact,
}

/// Counts the days from one date to another, the last one not included.
///
/// # Errors
///
/// Dates in the wrong order.
pub fn day_count(from: Date, to: Date, convention: DayCount) -> Result<CountedDays, FormulaError> {
    let days = convention.days(from, to)?;
    Ok(CountedDays { days, year_fraction: convention.year_fraction(from, to)? })
}

pub(super) const ENTRY: Function = Function {
    name: "day_count",
    example: Some("How many days between 2026-01-01 and 2026-01-31?"),
    summary: "Days and the share of a year between two dates, by a named convention.",
    words: &[
        "kalendertage",
        "tage vom",
        "tage von",
        "tage bis",
        "days lie",
        "days pass",
        "jours du",
        "días del",
        "tage vergehen",
        "tagen zwischen",
        "days are there",
        "count the days",
        "days elapse",
        "combien de jours",
        "nombre de jours",
        "jours entre",
        "cuántos días",
        "número de días",
        "días entre",
        "días hay",
        "days since",
        "days until",
        "wie viel tage",
        "zinstage",
        "tage liegen",
        "tage sind",
        "days between",
        "number of days",
        "day count",
        "year fraction",
        "days from",
        "how many days",
        "calendar days",
        "tage zwischen",
        "wie viele tage",
        "anzahl tage",
        "anzahl der tage",
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
            "entre le",
            "entre",
            "del",
            "desde",
            "desde el",
            "entre el",
            "ab",
        ]),
        Parameter::required("to", Kind::Date, "the last date, which is not counted").near(&[
            "to", "and", "until", "till", "bis", "bis zum", "und", "und dem", "au", "et", "et le", "al",
            "hasta", "hasta el", "y", "y el",
        ]),
        Parameter::default(
            "convention",
            Kind::Choice(DayCount::NAMES),
            "actual_365",
            "how days and years are counted",
        )
        .called(&[
            ("act/365", "actual_365"),
            ("taggenau", "actual_365"),
            ("taggenaue", "actual_365"),
            ("exact days", "actual_365"),
            ("jours exacts", "actual_365"),
            ("días exactos", "actual_365"),
            ("actual/365", "actual_365"),
            ("act/360", "actual_360"),
            ("actual/360", "actual_360"),
            ("act/act", "actual_actual"),
            ("30/360", "thirty_360"),
            ("30e/360", "thirty_e_360"),
        ]),
    ],
    answer: "days",
    asked: Asked {
        must_name: false,
        results: &[
            AskedResult::new(
                "days",
                "days",
                &[
                    "days",
                    "number of days",
                    "tage",
                    "jours",
                    "días",
                    "nombre de jours",
                    "número de días",
                    "zinstage",
                ],
            ),
            AskedResult::new(
                "year_fraction",
                "",
                &[
                    "year fraction",
                    "share of a year",
                    "fraction of a year",
                    "part of a year",
                    "anteil am jahr",
                ],
            ),
        ],
        also: &[
            "count",
            "method",
            "methode",
            "méthode",
            "método",
            "convention",
            "konvention",
            "taggenau",
            "nach der methode",
            "nach",
            "act/365",
            "act/360",
            "actual/365",
            "actual/360",
            "30/360",
            "30e/360",
            "act/act",
            "calendar",
        ],
        evidence: &[],
        unless: &[
            "through",
            "thru",
            "ouvrés",
            "ouvrables",
            "hábiles",
            "laborables",
            "ambos",
            "inclus",
            "incluidos",
            "incluido",
            "compris",
            "einschließlich",
            "inklusive",
            "mitgezählt",
            "beide",
            "wochen",
            "monate",
            "semaines",
            "mois",
            "semanas",
            "meses",
            "working",
            "business",
            "inclusive",
            "included",
            "including",
            "both",
            "excluding",
            "weekdays",
            "workdays",
            "months",
            "weeks",
            "arbeitstage",
            "werktage",
        ],
    },
    run: |given| {
        let convention = DayCount::parse(given.text("convention")?).map_err(FormulaError::from)?;
        let (from, to) = (given.date("from")?, given.date("to")?);
        let counted = day_count(from, to, convention)?;
        let days = Figure::Days(counted.days);
        let line = Line::new("days", format!("{from} to {to}"), days.clone());
        Ok(Answer::of([("days", days), ("year_fraction", counted.year_fraction.into())])
            .with_lines(vec![line]))
    },
};
