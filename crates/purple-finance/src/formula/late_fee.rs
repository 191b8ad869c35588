//! Interest on an invoice that is paid late.

use super::error::{FormulaError, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter, Per};
use crate::exact::Exact;
use crate::figure::{Figure, Line};
use crate::money::Money;
use crate::rate::Rate;
use crate::rounding::Rounding;

/// How late a payment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lateness {
    /// Days after the due date.
    pub days_late: u32,
    /// The first days that cost nothing.
    pub grace_days: u32,
    /// The days of a year that the rate is spread over: 360, 365 or 366.
    pub year_days: u32,
}

/// A late fee and the days it was charged for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateFee {
    /// The days beyond the grace period.
    pub charged_days: u32,
    /// The fee.
    pub fee: Money,
    /// What is owed with it.
    pub total_due: Money,
}

/// Simple interest: `amount × annual_rate × (days_late − grace_days) / year_days`, rounded. Within the grace period
/// nothing is charged, and only days beyond it count.
///
/// # Errors
///
/// A negative amount or rate, or a year of other than 360, 365 or 366 days.
pub fn late_fee(
    amount: Money,
    annual_rate: &Rate,
    lateness: Lateness,
    rounding: Rounding,
) -> Result<LateFee, FormulaError> {
    let Lateness { days_late, grace_days, year_days } = lateness;
    not_below_zero("amount", &amount)?;
    not_below_zero("annual_rate", annual_rate)?;
    if ![360, 365, 366].contains(&year_days) {
        let (given, known) = (year_days.to_string(), "360, 365, 366".to_owned());
        return Err(FormulaError::NotKnown { parameter: "year_days", given, known });
    }
    let charged_days = days_late.saturating_sub(grace_days);
    let share = Exact::ratio(charged_days.into(), year_days.into())?;
    let fee = amount.times(&annual_rate.as_fraction().times(&share)?, rounding)?;
    Ok(LateFee { charged_days, fee, total_due: amount.plus(&fee)? })
}

pub(super) const ENTRY: Function = Function {
    name: "late_fee",
    example: Some("Calculate the late fee on 10,000 USD at 7.3% a year, 50 days late"),
    summary: "Simple interest on an amount that is paid late.",
    words: &[
        "verspätungszinsen",
        "zahlungsverzug",
        "mahnzinsen",
        "säumniszins*",
        "verzugszinssatz",
        "penalty interest",
        "interest on late payment",
        "interest on overdue",
        "late payment charge",
        "intérêt de retard",
        "interés de demora",
        "mora",
        "interest for late payment",
        "late-payment charge",
        "interest is due",
        "interest due",
        "intereses moratorios",
        "intérêts moratoires",
        "pénalités de retard",
        "verzug",
        "past due",
        "paid late",
        "days late",
        "interest for paying late",
        "late fee",
        "late payment",
        "late interest",
        "overdue interest",
        "default interest",
        "late charge",
        "late-payment interest",
        "interest on arrears",
        "verzugszins*",
        "intérêts de retard",
        "intereses de demora",
        "simple interest",
    ],
    parameters: &[
        Parameter::required("amount", Kind::Money, "the amount that is overdue"),
        Parameter::required("annual_rate", Kind::Percent, "the interest of a year")
            .per(&[Per::Year])
            .must_be(
                Per::Year,
                &[
                    "late interest",
                    "overdue interest",
                    "default interest",
                    "late-payment interest",
                    "late payment interest",
                    "interest on arrears",
                    "simple interest",
                    "verzugszins*",
                    "intérêts de retard",
                    "intérêts moratoires",
                    "intereses de demora",
                    "intereses moratorios",
                ],
            ),
        Parameter::required("days_late", Kind::Days, "the days since it was due").near(&[
            "verzug",
            "tage verzug",
            "in verzug",
            "jours de retard",
            "días de retraso",
            "retraso",
            "days past due",
            "late",
            "overdue",
            "past due",
            "for",
            "after",
            "für",
            "verspätet",
            "verspätung",
            "zu spät",
            "pendant",
            "durante",
            "de retard",
        ]),
        Parameter::default("grace_days", Kind::Days, "0", "the first days, which cost nothing")
            .near(&["grace", "grace period"])
            .named(),
        Parameter::default("year_days", Kind::Days, "365", "the days of a year: 360, 365 or 366")
            .near(&["year", "basis", "jahr"])
            .called(&[("act/365", "365"), ("actual/365", "365"), ("act/360", "360"), ("actual/360", "360")])
            .only(&[360, 365, 366])
            .assumed("with a year of 365 days", &["365"]),
        Parameter::ROUNDING,
    ],
    answer: "fee",
    asked: Asked {
        must_name: false,
        results: &[
            AskedResult::new(
                "fee",
                "",
                &[
                    "?säumniszinsen",
                    "?verspätungszinsen",
                    "?late payment charge",
                    "?charge",
                    "?mahnzinsen",
                    "~verzugszins*",
                    "~zahlungsverzug",
                    "~interest on arrears",
                    "?verzugszins",
                    "?zinsen",
                    "?intérêts",
                    "?intereses",
                    "?late charge",
                    "?interest for late payment",
                    "?late fee",
                    "?late interest",
                    "?interest",
                    "?fee",
                    "?overdue interest",
                    "?verzugszinsen",
                ],
            ),
            AskedResult::new(
                "total_due",
                "",
                &[
                    "au total",
                    "en total",
                    "total due",
                    "in total",
                    "owed in total",
                    "total owed",
                    "altogether",
                    "including the fee",
                    "including interest",
                    "insgesamt",
                ],
            ),
        ],
        also: &[
            "zahlungsverzug",
            "tagen",
            "jahreszins",
            "zinssatz",
            "charge",
            "per annum",
            "annum",
            "pro jahr",
            "im jahr",
            "zinsen",
            "interest",
            "pénalités",
            "days",
            "verzug",
            "annually",
            "actual",
            "paid",
            "past due",
            "due",
            "retard",
            "retraso",
            "annuel",
            "anual",
            "act/365",
            "act/360",
            "actual/365",
            "actual/360",
            "days late",
            "taux",
            "simple",
            "late",
            "year",
            "annual",
            "yearly",
            "basis",
            "grace",
            "grace period",
        ],
        evidence: &[],
        unless: &["compound*", "flat", "zinseszins*", "base rate", "basiszins*"],
    },
    run: |given| {
        let (amount, rate) = (given.money("amount")?, given.rate("annual_rate")?);
        let lateness = Lateness {
            days_late: given.count("days_late")?,
            grace_days: given.count("grace_days")?,
            year_days: given.count("year_days")?,
        };
        let LateFee { charged_days, fee, total_due } = late_fee(amount, rate, lateness, given.rounding()?)?;
        let lines = vec![
            Line::new(
                "late fee",
                format!("{amount} × {rate} × {charged_days} / {}", lateness.year_days),
                fee,
            ),
            Line::new("total due", format!("{amount} + {fee}"), total_due),
        ];
        let days = Figure::Days(charged_days.into());
        let values = [("charged_days", days), ("fee", fee.into()), ("total_due", total_due.into())];
        Ok(Answer::of(values).with_lines(lines))
    },
};
