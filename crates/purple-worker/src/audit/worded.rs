//! Operators in words: "plus", "less the", "net of", "12% of the invoice total of", "3 invoices of $100".

use super::expression::{NO_UNIT, Reader, Written};
use super::quantity::Quantity;
use super::relation::relation;
use super::result::RELATING;
use super::token::{Operator, Stroke, TokenKind};

/// How many words may stand between an operator and the figure that it is about.
const BETWEEN_WORDS_MAX: usize = 4;

impl Reader<'_> {
    /// An operator in words, with a value behind it: in "120 plus tax" there is none.
    pub(super) fn operator_in_words(&self, at: usize) -> Option<(Written, usize)> {
        let minus = Operator::Minus(Stroke::Minus);
        let (written, words) = match (self.word(at)?, self.word(at + 1)) {
            ("plus", _) => (Written::word(Operator::Plus), 1),
            ("minus", _) => (Written::word(minus), 1),
            ("times", _) => (Written::word(Operator::Times), 1),
            ("multiplied", Some("by")) => (Written::word(Operator::Times), 2),
            ("divided", Some("by")) => (Written::word(Operator::Over), 2),
            ("less", _) => (Written::phrase(minus), 1),
            ("net", Some("of")) => (Written::phrase(minus), 2),
            ("increased" | "raised", Some("by")) => (Written::phrase(Operator::Plus), 2),
            ("decreased" | "reduced" | "lowered", Some("by")) => (Written::phrase(minus), 2),
            ("at", _) if self.is_rated(at) => (Written::phrase(Operator::Times), 1),
            ("of", _) if self.is_counted(at) => (Written::phrase(Operator::Times), 1),
            ("over" | "for", _) => (Written::phrase(self.spread(at)?), 1),
            _ => return None,
        };
        self.value_at(at + words).map(|value| (written, value - at))
    }

    /// The value behind an operator, past an article and a name: "the $500 credit", "VAT of 19%", "support $200".
    pub(super) fn value_at(&self, at: usize) -> Option<usize> {
        let kind = |at: usize| self.tokens.get(at).map(|token| &token.kind);
        if matches!(kind(at), Some(TokenKind::Figure(_) | TokenKind::Open)) {
            return Some(at);
        }
        let start = at + usize::from(is_article(self.word(at)));
        let names = (0..BETWEEN_WORDS_MAX).take_while(|by| self.is_name(start + by)).count();
        let of = usize::from(names > 0 && self.word(start + names) == Some("of"));
        let value = start + names + of;
        let open = usize::from(names > 0 && of == 0 && kind(value) == Some(&TokenKind::Open));
        let Some(TokenKind::Figure(quantity)) = kind(value + open) else { return None };
        let is_closed = open == 0 || kind(value + 2) == Some(&TokenKind::Close);
        (is_closed && is_amount(quantity)).then_some(value)
    }

    /// A word that can be part of a name.
    fn is_name(&self, at: usize) -> bool {
        self.word(at)
            .is_some_and(|word| word == "net" || !(NO_UNIT.contains(&word) || RELATING.contains(&word)))
    }

    /// "85,000 at 12% is" and "52 hours at $28 is" multiply; "at 12% discount" and "at 12% for a year" do something else.
    pub(super) fn is_rated(&self, at: usize) -> bool {
        let Some(of) = self.figures.last() else { return false };
        // "at a rate of $50"
        let Some(value) = self.value_at(at + 1) else { return false };
        let Some(TokenKind::Figure(rate)) = self.tokens.get(value).map(|token| &token.kind) else {
            return false;
        };
        if rate.is_percent {
            return !of.is_percent && relation(self.text, self.tokens, value + 1).is_some();
        }
        rate.currency.is_some() && of.currency.is_none() && !of.is_percent
    }

    /// "3 invoices of $100 each total": as many as there are, and what each is.
    fn is_counted(&self, at: usize) -> bool {
        let Some(many) = self.figures.last() else { return false };
        let is_plural =
            at.checked_sub(1).and_then(|at| self.word(at)).is_some_and(|word| word.ends_with('s'));
        let is_money = matches!(self.tokens.get(at + 1).map(|token| &token.kind),
            Some(TokenKind::Figure(each)) if each.currency.is_some());
        many.is_bare && is_plural && is_money && self.operators.is_empty()
    }

    /// "$12,000 over 12 months is $1,000 per month" divides, and "$1,000/month for 12 months is $12,000" multiplies.
    fn spread(&self, at: usize) -> Option<Operator> {
        let left = self.figures.last().filter(|left| left.currency.is_some() && self.operators.is_empty())?;
        let Some(TokenKind::Figure(many)) = self.tokens.get(at + 1).map(|token| &token.kind) else {
            return None;
        };
        let unit = self.word(at + 2).filter(|_| many.is_bare && !many.is_year())?.trim_end_matches('s');
        let before = |by: usize| at.checked_sub(by).and_then(|at| self.word(at));
        let is_rate = left.unit.as_deref() == Some(&format!("/{unit}"))
            || (before(1) == Some(unit) && matches!(before(2), Some("per" | "a" | "an" | "each" | "every")));
        if is_rate {
            return Some(Operator::Times);
        }
        // What is claimed must be told by the same unit.
        let relation = relation(self.text, self.tokens, at + 3)?;
        let is_per = matches!(self.word(relation.next + 1), Some("per" | "a" | "an" | "each" | "every"));
        (is_per && self.word(relation.next + 2) == Some(unit)).then_some(Operator::Over)
    }

    /// Words in parentheses behind a figure are its name: "$100 (hosting) + $200 (support)".
    pub(super) fn skip_name(&mut self) {
        let kind = |at: usize| self.tokens.get(at).map(|token| &token.kind);
        if kind(self.at) != Some(&TokenKind::Open) {
            return;
        }
        let words = (0..BETWEEN_WORDS_MAX).take_while(|by| self.word(self.at + 1 + by).is_some()).count();
        // "19% VAT ($190)" tells the share as well.
        let is_share = self.figures.last().is_some_and(|figure| figure.is_percent)
            && matches!(kind(self.at + 1), Some(TokenKind::Figure(share)) if share.currency.is_some());
        let words = if is_share { 1 } else { words };
        let end = self.at + 1 + words;
        let goes_on = matches!(
            kind(end + 1),
            Some(TokenKind::Operator(Operator::Plus | Operator::Times | Operator::Over) | TokenKind::Equals)
        ) || relation(self.text, self.tokens, end + 1).is_some();
        if words > 0 && kind(end) == Some(&TokenKind::Close) && goes_on {
            self.at = end + 1;
        }
    }
}

fn is_article(word: Option<&str>) -> bool {
    matches!(word, Some("a" | "an" | "the" | "its" | "this" | "that" | "another" | "further"))
}

/// Behind words only what is written as an amount is one: in "5% of the 2024 budget" there is none.
fn is_amount(quantity: &Quantity) -> bool {
    quantity.is_marked()
}
