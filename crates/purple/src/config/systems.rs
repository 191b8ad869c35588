//! `[systems.NAME]`: what stands for the calls of process files in a company's tools.

use std::collections::BTreeMap;

use purple_policy::Currency;
use purple_process::system::{CallMap, CurrencyCode, CurrencyOf, FieldMap, Fields, System};
use purple_process::{Digest, Json, ToolName};

use crate::config::layer::{Layer, Set};
use crate::config::origin::Origin;
use crate::config::problem::{Problem, ProblemCode};
use crate::config::value::Value;

/// The settings of one record or action, by key.
type Keys<'a> = BTreeMap<&'a str, &'a Set>;

/// The systems that the operator mapped; what does not go together becomes a problem.
pub(super) fn of(values: &Layer, problems: &mut Vec<Problem>) -> Vec<System> {
    let mut systems: BTreeMap<&str, System> = BTreeMap::new();
    let mut calls: BTreeMap<(&str, &str, &str), Keys<'_>> = BTreeMap::new();
    for (path, set) in values {
        let (name, rest) = match path.as_slice() {
            [section, name, rest @ ..] if section == "systems" => (name.as_str(), rest),
            _ => continue,
        };
        let system =
            systems.entry(name).or_insert_with(|| System { name: name.to_owned(), ..System::default() });
        match (rest, &set.value) {
            ([key], Value::List(processes)) if key == "processes" => system.processes.clone_from(processes),
            ([key], Value::Names(inputs)) if key == "inputs" => system.inputs.clone_from(inputs),
            ([kind, call, key], _) => {
                calls.entry((name, kind, call)).or_default().insert(key, set);
            }
            _ => {}
        }
    }
    for ((name, kind, business), keys) in &calls {
        let Some(system) = systems.get_mut(name) else { continue };
        match call(keys, *kind == "records") {
            Ok(map) if system.calls.contains_key(*business) => {
                let message = format!("`{business}` is a record and an action of `{name}`");
                let help = format!("name one by its tool in the process file, not `{}`", map.tool);
                problems.push(Problem { at: at(keys), code: ProblemCode::BadValue, message, help });
            }
            Ok(map) => {
                system.calls.insert((*business).to_owned(), map);
            }
            Err((at, message, help)) => {
                problems.push(Problem { at, code: ProblemCode::Incomplete, message, help });
            }
        }
    }
    systems.into_values().collect()
}

fn at(keys: &Keys<'_>) -> Origin {
    keys.values().next().map_or(Origin::BuiltIn, |set| set.origin.clone())
}

type Wrong = (Origin, String, String);

fn call(keys: &Keys<'_>, is_read: bool) -> Result<CallMap, Wrong> {
    let text = |key: &str| match keys.get(key).map(|set| &set.value) {
        Some(Value::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let wrong = |key: &str, message: &str, help: &str| {
        let at = keys.get(key).map_or_else(|| at(keys), |set| set.origin.clone());
        (at, message.to_owned(), help.to_owned())
    };
    let no_tool = || {
        wrong(
            "tool",
            "no tool is named that stands for this",
            "write `tool = \"SERVER/TOOL\"`, as `purple tools list` names both",
        )
    };
    let (server, tool) = text("tool").and_then(|tool| tool.split_once('/')).ok_or_else(no_tool)?;
    let tool = ToolName::parse(tool).map_err(|_| no_tool())?;
    let (mut arguments, mut fields) = (placed(keys, "arguments"), placed(keys, "fields"));
    for (path, theirs) in names(keys, "values") {
        let Some((field, word)) = path.rsplit_once('.') else {
            let help = "write `values.FIELD = { WORD = \"THEIR WORD\" }`";
            return Err(wrong("values", "a word stands for a value of a field", help));
        };
        let put = |fields: &mut Fields| {
            field_at(fields, field).words.insert(word.to_owned(), theirs.clone());
        };
        put(&mut arguments);
        put(&mut fields);
    }
    for (field, currency) in names(keys, "currency") {
        let of = match Currency::parse(&currency) {
            Ok(code) => CurrencyOf::Is(CurrencyCode(code)),
            Err(_) if currency.starts_with('@') => {
                CurrencyOf::In(currency.trim_start_matches('@').to_owned())
            }
            Err(_) => {
                let help = "write a code such as `EUR`, or the field that holds it: `@currency`";
                return Err(wrong("currency", "this is no currency", help));
            }
        };
        field_at(&mut arguments, &field).currency = Some(of.clone());
        field_at(&mut fields, &field).currency = Some(of);
    }
    let minor = match keys.get("minor").map(|set| &set.value) {
        Some(Value::List(minor)) => minor.as_slice(),
        _ => &[],
    };
    for field in minor {
        field_at(&mut arguments, field).is_minor = true;
        field_at(&mut fields, field).is_minor = true;
    }
    let constants = names(keys, "constants").map(|(name, text)| (name, Json::Text(text))).collect();
    let pin = text("pin").and_then(|pin| Digest::parse(pin).ok());
    let at = text("at").unwrap_or_default().to_owned();
    Ok(CallMap { server: server.to_owned(), tool, is_read, pin, arguments, constants, at, fields })
}

fn names<'a>(keys: &Keys<'a>, key: &str) -> impl Iterator<Item = (String, String)> + use<'a> {
    let found = match keys.get(key).map(|set| &set.value) {
        Some(Value::Names(names)) => Some(names),
        _ => None,
    };
    found.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone()))
}

/// `items.quantity` is a field within `items`, and where it is counts from there.
fn placed(keys: &Keys<'_>, key: &str) -> Fields {
    let mut fields = Fields::new();
    for (field, theirs) in names(keys, key) {
        field_at(&mut fields, &field).at = theirs;
    }
    fields
}

fn field_at<'f>(fields: &'f mut Fields, path: &str) -> &'f mut FieldMap {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let field = fields.entry(first.to_owned()).or_default();
    if rest.is_empty() { field } else { field_at(&mut field.within, rest) }
}
