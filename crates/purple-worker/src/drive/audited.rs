//! The COMPUTE audit: what a model says and proposes is recomputed before any of it can be written.
//!
//! The code's word is final: a statement that does not hold blocks, and is told with its inputs and its exact value. A
//! figure of unknown origin is not wrong; provenance asks a person about it.

use std::collections::BTreeSet;

use purple_finance::Exact;
use purple_journal::Redacted;
use purple_journal::record::model;
use purple_process::{Argument, Operation};
use serde_json::Value;

use crate::audit::{FIGURES_MAX, Known, Statement, audit_after, figures_in};
use crate::dossier::Opened;
use crate::drive::carry::AtWork;
use crate::drive::memo::Audits;
use crate::execute::call::cut;
use crate::execute::rule::to_serde;
use crate::port::Message;
use crate::run::{Phase, Run};

/// The stable code of a run that ends because figures stayed wrong.
pub(crate) const AUDIT_FAILED: &str = "audit.failed";
/// Failed audits that end a round: two corrections are listened to.
const FAILED_MAX: u8 = 3;
/// The most faults that are told at once.
const TOLD_MAX: usize = 8;
/// The most statements that stay refuted.
const REFUTED_MAX: usize = 64;
/// How deep texts are looked for in what is proposed.
const LEVELS_MAX: usize = 32;

/// What becomes of what was audited.
pub(crate) enum Audited {
    /// Everything that can be recomputed holds.
    Passed,
    /// It is blocked; the model is told this and may correct it.
    Blocked(String),
    /// It is blocked, and nothing more is heard.
    Over(String),
}

impl Run<'_> {
    /// Recomputes what the model said since it was last told of a fault, and what it wants to write.
    pub(crate) fn audited(
        &mut self,
        work: &mut AtWork,
        operations: &[Operation],
        said_with: &Value,
    ) -> Phase<Audited> {
        let messages = work.drive.run.as_ref().map(|run| run.messages()).unwrap_or_default();
        let spoken = messages.len();
        let said = |message: &Message| matches!(message, Message::Assistant { .. });
        // All calls of one reply stand by its words: the second is no correction of the first.
        let since = work.drive.audits.heard.min(messages.iter().rposition(said).unwrap_or(0));
        let mut texts: Vec<&str> = messages
            .iter()
            .skip(since)
            .filter_map(|message| match message {
                Message::Assistant { text, .. } => Some(text.as_str()),
                Message::System { .. } | Message::User { .. } | Message::Tool { .. } => None,
            })
            .collect();
        texts_in(said_with, LEVELS_MAX, &mut texts);
        let proposed = proposed(operations);
        let result = match &proposed {
            Ok(proposed) => {
                let known = known_figures(&work.opened)?;
                audit_after(&work.drive.audits.refuted, &texts, proposed, &known)
            }
            Err(unaudited) => Err(*unaudited),
        };
        let state = self.session.walk.state();
        let figures = proposed.as_ref().map_or(0, Vec::len);
        let faults = match &result {
            Ok(audit) => audit.contradictions(),
            Err(unaudited) => vec![unaudited.to_string()],
        };
        match result {
            Ok(audit) if faults.is_empty() => {
                work.drive.audits.open.clear();
                let unknown: Vec<String> = audit.unknown_origin().map(|one| cut(&one.name)).collect();
                if figures > 0 || !audit.statements.is_empty() {
                    let (statements, unknown_origin) = (audit.statements.len(), Redacted::all(unknown));
                    self.scribe.note(model::AuditPassed { state, statements, figures, unknown_origin })?;
                }
                Ok(Audited::Passed)
            }
            Ok(audit) => {
                let wrong = audit.statements.into_iter().filter(|statement| !statement.ok);
                work.drive.audits.refuse(wrong, &faults, spoken);
                self.blocked(&work.drive.audits)
            }
            Err(_) => {
                work.drive.audits.refuse([], &faults, spoken);
                self.blocked(&work.drive.audits)
            }
        }
    }

    fn blocked(&self, audits: &Audits) -> Phase<Audited> {
        let told = audits.open.join("; ");
        let state = self.session.walk.state();
        let faults = Redacted::all(&audits.open);
        self.scribe.note(model::AuditFailed { state, failed: audits.failed, faults })?;
        Ok(if audits.failed >= FAILED_MAX {
            Audited::Over(told)
        } else {
            Audited::Blocked(format!(
                "the audit blocks it, nothing was taken down: {told}. Calculate it with a tool, and propose it again with the exact figure"
            ))
        })
    }

    /// The run ends because figures are wrong: a person takes over, and the answer names them.
    pub(crate) async fn refuted(&mut self, work: AtWork, why: &str) -> Phase<()> {
        let told = format!("nothing more is written, because figures do not hold: {why}");
        self.hand_over_with(work, &told, Some(AUDIT_FAILED)).await
    }
}

impl Audits {
    /// Takes down what is wrong, and that the model is told of it.
    fn refuse(&mut self, wrong: impl IntoIterator<Item = Statement>, faults: &[String], spoken: usize) {
        self.refuted.extend(wrong);
        let surplus = self.refuted.len().saturating_sub(REFUTED_MAX);
        self.refuted.drain(..surplus);
        self.heard = spoken;
        self.failed = self.failed.saturating_add(1);
        self.open = faults.iter().take(TOLD_MAX).map(|fault| cut(fault)).collect();
    }
}

impl AtWork {
    /// What the audit blocked and nobody corrected, in words.
    pub(crate) fn uncorrected(&self) -> Option<String> {
        let open = &self.drive.audits.open;
        (!open.is_empty()).then(|| open.join("; "))
    }
}

/// The figures of operations by their names.
fn proposed(operations: &[Operation]) -> Result<Vec<Known>, crate::audit::Unaudited> {
    let mut figures = Vec::new();
    for operation in operations {
        for (name, argument) in &operation.arguments {
            match argument {
                Argument::Value(value) => {
                    figures.extend(figures_in(&format!("{}.{name}", operation.tool), &to_serde(value))?);
                }
                // Made by an earlier operation of the same plan, and no figure of the model.
                Argument::Reference(_) => {}
            }
        }
    }
    Ok(figures)
}

/// Every figure that was gathered or computed, and those that the task names; each value once.
pub(crate) fn known_figures(opened: &Opened) -> Phase<Vec<Known>> {
    let dossier = &opened.dossier;
    let case = opened.case()?;
    let computed = case.figures();
    let mut values: Vec<(String, Value)> = computed
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value.ok()?.to_json())))
        .collect();
    for one in dossier.driven.iter().flat_map(|driven| &driven.computed) {
        values.push((one.name.clone(), one.value.clone()));
    }
    values.extend(dossier.inputs.iter().map(|(name, value)| (name.clone(), value.clone())));
    for read in &dossier.reads {
        let answers = read.answers.iter().flatten();
        values.extend(answers.map(|answer| (read.name.clone(), answer.clone())));
    }
    for (found, number) in dossier.driven.iter().flat_map(|driven| &driven.reads).zip(1_usize..) {
        values.push((format!("r{number}"), found.answer.for_work().clone()));
    }
    let mut seen: BTreeSet<Exact> = BTreeSet::new();
    let mut known = Vec::new();
    // What is too long to be listed vouches for nothing: its figures are of unknown origin, and a person is asked.
    let listed = values.iter().filter_map(|(name, value)| figures_in(name, value).ok()).flatten();
    for figure in listed.chain(figures_of_words(&dossier.text)).take(FIGURES_MAX) {
        if seen.insert(figure.value.clone()) {
            known.push(figure);
        }
    }
    Ok(known)
}

/// The numbers that stand in the words of a task.
fn figures_of_words(text: &str) -> impl Iterator<Item = Known> {
    text.split_whitespace().filter_map(|word| {
        let word = word.trim_matches(|sign: char| !sign.is_ascii_digit() && sign != '-');
        let plain: String = word.chars().filter(|sign| *sign != ',').collect();
        Exact::parse(&plain).ok().map(|value| Known { name: "task".to_owned(), value })
    })
}

/// Every text inside a value: reasons, and what messages say.
fn texts_in<'v>(value: &'v Value, levels: usize, found: &mut Vec<&'v str>) {
    if levels == 0 {
        return;
    }
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts_in(item, levels - 1, found)),
        Value::Object(fields) => fields.values().for_each(|field| texts_in(field, levels - 1, found)),
    }
}
