//! One side of an equation: read from tokens, computed exactly.

use purple_finance::{Exact, NumberError};

use super::Fault;
use super::found::Term;
use super::quantity::{Quantity, same_currency};
use super::relation::relation;
use super::token::{Operator, Stroke, Token, TokenKind, is_sign};

/// How many figures one side may have.
const FIGURES_PER_SIDE_MAX: usize = 64;
/// How many parentheses may be inside each other.
const PARENTHESES_MAX: usize = 8;
/// How many words may follow a figure as its unit.
const UNIT_WORDS_MAX: usize = 3;

/// Words that are never a unit.
pub(super) const NO_UNIT: &[&str] = &[
    "of",
    "is",
    "are",
    "was",
    "were",
    "equals",
    "equal",
    "makes",
    "make",
    "made",
    "gives",
    "give",
    "gave",
    "yields",
    "yield",
    "leaves",
    "leave",
    "left",
    "totals",
    "totaled",
    "totalled",
    "becomes",
    "become",
    "became",
    "comes",
    "come",
    "came",
    "amounts",
    "amounted",
    "adds",
    "add",
    "sums",
    "sum",
    "equates",
    "evaluates",
    "results",
    "resulted",
    "works",
    "work",
    "worked",
    "would",
    "should",
    "will",
    "must",
    "has",
    "have",
    "which",
    "that",
    "i.e.",
    "resulting",
    "adding",
    "coming",
    "amounting",
    "leaving",
    "being",
    "calculated",
    "computed",
    "making",
    "giving",
    "yielding",
    "totalling",
    "totaling",
    "equalling",
    "net",
    "off",
    "on",
    "out",
    "to",
    "from",
    "and",
    "or",
    "plus",
    "minus",
    "times",
    "less",
    "divided",
    "multiplied",
    "increased",
    "raised",
    "decreased",
    "reduced",
    "lowered",
    "by",
    "at",
    "but",
    "then",
    "so",
    "with",
    "for",
    "if",
];

/// One side of an equation.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) tree: Tree,
    /// Its first token, and the one after its last.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) figures: Vec<Quantity>,
    pub(super) operators: Vec<Written>,
}

/// An operator as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) operator: Operator,
    /// No blank on either side of it.
    pub(super) is_tight: bool,
    /// Written as a word: `of`, `times`.
    pub(super) is_word: bool,
    /// Written as a word that tells other things too: `less`, `at`, `increased by`.
    pub(super) is_phrase: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Tree {
    Figure(Box<Quantity>),
    /// A single figure in parentheses: itself, or in accounting its negative.
    Enclosed(Box<Quantity>),
    Pair(Operator, Box<Tree>, Box<Tree>),
}

impl Written {
    pub(super) const fn word(operator: Operator) -> Self {
        Self { operator, is_tight: false, is_word: true, is_phrase: false }
    }

    pub(super) const fn phrase(operator: Operator) -> Self {
        Self { is_phrase: true, ..Self::word(operator) }
    }
}

/// Why a side is not read.
pub(super) struct Unread;

impl Side {
    /// The one figure that it is, if it has no operator.
    pub(super) fn lone(&self) -> Option<&Quantity> {
        match &self.tree {
            Tree::Figure(quantity) | Tree::Enclosed(quantity) => Some(quantity),
            Tree::Pair(..) => None,
        }
    }

    /// Whether it adds or subtracts figures with different units, which only a conversion could settle.
    pub(super) fn has_mixed_units(&self) -> bool {
        let adds = self.operators.iter().any(|w| matches!(w.operator, Operator::Plus | Operator::Minus(_)));
        // "$100 hosting + $200 support" has names; "$28/hr + $5/day" has units.
        let is_unit = |figure: &&Quantity| {
            figure.currency.is_none()
                || figure.unit.as_deref().is_some_and(|unit| unit.starts_with('/') || unit == "per")
        };
        let units = self.figures.iter().filter(is_unit).filter_map(|figure| figure.unit.as_deref());
        let mut units = units.map(|unit| unit.trim_end_matches('s'));
        let first = units.next();
        adds && units.any(|unit| Some(unit) != first)
    }
}

/// Reads a side from the token at `start` on.
pub(super) fn side(text: &str, tokens: &[Token], start: usize) -> Result<Side, Unread> {
    let mut reader = Reader { text, tokens, at: start, depth: 0, figures: Vec::new(), operators: Vec::new() };
    let tree = reader.sum()?;
    Ok(Side { tree, start, end: reader.at, figures: reader.figures, operators: reader.operators })
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) at: usize,
    depth: usize,
    pub(super) figures: Vec<Quantity>,
    pub(super) operators: Vec<Written>,
}

impl Reader<'_> {
    fn sum(&mut self) -> Result<Tree, Unread> {
        let mut left = self.product()?;
        while let Some((written, words)) = self.operator() {
            if !matches!(written.operator, Operator::Plus | Operator::Minus(_))
                || self.is_punctuation(written)
            {
                break;
            }
            self.take(written, words);
            left = Tree::Pair(written.operator, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Tree, Unread> {
        let mut left = self.atom()?;
        loop {
            if let Some((written, words)) = self.operator()
                && matches!(written.operator, Operator::Times | Operator::Over)
            {
                self.take(written, words);
                left = Tree::Pair(written.operator, Box::new(left), Box::new(self.atom()?));
            } else if self.word(self.at) == Some("of")
                && is_share(&left)
                && let Some(value) = self.value_at(self.at + 1)
            {
                self.take(Written::word(Operator::Times), value - self.at);
                left = Tree::Pair(Operator::Times, Box::new(left), Box::new(self.atom()?));
            } else {
                return Ok(left);
            }
        }
    }

    fn atom(&mut self) -> Result<Tree, Unread> {
        match self.tokens.get(self.at).map(|token| &token.kind) {
            Some(TokenKind::Figure(quantity)) => {
                let mut quantity = quantity.clone();
                self.at += 1;
                if self.figures.len() >= FIGURES_PER_SIDE_MAX {
                    return Err(Unread);
                }
                self.figures.push(quantity.clone());
                self.unit(&mut quantity);
                self.skip_name();
                if let Some(last) = self.figures.last_mut() {
                    last.unit.clone_from(&quantity.unit);
                }
                Ok(Tree::Figure(Box::new(quantity)))
            }
            Some(TokenKind::Open) if self.depth < PARENTHESES_MAX => {
                self.at += 1;
                self.depth += 1;
                let tree = self.sum()?;
                self.depth -= 1;
                if self.tokens.get(self.at).map(|token| &token.kind) != Some(&TokenKind::Close) {
                    return Err(Unread);
                }
                self.at += 1;
                Ok(match tree {
                    Tree::Figure(quantity) => Tree::Enclosed(quantity),
                    other => other,
                })
            }
            _ => Err(Unread),
        }
    }

    /// Words behind a figure belong to it if an operator, an equals sign or a parenthesis follows them.
    fn unit(&mut self, quantity: &mut Quantity) {
        let words = (0..UNIT_WORDS_MAX)
            .take_while(|by| self.word(self.at + by).is_some_and(|w| !NO_UNIT.contains(&w)))
            .take_while(|by| relation(self.text, self.tokens, self.at + by).is_none());
        let count = words.count();
        let after = self.tokens.get(self.at + count).map(|token| &token.kind);
        let goes_on = match after {
            Some(TokenKind::Operator(Operator::Minus(Stroke::Hyphen | Stroke::Dash))) => {
                matches!(
                    self.tokens.get(self.at + count + 1).map(|t| &t.kind),
                    Some(TokenKind::Figure(_) | TokenKind::Open)
                )
            }
            Some(TokenKind::Operator(_) | TokenKind::Equals | TokenKind::About | TokenKind::Close) => true,
            Some(TokenKind::Word(_)) => {
                let at = self.at + count;
                relation(self.text, self.tokens, at).is_some() || self.operator_in_words(at).is_some()
            }
            // "3 licences at $40 each: $120"
            Some(TokenKind::Other) => is_sign(self.text, self.tokens, self.at + count, &[":", "@"]),
            // "19% VAT ($190)"
            Some(TokenKind::Open) => quantity.is_percent,
            Some(TokenKind::Figure(_)) | None => false,
        };
        if count > 0 && goes_on {
            quantity.unit = self.word(self.at).map(str::to_owned);
            self.at += count;
        }
    }

    pub(super) fn word(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at).map(|token| &token.kind) {
            Some(TokenKind::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn operator(&self) -> Option<(Written, usize)> {
        let token = self.tokens.get(self.at)?;
        if let TokenKind::Operator(operator) = token.kind {
            let is_tight = !token.spaced_before && !token.spaced_after;
            let is_named = operator == Operator::Plus && self.word(self.at + 1).is_some();
            let value = if is_named { self.value_at(self.at + 1) } else { None };
            let tokens = value.unwrap_or(self.at + 1) - self.at;
            return Some((Written { operator, is_tight, is_word: false, is_phrase: false }, tokens));
        }
        // "10 units @ $5.50"
        let is_at = token.spaced_after && is_sign(self.text, self.tokens, self.at, &["@"]);
        if is_at && self.is_rated(self.at) {
            return Some((Written::phrase(Operator::Times), 1));
        }
        self.operator_in_words(self.at)
    }

    fn take(&mut self, written: Written, tokens: usize) {
        self.operators.push(written);
        self.at += tokens;
    }

    /// A hyphen or a dash before a word ends the sentence part; it subtracts nothing.
    fn is_punctuation(&self, written: Written) -> bool {
        let next = self.tokens.get(self.at + 1).map(|token| &token.kind);
        matches!(written.operator, Operator::Minus(Stroke::Hyphen | Stroke::Dash))
            && !written.is_word
            && !matches!(next, Some(TokenKind::Figure(_) | TokenKind::Open))
    }
}

/// A percentage or a fraction, of which one can take a part.
fn is_share(tree: &Tree) -> bool {
    match tree {
        Tree::Figure(quantity) => quantity.is_percent,
        Tree::Enclosed(_) => false,
        Tree::Pair(operator, ..) => *operator == Operator::Over,
    }
}

/// How figures in parentheses are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Enclosing {
    /// As they stand.
    Plain,
    /// As accountants write what is below zero.
    Negative,
}

impl Tree {
    /// What it comes to.
    pub(super) fn value(&self, enclosing: Enclosing) -> Result<Exact, Fault> {
        match self {
            Self::Figure(quantity) => Ok(quantity.value.clone()),
            Self::Enclosed(quantity) => Ok(match enclosing {
                Enclosing::Plain => quantity.value.clone(),
                Enclosing::Negative => quantity.value.negated(),
            }),
            Self::Pair(operator, left, right) => {
                let (first, second) = (left.value(enclosing)?, right.value(enclosing)?);
                let computed = match operator {
                    Operator::Plus | Operator::Minus(_) => {
                        if self.mixes_currencies() {
                            return Err(Fault::MixedCurrencies);
                        }
                        // "100 + 10%" adds a tenth of the hundred; "5% + 3%" is 8%.
                        let share = if right.is_percent() && !left.is_percent() {
                            first.times(&second)
                        } else {
                            Ok(second)
                        };
                        let share = share.map_err(fault)?;
                        if *operator == Operator::Plus { first.plus(&share) } else { first.minus(&share) }
                    }
                    Operator::Times => first.times(&second),
                    Operator::Over => first.over(&second),
                };
                computed.map_err(fault)
            }
        }
    }

    pub(super) fn has_enclosed(&self) -> bool {
        match self {
            Self::Figure(_) => false,
            Self::Enclosed(_) => true,
            Self::Pair(_, left, right) => left.has_enclosed() || right.has_enclosed(),
        }
    }

    /// The figures in it, and how each goes in.
    pub(super) fn terms(&self) -> Vec<Term> {
        let mut terms = Vec::new();
        self.collect_terms(false, &mut terms);
        terms
    }

    fn collect_terms(&self, is_scale: bool, into: &mut Vec<Term>) {
        match self {
            Self::Figure(quantity) | Self::Enclosed(quantity) => {
                into.push(Term { is_scale, ..Term::addend(quantity) });
            }
            Self::Pair(Operator::Times | Operator::Over, left, right) => {
                left.collect_terms(true, into);
                right.collect_terms(true, into);
            }
            Self::Pair(Operator::Plus | Operator::Minus(_), left, right) => {
                left.collect_terms(left.is_one() && right.is_percent(), into);
                right.collect_terms(right.is_one() && left.is_percent(), into);
            }
        }
    }

    fn is_one(&self) -> bool {
        match self {
            Self::Figure(quantity) | Self::Enclosed(quantity) => quantity.value == Exact::ONE,
            Self::Pair(..) => false,
        }
    }

    /// Whether it is a percentage, or sums of them.
    pub(super) fn is_percent(&self) -> bool {
        match self {
            Self::Figure(quantity) | Self::Enclosed(quantity) => quantity.is_percent,
            Self::Pair(Operator::Plus | Operator::Minus(_), left, right) => {
                left.is_percent() && right.is_percent()
            }
            Self::Pair(Operator::Times | Operator::Over, ..) => false,
        }
    }

    fn mixes_currencies(&self) -> bool {
        let mut found = Vec::new();
        self.added_currencies(&mut found);
        found.iter().any(|one| found.iter().any(|other| !same_currency(one, other)))
    }

    /// The currencies of what is added; a product may be a conversion and has none.
    fn added_currencies<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Self::Figure(quantity) | Self::Enclosed(quantity) => found.extend(quantity.currency.as_deref()),
            Self::Pair(Operator::Plus | Operator::Minus(_), left, right) => {
                left.added_currencies(found);
                right.added_currencies(found);
            }
            Self::Pair(Operator::Times | Operator::Over, ..) => {}
        }
    }
}

fn fault(error: NumberError) -> Fault {
    match error {
        NumberError::DivisionByZero => Fault::DivisionByZero,
        NumberError::TooLarge
        | NumberError::Empty
        | NumberError::UnexpectedCharacter { .. }
        | NumberError::MissingDigit
        | NumberError::TooManyDigits { .. } => Fault::TooLarge,
    }
}
