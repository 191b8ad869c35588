//! Amounts with names in one sentence, and their total: "Hosting $100, support ($200) and travel at $300 total $600".
//!
//! Read only where every figure of the sentence is money of one currency, each with its name, one comma or "and" between
//! two, and no word that makes an amount something else than a part.

use super::Kind;
use super::found::{Found, Made};
use super::line::NO_PART;
use super::phrase::COMPARED;
use super::quantity::{Closeness, Quantity};
use super::relation::relation;
use super::result::RELATING;
use super::statement::Reader;
use super::token::TokenKind;
use super::told::is_one_money;

/// Words of times and of what is counted: their amounts are to be multiplied first.
const REPEATED: &[&str] = &[
    "month",
    "months",
    "monthly",
    "year",
    "years",
    "yearly",
    "annual",
    "annually",
    "week",
    "weeks",
    "weekly",
    "day",
    "days",
    "daily",
    "hour",
    "hours",
    "hourly",
    "quarter",
    "quarterly",
    "per",
    "each",
    "every",
    "times",
    "twice",
    "half",
    "less",
    "minus",
    "off",
    "if",
    "not",
    "or",
    "up",
    "save",
    "saved",
    "saving",
    "saves",
    "instead",
    "versus",
    "vs",
    "offset",
    "reduces",
    "reduced",
    "increases",
    "increased",
    "including",
    "includes",
    "incl",
    "excluding",
    "without",
    "adding",
    "averaging",
    "multiplying",
    "dividing",
    "subtracting",
    "deducting",
    "summing",
    "average",
    "mean",
    "product",
];

impl Reader<'_> {
    /// Every sentence that lists amounts and tells their total.
    pub(super) fn listings(&self, found: &mut Vec<Found>) {
        let mut start = 0;
        for end in 0..=self.tokens.len() {
            let is_end = self.tokens.get(end).is_none_or(|token| self.is_stop(token));
            if is_end {
                found.extend(self.listing(start, end));
                start = end + 1;
            }
        }
    }

    fn listing(&self, start: usize, end: usize) -> Option<Found> {
        let figures: Vec<usize> = (start..end).filter(|at| self.figure(*at).is_some()).collect();
        let (last, parts) = figures.split_last()?;
        if parts.len() < 2 {
            return None;
        }
        let named_to = self.total_at(*parts.last()?, *last, end)?;
        let start = self.begin(start, *parts.first()?);
        let is_listed = parts.windows(2).all(|pair| self.is_next(pair[0], pair[1]));
        let has_names = (start..named_to).any(|at| !figures.contains(&at) && self.is_part_name(at));
        let is_clear = (start..named_to).all(|at| figures.contains(&at) || self.may_stand_in(at));
        let quantities: Vec<&Quantity> = parts.iter().filter_map(|at| self.figure(*at)).collect();
        let claim = self.figure(*last)?;
        if !is_listed || !is_clear || !has_names || !is_one_money(quantities.iter().copied().chain([claim])) {
            return None;
        }
        let sum =
            quantities.iter().try_fold(purple_finance::Exact::ZERO, |sum, one| sum.plus(&one.value).ok())?;
        Made {
            span: self.span(start, *last + 1),
            kind: Kind::Total,
            inputs: quantities,
            claim,
            readings: vec![sum],
            closeness: Closeness::Shown,
            is_scale: false,
        }
        .found(self.text)
    }

    /// A label before a colon belongs to nothing.
    fn begin(&self, start: usize, first: usize) -> usize {
        (start..first).rev().find(|at| self.is_sign(*at, &[":"])).map_or(start, |colon| colon + 1)
    }

    /// Where it begins to be told that the last figure is the total of those before: "…, for a total of $600".
    fn total_at(&self, before: usize, last: usize, end: usize) -> Option<usize> {
        let verb = (before + 1..last).find(|at| {
            let is_plain =
                matches!(self.word(*at), Some("is" | "are" | "was" | "were" | "has" | "have" | "i.e."));
            let is_related = || relation(self.text, self.tokens, *at).is_some_and(|found| found.next == last);
            !is_plain && !self.is_sign(*at, &[","]) && is_related()
        });
        let is_noun = last >= 2 && self.word(last - 1) == Some("of") && self.word(last - 2) == Some("total");
        let words_behind = match (self.word(last + 1), self.word(last + 2)) {
            (Some("in"), Some("total")) => 2,
            (Some("altogether" | "total"), _) => 1,
            _ => 0,
        };
        let begin = verb.or(is_noun.then(|| last - 2)).or((words_behind > 0).then_some(last))?;
        let after = last + 1 + words_behind;
        (after >= end || self.is_closed(after)).then_some(begin)
    }

    /// Whether one comma or "and" stands between two figures.
    fn is_next(&self, one: usize, next: usize) -> bool {
        let separators: Vec<usize> = (one + 1..next)
            .filter(|at| self.is_sign(*at, &[",", "&"]) || matches!(self.word(*at), Some("and" | "plus")))
            .collect();
        match separators.as_slice() {
            [_] => true,
            [comma, and] => and - comma == 1,
            _ => false,
        }
    }

    fn is_part_name(&self, at: usize) -> bool {
        let is_verb = relation(self.text, self.tokens, at).is_some();
        self.word(at).is_some_and(|word| {
            !is_verb
                && !matches!(word, "and" | "the" | "a" | "for" | "total" | "of" | "to" | "up" | "together")
        })
    }

    /// Whether a token may stand in a list of amounts.
    fn may_stand_in(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        match &token.kind {
            TokenKind::Word(word) => {
                let word = word.as_str();
                let is_kept = matches!(word, "and" | "for" | "at" | "in");
                let single = word.trim_end_matches('s');
                let is_other = NO_PART.contains(&word)
                    || RELATING.contains(&word)
                    || REPEATED.contains(&word)
                    || COMPARED.contains(&single);
                is_kept || !is_other
            }
            TokenKind::Open | TokenKind::Close => true,
            TokenKind::Other => {
                let written = self.text.get(token.span.clone()).unwrap_or_default();
                matches!(written, "," | "&") || written.chars().any(char::is_alphanumeric)
            }
            TokenKind::Figure(_) | TokenKind::Operator(_) | TokenKind::Equals | TokenKind::About => false,
        }
    }
}
