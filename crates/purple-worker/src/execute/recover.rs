//! What is tried when a read fails: the same again, a synonym, one thing at a time, advice.
//!
//! Only reads. Nothing here can make a write, and nothing calls a tool that is not in the catalogue.

use std::time::Duration;

use purple_process::{Effect, Json, Values};
use serde_json::Value;

use crate::port::Called;

use super::catalogue::Known;
use super::complaint::{Trouble, trouble};
use super::page::Place;
use super::reader::{Completeness, FailedRead, Got, Patience, Reach, Reading, Seen, Why};

/// How often a call is repeated after a passing failure.
const RETRIES_MAX: u32 = 3;
/// The first wait between two tries, in milliseconds; each next one is twice as long.
const WAIT_FIRST_MS: u64 = 500;
/// The longest wait that a server may ask for, in seconds. Beyond it the read ends, and says when to come back.
pub(crate) const WAIT_S_MAX: u64 = 30;
/// The most synonyms that are tried.
const SYNONYMS_MAX: usize = 3;
/// The most single reads that one read is split into.
const PARTS_MAX: usize = 50;
/// How often an adviser is asked about one read.
const ADVICE_MAX: usize = 2;

impl<'a> Reading<'a> {
    /// The same call, again after passing failures.
    pub(super) async fn persistently(&mut self, tool: &Known, arguments: &Values, why: Why) -> Called {
        let mut called = self.call(tool, arguments, why).await;
        let mut wait = Duration::from_millis(WAIT_FIRST_MS);
        for _ in 0..RETRIES_MAX {
            let Some(Trouble::Passing { retry_after }) = trouble(&called) else { return called };
            // A call that can never fit, or never be made, is not made better by waiting.
            let misfit = matches!(called, Called::NotSent { .. }) && !takes(tool, arguments);
            if misfit || self.refusal(tool).is_some() {
                return called;
            }
            let pause = retry_after.unwrap_or(wait);
            if pause > Duration::from_secs(WAIT_S_MAX) {
                return called;
            }
            match self.ports.wait.wait(pause).await {
                Patience::Waited => {}
                Patience::OutOfTime => return called,
            }
            called = self.call(tool, arguments, Why::Retry).await;
            wait = wait.saturating_mul(2);
        }
        called
    }

    /// A read that goes other ways when its own fails.
    pub(super) async fn recovered(&mut self, tool: &'a Known, arguments: &Values, why: Why) -> Got<'a> {
        let called = self.persistently(tool, arguments, why).await;
        let got = Got { called, tool, arguments: arguments.clone(), merged: None };
        match trouble(&got.called) {
            // Drift has its own way; a no is not gone around.
            None | Some(Trouble::Drift { .. } | Trouble::Denied) => return got,
            Some(Trouble::Absent) => {
                // What does not exist under a synonym either; but several things may have been asked for at once.
                return match self.in_parts(tool, arguments).await {
                    Some(parts) => parts,
                    None => got,
                };
            }
            Some(Trouble::Passing { .. } | Trouble::Other) => {}
        }
        if let Some(other) = self.by_synonym(tool, arguments).await {
            return other;
        }
        if let Some(parts) = self.in_parts(tool, arguments).await {
            return parts;
        }
        self.advised(got).await
    }

    async fn by_synonym(&mut self, tool: &'a Known, arguments: &Values) -> Option<Got<'a>> {
        let synonyms: Vec<&'a Known> = self
            .ports
            .catalogue
            .synonyms(tool)
            .filter(|other| takes(other, arguments))
            .take(SYNONYMS_MAX)
            .collect();
        for other in synonyms {
            let called = self.call(other, arguments, Why::Synonym).await;
            if let Called::Answered(_) = called {
                return Some(Got { called, tool: other, arguments: arguments.clone(), merged: None });
            }
        }
        None
    }

    /// Several things that were asked for at once, one at a time. All of them, or it is not the answer.
    async fn in_parts(&mut self, tool: &'a Known, arguments: &Values) -> Option<Got<'a>> {
        let parts = parts(tool, arguments)?;
        let mut answers = Vec::new();
        let mut completeness = Completeness::Whole;
        for part in &parts {
            let read = Box::pin(self.paged(tool, part, (Reach::ThisTool, Why::Part)));
            let (got, whole) = read.await;
            match got.called {
                Called::Answered(answer) => answers.push(answer.into_work()),
                Called::Refused { .. } | Called::Asked(_) | Called::NotSent { .. } | Called::Lost { .. } => {
                    let told = Seen::of(&got.called);
                    let reason = format!(
                        "{} of {} parts were read; then: {}",
                        answers.len(),
                        parts.len(),
                        told.said()
                    );
                    if answers.is_empty() {
                        return None;
                    }
                    completeness = Completeness::Cut { reason };
                    break;
                }
            }
            if let (Completeness::Cut { .. }, Completeness::Whole) = (&whole, &completeness) {
                completeness = whole;
            }
        }
        let mut value = merged(answers);
        if let (Value::Array(_), Completeness::Cut { .. }) = (&value, &completeness) {
            value = serde_json::json!({ "rows": value });
        }
        if let Completeness::Cut { .. } = completeness {
            completeness.mark(&mut value);
        }
        let called = Called::Answered(value.into());
        Some(Got { called, tool, arguments: arguments.clone(), merged: Some(completeness) })
    }

    /// Another read by advice: an existing tool, a read, and not what failed already.
    pub(super) async fn advised(&mut self, got: Got<'a>) -> Got<'a> {
        let Some(adviser) = self.ports.advice else { return got };
        let catalogue = self.ports.catalogue;
        for _ in 0..ADVICE_MAX {
            let failed = FailedRead { tool: got.tool, arguments: &got.arguments, called: &got.called };
            let Some(advice) = adviser.advise(failed).await else { return got };
            let Some(tool) = catalogue.get(&advice.tool) else { continue };
            let known = self.was_called(&advice.tool, &advice.arguments);
            if tool.tool.effect() != Effect::Read || known || !takes(tool, &advice.arguments) {
                continue;
            }
            let called = self.call(tool, &advice.arguments, Why::Advised).await;
            if let Called::Answered(_) = called {
                return Got { called, tool, arguments: advice.arguments, merged: None };
            }
        }
        got
    }
}

/// Whether a tool has all these parameters, and needs no others.
fn takes(tool: &Known, arguments: &Values) -> bool {
    arguments.iter().all(|(name, value)| match tool.parameter(name) {
        None => false,
        Some(schema) => !matches!(value, Json::List(_)) || allows(schema, "array"),
    }) && tool.required().all(|name| arguments.contains_key(name))
}

/// Whether a schema may allow values of a kind. One that does not say allows all.
fn allows(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one.as_str() == Some(kind)),
        Some(_) | None => {
            let either = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
            either.is_none_or(|either| either.iter().any(|one| allows(one, kind)))
        }
    }
}

/// The single reads that a read of several things is made of: a list of things, or ids with commas between.
fn parts(tool: &Known, arguments: &Values) -> Option<Vec<Values>> {
    let lists = |(name, value): (&String, &Json)| match value {
        Json::List(items) if items.len() > 1 && is_about_ids(name) => {
            let one = |item: &Json| {
                let single = tool.parameter(name).is_none_or(|schema| !allows(schema, "array"));
                if single { item.clone() } else { Json::List(vec![item.clone()]) }
            };
            Some((name.clone(), items.iter().map(one).collect::<Vec<_>>()))
        }
        Json::Text(text) if is_about_ids(name) && text.contains(',') => {
            let ids: Vec<&str> = text.split(',').map(str::trim).filter(|id| !id.is_empty()).collect();
            let clean = ids.iter().all(|id| !id.contains(char::is_whitespace));
            (ids.len() > 1 && clean).then(|| (name.clone(), ids.into_iter().map(Json::from).collect()))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) | Json::Record(_) => {
            None
        }
    };
    let mut several = arguments.iter().filter_map(lists);
    let (name, items) = several.next()?;
    // Two lists could belong together in more than one way.
    if several.next().is_some() || items.len() > PARTS_MAX {
        return None;
    }
    let part = |item: Json| {
        let mut part = arguments.clone();
        part.insert(name.clone(), item);
        part
    };
    Some(items.into_iter().map(part).collect())
}

fn is_about_ids(parameter: &str) -> bool {
    super::naming::words(parameter).last().is_some_and(|last| {
        matches!(last.as_str(), "id" | "ids" | "number" | "numbers" | "key" | "keys" | "codes")
    })
}

/// The answers in one: rows behind rows where they are lists of one shape, else a list of the answers.
fn merged(answers: Vec<Value>) -> Value {
    let places: Vec<Option<Place>> = answers.iter().map(Place::of).collect();
    let shape = match places.first() {
        Some(Some(place)) if places.iter().all(|other| other.as_ref() == Some(place)) => place.clone(),
        _ => return Value::Array(answers),
    };
    // A record that happens to hold a list is a record: only a list and words about its pages is a list.
    let bare = answers.iter().all(|answer| match answer {
        Value::Object(fields) => {
            fields.values().filter(|value| value.is_string() || value.is_object()).count() == 0
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => true,
    });
    if !bare {
        return Value::Array(answers);
    }
    let mut answers = answers.into_iter();
    let mut all = answers.next().unwrap_or(Value::Null);
    for mut answer in answers {
        if let (Some(rows), Some(more)) = (shape.rows_mut(&mut all), shape.rows_mut(&mut answer)) {
            rows.append(more);
        }
    }
    all
}

#[cfg(test)]
#[path = "recover_tests.rs"]
mod tests;
