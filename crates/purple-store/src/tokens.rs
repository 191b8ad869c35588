//! Tokens of callers from outside: kept for ever, taken back in place.

use jiff::Timestamp;
use purple_journal::Redacted;
use purple_journal::record::operator::{TokenCreated, TokenRevoked};
use purple_port::limits::{TOKEN_BYTES_MAX, TOKENS_MAX};
use purple_port::{BoxFuture, EngineError, PersonId, Token, Tokens};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::operators;
use crate::reader::{ReadOnly, Reader};
use crate::readers::Looked;
use crate::refused::Refused;
use crate::row;
use crate::store::Store;
use crate::time::Micros;
use crate::turn::{encode, fits};
use crate::work::{Done, Sealed, Work};

/// A token on its way into the database.
#[derive(Debug)]
pub(crate) struct NewToken {
    token: Box<Token>,
    /// The same as JSON.
    stored: Sealed,
    /// Who created it.
    by: PersonId,
}

/// A token to revoke.
#[derive(Debug)]
pub(crate) struct Revocation {
    id: String,
    by: PersonId,
    at: Timestamp,
}

/// Keeps a token, unless its id is taken or there are too many.
pub(crate) fn keep(db: &Connection, new: &NewToken, now: Micros) -> Result<Done, Refused> {
    let count: i64 = db.prepare_cached("SELECT count(*) FROM tokens")?.query_row([], |found| found.get(0))?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count >= TOKENS_MAX {
        let (what, bytes) = ("number of tokens", count.saturating_add(1));
        return Err(Refused::Engine(EngineError::TooLarge { what, bytes, bytes_max: TOKENS_MAX }));
    }
    let kept = db
        .prepare_cached(
            "INSERT INTO tokens (id, token, digest) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![new.token.id, new.stored.text, new.stored.digest.as_bytes()])?;
    if kept == 0 {
        return Ok(Done::Nothing);
    }
    let Token { id, person, roles, groups, until, .. } = &*new.token;
    let created = TokenCreated {
        id: operators::short(id),
        row: operators::token_row(id),
        digest: new.stored.digest,
        person: Redacted::of(person),
        roles: Redacted::all(roles.iter().map(|role| role.name())),
        groups: Redacted::all(groups),
        until: *until,
        by: Some(Redacted::of(&new.by)),
    };
    operators::append(db, created, now)?;
    Ok(Done::Written)
}

/// Takes a token back that counts.
pub(crate) fn revoke(db: &Connection, revocation: &Revocation, now: Micros) -> Result<Done, Refused> {
    let Revocation { id, by, at } = revocation;
    let found = find(db, id).map_err(refused)?;
    let Some(token) = found.filter(|token| token.revoked.is_none()) else { return Ok(Done::Nothing) };
    let sealed =
        Sealed::new(encode("token", &Token { revoked: Some(*at), ..token }).map_err(Refused::Engine)?);
    db.prepare_cached("UPDATE tokens SET token = ?2, digest = ?3 WHERE id = ?1")?.execute(params![
        id,
        sealed.text,
        sealed.digest.as_bytes()
    ])?;
    let (row, by) = (operators::token_row(id), Some(Redacted::of(by)));
    operators::append(db, TokenRevoked { id: operators::short(id), row, digest: sealed.digest, by }, now)?;
    Ok(Done::Written)
}

fn refused(error: crate::readers::ReadError) -> Refused {
    match error {
        crate::readers::ReadError::Database(error) => Refused::Database(error),
        crate::readers::ReadError::Engine(error) => Refused::Engine(error),
    }
}

fn find(db: &Connection, id: &str) -> Looked<Option<Token>> {
    let found = db
        .prepare_cached("SELECT token, digest FROM tokens WHERE id = ?1")?
        .query_row([id], |found| row::sealed(found, 0))
        .optional()?;
    found.map(|sealed| read(sealed).map_err(Into::into)).transpose()
}

fn list(db: &Connection) -> Looked<Vec<Token>> {
    let mut look = db.prepare_cached("SELECT token, digest FROM tokens ORDER BY id")?;
    let mut rows = look.query([])?;
    let mut found = Vec::new();
    while let Some(next) = rows.next()? {
        found.push(read(row::sealed(next, 0)?)?);
    }
    Ok(found)
}

fn read(sealed: Sealed) -> Result<Token, EngineError> {
    let text = sealed.check("token")?;
    serde_json::from_str(&text)
        .map_err(|error| EngineError::Damaged { what: "token", detail: error.to_string() })
}

impl Tokens for Store {
    fn token(&self, id: &str) -> Result<Option<Token>, EngineError> {
        self.core.readers.look_here(|db| find(db, id))
    }

    fn tokens(&self) -> Result<Vec<Token>, EngineError> {
        self.core.readers.look_here(list)
    }

    fn keep_token<'a>(&'a self, token: Token, by: &'a PersonId) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(async move {
            let text = encode("token", &token)?;
            fits("token", text.len(), TOKEN_BYTES_MAX)?;
            let new = NewToken { token: Box::new(token), stored: Sealed::new(text), by: by.clone() };
            Ok(self.core.writer.write(Work::KeepToken(new)).await? != Done::Nothing)
        })
    }

    fn revoke_token<'a>(
        &'a self,
        id: &'a str,
        by: &'a PersonId,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(async move {
            let work = Work::RevokeToken(Revocation { id: id.to_owned(), by: by.clone(), at });
            Ok(self.core.writer.write(work).await? != Done::Nothing)
        })
    }
}

/// A reader shows tokens, and neither makes nor revokes them.
impl Tokens for Reader {
    fn token(&self, id: &str) -> Result<Option<Token>, EngineError> {
        self.readers().look_here(|db| find(db, id))
    }

    fn tokens(&self) -> Result<Vec<Token>, EngineError> {
        self.readers().look_here(list)
    }

    fn keep_token<'a>(
        &'a self,
        _token: Token,
        _by: &'a PersonId,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(std::future::ready(Err(EngineError::Storage(Box::new(ReadOnly)))))
    }

    fn revoke_token<'a>(
        &'a self,
        _id: &'a str,
        _by: &'a PersonId,
        _at: Timestamp,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(std::future::ready(Err(EngineError::Storage(Box::new(ReadOnly)))))
    }
}
