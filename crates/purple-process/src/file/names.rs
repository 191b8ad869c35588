//! The names that expressions of a task may use, and the compiling of expressions against them.

use std::collections::{BTreeMap, BTreeSet};

use purple_policy::{Code, Condition, Diagnostic, Expression, Kind, Scope};

use super::call::{self, CallText};
use super::input::InputType;
use super::model::{CallTemplate, ForEach, Operand};
use super::problem::{Mark, ProblemCode, Problems};
use super::yaml::{Text, shown};
use crate::id::ToolName;

/// Names that the file gets for free.
pub(crate) const TODAY: &str = "today";
pub(crate) const RULE: &str = "rule";
pub(crate) const BECAUSE: &str = "because";

/// Words that cannot be names, because they mean something already.
const RESERVED: [&str; 9] = [TODAY, RULE, BECAUSE, "row", "in", "as", "true", "false", "null"];

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Input(Option<InputType>),
    /// Declared, but wrong in itself: what uses it is not to blame.
    Broken,
    Read {
        rows: bool,
    },
    Computed(Kind),
    /// A record that is declared, and bound when a run knows its tools.
    Record,
    /// Whether an operation is this one.
    Action,
    /// A threshold that has a name.
    Parameter(Kind),
}

impl Named {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Input(None) | Self::Read { rows: true } => Kind::List,
            Self::Input(Some(kind)) => match kind {
                InputType::Text | InputType::Month | InputType::Id => Kind::Text,
                InputType::Number => Kind::Number,
                InputType::Money => Kind::Money,
                InputType::Percent => Kind::Percent,
                InputType::Date => Kind::Date,
            },
            Self::Read { rows: false } | Self::Broken => Kind::Unknown,
            Self::Record => Kind::Record,
            Self::Action => Kind::Bool,
            Self::Computed(kind) | Self::Parameter(kind) => *kind,
        }
    }
}

/// The names of one task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    known: BTreeMap<String, Named>,
    /// Fields of declared records, dotted.
    fields: BTreeMap<String, Kind>,
}

impl Names {
    /// Takes a name for an input, read or computation, or says why it cannot have it.
    pub(crate) fn take(&mut self, name: &Text, named: Named, problems: &mut Problems) {
        plain_name(name, problems);
        if RESERVED.contains(&name.as_str()) {
            let message = format!("`{}` is a name that every file has already", shown(name));
            problems.add(name.at, ProblemCode::BadName, message, "choose another name");
        } else if self.known.contains_key(name.as_str()) {
            let message = format!("`{}` is the name of another input, read or computation", shown(name));
            problems.add(name.at, ProblemCode::NameTaken, message, "give each of them a name of its own");
            self.known.insert(name.value.clone(), Named::Broken);
        } else {
            self.known.insert(name.value.clone(), named);
        }
    }

    /// Adds a field of a declared record.
    pub(crate) fn declare(&mut self, path: String, kind: Kind) {
        self.fields.insert(path, kind);
    }

    /// Whether rules may use only what is declared.
    pub(crate) fn are_declared(&self) -> bool {
        !self.fields.is_empty() || self.known.values().any(|named| *named == Named::Action)
    }

    /// Whether this is a declared record or a field of one.
    pub(crate) fn is_declared(&self, path: &str) -> bool {
        self.known.get(root(path)) == Some(&Named::Record)
    }

    /// Notes the kind of a computation that compiled.
    pub(crate) fn learn_kind(&mut self, name: &str, kind: Kind) {
        if let Some(named @ Named::Computed(_)) = self.known.get_mut(name) {
            *named = Named::Computed(kind);
        }
    }

    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.known.contains_key(name) || RESERVED.contains(&name)
    }

    /// What the slots may use: inputs, reads, computations, declared records and today.
    pub(crate) fn scope(&self) -> Scope {
        self.within(Scope::closed())
    }

    /// What a rule about a model's operations may use: anything, for it may be an argument.
    pub(crate) fn open_scope(&self) -> Scope {
        self.within(Scope::open())
    }

    fn within(&self, mut scope: Scope) -> Scope {
        // A declared record has the fields that are declared, and no others.
        for (name, named) in self.known.iter().filter(|(_, named)| **named != Named::Record) {
            scope = scope.with(name.as_str(), named.kind());
        }
        for (path, kind) in &self.fields {
            scope = scope.with(path.as_str(), *kind);
        }
        scope.with(TODAY, Kind::Date)
    }

    /// What outcomes may use besides: the rule that led to them, the row of a repetition.
    pub(crate) fn outcome_scope(&self, row: Option<&str>) -> Scope {
        let mut scope = self.scope().with(RULE, Kind::Text).with(BECAUSE, Kind::Text);
        if let Some(row) = row {
            scope = scope.with(row, Kind::Unknown);
        }
        scope
    }
}

/// Refuses a name that is not made of small letters, digits and `_`.
pub(crate) fn plain_name(name: &Text, problems: &mut Problems) -> bool {
    const BYTES_MAX: usize = 48;
    let text = name.as_str();
    let clean = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let good = clean && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.len() <= BYTES_MAX;
    if !good {
        problems.add(
            name.at,
            ProblemCode::BadName,
            format!("`{}` cannot be a name", shown(name)),
            format!("use small letters, digits and `_`, a letter first, at most {BYTES_MAX}"),
        );
    }
    good
}

/// A piece of a scalar that holds an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'t> {
    pub(crate) whole: &'t Text,
    pub(crate) source: &'t str,
    pub(crate) offset: usize,
}

impl<'t> Piece<'t> {
    pub(crate) fn all(whole: &'t Text) -> Self {
        Self { whole, source: whole.as_str(), offset: 0 }
    }

    pub(crate) fn at(&self) -> Mark {
        self.whole.mark_at(self.offset)
    }
}

/// Compiles an expression and turns what is wrong with it into problems of the file.
pub(crate) fn expression(piece: Piece<'_>, scope: &Scope, problems: &mut Problems) -> Option<Expression> {
    Expression::compile(piece.source, scope).map_err(|found| report(piece, &found, problems)).ok()
}

/// Compiles an expression that must be true or false.
pub(crate) fn condition(piece: Piece<'_>, scope: &Scope, problems: &mut Problems) -> Option<Condition> {
    Condition::compile(piece.source, scope).map_err(|found| report(piece, &found, problems)).ok()
}

fn report(piece: Piece<'_>, found: &[Diagnostic], problems: &mut Problems) {
    for diagnostic in found {
        let span = diagnostic.span();
        let written = piece.source.get(span.clone()).unwrap_or_default();
        let code = match diagnostic.code() {
            Code::BadNumber if written.contains(['e', 'E']) => ProblemCode::Exponent,
            Code::Currencies => ProblemCode::MixedCurrencies,
            Code::RoundingMode => ProblemCode::RoundingWithoutMode,
            Code::UnknownName => ProblemCode::UnknownName,
            Code::NotBoolean => ProblemCode::NotACondition,
            _ => ProblemCode::Expression,
        };
        let help =
            diagnostic.help_text().unwrap_or("see the expression language in docs/spec/policy-language.md");
        let at = piece.whole.mark_at(piece.offset.saturating_add(span.start));
        problems.add(at, code, diagnostic.message(), help);
    }
}

/// The first part of every dotted name that an expression uses.
pub(crate) fn roots(expression: &Expression) -> BTreeSet<String> {
    expression.names().iter().map(|name| root(name.as_ref()).to_owned()).collect()
}

pub(crate) fn root(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

/// Reads `tool(param=…)`; its parts are compiled later.
pub(crate) fn call_text<'t>(piece: Piece<'t>, problems: &mut Problems) -> Option<CallText<'t>> {
    match call::read(piece.source) {
        Ok(call) => Some(call),
        Err(refused) => {
            problems.add(
                piece.whole.mark_at(piece.offset + refused.offset),
                ProblemCode::BadCall,
                format!("this is not a call: {}", refused.why),
                refused.help(),
            );
            None
        }
    }
}

/// The tool of a call.
pub(crate) fn tool_name(raw: &str, at: Mark, problems: &mut Problems) -> Option<ToolName> {
    ToolName::parse(raw)
        .map_err(|error| {
            problems.add(
                at,
                ProblemCode::BadCall,
                error.to_string(),
                "write the tool's name as its server gives it",
            )
        })
        .ok()
}

/// Compiles the arguments of a call. `steps` are the earlier steps that may be referred to.
pub(crate) fn arguments(
    piece: Piece<'_>,
    call: &CallText<'_>,
    scope: &Scope,
    steps: &BTreeSet<String>,
    problems: &mut Problems,
) -> Option<CallTemplate> {
    let tool = tool_name(call.tool, piece.at(), problems);
    let mut seen = BTreeSet::new();
    let mut compiled = Vec::new();
    for argument in &call.arguments {
        if !seen.insert(argument.parameter) {
            let at = piece.whole.mark_at(piece.offset + argument.parameter_offset);
            let message = format!("the parameter `{}` is given twice", argument.parameter);
            problems.add(at, ProblemCode::BadCall, message, "keep one of the two");
        }
        let part = Piece {
            whole: piece.whole,
            source: argument.expression,
            offset: piece.offset + argument.expression_offset,
        };
        compiled.push(
            operand(part, scope, steps, problems).map(|operand| (argument.parameter.to_owned(), operand)),
        );
    }
    Some(CallTemplate { tool: tool?, arguments: compiled.into_iter().collect::<Option<_>>()? })
}

/// An expression, or the result of an earlier step as it is.
pub(crate) fn operand(
    piece: Piece<'_>,
    scope: &Scope,
    steps: &BTreeSet<String>,
    problems: &mut Problems,
) -> Option<Operand> {
    let source = piece.source.trim();
    let path = source.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte));
    if let Some((step, field)) = source.split_once('.')
        && path
        && steps.contains(step)
        && !field.is_empty()
    {
        return Some(Operand::Reference { step: step.to_owned(), field: field.to_owned() });
    }
    if let Ok(open) = Expression::compile(piece.source, &Scope::open())
        && let Some(step) = roots(&open).into_iter().find(|root| steps.contains(root))
    {
        problems.add(
            piece.at(),
            ProblemCode::BadReference,
            format!("what `{step}` makes is not known before it runs, so nothing can be computed from it"),
            format!("pass one field on as it is: `{step}.field`"),
        );
        return None;
    }
    expression(piece, scope, problems).map(Operand::Expression)
}

/// Compiles `rows as item`.
pub(crate) fn for_each(text: &Text, names: &Names, problems: &mut Problems) -> Option<ForEach> {
    let (rows, row) = call::rows_as(text.as_str());
    if row != "row" && names.is_taken(row) {
        let message = format!("`{row}` is the name of something else");
        problems.add(text.at, ProblemCode::NameTaken, message, "give the row a name of its own");
        return None;
    }
    let offset = text.as_str().find(rows).unwrap_or(0);
    let rows = expression(Piece { whole: text, source: rows, offset }, &names.scope(), problems)?;
    match rows.kind() {
        Kind::List | Kind::Unknown => Some(ForEach { rows, row: row.to_owned() }),
        kind => {
            let message = format!("`for_each` needs a list, and this is {kind}");
            problems.add(
                text.at,
                ProblemCode::Expression,
                message,
                "name a list, such as the items of a read",
            );
            None
        }
    }
}
