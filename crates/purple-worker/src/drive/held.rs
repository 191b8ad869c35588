//! What a model has read. A large answer is a blob of its own, which the case names, and the model gets a handle: a
//! name, a size, a shape and the first rows.

use std::sync::Arc;

use jiff::Timestamp;
use purple_journal::RedactedJson;
use purple_process::{ToolName, Values};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::execute::paging::rows_at;
use crate::port::untrusted::Untrusted;
use crate::port::{BlobHash, TurnFailed};
use crate::prime::privacy::redact_json;
use crate::run::{Phase, Run};

/// The largest answer that a model is shown whole, in bytes as JSON. What is larger is a handle.
pub(crate) const SHOWN_BYTES_MAX: usize = 8 * 1024;
/// The largest answer that is kept, in bytes as JSON. What is larger is read, shown in part, and vouches for nothing.
const KEPT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The most bytes that all handles of one case come to.
const HANDLES_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The most that was looked at of one handle and is remembered, in bytes as JSON.
const LOOKED_BYTES_MAX: usize = 128 * 1024;
/// The most rows of a handle that are shown at once when it is made.
const ROWS_SHOWN_MAX: usize = 10;
/// The most bytes of a handle that are shown when it is made.
const PREVIEW_BYTES_MAX: usize = 3 * 1024;
/// The most fields of a shape.
const SHAPE_FIELDS_MAX: usize = 40;

const _: () = assert!(PREVIEW_BYTES_MAX < SHOWN_BYTES_MAX);
const _: () = assert!(KEPT_BYTES_MAX <= HANDLES_BYTES_MAX);
const _: () = assert!(HANDLES_BYTES_MAX < crate::limits::BLOB_BYTES_MAX);

/// One read that a model asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub(crate) struct Found {
    pub tool: ToolName,
    pub arguments: Values,
    pub at: Timestamp,
    /// The whole answer, in memory.
    pub answer: Arc<Untrusted<Value>>,
    /// Set where the answer is large: then it is stored apart.
    pub handle: Option<Handle>,
}

/// A large answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Handle {
    /// The answer itself.
    pub blob: BlobHash,
    /// Its size as JSON.
    pub bytes: usize,
    /// What was looked at of it. Only this vouches for the figures of an operation: of the rest the model knows nothing.
    pub looked: Vec<Value>,
}

/// As it is stored with a case.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    tool: ToolName,
    arguments: Values,
    at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    handle: Option<Handle>,
}

impl From<Found> for Stored {
    fn from(found: Found) -> Self {
        let Found { tool, arguments, at, answer, handle } = found;
        let answer = handle.is_none().then(|| answer.for_work().clone());
        Self { tool, arguments, at, answer, handle }
    }
}

impl From<Stored> for Found {
    fn from(stored: Stored) -> Self {
        let Stored { tool, arguments, at, answer, handle } = stored;
        Self { tool, arguments, at, answer: Arc::new(answer.unwrap_or_default().into()), handle }
    }
}

impl Found {
    /// What vouches for figures: the whole answer, or what was looked at of it.
    pub(crate) fn vouches(&self) -> &[Value] {
        match &self.handle {
            Some(handle) => &handle.looked,
            None => std::slice::from_ref(self.answer.for_work()),
        }
    }

    /// What people and models are shown of it.
    pub(crate) fn evidence(&self) -> RedactedJson {
        match &self.handle {
            None => self.answer.redacted(),
            Some(handle) => RedactedJson::from_value(json!({
                "bytes": handle.bytes, "rows": rows_at(self.answer.for_work()).map(|(_, rows)| rows.len()),
                "looked_at": handle.looked,
            })),
        }
    }

    /// Takes down what was looked at. `false`: that is too much by now.
    pub(crate) fn look_at(&mut self, seen: &Value) -> bool {
        let Some(handle) = &mut self.handle else { return true };
        if handle.looked.contains(seen) {
            return true;
        }
        let all: usize = handle.looked.iter().map(|one| one.to_string().len()).sum();
        let fits = all.saturating_add(seen.to_string().len()) <= LOOKED_BYTES_MAX;
        if fits {
            handle.looked.push(seen.clone());
        }
        fits
    }
}

impl Run<'_> {
    /// Keeps an answer: with the case, or as a blob of its own. `None` where it is too large for either; `others` are
    /// the handles that the case has already.
    pub(crate) fn hold(
        &mut self,
        (tool, arguments): (ToolName, Values),
        answer: Value,
        others: &[Found],
    ) -> Phase<Option<Found>> {
        let at = self.scribe.began();
        let text = answer.to_string();
        let bytes = text.len();
        if bytes <= SHOWN_BYTES_MAX {
            return Ok(Some(Found { tool, arguments, at, answer: Arc::new(answer.into()), handle: None }));
        }
        let held: usize = others.iter().filter_map(|one| one.handle.as_ref()).map(|one| one.bytes).sum();
        if bytes > KEPT_BYTES_MAX || held.saturating_add(bytes) > HANDLES_BYTES_MAX {
            return Ok(None);
        }
        let blob = self.keep_bytes(text.into_bytes())?;
        let looked = preview(&redact_json(answer.clone())).map(|(_, rows)| rows).into_iter().collect();
        let handle = Some(Handle { blob, bytes, looked });
        Ok(Some(Found { tool, arguments, at, answer: Arc::new(answer.into()), handle }))
    }

    /// Reads the large answers of a case, as they were kept.
    pub(crate) async fn take_up(&self, reads: &mut [Found]) -> Phase<()> {
        for found in reads {
            let Some(handle) = found.handle.as_ref().filter(|_| found.answer.for_work().is_null()) else {
                continue;
            };
            let bytes = self.bytes("tool result", handle.blob).await?;
            let answer: Value = serde_json::from_slice(&bytes)
                .map_err(|error| TurnFailed::Unreadable { what: "tool result", why: error.to_string() })?;
            found.answer = Arc::new(answer.into());
        }
        Ok(())
    }
}

/// An answer as a model sees it: named, marked as data, said to be empty where it is, and a handle where it is large.
pub(crate) fn shown(name: &str, answer: &Value) -> Value {
    // Secrets never reach a model: what stands in their place says so.
    let answer = &redact_json(answer.clone());
    if is_empty(answer) {
        return json!({"name": name, "empty": true, "data": answer, "note": "nothing was found"});
    }
    let bytes = answer.to_string().len();
    if bytes <= SHOWN_BYTES_MAX {
        return match empty_lists(answer) {
            none if none.is_empty() => json!({"name": name, "data": answer}),
            lists => json!({"name": name, "data": answer, "empty_lists": lists}),
        };
    }
    let mut handle = Map::new();
    handle.insert("name".to_owned(), json!(name));
    handle.insert("handle".to_owned(), json!(true));
    handle.insert("bytes".to_owned(), json!(bytes));
    match preview(answer) {
        Some((place, first)) => {
            let count = rows_at(answer).map_or(0, |(_, rows)| rows.len());
            handle.insert("rows".to_owned(), json!(count));
            handle.insert("rows_at".to_owned(), json!(place));
            handle.insert("fields".to_owned(), shape(&first));
            handle.insert("first".to_owned(), first);
        }
        None => {
            handle.insert("fields".to_owned(), shape(answer));
            handle.insert("first".to_owned(), json!(beginning(answer)));
        }
    }
    let note = "only the beginning is shown; look into the rest by its name, or calculate over the whole";
    handle.insert("note".to_owned(), json!(note));
    Value::Object(handle)
}

/// An answer that is no read: as it is, or its beginning where it is large.
pub(crate) fn in_part(name: &str, answer: Value) -> Value {
    if answer.to_string().len() <= SHOWN_BYTES_MAX { redact_json(answer) } else { shown(name, &answer) }
}

/// Fields in which a server says that it answered, and what it says there.
const STATUS_FIELDS: [&str; 6] = ["status", "state", "result", "message", "msg", "code"];
const STATUS_WORDS: [&str; 12] = [
    "ok",
    "okay",
    "success",
    "successful",
    "succeeded",
    "done",
    "completed",
    "200",
    "none",
    "empty",
    "not found",
    "no results",
];

/// Nothing, or a list or record of nothing. What only says that there is an answer is nothing too.
fn is_empty(answer: &Value) -> bool {
    match answer {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => {
            let has_list = fields.values().any(|field| field.is_array() || field.is_object());
            let says_nothing = |(name, field): (&String, &Value)| match field {
                Value::Bool(_) | Value::Number(_) => has_list,
                Value::String(text) => is_empty(field) || (has_list && is_status(name, text)),
                Value::Null | Value::Array(_) | Value::Object(_) => is_empty(field),
            };
            fields.iter().all(says_nothing)
        }
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_status(name: &str, text: &str) -> bool {
    let is = |list: &[&str], word: &str| list.iter().any(|known| known.eq_ignore_ascii_case(word));
    is(&STATUS_FIELDS, name) && is(&STATUS_WORDS, text.trim().trim_end_matches('.'))
}

/// The lists of a record in which nothing stands, by name.
fn empty_lists(answer: &Value) -> Vec<&str> {
    let fields = answer.as_object().into_iter().flatten();
    fields
        .filter(|(_, field)| field.as_array().is_some_and(Vec::is_empty))
        .map(|(name, _)| name.as_str())
        .collect()
}

/// Where the rows of an answer stand, and the first of them, as many as fit. `None` where it has none, or a row is
/// too long.
fn preview(answer: &Value) -> Option<(String, Value)> {
    let (place, rows) = rows_at(answer)?;
    let mut left = PREVIEW_BYTES_MAX;
    let mut first = Vec::new();
    for row in rows.iter().take(ROWS_SHOWN_MAX) {
        let Some(rest) = left.checked_sub(row.to_string().len()) else { break };
        left = rest;
        first.push(row.clone());
    }
    (!first.is_empty()).then_some((place, Value::Array(first)))
}

/// The beginning of an answer that has no rows.
fn beginning(answer: &Value) -> String {
    let text = match answer {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let end = text.floor_char_boundary(PREVIEW_BYTES_MAX);
    text.get(..end).unwrap_or_default().to_owned()
}

/// The fields of a record, or of the first rows, with their kinds.
fn shape(value: &Value) -> Value {
    let mut fields = Map::new();
    let records: Vec<&Map<String, Value>> = match value {
        Value::Array(rows) => rows.iter().filter_map(Value::as_object).collect(),
        Value::Object(record) => vec![record],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for (name, field) in records.into_iter().flatten() {
        if fields.len() >= SHAPE_FIELDS_MAX && !fields.contains_key(name) {
            fields.insert("…".to_owned(), json!("more fields"));
            break;
        }
        fields.entry(name.clone()).or_insert_with(|| json!(kind(field)));
    }
    Value::Object(fields)
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "boolean".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::String(text) if text.len() > PREVIEW_BYTES_MAX => format!("text of {} bytes", text.len()),
        Value::String(_) => "text".to_owned(),
        Value::Array(items) => format!("list of {}", items.len()),
        Value::Object(fields) => format!("record of {}", fields.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many() -> Value {
        let rows: Vec<Value> = (0..5_000).map(|at| json!({"id": at, "total": "5.00 USD"})).collect();
        json!({"rows": rows, "page": 1})
    }

    fn found(answer: Value, handle: Option<Handle>) -> Found {
        Found {
            tool: ToolName::parse("list_things").unwrap(),
            arguments: Values::new(),
            at: Timestamp::UNIX_EPOCH,
            answer: Arc::new(answer.into()),
            handle,
        }
    }

    #[test]
    fn nothing_is_told_as_nothing() {
        for answer in [
            json!(null),
            json!([]),
            json!({}),
            json!({"rows": [], "total": 0}),
            json!(" "),
            json!({"invoices": [], "status": "success"}),
            json!({"results": [], "message": "OK."}),
            json!({"data": {"items": []}, "ok": true}),
            json!({"items": [], "next_cursor": ""}),
            json!({"record": null}),
        ] {
            assert_eq!(shown("r1", &answer)["empty"], true, "{answer}");
        }
        assert_eq!(shown("r1", &json!({"vendor": "Acme", "bills": []}))["empty_lists"], json!(["bills"]));
        for answer in [
            json!([0]),
            json!({"status": "open", "lines": []}),
            json!({"status": "success"}),
            json!(0),
            json!(false),
        ] {
            assert_eq!(shown("r1", &answer).get("empty"), None, "{answer}");
        }
    }

    #[test]
    fn a_large_answer_is_a_handle_with_size_shape_and_first_rows() {
        let handle = shown("r2", &many());
        assert_eq!((handle["handle"].as_bool(), handle["rows"].as_u64()), (Some(true), Some(5_000)));
        assert_eq!(handle["fields"], json!({"id": "number", "total": "text"}));
        assert_eq!(handle["first"].as_array().map(Vec::len), Some(ROWS_SHOWN_MAX));
        assert_eq!(handle["rows_at"], "rows");
        for answer in [json!("x".repeat(100_000)), json!({"body": "y".repeat(100_000)}), many()] {
            assert!(shown("r3", &answer).to_string().len() < SHOWN_BYTES_MAX / 2, "{answer}");
            assert!(in_part("", answer.clone()).to_string().len() < SHOWN_BYTES_MAX / 2, "{answer}");
        }
        assert_eq!(in_part("", json!({"sum": "1.00 USD"})), json!({"sum": "1.00 USD"}));
    }

    #[test]
    fn what_is_stored_apart_is_not_in_the_case_and_what_is_small_is() {
        let blob = BlobHash(crate::port::Digest::of(b"x"));
        let handle = Handle { blob, bytes: 90_000, looked: vec![json!({"id": 1})] };
        let text = serde_json::to_string(&found(many(), Some(handle.clone()))).unwrap();
        assert!(text.len() < 400, "{text}");
        let back: Found = serde_json::from_str(&text).unwrap();
        assert_eq!((back.answer.for_work().is_null(), back.handle), (true, Some(handle)));
        let small = found(json!({"a": "1.10 USD"}), None);
        assert_eq!(serde_json::from_str::<Found>(&serde_json::to_string(&small).unwrap()).unwrap(), small);
    }

    #[test]
    fn a_handle_vouches_for_what_was_looked_at_and_only_for_so_much() {
        let blob = BlobHash(crate::port::Digest::of(b"x"));
        let mut one = found(many(), Some(Handle { blob, bytes: 1, looked: Vec::new() }));
        assert_eq!(one.vouches(), [Value::Null; 0]);
        assert!(one.look_at(&json!({"id": 7})) && one.look_at(&json!({"id": 7})));
        assert_eq!(one.vouches(), [json!({"id": 7})]);
        assert!(!one.look_at(&json!("z".repeat(LOOKED_BYTES_MAX))));
        assert_eq!(found(json!([1]), None).vouches(), [json!([1])]);
    }
}
