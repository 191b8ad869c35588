//! The plain bridge: `GET /mcp/tools` and `POST /mcp`, without any protocol around them.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{ConnectInfo, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::mcp::{EXCESS_BYTES_MAX, GARBAGE};
use super::severance::Severance;
use crate::office::{Answer, Call, Delivery, Office};

/// Sessions are taken as they come; all of them see the same company.
#[derive(Deserialize)]
pub(super) struct Listing {
    #[serde(default, rename = "session_id")]
    _session_id: String,
}

/// What a caller posts. Other fields are none of our business.
#[derive(Deserialize)]
pub(super) struct Posted {
    tool: Option<String>,
    #[serde(default)]
    params: Map<String, Value>,
    #[serde(default)]
    session_id: String,
    idempotency_key: Option<String>,
}

pub(super) async fn list(State(office): State<Arc<Office>>, _: Query<Listing>) -> Json<Vec<Value>> {
    let tools = office.definitions().into_iter().map(|definition| {
        let mut tool = json!({"name": definition.name, "description": definition.description});
        if let (Some(schema), Some(fields)) = (definition.input_schema, tool.as_object_mut()) {
            fields.insert("input_schema".to_owned(), Value::Object(schema.as_ref().clone()));
        }
        tool
    });
    Json(tools.collect())
}

pub(super) async fn call(
    State(office): State<Arc<Office>>,
    ConnectInfo(connection): ConnectInfo<Severance>,
    Json(posted): Json<Posted>,
) -> Response {
    let Some(tool) = &posted.tool else {
        let body = json!({"error": "field `tool` is missing: this is a plain bridge, not MCP", "type": "BAD_REQUEST"});
        return (StatusCode::BAD_REQUEST, Json(body)).into_response();
    };
    let call =
        Call::new(tool, posted.params).session(&posted.session_id).key(posted.idempotency_key.as_deref());
    let served = office.call(&call);
    if served.slow_ms > 0 {
        tokio::time::sleep(Duration::from_millis(served.slow_ms)).await;
    }
    match served.delivery {
        Delivery::Plain => plain(served.answer),
        Delivery::Huge(bytes) => huge(served.answer, bytes),
        Delivery::Garbage => ([(header::CONTENT_TYPE, "text/html")], GARBAGE).into_response(),
        Delivery::Unavailable => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Delivery::Never => std::future::pending().await,
        Delivery::Cut => {
            connection.cut();
            std::future::pending().await
        }
    }
}

fn plain(answer: Answer) -> Response {
    match answer {
        Answer::Done(value) => Json(value).into_response(),
        Answer::Refused { code: code @ "RATE_LIMITED", message } => {
            let body = Json(json!({"error": message, "type": code}));
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "1")], body).into_response()
        }
        Answer::Refused { code, message } => Json(json!({"error": message, "type": code})).into_response(),
        Answer::InputRequired { message, .. } => {
            Json(json!({"error": message, "type": "INPUT_REQUIRED"})).into_response()
        }
    }
}

fn huge(answer: Answer, bytes: u64) -> Response {
    let bytes = usize::try_from(bytes.min(EXCESS_BYTES_MAX)).unwrap_or(0);
    match answer {
        Answer::Done(Value::Object(mut value)) => {
            value.insert("padding".to_owned(), Value::String("x".repeat(bytes)));
            Json(Value::Object(value)).into_response()
        }
        other => plain(other),
    }
}
