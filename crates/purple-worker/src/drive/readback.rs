//! Finds how an operation of a model is read back: as the file declares it, else by noun and shared ids, else by a read
//! that showed the same record before, else not at all.

use purple_process::{
    Argument, Arguments, Check, Effect, Json, Operation, Reference, Seen, ToolName, Values,
};
use serde_json::{Map, Value};

use crate::dossier::Opened;
use crate::execute::catalogue::{Catalogue, ReadBack};
use crate::execute::rule::to_serde;
use crate::execute::verify::at;
use crate::observe::{record, spread, would_change};
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
        None => by_noun(&operation, expected, catalogue)
            .or_else(|| by_reads(&operation, expected, opened, catalogue))
            .unwrap_or(Check::Unverifiable),
    };
    operation.before = before(&operation, opened);
    Ok(operation)
}

/// By noun and shared parameters: the record is read before and after.
fn by_noun(operation: &Operation, expected: &Map<String, Value>, catalogue: &Catalogue) -> Option<Check> {
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
    let written = written(operation, expected, &arguments);
    Some(Check::Observed { tool: tool.name().clone(), arguments, written })
}

/// What was written: all that the read is not asked with, and what a model expects.
fn written(operation: &Operation, expected: &Map<String, Value>, asked: &Arguments) -> Arguments {
    let is_asked = |argument: &Argument| asked.values().any(|known| known == argument);
    let given = operation.arguments.iter().filter(|(_, argument)| !is_asked(argument));
    let expects = expected.iter().filter_map(|(field, value)| {
        let value = Json::from_serde(value).ok()?;
        Some((field.clone(), Argument::Value(value)))
    });
    let given = given.map(|(name, argument)| (name.clone(), argument.clone()));
    given.chain(expects).take(FIELDS_MAX).collect()
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
    let given: Vec<&Json> = operation.arguments.values().filter_map(Argument::value).collect();
    let mut best: Option<Check> = None;
    let mut most = 1_usize;
    for (tool, arguments, answer) in seen(opened) {
        let is_read = catalogue.get(tool).is_some_and(|known| known.tool.effect() == Effect::Read);
        // The id of the record: a text that is in both.
        let names_it = arguments.values().any(|value| value.as_text().is_some_and(|text| !text.is_empty()));
        if !is_read || !names_it || !arguments.values().all(|value| given.contains(&value)) {
            continue;
        }
        let asked: Arguments =
            arguments.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let written = written(operation, expected, &asked);
        let shown = shown(answer, arguments, &written).len();
        if shown >= most {
            most = shown;
            best = Some(Check::Observed { tool: tool.clone(), arguments: asked, written });
        }
    }
    best
}

/// The fields of a record that was read which what is written can change: where the answer has each, and what stands there.
fn shown(answer: &Value, arguments: &Values, written: &Arguments) -> Vec<(String, Value)> {
    let ids: Vec<String> =
        arguments.values().filter_map(|value| value.as_text().map(str::to_owned)).collect();
    let (Some(place), fields) = record(answer, &ids) else { return Vec::new() };
    let given =
        written.iter().filter_map(|(name, argument)| Some((name.clone(), to_serde(argument.value()?))));
    let given = spread(&given.collect());
    let is_written = |path: &String, now: &Value| {
        given.iter().any(|(name, value)| would_change(name, value, path, now).is_some())
    };
    let is_plain = |path: &String| !path.contains('[');
    let shown = fields.into_iter().filter(|(path, now)| is_plain(path) && is_written(path, now));
    let whole = |path: String| if place.is_empty() { path } else { format!("{place}.{path}") };
    shown.map(|(path, now)| (whole(path), now)).collect()
}

/// Every read of the case: its tool, its arguments, its answer. In order.
fn seen(opened: &Opened) -> Vec<(&ToolName, &Values, &Value)> {
    let driven = opened.dossier.driven.iter().flat_map(|driven| &driven.reads);
    driven.map(|found| (&found.tool, &found.arguments, found.answer.for_work())).collect()
}

/// What a read of the case answered, the last time.
fn answer<'o>(tool: &ToolName, arguments: &Values, opened: &'o Opened) -> Option<&'o Value> {
    let driven = opened.dossier.driven.iter().flat_map(|driven| &driven.reads);
    let mut found = driven.filter(|found| found.tool == *tool && found.arguments == *arguments);
    if let Some(found) = found.next_back() {
        return Some(found.answer.for_work());
    }
    let declared = opened.dossier.reads.iter().filter(|read| read.tool == tool.as_str());
    let mut pairs =
        declared.flat_map(|read| read.calls.iter().zip(read.answers.as_deref().unwrap_or_default()));
    pairs.find(|(call, _)| *call == arguments).map(|(_, answer)| answer)
}

/// The checked fields as they stood when the model read them. If they have changed since, the plan is stale.
fn before(operation: &Operation, opened: &Opened) -> Vec<Seen> {
    let Some((tool, arguments, expect)) = operation.check.read() else { return Vec::new() };
    let Some(arguments) = values(arguments) else { return Vec::new() };
    let Some(answer) = answer(tool, &arguments, opened) else { return Vec::new() };
    let fields: Vec<(String, Value)> = match &operation.check {
        Check::Observed { written, .. } => shown(answer, &arguments, written),
        Check::ReadBack { .. } | Check::Unverifiable => {
            expect.keys().filter_map(|field| Some((field.clone(), at(answer, field)?.clone()))).collect()
        }
    };
    let seen = |(field, value): (String, Value)| {
        let value = Json::from_serde(&value).ok()?;
        Some(Seen { tool: tool.clone(), arguments: arguments.clone(), field, value })
    };
    fields.into_iter().filter_map(seen).collect()
}

/// Arguments that are all known.
fn values(arguments: &Arguments) -> Option<Values> {
    arguments.iter().map(|(name, argument)| Some((name.clone(), argument.value()?.clone()))).collect()
}
