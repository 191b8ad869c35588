//! Dialect 1.0: `SendMessage`, ProtoJSON. Pure conversions.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::fault::{Fault, echo};
use super::fields::Fields;
use super::model::{
    Artifact, Dialect, List, Message, Operation, Page, Part, Push, Pushed, Role, Send, Task, TaskState,
    TaskStatus, Update, Wait, WithArtifacts,
};
use super::{request, v03};
use crate::limits::{PAGE_TASKS, PAGE_TASKS_MAX};

/// Reads the parameters of a method; `None` is a method of another dialect.
pub(super) fn read(method: &str, params: &Value) -> Option<Result<Operation, Fault>> {
    let fields = || Fields::of(params, "params");
    let id = || fields().and_then(|fields| Ok(fields.needed("id")?.to_owned()));
    Some(match method {
        "SendMessage" => send(params).map(Operation::Send),
        "SendStreamingMessage" => send(params).map(Operation::Stream),
        "GetTask" => {
            id().and_then(|id| Ok(Operation::Get { id, history: request::history(Some(&fields()?))? }))
        }
        "ListTasks" => fields().and_then(|fields| list(&fields)).map(Operation::List),
        "CancelTask" => id().map(|id| Operation::Cancel { id }),
        "SubscribeToTask" => id().map(|id| Operation::Subscribe { id }),
        "CreateTaskPushNotificationConfig"
        | "GetTaskPushNotificationConfig"
        | "ListTaskPushNotificationConfigs"
        | "DeleteTaskPushNotificationConfig" => {
            fields().and_then(|fields| push(method, &fields)).map(Operation::Push)
        }
        "GetExtendedAgentCard" => Ok(Operation::ExtendedCard),
        _ => return None,
    })
}

/// Reads a message and what comes with it.
pub(crate) fn send(params: &Value) -> Result<Send, Fault> {
    let params = Fields::of(params, "params")?;
    let message = params.needed_object("message")?;
    let configuration = params.object("configuration")?;
    let flag = |name| configuration.as_ref().map_or(Ok(None), |fields| fields.flag(name));
    let push = match &configuration {
        Some(fields) => fields.object("taskPushNotificationConfig")?,
        None => None,
    };
    let push = push.map(|fields| request::push(&fields, Dialect::V1)).transpose()?;
    user(&message)?;
    let said = request::said(&message, part)?;
    let filled = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
    Ok(Send {
        message_id: Some(request::message_id(&message)?),
        context: filled(message.text("contextId")?),
        task: filled(message.text("taskId")?),
        words: said.words,
        decision: said.decision,
        extras: request::extras(&params, &message)?,
        wait: if flag("returnImmediately")?.unwrap_or(false) { Wait::No } else { Wait::ForTheAnswer },
        accepts: request::accepts(configuration.as_ref())?,
        history: request::history(configuration.as_ref())?,
        push,
    })
}

/// Reads what is asked about notifications.
fn push(method: &str, fields: &Fields<'_>) -> Result<Push, Fault> {
    let task = fields.needed("taskId")?.to_owned();
    Ok(match method {
        "CreateTaskPushNotificationConfig" => Push::Set { task, config: request::push(fields, Dialect::V1)? },
        "GetTaskPushNotificationConfig" => Push::Get { task, id: Some(fields.needed("id")?.to_owned()) },
        "ListTaskPushNotificationConfigs" => Push::List { task },
        _ => Push::Delete { task, id: fields.needed("id")?.to_owned() },
    })
}

/// A kept config, without its secrets.
pub(crate) fn write_push(pushed: &Pushed) -> Value {
    let config = &pushed.config;
    let mut out = json!({"taskId": pushed.task, "id": config.id, "url": config.url});
    if let Value::Object(map) = &mut out {
        if let Some(token) = &config.token {
            map.insert("token".to_owned(), json!(token));
        }
        if let Some(scheme) = &config.scheme {
            map.insert("authentication".to_owned(), json!({"scheme": scheme}));
        }
    }
    out
}

/// All configs of a task.
pub(crate) fn write_pushes(all: &[Pushed]) -> Value {
    json!({"configs": all.iter().map(write_push).collect::<Vec<_>>(), "nextPageToken": ""})
}

/// Only users speak to an agent. ProtoJSON writes an enum by name or by number.
fn user(message: &Fields<'_>) -> Result<(), Fault> {
    let role = message.raw("role").ok_or_else(|| Fault::params(message.at("role"), "is needed"))?;
    let is_user = role.as_str() == Some("ROLE_USER") || role.as_u64() == Some(1);
    if is_user { Ok(()) } else { Err(Fault::params(message.at("role"), "must be `ROLE_USER`")) }
}

fn part(fields: &Fields<'_>) -> Result<Part, Fault> {
    let content: Vec<&str> =
        ["text", "data", "raw", "url"].into_iter().filter(|name| fields.raw(name).is_some()).collect();
    match content.as_slice() {
        ["text"] => Ok(Part::Text(fields.text("text")?.unwrap_or_default().to_owned())),
        ["data"] => Ok(Part::Data(fields.raw("data").cloned().unwrap_or_default())),
        ["raw" | "url"] => Err(request::no_file(fields.text("mediaType")?)),
        _ => Err(Fault::params(fields.at("text"), "is needed, or exactly one of `data`, `raw` and `url`")),
    }
}

/// Reads which tasks are listed.
fn list(fields: &Fields<'_>) -> Result<List, Fault> {
    let filled = |name| -> Result<_, Fault> {
        Ok(fields.text(name)?.filter(|text| !text.is_empty()).map(str::to_owned))
    };
    let page_size = fields.count("pageSize")?.unwrap_or(PAGE_TASKS);
    if !(1..=PAGE_TASKS_MAX).contains(&page_size) {
        let why = format!("must be from 1 to {PAGE_TASKS_MAX}");
        return Err(Fault::params(fields.at("pageSize"), why));
    }
    let state = match fields.text("status")? {
        None | Some("" | "TASK_STATE_UNSPECIFIED") => None,
        Some(name) => {
            let known = TaskState::ALL.into_iter().find(|known| state(*known) == name);
            let why = || format!("`{}` is no state", echo(name));
            Some(known.ok_or_else(|| Fault::params(fields.at("status"), why()))?)
        }
    };
    let after = match filled("statusTimestampAfter")? {
        None => None,
        Some(text) => {
            let why = || format!("`{}` is no time", echo(&text));
            Some(text.parse().map_err(|_| Fault::params(fields.at("statusTimestampAfter"), why()))?)
        }
    };
    let shown = fields.flag("includeArtifacts")?.unwrap_or(false);
    Ok(List {
        context: filled("contextId")?,
        state,
        after,
        page_size,
        page_token: filled("pageToken")?,
        history: request::history(Some(fields))?,
        artifacts: if shown { WithArtifacts::Yes } else { WithArtifacts::No },
    })
}

/// The name of a state.
pub(crate) fn state(state: TaskState) -> &'static str {
    match state {
        TaskState::Submitted => "TASK_STATE_SUBMITTED",
        TaskState::Working => "TASK_STATE_WORKING",
        TaskState::InputRequired => "TASK_STATE_INPUT_REQUIRED",
        TaskState::Completed => "TASK_STATE_COMPLETED",
        TaskState::Canceled => "TASK_STATE_CANCELED",
        TaskState::Failed => "TASK_STATE_FAILED",
    }
}

/// A time in UTC with milliseconds.
pub(super) fn timestamp(at: Timestamp) -> String {
    format!("{at:.3}")
}

/// A task.
pub(crate) fn write_task(task: &Task) -> Value {
    let mut out = json!({
        "id": task.id,
        "contextId": task.context,
        "status": status(&task.status, &task.id, &task.context),
    });
    if let Value::Object(map) = &mut out {
        if !task.artifacts.is_empty() {
            map.insert("artifacts".to_owned(), task.artifacts.iter().map(artifact).collect());
        }
        if !task.history.is_empty() {
            let said = task.history.iter().map(|one| message(one, &task.id, &task.context));
            map.insert("history".to_owned(), said.collect());
        }
    }
    v03::put_metadata(&mut out, &task.metadata);
    out
}

/// The answer to a message.
pub(crate) fn write_sent(task: &Task) -> Value {
    json!({"task": write_task(task)})
}

/// A page of a list.
pub(crate) fn write_page(page: &Page) -> Value {
    json!({
        "tasks": page.tasks.iter().map(write_task).collect::<Vec<_>>(),
        "nextPageToken": page.next,
        "pageSize": page.page_size,
        "totalSize": page.total,
    })
}

/// One event of a stream.
pub(crate) fn write_update(update: &Update) -> Value {
    match update {
        Update::Task(task) => json!({"task": write_task(task)}),
        Update::Status { task, context, status: standing, metadata } => {
            let mut out =
                json!({"taskId": task, "contextId": context, "status": status(standing, task, context)});
            v03::put_metadata(&mut out, metadata);
            json!({"statusUpdate": out})
        }
        Update::Artifact { task, context, artifact: made, .. } => json!({"artifactUpdate": {
            "taskId": task, "contextId": context, "artifact": artifact(made), "lastChunk": true,
        }}),
    }
}

fn status(standing: &TaskStatus, task: &str, context: &str) -> Value {
    let mut out = json!({"state": state(standing.state), "timestamp": timestamp(standing.at)});
    if let (Some(said), Value::Object(map)) = (&standing.message, &mut out) {
        map.insert("message".to_owned(), message(said, task, context));
    }
    out
}

fn message(said: &Message, task: &str, context: &str) -> Value {
    let role = match said.role {
        Role::User => "ROLE_USER",
        Role::Agent => "ROLE_AGENT",
    };
    let parts: Vec<Value> = said.parts.iter().map(write_part).collect();
    json!({"messageId": said.id, "role": role, "parts": parts, "taskId": task, "contextId": context})
}

fn artifact(made: &Artifact) -> Value {
    let parts: Vec<Value> = made.parts.iter().map(write_part).collect();
    json!({"artifactId": made.id, "name": made.name, "parts": parts})
}

fn write_part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"text": text}),
        Part::Data(data) => json!({"data": data, "mediaType": "application/json"}),
    }
}
