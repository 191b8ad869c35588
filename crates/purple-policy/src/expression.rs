//! Expressions and conditions, compiled once and evaluated many times.

use std::fmt;
use std::sync::Arc;

use crate::ast::{Expr, ExprKind};
use crate::check::check;
use crate::compared::compared;
use crate::compile::{Mention, Program, Slot, SlotTable, compile};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::eval::Evaluation;
use crate::facts::Facts;
use crate::functions::Function;
use crate::parse::parse;
use crate::scope::Scope;
use crate::unevaluable::Unevaluable;
use crate::value::{Kind, Value};

/// An expression, checked and compiled.
///
/// Displayed in its canonical form, which compiles to the same expression.
#[derive(Clone, Debug)]
pub struct Expression {
    source: Arc<str>,
    expr: Expr,
    kind: Kind,
    slots: SlotTable,
    program: Program,
}

impl Expression {
    /// Compiles `source` with the names of `scope`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it; a mistake of grammar is reported alone.
    pub fn compile(source: &str, scope: &Scope) -> Result<Self, Vec<Diagnostic>> {
        let mut slots = SlotTable::default();
        let compiled = compile_source(source, scope, &mut slots)?;
        let Compiled { source, expr, kind, program } = compiled;
        Ok(Self { source, expr, kind, slots, program })
    }

    /// The kind of value it makes, as far as that is known.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The dotted names it reads, each once, in the order in which they first appear.
    pub fn names(&self) -> Vec<String> {
        self.slots.names().collect()
    }

    /// The dotted names whose absence it asks about: those that stand inside `exists`. Each once.
    pub fn guarded(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![(&self.expr, false)];
        while let Some((expr, inside)) = open.pop() {
            let is_exists =
                |name: &str| Function::named(name).is_some_and(|entry| entry.function == Function::Exists);
            let asks = matches!(&expr.kind, ExprKind::Call(call) if is_exists(&call.function));
            if let (true, ExprKind::Name(path)) = (inside, &expr.kind)
                && !found.contains(&path.join("."))
            {
                found.push(path.join("."));
            }
            open.extend(expr.children().into_iter().rev().map(|child| (child, inside || asks)));
        }
        found
    }

    /// The names that it compares with written values, and those values.
    pub fn compared(&self) -> Vec<(String, Value)> {
        compared(&self.expr)
    }

    /// The text it was compiled from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Its value, given these facts.
    ///
    /// # Errors
    ///
    /// Why it has none.
    pub fn evaluate(&self, facts: &Facts) -> Result<Value, Unevaluable> {
        self.evaluate_with(facts, &[])
    }

    /// Its value, where names such as `row` are given beside the facts and hide facts of the same name.
    ///
    /// # Errors
    ///
    /// Why it has none.
    pub fn evaluate_with(&self, facts: &Facts, locals: &[(&str, Value)]) -> Result<Value, Unevaluable> {
        let slots = self.slots.bind(facts, locals);
        Evaluation::of(&slots).value(&self.program.root).map_err(Arc::unwrap_or_clone)
    }

    /// The source with the values put in: `variance_percent (2.2265625) > 2.0`.
    pub fn explain(&self, facts: &Facts) -> String {
        self.explain_with(facts, &[])
    }

    /// The same, where these names are only names for what is written: it stands in their place.
    pub fn explain_with(&self, facts: &Facts, written: &[(&str, &str)]) -> String {
        put_in(&self.source, (&self.program.mentions, written), &self.slots.bind(facts, &[]))
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.expr)
    }
}

/// Two expressions that say the same are equal, however they are spaced.
impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.expr == other.expr
    }
}

/// An expression that is true or false.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition(Expression);

/// What a condition says about the facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// It holds.
    Fires,
    /// It does not hold.
    Silent,
    /// Nobody can say; a rule that is not `allow` demands a person.
    Unevaluable(Unevaluable),
}

impl Condition {
    /// Compiles `source`, which must be true or false.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn compile(source: &str, scope: &Scope) -> Result<Self, Vec<Diagnostic>> {
        let expression = Expression::compile(source, scope)?;
        refuse_other_than_truth(expression.kind, &expression.source)?;
        Ok(Self(expression))
    }

    /// Whether it holds, given these facts.
    pub fn judge(&self, facts: &Facts) -> Judged {
        let Expression { slots, program, .. } = &self.0;
        match Evaluation::of(&slots.bind(facts, &[])).holds(&program.root) {
            Ok(true) => Judged::Fires,
            Ok(false) => Judged::Silent,
            Err(doubt) => Judged::Unevaluable(Arc::unwrap_or_clone(doubt)),
        }
    }

    /// The expression it is.
    pub fn expression(&self) -> &Expression {
        &self.0
    }
}

/// What compiling a source gives.
pub(crate) struct Compiled {
    pub(crate) source: Arc<str>,
    pub(crate) expr: Expr,
    pub(crate) kind: Kind,
    pub(crate) program: Program,
}

/// Parses, checks and compiles, adding names to `slots`.
pub(crate) fn compile_source(
    source: &str,
    scope: &Scope,
    slots: &mut SlotTable,
) -> Result<Compiled, Vec<Diagnostic>> {
    // A text beyond the limit is refused by the tokens without being copied or shown.
    let expr = parse(source).map_err(|diagnostic| {
        let too_long = diagnostic.code() == Code::Limit && diagnostic.span().is_empty();
        vec![if too_long { diagnostic } else { diagnostic.within(&source.into()) }]
    })?;
    let source: Arc<str> = source.into();
    let located = |diagnostic: Diagnostic| diagnostic.within(&source);
    let type_ = check(&expr, &source, scope)
        .map_err(|diagnostics| diagnostics.into_iter().map(located).collect::<Vec<_>>())?;
    let program = compile(&expr, scope, slots).map_err(|diagnostic| vec![located(diagnostic)])?;
    Ok(Compiled { source, expr, kind: type_.kind, program })
}

/// Refuses an expression that is known to be something else than true or false.
pub(crate) fn refuse_other_than_truth(kind: Kind, source: &Arc<str>) -> Result<(), Vec<Diagnostic>> {
    if matches!(kind, Kind::Bool | Kind::Unknown) {
        return Ok(());
    }
    let message = format!("a condition is true or false, this is {kind}");
    Err(vec![
        Diagnostic::new(Code::NotBoolean, Span::new(0, source.len()), message)
            .help("compare it with something, such as `amount > 5000`")
            .within(source),
    ])
}

/// The source with each name's value in parentheses behind it.
pub(crate) fn put_in(
    source: &str,
    (mentions, named): (&[Mention], &[(&str, &str)]),
    slots: &[Slot],
) -> String {
    let mut text = String::with_capacity(source.len() * 2);
    let mut written = 0;
    for mention in mentions {
        let end = mention.span.end();
        let name = mention.span.text(source);
        if let Some((_, instead)) = named.iter().find(|(known, _)| *known == name) {
            text.push_str(source.get(written..mention.span.start()).unwrap_or_default());
            text.push_str(instead);
            written = end;
            continue;
        }
        let Some(part) = source.get(written..end) else { continue };
        text.push_str(part);
        written = end;
        let shown = match slots.get(mention.slot) {
            Some(Ok(value)) => value.shown(),
            Some(Err(_)) | None => "?".to_owned(),
        };
        text.push_str(" (");
        text.push_str(&shown);
        text.push(')');
    }
    text.push_str(source.get(written..).unwrap_or_default());
    text
}

#[cfg(test)]
#[path = "expression_tests.rs"]
mod tests;
