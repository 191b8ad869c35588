//! Checks calls: which function, how many arguments, of which kinds.

use purple_finance::{Currency, Rounding};

use crate::ast::{Argument, CallExpr, Expr, ExprKind};
use crate::check::{Checker, ROW, Type, is_per_row, rounding, word};
use crate::diagnostic::{Code, Diagnostic, Span, nearest};
use crate::functions::{Entry, FUNCTIONS, Function};
use crate::limits::ROUND_PLACES_MAX;
use crate::value::{Kind, Value};

const NUMERIC: &[Kind] = &[Kind::Number, Kind::Percent, Kind::Money];
const DATED: &[Kind] = &[Kind::Date, Kind::Text];
const ANY: &[Kind] = &[
    Kind::Null,
    Kind::Bool,
    Kind::Number,
    Kind::Percent,
    Kind::Money,
    Kind::Text,
    Kind::Date,
    Kind::List,
    Kind::Record,
];

/// Checks one call and says what it makes.
pub(crate) fn check_call(checker: &mut Checker<'_>, call: &CallExpr, span: Span) -> Type {
    let Some(entry) = Function::named(&call.function) else {
        checker.report(unknown_function(call));
        return Type::UNKNOWN;
    };
    if entry.function == Function::Round {
        return check_round(checker, call, span);
    }
    let count = call.arguments.len();
    if count < entry.arguments_min || count > entry.arguments_max {
        let message = format!("`{}` does not take {count} arguments", entry.name);
        let usage = format!("write `{}`", entry.usage);
        checker.report(Diagnostic::new(Code::ArgumentCount, span, message).help(usage));
        return Type::UNKNOWN;
    }
    if let Some(per_row) = per_row(checker, call, entry) {
        return check_rows(checker, call, entry, per_row);
    }
    refuse_row_names(checker, call);
    check_plain(checker, call, entry)
}

fn unknown_function(call: &CallExpr) -> Diagnostic {
    let name = &call.function;
    let help = nearest(name, FUNCTIONS.iter().map(|entry| entry.name)).map_or_else(
        || {
            let names: Vec<&str> = FUNCTIONS.iter().map(|entry| entry.name).collect();
            format!("there are {}", names.join(", "))
        },
        |near| format!("did you mean `{near}`?"),
    );
    Diagnostic::new(Code::UnknownFunction, call.function_span, format!("there is no function `{name}`"))
        .help(help)
}

/// Whether and how this call goes over rows: `Some(true)` if it computes something for each.
fn per_row(checker: &Checker<'_>, call: &CallExpr, entry: &Entry) -> Option<bool> {
    if !entry.function.takes_rows() {
        return None;
    }
    let extreme = matches!(entry.function, Function::Max | Function::Min);
    if is_per_row(call, !extreme, row_is_bound(checker)) { Some(true) } else { (!extreme).then_some(false) }
}

fn row_is_bound(checker: &Checker<'_>) -> bool {
    checker.rows.iter().any(|(name, _)| name == ROW) || checker.scope.declares(ROW)
}

fn check_rows(checker: &mut Checker<'_>, call: &CallExpr, entry: &Entry, per_row: bool) -> Type {
    let Some((list, rest)) = call.arguments.split_first() else { return Type::UNKNOWN };
    let list_type = checker.infer(&list.value);
    checker.expect_kind(&list_type, &[Kind::List], list.value.span, entry.operation);
    let body_type = match rest {
        [body] if per_row => {
            refuse_row_name(checker, body);
            checker.rows.push((list.row.clone().unwrap_or_else(|| ROW.to_owned()), list_type.item()));
            let wants_truth =
                matches!(entry.function, Function::Filter | Function::Any | Function::All | Function::Count);
            let body_type = if wants_truth {
                checker.expect_truth(&body.value, entry.operation);
                Type::of(Kind::Bool)
            } else {
                checker.infer(&body.value)
            };
            checker.rows.pop();
            body_type
        }
        _ => {
            refuse_row_name(checker, list);
            list_type.item()
        }
    };
    if matches!(entry.function, Function::Sum | Function::Max | Function::Min) {
        let wanted = if entry.function == Function::Sum {
            NUMERIC
        } else {
            &[Kind::Number, Kind::Percent, Kind::Money, Kind::Date]
        };
        let span = rest.first().unwrap_or(list).value.span;
        checker.expect_kind(&body_type, wanted, span, entry.operation);
    }
    match entry.function {
        Function::Filter => list_type,
        Function::Map => Type::list_of(body_type),
        Function::Any | Function::All => Type::of(Kind::Bool),
        Function::GroupBy => Type::list_of(Type::of(Kind::Record)),
        Function::Count => Type::of(Kind::Number),
        _ => body_type,
    }
}

fn refuse_row_names(checker: &mut Checker<'_>, call: &CallExpr) {
    for argument in &call.arguments {
        refuse_row_name(checker, argument);
    }
}

fn refuse_row_name(checker: &mut Checker<'_>, argument: &Argument) {
    if let Some(row) = &argument.row {
        let message = format!("`as {row}` names the row of a row function, and there is none here");
        let help = "write it after the list: `filter(rows as r, r.amount > 5)`";
        checker.report(Diagnostic::new(Code::BadArgument, argument.value.span, message).help(help));
    }
}

/// `round` takes words as arguments, so it is checked on its own.
fn check_round(checker: &mut Checker<'_>, call: &CallExpr, span: Span) -> Type {
    refuse_row_names(checker, call);
    let modes: Vec<&str> = Rounding::ALL.into_iter().map(Rounding::name).collect();
    let [value, places, mode] = call.arguments.as_slice() else {
        let help = format!("write `round(value, cents, half_even)`; modes are {}", modes.join(", "));
        let message = "`round` needs a value, the decimals to keep and a rounding mode";
        checker.report(Diagnostic::new(Code::RoundingMode, span, message).help(help));
        return Type::UNKNOWN;
    };
    let type_ = checker.infer(&value.value);
    checker.expect_kind(&type_, NUMERIC, value.value.span, "`round`");
    if word(&places.value) == Some("cents") {
        if matches!(type_.kind, Kind::Number | Kind::Percent) {
            let message = format!("only money has cents, this is {}", type_.kind);
            checker.report(
                Diagnostic::new(Code::BadArgument, places.value.span, message)
                    .help("write how many decimals to keep"),
            );
        }
    } else if written_places(&places.value).is_none() {
        let message = "the decimals to keep are `cents` or a written number";
        let help = format!("write `cents`, or a number from 0 to {ROUND_PLACES_MAX}");
        checker.report(Diagnostic::new(Code::BadArgument, places.value.span, message).help(help));
    }
    if rounding(&mode.value).is_none() {
        let near = word(&mode.value).and_then(|word| nearest(word, modes.iter().copied()));
        let help = near.map_or_else(
            || format!("modes are {}", modes.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        let text = mode.value.span.text(checker.source);
        let message = format!("`{text}` is not a rounding mode");
        checker.report(Diagnostic::new(Code::RoundingMode, mode.value.span, message).help(help));
    }
    type_
}

/// The decimals that `round` is asked to keep, if they are written as a number.
pub(crate) fn written_places(expr: &Expr) -> Option<u8> {
    let ExprKind::Literal(Value::Number(places)) = &expr.kind else { return None };
    places.to_i128().and_then(|places| u8::try_from(places).ok()).filter(|places| *places <= ROUND_PLACES_MAX)
}

/// What a function of plain values takes, argument by argument; the last stands for all that follow.
fn takes(function: Function) -> &'static [&'static [Kind]] {
    use Kind::{Bool, Date, List, Money, Number, Percent, Text};
    match function {
        Function::If => &[&[Bool], ANY],
        Function::First => &[&[List]],
        Function::Len => &[&[Text, List]],
        Function::Abs => &[NUMERIC],
        Function::PercentOf => &[&[Percent, Number], &[Number, Money]],
        Function::Percent => &[&[Number, Percent]],
        Function::Money => &[&[Number], &[Text]],
        Function::Amount | Function::Currency => &[&[Money]],
        Function::Number => &[&[Text, Number, Percent]],
        Function::Date | Function::DaysBetween => &[DATED],
        Function::AddDays | Function::AddBusinessDays => &[DATED, &[Number], &[Text]],
        Function::Join | Function::Concat => &[&[Text, Number, Percent, Money, Date, Bool]],
        Function::Lower | Function::Upper => &[&[Text]],
        Function::Contains | Function::StartsWith | Function::EndsWith => &[&[Text]],
        // Checked in their own ways.
        Function::Exists
        | Function::Default
        | Function::Max
        | Function::Min
        | Function::Round
        | Function::Filter
        | Function::Map
        | Function::Any
        | Function::All
        | Function::GroupBy
        | Function::Sum
        | Function::Count => &[ANY],
    }
}

fn check_plain(checker: &mut Checker<'_>, call: &CallExpr, entry: &Entry) -> Type {
    let arguments: Vec<&Expr> = call.arguments.iter().map(|argument| &argument.value).collect();
    if entry.function == Function::Exists
        && !matches!(arguments.as_slice(), [Expr { kind: ExprKind::Name(_), .. }])
    {
        let span = arguments.first().map_or(call.function_span, |argument| argument.span);
        checker.report(
            Diagnostic::new(Code::BadArgument, span, "`exists` asks about a name")
                .help("write `exists(invoice.total)`"),
        );
        return Type::of(Kind::Bool);
    }
    let types: Vec<Type> = arguments.iter().map(|argument| checker.infer(argument)).collect();
    let takes = takes(entry.function);
    for (index, (type_, argument)) in types.iter().zip(&arguments).enumerate() {
        if let Some(wanted) = takes.get(index).or(takes.last()) {
            checker.expect_kind(type_, wanted, argument.span, entry.operation);
        }
    }
    makes(checker, entry, &arguments, &types)
}

/// What a function of plain values makes.
fn makes(checker: &mut Checker<'_>, entry: &Entry, arguments: &[&Expr], types: &[Type]) -> Type {
    let at = |index: usize| types.get(index).cloned().unwrap_or(Type::UNKNOWN);
    match entry.function {
        Function::Default => same_kind(checker, arguments, types, 0, 1),
        Function::If => same_kind(checker, arguments, types, 1, 2),
        Function::Max | Function::Min => check_extreme(checker, arguments, types, entry),
        Function::First => at(0).item(),
        Function::Abs => at(0),
        Function::PercentOf => at(1),
        Function::Percent => Type::of(Kind::Percent),
        Function::Money => Type {
            currency: arguments.get(1).and_then(|code| written_currency(code)),
            ..Type::of(Kind::Money)
        },
        Function::Len | Function::Amount | Function::Number | Function::DaysBetween => Type::of(Kind::Number),
        Function::Date | Function::AddDays | Function::AddBusinessDays => Type::of(Kind::Date),
        Function::Currency | Function::Join | Function::Concat | Function::Lower | Function::Upper => {
            Type::of(Kind::Text)
        }
        Function::Exists | Function::Contains | Function::StartsWith | Function::EndsWith => {
            Type::of(Kind::Bool)
        }
        // Checked before, on their own.
        Function::Round
        | Function::Filter
        | Function::Map
        | Function::Any
        | Function::All
        | Function::GroupBy
        | Function::Sum
        | Function::Count => Type::UNKNOWN,
    }
}

/// `max(a, b)`: values that can be compared with one another; `max(list)`: the items of one list.
fn check_extreme(checker: &mut Checker<'_>, arguments: &[&Expr], types: &[Type], entry: &Entry) -> Type {
    const ORDERED: &[Kind] = &[Kind::Number, Kind::Percent, Kind::Money, Kind::Date];
    if let ([only], [type_]) = (arguments, types)
        && type_.kind == Kind::List
    {
        checker.expect_kind(&type_.item(), ORDERED, only.span, entry.operation);
        return type_.item();
    }
    for (argument, type_) in arguments.iter().zip(types) {
        checker.expect_kind(type_, ORDERED, argument.span, entry.operation);
    }
    types.iter().cloned().reduce(Type::either).unwrap_or(Type::UNKNOWN)
}

/// Two arguments of which one will be the result.
fn same_kind(
    checker: &mut Checker<'_>,
    arguments: &[&Expr],
    types: &[Type],
    first: usize,
    second: usize,
) -> Type {
    let (Some(a), Some(b), Some(place)) = (types.get(first), types.get(second), arguments.get(second)) else {
        return Type::UNKNOWN;
    };
    let loose = |kind: Kind| matches!(kind, Kind::Unknown | Kind::Null);
    if a.kind != b.kind && !loose(a.kind) && !loose(b.kind) {
        let message = format!("this is {}, where the other value is {}", b.kind, a.kind);
        let help = "write two values of the same kind, such as `0 USD` beside money";
        checker.report(Diagnostic::new(Code::Kinds, place.span, message).help(help));
    }
    a.clone().either(b.clone())
}

fn written_currency(expr: &Expr) -> Option<Currency> {
    match &expr.kind {
        ExprKind::Literal(Value::Text(code)) => Currency::parse(code).ok(),
        _ => None,
    }
}
