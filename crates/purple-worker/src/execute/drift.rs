//! Columns that are called something else now: describe the table, find the one that is meant, ask once more.

use std::collections::BTreeSet;

use purple_process::{Json, ToolName, Values};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::port::Called;

use super::catalogue::Known;
use super::columns::{self, Found, Trust};
use super::complaint::{Trouble, trouble};
use super::naming::words;
use super::paging;
use super::reader::{Got, Reach, Reading, Why};
use super::rename;

/// The most corrections that a session remembers; the oldest goes first.
pub(crate) const FIXES_MAX: usize = 64;
/// The most columns of one table that are looked at.
const COLUMNS_MAX: usize = 512;
/// The most describing tools that are asked.
const DESCRIBERS_MAX: usize = 2;
/// The longest name of a column, in bytes.
const COLUMN_BYTES_MAX: usize = 128;

/// A column that was put right. The journal and the card show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repair {
    pub(crate) tool: ToolName,
    pub(crate) table: Option<String>,
    /// The name that was asked for.
    pub(crate) column: String,
    /// The name that it has.
    pub(crate) is: String,
    pub(crate) found: Found,
}

/// The corrections of a session: one for each tool, table and column; and which tools give records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub(crate) struct SchemaFixes(Vec<Repair>, BTreeSet<ToolName>);

/// How they are stored. Earlier versions kept the corrections only.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Repairs(Vec<Repair>),
    Learned { repairs: Vec<Repair>, records: BTreeSet<ToolName> },
}

impl From<Stored> for SchemaFixes {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Repairs(repairs) => Self(repairs, BTreeSet::new()),
            Stored::Learned { repairs, records } => Self(repairs, records),
        }
    }
}

impl From<SchemaFixes> for Stored {
    fn from(SchemaFixes(repairs, records): SchemaFixes) -> Self {
        if records.is_empty() { Self::Repairs(repairs) } else { Self::Learned { repairs, records } }
    }
}

impl SchemaFixes {
    /// A tool gave records: from now on, mere words of it are no answer.
    pub(super) fn gives_records(&mut self, tool: &ToolName) {
        if self.1.len() < FIXES_MAX {
            self.1.insert(tool.clone());
        }
    }

    pub(super) fn gave_records(&self, tool: &ToolName) -> bool {
        self.1.contains(tool)
    }

    pub(crate) fn remember(&mut self, repair: Repair) {
        let key = |known: &Repair| (known.tool.clone(), known.table.clone(), known.column.clone());
        self.0.retain(|known| key(known) != key(&repair));
        if self.0.len() >= FIXES_MAX {
            self.0.remove(0);
        }
        self.0.push(repair);
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Repair> {
        self.0.iter()
    }

    fn of(&self, tool: &ToolName, table: Option<&str>, column: &str) -> Option<&Repair> {
        self.0.iter().find(|fix| fix.tool == *tool && fix.table.as_deref() == table && fix.column == column)
    }
}

impl<'a> Reading<'a> {
    /// A read whose columns are put right where they drifted.
    pub(super) async fn corrected(
        &mut self,
        tool: &'a Known,
        arguments: &Values,
        (reach, why): (Reach, Why),
    ) -> Got<'a> {
        let arguments = self.with_known_fixes(tool, arguments);
        let got = match reach {
            Reach::Anything => self.recovered(tool, &arguments, why).await,
            Reach::ThisTool => {
                let called = self.persistently(tool, &arguments, why).await;
                Got { called, tool, arguments, merged: None }
            }
        };
        if got.merged.is_some() {
            return got;
        }
        match trouble(&got.called) {
            Some(Trouble::Drift { column }) => self.after_drift(got, &column, reach).await,
            None if reach == Reach::Anything => self.after_empty(got).await,
            None | Some(Trouble::Passing { .. } | Trouble::Absent | Trouble::Denied | Trouble::Other) => got,
        }
    }

    fn with_known_fixes(&mut self, tool: &Known, arguments: &Values) -> Values {
        let table = table_of(arguments);
        let mut corrected = arguments.clone();
        for column in rename::columns_in(arguments) {
            let Some(fix) = self.fixes.of(tool.name(), table.as_deref(), &column).cloned() else { continue };
            let renamed = rename::rename(&corrected, &column, &fix.is);
            if renamed != corrected {
                corrected = renamed;
                self.tell(fix);
            }
        }
        corrected
    }

    fn tell(&mut self, fix: Repair) {
        if !self.repairs.contains(&fix) {
            self.repairs.push(fix);
        }
    }

    /// A column is not there. One more try, with every name put right that is not there.
    async fn after_drift(&mut self, got: Got<'a>, missing: &str, reach: Reach) -> Got<'a> {
        let table = table_of(&got.arguments);
        let existing = match &table {
            Some(table) => self.described(got.tool, table).await,
            None => Vec::new(),
        };
        let existing: Vec<&str> = existing.iter().map(String::as_str).collect();
        let mut asked = rename::columns_in(&got.arguments);
        asked.insert(missing.to_owned());
        let mut arguments = got.arguments.clone();
        let mut repairs = Vec::new();
        for column in asked.iter().filter(|column| !existing.contains(&column.as_str())) {
            let Some((is, found)) = columns::find(column, &existing, Trust::ToAsk) else { continue };
            let renamed = rename::rename(&arguments, column, is);
            if renamed != arguments {
                arguments = renamed;
                let (tool, table) = (got.tool.name().clone(), table.clone());
                repairs.push(Repair { tool, table, column: column.clone(), is: is.to_owned(), found });
            }
        }
        if repairs.is_empty() {
            return match reach {
                Reach::Anything => self.advised(got).await,
                Reach::ThisTool => got,
            };
        }
        let called = self.persistently(got.tool, &arguments, Why::Corrected).await;
        if let Called::Answered(_) = called {
            for repair in repairs {
                self.fixes.remember(repair.clone());
                self.tell(repair);
            }
            return Got { called, arguments, ..got };
        }
        got
    }

    /// Nothing came by a filter, while the column of the filter is empty in every row that comes without it.
    async fn after_empty(&mut self, got: Got<'a>) -> Got<'a> {
        let Called::Answered(answer) = &got.called else { return got };
        let Some((place, column)) = rename::only_filter(&got.arguments) else { return got };
        if !paging::is_empty(answer.for_work()) {
            return got;
        }
        let mut unfiltered = got.arguments.clone();
        unfiltered.remove(&place);
        if !got.tool.required().all(|name| unfiltered.contains_key(name)) {
            return got;
        }
        let Called::Answered(all) = self.call(got.tool, &unfiltered, Why::Unfiltered).await else {
            return got;
        };
        let rows = paging::rows(all.for_work());
        let filled = |row: &&Value| row.get(&column).is_some_and(|value| !is_blank(value));
        if rows.is_empty() || rows.iter().any(|row| filled(&row)) {
            return got;
        }
        let names: BTreeSet<&str> = rows
            .iter()
            .filter_map(|row| row.as_object())
            .flat_map(|row| row.iter().filter(|(_, value)| !is_blank(value)))
            .map(|(name, _)| name.as_str())
            .collect();
        let names: Vec<&str> = names.into_iter().filter(|name| is_plain_name(name)).collect();
        let Some((is, found)) = columns::find(&column, &names, Trust::ToAsk) else { return got };
        let arguments = rename::rename(&got.arguments, &column, is);
        let repair = Repair {
            tool: got.tool.name().clone(),
            table: table_of(&got.arguments),
            column,
            is: is.to_owned(),
            found,
        };
        let called = self.persistently(got.tool, &arguments, Why::Corrected).await;
        match &called {
            Called::Answered(answer) if !paging::is_empty(answer.for_work()) => {
                self.fixes.remember(repair.clone());
                self.tell(repair);
                Got { called, arguments, ..got }
            }
            Called::Answered(_)
            | Called::Refused { .. }
            | Called::Asked(_)
            | Called::NotSent { .. }
            | Called::Lost { .. } => got,
        }
    }

    /// The columns of a table, as a describing tool tells them.
    async fn described(&mut self, asked: &Known, table: &str) -> Vec<String> {
        let catalogue = self.ports.catalogue;
        let mut tools: Vec<(&Known, String)> =
            catalogue.describe_tools().filter_map(|tool| Some((tool, table_parameter(tool)?))).collect();
        // The server that has the table knows its columns best.
        tools.sort_by_key(|(tool, _)| tool.definition.server != asked.definition.server);
        for (tool, parameter) in tools.into_iter().take(DESCRIBERS_MAX) {
            let arguments = Values::from([(parameter, Json::from(table))]);
            if let Called::Answered(told) = self.persistently(tool, &arguments, Why::Describe).await {
                let columns = columns_told(told.for_work());
                if !columns.is_empty() {
                    return columns;
                }
            }
        }
        Vec::new()
    }
}

const TABLE_WORDS: &[&str] =
    &["table", "entity", "object", "collection", "dataset", "relation", "sheet", "sobject", "resource"];

fn names_a_table(parameter: &str) -> bool {
    words(parameter).iter().any(|word| TABLE_WORDS.contains(&word.as_str()))
}

/// The table that is asked: by its parameter, or after `FROM`.
fn table_of(arguments: &Values) -> Option<String> {
    let named = arguments.iter().find(|(name, value)| names_a_table(name) && value.as_text().is_some());
    if let Some((_, table)) = named {
        return table.as_text().map(str::to_owned);
    }
    rename::statements(arguments).find_map(|statement| {
        let mut words = statement.split_whitespace().skip_while(|word| !word.eq_ignore_ascii_case("from"));
        let table = words.nth(1)?.trim_matches(['"', '`', '[', ']', ';', ',']);
        is_plain_name(table).then(|| table.to_owned())
    })
}

/// The parameter in which a describing tool takes the table: the one that it needs.
fn table_parameter(tool: &Known) -> Option<String> {
    let needed: Vec<&str> = tool.required().collect();
    match needed.as_slice() {
        [only] => Some((*only).to_owned()),
        [] => tool.parameters().find(|name| names_a_table(name)).map(str::to_owned),
        [_, _, ..] => None,
    }
}

/// Every name that stands where columns are listed. Only plain names: they become part of queries.
fn columns_told(told: &Value) -> Vec<String> {
    let mut names = BTreeSet::new();
    gather(told, false, &mut names);
    names.into_iter().filter(|name| is_plain_name(name)).take(COLUMNS_MAX).collect()
}

fn gather(told: &Value, listed: bool, names: &mut BTreeSet<String>) {
    const LISTS: &[&str] = &["columns", "fields", "properties", "attributes", "schema", "column_names"];
    const NAMES: &[&str] = &["name", "column_name", "column", "field", "COLUMN_NAME", "Field", "columnName"];
    match told {
        Value::Array(items) => {
            for item in items {
                match item {
                    Value::String(name) if listed => {
                        names.insert(name.clone());
                    }
                    Value::Object(fields) => {
                        match NAMES.iter().find_map(|name| fields.get(*name).and_then(Value::as_str)) {
                            Some(name) => {
                                names.insert(name.to_owned());
                            }
                            None => gather(item, listed, names),
                        }
                    }
                    Value::Array(_) => gather(item, listed, names),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
                }
            }
        }
        Value::Object(fields) => {
            for (name, inner) in fields {
                let lists = LISTS.contains(&name.as_str());
                match inner {
                    // `{"columns": {"email": "TEXT"}}`
                    Value::Object(map) if lists && !map.keys().any(|key| LISTS.contains(&key.as_str())) => {
                        names.extend(map.keys().cloned());
                    }
                    Value::Object(_) | Value::Array(_) => gather(inner, lists, names),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A name that cannot be anything else in a query.
fn is_plain_name(name: &str) -> bool {
    (1..=COLUMN_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
#[path = "drift_tests.rs"]
mod tests;
