//! Writes what was learned, and forgets it where an operator says so.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use purple_port::{
    Carried, Check, Citation, Defined, Digest, EngineError, Entity, Fact, Forget, Imported, Lesson, PastCase,
    PersonId, Redefinition, Scored, Seed, Timestamp, Whose,
};
use rusqlite::{Connection, OptionalExtension as _, ToSql, params};
use serde_json::json;

use crate::definitions::redefine;
use crate::forgotten;
use crate::refused::Refused;
use crate::row;
use crate::store::Store;
use crate::time::{Micros, timestamp};
use crate::work::{Done, Work};

/// What an operator does to what was learned.
#[derive(Debug)]
pub(crate) enum Act {
    Forget(Forget),
    /// What others learned and made, how many cases the log keeps, and whether what was forgotten comes back.
    Import {
        carried: Box<Carried>,
        cases_max: u32,
        again: Again,
    },
}

/// Whether what was forgotten here comes back with a seed that still holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    Yes,
    No,
}

/// An act on its way into the database.
#[derive(Debug)]
pub(crate) struct NewAct {
    pub(crate) act: Act,
    pub(crate) by: PersonId,
    pub(crate) now: Micros,
}

/// Keeps everything that a turn taught.
pub(crate) fn learn(db: &Connection, lesson: &Lesson) -> Result<(), Refused> {
    if let Some(case) = &lesson.case {
        keep_case(db, case, Whose::Ours)?;
        leave_log(db, lesson.cases_max)?;
    }
    lesson.scores.iter().try_for_each(|score| keep_score(db, score))?;
    lesson.facts.iter().try_for_each(|fact| keep_fact(db, fact))?;
    lesson.checks.iter().try_for_each(|check| keep_check(db, check).map(drop))?;
    Ok(())
}

/// Keeps a case. A second one of the same session and round changes nothing.
fn keep_case(db: &Connection, case: &PastCase, whose: Whose) -> Result<bool, rusqlite::Error> {
    let at = case.at.as_microsecond();
    let id: Option<i64> = db
        .prepare_cached(
            "INSERT INTO cases (session, round, at, process, body, text, imported)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (session, round) DO NOTHING RETURNING id",
        )?
        .query_row(
            params![
                case.session.as_str(),
                case.round,
                at,
                case.process,
                case.body.to_string(),
                case.text,
                whose == Whose::Anybodys
            ],
            |found| found.get(0),
        )
        .optional()?;
    let Some(id) = id else { return Ok(false) };
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
                 ON CONFLICT (kind, name) DO UPDATE
                 SET body = iif(?4 >= at, ?3, body), seen = seen + 1, at = max(at, ?4)",
            )?
            .execute(params![
                entity.kind,
                folded,
                json!({ "name": entity.name }).to_string(),
                at
            ])?;
        }
    }
    Ok(true)
}

/// First in, first out.
fn leave_log(db: &Connection, cases_max: u32) -> Result<(), rusqlite::Error> {
    db.prepare_cached(
        "UPDATE cases SET logged = 0 WHERE logged = 1 AND id <=
           (SELECT id FROM cases WHERE logged = 1 ORDER BY id DESC LIMIT 1 OFFSET ?1)",
    )?
    .execute([cases_max])?;
    Ok(())
}

/// Adds a score. An earlier one of the same round stays, and counts no more.
fn keep_score(db: &Connection, score: &Scored) -> Result<(), rusqlite::Error> {
    let of = params![score.session.as_str(), score.round];
    db.prepare_cached("UPDATE scores SET latest = 0 WHERE session = ?1 AND round = ?2 AND latest = 1")?
        .execute(of)?;
    db.prepare_cached(
        "INSERT INTO scores (session, round, revision, process, arm, points, cause, because, at)
         VALUES (?1, ?2, (SELECT coalesce(max(revision), 0) + 1 FROM scores WHERE session = ?1 AND round = ?2),
                 ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        score.session.as_str(),
        score.round,
        score.process,
        score.arm.map(|arm| arm.as_str()),
        score.points,
        score.cause,
        json!(score.because).to_string(),
        score.at.as_microsecond()
    ])?;
    Ok(())
}

/// A fact that stands, as the table has it.
struct Standing {
    id: i64,
    domain: String,
    value: String,
    read_at: Timestamp,
}

/// What stands about this field of this entity, whichever process found it.
fn standing(db: &Connection, fact: &Fact) -> Result<Vec<Standing>, rusqlite::Error> {
    let mut read = db.prepare_cached(
        "SELECT id, domain, value, evidence, at FROM knowledge
         WHERE kind = ?1 AND folded = ?2 AND field = ?3 AND superseded IS NULL ORDER BY id",
    )?;
    let one = |row: &rusqlite::Row<'_>| {
        let cited = serde_json::from_str::<Citation>(&row.get::<_, String>(3)?);
        let read_at = cited.map_or(timestamp(row.get(4)?), |cited| cited.read_at);
        Ok(Standing { id: row.get(0)?, domain: row.get(1)?, value: row.get(2)?, read_at })
    };
    read.query_map(params![fact.entity.kind, fold(&fact.entity.name), fact.field], one)?.collect()
}

/// Keeps a fact. The same again only makes it fresher; another value marks what was read before it.
fn keep_fact(db: &Connection, fact: &Fact) -> Result<(), rusqlite::Error> {
    let standing = standing(db, fact)?;
    let read_at = fact.evidence.read_at;
    let others = || standing.iter().filter(|one| one.value != fact.value);
    // What is older than what is known is kept as what it is: superseded.
    let newer = others().map(|one| one.read_at).filter(|at| read_at < *at).min();
    let superseded = fact.superseded.or(newer);
    let same = standing.iter().find(|one| one.value == fact.value && one.domain == fact.domain);
    if let Some(same) = same {
        if superseded.is_none() && same.read_at < read_at {
            db.prepare_cached(
                "UPDATE knowledge SET at = ?2, session = ?3, round = ?4, evidence = ?5 WHERE id = ?1",
            )?
            .execute(params![
                same.id,
                fact.at.as_microsecond(),
                fact.session.as_str(),
                fact.round,
                json!(fact.evidence).to_string()
            ])?;
        }
    } else if superseded.is_none() || !is_kept(db, fact)? {
        add_fact(db, fact, superseded)?;
    }
    if superseded.is_none() {
        for other in others() {
            db.prepare_cached("UPDATE knowledge SET superseded = ?2 WHERE id = ?1")?
                .execute(params![other.id, read_at.as_microsecond()])?;
        }
    }
    Ok(())
}

/// Whether what was superseded is here already.
fn is_kept(db: &Connection, fact: &Fact) -> Result<bool, rusqlite::Error> {
    db.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM knowledge WHERE kind = ?1 AND folded = ?2 AND domain = ?3 AND field = ?4
           AND value = ?5 AND session = ?6 AND round = ?7 AND superseded IS NOT NULL)",
    )?
    .query_row(
        params![
            fact.entity.kind,
            fold(&fact.entity.name),
            fact.domain,
            fact.field,
            fact.value,
            fact.session.as_str(),
            fact.round
        ],
        |found| found.get(0),
    )
}

fn add_fact(db: &Connection, fact: &Fact, superseded: Option<Timestamp>) -> Result<(), rusqlite::Error> {
    db.prepare_cached(
        "INSERT INTO knowledge (domain, kind, folded, name, field, value, session, round, evidence, at, superseded)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        fact.domain,
        fact.entity.kind,
        fold(&fact.entity.name),
        fact.entity.name,
        fact.field,
        fact.value,
        fact.session.as_str(),
        fact.round,
        json!(fact.evidence).to_string(),
        fact.at.as_microsecond(),
        superseded.map(Timestamp::as_microsecond)
    ])?;
    Ok(())
}

fn keep_check(db: &Connection, check: &Check) -> Result<usize, rusqlite::Error> {
    db.prepare_cached(
        "INSERT INTO checks (session, round, process, figure, given, found, hit, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (session, round, figure) DO NOTHING",
    )?
    .execute(params![
        check.session.as_str(),
        check.round,
        check.process,
        check.figure,
        check.given,
        check.found,
        check.hit,
        check.at.as_microsecond()
    ])
}

/// What two spellings of one name share: no case, one space between words.
pub(crate) fn fold(name: &str) -> String {
    name.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Does what an operator wants, and writes down that they did.
pub(crate) fn act(db: &Connection, new: &NewAct) -> Result<Done, Refused> {
    let (words, done) = match &new.act {
        Act::Forget(what) => {
            let rows = forget(db, what)?;
            (format!("forget {what}"), Imported { rows, ..Imported::default() })
        }
        Act::Import { carried, cases_max, again } => {
            let words = format!("import {}", Digest::of(json!(carried.seed).to_string().as_bytes()));
            let known: bool = db
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM learning_acts WHERE act = ?1)")?
                .query_row([&words], |found| found.get(0))?;
            let made = define(db, &carried.definitions, *again, new.now)?;
            if known && *again == Again::No {
                if made == 0 {
                    return Ok(Done::Nothing);
                }
                (words, Imported { rows: made, ..Imported::default() })
            } else {
                let taken = import(db, &carried.seed, *cases_max, *again)?;
                (words, Imported { rows: taken.rows + made, ..taken })
            }
        }
    };
    db.prepare_cached("INSERT INTO learning_acts (at, by, act, rows) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![new.now, new.by.as_str(), words, row::sql(done.rows)])?;
    Ok(Done::Learned(done))
}

/// Defines what has a free name. Answers how many did.
fn define(db: &Connection, definitions: &[Defined], again: Again, now: Micros) -> Result<u64, Refused> {
    let mut made = 0;
    for new in definitions {
        let what = forgotten::definition(new.kind, &new.name);
        if again == Again::No && forgotten::is(db, &what)? {
            continue;
        }
        if redefine(db, &Redefinition::Define(new.clone()), now)? != Done::Nothing {
            made += 1;
        }
    }
    Ok(made)
}

fn import(db: &Connection, seed: &Seed, cases_max: u32, again: Again) -> Result<Imported, rusqlite::Error> {
    let mut taken = Imported::default();
    let gone = |what: Digest| Ok::<_, rusqlite::Error>(again == Again::No && forgotten::is(db, &what)?);
    let mut count = |new: bool| if new { taken.rows += 1 } else { taken.known += 1 };
    // Oldest first, so that the newest of them stay in the log.
    for logged in seed.cases.iter().rev() {
        let new = !gone(forgotten::case(&logged.case))? && keep_case(db, &logged.case, Whose::Anybodys)?;
        if new && logged.left {
            // After it was added, so that the search has let go of it too.
            db.prepare_cached("UPDATE cases SET logged = 0 WHERE session = ?1 AND round = ?2")?
                .execute(params![logged.case.session.as_str(), logged.case.round])?;
        }
        count(new);
    }
    leave_log(db, cases_max)?;
    for score in &seed.scores {
        // Scores that are here already are those that count.
        let known: bool = db
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM scores WHERE session = ?1 AND round = ?2)")?
            .query_row(params![score.session.as_str(), score.round], |found| found.get(0))?;
        let new = !known && !gone(forgotten::score(score))?;
        if new {
            keep_score(db, score)?;
        }
        count(new);
    }
    for fact in &seed.facts {
        let before = db.total_changes();
        if !gone(forgotten::fact(fact))? {
            keep_fact(db, fact)?;
        }
        count(db.total_changes() > before);
    }
    for check in &seed.checks {
        count(!gone(forgotten::check(check))? && keep_check(db, check)? == 1);
    }
    Ok(taken)
}

/// Removes rows, and what the search made of them.
fn forget(db: &Connection, what: &Forget) -> Result<u64, rusqlite::Error> {
    // What is deleted is overwritten too.
    db.pragma_update(None, "secure_delete", true)?;
    let mut rows = 0;
    let mut delete = |table: forgotten::Table, which: &str, with: &[&dyn ToSql]| {
        let gone = table.delete(db, which, with)?;
        rows += gone;
        Ok::<_, rusqlite::Error>(())
    };
    use forgotten::Table::{Cases, Checks, Knowledge, Scores};
    match what {
        Forget::Run(session) => {
            for table in [Cases, Scores, Knowledge, Checks] {
                delete(table, "session = ?1", &[&session.as_str()])?;
            }
        }
        Forget::Entity(Entity { kind, name }) => {
            let folded = fold(name);
            let of: [&dyn ToSql; 2] = [kind, &folded];
            let named = "id IN (SELECT case_id FROM case_entities WHERE kind = ?1 AND folded = ?2)";
            delete(Cases, named, &of)?;
            delete(Knowledge, "kind = ?1 AND folded = ?2", &of)?;
        }
        Forget::Process(name) => {
            for table in [Cases, Scores, Checks] {
                delete(table, "process = ?1", &[name])?;
            }
            delete(Knowledge, "domain = ?1", &[name])?;
        }
        Forget::Everything => {
            for table in [Cases, Scores, Knowledge, Checks] {
                delete(table, "TRUE", &[])?;
            }
        }
    }
    db.execute_batch(
        "DELETE FROM case_entities WHERE case_id NOT IN (SELECT id FROM cases);
         DELETE FROM entities WHERE NOT EXISTS
             (SELECT 1 FROM case_entities c WHERE c.kind = entities.kind AND c.folded = entities.name);
         UPDATE entities SET
             seen = (SELECT count(DISTINCT case_id) FROM case_entities e
                     WHERE e.kind = entities.kind AND e.folded = entities.name),
             (at, body) = (SELECT c.at, json_object('name', e.name)
                           FROM case_entities e JOIN cases c ON c.id = e.case_id
                           WHERE e.kind = entities.kind AND e.folded = entities.name
                           ORDER BY c.at DESC, c.id DESC, e.place LIMIT 1);
         INSERT INTO case_words (case_words) VALUES ('rebuild');",
    )?;
    db.pragma_update(None, "secure_delete", false)?;
    Ok(rows)
}

impl Store {
    /// Forgets what was learned, for good. Answers how many rows that were.
    pub async fn forget(&self, what: Forget, by: PersonId) -> Result<u64, EngineError> {
        Ok(self.act(Act::Forget(what), by).await?.unwrap_or_default().rows)
    }

    /// Takes up what was learned elsewhere. What is known here already stays as it is.
    pub async fn import(&self, seed: Seed, cases_max: u32, by: PersonId) -> Result<Imported, EngineError> {
        let carried = Box::new(Carried { seed, definitions: Vec::new() });
        let act = Act::Import { carried, cases_max, again: Again::Yes };
        Ok(self.act(act, by).await?.unwrap_or_default())
    }

    /// The same as a server does it when it starts, with processes and functions: what was forgotten here stays
    /// forgotten, and what was taken before is not taken again.
    pub async fn import_once(
        &self,
        carried: Carried,
        cases_max: u32,
        by: PersonId,
    ) -> Result<Option<Imported>, EngineError> {
        let act = Act::Import { carried: Box::new(carried), cases_max, again: Again::No };
        let taken = self.act(act, by).await;
        self.core.definitions.fetch_add(1, Ordering::AcqRel);
        taken
    }

    async fn act(&self, act: Act, by: PersonId) -> Result<Option<Imported>, EngineError> {
        let now = self.core.time.now();
        match self.core.writer.write(Work::Learning(NewAct { act, by, now })).await? {
            Done::Learned(taken) => Ok(Some(taken)),
            Done::Written | Done::Posted(_) | Done::Claimed(_) | Done::Nothing | Done::Pruned { .. } => {
                Ok(None)
            }
        }
    }
}
