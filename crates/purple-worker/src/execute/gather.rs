//! Makes the reads of a playbook, each through the gate, and keeps what was found.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use purple_journal::Redacted;
use purple_journal::record::tool;
use purple_process::playbook::Case;
use serde_json::Value;

use crate::dossier::{Dossier, Gathered, Kept, NoAnswer, Opened, file_of, known};
use crate::drive::{Adviser, Drive, purse};
use crate::execute::adapt::{adapt, unwrapped};
use crate::execute::call::cut;
use crate::execute::catalogue::Catalogue;
use crate::execute::drift::SchemaFixes;
use crate::execute::read::{self, ReadStory};
use crate::execute::reader::{Advice, Completeness, Patience, ReadPorts, Wait};
use crate::execute::verify::id_text;
use crate::port::{BlobHash, BoxFuture, Clock, Pause, TurnFailed};
use crate::run::{Phase, Run};
use crate::session::Chosen;

/// The most rounds of reads: each needs what the one before it found.
const ROUNDS_MAX: usize = 64;

impl Run<'_> {
    /// Reads everything that the file declares and that can be read.
    pub(crate) async fn gather(
        &mut self,
        chosen: Chosen,
        text: &str,
        catalogue: &Catalogue,
    ) -> Phase<(Arc<Opened>, BlobHash)> {
        let file = file_of(&chosen, self).await?;
        let task = file.task(&chosen.task).ok_or_else(|| TurnFailed::Unreadable {
            what: "process file",
            why: format!("it has no task `{}`", chosen.task),
        })?;
        let today = self.settings.day(self.scribe.began());
        let inputs: BTreeMap<String, Value> = task
            .inputs()
            .iter()
            .filter_map(|input| {
                Some((input.name().to_owned(), self.session.inputs.get(input.name())?.clone()))
            })
            .collect();
        let mut case = Case::start(task, &known(&inputs)?, today);
        let mut reads = Vec::new();
        for _ in 0..ROUNDS_MAX {
            let due = case.due();
            if due.is_empty() {
                break;
            }
            for read in due {
                let wanted = task.real_fields_of(read.name);
                let calls = read.calls.clone();
                let answers = self.answers(read.tool, read.calls, &wanted, catalogue).await?;
                let (answers, no_answer) = match answers {
                    Ok(answers) => (Ok(answers), NoAnswer::default()),
                    // One missing row of several leaves the others unknown.
                    Err((NoAnswer::Absent, why)) if calls.len() > 1 => (Err(why), NoAnswer::Failed),
                    Err((how, why)) => (Err(why), how),
                };
                let (name, tool) = (read.name.to_owned(), read.tool.to_string());
                let read = Gathered { name, tool, at: self.scribe.began(), calls, answers, no_answer };
                read.tell(&mut case);
                reads.push(read);
            }
        }
        let (operator, request) = self.policies().await?;
        let (edits, edit_count, driven) = Default::default();
        let text = text.to_owned();
        let dossier =
            Dossier { chosen, text, today, inputs, reads, operator, request, driven, edits, edit_count };
        let hash = self.keep("case", &dossier)?;
        let opened = Arc::new(dossier.open(self).await?);
        let bytes = self.fresh.iter().rev().find(|(kept, _)| *kept == hash).map(|(_, bytes)| bytes.len());
        self.shelf.keep_case(hash, bytes.unwrap_or(usize::MAX), &opened);
        Ok((opened, hash))
    }

    /// The answers to one read, one for each call; or why one is missing.
    async fn answers(
        &mut self,
        tool: &purple_process::ToolName,
        calls: Vec<purple_process::Values>,
        wanted: &[String],
        catalogue: &Catalogue,
    ) -> Phase<Result<Vec<Value>, (NoAnswer, String)>> {
        let Some(known) = catalogue.get(tool) else {
            return Ok(Err((NoAnswer::Failed, format!("there is no tool `{tool}`"))));
        };
        let mut fixes = std::mem::take(&mut self.session.fixes);
        let mut answers = Ok(Vec::new());
        for arguments in calls {
            let ids: Vec<String> = arguments.values().filter_map(id_text).collect();
            let (story, _) = self.advised_read(known, arguments, catalogue, (&mut fixes, purse())).await;
            for repair in &story.repairs {
                let (column, is) = (Redacted::of(&repair.column), Redacted::of(&repair.is));
                self.scribe.note(tool::SchemaFixed { tool: Redacted::of(&tool), column, is })?;
            }
            match (story.outcome, &mut answers) {
                (Ok(Value::String(text)), _) if !wanted.is_empty() => {
                    let why = format!("`{tool}` answers with words and no record: {}", cut(&text));
                    answers = Err((NoAnswer::Failed, why));
                    break;
                }
                (Ok(value), Ok(values)) => {
                    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
                    let (value, renamed) = adapt(unwrapped(value, &wanted, &ids), &wanted);
                    for one in &renamed {
                        let (column, is) = (Redacted::of(&one.wanted), Redacted::of(&one.is));
                        self.scribe.note(tool::SchemaFixed { tool: Redacted::of(&tool), column, is })?;
                    }
                    values.push(value);
                }
                (Err(why), _) => {
                    answers = Err((why.no_answer(), why.to_string()));
                    break;
                }
                (Ok(_), Err(_)) => {}
            }
        }
        self.session.fixes = fixes;
        Ok(answers)
    }

    /// Until when reads of this turn may be tried again.
    fn read_until(&self) -> Timestamp {
        let began = self.scribe.turn.began();
        began.checked_add(self.settings.task_timeout).unwrap_or(began)
    }

    /// One read, made as it was made for the decision.
    pub(crate) async fn read_again(
        &self,
        known: &crate::execute::catalogue::Known,
        arguments: purple_process::Values,
        catalogue: &Catalogue,
    ) -> Result<Value, String> {
        self.read_plainly(known, arguments, catalogue).await.outcome.map_err(|why| why.to_string())
    }

    /// A list, where it can be read to its end.
    pub(crate) async fn list_whole(
        &self,
        tool: &purple_process::ToolName,
        arguments: purple_process::Values,
        catalogue: &Catalogue,
    ) -> Option<Value> {
        let ReadStory { outcome, completeness, .. } =
            self.read_plainly(catalogue.get(tool)?, arguments, catalogue).await;
        outcome.ok().filter(|_| completeness == Completeness::Whole)
    }

    /// A read that nobody asked for: without the advice of a model, which would cost the task.
    pub(crate) async fn read_of_code(
        &self,
        known: &crate::execute::catalogue::Known,
        arguments: purple_process::Values,
        catalogue: &Catalogue,
    ) -> Result<Value, (NoAnswer, String)> {
        let story = self.read_plainly(known, arguments, catalogue).await;
        story.outcome.map_err(|why| (why.no_answer(), why.to_string()))
    }

    /// A read without the advice of a model.
    async fn read_plainly(
        &self,
        known: &crate::execute::catalogue::Known,
        arguments: purple_process::Values,
        catalogue: &Catalogue,
    ) -> ReadStory {
        let mut fixes = self.session.fixes.clone();
        let reads = self.reads();
        let waits = Waits { pause: &*self.ports.pause, clock: &*self.ports.clock, until: self.read_until() };
        let ports = ReadPorts { reader: &reads, catalogue, wait: &waits, advice: None };
        read::read(ports, known, arguments, &mut fixes).await
    }

    /// A read with everything around it, the advice of a model included where there is one.
    async fn advised_read(
        &self,
        known: &crate::execute::catalogue::Known,
        arguments: purple_process::Values,
        catalogue: &Catalogue,
        (fixes, purse): (&mut SchemaFixes, Drive),
    ) -> (ReadStory, Drive) {
        let reads = self.reads();
        let waits = Waits { pause: &*self.ports.pause, clock: &*self.ports.clock, until: self.read_until() };
        let adviser = Adviser::new(self, catalogue, purse);
        let advice: Option<&dyn Advice> = if self.has_models() { Some(&adviser) } else { None };
        let ports = ReadPorts { reader: &reads, catalogue, wait: &waits, advice };
        let story = read::read(ports, known, arguments, fixes).await;
        (story, adviser.into_purse().unwrap_or_else(crate::drive::purse))
    }

    /// A read that a model asks for, with everything around it that other reads have.
    pub(crate) async fn read_for_model(
        &mut self,
        known: &crate::execute::catalogue::Known,
        arguments: purple_process::Values,
        catalogue: &Catalogue,
        drive: &mut Drive,
    ) -> Phase<Result<Value, (NoAnswer, String)>> {
        let mut fixes = std::mem::take(&mut self.session.fixes);
        let purse = std::mem::replace(drive, purse());
        let (story, left) = self.advised_read(known, arguments, catalogue, (&mut fixes, purse)).await;
        *drive = left;
        self.session.fixes = fixes;
        for repair in &story.repairs {
            let (column, is) = (Redacted::of(&repair.column), Redacted::of(&repair.is));
            self.scribe.note(tool::SchemaFixed { tool: Redacted::of(known.name()), column, is })?;
        }
        Ok(story.outcome.map_err(|why| (why.no_answer(), why.to_string())))
    }

    /// The operator's policy and the request's rules, kept with the case.
    pub(crate) async fn policies(&mut self) -> Phase<(Option<Kept>, Option<Kept>)> {
        let operator = match &self.settings.policy {
            None => None,
            Some(policy) => {
                let text = self.keep_bytes(policy.text.clone().into_bytes())?;
                Some(Kept { name: policy.name.clone(), digest: policy.digest(), text })
            }
        };
        let request =
            self.session.request_policy.map(|text| Kept { name: "request".to_owned(), digest: text.0, text });
        Ok((operator, request))
    }
}

/// Waiting between two tries of a read, as long as the task has time.
struct Waits<'a> {
    pause: &'a dyn Pause,
    clock: &'a dyn Clock,
    until: Timestamp,
}

impl Wait for Waits<'_> {
    fn wait(&self, how_long: Duration) -> BoxFuture<'_, Patience> {
        Box::pin(async move {
            if self.clock.now() >= self.until {
                return Patience::OutOfTime;
            }
            self.pause.pause(how_long).await;
            Patience::Waited
        })
    }
}
