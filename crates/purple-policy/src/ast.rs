//! The shape of an expression, as written, and its canonical text.

use std::fmt;

use crate::diagnostic::Span;
use crate::value::Value;

/// One expression and the bytes it was read from.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    /// Levels below this one, this one included: what walks the tree may recurse this deep.
    pub(crate) levels: usize,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ExprKind {
    Literal(Value),
    List(Vec<Expr>),
    Name(Vec<String>),
    Field(Box<Expr>, Vec<String>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    /// `a && b && c`: one node however long the chain, so that chains do not nest.
    All(Vec<Expr>),
    /// `a || b || c`, likewise.
    Any(Vec<Expr>),
    Compare(Box<Expr>, Comparison, Box<Expr>),
    In(Box<Expr>, Box<Expr>),
    Within(Box<Expr>, Box<RangeExpr>),
    Arithmetic(Box<Expr>, Operator, Box<Expr>),
    Call(CallExpr),
}

/// `low..high`, or with an open end: `(low..high]`, `[low..high)`, `(low..high)`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RangeExpr {
    pub(crate) low: Expr,
    pub(crate) low_edge: Edge,
    pub(crate) high: Expr,
    pub(crate) high_edge: Edge,
}

/// Whether the end of a range belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    Included,
    Excluded,
}

/// `function(argument, …)`.
#[derive(Clone, Debug)]
pub(crate) struct CallExpr {
    pub(crate) function: String,
    pub(crate) function_span: Span,
    pub(crate) arguments: Vec<Argument>,
}

/// One argument; `rows as r` gives the row a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Argument {
    pub(crate) value: Expr,
    pub(crate) row: Option<String>,
}

/// The eight comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    StrictlyEqual,
    StrictlyNotEqual,
}

/// The four operations of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Plus,
    Minus,
    Times,
    Over,
}

/// Where an expression stands is no part of what it says.
impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl PartialEq for CallExpr {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function && self.arguments == other.arguments
    }
}

impl Expr {
    pub(crate) fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Literal(_) | ExprKind::Name(_) => Vec::new(),
            ExprKind::List(items) | ExprKind::All(items) | ExprKind::Any(items) => items.iter().collect(),
            ExprKind::Field(inner, _) | ExprKind::Not(inner) | ExprKind::Negate(inner) => vec![inner],
            ExprKind::Compare(left, _, right)
            | ExprKind::In(left, right)
            | ExprKind::Arithmetic(left, _, right) => vec![left, right],
            ExprKind::Within(needle, range) => vec![needle, &range.low, &range.high],
            ExprKind::Call(call) => call.arguments.iter().map(|argument| &argument.value).collect(),
        }
    }

    /// How tightly this holds together: an operand with a lower number needs parentheses.
    fn tightness(&self) -> u8 {
        match &self.kind {
            ExprKind::Any(_) => 1,
            ExprKind::All(_) => 2,
            ExprKind::Compare(..) | ExprKind::In(..) | ExprKind::Within(..) => 3,
            ExprKind::Arithmetic(_, Operator::Plus | Operator::Minus, _) => 4,
            ExprKind::Arithmetic(_, Operator::Times | Operator::Over, _) => 5,
            ExprKind::Not(_) | ExprKind::Negate(_) => 6,
            ExprKind::Literal(_)
            | ExprKind::List(_)
            | ExprKind::Name(_)
            | ExprKind::Field(..)
            | ExprKind::Call(_) => 7,
        }
    }
}

impl Comparison {
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::StrictlyEqual => "===",
            Self::StrictlyNotEqual => "!==",
        }
    }
}

impl Operator {
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Over => "/",
        }
    }
}

/// The canonical text: single spaces, double quotes, no parentheses but the needed ones.
impl fmt::Display for Expr {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tight = self.tightness();
        match &self.kind {
            ExprKind::Literal(value) => value.write_literal(out),
            ExprKind::List(items) => {
                out.write_str("[")?;
                separated(out, ", ", items, Operand::any)?;
                out.write_str("]")
            }
            ExprKind::Name(path) => out.write_str(&path.join(".")),
            ExprKind::Field(base, path) => write!(out, "{}.{}", Operand(base, 7), path.join(".")),
            ExprKind::Not(inner) => write!(out, "!{}", Operand(inner, tight)),
            ExprKind::Negate(inner) => write!(out, "-{}", Operand(inner, tight)),
            ExprKind::All(items) => separated(out, " && ", items, |item| Operand(item, tight + 1)),
            ExprKind::Any(items) => separated(out, " || ", items, |item| Operand(item, tight + 1)),
            ExprKind::Compare(left, comparison, right) => {
                write!(out, "{} {} {}", Operand(left, 4), comparison.sign(), Operand(right, 4))
            }
            ExprKind::In(needle, list) => write!(out, "{} in {}", Operand(needle, 4), Operand(list, 4)),
            ExprKind::Within(needle, range) => write!(out, "{} in {range}", Operand(needle, 4)),
            ExprKind::Arithmetic(left, operator, right) => {
                write!(out, "{} {} {}", Operand(left, tight), operator.sign(), Operand(right, tight + 1))
            }
            ExprKind::Call(call) => {
                write!(out, "{}(", call.function)?;
                separated(out, ", ", &call.arguments, |argument| argument)?;
                out.write_str(")")
            }
        }
    }
}

impl fmt::Display for RangeExpr {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = match self.low_edge {
            Edge::Included => '[',
            Edge::Excluded => '(',
        };
        let close = match self.high_edge {
            Edge::Included => ']',
            Edge::Excluded => ')',
        };
        write!(out, "{open}{}..{}{close}", Operand(&self.low, 4), Operand(&self.high, 4))
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.row {
            Some(row) => write!(out, "{} as {row}", self.value),
            None => write!(out, "{}", self.value),
        }
    }
}

/// An operand where at least this tightness is needed.
struct Operand<'a>(&'a Expr, u8);

impl<'a> Operand<'a> {
    fn any(expr: &'a Expr) -> Self {
        Self(expr, 0)
    }
}

impl fmt::Display for Operand<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.tightness() < self.1 { write!(out, "({})", self.0) } else { write!(out, "{}", self.0) }
    }
}

fn separated<'a, T, D: fmt::Display>(
    out: &mut fmt::Formatter<'_>,
    separator: &str,
    items: &'a [T],
    show: impl Fn(&'a T) -> D,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.write_str(separator)?;
        }
        write!(out, "{}", show(item))?;
    }
    Ok(())
}
