//! A prompt as whoever knows nothing else reads it: the state, the task, what people said, cases like it, and what was
//! found so far.

use purple_worker::port::{Message, ModelRequest, ToolCall};
use serde_json::{Map, Value};

const TASK: &str = "The task, in the requester's words:";
const PAST: &str = "| Past pattern: ";
const SESSION: &str = "## This session so far";
/// What its own words begin with: they are no instruction.
const WORKER: &str = "worker";
/// Shorter words say little.
const WORD_CHARS_MIN: usize = 5;

/// A case like the task, as a brief tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) reads: Vec<String>,
    pub(super) computed: Vec<String>,
    /// Operations, each with the states in which they left what they changed.
    pub(super) did: Vec<(String, Vec<(String, String)>)>,
}

/// What stands in a request.
#[derive(Debug, Default)]
pub(super) struct Prompt {
    pub(super) state: String,
    /// The task and what was said in the session, the newest last.
    people: Vec<String>,
    /// The ids that they name, in order.
    pub(super) ids: Vec<String>,
    pub(super) pattern: Option<Pattern>,
    /// What was read: its name in expressions, the tool, the record.
    pub(super) records: Vec<(String, String, Map<String, Value>)>,
    /// The last value that was computed.
    pub(super) computed: Option<Value>,
    /// Every call so far.
    pub(super) calls: Vec<ToolCall>,
}

impl Prompt {
    pub(super) fn of(request: &ModelRequest) -> Self {
        let mut prompt = Self::default();
        let mut past = Vec::new();
        for message in &request.messages {
            match message {
                Message::System { text } | Message::User { text } => {
                    let session = after(text, SESSION).into_iter();
                    prompt.people.extend(session.filter(|line| !line.starts_with(WORKER)));
                    prompt.people.extend(after(text, TASK));
                    past.extend(text.lines().filter_map(|line| line.strip_prefix(PAST)).map(str::to_owned));
                    prompt.state = state(text).unwrap_or(prompt.state);
                }
                Message::Assistant { calls, .. } => prompt.calls.extend(calls.iter().cloned()),
                Message::Tool { tool, content, is_error: false, .. } => prompt.take(tool, content),
                Message::Tool { is_error: true, .. } => {}
            }
        }
        for word in prompt.people.iter().flat_map(|line| words(line)).filter(|word| is_id(word)) {
            if !prompt.ids.contains(&word) {
                prompt.ids.push(word);
            }
        }
        let own: Vec<String> = prompt.people.iter().flat_map(|line| long_words(line)).collect();
        let like = |line: &&String| long_words(task_of(line)).iter().any(|word| own.contains(word));
        prompt.pattern =
            past.iter().filter(|line| line.contains("→ done")).find(like).map(|line| pattern(line));
        prompt
    }

    /// A result of a tool.
    fn take(&mut self, tool: &str, content: &str) {
        let Ok(told) = serde_json::from_str::<Value>(content) else { return };
        let name = told.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        match told.get("data") {
            Some(Value::Object(record)) => self.records.push((name, tool.to_owned(), record.clone())),
            Some(Value::String(text)) if is_money(text) => self.computed = Some(Value::String(text.clone())),
            Some(_) | None => {}
        }
    }

    /// Whether people name an operation last, by the first two words of its name: "pause subscription SUB-7".
    pub(super) fn people_name(&self, tool: &str) -> bool {
        let said: Vec<String> =
            self.people.last().map(|line| words(&line.to_lowercase()).collect()).unwrap_or_default();
        tool.split('_').take(2).all(|part| said.iter().any(|word| word == part))
    }

    /// `2 percent of the monthly_fee`, wherever people say so: the last counts.
    pub(super) fn share(&self) -> Option<(String, String)> {
        self.people.iter().rev().find_map(|line| {
            let words: Vec<String> = words(line).collect();
            words.windows(5).find_map(|five| match five {
                [number, percent, of, the, field]
                    if percent == "percent"
                        && of == "of"
                        && the == "the"
                        && number.parse::<u32>().is_ok() =>
                {
                    Some((number.clone(), field.clone()))
                }
                _ => None,
            })
        })
    }

    /// `paused status`, wherever people say so: the last counts.
    pub(super) fn state_after(&self) -> Option<(String, String)> {
        self.people.iter().rev().find_map(|line| {
            let words: Vec<String> = words(line).collect();
            words.windows(2).find_map(|two| match two {
                [value, field] if field == "status" || field == "state" => {
                    Some((field.clone(), value.clone()))
                }
                _ => None,
            })
        })
    }

    /// The first amount of money that was read.
    pub(super) fn any_money(&self) -> Option<Value> {
        let mut fields = self.records.iter().flat_map(|(_, _, record)| record.values());
        fields.find(|value| value.as_str().is_some_and(is_money)).cloned()
    }
}

/// The lines of data after a line, without their mark.
fn after(text: &str, header: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|line| line.trim() != header).skip(1);
    let mut found = Vec::new();
    while let Some(line) = lines.next().and_then(|line| line.strip_prefix("| ")) {
        found.push(line.to_owned());
    }
    found
}

/// `State ASSESS. …`
fn state(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("State "))?;
    Some(line.split('.').next()?.to_owned())
}

/// The task of a past case: between its process and its ending.
fn task_of(line: &str) -> &str {
    let told = line.split_once(": ").map_or(line, |(_, told)| told);
    told.split_once(" →").map_or(told, |(task, _)| task)
}

fn pattern(line: &str) -> Pattern {
    let mut pattern = Pattern::default();
    for part in line.split("; ") {
        if let Some(names) = part.strip_prefix("read ") {
            pattern.reads = names.split(", ").map(str::to_owned).collect();
        } else if let Some(expression) = part.strip_prefix("worked out ") {
            pattern.computed.push(expression.to_owned());
        } else if let Some(names) = part.strip_prefix("did ") {
            pattern.did = names.split(", ").map(operation).collect();
        }
    }
    pattern
}

/// `pause_subscription (status: paused)`.
fn operation(told: &str) -> (String, Vec<(String, String)>) {
    let Some((name, states)) = told.split_once(" (") else { return (told.to_owned(), Vec::new()) };
    let states = states.trim_end_matches(')').split(" and ").filter_map(|one| one.split_once(": "));
    (name.to_owned(), states.map(|(field, value)| (field.to_owned(), value.to_owned())).collect())
}

fn words(line: &str) -> impl Iterator<Item = String> {
    let inside = |sign: char| sign.is_alphanumeric() || sign == '-' || sign == '_';
    let words = line.split(move |sign: char| !inside(sign)).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

fn long_words(line: &str) -> Vec<String> {
    let long =
        |word: &String| word.len() >= WORD_CHARS_MIN && word.chars().all(|sign| sign.is_ascii_lowercase());
    words(line).filter(long).collect()
}

/// `SUB-701`: capital letters, a dash, a digit.
pub(super) fn is_id(word: &str) -> bool {
    let Some((letters, rest)) = word.split_once('-') else { return false };
    !letters.is_empty()
        && letters.chars().all(|sign| sign.is_ascii_uppercase())
        && rest.starts_with(|sign: char| sign.is_ascii_digit())
}

/// `85000.00 USD`.
fn is_money(text: &str) -> bool {
    let Some((amount, currency)) = text.split_once(' ') else { return false };
    currency.len() == 3
        && currency.chars().all(|sign| sign.is_ascii_uppercase())
        && amount.contains('.')
        && amount.chars().all(|sign| sign.is_ascii_digit() || sign == '.')
}
