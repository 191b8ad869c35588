//! A process as a model describes it, and the file that is written from it.
//!
//! The type has no word for "allow": whatever a model says, the file can only ask for more care. The file is then read by
//! the same loader as any other.

use std::collections::BTreeMap;

use purple_process::file::{Refused, load};
use purple_process::{Role, State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::synthesis::caution::{Cautious, NotCautious};

/// The most keywords of a synthesized process.
const KEYWORDS_MAX: usize = 12;
/// The most hints of it.
const HINTS_MAX: usize = 8;
/// The longest text in it, in characters.
const TEXT_CHARS_MAX: usize = 600;
/// The most writes of one run of it.
pub(super) const WRITES_MAX: u32 = 10;

/// What a model says about a kind of task.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Draft {
    title: String,
    keywords: Vec<String>,
    states: Vec<State>,
    #[serde(default)]
    instructions: BTreeMap<State, String>,
    #[serde(default)]
    hints: Vec<Hint>,
}

/// A caution. There is no other kind of rule in a draft.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hint {
    /// When it holds; empty for always.
    #[serde(default)]
    when: String,
    #[serde(rename = "do")]
    demands: Caution,
    #[serde(default)]
    because: String,
}

/// What a hint can demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Caution {
    Ask,
    Escalate,
    Stop,
}

/// Why a draft becomes no process.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoProcess {
    #[error("the reply is not a description of a process: {0}")]
    NotADraft(#[from] serde_json::Error),
    #[error("there are {count} {what}; at most {count_max}")]
    TooMany { what: &'static str, count: usize, count_max: usize },
    #[error("none of its keywords stands in the task")]
    BesideTheTask,
    #[error("the file is not lawful: {0}")]
    Unlawful(#[from] Refused),
    #[error("nobody could answer for it: {0}")]
    NoOwner(#[from] purple_process::BadName),
    #[error(transparent)]
    NotCautious(#[from] NotCautious),
}

impl Draft {
    /// Reads a reply. Whatever the type has no place for refuses it.
    pub(crate) fn parse(reply: &str) -> Result<Self, NoProcess> {
        let draft: Self = serde_json::from_str(reply.trim())?;
        for (what, count, count_max) in
            [("keywords", draft.keywords.len(), KEYWORDS_MAX), ("hints", draft.hints.len(), HINTS_MAX)]
        {
            if count > count_max {
                return Err(NoProcess::TooMany { what, count, count_max });
            }
        }
        Ok(draft)
    }

    /// The file, if it is lawful, only ever cautious, and would have found this task.
    pub(crate) fn to_file(
        &self,
        kind: &str,
        owner: &Role,
        task: &str,
    ) -> Result<(String, Cautious), NoProcess> {
        let text = self.to_text(kind, owner);
        let file = load(&text)?;
        let candidate =
            purple_process::Candidate { name: kind, keywords: file.keywords(), inputs_found: false };
        if purple_process::classify(task, &[candidate]).is_none() {
            return Err(NoProcess::BesideTheTask);
        }
        Ok((text, Cautious::of(file)?))
    }

    fn to_text(&self, kind: &str, owner: &Role) -> String {
        let keywords: Vec<String> = self.keywords.iter().map(|word| quoted(&word.to_lowercase())).collect();
        let states: Vec<&str> = self.states.iter().map(|state| state.name()).collect();
        let mut text = format!(
            "process: {kind}\ntitle: {}\nowner: {owner}\nkeywords: [{}]\nroute: [{}]\n",
            quoted(&self.title),
            keywords.join(", "),
            states.join(", ")
        );
        let visited = self.instructions.iter().filter(|(state, _)| self.states.contains(state));
        let instructions: Vec<String> =
            visited.map(|(state, said)| format!("  {}: {}\n", state.name(), quoted(said))).collect();
        if !instructions.is_empty() {
            text.push_str("instructions:\n");
            text.extend(instructions);
        }
        if !self.hints.is_empty() {
            text.push_str("decide:\n");
        }
        for (hint, number) in self.hints.iter().zip(1_usize..) {
            let demand = match hint.demands {
                Caution::Ask => format!("ask: {owner}"),
                Caution::Escalate => "outcome: escalate".to_owned(),
                Caution::Stop => "outcome: stop".to_owned(),
            };
            let when = hint.when.trim();
            let condition = if when.is_empty() { String::new() } else { format!("if: {}, ", quoted(when)) };
            let because = if hint.because.trim().is_empty() { "a hint of the draft" } else { &hint.because };
            text.push_str(&format!(
                "  - {{rule: H-{number}, {condition}{demand}, because: {}}}\n",
                quoted(&without_names(because))
            ));
        }
        text.push_str(&format!("approval: {{never: requester}}\nlimits: {{writes: {WRITES_MAX}}}\n"));
        text
    }
}

/// The words of a model as a reason: they name no values, because `{amount}` would be one.
fn without_names(text: &str) -> String {
    text.replace('{', "(").replace('}', ")")
}

/// A text as a YAML scalar: JSON strings are such, on one line and with nothing hidden.
fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain: String = line.chars().filter(|sign| !sign.is_control()).take(TEXT_CHARS_MAX).collect();
    json!(plain).to_string()
}

/// The schema of a draft, for the model.
pub(crate) fn schema() -> Value {
    let endings = [State::Escalate, State::Failed];
    let routed = State::ALL.iter().filter(|state| !endings.contains(state));
    let states: Vec<&str> = routed.map(|state| state.name()).collect();
    let text = json!({"type": "string"});
    let instructions: serde_json::Map<String, Value> =
        states.iter().map(|state| ((*state).to_owned(), text.clone())).collect();
    json!({
        "type": "object",
        "properties": {
            "title": text,
            "keywords": {"type": "array", "items": text},
            "states": {"type": "array", "items": {"enum": states}},
            "instructions": {"type": "object", "properties": instructions},
            "hints": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "when": text,
                    "do": {"enum": ["ask", "escalate", "stop"]},
                    "because": text,
                },
                "required": ["do"],
            }},
        },
        "required": ["title", "keywords", "states", "instructions"],
    })
}

#[cfg(test)]
#[path = "draft_tests.rs"]
mod tests;
