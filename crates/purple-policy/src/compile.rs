//! Turns a checked expression into a program: names become slots, constants are computed once.

use std::collections::BTreeMap;
use std::sync::Arc;

use purple_finance::Rounding;

use crate::ast::{CallExpr, Comparison, Edge, Expr, ExprKind, Operator, RangeExpr};
use crate::check::{ROW, is_per_row, rounding, word};
use crate::check_call::written_places;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::eval::Evaluation;
use crate::facts::Facts;
use crate::functions::Function;
use crate::operate::compare;
use crate::scope::Scope;
use crate::unevaluable::Doubt;
use crate::value::Value;

/// An expression ready to be evaluated against bound slots.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) root: Node,
    /// Where names stand in the source, in order, so that values can be put in beside them.
    pub(crate) mentions: Vec<Mention>,
}

/// A name in the source and the slot it reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mention {
    pub(crate) span: Span,
    pub(crate) slot: usize,
}

/// One step of a program. Trees are no deeper than the expression was.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Constant(Value),
    Slot(usize),
    /// A row in sight, `up` rows out from the innermost, and a field of it.
    Row {
        up: usize,
        name: Arc<str>,
        path: Box<[String]>,
    },
    Field {
        base: Box<Node>,
        path: Box<[String]>,
    },
    List(Box<[Node]>),
    Not(Box<Node>),
    Negate(Box<Node>),
    All(Box<[Node]>),
    Any(Box<[Node]>),
    /// The commonest condition, `name > constant`, in one step.
    SlotAgainst {
        slot: usize,
        comparison: Comparison,
        constant: Value,
    },
    Compare {
        comparison: Comparison,
        sides: Box<(Node, Node)>,
    },
    /// `x == null`, the one question that null answers.
    IsNull {
        inner: Box<Node>,
        wanted: bool,
    },
    In(Box<(Node, Node)>),
    Within(Box<Within>),
    Arithmetic {
        operator: Operator,
        sides: Box<(Node, Node)>,
    },
    Exists(Box<Node>),
    Default(Box<(Node, Node)>),
    If(Box<(Node, Node, Node)>),
    Round {
        value: Box<Node>,
        places: Places,
        rounding: Rounding,
    },
    Rows {
        function: Function,
        list: Box<Node>,
        body: Option<Box<Node>>,
        steps_each: usize,
    },
    Call {
        function: Function,
        arguments: Box<[Node]>,
    },
}

/// `value in low..high`.
#[derive(Clone, Debug)]
pub(crate) struct Within {
    pub(crate) value: Node,
    pub(crate) low: Node,
    pub(crate) above: Comparison,
    pub(crate) high: Node,
    pub(crate) below: Comparison,
}

/// The decimals that `round` keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Places {
    Cents,
    Written(u8),
}

/// What a name holds once it is bound.
pub(crate) type Slot = Result<Value, Doubt>;

/// The names that one or several programs read.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotTable {
    paths: Vec<Vec<String>>,
    places: BTreeMap<Vec<String>, usize>,
}

impl SlotTable {
    /// The slot of a path; the same path has the same slot.
    fn intern(&mut self, path: &[String]) -> usize {
        if let Some(slot) = self.places.get(path) {
            return *slot;
        }
        self.paths.push(path.to_vec());
        self.places.insert(path.to_vec(), self.paths.len() - 1);
        self.paths.len() - 1
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.paths.iter().map(|path| path.join("."))
    }

    /// Looks every name up once; a local hides facts of its name.
    pub(crate) fn bind(&self, facts: &Facts, locals: &[(&str, Value)]) -> Vec<Slot> {
        self.paths.iter().map(|path| bind_one(path, facts, locals)).collect()
    }
}

fn bind_one(path: &[String], facts: &Facts, locals: &[(&str, Value)]) -> Slot {
    let (root, fields) = path.split_first().map_or(("", path), |(root, fields)| (root.as_str(), fields));
    match locals.iter().find(|(name, _)| *name == root) {
        Some((_, value)) => value
            .walk(fields)
            .map(|found| found.into_owned())
            .ok_or_else(|| Arc::new(crate::unevaluable::Unevaluable::Missing { name: path.join(".") })),
        None => facts.resolve(path),
    }
}

/// Compiles a checked expression, adding the names it reads to `slots`.
pub(crate) fn compile(expr: &Expr, scope: &Scope, slots: &mut SlotTable) -> Result<Program, Diagnostic> {
    let mut compiler = Compiler { scope, slots, rows: Vec::new(), mentions: Vec::new() };
    let root = compiler.node(expr)?;
    let mut mentions = compiler.mentions;
    mentions.sort_by_key(|mention| mention.span.start());
    Ok(Program { root, mentions })
}

struct Compiler<'a> {
    scope: &'a Scope,
    slots: &'a mut SlotTable,
    rows: Vec<String>,
    mentions: Vec<Mention>,
}

impl Compiler<'_> {
    /// Compiles one expression, and computes it at once if it holds no names.
    fn node(&mut self, expr: &Expr) -> Result<Node, Diagnostic> {
        let node = self.unfolded(expr)?;
        if !node.is_computable() {
            return Ok(node);
        }
        match Evaluation::of(&[]).value(&node) {
            Ok(value) => Ok(Node::Constant(value)),
            Err(doubt) => Err(Diagnostic::new(
                Code::NeverEvaluable,
                expr.span,
                format!("this can never be evaluated: {doubt}"),
            )),
        }
    }

    fn nodes(&mut self, exprs: &[Expr]) -> Result<Box<[Node]>, Diagnostic> {
        exprs.iter().map(|expr| self.node(expr)).collect()
    }

    fn boxed(&mut self, expr: &Expr) -> Result<Box<Node>, Diagnostic> {
        self.node(expr).map(Box::new)
    }

    fn sides(&mut self, left: &Expr, right: &Expr) -> Result<Box<(Node, Node)>, Diagnostic> {
        Ok(Box::new((self.node(left)?, self.node(right)?)))
    }

    fn unfolded(&mut self, expr: &Expr) -> Result<Node, Diagnostic> {
        Ok(match &expr.kind {
            ExprKind::Literal(value) => Node::Constant(value.clone()),
            ExprKind::List(items) => Node::List(self.nodes(items)?),
            ExprKind::Name(path) => self.name(path, expr.span),
            ExprKind::Field(base, path) => {
                Node::Field { base: self.boxed(base)?, path: path.as_slice().into() }
            }
            ExprKind::Not(inner) => Node::Not(self.boxed(inner)?),
            ExprKind::Negate(inner) => Node::Negate(self.boxed(inner)?),
            ExprKind::All(items) => Node::All(self.nodes(items)?),
            ExprKind::Any(items) => Node::Any(self.nodes(items)?),
            ExprKind::Compare(left, comparison, right) => self.compare(left, *comparison, right)?,
            ExprKind::In(needle, list) => Node::In(self.sides(needle, list)?),
            ExprKind::Within(value, range) => self.within(value, range)?,
            ExprKind::Arithmetic(left, operator, right) => {
                Node::Arithmetic { operator: *operator, sides: self.sides(left, right)? }
            }
            ExprKind::Call(call) => self.call(call)?,
        })
    }

    fn name(&mut self, path: &[String], span: Span) -> Node {
        let (root, fields) = path.split_first().map_or(("", path), |(root, fields)| (root.as_str(), fields));
        if let Some(up) = self.rows.iter().rev().position(|row| row == root) {
            return Node::Row { up, name: path.join(".").into(), path: fields.into() };
        }
        let slot = self.slots.intern(path);
        self.mentions.push(Mention { span, slot });
        Node::Slot(slot)
    }

    fn compare(&mut self, left: &Expr, comparison: Comparison, right: &Expr) -> Result<Node, Diagnostic> {
        let is_null = |expr: &Expr| matches!(expr.kind, ExprKind::Literal(Value::Null));
        if let Some(wanted) = comparison.holds_for_equality(true) {
            if is_null(right) {
                return Ok(Node::IsNull { inner: self.boxed(left)?, wanted });
            }
            if is_null(left) {
                return Ok(Node::IsNull { inner: self.boxed(right)?, wanted });
            }
        }
        Ok(match (self.node(left)?, self.node(right)?) {
            (Node::Slot(slot), Node::Constant(constant)) => Node::SlotAgainst { slot, comparison, constant },
            sides => Node::Compare { comparison, sides: Box::new(sides) },
        })
    }

    fn within(&mut self, value: &Expr, range: &RangeExpr) -> Result<Node, Diagnostic> {
        let above = match range.low_edge {
            Edge::Included => Comparison::GreaterOrEqual,
            Edge::Excluded => Comparison::Greater,
        };
        let below = match range.high_edge {
            Edge::Included => Comparison::LessOrEqual,
            Edge::Excluded => Comparison::Less,
        };
        let (value, low, high) = (self.node(value)?, self.node(&range.low)?, self.node(&range.high)?);
        if let (Node::Constant(low), Node::Constant(high)) = (&low, &high) {
            let closed = range.low_edge == Edge::Included && range.high_edge == Edge::Included;
            let fits = if closed { Comparison::LessOrEqual } else { Comparison::Less };
            if compare(fits, low, high) == Ok(false) {
                let span = range.low.span.to(range.high.span);
                return Err(Diagnostic::new(Code::BadArgument, span, "nothing is in this range")
                    .help("write the smaller end first"));
            }
        }
        Ok(Node::Within(Box::new(Within { value, low, above, high, below })))
    }

    fn call(&mut self, call: &CallExpr) -> Result<Node, Diagnostic> {
        let Some(entry) = Function::named(&call.function) else {
            return Err(Diagnostic::new(
                Code::UnknownFunction,
                call.function_span,
                "there is no such function",
            ));
        };
        let arguments: Vec<&Expr> = call.arguments.iter().map(|argument| &argument.value).collect();
        Ok(match (entry.function, arguments.as_slice()) {
            (Function::Exists, [name]) => Node::Exists(self.boxed(name)?),
            (Function::Default, [value, instead]) => Node::Default(self.sides(value, instead)?),
            (Function::If, [condition, then, otherwise]) => {
                Node::If(Box::new((self.node(condition)?, self.node(then)?, self.node(otherwise)?)))
            }
            (Function::Round, [value, places, mode]) => self.round(value, places, mode)?,
            (function, [list, body]) if self.goes_over_rows(function, call) => {
                let list_node = self.boxed(list)?;
                let row = call.arguments.first().and_then(|argument| argument.row.clone());
                self.rows.push(row.unwrap_or_else(|| ROW.to_owned()));
                let body = self.boxed(body);
                self.rows.pop();
                let body = body?;
                Node::Rows { function, list: list_node, steps_each: body.steps(), body: Some(body) }
            }
            (Function::Count, [list]) => {
                Node::Rows { function: entry.function, list: self.boxed(list)?, steps_each: 1, body: None }
            }
            (function, arguments) => {
                let arguments =
                    arguments.iter().map(|argument| self.node(argument)).collect::<Result<_, _>>()?;
                Node::Call { function, arguments }
            }
        })
    }

    fn goes_over_rows(&self, function: Function, call: &CallExpr) -> bool {
        let extreme = matches!(function, Function::Max | Function::Min);
        let row_is_bound = self.rows.iter().any(|row| row == ROW) || self.scope.declares(ROW);
        function.takes_rows() && is_per_row(call, !extreme, row_is_bound)
    }

    fn round(&mut self, value: &Expr, places: &Expr, mode: &Expr) -> Result<Node, Diagnostic> {
        let places = if word(places) == Some("cents") {
            Some(Places::Cents)
        } else {
            written_places(places).map(Places::Written)
        };
        let (Some(places), Some(rounding)) = (places, rounding(mode)) else {
            return Err(Diagnostic::new(Code::RoundingMode, mode.span, "`round` needs decimals and a mode"));
        };
        Ok(Node::Round { value: self.boxed(value)?, places, rounding })
    }
}

impl Node {
    fn children(&self) -> Vec<&Self> {
        match self {
            Self::Constant(_) | Self::Slot(_) | Self::Row { .. } | Self::SlotAgainst { .. } => Vec::new(),
            Self::Field { base: inner, .. }
            | Self::Not(inner)
            | Self::Negate(inner)
            | Self::IsNull { inner, .. }
            | Self::Exists(inner)
            | Self::Round { value: inner, .. } => vec![inner],
            Self::List(nodes) | Self::All(nodes) | Self::Any(nodes) | Self::Call { arguments: nodes, .. } => {
                nodes.iter().collect()
            }
            Self::Compare { sides, .. }
            | Self::In(sides)
            | Self::Arithmetic { sides, .. }
            | Self::Default(sides) => vec![&sides.0, &sides.1],
            Self::Within(within) => vec![&within.value, &within.low, &within.high],
            Self::If(parts) => vec![&parts.0, &parts.1, &parts.2],
            Self::Rows { list, body, .. } => std::iter::once(list).chain(body).map(|node| &**node).collect(),
        }
    }

    /// How many steps one evaluation takes at most; row functions inside count theirs when they run.
    fn steps(&self) -> usize {
        match self {
            Self::Rows { list, .. } => 1 + list.steps(),
            other => 1 + other.children().into_iter().map(Self::steps).sum::<usize>(),
        }
    }

    /// How many times a row function is called in here.
    pub(crate) fn row_calls(&self) -> usize {
        let here = usize::from(matches!(self, Self::Rows { .. }));
        here + self.children().into_iter().map(Self::row_calls).sum::<usize>()
    }

    /// Whether every part is constant, so that this can be computed now.
    fn is_computable(&self) -> bool {
        match self {
            Self::Constant(_)
            | Self::Slot(_)
            | Self::Row { .. }
            | Self::Exists(_)
            | Self::SlotAgainst { .. } => false,
            other => other.children().into_iter().all(|node| matches!(node, Self::Constant(_))),
        }
    }
}
