//! What a week with overtime is paid.
//!
//! Federal rule: 29 U.S.C. 207(a)(1), one and a half times the rate over 40 hours a week.
//! California rule: Labor Code section 510(a), one and a half times over 8 hours a day, over 40 hours a week and for
//! the first 8 hours of the seventh day of work in a workweek; twice over 12 hours a day and over 8 on that seventh
//! day. An hour that is paid as daily overtime is not counted again toward the 40.

use super::error::{FormulaError, above_zero, at_most, items_at_most, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, CallError, Function, Kind, Parameter, Per};
use crate::exact::{Exact, NumberError};
use crate::figure::{Figure, Line};
use crate::money::Money;
use crate::rounding::Rounding;

/// Whose rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OvertimeRule {
    /// The federal rule of the United States: by the week.
    Federal,
    /// The rule of California: by the day, where the days are known.
    California,
}

/// The hours of one workweek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worked<'a> {
    /// Only their sum is known.
    Week(&'a Exact),
    /// The hours of each day, from the first day of the workweek; a day off is zero.
    Days(&'a [Exact]),
}

/// Which rule decided, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OvertimeBasis {
    /// The weekly rule, because it is the one that was asked for.
    Weekly,
    /// The weekly rule, because the daily rule was asked for and the hours of the days were not given.
    WeeklyWithoutDays,
    /// The daily rule.
    Daily,
}

impl OvertimeBasis {
    /// The sentence that an answer must carry.
    #[must_use]
    pub const fn note(self) -> &'static str {
        match self {
            Self::Weekly => "The weekly rule applies: one and a half times the rate over 40 hours a week.",
            Self::WeeklyWithoutDays => {
                "The daily split was not given, so the weekly rule applies: one and a half times the rate over 40 \
                 hours a week. With the hours of each day the daily rule may give more."
            }
            Self::Daily => {
                "The daily rule applies: one and a half times the rate over 8 hours a day, over 40 hours a week and \
                 on a seventh day of work; twice over 12 hours a day and over 8 on a seventh day."
            }
        }
    }
}

/// The pay of one workweek.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overtime {
    /// Hours at the plain rate.
    pub regular_hours: Exact,
    /// Hours at one and a half times the rate.
    pub overtime_hours: Exact,
    /// Hours at twice the rate.
    pub double_hours: Exact,
    /// The pay of all of them.
    pub total: Money,
    /// The pay of the overtime alone.
    pub overtime_pay: Money,
    /// Which rule decided.
    pub basis: OvertimeBasis,
    /// The pay of each kind of hour.
    pub lines: Vec<Line>,
}

/// Pays one workweek. Each kind of hour is one line, `hours × rate × multiplier`, rounded; the total is their sum.
///
/// # Errors
///
/// A rate of zero or less; negative hours; a day of more than 24 hours; no days or more than seven; a week of more
/// than 168 hours.
pub fn overtime(
    hourly_rate: Money,
    worked: Worked<'_>,
    rule: OvertimeRule,
    rounding: Rounding,
) -> Result<Overtime, FormulaError> {
    above_zero("hourly_rate", &hourly_rate)?;
    check(worked)?;
    let (hours, basis) = match (rule, worked) {
        (OvertimeRule::Federal, Worked::Week(_) | Worked::Days(_)) => {
            (weekly(&sum(worked)?)?, OvertimeBasis::Weekly)
        }
        (OvertimeRule::California, Worked::Week(hours)) => (weekly(hours)?, OvertimeBasis::WeeklyWithoutDays),
        (OvertimeRule::California, Worked::Days(days)) => (daily(days)?, OvertimeBasis::Daily),
    };
    let Hours { regular, half_more, double } = hours;
    let mut lines = Vec::new();
    let mut total = Money::zero(hourly_rate.currency());
    let mut overtime_pay = total;
    let kinds = [
        ("regular", &regular, "1"),
        ("overtime at 1.5 times", &half_more, "1.5"),
        ("overtime at 2 times", &double, "2"),
    ];
    for (label, hours, multiplier) in kinds {
        if hours.is_zero() {
            continue;
        }
        let pay = hourly_rate.times(&hours.times(&Exact::parse(multiplier)?)?, rounding)?;
        total = total.plus(&pay)?;
        if label != "regular" {
            overtime_pay = overtime_pay.plus(&pay)?;
        }
        let times = if multiplier == "1" { String::new() } else { format!(" × {multiplier}") };
        lines.push(Line::new(label, format!("{hours} h × {hourly_rate}{times}"), pay));
    }
    let pays: Vec<_> = lines.iter().map(|line| line.result.to_string()).collect();
    lines.push(Line::new(
        "total",
        if pays.is_empty() { "no hours".to_owned() } else { pays.join(" + ") },
        total,
    ));
    Ok(Overtime {
        regular_hours: regular,
        overtime_hours: half_more,
        double_hours: double,
        total,
        overtime_pay,
        basis,
        lines,
    })
}

struct Hours {
    regular: Exact,
    half_more: Exact,
    double: Exact,
}

fn check(worked: Worked<'_>) -> Result<(), FormulaError> {
    match worked {
        Worked::Week(hours) => {
            not_below_zero("hours", hours)?;
            at_most("hours", hours, &Exact::from(7 * 24))
        }
        Worked::Days([]) => Err(FormulaError::NoItems { parameter: "daily_hours" }),
        Worked::Days(days) => {
            items_at_most("daily_hours", days, 7)?;
            for hours in days {
                not_below_zero("daily_hours", hours)?;
                at_most("daily_hours", hours, &Exact::from(24))?;
            }
            Ok(())
        }
    }
}

fn sum(worked: Worked<'_>) -> Result<Exact, NumberError> {
    match worked {
        Worked::Week(hours) => Ok(hours.clone()),
        Worked::Days(days) => days.iter().try_fold(Exact::ZERO, |sum, hours| sum.plus(hours)),
    }
}

fn weekly(hours: &Exact) -> Result<Hours, NumberError> {
    let (regular, half_more) = cut(hours, 40)?;
    Ok(Hours { regular, half_more, double: Exact::ZERO })
}

fn daily(days: &[Exact]) -> Result<Hours, NumberError> {
    let (mut regular, mut half_more, mut double) = (Exact::ZERO, Exact::ZERO, Exact::ZERO);
    let seven_days_worked = days.len() == 7 && days.iter().all(Exact::is_positive);
    for (index, hours) in days.iter().enumerate() {
        if index == 6 && seven_days_worked {
            let (first_eight, beyond) = cut(hours, 8)?;
            half_more = half_more.plus(&first_eight)?;
            double = double.plus(&beyond)?;
        } else {
            let (up_to_twelve, beyond) = cut(hours, 12)?;
            let (first_eight, next_four) = cut(&up_to_twelve, 8)?;
            regular = regular.plus(&first_eight)?;
            half_more = half_more.plus(&next_four)?;
            double = double.plus(&beyond)?;
        }
    }
    // Only hours not already paid as daily overtime count toward the 40.
    let (regular, over_forty) = cut(&regular, 40)?;
    Ok(Hours { regular, half_more: half_more.plus(&over_forty)?, double })
}

/// The hours up to a limit, and those beyond it.
fn cut(hours: &Exact, limit: i32) -> Result<(Exact, Exact), NumberError> {
    let limit = Exact::from(limit);
    if hours <= &limit {
        return Ok((hours.clone(), Exact::ZERO));
    }
    let beyond = hours.minus(&limit)?;
    Ok((limit, beyond))
}

pub(super) const ENTRY: Function = Function {
    name: "overtime",
    example: Some("What overtime is due for 45 hours at 20 USD an hour under federal rules?"),
    summary: "The pay of a workweek with overtime, by the federal or the California rule.",
    words: &[
        "überstundenvergütung",
        "überstundenzuschlag",
        "überstundenlohn",
        "vergütung der überstunden",
        "mehrarbeitszuschlag",
        "hours over 40",
        "overtime rule",
        "overtime pay",
        "heures supplémentaires",
        "horas extra",
        "horas extras",
        "überstundenregel",
        "overtime",
        "flsa",
        "time and a half",
        "überstunden",
        "mehrarbeit",
    ],
    parameters: &[
        Parameter::required("hourly_rate", Kind::Money, "the base rate of an hour")
            .must_be(
                Per::Hour,
                &[
                    "base rate",
                    "rate",
                    "hourly",
                    "stundenlohn",
                    "stundensatz",
                    "taux horaire",
                    "tarifa por hora",
                    "hourly wage",
                ],
            )
            .per(&[Per::Hour]),
        Parameter::optional("hours", Kind::Hours, "the hours of the week, if the days are not known"),
        Parameter::optional(
            "daily_hours",
            Kind::List(&Kind::Hours),
            "the hours of each day of the workweek, from its first day",
        )
        .near(&["daily hours", "each day", "day by day", "each", "per day"]),
        Parameter::default("rule", Kind::Choice(&["federal", "california"]), "federal", "whose rule applies")
            .called(&[
                ("ca", "california"),
                ("californian", "california"),
                ("flsa", "federal"),
                ("us federal", "federal"),
                ("us-bundesrecht", "federal"),
                ("amerikanischem bundesrecht", "federal"),
                ("us-bundesregel", "federal"),
                ("bundesregel", "federal"),
                ("règle fédérale", "federal"),
                ("regla federal", "federal"),
                ("californie", "california"),
                ("kalifornien", "california"),
                ("bundesrecht", "federal"),
            ])
            .assumed("by the federal rule of the United States", &[]),
        Parameter::ROUNDING,
    ],
    answer: "total",
    asked: Asked {
        must_name: false,
        results: &[
            AskedResult::new(
                "overtime_pay",
                "",
                &[
                    "?overtime",
                    "~overtime",
                    "overtime pay",
                    "overtime due",
                    "overtime owed",
                    "?überstunden",
                    "~überstunden",
                    "?mehrarbeit",
                    "~mehrarbeit",
                    "überstundenvergütung",
                    "überstundenlohn",
                    "vergütung der überstunden",
                    "?heures supplémentaires",
                    "~heures supplémentaires",
                    "?horas extra",
                    "~horas extra",
                    "?horas extras",
                    "~horas extras",
                ],
            ),
            AskedResult::new(
                "total",
                "",
                &[
                    "?cost",
                    "?costs",
                    "cost",
                    "costs",
                    "kosten",
                    "kostet",
                    "gesamtlohn",
                    "gesamtvergütung",
                    "insgesamt",
                    "in total",
                    "altogether",
                    "total pay including overtime",
                    "pay including overtime",
                    "pay with overtime",
                    "salaire",
                    "salario",
                    "salaire total",
                    "salario total",
                    "gross",
                    "?gross",
                    "gross wage",
                    "gross wages",
                    "bruttolohn",
                    "brutto",
                    "lohn",
                    "verdienst",
                    "salaire brut",
                    "salario bruto",
                    "earn",
                    "earns",
                    "total pay",
                    "pay",
                    "gross pay",
                    "total",
                    "wage",
                    "wages",
                ],
            ),
            AskedResult::new(
                "overtime_hours",
                "",
                &["how many overtime hours", "number of overtime hours", "how many hours of overtime"],
            ),
        ],
        also: &[
            "due",
            "owed",
            "usa",
            "us",
            "nach",
            "selon",
            "según",
            "valent",
            "son",
            "stundensatz",
            "wochenstunden",
            "one week",
            "1 week",
            "in one week",
            "one workweek",
            "last week",
            "a week",
            "incl. regular hours",
            "including regular hours",
            "regular hours",
            "included",
            "earns",
            "earn",
            "in the week",
            "in a week",
            "semaine",
            "semana",
            "woche",
            "in einer woche",
            "einer woche",
            "règle",
            "regla",
            "regel",
            "work week",
            "rate",
            "stundenlohn",
            "under",
            "hourly rate",
            "supplémentaires",
            "extra",
            "extras",
            "did",
            "gross",
            "this week",
            "week",
            "per",
            "each",
            "daily",
            "each day",
            "per day",
            "rules",
            "rule",
            "workweek",
            "hours",
            "state",
            "law",
            "worked",
            "works",
            "working",
            "gearbeitet",
        ],
        evidence: &[],
        unless: &[
            "net pay",
            "weekend",
            "holiday",
            "overtime pay only",
            "overtime premium",
            "biweekly",
            "two weeks",
            "month",
            "without overtime",
            "double time",
            "double-time",
        ],
    },
    run: |given| {
        let days = given.each("daily_hours", |figure| figure.as_hours().cloned())?;
        let worked = match (given.has("hours"), given.has("daily_hours")) {
            (false, false) => return Err(CallError::Missing { parameter: "hours".to_owned() }),
            (true, false) => Worked::Week(given.hours("hours")?),
            (false, true) => Worked::Days(&days),
            (true, true) => {
                if &sum(Worked::Days(&days)).map_err(FormulaError::from)? != given.hours("hours")? {
                    let why = "the days do not sum to the hours of the week";
                    return Err(
                        FormulaError::Contradiction { left: "hours", right: "daily_hours", why }.into()
                    );
                }
                Worked::Days(&days)
            }
        };
        let rule = if given.text("rule")? == "california" {
            OvertimeRule::California
        } else {
            OvertimeRule::Federal
        };
        let found = overtime(given.money("hourly_rate")?, worked, rule, given.rounding()?)?;
        let values = [
            ("regular_hours", Figure::Hours(found.regular_hours)),
            ("overtime_hours", Figure::Hours(found.overtime_hours)),
            ("double_hours", Figure::Hours(found.double_hours)),
            ("overtime_pay", found.overtime_pay.into()),
            ("total", found.total.into()),
        ];
        Ok(Answer::of(values).with_lines(found.lines).with_note(found.basis.note()))
    },
};
