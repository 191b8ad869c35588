//! Giving the worker a task.

use std::io::Read as _;
use std::path::Path;

use purple_process::{PersonId, SessionId};
use purple_worker::limits::EVENT_BYTES_MAX;
use purple_worker::port::{DedupKey, Posted};
use purple_worker::{Channel, Desk, DeskError, Message, Start, Status};

use crate::cli::{Plan, Run, Task};
use crate::commands::{Scene, in_house, watch};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Screen, exit_of, run_text};
use crate::wire_up::{Purpose, fresh_run};

/// What surrounds the text of a task in its event, at most, in bytes.
const ENVELOPE_BYTES: usize = 4 * 1024;

/// `purple run TASK`
pub(crate) fn run(scene: &Scene<'_>, args: &Run) -> Result<Exit, Failure> {
    let (config, person) = scene.config_and_person()?;
    let (start, by) = start(&args.task, person)?;
    in_house(
        scene,
        &config,
        Purpose::Act,
        |desk| async move { begin(&desk, scene.screen, args, start, by).await },
    )
}

/// `purple plan TASK`
pub(crate) fn plan(scene: &Scene<'_>, args: &Plan) -> Result<Exit, Failure> {
    let (config, person) = scene.config_and_person()?;
    let (start, _) = start(&args.task, person)?;
    in_house(scene, &config, Purpose::Rehearse, |desk| async move {
        rehearse(&desk, scene.screen, args, start).await
    })
}

pub(crate) async fn begin(
    desk: &Desk,
    screen: Screen,
    args: &Run,
    start: Start,
    by: PersonId,
) -> Result<Exit, Failure> {
    let run = match &args.session {
        Some(id) => SessionId::parse(id)?,
        None => fresh_run(desk.clock.now())?,
    };
    let there = desk.events.session(&run).await.map_err(DeskError::from)?;
    let seq = there.as_ref().map_or(0, |row| row.entries);
    let dedup = match &args.request_id {
        Some(key) => DedupKey(format!("cli:{by}:{key}")),
        None => DedupKey(format!("cli:{}", fresh_run(desk.clock.now())?)),
    };
    let posted = if there.is_some() {
        let message = Message { text: start.text, by, channel: Channel::Cli };
        desk.say(run.clone(), dedup, message).await?
    } else {
        desk.start(run.clone(), dedup, start).await?
    };
    let (run, seq) = match posted {
        Posted::Accepted => (run, seq),
        Posted::Repeated { session } => {
            screen.say(&format!("this request was taken before, as run {session}"));
            (session, 0)
        }
        Posted::Conflicting { session } => return Err(DeskError::Conflicting { run: session }.into()),
    };
    if args.no_wait {
        if screen.is_json() {
            screen.document(&serde_json::json!({"run": run}))?;
        } else {
            screen.line(run.as_str())?;
        }
        screen.next(&format!("purple trace {run} --follow"));
        return Ok(Exit::Done);
    }
    screen.say(&format!("run {run}"));
    let view = watch::follow(desk, screen, &run, seq).await?;
    watch::outcome(screen, &view)
}

pub(crate) async fn rehearse(
    desk: &Desk,
    screen: Screen,
    args: &Plan,
    start: Start,
) -> Result<Exit, Failure> {
    let run = fresh_run(desk.clock.now())?;
    desk.start(run.clone(), DedupKey(format!("plan:{run}")), start).await?;
    let view = watch::follow(desk, screen, &run, 0).await?;
    if screen.is_json() {
        screen.record(&serde_json::json!({"result": view}))?;
    } else {
        screen.line(&run_text(&view, screen.out))?;
    }
    screen.next("purple run \"TASK\"   (the same, for good)");
    Ok(match (view.summary.status, args.detailed_exitcode) {
        (Status::Waiting, true) => Exit::Changes,
        (Status::Waiting, false) => Exit::Done,
        (Status::Working | Status::WaitingModel | Status::InDoubt | Status::Halted | Status::Closed, _) => {
            exit_of(&view)
        }
    })
}

fn start(task: &Task, by: PersonId) -> Result<(Start, PersonId), Failure> {
    let text = text_of(&task.task)?;
    let policy = task.policy.as_deref().map(policy_of).transpose()?;
    let tools_endpoint = task.tools_endpoint.clone();
    Ok((Start { text, by: by.clone(), channel: Channel::Cli, policy, tools_endpoint }, by))
}

fn text_of(typed: &str) -> Result<String, Failure> {
    let bytes_max = EVENT_BYTES_MAX - ENVELOPE_BYTES;
    let mut text = typed.to_owned();
    if typed == "-" {
        text.clear();
        let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX) + 1;
        let stdin = Path::new("stdin").to_owned();
        let read = std::io::stdin().lock().take(limit).read_to_string(&mut text);
        read.map_err(|cause| Failure::Read { file: stdin, cause })?;
    }
    match text.trim().len() {
        0 => Err(Failure::NoTask),
        bytes if bytes > bytes_max => Err(Failure::TaskTooLong { bytes, bytes_max }),
        _ => Ok(text.trim().to_owned()),
    }
}

/// Rules as JSON, or else prose.
fn policy_of(file: &Path) -> Result<serde_json::Value, Failure> {
    let text =
        std::fs::read_to_string(file).map_err(|cause| Failure::Read { file: file.to_owned(), cause })?;
    match serde_json::from_str(&text) {
        Ok(rules) => Ok(rules),
        // Rules with a slip in them are not prose: to take them for prose would be to drop them.
        Err(cause) if text.trim_start().starts_with(['{', '[']) => {
            Err(Failure::BadPolicy { file: file.to_owned(), cause })
        }
        Err(_) => Ok(serde_json::Value::String(text)),
    }
}
