//! How much a gift card can still take.

use super::error::{FormulaError, amount_at_most, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Function, Kind, Parameter};
use crate::figure::Line;
use crate::money::Money;

/// What a card can take of an incoming amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GiftCardCapacity {
    /// How much room there was.
    pub capacity: Money,
    /// How much of the incoming amount fits.
    pub accepted: Money,
    /// How much does not.
    pub overflow: Money,
    /// The balance afterwards.
    pub balance_after: Money,
}

impl GiftCardCapacity {
    /// Whether some of it does not fit.
    #[must_use]
    pub fn overflows(&self) -> bool {
        self.overflow.is_positive()
    }
}

/// Puts an incoming amount on a card up to its limit.
///
/// # Errors
///
/// A negative figure, two currencies, or a balance that is over the limit already: such a card needs a person.
pub fn compute_gift_card_capacity(
    balance: Money,
    incoming: Money,
    limit: Money,
) -> Result<GiftCardCapacity, FormulaError> {
    not_below_zero("balance", &balance)?;
    not_below_zero("incoming", &incoming)?;
    not_below_zero("limit", &limit)?;
    amount_at_most("balance", &balance, &limit)?;
    let capacity = limit.minus(&balance)?;
    let accepted = if incoming.compare(&capacity)?.is_gt() { capacity } else { incoming };
    let overflow = incoming.minus(&accepted)?;
    Ok(GiftCardCapacity { capacity, accepted, overflow, balance_after: balance.plus(&accepted)? })
}

pub(super) const ENTRY: Function = Function {
    name: "compute_gift_card_capacity",
    example: Some(
        "What capacity has a gift card with a balance of 80 USD, incoming 50 USD and a limit of 100 USD?",
    ),
    summary: "How much of an incoming amount fits on a gift card, and how much overflows.",
    words: &[
        "geschenkkarten",
        "gutschein",
        "guthabenkarte",
        "geschenkgutschein",
        "carte cadeau",
        "carte-cadeau",
        "tarjeta regalo",
        "tarjeta de regalo",
        "gift card",
        "gift-card",
        "capacity",
        "overflow",
        "store credit",
        "gutscheinkarte",
        "geschenkkarte",
    ],
    parameters: &[
        Parameter::required("balance", Kind::Money, "what is on the card").near(&[
            "balance",
            "solde",
            "saldo",
            "with",
            "holds",
            "has",
            "already",
            "on it",
            "loaded with",
            "guthaben",
        ]),
        Parameter::required("incoming", Kind::Money, "what is to be put on it").near(&[
            "aufladung",
            "einzahlung",
            "aufgeladen werden",
            "eingezahlt werden",
            "eingehend*",
            "hinzu",
            "incoming",
            "aufladen",
            "aufgeladen",
            "eingezahlt",
            "kommen",
            "recharge",
            "recarga",
            "load",
            "top-up",
            "put",
            "come in",
            "comes in",
            "add",
            "adding",
        ]),
        Parameter::required("limit", Kind::Money, "the most that a card may hold").near(&[
            "höchstbetrag",
            "höchstgrenze",
            "maximal",
            "limit von",
            "limit",
            "höchstens",
            "obergrenze",
            "limite",
            "plafond",
            "límite",
            "limit of",
            "maximum",
            "may hold",
            "can hold",
            "at most",
            "max",
        ]),
    ],
    answer: "capacity",
    asked: Asked {
        must_name: false,
        results: &[
            AskedResult::new(
                "accepted",
                "",
                &["fits", "fit", "accepted", "can be loaded", "can be added", "passt", "passen"],
            ),
            AskedResult::new(
                "overflow",
                "",
                &["overflow", "overflows", "does not fit", "not fit", "doesn't fit", "left over", "too much"],
            ),
            AskedResult::new(
                "capacity",
                "",
                &[
                    "what capacity",
                    "platz",
                    "kapazität",
                    "capacité",
                    "capacidad",
                    "capacity",
                    "room",
                    "space",
                ],
            ),
            AskedResult::new("balance_after", "", &["balance after", "new balance", "balance afterwards"]),
        ],
        also: &[
            "left",
            "remaining",
            "remains",
            "for",
            "noch",
            "wenn",
            "darauf",
            "drauf",
            "eine",
            "hat",
            "werden",
            "card",
            "much",
            "may hold",
            "may",
            "maximum",
        ],
        evidence: &[],
        unless: &[],
    },
    run: |given| {
        let (balance, incoming, limit) =
            (given.money("balance")?, given.money("incoming")?, given.money("limit")?);
        let found = compute_gift_card_capacity(balance, incoming, limit)?;
        let lines = vec![
            Line::new("capacity", format!("{limit} − {balance}"), found.capacity),
            Line::new("accepted", format!("{incoming}, at most {}", found.capacity), found.accepted),
            Line::new("overflow", format!("{incoming} − {}", found.accepted), found.overflow),
        ];
        let values = [
            ("capacity", found.capacity.into()),
            ("accepted", found.accepted.into()),
            ("overflow", found.overflow.into()),
            ("balance_after", found.balance_after.into()),
            ("overflows", found.overflows().into()),
        ];
        Ok(Answer::of(values).with_lines(lines))
    },
};
