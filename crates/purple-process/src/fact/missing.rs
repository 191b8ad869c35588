//! Which reads would tell what rules want to know, and could be made with what is known already.

use std::collections::{BTreeMap, BTreeSet};

use purple_policy::{Unevaluable, Unread};

use super::gather::key;
use super::word::{self, Words};
use super::{Binding, Known};
use crate::file::Field;
use crate::json::{Json, Values};
use crate::operation::Operation;

/// A read that could be made: its name and the parameters that it must be given.
#[derive(Clone, Copy, Debug)]
pub struct Readable<'a> {
    /// The name that its server gives it.
    pub tool: &'a str,
    /// The parameters that it must be given.
    pub required: &'a [String],
}

/// What stands behind the arguments of a read that nobody ordered: ids of the operation, of the task, of what was read.
#[derive(Clone, Debug, Default)]
pub struct Ids(BTreeMap<String, BTreeSet<String>>);

impl Ids {
    /// Ids that the words of a task give a name: `claim EXP-3001`, `vendor: V-9`.
    pub fn of_words(text: &str) -> Self {
        let mut ids = Self::default();
        let parts: Vec<&str> = text.split(|c: char| c.is_whitespace() || ",;:()#\"'".contains(c)).collect();
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        for pair in parts.windows(2) {
            let [name, id] = pair else { continue };
            let id = id.trim_end_matches(['.', '!', '?']);
            if super::bind::looks_like_id(id) {
                ids.0.entry(Words::of(name).text()).or_default().insert(id.to_owned());
            }
        }
        ids
    }

    fn of(&self, parameter: &str) -> impl Iterator<Item = &String> {
        let words = word::identified(parameter).filter(|words| !words.is_empty());
        let words = words.unwrap_or_else(|| Words::of(parameter));
        self.0.iter().filter(move |(name, _)| Words::of(name).within(&words)).flat_map(|(_, ids)| ids)
    }
}

impl Known {
    /// The calls that would tell what is missing for an operation: of each fitting read, with arguments that the
    /// operation, the records it touches or the words of the task give.
    pub fn would_tell(
        &self,
        fields: &[Field],
        operation: Option<&Operation>,
        ids: &Ids,
        reads: &[Readable<'_>],
    ) -> Vec<(usize, Values)> {
        let mut calls: Vec<(usize, Values)> = Vec::new();
        for (field, binding) in fields.iter().zip(self.bind(fields, &super::Subject::of(operation))) {
            if !is_unread(&binding) {
                continue;
            }
            for (place, read) in reads.iter().enumerate().filter(|(_, read)| tells(read, field)) {
                for call in self.calls(read, operation, ids) {
                    if !calls.contains(&(place, call.clone())) && calls.len() < CALLS_MAX {
                        calls.push((place, call));
                    }
                }
            }
        }
        calls
    }

    /// The arguments with which a read could be made.
    fn calls(&self, read: &Readable<'_>, operation: Option<&Operation>, ids: &Ids) -> Vec<Values> {
        let mut made = vec![Values::new()];
        for parameter in read.required {
            let values = self.values_of(parameter, operation, ids);
            made = made
                .iter()
                .flat_map(|call| {
                    values.iter().map(|value| {
                        let mut call = call.clone();
                        call.insert(parameter.clone(), value.clone());
                        call
                    })
                })
                .take(CALLS_MAX)
                .collect();
        }
        // A read of everything tells nothing about this.
        made.retain(|call| !call.is_empty());
        made
    }

    /// What a parameter of this name could be: what the operation gives under it, else what the records say that it
    /// touches, else what the words of the task say, or anything that was read where there is no operation.
    fn values_of(&self, parameter: &str, operation: Option<&Operation>, ids: &Ids) -> Vec<Json> {
        let given =
            operation.and_then(|operation| operation.arguments.get(parameter)).and_then(|one| one.value());
        if let Some(value) = given {
            return vec![value.clone()];
        }
        let arguments =
            || operation.into_iter().flat_map(|one| one.arguments.values().filter_map(|one| one.value()));
        let touched: Vec<String> = arguments().filter_map(key).collect();
        let is_near = |own: &[String]| operation.is_none() || own.iter().any(|id| touched.contains(id));
        let wanted = Words::of(parameter);
        let mut found: Vec<Json> = Vec::new();
        for instance in self.instances.iter().filter(|one| is_near(&one.own)) {
            let same = instance.fields.iter().filter(|(name, _)| Words::of(name) == wanted);
            for value in same.filter_map(|(_, value)| Json::from_serde(&value.to_json()).ok()) {
                if key(&value).is_some() && !found.contains(&value) {
                    found.push(value);
                }
            }
        }
        if found.is_empty() {
            found.extend(ids.of(parameter).map(|id| Json::Text(id.clone())));
        }
        found
    }
}

/// The most reads that code makes of itself at once.
const CALLS_MAX: usize = 20;

/// Whether nobody has read it yet. What was refused or failed is not tried again.
fn is_unread(binding: &Binding) -> bool {
    matches!(
        &binding.value,
        Err(Unevaluable::Unread { how: Unread::NotMade, .. } | Unevaluable::Missing { .. })
    )
}

/// Whether a read is about the declared record, or about what the field is called: `get_usage`.
fn tells(read: &Readable<'_>, field: &Field) -> bool {
    let noun = Words::noun(read.tool);
    Words::of(field.record()).within(&noun) || Words::of(field.name()).within(&noun)
}
