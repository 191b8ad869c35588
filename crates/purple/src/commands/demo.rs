//! Five worked cases against a demo company: one command, no key, no account, no network.
//!
//! The company is a real MCP server in a process of its own, the folder that is made is an ordinary one with an
//! ordinary `purple.toml`, and every other command works in it afterwards.

mod cases;
mod company;
mod crash;
mod hostile;
pub(crate) mod learning;
pub(crate) mod liar;
mod sentences;

use std::path::{Path, PathBuf};

use purple_backoffice::Ledger;
use purple_worker::{RunView, Status, WorkerHandle};

use crate::cli::Demo;
use crate::commands::{Scene, in_house, watch};
use crate::config::{Config, Files};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Screen, Table, Tone, one_line, run_line};
use crate::wire_up::{Purpose, SystemClock, fresh_run, reader, worker_settings};
use cases::{CASES, Case, Mood};
use watch::follow;

/// `purple demo`
pub(crate) fn run(scene: &Scene<'_>, args: &Demo) -> Result<Exit, Failure> {
    if let Some(file) = &args.office {
        return company::serve(file);
    }
    let chosen: Vec<&Case> =
        CASES.iter().filter(|case| args.case.is_empty() || args.case.contains(&case.number)).collect();
    if args.work {
        let config = scene.config(Vec::new())?;
        return in_house(scene, &config, Purpose::Act, |worker| async move {
            cases::play(&worker, scene.screen, &chosen, Mood::Silent).await?;
            Ok(Exit::Done)
        });
    }
    let folder = folder(scene)?;
    if args.learning {
        return learning::run(scene, &folder, args);
    }
    let config = company::found(scene, &folder)?;
    scene.screen.say(&format!("the demo lives in {}", folder.display()));
    scene.screen.say("a company of its own, no key, no account, no network; the clock starts on Wednesday, 4 March 2026, 09:00");
    if args.hostile {
        let place = folder.as_path();
        return in_house(scene, &config, Purpose::Hostile, |worker| async move {
            hostile::play(&worker, scene, place).await
        });
    }
    if args.kill {
        crash::until_done(scene, &folder, &args.case)?;
    } else {
        let mood = if args.yes { Mood::Recorded } else { Mood::Asking };
        let settings = &config;
        in_house(scene, &config, Purpose::Act, |worker| async move {
            cases::play(&worker, scene.screen, &chosen, mood).await?;
            if args.case.is_empty() {
                sentences::play(&worker, &worker_settings(settings)?, scene.screen).await?;
            }
            Ok(Exit::Done)
        })?;
    }
    let (config, folder) = (&config, &folder);
    in_house(scene, config, Purpose::Look, |worker| async move {
        sum_up(&worker, scene.screen, config, folder).await
    })
}

/// Where the demo lives: where the user says, else a new folder among the temporary files.
fn folder(scene: &Scene<'_>) -> Result<PathBuf, Failure> {
    use purple_worker::port::Clock as _;
    match &scene.global.data_dir {
        Some(folder) => Ok(std::path::absolute(folder).unwrap_or_else(|_| folder.clone())),
        None => {
            let run = fresh_run(SystemClock.now())?;
            let name = run.as_str().trim_start_matches("run_");
            Ok(std::env::temp_dir().join(format!("purple-demo-{name}")))
        }
    }
}

/// What came of it, by the company's own ledger and by the audit of the journal.
async fn sum_up(
    worker: &WorkerHandle,
    screen: Screen,
    config: &Config,
    folder: &Path,
) -> Result<Exit, Failure> {
    let ledger = company::ledger(folder)?;
    let audit = reader(&config.settings.data_dir)?.verify().map_err(purple_worker::ClientError::from)?;
    let mut runs = worker.runs(None, cases::CASES.len() * 2 + sentences::COUNT).await?;
    runs.retain(|(row, _)| cases::CASES.iter().any(|case| case.run == row.session.as_str()));
    if screen.is_json() {
        let effects: Vec<_> = ledger
            .effects
            .iter()
            .map(|one| serde_json::json!({"tool": one.tool, "target": one.target}))
            .collect();
        let summaries: Vec<_> = runs
            .iter()
            .map(|(row, summary)| serde_json::json!({"run": row.session, "summary": summary}))
            .collect();
        screen.document(&serde_json::json!({"folder": folder, "runs": summaries, "effects": effects}))?;
        return Ok(Exit::Done);
    }
    screen.line("")?;
    let mut table = Table::new(&["STATUS", "RUN", "STATE", "PROCESS", "CHANGED", "TASK"]);
    for (row, summary) in runs.iter().rev() {
        run_line(&mut table, &row.session, row.changed, summary);
    }
    for line in table.lines(screen.out) {
        screen.line(&line)?;
    }
    tell_effects(screen, &ledger)?;
    let ok = screen.out.text(Tone::Good, "OK");
    screen.line(&format!(
        "\naudit: {ok}, {} entries in {} runs, each chained to the one before",
        audit.entries, audit.sessions
    ))?;
    let waiting = runs.iter().any(|(_, summary)| summary.status == Status::Waiting);
    let place = folder.display();
    screen.next(&if waiting {
        format!("cd {place} && purple inbox   (then: purple approve RUN)")
    } else {
        format!("cd {place} && purple runs")
    });
    Ok(Exit::Done)
}

fn tell_effects(screen: Screen, ledger: &Ledger) -> Result<(), Failure> {
    screen.line("\nWhat really happened in the company, by its own ledger:")?;
    if ledger.effects.is_empty() {
        screen.line("  nothing")?;
    }
    for effect in &ledger.effects {
        screen.line(&format!("  {:>2}. {:<30} {}", effect.seq, effect.tool, one_line(&effect.target)))?;
    }
    Ok(())
}

/// One run as it stands, after a case.
fn tell(screen: Screen, view: &RunView) -> Result<(), Failure> {
    if screen.is_json() {
        return screen.record(&serde_json::json!({"result": view}));
    }
    match &view.answer {
        Some(answer) => screen.line(&format!("\n{}", crate::show::visible(&answer.text).trim_end())),
        None => Ok(()),
    }
}

/// The configuration of a demo folder.
fn config_of(scene: &Scene<'_>, file: &Path) -> Result<Config, Failure> {
    Ok(Config::load(scene.environment, &Files::Only(file.to_owned()), &Vec::new())?)
}
