//! How many days it takes until customers pay.

use super::error::{FormulaError, above_zero, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter, Per};
use crate::exact::Exact;
use crate::figure::Line;
use crate::money::Money;
use crate::rounding::Rounding;

/// The decimals of the days.
pub const DSO_PLACES: u8 = 2;

/// Days sales outstanding: `receivables / credit_sales × days`, to two decimals.
///
/// # Errors
///
/// No sales, no days, negative receivables, two currencies.
pub fn dso(
    receivables: Money,
    credit_sales: Money,
    days: u32,
    rounding: Rounding,
) -> Result<Exact, FormulaError> {
    not_below_zero("receivables", &receivables)?;
    above_zero("credit_sales", &credit_sales)?;
    above_zero("days", &days)?;
    receivables.compare(&credit_sales)?;
    let share = receivables.amount().over(&credit_sales.amount())?;
    Ok(share.times(&Exact::from(days))?.rounded(DSO_PLACES, rounding))
}

pub(super) const ENTRY: Function = Function {
    name: "dso",
    example: Some("Compute the DSO with receivables of 50,000 USD and credit sales of 365,000 USD"),
    summary: "Days sales outstanding: how many days of sales are still unpaid.",
    words: &[
        "days of sales",
        "außenstandstage",
        "durchschnittliche forderungslaufzeit",
        "debitorenumschlag",
        "days of sales outstanding",
        "außenstandsdauer",
        "délai moyen de recouvrement",
        "délai de recouvrement",
        "período medio de cobro",
        "periodo medio de cobro",
        "días de ventas pendientes",
        "délai moyen de paiement",
        "dso",
        "days sales outstanding",
        "collection period",
        "forderungslaufzeit",
        "debitorenlaufzeit",
    ],
    parameters: &[
        Parameter::required("receivables", Kind::Money, "what customers owe at the end of the period").near(
            &[
                "customers owe",
                "außenstände",
                "offene forderungen von",
                "forderungen von",
                "open receivables",
                "outstanding",
                "offene forderungen",
                "créances",
                "créances clients",
                "cuentas por cobrar",
                "owe",
                "owes",
                "receivables",
                "owed",
                "forderungen",
                "ar balance",
            ],
        ),
        Parameter::required("credit_sales", Kind::Money, "what was sold on credit in the period")
            .near(&[
                "umsatz auf ziel",
                "zielumsatz",
                "kreditumsatz",
                "umsatz auf ziel von",
                "jahresumsatz von",
                "sales are",
                "credit sales",
                "chiffre d'affaires",
                "ventes",
                "ventas",
                "facturación",
                "ingresos",
                "erlöse",
                "sales",
                "revenue",
                "sold",
                "umsatz",
                "umsätze",
                "turnover",
                "annual sales",
                "annual credit sales",
                "yearly sales",
                "jahresumsatz",
                "umsatzerlöse",
            ])
            .per(&[Per::Year]),
        Parameter::default("days", Kind::Days, "365", "the days of the period").assumed(
            "if the sales are those of a year of 365 days",
            &[
                "annual",
                "yearly",
                "jahresumsatz",
                "a year",
                "365*",
                "year",
                "annuel*",
                "anual*",
                "im jahr",
                "jährlich*",
            ],
        ),
        Parameter::ROUNDING,
    ],
    answer: "dso",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("dso", "days", &[])],
        also: &[
            "auf ziel",
            "ziel",
            "sales",
            "days",
            "annual",
            "yearly",
            "jahres*",
            "if",
            "customers",
            "period",
            "periode",
            "zeitraum",
            "période",
            "período",
            "periodo",
            "open",
            "outstanding",
            "year end",
            "year-end",
            "at the end",
            "last year",
            "average collection period",
            "net",
        ],
        evidence: &[],
        unless: &["month", "months", "monat", "quarter", "quartal", "half-year", "week", "countback"],
    },
    run: |given| {
        let (owed, sold, days) =
            (given.money("receivables")?, given.money("credit_sales")?, given.count("days")?);
        let outstanding = dso(owed, sold, days, given.rounding()?)?;
        let line = Line::new("days outstanding", format!("{owed} / {sold} × {days}"), outstanding.clone());
        Ok(Answer::of([("dso", outstanding.into())]).with_lines(vec![line]))
    },
};
