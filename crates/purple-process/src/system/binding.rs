//! The calls of a file on the tools at hand.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::translate::{at, at_record, put, to_business, to_company};
use super::{CallMap, FieldMap};
use crate::id::{StepId, ToolName};
use crate::json::{Json, Values};
use crate::operation::{Argument, Arguments, Check, Operation, Reference, ToolUse};

/// What stands for the calls of one process file in one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Binding {
    /// By the tool of the file, or by the record that its rules look at. What is not here is called as the file says.
    pub calls: BTreeMap<String, BoundCall>,
}

/// One call, with the tool as the catalogue of the run names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundCall {
    /// Its name in plans and on cards.
    pub tool: ToolName,
    /// How its names are translated.
    pub map: CallMap,
}

impl Binding {
    /// Whether nothing is bound.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    fn of(&self, tool: &ToolName) -> Option<&BoundCall> {
        self.calls.get(tool.as_str())
    }

    /// The tool that a call of the file goes to.
    pub fn tool<'b>(&'b self, tool: &'b ToolName) -> &'b ToolName {
        self.of(tool).map_or(tool, |bound| &bound.tool)
    }

    /// What it is given.
    pub(crate) fn values(&self, tool: &ToolName, values: Values) -> Values {
        match self.of(tool) {
            None => values,
            Some(bound) => bound.with_constants(to_company(&values, &bound.map.arguments)),
        }
    }

    /// The answer of a call of the file, under the names of the file.
    pub fn answer(&self, tool: &ToolName, answer: &Json) -> Json {
        match self.of(tool) {
            None => answer.clone(),
            Some(bound) => bound.answer(answer),
        }
    }

    /// Where the company keeps a field of the answer.
    pub fn field(&self, tool: &ToolName, field: &str) -> String {
        self.of(tool).map_or_else(|| field.to_owned(), |bound| bound.field(field))
    }

    /// The operation of the file as it goes to the company's tools.
    fn operation(&self, own: Operation) -> Operation {
        let moved = own.amounts();
        let mut made = own.clone();
        (made.tool, made.arguments) = self.tool_use(&own.tool, own.arguments);
        made.check = self.check(own.check);
        made.undo = own.undo.map(|undo| {
            let (tool, arguments) = self.tool_use(&undo.tool, undo.arguments);
            ToolUse { tool, arguments }
        });
        // What an argument said with its currency may be a bare number now; limits of people still hold.
        if let (None, [only]) = (made.amount, moved.as_slice())
            && made.amounts().is_empty()
        {
            made.amount = Some(*only);
        }
        made
    }

    fn tool_use(&self, tool: &ToolName, arguments: Arguments) -> (ToolName, Arguments) {
        let Some(bound) = self.of(tool) else { return (tool.clone(), arguments) };
        let mut values = Values::new();
        let mut made = Arguments::new();
        for (name, argument) in arguments {
            match argument {
                Argument::Value(value) => {
                    values.insert(name, value);
                }
                Argument::Reference(to) => {
                    let path = bound.map.arguments.get(&name).map_or(name.as_str(), |map| map.path(&name));
                    made.insert(path.to_owned(), Argument::Reference(to));
                }
            }
        }
        let values = bound.with_constants(to_company(&values, &bound.map.arguments));
        made.extend(values.into_iter().map(|(name, value)| (name, Argument::Value(value))));
        (bound.tool.clone(), made)
    }

    /// A read-back of the file on the company's tools.
    pub(crate) fn check(&self, check: Check) -> Check {
        match check {
            Check::ReadBack { tool, arguments, expect } => {
                let expect = self.expected(&tool, expect);
                let (tool, arguments) = self.tool_use(&tool, arguments);
                Check::ReadBack { tool, arguments, expect }
            }
            other @ (Check::Observed { .. } | Check::Unverifiable) => other,
        }
    }

    /// Expected fields of an answer as the company shows them.
    fn expected(&self, tool: &ToolName, expect: Arguments) -> Arguments {
        let Some(bound) = self.of(tool) else { return expect };
        let mut made = Arguments::new();
        for (name, argument) in expect {
            let map = bound.map.fields.get(&name).cloned().unwrap_or_default();
            let whole = |path: String| bound.within(&path);
            match argument {
                Argument::Value(value) => {
                    let paths = map.to_company(&name, &value);
                    made.extend(paths.into_iter().map(|(path, value)| (whole(path), Argument::Value(value))));
                }
                Argument::Reference(to) => {
                    made.insert(whole(map.path(&name).to_owned()), Argument::Reference(to));
                }
            }
        }
        made
    }

    /// The operations of a file as they go to the company's tools, references between them included.
    pub(crate) fn operations(&self, own: Vec<Operation>) -> Vec<Operation> {
        let tools: BTreeMap<StepId, ToolName> =
            own.iter().map(|one| (one.step.clone(), one.tool.clone())).collect();
        let refer = |arguments: &mut Arguments| {
            for argument in arguments.values_mut() {
                let Argument::Reference(Reference { step, field }) = argument else { continue };
                if let Some(tool) = tools.get(step) {
                    *field = self.field(tool, field);
                }
            }
        };
        let made = own.into_iter().map(|mut one| {
            refer(&mut one.arguments);
            if let Check::ReadBack { arguments, expect, .. } = &mut one.check {
                refer(arguments);
                refer(expect);
            }
            if let Some(undo) = &mut one.undo {
                refer(&mut undo.arguments);
            }
            self.operation(one)
        });
        made.collect()
    }

    /// An operation on the company's tools under the names of the file, where it is one that the file knows.
    pub(crate) fn business<'o>(&self, operation: &'o Operation) -> Cow<'o, Operation> {
        let given: Values = (operation.arguments.iter())
            .filter_map(|(name, argument)| Some((name.clone(), argument.value()?.clone())))
            .collect();
        let mut calls = self.calls.iter().filter(|(_, bound)| bound.is_call(&operation.tool, &given));
        let known = calls.find(|(_, bound)| !bound.map.is_read);
        let Some((tool, bound)) = known.and_then(|(name, bound)| Some((ToolName::parse(name).ok()?, bound)))
        else {
            return Cow::Borrowed(operation);
        };
        let values = bound.arguments(&given);
        let mut own = operation.clone();
        own.tool = tool;
        own.arguments = values.into_iter().map(|(name, value)| (name, Argument::Value(value))).collect();
        for (name, argument) in &operation.arguments {
            let Argument::Reference(_) = argument else { continue };
            let mut maps = bound.map.arguments.iter();
            let named = maps.find(|(own, map)| map.path(own) == name).map_or(name, |(own, _)| own);
            own.arguments.insert(named.clone(), argument.clone());
        }
        Cow::Owned(own)
    }

    /// A read of the company's tools under the names of the file: the record, what it was asked with, and the answer.
    pub fn reading(&self, tool: &str, given: &Values) -> Option<(&str, &BoundCall)> {
        let reads = self.calls.iter().filter(|(_, bound)| bound.map.is_read);
        let mut fits = reads.filter(|(_, bound)| bound.tool.as_str() == tool && bound.has_constants(given));
        fits.next().map(|(name, bound)| (name.as_str(), bound))
    }
}

impl BoundCall {
    fn with_constants(&self, mut values: Values) -> Values {
        for (path, value) in &self.map.constants {
            if at_record(&values, path).is_none() {
                put(&mut values, path, value.clone());
            }
        }
        values
    }

    fn has_constants(&self, given: &Values) -> bool {
        self.map.constants.iter().all(|(path, value)| at_record(given, path) == Some(value))
    }

    fn is_call(&self, tool: &ToolName, given: &Values) -> bool {
        self.tool == *tool && self.has_constants(given)
    }

    /// What the company's tool was given, under the names of the file.
    pub fn arguments(&self, given: &Values) -> Values {
        let constants = &self.map.constants;
        let is_constant = |name: &String| constants.keys().any(|path| path.split('.').next() == Some(name));
        let mut own: Values = given.clone();
        // What is only wrapped around the values of the file identifies nothing.
        let wraps =
            |name: &String| self.map.arguments.values().any(|map| map.at.split('.').next() == Some(name));
        own.retain(|name, _| wraps(name) || !is_constant(name));
        match to_business(&Json::Record(own), &self.map.arguments) {
            Json::Record(values) => values,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) => given.clone(),
        }
    }

    /// The answer under the names of the file.
    pub fn answer(&self, answer: &Json) -> Json {
        match at(answer, &self.map.at).or_else(|| at(cut_list(answer)?, &self.map.at)) {
            Some(record) => to_business(record, &self.map.fields),
            None => Json::Null,
        }
    }

    /// Where the company keeps a field.
    pub fn field(&self, field: &str) -> String {
        let (first, rest) = field.split_once('.').unwrap_or((field, ""));
        let map = self.map.fields.get(first);
        let path = map.map_or(first, |map| map.path(first));
        let deeper = match (rest, map) {
            ("", _) => String::new(),
            (rest, Some(FieldMap { within, .. })) => {
                format!(".{}", within.get(rest).map_or(rest, |map| map.path(rest)))
            }
            (rest, None) => format!(".{rest}"),
        };
        self.within(&format!("{path}{deeper}"))
    }

    fn within(&self, path: &str) -> String {
        if self.map.at.is_empty() { path.to_owned() } else { format!("{}.{path}", self.map.at) }
    }
}

/// The rows of a list that was not read to its end: a bare list cannot say so, and stands under `rows`.
fn cut_list(answer: &Json) -> Option<&Json> {
    match answer {
        Json::Record(fields) if fields.get("complete") == Some(&Json::Bool(false)) => {
            fields.get("rows").filter(|rows| matches!(rows, Json::List(_)))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) | Json::Record(_) => {
            None
        }
    }
}
