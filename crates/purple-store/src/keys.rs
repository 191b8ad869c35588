//! Business keys: of all sessions the first one that asks gets a key, and keeps it.

use purple_port::{Claim, SessionId};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::readers::Looked;
use crate::refused::Refused;
use crate::row;
use crate::work::NewClaim;

/// Takes the key for a session, if nobody has it.
pub(crate) fn claim(db: &Connection, claim: &NewClaim) -> Result<Claim, Refused> {
    db.prepare_cached(
        "INSERT INTO claims (key, session, at) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING",
    )?
    .execute(params![claim.key, claim.session.id, claim.now])?;
    let (owner, name): (i64, String) = db
        .prepare_cached(
            "SELECT s.id, s.name FROM claims c JOIN sessions s ON s.id = c.session WHERE c.key = ?1",
        )?
        .query_row([&claim.key], |found| Ok((found.get(0)?, found.get(1)?)))?;
    if owner == claim.session.id {
        return Ok(Claim::Ours);
    }
    Ok(Claim::Theirs { session: row::session_name(&name).map_err(Refused::Engine)? })
}

/// Who has a key, if somebody has it.
pub(crate) fn holder(db: &Connection, key: &str) -> Looked<Option<SessionId>> {
    let name: Option<String> = db
        .prepare_cached("SELECT s.name FROM claims c JOIN sessions s ON s.id = c.session WHERE c.key = ?1")?
        .query_row([key], |found| found.get(0))
        .optional()?;
    Ok(name.map(|name| row::session_name(&name)).transpose()?)
}

/// Gives keys back. Those of other sessions stay theirs.
pub(crate) fn release(db: &Connection, session: i64, keys: &[String]) -> Result<(), Refused> {
    for key in keys {
        db.prepare_cached("DELETE FROM claims WHERE key = ?1 AND session = ?2")?
            .execute(params![key, session])?;
    }
    Ok(())
}
