//! Giving the worker a task.

use std::io::Read as _;
use std::path::Path;

use purple_journal::record::approval::Asked;
use purple_journal::record::plan::Made;
use purple_process::{Mode, PersonId, SessionId};
use purple_worker::limits::TASK_BYTES_MAX;
use purple_worker::{Action, Awaited, Channel, Command, FurtherRun, RunView, Status, Words, WorkerHandle};

use crate::cli::{Plan, Run, Task};
use crate::commands::look::PAGE;
use crate::commands::{Scene, in_house, watch};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Screen, exit_of, run_text};
use crate::wire_up::{Purpose, fresh_run};

/// What a card says where only the mode `always` asks, as a rehearsal does.
const EVERY_OPERATION_WAITS: &str = "in mode `always` every operation waits for a person";

/// `purple run TASK`
pub(crate) fn run(scene: &Scene<'_>, args: &Run) -> Result<Exit, Failure> {
    let (config, person) = scene.config_and_person()?;
    let words = words(&args.task)?;
    in_house(scene, &config, Purpose::Act, |worker| async move {
        begin(&worker, scene.screen, args, words, person).await
    })
}

/// `purple plan TASK`
pub(crate) fn plan(scene: &Scene<'_>, args: &Plan) -> Result<Exit, Failure> {
    let (config, person) = scene.config_and_person()?;
    let words = words(&args.task)?;
    let mode = config.settings.mode;
    in_house(scene, &config, Purpose::Rehearse, |worker| async move {
        rehearse(&worker, scene.screen, args, (words, person), mode).await
    })
}

pub(crate) async fn begin(
    worker: &WorkerHandle,
    screen: Screen,
    args: &Run,
    words: Words,
    by: PersonId,
) -> Result<Exit, Failure> {
    let run = match &args.session {
        Some(id) => SessionId::parse(id)?,
        None => fresh_run(worker.clock.now())?,
    };
    let (channel, id) = (Channel::Cli, args.request_id.clone());
    let receipt = worker.submit(Command { run, by, channel, id, action: Action::Say(words) }).await?;
    let run = &receipt.run;
    if receipt.repeated {
        screen.say(&format!("this request was taken before, as run {run}"));
    }
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
    let view = watch::follow(worker, screen, &receipt).await?;
    let exit = watch::outcome(screen, &view)?;
    watch::further(worker, screen, &view, exit).await
}

pub(crate) async fn rehearse(
    worker: &WorkerHandle,
    screen: Screen,
    args: &Plan,
    (words, by): (Words, PersonId),
    mode: Mode,
) -> Result<Exit, Failure> {
    let run = fresh_run(worker.clock.now())?;
    let (channel, action) = (Channel::Cli, Action::Say(words));
    let command = Command { run, by, channel, id: None, action };
    let receipt = worker.submit(command).await?;
    // A rehearsal asks about everything, so that nothing runs; whom the run for good would ask is said at its end.
    let view =
        watch::follow_but(worker, screen, &receipt, &|entry| entry.record().get::<Asked>().is_some()).await?;
    let mut exit = rehearsed(worker, screen, args, (&view, mode)).await?;
    for FurtherRun { run, after } in view.answer.iter().flat_map(|answer| &answer.data.runs) {
        let view = worker.idle(run, &Awaited::turn_of(*after, 1)).await?;
        let own = rehearsed(worker, screen, args, (&view, mode)).await?;
        if exit == Exit::Done {
            exit = own;
        }
    }
    screen.next("purple run \"TASK\"   (the same, for good)");
    Ok(exit)
}

/// Shows what a rehearsed run came to.
async fn rehearsed(
    worker: &WorkerHandle,
    screen: Screen,
    args: &Plan,
    (view, mode): (&RunView, Mode),
) -> Result<Exit, Failure> {
    let asked = for_good(worker, &view.run, mode).await?;
    // A rehearsal asks about everything; what is shown is the mode of the run for good.
    let mut view = view.clone();
    view.summary.mode = mode;
    let alone = matches!(asked, Some(ForGood::Alone(_)));
    if alone && let Some(open) = &mut view.summary.approval {
        open.asks = vec!["nobody: the rules allow it".to_owned()];
    }
    let view = &view;
    if screen.is_json() {
        screen.record(&serde_json::json!({"result": view, "for_good": asked.as_ref().map(ForGood::data)}))?;
    } else {
        let text = run_text(view, screen.out);
        let of_rehearsal = |line: &&str| mode != Mode::Always && line.contains(EVERY_OPERATION_WAITS);
        let lines: Vec<&str> = text.lines().filter(|line| !of_rehearsal(line)).collect();
        screen.line(&lines.join("\n"))?;
        if let Some(asked) = &asked {
            screen.line(&format!("\n{}", asked.text(mode)))?;
        }
    }
    Ok(match (view.summary.status, args.detailed_exitcode) {
        (Status::Waiting, true) => Exit::Changes,
        (Status::Waiting, false) => Exit::Done,
        (Status::Working | Status::WaitingModel | Status::InDoubt | Status::Halted | Status::Closed, _) => {
            exit_of(view)
        }
    })
}

/// What the operator's own mode would make of a plan. A rehearsal itself asks about everything, so that nothing runs.
enum ForGood {
    /// These steps would run without a person.
    Alone(Vec<String>),
    /// Somebody would be asked.
    Asked,
}

impl ForGood {
    fn data(&self) -> serde_json::Value {
        match self {
            Self::Alone(steps) => serde_json::json!({"asks": false, "steps": steps}),
            Self::Asked => serde_json::json!({"asks": true}),
        }
    }

    fn text(&self, mode: Mode) -> String {
        match self {
            Self::Alone(_) => {
                format!(
                    "For good, in mode `{mode}`, it would run without asking anybody: the rules allow it."
                )
            }
            Self::Asked => format!("For good, in mode `{mode}`, it would wait for a person too."),
        }
    }
}

async fn for_good(worker: &WorkerHandle, run: &SessionId, mode: Mode) -> Result<Option<ForGood>, Failure> {
    let mut plan: Option<Made> = None;
    let mut seq = 0;
    loop {
        let entries = worker.trace(run, seq, PAGE).await?;
        let Some(last) = entries.last() else { break };
        seq = last.seq;
        let last = entries.iter().rev().find_map(|one| one.record().get::<Made>());
        plan = last.cloned().or(plan);
    }
    let Some(plan) = plan else { return Ok(None) };
    let ruled = plan.ruling.value().get("operations").and_then(|operations| operations.as_array());
    let operations: Vec<&serde_json::Value> = ruled.into_iter().flatten().collect();
    let alone = |operation: &&serde_json::Value| {
        let said = operation.get("said").and_then(|said| said.as_array());
        let mut verdicts = said
            .into_iter()
            .flatten()
            .filter(|one| one.get("counts").and_then(serde_json::Value::as_bool) == Some(true))
            .filter_map(|one| one.get("verdict")?.as_str())
            .peekable();
        match (mode, verdicts.peek().is_some()) {
            (Mode::Always, _) | (Mode::Careful, false) => false,
            (Mode::Permissive, false) => true,
            (Mode::Careful | Mode::Permissive, true) => verdicts.all(|verdict| verdict == "allow"),
        }
    };
    Ok(Some(if !operations.is_empty() && operations.iter().all(alone) {
        let step = |one: &&serde_json::Value| Some(one.get("step")?.as_str()?.to_owned());
        ForGood::Alone(operations.iter().filter_map(step).collect())
    } else {
        ForGood::Asked
    }))
}

fn words(task: &Task) -> Result<Words, Failure> {
    let policy = task.policy.as_deref().map(policy_of).transpose()?;
    Ok(Words { text: text_of(&task.task)?, policy, tools_endpoint: task.tools_endpoint.clone() })
}

fn text_of(typed: &str) -> Result<String, Failure> {
    let bytes_max = TASK_BYTES_MAX;
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
