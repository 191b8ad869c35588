//! Shares in words: "45 of 60 (75%)", "19% VAT on $1,000 is $190", "10% off $500 is $450", "half of $500 is $250".

use purple_finance::Exact;

use super::Kind;
use super::found::{Found, Made};
use super::phrase::NUMBERED;
use super::quantity::{Closeness, Quantity};
use super::relation::relation;
use super::statement::Reader;
use super::token::TokenKind;
use super::told::{closeness, is_one_money};

/// From how many on "45 of 60 (75%)" counts a share; "2 of 3 (30%)" may be the second of three instalments.
const COUNTED_MIN: i128 = 10;
/// How many words may stand between a figure and what is told of it.
const NAME_WORDS_MAX: usize = 3;

/// Percentages of these names are of a year, or of something that is not told.
const TIMED: &[&str] = &[
    "interest", "annual", "annually", "yearly", "monthly", "rate", "apr", "yield", "return", "coupon",
    "dividend", "growth", "increase", "decrease", "margin", "markup",
];

/// Words before a percentage that leave it open.
const OPEN: &[&str] =
    &["than", "to", "least", "most", "over", "under", "about", "around", "between", "and", "or"];

impl Reader<'_> {
    /// Every share.
    pub(super) fn shares(&self, found: &mut Vec<Found>) {
        for at in 0..self.tokens.len() {
            found.extend(
                self.part_of(at)
                    .or_else(|| self.rated(at))
                    .or_else(|| self.with_rate(at))
                    .or_else(|| self.applied(at))
                    .or_else(|| self.multiple(at)),
            );
        }
    }

    /// "45 of 60 invoices (75%)", "45 out of 60 is 75%", "$45 of $60 is 75%".
    fn part_of(&self, at: usize) -> Option<Found> {
        let part = self.figure(at)?;
        let is_out = self.word(at + 1) == Some("out") && self.word(at + 2) == Some("of");
        if !is_out && self.word(at + 1) != Some("of") {
            return None;
        }
        let whole_at = self.past_article(at + 2 + usize::from(is_out));
        let whole = self.figure(whole_at)?;
        let end = (whole_at + 1..)
            .take(NAME_WORDS_MAX + 1)
            .find(|end| self.word(*end).is_none_or(|_| relation(self.text, self.tokens, *end).is_some()))?;
        let (claim_at, closeness) = match relation(self.text, self.tokens, end) {
            Some(relation) => (relation.next, closeness(relation)),
            None if self.is_open(end) => (end + 1, Closeness::Shown),
            None => return None,
        };
        let claim = self.figure(claim_at).filter(|claim| claim.is_percent)?;
        let is_aside = self.is_open(end);
        let is_ended = if is_aside { self.is_close(claim_at + 1) } else { self.is_closed(claim_at + 1) };
        let is_money = is_one_money([part, whole]);
        let counts = |quantity: &Quantity| quantity.currency.is_none() && quantity.places == 0;
        let is_count = counts(part) && counts(whole) && !whole.is_year();
        let is_many = is_out || whole.value.to_i128().is_some_and(|many| many >= COUNTED_MIN);
        let is_share = is_ended
            && !part.is_percent
            && !whole.is_percent
            && part.value <= whole.value
            && (is_money || (is_count && is_many && !self.is_place(at)));
        let exact = part.value.over(&whole.value).ok().filter(|_| is_share)?;
        Made {
            span: self.span(at, claim_at + 1 + usize::from(is_aside)),
            kind: Kind::Equation,
            inputs: vec![part, whole],
            claim,
            readings: vec![exact],
            closeness,
            is_scale: true,
        }
        .found(self.text)
    }

    /// Whether a number may be the place in a row: "page 3 of 60", "milestone 3 of 12".
    fn is_place(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|at| self.tokens.get(at)) else { return false };
        let written = self.text.get(before.span.clone()).unwrap_or_default();
        match &before.kind {
            // A verb in the past, or a small word; the rest may be names.
            TokenKind::Word(word) => {
                let tells = word.ends_with("ed")
                    || matches!(
                        word.as_str(),
                        "paid"
                            | "are"
                            | "is"
                            | "were"
                            | "was"
                            | "only"
                            | "that"
                            | "so"
                            | "and"
                            | "met"
                            | "sent"
                    );
                NUMBERED.contains(&word.trim_end_matches('s')) || !tells
            }
            TokenKind::Other if matches!(written, ":" | "#") => {
                let name = at.checked_sub(2).and_then(|at| self.word(at));
                written == "#" || name.is_some_and(|name| NUMBERED.contains(&name.trim_end_matches('s')))
            }
            TokenKind::Other => written.chars().any(char::is_alphanumeric),
            TokenKind::Figure(_) | TokenKind::Operator(_) | TokenKind::Close => true,
            TokenKind::Open | TokenKind::Equals | TokenKind::About => false,
        }
    }

    /// "19% VAT on $1,000 is $190", "VAT (19%) on $1,000 = $190", "10% off $500 is $450": the share, or what it leaves.
    fn rated(&self, at: usize) -> Option<Found> {
        let rate = self.figure(at).filter(|rate| rate.is_percent)?;
        let mut next = at + 1 + usize::from(self.is_close(at + 1));
        let names = (next..).take(2).take_while(|at| {
            self.word(*at).is_some_and(|word| !matches!(word, "on" | "off") && !TIMED.contains(&word))
        });
        next += names.count();
        let is_off = match self.word(next)? {
            "on" => false,
            "off" => true,
            _ => return None,
        };
        let before = at.checked_sub(1).and_then(|at| self.word(at));
        let named = at.checked_sub(2).and_then(|at| self.word(at));
        let is_open = before.is_some_and(|word| OPEN.contains(&word) || TIMED.contains(&word))
            || named.is_some_and(|word| TIMED.contains(&word));
        let whole_at = self.past_article(next + 1);
        let whole = self.figure(whole_at)?;
        let relation = relation(self.text, self.tokens, whole_at + 1)?;
        let claim = self.figure(relation.next)?;
        if is_open || !is_one_money([whole, claim]) || !self.is_final(relation.next + 1) {
            return None;
        }
        let share = rate.value.times(&whole.value).ok()?;
        let mut readings = vec![share.clone(), whole.value.minus(&share).ok()?];
        if is_off {
            readings.reverse();
        } else {
            readings.push(whole.value.plus(&share).ok()?);
        }
        Made {
            span: self.span(at, relation.next + 1),
            kind: Kind::Equation,
            inputs: vec![rate, whole],
            claim,
            readings,
            closeness: closeness(relation),
            is_scale: true,
        }
        .found(self.text)
    }

    /// "$500 with a 10% discount is $450", "$500 with 10% off is $450".
    fn with_rate(&self, at: usize) -> Option<Found> {
        let whole = self.figure(at)?;
        if self.word(at + 1) != Some("with") {
            return None;
        }
        let rate_at = self.past_article(at + 2);
        let rate = self.figure(rate_at).filter(|rate| rate.is_percent)?;
        let is_less = match self.word(rate_at + 1)? {
            "off" | "discount" | "reduction" | "rebate" => true,
            "surcharge" | "uplift" | "vat" | "tax" | "premium" => false,
            _ => return None,
        };
        let relation = relation(self.text, self.tokens, rate_at + 2)?;
        let claim = self.figure(relation.next)?;
        if !is_one_money([whole, claim]) || !self.is_final(relation.next + 1) {
            return None;
        }
        let share = rate.value.times(&whole.value).ok()?;
        let exact = if is_less { whole.value.minus(&share) } else { whole.value.plus(&share) }.ok()?;
        Made {
            span: self.span(at, relation.next + 1),
            kind: Kind::Equation,
            inputs: vec![whole, rate],
            claim,
            readings: vec![exact],
            closeness: closeness(relation),
            is_scale: true,
        }
        .found(self.text)
    }

    /// "Applying 12% to $8,500 gives $1,020", "applying the 12% rate to …".
    fn applied(&self, at: usize) -> Option<Found> {
        if !matches!(self.word(at), Some("applying" | "apply")) {
            return None;
        }
        let rate_at = self.past_article(at + 1);
        let rate = self.figure(rate_at).filter(|rate| rate.is_percent)?;
        let to = rate_at
            + 1
            + usize::from(matches!(self.word(rate_at + 1), Some("rate" | "share" | "percentage")));
        let whole_at = self.past_article(to + 1);
        let whole = self.figure(whole_at).filter(|_| self.word(to) == Some("to"))?;
        let relation = relation(self.text, self.tokens, whole_at + 1)?;
        let claim = self.figure(relation.next)?;
        if claim.is_percent || !is_one_money([whole, claim]) || !self.is_final(relation.next + 1) {
            return None;
        }
        Made {
            span: self.span(at, relation.next + 1),
            kind: Kind::Equation,
            inputs: vec![rate, whole],
            claim,
            readings: vec![rate.value.times(&whole.value).ok()?],
            closeness: closeness(relation),
            is_scale: true,
        }
        .found(self.text)
    }

    /// "Half of $500 is $250", "a third of $900 is $300", "twice $250 is $500", "three times $250 is $750".
    fn multiple(&self, at: usize) -> Option<Found> {
        let before = |by: usize| at.checked_sub(by).and_then(|at| self.word(at));
        let one = |parts: i64| Exact::ONE.over(&Exact::from(parts)).ok();
        let is_one = matches!(before(1), Some("a" | "one"));
        let (factor, whole_at) = match (self.word(at)?, self.word(at + 1)) {
            ("half", Some("of")) => (one(2)?, at + 2),
            ("third", Some("of")) if is_one => (one(3)?, at + 2),
            ("quarter", Some("of")) if is_one => (one(4)?, at + 2),
            ("fifth", Some("of")) if is_one => (one(5)?, at + 2),
            ("tenth", Some("of")) if is_one => (one(10)?, at + 2),
            ("twice" | "double", _) => (Exact::from(2), at + 1),
            ("triple" | "thrice", _) => (Exact::from(3), at + 1),
            (word, Some("times")) => (Exact::from(number(word)?), at + 2),
            _ => return None,
        };
        let last = before(if is_one { 2 } else { 1 });
        let is_open = last.is_some_and(|word| {
            OPEN.contains(&word)
                || matches!(
                    word,
                    "first" | "second" | "other" | "last" | "latter" | "remaining" | "and" | "nearly"
                )
        });
        let whole_at = self.past_article(whole_at);
        let whole = self.figure(whole_at)?;
        let relation = relation(self.text, self.tokens, whole_at + 1)?;
        let claim = self.figure(relation.next)?;
        if is_open || !is_one_money([whole, claim]) || !self.is_final(relation.next + 1) {
            return None;
        }
        Made {
            span: self.span(at, relation.next + 1),
            kind: Kind::Equation,
            inputs: vec![whole],
            claim,
            readings: vec![whole.value.times(&factor).ok()?],
            closeness: closeness(relation),
            is_scale: false,
        }
        .found(self.text)
    }

    /// Whether a statement ends here: nothing follows that limits what is claimed.
    pub(super) fn is_final(&self, end: usize) -> bool {
        let goes_on = matches!(self.word(end), Some("for" | "in" | "total"))
            || (self.word(end) == Some("and") && self.figure(end + 1).is_some());
        self.is_closed(end) && !goes_on
    }

    pub(super) fn is_open(&self, at: usize) -> bool {
        self.tokens.get(at).map(|token| &token.kind) == Some(&TokenKind::Open)
    }

    pub(super) fn is_close(&self, at: usize) -> bool {
        self.tokens.get(at).map(|token| &token.kind) == Some(&TokenKind::Close)
    }
}

/// A small number in words.
fn number(word: &str) -> Option<i64> {
    const NUMBERS: &[&str] =
        &["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    NUMBERS.iter().position(|number| *number == word).and_then(|at| i64::try_from(at + 2).ok())
}
