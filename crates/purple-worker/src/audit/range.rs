//! What a hyphen between figures may be besides a minus: a range, a date, the number of something.
//!
//! `500 - 300 = 250` is a wrong difference, and so is `300 - 500 = 200`; "Tier 3 - 5 = 2%", "pages 300 - 500 are 200
//! pages" and "order 4500-12 = 3 units" are none. Where that cannot be said, only what holds is read.

use purple_finance::Exact;

use super::expression::{Side, Written};
use super::phrase::{COMPARED, NUMBERED};
use super::relation::Relation;
use super::result::LEADS;
use super::statement::Reader;
use super::token::{Operator, Stroke, Token, TokenKind, is_sign};

/// Names of ranges and of results that are written with a hyphen, beside those of numbered and compared things.
const RANGED: &[&str] = &[
    "ratio",
    "point",
    "grade",
    "scale",
    "rating",
    "interval",
    "period",
    "window",
    "team",
    "game",
    "match",
    "won",
    "lost",
    "spread",
    "flight",
    "item",
    "model",
    "tel",
    "telephone",
    "hotline",
    "fax",
    "mobile",
    "call",
    "dial",
    "unit",
    "block",
    "cell",
    "group",
    "class",
    "category",
    "part",
    "figure",
    "table",
    "slot",
    "between",
    "from",
    "no",
];

/// Words after which a figure is the first of a calculation, beside those after which it is a result.
const BEGINNING: &[&str] = &[
    "and",
    "of",
    "get",
    "compute",
    "calculate",
    "have",
    "as",
    "are",
    "was",
    "i.e.",
    "with",
    "amount",
    "difference",
    "credit",
    "debit",
    "fee",
    "balance",
    "net",
    "gross",
    "pay",
    "cost",
    "costs",
    "price",
    "refund",
    "variance",
    "change",
    "excess",
    "margin",
    "profit",
    "loss",
    "remainder",
    "tax",
    "charge",
    "leaves",
    "leaving",
    "where",
];

/// Whether a minus is written with a sign that is punctuation too.
pub(super) fn is_hyphen(operator: Operator) -> bool {
    matches!(operator, Operator::Minus(Stroke::Hyphen | Stroke::Dash))
}

/// A hyphen or slash without blanks belongs to a date, a range, a number of something, unless all is written so, or it
/// stands between two figures of which the first is the larger.
pub(super) fn is_tightly_written(sides: &[Side], relations: &[Relation]) -> bool {
    let mut operators = sides.iter().flat_map(|side| side.operators.iter());
    let all_tight =
        operators.all(|written| written.is_tight) && relations.iter().all(|relation| relation.is_tight);
    let is_unclear = |side: &Side| has_tight_hyphen(side) && !(side.operators.len() == 1 && descends(side));
    let is_slash = |written: &Written| written.is_tight && written.operator == Operator::Over;
    let is_date = |side: &Side| side.operators.windows(2).any(|pair| pair.iter().all(is_slash));
    (!all_tight && sides.iter().any(is_unclear)) || sides.iter().any(is_date)
}

fn has_tight_hyphen(side: &Side) -> bool {
    side.operators.iter().any(|written| written.is_tight && is_hyphen(written.operator))
}

/// Whether "2/3 is 600" may be two thirds of something that is not named here.
pub(super) fn is_part_of_something(base: &Side, claim: &Side) -> bool {
    let is_slash = matches!(base.operators[..], [Written { operator: Operator::Over, is_tight: true, .. }]);
    let is_part = matches!(base.figures.as_slice(), [part, whole] if part.value < whole.value);
    is_slash && is_part && claim.lone().is_some_and(|claim| claim.value > Exact::from(1) && !claim.is_percent)
}

/// Whether a side is nothing but hyphens between figures.
pub(super) fn is_hyphened(side: &Side) -> bool {
    !side.operators.is_empty()
        && side.operators.iter().all(|written| is_hyphen(written.operator) && !written.is_word)
}

fn descends(side: &Side) -> bool {
    matches!(side.figures.as_slice(), [high, low] if low.value < high.value && !high.is_year())
}

/// Whether two figures rise as the ends of a range do; "5 - 10%" rises in points.
pub(super) fn ascends(side: &Side) -> bool {
    let [low, high] = side.figures.as_slice() else { return false };
    let points = |value: &Exact, is_points: bool| {
        if is_points {
            value.times(&Exact::from(100)).unwrap_or_else(|_| value.clone())
        } else {
            value.clone()
        }
    };
    let is_points = high.is_percent && !low.is_percent && low.currency.is_none();
    low.value < points(&high.value, is_points)
}

/// How many ranges of a text are said to be a number: with two of them it is a key, "0 - 100 = 1, 101 - 500 = 2".
pub(super) fn keys(pieces: &[Vec<Token>]) -> usize {
    let is_key = |five: &[Token]| {
        let [low, minus, high, equals, claim] = five else { return false };
        let (TokenKind::Figure(low), TokenKind::Figure(high), TokenKind::Figure(claim)) =
            (&low.kind, &high.kind, &claim.kind)
        else {
            return false;
        };
        let is_minus = matches!(minus.kind, TokenKind::Operator(operator) if is_hyphen(operator));
        let is_equals = matches!(&equals.kind, TokenKind::Equals)
            || matches!(&equals.kind, TokenKind::Word(word) if word == "is");
        let is_number = claim.is_bare && !claim.value.is_negative() && !low.is_year();
        is_minus && is_equals && is_number && low.value < high.value
    };
    pieces.iter().map(|piece| piece.windows(5).filter(|five| is_key(five)).count()).sum()
}

impl Reader<'_> {
    /// Whether a side with hyphens may be something else than a difference.
    pub(super) fn may_be_range(&self, base: &Side, claim: &Side, relation: Relation) -> bool {
        let is_dated = base.operators.iter().any(|one| one.is_tight && one.operator == Operator::Over)
            && base.operators.iter().any(|one| is_hyphen(one.operator) || one.operator == Operator::Plus);
        // "24/7 support is 5% of it"
        let is_always = matches!(base.operators.as_slice(), [one] if one.is_tight && one.operator == Operator::Over)
            && !ascends(base)
            && claim.lone().is_some_and(|quantity| quantity.is_percent);
        if (is_dated || is_always) && relation.is_word {
            return true;
        }
        // "2 - 3 weeks is 10 - 15 days"
        if [base, claim].iter().all(|side| is_hyphened(side) && ascends(side)) {
            return true;
        }
        let Some(quantity) = claim.lone().filter(|_| is_hyphened(base)) else { return false };
        let is_below = quantity.value.is_negative() || claim.tree.has_enclosed();
        let ascends = ascends(base) && !is_below;
        let is_tight = has_tight_hyphen(base) && !relation.is_tight;
        let has_percent = base.figures.iter().any(|figure| figure.is_percent);
        let has_currency = base.figures.iter().any(|figure| figure.currency.is_some());
        // "$50 - $40 = 20% off", and "$8 - 10 = $9"
        let is_half = ascends && has_currency && base.figures.iter().any(|figure| figure.currency.is_none());
        if !has_percent && (quantity.is_percent || is_half) {
            return true;
        }
        let is_bare = base.figures.iter().all(|figure| figure.is_bare);
        if !ascends && !is_tight && !relation.is_word {
            return is_bare && (self.is_numbered(base.start) || self.is_clock(base, claim.end));
        }
        let has_unit = quantity.unit.is_some() && base.figures.iter().all(|figure| figure.unit.is_none());
        let is_other = has_unit
            || (quantity.is_percent && !has_percent)
            || (quantity.currency.is_some() && !has_currency && (is_bare || has_percent))
            || !(self.is_closed(claim.end) || self.is_relation(claim.end));
        let is_year = base.figures.iter().any(|figure| figure.is_year());
        let is_named = is_bare && (is_year || self.is_named(base.start));
        is_other
            || is_named
            || (ascends
                && ((has_percent && (relation.is_word || quantity.is_percent))
                    || (is_bare && self.may_be_key(base, &quantity.value))))
    }

    /// "9 - 5 = 8 hours" goes round the clock.
    fn is_clock(&self, base: &Side, end: usize) -> bool {
        const HOURS: i128 = 24;
        let is_hour = |value: &Exact| value.to_i128().is_some_and(|hour| hour <= HOURS);
        matches!(self.word(end), Some("hours" | "hour" | "h" | "hrs"))
            && base.figures.iter().all(|figure| is_hour(&figure.value))
    }

    /// Whether a range that rises stands in a key, or begins at nothing; the width of a range is a lost minus.
    fn may_be_key(&self, base: &Side, stated: &Exact) -> bool {
        let [low, high] = base.figures.as_slice() else { return true };
        let is_width = high.value.minus(&low.value).is_ok_and(|width| width == *stated);
        low.value.is_zero() || (self.keys > 1 && !is_width)
    }

    /// Whether the name of something numbered or ranged stands before this token, also before a colon.
    fn is_numbered(&self, at: usize) -> bool {
        let colon = usize::from(at > 0 && self.is_sign(at - 1, &[":", "."]));
        let Some(name) = at.checked_sub(1 + colon).and_then(|at| self.word(at)) else { return false };
        let single = name.trim_end_matches('s');
        [NUMBERED, COMPARED, RANGED].iter().any(|names| names.contains(&single) || names.contains(&name))
    }

    /// Whether anything stands before this token that may be the name of what follows.
    pub(super) fn is_named(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|at| self.tokens.get(at)) else { return false };
        match &before.kind {
            TokenKind::Word(word) => {
                self.is_numbered(at)
                    || !(LEADS.contains(&word.as_str()) || BEGINNING.contains(&word.as_str()))
            }
            TokenKind::Equals | TokenKind::About | TokenKind::Open => false,
            TokenKind::Figure(_) | TokenKind::Close => true,
            TokenKind::Operator(_) => false,
            TokenKind::Other => {
                let written = self.text.get(before.span.clone()).unwrap_or_default();
                self.is_numbered(at) || written.chars().any(char::is_alphanumeric)
            }
        }
    }

    fn is_relation(&self, at: usize) -> bool {
        matches!(self.tokens.get(at).map(|token| &token.kind), Some(TokenKind::Equals | TokenKind::About))
    }

    pub(super) fn is_sign(&self, at: usize, signs: &[&str]) -> bool {
        is_sign(self.text, self.tokens, at, signs)
    }
}
