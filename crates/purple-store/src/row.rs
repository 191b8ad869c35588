//! Reads columns back into what they were.

use purple_journal::chain::Head;
use purple_port::{Digest, EngineError, SessionId};
use rusqlite::Row;
use rusqlite::types::{FromSqlError, ValueRef};

use crate::pack;
use crate::work::Sealed;

/// A column of 32 bytes.
pub(crate) fn digest(row: &Row<'_>, column: usize) -> Result<Digest, rusqlite::Error> {
    let wrong = |error: FromSqlError| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Blob, Box::new(error))
    };
    let bytes = match row.get_ref(column)? {
        ValueRef::Blob(bytes) => bytes,
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Text(_) => {
            return Err(wrong(FromSqlError::InvalidType));
        }
    };
    let bytes: [u8; 32] = bytes
        .try_into()
        .map_err(|_| wrong(FromSqlError::InvalidBlobSize { expected_size: 32, blob_size: bytes.len() }))?;
    Ok(Digest::from_bytes(bytes))
}

/// A text and the digest in the column after it.
pub(crate) fn sealed(row: &Row<'_>, column: usize) -> Result<Sealed, rusqlite::Error> {
    Ok(Sealed { text: row.get(column)?, digest: digest(row, column.saturating_add(1))? })
}

/// A text, or its packed form in the column after it.
pub(crate) fn text(
    row: &Row<'_>,
    column: usize,
    bytes_max: usize,
) -> Result<Option<String>, rusqlite::Error> {
    match row.get_ref(column.saturating_add(1))? {
        ValueRef::Null => row.get(column).map(Some),
        ValueRef::Blob(packed) if row.get_ref(column)?.as_bytes() == Ok(&[]) => {
            Ok(pack::unpack(packed, bytes_max).and_then(|bytes| String::from_utf8(bytes).ok()))
        }
        ValueRef::Blob(_) | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Text(_) => Ok(None),
    }
}

/// The name of a session.
pub(crate) fn session_name(text: &str) -> Result<SessionId, EngineError> {
    SessionId::parse(text)
        .map_err(|error| EngineError::Damaged { what: "session", detail: error.to_string() })
}

/// A place in a chain as a column: SQLite counts up to 2^63.
pub(crate) fn sql(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

/// A place in a chain.
pub(crate) fn seq(row: &Row<'_>, column: usize) -> Result<u64, rusqlite::Error> {
    let found: i64 = row.get(column)?;
    u64::try_from(found).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, found))
}

/// The place and the hash in the column after it.
pub(crate) fn head(row: &Row<'_>, column: usize) -> Result<Head, rusqlite::Error> {
    Ok(Head { seq: seq(row, column)?, hash: digest(row, column.saturating_add(1))? })
}
