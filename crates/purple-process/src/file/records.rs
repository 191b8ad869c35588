//! Declared records and actions: what the rules of a file look at, by business name.

use purple_policy::{Kind, Value};

use super::check::RawSlots;
use super::model::{Action, Field, Parameter};
use super::names::{Named, Names, plain_name};
use super::problem::{ProblemCode, Problems};
use super::suggest;
use super::yaml::{Text, shown};
use crate::words;

/// The types of a declared field.
pub(crate) const TYPES: [(&str, Kind); 6] = [
    ("text", Kind::Text),
    ("number", Kind::Number),
    ("money", Kind::Money),
    ("percent", Kind::Percent),
    ("date", Kind::Date),
    ("boolean", Kind::Bool),
];

/// The named thresholds; their names are taken.
pub(crate) fn parameters(raw: &RawSlots, names: &mut Names, problems: &mut Problems) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for (name, text) in &raw.parameters.0 {
        let value = Value::from_literal(text.as_str());
        names.take(name, Named::Parameter(value.kind()), problems);
        if matches!(value, Value::Text(_) | Value::Null) {
            let message = format!("`{}` is no threshold", shown(text));
            let help = "write a number, a percentage or an amount with its currency";
            problems.add(text.at, ProblemCode::BadNumber, message, help);
        }
        let written = text.value.clone();
        parameters.push(Parameter { name: name.value.clone(), value, written });
    }
    parameters
}

/// The fields of the declared records; their names are taken.
pub(crate) fn records(raw: &RawSlots, names: &mut Names, problems: &mut Problems) -> Vec<Field> {
    let mut fields = Vec::new();
    for (record, written) in &raw.records.0 {
        names.take(record, Named::Record, problems);
        for (name, kind) in &written.0 {
            plain_name(name, problems);
            let Some(kind) = self::kind(kind, problems) else { continue };
            let field = Field::new(record.as_str(), name.as_str(), kind);
            names.declare(field.path(), kind);
            fields.push(field);
        }
    }
    fields
}

fn kind(text: &Text, problems: &mut Problems) -> Option<Kind> {
    let found = TYPES.iter().find(|(name, _)| *name == text.as_str()).map(|(_, kind)| *kind);
    if found.is_none() {
        let known = TYPES.map(|(name, _)| name);
        let message = format!("there is no type `{}`", shown(text));
        problems.add(text.at, ProblemCode::UnknownType, message, suggest::help(text.as_str(), &known));
    }
    found
}

/// The declared actions; their names are taken.
pub(crate) fn actions(raw: &RawSlots, names: &mut Names, problems: &mut Problems) -> Vec<Action> {
    let mut actions = Vec::new();
    for (name, text) in &raw.actions.0 {
        names.take(name, Named::Action, problems);
        let phrases: Vec<Vec<String>> = text
            .as_str()
            .split('|')
            .map(|phrase| words::split(&phrase.trim().replace(' ', "_")))
            .filter(|phrase| !phrase.is_empty())
            .collect();
        if phrases.is_empty() {
            let help = "write the words that tools have for it: `write off|bad debt`";
            problems.add(text.at, ProblemCode::BadForm, "these are no words for an action", help);
        }
        actions.push(Action { name: name.value.clone(), phrases });
    }
    actions
}
