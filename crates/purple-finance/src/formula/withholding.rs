//! What is kept back from a payment for the tax office.

use super::error::{FormulaError, a_share, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::figure::Line;
use crate::money::Money;
use crate::rate::Rate;
use crate::rounding::Rounding;

/// A payment cut in two; the parts sum to the gross amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withholding {
    /// What is kept back.
    pub withheld: Money,
    /// What is paid out.
    pub net: Money,
}

/// Keeps back `rate` of a gross payment, rounded, and pays out the rest.
///
/// # Errors
///
/// A negative payment, or a rate outside 0 % to 100 %.
pub fn withhold(gross: Money, rate: &Rate, rounding: Rounding) -> Result<Withholding, FormulaError> {
    not_below_zero("gross", &gross)?;
    a_share("rate", rate)?;
    let withheld = rate.of(&gross, rounding)?;
    Ok(Withholding { withheld, net: gross.minus(&withheld)? })
}

pub(super) const ENTRY: Function = Function {
    name: "withhold",
    example: Some("Calculate backup withholding of 24% on 2,500 USD"),
    summary: "The tax withheld from a payment, and what is paid out.",
    words: &[
        "steuerabzug",
        "abzugssteuer",
        "einbehalten",
        "quellenbesteuerung",
        "impôt à la source",
        "retención en la fuente",
        "withheld tax",
        "hold back",
        "holds back",
        "held back",
        "quellensteuerabzug",
        "behalten",
        "behält",
        "retenue",
        "retenir",
        "retención del",
        "retenemos",
        "withholding",
        "withhold",
        "withheld",
        "withholds",
        "backup withholding",
        "quellensteuer",
        "einbehalt*",
        "retenue à la source",
        "retención",
    ],
    parameters: &[
        Parameter::required("gross", Kind::Money, "the payment before tax").labels(
            &["gross", "brutto", "before tax"],
            &[
                "net",
                "netto",
                "after tax",
                "payout",
                "paid out",
                "receive",
                "receives",
                "auszahlung",
                "ausgezahlt",
            ],
        ),
        Parameter::required("rate", Kind::Percent, "the share that is withheld"),
        Parameter::ROUNDING,
    ],
    answer: "withheld",
    asked: Asked {
        must_name: false,
        results: &[
            AskedResult::new(
                "withheld",
                "",
                &[
                    "?steuerabzug",
                    "?abzugssteuer",
                    "?einbehalt",
                    "?quellensteuerabzug",
                    "~quellensteuer",
                    "~withholding tax",
                    "?withhold",
                    "hold back",
                    "held back",
                    "einbehalten",
                    "retenu",
                    "retenue",
                    "?retenue",
                    "se retiene",
                    "?retención",
                    "behalten wir ein",
                    "?withheld",
                    "?withholding",
                    "?withholding tax",
                    "?tax",
                    "tax is withheld",
                    "is withheld",
                    "einbehalten",
                    "?quellensteuer",
                ],
            ),
            AskedResult::new(
                "net",
                "",
                &[
                    "left",
                    "auszuzahlen",
                    "verbleibt",
                    "verbleiben",
                    "reste",
                    "queda",
                    "get",
                    "gets",
                    "he get",
                    "she get",
                    "they get",
                    "net pay",
                    "is paid",
                    "gets paid",
                    "erhält",
                    "bekommt",
                    "überwiesen",
                    "versé",
                    "versée",
                    "payé",
                    "reçoit",
                    "recibe",
                    "se paga",
                    "cobra",
                    "neto a pagar",
                    "net à payer",
                    "quel montant est versé",
                    "payout",
                    "paid out",
                    "pay out",
                    "is left",
                    "remains",
                    "receive",
                    "receives",
                    "receiving",
                    "net payment",
                    "after withholding",
                    "ausgezahlt",
                    "auszahlung",
                    "auszahlungsbetrag",
                    "bleibt",
                    "bleiben",
                ],
            ),
        ],
        also: &[
            "nach",
            "wenn",
            "wir",
            "apply",
            "applies",
            "out of",
            "paid",
            "reste",
            "steuer",
            "abzug",
            "remains",
            "owed",
            "behalten",
            "behält",
            "ein",
            "source",
            "retenue à la source",
            "withhold",
            "we withhold",
            "ausgezahlt",
            "tax",
            "pay",
            "payment",
            "after",
            "gross",
        ],
        evidence: &[],
        unless: &[
            "vat",
            "sales tax",
            "mwst",
            "mehrwertsteuer",
            "grossed-up",
            "gross-up",
            "gross up",
            "plus",
            "net of",
            "office",
            "finanzamt",
            "authority",
            "authorities",
            "irs",
            "hacienda",
            "fisc",
            "agencia",
            "state",
            "government",
            "treasury",
            "staat",
            "fiskus",
            "état",
            "estado",
            "impôts",
        ],
    },
    run: |given| {
        let (gross, rate) = (given.money("gross")?, given.rate("rate")?);
        let Withholding { withheld, net } = withhold(gross, rate, given.rounding()?)?;
        let lines = vec![
            Line::new("withheld", format!("{gross} × {rate}"), withheld),
            Line::new("paid out", format!("{gross} − {withheld}"), net),
        ];
        Ok(Answer::of([("withheld", withheld.into()), ("net", net.into())]).with_lines(lines))
    },
};
