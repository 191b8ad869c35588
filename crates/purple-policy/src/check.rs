//! Checks names, kinds and units before anything is evaluated.
//!
//! What is known to be wrong is refused here, with the place; what is unknown is left to the evaluation.

use purple_finance::{Currency, Exact, Rounding, parse_date};

use crate::ast::{CallExpr, Comparison, Expr, ExprKind, Operator, RangeExpr};
use crate::check_call::check_call;
use crate::diagnostic::{Code, Diagnostic, Span, nearest};
use crate::limits::DIAGNOSTICS_MAX;
use crate::operate::arithmetic_kind;
use crate::scope::{Known, Scope};
use crate::value::{Kind, Value};

/// What is known about a value before it is evaluated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    pub(crate) currency: Option<Currency>,
    pub(crate) item: Option<Box<Type>>,
}

impl Type {
    pub(crate) const UNKNOWN: Self = Self::of(Kind::Unknown);

    pub(crate) const fn of(kind: Kind) -> Self {
        Self { kind, currency: None, item: None }
    }

    pub(crate) fn list_of(item: Self) -> Self {
        Self { item: Some(Box::new(item)), ..Self::of(Kind::List) }
    }

    pub(crate) fn item(&self) -> Self {
        self.item.as_deref().cloned().unwrap_or(Self::UNKNOWN)
    }

    /// What is known of a value that is one of two.
    pub(crate) fn either(self, other: Self) -> Self {
        if self == other {
            self
        } else if self.kind == other.kind {
            Self::of(self.kind)
        } else {
            Self::UNKNOWN
        }
    }
}

/// Checks a whole expression and says what it makes.
pub(crate) fn check(expr: &Expr, source: &str, scope: &Scope) -> Result<Type, Vec<Diagnostic>> {
    let mut checker = Checker { source, scope, rows: Vec::new(), diagnostics: Vec::new() };
    let type_ = checker.infer(expr);
    if checker.diagnostics.is_empty() { Ok(type_) } else { Err(checker.diagnostics) }
}

pub(crate) struct Checker<'a> {
    pub(crate) source: &'a str,
    pub(crate) scope: &'a Scope,
    /// The rows in sight, innermost last.
    pub(crate) rows: Vec<(String, Type)>,
    diagnostics: Vec<Diagnostic>,
}

impl Checker<'_> {
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < DIAGNOSTICS_MAX {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(crate) fn infer(&mut self, expr: &Expr) -> Type {
        match &expr.kind {
            ExprKind::Literal(value) => literal_type(value),
            ExprKind::List(items) => {
                let types: Vec<Type> = items.iter().map(|item| self.infer(item)).collect();
                Type::list_of(types.into_iter().reduce(Type::either).unwrap_or(Type::UNKNOWN))
            }
            ExprKind::Name(path) => self.name(path, expr.span),
            ExprKind::Field(base, path) => {
                let base = self.infer(base);
                self.field_of(base.kind, path, expr.span)
            }
            ExprKind::Not(inner) => {
                self.expect_truth(inner, "`!`");
                Type::of(Kind::Bool)
            }
            ExprKind::Negate(inner) => {
                let type_ = self.infer(inner);
                self.expect_kind(&type_, &[Kind::Number, Kind::Percent, Kind::Money], inner.span, "`-`");
                type_
            }
            ExprKind::All(items) => self.logic(items, "`&&`"),
            ExprKind::Any(items) => self.logic(items, "`||`"),
            ExprKind::Compare(left, comparison, right) => {
                let (left_type, right_type) = (self.infer(left), self.infer(right));
                self.comparable(*comparison, (left, &left_type), (right, &right_type), expr.span);
                Type::of(Kind::Bool)
            }
            ExprKind::In(needle, list) => self.membership(needle, list, expr.span),
            ExprKind::Within(needle, range) => self.within(needle, range),
            ExprKind::Arithmetic(left, operator, right) => {
                let (left_type, right_type) = (self.infer(left), self.infer(right));
                self.arithmetic(*operator, (left, &left_type), (right, &right_type), expr.span)
            }
            ExprKind::Call(call) => check_call(self, call, expr.span),
        }
    }

    fn name(&mut self, path: &[String], span: Span) -> Type {
        let Some((root, fields)) = path.split_first() else { return Type::UNKNOWN };
        if let Some((_, row)) = self.rows.iter().rev().find(|(name, _)| name == root) {
            let row = row.clone();
            return if fields.is_empty() { row } else { self.field_of(row.kind, fields, span) };
        }
        match self.scope.look_up(path) {
            Known::Exactly(kind) => Type::of(kind),
            Known::FieldOf(kind) => self.field_of(kind, fields, span),
            Known::Above => Type::of(Kind::Record),
            Known::Anything => Type::UNKNOWN,
            Known::Nothing => {
                let name = path.join(".");
                let near =
                    nearest(&name, self.scope.declared()).or_else(|| nearest(root, self.scope.declared()));
                let help = near.map(|near| format!("did you mean `{near}`?"));
                let unknown = Diagnostic::new(Code::UnknownName, span, format!("`{name}` is not known here"));
                self.report(unknown.help_if(help));
                Type::UNKNOWN
            }
        }
    }

    /// The type of a field of something.
    fn field_of(&mut self, kind: Kind, path: &[String], span: Span) -> Type {
        match (kind, path) {
            (Kind::Unknown | Kind::Record | Kind::List, _) => Type::UNKNOWN,
            (Kind::Money, [field]) if field == "amount" => Type::of(Kind::Number),
            (Kind::Money, [field]) if field == "currency" => Type::of(Kind::Text),
            (kind, _) => {
                let message = format!("{kind} has no field `{}`", path.join("."));
                self.report(Diagnostic::new(Code::Kinds, span, message));
                Type::UNKNOWN
            }
        }
    }

    fn logic(&mut self, items: &[Expr], operation: &str) -> Type {
        for item in items {
            self.expect_truth(item, operation);
        }
        Type::of(Kind::Bool)
    }

    pub(crate) fn expect_truth(&mut self, expr: &Expr, operation: &str) {
        let type_ = self.infer(expr);
        if self.expect_kind(&type_, &[Kind::Bool], expr.span, operation) {
            return;
        }
        if let Some(last) = self.diagnostics.last_mut() {
            *last = last.clone().help("compare it with something, such as `x > 0` or `x != null`");
        }
    }

    /// Reports a kind that is known and not among those wanted.
    pub(crate) fn expect_kind(&mut self, type_: &Type, wanted: &[Kind], span: Span, operation: &str) -> bool {
        let fits = type_.kind == Kind::Unknown || wanted.contains(&type_.kind);
        if !fits {
            let wanted: Vec<String> = wanted.iter().map(Kind::to_string).collect();
            let message = format!("{operation} needs {}, this is {}", wanted.join(" or "), type_.kind);
            self.report(Diagnostic::new(Code::Kinds, span, message));
        }
        fits
    }

    fn membership(&mut self, needle: &Expr, list: &Expr, span: Span) -> Type {
        let needle_type = self.infer(needle);
        let equal = Comparison::Equal;
        if let ExprKind::List(items) = &list.kind {
            for item in items {
                let item_type = self.infer(item);
                self.comparable(equal, (needle, &needle_type), (item, &item_type), item.span);
            }
            return Type::of(Kind::Bool);
        }
        let list_type = self.infer(list);
        match list_type.kind {
            Kind::List => {
                self.comparable(equal, (needle, &needle_type), (list, &list_type.item()), span);
            }
            Kind::Unknown => {}
            Kind::Text => {
                let message = "`in` looks into a list, this is a text";
                let help = format!(
                    "write `contains({}, {})`",
                    list.span.text(self.source),
                    needle.span.text(self.source)
                );
                self.report(Diagnostic::new(Code::Kinds, list.span, message).help(help));
            }
            kind => {
                let message = format!("`in` looks into a list or a range, this is {kind}");
                self.report(Diagnostic::new(Code::Kinds, list.span, message));
            }
        }
        Type::of(Kind::Bool)
    }

    fn within(&mut self, needle: &Expr, range: &RangeExpr) -> Type {
        let types = (self.infer(needle), self.infer(&range.low), self.infer(&range.high));
        let known = self.diagnostics.len();
        self.comparable(
            Comparison::LessOrEqual,
            (&range.low, &types.1),
            (&range.high, &types.2),
            range.high.span,
        );
        if self.diagnostics.len() == known {
            let low_span = range.low.span;
            self.comparable(Comparison::GreaterOrEqual, (needle, &types.0), (&range.low, &types.1), low_span);
        }
        if self.diagnostics.len() == known {
            let high_span = range.high.span;
            self.comparable(Comparison::LessOrEqual, (needle, &types.0), (&range.high, &types.2), high_span);
        }
        Type::of(Kind::Bool)
    }

    fn arithmetic(
        &mut self,
        operator: Operator,
        left: (&Expr, &Type),
        right: (&Expr, &Type),
        span: Span,
    ) -> Type {
        let kinds = (left.1.kind, right.1.kind);
        if kinds.0 == Kind::Unknown || kinds.1 == Kind::Unknown {
            self.refuse_impossible_operand(operator, left);
            self.refuse_impossible_operand(operator, right);
            return Type::UNKNOWN;
        }
        let Some(kind) = arithmetic_kind(operator, kinds.0, kinds.1) else {
            let message = format!("`{}` cannot take {} and {}", operator.sign(), kinds.0, kinds.1);
            let help = self.arithmetic_help(operator, left, right);
            self.report(Diagnostic::new(Code::Kinds, span, message).help_if(help));
            return Type::UNKNOWN;
        };
        self.refuse_two_currencies(operator.sign(), left.1, right.1, span);
        let currency = left.1.currency.or(right.1.currency).filter(|_| kind == Kind::Money);
        Type { currency, ..Type::of(kind) }
    }

    /// A text, a date or the like is never an operand, whatever stands on the other side.
    fn refuse_impossible_operand(&mut self, operator: Operator, (expr, type_): (&Expr, &Type)) {
        let operation = format!("`{}`", operator.sign());
        let wanted = [Kind::Number, Kind::Percent, Kind::Money];
        self.expect_kind(type_, &wanted, expr.span, &operation);
    }

    fn arithmetic_help(
        &self,
        operator: Operator,
        left: (&Expr, &Type),
        right: (&Expr, &Type),
    ) -> Option<String> {
        let has = |kind: Kind| left.1.kind == kind || right.1.kind == kind;
        if has(Kind::Text) {
            Some(
                "texts are put together by `concat(a, b)`; a number in a text is read by `number(text)`"
                    .into(),
            )
        } else if has(Kind::Date) {
            Some("dates are moved by `add_days(date, 30)` and counted by `days_between(from, to)`".into())
        } else if operator == Operator::Times && has(Kind::Money) && has(Kind::Percent) {
            Some("use `percent_of(rate, amount)`, or divide the rate by 100 first".into())
        } else if matches!(operator, Operator::Plus | Operator::Minus)
            && has(Kind::Money)
            && has(Kind::Number)
        {
            self.money_help(left, right)
        } else {
            None
        }
    }

    /// How to turn the bare number beside an amount into money.
    fn money_help(&self, left: (&Expr, &Type), right: (&Expr, &Type)) -> Option<String> {
        let (money, number) = if left.1.kind == Kind::Money { (left, right) } else { (right, left) };
        let code = money.1.currency.map_or("USD", Currency::code);
        let text = number.0.span.text(self.source);
        Some(match number.0.kind {
            ExprKind::Literal(_) => format!("write `{text} {code}`"),
            _ => format!("write `money({text}, \"{code}\")`"),
        })
    }

    fn refuse_two_currencies(&mut self, sign: &str, left: &Type, right: &Type, span: Span) {
        if let (Some(left), Some(right)) = (left.currency, right.currency)
            && left != right
        {
            let message = format!("`{sign}` cannot take {} and {}", left.code(), right.code());
            self.report(
                Diagnostic::new(Code::Currencies, span, message)
                    .help("convert one of them first, at a named rate"),
            );
        }
    }

    pub(crate) fn comparable(
        &mut self,
        comparison: Comparison,
        left: (&Expr, &Type),
        right: (&Expr, &Type),
        span: Span,
    ) {
        use Kind::{Bool, Date, List, Money, Null, Number, Percent, Record, Text, Unknown};
        let equality = comparison.holds_for_equality(true).is_some();
        let help = match (left.1.kind, right.1.kind) {
            (Null, _) | (_, Null) if equality => return,
            (List | Record, _) | (_, List | Record) => {
                Some("lists are searched by `in`, `any` and `all`".to_owned())
            }
            (Bool | Text, Bool | Text) if !equality && left.1.kind == right.1.kind => Some(
                "only numbers, money and dates have an order; a date in a text is read by `date(text)`"
                    .into(),
            ),
            (Unknown, _) | (_, Unknown) => return,
            (Money, Money) => return self.refuse_two_currencies(comparison.sign(), left.1, right.1, span),
            (a, b) if a == b => return,
            (Number, Percent) | (Percent, Number) if !comparison.is_strict() => return,
            (Number, Text) | (Text, Number)
                if !comparison.is_strict() && numeric(left.0) && numeric(right.0) =>
            {
                return;
            }
            (Date, Text) | (Text, Date) if !comparison.is_strict() && dated(left.0) && dated(right.0) => {
                return;
            }
            (Money, Number) | (Number, Money) => self.money_help(left, right),
            (Number, Percent) | (Percent, Number) => Some("`==` compares a number with a percentage".into()),
            (_, _) => None,
        };
        let (left, right) = (left.1.kind, right.1.kind);
        let message = format!("`{}` cannot compare {left} with {right}", comparison.sign());
        self.report(Diagnostic::new(Code::Kinds, span, message).help_if(help));
    }
}

/// Whether a written text reads as a number; everything else may.
fn numeric(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(Value::Text(text)) => Exact::parse(text).is_ok(),
        _ => true,
    }
}

/// Whether a written text reads as a date; everything else may.
fn dated(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(Value::Text(text)) => parse_date(text).is_ok(),
        _ => true,
    }
}

fn literal_type(value: &Value) -> Type {
    match value {
        Value::Money { currency, .. } => Type { currency: Some(*currency), ..Type::of(Kind::Money) },
        other => Type::of(other.kind()),
    }
}

/// The word that an argument such as `cents` or `half_even` is.
pub(crate) fn word(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(path) => match path.as_slice() {
            [word] => Some(word),
            _ => None,
        },
        _ => None,
    }
}

/// The rounding mode an argument names.
pub(crate) fn rounding(expr: &Expr) -> Option<Rounding> {
    Rounding::parse(word(expr)?).ok()
}

/// Whether a call computes its second argument for each row of the first.
///
/// `max(a, b)` compares two values; `max(rows, row.x)` looks at rows, unless `row` already means something here.
pub(crate) fn is_per_row(call: &CallExpr, always: bool, row_is_bound: bool) -> bool {
    let [list, body] = call.arguments.as_slice() else { return false };
    always || list.row.is_some() || (!row_is_bound && mentions_row(&body.value))
}

fn mentions_row(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(path) => path.first().is_some_and(|root| root == ROW),
        _ => expr.children().into_iter().any(mentions_row),
    }
}

/// What the row is called where it is given no other name.
pub(crate) const ROW: &str = "row";
