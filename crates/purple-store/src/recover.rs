//! What the last process left unfinished. Nothing is replayed: an event that did not end is simply run again.

use purple_port::EngineError;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::apply::park;
use crate::refused::Refused;
use crate::row;
use crate::settings::Settings;
use crate::time::Micros;
use crate::work::SessionKey;

/// Counts a crash against every event whose turn was running, and gives up on those that brought the process
/// down too often: otherwise one bad event would end every start.
pub(crate) fn recover(db: &mut Connection, settings: &Settings, now: Micros) -> Result<(), EngineError> {
    let transaction = Transaction::new(db, TransactionBehavior::Immediate)
        .map_err(|error| crate::error::storage("recovering", &error))?;
    count_and_park(&transaction, settings, now).map_err(|refused| refused.told())?;
    transaction.commit().map_err(|error| crate::error::storage("recovering", &error))
}

fn count_and_park(db: &Connection, settings: &Settings, now: Micros) -> Result<(), Refused> {
    db.execute("UPDATE inbox SET crashes = crashes + 1, begun = 0 WHERE begun = 1", [])?;
    let mut read = db.prepare(
        "SELECT i.id, i.session, s.name, i.crashes FROM inbox i JOIN sessions s ON s.id = i.session
         WHERE i.crashes >= ?1 AND i.stuck IS NULL",
    )?;
    let found: Result<Vec<(i64, i64, String, u32)>, _> = read
        .query_map(params![settings.crashes_max], |found| {
            Ok((found.get(0)?, found.get(1)?, found.get(2)?, found.get(3)?))
        })?
        .collect();
    for (event, id, name, crashes) in found? {
        let session = SessionKey { id, name: row::session_name(&name).map_err(Refused::Engine)? };
        park(db, &session, event, &format!("the process died {crashes} times in this turn"), now)?;
    }
    Ok(())
}
