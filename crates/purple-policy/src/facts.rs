//! What is known, by whom, and how a name finds its value.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::unevaluable::{Doubt, Unevaluable};
use crate::value::Value;

/// Where a fact comes from. Sources have no rank: where they disagree, nobody wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Taken from the task.
    Input,
    /// An argument of the operation that is judged.
    Argument,
    /// Computed by a process.
    Computed,
    /// The context that came with the rules.
    Context,
    /// Read from a tool.
    Read,
}

/// The facts that names in expressions resolve among.
///
/// A dotted name may be set as it stands (`invoice.total`) or as a field of a record (`invoice`).
///
/// ```
/// use purple_policy::{Expression, Facts, Scope, Source, Value};
///
/// let facts = Facts::new()
///     .with(Source::Input, "stated_total", Value::from_literal("52340.00 USD"))
///     .with(Source::Read, "order.total", Value::from_literal("51200.00 USD"));
/// let variance = Expression::compile("stated_total - order.total", &Scope::open()).unwrap();
/// assert_eq!(variance.evaluate(&facts).unwrap(), Value::from_literal("1140.00 USD"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    by_name: BTreeMap<String, Vec<(Source, Value)>>,
}

impl Facts {
    /// Nothing known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fact, or replaces what the same source said under the same name.
    pub fn set(&mut self, source: Source, name: impl Into<String>, value: Value) -> &mut Self {
        let told = self.by_name.entry(name.into()).or_default();
        told.retain(|(known, _)| *known != source);
        told.push((source, value));
        self
    }

    /// [`Facts::set`], for building in one go.
    #[must_use]
    pub fn with(mut self, source: Source, name: impl Into<String>, value: Value) -> Self {
        self.set(source, name, value);
        self
    }

    /// These facts beside others; where the two disagree, names become ambiguous.
    pub(crate) fn beside(&self, others: &Self) -> Self {
        let mut all = self.clone();
        for (name, told) in &others.by_name {
            all.by_name.entry(name.clone()).or_default().extend(told.iter().cloned());
        }
        all
    }

    /// The value of a dotted name.
    ///
    /// # Errors
    ///
    /// When no source knows it, or several know different values.
    pub fn get(&self, name: &str) -> Result<Value, Unevaluable> {
        let path: Vec<String> = name.split('.').map(str::to_owned).collect();
        self.resolve(&path).map_err(Arc::unwrap_or_clone)
    }

    /// The value of a path, if every source that knows it agrees.
    pub(crate) fn resolve(&self, path: &[String]) -> Result<Value, Doubt> {
        let mut found: Vec<(Source, Value)> = Vec::new();
        for length in (1..=path.len()).rev() {
            let (head, rest) = path.split_at(length);
            if let Some(told) = self.by_name.get(&head.join(".")) {
                found.extend(
                    told.iter().filter_map(|(source, value)| Some((*source, value.walk(rest)?.into_owned()))),
                );
            }
        }
        if found.is_empty() {
            return self.gathered(&path.join("."));
        }
        agreed(path.join("."), found)
    }

    /// A record of the facts that were set one by one right below `name`.
    fn gathered(&self, name: &str) -> Result<Value, Doubt> {
        let prefix = format!("{name}.");
        let mut fields = BTreeMap::new();
        for (key, told) in self.by_name.range(prefix.clone()..) {
            let Some(field) = key.strip_prefix(&prefix) else { break };
            if !field.contains('.') {
                fields.insert(field.to_owned(), agreed(key.clone(), told.clone())?);
            }
        }
        if fields.is_empty() {
            return Err(Arc::new(Unevaluable::Missing { name: name.to_owned() }));
        }
        Ok(Value::Record(Arc::new(fields)))
    }
}

/// The value that every source tells, or the disagreement.
fn agreed(name: String, mut told: Vec<(Source, Value)>) -> Result<Value, Doubt> {
    match told.as_slice() {
        [] => Err(Arc::new(Unevaluable::Missing { name })),
        [(_, first), others @ ..] if others.iter().all(|(_, value)| value == first) => {
            Ok(told.swap_remove(0).1)
        }
        _ => {
            let values = told.iter().map(|(source, value)| (*source, value.shown())).collect();
            Err(Arc::new(Unevaluable::Ambiguous { name, values }))
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Input => "input",
            Self::Argument => "argument",
            Self::Computed => "computed",
            Self::Context => "context",
            Self::Read => "read",
        })
    }
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod tests;
