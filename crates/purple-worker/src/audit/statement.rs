//! Finds the equations of a text, line by line, and recomputes them.

use purple_finance::Exact;

use super::expression::{Enclosing, Side, side};
use super::found::{Found, resting, resting_percent};
use super::quantity::{Closeness, Quantity, rounds_to};
use super::range::{is_part_of_something, is_tightly_written, keys};
use super::relation::{Relation, relation};
use super::token::{Operator, Stroke, Token, TokenKind, is_blank, tokens};
use super::{Kind, Statement};

/// Every equation, and what says the same in words.
pub(super) fn equations(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let pieces: Vec<Vec<Token>> =
        pieces(text).into_iter().map(|(offset, piece)| tokens(piece, offset)).collect();
    let keys = keys(&pieces);
    for tokens in &pieces {
        let reader = Reader { text, tokens, keys };
        reader.differences(&mut found);
        reader.phrases(&mut found);
        reader.shares(&mut found);
        reader.comparisons(&mut found);
        reader.equations(&mut found);
        reader.listings(&mut found);
    }
    found
}

/// The pieces in which a statement can stand: lines without their list marks, and the cells of tables.
fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let marked = list_mark(line);
        if is_row(line) {
            let mut at = offset;
            for cell in line.split('|') {
                found.push((at, cell));
                at += cell.len() + 1;
            }
        } else {
            found.push((offset + marked, line.get(marked..).unwrap_or_default()));
        }
        offset += line.len();
    }
    found
}

/// Whether a line is a row of a table.
pub(super) fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.matches('|').count() >= 2 && (line.starts_with('|') || line.ends_with('|'))
}

/// How many bytes of a line are blanks, quotes and the mark of a list: `- `, `* `, `• `, `3. `, `(b) `.
pub(super) fn list_mark(line: &str) -> usize {
    let start = line.len() - line.trim_start_matches(|sign: char| is_blank(sign) || sign == '>').len();
    let rest = line.get(start..).unwrap_or_default();
    let digits = rest.trim_start_matches('(');
    let number = digits.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(0);
    let is_short = (1..=2).contains(&number)
        && (digits.get(..number).unwrap_or_default().bytes().all(|b| b.is_ascii_digit()) || number == 1);
    let opened = rest.len() - digits.len();
    let mark = if rest.starts_with(['-', '*', '•', '–', '+', '◦', '▪']) {
        rest.chars().next().map_or(0, char::len_utf8)
    } else if is_short && digits.get(number..).unwrap_or_default().starts_with(['.', ')']) {
        opened + number + 1
    } else {
        0
    };
    let after = rest.get(mark..).unwrap_or_default();
    let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
    if mark > 0 && blanks > 0 { start + mark + blanks } else { start }
}

/// Reads one piece of a text.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    /// How many ranges the text says to be something.
    pub(super) keys: usize,
}

/// Whether what stands before a side leaves it whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// It does.
    Clear,
    /// A word and a hyphen: a label, or something that is subtracted from.
    Label,
    /// It does not, or it cannot be said.
    Blocked,
}

impl Reader<'_> {
    fn equations(&self, found: &mut Vec<Found>) {
        let mut at = 0;
        while at < self.tokens.len() {
            let begins = matches!(self.tokens[at].kind, TokenKind::Figure(_) | TokenKind::Open);
            let Some(first) = begins.then(|| side(self.text, self.tokens, at).ok()).flatten() else {
                at += 1;
                continue;
            };
            let (sides, relations) = self.sides(first);
            let end = sides.last().map_or(at, |last| last.end);
            if relations.is_empty() {
                found.extend(sides.first().and_then(|side| self.result_beside(side)));
            } else {
                self.judge(&sides, &relations, found);
            }
            found.extend((at..end.max(at + 1)).filter_map(|at| self.calculation_beside(at)));
            at = end.max(at + 1);
        }
    }

    /// All sides of `a = b = c`.
    fn sides(&self, first: Side) -> (Vec<Side>, Vec<Relation>) {
        let (mut sides, mut relations) = (vec![first], Vec::new());
        while let Some(last) = sides.last()
            && let Some(relation) = relation(self.text, self.tokens, last.end)
            && let Ok(next) = side(self.text, self.tokens, relation.next)
        {
            relations.push(relation);
            sides.push(next);
        }
        (sides, relations)
    }

    fn judge(&self, sides: &[Side], relations: &[Relation], found: &mut Vec<Found>) {
        let (Some(first), Some(last)) = (sides.first(), sides.last()) else { return };
        let mut left = self.left_of(first.start);
        if first.operators.is_empty() && self.is_of_name(first.start) {
            left = Left::Clear;
        }
        if left == Left::Blocked || !self.is_clear_after(last.end) || is_tightly_written(sides, relations) {
            return;
        }
        let mut base: Option<&Side> = None;
        for (index, current) in sides.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|at| relations.get(at));
            if let (Some(base), Some(relation)) = (base, before)
                && !(base.has_mixed_units() || current.has_mixed_units())
            {
                let next_places = sides.get(index + 1).and_then(Side::lone).map(|quantity| quantity.places);
                let statement = self.recompute(base, current, *relation, next_places);
                // "Balance - 500 + 300 = 1,200" begins with what cannot be read.
                let is_cut = left == Left::Label && index == 1 && !is_product(base);
                let is_doubtful = is_cut
                    || self.is_loose(base, current)
                    || self.may_be_range(base, current, *relation)
                    || (relation.is_word && is_part_of_something(base, current))
                    || (relation.is_word && self.is_compared(current.end))
                    || base.figures.iter().chain(&current.figures).any(Quantity::is_pointed)
                    || self.is_measured_otherwise(base, current);
                if statement.statement.ok || !is_doubtful {
                    found.push(statement);
                }
            }
            if let (None, 1, Some(relation)) = (base, index, before) {
                found.extend(self.result_first(first, current, *relation, last.end));
            }
            if !current.operators.is_empty() {
                base = Some(current);
            }
        }
    }

    /// Recomputes one side, and holds the other against it.
    pub(super) fn recompute(
        &self,
        base: &Side,
        claim: &Side,
        relation: Relation,
        next_places: Option<i32>,
    ) -> Found {
        let closeness = if relation.is_about { Closeness::About } else { Closeness::Shown };
        let plain = base.tree.value(Enclosing::Plain);
        let stated = claim.tree.value(Enclosing::Plain);
        let mut held = None;
        let mut gives = Vec::new();
        for enclosing in [Enclosing::Plain, Enclosing::Negative] {
            if enclosing == Enclosing::Negative && !base.tree.has_enclosed() && !claim.tree.has_enclosed() {
                continue;
            }
            let Ok(exact) = base.tree.value(enclosing) else { continue };
            let rests = match claim.lone() {
                Some(quantity) => rests_on(quantity, claim, base, &exact, closeness),
                None => {
                    let same =
                        claim.tree.value(enclosing).is_ok_and(|other| is_same(&exact, &other, next_places));
                    same.then(|| resting(&exact, None))
                }
            };
            if let Some(rests) = rests {
                held.get_or_insert(exact);
                gives.extend(rests);
            }
        }
        let span = self.span(base.start.min(claim.start), base.end.max(claim.end));
        let ok = held.is_some();
        let (exact, fault) = match held.map_or(plain, Ok) {
            Ok(exact) => (Some(exact), None),
            Err(fault) => (None, Some(fault)),
        };
        let statement = Statement {
            text: self.text.get(span.clone()).unwrap_or_default().to_owned(),
            span,
            kind: Kind::Equation,
            inputs: base.figures.iter().map(|figure| figure.value.clone()).collect(),
            stated: stated.as_ref().map_or(Exact::ZERO, Clone::clone),
            ok,
            exact,
            fault: fault.or_else(|| stated.err()),
        };
        Found { statement, terms: base.tree.terms(), gives }
    }

    pub(super) fn span(&self, start: usize, end: usize) -> std::ops::Range<usize> {
        let first = self.tokens.get(start).map_or(0, |token| token.span.start);
        first..self.tokens.get(end.saturating_sub(1)).map_or(first, |token| token.span.end)
    }

    pub(super) fn is_blocked(&self, start: usize) -> bool {
        self.left_of(start) == Left::Blocked && !self.is_of_name(start)
    }

    /// "The credit of $1,020": what stands before "of" is its name, and no share.
    fn is_of_name(&self, start: usize) -> bool {
        let word = |by: usize| start.checked_sub(by).and_then(|at| self.word(at));
        let is_fold =
            matches!(word(2), Some("sum" | "average" | "mean" | "product" | "difference" | "third" | "half"));
        word(1) == Some("of")
            && word(2).is_some()
            && !is_fold
            && self.figure(start).is_some_and(|quantity| quantity.currency.is_some())
    }

    fn left_of(&self, start: usize) -> Left {
        let kind = |by: usize| start.checked_sub(by).and_then(|at| self.tokens.get(at));
        let Some(before) = kind(1) else { return Left::Clear };
        let touches = self.tokens.get(start).is_some_and(|token| !token.spaced_before);
        match &before.kind {
            TokenKind::Figure(_) => Left::Blocked,
            TokenKind::Operator(Operator::Minus(dash @ (Stroke::Hyphen | Stroke::Dash)))
                if before.spaced_after =>
            {
                match (dash, kind(2).map(|token| &token.kind)) {
                    (_, None) | (Stroke::Dash, Some(TokenKind::Word(_) | TokenKind::Other)) => Left::Clear,
                    (Stroke::Hyphen, Some(TokenKind::Word(_) | TokenKind::Other)) => Left::Label,
                    _ => Left::Blocked,
                }
            }
            TokenKind::Operator(_) => Left::Blocked,
            // "~5 + 3" begins with what is not exact.
            TokenKind::About if self.text.get(before.span.clone()) == Some("~") => Left::Blocked,
            TokenKind::Equals | TokenKind::About => Left::Clear,
            TokenKind::Open => Left::Clear,
            TokenKind::Close => {
                if touches {
                    Left::Blocked
                } else {
                    Left::Clear
                }
            }
            TokenKind::Word(word) => {
                let goes_on =
                    matches!(word.as_str(), "of" | "plus" | "minus" | "less" | "times" | "by" | "over" | "x");
                // "6 hours at 1.5 × $28"
                let is_rate = word == "at"
                    && (2..=4).any(|by| start.checked_sub(by).is_some_and(|at| self.figure(at).is_some()));
                if goes_on || is_rate || touches { Left::Blocked } else { Left::Clear }
            }
            TokenKind::Other => {
                let written = self.text.get(before.span.clone()).unwrap_or_default();
                let separates = matches!(
                    written,
                    ":" | ","
                        | ";"
                        | "."
                        | "\""
                        | "“"
                        | "„"
                        | "'"
                        | "["
                        | "->"
                        | "=>"
                        | "→"
                        | "⇒"
                        | "…"
                        | "?"
                        | "!"
                );
                let is_name = written.chars().any(char::is_alphanumeric);
                if separates || (is_name && !touches) { Left::Clear } else { Left::Blocked }
            }
        }
    }

    /// Whether what follows leaves the last figure as it is: no further digits, no power, no call.
    pub(super) fn is_clear_after(&self, end: usize) -> bool {
        let Some(after) = self.tokens.get(end) else { return true };
        match &after.kind {
            TokenKind::Figure(_) => false,
            TokenKind::Operator(Operator::Minus(Stroke::Hyphen | Stroke::Dash)) => after.spaced_before,
            TokenKind::Operator(_) => false,
            TokenKind::Other => {
                let written = self.text.get(after.span.clone()).unwrap_or_default();
                after.spaced_before
                    || matches!(written, "." | "," | ";" | ":" | "!" | "?" | "\"" | "”" | "'" | "]" | "…")
            }
            TokenKind::Open | TokenKind::Close | TokenKind::Word(_) => true,
            TokenKind::Equals | TokenKind::About => true,
        }
    }

    pub(super) fn word(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at).map(|token| &token.kind) {
            Some(TokenKind::Word(word)) => Some(word),
            _ => None,
        }
    }

    pub(super) fn figure(&self, at: usize) -> Option<&Quantity> {
        match self.tokens.get(at).map(|token| &token.kind) {
            Some(TokenKind::Figure(quantity)) => Some(quantity),
            _ => None,
        }
    }
}

fn is_product(side: &Side) -> bool {
    side.operators.iter().all(|written| matches!(written.operator, Operator::Times | Operator::Over))
}

/// What may rest on a claim; `None` where it does not hold.
fn rests_on(
    claim: &Quantity,
    side: &Side,
    base: &Side,
    exact: &Exact,
    closeness: Closeness,
) -> Option<Vec<Exact>> {
    // In parentheses the sign may be left out.
    let signs = 1 + usize::from(side.tree.has_enclosed());
    let signed = |exact: &Exact| [exact.clone(), exact.negated()].into_iter().take(signs);
    let is_stated = |exact: &Exact| signed(exact).any(|exact| claim.states(&exact, closeness));
    if is_stated(exact) {
        let rests = |exact: Exact| {
            if claim.is_percent { resting_percent(&exact) } else { resting(&exact, Some(claim)) }
        };
        return Some(signed(exact).flat_map(rests).collect());
    }
    let hundred = Exact::from(100);
    // "1,020 / 8,500 × 100 = 12%" has its percent twice.
    let is_twice = claim.is_percent && base.figures.iter().any(|figure| figure.value == hundred);
    if let Some(share) = exact.over(&hundred).ok().filter(|share| is_twice && is_stated(share)) {
        return Some(resting_percent(&share));
    }
    let is_points = base.tree.is_percent() && !claim.is_percent;
    (is_points && claim.as_percent().states(exact, closeness)).then(|| resting_percent(exact))
}

/// Whether two expressions agree: exactly, or to the digits of the figure that follows them.
fn is_same(left: &Exact, right: &Exact, places: Option<i32>) -> bool {
    const PLACES_USUAL: i32 = 2;
    let difference = left.minus(right).map(|difference| difference.magnitude());
    left == right || difference.is_ok_and(|d| rounds_to(&d, &Exact::ZERO, places.unwrap_or(PLACES_USUAL)))
}
