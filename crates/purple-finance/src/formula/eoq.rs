//! How much to order at once so that ordering and holding cost least.

use super::error::{FormulaError, above_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Counted, Function, Kind, Parameter, Per};
use crate::exact::Exact;
use crate::figure::Line;
use crate::money::Money;
use crate::root::square_root;
use crate::rounding::Rounding;

/// The decimals of the quantity.
pub const EOQ_PLACES: u8 = 2;

/// The economic order quantity: `√(2 × annual_demand × order_cost / holding_cost)`, to two decimals.
///
/// # Errors
///
/// A figure of zero or less, or two currencies.
pub fn economic_order_quantity(
    annual_demand: &Exact,
    order_cost: Money,
    holding_cost: Money,
    rounding: Rounding,
) -> Result<Exact, FormulaError> {
    above_zero("annual_demand", annual_demand)?;
    above_zero("order_cost", &order_cost)?;
    above_zero("holding_cost", &holding_cost)?;
    order_cost.compare(&holding_cost)?;
    let costs = order_cost.amount().over(&holding_cost.amount())?;
    let square = costs.times(annual_demand)?.times(&Exact::from(2))?;
    Ok(square_root(&square, EOQ_PLACES, rounding)?)
}

pub(super) const ENTRY: Function = Function {
    name: "economic_order_quantity",
    example: Some(
        "Calculate the EOQ for an annual demand of 1200 units, order cost 50 USD and holding cost 3 USD",
    ),
    summary: "The order quantity at which ordering and holding stock cost least.",
    words: &[
        "losgröße",
        "optimale losgröße",
        "wirtschaftliche bestellmenge",
        "quantité économique",
        "cantidad económica",
        "optimalen bestellmenge",
        "eoq",
        "economic order quantity",
        "optimal order quantity",
        "order quantity",
        "optimale bestellmenge",
        "bestellmenge",
    ],
    parameters: &[
        Parameter::required("annual_demand", Kind::Number, "how many units are needed in a year")
            .near(&[
                "jahresbedarf von",
                "jährlicher bedarf",
                "jahresverbrauch",
                "verbrauch",
                "demand",
                "annual demand",
                "yearly demand",
                "need",
                "bedarf",
                "jahresbedarf",
            ])
            .per(&[Per::Year])
            .must_be(
                Per::Year,
                &["annual demand", "yearly demand", "jahresbedarf", "demand per year", "annually"],
            )
            .counts(Counted::Pieces),
        Parameter::required("order_cost", Kind::Money, "what one order costs")
            .near(&[
                "bestellkosten von",
                "kosten je bestellung",
                "je bestellung",
                "fixkosten",
                "order cost",
                "ordering cost",
                "per order",
                "order costs",
                "an order",
                "ordering costs",
                "bestellkosten",
                "pro bestellung",
            ])
            .per(&[Per::Order]),
        Parameter::required("holding_cost", Kind::Money, "what it costs to hold one unit for a year")
            .near(&[
                "lagerkosten von",
                "lagerhaltungskosten",
                "lagerung",
                "haltekosten",
                "holding cost",
                "holding cost per unit",
                "carrying cost",
                "holding",
                "hold",
                "carrying",
                "lagerkosten",
            ])
            .per(&[Per::Piece, Per::Year]),
        Parameter::ROUNDING,
    ],
    answer: "quantity",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("quantity", "units", &["how many units", "wie viele stück"])],
        also: &[
            "pro",
            "pro bestellung",
            "je",
            "je bestellung",
            "jahresbedarf",
            "per unit",
            "per order",
            "lagerhaltungskosten",
            "stück",
            "order quantity",
            "optimal",
            "annual",
            "yearly",
            "per",
            "a year",
            "ordering",
            "holding",
        ],
        evidence: &[],
        unless: &[],
    },
    run: |given| {
        let (demand, order) = (given.number("annual_demand")?, given.money("order_cost")?);
        let holding = given.money("holding_cost")?;
        let quantity = economic_order_quantity(demand, order, holding, given.rounding()?)?;
        let line =
            Line::new("order quantity", format!("√(2 × {demand} × {order} / {holding})"), quantity.clone());
        Ok(Answer::of([("quantity", quantity.into())]).with_lines(vec![line]))
    },
};
