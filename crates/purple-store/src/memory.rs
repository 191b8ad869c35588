//! What earlier runs left behind: cases, found by words or by whom and what they were about.

use std::collections::HashSet;

use purple_port::{
    Arm, BoxFuture, Check, EngineError, Entity, Fact, Logged, Memory, PastCase, Ranked, Scored, Seed,
    SessionId, Tally, Whose,
};
use rusqlite::{Connection, Row, params};

use crate::learning::fold;
use crate::reader::Reader;
use crate::readers::Looked;
use crate::row;
use crate::store::Store;
use crate::time::timestamp;

/// The most cases that one question brings.
const CASES_MAX: usize = 200;
/// How many different words of a text are searched for.
const WORDS_MAX: usize = 64;
const WORD_CHARS_MAX: usize = 64;

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

const CASE_COLUMNS: &str = "SELECT c.id, c.session, c.round, c.at, c.process, c.text, c.body FROM cases c";

/// The cases of the log that are most like this text, best first; of equals the newest.
fn recall(db: &Connection, text: &str, limit: usize) -> Looked<Vec<Ranked>> {
    let Some(search) = search(text) else { return Ok(Vec::new()) };
    let mut read = db.prepare_cached(
        "SELECT c.session, c.round, bm25(case_words) FROM cases c JOIN case_words w ON w.rowid = c.id WHERE case_words MATCH ?1 AND c.logged = 1
         ORDER BY bm25(case_words), c.at DESC, c.id DESC LIMIT ?2",
    )?;
    let mut rows = read.query(params![search, bounded(limit)])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        let (session, rank): (String, f64) = (next.get(0)?, next.get(2)?);
        let fit = (rank * -1e6).round() as i64;
        found.push(Ranked { session: row::session_name(&session)?, round: next.get(1)?, fit });
    }
    Ok(found)
}

/// The cases of the log, the newest first, each with what it is worth by now.
fn log(db: &Connection, limit: usize) -> Looked<Vec<Logged>> {
    cases(db, "WHERE c.logged = 1", limit)
}

fn cases(db: &Connection, which: &str, limit: usize) -> Looked<Vec<Logged>> {
    let mut read = db.prepare_cached(&format!(
        "SELECT c.id, c.session, c.round, c.at, c.process, c.text, c.body, s.points, c.logged FROM cases c
         LEFT JOIN scores s ON s.session = c.session AND s.round = c.round AND s.latest = 1
         {which} ORDER BY c.id DESC LIMIT ?1"
    ))?;
    let mut rows = read.query([row::sql(limit as u64)])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        let logged: bool = next.get(8)?;
        found.push(Logged { points: next.get(7)?, left: !logged, case: case(db, next)? });
    }
    Ok(found)
}

/// The cases about this entity, however its name was spelled; the newest first.
fn history(db: &Connection, entity: &Entity, whose: Whose, limit: usize) -> Looked<Vec<PastCase>> {
    let mut read = db.prepare_cached(&format!(
        "{CASE_COLUMNS} WHERE c.id IN (SELECT case_id FROM case_entities WHERE kind = ?1 AND folded = ?2)
           AND (c.imported = 0 OR ?4)
         ORDER BY c.at DESC, c.id DESC LIMIT ?3"
    ))?;
    let others = whose == Whose::Anybodys;
    let mut rows = read.query(params![entity.kind, fold(&entity.name), bounded(limit), others])?;
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

/// How each way did for a process: sums over the scores that count.
fn tallies(db: &Connection, process: &str) -> Looked<Vec<Tally>> {
    let mut read = db.prepare_cached(
        "SELECT arm, count(*), sum(points) FROM scores
         WHERE process = ?1 AND latest = 1 AND arm IS NOT NULL GROUP BY arm ORDER BY arm",
    )?;
    let mut rows = read.query([process])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        // A way that another version knew is none here.
        if let Some(arm) = Arm::parse(&next.get::<_, String>(0)?) {
            found.push(Tally { arm, tries: row::seq(next, 1)?, points: row::seq(next, 2)? });
        }
    }
    Ok(found)
}

const FACT_COLUMNS: &str = "SELECT domain, kind, name, field, value, session, round, evidence, at, superseded
    FROM knowledge";

fn fact(found: &Row<'_>) -> Looked<Fact> {
    let (session, evidence): (String, String) = (found.get(5)?, found.get(7)?);
    Ok(Fact {
        domain: found.get(0)?,
        entity: Entity { kind: found.get(1)?, name: found.get(2)? },
        field: found.get(3)?,
        value: found.get(4)?,
        session: row::session_name(&session)?,
        round: found.get(6)?,
        evidence: serde_json::from_str(&evidence)
            .map_err(|error| EngineError::Damaged { what: "fact", detail: error.to_string() })?,
        at: timestamp(found.get(8)?),
        superseded: found.get::<_, Option<i64>>(9)?.map(timestamp),
    })
}

/// What is known about this entity, the freshest first; of a field that several domains know, the freshest alone.
fn facts(db: &Connection, entity: &Entity, limit: usize) -> Looked<Vec<Fact>> {
    let mut read = db.prepare_cached(&format!(
        "{FACT_COLUMNS} AS fact WHERE kind = ?1 AND folded = ?2 AND superseded IS NULL
           AND NOT EXISTS (SELECT 1 FROM knowledge AS newer
                           WHERE newer.kind = fact.kind AND newer.folded = fact.folded
                             AND newer.field = fact.field AND newer.superseded IS NULL
                             AND (newer.at, newer.id) > (fact.at, fact.id))
         ORDER BY at DESC, id DESC LIMIT ?3"
    ))?;
    let mut rows = read.query(params![entity.kind, fold(&entity.name), bounded(limit)])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        found.push(fact(next)?);
    }
    Ok(found)
}

const CHECK_COLUMNS: &str = "SELECT session, round, process, figure, given, found, hit, at FROM checks";

fn check(found: &Row<'_>) -> Looked<Check> {
    let session: String = found.get(0)?;
    Ok(Check {
        session: row::session_name(&session)?,
        round: found.get(1)?,
        process: found.get(2)?,
        figure: found.get(3)?,
        given: found.get(4)?,
        found: found.get(5)?,
        hit: found.get(6)?,
        at: timestamp(found.get(7)?),
    })
}

fn checks(db: &Connection, process: &str, limit: usize) -> Looked<Vec<Check>> {
    let mut read =
        db.prepare_cached(&format!("{CHECK_COLUMNS} WHERE process = ?1 ORDER BY at DESC, id DESC LIMIT ?2"))?;
    let mut rows = read.query(params![process, bounded(limit)])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        found.push(check(next)?);
    }
    Ok(found)
}

fn scored(found: &Row<'_>) -> Looked<Scored> {
    let (session, because): (String, String) = (found.get(0)?, found.get(6)?);
    let arm: Option<String> = found.get(3)?;
    Ok(Scored {
        session: row::session_name(&session)?,
        round: found.get(1)?,
        process: found.get(2)?,
        arm: arm.as_deref().and_then(Arm::parse),
        points: found.get(4)?,
        cause: found.get(5)?,
        because: serde_json::from_str(&because)
            .map_err(|error| EngineError::Damaged { what: "score", detail: error.to_string() })?,
        at: timestamp(found.get(7)?),
    })
}

const SCORE_COLUMNS: &str = "SELECT session, round, process, arm, points, cause, because, at FROM scores";

/// Every score of a session, the oldest first.
fn scores(db: &Connection, session: &SessionId) -> Looked<Vec<Scored>> {
    let mut read =
        db.prepare_cached(&format!("{SCORE_COLUMNS} WHERE session = ?1 ORDER BY round, revision"))?;
    let mut rows = read.query([session.as_str()])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        found.push(scored(next)?);
    }
    Ok(found)
}

/// Everything that was learned, for whoever looks at it or carries it away.
fn seed(db: &Connection) -> Looked<Seed> {
    let mut seed = Seed { cases: cases(db, "", usize::MAX)?, ..Seed::default() };
    let mut read = db.prepare_cached(&format!("{SCORE_COLUMNS} ORDER BY id"))?;
    let mut rows = read.query([])?;
    while let Some(next) = rows.next()? {
        seed.scores.push(scored(next)?);
    }
    let mut read = db.prepare_cached(&format!("{FACT_COLUMNS} ORDER BY id"))?;
    let mut rows = read.query([])?;
    while let Some(next) = rows.next()? {
        seed.facts.push(fact(next)?);
    }
    let mut read = db.prepare_cached(&format!("{CHECK_COLUMNS} ORDER BY id"))?;
    let mut rows = read.query([])?;
    while let Some(next) = rows.next()? {
        seed.checks.push(check(next)?);
    }
    Ok(seed)
}

/// Somebody or something that runs were about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// As it was written last.
    pub entity: Entity,
    /// In how many cases.
    pub seen: u64,
    /// When last.
    pub at: jiff::Timestamp,
    /// The last runs that were about it.
    pub runs: Vec<SessionId>,
}

/// The most runs that are named of an entity.
const RUNS_NAMED_MAX: i64 = 5;

/// Whom and what runs were about, the most often seen first.
fn known(db: &Connection, limit: usize) -> Looked<Vec<Known>> {
    let mut read = db.prepare_cached(
        "SELECT kind, name, body, seen, at FROM entities ORDER BY seen DESC, at DESC, kind, name LIMIT ?1",
    )?;
    let mut runs = db.prepare_cached(
        "SELECT DISTINCT c.session FROM case_entities e JOIN cases c ON c.id = e.case_id
         WHERE e.kind = ?1 AND e.folded = ?2 ORDER BY c.id DESC LIMIT ?3",
    )?;
    let mut rows = read.query([row::sql(limit as u64)])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        let (kind, folded, body): (String, String, String) = (next.get(0)?, next.get(1)?, next.get(2)?);
        let written = serde_json::from_str::<serde_json::Value>(&body).ok();
        let name = written.as_ref().and_then(|body| body.get("name")).and_then(serde_json::Value::as_str);
        let name = name.unwrap_or(&folded).to_owned();
        let named: Result<Vec<String>, _> =
            runs.query_map(params![kind, folded, RUNS_NAMED_MAX], |run| run.get(0))?.collect();
        let named: Result<Vec<SessionId>, _> = named?.iter().map(|run| row::session_name(run)).collect();
        found.push(Known {
            entity: Entity { kind, name },
            seen: row::seq(next, 3)?,
            at: timestamp(next.get(4)?),
            runs: named?,
        });
    }
    Ok(found)
}

impl Reader {
    /// Everything that was learned.
    pub async fn learned(&self) -> Result<Seed, EngineError> {
        self.readers().look(seed).await
    }

    /// Every score of a run, the oldest first.
    pub async fn scores(&self, session: &SessionId) -> Result<Vec<Scored>, EngineError> {
        let session = session.clone();
        self.readers().look(move |db| scores(db, &session)).await
    }

    /// Whom and what runs were about.
    pub async fn known(&self, limit: usize) -> Result<Vec<Known>, EngineError> {
        self.readers().look(move |db| known(db, limit)).await
    }

    /// What was learned, in numbers.
    pub async fn counted(&self) -> Result<purple_port::Learned, EngineError> {
        self.readers().look(crate::figures::learned).await
    }
}

impl Store {
    /// Everything that was learned.
    pub async fn learned(&self) -> Result<Seed, EngineError> {
        self.core.readers.look(seed).await
    }
}

/// The same port for a store and for a reader beside it.
macro_rules! remembers {
    ($room:ty, $readers:expr) => {
        impl Memory for $room {
            fn recall<'a>(
                &'a self,
                text: &'a str,
                limit: usize,
            ) -> BoxFuture<'a, Result<Vec<Ranked>, EngineError>> {
                let text = text.to_owned();
                Box::pin($readers(self).look(move |db| recall(db, &text, limit)))
            }

            fn log(&self, limit: usize) -> BoxFuture<'_, Result<Vec<Logged>, EngineError>> {
                Box::pin($readers(self).look(move |db| log(db, limit)))
            }

            fn history<'a>(
                &'a self,
                entity: &'a Entity,
                whose: Whose,
                limit: usize,
            ) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>> {
                let entity = entity.clone();
                Box::pin($readers(self).look(move |db| history(db, &entity, whose, limit)))
            }

            fn tallies<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<Vec<Tally>, EngineError>> {
                let process = process.to_owned();
                Box::pin($readers(self).look(move |db| tallies(db, &process)))
            }

            fn facts<'a>(
                &'a self,
                entity: &'a Entity,
                limit: usize,
            ) -> BoxFuture<'a, Result<Vec<Fact>, EngineError>> {
                let entity = entity.clone();
                Box::pin($readers(self).look(move |db| facts(db, &entity, limit)))
            }

            fn checks<'a>(
                &'a self,
                process: &'a str,
                limit: usize,
            ) -> BoxFuture<'a, Result<Vec<Check>, EngineError>> {
                let process = process.to_owned();
                Box::pin($readers(self).look(move |db| checks(db, &process, limit)))
            }
        }
    };
}

remembers!(Store, readers);
remembers!(Reader, Reader::readers);

fn readers(store: &Store) -> &crate::readers::Readers {
    &store.core.readers
}
