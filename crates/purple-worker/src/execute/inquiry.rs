//! A tool that wants to know something before it does what it was called for: a person is asked, never a model.

use std::collections::BTreeMap;

use purple_journal::record::{tool, write};
use purple_journal::word::{self, DetectedBy};
use purple_journal::{Redacted, RedactedJson};
use purple_process::{Operation, PersonId};
use serde_json::{Map, Value, json};

use crate::event::Message;
use crate::execute::call::{cut, said};
use crate::execute::operate::Underway;
use crate::port::{Answers, Asked, Question};
use crate::run::{Phase, Run};
use crate::session::{Inquiry, Open, Running, Stage};

/// How often one operation is asked about before a person takes over.
const ROUNDS_MAX: u8 = 4;

/// Words of a question that ask for something which no tool may ask for.
const SECRETS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "apikey",
    "api key",
    "api_key",
    "credential",
    "private key",
    "private_key",
    "cvv",
    "cvc",
    "ssn",
    "social security",
    "one-time code",
    "otp",
    "pin code",
];

impl Run<'_> {
    /// The operation was not carried out: its tool has a question. It waits for a person.
    pub(crate) async fn inquire(
        &mut self,
        mut underway: Underway<'_>,
        operation: &Operation,
        open: Open,
    ) -> Phase<()> {
        let key = underway.key(&operation.step);
        self.scribe.note(write::Withheld {
            step: operation.step.clone(),
            key,
            why: Redacted::of(&open.why),
        })?;
        underway.running.open = None;
        let Some(hash) = open.asked else {
            return self.stop(underway, "its tool asks for something, and does not say what").await;
        };
        let asked: Asked = self.fetch("question", hash).await?;
        let before = underway.running.inquiry.take().filter(|before| before.step == operation.step);
        let rounds = before.map_or(0, |before| before.rounds).saturating_add(1);
        if let Some(question) = asked.questions.iter().find(|question| asks_for_a_secret(question)) {
            if let Some(known) = underway.catalogue.get(&operation.tool) {
                self.reads().isolate(known, "it asks for a secret", DetectedBy::Question);
            }
            self.incident(
                "a tool asks for a secret",
                json!({"step": operation.step, "tool": operation.tool, "question": said(&question.message)}),
            )?;
            let why = format!("`{}` asks for a secret, which no tool may ask for", operation.tool);
            return self.stop(underway, &why).await;
        }
        if rounds > ROUNDS_MAX {
            let why = format!("`{}` asks again and again", operation.tool);
            return self.stop(underway, &why).await;
        }
        self.scribe.note(tool::Asks {
            step: operation.step.clone(),
            tool: Redacted::of(&operation.tool),
            questions: shown(&asked),
            round: rounds,
        })?;
        let told = ask(operation.tool.as_str(), &asked);
        let step = operation.step.clone();
        underway.running.inquiry = Some(Inquiry { step, asked: hash, answers: None, rounds });
        self.session.stage = Stage::Running(underway.running);
        self.remark(&told)
    }

    /// Words of a person while a tool waits for an answer.
    pub(crate) async fn answer_tool(&mut self, mut running: Running, message: &Message) -> Phase<()> {
        let Some(inquiry) = running.inquiry.clone() else { return Ok(()) };
        let asked: Asked = self.fetch("question", inquiry.asked).await?;
        let plan = self.plan(running.plan).await?;
        let tool =
            plan.operation(&inquiry.step).map(|operation| operation.tool.to_string()).unwrap_or_default();
        match self.read_answer(&asked, &message.text) {
            Said::No => self.refused_answer(running, &tool, &message.by).await,
            Said::Unclear(why) => self.remark(&format!("{why} {}", ask(&tool, &asked))),
            Said::Misfit(misfits) => {
                self.scribe.note(tool::AnswerRefused {
                    step: inquiry.step.clone(),
                    tool: Redacted::of(&tool),
                    by: Redacted::of(&message.by),
                    misfits: Redacted::all(&misfits),
                })?;
                self.remark(&format!("That does not fit: {}. {}", misfits.join("; "), ask(&tool, &asked)))
            }
            Said::Given(given) => {
                let fields: BTreeMap<&String, Vec<&String>> = given
                    .iter()
                    .map(|(id, record)| (id, record.as_object().into_iter().flat_map(Map::keys).collect()))
                    .collect();
                self.scribe.note(tool::Answered {
                    step: inquiry.step.clone(),
                    tool: Redacted::of(&tool),
                    by: Redacted::of(&message.by),
                    channel: message.channel,
                    fields: RedactedJson::of(&fields),
                })?;
                let answers = self.keep("answers", &Answers { given, state: asked.state })?;
                running.inquiry = Some(Inquiry { answers: Some(answers), ..inquiry });
                self.session.stage = Stage::Running(running);
                self.go_on()
            }
        }
    }

    async fn refused_answer(&mut self, running: Running, tool: &str, by: &PersonId) -> Phase<()> {
        let why = format!("{by} does not answer the question of `{tool}`");
        let plan = self.plan(running.plan).await?;
        let opened = self.opened(running.case).await?;
        let catalogue = self.catalogue().await?;
        let running = Running { inquiry: None, ..running };
        self.stop(Underway { running, plan, opened: &opened, catalogue: &catalogue }, &why).await
    }

    fn read_answer(&self, asked: &Asked, text: &str) -> Said {
        let text = text.trim();
        if ["decline", "cancel", "no answer", "skip"].contains(&text.to_lowercase().trim_end_matches('.')) {
            return Said::No;
        }
        let record = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
        let given: Option<BTreeMap<String, Value>> = match (asked.questions.as_slice(), record) {
            ([only], Some(record)) => Some(BTreeMap::from([(only.id.clone(), record)])),
            ([only], None) => one_field(only, text).map(|record| BTreeMap::from([(only.id.clone(), record)])),
            (several, Some(Value::Object(mut records))) => several
                .iter()
                .map(|question| Some((question.id.clone(), records.remove(&question.id)?)))
                .collect(),
            (_, Some(_) | None) => None,
        };
        let Some(given) = given else {
            return Said::Unclear("That is not the form in which the tool wants its answer.".to_owned());
        };
        for question in &asked.questions {
            let record = given.get(&question.id).unwrap_or(&Value::Null);
            let misfits = self.ports.tools.misfits(&question.schema, record);
            if !misfits.is_empty() {
                return Said::Misfit(misfits.iter().map(|misfit| cut(misfit)).collect());
            }
        }
        Said::Given(given)
    }
}

/// What a person said to a tool's question.
enum Said {
    Given(BTreeMap<String, Value>),
    No,
    /// It does not fit the form that the tool wants.
    Misfit(Vec<String>),
    Unclear(String),
}

/// An answer in plain words, where the question has one field.
fn one_field(question: &Question, text: &str) -> Option<Value> {
    let fields = question.schema.get("properties")?.as_object()?;
    let mut fields = fields.iter();
    let (Some((name, schema)), None) = (fields.next(), fields.next()) else { return None };
    let value = match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => match text.to_lowercase().trim_end_matches('.') {
            "yes" | "true" => Value::Bool(true),
            "no" | "false" => Value::Bool(false),
            _ => return None,
        },
        Some("number" | "integer") => serde_json::from_str::<Value>(text).ok().filter(Value::is_number)?,
        Some(_) | None => Value::String(text.to_owned()),
    };
    Some(Value::Object(Map::from_iter([(name.clone(), value)])))
}

/// Whether a question wants something that is no tool's business. Its words, and the names of its fields.
fn asks_for_a_secret(question: &Question) -> bool {
    let words = format!("{} {}", question.message.for_work(), question.schema).to_lowercase();
    SECRETS.iter().any(|secret| {
        // `tokens used` asks for a number; only whole words count.
        words.match_indices(secret).any(|(at, _)| {
            let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            let after = words.get(at + secret.len()..).unwrap_or_default();
            edge(words.get(..at).unwrap_or_default().chars().next_back()) && edge(after.chars().next())
        })
    })
}

fn shown(asked: &Asked) -> Vec<word::Question> {
    let noted = |question: &Question| word::Question {
        id: Redacted::of(&question.id),
        message: Redacted::of(&said(&question.message)),
    };
    asked.questions.iter().map(noted).collect()
}

/// The questions for a person, marked as what they are: the words of a tool.
fn ask(tool: &str, asked: &Asked) -> String {
    let mut told = format!("The tool `{tool}` has done nothing yet and asks:");
    for question in &asked.questions {
        told.push_str(&format!("\n  \"{}\"", said(&question.message).replace(['\n', '\r'], " ")));
        let fields = question.schema.get("properties").and_then(Value::as_object);
        let fields: Vec<String> = fields
            .into_iter()
            .flatten()
            .map(|(name, schema)| {
                let kind = schema.get("type").and_then(Value::as_str).unwrap_or("text");
                format!("{name} ({kind})")
            })
            .collect();
        if !fields.is_empty() {
            told.push_str(&format!("\n  wanted: {}", cut(&fields.join(", "))));
        }
    }
    told.push_str("\nAnswer it in words if one field is wanted, else as a JSON record; or say \"decline\".");
    told
}

#[cfg(test)]
#[path = "inquiry_tests.rs"]
mod tests;
