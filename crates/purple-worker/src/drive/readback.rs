//! Finds how an operation of a model is read back: as the file declares it, else by noun and shared ids, else not at all.

use purple_process::{Argument, Arguments, Check, Json, Operation, Reference, Seen, Values};
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
    let own = case.operations(&case.decide()).unwrap_or_default();
    let same = |one: &&Operation| one.tool == operation.tool && one.arguments == operation.arguments;
    // The file does exactly this: it says how it is read back, undone and counted.
    if let Some(own) = own.iter().find(same) {
        return Ok(Operation { step: operation.step, ..own.clone() });
    }
    operation.check = match case.check_of(&operation) {
        Some(check) => check,
        None => by_noun(&operation, expected, opened, catalogue).unwrap_or(Check::Unverifiable),
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

/// Whether a read shows a field: it did when the model read it, or its server says so.
fn shows(read: &Known, arguments: &Arguments, field: &str, opened: &Opened) -> bool {
    match values(arguments).and_then(|arguments| answer(read.name(), &arguments, opened)) {
        Some(answer) => at(answer, field).is_some(),
        None => read.answers(field),
    }
}

/// What a read of the case answered, the last time.
fn answer<'o>(tool: &purple_process::ToolName, arguments: &Values, opened: &'o Opened) -> Option<&'o Value> {
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
