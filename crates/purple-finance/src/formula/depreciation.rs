//! The loss of value of an asset, in equal months.

use super::error::{FormulaError, above_zero, amount_at_most, at_most, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Counted, Function, Kind, Parameter};
use crate::exact::Exact;
use crate::figure::{Figure, Line};
use crate::money::Money;
use crate::rounding::Rounding;

/// The longest life of an asset: a hundred years.
pub const LIFE_MONTHS_MAX: u32 = 1200;

/// The depreciation of an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Depreciation {
    /// Cost less salvage value: what is lost over the whole life.
    pub base: Money,
    /// What is lost in each month. The months sum to the base, the larger ones first.
    pub months: Vec<Money>,
}

/// Spreads cost less salvage value evenly over the months of an asset's life.
///
/// # Errors
///
/// A life of no months or more than [`LIFE_MONTHS_MAX`], a negative salvage value, or one above the cost.
pub fn straight_line_depreciation(
    cost: Money,
    salvage: Money,
    life_months: u32,
) -> Result<Depreciation, FormulaError> {
    above_zero("cost", &cost)?;
    not_below_zero("salvage", &salvage)?;
    amount_at_most("salvage", &salvage, &cost)?;
    above_zero("life_months", &life_months)?;
    at_most("life_months", &life_months, &LIFE_MONTHS_MAX)?;
    let base = cost.minus(&salvage)?;
    Ok(Depreciation { base, months: base.split(life_months as usize)? })
}

pub(super) const ENTRY: Function = Function {
    name: "straight_line_depreciation",
    example: Some(
        "What is the annual straight-line depreciation of a van that cost 30,000 EUR with a residual value of 6,000 EUR over 5 years?",
    ),
    summary: "The straight-line depreciation of an asset, by the year and by the month.",
    words: &[
        "abschreibungsbetrag",
        "jahresabschreibung",
        "abzuschreiben",
        "schreibe ab",
        "linear abgeschrieben",
        "linear",
        "depreciates",
        "depreciated",
        "written off",
        "write off",
        "write-off",
        "amortización lineal",
        "depreciación lineal",
        "lineare abschreibung",
        "abgeschrieben",
        "amortir",
        "depreciation",
        "depreciate",
        "straight-line",
        "salvage",
        "abschreibung",
        "abschreiben",
        "afa",
        "amortissement",
        "depreciación",
    ],
    parameters: &[
        Parameter::required("cost", Kind::Money, "what the asset cost").near(&[
            "bought for",
            "purchase price",
            "price of",
            "acquired for",
            "asset of",
            "machine of",
            "neupreis",
            "kaufpreis von",
            "gekauft",
            "valor de compra",
            "costo",
            "cuesta",
            "coûte",
            "prix d'achat",
            "costó",
            "cost",
            "costs",
            "costing",
            "kostete",
            "bought",
            "price",
            "purchased",
            "anschaffung",
            "anschaffungskosten",
            "kaufpreis",
            "kosten",
            "kostet",
            "coût",
            "coste",
        ]),
        Parameter::required("salvage", Kind::Money, "what it is worth at the end of its life")
            .near(&[
                "salvage",
                "worth",
                "is worth",
                "be worth",
                "worth at the end",
                "sold for",
                "resale value",
                "schrottwert",
                "valor de rescate",
                "valor de salvamento",
                "salvage value",
                "residual",
                "residual value",
                "scrap",
                "restwert",
                "valeur résiduelle",
                "valor residual",
            ])
            .zero(&[
                "no residual",
                "worthless at the end",
                "without residual",
                "without salvage",
                "keinem restwert",
                "sans valeur résiduelle",
                "sin valor residual",
                "nothing at the end",
                "no salvage",
                "no salvage value",
                "no residual value",
                "without salvage value",
                "without residual value",
                "zero salvage value",
                "kein restwert",
                "ohne restwert",
                "keinen restwert",
            ]),
        Parameter::required("life_months", Kind::Whole, "how many months it lives").counts(Counted::Months),
    ],
    answer: "year",
    asked: Asked {
        must_name: false,
        results: &[
            AskedResult::new(
                "first_month",
                "per month",
                &[
                    "monthly",
                    "per month",
                    "a month",
                    "each month",
                    "every month",
                    "pro monat",
                    "im monat",
                    "monatlich*",
                    "par mois",
                    "mensuel*",
                    "al mes",
                    "mensual*",
                    "monatsabschreibung",
                    "~months",
                    "~monate",
                    "~monaten",
                    "~mois",
                    "~meses",
                ],
            ),
            AskedResult::new(
                "year",
                "per year",
                &[
                    "annual",
                    "annually",
                    "yearly",
                    "per year",
                    "a year",
                    "each year",
                    "every year",
                    "pro jahr",
                    "im jahr",
                    "jährlich*",
                    "par an",
                    "annuel*",
                    "al año",
                    "anual*",
                    "jahresabschreibung",
                ],
            ),
            AskedResult::new("base", "", &["depreciable base", "depreciable amount"]),
        ],
        also: &[
            "maschine",
            "anschaffungskosten",
            "machine",
            "für",
            "mit",
            "einer",
            "über",
            "lasts",
            "lasting",
            "hält",
            "worth",
            "at the end",
            "salvage value",
            "residual value",
            "acquired",
            "used for",
            "is used",
            "lineal",
            "straight",
            "straight line depreciation",
            "durée",
            "durée de vie",
            "durée d'utilisation",
            "vie utile",
            "valeur résiduelle",
            "valor residual",
            "amortissement",
            "depreciación",
            "linear",
            "lineare",
            "linéaire",
            "straight line",
            "nutzungsdauer",
            "life",
            "useful life",
            "lifetime",
            "years",
            "vida útil",
            "expense",
            "written off",
        ],
        evidence: &[],
        unless: &[
            "declining",
            "double-declining",
            "accumulated",
            "degressiv*",
            "book value",
            "buchwert",
            "total depreciation",
            "depreciation rate",
            "abschreibungssatz",
            "sum-of-the-years",
            "after",
            "nach",
        ],
    },
    run: |given| {
        let (cost, salvage, life) =
            (given.money("cost")?, given.money("salvage")?, given.count("life_months")?);
        let Depreciation { base, months } = straight_line_depreciation(cost, salvage, life)?;
        let (first, last) = (months.first().copied().unwrap_or(base), months.last().copied().unwrap_or(base));
        let mut lines = vec![
            Line::new("depreciable base", format!("{cost} − {salvage}"), base),
            Line::new("first month", format!("part 1 of {base} in {life}"), first),
            Line::new("last month", format!("part {life} of {base} in {life}"), last),
        ];
        let share = Exact::ratio(life.min(12).into(), life.into()).map_err(FormulaError::from)?;
        let year = base.times(&share, Rounding::HalfEven).map_err(FormulaError::from)?;
        lines.insert(1, Line::new("full year", format!("{base} × {} / {life}", life.min(12)), year));
        let values = [
            ("base", base.into()),
            ("first_month", first.into()),
            ("year", year.into()),
            ("last_month", last.into()),
            ("schedule", Figure::List(months.into_iter().map(Figure::Money).collect())),
        ];
        Ok(Answer::of(values).with_lines(lines))
    },
};
