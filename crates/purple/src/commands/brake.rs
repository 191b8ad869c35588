//! The operator's stop, and its end.

use purple_process::PersonId;
use purple_worker::Desk;
use serde_json::json;

use crate::cli::{Halt, Resume};
use crate::commands::{Scene, in_house};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shelf::Shelf;
use crate::show::Screen;
use crate::wire_up::Purpose;

/// `purple halt`
pub(crate) fn halt(scene: &Scene<'_>, args: &Halt) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    if let Some(name) = &args.process {
        // A stop of a process that does not exist would stop nothing, and look as if it did.
        Shelf::fill(&config.settings).find(name)?;
    }
    in_house(scene, &config, Purpose::Act, |desk| async move { stop(&desk, scene.screen, args, by).await })
}

/// `purple resume`
pub(crate) fn resume(scene: &Scene<'_>, args: &Resume) -> Result<Exit, Failure> {
    let (config, _) = scene.config_and_person()?;
    in_house(scene, &config, Purpose::Act, |desk| async move { go_on(&desk, scene.screen, args).await })
}

pub(crate) async fn stop(desk: &Desk, screen: Screen, args: &Halt, by: PersonId) -> Result<Exit, Failure> {
    desk.halt(args.process.clone(), by, args.reason.clone()).await?;
    let halts = desk.brake.halts().await.map_err(purple_worker::DeskError::from)?;
    if screen.is_json() {
        screen.document(&json!({"halted": true, "halts": halts}))?;
    } else {
        let what = args.process.as_deref().unwrap_or("every process");
        screen.line(&format!("halted: no new operation of {what} starts"))?;
        let again = args.process.as_ref().map_or_else(String::new, |name| format!(" --process {name}"));
        screen.next(&format!("purple resume{again}"));
    }
    Ok(Exit::Done)
}

pub(crate) async fn go_on(desk: &Desk, screen: Screen, args: &Resume) -> Result<Exit, Failure> {
    let was = desk.resume(args.process.as_deref()).await?;
    let halts = desk.brake.halts().await.map_err(purple_worker::DeskError::from)?;
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
