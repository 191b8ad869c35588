//! Answers cases from standard input, one JSON object a line, for `differential/run`.
//!
//! A case is `{"function": …, "arguments": {…}}` with every figure as text; an answer is `{"values": …}` or
//! `{"error": …}`.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use purple_finance::catalogue::{self, CallError, Kind, Parameter};
use purple_finance::{Exact, Figure, Rounding, Symbols, parse_money};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let case: Value = serde_json::from_str(&line?)?;
        let answer = answer(&case).unwrap_or_else(|error| json!({ "error": error }));
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

fn answer(case: &Value) -> Result<Value, String> {
    let name = case["function"].as_str().ok_or("no function")?;
    let arguments = &case["arguments"];
    match name {
        "exact_arithmetic" => arithmetic(arguments),
        "exact_order" => order(arguments),
        "exact_rounded" => rounded(arguments),
        "money_written" => {
            let money = parse_money(text(arguments, "text")?, Symbols::default());
            Ok(json!({ "values": { "money": money.map_err(|error| error.to_string())?.to_string() } }))
        }
        _ => call(name, arguments).map_err(|error| error.to_string()),
    }
}

fn call(name: &str, arguments: &Value) -> Result<Value, CallError> {
    let parameters = catalogue::find(name)?.parameters;
    let answer = catalogue::call(name, &figures(parameters, arguments)?)?;
    Ok(json!({ "values": answer.values }))
}

fn figures(parameters: &[Parameter], arguments: &Value) -> Result<BTreeMap<String, Figure>, CallError> {
    let mut figures = BTreeMap::new();
    for (name, value) in arguments.as_object().into_iter().flatten() {
        let kind =
            parameters.iter().find(|parameter| parameter.name == name).map_or(Kind::Text, |found| found.kind);
        figures.insert(name.clone(), figure(&kind, value)?);
    }
    Ok(figures)
}

fn figure(kind: &Kind, value: &Value) -> Result<Figure, CallError> {
    match (kind, value) {
        (Kind::List(kind), Value::Array(items)) => {
            items.iter().map(|item| figure(kind, item)).collect::<Result<_, _>>().map(Figure::List)
        }
        (Kind::Record(fields), record) => figures(fields, record).map(Figure::Record),
        (kind, value) => kind.read(value.as_str().unwrap_or_default()),
    }
}

fn text<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, String> {
    arguments[name].as_str().ok_or_else(|| format!("no {name}"))
}

fn exact(arguments: &Value, name: &str) -> Result<Exact, String> {
    serde_json::from_value(arguments[name].clone()).map_err(|error| error.to_string())
}

fn arithmetic(arguments: &Value) -> Result<Value, String> {
    let (left, right) = (exact(arguments, "left")?, exact(arguments, "right")?);
    let result = match text(arguments, "operation")? {
        "plus" => left.plus(&right),
        "minus" => left.minus(&right),
        "times" => left.times(&right),
        _ => left.over(&right),
    };
    Ok(json!({ "values": { "result": result.map_err(|error| error.to_string())? } }))
}

fn order(arguments: &Value) -> Result<Value, String> {
    let order = exact(arguments, "left")?.cmp(&exact(arguments, "right")?);
    Ok(json!({ "values": { "order": format!("{order:?}").to_lowercase() } }))
}

fn rounded(arguments: &Value) -> Result<Value, String> {
    let value = exact(arguments, "value")?;
    let places: u8 = text(arguments, "places")?.parse().map_err(|_| "places")?;
    let name = arguments.get("rounding").and_then(Value::as_str).unwrap_or("half_even");
    let rounding = Rounding::parse(name).map_err(|error| error.to_string())?;
    let fixed = value.to_fixed(places, rounding);
    Ok(json!({ "values": { "rounded": value.rounded(places, rounding), "fixed": fixed } }))
}
