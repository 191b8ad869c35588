//! The SQL of each piece of work. Runs inside a transaction of the writer.

use purple_journal::chain::{Chain, Head, Link};
use purple_journal::record::turn::{Retried, Skipped, Stuck};
use purple_journal::{Entry, Record, Redacted};
use purple_port::{Delivery, Digest, EngineError, Posted};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::configuration;
use crate::definitions;
use crate::halts;
use crate::keys;
use crate::learning;
use crate::pins;
use crate::refused::Refused;
use crate::row;
use crate::time::{Micros, timestamp};
use crate::tokens;
use crate::watchers;
use crate::work::{
    AfterFailure, Batch, Done, NewEvent, NewPost, NewUnstick, SessionKey, Signal, Told, TurnEnd, TurnFailure,
    Unstick, Work,
};

/// How many rows one pruning throws away, so that nobody waits long for it.
const PRUNED_ROWS_MAX: usize = 500;

const INSERT_ENTRY: &str =
    "INSERT INTO journal (session, seq, entry, hash, packed) VALUES (?1, ?2, ?3, ?4, ?5)";

/// Writes one piece of work; what others must hear of it goes to `signals`.
pub(crate) fn apply(
    db: &Connection,
    work: &Work,
    now: Micros,
    signals: &mut Vec<Signal>,
) -> Result<Done, Refused> {
    match work {
        Work::Post(post) => return apply_post(db, post, signals),
        Work::Begin { event } => {
            db.prepare_cached("UPDATE inbox SET begun = 1, attempts = attempts + 1 WHERE id = ?1")?
                .execute([event])?;
        }
        Work::Durable(batch) => {
            apply_batch(db, batch, signals)?;
            if batch.from != batch.to() {
                move_head(db, &batch.session, batch.from, batch.to())?;
            }
        }
        Work::Claim(claim) => return Ok(Done::Claimed(keys::claim(db, claim)?)),
        Work::End(end) => apply_end(db, end, signals)?,
        Work::Failed(failure) => apply_failure(db, failure, signals)?,
        Work::Dropped { event } => {
            db.prepare_cached("UPDATE inbox SET begun = 0 WHERE id = ?1")?.execute([event])?;
        }
        Work::Unstick(unstick) => return apply_unstick(db, unstick, signals),
        Work::Halt(halt) => halts::halt(db, halt, now)?,
        Work::Resume { process, by } => return halts::resume(db, process.as_deref(), by, now),
        Work::KeepToken(new) => return tokens::keep(db, new, now),
        Work::RevokeToken(revocation) => return tokens::revoke(db, revocation, now),
        Work::RecordSettings(new) => return configuration::record(db, new, now),
        Work::RecordPins { pins, by } => pins::record(db, pins, by, now)?,
        Work::Redefine(change) => return definitions::redefine(db, change, now),
        Work::Watch(new) => return watchers::watch(db, new, signals),
        Work::Unwatch { session, id } => return watchers::unwatch(db, session, id),
        Work::Learning(new) => return learning::act(db, new),
        Work::Told(told) => apply_told(db, told)?,
        Work::Prune { steps_before } => {
            let rows = db
                .prepare_cached(
                    "DELETE FROM steps WHERE id IN (SELECT s.id FROM steps s WHERE s.at < ?1
                       AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.id = s.event) LIMIT ?2)",
                )?
                .execute(params![steps_before, row::sql(PRUNED_ROWS_MAX as u64)])?;
            return Ok(Done::Pruned { more: rows == PRUNED_ROWS_MAX });
        }
        Work::Close => {}
    }
    Ok(Done::Written)
}

fn apply_post(db: &Connection, post: &NewPost, signals: &mut Vec<Signal>) -> Result<Done, Refused> {
    let before: Option<(String, Digest)> = db
        .prepare_cached(
            "SELECT s.name, d.digest FROM dedup d JOIN sessions s ON s.id = d.session WHERE d.key = ?1",
        )?
        .query_row([&post.dedup.0], |found| Ok((found.get(0)?, row::digest(found, 1)?)))
        .optional()?;
    if let Some((name, digest)) = before {
        let session = row::session_name(&name).map_err(Refused::Engine)?;
        let same = digest == post.event.event.digest;
        return Ok(Done::Posted(if same {
            Posted::Repeated { session }
        } else {
            Posted::Conflicting { session }
        }));
    }
    let session = session_id(db, post)?;
    db.prepare_cached("INSERT INTO dedup (key, session, digest) VALUES (?1, ?2, ?3)")?.execute(params![
        post.dedup.0,
        session,
        post.event.event.digest.as_bytes()
    ])?;
    insert_event(db, session, &post.event, signals)?;
    Ok(Done::Posted(Posted::Accepted))
}

/// The row of this session; made now if it is new.
fn session_id(db: &Connection, post: &NewPost) -> Result<i64, rusqlite::Error> {
    let name = &post.session;
    let found = db
        .prepare_cached("SELECT id FROM sessions WHERE name = ?1")?
        .query_row([name.as_str()], |found| found.get(0))
        .optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    db.prepare_cached(
        "INSERT INTO sessions (name, began, changed, head_seq, head_hash, summary)
         VALUES (?1, ?2, ?2, 0, ?3, ?4)",
    )?
    .execute(params![
        name.as_str(),
        post.now,
        Head::empty(Chain::Run(name)).hash.as_bytes(),
        post.summary
    ])?;
    Ok(db.last_insert_rowid())
}

fn insert_event(
    db: &Connection,
    session: i64,
    new: &NewEvent,
    signals: &mut Vec<Signal>,
) -> Result<(), rusqlite::Error> {
    db.prepare_cached(
        "INSERT INTO inbox (session, due, wake_at, timer, event, digest) VALUES (?1, ?2, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![session, new.due, new.timer, new.event.text, new.event.digest.as_bytes()])?;
    signals.push(Signal::Wake { session, at: new.due });
    Ok(())
}

/// Entries, steps and blobs; the head is moved by the caller, together with what else the row needs.
fn apply_batch(db: &Connection, batch: &Batch, signals: &mut Vec<Signal>) -> Result<(), Refused> {
    if !batch.links.is_empty() {
        let mut insert = db.prepare_cached(INSERT_ENTRY)?;
        for new in &batch.links {
            let (plain, packed) = (&new.text.plain, &new.text.packed);
            let (seq, hash) = (row::sql(new.head.seq), new.head.hash.as_bytes());
            insert.execute(params![batch.session.id, seq, plain, hash, packed])?;
        }
        signals.push(Signal::Grew { session: batch.session.name.clone() });
    }
    for step in &batch.steps {
        db.prepare_cached("INSERT INTO steps (event, name, value, digest, at) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![
                batch.event,
                step.name,
                step.value.text,
                step.value.digest.as_bytes(),
                batch.now
            ])?;
    }
    for blob in &batch.blobs {
        db.prepare_cached(
            "INSERT INTO blobs (hash, bytes, packed) VALUES (?1, ?2, ?3) ON CONFLICT (hash) DO NOTHING",
        )?
        .execute(params![blob.hash.as_bytes(), blob.bytes.plain, blob.bytes.packed])?;
    }
    Ok(())
}

/// INVARIANT: a chain grows at its end only. If the stored head is not the one that the turn built on, somebody
/// else wrote into this session, and nothing of the turn is kept.
fn move_head(db: &Connection, session: &SessionKey, from: Head, to: Head) -> Result<(), Refused> {
    let moved = db
        .prepare_cached(
            "UPDATE sessions SET head_seq = ?2, head_hash = ?3 WHERE id = ?1 AND head_seq = ?4 AND head_hash = ?5",
        )?
        .execute(params![session.id, row::sql(to.seq), to.hash.as_bytes(), row::sql(from.seq), from.hash.as_bytes()])?;
    expect_one(moved, session)
}

fn expect_one(moved: usize, session: &SessionKey) -> Result<(), Refused> {
    if moved == 1 {
        return Ok(());
    }
    Err(Refused::Engine(EngineError::Damaged {
        what: "journal",
        detail: format!("the head of session `{}` is not where its turn left it", session.name),
    }))
}

fn apply_end(db: &Connection, end: &TurnEnd, signals: &mut Vec<Signal>) -> Result<(), Refused> {
    let batch = &end.batch;
    let (session, to) = (batch.session.id, batch.to());
    apply_batch(db, batch, signals)?;
    let moved = db
        .prepare_cached(
            "UPDATE sessions SET head_seq = ?2, head_hash = ?3, changed = ?4, summary = coalesce(?5, summary)
             WHERE id = ?1 AND head_seq = ?6 AND head_hash = ?7",
        )?
        .execute(params![
            session,
            row::sql(to.seq),
            to.hash.as_bytes(),
            batch.now,
            end.checkpoint.as_ref().map(|saved| &saved.summary),
            row::sql(batch.from.seq),
            batch.from.hash.as_bytes()
        ])?;
    expect_one(moved, &batch.session)?;
    if let Some(saved) = &end.checkpoint {
        db.prepare_cached(
            "INSERT INTO checkpoints (session, schema, body, digest, packed) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (session) DO UPDATE SET schema = ?2, body = ?3, digest = ?4, packed = ?5",
        )?
        .execute(params![
            session,
            saved.schema,
            saved.body.plain,
            saved.digest.as_bytes(),
            saved.body.packed
        ])?;
    }
    db.prepare_cached("DELETE FROM inbox WHERE id = ?1")?.execute([batch.event])?;
    for follow_up in &end.follow_ups {
        if let Some(timer) = &follow_up.timer {
            db.prepare_cached("DELETE FROM inbox WHERE session = ?1 AND timer = ?2")?
                .execute(params![session, timer])?;
        }
        insert_event(db, session, follow_up, signals)?;
    }
    for post in &end.posts {
        apply_post(db, post, signals)?;
    }
    for notice in &end.notices {
        db.prepare_cached("INSERT INTO outbox (notice, wake_at) VALUES (?1, ?2)")?
            .execute(params![notice, batch.now])?;
    }
    keys::release(db, session, &end.released)?;
    end.lessons.iter().try_for_each(|lesson| learning::learn(db, lesson))?;
    let told = watchers::moved(db, &batch.session.name, (batch.from.seq, to.seq), batch.now)?;
    if !end.notices.is_empty() || told == watchers::Told::Somebody {
        signals.push(Signal::Notice);
    }
    Ok(())
}

fn apply_failure(db: &Connection, failure: &TurnFailure, signals: &mut Vec<Signal>) -> Result<(), Refused> {
    match failure.next {
        AfterFailure::Again { wake_at } => {
            db.prepare_cached(
                "UPDATE inbox SET begun = 0, failures = failures + 1, wake_at = ?2 WHERE id = ?1",
            )?
            .execute(params![failure.event, wake_at])?;
            signals.push(Signal::Wake { session: failure.session.id, at: wake_at });
        }
        AfterFailure::Stuck => {
            db.prepare_cached("UPDATE inbox SET begun = 0, failures = failures + 1 WHERE id = ?1")?
                .execute([failure.event])?;
            park(db, &failure.session, failure.event, &failure.reason, failure.now)?;
            signals.push(Signal::Grew { session: failure.session.name.clone() });
        }
    }
    Ok(())
}

/// Gives up on an event, visibly: the session shows it, and its journal tells it.
pub(crate) fn park(
    db: &Connection,
    session: &SessionKey,
    event: i64,
    reason: &str,
    now: Micros,
) -> Result<(), Refused> {
    let attempts: u32 = db
        .prepare_cached("UPDATE inbox SET stuck = ?2 WHERE id = ?1 RETURNING attempts")?
        .query_row(params![event, reason], |found| found.get(0))?;
    append_own(db, session, Stuck { attempts, reason: Redacted::of(reason) }.into(), now)
}

/// An entry of the engine itself. No turn of the session runs now: the turn that failed has ended.
fn append_own(db: &Connection, session: &SessionKey, record: Record, now: Micros) -> Result<(), Refused> {
    let from = db
        .prepare_cached("SELECT head_seq, head_hash FROM sessions WHERE id = ?1")?
        .query_row([session.id], |found| row::head(found, 0))?;
    let text = Entry { at: timestamp(now), record }.text();
    let link = Link::behind(&from, Chain::Run(&session.name), text);
    let (seq, hash) = (row::sql(link.head.seq), link.head.hash.as_bytes());
    db.prepare_cached(INSERT_ENTRY)?.execute(params![
        session.id,
        seq,
        link.text,
        hash,
        Option::<&[u8]>::None
    ])?;
    move_head(db, session, from, link.head)?;
    db.prepare_cached("UPDATE sessions SET changed = ?2 WHERE id = ?1")?.execute(params![session.id, now])?;
    Ok(())
}

fn apply_unstick(db: &Connection, unstick: &NewUnstick, signals: &mut Vec<Signal>) -> Result<Done, Refused> {
    let found: Option<(i64, i64)> = db
        .prepare_cached(
            "SELECT i.id, i.session FROM inbox i JOIN sessions s ON s.id = i.session
             WHERE s.name = ?1 AND i.stuck IS NOT NULL",
        )?
        .query_row([unstick.session.as_str()], |found| Ok((found.get(0)?, found.get(1)?)))
        .optional()?;
    let Some((event, id)) = found else { return Ok(Done::Nothing) };
    let session = SessionKey { id, name: unstick.session.clone() };
    let by = Redacted::of(&unstick.by);
    let record: Record = match unstick.how {
        Unstick::Retry => {
            db.prepare_cached(
                "UPDATE inbox SET stuck = NULL, failures = 0, crashes = 0, wake_at = due WHERE id = ?1",
            )?
            .execute([event])?;
            Retried { by }.into()
        }
        Unstick::Skip => {
            db.prepare_cached("DELETE FROM inbox WHERE id = ?1")?.execute([event])?;
            Skipped { by }.into()
        }
    };
    append_own(db, &session, record, unstick.now)?;
    signals.push(Signal::Wake { session: id, at: NewEvent::AT_ONCE });
    signals.push(Signal::Grew { session: unstick.session.clone() });
    Ok(Done::Written)
}

fn apply_told(db: &Connection, told: &Told) -> Result<(), Refused> {
    match (told.delivery, told.wake_at) {
        (Delivery::Delivered, _) => {
            db.prepare_cached("DELETE FROM outbox WHERE id = ?1")?.execute([told.id])?;
        }
        (Delivery::Later, Some(wake_at)) => {
            db.prepare_cached("UPDATE outbox SET tries = tries + 1, wake_at = ?2 WHERE id = ?1")?
                .execute(params![told.id, wake_at])?;
        }
        (Delivery::Later, None) | (Delivery::Hopeless, _) => {
            let dead = if told.delivery == Delivery::Hopeless { "hopeless" } else { "its tries are used up" };
            db.prepare_cached("UPDATE outbox SET tries = tries + 1, dead = ?2 WHERE id = ?1")?
                .execute(params![told.id, dead])?;
        }
    }
    Ok(())
}
