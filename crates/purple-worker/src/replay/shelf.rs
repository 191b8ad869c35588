//! The definitions that a turn knew and made, as its journal says.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::{Archive, NAMES_A_FILE};
use crate::port::{
    BlobHash, BoxFuture, Defined, DefinitionKind, Definitions, EngineError, Recorded, Redefinition,
};
use crate::synthesis::{DEFINITIONS_KNOWN, MADE_KINDS};

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
            match one.entry.kind.as_str() {
                DEFINITIONS_KNOWN => known = fetch(archive, one).await?.unwrap_or_default(),
                kind if MADE_KINDS.contains(&kind) => known.extend(fetch::<Defined>(archive, one).await?),
                _ => {}
            }
        }
        let mut made = Vec::new();
        let is_silent = !turn.iter().any(|one| one.entry.kind == DEFINITIONS_KNOWN);
        for one in turn {
            match one.entry.kind.as_str() {
                DEFINITIONS_KNOWN => known = fetch(archive, one).await?.unwrap_or_default(),
                // Nothing was told, and a file was chosen that is not defined here: what earlier turns knew under its
                // name was gone by then.
                kind if is_silent
                    && NAMES_A_FILE.contains(&kind)
                    && one.entry.data.get("defined").is_none() =>
                {
                    let name = one.entry.data.get("process").and_then(Value::as_str);
                    known
                        .retain(|one| one.kind != DefinitionKind::Process || Some(one.name.as_str()) != name);
                }
                kind if MADE_KINDS.contains(&kind) => {
                    let first = one.entry.data.get("first").and_then(Value::as_bool).unwrap_or(true);
                    made.extend(fetch::<Defined>(archive, one).await?.map(|defined| (defined, first)));
                }
                _ => {}
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
    journal.iter().any(|one| {
        let kind = one.entry.kind.as_str();
        kind == DEFINITIONS_KNOWN || MADE_KINDS.contains(&kind) || kind.starts_with("synthesis.")
    })
}

async fn fetch<T: serde::de::DeserializeOwned>(
    archive: &Archive,
    one: &Recorded,
) -> Result<Option<T>, EngineError> {
    let named = one.entry.data.get("definition").cloned();
    let hash = named.and_then(|hash| serde_json::from_value::<BlobHash>(hash).ok());
    let Some(hash) = hash else { return Ok(None) };
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
