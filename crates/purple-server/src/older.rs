//! The older HTTP endpoint: a task with its rules and its history in, a sorted list of answers out. Pure.

use purple_port::preview::{Preview, preview};
use serde_json::{Value, json};

use crate::a2a::fault::Fault;
use crate::a2a::fields::Fields;
use crate::a2a::model::{Accepts, Extras, HistoryLength, Part, Send, Task, TaskState, Wait};
use crate::a2a::{request, v03};
use crate::limits::{
    MESSAGE_ID_BYTES_MAX, OLDER_HISTORY_CHARS_MAX, OLDER_SUMMARY_WORDS_MAX, OLDER_TURN_WORDS_MAX,
    OLDER_TURNS_KEPT,
};

/// A request of the older endpoint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    task_id: String,
    task: String,
    policy: Option<Value>,
    preview: Preview,
    context: Option<String>,
    history: Remembered,
    format: Option<String>,
}

/// What was said before, short enough.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Remembered {
    /// What the older turns came to, if they are not kept word for word.
    summary: Option<String>,
    turns: Vec<String>,
}

/// Reads a body.
pub(crate) fn read(body: &[u8]) -> Result<Asked, Fault> {
    let value: Value =
        serde_json::from_slice(body).map_err(|error| Fault::NotJson { why: error.to_string() })?;
    let fields = Fields::of(&value, "body")?;
    let task_id = fields.needed("task_id")?.to_owned();
    if task_id.len() > MESSAGE_ID_BYTES_MAX {
        let why = format!("has {} bytes; at most {MESSAGE_ID_BYTES_MAX}", task_id.len());
        return Err(Fault::params(fields.at("task_id"), why));
    }
    let task = fields.needed("task")?.to_owned();
    let place = fields.at("policy_doc");
    let policy = fields.raw("policy_doc").map(|value| request::policy(value, &place)).transpose()?.flatten();
    let judged = policy.as_ref().map(|policy| preview(policy, &task)).transpose();
    let preview = judged.map_err(|bad| Fault::params(place, bad.to_string()))?.unwrap_or_default();
    let filled = |name: &str| -> Result<Option<String>, Fault> {
        Ok(fields.text(name)?.filter(|text| !text.trim().is_empty()).map(str::to_owned))
    };
    let (context, format) = (filled("context")?, filled("expected_format")?);
    Ok(Asked { task_id, task, policy, preview, context, history: remembered(&fields)?, format })
}

/// The last turns word for word, and the older ones in a few words each.
fn remembered(fields: &Fields<'_>) -> Result<Remembered, Fault> {
    let mut turns = Vec::new();
    for (at, turn) in fields.list("history")?.into_iter().flatten().enumerate() {
        let turn = Fields::of(turn, format!("{}[{at}]", fields.at("history")))?;
        turns.push(format!("{}: {}", turn.needed("role")?, turn.text("content")?.unwrap_or_default()));
    }
    let mut kept = turns.len().min(OLDER_TURNS_KEPT);
    let chars = |turns: &[String]| turns.iter().map(|turn| turn.chars().count()).sum::<usize>();
    if turns.len() <= OLDER_TURNS_KEPT && chars(&turns) <= OLDER_HISTORY_CHARS_MAX {
        return Ok(Remembered { summary: None, turns });
    }
    while kept > 0 && chars(turns.get(turns.len() - kept..).unwrap_or_default()) > OLDER_HISTORY_CHARS_MAX {
        kept -= 1;
    }
    let recent = turns.split_off(turns.len() - kept);
    let short = |turn: &String| {
        let words: Vec<&str> = turn.split_whitespace().take(OLDER_TURN_WORDS_MAX + 1).collect();
        match words.len() > OLDER_TURN_WORDS_MAX {
            true => format!("{}…", words.get(..OLDER_TURN_WORDS_MAX).unwrap_or_default().join(" ")),
            false => words.join(" "),
        }
    };
    // Of a long conversation the end counts most.
    let mut summary: Vec<String> = Vec::new();
    let mut words = 0;
    for turn in turns.iter().rev().map(short) {
        words += turn.split(' ').count();
        if words > OLDER_SUMMARY_WORDS_MAX {
            break;
        }
        summary.insert(0, turn);
    }
    Ok(Remembered { summary: Some(summary.join(" | ")), turns: recent })
}

impl Asked {
    /// The message that it means. Its id is that of the task, so that a repetition is answered with the first answer.
    pub(crate) fn send(&self) -> Result<Send, Fault> {
        let mut words = self.task.clone();
        let mut add = |title: &str, text: &str| words.push_str(&format!("\n\n{title}\n{text}"));
        if !self.preview.violations.is_empty() {
            let all: Vec<String> =
                self.preview.violations.iter().map(|one| format!("- {}: {}", one.rule, one.why)).collect();
            add("Hard constraints, which this task violates and which must be kept:", &all.join("\n"));
        }
        if let Some(context) = &self.context {
            add("Context:", context);
        }
        if let Some(summary) = &self.history.summary {
            add("Earlier conversation, in short:", summary);
        }
        if !self.history.turns.is_empty() {
            add("Earlier conversation:", &self.history.turns.join("\n"));
        }
        if let Some(format) = &self.format {
            add("Answer format:", format);
        }
        Ok(Send {
            message_id: Some(format!("older:{}", self.task_id)),
            context: None,
            task: None,
            words,
            decision: None,
            extras: Extras { policy: self.policy.clone(), tools_endpoint: None, session: None },
            wait: Wait::ForTheAnswer,
            accepts: Accepts::Data,
            history: HistoryLength::Last(0),
            push: None,
        })
    }

    /// The answer in the form of this endpoint.
    pub(crate) fn answer(&self, task: &Task) -> Value {
        let text = said(task);
        let answers = match task.status.state {
            TaskState::Completed => answers(alone(&text)),
            TaskState::Submitted
            | TaskState::Working
            | TaskState::InputRequired
            | TaskState::Canceled
            | TaskState::Failed => Vec::new(),
        };
        let violations = self.violations(task);
        let mut out = json!({
            "task_id": self.task_id,
            "answers": answers,
            "metadata": {
                "policy_compliant": violations.is_empty(),
                "policy_violations": violations,
                "applied_rules": self.applied(task),
                "memory_compressed": self.history.summary.is_some(),
                "memory_summary": self.history.summary,
                "a2a_task": task.id,
                "state": v03::state(task.status.state),
            },
        });
        // Nobody takes a question or a failure for an answer.
        if task.status.state != TaskState::Completed {
            out["metadata"]["message"] = json!(text);
        }
        out
    }
}

impl Asked {
    /// The rules that forbid what was asked: by its words, or by what the run made of them.
    fn violations(&self, task: &Task) -> Vec<Value> {
        let by_words = self.preview.violations.iter().map(|one| (one.rule.clone(), one.why.clone()));
        let mut found: Vec<(String, String)> = by_words.collect();
        if blocked(task) {
            let text = |rule: &Value, name: &str| rule[name].as_str().unwrap_or_default().to_owned();
            for rule in triggered(task).filter(|rule| rule["action"] == "block") {
                let id = text(rule, "id");
                if found.iter().all(|(known, _)| *known != id) {
                    found.push((id, text(rule, "description")));
                }
            }
            if found.is_empty() {
                found.push(("policy".to_owned(), "the policy blocked this task".to_owned()));
            }
        }
        found.into_iter().map(|(rule, why)| json!({"rule": rule, "description": why})).collect()
    }

    /// The rules that fired, before the run or in it.
    fn applied(&self, task: &Task) -> Vec<String> {
        let mut applied = self.preview.applied.clone();
        for id in triggered(task).filter_map(|rule| rule["id"].as_str()) {
            if applied.iter().all(|known| known != id) {
                applied.push(id.to_owned());
            }
        }
        applied
    }
}

/// What a run says about itself as data.
fn record(task: &Task) -> Option<&Value> {
    task.artifacts
        .iter()
        .filter(|artifact| artifact.id == "record")
        .flat_map(|artifact| &artifact.parts)
        .find_map(|part| match part {
            Part::Data(data) => Some(data),
            Part::Text(_) => None,
        })
}

fn blocked(task: &Task) -> bool {
    record(task).is_some_and(|record| record["ending"] == "blocked")
}

fn triggered(task: &Task) -> impl Iterator<Item = &Value> {
    record(task).and_then(|record| record["policy"]["triggeredRules"].as_array()).into_iter().flatten()
}

/// The words of a task: its answer, or what its status says.
fn said(task: &Task) -> String {
    let text = |part: &Part| match part {
        Part::Text(text) => Some(text.clone()),
        Part::Data(_) => None,
    };
    let words =
        |parts: &mut dyn Iterator<Item = &Part>| parts.filter_map(text).collect::<Vec<_>>().join("\n");
    let made = words(&mut task.artifacts.iter().flat_map(|artifact| &artifact.parts));
    let status = || words(&mut task.status.message.iter().flat_map(|message| &message.parts));
    if made.is_empty() { status() } else { made }
}

/// An answer without the mutation log and the footer that follow it.
fn alone(text: &str) -> &str {
    let ends = ["\nMutation log", "\n— "].into_iter().filter_map(|mark| text.find(mark));
    ends.min().and_then(|end| text.get(..end)).unwrap_or(text)
}

/// The answers in a text: a JSON array, lines of a list, parts between commas or semicolons, or the text itself. Sorted.
fn answers(text: &str) -> Vec<String> {
    let text = text.trim();
    let found = object(text).or_else(|| array(text)).or_else(|| lines(text)).or_else(|| parts(text));
    let mut found = found.unwrap_or_else(|| vec![text.to_owned()]);
    found.retain(|answer| !answer.is_empty());
    found.sort();
    found
}

/// An item of JSON as an answer. What has parts of its own is one answer.
fn item(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// An answer that is an object of JSON: the list in it where there is nothing else in it, else the object as it is.
fn object(text: &str) -> Option<Vec<String>> {
    let Ok(Value::Object(map)) = serde_json::from_str(text) else { return None };
    let mut members = map.values();
    match (members.next(), members.next()) {
        (Some(Value::Array(items)), None) => Some(items.iter().map(item).collect()),
        _ => Some(vec![text.to_owned()]),
    }
}

/// The first array of JSON in a text, its items as texts.
fn array(text: &str) -> Option<Vec<String>> {
    let starts = text.char_indices().filter(|(_, letter)| *letter == '[').map(|(at, _)| at);
    starts.take(STARTS_MAX).find_map(|start| {
        let rest = text.get(start..)?;
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Vec<Value>>();
        Some(stream.next()?.ok()?.iter().map(item).collect())
    })
}

/// How many brackets are looked at for an array.
const STARTS_MAX: usize = 32;

/// Lines that all but begin with a number or a bullet.
fn lines(text: &str) -> Option<Vec<String>> {
    let item = |line: &str| {
        let line = line.trim();
        let bullet = line.strip_prefix(['-', '*', '•', '–']);
        let number = || {
            let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
            let rest = rest.strip_prefix(['.', ')']);
            rest.filter(|_| line.starts_with(|letter: char| letter.is_ascii_digit()))
        };
        let rest = bullet.or_else(number)?;
        rest.starts_with(char::is_whitespace).then(|| rest.trim().to_owned())
    };
    let found: Vec<String> = text.lines().filter_map(item).collect();
    (!found.is_empty()).then_some(found)
}

/// Parts of one line between commas or semicolons. A sentence is not a list.
fn parts(text: &str) -> Option<Vec<String>> {
    let one_line = !text.contains('\n') && !text.ends_with(['.', '!', '?']);
    if !one_line {
        return None;
    }
    let found = split(text, ';');
    let found = if found.len() > 1 { found } else { split(text, ',') };
    (found.len() > 1).then_some(found)
}

/// The parts of a text between marks. What is in quotes or brackets stays whole, and so does a number with its commas.
fn split(text: &str, mark: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut depth, mut quoted, mut before) = (0_usize, false, None::<char>);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '{' | '[' | '(' if !quoted => depth = depth.saturating_add(1),
            '}' | ']' | ')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        let rest = text.get(at..).unwrap_or_default();
        let in_number = before.is_some_and(|before| before.is_ascii_digit()) && begins_with_thousands(rest);
        if letter == mark && !quoted && depth == 0 && !in_number {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
        before = Some(letter);
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

/// Whether a text begins with a comma and exactly three digits.
fn begins_with_thousands(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(',') else { return false };
    rest.chars().take_while(char::is_ascii_digit).count() == 3
}

#[cfg(test)]
#[path = "older_tests.rs"]
mod tests;
