//! The operator's stop, and its end.

use purple_process::PersonId;
use purple_worker::WorkerHandle;
use serde_json::json;

use crate::cli::{Halt, Resume};
use crate::commands::{Scene, in_house};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shelf::Shelf;
use crate::show::Screen;
use crate::wire_up::Purpose;

/// `purple halt`
pub(crate) fn halt(scene: &Scene<'_>, args: &Halt) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let by = scene.operator(&config)?;
    // A stop of a process that does not exist would stop nothing, and look as if it did.
    let process = args.process.as_deref().map(|name| known(&config, name)).transpose()?;
    let args = Halt { process, reason: args.reason.clone() };
    let (screen, args) = (scene.screen, &args);
    in_house(scene, &config, Purpose::Act, |worker| async move { stop(&worker, screen, args, by).await })
}

/// `purple resume`
pub(crate) fn resume(scene: &Scene<'_>, args: &Resume) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let by = scene.operator(&config)?;
    let (process, strange) = match args.process.as_deref().map(|name| known(&config, name)) {
        None => (None, None),
        Some(Ok(name)) => (Some(name), None),
        // Its file may have been taken away while it was stopped; then its stop can still be ended.
        Some(Err(strange)) => (args.process.clone(), Some(strange)),
    };
    let args = Resume { process };
    let (screen, args) = (scene.screen, &args);
    in_house(
        scene,
        &config,
        Purpose::Act,
        |worker| async move { go_on(&worker, screen, args, by, strange).await },
    )
}

/// The own name of a process, which may have been called by another.
fn known(config: &Config, name: &str) -> Result<String, Failure> {
    Ok(Shelf::in_effect(config)?.find(name)?.name().to_owned())
}

pub(crate) async fn stop(
    worker: &WorkerHandle,
    screen: Screen,
    args: &Halt,
    by: PersonId,
) -> Result<Exit, Failure> {
    worker.halt(args.process.clone(), by, args.reason.clone()).await?;
    let halts = worker.brake.halts().await.map_err(purple_worker::ClientError::from)?;
    if screen.is_json() {
        screen.document(&json!({"halted": true, "halts": halts}))?;
    } else {
        let of = args.process.as_ref().map_or_else(String::new, |name| format!(" of {name}"));
        screen.line(&format!("halted: no new operation{of} starts"))?;
        let again = args.process.as_ref().map_or_else(String::new, |name| format!(" --process {name}"));
        screen.next(&format!("purple resume{again}"));
    }
    Ok(Exit::Done)
}

/// Ends a stop. A process that nobody knows is refused, unless it is stopped.
pub(crate) async fn go_on(
    worker: &WorkerHandle,
    screen: Screen,
    args: &Resume,
    by: PersonId,
    strange: Option<Failure>,
) -> Result<Exit, Failure> {
    if let Some(strange) = strange {
        let halts = worker.brake.halts().await.map_err(purple_worker::ClientError::from)?;
        if !halts.iter().any(|halt| halt.process == args.process) {
            return Err(strange);
        }
    }
    let was = worker.resume(args.process.clone(), by).await?;
    let halts = worker.brake.halts().await.map_err(purple_worker::ClientError::from)?;
    if screen.is_json() {
        screen.document(&json!({"resumed": was, "halts": halts}))?;
        return Ok(Exit::Done);
    }
    screen.line(if was { "resumed" } else { "there was no such stop" })?;
    for halt in &halts {
        let what = halt.process.as_deref().unwrap_or("every process");
        screen.say(&format!(
            "still stopped: {what}, by {} ({})",
            halt.by,
            crate::show::one_line(&halt.reason)
        ));
    }
    Ok(Exit::Done)
}
