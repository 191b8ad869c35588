//! Whether the server lives, and whether it can take work.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::router::Door;

/// It lives: it answers.
pub(crate) async fn live() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// It can take work: the storage answers, and nobody told it to stop.
pub(crate) async fn ready(State(door): State<Door>) -> (StatusCode, Json<Value>) {
    let stored = door.counter.desk.events.sessions(None, 1).await.is_ok();
    let closing = *door.counter.closing.borrow();
    match (stored, closing) {
        (true, false) => (StatusCode::OK, Json(json!({"status": "ok"}))),
        (true, true) => (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"status": "stopping"}))),
        (false, _) => (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"status": "storage"}))),
    }
}
