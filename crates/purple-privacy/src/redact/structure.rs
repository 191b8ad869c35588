//! Secrets that only the structure of data shows: a name and a value in two members, a column of a table.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::{redact_field, redact_json};
use crate::fields::{Named, holds_the_value, is_mask, named, names_another};
use crate::pattern::pattern;

/// The most bytes that are read for nothing, for each byte of a text.
const READS_PER_BYTE_MAX: usize = 16;
/// The most letters of the name of a column.
const COLUMN_CHARS_MAX: usize = 40;

/// The text with the JSON in it redacted as JSON; `None` where that changes nothing.
pub(crate) fn redact_embedded(text: &str) -> Option<String> {
    let mut masked = String::new();
    let (mut written, mut at) = (0_usize, 0_usize);
    let mut budget = text.len().saturating_mul(READS_PER_BYTE_MAX);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find(['{', '[', '"'])) {
        let start = at.saturating_add(found);
        let rest = text.get(start..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                let end = start.saturating_add(values.byte_offset());
                let clean = redact_json(value.clone());
                if clean != value {
                    masked.push_str(text.get(written..start).unwrap_or_default());
                    masked.push_str(&clean.to_string());
                    written = end;
                }
                at = end;
            }
            Some(Err(error)) => {
                budget = budget.saturating_sub(read_to(rest, &error).max(1));
                if budget == 0 {
                    break;
                }
                at = start.saturating_add(1);
            }
            None => break,
        }
    }
    if written == 0 {
        return None;
    }
    masked.push_str(text.get(written..).unwrap_or_default());
    Some(masked)
}

/// How far a text was read before it turned out to be no JSON.
fn read_to(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    lines.map(str::len).sum::<usize>().saturating_add(error.column())
}

/// Masks the value of a record that names another field: `{"name": "password", "value": …}`.
pub(crate) fn redact_pair(fields: &mut Map<String, Value>) {
    let names = fields.iter().filter(|(member, _)| names_another(member));
    let names = names.filter_map(|(_, value)| value.as_str()).map(named);
    let Some(kind) = names.into_iter().find(|named| matches!(named, Named::Credential | Named::Ssn)) else {
        return;
    };
    let stand_in = if kind == Named::Ssn { "ssn" } else { "password" };
    for (member, value) in fields.iter_mut() {
        if holds_the_value(member) {
            *value = redact_field(stand_in, std::mem::take(value));
        }
    }
}

/// Masks the columns of a table that are named like a secret: `{"columns": […], "rows": [[…]]}`.
pub(crate) fn redact_columns(fields: &mut Map<String, Value>) {
    let Some(columns) = fields.values().find_map(columns) else { return };
    for value in fields.values_mut() {
        let Value::Array(rows) = value else { continue };
        redact_rows(&columns, rows);
    }
}

/// Masks such columns of a list whose first item names them.
pub(crate) fn redact_headed(items: &mut [Value]) {
    let Some((head, rows)) = items.split_first_mut() else { return };
    if let Some(columns) = columns(head) {
        redact_rows(&columns, rows);
    }
}

/// The names of columns, where one of them is a secret's.
fn columns(head: &Value) -> Option<Vec<String>> {
    let name = |one: &Value| match one {
        Value::String(name) => Some(name.clone()),
        Value::Object(fields) => fields
            .iter()
            .find(|(member, _)| names_another(member))
            .and_then(|(_, name)| Some(name.as_str()?.to_owned())),
        _ => None,
    };
    let names: Vec<String> = head.as_array()?.iter().map(name).collect::<Option<_>>()?;
    let short = |name: &String| name.chars().count() <= COLUMN_CHARS_MAX;
    (names.iter().all(short) && names.iter().any(|name| named(name) != Named::Plain)).then_some(names)
}

fn redact_rows(columns: &[String], rows: &mut [Value]) {
    for row in rows {
        let Value::Array(cells) = row else { continue };
        if cells.len() != columns.len() {
            continue;
        }
        for (name, cell) in columns.iter().zip(cells) {
            *cell = redact_field(name, std::mem::take(cell));
        }
    }
}

/// The end of a line, also where it is written as an escape.
static LINE_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"\r?\n|(?:\\+r)?\\+n"));

/// The text with the columns masked that are named like a secret; `None` where that changes nothing.
pub(crate) fn redact_table(text: &str) -> Option<String> {
    if !LINE_END.is_match(text) {
        return None;
    }
    let mut lines: Vec<(&str, &str)> = Vec::new();
    let mut start = 0_usize;
    for end in LINE_END.find_iter(text) {
        lines.push((text.get(start..end.start())?, end.as_str()));
        start = end.end();
    }
    lines.push((text.get(start..)?, ""));
    let (mut masked, mut changed) = (String::with_capacity(text.len()), false);
    let mut head: Option<(char, Vec<String>)> = None;
    for (line, end) in lines {
        let row = head.as_ref().and_then(|(sign, columns)| redact_row(line, *sign, columns));
        match row {
            Some(row) => {
                changed |= row != line;
                masked.push_str(&row);
            }
            None => {
                head = header(line);
                masked.push_str(line);
            }
        }
        masked.push_str(end);
    }
    changed.then_some(masked)
}

/// The names of the columns, where the line is the head of a table with a secret in it.
fn header(line: &str) -> Option<(char, Vec<String>)> {
    if line.len() > 4096 {
        return None;
    }
    let of = |sign: char| {
        let cells: Vec<String> = cells(line, sign).map(|cell| bare(cell).to_owned()).collect();
        // A name is a few letters; a sentence has spaces after its commas, and an assignment is no name.
        let is_name = |cell: &String| {
            cell.chars().count() <= COLUMN_CHARS_MAX
                && cell.split_whitespace().count() <= 3
                && !cell.contains(['=', ':', '.', '?', '!', '{', '}', '(', '<'])
        };
        let fits = cells.len() > 1 && cells.iter().all(is_name) && !line.contains(", ");
        let secret = |cell: &String| matches!(named(cell), Named::Credential | Named::Ssn);
        (fits && cells.iter().any(secret)).then_some((sign, cells))
    };
    ['\t', '|', ';', ',', ' '].into_iter().find_map(of)
}

/// A space stands for two or more of them.
fn cells(line: &str, sign: char) -> Box<dyn Iterator<Item = &str> + '_> {
    static GAP: LazyLock<Regex> = LazyLock::new(|| pattern(" {2,}"));
    if sign == ' ' { Box::new(GAP.split(line.trim())) } else { Box::new(line.split(sign)) }
}

fn bare(cell: &str) -> &str {
    cell.trim().trim_matches(['"', '\'', '\\']).trim()
}

/// A line under the head; `None` where it is none.
fn redact_row(line: &str, sign: char, columns: &[String]) -> Option<String> {
    let row: Vec<&str> = cells(line, sign).collect();
    if row.len() != columns.len() {
        return None;
    }
    let mut masked = line.to_owned();
    for (name, cell) in columns.iter().zip(row) {
        let value = bare(cell);
        let is_rule = value.chars().all(|c| matches!(c, '-' | ':' | '=' | '*' | '.'));
        if matches!(named(name), Named::Credential | Named::Ssn) && !is_rule && !is_mask(value) {
            let at = masked.find(cell)?.saturating_add(cell.find(value)?);
            let mask = if named(name) == Named::Ssn { "[ssn]" } else { "[credential]" };
            masked.replace_range(at..at.saturating_add(value.len()), mask);
        }
    }
    Some(masked)
}
