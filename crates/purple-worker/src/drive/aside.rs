//! What a fast model says aside: another read when one failed, a note at the gate, a shorter conversation.
//!
//! None of it decides anything, and none of it keeps anybody waiting: a note and a summary have turns of their own, after
//! the answer, which are short and give way to whatever else comes in. Without a model, or without a usable word of it, everything goes on as it was.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use purple_journal::record::{model, task};
use purple_journal::word::FoldedBy;
use purple_journal::{Redacted, RedactedJson};
use purple_process::{Effect, Json, PlanHash, ToolName, Values};
use serde_json::{Value, json};

use crate::drive::ask::{Heard, Patience, single};
use crate::drive::budget::{Budget, Stakes, Thrift, Tier};
use crate::drive::memo::Drive;
use crate::drive::offer::described;
use crate::drive::prompt::{ADVICE, DIGEST, NOTE, fenced};
use crate::execute::catalogue::Catalogue;
use crate::execute::reader::{Advice, FailedRead, Suggestion};
use crate::execute::rule::to_serde;
use crate::outside::unsteered;
use crate::port::{BoxFuture, Called};
use crate::run::{Phase, Run};
use crate::session::Stage;

/// The timer that makes the conversation shorter.
pub(crate) const DIGEST_TIMER: &str = "digest";
/// What the timer of a note begins with; the plan follows.
pub(crate) const NOTE_TIMER: &str = "note:";
/// How long a note or a summary is waited for, in seconds.
const ASIDE_S_MAX: u64 = 5;
/// How long advice is waited for, in seconds: a read of a task waits for it.
const ADVICE_S_MAX: u64 = 20;
/// The longest word aside, in tokens.
const ASIDE_TOKENS_MAX: u32 = 400;
/// The most tokens that a task without a model of its own spends on advice or a summary.
const ASIDE_BUDGET_TOKENS_MAX: u64 = 4_000;
/// The most calls of such a task.
const ASIDE_CALLS_MAX: u16 = 4;
/// The longest note, in characters.
const NOTE_CHARS_MAX: usize = 400;
/// The most tools that an adviser is shown.
const ADVISED_TOOLS_MAX: usize = 60;
/// The most words of a summary.
const DIGEST_WORDS: &str = "60";

/// The purse of somebody who has no loop.
pub(crate) fn purse() -> Drive {
    Drive::new(Budget::new(ASIDE_BUDGET_TOKENS_MAX), ASIDE_CALLS_MAX)
}

/// Asks the fast model which other read could find the same.
pub(crate) struct Adviser<'a, 'r> {
    run: &'a Run<'r>,
    catalogue: &'a Catalogue,
    /// Taken out while it is asked.
    purse: Mutex<Option<Drive>>,
}

impl<'a, 'r> Adviser<'a, 'r> {
    /// `None` where there is no model to ask.
    pub(crate) fn new(run: &'a Run<'r>, catalogue: &'a Catalogue, purse: Drive) -> Self {
        Self { run, catalogue, purse: Mutex::new(Some(purse)) }
    }

    /// What is left in the purse.
    pub(crate) fn into_purse(self) -> Option<Drive> {
        self.purse.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    async fn asked(&self, failed: FailedRead<'_>) -> Option<Suggestion> {
        let mut purse = self.purse.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let reads = self.catalogue.tools_of(Effect::Read).take(ADVISED_TOOLS_MAX);
        let tools: Vec<String> = reads
            .map(|known| {
                let parameters: Vec<&str> = known.parameters().collect();
                let about = described(known.definition.description.redacted().as_str());
                format!("{}({}): {about}", known.name(), parameters.join(", "))
            })
            .collect();
        let arguments = RedactedJson::from_value(to_serde(&Json::Record(failed.arguments.clone())));
        let said = match failed.called {
            Called::Answered(_) => "it answered".to_owned(),
            Called::Refused { message, .. } => message.redacted().into_string(),
            Called::Asked(_) => "it wants to know something from a person first".to_owned(),
            Called::NotSent { reason } | Called::Lost { reason } => reason.redacted().into_string(),
        };
        let prompt = ADVICE.fill(&[
            ("failed", &format!("{}{arguments}", failed.tool.name())),
            ("said", &fenced(&said)),
            ("tools", &fenced(&tools.join("\n"))),
        ]);
        let schema = json!({
            "type": "object",
            "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
            "required": ["tool", "arguments"],
        });
        let request = single(None, prompt, schema, ASIDE_TOKENS_MAX);
        let (who, patience) = ((Tier::Fast, Stakes::Ordinary), Duration::from_secs(ADVICE_S_MAX));
        let heard = self.run.ask_patiently(&mut purse, request, who, Patience::AtMost(patience)).await;
        *self.purse.lock().unwrap_or_else(PoisonError::into_inner) = Some(purse);
        let Ok(Heard::Reply(reply, _)) = heard else { return None };
        suggestion(&reply.text)
    }
}

impl Advice for Adviser<'_, '_> {
    fn advise<'a>(&'a self, failed: FailedRead<'a>) -> BoxFuture<'a, Option<Suggestion>> {
        Box::pin(self.asked(failed))
    }
}

/// What an adviser said, as far as it can be understood. Whether it may be read is for others to say.
fn suggestion(text: &str) -> Option<Suggestion> {
    let said: Value = serde_json::from_str(text.trim()).ok()?;
    let tool = ToolName::parse(said.get("tool")?.as_str()?).ok()?;
    let given = said.get("arguments")?.as_object()?;
    let arguments: Option<Values> =
        given.iter().map(|(name, value)| Some((name.clone(), Json::from_serde(value).ok()?))).collect();
    Some(Suggestion { tool, arguments: arguments? })
}

impl Run<'_> {
    /// Whether anybody can be asked aside.
    pub(crate) fn has_models(&self) -> bool {
        self.ports.models.is_some()
    }

    /// Sets the timer for a note on a plan, where a model drives and there is enough left for it.
    pub(crate) async fn plan_note(&self, plan: PlanHash, drive: Option<crate::port::BlobHash>) -> Phase<()> {
        let Some(hash) = drive.filter(|_| self.has_models()) else { return Ok(()) };
        let drive: Drive = self.fetch("drive", hash).await?;
        if drive.spent.is_none() && drive.budget.thrift() == Thrift::Mild {
            self.wake(&format!("{NOTE_TIMER}{plan}"), Duration::ZERO)?;
        }
        Ok(())
    }

    /// A note beside the card of the plan that waits: a model's words, marked as such, and never on the card.
    pub(crate) async fn note_at_gate(&mut self, timer: &str) -> Phase<()> {
        let Stage::Waiting(waiting) = self.session.stage.clone() else { return Ok(()) };
        if timer != format!("{NOTE_TIMER}{}", waiting.hash) {
            return Ok(());
        }
        let opened = self.opened(waiting.case).await?;
        let mut known: Vec<String> = Vec::new();
        for (name, value) in crate::execute::prepare::figures(&opened)? {
            known.push(format!("{name} = {value}"));
        }
        let reads = opened.dossier.driven.iter().flat_map(|driven| &driven.reads);
        known.extend(reads.map(|found| format!("{}: {}", found.tool, found.evidence())));
        known.push(format!("plan: {}", waiting.headline));
        let schema =
            json!({"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]});
        let prompt = NOTE.fill(&[("known", &fenced(&known.join("\n")))]);
        let Some(said) = self.aside(prompt, schema).await? else { return Ok(()) };
        let Some(note) = said.get("note").and_then(Value::as_str).map(one_line) else { return Ok(()) };
        if note.is_empty() {
            return Ok(());
        }
        self.scribe.note(model::Note { plan: waiting.hash, note: Redacted::of(&note) })?;
        let plan = self.plan(waiting.plan).await?;
        let catalogue = self.catalogue().await?;
        let ruling = self.judged_again(&opened, &catalogue, &plan, None)?;
        let card: crate::Card = self.fetch("card", waiting.card).await?;
        self.pause_answer(&opened, &catalogue, (&plan, &ruling), &card).await?;
        if let Some(told) = &mut self.told {
            told.left.sentences.push(format!("Note by a language model, not checked: {note}"));
        }
        Ok(())
    }

    /// Makes a long conversation shorter, after the answer was given. Ids, amounts and decisions are kept by code.
    pub(crate) async fn shorten(&mut self) -> Phase<()> {
        let Some(text) = self.session.conversation.older() else { return Ok(()) };
        let schema = json!({
            "type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"],
        });
        let prompt = DIGEST.fill(&[("words", DIGEST_WORDS), ("conversation", &fenced(&text))]);
        let Some(said) = self.aside(prompt, schema).await? else { return Ok(()) };
        if let Some(summary) = said.get("summary").and_then(Value::as_str) {
            self.session.conversation.fold_with(&one_line(summary));
            self.scribe.note(task::ConversationFolded { by: FoldedBy::Model })?;
        }
        Ok(())
    }

    /// One word aside that fits a schema; nothing where none came.
    pub(crate) async fn aside(&self, prompt: String, schema: Value) -> Phase<Option<Value>> {
        if !self.has_models() {
            return Ok(None);
        }
        let request = single(None, prompt, schema, ASIDE_TOKENS_MAX);
        let patience = Patience::Aside(Duration::from_secs(ASIDE_S_MAX));
        let who = (Tier::Fast, Stakes::Ordinary);
        Ok(match self.ask_patiently(&mut purse(), request, who, patience).await? {
            Heard::Reply(reply, _) if reply.finish.is_complete() => {
                serde_json::from_str(reply.text.trim()).ok()
            }
            Heard::Reply(..) | Heard::Spent(_) | Heard::Garbage(_) | Heard::Down(_) | Heard::Never(_) => None,
        })
    }
}

/// A model's words on one line, nothing hidden, not too long.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    unsteered(&line).chars().take(NOTE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_named_tool_with_arguments_is_advice() {
        assert!(suggestion(r#"{"tool": "get_invoice", "arguments": {"id": "1"}}"#).is_some());
        for text in ["", "{}", r#"{"tool": "", "arguments": {}}"#, r#"{"tool": "x", "arguments": []}"#] {
            assert_eq!(suggestion(text), None, "{text}");
        }
    }

    #[test]
    fn a_note_is_one_short_line() {
        assert_eq!(one_line("a\n\nAPPROVAL\u{202e} b"), "a APPROVAL\\u{202e} b");
        assert_eq!(one_line(&"x".repeat(9_000)).len(), NOTE_CHARS_MAX);
    }
}
