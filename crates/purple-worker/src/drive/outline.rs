//! What a model says at the beginning: which process a task belongs to, and what it names.
//!
//! Both are checked: a process must be one of those that exist, and an input must stand in the task.

use std::collections::BTreeMap;
use std::time::Duration;

use purple_policy::Value as Known;
use purple_process::file::{Extracted, InputType, Setting, Task, extract};
use serde_json::{Value, json};

use crate::drive::ask::{Heard, Patience, single};
use crate::drive::budget::{Stakes, Tier};
use crate::drive::memo::Drive;
use crate::drive::opinion::{Opinion, with_reading};
use crate::drive::prompt::{CLASSIFY, READING, fenced_beginning};
use crate::port::ModelError;
use crate::run::{Phase, Run};
use crate::settings::Process;
use crate::synthesis::is_kind;

/// How long a classification is waited for, in seconds. Then keywords decide.
const CLASSIFY_S_MAX: u64 = 10;
/// The longest answer to a classification, in tokens.
const CLASSIFY_TOKENS_MAX: u32 = 64;
/// How much longer it may be with a reading of the task, in tokens.
const READING_TOKENS_MAX: u32 = 160;
/// The most fields that an answer is held against.
const ANSWER_FIELDS_MAX: usize = 20;
/// The process that takes what no other takes.
pub(crate) const GENERAL: &str = "general";
const NONE: &str = "none";
/// How a model names a kind of task that nobody defined.
const KIND: &str = "With `none`, say in `kind` what kind of task it is, as a name of two or three words such as `travel_booking`; the same kind always has the same name.";

/// Whether a model is asked how it reads a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecondOpinion {
    Wanted,
    NotWanted,
}

/// What a model says about the process of a task.
pub(crate) enum Classified<'p> {
    /// This one.
    Process(&'p Process),
    /// None of them.
    None,
    /// None of them, and of this kind.
    Unknown(String),
    /// It said nothing that can be used: keywords decide.
    Nothing,
    /// There is nobody to ask after all.
    Nobody,
}

impl<'a> Run<'a> {
    /// Asks the fast model which process a task belongs to, and how it reads the task where that is wanted.
    pub(crate) async fn classified(
        &self,
        drive: &mut Drive,
        text: &str,
        second: SecondOpinion,
    ) -> Phase<(Classified<'a>, Option<Opinion>)> {
        let settings = self.settings;
        let named: Vec<&'a Process> =
            settings.processes.iter().filter(|process| process.file.name() != GENERAL).collect();
        let lines: Vec<String> =
            named.iter().map(|one| format!("- {}: {}", one.file.name(), one.file.title())).collect();
        let names: Vec<&str> = named.iter().map(|one| one.file.name()).chain([NONE]).collect();
        let mut schema = json!({
            "type": "object",
            "properties": {"process": {"enum": names}},
            "required": ["process"],
        });
        let kind = if self.workshop().is_some() { KIND } else { "" };
        if let Some(properties) = schema.pointer_mut("/properties").filter(|_| !kind.is_empty()) {
            properties["kind"] = json!({"type": "string"});
        }
        let mut tokens_max = CLASSIFY_TOKENS_MAX;
        let mut reading = String::new();
        if second == SecondOpinion::Wanted {
            schema = with_reading(schema);
            reading = READING.fill(&[]);
            tokens_max += READING_TOKENS_MAX;
        }
        let prompt = CLASSIFY.fill(&[
            ("kind", kind),
            ("reading", &reading),
            ("processes", &lines.join("\n")),
            ("task", &fenced_beginning(text)),
        ]);
        let request = single(None, prompt, schema, tokens_max);
        let patience = Patience::AtMost(Duration::from_secs(CLASSIFY_S_MAX));
        let who = (Tier::Fast, Stakes::Ordinary);
        let reply = match self.ask_patiently(drive, request, who, patience).await? {
            Heard::Reply(reply, _) if reply.finish.is_complete() => reply,
            Heard::Never(ModelError::NoModel { .. }) => return Ok((Classified::Nobody, None)),
            Heard::Reply(..) | Heard::Spent(_) | Heard::Garbage(_) | Heard::Down(_) | Heard::Never(_) => {
                return Ok((Classified::Nothing, None));
            }
        };
        let said: Option<Value> = serde_json::from_str(reply.text.trim()).ok();
        let name = said.as_ref().and_then(|said| said.get("process")).and_then(Value::as_str);
        let opinion = said.as_ref().filter(|_| second == SecondOpinion::Wanted);
        let opinion = opinion.and_then(|said| Opinion::of(said, text));
        let classified = match name {
            None => Classified::Nothing,
            Some(NONE) => unknown(said.as_ref(), &named),
            Some(name) => match named.into_iter().find(|one| one.file.name() == name) {
                Some(process) => Classified::Process(process),
                None => Classified::Nothing,
            },
        };
        Ok((classified, opinion))
    }
}

/// What a model calls a task that belongs to no process. A name that exists is that process.
fn unknown<'p>(said: Option<&Value>, named: &[&'p Process]) -> Classified<'p> {
    let kind = said.and_then(|said| said.get("kind")).and_then(Value::as_str).map(str::trim);
    let kind = kind.map(|kind| kind.to_lowercase().replace([' ', '-'], "_"));
    match kind.filter(|kind| is_kind(kind) && kind != GENERAL) {
        None => Classified::None,
        Some(kind) => match named.iter().find(|one| one.file.answers_to(&kind)) {
            Some(process) => Classified::Process(process),
            None => Classified::Unknown(kind),
        },
    }
}

/// The schema of the plan that a model makes in DECOMPOSE.
pub(crate) fn plan_schema(missing: &[(&str, Option<InputType>)]) -> Value {
    let inputs: serde_json::Map<String, Value> =
        missing.iter().map(|(name, _)| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "properties": {
            "goal": {"type": "string"},
            "entities": texts,
            "data_needs": texts,
            "inputs": {"type": "object", "properties": inputs},
            "answer_fields": texts,
        },
        "required": ["goal", "data_needs"],
    })
}

/// The inputs that a file lacks, as a model is asked for them.
pub(crate) fn asked_inputs(missing: &[(&str, Option<InputType>)]) -> String {
    if missing.is_empty() {
        return String::new();
    }
    let one = |(name, kind): &(&str, Option<InputType>)| match kind {
        Some(kind) => format!("`{name}` ({kind})"),
        None => format!("`{name}`"),
    };
    let named: Vec<String> = missing.iter().map(one).collect();
    format!(
        "`inputs` are these, each exactly as it stands in the task, where the task has it: {}.",
        named.join(", ")
    )
}

/// The inputs of a plan that stand in the task word for word, read like any other.
///
/// A model points at a place in the task; it does not say what stands there.
pub(crate) fn inputs_of(plan: &Value, task: &Task, text: &str, setting: &Setting) -> BTreeMap<String, Known> {
    let named = plan.get("inputs").and_then(Value::as_object);
    let mut found = BTreeMap::new();
    for (name, said) in named.into_iter().flatten() {
        let Some(said) = said.as_str().map(str::trim).filter(|said| !said.is_empty()) else { continue };
        let Some(input) = task.inputs().iter().find(|input| input.name() == name) else { continue };
        if !stands_in(text, said) {
            continue;
        }
        let Extracted { found: read, .. } =
            extract(said, std::slice::from_ref(input), &BTreeMap::new(), setting);
        let value = read.get(name.as_str()).cloned();
        // An id in a form that the file did not foresee is still the id that the task names.
        let plain = || (input.kind() == Some(InputType::Id)).then(|| Known::text(said));
        if let Some(value) = value.or_else(plain) {
            found.insert(name.clone(), value);
        }
    }
    found
}

/// The fields that the answer must have: those of the plan that the task itself names.
pub(crate) fn answer_fields(plan: &Value, text: &str) -> Vec<String> {
    let listed = plan.get("answer_fields").and_then(Value::as_array);
    let names = listed.into_iter().flatten().filter_map(Value::as_str).map(str::trim);
    let lower = text.to_lowercase();
    let asked = |name: &&str| !name.is_empty() && lower.contains(&name.to_lowercase());
    names.filter(asked).take(ANSWER_FIELDS_MAX).map(str::to_owned).collect()
}

/// Whether words stand in a text, not as a part of other words.
pub(crate) fn stands_in(text: &str, said: &str) -> bool {
    text.match_indices(said).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + said.len()..).and_then(|text| text.chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_taken_only_where_it_stands_in_the_task() {
        assert!(stands_in("pay INV-7 now", "INV-7"));
        assert!(!stands_in("pay INV-77 now", "INV-7"));
        assert!(!stands_in("pay it", "INV-7"));
    }

    #[test]
    fn only_fields_that_the_task_names_are_asked_for() {
        let plan = json!({"answer_fields": ["Credit amount", "secret", ""]});
        assert_eq!(answer_fields(&plan, "State the credit amount."), ["Credit amount"]);
    }
}
