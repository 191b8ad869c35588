//! Kills the worker at random moments, starts it again, and shows that nothing was lost or done twice.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use purple_process::SessionId;
use purple_worker::WorkerHandle;
use purple_worker::port::Recorded;
use ring::rand::{SecureRandom, SystemRandom};

use super::cases::CASES;
use crate::commands::{Scene, runtime};
use crate::config::Config;
use crate::failure::Failure;
use crate::show::Tone;
use crate::wire_up::{House, Purpose};

/// How often the worker is killed before it is left alone.
const KILLS: usize = 25;
/// The most journal entries that a worker lives for.
const ENTRIES_MAX: u64 = 12;
/// How often the parent looks, and the most that it waits beyond the last entry, in milliseconds.
const LOOK_MS: u64 = 2;
const BEYOND_MS_MAX: u64 = 12;

type Counts = BTreeMap<SessionId, u64>;

/// Runs the cases in a worker that is killed again and again, until they stand still.
pub(crate) fn until_done(scene: &Scene<'_>, folder: &Path, cases: &[u8]) -> Result<(), Failure> {
    let program = std::env::current_exe().map_err(Failure::Runtime)?;
    let settings = folder.join("purple.toml");
    let config = super::config_of(scene, &settings)?;
    let runtime = runtime()?;
    let mut killed = 0;
    loop {
        let mut command = Command::new(&program);
        command.arg("--config").arg(&settings).args(["demo", "--work"]);
        for case in cases {
            command.args(["--case", &case.to_string()]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut worker = command.spawn().map_err(Failure::Runtime)?;
        if killed == KILLS {
            scene.screen.redraw("left alone now, until everything stands still …");
            worker.wait().map_err(Failure::Runtime)?;
            scene.screen.redraw("");
            break;
        }
        let lived = runtime.block_on(live(scene, &config, &mut worker))?;
        let Some((entries, last)) = lived else { break };
        worker.kill().map_err(Failure::Runtime)?;
        worker.wait().map_err(Failure::Runtime)?;
        killed += 1;
        let kill = scene.screen.talk.text(Tone::Bad, "kill -9");
        scene.screen.say(&format!(
            "  {kill} {killed:>2}, {entries:>2} journal entries after its start; the last one: {last}"
        ));
    }
    scene.screen.say(&format!("  the worker was killed {killed} times; this is what came of it:"));
    Ok(())
}

/// The last journal entry of the case that was being worked on.
async fn last_words(worker: &WorkerHandle, before: &Counts) -> Result<String, Failure> {
    for (run, entries) in counts(worker).await {
        if before.get(&run).is_none_or(|earlier| *earlier < entries) {
            let last = worker.trace(&run, entries.saturating_sub(1), 1).await?;
            return Ok(last.last().map_or_else(|| "nothing".to_owned(), |entry| words(run.as_str(), entry)));
        }
    }
    Ok("nothing".to_owned())
}

fn words(run: &str, recorded: &Recorded) -> String {
    let data = recorded.record().data();
    let about = ["headline", "tool", "to", "event"]
        .iter()
        .find_map(|name| data.get(*name)?.as_str())
        .unwrap_or_default();
    format!("{run}: {} {}", recorded.entry.kind(), crate::show::one_line(about)).trim_end().to_owned()
}

/// Lets the worker write a random number of journal entries and tells the last of them. `None`: it ended by itself.
async fn live(
    scene: &Scene<'_>,
    config: &Config,
    worker: &mut Child,
) -> Result<Option<(u64, String)>, Failure> {
    let wanted = 1 + random(ENTRIES_MAX)?;
    let mut before = None;
    let mut looks = tokio::time::interval(Duration::from_millis(LOOK_MS));
    loop {
        looks.tick().await;
        if worker.try_wait().map_err(Failure::Runtime)?.is_some() {
            return Ok(None);
        }
        // A folder that is just being made cannot be read yet.
        let Ok(house) = House::open(config, scene.environment, Purpose::Look, None).await else { continue };
        let now = counts(&house.worker).await;
        let total = |counts: &Counts| counts.values().sum::<u64>();
        let earlier = before.get_or_insert_with(|| now.clone());
        let written = total(&now).saturating_sub(total(earlier));
        if written >= wanted {
            tokio::time::sleep(Duration::from_millis(random(BEYOND_MS_MAX)?)).await;
            let last = last_words(&house.worker, earlier).await?;
            return Ok(Some((written, last)));
        }
    }
}

/// How many journal entries each run has by now.
async fn counts(worker: &WorkerHandle) -> Counts {
    let rows = worker.events.sessions(None, CASES.len()).await.unwrap_or_default();
    rows.into_iter().map(|row| (row.session, row.entries)).collect()
}

fn random(below: u64) -> Result<u64, Failure> {
    let mut bytes = [0_u8; 2];
    SystemRandom::new().fill(&mut bytes).map_err(|_| Failure::NoRandomness)?;
    Ok(u64::from(u16::from_le_bytes(bytes)) % below)
}
