//! How much to keep in stock against surprises.

use super::error::{FormulaError, above_zero, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Counted, Function, Kind, Parameter, Per};
use crate::exact::Exact;
use crate::figure::Line;
use crate::rate::Rate;
use crate::root::square_root;
use crate::rounding::Rounding;

/// The decimals of the quantity before it is brought to whole units.
pub const SAFETY_STOCK_PLACES: u8 = 2;

/// Service level in percent and its z-value: the quantile of the normal distribution, to four decimals.
const Z_VALUES: &[(&str, &str)] = &[
    ("50", "0"),
    ("75", "0.6745"),
    ("80", "0.8416"),
    ("85", "1.0364"),
    ("90", "1.2816"),
    ("95", "1.6449"),
    ("97.5", "1.9600"),
    ("98", "2.0537"),
    ("99", "2.3263"),
    ("99.5", "2.5758"),
    ("99.9", "3.0902"),
    ("99.99", "3.7190"),
];

/// Demand and lead time, and how much each of them varies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supply {
    /// The average demand of a day.
    pub daily_demand: Exact,
    /// The standard deviation of the demand of a day.
    pub demand_deviation: Exact,
    /// The average lead time in days.
    pub lead_time: Exact,
    /// The standard deviation of the lead time in days; zero if it is certain.
    pub lead_time_deviation: Exact,
}

/// A safety stock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafetyStock {
    /// The z-value of the service level.
    pub z: Exact,
    /// The stock to two decimals.
    pub quantity: Exact,
    /// The stock in whole units, never fewer.
    pub units: Exact,
    /// The computation.
    pub lines: Vec<Line>,
}

/// The safety stock `z × √(L × σd² + d² × σL²)`, with one rounding at the end.
///
/// # Errors
///
/// A service level without a z-value in the table, a lead time of zero or less, a negative figure.
pub fn safety_stock(
    service_level: &Rate,
    supply: &Supply,
    rounding: Rounding,
) -> Result<SafetyStock, FormulaError> {
    let z = z_value(service_level)?;
    let Supply { daily_demand, demand_deviation, lead_time, lead_time_deviation } = supply;
    not_below_zero("daily_demand", daily_demand)?;
    not_below_zero("demand_deviation", demand_deviation)?;
    above_zero("lead_time", lead_time)?;
    not_below_zero("lead_time_deviation", lead_time_deviation)?;
    let of_demand = demand_deviation.times(demand_deviation)?.times(lead_time)?;
    let swing = daily_demand.times(lead_time_deviation)?;
    let variance = of_demand.plus(&swing.times(&swing)?)?;
    // z goes under the root, so that only the result is rounded.
    let square = variance.times(&z)?.times(&z)?;
    let quantity = square_root(&square, SAFETY_STOCK_PLACES, rounding)?;
    let units = square_root(&square, 0, Rounding::Up)?;
    let lines = vec![
        Line::new("z-value", format!("service level {service_level}"), z.clone()),
        Line::new(
            "safety stock",
            format!("{z} × √({lead_time} × {demand_deviation}² + {daily_demand}² × {lead_time_deviation}²)"),
            quantity.clone(),
        ),
        Line::new("whole units", "rounded up", units.clone()),
    ];
    Ok(SafetyStock { z, quantity, units, lines })
}

fn z_value(service_level: &Rate) -> Result<Exact, FormulaError> {
    for (percent, z) in Z_VALUES {
        if service_level.as_percent() == &Exact::parse(percent)? {
            return Ok(Exact::parse(z)?);
        }
    }
    let known: Vec<_> = Z_VALUES.iter().map(|(percent, _)| format!("{percent}%")).collect();
    Err(FormulaError::NotKnown {
        parameter: "service_level",
        given: service_level.to_string(),
        known: known.join(", "),
    })
}

pub(super) const ENTRY: Function = Function {
    name: "safety_stock",
    example: Some(
        "What is the safety stock at 95% service level, standard deviation of daily demand 10 units, lead time 4 days?",
    ),
    summary: "The stock to keep against varying demand and lead time at a service level.",
    words: &[
        "mindestbestand",
        "sicherheitsbestands",
        "stock de sécurité",
        "stock de seguridad",
        "pufferbestand",
        "safety stock",
        "buffer stock",
        "sicherheitsbestand",
    ],
    parameters: &[
        Parameter::required(
            "service_level",
            Kind::Percent,
            "how often stock must last: 50, 75, 80, 85, 90, 95, 97.5, 98, 99, 99.5, 99.9 or 99.99 percent",
        ),
        Parameter::required(
            "demand_deviation",
            Kind::Number,
            "the standard deviation of the demand of a day",
        )
        .near(&[
            "standardabweichung des tagesbedarfs",
            "standardabweichung von",
            "écart type",
            "desviación estándar",
            "daily demand deviation",
            "standardabweichung des bedarfs",
            "streuung",
            "deviation",
            "demand deviation",
            "deviation of demand",
            "standardabweichung",
            "standard deviation",
            "standard deviation of daily demand",
            "deviation of daily demand",
            "deviation of the daily demand",
        ])
        .counts(Counted::Pieces)
        .per(&[Per::Day]),
        Parameter::required("lead_time", Kind::Number, "the average lead time in days")
            .near(&[
                "lieferzeit von",
                "wiederbeschaffungszeit",
                "vorlaufzeit",
                "lieferfrist",
                "délai",
                "plazo",
                "lead time",
                "lieferzeit",
            ])
            .counts(Counted::Days),
        Parameter::default(
            "daily_demand",
            Kind::Number,
            "0",
            "the average demand of a day; needed if the lead time varies",
        )
        .near(&["daily demand", "average demand"])
        .named()
        .counts(Counted::Pieces)
        .per(&[Per::Day]),
        Parameter::default(
            "lead_time_deviation",
            Kind::Number,
            "0",
            "the standard deviation of the lead time in days",
        )
        .near(&["lead time deviation", "deviation of the lead time"])
        .named()
        .counts(Counted::Days),
        Parameter::ROUNDING,
    ],
    answer: "units",
    asked: Asked {
        must_name: false,
        results: &[AskedResult::new("units", "units", &[])],
        also: &[
            "servicegrad",
            "servicelevel",
            "service-level",
            "lieferbereitschaft",
            "lieferbereitschaftsgrad",
            "tagesbedarf*",
            "täglich*",
            "bedarfs",
            "standardabweichung",
            "lieferzeit",
            "eine",
            "einen",
            "daily",
            "constant",
            "service level",
            "standard deviation",
            "demand",
            "average",
            "lead time",
            "per day",
            "fixed",
        ],
        evidence: &[],
        unless: &["weekly", "monthly", "annual", "yearly"],
    },
    run: |given| {
        let supply = Supply {
            daily_demand: given.number("daily_demand")?.clone(),
            demand_deviation: given.number("demand_deviation")?.clone(),
            lead_time: given.number("lead_time")?.clone(),
            lead_time_deviation: given.number("lead_time_deviation")?.clone(),
        };
        let found = safety_stock(given.rate("service_level")?, &supply, given.rounding()?)?;
        let values =
            [("z", found.z.into()), ("quantity", found.quantity.into()), ("units", found.units.into())];
        Ok(Answer::of(values).with_lines(found.lines))
    },
};
