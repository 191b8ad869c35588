//! How a process file differs from the one whose place it takes: rule by rule, then everything else by name.

use std::collections::{BTreeMap, BTreeSet};

use purple_process::file::{Refused, to_json};
use serde_json::{Map, Value, json};

/// What stands in a file beside its rules, and is told in its own way.
const TOLD_APART: [&str; 3] = ["decide", "tasks", "tests"];

/// What became of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Change {
    Added {
        says: String,
    },
    Removed {
        says: String,
    },
    /// Its parts: name, before, after.
    Changed {
        parts: Vec<(String, String, String)>,
    },
}

/// How two process files differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// By the id of the rule.
    rules: Vec<(String, Change)>,
    /// Whether rules that both have stand in another order: the first that matches decides.
    is_reordered: bool,
    /// Other parts that are not the same, by name.
    parts: Vec<String>,
    tests_before: usize,
    tests_after: usize,
}

/// Rules in their order, by task and id; a file with one task has a task without a name.
type Rules = Vec<((String, String), Map<String, Value>)>;

impl Difference {
    /// Of two texts that both load.
    pub(super) fn between(before: &str, after: &str) -> Result<Self, Refused> {
        let (before, after) = (to_json(before)?, to_json(after)?);
        let (old, new) = (rules(&before), rules(&after));
        let find = |all: &Rules, key: &(String, String)| {
            all.iter().find(|(known, _)| known == key).map(|(_, rule)| rule.clone())
        };
        let mut changed = Vec::new();
        for (key, rule) in &new {
            match find(&old, key) {
                None => changed.push((key.1.clone(), Change::Added { says: says(rule) })),
                Some(known) if known != *rule => {
                    changed.push((key.1.clone(), Change::Changed { parts: parts_of(&known, rule) }));
                }
                Some(_) => {}
            }
        }
        for (key, rule) in old.iter().filter(|(key, _)| find(&new, key).is_none()) {
            changed.push((key.1.clone(), Change::Removed { says: says(rule) }));
        }
        let order = |all: &Rules, other: &Rules| -> Vec<(String, String)> {
            let kept = all.iter().filter(|(key, _)| find(other, key).is_some());
            kept.map(|(key, _)| key.clone()).collect()
        };
        let is_reordered = order(&old, &new) != order(&new, &old);
        let parts = other_parts(&before, &after);
        let (tests_before, tests_after) = (tests(&before), tests(&after));
        Ok(Self { rules: changed, is_reordered, parts, tests_before, tests_after })
    }

    /// Lines for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let count = |is_it: fn(&Change) -> bool| self.rules.iter().filter(|(_, one)| is_it(one)).count();
        let counted = [
            (count(|one| matches!(one, Change::Added { .. })), "added"),
            (count(|one| matches!(one, Change::Removed { .. })), "removed"),
            (count(|one| matches!(one, Change::Changed { .. })), "changed"),
        ];
        let mut told: Vec<String> =
            counted.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
        if self.is_reordered {
            told.push("in another order (the first that matches decides)".to_owned());
        }
        let told = if told.is_empty() { "the same".to_owned() } else { told.join(", ") };
        let mut lines = vec![format!("rules: {told}")];
        for (id, change) in &self.rules {
            match change {
                Change::Added { says } => lines.push(format!("  + {id}: {says}")),
                Change::Removed { says } => lines.push(format!("  - {id}: {says}")),
                Change::Changed { parts } => {
                    for (name, before, after) in parts {
                        lines.push(format!("  ~ {id}, {name}: {before} → {after}"));
                    }
                }
            }
        }
        let others = if self.parts.is_empty() { "the same".to_owned() } else { self.parts.join(", ") };
        let others = if self.parts.is_empty() { others } else { format!("changed in {others}") };
        lines.push(format!("everything else that decides: {others}"));
        lines.push(format!("tests: {} → {}", self.tests_before, self.tests_after));
        lines
    }

    /// The same for programs.
    pub(super) fn to_json(&self) -> Value {
        let ids = |is_it: fn(&Change) -> bool| -> Vec<&str> {
            self.rules.iter().filter(|(_, one)| is_it(one)).map(|(id, _)| id.as_str()).collect()
        };
        let changed = self.rules.iter().filter_map(|(id, change)| match change {
            Change::Changed { parts } => {
                let part = |(name, before, after): &(String, String, String)| {
                    json!({"part": name, "before": before, "after": after})
                };
                Some(json!({"rule": id, "parts": parts.iter().map(part).collect::<Vec<_>>()}))
            }
            Change::Added { .. } | Change::Removed { .. } => None,
        });
        json!({
            "rules": {
                "added": ids(|one| matches!(one, Change::Added { .. })),
                "removed": ids(|one| matches!(one, Change::Removed { .. })),
                "changed": changed.collect::<Vec<_>>(),
                "reordered": self.is_reordered,
            },
            "parts": self.parts,
            "tests": {"before": self.tests_before, "after": self.tests_after},
        })
    }
}

/// The tasks of a file by name; what stands outside of tasks has none.
fn tasks(file: &Value) -> BTreeMap<String, Map<String, Value>> {
    let map = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let named = file.get("tasks").map(map).unwrap_or_default();
    let named = named.iter().map(|(name, task)| (name.clone(), map(task)));
    std::iter::once((String::new(), map(file))).chain(named).collect()
}

fn rules(file: &Value) -> Rules {
    let mut all = Rules::new();
    for (task, parts) in tasks(file) {
        let listed = parts.get("decide").and_then(Value::as_array).cloned().unwrap_or_default();
        for rule in listed.iter().filter_map(Value::as_object) {
            let id = rule.get("rule").map(told).unwrap_or_default();
            all.push(((task.clone(), id), rule.clone()));
        }
    }
    all
}

fn tests(file: &Value) -> usize {
    let of = |parts: &Map<String, Value>| parts.get("tests").and_then(Value::as_array).map_or(0, Vec::len);
    tasks(file).values().map(of).sum()
}

/// The names of the parts beside rules and tests that are not the same.
fn other_parts(before: &Value, after: &Value) -> Vec<String> {
    let (before, after) = (tasks(before), tasks(after));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut found = Vec::new();
    for task in names {
        let empty = Map::new();
        let (old, new) = (before.get(task).unwrap_or(&empty), after.get(task).unwrap_or(&empty));
        let parts: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let differs =
            |part: &&&String| !TOLD_APART.contains(&part.as_str()) && old.get(**part) != new.get(**part);
        let whole = |part: &String| if task.is_empty() { part.clone() } else { format!("{task}.{part}") };
        found.extend(parts.iter().filter(differs).map(|part| whole(part)));
    }
    found
}

/// A rule in a line.
fn says(rule: &Map<String, Value>) -> String {
    let parts = rule.iter().filter(|(name, _)| *name != "rule");
    parts.map(|(name, value)| format!("{name} {}", told(value))).collect::<Vec<_>>().join("; ")
}

fn parts_of(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<(String, String, String)> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let said =
        |rule: &Map<String, Value>, name: &str| rule.get(name).map_or_else(|| "nothing".to_owned(), told);
    let differs = |name: &&&String| before.get(**name) != after.get(**name);
    names
        .iter()
        .filter(differs)
        .map(|name| ((*name).clone(), said(before, name), said(after, name)))
        .collect()
}

fn told(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

#[cfg(test)]
#[path = "difference_tests.rs"]
mod tests_of_it;
