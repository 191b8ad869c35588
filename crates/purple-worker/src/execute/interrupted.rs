//! Finds, by the journal, an operation that was announced and that no turn has settled.
//!
//! Every turn looks, not only a repeated one: an event that was left out by a person leaves such an operation too.

use std::collections::BTreeMap;

use purple_process::{OperationKey, StepId};
use serde_json::Value;

use crate::execute::operate::Underway;
use crate::execute::settle::pruned;
use crate::port::TurnFailed;
use crate::run::{Phase, Run};
use crate::session::{Open, Reply};

impl Run<'_> {
    /// The operation that an earlier turn may have sent, and of which the session knows nothing.
    pub(crate) async fn interrupted(&self, underway: &mut Underway<'_>) -> Phase<Option<Open>> {
        let mut open: BTreeMap<OperationKey, Open> = BTreeMap::new();
        let mut seen = underway.running.trail.journal_seen;
        for recorded in self.scribe.turn.journal(seen).await? {
            seen = recorded.seq;
            let data = &recorded.entry.data;
            let Some(key) = key_of(data) else { continue };
            match recorded.entry.kind.as_str() {
                "write.intent" => {
                    open.insert(key, self.intended(data)?);
                }
                "write.outcome" => {
                    if let Some(open) = open.get_mut(&key) {
                        self.heard(open, data, underway).await?;
                    }
                }
                "write.withheld" | "write.verified" => {
                    open.remove(&key);
                }
                _ => {}
            }
        }
        let keys: Vec<OperationKey> = underway.plan.keyed().map(|(_, key)| key).collect();
        let settled = &underway.running.trail.started;
        open.retain(|key, _| keys.contains(key) && !settled.iter().any(|record| record.key == *key));
        underway.running.trail.journal_seen = seen;
        Ok(open.into_values().next())
    }

    /// How often an operation was sent, or may have been.
    pub(crate) async fn sendings(&self, key: OperationKey) -> Phase<usize> {
        let mut sent = 0_usize;
        for recorded in self.scribe.turn.journal(0).await? {
            if key_of(&recorded.entry.data) != Some(key) {
                continue;
            }
            match recorded.entry.kind.as_str() {
                "write.intent" => sent = sent.saturating_add(1),
                "write.withheld" => sent = sent.saturating_sub(1),
                _ => {}
            }
        }
        Ok(sent)
    }

    /// An operation by its intent in the journal.
    fn intended(&self, data: &Value) -> Phase<Open> {
        Ok(Open {
            step: named(data, "step")?,
            headline: named(data, "headline")?,
            reply: Reply::Unknown,
            before: named(data, "before")?,
            result: None,
            asked: None,
            looks: 0,
            why: "the worker was interrupted after it had announced the operation".to_owned(),
            in_doubt: false,
        })
    }

    /// What its outcome in the journal adds.
    async fn heard(&self, open: &mut Open, data: &Value, underway: &Underway<'_>) -> Phase<()> {
        open.reply = named(data, "reply")?;
        open.why = named(data, "why")?;
        open.asked =
            data.pointer("/called/asked").and_then(|asked| serde_json::from_value(asked.clone()).ok());
        let step: StepId = named(data, "step")?;
        open.result = match named(data, "result")? {
            Some(hash) => {
                let whole: Value = self.fetch("tool result", hash).await?;
                pruned(&whole, &underway.referred_to(&step))
            }
            None => None,
        };
        Ok(())
    }
}

fn key_of(data: &Value) -> Option<OperationKey> {
    serde_json::from_value(data.get("key")?.clone()).ok()
}

/// A field of a journal entry.
fn named<T: serde::de::DeserializeOwned>(data: &Value, name: &str) -> Phase<T> {
    let value = data.get(name).cloned().unwrap_or(Value::Null);
    serde_json::from_value(value)
        .map_err(|error| TurnFailed::Unreadable { what: "journal", why: format!("`{name}`: {error}") })
}
