//! Whether arguments fit the schema of their tool.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, Retrieve, Uri, Validator};
use purple_port::{BadArguments, Definition, Digest, Values};
use serde_json::{Map, Value};

use crate::limits::{COMPLAINTS_MAX, PATTERN_STEPS_MAX, VALIDATORS_MAX};
use crate::said::cut;

/// Checks arguments, and keeps what it compiled for that.
#[derive(Default)]
pub(crate) struct Checker {
    /// By the digest of the schema.
    compiled: Mutex<BTreeMap<Digest, Arc<Validator>>>,
}

impl fmt::Debug for Checker {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Checker")
    }
}

impl Checker {
    pub(crate) fn check(&self, definition: &Definition, arguments: &Values) -> Result<(), BadArguments> {
        let bad = |complaints| BadArguments { tool: definition.name.clone(), complaints };
        let validator = self
            .validator(&definition.input_schema)
            .map_err(|reason| bad(vec![format!("its schema cannot be used: {reason}")]))?;
        let instance = instance(arguments).map_err(|reason| bad(vec![reason]))?;
        let complaints = complaints(&validator, &instance, &definition.input_schema);
        if complaints.is_empty() { Ok(()) } else { Err(bad(complaints)) }
    }

    /// What does not fit a schema.
    pub(crate) fn misfits(&self, schema: &Value, value: &Value) -> Vec<String> {
        match self.validator(schema) {
            Ok(validator) if validator.is_valid(value) => Vec::new(),
            Ok(validator) => complaints(&validator, value, schema),
            Err(reason) => vec![format!("the schema cannot be used: {reason}")],
        }
    }

    fn validator(&self, schema: &Value) -> Result<Arc<Validator>, String> {
        let digest = Digest::of(schema.to_string().as_bytes());
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = compiled.get(&digest) {
            return Ok(Arc::clone(validator));
        }
        let validator = Arc::new(compile(schema)?);
        if compiled.len() >= VALIDATORS_MAX {
            // To forget all is simple, and costs one compilation each.
            compiled.clear();
        }
        compiled.insert(digest, Arc::clone(&validator));
        Ok(validator)
    }
}

/// 2020-12, unless the schema names another draft. Nothing is fetched.
fn compile(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_retriever(Nowhere)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(PATTERN_STEPS_MAX))
        .build(schema)
        .map_err(|error| cut(&error.to_string()))
}

/// Fetches nothing, from nowhere.
struct Nowhere;

impl Retrieve for Nowhere {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("`{uri}` is elsewhere, and references to elsewhere are not followed").into())
    }
}

fn instance(arguments: &Values) -> Result<Value, String> {
    let mut fields = Map::new();
    for (name, value) in arguments {
        let value = serde_json::from_str(&value.to_wire()).map_err(|error| format!("`{name}`: {error}"))?;
        fields.insert(name.clone(), value);
    }
    Ok(Value::Object(fields))
}

/// What is wrong, each with its place: `changes/0/quantity`. Empty only if nothing is wrong.
fn complaints(validator: &Validator, instance: &Value, schema: &Value) -> Vec<String> {
    let known = known_names(schema);
    let mut complaints: Vec<String> =
        strangers(instance, schema, &known).map(|name| unknown(name, &known)).collect();
    let named = !complaints.is_empty();
    for error in validator.iter_errors(instance).take(COMPLAINTS_MAX) {
        let path = error.instance_path().to_string();
        let at = path.trim_start_matches('/');
        let said = cut(&error.masked().to_string());
        match error.kind() {
            // The library says it without names, or without suggestions.
            ValidationErrorKind::AdditionalProperties { .. } | ValidationErrorKind::FalseSchema
                if at.is_empty() && named => {}
            _ if at.is_empty() => complaints.push(said),
            _ => complaints.push(format!("`{at}`: {said}")),
        }
    }
    complaints.truncate(COMPLAINTS_MAX);
    complaints
}

/// Arguments that a schema without room for others does not name.
fn strangers<'a>(instance: &'a Value, schema: &Value, known: &[&str]) -> impl Iterator<Item = &'a String> {
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false))
        && schema.get("patternProperties").is_none();
    let given = instance.as_object().filter(|_| closed);
    given.into_iter().flat_map(Map::keys).filter(|name| !known.contains(&name.as_str()))
}

fn unknown(name: &str, known: &[&str]) -> String {
    let near = known.iter().map(|known| (distance(name, known), known)).min();
    match near {
        Some((steps, near)) if steps * 3 <= near.len().max(3) => {
            format!("there is no argument `{}`; did you mean `{near}`?", cut(name))
        }
        Some(_) => format!("there is no argument `{}`; known are: `{}`", cut(name), known.join("`, `")),
        None => format!("there is no argument `{}`, and none is taken", cut(name)),
    }
}

fn known_names(schema: &Value) -> Vec<&str> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(Map::keys).map(String::as_str).collect()
}

/// How many letters must be changed, added or taken away. Long names are compared by their beginning.
fn distance(one: &str, other: &str) -> usize {
    const LETTERS_MAX: usize = 64;
    let other: Vec<char> = other.chars().take(LETTERS_MAX).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.chars().take(LETTERS_MAX).enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (j, theirs) in other.iter().enumerate() {
            let above = row.get(j + 1).copied().unwrap_or(usize::MAX);
            let changed = diagonal + usize::from(letter != *theirs);
            left = changed.min(above + 1).min(left + 1);
            next.push(left);
            diagonal = above;
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
