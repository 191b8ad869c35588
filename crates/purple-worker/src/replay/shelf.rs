//! The definitions that a turn knew and made, as its journal says.

use std::sync::{Mutex, PoisonError};

use purple_journal::Record;
use purple_journal::record::{process, tool};

use super::{Archive, NamedFile};
use crate::port::{
    BlobHash, BoxFuture, Defined, DefinitionKind, Definitions, EngineError, Recorded, Redefinition,
};

/// What was defined when a turn began, and what became of what it defined itself.
pub(super) struct Remembered {
    known: Mutex<Vec<Defined>>,
    made: Vec<(Defined, bool)>,
}

impl Remembered {
    /// From the journal up to the turn, and the turn itself.
    pub(super) async fn of(
        archive: &Archive,
        before: &[Recorded],
        turn: &[Recorded],
    ) -> Result<Self, EngineError> {
        let mut known: Vec<Defined> = Vec::new();
        for one in before {
            match Definition::of(one) {
                Some(Definition::Known(hash)) => known = fetch(archive, hash).await?.unwrap_or_default(),
                Some(Definition::Made(hash, _)) => known.extend(fetch::<Defined>(archive, hash).await?),
                None => {}
            }
        }
        let mut made = Vec::new();
        let is_silent = !turn.iter().any(|one| matches!(Definition::of(one), Some(Definition::Known(_))));
        for one in turn {
            // Nothing was known, and a file was chosen that is not defined here: what earlier turns knew under its name
            // was gone by then.
            if let Some(named) = NamedFile::of(one).filter(|named| is_silent && named.defined.is_none()) {
                known
                    .retain(|one| one.kind != DefinitionKind::Process || *named.process != one.name.as_str());
            }
            match Definition::of(one) {
                Some(Definition::Known(hash)) => known = fetch(archive, hash).await?.unwrap_or_default(),
                Some(Definition::Made(hash, first)) => {
                    made.extend(fetch::<Defined>(archive, hash).await?.map(|defined| (defined, first)));
                }
                None => {}
            }
        }
        Ok(Self { known: Mutex::new(known), made })
    }

    fn of_name(&self, kind: DefinitionKind, name: &str) -> Option<&(Defined, bool)> {
        self.made.iter().find(|(one, _)| one.kind == kind && one.name == name)
    }
}

/// Whether a run knew or made anything that was not shipped.
pub(super) fn had_definitions(journal: &[Recorded]) -> bool {
    let has_failed =
        |one: &Recorded| matches!(one.record(), Record::Process(process::Process::SynthesisFailed(_)));
    journal.iter().any(|one| Definition::of(one).is_some() || has_failed(one))
}

/// A record that names definitions.
enum Definition {
    /// All that existed.
    Known(BlobHash),
    /// One that was made, and whether it was stored.
    Made(BlobHash, bool),
}

impl Definition {
    fn of(one: &Recorded) -> Option<Self> {
        match one.record() {
            Record::Process(process::Process::DefinitionsKnown(known)) => Some(Self::Known(known.definition)),
            Record::Process(process::Process::Synthesized(made)) => {
                Some(Self::Made(made.definition, made.first))
            }
            Record::Tool(tool::Tool::FunctionSynthesized(made)) => {
                Some(Self::Made(made.definition, made.first))
            }
            Record::Process(
                process::Process::Chosen(_)
                | process::Process::Pointed(_)
                | process::Process::SynthesisFailed(_),
            )
            | Record::Tool(_)
            | Record::Task(_)
            | Record::Model(_)
            | Record::Plan(_)
            | Record::Approval(_)
            | Record::Write(_)
            | Record::Run(_)
            | Record::Turn(_)
            | Record::Learning(_)
            | Record::Incident(_)
            | Record::Operator(_)
            | Record::Unknown(_) => None,
        }
    }
}

async fn fetch<T: serde::de::DeserializeOwned>(
    archive: &Archive,
    hash: BlobHash,
) -> Result<Option<T>, EngineError> {
    Ok(archive.blobs.get(hash).await?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

impl Definitions for Remembered {
    fn revision(&self) -> u64 {
        0
    }

    fn definitions(&self) -> BoxFuture<'_, Result<Vec<Defined>, EngineError>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(std::future::ready(Ok(known)))
    }

    fn redefine(&self, change: Redefinition) -> BoxFuture<'_, Result<bool, EngineError>> {
        let done = match change {
            Redefinition::Define(new) => {
                let (stands, first) = self.of_name(new.kind, &new.name).cloned().unwrap_or((new, true));
                self.known.lock().unwrap_or_else(PoisonError::into_inner).push(stands);
                first
            }
            Redefinition::Replace(_)
            | Redefinition::Sign { .. }
            | Redefinition::Quarantine { .. }
            | Redefinition::Forget { .. } => true,
        };
        Box::pin(std::future::ready(Ok(done)))
    }
}
