//! A signed note of where every chain ends, kept elsewhere: without it, nobody can tell a chain that was cut.

use std::io::{self, Write as _};
use std::path::Path;

use jiff::Timestamp;
use purple_journal::chain::Head;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::key::AuditKey;
use super::line;
use super::name::ChainName;
use crate::files;
use crate::migrate::has_operator_journal;
use crate::operators;
use crate::readers::Looked;
use crate::row;

const FORMAT: &str = "purple-anchor/1";

/// Where every chain ended at one moment, signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    text: String,
    database: String,
    heads: Vec<(ChainName, Head)>,
    key: String,
}

/// Text that is no anchor, or not the one that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAnchor {
    /// It is no anchor, or a byte of it was changed.
    #[error("it is not an anchor as it was written")]
    NotAnAnchor,
    /// The signature does not belong to it.
    #[error("its signature does not hold")]
    NotSigned,
    /// It was signed by another key.
    #[error("it was signed by {found}, not by {wanted}")]
    OtherKey {
        /// The key that signed.
        found: String,
        /// The key that should have.
        wanted: String,
    },
    /// It is an anchor of another database.
    #[error("it anchors the database {found}, and this one is {wanted}")]
    OtherDatabase {
        /// The database that it anchors.
        found: String,
        /// The one that is verified.
        wanted: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    at: Timestamp,
    database: String,
    format: String,
    heads: Vec<HeadWire>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeadWire {
    pub(super) hash: purple_port::Digest,
    pub(super) seq: u64,
    pub(super) session: ChainName,
}

impl Anchor {
    /// Signs the heads of all chains that have entries.
    pub(crate) fn make(db: &Connection, key: &AuditKey, at: Timestamp) -> Looked<Self> {
        let database = database_id(db)?;
        let wire = Wire { at, database: database.clone(), format: FORMAT.to_owned(), heads: heads(db)? };
        let heads = wire.heads.iter().map(|head| (head.session.clone(), head.head())).collect();
        let value = serde_json::to_value(wire).unwrap_or(Value::Null);
        let text = line::write("anchor", value, |hash| Some(key.sign(&format!("{FORMAT} {hash}"))));
        Ok(Self { text: text + "\n", database, heads, key: key.public() })
    }

    /// Reads an anchor back and checks that its signature is by the key it names.
    pub fn parse(text: &str) -> Result<Self, BadAnchor> {
        let body = text.strip_suffix('\n').ok_or(BadAnchor::NotAnAnchor)?;
        let object = line::read(body).map_err(|_| BadAnchor::NotAnAnchor)?;
        let wire = object.get("anchor").cloned().ok_or(BadAnchor::NotAnAnchor)?;
        let wire: Wire = serde_json::from_value(wire).map_err(|_| BadAnchor::NotAnAnchor)?;
        if wire.format != FORMAT || object.len() != 3 {
            return Err(BadAnchor::NotAnAnchor);
        }
        let signature = line::signature(&object).ok_or(BadAnchor::NotSigned)?;
        if !signature.holds(&format!("{FORMAT} {}", line::hash_of(&object))) {
            return Err(BadAnchor::NotSigned);
        }
        let heads = wire.heads.iter().map(|head| (head.session.clone(), head.head())).collect();
        Ok(Self { text: text.to_owned(), database: wire.database, heads, key: signature.key })
    }

    /// The text, to be written elsewhere.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Who signed.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Which database it anchors.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// Writes it to a new file, which is there in full or not at all.
    pub fn write_to(&self, to: &Path) -> io::Result<()> {
        files::write_new(to, |out| out.write_all(self.text.as_bytes()))
    }

    /// Whether this key signed it, for this database.
    pub(crate) fn check(&self, db: &Connection, key: &str) -> Looked<Result<(), BadAnchor>> {
        let database = database_id(db)?;
        Ok(if self.key != key {
            Err(BadAnchor::OtherKey { found: self.key.clone(), wanted: key.to_owned() })
        } else if self.database != database {
            Err(BadAnchor::OtherDatabase { found: self.database.clone(), wanted: database })
        } else {
            Ok(())
        })
    }

    pub(crate) fn heads(&self) -> &[(ChainName, Head)] {
        &self.heads
    }
}

impl HeadWire {
    pub(super) fn head(&self) -> Head {
        Head { seq: self.seq, hash: self.hash }
    }
}

/// The heads of all sessions that have entries, in the order of their rows.
pub(super) fn run_heads(db: &Connection) -> Looked<Vec<HeadWire>> {
    let mut read =
        db.prepare("SELECT name, head_seq, head_hash FROM sessions WHERE head_seq > 0 ORDER BY id")?;
    let mut rows = read.query([])?;
    let mut heads = Vec::new();
    while let Some(found) = rows.next()? {
        let name: String = found.get(0)?;
        let head = row::head(found, 1)?;
        heads.push(HeadWire {
            hash: head.hash,
            seq: head.seq,
            session: ChainName::Run(row::session_name(&name)?),
        });
    }
    Ok(heads)
}

/// The heads of all sessions that have entries, then that of the operator journal.
pub(super) fn heads(db: &Connection) -> Looked<Vec<HeadWire>> {
    let mut heads = run_heads(db)?;
    if has_operator_journal(db)? {
        let Head { seq, hash } = operators::head(db)?.ok_or_else(operators::no_head)?;
        if seq > 0 {
            heads.push(HeadWire { hash, seq, session: ChainName::Operators });
        }
    }
    Ok(heads)
}

/// What tells this database from others.
pub(crate) fn database_id(db: &Connection) -> Looked<String> {
    Ok(db.query_row("SELECT value FROM meta WHERE key = 'database'", [], |found| found.get(0))?)
}
