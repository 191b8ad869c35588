//! Arithmetic in words: "the sum of a, b and c is d", "Items: a, b, c. Total: d", "subtracting a from b gives c".

use purple_finance::{Exact, NumberError};

use super::found::{Found, Term, resting, resting_percent};
use super::quantity::{Closeness, Quantity, same_currency};
use super::relation::{Relation, relation};
use super::statement::Reader;
use super::token::{Token, TokenKind, is_sign, tokens};
use super::told::{closeness, is_one_money};
use super::{Kind, Statement};

/// How many figures may stand in a row.
const ROW_MAX: usize = 64;

/// What numbers that are not written as amounts may be the numbers of.
pub(super) const NUMBERED: &[&str] = &[
    "invoice",
    "order",
    "po",
    "id",
    "number",
    "ticket",
    "page",
    "line",
    "room",
    "account",
    "case",
    "ref",
    "reference",
    "year",
    "step",
    "section",
    "port",
    "phone",
    "lot",
    "check",
    "week",
    "day",
    "date",
    "month",
    "rule",
    "clause",
    "article",
    "chapter",
    "version",
    "release",
    "batch",
    "row",
    "column",
    "tier",
    "level",
    "code",
    "claim",
    "sku",
    "serial",
    "employee",
    "customer",
    "vendor",
    "asset",
    "policy",
    "extension",
    "age",
    "shift",
    "question",
];

/// What figures that stand beside each other are to be chosen from or compared, and not summed up.
pub(super) const COMPARED: &[&str] = &[
    "limit",
    "threshold",
    "range",
    "price",
    "rate",
    "budget",
    "balance",
    "score",
    "bid",
    "quote",
    "option",
    "estimate",
    "target",
    "band",
    "bracket",
    "result",
    "reading",
    "salary",
    "size",
];

/// What is done with the figures of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fold {
    Sum,
    Product,
    Average,
}

impl Fold {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "sum" | "total" => Self::Sum,
            "product" => Self::Product,
            "average" | "mean" => Self::Average,
            _ => return None,
        })
    }

    fn value(self, row: &[Quantity]) -> Result<Exact, NumberError> {
        let sum = || row.iter().try_fold(Exact::ZERO, |sum, one| sum.plus(&one.value));
        match self {
            Self::Sum => sum(),
            Self::Product => row.iter().try_fold(Exact::ONE, |product, one| product.times(&one.value)),
            Self::Average => sum()?.over(&Exact::from(i64::try_from(row.len()).unwrap_or(i64::MAX))),
        }
    }
}

/// A claim about figures.
struct Claim<'q> {
    /// Its first token, and that of the figure which it states.
    start: usize,
    at: usize,
    row: Vec<Quantity>,
    quantity: &'q Quantity,
    closeness: Closeness,
}

impl Reader<'_> {
    /// Every statement in words.
    pub(super) fn phrases(&self, found: &mut Vec<Found>) {
        for at in 0..self.tokens.len() {
            found.extend(
                self.folded(at)
                    .or_else(|| self.row_with_total(at))
                    .or_else(|| self.row_told(at))
                    .or_else(|| self.done(at)),
            );
        }
    }

    /// "The sum of 100, 200 and 300 is 600", with the average and the product.
    fn folded(&self, at: usize) -> Option<Found> {
        let fold = Fold::parse(self.word(at)?)?;
        if self.word(at + 1) != Some("of") {
            return None;
        }
        let (row, end) = row_of(self.text, self.tokens, at + 2)?;
        let relation = self.related(end)?;
        let claim = self.claim((at, relation.next), row, closeness(relation))?;
        let shares = claim.row.iter().filter(|quantity| quantity.is_percent).count();
        let is_even = match fold {
            Fold::Product => !claim.quantity.is_percent || shares > 0,
            Fold::Sum | Fold::Average => {
                shares == if claim.quantity.is_percent { claim.row.len() } else { 0 }
            }
        };
        if !is_even || claim.row.iter().all(Quantity::is_year) {
            return None;
        }
        self.judged(&claim, fold)
    }

    /// "Items: 100, 200, 300. Total: 600". One row only: a second one before it may belong to the total.
    fn row_with_total(&self, at: usize) -> Option<Found> {
        let (row, end) = labelled_row(self.text, self.tokens, at)?;
        let is_figure = |token: &Token| matches!(token.kind, TokenKind::Figure(_));
        if self.tokens.get(..at)?.iter().any(is_figure) || self.follows_row() {
            return None;
        }
        let mut next = end + usize::from(self.is_sign(end, &[".", ";", ","]));
        while matches!(self.word(next), Some("the" | "their" | "a" | "in" | "grand" | "overall")) {
            next += 1;
        }
        if !matches!(self.word(next), Some("total" | "sum")) {
            return None;
        }
        next += 1;
        let (next, closeness) = match relation(self.text, self.tokens, next) {
            Some(relation) => (relation.next, closeness(relation)),
            None if self.is_sign(next, &[":"]) || self.word(next) == Some("of") => {
                (next + 1, Closeness::Shown)
            }
            None => (next, Closeness::Shown),
        };
        let claim = self.claim((at.saturating_sub(1), next), row, closeness)?;
        let is_even = claim.row.iter().all(|quantity| quantity.is_percent == claim.quantity.is_percent);
        let counts =
            claim.quantity.is_bare && claim.quantity.value.to_i128() == i128::try_from(claim.row.len()).ok();
        // "Total: 3" may count them.
        if !is_even || counts { None } else { self.judged(&claim, Fold::Sum) }
    }

    /// "$100, $200 and $300 add up to $600".
    fn row_told(&self, at: usize) -> Option<Found> {
        let (row, end) = row_of(self.text, self.tokens, at)?;
        let is_together = matches!(self.word(end), Some("together" | "combined" | "altogether"));
        let end = end + usize::from(is_together);
        let is_plain = matches!(self.word(end), Some("is" | "are" | "was" | "were"));
        let relation = relation(self.text, self.tokens, end)
            .filter(|relation| relation.is_word && (is_together || !is_plain))?;
        let is_figure = |token: &Token| matches!(token.kind, TokenKind::Figure(_));
        let is_first =
            !self.tokens.get(..at)?.iter().rev().take_while(|token| !self.is_stop(token)).any(is_figure);
        let before = at.checked_sub(1).and_then(|at| self.word(at));
        if before.is_some_and(|word| word == "of" || word.ends_with("ing")) {
            return None;
        }
        let is_named =
            if row.iter().all(Quantity::is_marked) { self.may_be_name(at) } else { self.is_named(at) };
        let claim = self.claim((at, relation.next), row, closeness(relation))?;
        let is_even = claim.row.iter().all(|quantity| quantity.is_percent == claim.quantity.is_percent);
        let is_money = claim.quantity.currency.is_some() || !is_one_money(&claim.row);
        if is_first && !is_named && is_even && is_money { self.judged(&claim, Fold::Sum) } else { None }
    }

    /// Whether a token ends a sentence.
    pub(super) fn is_stop(&self, token: &Token) -> bool {
        token.kind == TokenKind::Other
            && matches!(self.text.get(token.span.clone()), Some("." | ";" | "!" | "?"))
    }

    /// "Subtracting 500 from 8,500 gives 8,000", "adding 1, 2 and 3 gives 6", and their like.
    fn done(&self, at: usize) -> Option<Found> {
        let verb = self.word(at)?;
        if let Some((row, end)) = row_of(self.text, self.tokens, at + 1) {
            let fold = match verb {
                "adding" | "summing" => Fold::Sum,
                "multiplying" => Fold::Product,
                "averaging" => Fold::Average,
                _ => return None,
            };
            let relation = self.related(end)?;
            let claim = self.claim((at, relation.next), row, closeness(relation))?;
            let is_even = claim.row.iter().all(|one| !one.is_percent) && !claim.quantity.is_percent;
            return if is_even { self.judged(&claim, fold) } else { None };
        }
        let (joined, fold) = match verb {
            "adding" | "add" => ("to", Fold::Sum),
            "subtracting" | "deducting" | "subtract" | "deduct" => ("from", Fold::Sum),
            "multiplying" | "dividing" | "multiply" | "divide" => ("by", Fold::Product),
            _ => return None,
        };
        let (first, second) = (self.figure(at + 1)?, self.figure(at + 3)?);
        if self.word(at + 2) != Some(joined) || first.is_percent || second.is_percent {
            return None;
        }
        let (mut first, mut second) = (first.clone(), second.clone());
        match verb {
            "subtracting" | "deducting" | "subtract" | "deduct" => first.value = first.value.negated(),
            "dividing" | "divide" => second.value = Exact::ONE.over(&second.value).ok()?,
            _ => {}
        }
        let (next, closeness) = match self.related(at + 4) {
            Some(relation) => (relation.next, closeness(relation)),
            // "After deducting $500 from $8,500, $8,000 remains"
            None if self.is_sign(at + 4, &[","])
                && matches!(self.word(at + 6), Some("remains" | "remain")) =>
            {
                (at + 5, Closeness::Shown)
            }
            None => (self.gotten(at + 4)?, Closeness::Shown),
        };
        let remains = usize::from(matches!(self.word(next + 1), Some("remains" | "remain")));
        let claim = self.claim_before((at, next, remains), vec![first, second], closeness)?;
        if claim.quantity.is_percent { None } else { self.judged(&claim, fold) }
    }

    /// "…, and get $8,000", "… we get $8,000".
    fn gotten(&self, at: usize) -> Option<usize> {
        let mut next = at + usize::from(self.is_sign(at, &[","]));
        next +=
            (0..2).take_while(|by| matches!(self.word(next + by), Some("and" | "we" | "you" | "to"))).count();
        matches!(self.word(next), Some("get" | "obtain" | "have")).then_some(next + 1)
    }

    /// The relation here, or behind a comma.
    fn related(&self, at: usize) -> Option<Relation> {
        relation(self.text, self.tokens, at + usize::from(self.is_sign(at, &[","])))
    }

    fn claim(
        &self,
        (start, at): (usize, usize),
        row: Vec<Quantity>,
        closeness: Closeness,
    ) -> Option<Claim<'_>> {
        self.claim_before((start, at, 0), row, closeness)
    }

    /// A claim with so many words behind its figure.
    fn claim_before(
        &self,
        (start, at, words): (usize, usize, usize),
        row: Vec<Quantity>,
        closeness: Closeness,
    ) -> Option<Claim<'_>> {
        let quantity = self.figure(at)?;
        let mut currencies =
            row.iter().filter_map(|one| one.currency.as_deref()).chain(quantity.currency.as_deref());
        let first = currencies.next();
        let is_mixed = first.is_some_and(|first| currencies.any(|other| !same_currency(first, other)));
        // "The sum of 3 and 4 is $700" names lines.
        let is_about_lines = quantity.currency.is_some() && row.iter().all(|one| one.currency.is_none());
        let is_clear = self.is_closed(at + 1 + words) && !is_mixed && !is_about_lines;
        is_clear.then_some(Claim { start, at, row, quantity, closeness })
    }

    fn judged(&self, claim: &Claim<'_>, fold: Fold) -> Option<Found> {
        let exact = fold.value(&claim.row).ok()?;
        let ok = claim.quantity.states(&exact, claim.closeness);
        let gives = match (ok, claim.quantity.is_percent) {
            (false, _) => Vec::new(),
            (true, true) => resting_percent(&exact),
            (true, false) => resting(&exact, Some(claim.quantity)),
        };
        let span = self.span(claim.start, claim.at + 1);
        let is_scale = fold == Fold::Product;
        let statement = Statement {
            text: self.text.get(span.clone()).unwrap_or_default().to_owned(),
            span,
            kind: if fold == Fold::Sum { Kind::Total } else { Kind::Equation },
            inputs: claim.row.iter().map(|quantity| quantity.value.clone()).collect(),
            stated: claim.quantity.value.clone(),
            exact: Some(exact),
            ok,
            fault: None,
        };
        let terms = claim.row.iter().map(|quantity| Term { is_scale, ..Term::addend(quantity) }).collect();
        Some(Found { statement, terms, gives })
    }

    /// Whether the line above is a row behind a label as well: the total may be of both.
    fn follows_row(&self) -> bool {
        let start = self.tokens.first().map_or(0, |token| token.span.start);
        let above = self.text.get(..start).unwrap_or_default();
        // The beginning of this line is still part of it.
        let above = above.rfind('\n').and_then(|end| above.get(..end)).unwrap_or_default();
        let line = above.rsplit('\n').next().unwrap_or_default();
        let read = tokens(line, 0);
        let Some(colon) = (0..read.len()).find(|at| is_sign(line, &read, *at, &[":"])) else { return false };
        let row = read.get(colon + 1..).unwrap_or_default();
        let is_label =
            !matches!(read.first().map(|token| &token.kind), Some(TokenKind::Word(word)) if word == "total");
        let is_part = |token: &Token| match &token.kind {
            TokenKind::Figure(_) => true,
            TokenKind::Word(word) => word == "and",
            TokenKind::Other => line.get(token.span.clone()) == Some(","),
            TokenKind::Operator(_)
            | TokenKind::Open
            | TokenKind::Close
            | TokenKind::Equals
            | TokenKind::About => false,
        };
        is_label && !row.is_empty() && row.iter().all(is_part)
    }
}

/// A row of figures behind the colon at this token, where its label does not number things; and the token after it.
pub(super) fn labelled_row(text: &str, tokens: &[Token], at: usize) -> Option<(Vec<Quantity>, usize)> {
    if !is_sign(text, tokens, at, &[":"]) {
        return None;
    }
    let (row, end) = row_of(text, tokens, at + 1)?;
    let label = match tokens.get(at.checked_sub(1)?).map(|token| &token.kind) {
        Some(TokenKind::Word(word)) => word.trim_end_matches('s'),
        _ => return None,
    };
    let may_number = NUMBERED.contains(&label) || row.iter().all(Quantity::is_year);
    let is_row = !COMPARED.contains(&label) && (!may_number || row.iter().all(Quantity::is_marked));
    is_row.then_some((row, end))
}

/// At least two figures with commas or "and" between them, and the token after the last.
fn row_of(text: &str, tokens: &[Token], start: usize) -> Option<(Vec<Quantity>, usize)> {
    let figure = |at: usize| match tokens.get(at).map(|token| &token.kind) {
        Some(TokenKind::Figure(quantity)) => Some(quantity.clone()),
        _ => None,
    };
    let is_and = |at: usize| {
        matches!(tokens.get(at).map(|token| &token.kind), Some(TokenKind::Word(word)) if word == "and")
            || is_sign(text, tokens, at, &["&"])
    };
    let mut row = vec![figure(start)?];
    let mut end = start + 1;
    loop {
        let comma = usize::from(is_sign(text, tokens, end, &[","]));
        let and = usize::from(is_and(end + comma));
        let next = figure(end + comma + and).filter(|_| comma + and > 0);
        let Some(next) = next else { break };
        if row.len() >= ROW_MAX {
            return None;
        }
        row.push(next);
        end += comma + and + 1;
    }
    (row.len() >= 2).then_some((row, end))
}
