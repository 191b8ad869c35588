//! The credit for periods in which a service was down longer than agreed.

use super::error::{FormulaError, a_share, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Counted, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::Line;
use crate::money::Money;
use crate::rate::Rate;
use crate::rounding::Rounding;

/// A credit and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlaCredit {
    /// In how many measured periods the downtime was over the maximum.
    pub breaches: u32,
    /// The credit of one breach.
    pub credit_each: Money,
    /// All of them, before the cap.
    pub uncapped: Money,
    /// What is credited.
    pub credit: Money,
    /// Whether the cap was reached.
    pub capped: bool,
    /// The computation.
    pub lines: Vec<Line>,
}

/// Counts the breaches and credits each of them, up to the cap.
///
/// `downtime` holds the minutes of each measured period (or incident, if the contract counts incidents). A breach is
/// a period whose downtime is strictly more than `sla_max`; downtime of exactly the maximum is none, and a long
/// outage in one period is one. The credit of one breach is `credit_pct` of the invoice, rounded; it is counted once
/// per breach, and the sum is cut at `cap`.
///
/// # Errors
///
/// No period, a negative figure, a share above 100 %, two currencies.
pub fn compute_sla_credit(
    downtime: &[Exact],
    sla_max: &Exact,
    invoice: Money,
    credit_pct: &Rate,
    cap: Money,
    rounding: Rounding,
) -> Result<SlaCredit, FormulaError> {
    if downtime.is_empty() {
        return Err(FormulaError::NoItems { parameter: "downtime" });
    }
    for minutes in downtime {
        not_below_zero("downtime", minutes)?;
    }
    not_below_zero("sla_max", sla_max)?;
    not_below_zero("invoice", &invoice)?;
    a_share("credit_pct", credit_pct)?;
    not_below_zero("cap", &cap)?;
    let breaches = downtime.iter().filter(|minutes| *minutes > sla_max).count();
    let breaches = u32::try_from(breaches).unwrap_or(u32::MAX);
    let credit_each = credit_pct.of(&invoice, rounding)?;
    let uncapped = credit_each.times(&Exact::from(breaches), rounding)?;
    let capped = uncapped.compare(&cap)?.is_gt();
    let credit = if capped { cap } else { uncapped };
    let lines = vec![
        Line::new(
            "breaches",
            format!("periods of {} over {sla_max} minutes", downtime.len()),
            Exact::from(breaches),
        ),
        Line::new("credit for one", format!("{invoice} × {credit_pct}"), credit_each),
        Line::new("credit for all", format!("{breaches} × {credit_each}"), uncapped),
        Line::new("credit", format!("at most {cap}"), credit),
    ];
    Ok(SlaCredit { breaches, credit_each, uncapped, credit, capped, lines })
}

pub(super) const ENTRY: Function = Function {
    name: "compute_sla_credit",
    example: Some(
        "Compute the SLA credit for downtime of 120, 30, 60 minutes with 43 minutes allowed, an invoice of 85,000 USD, 5% credit each and a cap of 10,000 USD",
    ),
    summary: "The credit for each period with more downtime than agreed, up to a cap.",
    words: &[
        "downtimes",
        "outages",
        "ausfälle",
        "ausfällen",
        "ausfall",
        "ausfallzeiten",
        "sla-gutschrift",
        "gutschrift",
        "sla credits",
        "service credits",
        "crédit sla",
        "crédito sla",
        "avoir sla",
        "sla credit",
        "service credit",
        "downtime",
        "breach",
    ],
    parameters: &[
        Parameter::required(
            "downtime",
            Kind::List(&Kind::Number),
            "the minutes of downtime in each measured period",
        )
        .near(&[
            "downtimes",
            "downtimes of",
            "outages",
            "outages of",
            "ausfälle",
            "ausfälle von",
            "ausfällen",
            "ausfällen von",
            "ausfall",
            "ausfallzeiten",
            "ausfallzeiten von",
            "indisponibilités",
            "caídas",
            "downtime",
            "down",
        ])
        .counts(Counted::Minutes),
        Parameter::required("sla_max", Kind::Number, "the minutes that are allowed in a period")
            .near(&[
                "erlaubten minuten",
                "erlaubte minuten",
                "zulässigen minuten",
                "allowed minutes",
                "minutes allowed",
                "minuten erlaubt",
                "erlaubt",
                "erlaubten",
                "erlaubte",
                "zulässig",
                "zulässige",
                "zulässigen",
                "vereinbart",
                "autorisées",
                "permitidos",
                "permitted",
                "allowed",
                "maximum",
                "agreed",
            ])
            .counts(Counted::Minutes),
        Parameter::required("invoice", Kind::Money, "the invoice that the credit is a share of").near(&[
            "rechnung",
            "rechnungsbetrag",
            "facture",
            "factura",
            "invoice",
            "bill",
            "fee",
        ]),
        Parameter::required("credit_pct", Kind::Percent, "the share that is credited for one breach"),
        Parameter::required("cap", Kind::Money, "the most that is credited").near(&[
            "obergrenze",
            "deckel",
            "höchstens",
            "maximal",
            "plafond",
            "tope",
            "límite",
            "limit",
            "cap",
            "capped",
        ]),
        Parameter::ROUNDING,
    ],
    answer: "credit",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("credit", "", &[])],
        also: &[
            "credit each",
            "credit per breach",
            "% credit",
            "sla credit",
            "gutschrift je",
            "minuten",
            "gutschrift",
            "je",
            "jeweils",
            "pro",
            "je verstoß",
            "verstoß",
            "obergrenze",
            "deckel",
            "höchstens",
            "maximal",
            "erlaubt*",
            "zulässig*",
            "rechnung",
            "breach",
            "breaches",
            "and",
            "cap of",
            "allowed",
            "maximum",
            "agreed",
            "invoice",
            "cap",
            "capped",
            "minutes",
            "credit",
            "each",
            "per breach",
            "per",
        ],
        evidence: &[],
        unless: &[],
    },
    run: |given| {
        let downtime = given.each("downtime", |figure| figure.as_number().cloned())?;
        let (invoice, cap) = (given.money("invoice")?, given.money("cap")?);
        let (most, pct) = (given.number("sla_max")?, given.rate("credit_pct")?);
        let found = compute_sla_credit(&downtime, most, invoice, pct, cap, given.rounding()?)?;
        let values = [
            ("breaches", Exact::from(found.breaches).into()),
            ("credit_each", found.credit_each.into()),
            ("uncapped", found.uncapped.into()),
            ("credit", found.credit.into()),
            ("capped", found.capped.into()),
        ];
        Ok(Answer::of(values).with_lines(found.lines))
    },
};
