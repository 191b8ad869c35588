//! Facts: every value that a run read, with its source, and which of them a name in a rule means.
//!
//! Pure. A tool's answer becomes records; a record is found again by its ids. A declared field is looked for in the
//! records that an operation's arguments identify, then in those that they refer to, then in all. Two different values
//! are ambiguous, and what was not read is told as that: neither has a value, and a rule over it asks a person.

mod bind;
mod computed;
mod conform;
mod envelope;
mod gather;
mod missing;
mod word;

use jiff::Timestamp;
use purple_policy::{Facts, Source, Unevaluable, Value};

use crate::canonical::Digest;
use crate::file::{Action, Field};
use crate::json::{Json, Values};
use crate::operation::Operation;

pub use bind::Subject;
pub use envelope::{Part, inside, is_about_call, is_container, is_wrapper, went_well};
pub use missing::{Ids, Readable};

/// How one read of a run ended.
#[derive(Clone, Copy, Debug)]
pub enum Told<'a> {
    /// With this answer.
    Answer(&'a Json),
    /// There is no such thing.
    Absent,
    /// Nobody knows.
    Unread(purple_policy::Unread),
}

/// One read of a run.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The tool, as its server names it.
    pub tool: &'a str,
    /// What the operator calls the record that it reads, where that is mapped; arguments and answer are under the names
    /// of the mapping then.
    pub record: Option<&'a str>,
    /// What it was asked with.
    pub arguments: &'a Values,
    /// How it ended.
    pub told: Told<'a>,
    /// When.
    pub at: Timestamp,
}

/// Where a fact was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The tool.
    pub tool: String,
    /// The record, as people call it: "vendor V-9".
    pub record: String,
    /// The field of the answer.
    pub field: String,
    /// When it was read.
    pub at: Timestamp,
    /// The answer that it stands in.
    pub digest: Digest,
    /// The value as it stands there.
    pub written: Value,
}

/// Which fact a declared name means, and where it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The declared name, dotted.
    pub name: String,
    /// Its value, or why it has none.
    pub value: Result<Value, Unevaluable>,
    /// Where it was read; the operation's own argument has no origin.
    pub origins: Vec<Origin>,
}

impl Binding {
    /// The name, its value and where it was read, for people. `None` where it was not read.
    pub fn told(&self) -> Option<String> {
        let (Ok(value), Some(origin)) = (&self.value, self.origins.first()) else { return None };
        let Origin { tool, record, field, written, .. } = origin;
        let written = match written {
            same if same.to_string() == value.to_string() => String::new(),
            other => format!(", written `{other}`"),
        };
        Some(format!("{} = {value} (`{field}` of {record}, by {tool}{written})", self.name))
    }
}

/// Everything that a run read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    pub(crate) instances: Vec<Instance>,
    gaps: Vec<Gap>,
    computed: Vec<computed::ComputedFact>,
    /// More was read than is looked through: nothing is taken from all records then.
    cut: bool,
}

/// One record of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Instance {
    /// What kind of thing it is, by each of its names: the words of `get_expense_claim` and of the key it stands under.
    kinds: Vec<word::Words>,
    /// What identifies it.
    own: Vec<String>,
    refers: Vec<Reference>,
    fields: Vec<(String, Value)>,
    tool: String,
    at: Timestamp,
    digest: Digest,
}

/// What a record refers to.
#[derive(Clone, Debug, PartialEq)]
struct Reference {
    /// What it is: the words of the field, without those that say that it is an id.
    words: word::Words,
    id: String,
    /// Whether the field says that it is an id; else it may be a name, or anything.
    is_id: bool,
}

/// A read that has no answer.
#[derive(Clone, Debug, PartialEq)]
struct Gap {
    kinds: Vec<word::Words>,
    asked: Vec<String>,
    /// `None`: there is no such thing.
    how: Option<purple_policy::Unread>,
}

impl Known {
    /// Whether a function computed anything.
    pub(crate) fn has_computed(&self) -> bool {
        !self.computed.is_empty()
    }

    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.instances.is_empty() && self.gaps.is_empty()
    }

    /// Which facts the declared fields mean for a subject.
    pub fn bind(&self, fields: &[Field], subject: &Subject) -> Vec<Binding> {
        fields.iter().map(|field| self.bound(field, subject)).collect()
    }

    /// Sets what further names mean for an operation: those of policy documents, which declare no records. First in the
    /// records that its arguments identify; then, where nothing else is known of them, in all. `compared` are the
    /// written values that their conditions compare names with.
    pub fn tell_names(
        &self,
        facts: &mut Facts,
        names: &[String],
        compared: &[(String, Value)],
        operation: Option<&Operation>,
    ) {
        if self.is_empty() {
            return;
        }
        let subject = Subject::of(operation);
        for name in names {
            let stands = facts.get(name);
            match self.named(name, compared, &subject) {
                Some((bind::Near::Identified, Ok(value))) => {
                    facts.set(Source::Read, name.as_str(), value);
                }
                Some((bind::Near::Any, Ok(value))) if is_unknown(&stands) => {
                    facts.set(Source::Read, name.as_str(), value);
                }
                Some((bind::Near::Identified, Err(why))) => {
                    facts.doubt(Source::Read, name.as_str(), why);
                }
                Some((bind::Near::Any, Err(why))) if is_unknown(&stands) => {
                    facts.doubt(Source::Read, name.as_str(), why);
                }
                Some((bind::Near::Any, _)) | None => {}
            }
        }
    }

    /// Sets what the declared fields and actions mean for a subject.
    pub(crate) fn tell(
        &self,
        facts: &mut Facts,
        fields: &[Field],
        actions: &[Action],
        subject: &Subject,
        computed: Computed,
    ) {
        for (field, binding) in fields.iter().zip(self.bind(fields, subject)) {
            // What the caller knows of a name already stands: a test of a file says it itself.
            if !is_unknown(&facts.get(&binding.name)) {
                continue;
            }
            let counts = || self.computed_as(field).filter(|_| computed == Computed::Counts);
            match binding.value {
                Ok(value) => facts.set(Source::Read, binding.name, value),
                Err(why) if is_unread(&why) && counts().is_some() => match counts() {
                    Some((value, _)) => facts.set(Source::Computed, binding.name, value),
                    None => facts.doubt(Source::Read, binding.name, why),
                },
                Err(why) => facts.doubt(Source::Read, binding.name, why),
            };
        }
        let Some(tool) = subject.tool() else { return };
        let is = bind::actions(actions, tool);
        for (action, is) in actions.iter().zip(is) {
            match is {
                Some(is) => facts.set(Source::Argument, action.name(), Value::Bool(is)),
                None => {
                    let why = Unevaluable::Missing { name: action.name().to_owned() };
                    facts.doubt(Source::Argument, action.name(), why)
                }
            };
        }
    }
}

/// Whether what functions computed stands for a declared field that nobody read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Computed {
    /// It does.
    Counts,
    /// It does not.
    Ignored,
}

/// Whether nobody has read it. What was refused or failed is not replaced.
fn is_unread(why: &Unevaluable) -> bool {
    matches!(
        why,
        Unevaluable::Missing { .. } | Unevaluable::Unread { how: purple_policy::Unread::NotMade, .. }
    )
}

/// Whether a value under such a name says which record is meant.
pub fn names_a_record(name: &str, value: &Json) -> bool {
    word::identified(name).is_some() || value.as_text().is_some_and(bind::looks_like_id)
}

fn is_unknown(value: &Result<Value, Unevaluable>) -> bool {
    matches!(value, Err(Unevaluable::Missing { .. }))
}

#[cfg(test)]
#[path = "fact/tests.rs"]
mod tests;
