//! Waiting for a run, and showing it while it works.

use std::time::Duration;

use purple_process::{Outcome, SessionId};
use purple_worker::port::Recorded;
use purple_worker::{Awaited, FurtherRun, Receipt, RunView, Status, WorkerHandle};

use crate::commands::look::PAGE;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Live, Screen, exit_of, run_text};

/// How often the live line is drawn again.
const FRAME: Duration = Duration::from_millis(100);

/// Shows what happens to a run after a command until the run is idle.
pub(crate) async fn follow(
    worker: &WorkerHandle,
    screen: Screen,
    receipt: &Receipt,
) -> Result<RunView, Failure> {
    follow_but(worker, screen, receipt, &|_| false).await
}

/// The same, without some of the entries.
pub(crate) async fn follow_but(
    worker: &WorkerHandle,
    screen: Screen,
    receipt: &Receipt,
    hidden: &(dyn Fn(&Recorded) -> bool + Sync),
) -> Result<RunView, Failure> {
    let run = &receipt.run;
    let mut live = Live::new(screen);
    let mut seen = receipt.awaited.after;
    let mut frames = tokio::time::interval(FRAME);
    let idle = worker.idle(run, &receipt.awaited);
    tokio::pin!(idle);
    loop {
        tokio::select! {
            view = &mut idle => {
                let view = view?;
                told(worker, &mut live, run, &mut seen, hidden).await?;
                live.finish(worker.clock.now());
                return Ok(view);
            }
            changed = worker.events.changed(run, seen) => {
                changed.map_err(purple_worker::ClientError::from)?;
                told(worker, &mut live, run, &mut seen, hidden).await?;
            }
            _ = frames.tick() => live.tick(worker.clock.now()),
        }
    }
}

async fn told(
    worker: &WorkerHandle,
    live: &mut Live,
    run: &SessionId,
    seen: &mut u64,
    hidden: &(dyn Fn(&Recorded) -> bool + Sync),
) -> Result<(), Failure> {
    loop {
        let entries = worker.trace(run, *seen, PAGE).await?;
        for entry in &entries {
            if !hidden(entry) {
                live.entry(entry)?;
            }
            *seen = entry.seq;
        }
        if entries.len() < PAGE {
            return Ok(());
        }
    }
}

/// The outcome of a run that was waited for: the answer, or what it waits for.
pub(crate) fn outcome(screen: Screen, view: &RunView) -> Result<Exit, Failure> {
    if screen.is_json() {
        screen.record(&serde_json::json!({"result": view}))?;
    } else {
        match (&view.answer, view.summary.status) {
            (Some(answer), Status::Closed) => screen.line(crate::show::visible(&answer.text).trim_end())?,
            (Some(_) | None, _) => screen.line(&run_text(view, screen.out))?,
        }
    }
    next_step(screen, view);
    Ok(exit_of(view))
}

/// Shows the runs that a run began or asked something of, each with its outcome. The first exit that is not a success
/// counts.
pub(crate) async fn further(
    worker: &WorkerHandle,
    screen: Screen,
    view: &RunView,
    exit: Exit,
) -> Result<Exit, Failure> {
    let mut exit = exit;
    for FurtherRun { run, after } in view.answer.iter().flat_map(|answer| &answer.data.runs) {
        let awaited = Awaited::turn_of(*after, 1);
        screen.say(&format!("run {run}"));
        let view = worker.idle(run, &awaited).await?;
        let own = outcome(screen, &view)?;
        if exit == Exit::Done {
            exit = own;
        }
    }
    Ok(exit)
}

/// The command that takes back the last thing that was done, if it can be taken back.
fn undoable(view: &RunView) -> Option<String> {
    let done = &view.answer.as_ref()?.data.mutations;
    let last = done.iter().rfind(|one| one.reversible && one.outcome == Outcome::Verified)?;
    Some(format!("purple undo {} {} --round {}", view.run, last.step, last.round))
}

/// What a person would do next with this run.
pub(crate) fn next_step(screen: Screen, view: &RunView) {
    let run = &view.run;
    let text = match (view.summary.status, &view.summary.doubt) {
        (Status::Waiting, _) if view.summary.approval.is_none() => {
            format!("purple run \"ANSWER\" --session {run}")
        }
        (Status::Waiting, _) => format!("purple approve {run}   or   purple reject {run} --reason TEXT"),
        (Status::InDoubt, Some(doubt)) => {
            format!("look whether it happened, then: purple settle {run} {} --done | --not-done", doubt.step)
        }
        (Status::InDoubt, None) => format!("purple show {run}"),
        (Status::Halted, _) => "purple resume".to_owned(),
        (Status::Working, _) => format!("purple trace {run} --follow"),
        // Nobody asks again while no program works on the data.
        (Status::WaitingModel, _) => {
            "purple serve   (asks the model again when its time has come)".to_owned()
        }
        (Status::Closed, _) => match undoable(view) {
            Some(undo) => format!("purple trace {run}   or   {undo}"),
            None => format!("purple trace {run}"),
        },
    };
    screen.next(&text);
}
