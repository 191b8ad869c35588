//! A calculation and its result beside each other: "12% of $8,500 ($1,020)", "$1,020 (12% of $8,500)", "3 × $40: $120".
//!
//! Nothing says that the one is the other, so only what is written as an amount is taken for it, and nothing may stand in
//! the parentheses besides.

use super::expression::{Side, side};
use super::found::Found;
use super::range::{ascends, is_hyphened};
use super::relation::Relation;
use super::statement::Reader;
use super::token::{Operator, TokenKind};

/// A colon or a parenthesis says less than a verb.
fn silent(next: usize) -> Relation {
    Relation { is_about: false, is_word: true, is_tight: false, next }
}

impl Reader<'_> {
    /// A result behind the calculation that was read up to its end.
    pub(super) fn result_beside(&self, base: &Side) -> Option<Found> {
        let is_enclosed = self.is_open(base.end);
        if base.operators.is_empty() || !(is_enclosed || self.is_sign(base.end, &[":"])) {
            return None;
        }
        let claim = side(self.text, self.tokens, base.end + 1).ok()?;
        let ends = if is_enclosed {
            self.is_close(claim.end) && self.is_final(claim.end + 1)
        } else {
            self.is_final(claim.end)
        };
        if ends && self.may_stand_beside(base, &claim) { self.beside(base, &claim) } else { None }
    }

    /// A calculation in parentheses behind its result.
    pub(super) fn calculation_beside(&self, at: usize) -> Option<Found> {
        self.figure(at)?;
        if !self.is_open(at + 1) {
            return None;
        }
        let claim = side(self.text, self.tokens, at).ok().filter(|claim| claim.end == at + 1)?;
        // "$1,020 (= 12% × $8,500)"
        let is_equal = self.tokens.get(at + 2).is_some_and(|token| token.kind == TokenKind::Equals);
        let base = side(self.text, self.tokens, at + 2 + usize::from(is_equal)).ok()?;
        let is_whole = self.is_close(base.end) && !base.operators.is_empty();
        if is_whole && self.may_stand_beside(&base, &claim) { self.beside(&base, &claim) } else { None }
    }

    fn beside(&self, base: &Side, claim: &Side) -> Option<Found> {
        let next = base.start.max(claim.start);
        Some(self.recompute(base, claim, silent(next), None))
    }

    /// Whether an amount can only be meant as what a calculation comes to.
    fn may_stand_beside(&self, base: &Side, claim: &Side) -> bool {
        let Some(quantity) = claim.lone() else { return false };
        let is_blocked = self.is_blocked(base.start.min(claim.start));
        let is_range =
            is_hyphened(base) && (ascends(base) || base.figures.iter().any(|f| f.currency.is_none()));
        let divides = base.operators.iter().any(|written| written.operator == Operator::Over);
        let adds = base
            .operators
            .iter()
            .any(|written| matches!(written.operator, Operator::Plus | Operator::Minus(_)));
        let has_money = base.figures.iter().any(|figure| figure.currency.is_some());
        let has_unit = base.figures.iter().any(|figure| figure.unit.is_some());
        let is_qualified = quantity.unit.is_some() || self.word(base.end.saturating_sub(1)).is_some();
        let is_amount = base.figures.iter().any(|figure| figure.is_marked() && !figure.is_percent);
        let all_percent = base.figures.iter().all(|figure| figure.is_percent);
        let is_fraction = divides && base.operators.iter().all(|written| written.is_tight);
        let fits = if quantity.is_percent {
            divides && (!is_fraction || rises(base))
        } else {
            // "5/12 (3.50)" may be a day, and "10% × 2 years" a rate.
            !is_fraction
                && !all_percent
                && (has_money || (is_amount && !has_unit))
                && (quantity.currency.is_some() || !has_money)
        };
        let is_other = is_blocked || is_range || is_qualified || (adds && has_unit) || base.has_mixed_units();
        quantity.is_marked() && fits && !is_other
    }
}

/// "45/60 (75%)" is a share, and "60/45" is none.
fn rises(base: &Side) -> bool {
    matches!(base.figures.as_slice(), [part, whole] if part.value <= whole.value)
}
