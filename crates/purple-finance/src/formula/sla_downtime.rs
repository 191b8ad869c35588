//! Minutes of downtime from percentages of uptime.

use super::error::{FormulaError, a_share, above_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Counted, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::Line;
use crate::rate::Rate;

/// Minutes of downtime: allowed, measured, and beyond what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlaDowntime {
    /// The minutes that the agreement allows.
    pub allowed: Exact,
    /// The minutes that were measured.
    pub actual: Exact,
    /// The minutes beyond what is allowed; none if the agreement was kept.
    pub excess: Exact,
    /// The computation.
    pub lines: Vec<Line>,
}

/// Turns a promised and a measured uptime into minutes of downtime.
///
/// # Errors
///
/// No minutes, or an uptime outside 0 % to 100 %.
pub fn sla_downtime(
    target_pct: &Rate,
    measured_pct: &Rate,
    total_minutes: &Exact,
) -> Result<SlaDowntime, FormulaError> {
    a_share("target_pct", target_pct)?;
    a_share("measured_pct", measured_pct)?;
    above_zero("total_minutes", total_minutes)?;
    let down = |uptime: &Rate| Exact::ONE.minus(uptime.as_fraction())?.times(total_minutes);
    let (allowed, actual) = (down(target_pct)?, down(measured_pct)?);
    let beyond = actual.minus(&allowed)?;
    let excess = if beyond.is_negative() { Exact::ZERO } else { beyond };
    let lines = vec![
        Line::new("allowed minutes", format!("(100% − {target_pct}) × {total_minutes}"), allowed.clone()),
        Line::new("actual minutes", format!("(100% − {measured_pct}) × {total_minutes}"), actual.clone()),
        Line::new("excess minutes", format!("{actual} − {allowed}, at least 0"), excess.clone()),
    ];
    Ok(SlaDowntime { allowed, actual, excess, lines })
}

pub(super) const ENTRY: Function = Function {
    name: "sla_downtime",
    example: Some("How much downtime beyond the SLA: 99.1% uptime against 99.9% target?"),
    summary: "The minutes of downtime that an uptime percentage allows, that were measured, and the excess.",
    words: &[
        "ausfälle",
        "ausfallminuten",
        "nichtverfügbarkeit",
        "überschrittene ausfallzeit",
        "excess downtime",
        "may be down",
        "be down",
        "ausfall",
        "ausfallzeit",
        "disponibilité",
        "indisponibilité",
        "disponibilidad",
        "caída",
        "inactividad",
        "indisponibilidad",
        "uptime",
        "downtime",
        "availability",
        "sla",
        "ausfallzeit",
        "verfügbarkeit",
    ],
    parameters: &[
        Parameter::required("target_pct", Kind::Percent, "the uptime that was promised").near(&[
            "ziel",
            "ziel von",
            "zielwert",
            "zugesagt*",
            "zugesagter",
            "zugesagten",
            "vereinbart*",
            "garantiert*",
            "gegenüber",
            "soll",
            "versprochen*",
            "gegen",
            "target of",
            "permitted at",
            "permits",
            "permit",
            "uptime allow",
            "uptime allows",
            "availability allow",
            "availability allows",
            "permet",
            "permite",
            "erlaubt eine verfügbarkeit von",
            "objectif",
            "objetivo",
            "sla",
            "target",
            "promised",
            "agreed",
            "guaranteed",
            "against",
            "statt",
            "allow",
            "allows",
            "allowed downtime at",
            "downtime allowed at",
            "permitted downtime at",
            "erlaubt",
            "zulässige ausfallzeit bei",
            "erlaubte ausfallzeit bei",
        ]),
        Parameter::optional("measured_pct", Kind::Percent, "the uptime that was measured")
            .beside("target_pct")
            .near(&[
                "verfügbarkeit",
                "ist",
                "erreicht",
                "tatsächlich",
                "disponibilité",
                "disponibilidad",
                "available",
                "uptime",
                "measured",
                "gemessen",
                "mesuré",
                "mesurée",
                "medido",
                "medida",
                "actual",
                "achieved",
                "availability",
            ]),
        Parameter::default(
            "total_minutes",
            Kind::Number,
            "43200",
            "the minutes of the period; 43200 is a month of 30 days",
        )
        .counts(Counted::Minutes)
        .assumed(
            "for a month of 30 days",
            &["30-day*", "30 days", "30 tage*", "30-tage*", "30 jours", "30 días"],
        ),
    ],
    answer: "excess",
    asked: Asked {
        must_name: false,
        results: &[
            AskedResult::new(
                "allowed",
                "minutes",
                &[
                    "may the service be down",
                    "may it be down",
                    "be down",
                    "zulässig*",
                    "darf",
                    "erlauben",
                    "permet",
                    "autorise",
                    "autorisée",
                    "permite",
                    "permiten",
                    "permitida",
                    "allow",
                    "allows",
                    "allowed",
                    "permit",
                    "permits",
                    "permitted",
                    "erlaubt",
                    "erlaubte",
                    "zulässig*",
                    "may be down",
                ],
            ),
            AskedResult::new(
                "actual",
                "minutes",
                &[
                    "actual downtime",
                    "measured downtime",
                    "downtime was there",
                    "was it down",
                    "was the service down",
                ],
            ),
            AskedResult::new(
                "excess",
                "minutes",
                &[
                    "über dem sla",
                    "über das sla hinaus",
                    "überschritten*",
                    "überschreitung",
                    "zu viel",
                    "au-delà",
                    "por encima",
                    "over target",
                    "beyond target",
                    "more than allowed",
                    "excess",
                    "beyond",
                    "over the sla",
                    "above the sla",
                    "too much",
                ],
            ),
        ],
        also: &[
            "gegenüber",
            "ziel",
            "zugesagt*",
            "wie viel",
            "wie viele",
            "ausfälle",
            "ausfallminuten",
            "ausfallzeit",
            "verfügbarkeit",
            "statt",
            "bei",
            "über",
            "against",
            "how much",
            "compared",
            "30-day",
            "30 days",
            "month of 30 days",
            "30-tage-monat",
            "monat mit 30 tagen",
            "einem monat mit 30 tagen",
            "in a 30-day month",
            "a month of 30 days",
            "mois de 30 jours",
            "mes de 30 días",
            "one month",
            "a month",
            "ausfall",
            "minute",
            "minuten",
            "minutos",
            "service",
            "indisponibilité",
            "disponibilité",
            "caída",
            "uptime",
            "availability",
            "down",
            "target",
            "minutes",
            "month",
            "30-day month",
            "how many",
            "minuten",
            "monat",
        ],
        evidence: &[],
        unless: &[
            "year", "years", "yearly", "annual*", "week", "weeks", "weekly", "quarter*", "a day", "per day",
            "daily", "jahr", "woche", "quartal", "tag", "credit", "penalty", "refund", "hours", "seconds",
            "stunden",
        ],
    },
    run: |given| {
        let target = given.rate("target_pct")?;
        let measured = given.has("measured_pct");
        // Without a measurement only what is allowed is answered.
        let uptime = if measured { given.rate("measured_pct")? } else { target };
        let mut found = sla_downtime(target, uptime, given.number("total_minutes")?)?;
        let mut values = vec![("allowed", found.allowed.into())];
        if measured {
            values.extend([("actual", found.actual.into()), ("excess", found.excess.into())]);
        } else {
            found.lines.truncate(1);
        }
        let values = values.into_iter().collect();
        Ok(Answer { values, lines: found.lines, notes: Vec::new() })
    },
};
