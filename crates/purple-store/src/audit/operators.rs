//! Verifies the operator journal, and that the rows it describes are as its last record of each states.

use std::collections::BTreeMap;

use purple_journal::Entry;
use purple_journal::chain::Chain;
use purple_journal::record::operator::Operator;
use purple_port::{Digest, Record};
use rusqlite::{Connection, OptionalExtension as _};

use super::{BadRecord, ChainEnd, Fault, walk_chain};
use crate::migrate::has_operator_journal;
use crate::operators::{self, StoredRow, Table, called};
use crate::readers::Looked;
use crate::row;

/// The operator journal as far as it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorJournal {
    /// The records that hold, oldest first.
    pub records: Vec<OperatorRecord>,
    /// The first fault of the chain or of a row that it describes.
    pub fault: Option<BadRecord>,
}

/// A record of the operator journal in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorRecord {
    /// Its place, from 1, without gaps.
    pub seq: u64,
    /// What happened, and when.
    pub entry: Entry,
}

/// What the last record of a row states.
struct Described {
    seq: u64,
    digest: Digest,
    /// How people call the row.
    called: String,
}

/// What a record states about a row.
enum Change {
    Stored { row: Digest, digest: Digest, called: String },
    Removed { row: Digest },
}

/// Walks the chain, then compares it with the rows: how many records hold, and the first fault.
pub(super) fn verify(db: &Connection) -> Looked<(u64, Option<BadRecord>)> {
    verify_each(db, |_, _| {})
}

/// The records that hold, oldest first, and the first fault.
pub(crate) fn read(db: &Connection) -> Looked<OperatorJournal> {
    let mut records = Vec::new();
    let (_, fault) =
        verify_each(db, |seq, entry| records.push(OperatorRecord { seq, entry: entry.clone() }))?;
    Ok(OperatorJournal { records, fault })
}

/// The same as [`verify`]; `each` gets every record that holds.
fn verify_each(db: &Connection, each: impl FnMut(u64, &Entry)) -> Looked<(u64, Option<BadRecord>)> {
    if !has_operator_journal(db)? {
        return Ok((0, None));
    }
    let mut described = BTreeMap::new();
    let (held, fault) = walk(db, &mut described, each)?;
    if let Some((seq, fault)) = fault {
        return Ok((held, Some(bad(seq, fault))));
    }
    Ok((held, row_fault(db, described)?))
}

fn bad(seq: u64, fault: Fault) -> BadRecord {
    BadRecord { session: Chain::Operators.name().to_owned(), seq, fault }
}

fn walk(
    db: &Connection,
    described: &mut BTreeMap<[u8; 32], Described>,
    mut each: impl FnMut(u64, &Entry),
) -> Looked<(u64, Option<(u64, Fault)>)> {
    let end = db
        .query_row("SELECT seq, hash FROM operator_head WHERE id = 1", [], |found| {
            Ok(ChainEnd { seq: row::seq(found, 0)?, hash: super::blob(found, 1)?.to_vec() })
        })
        .optional()?;
    // Without a head nothing shows where the chain ends.
    let Some(end) = end else { return Ok((0, Some((1, Fault::CutOff)))) };
    let mut read = db.prepare("SELECT seq, hash, entry, packed FROM operator_journal ORDER BY seq")?;
    let (head, fault) = walk_chain(read.query([])?, Chain::Operators, &end, |seq, entry| {
        each(seq, entry);
        match change(&entry.record) {
            Some(Change::Stored { row, digest, called }) => {
                described.insert(*row.as_bytes(), Described { seq, digest, called });
            }
            Some(Change::Removed { row }) => drop(described.remove(row.as_bytes())),
            None => {}
        }
        Ok(None)
    })?;
    Ok((head.seq, fault))
}

/// What a record states about a row. A record of a newer version is passed over: if it is about a row, the row differs.
fn change(record: &Record) -> Option<Change> {
    let Record::Operator(operator) = record else { return None };
    let stored = |table: &str, name: &str, row: Digest, digest: Digest| {
        Some(Change::Stored { row, digest, called: called(table, name) })
    };
    match operator {
        Operator::TokenCreated(token) => stored("tokens", token.id.as_str(), token.row, token.digest),
        Operator::TokenRevoked(token) => stored("tokens", token.id.as_str(), token.row, token.digest),
        Operator::HaltSet(halt) => {
            let scope =
                halt.process.as_ref().map_or("all".to_owned(), |process| format!("process:{process}"));
            stored("halts", &scope, halt.row, halt.digest)
        }
        Operator::DefinitionStored(new) => {
            stored("definitions", &format!("{} {}", new.definition.word(), new.name), new.row, new.digest)
        }
        Operator::DefinitionSigned(new) => {
            stored("definitions", &format!("{} {}", new.definition.word(), new.name), new.row, new.digest)
        }
        Operator::DefinitionQuarantined(new) => {
            stored("definitions", &format!("{} {}", new.definition.word(), new.name), new.row, new.digest)
        }
        Operator::RowAdopted(found) => {
            stored(found.table.as_str(), found.name.as_str(), found.row, found.digest)
        }
        Operator::HaltLifted(halt) => Some(Change::Removed { row: halt.row }),
        Operator::DefinitionRemoved(gone) => Some(Change::Removed { row: gone.row }),
        Operator::ConfigurationChanged(_) | Operator::ToolPinned(_) | Operator::Began(_) => None,
    }
}

/// The first row that is not as its last record states, that no record states, or that is gone.
fn row_fault(db: &Connection, mut described: BTreeMap<[u8; 32], Described>) -> Looked<Option<BadRecord>> {
    for table in Table::ALL {
        for found in operators::rows(db, table)? {
            let StoredRow { id, text, stated, .. } = &found;
            let Some(last) = described.remove(id.as_bytes()) else {
                return Ok(Some(bad(0, Fault::RowAdded(found.called()))));
            };
            if *text != last.digest || *stated != Some(last.digest) {
                return Ok(Some(bad(last.seq, Fault::RowAltered(found.called()))));
            }
        }
    }
    let gone = described.into_values().min_by_key(|last| last.seq);
    Ok(gone.map(|last| bad(last.seq, Fault::RowMissing(last.called))))
}
