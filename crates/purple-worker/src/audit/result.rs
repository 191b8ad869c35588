//! Results that stand before what gives them, and the doubts about what is told in words.
//!
//! "1,020 = 8,500 × 12%" and "1,020 is 12% of 8,500" claim as much as the other way round. But what stands first may be
//! the number of an order, a year, a rank, or an amount of which something else is told. Where that cannot be said, only
//! what holds is read.

use purple_finance::Exact;

use super::expression::Side;
use super::found::Found;
use super::quantity::same_currency;
use super::range::{ascends, is_hyphen};
use super::relation::Relation;
use super::statement::Reader;
use super::token::{Operator, Stroke, TokenKind};

/// Words after which a figure is an amount, however it is written.
pub(super) const LEADS: &[&str] = &[
    "so",
    "thus",
    "hence",
    "therefore",
    "then",
    "that",
    "because",
    "means",
    "namely",
    "the",
    "result",
    "total",
    "sum",
    "is",
    "equals",
    "makes",
    "gives",
];

/// Words after which something is told of a figure, and not that figure itself: "VAT on $5,000 is 20% of it".
pub(super) const RELATING: &[&str] = &[
    "on",
    "for",
    "at",
    "to",
    "from",
    "with",
    "without",
    "over",
    "under",
    "above",
    "below",
    "by",
    "in",
    "after",
    "before",
    "than",
    "per",
    "between",
    "until",
    "against",
    "and",
    "or",
    "upon",
    "within",
    "exceeding",
    "into",
    "every",
    "each",
];

/// Words that may follow a claim and leave it as it is.
const CLOSING: &[&str] = &[
    "and",
    "so",
    "as",
    "which",
    "because",
    "but",
    "in",
    "for",
    "then",
    "since",
    "altogether",
    "total",
    "exactly",
];

/// Measures of which one is so many of the other.
const MEASURES: &[&str] = &[
    "b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "g", "kg", "t", "mm", "cm", "m", "km", "ms", "s",
    "min", "h", "ml", "l", "w", "kw", "mw", "wh", "kwh", "mwh",
];

/// Words that compare what stands before them with something else.
const COMPARING: &[&str] = &[
    "more", "less", "higher", "lower", "above", "below", "over", "under", "greater", "smaller", "better",
    "worse", "larger", "cheaper", "short", "wide", "apart", "away", "long", "ahead", "behind", "too", "than",
    "beyond",
];

impl Reader<'_> {
    /// `c = a op b`, in a statement that goes up to `end`.
    pub(super) fn result_first(
        &self,
        claim: &Side,
        base: &Side,
        relation: Relation,
        end: usize,
    ) -> Option<Found> {
        let is_result = claim.lone().is_some() && !base.operators.is_empty();
        if !is_result || base.has_mixed_units() {
            return None;
        }
        let found = self.recompute(base, claim, relation, None);
        let is_doubtful = self.may_be_name(claim.start)
            || tells_something_else(claim, base)
            || is_range(claim, base, relation)
            || self.is_converted(claim, base)
            || !self.is_closed(end);
        (found.statement.ok || !is_doubtful).then_some(found)
    }

    /// Whether a statement in words may tell something else: "the price in 2024 increased by 10% is 120".
    pub(super) fn is_loose(&self, base: &Side, claim: &Side) -> bool {
        let is_spread =
            base.operators.iter().any(|written| written.is_phrase && written.operator == Operator::Over);
        let is_closed = is_spread || self.is_closed(claim.end);
        base.operators.iter().any(|written| written.is_phrase) && (self.may_be_name(base.start) || !is_closed)
    }

    /// Whether the figure at this token may be the number of something, a year, or what something is told of.
    pub(super) fn may_be_name(&self, at: usize) -> bool {
        let Some(quantity) = self.figure(at) else { return false };
        if quantity.is_year() {
            return true;
        }
        let is_marked = quantity.is_marked();
        let before = |by: usize| at.checked_sub(by).and_then(|at| self.tokens.get(at));
        let Some(token) = before(1) else { return false };
        match &token.kind {
            TokenKind::Word(word) if LEADS.contains(&word.as_str()) => false,
            TokenKind::Word(word) => !is_marked || RELATING.contains(&word.as_str()),
            // "Balance - $500 = …" subtracts from a name.
            TokenKind::Operator(Operator::Minus(Stroke::Hyphen)) => true,
            TokenKind::Operator(_) | TokenKind::Close | TokenKind::Figure(_) => !is_marked,
            TokenKind::Equals | TokenKind::About | TokenKind::Open => false,
            TokenKind::Other => match self.text.get(token.span.clone()).unwrap_or_default() {
                // "1 = 100 + 50, 2 = 200 + 50" is a key; "Therefore, 2 = 1 + 1" is none.
                "," => {
                    let is_led = matches!(before(2).map(|token| &token.kind),
                        Some(TokenKind::Word(word)) if LEADS.contains(&word.as_str()));
                    !is_led && !is_marked
                }
                written => !is_marked && written.chars().any(char::is_alphanumeric),
            },
        }
    }

    /// Whether what follows a claim leaves it as it is: no "higher", no "days", no further figure.
    pub(super) fn is_closed(&self, end: usize) -> bool {
        let Some(after) = self.tokens.get(end) else { return true };
        match &after.kind {
            TokenKind::Word(word) => CLOSING.contains(&word.as_str()),
            TokenKind::Figure(_) | TokenKind::Equals | TokenKind::About => false,
            TokenKind::Operator(_) | TokenKind::Open | TokenKind::Close | TokenKind::Other => {
                self.is_clear_after(end)
            }
        }
    }

    /// Whether what is claimed is compared with something: "12% of $8,500 is 5% more than last year".
    pub(super) fn is_compared(&self, end: usize) -> bool {
        let is_comparison = |at: usize| self.word(at).is_some_and(|word| COMPARING.contains(&word));
        is_comparison(end) || (self.word(end).is_some() && is_comparison(end + 1))
    }

    /// "200 KB × 20 = 4 MB" counts in another measure.
    pub(super) fn is_measured_otherwise(&self, base: &Side, claim: &Side) -> bool {
        let is_measure = |unit: &&str| MEASURES.contains(unit);
        let claimed = claim.lone().and_then(|quantity| quantity.unit.as_deref());
        let Some(claimed) = claimed.or_else(|| self.word(claim.end)).filter(is_measure) else { return false };
        let mut units = base.figures.iter().filter_map(|figure| figure.unit.as_deref()).filter(is_measure);
        units.any(|unit| unit != claimed)
    }

    /// "$50 = 2 × 3 credits" and "100 USD = 90 + 2 EUR" convert.
    fn is_converted(&self, claim: &Side, base: &Side) -> bool {
        let Some(claimed) = claim.lone().and_then(|quantity| quantity.currency.as_deref()) else {
            return false;
        };
        let mut others = base.figures.iter().filter_map(|figure| figure.currency.as_deref()).peekable();
        if others.peek().is_none() {
            return base.figures.iter().any(|figure| figure.unit.is_some()) || self.word(base.end).is_some();
        }
        others.any(|other| !same_currency(other, claimed))
    }
}

/// "2 weeks = 7 + 7 days" counts in other units, and "5% = 100 + 20 points" explains.
fn tells_something_else(claim: &Side, base: &Side) -> bool {
    let Some(quantity) = claim.lone() else { return false };
    let has_share = base.figures.iter().any(|figure| figure.is_percent)
        || base.operators.iter().any(|written| written.operator == Operator::Over);
    quantity.unit.is_some() || (quantity.is_percent && !has_share)
}

/// "$8,000 is $5,000 - $10,000" and "3 is 4/5" name a range and a score; "200 = 300 - 500" lost a minus.
fn is_range(claim: &Side, base: &Side, relation: Relation) -> bool {
    let mut signs = base.operators.iter().filter(|written| !written.is_word);
    let has_hyphen = signs.clone().any(|one| is_hyphen(one.operator));
    let is_tight =
        signs.any(|one| one.is_tight && (is_hyphen(one.operator) || one.operator == Operator::Over));
    let is_width = |low: &Exact, high: &Exact| {
        let stated = claim.lone().map(|quantity| &quantity.value);
        !relation.is_word && high.minus(low).ok().as_ref() == stated
    };
    let rises = match base.figures.as_slice() {
        [low, high] => has_hyphen && ascends(base) && !is_width(&low.value, &high.value),
        _ => has_hyphen && relation.is_word,
    };
    (relation.is_word && is_tight) || rises
}
