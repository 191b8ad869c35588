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
    /// Names of which a source should have said something and could not: nothing else is said about them.
    in_doubt: BTreeMap<String, (Source, Doubt)>,
}

impl Facts {
    /// Nothing known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fact, or replaces what the same source said under the same name.
    pub fn set(&mut self, source: Source, name: impl Into<String>, value: Value) -> &mut Self {
        let name = name.into();
        self.forget(source, &name);
        self.by_name.entry(name).or_default().push((source, value));
        self
    }

    /// Notes that a source could not say what a name holds, in the place of what it said. No expression over the name
    /// has a value then, whatever other sources say: `exists` and `default` included.
    pub fn doubt(&mut self, source: Source, name: impl Into<String>, why: Unevaluable) -> &mut Self {
        let name = name.into();
        self.forget(source, &name);
        self.in_doubt.insert(name, (source, Arc::new(why)));
        self
    }

    /// Takes back what a source said about a name.
    pub fn forget(&mut self, source: Source, name: &str) -> &mut Self {
        if let Some(told) = self.by_name.get_mut(name) {
            told.retain(|(known, _)| *known != source);
            if told.is_empty() {
                self.by_name.remove(name);
            }
        }
        if self.in_doubt.get(name).is_some_and(|(known, _)| *known == source) {
            self.in_doubt.remove(name);
        }
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
        let in_doubt = others.in_doubt.iter().map(|(name, doubt)| (name.clone(), doubt.clone()));
        all.in_doubt.extend(in_doubt);
        all
    }

    /// Everything that is told, by name.
    pub fn told(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.by_name.iter().flat_map(|(name, told)| told.iter().map(move |(_, value)| (name.as_str(), value)))
    }

    /// The value of a dotted name.
    ///
    /// # Errors
    ///
    /// When no source knows it, several know different values, or one could not say.
    pub fn get(&self, name: &str) -> Result<Value, Unevaluable> {
        let path: Vec<String> = name.split('.').map(str::to_owned).collect();
        self.resolve(&path).map_err(Arc::unwrap_or_clone)
    }

    /// The value of a path, if every source that knows it agrees.
    pub(crate) fn resolve(&self, path: &[String]) -> Result<Value, Doubt> {
        if !self.in_doubt.is_empty()
            && let Some(doubt) = self.doubt_of(path)
        {
            return Err(doubt);
        }
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

    /// The doubt about a path, about what it is a part of, or about a part of it.
    fn doubt_of(&self, path: &[String]) -> Option<Doubt> {
        let around = (1..=path.len()).find_map(|length| self.in_doubt.get(&path[..length].join(".")));
        let below = || {
            let prefix = format!("{}.", path.join("."));
            let (name, doubt) = self.in_doubt.range(prefix.clone()..).next()?;
            name.starts_with(&prefix).then_some(doubt)
        };
        around.or_else(below).map(|(_, doubt)| Arc::clone(doubt))
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
