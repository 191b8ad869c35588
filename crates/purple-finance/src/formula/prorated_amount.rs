//! What is left of a contract that ends early.

use super::error::{FormulaError, above_zero, at_most};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter, Per};
use crate::exact::Exact;
use crate::figure::Line;
use crate::money::Money;
use crate::rounding::Rounding;

/// The value of the days not used: `total × (total_days − days_used) / total_days`.
///
/// # Errors
///
/// No days at all, or more days used than there are.
pub fn prorated_amount(
    total: Money,
    days_used: u32,
    total_days: u32,
    rounding: Rounding,
) -> Result<Money, FormulaError> {
    above_zero("total_days", &total_days)?;
    at_most("days_used", &days_used, &total_days)?;
    let left = Exact::ratio((total_days - days_used).into(), total_days.into())?;
    Ok(total.times(&left, rounding)?)
}

pub(super) const ENTRY: Function = Function {
    name: "prorated_amount",
    example: Some("What is the remaining value of a 3,650 USD contract after 100 of 365 days?"),
    summary: "The value of some days of a contract, and of the days that remain.",
    words: &[
        "was used",
        "were used",
        "used",
        "remaining value",
        "unused value",
        "reste",
        "restante",
        "queda",
        "quedan",
        "genutzt",
        "utilisé",
        "usado",
        "usados",
        "verbleibend*",
        "unverbraucht*",
        "prorate",
        "prorated",
        "proration",
        "pro-rate",
        "pro rata",
        "is used",
        "au prorata",
        "prorratea*",
        "remaining",
        "unused",
        "left",
        "übrig",
        "restwert",
        "anteilig*",
        "anteilmäßig*",
        "bleibt",
        "remains",
    ],
    parameters: &[
        Parameter::required("total", Kind::Money, "the value of the whole contract")
            .per(&[Per::Year, Per::Month]),
        Parameter::required("days_used", Kind::Days, "the days already used").near(&[
            "was used for",
            "was used",
            "utilisé",
            "utilisés",
            "usado",
            "usados",
            "se han usado",
            "après",
            "tras",
            "después de",
            "wurde",
            "of use",
            "used",
            "elapsed",
            "gone",
            "for",
            "für",
            "after",
            "nach",
            "verbraucht",
            "genutzt",
            "vergangen",
            "passed",
        ]),
        Parameter::required("total_days", Kind::Days, "the days of the whole contract").near(&[
            "of", "total", "whole", "term", "von", "contract", "laufzeit", "läuft", "runs", "sur", "dura",
            "de", "lasts", "licence", "license",
        ]),
        Parameter::ROUNDING,
    ],
    answer: "remaining",
    asked: Asked {
        must_name: true,
        results: &[
            AskedResult::new(
                "remaining",
                "",
                &[
                    "remaining value",
                    "unused value",
                    "restwert",
                    "restlicher wert",
                    "valeur restante",
                    "valor restante",
                    "valor queda",
                    "restante",
                    "quedan",
                    "nicht verbraucht",
                    "unverbraucht*",
                    "verbleibend*",
                    "not used",
                    "remaining",
                    "unused",
                    "left",
                    "übrig",
                    "remains",
                    "bleibt",
                    "refund",
                    "reste",
                    "queda",
                ],
            ),
            AskedResult::new(
                "used",
                "",
                &[
                    "?used",
                    "contract is used",
                    "is used up",
                    "~prorate",
                    "~prorated",
                    "~pro-rate",
                    "~pro rata",
                    "~anteilig*",
                    "~anteilmäßig*",
                    "~au prorata",
                    "~prorratea*",
                ],
            ),
            // "Prorate it, 10 of 30 days used": of the used days or of the others? That is asked.
            AskedResult::new(
                "days_used",
                "",
                &["~used", "~elapsed", "~gone", "~passed", "~verbraucht", "~genutzt", "~vergangen", "~after"],
            ),
        ],
        also: &[
            "davon",
            "davon genutzt",
            "left of",
            "out of",
            "tagen",
            "tage",
            "bleibt von",
            "vertrags",
            "unused value",
            "restwert eines vertrags",
            "übrig",
            "läuft",
            "was used",
            "used for",
            "wurde",
            "genutzt",
            "utilisé",
            "a été utilisé",
            "usado",
            "usados",
            "se han usado",
            "dura",
            "worth",
            "licence",
            "of use",
            "use",
            "restwert",
            "reste",
            "valeur",
            "valor",
            "runs",
            "yearly contract",
            "annual contract",
            "yearly",
            "annual",
            "jahresvertrag",
            "contract",
            "vertrag",
            "ends",
            "ended",
            "ends it",
            "ended it",
            "after",
            "nach",
            "prorate",
            "value",
            "cancels",
            "terminated",
            "terminates",
            "leaves",
            "refund",
            "credit",
            "fee",
            "monthly",
            "used",
        ],
        evidence: &[],
        unless: &["termination fee", "cancellation fee", "salvage", "per day", "a day", "daily", "residual"],
    },
    run: |given| {
        let (total, used, days) =
            (given.money("total")?, given.count("days_used")?, given.count("total_days")?);
        let remaining = prorated_amount(total, used, days, given.rounding()?)?;
        let elapsed = total.minus(&remaining).map_err(FormulaError::from)?;
        let lines = vec![
            Line::new("remaining value", format!("{total} × ({days} − {used}) / {days}"), remaining),
            Line::new(format!("value of {used} days"), format!("{total} − {remaining}"), elapsed),
        ];
        Ok(Answer::of([("remaining", remaining.into()), ("used", elapsed.into())]).with_lines(lines))
    },
};
