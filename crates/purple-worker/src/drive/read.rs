//! What a model reads: through the gate like every read, taken down with the case, told as what it is.

use purple_process::{Json, Values};
use serde_json::{Map, Value, json};

use crate::drive::carry::AtWork;
use crate::drive::memo::Found;
use crate::execute::catalogue::Known;
use crate::execute::reader::ReadOnce as _;
use crate::port::Called;
use crate::prime::privacy::redact_json;
use crate::run::{Phase, Run};

/// The largest answer that a model is shown whole, in bytes as JSON.
const SHOWN_BYTES_MAX: usize = 8 * 1024;
/// The most rows of a long answer that a model is shown.
const ROWS_SHOWN_MAX: usize = 20;
/// The largest answer that is kept with a case, in bytes as JSON. What is larger is read, shown in part, and vouches
/// for nothing.
const KEPT_BYTES_MAX: usize = 512 * 1024;

impl Run<'_> {
    /// Makes a read that a model asks for.
    pub(crate) async fn model_read(
        &mut self,
        work: &mut AtWork,
        known: &Known,
        arguments: &Map<String, Value>,
    ) -> Phase<Result<Value, String>> {
        let given = arguments.clone();
        let arguments = match values(arguments) {
            Ok(arguments) => arguments,
            Err(why) => return Ok(Err(why)),
        };
        let catalogue = std::sync::Arc::clone(&work.catalogue);
        let answer = match self.read_for_model(known, arguments.clone(), &catalogue, &mut work.drive).await? {
            Ok(answer) => answer,
            Err(why) => return Ok(Err(why)),
        };
        let name = work.found(Found {
            tool: known.name().clone(),
            arguments,
            at: self.scribe.began(),
            answer: answer.clone(),
        });
        let result = self.scribe.keep("tool result", &answer)?;
        let told =
            json!({"name": name, "tool": known.name(), "arguments": Value::Object(given), "result": result});
        self.scribe.note("model.found", told)?;
        Ok(Ok(shown(&name, &answer)))
    }

    /// Calls a tool that changes nothing and is no read: a calculation of a server, a question to somebody.
    pub(crate) async fn model_call(
        &mut self,
        known: &Known,
        arguments: &Map<String, Value>,
    ) -> Phase<Result<Value, String>> {
        let arguments = match values(arguments) {
            Ok(arguments) => arguments,
            Err(why) => return Ok(Err(why)),
        };
        Ok(match self.reads().read(known, arguments).await {
            Called::Answered(answer) => Ok(answer),
            Called::Refused { code, message } => {
                Err(format!("it said {}: {message}", code.as_deref().unwrap_or("error")))
            }
            // Only people answer tools, and nobody is asked for a call that changes nothing.
            Called::Asked(_) => Err("it wants to know something from a person first".to_owned()),
            Called::NotSent { reason } | Called::Lost { reason } => Err(reason),
        })
    }
}

impl AtWork {
    /// Takes down what was read, and gives it the name by which expressions know it.
    fn found(&mut self, found: Found) -> String {
        let driven = self.opened.dossier.driven.get_or_insert_default();
        if found.answer.to_string().len() > KEPT_BYTES_MAX {
            return "(too large to be kept)".to_owned();
        }
        driven.reads.push(found);
        let name = format!("r{}", driven.reads.len());
        self.changed = true;
        name
    }
}

pub(crate) fn values(arguments: &Map<String, Value>) -> Result<Values, String> {
    let one = |(name, value): (&String, &Value)| {
        let value = Json::from_serde(value).map_err(|bad| format!("`{name}` cannot be sent: {bad}"))?;
        Ok((name.clone(), value))
    };
    arguments.iter().map(one).collect()
}

/// An answer as a model sees it: named, marked as data, said to be empty where it is, and cut where it is long.
fn shown(name: &str, answer: &Value) -> Value {
    // Secrets never reach a model: what stands in their place says so.
    let answer = &redact_json(answer.clone());
    if is_empty(answer) {
        return json!({"name": name, "empty": true, "data": answer, "note": "nothing was found"});
    }
    if answer.to_string().len() <= SHOWN_BYTES_MAX {
        return json!({"name": name, "data": answer});
    }
    let (count, rows) = first_rows(answer);
    let note = "only the beginning is shown; calculate over the whole by its name";
    json!({"name": name, "rows": count, "data": rows, "cut": true, "note": note})
}

/// Nothing, or a list or record of nothing.
fn is_empty(answer: &Value) -> bool {
    match answer {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => {
            let mut lists = fields.values().filter_map(Value::as_array).peekable();
            let only_lists = lists.peek().is_some()
                && fields.values().all(|field| !field.is_object() && !field.is_string());
            fields.is_empty() || (only_lists && lists.all(Vec::is_empty))
        }
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// As many rows of the longest list as fit, or the beginning of the text.
fn first_rows(answer: &Value) -> (usize, Value) {
    let longest = match answer {
        Value::Array(rows) => Some(rows),
        Value::Object(fields) => fields.values().filter_map(Value::as_array).max_by_key(|rows| rows.len()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    };
    let mut left = SHOWN_BYTES_MAX;
    let mut kept = Vec::new();
    for row in longest.into_iter().flatten().take(ROWS_SHOWN_MAX) {
        let bytes = row.to_string().len();
        if bytes > left {
            break;
        }
        left -= bytes;
        kept.push(row.clone());
    }
    if kept.is_empty() {
        let text = answer.to_string();
        let end = text.floor_char_boundary(SHOWN_BYTES_MAX);
        return (0, Value::String(text.get(..end).unwrap_or_default().to_owned()));
    }
    (longest.map_or(0, Vec::len), Value::Array(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_told_as_nothing() {
        for answer in [json!(null), json!([]), json!({}), json!({"rows": [], "total": 0}), json!(" ")] {
            assert_eq!(shown("r1", &answer)["empty"], true, "{answer}");
        }
        for answer in [json!([0]), json!({"status": "open", "lines": []}), json!(0), json!(false)] {
            assert_eq!(shown("r1", &answer).get("empty"), None, "{answer}");
        }
    }

    #[test]
    fn a_long_answer_is_cut_and_says_how_long_it_is() {
        let rows: Vec<Value> = (0..5_000).map(|at| json!({"id": at, "total": "5.00 USD"})).collect();
        let cut = shown("r2", &json!({"rows": rows, "page": 1}));
        assert_eq!((cut["rows"].as_u64(), cut["cut"].as_bool()), (Some(5_000), Some(true)));
        assert_eq!(cut["data"].as_array().map(Vec::len), Some(ROWS_SHOWN_MAX));
        assert!(shown("r3", &json!("x".repeat(100_000))).to_string().len() < 9_000);
    }
}
