//! What a draft takes over from the file under which its run was: everything that the file says except what it says itself
//! is done, which is nothing.

use std::collections::{BTreeMap, BTreeSet};

use purple_policy::{Expression, Scope};
use purple_process::file::to_json;
use serde_json::{Map, Value};

use crate::synthesis::from_run::NoDraft;
use crate::synthesis::origin::quoted;
use crate::synthesis::record::Record;

/// The one outcome of a draft.
pub(super) const OUTCOME: &str = "apply";
/// Names that every file has.
const ALWAYS_KNOWN: [&str; 3] = ["today", "rule", "because"];
/// What gives a name a value.
const SLOTS: [&str; 3] = ["inputs", "read", "compute"];
/// What declares a name that is bound when a run knows its tools.
const DECLARED: [&str; 3] = ["parameters", "records", "actions"];
/// The keys of a rule, in the order in which they are read.
const RULE_KEYS: [&str; 7] = ["rule", "if", "outcome", "ask", "people", "because", "source"];

/// The carried parts, as they were written.
pub(super) struct Frame {
    slots: BTreeMap<&'static str, Map<String, Value>>,
    decide: Vec<Map<String, Value>>,
    /// `once_per`, `approval` and `limits`.
    rest: Vec<(&'static str, Value)>,
}

impl Frame {
    /// Of the file of a run.
    pub(super) fn of(record: &Record) -> Result<Self, NoDraft> {
        let whole = to_json(&record.file_text)?;
        let task = whole.pointer("/tasks").and_then(|tasks| tasks.get(&record.dossier.chosen.task));
        let own = task.unwrap_or(&whole);
        let map = |name: &'static str| {
            let slots = own.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
            (name, slots)
        };
        let rules = own.get("decide").and_then(Value::as_array).cloned().unwrap_or_default();
        let either = |name: &'static str| Some((name, own.get(name).or_else(|| whole.get(name))?.clone()));
        Ok(Self {
            slots: SLOTS.into_iter().chain(DECLARED).map(map).collect(),
            decide: rules.iter().filter_map(|rule| rule.as_object().cloned()).collect(),
            rest: ["once_per", "approval", "limits"].into_iter().filter_map(either).collect(),
        })
    }

    /// What its rules look at by business name, and its thresholds, as they stand.
    pub(super) fn declared(&self) -> String {
        let part = |name: &&str| {
            let lines = self.lines(name);
            if lines.is_empty() { String::new() } else { format!("{name}:\n{}", lines.concat()) }
        };
        DECLARED.iter().map(part).collect()
    }

    /// The names of what it declares: nothing else in a draft has one of them.
    pub(super) fn declared_names(&self) -> impl Iterator<Item = &String> {
        DECLARED.iter().filter_map(|part| self.slots.get(part)).flat_map(Map::keys)
    }

    pub(super) fn inputs(&self) -> Vec<String> {
        self.lines("inputs")
    }

    pub(super) fn reads(&self) -> Vec<String> {
        self.lines("read")
    }

    pub(super) fn computes(&self) -> Vec<String> {
        self.lines("compute")
    }

    fn lines(&self, slot: &str) -> Vec<String> {
        let entries = self.slots.get(slot).into_iter().flatten();
        entries.map(|(name, value)| format!("  {name}: {value}\n")).collect()
    }

    /// The names in its conditions that it gives no value itself: a model's operations had them as arguments.
    pub(super) fn free_names(&self) -> BTreeSet<String> {
        let conditions = self.decide.iter().filter_map(|rule| rule.get("if")?.as_str());
        let compiled = conditions.filter_map(|source| Expression::compile(source, &Scope::open()).ok());
        let roots = compiled.flat_map(|expression| expression.names());
        let roots = roots.map(|path| path.split('.').next().unwrap_or_default().to_owned());
        let is_known = |name: &str| {
            ALWAYS_KNOWN.contains(&name) || self.slots.values().any(|slots| slots.contains_key(name))
        };
        roots.filter(|name| !is_known(name)).collect()
    }

    pub(super) fn has_rules(&self) -> bool {
        !self.decide.is_empty()
    }

    pub(super) fn has_rule(&self, id: &str) -> bool {
        self.decide.iter().any(|rule| rule.get("rule").and_then(Value::as_str) == Some(id))
    }

    /// How many different people agree where a rule does not say.
    pub(super) fn people(&self) -> u8 {
        let approval = self.rest.iter().find(|(key, _)| *key == "approval").map(|(_, value)| value);
        let people = approval.and_then(|approval| approval.get("people")?.as_u64());
        people.and_then(|people| u8::try_from(people).ok()).unwrap_or(1)
    }

    /// Whether one of its rules matches whatever the case is.
    pub(super) fn always_decides(&self) -> bool {
        self.decide.iter().any(|rule| !rule.contains_key("if"))
    }

    /// Its rules in their order; those that only judged lead to what was done.
    pub(super) fn rules(&self) -> String {
        let line = |rule: &Map<String, Value>| {
            let part = |key: &&str| {
                let said = match (rule.get(*key), *key) {
                    (None, "outcome") => OUTCOME.to_owned(),
                    (Some(Value::String(text)), "if" | "because" | "source") => quoted(text),
                    (Some(Value::String(word)), _) => word.clone(),
                    (Some(other), _) => other.to_string(),
                    (None, _) => return None,
                };
                Some(format!("{key}: {said}"))
            };
            let parts: Vec<String> = RULE_KEYS.iter().filter_map(part).collect();
            format!("  - {{{}}}\n", parts.join(", "))
        };
        self.decide.iter().map(line).collect()
    }

    /// The business key, who decides and the bounds. Who is asked by name is not kept from deciding.
    pub(super) fn rest(&self, asked: &str) -> String {
        let mut text = String::new();
        let mut has_approval = false;
        for (key, value) in &self.rest {
            let mut value = value.clone();
            if *key == "approval" {
                has_approval = true;
                let never = value.as_object_mut().and_then(|fields| fields.remove("never"));
                let kept: Vec<Value> = match never {
                    Some(Value::Array(several)) => several,
                    Some(one) => vec![one],
                    None => Vec::new(),
                };
                let kept: Vec<Value> = kept.into_iter().filter(|one| one.as_str() != Some(asked)).collect();
                if let Some(fields) = value.as_object_mut().filter(|_| !kept.is_empty()) {
                    fields.insert("never".to_owned(), Value::Array(kept));
                }
            }
            text.push_str(&format!("{key}: {value}\n"));
        }
        if !has_approval && asked != "requester" {
            text.push_str("approval: {never: requester}\n");
        }
        text
    }
}
