//! Performing a run again from its journal.

use std::sync::Arc;

use purple_sandbox::RhaiSandbox;
use purple_worker::port::Sandbox;
use purple_worker::{Archive, Replayed, replay};
use serde_json::{Value, json};

use crate::cli::OneRun;
use crate::commands::{Scene, in_house};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Tone, one_line};
use crate::wire_up::{Purpose, SystemClock, worker_settings};

/// `purple replay RUN`
pub(crate) fn run(scene: &Scene<'_>, args: &OneRun) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let settings = worker_settings(&config)?;
    let directory = Arc::new(config.settings.people.clone());
    let sandbox: Option<Arc<dyn Sandbox>> = Some(Arc::new(RhaiSandbox::new(Arc::new(SystemClock))));
    in_house(scene, &config, Purpose::Look, |worker| async move {
        let run = worker.find(&args.run).await?;
        let archive =
            Archive { events: worker.events.clone(), blobs: worker.blobs.clone(), directory, sandbox };
        tell(scene, &replay(&archive, &settings, &run).await?)
    })
}

fn tell(scene: &Scene<'_>, replayed: &Replayed) -> Result<Exit, Failure> {
    let screen = scene.screen;
    let exit = if replayed.difference.is_none() { Exit::Done } else { Exit::Error };
    if screen.is_json() {
        screen.document(&json!({"replay": replayed}))?;
        return Ok(exit);
    }
    let Replayed { run, turns, interrupted, entries, difference } = replayed;
    match difference {
        None => {
            let same = screen.out.text(Tone::Good, "the same");
            screen.line(&format!("{run}: {same}, {entries} entries of {turns} turns ({interrupted} of them interrupted), without model and tools"))?;
        }
        Some(difference) => {
            let other = screen.out.text(Tone::Bad, "differs");
            screen.line(&format!("{run}: {other} at entry {}", difference.seq))?;
            for (what, entry) in [("journal", &difference.recorded), ("replay", &difference.replayed)] {
                let text = entry.as_ref().map_or_else(
                    || "nothing".to_owned(),
                    |(kind, data): &(String, Value)| format!("{kind} {data}"),
                );
                screen.line(&format!("  {what:<8} {}", one_line(&text)))?;
            }
        }
    }
    screen.next(&format!("purple trace {run}"));
    Ok(exit)
}
