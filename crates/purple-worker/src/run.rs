//! One run during one turn: its session, its pen and its ports. The phases are written beside it, a file each.

use std::sync::Arc;
use std::time::Duration;

use purple_journal::record::incident;
use purple_journal::{Redacted, RedactedJson};
use purple_process::{Fact, Json, Plan, SessionId};
use serde_json::Value;

use crate::dossier::{Dossier, Opened};
use crate::event::Event;
use crate::execute::call::Reads;
use crate::execute::catalogue::Catalogue;
use crate::execute::close::Told;
use crate::port::{BlobHash, TurnFailed};
use crate::scribe::Scribe;
use crate::session::Session;
use crate::settings::{Ports, Settings};
use crate::shelf::Shelf;
use crate::synthesis::Holdings;

/// What a worker has for all its turns.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    pub ports: &'a Ports,
    pub settings: &'a Settings,
    pub shelf: &'a Shelf,
    pub holdings: &'a Holdings,
    pub orders: OrderRecords,
}

/// Whether plans hold the orders of their operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderRecords {
    /// They do.
    Kept,
    /// They do not: a replay of what a version did that is older than orders.
    NotYet,
}

/// A run in a turn.
pub(crate) struct Run<'a> {
    pub ports: &'a Ports,
    pub settings: &'a Settings,
    pub shelf: &'a Shelf,
    /// What was made so far.
    pub holdings: &'a Holdings,
    pub orders: OrderRecords,
    pub scribe: Scribe<'a>,
    pub session: Session,
    /// Blobs that this turn kept, which no reader has yet.
    pub fresh: Vec<(BlobHash, Vec<u8>)>,
    /// What was looked at in the end.
    pub shows: Vec<(String, Value)>,
    /// What is to be said at the end of this turn.
    pub told: Option<Told>,
}

/// The result of a phase: an error means that the turn must be tried again.
pub(crate) type Phase<T> = Result<T, TurnFailed>;

impl<'a> Run<'a> {
    pub(crate) fn new(bound: Bound<'a>, scribe: Scribe<'a>, session: Session) -> Self {
        let Bound { ports, settings, shelf, holdings, orders } = bound;
        Self {
            ports,
            settings,
            shelf,
            holdings,
            orders,
            scribe,
            session,
            fresh: Vec::new(),
            shows: Vec::new(),
            told: None,
        }
    }
}

impl Run<'_> {
    pub(crate) fn id(&self) -> &SessionId {
        self.scribe.turn.session()
    }

    /// Moves the machine.
    pub(crate) fn step(&mut self, fact: Fact<'_>) -> Phase<()> {
        self.scribe.walk(&mut self.session.walk, fact)
    }

    /// The reads of this run in its present state.
    pub(crate) fn reads(&self) -> Reads<'_> {
        Reads {
            ports: self.ports,
            settings: self.settings,
            scribe: &self.scribe,
            walk: &self.session.walk,
            at: &self.session.tools_at,
            quarantine: &self.session.quarantine,
            process: self.session.chosen.as_ref().map_or("", |chosen| chosen.process.as_str()),
        }
    }

    /// Another turn, at once.
    pub(crate) fn go_on(&self) -> Phase<()> {
        Ok(self.scribe.turn.later(Duration::ZERO, Event::Continue)?)
    }

    /// Another turn after a while.
    pub(crate) fn wake(&self, name: &str, after: Duration) -> Phase<()> {
        Ok(self.scribe.turn.later(after, Event::Timer { name: name.to_owned() })?)
    }

    /// Keeps a value, and remembers it for the rest of this turn.
    pub(crate) fn keep<T: serde::Serialize>(&mut self, what: &'static str, value: &T) -> Phase<BlobHash> {
        let bytes = serde_json::to_vec(value)
            .map_err(|error| TurnFailed::Unreadable { what, why: error.to_string() })?;
        self.keep_bytes(bytes)
    }

    /// Keeps bytes, and remembers them for the rest of this turn.
    pub(crate) fn keep_bytes(&mut self, bytes: Vec<u8>) -> Phase<BlobHash> {
        let hash = self.scribe.turn.keep(bytes.clone())?;
        self.fresh.push((hash, bytes));
        Ok(hash)
    }

    /// Reads what this turn or an earlier one kept.
    pub(crate) async fn fetch<T: serde::de::DeserializeOwned>(
        &self,
        what: &'static str,
        hash: BlobHash,
    ) -> Phase<T> {
        match self.fresh.iter().find(|(kept, _)| *kept == hash) {
            Some((_, bytes)) => serde_json::from_slice(bytes)
                .map_err(|error| TurnFailed::Unreadable { what, why: error.to_string() }),
            None => self.scribe.fetch(what, hash).await,
        }
    }

    /// Reads the bytes that this turn or an earlier one kept.
    pub(crate) async fn bytes(&self, what: &'static str, hash: BlobHash) -> Phase<Vec<u8>> {
        match self.fresh.iter().find(|(kept, _)| *kept == hash) {
            Some((_, bytes)) => Ok(bytes.clone()),
            None => self.scribe.bytes(what, hash).await,
        }
    }

    /// The tools as this session first saw them.
    pub(crate) async fn catalogue(&self) -> Phase<Arc<Catalogue>> {
        let Some(hash) = self.session.catalogue else { return Ok(Arc::default()) };
        if let Some(known) = self.shelf.catalogue(hash) {
            return Ok(known);
        }
        let unreadable = |why: String| TurnFailed::Unreadable { what: "catalogue", why };
        let bytes = self.bytes("catalogue", hash).await?;
        let read = Catalogue::from_bytes(&bytes, &self.settings.manifest)
            .map_err(|error| unreadable(error.to_string()))?;
        let read = Arc::new(read);
        self.shelf.keep_catalogue(hash, &read);
        Ok(read)
    }

    /// The case of a plan, its files loaded.
    pub(crate) async fn opened(&self, case: BlobHash) -> Phase<Arc<Opened>> {
        if let Some(opened) = self.shelf.case(case) {
            return Ok(opened);
        }
        let bytes = self.bytes("case", case).await?;
        let dossier: Dossier = serde_json::from_slice(&bytes)
            .map_err(|error| TurnFailed::Unreadable { what: "case", why: error.to_string() })?;
        let opened = Arc::new(dossier.open(self).await?);
        self.shelf.keep_case(case, bytes.len().saturating_add(opened.held_bytes()), &opened);
        Ok(opened)
    }

    /// A plan of this run.
    pub(crate) async fn plan(&self, hash: BlobHash) -> Phase<Arc<Plan>> {
        if let Some(plan) = self.shelf.plan(hash) {
            return Ok(plan);
        }
        let plan = Arc::new(self.fetch::<Plan>("plan", hash).await?);
        self.shelf.keep_plan(hash, &plan);
        Ok(plan)
    }

    /// Something that people must look at.
    pub(crate) fn incident(&self, what: &str, detail: Value) -> Phase<()> {
        let (what, detail) = (Redacted::of(what), RedactedJson::from_value(detail));
        self.scribe.note(incident::Reported { what, detail })
    }
}

/// JSON from outside as a value that can be kept and referred to. What cannot be is nothing.
pub(crate) fn result_of(value: &Value) -> Option<Json> {
    Json::from_serde(value).ok()
}
