//! What a tool said: it can be computed with, and it cannot be told.

use std::fmt;

use purple_journal::{Redacted, RedactedJson};
use serde_json::Value;

/// A value as a tool gave it, its secrets included.
///
/// INVARIANT: it has no text form. It is neither shown nor written nor sent before [`Untrusted::redacted`] made
/// something of it that prompts, cards, answers, records and spans take.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Untrusted<T>(T);

impl<T> Untrusted<T> {
    /// Takes a value as it came.
    pub const fn new(raw: T) -> Self {
        Self(raw)
    }

    /// The exact value, to compute and compare with, and for nothing that anybody reads.
    pub const fn for_work(&self) -> &T {
        &self.0
    }

    /// The same, taken out.
    pub fn into_work(self) -> T {
        self.0
    }
}

impl Untrusted<String> {
    /// The text as it may be told.
    pub fn redacted(&self) -> Redacted {
        Redacted::of(&self.0)
    }
}

impl Untrusted<Value> {
    /// The value as it may be told.
    pub fn redacted(&self) -> RedactedJson {
        RedactedJson::of(&self.0)
    }
}

impl From<&str> for Untrusted<String> {
    fn from(raw: &str) -> Self {
        Self(raw.to_owned())
    }
}

impl From<String> for Untrusted<String> {
    fn from(raw: String) -> Self {
        Self(raw)
    }
}

impl From<Value> for Untrusted<Value> {
    fn from(raw: Value) -> Self {
        Self(raw)
    }
}

impl PartialEq<str> for Untrusted<String> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Untrusted<String> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<Value> for Untrusted<Value> {
    fn eq(&self, other: &Value) -> bool {
        self.0 == *other
    }
}

/// Also a log of a fault holds no secret.
impl fmt::Debug for Untrusted<String> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.redacted().as_str(), out)
    }
}

impl fmt::Debug for Untrusted<Value> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.redacted().value(), out)
    }
}

/// How a text is kept in the archive of a run, byte for byte: what works with it again must have it unchanged.
pub mod kept {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::Untrusted;

    /// Writes it.
    pub fn serialize<S: Serializer>(text: &Untrusted<String>, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(text.for_work())
    }

    /// Reads it.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Untrusted<String>, D::Error> {
        String::deserialize(from).map(Untrusted::new)
    }
}
