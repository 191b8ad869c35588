//! Differences in words: "from x to y is z", "the difference between x and y is z", and their like.

use purple_finance::Exact;

use super::expression::relation;
use super::found::{Found, Term, resting, resting_percent};
use super::quantity::{Closeness, Quantity};
use super::statement::Reader;
use super::{Fault, Kind, Statement};

impl Reader<'_> {
    /// Every difference.
    pub(super) fn differences(&self, found: &mut Vec<Found>) {
        for at in 0..self.tokens.len() {
            let joined = match (self.word(at), at.checked_sub(1).and_then(|at| self.word(at))) {
                (Some("from"), _) => "to",
                (Some("between"), Some("difference" | "gap" | "delta" | "variance")) => "and",
                (Some("of"), Some("difference")) => "and",
                _ => continue,
            };
            let Some(from) = self.figure(at + 1) else { continue };
            if self.word(at + 2) != Some(joined) {
                continue;
            }
            let Some(to) = self.figure(at + 3) else { continue };
            found.extend(self.difference(at, from, to, joined == "and"));
        }
    }

    fn difference(&self, start: usize, from: &Quantity, to: &Quantity, is_named: bool) -> Option<Found> {
        let mut at = start + 4;
        if self.text.get(self.tokens.get(at)?.span.clone()) == Some(",") {
            at += 1;
        }
        let (relation, mut at) = match (relation(self.tokens, at), self.word(at)) {
            (Some(relation), _) => (Some(relation), relation.next),
            (None, Some("means" | "represents")) => (None, at + 1),
            (None, _) => return None,
        };
        while matches!(self.word(at), Some("a" | "an" | "the")) {
            at += 1;
        }
        let mut direction = self.word(at).and_then(Direction::parse);
        if direction.is_some() {
            at += 1;
            if self.word(at) != Some("of") {
                return None;
            }
            at += 1;
        }
        let claim = self.figure(at)?;
        direction = direction.or_else(|| self.word(at + 1).and_then(Direction::parse));
        // "from 9 to 5 is 8 hours" and "a score from 1 to 5 is 3": spans and scales are no differences.
        let is_sign = relation.is_some_and(|relation| !relation.is_word);
        let is_plain = direction.is_none() && !is_named && !is_sign && from.is_bare && to.is_bare;
        let is_span =
            direction.is_none() && (claim.unit.is_some() || self.word(at + 1).is_some_and(is_span_word));
        if is_plain || is_span || !self.is_clear_after(at + 1) || from.is_percent != to.is_percent {
            return None;
        }
        Some(self.recompute_difference(start, at, from, to, direction, claim))
    }

    fn recompute_difference(
        &self,
        start: usize,
        at: usize,
        from: &Quantity,
        to: &Quantity,
        direction: Option<Direction>,
        claim: &Quantity,
    ) -> Found {
        let difference = to.value.minus(&from.value).ok();
        let relative =
            difference.as_ref().and_then(|difference| difference.over(&from.value.magnitude()).ok());
        let is_relative = claim.is_percent && !from.is_percent;
        let signed = if is_relative { relative } else { difference };
        // An increase of five is from below; a change of five may be either way, and of minus five only down.
        let exact = signed.map(|signed| match direction {
            Some(Direction::Up) => signed,
            Some(Direction::Down) => signed.negated(),
            Some(Direction::Any) | None if claim.value.is_negative() => signed,
            Some(Direction::Any) | None => signed.magnitude(),
        });
        let points = claim.as_percent();
        let ok = exact.as_ref().is_some_and(|exact| {
            claim.states(exact, Closeness::Shown)
                || (from.is_percent && !claim.is_percent && points.states(exact, Closeness::Shown))
        });
        let is_share = from.is_percent || claim.is_percent;
        let rests =
            |exact: &Exact| if is_share { resting_percent(exact) } else { resting(exact, Some(claim)) };
        let gives = exact.as_ref().filter(|_| ok).map(rests).unwrap_or_default();
        let span = self.span(start, at + 1);
        let statement = Statement {
            text: self.text.get(span.clone()).unwrap_or_default().to_owned(),
            span,
            kind: Kind::Difference,
            inputs: vec![from.value.clone(), to.value.clone()],
            stated: claim.value.clone(),
            fault: exact.is_none().then_some(Fault::DivisionByZero),
            exact,
            ok,
        };
        Found { statement, terms: vec![Term::addend(from), Term::addend(to)], gives }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
    Any,
}

impl Direction {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "increase" | "rise" | "gain" | "growth" | "uplift" => Self::Up,
            "decrease" | "drop" | "fall" | "reduction" | "decline" | "cut" | "loss" | "saving" => Self::Down,
            "change" | "difference" | "delta" | "variance" | "gap" | "swing" => Self::Any,
            _ => return None,
        })
    }
}

fn is_span_word(word: &str) -> bool {
    let word = word.trim_end_matches('s');
    matches!(
        word,
        "second"
            | "minute"
            | "hour"
            | "day"
            | "week"
            | "month"
            | "quarter"
            | "year"
            | "night"
            | "shift"
            | "km"
            | "mile"
            | "page"
            | "step"
            | "stop"
            | "floor"
            | "am"
            | "pm"
            | "o'clock"
    )
}
