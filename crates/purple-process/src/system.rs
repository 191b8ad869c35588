//! A company's own names: which of its tools, parameters, fields and words stand for those of process files.
//!
//! Pure. A [`CallMap`] is what an operator states about one call that a file makes, or one record that its rules look
//! at; a [`Binding`] holds those that one run uses. A [`Case`](crate::playbook::Case) translates in both directions, so
//! that expressions see the names of the file, and plans, the gate, cards and the journal the company's.

mod binding;
mod translate;

use std::collections::BTreeMap;

use purple_policy::Currency;
use serde::{Deserialize, Serialize};

use crate::canonical::Digest;
use crate::effect::Effect;
use crate::id::ToolName;
use crate::json::Values;
use crate::words;

pub use binding::{Binding, BoundCall};
pub use translate::at;

/// One `[systems.NAME]` of the operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// Its name.
    pub name: String,
    /// The processes that it is for; empty: all.
    pub processes: Vec<String>,
    /// The calls, each by its business name: the tool of the file (`approve_invoice`), or the record that it reads
    /// (`purchase_order` for `get_purchase_order`).
    pub calls: BTreeMap<String, CallMap>,
    /// What ids look like here, by the inputs of process files: regular expressions.
    pub inputs: BTreeMap<String, String>,
}

/// What stands for one call of a process file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallMap {
    /// The configured name of the server.
    pub server: String,
    /// The tool, as its server names it.
    pub tool: ToolName,
    /// What it does. A record is read; an action writes or notifies as the file says.
    pub is_read: bool,
    /// The definition that the operator confirmed. Another one is not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Digest>,
    /// The parameters of the file's call.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: Fields,
    /// What the company's tool is given beside them, by dotted paths.
    #[serde(default, skip_serializing_if = "Values::is_empty")]
    pub constants: Values,
    /// Where in the answer the record or the rows stand; empty: the answer itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
    /// The fields of the answer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: Fields,
}

/// Fields by the names of process files.
pub type Fields = BTreeMap<String, FieldMap>;

/// What stands for one field or parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FieldMap {
    /// Where the company keeps it: a dotted path, in which a number is a place in a list. Empty: under the same name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub at: String,
    /// The company's words for those of process files: `received` is `OPEN`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub words: BTreeMap<String, String>,
    /// The currency of a bare number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<CurrencyOf>,
    /// Whether the number counts cents.
    pub is_minor: bool,
    /// How the company's tool takes it, where its schema says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// The fields within: of a record, or of each row of a list.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub within: Fields,
}

/// Which currency a bare number is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurrencyOf {
    /// Always this one.
    Is(CurrencyCode),
    /// The one in this field beside it.
    In(String),
}

/// A currency by its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CurrencyCode(pub Currency);

impl TryFrom<String> for CurrencyCode {
    type Error = String;

    fn try_from(code: String) -> Result<Self, String> {
        Currency::parse(&code).map(Self).map_err(|unknown| unknown.to_string())
    }
}

impl From<CurrencyCode> for String {
    fn from(code: CurrencyCode) -> Self {
        code.0.code().to_owned()
    }
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Text.
    Text,
    /// A number.
    Number,
    /// True or false.
    Flag,
}

impl System {
    /// Whether it is for a process.
    pub fn is_for(&self, process: &str) -> bool {
        self.processes.is_empty() || self.processes.iter().any(|name| name == process)
    }

    /// What stands for a call of a process file, by the file's tool, or by the record that it reads.
    pub fn call(&self, tool: &str, effect: Effect) -> Option<&CallMap> {
        let is_read = effect == Effect::Read;
        let fits = |call: &&CallMap| call.is_read == is_read;
        let own = self.calls.get(tool).filter(fits);
        own.or_else(|| self.calls.get(&record_of(tool)).filter(fits))
    }
}

/// The record that a read of a process file is about: `purchase_order` of `get_purchase_order`.
pub fn record_of(tool: &str) -> String {
    let split = words::split(tool);
    let rest: Vec<&str> = match split.split_first() {
        Some((verb, rest)) if !rest.is_empty() && words::is_verb(verb) => {
            rest.iter().map(String::as_str).collect()
        }
        _ => split.iter().map(String::as_str).collect(),
    };
    rest.join("_")
}

#[cfg(test)]
#[path = "system/tests.rs"]
mod tests;
