//! What is refunded when a contract is left early for a fee.

use super::error::{FormulaError, a_share, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::figure::Line;
use crate::money::Money;
use crate::rate::Rate;
use crate::rounding::Rounding;

/// A refund and the fee kept from it; together they are the remaining value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlyTermination {
    /// The fee.
    pub fee: Money,
    /// What is paid back.
    pub net_refund: Money,
}

/// Keeps `fee_pct` of the remaining value and refunds the rest. The fee is rounded; the refund is what is left.
///
/// # Errors
///
/// A negative remaining value, or a fee outside 0 % to 100 %.
pub fn apply_early_termination_fee(
    remaining: Money,
    fee_pct: &Rate,
    rounding: Rounding,
) -> Result<EarlyTermination, FormulaError> {
    not_below_zero("remaining", &remaining)?;
    a_share("fee_pct", fee_pct)?;
    let fee = fee_pct.of(&remaining, rounding)?;
    Ok(EarlyTermination { fee, net_refund: remaining.minus(&fee)? })
}

pub(super) const ENTRY: Function = Function {
    name: "apply_early_termination_fee",
    example: Some("Compute the early termination fee of 10% on a remaining 5,000 USD"),
    summary: "The refund that is left after an early termination fee.",
    words: &[
        "kündigungsgebühren",
        "vorzeitige kündigung",
        "stornierungsgebühr",
        "stornierungsgebühren",
        "auflösungsgebühr",
        "kündigungspauschale",
        "cancellation charge",
        "stornokosten",
        "frais de résiliation",
        "indemnité de résiliation",
        "penalización por cancelación",
        "comisión de cancelación",
        "refunded",
        "early termination",
        "termination fee",
        "cancellation fee",
        "refund",
        "vorfälligkeitsgebühr",
        "kündigungsgebühr",
        "stornogebühr",
    ],
    parameters: &[
        Parameter::required("remaining", Kind::Money, "the remaining value of the contract")
            .labels(&[], &["net refund", "net", "fee", "termination fee"]),
        Parameter::required("fee_pct", Kind::Percent, "the fee as a share of the remaining value"),
        Parameter::ROUNDING,
    ],
    answer: "fee",
    asked: Asked {
        must_name: false,
        results: &[
            AskedResult::new(
                "net_refund",
                "",
                &[
                    "refunded",
                    "?refunded",
                    "is refunded",
                    "remboursé",
                    "?remboursement",
                    "?reembolso",
                    "devuelto",
                    "se devuelve",
                    "erstattet",
                    "?refund",
                    "?net refund",
                    "?left",
                    "?remains",
                    "?paid back",
                    "?get back",
                    "?erstattung",
                    "?bleibt",
                    "?erstattet",
                ],
            ),
            AskedResult::new(
                "fee",
                "",
                &[
                    "~kündigungsgebühr",
                    "~kündigungsgebühren",
                    "?stornierungsgebühr",
                    "~stornogebühr",
                    "~early termination fee",
                    "~termination fee",
                    "~cancellation fee",
                    "?vorzeitige kündigungsgebühr",
                    "?frais",
                    "?frais de résiliation",
                    "?penalización",
                    "?comisión",
                    "?fee",
                    "?early termination fee",
                    "?termination fee",
                    "?cancellation fee",
                    "?stornogebühren",
                    "?kündigungsgebühr",
                    "?stornogebühr",
                ],
            ),
        ],
        also: &[
            "vorzeitig*",
            "kündigung",
            "verbleibend*",
            "restlich*",
            "rest",
            "gebühr",
            "auf",
            "restante",
            "restantes",
            "valeur",
            "einen",
            "nach",
            "vertrag",
            "remaining value",
            "restwert",
            "valeur restante",
            "valor restante",
            "cancellation",
            "remaining",
            "after",
            "early",
            "termination",
            "contract",
            "left",
            "remains",
            "bleibt",
        ],
        evidence: &[],
        unless: &[],
    },
    run: |given| {
        let (remaining, pct) = (given.money("remaining")?, given.rate("fee_pct")?);
        let EarlyTermination { fee, net_refund } =
            apply_early_termination_fee(remaining, pct, given.rounding()?)?;
        let lines = vec![
            Line::new("fee", format!("{remaining} × {pct}"), fee),
            Line::new("net refund", format!("{remaining} − {fee}"), net_refund),
        ];
        Ok(Answer::of([("fee", fee.into()), ("net_refund", net_refund.into())]).with_lines(lines))
    },
};
