//! An amount in another currency.

use super::error::{FormulaError, above_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::currency::Currency;
use crate::exact::Exact;
use crate::figure::Line;
use crate::money::{Money, MoneyError};
use crate::rounding::Rounding;

/// The amount times the rate, in the other currency. The rate says how much of `to` one unit of the amount's
/// currency buys.
///
/// # Errors
///
/// A rate of zero or less, or a conversion into the same currency.
pub fn convert_currency(
    amount: Money,
    rate: &Exact,
    to: Currency,
    rounding: Rounding,
) -> Result<Money, FormulaError> {
    above_zero("rate", rate)?;
    if amount.currency() == to {
        let why = "the amount is in that currency already";
        return Err(FormulaError::Contradiction { left: "amount", right: "to", why });
    }
    Ok(Money::rounded(&amount.amount().times(rate)?, to, rounding)?)
}

pub(super) const ENTRY: Function = Function {
    name: "convert_currency",
    example: Some("Convert 1,000.00 USD to EUR at 0.92"),
    summary: "An amount converted into another currency at a given rate.",
    words: &[
        "change into",
        "wert in",
        "umgerechnet",
        "umzurechnen",
        "tauschen",
        "wechseln",
        "change en",
        "cambia a",
        "into eur",
        "into usd",
        "into gbp",
        "into chf",
        "into euros",
        "into dollars",
        "into pounds",
        "how many euros",
        "how many dollars",
        "how many pounds",
        "how many francs",
        "how many yen",
        "worth in",
        "worth in euros",
        "worth in dollars",
        "in francs",
        "in franken",
        "in euro",
        "in dollar",
        "in pfund",
        "wie viele euro",
        "wie viele dollar",
        "wie viele pfund",
        "wie viele franken",
        "wie viel euro",
        "wie viel dollar",
        "combien d'euros",
        "combien de dollars",
        "combien de livres",
        "combien de francs",
        "en euros",
        "en dollars",
        "en livres",
        "en dólares",
        "en libras",
        "cuántos euros",
        "cuántos dólares",
        "cuántas libras",
        "cuántos francos",
        "wechselkurs von",
        "kurs von",
        "zum kurs",
        "cambio de",
        "taux de",
        "convert",
        "converted",
        "conversion",
        "exchange rate",
        "exchange",
        "fx",
        "currency",
        "in euros",
        "in dollars",
        "in eur",
        "in usd",
        "in gbp",
        "in chf",
        "in pounds",
        "at a rate of",
        "umrechnen",
        "rechne",
        "wechselkurs",
        "kurs",
        "umrechnung",
        "convertir",
        "convertis",
        "convierte",
        "tipo de cambio",
        "taux de change",
    ],
    parameters: &[
        Parameter::required("amount", Kind::Money, "the amount to convert"),
        Parameter::required("rate", Kind::Number, "how much of the other currency one unit buys").near(&[
            "at",
            "rate",
            "rate of",
            "kurs",
            "zum kurs von",
            "taux",
            "taux de",
            "cambio",
            "cambio de",
            "à",
            "zu",
        ]),
        Parameter::required("to", Kind::Text, "the code of the other currency").near(&[
            "to",
            "into",
            "in",
            "en",
            "nach",
            "a",
            "how many",
            "wie viele",
            "wie viel",
            "combien de",
            "combien",
            "cuántos",
            "cuántas",
        ]),
        Parameter::ROUNDING,
    ],
    answer: "converted",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("converted", "", &[])],
        also: &[
            "into",
            "change",
            "swap",
            "turn",
            "umgerechnet",
            "tauschen",
            "wechseln",
            "de",
            "wert",
            "einem",
            "exchange",
            "come",
            "convert",
            "al",
            "au",
            "per",
            "um",
            "dólares",
            "worth",
            "rate",
            "rate of",
            "taux",
            "cambio",
            "tipo de cambio",
            "euros",
        ],
        evidence: &[],
        unless: &[
            "fee",
            "commission",
            "spread",
            "gebühr",
            "do i need",
            "do we need",
            "need for",
            "brauche ich",
            "brauchen wir",
            "besoin",
            "necesito",
            "necesitamos",
        ],
    },
    run: |given| {
        let to = Currency::parse(given.text("to")?)
            .map_err(|error| FormulaError::from(MoneyError::from(error)))?;
        let (amount, rate) = (given.money("amount")?, given.number("rate")?);
        let converted = convert_currency(amount, rate, to, given.rounding()?)?;
        let line = Line::new("converted", format!("{amount} × {rate}"), converted);
        Ok(Answer::of([("converted", converted.into())]).with_lines(vec![line]))
    },
};
