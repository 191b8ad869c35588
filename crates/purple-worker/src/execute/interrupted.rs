//! Finds, by the journal, an operation that was announced and that no turn has settled.
//!
//! Every turn looks, not only a repeated one: an event that was left out by a person leaves such an operation too.

use std::collections::BTreeMap;

use jiff::Timestamp;
use purple_journal::Record;
use purple_journal::record::write::{CallEnded, Intent, Withheld, Write};
use purple_journal::word::CallResult;
use purple_process::OperationKey;
use serde_json::Value;

use crate::execute::operate::Underway;
use crate::execute::settle::pruned;
use crate::run::{Phase, Run};
use crate::session::{Open, Reply};

/// How often an operation was sent, or may have been.
pub(crate) struct Sendings {
    pub times: u32,
    /// When the last one was announced.
    pub last: Timestamp,
}

impl Run<'_> {
    /// The operation that an earlier turn may have sent, and of which the session knows nothing.
    pub(crate) async fn interrupted(&self, underway: &mut Underway<'_>) -> Phase<Option<Open>> {
        let mut open: BTreeMap<OperationKey, Open> = BTreeMap::new();
        let mut seen = underway.running.trail.journal_seen;
        for recorded in self.scribe.journal_since(seen).await? {
            seen = recorded.seq;
            let Record::Write(record) = recorded.record() else { continue };
            match record {
                Write::Intent(intent) => {
                    open.insert(intent.key, intended(intent));
                }
                Write::CallEnded(ended) => {
                    if let Some(open) = open.get_mut(&ended.key) {
                        self.heard(open, ended, underway).await?;
                    }
                }
                Write::Withheld(withheld) => {
                    withheld.key.and_then(|key| open.remove(&key));
                }
                Write::Verified(verified) => {
                    open.remove(&verified.key);
                }
                Write::PutOff(_)
                | Write::InDoubt(_)
                | Write::Settled(_)
                | Write::SettleNotTaken(_)
                | Write::NoticeHeld(_)
                | Write::UndoAsked(_)
                | Write::UndoNotTaken(_)
                | Write::HaltSeen(_) => {}
            }
        }
        let keys: Vec<OperationKey> = underway.plan.keyed().map(|(_, key)| key).collect();
        let settled = &underway.running.trail.started;
        open.retain(|key, _| keys.contains(key) && !settled.iter().any(|record| record.key == *key));
        underway.running.trail.journal_seen = seen;
        Ok(open.into_values().next())
    }

    /// How often an operation was sent, or may have been, and when last.
    pub(crate) async fn sendings(&self, key: OperationKey) -> Phase<Sendings> {
        let mut sent = Sendings { times: 0, last: Timestamp::MIN };
        for recorded in self.scribe.journal().await? {
            let record = recorded.record();
            if record.get::<Intent>().is_some_and(|intent| intent.key == key) {
                sent = Sendings { times: sent.times.saturating_add(1), last: recorded.entry.at };
            }
            if record.get::<Withheld>().is_some_and(|withheld| withheld.key == Some(key)) {
                sent.times = sent.times.saturating_sub(1);
            }
        }
        Ok(sent)
    }

    /// How the last call of an operation ended.
    pub(crate) async fn last_call(&self, key: OperationKey) -> Phase<Option<CallEnded>> {
        let journal = self.scribe.journal().await?;
        let ended = journal.iter().rev().filter_map(|recorded| recorded.record().get::<CallEnded>());
        Ok(ended.into_iter().find(|ended| ended.key == key).cloned())
    }

    /// Adds what the end of the call in the journal says.
    async fn heard(&self, open: &mut Open, ended: &CallEnded, underway: &Underway<'_>) -> Phase<()> {
        // A call that was certainly not sent is followed by the record that it was withheld.
        open.reply = ended.reply.unwrap_or(Reply::Unknown);
        open.why = ended.why.to_string();
        open.asked = match &ended.called {
            CallResult::Asked(question) => Some(*question),
            CallResult::Answered(_)
            | CallResult::Refused { .. }
            | CallResult::NotSent(_)
            | CallResult::Lost(_) => None,
        };
        open.result = match ended.result {
            Some(hash) => {
                let whole: Value = self.fetch("tool result", hash).await?;
                pruned(&whole, &underway.referred_to(&ended.step))
            }
            None => None,
        };
        Ok(())
    }
}

/// An operation by its intent in the journal.
fn intended(intent: &Intent) -> Open {
    Open {
        step: intent.step.clone(),
        headline: intent.headline.to_string(),
        reply: Reply::Unknown,
        before: intent.before,
        result: None,
        asked: None,
        looks: 0,
        why: "the worker was interrupted after it had announced the operation".to_owned(),
        in_doubt: false,
    }
}
