//! Writes pins into the configuration, and records them in the operator journal. Everything else in the file, comments
//! included, stays as it is.

use std::path::{Path, PathBuf};

use purple_process::{DecidedBy, Digest, Effect, PersonId, ToolName};
use purple_store::{OpenError, Remote, Store, ToolPin};
use purple_worker::{ClientError, ToolRow};

use crate::commands::{Scene, runtime};
use crate::config::{Config, Files};
use crate::failure::Failure;
use crate::wire_up::SystemClock;

/// What is written about one tool.
struct Line<'a> {
    name: &'a ToolName,
    server: &'a str,
    /// Only where the operator said nothing yet: from then on the operator decides, not a name.
    effect: Option<Effect>,
    pin: Digest,
}

/// Writes the pins of these tools into the strongest configuration file, and says which that is.
pub(super) fn write(scene: &Scene<'_>, config: &Config, rows: &[&ToolRow]) -> Result<PathBuf, Failure> {
    let file = config.files.first().cloned().ok_or(Failure::NoConfigFile)?;
    if rows.is_empty() {
        return Ok(file);
    }
    let lines: Vec<Line<'_>> = rows
        .iter()
        .map(|row| Line {
            name: &row.name,
            server: &row.server,
            effect: (row.decided_by != DecidedBy::Manifest).then_some(row.effect),
            pin: row.pin,
        })
        .collect();
    let text = std::fs::read_to_string(&file).map_err(|cause| Failure::Read { file: file.clone(), cause })?;
    let edited = edited(&text, &lines);
    // It is read back before it takes the place of the old one: what cannot be read as it was meant is not written.
    let beside = file.with_extension("toml.new");
    let failed = |cause| Failure::Write { file: file.clone(), cause };
    std::fs::write(&beside, edited).map_err(failed)?;
    // The new file is writable by whoever could write the old one, whatever the mask of this shell.
    let allowed = std::fs::metadata(&file).map_err(failed)?.permissions();
    std::fs::set_permissions(&beside, allowed).map_err(failed)?;
    if !as_meant(scene, &beside, &lines) {
        let _ = std::fs::remove_file(&beside);
        let by_hand: Vec<String> = lines.iter().map(block).collect();
        return Err(Failure::PinsNotWritten { file, lines: by_hand.concat() });
    }
    // Recorded first: no pin is in force without a record. A rename that fails after it is an error that is displayed.
    let recorded = scene.person(config).and_then(|by| record(config, &lines, &by));
    if let Err(failure) = recorded {
        let _ = std::fs::remove_file(&beside);
        return Err(failure);
    }
    std::fs::rename(&beside, &file).map_err(failed)?;
    Ok(file)
}

/// Records the pins in the data folder, or lets the process record them that works there.
fn record(config: &Config, lines: &[Line<'_>], by: &PersonId) -> Result<(), Failure> {
    let folder = &config.settings.data_dir;
    let pin = |line: &Line<'_>| ToolPin {
        server: line.server.to_owned(),
        tool: line.name.clone(),
        digest: line.pin,
        effect: line.effect,
    };
    let pins = lines.iter().map(pin).collect();
    runtime()?.block_on(async {
        match Store::open(folder, purple_store::Settings::default(), std::sync::Arc::new(SystemClock)) {
            Ok(store) => {
                let done = store.record_pins(pins, by).await;
                store.close().await.map_err(ClientError::from)?;
                Ok(done.map_err(ClientError::from)?)
            }
            Err(OpenError::InUse { .. }) => {
                let remote = Remote::connect(folder).await?;
                Ok(remote.record_pins(pins, by).await.map_err(ClientError::from)?)
            }
            Err(other) => Err(other.into()),
        }
    })
}

fn as_meant(scene: &Scene<'_>, file: &Path, lines: &[Line<'_>]) -> bool {
    let Ok(config) = Config::load(scene.environment, &Files::Only(file.to_owned()), &Vec::new()) else {
        return false;
    };
    lines.iter().all(|line| {
        let found = config.settings.tools.get(line.name);
        found.is_some_and(|tool| {
            tool.pin == Some(line.pin) && line.effect.is_none_or(|effect| tool.effect == Some(effect))
        })
    })
}

/// The text with the pins in it: in the section of the tool where there is one, else at the end.
fn edited(text: &str, lines: &[Line<'_>]) -> String {
    let mut all: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut more = String::new();
    for line in lines {
        let Some(head) = all.iter().position(|one| heads(one, line.name)) else {
            more.push_str(&block(line));
            continue;
        };
        let end = all.iter().skip(head + 1).position(|one| one.trim_start().starts_with('['));
        let end = end.map_or(all.len(), |after| head + 1 + after);
        let pin = format!("pin = \"{}\"", line.pin);
        let at = |key: &str| (head + 1..end).find(|place| all.get(*place).is_some_and(|one| sets(one, key)));
        let (old, stated) = (at("pin"), at("effect"));
        match old.and_then(|place| all.get_mut(place)) {
            Some(old) => *old = pin,
            None => all.insert(head + 1, pin),
        }
        if let (Some(effect), None) = (line.effect, stated) {
            all.insert(head + 1, format!("effect = \"{effect}\""));
        }
    }
    let mut text = all.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text + more.as_str()
}

/// Whether a line begins the section of this tool.
fn heads(line: &str, name: &ToolName) -> bool {
    let head = line.split('#').next().unwrap_or_default().trim();
    [format!("[tools.{name}]"), format!("[tools.\"{name}\"]"), format!("[tools.'{name}']")]
        .iter()
        .any(|one| one == head)
}

/// Whether a line gives this key its value.
fn sets(line: &str, key: &str) -> bool {
    line.split_once('=').is_some_and(|(name, _)| name.trim() == key)
}

fn block(line: &Line<'_>) -> String {
    let effect = line.effect.map_or_else(String::new, |effect| format!("effect = \"{effect}\"\n"));
    format!("\n[tools.\"{}\"]\n{effect}pin = \"{}\"\n", line.name, line.pin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str, names: &[(&str, Option<Effect>)]) -> String {
        let tools: Vec<ToolName> = names.iter().map(|(name, _)| ToolName::parse(name).unwrap()).collect();
        let lines: Vec<Line<'_>> = tools
            .iter()
            .zip(names)
            .map(|(name, (_, effect))| Line {
                name,
                server: "company",
                effect: *effect,
                pin: Digest::of(b"now"),
            })
            .collect();
        edited(text, &lines).replace(&Digest::of(b"now").to_string(), "NOW")
    }

    #[test]
    fn pins_go_into_the_section_of_their_tool_and_nothing_else_changes() {
        let before = "# ours\ncurrency = \"EUR\"\n\n[tools.pay] # careful\n# it pays\neffect = \"write\"\n\n[tools.\"see\"]\npin = \"sha256:old\"\n[serve]\nport = 1\n";
        let after =
            edit(before, &[("pay", None), ("see", Some(Effect::Read)), ("new.one", Some(Effect::Notify))]);
        assert_eq!(
            after,
            "# ours\ncurrency = \"EUR\"\n\n[tools.pay] # careful\npin = \"NOW\"\n# it pays\neffect = \"write\"\n\n[tools.\"see\"]\neffect = \"read\"\npin = \"NOW\"\n[serve]\nport = 1\n\n[tools.\"new.one\"]\neffect = \"notify\"\npin = \"NOW\"\n"
        );
        assert_eq!(edit("", &[("a", None)]), "\n[tools.\"a\"]\npin = \"NOW\"\n");
    }
}
