//! What is counted over all sessions.

use purple_port::limits::ENTRY_BYTES_MAX;
use purple_port::{BoxFuture, EngineError, Figures, Learned, NOT_MADE, Placed, Tried};
use rusqlite::{Connection, params};

use crate::readers::Looked;
use crate::row;
use crate::store::Store;

fn entries(db: &Connection, after: i64, limit: usize) -> Looked<Vec<Placed>> {
    let mut look = db.prepare_cached(
        "SELECT j.id, s.name, j.entry, j.packed FROM journal j JOIN sessions s ON s.id = j.session
         WHERE j.id > ?1 ORDER BY j.id LIMIT ?2",
    )?;
    let mut rows = look.query(params![after, row::sql(limit as u64)])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        let session = row::session_name(&next.get::<_, String>(1)?)?;
        let damaged = |detail: String| EngineError::Damaged { what: "journal", detail };
        let text = row::text(next, 2, ENTRY_BYTES_MAX)?;
        let text = text.ok_or_else(|| damaged("it cannot be unpacked".to_owned()))?;
        let entry = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        found.push(Placed { place: next.get(0)?, session, entry });
    }
    Ok(found)
}

pub(crate) fn learned(db: &Connection) -> Looked<Learned> {
    let counted = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row::seq(row, 1)?));
    let mut look = db.prepare_cached(
        "SELECT process, count(*) FROM cases WHERE logged = 1 GROUP BY process ORDER BY process",
    )?;
    let cases: Result<Vec<(String, u64)>, _> = look.query_map([], counted)?.collect();
    let mut look = db.prepare_cached(
        "SELECT process, arm, count(*), printf('%d.%04d', sum(points) / count(*) / 10000,
                sum(points) / count(*) % 10000) FROM scores
         WHERE latest = 1 AND arm IS NOT NULL GROUP BY process, arm ORDER BY process, arm",
    )?;
    let arms: Result<Vec<Tried>, _> = look
        .query_map([], |row| {
            Ok(Tried { context: row.get(0)?, arm: row.get(1)?, tries: row::seq(row, 2)?, mean: row.get(3)? })
        })?
        .collect();
    let count = |kind: &str| {
        // What could not be made is told of there, and is none.
        db.prepare_cached("SELECT count(*) FROM definitions WHERE kind = ?1 AND name NOT GLOB ?2 || '*'")?
            .query_row([kind, NOT_MADE], |row| row::seq(row, 0))
    };
    Ok(Learned { cases: cases?, arms: arms?, tools: count("tool")?, processes: count("process")? })
}

impl Figures for Store {
    fn entries(&self, after: i64, limit: usize) -> BoxFuture<'_, Result<Vec<Placed>, EngineError>> {
        Box::pin(self.core.readers.look(move |db| entries(db, after, limit)))
    }

    fn learned(&self) -> BoxFuture<'_, Result<Learned, EngineError>> {
        Box::pin(self.core.readers.look(learned))
    }
}
