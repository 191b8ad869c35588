//! The operator journal: one chain for the whole database, and the rows that it describes.
//!
//! A change and its record are in the same transaction. `audit verify` compares the last record of each row with the row.

use purple_journal::chain::{Chain, Head, Link};
use purple_journal::record::operator::{Began, RowAdopted};
use purple_journal::{Entry, Record, Redacted};
use purple_port::limits::ENTRY_BYTES_MAX;
use purple_port::{DefinitionKind, Digest, EngineError};
use ring::digest::{Context, SHA256};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior, params};

use crate::error::storage;
use crate::pack::Stored;
use crate::refused::Refused;
use crate::row;
use crate::time::{Micros, timestamp};
use crate::turn::fits;
use crate::work::finish;

/// The most of a text that a record repeats. Names and reasons can be longer than a record may be.
const TEXT_CHARS_MAX: usize = 1000;

/// A table whose rows the journal describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Tokens,
    Halts,
    Definitions,
}

impl Table {
    pub(crate) const ALL: [Self; 3] = [Self::Tokens, Self::Halts, Self::Definitions];

    const fn name(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Halts => "halts",
            Self::Definitions => "definitions",
        }
    }

    /// Reads text, digest, and then the columns of the key.
    const fn select(self) -> &'static str {
        match self {
            Self::Tokens => "SELECT token, digest, id FROM tokens ORDER BY id",
            Self::Halts => "SELECT halt, digest, scope FROM halts ORDER BY scope",
            Self::Definitions => "SELECT definition, digest, kind, name FROM definitions ORDER BY kind, name",
        }
    }
}

/// Which row it is: the SHA-256 of the table and the parts of the key, with a line feed between them. Names in records
/// are redacted, so that two of them can look the same.
fn row_id(table: Table, key: &[&[u8]]) -> Digest {
    let mut context = Context::new(&SHA256);
    context.update(table.name().as_bytes());
    for part in key {
        context.update(b"\n");
        context.update(part);
    }
    finish(context)
}

pub(crate) fn token_row(id: &str) -> Digest {
    row_id(Table::Tokens, &[id.as_bytes()])
}

pub(crate) fn halt_row(scope: &str) -> Digest {
    row_id(Table::Halts, &[scope.as_bytes()])
}

pub(crate) fn definition_row(kind: DefinitionKind, name: &str) -> Digest {
    row_id(Table::Definitions, &[kind.word().as_bytes(), name.as_bytes()])
}

/// A name or a reason, redacted and short enough for a record.
pub(crate) fn short(text: &str) -> Redacted {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        None => Redacted::of(text),
        Some((end, _)) => Redacted::of(&format!("{}…", text.get(..end).unwrap_or_default())),
    }
}

/// A row as it is stored, whatever its bytes are.
pub(crate) struct StoredRow {
    pub(crate) table: Table,
    pub(crate) id: Digest,
    /// The key, readable.
    pub(crate) name: String,
    /// The digest of the text.
    pub(crate) text: Digest,
    /// The digest that the row states; `None` if its column does not hold one.
    pub(crate) stated: Option<Digest>,
}

impl StoredRow {
    fn read(table: Table, found: &Row<'_>) -> Result<Self, rusqlite::Error> {
        let text = Digest::of(bytes(found, 0)?);
        let stated = row::digest(found, 1).ok();
        let key: Vec<&[u8]> = (2..found.as_ref().column_count())
            .map(|column| bytes(found, column))
            .collect::<Result<_, _>>()?;
        let name = key.iter().map(|part| String::from_utf8_lossy(part)).collect::<Vec<_>>().join(" ");
        Ok(Self { table, id: row_id(table, &key), name, text, stated })
    }

    /// How people call it.
    pub(crate) fn called(&self) -> String {
        called(self.table.name(), &self.name)
    }
}

/// How people call the row of a table.
pub(crate) fn called(table: &str, name: &str) -> String {
    format!("row `{name}` of `{table}`")
}

/// The bytes of a text. STRICT tables hold texts there, but not always valid ones.
fn bytes<'a>(found: &'a Row<'_>, column: usize) -> Result<&'a [u8], rusqlite::Error> {
    Ok(match found.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => &[],
    })
}

/// All rows of a table.
pub(crate) fn rows(db: &Connection, table: Table) -> Result<Vec<StoredRow>, rusqlite::Error> {
    let mut read = db.prepare(table.select())?;
    let found = read.query_map([], |found| StoredRow::read(table, found))?;
    found.collect()
}

/// The end of the chain; `None` if the row that states it is gone.
pub(crate) fn head(db: &Connection) -> Result<Option<Head>, rusqlite::Error> {
    db.prepare_cached("SELECT seq, hash FROM operator_head WHERE id = 1")?
        .query_row([], |found| row::head(found, 0))
        .optional()
}

/// What is wrong where the row is gone that states the end of the chain.
pub(crate) fn no_head() -> EngineError {
    let detail = "its head is missing, so no change of a token, halt, definition, setting or pin can be recorded or exported";
    EngineError::Damaged { what: "operator journal", detail: detail.to_owned() }
}

/// Appends a record, in the transaction of the change that it states.
pub(crate) fn append(db: &Connection, record: impl Into<Record>, now: Micros) -> Result<(), Refused> {
    let from = head(db)?.ok_or_else(|| Refused::Engine(no_head()))?;
    let text = Entry { at: timestamp(now), record: record.into() }.text();
    fits("record", text.len(), ENTRY_BYTES_MAX).map_err(Refused::Engine)?;
    let Link { head, text, .. } = Link::behind(&from, Chain::Operators, text);
    let (seq, hash, Stored { plain, packed }) = (row::sql(head.seq), head.hash, Stored::of(text));
    db.prepare_cached("INSERT INTO operator_journal (seq, entry, hash, packed) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![seq, plain, hash.as_bytes(), packed])?;
    db.prepare_cached("UPDATE operator_head SET seq = ?1, hash = ?2 WHERE id = 1")?
        .execute(params![seq, hash.as_bytes()])?;
    Ok(())
}

/// Begins the journal of a database that has none yet: takes over the rows that exist.
pub(crate) fn begin(db: &mut Connection, now: Micros) -> Result<(), EngineError> {
    let transaction = Transaction::new(db, TransactionBehavior::Immediate)
        .map_err(|error| storage("beginning the operator journal", &error))?;
    adopt(&transaction, now).map_err(|refused| refused.told())?;
    transaction.commit().map_err(|error| storage("beginning the operator journal", &error))
}

fn adopt(db: &Connection, now: Micros) -> Result<(), Refused> {
    let is_empty: bool =
        db.query_row("SELECT NOT EXISTS (SELECT 1 FROM operator_journal)", [], |found| found.get(0))?;
    // A damaged head is left as it is, for the audit to report.
    let is_new = head(db).ok().flatten() == Some(Head::empty(Chain::Operators));
    if !is_empty || !is_new {
        return Ok(());
    }
    append(db, Began { tables: Redacted::all(Table::ALL.map(Table::name)) }, now)?;
    for table in Table::ALL {
        for found in rows(db, table)? {
            // The digest that the row states: a row that was damaged before stays damaged.
            let digest = found.stated.unwrap_or(found.text);
            let (table, name) = (Redacted::of(table.name()), short(&found.name));
            append(db, RowAdopted { table, name, row: found.id, digest }, now)?;
        }
    }
    Ok(())
}
