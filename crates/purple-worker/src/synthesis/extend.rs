//! The file that decided a run, as it was written, with that run as one more test.

use std::collections::BTreeMap;

use purple_policy::{Currency, Value as Known};
use purple_process::file::{Ask, End, Setting, Task, extract, load, renamed, with_test};
use purple_process::playbook::{Case, Decision};
use purple_process::{Operation, Order, SessionId};
use serde_json::{Map, Value, json};

use crate::dossier::{case_of, known};
use crate::synthesis::from_run::{NoDraft, same, told};
use crate::synthesis::record::{Record, Unfit};

/// How much of what was read stands in the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fields {
    /// What the expressions of the file look at.
    Used,
    All,
}

/// The file with the run as a test, if the file itself does what the run did.
pub(super) fn extended(record: &Record, run: &SessionId, name: &str) -> Result<String, NoDraft> {
    let unfit = |what: Unfit| NoDraft::Incomplete { run: run.clone(), what };
    let task = record.task().ok_or_else(|| unfit(Unfit::NotKept))?;
    let case = case_of(task, &record.dossier)?;
    let decision = case.decide();
    let made = case.operations(&decision, &Order::missing()).unwrap_or_default();
    let own_name = record.file.name();
    if !same(&made, &record.operations) {
        let (did, would) = (told(&record.operations), told(&made));
        return Err(NoDraft::AgainstItsFile { process: own_name.to_owned(), did, would });
    }
    let base =
        if name == own_name { Some(record.file_text.clone()) } else { renamed(&record.file_text, name) };
    let base = base.ok_or_else(|| unfit(Unfit::NotKept))?;
    let write = |fields: Fields| {
        let test = test_of(record, (&case, &decision), &made, fields)?;
        let text = with_test(&base, task.name(), &test).ok_or_else(|| NoDraft::Differs {
            what: format!("its tests are written in a way that run {run} cannot be put among"),
        })?;
        let head = format!(
            "# `{own_name}` with run {run} as the first test of `{}`.\n\
             # It takes effect when a person has signed it: purple process sign FILE --as PERSON",
            task.name()
        );
        let text = format!("{head}\n{}{text}", record.caveats.comments());
        let file = load(&text)?;
        // The task of a file that has only one bears the name of the file.
        let place = record.file.tasks().iter().position(|one| one.name() == task.name());
        let grown = place.and_then(|place| file.tasks().get(place));
        let has_it = grown.is_some_and(|one| one.test_count() == task.test_count() + 1);
        match has_it {
            true => Ok(text),
            false => Err(NoDraft::Differs { what: format!("run {run} is not among its tests") }),
        }
    };
    // A short test reads better; what it leaves out may be needed after all.
    write(Fields::Used).or_else(|_| write(Fields::All))
}

fn test_of(
    record: &Record,
    (case, decision): (&Case<'_>, &Decision),
    made: &[Operation],
    fields: Fields,
) -> Result<Vec<(String, Value)>, NoDraft> {
    let task = case.task();
    let dossier = &record.dossier;
    let mut test = vec![
        ("text".to_owned(), json!(dossier.text)),
        ("today".to_owned(), json!(dossier.today.to_string())),
    ];
    test.extend(stated(record, task)?);
    for read in task.reads() {
        let Ok(answer) = case.facts().get(read.name()) else { continue };
        let used = task.fields_of(read.name());
        let answer = match (answer.to_json(), fields) {
            (Value::Object(all), Fields::Used) => {
                let kept: Map<String, Value> =
                    all.into_iter().filter(|(name, _)| used.contains(name)).collect();
                Value::Object(kept)
            }
            (whole, Fields::Used | Fields::All) => whole,
        };
        test.push((read.name().to_owned(), answer));
    }
    for binding in case.bindings(None) {
        test.extend(binding.value.ok().map(|value| (binding.name, value.to_json())));
    }
    if let Some(End::Outcome(outcome)) = decision.end() {
        test.push(("expect".to_owned(), json!(outcome)));
    }
    test.extend(decision.rule().map(|rule| ("rule".to_owned(), json!(rule))));
    test.extend(decision.ask().map(|ask| ("ask".to_owned(), json!(word(ask)))));
    for (name, figure) in case.figures() {
        test.extend(figure.ok().and_then(|figure| one_figure(&figure)).map(|one| (name.to_owned(), one)));
    }
    let does: Vec<&str> = made.iter().map(|one| one.tool.as_str()).collect();
    test.push(("does".to_owned(), json!(does)));
    Ok(test)
}

/// What the run knew of the inputs and the words of the task alone do not say.
pub(super) fn stated(record: &Record, task: &Task) -> Result<Vec<(String, Value)>, NoDraft> {
    let dossier = &record.dossier;
    let setting = Setting { today: dossier.today, dollar: Currency::USD };
    let said = extract(&dossier.text, task.inputs(), &BTreeMap::new(), &setting).found;
    let inputs = known(&dossier.inputs)?;
    let beside = inputs.iter().filter(|(name, value)| said.get(*name) != Some(*value));
    Ok(beside.map(|(name, value)| (name.clone(), as_fact(value))).collect())
}

/// An input as a test states it.
fn as_fact(value: &Known) -> Value {
    match value {
        Known::Percent(number) => json!(number.to_string()),
        Known::Null
        | Known::Bool(_)
        | Known::Number(_)
        | Known::Money { .. }
        | Known::Text(_)
        | Known::Date(_)
        | Known::List(_)
        | Known::Record(_) => value.to_json(),
    }
}

/// A figure as a test expects it; lists and records are not compared.
fn one_figure(value: &Known) -> Option<Value> {
    match value {
        Known::Null | Known::List(_) | Known::Record(_) => None,
        Known::Bool(_)
        | Known::Number(_)
        | Known::Percent(_)
        | Known::Money { .. }
        | Known::Text(_)
        | Known::Date(_) => Some(json!(value.to_string())),
    }
}

/// The word for who is asked.
pub(super) fn word(ask: &Ask) -> String {
    match ask {
        Ask::Nobody => "nobody".to_owned(),
        Ask::Requester => "requester".to_owned(),
        Ask::Role(role) => role.to_string(),
    }
}
