//! What earlier runs left behind: cases, found by words or by whom and what they were about.

use std::collections::HashSet;

use purple_worker::port::{BoxFuture, EngineError, Entity, Memory, PastCase};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::json;

use crate::apply::Refused;
use crate::reader::Reader;
use crate::readers::{Looked, Readers};
use crate::row;
use crate::store::Store;
use crate::time::timestamp;
use crate::work::NewCase;

/// The most cases that one question brings.
const CASES_MAX: usize = 200;
/// How many different words of a text are searched for.
const WORDS_MAX: usize = 64;
const WORD_CHARS_MAX: usize = 64;

/// Keeps a case. A second one of the same session and round changes nothing.
pub(crate) fn learn(db: &Connection, case: &NewCase) -> Result<(), Refused> {
    let id: Option<i64> = db
        .prepare_cached(
            "INSERT INTO cases (session, round, at, process, body, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (session, round) DO NOTHING RETURNING id",
        )?
        .query_row(
            params![case.session.as_str(), case.round, case.at, case.process, case.body, case.text],
            |found| found.get(0),
        )
        .optional()?;
    let Some(id) = id else { return Ok(()) };
    let mut counted = HashSet::new();
    for (place, entity) in (0_i64..).zip(&case.entities) {
        let folded = fold(&entity.name);
        db.prepare_cached(
            "INSERT INTO case_entities (case_id, place, kind, name, folded) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![id, place, entity.kind, entity.name, folded])?;
        if counted.insert((&entity.kind, folded.clone())) {
            db.prepare_cached(
                "INSERT INTO entities (kind, name, body, seen, at) VALUES (?1, ?2, ?3, 1, ?4)
                 ON CONFLICT (kind, name) DO UPDATE SET body = ?3, seen = seen + 1, at = max(at, ?4)",
            )?
            .execute(params![
                entity.kind,
                folded,
                json!({ "name": entity.name }).to_string(),
                case.at
            ])?;
        }
    }
    Ok(())
}

/// What two spellings of one name share: no case, one space between words.
fn fold(name: &str) -> String {
    name.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// A text as a search: any of its words, each in quotes, so that nothing in it is an operator.
fn search(text: &str) -> Option<String> {
    let mut seen = HashSet::new();
    let words = text
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| word.chars().take(WORD_CHARS_MAX).collect::<String>().to_lowercase());
    let quoted: Vec<String> = words
        .filter(|word| seen.insert(word.clone()))
        .take(WORDS_MAX)
        .map(|word| format!("\"{word}\""))
        .collect();
    (!quoted.is_empty()).then(|| quoted.join(" OR "))
}

/// Only the last cases are looked through: a ranking over all of them costs more with every run.
const RECALLED_AMONG: i64 = 200;

const CASE_COLUMNS: &str = "SELECT c.id, c.session, c.round, c.at, c.process, c.text, c.body FROM cases c";

/// The cases that are most like this text, best first; of equals the newest.
fn recall(db: &Connection, text: &str, limit: usize) -> Looked<Vec<PastCase>> {
    let Some(search) = search(text) else { return Ok(Vec::new()) };
    let mut read = db.prepare_cached(&format!(
        "{CASE_COLUMNS} JOIN case_words w ON w.rowid = c.id WHERE case_words MATCH ?1
         AND w.rowid > (SELECT COALESCE(MAX(id), 0) FROM cases) - ?3
         ORDER BY bm25(case_words), c.at DESC, c.id DESC LIMIT ?2"
    ))?;
    let mut rows = read.query(params![search, bounded(limit), RECALLED_AMONG])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        found.push(case(db, next)?);
    }
    Ok(found)
}

/// The cases about this entity, however its name was spelled; the newest first.
fn history(db: &Connection, entity: &Entity, limit: usize) -> Looked<Vec<PastCase>> {
    let mut read = db.prepare_cached(&format!(
        "{CASE_COLUMNS} WHERE c.id IN (SELECT case_id FROM case_entities WHERE kind = ?1 AND folded = ?2)
         ORDER BY c.at DESC, c.id DESC LIMIT ?3"
    ))?;
    let mut rows = read.query(params![entity.kind, fold(&entity.name), bounded(limit)])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        found.push(case(db, next)?);
    }
    Ok(found)
}

fn bounded(limit: usize) -> i64 {
    row::sql(limit.min(CASES_MAX) as u64)
}

fn case(db: &Connection, found: &Row<'_>) -> Looked<PastCase> {
    let (id, session, body): (i64, String, String) = (found.get(0)?, found.get(1)?, found.get(6)?);
    let mut read =
        db.prepare_cached("SELECT kind, name FROM case_entities WHERE case_id = ?1 ORDER BY place")?;
    let entities: Result<Vec<Entity>, _> =
        read.query_map([id], |entity| Ok(Entity { kind: entity.get(0)?, name: entity.get(1)? }))?.collect();
    Ok(PastCase {
        session: row::session_name(&session)?,
        round: found.get(2)?,
        at: timestamp(found.get(3)?),
        process: found.get(4)?,
        text: found.get(5)?,
        entities: entities?,
        body: serde_json::from_str(&body).map_err(|error| EngineError::Damaged {
            what: "case",
            detail: format!("session `{session}`: {error}"),
        })?,
    })
}

fn recalled<'a>(
    readers: &'a Readers,
    text: &str,
    limit: usize,
) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>> {
    let text = text.to_owned();
    Box::pin(readers.look(move |db| recall(db, &text, limit)))
}

fn remembered<'a>(
    readers: &'a Readers,
    entity: &Entity,
    limit: usize,
) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>> {
    let entity = entity.clone();
    Box::pin(readers.look(move |db| history(db, &entity, limit)))
}

impl Memory for Store {
    fn recall<'a>(
        &'a self,
        text: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>> {
        recalled(&self.core.readers, text, limit)
    }

    fn history<'a>(
        &'a self,
        entity: &'a Entity,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>> {
        remembered(&self.core.readers, entity, limit)
    }
}

impl Memory for Reader {
    fn recall<'a>(
        &'a self,
        text: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>> {
        recalled(self.readers(), text, limit)
    }

    fn history<'a>(
        &'a self,
        entity: &'a Entity,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>> {
        remembered(self.readers(), entity, limit)
    }
}
