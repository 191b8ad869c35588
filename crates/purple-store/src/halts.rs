//! The operator's stops, and the sessions that they keep waiting.

use purple_journal::Redacted;
use purple_journal::record::operator::{HaltLifted, HaltSet};
use purple_port::limits::HALT_BYTES_MAX;
use purple_port::{BoxFuture, Brake, EngineError, Halt, PersonId, SessionId};
use rusqlite::{Connection, params};

use crate::operators;
use crate::readers::{Looked, Readers};
use crate::refused::Refused;
use crate::row;
use crate::store::Store;
use crate::time::Micros;
use crate::turn::{encode, fits};
use crate::work::{Done, NewHalt, Sealed, Work};

/// How many sessions one look for those that wait takes.
pub(crate) const HELD_PAGE_SESSIONS: usize = 500;

const ALL: &str = "all";

/// What a stop is stored under.
fn scope(process: Option<&str>) -> String {
    process.map_or_else(|| ALL.to_owned(), |name| format!("process:{name}"))
}

/// Stops, or replaces who stopped and why.
pub(crate) fn halt(db: &Connection, new: &NewHalt, now: Micros) -> Result<(), Refused> {
    let NewHalt { halt: Halt { process, by, reason, .. }, stored: Sealed { text, digest } } = new;
    let scope = scope(process.as_deref());
    db.prepare_cached(
        "INSERT INTO halts (scope, halt, digest) VALUES (?1, ?2, ?3)
         ON CONFLICT (scope) DO UPDATE SET halt = ?2, digest = ?3",
    )?
    .execute(params![scope, text, digest.as_bytes()])?;
    let set = HaltSet {
        process: process.as_deref().map(operators::short),
        row: operators::halt_row(&scope),
        digest: *digest,
        by: Redacted::of(by),
        reason: operators::short(reason),
    };
    operators::append(db, set, now)
}

/// Ends a stop, and says whether there was one.
pub(crate) fn resume(
    db: &Connection,
    process: Option<&str>,
    by: &PersonId,
    now: Micros,
) -> Result<Done, Refused> {
    let scope = scope(process);
    if db.prepare_cached("DELETE FROM halts WHERE scope = ?1")?.execute([&scope])? == 0 {
        return Ok(Done::Nothing);
    }
    let (process, row) = (process.map(operators::short), operators::halt_row(&scope));
    let lifted = HaltLifted { process, row, by: Some(Redacted::of(by)) };
    operators::append(db, lifted, now)?;
    Ok(Done::Written)
}

/// The stop that holds for this process; the one of all processes comes first.
///
/// All are read, for they are few: a stop whose bytes changed on disk is an error, and not one that is overlooked.
pub(crate) fn holding(db: &Connection, process: &str) -> Looked<Option<Halt>> {
    let holds = |halt: &Halt| halt.process.as_deref().is_none_or(|stopped| stopped == process);
    Ok(list(db)?.into_iter().find(holds))
}

/// Every stop that holds, the one of all processes first, then by name.
pub(crate) fn list(db: &Connection) -> Looked<Vec<Halt>> {
    let mut read = db.prepare_cached("SELECT halt, digest FROM halts ORDER BY scope")?;
    let mut rows = read.query([])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        let text = row::sealed(next, 0)?.check("halt")?;
        let damaged =
            |error: serde_json::Error| EngineError::Damaged { what: "halt", detail: error.to_string() };
        found.push(serde_json::from_str(&text).map_err(damaged)?);
    }
    Ok(found)
}

/// Sessions whose summary says that they wait for the end of a stop, by name after `after`.
fn held(db: &Connection, after: Option<&SessionId>) -> Looked<Vec<SessionId>> {
    let mut read = db.prepare_cached(
        "SELECT name FROM sessions
         WHERE name > ?1 AND CASE WHEN json_valid(summary) THEN json_extract(summary, '$.status') END = 'halted'
         ORDER BY name LIMIT ?2",
    )?;
    let after = after.map_or("", SessionId::as_str);
    let mut rows = read.query(params![after, row::sql(HELD_PAGE_SESSIONS as u64)])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        found.push(row::session_name(&next.get::<_, String>(0)?)?);
    }
    Ok(found)
}

/// One page of the sessions that wait, after `after`. An empty one is the end.
pub(crate) async fn held_page(
    readers: &Readers,
    after: Option<SessionId>,
) -> Result<Vec<SessionId>, EngineError> {
    readers.look(move |db| held(db, after.as_ref())).await
}

/// All sessions that wait.
pub(crate) async fn held_all(readers: &Readers) -> Result<Vec<SessionId>, EngineError> {
    let mut all: Vec<SessionId> = Vec::new();
    loop {
        let page = held_page(readers, all.last().cloned()).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

impl Brake for Store {
    fn halt(&self, halt: Halt) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(async move {
            let text = encode("halt", &halt)?;
            fits("halt", text.len(), HALT_BYTES_MAX)?;
            let new = NewHalt { halt, stored: Sealed::new(text) };
            self.core.writer.write(Work::Halt(new)).await.map(drop)
        })
    }

    fn resume<'a>(
        &'a self,
        process: Option<&'a str>,
        by: &'a PersonId,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(async move {
            let (process, by) = (process.map(str::to_owned), by.clone());
            let done = self.core.writer.write(Work::Resume { process, by }).await?;
            Ok(done != Done::Nothing)
        })
    }

    fn halts(&self) -> BoxFuture<'_, Result<Vec<Halt>, EngineError>> {
        Box::pin(self.core.readers.look(list))
    }

    fn held(&self) -> BoxFuture<'_, Result<Vec<SessionId>, EngineError>> {
        Box::pin(held_all(&self.core.readers))
    }
}
