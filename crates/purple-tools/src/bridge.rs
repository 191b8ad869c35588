//! The plain bridge: `GET {base}/mcp/tools` and `POST {base}/mcp`, without any protocol around them.

use std::time::Duration;

use purple_port::Called;
use reqwest::{Response, StatusCode, Url};
use serde_json::{Map, Value};

use crate::http::never_connected;
use crate::limits::{ANSWER_BYTES_MAX, LIST_TOOLS_MAX};
use crate::request::Request;
use crate::said::{Outcome, Then, cut, error_body, too_long, whole};

/// A bridge keeps no connection: what is remembered is where it is.
#[derive(Clone, Debug)]
pub(crate) struct Bridge {
    http: reqwest::Client,
    tools: Url,
    calls: Url,
    session: Option<String>,
}

impl Bridge {
    pub(crate) fn new(http: reqwest::Client, base: &Url) -> Self {
        let session = base.query_pairs().find(|(name, _)| name == "session_id");
        let session = session.map(|(_, session)| session.into_owned());
        Self { http, tools: under(base, "mcp/tools"), calls: without_query(under(base, "mcp")), session }
    }

    /// The definitions as the bridge gives them: a list, or a list under `tools`.
    pub(crate) async fn list(&self) -> Result<Vec<Value>, String> {
        let response = self.http.get(self.tools.clone()).send().await.map_err(|error| whole(&error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(format!("GET {} answers {status}", self.tools.path()));
        }
        let body = body(response).await.map_err(|broken| broken.reason())?;
        let listed = serde_json::from_slice::<Value>(&body).map_err(|error| format!("no list: {error}"))?;
        let tools = match listed {
            Value::Array(tools) => tools,
            Value::Object(mut fields) => match fields.remove("tools") {
                Some(Value::Array(tools)) => tools,
                _ => return Err("no list of tools".to_owned()),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err("no list of tools".to_owned());
            }
        };
        if tools.len() > LIST_TOOLS_MAX {
            return Err(format!("more than {LIST_TOOLS_MAX} tools"));
        }
        Ok(tools)
    }

    /// Posts the call, once.
    pub(crate) async fn call(&self, request: Request) -> Outcome {
        let deadline = request.deadline;
        match tokio::time::timeout(deadline, self.post(request)).await {
            Ok(outcome) => outcome,
            Err(_) => Outcome::lost(&silent(deadline), Then::Discard),
        }
    }

    async fn post(&self, request: Request) -> Outcome {
        let Request { tool, arguments, meta, deadline: _, answers: _, defaults: _, promises_json: _ } =
            request;
        let mut posted = Map::new();
        posted.insert("tool".to_owned(), Value::String(tool));
        posted.insert("params".to_owned(), Value::Object(arguments));
        if let Some(session) = &self.session {
            posted.insert("session_id".to_owned(), Value::String(session.clone()));
        }
        // A bridge has no `_meta`; this is the field that bridges with keys read.
        if let Some((_, key)) = meta {
            posted.insert("idempotency_key".to_owned(), Value::String(key));
        }
        let response = match self.http.post(self.calls.clone()).json(&posted).send().await {
            Ok(response) => response,
            Err(error) if never_connected(&error) => return Outcome::not_sent(&whole(&error), Then::Strike),
            Err(error) => return Outcome::lost(&whole(&error), Then::Strike),
        };
        let status = response.status();
        match body(response).await {
            Ok(body) => read(status, &body),
            Err(broken) => Outcome::lost(&broken.reason(), Then::Discard),
        }
    }
}

/// What a bridge's answer says. A fault of the server is no answer: the tool may have run before it.
fn read(status: StatusCode, body: &[u8]) -> Outcome {
    let told = serde_json::from_slice::<Value>(body).ok();
    if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT {
        return Outcome::lost(&format!("the server answers {status}"), Then::Keep);
    }
    if status.is_client_error() {
        let said = told.as_ref().and_then(error_body);
        return Outcome::answered(said.unwrap_or_else(|| Called::Refused {
            code: Some(format!("HTTP_{}", status.as_u16()).into()),
            message: cut(&String::from_utf8_lossy(body)).into(),
        }));
    }
    match told {
        Some(told) if status.is_success() => {
            Outcome::answered(error_body(&told).unwrap_or_else(|| Called::Answered(told.into())))
        }
        Some(_) | None => Outcome::lost(&format!("{status}, and the answer is no JSON"), Then::Keep),
    }
}

/// An answer that did not arrive as a whole.
enum Broken {
    TooLong,
    Cut(reqwest::Error),
}

impl Broken {
    fn reason(&self) -> String {
        match self {
            Self::TooLong => too_long(),
            Self::Cut(error) => whole(error),
        }
    }
}

async fn body(mut response: Response) -> Result<Vec<u8>, Broken> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(Broken::Cut)? {
        if body.len() + piece.len() > ANSWER_BYTES_MAX {
            return Err(Broken::TooLong);
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

pub(crate) fn silent(deadline: Duration) -> String {
    format!("no answer within {} ms", deadline.as_millis())
}

/// `base` with a path below its own; the query stays.
pub(crate) fn under(base: &Url, below: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{below}", base.path().trim_end_matches('/')));
    url
}

fn without_query(mut url: Url) -> Url {
    url.set_query(None);
    url
}

#[cfg(test)]
#[path = "bridge_tests.rs"]
mod tests;
