//! Differences in words: "from x to y is z", "the difference between x and y is z", and their like.

use purple_finance::Exact;

use super::found::{Found, Term, resting, resting_percent};
use super::quantity::{Closeness, Quantity};
use super::relation::relation;
use super::statement::Reader;
use super::token::{Operator, TokenKind};
use super::{Fault, Kind, Statement};

/// How two figures are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// "from x to y"
    From,
    /// "the difference between x and y"
    Between,
    /// "x to y"
    Bare,
}

/// What is said of a difference.
#[derive(Clone, Copy)]
struct Change {
    /// The token of the figure that is claimed, and the one after the statement.
    at: usize,
    end: usize,
    direction: Option<Direction>,
}

impl Reader<'_> {
    /// Every difference.
    pub(super) fn differences(&self, found: &mut Vec<Found>) {
        for at in 0..self.tokens.len() {
            let before = |by: usize| at.checked_sub(by).and_then(|at| self.word(at));
            let Some(from) = self.figure(at) else { continue };
            let (joined, opening) = match (before(1), before(2)) {
                (Some("from"), _) => ("to", Opening::From),
                (Some("between"), Some("difference" | "gap" | "delta" | "variance"))
                | (Some("of"), Some("difference")) => ("and", Opening::Between),
                _ => ("to", Opening::Bare),
            };
            let Some(to) = self.figure(at + 2).filter(|_| self.word(at + 1) == Some(joined)) else {
                continue;
            };
            // "From 2023 to 2024, an increase of 5%" tells of something else.
            if from.is_percent != to.is_percent || (from.is_year() && to.is_year()) {
                continue;
            }
            let change = self.said(at, (from, to), opening).or_else(|| self.beside_change(at));
            let change = match opening {
                Opening::From => change.or_else(|| self.change_before(at - 1)),
                Opening::Between => change,
                // Without "from", only an increase or its like makes a difference of it.
                Opening::Bare => change.filter(|change| change.direction.is_some()),
            };
            if let Some(change) = change {
                let start = if opening == Opening::Bare { at } else { at - 1 };
                found.extend(self.recompute_difference(start.min(change.at), from, to, change));
            }
        }
    }

    /// "is an increase of 5", "means a 25% rise".
    fn said(&self, at: usize, (from, to): (&Quantity, &Quantity), opening: Opening) -> Option<Change> {
        let after = at + 3;
        let past_comma = after + usize::from(self.is_sign(after, &[","]));
        let found =
            relation(self.text, self.tokens, after).or_else(|| relation(self.text, self.tokens, past_comma));
        let (relation, next) = match (found, self.word(past_comma)) {
            (Some(relation), _) => (Some(relation), relation.next),
            (None, Some("means" | "represents" | "representing" | "meaning")) => (None, past_comma + 1),
            (None, _) => return None,
        };
        let change = self.directed(next)?;
        let claim = self.figure(change.at)?;
        // "from 9 to 5 is 8 hours" and "a score from 1 to 5 is 3": spans and scales are no differences.
        let is_sign = relation.is_some_and(|relation| !relation.is_word);
        let is_plain = change.direction.is_none()
            && opening != Opening::Between
            && !is_sign
            && from.is_bare
            && to.is_bare;
        let is_span = change.direction.is_none()
            && (claim.unit.is_some() || self.word(change.at + 1).is_some_and(is_span_word));
        if is_plain || is_span || !self.is_clear_after(change.at + 1) { None } else { Some(change) }
    }

    /// ", an increase of 25%", ", up 25%", "(+25%)": beside it, without a verb.
    fn beside_change(&self, from_at: usize) -> Option<Change> {
        let after = from_at + 3;
        if self.is_open(after) {
            let is_plus = self.is_operator(after + 1, Operator::Plus);
            let at = after + 1 + usize::from(is_plus);
            let claim = self.figure(at)?;
            let moves = from_at.checked_sub(2).and_then(|at| self.word(at)).and_then(Direction::of_verb);
            let direction = match (is_plus || claim.value.is_negative(), moves) {
                (true, _) => Some(Direction::Signed),
                (false, Some(_)) => Some(Direction::Any),
                (false, None) => return None,
            };
            return self.is_close(at + 1).then_some(Change { at, end: at + 2, direction });
        }
        let next = after + usize::from(self.is_sign(after, &[",", "–", "—"]));
        let change = match self.word(next)? {
            "a" | "an" if next > after => self.directed(next).filter(|change| change.direction.is_some())?,
            word @ ("up" | "down") => {
                let at = next + 1 + usize::from(self.word(next + 1) == Some("by"));
                let direction = if word == "up" { Direction::Up } else { Direction::Down };
                Change { at, end: at + 1, direction: Some(direction) }
            }
            _ => return None,
        };
        self.is_closed(change.end).then_some(change)
    }

    /// "rose by 25% from 80 to 100", "an increase of 20 from 80 to 100".
    fn change_before(&self, start: usize) -> Option<Change> {
        let at = start.checked_sub(1)?;
        self.figure(at)?;
        let word = |by: usize| at.checked_sub(by).and_then(|at| self.word(at));
        let direction = match (word(1), word(2)) {
            (Some("by"), Some(verb)) => Direction::of_verb(verb)?,
            (Some("of"), Some(noun)) => Direction::parse(noun)?,
            (Some(verb), _) => Direction::of_verb(verb)?,
            (None, _) => return None,
        };
        let change = Change { at, end: start + 4, direction: Some(direction) };
        self.is_closed(change.end).then_some(change)
    }

    /// "an increase of 5", "a 5% increase", or the figure alone.
    fn directed(&self, mut at: usize) -> Option<Change> {
        while matches!(self.word(at), Some("a" | "an" | "the")) {
            at += 1;
        }
        if let Some(direction) = self.word(at).and_then(Direction::parse) {
            let at = at + 2;
            self.figure(at)?;
            return (self.word(at - 1) == Some("of")).then_some(Change {
                at,
                end: at + 1,
                direction: Some(direction),
            });
        }
        self.figure(at)?;
        let direction = self.word(at + 1).and_then(Direction::parse);
        Some(Change { at, end: at + 1 + usize::from(direction.is_some()), direction })
    }

    fn is_operator(&self, at: usize, operator: Operator) -> bool {
        self.tokens.get(at).map(|token| &token.kind) == Some(&TokenKind::Operator(operator))
    }

    fn recompute_difference(
        &self,
        start: usize,
        from: &Quantity,
        to: &Quantity,
        change: Change,
    ) -> Option<Found> {
        let Change { at, end, direction } = change;
        let claim = self.figure(at)?;
        let difference = to.value.minus(&from.value).ok();
        let relative =
            difference.as_ref().and_then(|difference| difference.over(&from.value.magnitude()).ok());
        let is_relative = claim.is_percent && !from.is_percent;
        // From 12% to 15% is an increase of 3%, as points, and of 25%.
        let is_ratio = claim.is_percent
            && from.is_percent
            && relative.as_ref().is_some_and(|relative| {
                claim.states(&relative.magnitude(), Closeness::Shown)
                    || claim.states(relative, Closeness::Shown)
            });
        let signed = if is_relative || is_ratio { relative } else { difference };
        // An increase of five is from below; a change of five may be either way, and of minus five only down.
        let exact = signed.map(|signed| match direction {
            Some(Direction::Up | Direction::Signed) => signed,
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
        let span = self.span(start, end);
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
        Some(Found { statement, terms: vec![Term::addend(from), Term::addend(to)], gives })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
    Any,
    /// As the sign of the figure says.
    Signed,
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

    /// The direction of a verb: "rose", "fell", "went".
    fn of_verb(word: &str) -> Option<Self> {
        Some(match word {
            "rose" | "rises" | "increased" | "increases" | "grew" | "grows" | "climbed" | "up" | "raised"
            | "gained" => Self::Up,
            "fell" | "falls" | "dropped" | "drops" | "decreased" | "decreases" | "declined" | "reduced"
            | "lowered" | "down" | "cut" | "shrank" => Self::Down,
            "went" | "changed" | "moved" | "goes" | "moves" | "changes" => Self::Any,
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
