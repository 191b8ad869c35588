//! Finds how an operation of a model is read back: as the file declares it, else by noun and shared ids, else by a read
//! that showed the same record before, else not at all.

use purple_process::{
    Argument, Arguments, Check, Effect, Json, Operation, Reference, Seen, ToolName, Values,
};
use serde_json::{Map, Value};

use crate::dossier::Opened;
use crate::execute::catalogue::{Catalogue, Known, ReadBack};
use crate::execute::verify::at;
use crate::port::TurnFailed;

/// The most fields that are read back for one operation.
const FIELDS_MAX: usize = 20;

/// The operation with its read-back, and what stood there when it was proposed.
pub(crate) fn checked(
    mut operation: Operation,
    expected: &Map<String, Value>,
    opened: &Opened,
    catalogue: &Catalogue,
) -> Result<Operation, TurnFailed> {
    let case = opened.case()?;
    let own = case.operations(&case.decide(), operation.order()).unwrap_or_default();
    let same = |one: &&Operation| one.tool == operation.tool && one.arguments == operation.arguments;
    // The file does exactly this: it says how it is read back, undone and counted.
    if let Some(own) = own.iter().find(same) {
        let mut own = own.clone();
        own.step = operation.step;
        return Ok(own);
    }
    operation.check = match case.check_of(&operation) {
        Some(check) => check,
        None => by_noun(&operation, expected, opened, catalogue)
            .or_else(|| by_reads(&operation, expected, opened, catalogue))
            .unwrap_or(Check::Unverifiable),
    };
    operation.before = before(&operation, opened);
    Ok(operation)
}

/// By noun and shared parameters, on fields that the record is known to have.
fn by_noun(
    operation: &Operation,
    expected: &Map<String, Value>,
    opened: &Opened,
    catalogue: &Catalogue,
) -> Option<Check> {
    let write = catalogue.get(&operation.tool)?;
    let ReadBack { tool, from_arguments, from_reply } = catalogue.read_back_for(write)?;
    let mut arguments = Arguments::new();
    for name in &from_arguments {
        arguments.insert(name.clone(), operation.arguments.get(name)?.clone());
    }
    for name in &from_reply {
        let reference = Reference { step: operation.step.clone(), field: name.clone() };
        arguments.insert(name.clone(), Argument::Reference(reference));
    }
    let shown = |field: &str| shows(tool, &arguments, field, opened);
    let mut expect = Arguments::new();
    let given = operation.arguments.iter().filter(|(name, _)| !arguments.contains_key(*name));
    for (name, argument) in given {
        if shown(name) {
            expect.insert(name.clone(), argument.clone());
        }
    }
    for (field, value) in expected {
        if let Ok(value) = Json::from_serde(value)
            && shown(field)
        {
            expect.insert(field.clone(), Argument::Value(value));
        }
    }
    if expect.is_empty() || expect.len() > FIELDS_MAX {
        return None;
    }
    Some(Check::ReadBack { tool: tool.name().clone(), arguments, expect })
}

/// By what was read of the same record: a read that took nothing but what the write takes too, and whose answer has the
/// fields that the write changes. It is made again as it was made. The latest of those that show most is taken.
fn by_reads(
    operation: &Operation,
    expected: &Map<String, Value>,
    opened: &Opened,
    catalogue: &Catalogue,
) -> Option<Check> {
    if operation.effect != Effect::Write {
        return None;
    }
    let given: Vec<(&String, &Json)> =
        operation.arguments.iter().filter_map(|(name, argument)| Some((name, argument.value()?))).collect();
    let mut best: Option<Check> = None;
    let mut most = 0_usize;
    for (tool, arguments, answer) in seen(opened) {
        let is_read = catalogue.get(tool).is_some_and(|known| known.tool.effect() == Effect::Read);
        // The id of the record: a text that is in both.
        let same = |value: &Json| given.iter().any(|(_, one)| *one == value);
        let names_it = arguments.values().any(|value| value.as_text().is_some_and(|text| !text.is_empty()));
        if !is_read || !names_it || !arguments.values().all(same) {
            continue;
        }
        let mut expect = Arguments::new();
        for (name, value) in &given {
            if !arguments.values().any(|id| id == *value) && is_shown_as(answer, name, value) {
                expect.insert((*name).clone(), Argument::Value((*value).clone()));
            }
        }
        for (field, value) in expected {
            if let Ok(value) = Json::from_serde(value)
                && is_shown_as(answer, field, &value)
            {
                expect.insert(field.clone(), Argument::Value(value));
            }
        }
        if (1..=FIELDS_MAX).contains(&expect.len()) && expect.len() >= most {
            most = expect.len();
            let arguments = arguments.iter().map(|(name, value)| (name.clone(), value.clone().into()));
            best = Some(Check::ReadBack { tool: tool.clone(), arguments: arguments.collect(), expect });
        }
    }
    best
}

/// Whether a record has a field that can hold such a value: of the same kind, or empty so far.
fn is_shown_as(answer: &Value, field: &str, value: &Json) -> bool {
    match (at(answer, field), value) {
        (None | Some(Value::Array(_) | Value::Object(_)), _) => false,
        (Some(Value::Null), _) => true,
        (Some(Value::Bool(_)), value) => matches!(value, Json::Bool(_)),
        (Some(Value::Number(_)), value) => matches!(value, Json::Number(_)),
        (Some(Value::String(_)), value) => matches!(value, Json::Text(_)),
    }
}

/// Every read of the case: its tool, its arguments, its answer. In order.
fn seen(opened: &Opened) -> Vec<(&ToolName, &Values, &Value)> {
    let driven = opened.dossier.driven.iter().flat_map(|driven| &driven.reads);
    driven.map(|found| (&found.tool, &found.arguments, &*found.answer)).collect()
}

/// Whether a read shows a field: it did when the model read it, or its server says so.
fn shows(read: &Known, arguments: &Arguments, field: &str, opened: &Opened) -> bool {
    match values(arguments).and_then(|arguments| answer(read.name(), &arguments, opened)) {
        Some(answer) => at(answer, field).is_some(),
        None => read.answers(field),
    }
}

/// What a read of the case answered, the last time.
fn answer<'o>(tool: &ToolName, arguments: &Values, opened: &'o Opened) -> Option<&'o Value> {
    let driven = opened.dossier.driven.iter().flat_map(|driven| &driven.reads);
    let mut found = driven.filter(|found| found.tool == *tool && found.arguments == *arguments);
    if let Some(found) = found.next_back() {
        return Some(&found.answer);
    }
    let declared = opened.dossier.reads.iter().filter(|read| read.tool == tool.as_str());
    let mut pairs =
        declared.flat_map(|read| read.calls.iter().zip(read.answers.as_deref().unwrap_or_default()));
    pairs.find(|(call, _)| *call == arguments).map(|(_, answer)| answer)
}

/// The checked fields as they stood when the model read them. If they have changed since, the plan is stale.
fn before(operation: &Operation, opened: &Opened) -> Vec<Seen> {
    let Check::ReadBack { tool, arguments, expect } = &operation.check else { return Vec::new() };
    let Some(arguments) = values(arguments) else { return Vec::new() };
    let Some(answer) = answer(tool, &arguments, opened) else { return Vec::new() };
    let seen = |field: &String| {
        let value = Json::from_serde(at(answer, field)?).ok()?;
        Some(Seen { tool: tool.clone(), arguments: arguments.clone(), field: field.clone(), value })
    };
    expect.keys().filter_map(seen).collect()
}

/// Arguments that are all known.
fn values(arguments: &Arguments) -> Option<Values> {
    arguments.iter().map(|(name, argument)| Some((name.clone(), argument.value()?.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_checked_only_where_the_record_can_show_such_a_value() {
        let record = json!({"state": "open", "count": 3, "closed": false, "owner": null, "lines": []});
        for (field, value) in
            [("state", Json::from("shut")), ("closed", Json::Bool(true)), ("owner", Json::from("x"))]
        {
            assert!(is_shown_as(&record, field, &value), "{field}");
        }
        for (field, value) in [
            ("count", Json::from("3")),
            ("lines", Json::from("x")),
            ("note", Json::from("x")),
            ("state", Json::Null),
        ] {
            assert!(!is_shown_as(&record, field, &value), "{field}");
        }
    }
}
