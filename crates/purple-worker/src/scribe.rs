//! Writes the journal and keeps blobs, for one turn.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::port::{BlobHash, Blobs, Clock, Entry, Turn, TurnFailed};
use crate::prime::privacy::redact_json;
use purple_process::{Fact, Walk};

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

    /// Appends what happened, redacted.
    pub(crate) fn note(&self, kind: &str, data: Value) -> Result<(), TurnFailed> {
        let entry = Entry { at: self.now(), kind: kind.to_owned(), data: redact_json(data) };
        self.named.lock().unwrap_or_else(PoisonError::into_inner).extend(entry.blobs());
        Ok(self.turn.record(entry)?)
    }

    /// Whether an entry of this turn names this blob.
    pub(crate) fn has_named(&self, hash: &BlobHash) -> bool {
        self.named.lock().unwrap_or_else(PoisonError::into_inner).contains(hash)
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
        let event = after.path().last().map_or("new_round", |event| event.name());
        self.note(
            "state.entered",
            json!({"from": walk.state(), "to": after.state(), "event": event, "round": after.round()}),
        )?;
        *walk = after;
        Ok(())
    }
}
