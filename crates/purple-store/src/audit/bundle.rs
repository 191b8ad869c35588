//! The journal as lines of JSON: a manifest, the records in order, the blobs that they name, a signed seal. Verifiable
//! without this program.
//!
//! Blobs are listed, not copied: records are redacted views, and blobs are exact.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::io::{self, BufRead, Write};

use jiff::Timestamp;
use purple_journal::chain::{self, Head};
use purple_journal::{BlobHash, Entry};
use purple_port::limits::ENTRY_BYTES_MAX;
use purple_port::{Digest, EngineError, SessionId};
use ring::digest::{Context, SHA256};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::anchor::{HeadWire, database_id, heads, run_heads};
use super::kept::{Standing, standing};
use super::key::AuditKey;
use super::line::{self, NotALine};
use super::name::ChainName;
use crate::error::StorageFailed;
use crate::readers::Looked;
use crate::row;
use crate::work::finish;

const FORMAT: &str = "purple-audit/2";

/// What an export holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All sessions, and the operator journal.
    All,
    /// One session.
    Session(SessionId),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    at: Timestamp,
    database: String,
    format: String,
    heads: Vec<HeadWire>,
}

/// A blob that a record names, as it stood when the export was made.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    bytes: u64,
    hash: BlobHash,
    state: Held,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Held {
    Kept,
    Altered,
    Missing,
}

#[derive(Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Seal {
    /// How many lines stand before it.
    lines: u64,
    /// The digest of their bytes, line ends included.
    sha256: Digest,
}

/// Writes the export.
pub(crate) fn export(
    db: &Connection,
    scope: &Scope,
    key: &AuditKey,
    at: Timestamp,
    out: &mut dyn Write,
) -> Looked<()> {
    let heads = match scope {
        Scope::All => heads(db)?,
        Scope::Session(wanted) => {
            let wanted = ChainName::Run(wanted.clone());
            run_heads(db)?.into_iter().filter(|head| head.session == wanted).collect()
        }
    };
    let chains: Vec<ChainName> = heads.iter().map(|head| head.session.clone()).collect();
    let manifest = Manifest { at, database: database_id(db)?, format: FORMAT.to_owned(), heads };
    let mut sealed = Sealing { out, lines: 0, digest: Context::new(&SHA256) };
    let value = serde_json::to_value(manifest).unwrap_or(Value::Null);
    sealed.line(&line::write("manifest", value, |_| None))?;
    let mut named = BTreeSet::new();
    for chain in chains {
        records(db, &chain, &mut sealed, &mut named)?;
    }
    for hash in named {
        let (bytes, state) = match standing(db, hash)? {
            Standing::Sound { bytes } => (bytes, Held::Kept),
            Standing::Altered => (0, Held::Altered),
            Standing::Missing => (0, Held::Missing),
        };
        let value = serde_json::to_value(Listed { bytes, hash, state }).unwrap_or(Value::Null);
        sealed.line(&line::write("blob", value, |_| None))?;
    }
    let seal = Seal { lines: sealed.lines, sha256: finish(sealed.digest.clone()) };
    let value = serde_json::to_value(seal).unwrap_or(Value::Null);
    sealed.line(&line::write("seal", value, |hash| Some(key.sign(&format!("{FORMAT} {hash}")))))?;
    sealed.out.flush().map_err(|error| unwritten(&error))?;
    Ok(())
}

fn records(
    db: &Connection,
    chain: &ChainName,
    sealed: &mut Sealing<'_>,
    named: &mut BTreeSet<BlobHash>,
) -> Looked<()> {
    let mut read = db.prepare_cached(match chain {
        ChainName::Run(_) => {
            "SELECT j.entry, j.packed, j.hash, j.seq FROM journal j JOIN sessions s ON s.id = j.session
             WHERE s.name = ?1 ORDER BY j.seq"
        }
        ChainName::Operators => "SELECT entry, packed, hash, seq FROM operator_journal ORDER BY seq",
    })?;
    let mut rows = match chain {
        ChainName::Run(run) => read.query([run.as_str()])?,
        ChainName::Operators => read.query([])?,
    };
    let chain = chain.chain();
    let mut prev = Head::empty(chain).hash;
    while let Some(found) = rows.next()? {
        let (hash, seq) = (row::digest(found, 2)?, row::seq(found, 3)?);
        // As it is stored: an export of a damaged journal shows the damage, if only by what is missing.
        let entry = row::text(found, 0, ENTRY_BYTES_MAX)?.unwrap_or_else(|| "null".to_owned());
        sealed.line(&chain::line(chain, seq, &prev, &hash, &entry))?;
        named.extend(Entry::parse(&entry).iter().flat_map(|entry| entry.record.blobs()));
        prev = hash;
    }
    Ok(())
}

struct Sealing<'a> {
    out: &'a mut dyn Write,
    lines: u64,
    digest: Context,
}

impl Sealing<'_> {
    fn line(&mut self, text: &str) -> Result<(), EngineError> {
        self.lines = self.lines.saturating_add(1);
        for part in [text.as_bytes(), b"\n"] {
            self.digest.update(part);
            self.out.write_all(part).map_err(|error| unwritten(&error))?;
        }
        Ok(())
    }
}

fn unwritten(error: &io::Error) -> EngineError {
    EngineError::Storage(Box::new(StorageFailed { what: "exporting", said: error.to_string() }))
}

/// What the verification of an export found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleReport {
    /// How many records of runs hold.
    pub entries: u64,
    /// How many records of the operator journal hold.
    pub operators: u64,
    /// How many blobs they name that were there as they were kept.
    pub blobs: u64,
    /// Who signed, if the signature holds.
    pub signed_by: Option<String>,
    /// The first line that does not hold.
    pub fault: Option<BadLine>,
}

/// A line that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong.
    pub fault: LineFault,
}

/// What can be wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// It is not in the one form that a line has.
    NotCanonical,
    /// Its content does not have the hash that it says.
    HashDiffers,
    /// It is not what has to stand here.
    NotExpected {
        /// What has to.
        expected: String,
    },
    /// The chain is not that of the record before it.
    ChainBroken,
    /// A blob that a record names was not there, or not as it was kept.
    BlobNotKept(BlobHash),
    /// The lines before the seal are not those that were sealed.
    SealDiffers,
    /// The signature does not hold.
    NotSigned,
}

impl fmt::Display for BadLine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: ", self.line)?;
        match &self.fault {
            LineFault::NotCanonical => out.write_str("is not in canonical form"),
            LineFault::HashDiffers => out.write_str("does not have the hash that it says"),
            LineFault::NotExpected { expected } => write!(out, "expected {expected}"),
            LineFault::ChainBroken => out.write_str("does not follow from the record before it"),
            LineFault::BlobNotKept(BlobHash(hash)) => {
                write!(out, "blob {hash} was missing or altered when this was exported")
            }
            LineFault::SealDiffers => out.write_str("the lines before it are not those that were sealed"),
            LineFault::NotSigned => out.write_str("the signature does not hold"),
        }
    }
}

/// Verifies an export. The error is one of reading; what is wrong with the export is in the report.
pub fn verify_bundle(mut from: impl BufRead) -> io::Result<BundleReport> {
    let mut walk = Walk {
        lines: 0,
        digest: Context::new(&SHA256),
        place: Place::Manifest,
        named: BTreeSet::new(),
        report: BundleReport { entries: 0, operators: 0, blobs: 0, signed_by: None, fault: None },
    };
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = from.read_until(b'\n', &mut bytes)?;
        let number = walk.lines.saturating_add(1);
        let stepped = if read == 0 { walk.end() } else { walk.line(&bytes) };
        if let Err(fault) = stepped {
            walk.report.fault = Some(BadLine { line: number, fault });
        }
        if read == 0 || walk.report.fault.is_some() {
            return Ok(walk.report);
        }
    }
}

/// What has to come next.
enum Place {
    Manifest,
    Records { rest: VecDeque<(ChainName, Head)>, head: Head },
    End,
}

struct Walk {
    lines: u64,
    digest: Context,
    place: Place,
    /// The blobs that the records name and that were not listed yet.
    named: BTreeSet<BlobHash>,
    report: BundleReport,
}

impl Walk {
    fn line(&mut self, bytes: &[u8]) -> Result<(), LineFault> {
        let text = bytes.strip_suffix(b"\n").and_then(|text| std::str::from_utf8(text).ok());
        let object = line::read(text.ok_or(LineFault::NotCanonical)?).map_err(|error| match error {
            NotALine::NotCanonical => LineFault::NotCanonical,
            NotALine::HashDiffers => LineFault::HashDiffers,
        })?;
        self.step(object)?;
        self.digest.update(bytes);
        self.lines = self.lines.saturating_add(1);
        Ok(())
    }

    fn step(&mut self, object: Map<String, Value>) -> Result<(), LineFault> {
        match &mut self.place {
            Place::Manifest => {
                let rest = manifest(object).ok_or_else(|| expected("the manifest"))?;
                self.place = records_or_seal(rest);
                Ok(())
            }
            Place::Records { rest, head } => match rest.front() {
                Some((chain, last)) => {
                    let found = record(object, chain, *head)?;
                    *head = Head { seq: found.seq, hash: found.hash };
                    self.named.extend(found.entry.record.blobs());
                    let count = match chain {
                        ChainName::Run(_) => &mut self.report.entries,
                        ChainName::Operators => &mut self.report.operators,
                    };
                    *count = count.saturating_add(1);
                    if head.seq < last.seq {
                        return Ok(());
                    }
                    // The manifest says where the chain ends, and with what.
                    if head.hash != last.hash {
                        return Err(LineFault::ChainBroken);
                    }
                    rest.pop_front();
                    let rest = std::mem::take(rest);
                    self.place = records_or_seal(rest);
                    Ok(())
                }
                None => match self.named.pop_first() {
                    Some(hash) => self.listed(object, hash),
                    None => self.seal(&object),
                },
            },
            Place::End => Err(expected("nothing after the seal")),
        }
    }

    fn listed(&mut self, mut object: Map<String, Value>, wanted: BlobHash) -> Result<(), LineFault> {
        let found = object.remove("blob").and_then(|blob| serde_json::from_value::<Listed>(blob).ok());
        match found {
            Some(found) if found.hash == wanted && object.len() == 1 => {
                if found.state != Held::Kept {
                    return Err(LineFault::BlobNotKept(wanted));
                }
                self.report.blobs = self.report.blobs.saturating_add(1);
                Ok(())
            }
            Some(_) | None => Err(expected(&format!("blob {}", wanted.0))),
        }
    }

    fn seal(&mut self, object: &Map<String, Value>) -> Result<(), LineFault> {
        let found = object.get("seal").cloned().and_then(|seal| serde_json::from_value::<Seal>(seal).ok());
        let (Some(found), 3) = (found, object.len()) else { return Err(expected("the seal")) };
        let seen = Seal { lines: self.lines, sha256: finish(self.digest.clone()) };
        if found != seen {
            return Err(LineFault::SealDiffers);
        }
        let signature = line::signature(object).ok_or(LineFault::NotSigned)?;
        if !signature.holds(&format!("{FORMAT} {}", line::hash_of(object))) {
            return Err(LineFault::NotSigned);
        }
        self.report.signed_by = Some(signature.key);
        self.place = Place::End;
        Ok(())
    }

    fn end(&self) -> Result<(), LineFault> {
        match &self.place {
            Place::End => Ok(()),
            Place::Manifest => Err(expected("the manifest")),
            Place::Records { rest, head } => match rest.front() {
                Some((chain, _)) => Err(expected_record(chain, *head)),
                None => Err(match self.named.first() {
                    Some(BlobHash(hash)) => expected(&format!("blob {hash}")),
                    None => expected("the seal"),
                }),
            },
        }
    }
}

fn expected(what: &str) -> LineFault {
    LineFault::NotExpected { expected: what.to_owned() }
}

fn expected_record(chain: &ChainName, head: Head) -> LineFault {
    expected(&format!("record {} of {chain}", head.seq.saturating_add(1)))
}

fn manifest(mut object: Map<String, Value>) -> Option<VecDeque<(ChainName, Head)>> {
    let manifest: Manifest = serde_json::from_value(object.remove("manifest")?).ok()?;
    if object.len() != 1 || manifest.format != FORMAT || manifest.heads.iter().any(|head| head.seq == 0) {
        return None;
    }
    let operators = manifest.heads.iter().position(|head| head.session == ChainName::Operators);
    if operators.is_some_and(|place| place.saturating_add(1) != manifest.heads.len()) {
        return None;
    }
    Some(manifest.heads.iter().map(|head| (head.session.clone(), head.head())).collect())
}

fn records_or_seal(rest: VecDeque<(ChainName, Head)>) -> Place {
    let head = rest.front().map(|(chain, _)| Head::empty(chain.chain()));
    let head = head.unwrap_or(Head { seq: 0, hash: Digest::from_bytes([0; 32]) });
    Place::Records { rest, head }
}

/// A line with a record.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordLine {
    session: ChainName,
    seq: u64,
    prev: Digest,
    hash: Digest,
    entry: Entry,
}

/// The record in this line, which has to follow `head`. That its hash is right was seen when the line was read.
fn record(object: Map<String, Value>, chain: &ChainName, head: Head) -> Result<RecordLine, LineFault> {
    let missing = || expected_record(chain, head);
    let found: RecordLine = serde_json::from_value(Value::Object(object)).map_err(|_| missing())?;
    if found.session != *chain || found.seq != head.seq.saturating_add(1) {
        return Err(missing());
    }
    if found.prev != head.hash {
        return Err(LineFault::ChainBroken);
    }
    Ok(found)
}
