//! Looking at runs.

use std::collections::HashSet;
use std::path::Path;

use purple_worker::document::{approval_brief, of_run};
use purple_worker::port::{Scored, SessionRow};
use purple_worker::{ClientError, Status, Summary, WorkerHandle};
use serde_json::json;

use crate::cli::{Runs, Show, StatusWord, Trace};
use crate::commands::learn::quality as decimal;
use crate::commands::{Scene, in_house, watch};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Screen, Table, inbox_line, run_line, run_text, trace_line};
use crate::wire_up::{Purpose, reader};

/// How many journal entries or runs are fetched at once.
pub(crate) const PAGE: usize = 500;
/// The most runs that are looked through for a list.
const RUNS_MAX: usize = 5_000;

/// `purple runs`
pub(crate) fn runs(scene: &Scene<'_>, args: &Runs) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let listed =
        in_house(
            scene,
            &config,
            Purpose::Look,
            |worker| async move { list(&worker, scene.screen, args).await },
        );
    listed.or_else(|failure| nothing_yet(scene.screen, failure))
}

/// `purple show RUN`
pub(crate) fn show(scene: &Scene<'_>, args: &Show) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let folder = config.settings.data_dir.clone();
    in_house(scene, &config, Purpose::Look, |worker| async move {
        if args.quality {
            return quality(&worker, scene.screen, args, &folder).await;
        }
        one(&worker, scene.screen, args).await
    })
}

/// How the quality of each round of a run came about, and what later evidence made of it.
async fn quality(worker: &WorkerHandle, screen: Screen, args: &Show, folder: &Path) -> Result<Exit, Failure> {
    let view = worker.view(&worker.find(&args.run).await?).await?;
    let scores = reader(folder)?.scores(&view.run).await.map_err(ClientError::from)?;
    let told = view.answer.as_ref().map(|answer| &answer.data);
    let because = told.map(|data| data.quality_because.clone()).unwrap_or_default();
    // Of each round the first score is the one it ended with.
    let mut ended = HashSet::new();
    let (rounds, later): (Vec<&Scored>, Vec<&Scored>) =
        scores.iter().partition(|score| ended.insert(score.round));
    if screen.is_json() {
        let round = |one: &&Scored| json!({"round": one.round, "quality": decimal(one.points), "because": one.because});
        screen.document(&json!({
            "run": view.run, "quality": told.and_then(|data| data.quality.as_ref()), "because": because,
            "rounds": rounds.iter().map(round).collect::<Vec<_>>(), "scores": scores,
        }))?;
        return Ok(Exit::Done);
    }
    if let [_, _, ..] = rounds[..] {
        for round in rounds {
            screen.line(&format!("round {}:", round.round))?;
            round.because.iter().try_for_each(|line| screen.line(&format!("  {line}")))?;
        }
    } else {
        because.iter().try_for_each(|line| screen.line(line))?;
    }
    if because.is_empty() {
        screen.say("no round of it has ended yet");
    }
    for later in later {
        screen.line(&format!("later, of round {} ({}):", later.round, later.cause))?;
        later.because.iter().try_for_each(|line| screen.line(&format!("  {line}")))?;
    }
    Ok(Exit::Done)
}

/// `purple trace RUN`
pub(crate) fn trace(scene: &Scene<'_>, args: &Trace) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    in_house(
        scene,
        &config,
        Purpose::Look,
        |worker| async move { journal(&worker, scene.screen, args).await },
    )
}

/// `purple inbox`
pub(crate) fn inbox(scene: &Scene<'_>) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let listed =
        in_house(scene, &config, Purpose::Look, |worker| async move { waiting(&worker, scene.screen).await });
    listed.or_else(|failure| nothing_yet(scene.screen, failure))
}

/// Where nothing was ever kept, a list is empty.
fn nothing_yet(screen: Screen, failure: Failure) -> Result<Exit, Failure> {
    let Failure::NothingYet { .. } = &failure else { return Err(failure) };
    if screen.is_json() {
        screen.line("[]")?;
    } else {
        screen.say(&failure.to_string());
        screen.next("purple run \"TASK\"   or   purple demo");
    }
    Ok(Exit::Done)
}

pub(crate) async fn list(worker: &WorkerHandle, screen: Screen, args: &Runs) -> Result<Exit, Failure> {
    let wanted = |summary: &Summary| args.status.is_none_or(|word| status_of(word) == summary.status);
    let found = matching(worker, wanted, usize::from(args.limit)).await?;
    if screen.is_json() {
        let all: Vec<_> = found.iter().map(|(row, summary)| as_json(row, summary)).collect();
        screen.document(&all)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        screen.say("there are no such runs");
        screen.next("purple run \"TASK\"   or   purple demo");
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["STATUS", "RUN", "STATE", "PROCESS", "CHANGED", "TASK"]);
    for (row, summary) in &found {
        run_line(&mut table, &row.session, row.changed, summary);
    }
    for line in table.lines(screen.out) {
        screen.line(&line)?;
    }
    screen.next("purple show RUN");
    Ok(Exit::Done)
}

pub(crate) async fn one(worker: &WorkerHandle, screen: Screen, args: &Show) -> Result<Exit, Failure> {
    let mut view = worker.view(&worker.find(&args.run).await?).await?;
    if view.summary.status == Status::Working {
        // The last answer was given before the work went on: what it says of changes may no longer be true.
        view.answer = None;
    }
    if args.brief {
        let nothing = || ClientError::NothingWaits { run: view.run.clone() };
        let card = view.card.as_ref().ok_or_else(nothing)?;
        screen.line(approval_brief(card).trim_end())?;
        return Ok(Exit::Done);
    }
    if let Some(template) = args.document {
        let mut journal = Vec::new();
        loop {
            let seq = journal.last().map_or(0, |last: &purple_worker::port::Recorded| last.seq);
            let page = worker.trace(&view.run, seq, PAGE).await?;
            let is_last = page.len() < PAGE;
            journal.extend(page);
            if is_last {
                break;
            }
        }
        if view.card.is_none() {
            view.card = worker.last_card(&view.run, &journal).await?;
        }
        let document = of_run(template, &view, &journal);
        if screen.is_json() {
            screen.document(&document.to_json())?;
        } else {
            screen.line(document.to_markdown().trim_end())?;
        }
        return Ok(Exit::Done);
    }
    if screen.is_json() {
        screen.document(&view)?;
    } else {
        screen.line(&run_text(&view, screen.out))?;
        watch::next_step(screen, &view);
    }
    Ok(Exit::Done)
}

pub(crate) async fn journal(worker: &WorkerHandle, screen: Screen, args: &Trace) -> Result<Exit, Failure> {
    let run = worker.find(&args.run).await?;
    let mut seq = args.after;
    loop {
        let entries = worker.trace(&run, seq, PAGE).await?;
        for entry in &entries {
            seq = entry.seq;
            if screen.is_json() {
                screen.record(entry)?;
            } else {
                screen.line(&trace_line(entry, screen.out))?;
            }
        }
        if entries.len() == PAGE {
            continue;
        }
        let view = worker.view(&run).await?;
        let over = view.summary.status == Status::Closed || view.stuck.is_some();
        if !args.follow || over && view.entries <= seq {
            watch::next_step(screen, &view);
            return Ok(Exit::Done);
        }
        worker.events.changed(&run, seq).await.map_err(purple_worker::ClientError::from)?;
    }
}

pub(crate) async fn waiting(worker: &WorkerHandle, screen: Screen) -> Result<Exit, Failure> {
    let now = worker.clock.now();
    let wants = |summary: &Summary| summary.wanted(now).is_some();
    let found = matching(worker, wants, RUNS_MAX).await?;
    if screen.is_json() {
        let all: Vec<_> = found.iter().map(|(row, summary)| as_json(row, summary)).collect();
        screen.document(&all)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        screen.say("nothing waits for a person");
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["DO", "RUN", "WHO", "UNTIL", "WHAT"]);
    for (row, summary) in &found {
        if let Some(wanted) = summary.wanted(now) {
            inbox_line(&mut table, &row.session, summary, wanted);
        }
    }
    for line in table.lines(screen.out) {
        screen.line(&line)?;
    }
    screen.next("purple show RUN   (the card)   then   purple approve RUN");
    Ok(Exit::Done)
}

async fn matching(
    worker: &WorkerHandle,
    wanted: impl Fn(&Summary) -> bool,
    limit: usize,
) -> Result<Vec<(SessionRow, Summary)>, Failure> {
    let (mut found, mut after, mut seen) = (Vec::new(), None, 0);
    while found.len() < limit && seen < RUNS_MAX {
        let page = worker.runs(after.as_ref(), PAGE).await?;
        let Some((last, _)) = page.last() else { break };
        after = Some(last.session.clone());
        seen += page.len();
        found.extend(page.into_iter().filter(|(_, summary)| wanted(summary)));
    }
    found.truncate(limit);
    Ok(found)
}

fn as_json(row: &SessionRow, summary: &Summary) -> serde_json::Value {
    json!({
        "run": row.session, "began": row.began, "changed": row.changed, "entries": row.entries,
        "stuck": row.stuck.as_ref().map(|stuck| &stuck.reason), "summary": summary,
    })
}

fn status_of(word: StatusWord) -> Status {
    match word {
        StatusWord::Working => Status::Working,
        StatusWord::Waiting => Status::Waiting,
        StatusWord::InDoubt => Status::InDoubt,
        StatusWord::Halted => Status::Halted,
        StatusWord::Closed => Status::Closed,
    }
}
