//! Whether the server lives, and whether it can take work.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use purple_port::Learned;
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

/// Says whether the storage takes something in.
pub trait Readiness: Send + Sync {
    /// Whether it does now.
    fn readiness(&self) -> Ready;
}

/// Whether the storage takes something in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ready {
    /// It does.
    Yes,
    /// There is no room on the disk.
    Full,
    /// It failed, or it is being closed.
    Storage,
}

/// It can take work: the storage takes it in, no stop of everything holds, and nobody told it to end.
pub(crate) async fn ready(State(door): State<Door>) -> (StatusCode, Json<Value>) {
    let word = not_ready(&door).await;
    let status = if word.is_some() { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    (status, Json(json!({"status": word.unwrap_or("ok")})))
}

/// Why it takes no work, in a word.
async fn not_ready(door: &Door) -> Option<&'static str> {
    let worker = &door.counter.worker;
    if *door.counter.closing.borrow() {
        return Some("stopping");
    }
    match door.readiness.as_ref().map(|readiness| readiness.readiness()) {
        Some(Ready::Full) => return Some("full"),
        Some(Ready::Storage) => return Some("storage"),
        Some(Ready::Yes) | None => {}
    }
    match (worker.events.sessions(None, 1).await, worker.brake.halts().await) {
        (Ok(_), Ok(halts)) if halts.iter().any(|halt| halt.process.is_none()) => Some("halted"),
        (Ok(_), Ok(_)) => None,
        (Err(_), _) | (_, Err(_)) => Some("storage"),
    }
}
