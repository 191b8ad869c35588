//! Text and JSON from outside, which can only be held redacted.
//!
//! Every way to make one of these values masks secrets: the constructors, and reading it back. Masking is idempotent,
//! so a stored value reads back unchanged.

use std::fmt;

use purple_privacy::{redact, redact_json, redact_texts};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Text whose secrets are masked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Redacted(String);

impl Redacted {
    /// Masks the secrets in `text`.
    pub fn of(text: &(impl fmt::Display + ?Sized)) -> Self {
        Self(redact(&text.to_string()))
    }

    /// Masks the secrets in each text.
    pub fn all<T: fmt::Display>(texts: impl IntoIterator<Item = T>) -> Vec<Self> {
        texts.into_iter().map(|text| Self::of(&text)).collect()
    }

    /// The masked text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The masked text.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for Redacted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl PartialEq<str> for Redacted {
    fn eq(&self, text: &str) -> bool {
        self.0 == text
    }
}

impl PartialEq<&str> for Redacted {
    fn eq(&self, text: &&str) -> bool {
        self.0 == *text
    }
}

impl<'de> Deserialize<'de> for Redacted {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(redact(&String::deserialize(from)?)))
    }
}

/// A value as people are shown it: in every text of it secrets are masked, and its fields stay as they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Clean(Value);

impl Clean {
    /// Masks the secrets in every text of `value`. A value that JSON cannot hold becomes null.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Self {
        Self(redact_texts(serde_json::to_value(value).unwrap_or_default()))
    }

    /// The masked value.
    pub fn into_value(self) -> Value {
        self.0
    }
}

/// A JSON value whose secrets are masked, in texts and under keys that name a secret.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct RedactedJson(Value);

impl RedactedJson {
    /// Masks the secrets in `value`. A value that JSON cannot hold becomes null.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Self {
        Self::from_value(serde_json::to_value(value).unwrap_or_default())
    }

    /// Masks the secrets in `value`.
    pub fn from_value(value: Value) -> Self {
        Self(redact_json(value))
    }

    /// The masked value.
    pub const fn value(&self) -> &Value {
        &self.0
    }

    /// The masked value.
    pub fn into_value(self) -> Value {
        self.0
    }
}

/// On one line, for a text that is shown.
impl fmt::Display for RedactedJson {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl<'de> Deserialize<'de> for RedactedJson {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(redact_json(Value::deserialize(from)?)))
    }
}
