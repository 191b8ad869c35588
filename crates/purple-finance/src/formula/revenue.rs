//! How much of a contract's value is earned, and how much is not yet.

use super::error::{FormulaError, above_zero, at_most, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Counted, Function, Kind, Parameter, Per};
use crate::figure::Line;
use crate::money::Money;

/// Revenue of a contract; the two parts sum to its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revenue {
    /// What is earned.
    pub recognized: Money,
    /// What is not yet.
    pub deferred: Money,
}

/// Recognizes a contract's value evenly over its months, for the months that have elapsed.
///
/// A month earns what `prorated_for_period` gives it, so the months never have to be corrected afterwards.
///
/// # Errors
///
/// A negative value, no months, or more elapsed than there are.
pub fn recognize_revenue(value: Money, months: u32, elapsed: u32) -> Result<Revenue, FormulaError> {
    not_below_zero("value", &value)?;
    above_zero("months", &months)?;
    at_most("elapsed", &elapsed, &months)?;
    let (months, elapsed) = (i128::from(months), i128::from(elapsed));
    let (each, rest) = (value.minor() / months, value.minor() % months);
    // The first `rest` months carry one minor unit more. At most the value itself, so nothing overflows.
    let recognized = Money::from_minor(each * elapsed + rest.min(elapsed), value.currency());
    Ok(Revenue { recognized, deferred: value.minus(&recognized)? })
}

pub(super) const ENTRY: Function = Function {
    name: "recognize_revenue",
    example: Some("Recognize revenue on a 12,000 USD contract over 12 months, 5 months elapsed"),
    summary: "The recognized and the deferred revenue of a contract.",
    words: &[
        "umsatzerlös*",
        "erlös*",
        "zu realisieren",
        "umsatz realisieren",
        "revenue recognition",
        "recognised revenue",
        "unearned",
        "deferred revenue",
        "erlösabgrenzung",
        "umsatzabgrenzung",
        "rechnungsabgrenzung",
        "realisierter umsatz",
        "realisierte umsatz",
        "umsatz realisiert",
        "realisiert*",
        "abgegrenzt*",
        "revenu reconnu",
        "revenu différé",
        "produits constatés d'avance",
        "chiffre d'affaires reconnu",
        "reconnu",
        "différé",
        "ingresos diferidos",
        "ingreso diferido",
        "ingresos reconocidos",
        "ingreso reconocido",
        "diferido",
        "diferidos",
        "reconocido",
        "reconocidos",
        "revenue",
        "recognize",
        "recognized",
        "recognise",
        "recognised",
        "deferred",
        "umsatzrealisierung",
    ],
    parameters: &[
        Parameter::required("value", Kind::Money, "the value of the whole contract").per(&[Per::Year]),
        Parameter::required("months", Kind::Whole, "how many months the contract runs")
            .near(&[
                "over",
                "term",
                "runs",
                "of",
                "von",
                "über",
                "for",
                "laufzeit",
                "durée",
                "duración",
                "sur",
                "a",
                "für",
                "lasts",
            ])
            .counts(Counted::Months),
        Parameter::required("elapsed", Kind::Whole, "how many of its months are over")
            .near(&[
                "elapsed",
                "after",
                "passed",
                "nach",
                "delivered",
                "gone",
                "done",
                "geleistet",
                "vergangen",
                "erbracht",
                "abgelaufen",
                "verstrichen",
                "écoulé",
                "écoulés",
                "passés",
                "après",
                "tras",
                "transcurridos",
                "después de",
                "have passed",
                "have elapsed",
                "are over",
            ])
            .counts(Counted::Months),
    ],
    answer: "recognized",
    asked: Asked {
        must_name: false,
        results: &[
            AskedResult::new(
                "recognized",
                "recognized",
                &[
                    "zu realisieren",
                    "umsatz realisieren",
                    "?umsatz",
                    "~umsatz",
                    "~revenue",
                    "realisiert*",
                    "reconnu",
                    "reconnus",
                    "reconocido",
                    "reconocidos",
                    "recognize",
                    "recognized",
                    "recognise",
                    "recognised",
                    "earned",
                ],
            ),
            AskedResult::new(
                "deferred",
                "deferred",
                &[
                    "deferred",
                    "unearned",
                    "not yet recognized",
                    "not yet recognised",
                    "abgegrenzt*",
                    "noch nicht realisiert*",
                    "différé",
                    "différés",
                    "diferido",
                    "diferidos",
                ],
            ),
        ],
        also: &[
            "zu",
            "wie viel",
            "realisieren",
            "contract of",
            "is",
            "worth",
            "vertrag",
            "geleistet",
            "vergangen",
            "delivered",
            "elapsed",
            "term",
            "laufzeit",
            "passed",
            "écoulés",
            "subscription",
            "annual",
            "annual subscription",
            "yearly",
            "umsatz",
            "still",
            "part",
            "tras",
            "transcurridos",
            "years",
            "contract",
            "produits",
            "revenu",
            "ingresos",
            "straight line",
            "straight-line",
            "after",
            "monthly",
            "per month",
        ],
        evidence: &[],
        unless: &["commission", "milestone*"],
    },
    run: |given| {
        let (value, months, elapsed) =
            (given.money("value")?, given.count("months")?, given.count("elapsed")?);
        let Revenue { recognized, deferred } = recognize_revenue(value, months, elapsed)?;
        let lines = vec![
            Line::new("recognized", format!("{elapsed} of {months} months of {value}"), recognized),
            Line::new("deferred", format!("{value} − {recognized}"), deferred),
        ];
        Ok(Answer::of([("recognized", recognized.into()), ("deferred", deferred.into())]).with_lines(lines))
    },
};
