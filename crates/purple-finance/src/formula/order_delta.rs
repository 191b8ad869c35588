//! What an order costs more or less after it was changed.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::error::{FormulaError, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::{Figure, Line};
use crate::given::Given;
use crate::money::Money;
use crate::rounding::Rounding;

/// One line of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderLine {
    /// What identifies the line within the order.
    pub id: String,
    /// How many.
    pub quantity: Exact,
    /// The price of one.
    pub unit_price: Money,
}

/// Which way the money goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The customer gets money back.
    Refund,
    /// The customer pays more.
    Charge,
    /// Nobody owes anything.
    Even,
}

impl Settlement {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refund => "refund",
            Self::Charge => "charge",
            Self::Even => "even",
        }
    }
}

/// The change of an order's price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceDelta {
    /// The change: negative if the order became cheaper.
    pub delta: Money,
    /// Which way the money goes.
    pub settlement: Settlement,
    /// The change of each line that changed.
    pub lines: Vec<Line>,
}

/// Sums what each change of an order does to its price.
///
/// `modified` holds the lines as they are afterwards: one whose id is in `original` replaces it, another is added.
/// `cancelled_ids` names the lines that are dropped. Lines in neither stay as they are. Each line's total is quantity
/// times unit price, rounded.
///
/// # Errors
///
/// An id that stands twice, is cancelled and modified at once, or is cancelled without being there; a negative
/// quantity or price; two currencies; no original lines.
pub fn net_price_delta(
    original: &[OrderLine],
    modified: &[OrderLine],
    cancelled_ids: &[String],
    rounding: Rounding,
) -> Result<PriceDelta, FormulaError> {
    let before = by_id("original", original)?;
    let after = by_id("modified", modified)?;
    let Some(first) = original.first() else {
        return Err(FormulaError::NoItems { parameter: "original" });
    };
    for line in original.iter().chain(modified) {
        first.unit_price.compare(&line.unit_price)?;
    }
    let mut delta = Money::zero(first.unit_price.currency());
    let mut lines = Vec::new();
    let mut cancelled = BTreeSet::new();
    for id in cancelled_ids {
        if !cancelled.insert(id) {
            return Err(FormulaError::Twice { parameter: "cancelled_ids", id: id.clone() });
        }
        if after.contains_key(id.as_str()) {
            return Err(FormulaError::Contradiction {
                left: "modified",
                right: "cancelled_ids",
                why: "a line is both changed and cancelled",
            });
        }
        let line = before
            .get(id.as_str())
            .ok_or_else(|| FormulaError::NotIn { parameter: "original", id: id.clone() })?;
        let change = line.total(rounding)?.negated()?;
        delta = delta.plus(&change)?;
        lines.push(Line::new(format!("cancel {id}"), format!("−({})", line.expression()), change));
    }
    for line in modified {
        let (change, label, expression) = match before.get(line.id.as_str()) {
            Some(old) => (
                line.total(rounding)?.minus(&old.total(rounding)?)?,
                format!("change {}", line.id),
                format!("{} − {}", line.expression(), old.expression()),
            ),
            None => (line.total(rounding)?, format!("add {}", line.id), line.expression()),
        };
        delta = delta.plus(&change)?;
        lines.push(Line::new(label, expression, change));
    }
    let settlement = match delta.minor().cmp(&0) {
        Ordering::Less => Settlement::Refund,
        Ordering::Greater => Settlement::Charge,
        Ordering::Equal => Settlement::Even,
    };
    let changes: Vec<_> = lines.iter().map(|line| line.result.to_string()).collect();
    lines.push(Line::new(
        "net",
        if changes.is_empty() { "0".to_owned() } else { changes.join(" + ") },
        delta,
    ));
    Ok(PriceDelta { delta, settlement, lines })
}

impl OrderLine {
    fn total(&self, rounding: Rounding) -> Result<Money, FormulaError> {
        Ok(self.unit_price.times(&self.quantity, rounding)?)
    }

    fn expression(&self) -> String {
        format!("{} × {}", self.quantity, self.unit_price)
    }
}

fn by_id<'a>(
    parameter: &'static str,
    lines: &'a [OrderLine],
) -> Result<BTreeMap<&'a str, &'a OrderLine>, FormulaError> {
    let mut found = BTreeMap::new();
    for line in lines {
        not_below_zero("quantity", &line.quantity)?;
        not_below_zero("unit_price", &line.unit_price)?;
        if found.insert(line.id.as_str(), line).is_some() {
            return Err(FormulaError::Twice { parameter, id: line.id.clone() });
        }
    }
    Ok(found)
}

const LINE: &[Parameter] = &[
    Parameter::required("id", Kind::Text, "what identifies the line"),
    Parameter::required("quantity", Kind::Number, "how many"),
    Parameter::required("unit_price", Kind::Money, "the price of one"),
];

pub(super) const ENTRY: Function = Function {
    name: "net_price_delta",
    example: None,
    summary: "The change of an order's price after lines were changed, added or cancelled.",
    words: &[
        "order modification",
        "modify order",
        "price difference",
        "order change",
        "difference in price",
        "change in price",
        "price change",
        "total change",
        "amount change",
        "price go up",
        "price go down",
        "preisdifferenz",
        "preisunterschied",
        "ändert sich der preis",
        "ändert sich die summe",
        "ändert sich der gesamtpreis",
        "différence de prix",
        "change le prix",
        "change le total",
        "prix change",
        "diferencia de precio",
        "cambia el precio",
        "cambia el total",
        "precio cambia",
    ],
    parameters: &[
        Parameter::required("original", Kind::List(&Kind::Record(LINE)), "the lines of the order before"),
        Parameter::optional(
            "modified",
            Kind::List(&Kind::Record(LINE)),
            "the lines that were changed or added, as they are now",
        ),
        Parameter::optional(
            "cancelled_ids",
            Kind::List(&Kind::Text),
            "the ids of the lines that are dropped",
        ),
        Parameter::ROUNDING,
    ],
    answer: "delta",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new(
            "delta",
            "",
            &[
                "by how much",
                "how much",
                "price difference",
                "difference in price",
                "change in price",
                "price change",
                "total change",
                "preisdifferenz",
                "preisunterschied",
                "um wie viel",
                "différence de prix",
                "de combien",
                "diferencia de precio",
                "en cuánto",
            ],
        )],
        also: &[
            "when",
            "if",
            "wenn",
            "quand",
            "si",
            "cuando",
            "no changes",
            "no change",
            "no changes to any order",
            "keine änderung",
            "keine änderungen",
            "aucun changement",
            "sin cambios",
            "total",
            "change",
            "price",
            "order total",
            "ändert",
            "change le",
            "cambia",
            "new",
        ],
        evidence: &[],
        unless: &["vat", "tax", "shipping", "mwst", "percent", "prozent"],
    },
    run: |given| {
        let lines = |name: &str| -> Result<Vec<OrderLine>, crate::catalogue::CallError> {
            let line = |given: Given| {
                Ok(OrderLine {
                    id: given.text("id")?.to_owned(),
                    quantity: given.number("quantity")?.clone(),
                    unit_price: given.money("unit_price")?,
                })
            };
            given.records(name, LINE)?.into_iter().map(line).collect()
        };
        let cancelled = given.each("cancelled_ids", |figure| figure.as_text().map(str::to_owned))?;
        let found = net_price_delta(&lines("original")?, &lines("modified")?, &cancelled, given.rounding()?)?;
        let settlement = Figure::Text(found.settlement.name().to_owned());
        Ok(Answer::of([("delta", found.delta.into()), ("settlement", settlement)]).with_lines(found.lines))
    },
};
