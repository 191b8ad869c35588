//! JSON-RPC: the envelope. The name of the method picks the dialect.

use serde_json::{Map, Value, json};

use super::fault::{Fault, echo};
use super::model::{Dialect, Operation, Page, Pushed, Task, Update};
use super::{v01, v1, v03};

/// A request, taken out of its envelope.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Envelope {
    /// What the answer repeats; `null` where the request has none. Such a request is answered all the same.
    pub id: Value,
    pub dialect: Dialect,
    pub operation: Operation,
}

/// A request that cannot be read, and what is known of its id.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unread {
    pub id: Value,
    pub fault: Fault,
}

/// Reads a body.
pub(crate) fn read(body: &[u8]) -> Result<Envelope, Unread> {
    let unread = |id: &Value, fault: Fault| Unread { id: id.clone(), fault };
    // Nesting deeper than 128 is refused by the reader itself.
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| unread(&Value::Null, Fault::NotJson { why: error.to_string() }))?;
    let Value::Object(map) = &value else {
        return Err(unread(&Value::Null, Fault::NotARequest { why: "it must be one object" }));
    };
    let id = match map.get("id") {
        None => Value::Null,
        Some(id @ (Value::Null | Value::String(_) | Value::Number(_))) => id.clone(),
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {
            let why = "`id` must be a text or a number";
            return Err(unread(&Value::Null, Fault::NotARequest { why }));
        }
    };
    let (dialect, operation) = operation(map).map_err(|fault| unread(&id, fault))?;
    Ok(Envelope { id, dialect, operation })
}

fn operation(map: &Map<String, Value>) -> Result<(Dialect, Operation), Fault> {
    if map.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(Fault::NotARequest { why: "`jsonrpc` must be \"2.0\"" });
    }
    let Some(method) = map.get("method").and_then(Value::as_str) else {
        return Err(Fault::NotARequest { why: "`method` must be a text" });
    };
    let nothing = json!({});
    let params = map.get("params").filter(|params| !params.is_null()).unwrap_or(&nothing);
    let read = v1::read(method, params).map(|read| (Dialect::V1, read));
    let read = read.or_else(|| v03::read(method, params).map(|read| (Dialect::V03, read)));
    let read = read.or_else(|| v01::read(method, params).map(|read| (Dialect::V01, read)));
    let (dialect, read) = read.ok_or_else(|| Fault::NoSuchMethod { method: echo(method) })?;
    Ok((dialect, read?))
}

/// What a request is answered with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    /// The task of a message.
    Sent(Task),
    Task(Task),
    Page(Page),
    Update(Update),
    Pushed(Pushed),
    AllPushed(Vec<Pushed>),
    /// The extended card.
    Card(Value),
    Nothing,
}

impl Reply {
    /// The result as the dialect writes it.
    pub(crate) fn write(&self, dialect: Dialect) -> Value {
        match (self, dialect) {
            (Self::Sent(task), Dialect::V1) => v1::write_sent(task),
            (Self::Task(task), Dialect::V1) => v1::write_task(task),
            (Self::Sent(task) | Self::Task(task), Dialect::V03) => v03::write_task(task),
            (Self::Sent(task) | Self::Task(task), Dialect::V01) => v01::write_task(task),
            (Self::Update(update), Dialect::V1) => v1::write_update(update),
            (Self::Update(update), Dialect::V03) => v03::write_update(update),
            (Self::Update(update), Dialect::V01) => v01::write_update(update),
            (Self::Page(page), Dialect::V1 | Dialect::V03 | Dialect::V01) => v1::write_page(page),
            (Self::Pushed(pushed), Dialect::V1) => v1::write_push(pushed),
            (Self::Pushed(pushed), Dialect::V03) => v03::write_push(pushed),
            (Self::Pushed(pushed), Dialect::V01) => v01::write_push(pushed),
            (Self::AllPushed(all), Dialect::V1) => v1::write_pushes(all),
            (Self::AllPushed(all), Dialect::V03 | Dialect::V01) => all.iter().map(v03::write_push).collect(),
            (Self::Card(card), Dialect::V1 | Dialect::V03 | Dialect::V01) => card.clone(),
            // 1.0 writes an empty message, earlier dialects nothing.
            (Self::Nothing, Dialect::V1) => json!({}),
            (Self::Nothing, Dialect::V03 | Dialect::V01) => Value::Null,
        }
    }

    /// The whole answer.
    pub(crate) fn to_rpc(&self, id: &Value, dialect: Dialect) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "result": self.write(dialect)})
    }
}

/// The whole answer to a request that is not served.
pub(crate) fn refusal(id: &Value, fault: &Fault) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": fault.to_rpc()})
}

#[cfg(test)]
#[path = "rpc_tests.rs"]
mod tests;
