//! Looking at the configuration.

use serde_json::json;

use crate::cli::Config as Args;
use crate::commands::Scene;
use crate::config::nearest;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Table, one_line};

/// `purple config …`
pub(crate) fn run(scene: &Scene<'_>, args: &Args) -> Result<Exit, Failure> {
    let Args::Show { origin, key } = args;
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
