//! Dialect 0.1, the legacy `tasks/send`: the caller picks the id of the task, which is its session. Pure conversions.

use serde_json::{Value, json};

use super::fault::Fault;
use super::fields::Fields;
use super::model::{Artifact, Dialect, Operation, Part, Push, Pushed, Send, Task, Update, Wait};
use super::{request, v03};

/// Reads the parameters of a method; `None` is a method of another dialect. What 0.3 names alike is read there.
pub(super) fn read(method: &str, params: &Value) -> Option<Result<Operation, Fault>> {
    Some(match method {
        "tasks/send" => send(params).map(Operation::Send),
        "tasks/sendSubscribe" => send(params).map(Operation::Stream),
        "tasks/pushNotification/set" | "tasks/pushNotification/get" => {
            Fields::of(params, "params").and_then(|fields| push(method, &fields)).map(Operation::Push)
        }
        _ => return None,
    })
}

fn send(params: &Value) -> Result<Send, Fault> {
    let params = Fields::of(params, "params")?;
    let message = params.needed_object("message")?;
    let push = params.object("pushNotification")?;
    let push = push.map(|fields| request::push(&fields, Dialect::V01)).transpose()?;
    v03::user(&message)?;
    let said = request::said(&message, |fields| v03::part_by(fields, fields.text("type")?))?;
    let mut extras = request::extras(&params, &message)?;
    let id = params.text("id")?.filter(|id| !id.is_empty()).map(str::to_owned);
    let session = params.text("sessionId")?.filter(|id| !id.is_empty()).map(str::to_owned);
    let context = id.or(session).or(extras.session.take());
    Ok(Send {
        message_id: None,
        context,
        task: None,
        words: said.words,
        decision: said.decision,
        extras,
        wait: Wait::ForTheAnswer,
        accepts: request::accepts(Some(&params))?,
        history: request::history(Some(&params))?,
        push,
    })
}

/// Reads what is asked about notifications.
fn push(method: &str, fields: &Fields<'_>) -> Result<Push, Fault> {
    let task = fields.needed("id")?.to_owned();
    Ok(match method {
        "tasks/pushNotification/set" => {
            let config = fields.needed_object("pushNotificationConfig")?;
            Push::Set { task, config: request::push(&config, Dialect::V01)? }
        }
        _ => Push::Get { task, id: None },
    })
}

/// A kept config, without its secrets.
pub(super) fn write_push(pushed: &Pushed) -> Value {
    json!({"id": pushed.task, "pushNotificationConfig": v03::inner_push(pushed)})
}

/// A task. Its readers look at artifacts only, so what a status says is the first of them, unless an answer is there.
pub(super) fn write_task(task: &Task) -> Value {
    let is_answered = task.artifacts.iter().any(|made| made.name == "answer");
    let said = task.status.message.iter().filter(|_| !is_answered);
    let said = said.map(|message| json!({"name": "answer", "parts": parts(&message.parts)}));
    let made = task.artifacts.iter().map(|made| json!({"name": made.name, "parts": parts(&made.parts)}));
    let artifacts: Vec<Value> = said.chain(made).enumerate().map(|(at, made)| numbered(made, at)).collect();
    let mut out = json!({
        "id": task.context,
        "sessionId": task.context,
        "status": status(task.status.state, task.status.at),
        "artifacts": artifacts,
    });
    v03::put_metadata(&mut out, &task.metadata);
    out
}

/// One event of a stream.
pub(super) fn write_update(update: &Update) -> Value {
    match update {
        Update::Task(task) => json!({
            "id": task.context,
            "status": status(task.status.state, task.status.at),
            "final": task.status.state.is_still(),
        }),
        Update::Status { context, status: standing, metadata, .. } => {
            let mut told = status(standing.state, standing.at);
            if let (Some(message), Value::Object(map)) = (&standing.message, &mut told) {
                let said = json!({"role": "agent", "parts": parts(&message.parts)});
                map.insert("message".to_owned(), said);
            }
            let mut out = json!({"id": context, "status": told, "final": standing.state.is_still()});
            v03::put_metadata(&mut out, metadata);
            out
        }
        Update::Artifact { context, artifact: Artifact { name, parts: made, .. }, place, .. } => {
            json!({"id": context, "artifact": {"name": name, "parts": parts(made), "index": place, "lastChunk": true}})
        }
    }
}

fn status(state: super::model::TaskState, at: jiff::Timestamp) -> Value {
    json!({"state": v03::state(state), "timestamp": super::v1::timestamp(at)})
}

fn numbered(mut artifact: Value, at: usize) -> Value {
    if let Value::Object(map) = &mut artifact {
        map.insert("index".to_owned(), json!(at));
    }
    artifact
}

fn parts(parts: &[Part]) -> Vec<Value> {
    let write = |part: &Part| match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Data(data) => json!({"type": "data", "data": data}),
    };
    parts.iter().map(write).collect()
}
