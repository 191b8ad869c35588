//! A record with its time, and its place in a chain.

use std::borrow::Cow;

use jiff::Timestamp;
use purple_process::{Digest, SessionId};
use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{Record, canonical};

/// A record before it has a place in a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub record: Record,
}

impl Entry {
    /// Its canonical text, which is what is stored and hashed.
    pub fn text(&self) -> String {
        let mut out = String::from("{\"at\":");
        canonical::write_text(&self.at.to_string(), &mut out);
        out.push_str(",\"data\":");
        canonical::append(&self.record.data(), &mut out);
        out.push_str(",\"kind\":");
        canonical::write_text(self.record.kind(), &mut out);
        out.push('}');
        out
    }

    /// Reads a stored text.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The kind of its record.
    pub fn kind(&self) -> &str {
        self.record.kind()
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut entry = to.serialize_struct("Entry", 3)?;
        entry.serialize_field("at", &self.at)?;
        entry.serialize_field("kind", self.record.kind())?;
        entry.serialize_field("data", &self.record.data())?;
        entry.end()
    }
}

/// The members of an entry. `data` precedes `kind` in the canonical text, so it is read raw first: a derived tagged enum
/// would buffer it and lose the exact digits of numbers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members<'a> {
    at: Timestamp,
    #[serde(borrow)]
    data: Cow<'a, RawValue>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Members { at, data, kind } = Members::deserialize(from)?;
        let record = Record::parse(&kind, data.get()).map_err(D::Error::custom)?;
        Ok(Self { at, record })
    }
}

/// An entry in its place in the chain of its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// The run.
    pub session: SessionId,
    /// Its place, from 1, without gaps.
    pub seq: u64,
    /// The hash of the entry before it; the first one names the digest of the run's id.
    pub prev: Digest,
    /// SHA-256 over run, place, `prev` and the entry in canonical form.
    pub hash: Digest,
    /// What happened.
    pub entry: Entry,
}

impl Recorded {
    /// What happened.
    pub const fn record(&self) -> &Record {
        &self.entry.record
    }
}
