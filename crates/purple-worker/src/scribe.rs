//! Writes the journal and keeps blobs, for one turn.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::port::{BlobHash, Blobs, Clock, Entry, Recorded, Turn, TurnFailed};
use purple_journal::Record;
use purple_journal::record::run;
use purple_process::{Event, Fact, Walk};

/// The pen of a turn.
pub(crate) struct Scribe<'a> {
    pub turn: &'a dyn Turn,
    pub clock: Arc<dyn Clock>,
    pub blobs: Arc<dyn Blobs>,
    named: Mutex<Vec<BlobHash>>,
}

impl<'a> Scribe<'a> {
    pub(crate) fn new(turn: &'a dyn Turn, clock: Arc<dyn Clock>, blobs: Arc<dyn Blobs>) -> Self {
        Self { turn, clock, blobs, named: Mutex::default() }
    }
}

impl Scribe<'_> {
    /// The time now, never before the turn began.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now().max(self.turn.began())
    }

    /// The time of this turn, for everything that is written into plans and cards: the same whenever it is made again.
    pub(crate) fn began(&self) -> Timestamp {
        self.turn.began()
    }

    /// Appends a record.
    pub(crate) fn note(&self, record: impl Into<Record>) -> Result<(), TurnFailed> {
        let record = record.into();
        self.named.lock().unwrap_or_else(PoisonError::into_inner).extend(record.blobs());
        Ok(self.turn.record(Entry { at: self.now(), record })?)
    }

    /// Whether an entry of this turn names this blob.
    pub(crate) fn has_named(&self, hash: &BlobHash) -> bool {
        self.named.lock().unwrap_or_else(PoisonError::into_inner).contains(hash)
    }

    /// The journal of this run so far. A record of a known kind in an unknown form is an error: what safety rests on
    /// must not be passed over.
    pub(crate) async fn journal(&self) -> Result<Vec<Arc<Recorded>>, TurnFailed> {
        self.journal_since(0).await
    }

    /// The journal of this run after `seq`.
    pub(crate) async fn journal_since(&self, seq: u64) -> Result<Vec<Arc<Recorded>>, TurnFailed> {
        let journal = self.turn.journal(seq).await?;
        match journal.iter().find(|one| has_other_form(one.record())) {
            Some(one) => {
                let why =
                    format!("record {} (`{}`) has a form of another version", one.seq, one.entry.kind());
                Err(TurnFailed::Unreadable { what: "journal", why })
            }
            None => Ok(journal),
        }
    }

    /// Keeps a value as a blob.
    pub(crate) fn keep<T: Serialize>(&self, what: &'static str, value: &T) -> Result<BlobHash, TurnFailed> {
        let bytes = serde_json::to_vec(value)
            .map_err(|error| TurnFailed::Unreadable { what, why: error.to_string() })?;
        Ok(self.turn.keep(bytes)?)
    }

    /// Reads a blob of an earlier turn.
    pub(crate) async fn fetch<T: DeserializeOwned>(
        &self,
        what: &'static str,
        hash: BlobHash,
    ) -> Result<T, TurnFailed> {
        let bytes = self.bytes(what, hash).await?;
        serde_json::from_slice(&bytes)
            .map_err(|error| TurnFailed::Unreadable { what, why: error.to_string() })
    }

    /// Reads the bytes of a blob of an earlier turn.
    pub(crate) async fn bytes(&self, what: &'static str, hash: BlobHash) -> Result<Vec<u8>, TurnFailed> {
        let missing = || TurnFailed::Unreadable { what, why: "it is not there".to_owned() };
        self.blobs.get(hash).await?.ok_or_else(missing)
    }

    /// Moves the machine and tells of it.
    pub(crate) fn walk(&self, walk: &mut Walk, fact: Fact<'_>) -> Result<(), TurnFailed> {
        let after = walk.after(fact)?;
        let event = after.path().last().copied().unwrap_or(Event::NewRound);
        self.note(run::StateEntered { from: walk.state(), to: after.state(), event, round: after.round() })?;
        *walk = after;
        Ok(())
    }
}

/// Whether a record is of a known kind, in a form that only another version knows.
fn has_other_form(record: &Record) -> bool {
    let Record::Unknown(unknown) = record else { return false };
    unknown.is_known_kind()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_kind_in_another_form_is_not_passed_over_and_a_new_kind_is() {
        let record = |kind: &str, data: &str| {
            let text = format!(r#"{{"at":"2026-03-02T12:00:00Z","data":{data},"kind":"{kind}"}}"#);
            Entry::parse(&text).unwrap().record
        };
        assert!(has_other_form(&record("write.intent", r#"{"step":"do_1"}"#)));
        assert!(!has_other_form(&record("forecast.made", "{}")));
        assert!(!has_other_form(&record("run.stopped", r#"{"why":"a reason"}"#)));
    }
}
