//! Whether the server lives, and whether it can take work.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use purple_worker::port::Learned;
use serde_json::{Map, Value, json};

use crate::router::Door;

/// It lives: it answers.
pub(crate) async fn live() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// What was learned, in numbers.
pub(crate) fn learned(learned: &Learned) -> Value {
    let mut arms: Map<String, Value> = Map::new();
    for arm in &learned.arms {
        let of_kind = arms.entry(arm.context.clone()).or_insert_with(|| json!({}));
        of_kind[&arm.arm] = json!({"q": arm.mean, "n": arm.tries});
    }
    let cases: Map<String, Value> =
        learned.cases.iter().map(|(process, count)| (process.clone(), json!(count))).collect();
    let total: u64 = learned.cases.iter().map(|(_, count)| count).sum();
    json!({
        "cases": {"total": total, "by_process": cases},
        "bandit": arms,
        "tool_registry": learned.tools,
        "synthesized_definitions": learned.processes,
    })
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
