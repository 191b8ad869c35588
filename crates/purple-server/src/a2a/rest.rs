//! HTTP+JSON of 1.0: the path is the method, the body or the query its parameters. Pure.

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::fault::Fault;
use super::model::Operation;
use super::v1;

/// Reads what a request asks for.
pub(crate) fn read(method: &Method, path: &str, query: &str, body: &[u8]) -> Result<Operation, Fault> {
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    // Who asks for the head of an answer asks the same question.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    let (name, params) = match (method.as_str(), segments.as_slice()) {
        ("POST", ["message:send"]) => ("SendMessage", parsed(body)?),
        ("POST", ["message:stream"]) => ("SendStreamingMessage", parsed(body)?),
        ("GET", ["tasks"]) => ("ListTasks", asked(query)),
        ("GET" | "POST", ["tasks", task]) => of_task(method, task, query)?,
        ("POST", ["tasks", task, "pushNotificationConfigs"]) => {
            let mut params = parsed(body)?;
            if let Value::Object(map) = &mut params {
                map.insert("taskId".to_owned(), json!(decoded(task)));
                map.remove("task_id");
            }
            ("CreateTaskPushNotificationConfig", params)
        }
        ("GET", ["tasks", task, "pushNotificationConfigs"]) => {
            ("ListTaskPushNotificationConfigs", json!({"taskId": decoded(task)}))
        }
        ("GET", ["tasks", task, "pushNotificationConfigs", id]) => {
            ("GetTaskPushNotificationConfig", json!({"taskId": decoded(task), "id": decoded(id)}))
        }
        ("DELETE", ["tasks", task, "pushNotificationConfigs", id]) => {
            ("DeleteTaskPushNotificationConfig", json!({"taskId": decoded(task), "id": decoded(id)}))
        }
        ("GET", ["extendedAgentCard"]) => return Ok(Operation::ExtendedCard),
        (_, segments) => return Err(otherwise(segments)),
    };
    v1::read(name, &params).unwrap_or(Err(Fault::NoSuchPath))
}

/// A path that is there takes other methods; any other is not there.
fn otherwise(segments: &[&str]) -> Fault {
    let allow = match segments {
        ["message:send" | "message:stream"] => "POST",
        ["tasks" | "extendedAgentCard"] => "GET, HEAD",
        ["tasks", task] => match task.rsplit_once(':') {
            Some((_, "cancel")) => "POST",
            Some((_, "subscribe")) => "GET, POST",
            _ => "GET, HEAD",
        },
        ["tasks", _, "pushNotificationConfigs"] => "GET, HEAD, POST",
        ["tasks", _, "pushNotificationConfigs", _] => "GET, HEAD, DELETE",
        _ => return Fault::NoSuchPath,
    };
    Fault::WrongMethod { allow }
}

/// A task by its id, or something done to it: the verb follows the last colon.
fn of_task(method: &Method, task: &str, query: &str) -> Result<(&'static str, Value), Fault> {
    let mut params = asked(query);
    let (id, name) = match (method.as_str(), task.rsplit_once(':')) {
        ("POST", Some((id, "cancel"))) => (id, "CancelTask"),
        // The two texts of the specification disagree about the method.
        ("GET" | "POST", Some((id, "subscribe"))) => (id, "SubscribeToTask"),
        ("GET", _) => (task, "GetTask"),
        _ => return Err(otherwise(&["tasks", task])),
    };
    params["id"] = json!(decoded(id));
    Ok((name, params))
}

fn parsed(body: &[u8]) -> Result<Value, Fault> {
    serde_json::from_slice(body).map_err(|error| Fault::NotJson { why: error.to_string() })
}

/// The query as parameters: whole numbers and truth values are read as such where the protocol has them.
fn asked(query: &str) -> Value {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let read = |(name, value): (&str, &str)| {
        let value = decoded(&value.replace('+', " "));
        let read = match name {
            "pageSize" | "page_size" | "historyLength" | "history_length" | "includeArtifacts"
            | "include_artifacts" => serde_json::from_str(&value).unwrap_or(Value::String(value)),
            _ => Value::String(value),
        };
        (name.to_owned(), read)
    };
    Value::Object(pairs.map(read).collect::<Map<_, _>>())
}

/// A text of a URL without its escapes. What is no escape stays as it is.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (byte, code) {
            (b'%', Some(code)) => {
                out.push(code);
                at += 3;
            }
            (byte, _) => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::model::{HistoryLength, List, Push, WithArtifacts};

    fn get(path: &str, query: &str) -> Result<Operation, Fault> {
        read(&Method::GET, path, query, b"")
    }

    #[test]
    fn a_path_means_what_the_method_of_the_same_name_means() {
        let id = "a b~1".to_owned();
        let history = HistoryLength::Last(2);
        assert_eq!(get("/tasks/a%20b~1", "historyLength=2"), Ok(Operation::Get { id: id.clone(), history }));
        assert_eq!(
            read(&Method::POST, "/tasks/a%20b~1:cancel", "", b""),
            Ok(Operation::Cancel { id: id.clone() })
        );
        assert_eq!(get("/tasks/a%20b~1:subscribe", ""), Ok(Operation::Subscribe { id: id.clone() }));
        assert_eq!(
            read(&Method::POST, "/tasks/a%20b~1:subscribe", "", b"{}"),
            Ok(Operation::Subscribe { id })
        );
        let list = List {
            context: Some("c 1".to_owned()),
            state: None,
            after: None,
            page_size: 7,
            page_token: None,
            history: HistoryLength::All,
            artifacts: WithArtifacts::Yes,
        };
        let query = "contextId=c+1&pageSize=7&includeArtifacts=true&pageToken=";
        assert_eq!(get("/tasks", query), Ok(Operation::List(list)));
        let push = |task: &str, id: &str| (task.to_owned(), id.to_owned());
        let (task, one) = push("x", "1");
        let asked = Push::Get { task: task.clone(), id: Some(one.clone()) };
        assert_eq!(get("/tasks/x/pushNotificationConfigs/1", ""), Ok(Operation::Push(asked)));
        let asked = Push::Delete { task: task.clone(), id: one };
        let deleted = read(&Method::DELETE, "/tasks/x/pushNotificationConfigs/1", "", b"");
        assert_eq!(deleted, Ok(Operation::Push(asked)));
        assert_eq!(get("/tasks/x/pushNotificationConfigs", ""), Ok(Operation::Push(Push::List { task })));
        assert_eq!(get("/extendedAgentCard", ""), Ok(Operation::ExtendedCard));
    }

    #[test]
    fn what_is_no_path_and_no_number_is_refused() {
        assert_eq!(get("/tasks/x:cancel/y", ""), Err(Fault::NoSuchPath));
        let other = |allow| Err(Fault::WrongMethod { allow });
        assert_eq!(get("/message:send", ""), other("POST"));
        assert_eq!(
            get("/tasks/x:cancel", ""),
            Ok(Operation::Get { id: "x:cancel".to_owned(), history: HistoryLength::All })
        );
        assert_eq!(read(&Method::POST, "/tasks/x", "", b""), other("GET, HEAD"));
        assert_eq!(read(&Method::PUT, "/tasks/x:cancel", "", b""), other("POST"));
        assert_eq!(
            read(&Method::DELETE, "/tasks/x/pushNotificationConfigs", "", b""),
            other("GET, HEAD, POST")
        );
        assert_eq!(get("/tasks", "pageSize=many").unwrap_err().code(), -32602);
        assert_eq!(read(&Method::POST, "/message:send", "", b"{").unwrap_err().code(), -32700);
        assert_eq!(decoded("%zz%4"), "%zz%4");
        assert_eq!(decoded("%é"), "%é");
    }
}
