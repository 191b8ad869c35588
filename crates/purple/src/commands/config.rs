//! Looking at the configuration.

use std::sync::Arc;

use purple_store::Store;
use purple_worker::ClientError;
use purple_worker::port::Tokens as _;
use serde_json::json;

use crate::cli::Config as Args;
use crate::commands::{Scene, runtime};
use crate::config::nearest;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::identity;
use crate::show::{Table, one_line};
use crate::wire_up::{SystemClock, recorded, worker_settings};

/// `purple config …`
pub(crate) fn run(scene: &Scene<'_>, args: &Args) -> Result<Exit, Failure> {
    let (origin, key) = match args {
        Args::Show { origin, key } => (origin, key),
        Args::Accept => return accept(scene),
    };
    let config = scene.config(Vec::new())?;
    let wanted = |name: &str| key.as_deref().is_none_or(|key| name.starts_with(key));
    let lines: Vec<_> = config.shown().into_iter().filter(|line| wanted(&line.key)).collect();
    if let (Some(key), true) = (key, lines.is_empty()) {
        let shown = config.shown();
        // A section alone is a good beginning as well.
        let sections = shown.iter().filter_map(|line| line.key.split_once('.')).map(|(section, _)| section);
        let near = nearest(key, shown.iter().map(|line| line.key.as_str()).chain(sections));
        return Err(Failure::NoSuchSetting { key: key.clone(), near: near.map(str::to_owned) });
    }
    if scene.screen.is_json() {
        let all: Vec<_> = lines
            .iter()
            .map(|line| {
                let (value, from) =
                    (line.value.map(ToString::to_string), line.origin.map(|origin| origin.word()));
                let at = line.origin.map(ToString::to_string);
                json!({"key": line.key, "value": value, "origin": from, "at": at, "says": line.says})
            })
            .collect();
        scene.screen.document(&all)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(if *origin { &["KEY", "VALUE", "ORIGIN"] } else { &["KEY", "VALUE"] });
    for line in &lines {
        let value = line.value.map_or_else(|| "–".to_owned(), |value| one_line(&value.to_string()));
        match origin {
            true => {
                let from = line.origin.map_or_else(|| "not set".to_owned(), ToString::to_string);
                table.row([line.key.clone(), value, from]);
            }
            false => table.row([line.key.clone(), value]),
        }
    }
    for line in table.lines(scene.screen.out) {
        scene.screen.line(&line)?;
    }
    if !origin {
        scene.screen.next("purple config show --origin   (where each value came from)");
    }
    Ok(Exit::Done)
}

/// `purple config accept`: records this configuration, whoever its people are. A running server has another one until it
/// is started again, so it must not run.
fn accept(scene: &Scene<'_>) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let by = identity::accepts_people(&config, scene.environment)?;
    let settings = worker_settings(&config)?;
    let changed = runtime()?.block_on(async {
        let folder = &config.settings.data_dir;
        let store = Store::open(folder, purple_store::Settings::default(), Arc::new(SystemClock))?;
        let with_tokens = !store.tokens().map_err(ClientError::from)?.is_empty();
        let done = store.record_settings(recorded(&config, &settings, with_tokens), Some(by)).await;
        store.close().await.map_err(ClientError::from)?;
        Ok::<_, Failure>(done.map_err(ClientError::from)?)
    })?;
    if scene.screen.is_json() {
        scene.screen.document(&json!({"accepted": true, "changed": changed}))?;
    } else {
        let people = config.settings.people.entries.len();
        scene
            .screen
            .line(&format!("accepted: this data folder knows the {people} people of this configuration"))?;
    }
    Ok(Exit::Done)
}
