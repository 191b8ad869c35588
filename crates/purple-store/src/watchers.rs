//! Who wants to be told when a session moves. The notices commit with the turn that they tell of.

use purple_journal::RedactedJson;
use purple_port::limits::{WATCHER_BYTES_MAX, WATCHERS_MAX};
use purple_port::{BoxFuture, EngineError, MOVED_KIND, Moved, Notice, SessionId, Watcher, Watchers};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::readers::Looked;
use crate::refused::Refused;
use crate::row;
use crate::store::Store;
use crate::time::Micros;
use crate::turn::{encode, fits};
use crate::work::{Done, Sealed, Signal, Work};

/// A watcher on its way into the database.
#[derive(Debug)]
pub(crate) struct NewWatcher {
    session: SessionId,
    id: String,
    watcher: Sealed,
    now: Micros,
}

/// Keeps a watcher, and tells it where the session stands.
pub(crate) fn watch(db: &Connection, new: &NewWatcher, signals: &mut Vec<Signal>) -> Result<Done, Refused> {
    let others: i64 = db
        .prepare_cached("SELECT count(*) FROM watchers WHERE session = ?1 AND id <> ?2")?
        .query_row(params![new.session.as_str(), new.id], |found| found.get(0))?;
    let others = usize::try_from(others).unwrap_or(usize::MAX);
    if others >= WATCHERS_MAX {
        let (what, bytes) = ("number of watchers", others.saturating_add(1));
        return Err(Refused::Engine(EngineError::TooLarge { what, bytes, bytes_max: WATCHERS_MAX }));
    }
    db.prepare_cached(
        "INSERT INTO watchers (session, id, watcher, digest) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (session, id) DO UPDATE SET watcher = ?3, digest = ?4",
    )?
    .execute(params![new.session.as_str(), new.id, new.watcher.text, new.watcher.digest.as_bytes()])?;
    let length = db
        .prepare_cached("SELECT head_seq FROM sessions WHERE name = ?1")?
        .query_row([new.session.as_str()], |found| row::seq(found, 0))
        .optional()?;
    if let Some(to) = length.filter(|to| *to > 0) {
        tell(db, &new.session, &new.id, (0, to), new.now)?;
        signals.push(Signal::Notice);
    }
    Ok(Done::Written)
}

/// Forgets a watcher. Notices that wait for it find nobody.
pub(crate) fn unwatch(db: &Connection, session: &SessionId, id: &str) -> Result<Done, Refused> {
    let gone = db
        .prepare_cached("DELETE FROM watchers WHERE session = ?1 AND id = ?2")?
        .execute(params![session.as_str(), id])?;
    Ok(if gone == 1 { Done::Written } else { Done::Nothing })
}

/// Tells every watcher of a session that it moved. Part of the commit that moved it.
pub(crate) fn moved(
    db: &Connection,
    session: &SessionId,
    (from, to): (u64, u64),
    now: Micros,
) -> Result<Told, Refused> {
    let mut look = db.prepare_cached("SELECT id FROM watchers WHERE session = ?1 ORDER BY id")?;
    let ids: Result<Vec<String>, _> = look.query_map([session.as_str()], |found| found.get(0))?.collect();
    let ids = ids?;
    ids.iter().try_for_each(|id| tell(db, session, id, (from, to), now))?;
    Ok(if ids.is_empty() { Told::Nobody } else { Told::Somebody })
}

/// Whether anybody watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Nobody,
    Somebody,
}

fn tell(
    db: &Connection,
    session: &SessionId,
    watcher: &str,
    (from, to): (u64, u64),
    now: Micros,
) -> Result<(), Refused> {
    let moved = Moved { watcher: watcher.to_owned(), from, to };
    let notice = Notice {
        id: format!("{session}:{watcher}:{to}"),
        session: session.clone(),
        kind: MOVED_KIND.to_owned(),
        body: RedactedJson::of(&moved),
    };
    let text = encode("notice", &notice).map_err(Refused::Engine)?;
    db.prepare_cached("INSERT INTO outbox (notice, wake_at) VALUES (?1, ?2)")?.execute(params![text, now])?;
    Ok(())
}

fn list(db: &Connection, session: &SessionId) -> Looked<Vec<Watcher>> {
    let mut look =
        db.prepare_cached("SELECT watcher, digest FROM watchers WHERE session = ?1 ORDER BY id")?;
    let mut rows = look.query([session.as_str()])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        let text = row::sealed(next, 0)?.check("watcher")?;
        let damaged =
            |error: serde_json::Error| EngineError::Damaged { what: "watcher", detail: error.to_string() };
        found.push(serde_json::from_str(&text).map_err(damaged)?);
    }
    Ok(found)
}

impl Watchers for Store {
    fn watch(&self, watcher: Watcher) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(async move {
            fits("watcher", encode("watcher", &watcher)?.len(), WATCHER_BYTES_MAX)?;
            let watcher = self.core.vault.hide(watcher)?;
            let text = encode("watcher", &watcher)?;
            let Watcher { session, id, .. } = watcher;
            let new = NewWatcher { session, id, watcher: Sealed::new(text), now: self.core.time.now() };
            self.core.writer.write(Work::Watch(new)).await.map(drop)
        })
    }

    fn watchers<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Vec<Watcher>, EngineError>> {
        let session = session.clone();
        Box::pin(async move {
            let found = self.core.readers.look(move |db| list(db, &session)).await?;
            found.into_iter().map(|watcher| Ok(self.core.vault.show(watcher)?)).collect()
        })
    }

    fn unwatch<'a>(
        &'a self,
        session: &'a SessionId,
        id: &'a str,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(async move {
            let work = Work::Unwatch { session: session.clone(), id: id.to_owned() };
            Ok(self.core.writer.write(work).await? != Done::Nothing)
        })
    }
}
