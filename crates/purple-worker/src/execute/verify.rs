//! Reads back what was written and compares it, field by field.

use std::collections::BTreeMap;

use purple_process::{Argument, Arguments, Check, Json, Operation, Started, Values};
use serde_json::Value;

use crate::execute::catalogue::Catalogue;
use crate::execute::complaint::{Trouble, trouble};
use crate::execute::masked::{Expected, unmask};
use crate::execute::naming::words;

use crate::execute::reader::ReadOnce;
use crate::execute::rule::to_serde;
pub(crate) use crate::observe::same;
use crate::observe::{Observed, observed, record, spread};
use crate::port::Called;

/// What a look at the outside world showed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Look {
    /// The checked fields, as they are; a field that is not there is null. Empty: there is no such record.
    Seen(BTreeMap<String, Value>),
    /// It could not be seen.
    Blind(String),
    /// It may not be seen, and that will not change.
    Denied(String),
    /// The operation cannot be read back.
    Nothing,
}

/// How what is seen compares with what should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// As it should be.
    Equal,
    /// As it should be, and it was so before.
    EqualBefore,
    /// As it was before.
    Unchanged,
    /// Something else.
    Different,
    /// Not as it was before, and nothing of it can be compared with what was written.
    Changed,
}

/// Looks at the checked fields of an operation.
pub(crate) async fn look(
    operation: &Operation,
    results: &[(purple_process::StepId, Json)],
    catalogue: &Catalogue,
    reads: &dyn ReadOnce,
) -> Look {
    let Some((tool, arguments, expect)) = operation.check.read() else { return Look::Nothing };
    let Some(known) = catalogue.get(tool) else { return Look::Blind(format!("there is no tool `{tool}`")) };
    let is_declared = matches!(operation.check, Check::ReadBack { .. });
    let Some(arguments) = put_in(arguments, results) else {
        // What it made has no name that could be asked for.
        return match is_declared {
            true => Look::Blind("it needs a result that is not known".to_owned()),
            false => Look::Nothing,
        };
    };
    let ids: Vec<String> = arguments.values().filter_map(id_text).collect();
    let called = unmask(reads.read(known, arguments).await, Expected { asked: &ids, records: false });
    let trouble = trouble(&called);
    match called {
        Called::Answered(value) if is_declared => {
            let fields = expect
                .keys()
                .map(|field| (field.clone(), at(value.for_work(), field).cloned().unwrap_or(Value::Null)));
            Look::Seen(fields.collect())
        }
        Called::Answered(value) => Look::Seen(record(value.for_work(), &ids).1),
        Called::Refused { code, .. } if code.as_ref().is_some_and(|code| *code == "NOT_FOUND") => {
            Look::Seen(BTreeMap::new())
        }
        Called::Refused { message, .. } => match trouble {
            Some(Trouble::Absent) if !is_declared => Look::Seen(BTreeMap::new()),
            Some(Trouble::Passing { .. }) | None => Look::Blind(message.redacted().into_string()),
            Some(_) => Look::Denied(message.redacted().into_string()),
        },
        Called::Asked(_) => Look::Blind("its tool wants to know something first".to_owned()),
        Called::NotSent { reason } | Called::Lost { reason } => Look::Blind(reason.redacted().into_string()),
    }
}

/// Whether an operation is found only by what it gives back itself.
pub(crate) fn made_by_itself(operation: &Operation) -> bool {
    let Some((_, arguments, _)) = operation.check.read() else { return false };
    let references = arguments.values().filter_map(|argument| argument.reference());
    references.into_iter().any(|reference| reference.step == operation.step)
}

/// Compares what is seen with what should be and with what was before.
pub(crate) fn compare(
    operation: &Operation,
    results: &[(purple_process::StepId, Json)],
    before: &BTreeMap<String, Value>,
    seen: &BTreeMap<String, Value>,
) -> Compared {
    let Some((_, _, expect)) = operation.check.read() else { return Compared::Different };
    let Some(expect) = put_in(expect, results) else { return Compared::Different };
    if let Check::Observed { .. } = &operation.check {
        let written = expect.iter().map(|(name, value)| (name.clone(), to_serde(value))).collect();
        return match observed(&verb(operation.tool.as_str()), &spread(&written), before, seen) {
            Observed::Written => Compared::Equal,
            Observed::AsBefore => Compared::EqualBefore,
            Observed::Changed => Compared::Changed,
            Observed::Unchanged => Compared::Unchanged,
            Observed::Different => Compared::Different,
        };
    }
    let equal =
        |field: &String, wanted: &Json| seen.get(field).is_some_and(|found| same(found, &to_serde(wanted)));
    let stood =
        |field: &String, wanted: &Json| before.get(field).is_some_and(|old| same(old, &to_serde(wanted)));
    if !seen.is_empty() && expect.iter().all(|(field, wanted)| equal(field, wanted)) {
        let is_new = before.is_empty() || !expect.iter().all(|(field, wanted)| stood(field, wanted));
        return if is_new { Compared::Equal } else { Compared::EqualBefore };
    }
    let unchanged = before.len() == seen.len()
        && before.iter().all(|(field, old)| seen.get(field).is_some_and(|found| same(found, old)));
    if unchanged { Compared::Unchanged } else { Compared::Different }
}

/// The verb of a tool, which may be called `server__tool`.
fn verb(tool: &str) -> String {
    let own = tool.rsplit("__").next().unwrap_or(tool);
    words(own).into_iter().next().unwrap_or_default()
}

pub(crate) fn id_text(value: &Json) -> Option<String> {
    match to_serde(value) {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A field by its dotted path.
pub(crate) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let step = |value: &'v Value, field: &str| match value {
        Value::Array(items) => items.get(field.parse::<usize>().ok()?),
        other => other.get(field),
    };
    path.split('.').try_fold(value, step)
}

/// The arguments with references put in; `None` while one is not known.
pub(crate) fn put_in(arguments: &Arguments, results: &[(purple_process::StepId, Json)]) -> Option<Values> {
    let one = |argument: &Argument| match argument {
        Argument::Value(value) => Some(value.clone()),
        Argument::Reference(reference) => {
            let (_, result) = results.iter().find(|(step, _)| *step == reference.step)?;
            let mut value = result;
            for field in reference.field.split('.') {
                let Json::Record(fields) = value else { return None };
                value = fields.get(field)?;
            }
            Some(value.clone())
        }
    };
    arguments.iter().map(|(name, argument)| Some((name.clone(), one(argument)?))).collect()
}

/// What the operations of a plan gave back, by step.
pub(crate) fn results(
    plan: &purple_process::Plan,
    started: &[Started],
) -> Vec<(purple_process::StepId, Json)> {
    plan.keyed()
        .filter_map(|(operation, key)| {
            let record = started.iter().find(|record| record.key == key)?;
            Some((operation.step.clone(), record.result.clone()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_the_same_by_what_they_mean_and_exactly() {
        let equal = [
            (json!("1020.00 USD"), json!("1020 USD")),
            (json!("1020.00 USD"), json!({"amount": "1020.00", "currency": "USD"})),
            (json!(1020), serde_json::from_str("1020.00").unwrap()),
            (json!(null), json!(null)),
            (json!(["a", 1]), json!(["a", 1])),
        ];
        for (left, right) in equal {
            assert!(same(&left, &right) && same(&right, &left), "{left} {right}");
        }
        let unequal = [
            (json!("1020.00 USD"), json!("1020.01 USD")),
            (json!("1020.00 USD"), json!("1020.00 EUR")),
            (json!(null), json!("")),
            (json!(false), json!(0)),
            (json!("approved"), json!("Approved")),
        ];
        for (left, right) in unequal {
            assert!(!same(&left, &right) && !same(&right, &left), "{left} {right}");
        }
    }
}
