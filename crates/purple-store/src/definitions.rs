//! Processes and functions that were not shipped, with their provenance: one of a kind and name.

use std::sync::atomic::Ordering;

use purple_journal::Redacted;
use purple_journal::record::operator::{
    DefinitionQuarantined, DefinitionRemoved, DefinitionSigned, DefinitionStored,
};
use purple_port::{
    BoxFuture, DEFINITION_BYTES_MAX, DEFINITIONS_MAX, Defined, DefinitionKind, Definitions, Digest,
    EngineError, Redefinition,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::forgotten;
use crate::operators;
use crate::reader::{ReadOnly, Reader};
use crate::readers::{Looked, ReadError};
use crate::refused::Refused;
use crate::row;
use crate::store::Store;
use crate::time::Micros;
use crate::turn::{encode, fits};
use crate::work::{Done, Sealed, Work};

/// Changes something. The writer is one, so that of many that define the same the first one stays.
pub(crate) fn redefine(db: &Connection, change: &Redefinition, now: Micros) -> Result<Done, Refused> {
    match change {
        Redefinition::Define(new) => {
            if find(db, new.kind, &new.name).map_err(refused)?.is_some() {
                return Ok(Done::Nothing);
            }
            has_room(db)?;
            store(db, new, now)
        }
        Redefinition::Replace(new) => {
            if find(db, new.kind, &new.name).map_err(refused)?.is_none() {
                has_room(db)?;
            }
            store(db, new, now)
        }
        Redefinition::Sign { kind, name, signed } => {
            let found = find(db, *kind, name).map_err(refused)?;
            let Some(found) = found.filter(|found| found.digest() == signed.digest) else {
                return Ok(Done::Nothing);
            };
            let digest = put(db, &Defined { signed: Some(signed.clone()), ..found })?;
            let (definition, text, by) = (*kind, signed.digest, Redacted::of(&signed.by));
            let (name, row) = (operators::short(name), operators::definition_row(*kind, name));
            operators::append(db, DefinitionSigned { definition, name, row, text, digest, by }, now)?;
            Ok(Done::Written)
        }
        Redefinition::Quarantine { kind, name, digest, why } => {
            let found = find(db, *kind, name).map_err(refused)?;
            let fresh = found.filter(|found| found.digest() == *digest && found.quarantined.is_none());
            let Some(found) = fresh else { return Ok(Done::Nothing) };
            let digest = put(db, &Defined { quarantined: Some(why.clone()), ..found })?;
            let (definition, why) = (*kind, operators::short(why));
            let (name, row) = (operators::short(name), operators::definition_row(*kind, name));
            operators::append(db, DefinitionQuarantined { definition, name, row, digest, why }, now)?;
            Ok(Done::Written)
        }
        Redefinition::Forget { kind, name } => {
            let gone = db
                .prepare_cached("DELETE FROM definitions WHERE kind = ?1 AND name = ?2")?
                .execute(params![kind.word(), name])?;
            if gone == 0 {
                return Ok(Done::Nothing);
            }
            forgotten::note(db, &forgotten::definition(*kind, name))?;
            let (name, row) = (operators::short(name), operators::definition_row(*kind, name));
            operators::append(db, DefinitionRemoved { definition: *kind, name, row }, now)?;
            Ok(Done::Written)
        }
    }
}

fn has_room(db: &Connection) -> Result<(), Refused> {
    let count: i64 =
        db.prepare_cached("SELECT count(*) FROM definitions")?.query_row([], |found| found.get(0))?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count < DEFINITIONS_MAX {
        return Ok(());
    }
    let (what, bytes) = ("number of definitions", count.saturating_add(1));
    Err(Refused::Engine(EngineError::TooLarge { what, bytes, bytes_max: DEFINITIONS_MAX }))
}

fn store(db: &Connection, new: &Defined, now: Micros) -> Result<Done, Refused> {
    let digest = put(db, new)?;
    let (name, row) = (operators::short(&new.name), operators::definition_row(new.kind, &new.name));
    operators::append(db, DefinitionStored { definition: new.kind, name, row, digest }, now)?;
    Ok(Done::Written)
}

/// Writes the row; returns its digest.
fn put(db: &Connection, new: &Defined) -> Result<Digest, Refused> {
    let sealed = Sealed::new(encode("definition", new).map_err(Refused::Engine)?);
    db.prepare_cached(
        "INSERT INTO definitions (kind, name, definition, digest) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (kind, name) DO UPDATE SET definition = ?3, digest = ?4",
    )?
    .execute(params![new.kind.word(), new.name, sealed.text, sealed.digest.as_bytes()])?;
    Ok(sealed.digest)
}

fn find(db: &Connection, kind: DefinitionKind, name: &str) -> Looked<Option<Defined>> {
    let found = db
        .prepare_cached("SELECT definition, digest FROM definitions WHERE kind = ?1 AND name = ?2")?
        .query_row(params![kind.word(), name], |found| row::sealed(found, 0))
        .optional()?;
    found.map(|sealed| read(sealed).map_err(Into::into)).transpose()
}

fn list(db: &Connection) -> Looked<Vec<Defined>> {
    let mut look = db.prepare_cached("SELECT definition, digest FROM definitions ORDER BY kind, name")?;
    let mut rows = look.query([])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        found.push(read(row::sealed(next, 0)?)?);
    }
    Ok(found)
}

fn read(sealed: Sealed) -> Result<Defined, EngineError> {
    let text = sealed.check("definition")?;
    serde_json::from_str(&text)
        .map_err(|error| EngineError::Damaged { what: "definition", detail: error.to_string() })
}

fn refused(error: ReadError) -> Refused {
    match error {
        ReadError::Database(error) => Refused::Database(error),
        ReadError::Engine(error) => Refused::Engine(error),
    }
}

/// What a change brings in keeps its bounds.
fn check(change: &Redefinition) -> Result<(), EngineError> {
    match change {
        Redefinition::Define(new) | Redefinition::Replace(new) => {
            fits("definition", new.text.len().saturating_add(new.name.len()), DEFINITION_BYTES_MAX)
        }
        Redefinition::Quarantine { why, .. } => fits("definition", why.len(), DEFINITION_BYTES_MAX),
        Redefinition::Sign { .. } | Redefinition::Forget { .. } => Ok(()),
    }
}

impl Definitions for Store {
    fn revision(&self) -> u64 {
        self.core.definitions.load(Ordering::Acquire)
    }

    fn definitions(&self) -> BoxFuture<'_, Result<Vec<Defined>, EngineError>> {
        Box::pin(self.core.readers.look(list))
    }

    fn redefine(&self, change: Redefinition) -> BoxFuture<'_, Result<bool, EngineError>> {
        Box::pin(async move {
            check(&change)?;
            let done = self.core.writer.write(Work::Redefine(Box::new(change))).await?;
            self.core.definitions.fetch_add(1, Ordering::AcqRel);
            Ok(done != Done::Nothing)
        })
    }
}

/// A reader shows definitions, and changes none.
impl Definitions for Reader {
    fn revision(&self) -> u64 {
        0
    }

    fn definitions(&self) -> BoxFuture<'_, Result<Vec<Defined>, EngineError>> {
        Box::pin(self.readers().look(list))
    }

    fn redefine(&self, _: Redefinition) -> BoxFuture<'_, Result<bool, EngineError>> {
        Box::pin(std::future::ready(Err(EngineError::Storage(Box::new(ReadOnly)))))
    }
}
