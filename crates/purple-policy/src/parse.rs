//! Reads tokens into an expression: a Pratt parser that stops at the first mistake.

use purple_finance::{Currency, Exact, Money};

use crate::ast::{Argument, CallExpr, Comparison, Edge, Expr, ExprKind, Operator, RangeExpr};
use crate::diagnostic::{Code, Diagnostic, Span, nearest};
use crate::limits::{NESTING_LEVELS_MAX, WRITTEN_ITEMS_MAX};
use crate::token::{Sign, Token, TokenKind, tokens};
use crate::value::Value;

/// Reads the whole of `source` as one expression.
pub(crate) fn parse(source: &str) -> Result<Expr, Diagnostic> {
    let mut parser = Parser { source, tokens: tokens(source)?, at: 0, level: 0 };
    let expr = parser.expression()?;
    match parser.peek().kind {
        TokenKind::End => Ok(expr),
        TokenKind::Number
        | TokenKind::Percent
        | TokenKind::Text(_)
        | TokenKind::Name
        | TokenKind::Sign(_) => Err(parser.unexpected("the end of the expression")),
    }
}

/// How tightly an infix sign binds; the right operand binds one tighter.
const OR: u8 = 1;
const AND: u8 = 2;
const COMPARE: u8 = 3;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Infix {
    Or,
    And,
    Compare(Comparison),
    In,
    Arithmetic(Operator),
}

impl Infix {
    fn power(self) -> u8 {
        match self {
            Self::Or => OR,
            Self::And => AND,
            Self::Compare(_) | Self::In => COMPARE,
            Self::Arithmetic(Operator::Plus | Operator::Minus) => SUM,
            Self::Arithmetic(Operator::Times | Operator::Over) => PRODUCT,
        }
    }
}

/// Words of other languages, with the sign they stand for here.
const WORDS: &[(&str, &str)] = &[
    ("and", "write `&&`"),
    ("or", "write `||`"),
    ("not", "write `!`, and `!(x in list)` for `not in`"),
    ("is", "write `==`"),
    ("eq", "write `==`"),
    ("between", "write `x in 1..10`"),
    ("mod", "there is no remainder in this language"),
];

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    at: usize,
    level: usize,
}

impl<'a> Parser<'a> {
    fn expression(&mut self) -> Result<Expr, Diagnostic> {
        self.binary(OR)
    }

    /// An operand and every infix sign after it that binds at least as tightly as `power`.
    fn binary(&mut self, power: u8) -> Result<Expr, Diagnostic> {
        self.enter()?;
        let mut left = self.unary()?;
        let mut chain = None;
        while let Some(infix) = self.infix()? {
            if infix.power() < power {
                break;
            }
            self.advance();
            left = match infix {
                Infix::Or | Infix::And => {
                    let right = self.binary(infix.power() + 1)?;
                    self.link(left, infix, right, chain)?
                }
                Infix::Compare(comparison) => {
                    let right = self.binary(COMPARE + 1)?;
                    self.refuse_chained_comparison(&left, &right)?;
                    let span = left.span.to(right.span);
                    self.node(ExprKind::Compare(Box::new(left), comparison, Box::new(right)), span)?
                }
                Infix::In => self.membership(left)?,
                Infix::Arithmetic(operator) => {
                    let right = self.binary(infix.power() + 1)?;
                    let span = left.span.to(right.span);
                    self.node(ExprKind::Arithmetic(Box::new(left), operator, Box::new(right)), span)?
                }
            };
            chain = Some(infix);
        }
        self.level -= 1;
        Ok(left)
    }

    /// Adds to the chain that this loop is building, or starts one.
    fn link(
        &mut self,
        left: Expr,
        infix: Infix,
        right: Expr,
        chain: Option<Infix>,
    ) -> Result<Expr, Diagnostic> {
        let span = left.span.to(right.span);
        let kind = match (infix, left.kind) {
            (Infix::Or, ExprKind::Any(mut items)) if chain == Some(Infix::Or) => {
                items.push(right);
                ExprKind::Any(items)
            }
            (Infix::And, ExprKind::All(mut items)) if chain == Some(Infix::And) => {
                items.push(right);
                ExprKind::All(items)
            }
            (Infix::Or, kind) => ExprKind::Any(vec![Expr { kind, ..left }, right]),
            (_, kind) => ExprKind::All(vec![Expr { kind, ..left }, right]),
        };
        self.node(kind, span)
    }

    fn infix(&self) -> Result<Option<Infix>, Diagnostic> {
        let token = self.peek();
        Ok(Some(match token.kind {
            TokenKind::Sign(sign) => match sign {
                Sign::Or => Infix::Or,
                Sign::And => Infix::And,
                Sign::Less => Infix::Compare(Comparison::Less),
                Sign::LessOrEqual => Infix::Compare(Comparison::LessOrEqual),
                Sign::Greater => Infix::Compare(Comparison::Greater),
                Sign::GreaterOrEqual => Infix::Compare(Comparison::GreaterOrEqual),
                Sign::Equal => Infix::Compare(Comparison::Equal),
                Sign::NotEqual => Infix::Compare(Comparison::NotEqual),
                Sign::StrictlyEqual => Infix::Compare(Comparison::StrictlyEqual),
                Sign::StrictlyNotEqual => Infix::Compare(Comparison::StrictlyNotEqual),
                Sign::Plus => Infix::Arithmetic(Operator::Plus),
                Sign::Minus => Infix::Arithmetic(Operator::Minus),
                Sign::Times => Infix::Arithmetic(Operator::Times),
                Sign::Over => Infix::Arithmetic(Operator::Over),
                Sign::Not
                | Sign::Dot
                | Sign::Range
                | Sign::Comma
                | Sign::OpenRound
                | Sign::CloseRound
                | Sign::OpenSquare
                | Sign::CloseSquare => return Ok(None),
            },
            TokenKind::Name if self.text(token) == "in" => Infix::In,
            TokenKind::Name => {
                self.refuse_word(token)?;
                return Ok(None);
            }
            TokenKind::Number | TokenKind::Percent | TokenKind::Text(_) | TokenKind::End => return Ok(None),
        }))
    }

    fn refuse_word(&self, token: &Token) -> Result<(), Diagnostic> {
        let word = self.text(token);
        match WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)) {
            Some((_, help)) => Err(Diagnostic::new(
                Code::WordOperator,
                token.span,
                format!("`{word}` is not an operator here"),
            )
            .help(*help)),
            None => Ok(()),
        }
    }

    fn refuse_chained_comparison(&self, left: &Expr, right: &Expr) -> Result<(), Diagnostic> {
        if !matches!(self.infix()?, Some(Infix::Compare(_))) {
            return Ok(());
        }
        let span = left.span.to(self.peek().span);
        let middle = right.span.text(self.source);
        Err(Diagnostic::new(Code::ChainedComparison, span, "comparisons cannot be chained")
            .help(format!("write a range, such as `{middle} in 1..10`, or join two comparisons with `&&`")))
    }

    /// What follows `in`: a range or a list.
    fn membership(&mut self, needle: Expr) -> Result<Expr, Diagnostic> {
        let expr = if self.bracketed_range_follows() {
            let low_edge = self.edge(Sign::OpenSquare);
            let low = self.binary(SUM)?;
            self.expect(Sign::Range, "`..`")?;
            let high = self.binary(SUM)?;
            let end = self.peek().span;
            if !matches!(self.peek().kind, TokenKind::Sign(Sign::CloseSquare | Sign::CloseRound)) {
                return Err(self.unexpected("`]` or `)`"));
            }
            let high_edge = self.edge(Sign::CloseSquare);
            self.within(needle, RangeExpr { low, low_edge, high, high_edge }, end)?
        } else {
            let list = self.binary(SUM)?;
            if self.peek().kind == TokenKind::Sign(Sign::Range) {
                self.advance();
                let high = self.binary(SUM)?;
                let end = high.span;
                let (low_edge, high_edge) = (Edge::Included, Edge::Included);
                self.within(needle, RangeExpr { low: list, low_edge, high, high_edge }, end)?
            } else {
                let span = needle.span.to(list.span);
                self.node(ExprKind::In(Box::new(needle), Box::new(list)), span)?
            }
        };
        if matches!(self.infix()?, Some(Infix::Compare(_) | Infix::In)) {
            return Err(Diagnostic::new(
                Code::ChainedComparison,
                self.peek().span,
                "comparisons cannot be chained",
            )
            .help("put the first one in parentheses, or join two with `&&`"));
        }
        Ok(expr)
    }

    fn within(&mut self, needle: Expr, range: RangeExpr, end: Span) -> Result<Expr, Diagnostic> {
        let span = needle.span.to(end);
        self.node(ExprKind::Within(Box::new(needle), Box::new(range)), span)
    }

    /// Takes the bracket at this place.
    fn edge(&mut self, included: Sign) -> Edge {
        let edge =
            if self.peek().kind == TokenKind::Sign(included) { Edge::Included } else { Edge::Excluded };
        self.advance();
        edge
    }

    /// Whether a bracket opens here that holds a `..` of its own, such as `[1..5)`.
    fn bracketed_range_follows(&self) -> bool {
        let mut depth = 0_usize;
        for token in self.tokens.get(self.at..).unwrap_or_default() {
            match token.kind {
                TokenKind::Sign(Sign::OpenRound | Sign::OpenSquare) => depth += 1,
                TokenKind::Sign(Sign::CloseRound | Sign::CloseSquare) if depth > 1 => depth -= 1,
                TokenKind::Sign(Sign::CloseRound | Sign::CloseSquare) | TokenKind::End => return false,
                TokenKind::Sign(Sign::Range) if depth == 1 => return true,
                TokenKind::Number
                | TokenKind::Percent
                | TokenKind::Text(_)
                | TokenKind::Name
                | TokenKind::Sign(_) => {
                    if depth == 0 {
                        return false;
                    }
                }
            }
        }
        false
    }

    fn unary(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.peek().span;
        let wrap: fn(Box<Expr>) -> ExprKind = match self.peek().kind {
            TokenKind::Sign(Sign::Not) => ExprKind::Not,
            TokenKind::Sign(Sign::Minus) => ExprKind::Negate,
            TokenKind::Number
            | TokenKind::Percent
            | TokenKind::Text(_)
            | TokenKind::Name
            | TokenKind::Sign(_)
            | TokenKind::End => return self.postfix(),
        };
        self.enter()?;
        self.advance();
        let inner = self.unary()?;
        self.level -= 1;
        let span = start.to(inner.span);
        self.node(wrap(Box::new(inner)), span)
    }

    /// A value and the fields taken from it.
    fn postfix(&mut self) -> Result<Expr, Diagnostic> {
        let base = self.primary()?;
        let mut path = Vec::new();
        let mut end = base.span;
        while self.peek().kind == TokenKind::Sign(Sign::Dot) {
            self.advance();
            let token = self.peek().clone();
            if token.kind != TokenKind::Name {
                return Err(self.unexpected("the name of a field"));
            }
            path.push(self.text(&token).to_owned());
            end = token.span;
            self.advance();
        }
        if self.peek().kind == TokenKind::Sign(Sign::OpenSquare) {
            return Err(self
                .unexpected("an operator")
                .help("rows are taken by `first`, `filter` and the like"));
        }
        if path.is_empty() {
            return Ok(base);
        }
        let span = base.span.to(end);
        match base.kind {
            ExprKind::Name(mut names) => {
                names.append(&mut path);
                self.node(ExprKind::Name(names), span)
            }
            _ => self.node(ExprKind::Field(Box::new(base), path), span),
        }
    }

    fn primary(&mut self) -> Result<Expr, Diagnostic> {
        let token = self.peek().clone();
        match token.kind {
            TokenKind::Number => self.number(),
            TokenKind::Percent => {
                self.advance();
                let digits = self.text(&token).trim_end_matches('%');
                let number = exact(digits, token.span)?;
                self.node(ExprKind::Literal(Value::Percent(number)), token.span)
            }
            TokenKind::Text(text) => {
                self.advance();
                self.node(ExprKind::Literal(Value::Text(text.into())), token.span)
            }
            TokenKind::Name => self.name(),
            TokenKind::Sign(Sign::OpenSquare) => {
                self.advance();
                let (items, end) = self.items(Sign::CloseSquare, "`]`", |parser| parser.expression())?;
                self.node(ExprKind::List(items), token.span.to(end))
            }
            TokenKind::Sign(Sign::OpenRound) => {
                self.advance();
                let mut inner = self.expression()?;
                let end = self.peek().span;
                self.expect(Sign::CloseRound, "`)`")?;
                // The parentheses belong to what they hold, so that it is underlined whole.
                inner.span = token.span.to(end);
                Ok(inner)
            }
            TokenKind::Sign(_) | TokenKind::End => Err(self.unexpected("a value")),
        }
    }

    /// A number, or an amount of money: `5000 USD`.
    fn number(&mut self) -> Result<Expr, Diagnostic> {
        let token = self.peek().clone();
        let amount = exact(self.text(&token), token.span)?;
        self.advance();
        let unit = self.peek().clone();
        let code = self.text(&unit);
        let names_currency =
            unit.kind == TokenKind::Name && code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase());
        if !names_currency {
            return self.node(ExprKind::Literal(Value::Number(amount)), token.span);
        }
        self.advance();
        let span = token.span.to(unit.span);
        let Ok(currency) = Currency::parse(code) else {
            let common =
                nearest(code, ["USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "CNY", "INR", "SEK"]);
            return Err(Diagnostic::new(
                Code::BadMoney,
                unit.span,
                format!("`{code}` is not an ISO 4217 currency"),
            )
            .help_if(common.map(|code| format!("did you mean `{code}`?"))));
        };
        if Money::exact(&amount, currency).is_err() {
            let message = format!("{code} has {} decimals, this amount has more", currency.digits());
            return Err(Diagnostic::new(Code::BadMoney, span, message).help("round it to what can be paid"));
        }
        self.node(ExprKind::Literal(Value::Money { amount, currency }), span)
    }

    /// A word: a literal, a function's name before `(`, or the name of a fact.
    fn name(&mut self) -> Result<Expr, Diagnostic> {
        let token = self.peek().clone();
        let word = self.text(&token).to_owned();
        self.advance();
        if self.peek().kind == TokenKind::Sign(Sign::OpenRound) && word != "in" {
            self.refuse_word(&token)?;
            self.advance();
            let (arguments, end) = self.items(Sign::CloseRound, "`)`", Self::argument)?;
            let call = CallExpr { function: word, function_span: token.span, arguments };
            return self.node(ExprKind::Call(call), token.span.to(end));
        }
        let kind = match word.as_str() {
            "true" => ExprKind::Literal(Value::Bool(true)),
            "false" => ExprKind::Literal(Value::Bool(false)),
            "null" => ExprKind::Literal(Value::Null),
            "in" | "as" => {
                self.at -= 1;
                return Err(self.unexpected("a value"));
            }
            _ => {
                self.refuse_word(&token)?;
                ExprKind::Name(vec![word])
            }
        };
        self.node(kind, token.span)
    }

    fn argument(&mut self) -> Result<Argument, Diagnostic> {
        let value = self.expression()?;
        let token = self.peek();
        if token.kind != TokenKind::Name || self.text(token) != "as" {
            return Ok(Argument { value, row: None });
        }
        self.advance();
        let name = self.peek().clone();
        let word = self.text(&name).to_owned();
        if name.kind != TokenKind::Name || matches!(word.as_str(), "true" | "false" | "null" | "in" | "as") {
            return Err(self.unexpected("a name for the row"));
        }
        self.refuse_word(&name)?;
        self.advance();
        Ok(Argument { value, row: Some(word) })
    }

    /// Items between commas up to the closing sign, which is taken too.
    fn items<T>(
        &mut self,
        close: Sign,
        closing: &str,
        item: impl Fn(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<(Vec<T>, Span), Diagnostic> {
        let mut items = Vec::new();
        while self.peek().kind != TokenKind::Sign(close) {
            if !items.is_empty() {
                let wanted = format!("`,` or {closing}");
                self.expect(Sign::Comma, &wanted)?;
            }
            if items.len() == WRITTEN_ITEMS_MAX {
                let message = format!("more than {WRITTEN_ITEMS_MAX} items in one list");
                return Err(Diagnostic::new(Code::Limit, self.peek().span, message));
            }
            items.push(item(self)?);
        }
        let end = self.peek().span;
        self.advance();
        Ok((items, end))
    }

    /// Counts one more level of recursion, and refuses what would go too deep.
    fn enter(&mut self) -> Result<(), Diagnostic> {
        self.level += 1;
        if self.level > NESTING_LEVELS_MAX { Err(too_deep(self.peek().span)) } else { Ok(()) }
    }

    /// Makes a node, and refuses a tree that is too deep to walk.
    fn node(&self, kind: ExprKind, span: Span) -> Result<Expr, Diagnostic> {
        let mut expr = Expr { kind, span, levels: 1 };
        expr.levels = 1 + expr.children().iter().map(|child| child.levels).max().unwrap_or(0);
        if expr.levels > NESTING_LEVELS_MAX { Err(too_deep(span)) } else { Ok(expr) }
    }

    fn peek(&self) -> &Token {
        // INVARIANT: the last token is `End`, and `advance` never goes past it.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn text(&self, token: &Token) -> &'a str {
        token.span.text(self.source)
    }

    fn expect(&mut self, sign: Sign, wanted: &str) -> Result<(), Diagnostic> {
        if self.peek().kind != TokenKind::Sign(sign) {
            return Err(self.unexpected(wanted));
        }
        self.advance();
        Ok(())
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let token = self.peek();
        let found = match &token.kind {
            TokenKind::End => "the expression ends".to_owned(),
            TokenKind::Sign(Sign::Range) => {
                return Diagnostic::new(Code::RangePlace, token.span, "a range stands only after `in`")
                    .help("write `x in 1..10`");
            }
            TokenKind::Number
            | TokenKind::Percent
            | TokenKind::Text(_)
            | TokenKind::Name
            | TokenKind::Sign(_) => format!("found `{}`", self.text(token)),
        };
        let diagnostic = Diagnostic::new(Code::Unexpected, token.span, format!("expected {wanted}, {found}"));
        if self.looks_like_grouping() {
            return diagnostic.help("write numbers without grouping: `5000`, not `5,000`");
        }
        diagnostic
    }

    /// Whether a comma stands between two numbers, as in `5,000`.
    fn looks_like_grouping(&self) -> bool {
        let number = |at: Option<usize>| {
            at.and_then(|at| self.tokens.get(at)).is_some_and(|token| token.kind == TokenKind::Number)
        };
        self.peek().kind == TokenKind::Sign(Sign::Comma)
            && number(self.at.checked_sub(1))
            && number(self.at.checked_add(1))
    }
}

fn exact(digits: &str, span: Span) -> Result<Exact, Diagnostic> {
    Exact::parse(digits).map_err(|error| Diagnostic::new(Code::BadNumber, span, error.to_string()))
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(
        Code::Limit,
        span,
        format!("the expression nests deeper than {NESTING_LEVELS_MAX} levels"),
    )
    .help("compute parts of it under names")
}
