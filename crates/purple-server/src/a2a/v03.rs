//! Dialect 0.3, which 0.2 speaks too: `message/send`, `kind` on everything. Pure conversions.

use serde_json::{Map, Value, json};

use super::fault::{Fault, echo};
use super::fields::Fields;
use super::model::{
    Artifact, Dialect, HistoryLength, Message, Operation, Part, Push, Pushed, Role, Send, Task, TaskState,
    TaskStatus, Update, Wait,
};
use super::request;

/// Reads the parameters of a method; `None` is a method of another dialect.
pub(super) fn read(method: &str, params: &Value) -> Option<Result<Operation, Fault>> {
    let id = || Fields::of(params, "params").and_then(|fields| Ok(fields.needed("id")?.to_owned()));
    Some(match method {
        "message/send" => send(params).map(Operation::Send),
        "message/stream" => send(params).map(Operation::Stream),
        "tasks/get" => id().and_then(|id| Ok(Operation::Get { id, history: history(params)? })),
        "tasks/cancel" => id().map(|id| Operation::Cancel { id }),
        "tasks/resubscribe" => id().map(|id| Operation::Subscribe { id }),
        "tasks/pushNotificationConfig/set"
        | "tasks/pushNotificationConfig/get"
        | "tasks/pushNotificationConfig/list"
        | "tasks/pushNotificationConfig/delete" => {
            Fields::of(params, "params").and_then(|fields| push(method, &fields)).map(Operation::Push)
        }
        "agent/getAuthenticatedExtendedCard" => Ok(Operation::ExtendedCard),
        _ => return None,
    })
}

fn history(params: &Value) -> Result<HistoryLength, Fault> {
    request::history(Some(&Fields::of(params, "params")?))
}

fn send(params: &Value) -> Result<Send, Fault> {
    let params = Fields::of(params, "params")?;
    let message = params.needed_object("message")?;
    let configuration = params.object("configuration")?;
    let flag = |name| configuration.as_ref().map_or(Ok(None), |fields| fields.flag(name));
    let push = match &configuration {
        Some(fields) => fields.object("pushNotificationConfig")?,
        None => None,
    };
    let push = push.map(|fields| request::push(&fields, Dialect::V03)).transpose()?;
    user(&message)?;
    let said = request::said(&message, part)?;
    Ok(Send {
        message_id: Some(request::message_id(&message)?),
        context: message.text("contextId")?.map(str::to_owned),
        task: message.text("taskId")?.map(str::to_owned),
        words: said.words,
        decision: said.decision,
        extras: request::extras(&params, &message)?,
        // Servers of this dialect wait where nothing is said, and clients rely on it.
        wait: if flag("blocking")?.unwrap_or(true) { Wait::ForTheAnswer } else { Wait::No },
        accepts: request::accepts(configuration.as_ref())?,
        history: request::history(configuration.as_ref())?,
        push,
    })
}

/// Reads what is asked about notifications.
fn push(method: &str, fields: &Fields<'_>) -> Result<Push, Fault> {
    let id = || fields.text("pushNotificationConfigId").map(|id| id.filter(|id| !id.is_empty()));
    Ok(match method {
        "tasks/pushNotificationConfig/set" => {
            let task = fields.needed("taskId")?.to_owned();
            let config = request::push(&fields.needed_object("pushNotificationConfig")?, Dialect::V03)?;
            Push::Set { task, config }
        }
        "tasks/pushNotificationConfig/get" => {
            Push::Get { task: fields.needed("id")?.to_owned(), id: id()?.map(str::to_owned) }
        }
        "tasks/pushNotificationConfig/list" => Push::List { task: fields.needed("id")?.to_owned() },
        _ => Push::Delete {
            task: fields.needed("id")?.to_owned(),
            id: fields.needed("pushNotificationConfigId")?.to_owned(),
        },
    })
}

/// A kept config, without its secrets.
pub(super) fn write_push(pushed: &Pushed) -> Value {
    json!({"taskId": pushed.task, "pushNotificationConfig": inner_push(pushed)})
}

pub(super) fn inner_push(pushed: &Pushed) -> Value {
    let config = &pushed.config;
    let mut out = json!({"id": config.id, "url": config.url});
    if let Value::Object(map) = &mut out {
        if let Some(token) = &config.token {
            map.insert("token".to_owned(), json!(token));
        }
        if let Some(scheme) = &config.scheme {
            map.insert("authentication".to_owned(), json!({"schemes": [scheme]}));
        }
    }
    out
}

/// Only users speak to an agent.
pub(super) fn user(message: &Fields<'_>) -> Result<(), Fault> {
    match message.needed("role")? {
        "user" => Ok(()),
        _ => Err(Fault::params(message.at("role"), "must be `user`")),
    }
}

fn part(fields: &Fields<'_>) -> Result<Part, Fault> {
    part_by(fields, fields.text("kind")?)
}

/// A part by the word that says what it is, or by the field that it has.
pub(super) fn part_by(fields: &Fields<'_>, kind: Option<&str>) -> Result<Part, Fault> {
    let known = ["text", "data", "file"];
    let kind = kind.or_else(|| known.into_iter().find(|kind| fields.raw(kind).is_some()));
    match kind {
        Some("text") => {
            let text = fields.text("text")?.ok_or_else(|| Fault::params(fields.at("text"), "is needed"))?;
            Ok(Part::Text(text.to_owned()))
        }
        Some("data") => match fields.raw("data") {
            Some(data) => Ok(Part::Data(data.clone())),
            None => Err(Fault::params(fields.at("data"), "is needed")),
        },
        Some("file") => {
            let file = fields.needed_object("file")?;
            Err(request::no_file(file.text("mimeType")?))
        }
        Some(other) => Err(Fault::params(fields.at("kind"), format!("`{}` is no kind of part", echo(other)))),
        None => Err(Fault::params(fields.at("kind"), "is needed")),
    }
}

/// The name of a state.
pub(crate) fn state(state: TaskState) -> &'static str {
    match state {
        TaskState::Submitted => "submitted",
        TaskState::Working => "working",
        TaskState::InputRequired => "input-required",
        TaskState::Completed => "completed",
        TaskState::Canceled => "canceled",
        TaskState::Failed => "failed",
    }
}

/// A task.
pub(super) fn write_task(task: &Task) -> Value {
    let mut out = json!({
        "kind": "task",
        "id": task.id,
        "contextId": task.context,
        "status": status(&task.status, &task.id, &task.context),
        "artifacts": task.artifacts.iter().map(artifact).collect::<Vec<_>>(),
        "history": task.history.iter().map(|one| message(one, &task.id, &task.context)).collect::<Vec<_>>(),
    });
    put_metadata(&mut out, &task.metadata);
    out
}

/// One event of a stream.
pub(super) fn write_update(update: &Update) -> Value {
    match update {
        Update::Task(task) => write_task(task),
        Update::Status { task, context, status: standing, metadata } => {
            let mut out = json!({
                "kind": "status-update",
                "taskId": task,
                "contextId": context,
                "status": status(standing, task, context),
                // Clients of this dialect stop reading at `final`; a pause ends a stream too.
                "final": standing.state.is_still(),
            });
            put_metadata(&mut out, metadata);
            out
        }
        Update::Artifact { task, context, artifact: made, .. } => json!({
            "kind": "artifact-update",
            "taskId": task,
            "contextId": context,
            "artifact": artifact(made),
            "append": false,
            "lastChunk": true,
        }),
    }
}

fn status(standing: &TaskStatus, task: &str, context: &str) -> Value {
    let mut out = json!({"state": state(standing.state), "timestamp": super::v1::timestamp(standing.at)});
    if let (Some(said), Value::Object(map)) = (&standing.message, &mut out) {
        map.insert("message".to_owned(), message(said, task, context));
    }
    out
}

fn message(said: &Message, task: &str, context: &str) -> Value {
    let role = match said.role {
        Role::User => "user",
        Role::Agent => "agent",
    };
    json!({
        "kind": "message",
        "messageId": said.id,
        "role": role,
        "parts": said.parts.iter().map(write_part).collect::<Vec<_>>(),
        "taskId": task,
        "contextId": context,
    })
}

fn artifact(made: &Artifact) -> Value {
    let parts: Vec<Value> = made.parts.iter().map(write_part).collect();
    json!({"artifactId": made.id, "name": made.name, "parts": parts})
}

fn write_part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"kind": "text", "text": text}),
        Part::Data(data) => json!({"kind": "data", "data": data}),
    }
}

pub(super) fn put_metadata(out: &mut Value, metadata: &Map<String, Value>) {
    if let (false, Value::Object(map)) = (metadata.is_empty(), out) {
        map.insert("metadata".to_owned(), Value::Object(metadata.clone()));
    }
}
