//! Whether an invoice differs from its purchase order by more than is tolerated.

use super::error::{FormulaError, above_zero, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::Line;
use crate::money::Money;
use crate::rate::Rate;
use crate::rounding::Rounding;

/// The decimals that a variance percentage is shown with.
pub const VARIANCE_PLACES: u8 = 6;

/// How an invoice differs from its purchase order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variance {
    /// Invoice less order; negative if less was invoiced.
    pub variance: Money,
    /// The variance in percent of the order, to six decimals, for people to read.
    pub percent: Rate,
    /// The variance in percent of the order, exactly.
    pub exact_percent: Rate,
    /// Whether the exact variance, of either sign, is strictly more than the threshold.
    pub exceeds: bool,
    /// The computation.
    pub lines: Vec<Line>,
}

/// Compares an invoice with its purchase order.
///
/// Whether the threshold is exceeded is decided on the exact ratio, never on the rounded percentage, and on its
/// magnitude: too little is out of tolerance as well as too much. Exactly the threshold does not exceed it.
///
/// # Errors
///
/// An order of zero or less, a negative invoice or threshold, two currencies.
pub fn apply_variance_check(
    invoiced: Money,
    po: Money,
    threshold_pct: &Rate,
    rounding: Rounding,
) -> Result<Variance, FormulaError> {
    above_zero("po", &po)?;
    not_below_zero("invoiced", &invoiced)?;
    not_below_zero("threshold_pct", threshold_pct)?;
    let variance = invoiced.minus(&po)?;
    let ratio = variance.amount().over(&po.amount())?;
    let exact_percent = Rate::percent(&ratio.times(&Exact::from(100))?)?;
    let percent = Rate::percent(&exact_percent.as_percent().rounded(VARIANCE_PLACES, rounding))?;
    let exceeds = &ratio.magnitude() > threshold_pct.as_fraction();
    let lines = vec![
        Line::new("variance", format!("{invoiced} − {po}"), variance),
        Line::new("variance percent", format!("{variance} / {po}"), percent.clone()),
        Line::new("exceeds", format!("|{exact_percent}| > {threshold_pct}"), exceeds),
    ];
    Ok(Variance { variance, percent, exact_percent, exceeds, lines })
}

pub(super) const ENTRY: Function = Function {
    name: "apply_variance_check",
    example: Some(
        "What is the variance of an invoice of 52,340 USD against a PO of 51,200 USD with a tolerance of 2%?",
    ),
    summary: "The variance between an invoice and its purchase order, and whether it exceeds a threshold.",
    words: &[
        "übersteigt",
        "überschreitet",
        "bestellwert",
        "rechnungsbetrag",
        "deviation",
        "deviate",
        "deviates",
        "bestellung",
        "rechnung",
        "écart",
        "desviación",
        "facture",
        "factura",
        "bon de commande",
        "pedido",
        "variance",
        "invoice",
        "purchase order",
        "tolerance",
        "exceed",
        "exceeds",
        "po",
        "budget",
        "abweichung",
    ],
    parameters: &[
        Parameter::required("invoiced", Kind::Money, "the amount of the invoice").near(&[
            "rechnung über",
            "rechnung von",
            "rechnung in höhe von",
            "invoice of",
            "invoice for",
            "invoice over",
            "invoice is",
            "rechnungsbetrag von",
            "facture de",
            "factura de",
            "rechnung",
            "rechnungsbetrag",
            "facture",
            "facturé",
            "factura",
            "facturado",
            "invoice",
            "invoiced",
            "billed",
            "actual",
        ]),
        Parameter::required("po", Kind::Money, "the amount of the purchase order").near(&[
            "bestellung über",
            "bestellung von",
            "bestellung in höhe von",
            "po of",
            "purchase order of",
            "order of",
            "order for",
            "po is",
            "po was",
            "bestellwert von",
            "commande de",
            "pedido de",
            "order",
            "bestellung",
            "bestellwert",
            "bestellt",
            "commande",
            "commandé",
            "bon de commande",
            "pedido",
            "orden de compra",
            "po",
            "purchase order",
            "ordered",
            "budget",
            "budgeted",
        ]),
        Parameter::optional("threshold_pct", Kind::Percent, "the variance that is still tolerated"),
        Parameter::ROUNDING,
    ],
    answer: "variance",
    asked: Asked {
        must_name: false,
        results: &[
            AskedResult::new(
                "variance_percent",
                "",
                &[
                    "percentage",
                    "percent",
                    "percentual",
                    "prozent",
                    "prozentual*",
                    "pourcentage",
                    "pour cent",
                    "porcentaje",
                    "por ciento",
                ],
            ),
            AskedResult::new(
                "variance",
                "",
                &[
                    "~deviation",
                    "~écart",
                    "~desviación",
                    "~variance",
                    "~abweichung",
                    "how far",
                    "um wieviel",
                    "um wie viel euro",
                    "de combien",
                    "en cuánto",
                    "by how much",
                    "difference",
                    "variance amount",
                    "how much more",
                    "how much over",
                    "differenz",
                    "in dollars",
                    "in euros",
                    "um wie viel",
                    "~how much",
                    "~wie viel",
                ],
            ),
        ],
        also: &[
            "versus",
            "vs",
            "compared",
            "gegenüber",
            "zur",
            "über",
            "liegt",
            "übersteigt",
            "überschreitet",
            "unter",
            "below",
            "under",
            "less",
            "höher",
            "von",
            "toleranz",
            "bei",
            "entre",
            "frente",
            "tolérance",
            "tolerancia",
            "its",
            "their",
            "dépasse",
            "supera",
            "exceeding",
            "higher",
            "than",
            "order",
            "bestellung",
            "rechnung",
            "facture",
            "commande",
            "factura",
            "pedido",
            "purchase",
            "deviation",
            "against",
            "exceed",
            "exceeds",
            "with a tolerance of",
            "tolerance",
            "over",
            "above",
            "more",
            "plus",
        ],
        evidence: &[],
        unless: &["allowed", "maximum"],
    },
    run: |given| {
        let none = Rate::percent(&Exact::ZERO).map_err(FormulaError::from)?;
        let threshold = if given.has("threshold_pct") { given.rate("threshold_pct")? } else { &none };
        let mut found =
            apply_variance_check(given.money("invoiced")?, given.money("po")?, threshold, given.rounding()?)?;
        let values = [
            ("variance", found.variance.into()),
            ("variance_percent", found.percent.into()),
            ("exact_percent", found.exact_percent.into()),
            ("exceeds", found.exceeds.into()),
        ];
        let mut answer = Answer::of(values);
        if !given.has("threshold_pct") {
            // Without a threshold nothing exceeds it.
            answer.values.remove("exceeds");
            found.lines.retain(|line| line.label != "exceeds");
        }
        Ok(answer.with_lines(found.lines))
    },
};
