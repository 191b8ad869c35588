//! Exact calculation for a model: the shipped functions, and expressions over what was read.

use std::collections::BTreeMap;

use purple_finance::Figure;
use purple_finance::catalogue::{self, Function, Kind, Need, Parameter};
use purple_policy::{Expression, Facts, Scope, Source, Value as Known};
use purple_process::{Json, Sources};
use serde_json::{Map, Value, json};

use crate::dossier::Opened;
use crate::drive::look::names_free_text;
use crate::drive::memo::{Basis, Computed};
use crate::drive::offer::CALCULATE;
use crate::port::{ToolDefinition, TurnFailed};

/// Numbers that an expression may hold without anybody vouching for them: percent, months, halves, ones.
const PLAIN_NUMBERS: [&str; 4] = ["1", "2", "12", "100"];
/// The longest expression, in bytes.
pub(crate) const EXPRESSION_BYTES_MAX: usize = 2 * 1024;

/// The result of a calculation, and what it rests on.
pub(crate) struct Worked {
    pub value: Value,
    pub basis: Basis,
}

/// The tool that evaluates an expression.
pub(crate) fn calculating() -> ToolDefinition {
    let mut definition = ToolDefinition::new(
        CALCULATE,
        "Evaluates an expression exactly. Names: r1, r2, … are the answers of the reads in order, c1, c2, … earlier results, and the figures that are known by name. Operators + - * / and comparisons, fields by dots (r1.total), and filter(rows, condition), sum(rows.field), count(rows), max(…), min(…), round(x, places, \"half_even\").",
    );
    definition.input_schema = json!({
        "type": "object",
        "properties": {"expression": {"type": "string"}},
        "required": ["expression"],
    });
    definition
}

/// A shipped function as a tool.
pub(crate) fn definition(function: &Function) -> ToolDefinition {
    let mut definition = ToolDefinition::new(function.name, function.summary);
    definition.input_schema = record(function.parameters);
    definition
}

fn record(parameters: &[Parameter]) -> Value {
    let properties: Map<String, Value> = parameters
        .iter()
        .map(|parameter| {
            let mut schema = schema(&parameter.kind);
            if let Some(fields) = schema.as_object_mut() {
                fields.insert("description".to_owned(), json!(described(parameter)));
            }
            (parameter.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = parameters
        .iter()
        .filter(|parameter| parameter.need == Need::Required)
        .map(|parameter| parameter.name)
        .collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn described(parameter: &Parameter) -> String {
    let form = match parameter.kind {
        Kind::Money => ", as `1250.75 USD`",
        Kind::Percent => ", as `2.5%`",
        Kind::Date => ", as `2026-01-31`",
        Kind::Number
        | Kind::Whole
        | Kind::Hours
        | Kind::Days
        | Kind::Text
        | Kind::Choice(_)
        | Kind::List(_)
        | Kind::Record(_) => "",
    };
    format!("{}{form}", parameter.description)
}

fn schema(kind: &Kind) -> Value {
    match kind {
        Kind::Money | Kind::Percent | Kind::Date | Kind::Text => json!({"type": "string"}),
        Kind::Number | Kind::Whole | Kind::Hours | Kind::Days => json!({"type": ["number", "string"]}),
        Kind::Choice(choices) => json!({"enum": choices}),
        Kind::List(of) => json!({"type": "array", "items": schema(of)}),
        Kind::Record(fields) => record(fields),
    }
}

/// Calls a shipped function with what a model gave.
pub(crate) fn call(function: &Function, given: &Value, sources: &Sources) -> Result<Worked, String> {
    let Value::Object(given) = given else { return Err("the arguments are not an object".to_owned()) };
    let mut arguments = BTreeMap::new();
    let mut founded = true;
    for (name, value) in given {
        let parameter = function.parameters.iter().find(|parameter| parameter.name == name);
        let Some(parameter) = parameter else { return Err(format!("there is no parameter `{name}`")) };
        founded &= is_founded(&parameter.kind, value, sources);
        arguments.insert(name.clone(), figure(&parameter.kind, value)?);
    }
    let answer =
        catalogue::call(function.name, &arguments).map_err(|error| format!("{error}; {}", error.help()))?;
    let value = serde_json::to_value(&answer).map_err(|error| error.to_string())?;
    Ok(Worked { value, basis: Basis::of(founded) })
}

/// The values of an answer of a shipped function that can stand behind an operation.
pub(crate) fn values(worked: &Value) -> Value {
    worked.get("values").cloned().unwrap_or(Value::Null)
}

fn figure(kind: &Kind, value: &Value) -> Result<Figure, String> {
    match (kind, value) {
        (Kind::List(of), Value::Array(items)) => {
            items.iter().map(|item| figure(of, item)).collect::<Result<_, _>>().map(Figure::List)
        }
        (Kind::List(of), single) => Ok(Figure::List(vec![figure(of, single)?])),
        (Kind::Record(fields), Value::Object(given)) => {
            let mut record = BTreeMap::new();
            for (name, value) in given {
                let field = fields.iter().find(|field| field.name == name);
                let Some(field) = field else { return Err(format!("there is no field `{name}`")) };
                record.insert(name.clone(), figure(&field.kind, value)?);
            }
            Ok(Figure::Record(record))
        }
        (_, Value::String(text)) => kind.read(text).map_err(|error| error.to_string()),
        (_, Value::Number(number)) => kind.read(&number.to_string()).map_err(|error| error.to_string()),
        (_, Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {
            Err(format!("it takes {kind}"))
        }
    }
}

/// Whether a calculation of a server works on figures, and every one of them has a source. Of nothing it can only make
/// something up.
pub(crate) fn all_founded(given: &Value, sources: &Sources) -> bool {
    let mut figures = Vec::new();
    collect_figures(given, &mut figures);
    let is_founded =
        |figure: &Value| Json::from_serde(figure).is_ok_and(|value| sources.founds_input(&value));
    !figures.is_empty() && figures.into_iter().all(is_founded)
}

/// The numbers of a value, and its texts with digits in them.
fn collect_figures<'v>(given: &'v Value, into: &mut Vec<&'v Value>) {
    match given {
        Value::Null | Value::Bool(_) => {}
        Value::Number(_) => into.push(given),
        Value::String(text) => into.extend(text.chars().any(char::is_numeric).then_some(given)),
        Value::Array(items) => items.iter().for_each(|item| collect_figures(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| collect_figures(field, into)),
    }
}

/// Whether a figure was read, computed, or named by the task where that is no money.
fn is_founded(kind: &Kind, value: &Value, sources: &Sources) -> bool {
    let known = || Json::from_serde(value).is_ok_and(|value| sources.founds_input(&value));
    match (kind, value) {
        (Kind::Date | Kind::Text | Kind::Choice(_) | Kind::Days, _) => true,
        (Kind::List(of), Value::Array(items)) => items.iter().all(|item| is_founded(of, item, sources)),
        (Kind::List(of), single) => is_founded(of, single, sources),
        (Kind::Record(fields), Value::Object(given)) => given.iter().all(|(name, value)| {
            let field = fields.iter().find(|field| field.name == name);
            field.is_some_and(|field| is_founded(&field.kind, value, sources))
        }),
        (Kind::Record(_), _) => false,
        (Kind::Money | Kind::Number | Kind::Whole | Kind::Percent | Kind::Hours, _) => known(),
    }
}

/// Evaluates an expression over what is known.
pub(crate) fn calculate(source: &str, opened: &Opened, sources: &Sources) -> Result<Worked, String> {
    if source.len() > EXPRESSION_BYTES_MAX {
        return Err(format!("an expression has at most {EXPRESSION_BYTES_MAX} bytes"));
    }
    let wrong = |error: TurnFailed| error.to_string();
    let case = opened.case().map_err(wrong)?;
    let mut facts: Facts = case.facts().clone();
    let driven = opened.dossier.driven.as_ref();
    let reads = driven.into_iter().flat_map(|driven| &driven.reads).zip(1_usize..);
    for (found, number) in reads {
        let value = Known::from_json(found.answer.for_work()).map_err(|error| format!("r{number}: {error}"));
        facts.set(Source::Read, format!("r{number}"), value.unwrap_or(Known::Null));
    }
    for Computed { name, value, .. } in driven.into_iter().flat_map(|driven| &driven.computed) {
        facts.set(Source::Computed, name.as_str(), Known::from_json(value).unwrap_or(Known::Null));
    }
    let expression = Expression::compile(source, &Scope::open()).map_err(|wrong| {
        let wrong: Vec<String> = wrong.iter().take(3).map(ToString::to_string).collect();
        wrong.join("; ")
    })?;
    let value = expression.evaluate(&facts).map_err(|why| why.to_string())?;
    let names = expression.names();
    let founded = !names.is_empty()
        && literals_are_plain(source, sources)
        // What anybody may have written somewhere is no figure of a record.
        && !names_free_text(source);
    let claimed_by = names.iter().find_map(|name| driven?.claimed_by(name));
    Ok(Worked { value: value.to_json(), basis: Basis::of(founded).resting_on(claimed_by) })
}

/// Whether every number that stands in an expression was read, computed, named by the task, or is a plain one.
pub(crate) fn literals_are_plain(source: &str, sources: &Sources) -> bool {
    literals(source).iter().all(|text| is_plain(text, sources))
}

fn is_plain(literal: &str, sources: &Sources) -> bool {
    PLAIN_NUMBERS.contains(&literal) || sources.founds_input(&Json::from(literal))
}

/// The numbers in an expression, those in quotes included. Digits inside names are none.
fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut quoted: Option<char> = None;
    // A blank behind it ends the last word.
    for sign in source.chars().chain([' ']) {
        match quoted {
            Some(quote) if sign == quote => {
                found.extend(word.chars().any(|sign| sign.is_ascii_digit()).then(|| word.clone()));
                (quoted, word) = (None, String::new());
            }
            Some(_) => word.push(sign),
            None if sign.is_alphanumeric() || sign == '_' || sign == '.' => word.push(sign),
            None => {
                found.extend(word.starts_with(|first: char| first.is_ascii_digit()).then(|| word.clone()));
                word.clear();
                quoted = (sign == '"' || sign == '\'').then_some(sign);
            }
        }
    }
    // A quote that was never closed is no expression; whatever is in it counts.
    found.extend(quoted.map(|_| word));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_an_expression_are_found_wherever_they_stand() {
        assert_eq!(literals("r1.total - c12 * 90000"), ["90000"]);
        assert_eq!(literals("sum(filter(r1.rows, x.a > 5).b) + \"7.00 USD\" * '3'"), ["5", "7.00 USD", "3"]);
        assert_eq!(literals("r1.total_2 / 100"), ["100"]);
        assert_eq!(literals("5.5"), ["5.5"]);
    }

    #[test]
    fn a_function_works_on_founded_figures_and_says_when_one_is_not() {
        let function =
            crate::drive::offer::function("percentage").or_else(|| catalogue::functions().first().copied());
        assert!(function.is_some());
        let schema = record(function.unwrap().parameters);
        assert_eq!(schema["type"], "object");
    }
}
