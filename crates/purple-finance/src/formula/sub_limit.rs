//! What an insurance pays under a sublimit and a rider.

use super::error::{FormulaError, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::figure::Line;
use crate::money::Money;

/// What is paid of a claim, what is not, and which limit decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubLimit {
    /// What is paid.
    pub payable: Money,
    /// What is not paid.
    pub excess: Money,
    /// The limit that was applied.
    pub limit: Money,
    /// Whether that limit is the rider's.
    pub by_rider: bool,
}

/// Pays a claim up to the sublimit, or up to the rider's limit where that is higher.
///
/// # Errors
///
/// A negative figure, or two currencies.
pub fn apply_sub_limit(
    claimed: Money,
    sub_limit: Money,
    rider_limit: Option<Money>,
) -> Result<SubLimit, FormulaError> {
    not_below_zero("claimed", &claimed)?;
    not_below_zero("sub_limit", &sub_limit)?;
    let (mut limit, mut by_rider) = (sub_limit, false);
    if let Some(rider) = rider_limit {
        not_below_zero("rider_limit", &rider)?;
        if rider.compare(&sub_limit)?.is_gt() {
            (limit, by_rider) = (rider, true);
        }
    }
    let payable = if claimed.compare(&limit)?.is_gt() { limit } else { claimed };
    Ok(SubLimit { payable, excess: claimed.minus(&payable)?, limit, by_rider })
}

pub(super) const ENTRY: Function = Function {
    name: "apply_sub_limit",
    example: Some("What does the policy pay on a claim of 5,000 USD with a sublimit of 3,000 USD?"),
    summary: "What an insurance pays of a claim under a sublimit; a rider wins if it is higher.",
    words: &[
        "police",
        "versicherungspolice",
        "schadens",
        "schadenfall",
        "unterlimit",
        "póliza",
        "indemnisation",
        "sous-limite",
        "sublímite",
        "siniestro",
        "sinistre",
        "versicherung",
        "assurance",
        "seguro",
        "schaden",
        "sublimit",
        "sub-limit",
        "rider",
        "claim",
        "insurance",
        "teillimit",
    ],
    parameters: &[
        Parameter::required("claimed", Kind::Money, "the amount of the claim").near(&[
            "schadens",
            "schadenfall",
            "schaden von",
            "schadens von",
            "sinistre",
            "siniestro",
            "loss",
            "damage",
            "claim",
            "claimed",
            "schaden",
        ]),
        Parameter::required("sub_limit", Kind::Money, "the most that the policy pays for it").near(&[
            "unterlimit",
            "limit",
            "sublimit",
            "sub-limit",
            "teillimit",
            "sous-limite",
            "sublímite",
        ]),
        Parameter::optional("rider_limit", Kind::Money, "the most that a rider pays for it, if there is one")
            .near(&["rider"])
            .named(),
    ],
    answer: "payable",
    asked: Asked {
        must_name: false,
        results: &[
            AskedResult::new(
                "payable",
                "",
                &[
                    "?übernimmt",
                    "übernimmt",
                    "ersetzt",
                    "leistet",
                    "gedeckt",
                    "?paid",
                    "zahlt",
                    "bezahlt",
                    "gezahlt",
                    "erstattet",
                    "paie",
                    "payé",
                    "paga",
                    "pagado",
                    "what is paid",
                    "pay",
                    "pays",
                    "payable",
                    "covered",
                    "paid",
                ],
            ),
            AskedResult::new(
                "excess",
                "",
                &[
                    "nicht gedeckt",
                    "ungedeckt",
                    "selbst zu tragen",
                    "nicht bezahlt",
                    "non couvert",
                    "no cubierto",
                    "not covered",
                    "uncovered",
                    "excess",
                    "not paid",
                ],
            ),
        ],
        also: &[
            "police",
            "when",
            "if",
            "wenn",
            "bei",
            "einem",
            "eines",
            "schadens",
            "under",
            "póliza",
            "betrag",
            "sublimit",
            "damage",
            "water damage",
            "versicherung",
            "schaden",
            "insurance",
            "teillimit",
            "limit",
            "policy",
            "what does",
        ],
        evidence: &[],
        unless: &["deductible", "co-pay", "copay", "coinsurance", "selbstbehalt"],
    },
    run: |given| {
        let rider = if given.has("rider_limit") { Some(given.money("rider_limit")?) } else { None };
        let claimed = given.money("claimed")?;
        let found = apply_sub_limit(claimed, given.money("sub_limit")?, rider)?;
        let lines = vec![
            Line::new("payable", format!("{claimed}, at most {}", found.limit), found.payable),
            Line::new("not covered", format!("{claimed} − {}", found.payable), found.excess),
        ];
        let values = [
            ("payable", found.payable.into()),
            ("excess", found.excess.into()),
            ("limit", found.limit.into()),
            ("by_rider", found.by_rider.into()),
        ];
        Ok(Answer::of(values).with_lines(lines))
    },
};
