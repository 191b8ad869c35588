//! Writes pins into the configuration, and records them in the operator journal. Everything else in the file, comments
//! included, stays as it is.

use std::path::{Path, PathBuf};

use purple_process::{DecidedBy, Digest, Effect, Language, PersonId};
use purple_store::{OpenError, Remote, Store, ToolPin};
use purple_worker::{ClientError, Statement, ToolId, ToolRow};

use crate::commands::tools::id;
use crate::commands::{Scene, runtime};
use crate::config::{Config, Files};
use crate::failure::Failure;
use crate::wire_up::SystemClock;

/// What is written about one tool.
pub(super) struct Line {
    pub(super) id: ToolId,
    /// Where the operator decides from now on, and not a definition.
    pub(super) effect: Option<Effect>,
    /// The arguments whose statements go on deciding each call.
    pub(super) statements: Vec<Statement>,
    pub(super) pin: Digest,
}

impl Line {
    /// What is written where the operator says that this is the effect. A tool whose statements are parsed stays one:
    /// it is a write except for what provably reads.
    pub(super) fn of(row: &ToolRow, effect: Option<Effect>) -> Self {
        let parsed = matches!(effect, Some(Effect::Write));
        let statements = if parsed { row.statements.clone() } else { Vec::new() };
        // The configuration names one argument a language.
        let one_each =
            |one: &Statement| statements.iter().filter(|other| other.language == one.language).count() == 1;
        let statements = if statements.iter().all(one_each) { statements } else { Vec::new() };
        Self { id: id(row), effect, statements, pin: row.pin }
    }

    /// The settings of the tool, by key.
    fn settings(&self) -> Vec<(&'static str, String)> {
        let effect = self.effect.map(|effect| ("effect", effect.to_string()));
        let statements = self.statements.iter().map(|one| (one.language.name(), one.argument.clone()));
        effect.into_iter().chain(statements).chain([("pin", self.pin.to_string())]).collect()
    }
}

/// What is pinned of tools as they are listed. The effect only where the operator said nothing yet.
pub(super) fn lines(rows: &[&ToolRow]) -> Vec<Line> {
    let effect = |row: &ToolRow| (row.decided_by != DecidedBy::Review).then_some(row.effect.effect());
    rows.iter().map(|row| Line::of(row, effect(row))).collect()
}

/// Writes these lines into the strongest configuration file, and says which that is.
pub(super) fn write(scene: &Scene<'_>, config: &Config, lines: &[Line]) -> Result<PathBuf, Failure> {
    let file = config.files.first().cloned().ok_or(Failure::NoConfigFile)?;
    if lines.is_empty() {
        return Ok(file);
    }
    let text = std::fs::read_to_string(&file).map_err(|cause| Failure::Read { file: file.clone(), cause })?;
    let pin = |line: &Line| ToolPin {
        server: line.id.server.clone(),
        tool: line.id.tool.clone(),
        digest: line.pin,
        effect: line.effect,
    };
    let edit = Edit {
        text: edited(&text, lines),
        pins: lines.iter().map(pin).collect(),
        by_hand: lines.iter().map(block).collect::<Vec<_>>().concat(),
        is_meant: &|config| as_meant(config, lines),
    };
    replace(scene, config, &file, edit)?;
    Ok(file)
}

/// A configuration file as it is to be.
pub(crate) struct Edit<'a> {
    pub(crate) text: String,
    /// What is recorded in the operator journal.
    pub(crate) pins: Vec<ToolPin>,
    /// What an operator writes where the file cannot be edited.
    pub(crate) by_hand: String,
    /// Whether a configuration that is read from it says what was meant.
    pub(crate) is_meant: &'a dyn Fn(&Config) -> bool,
}

/// Puts an edited configuration file in the place of the old one.
pub(crate) fn replace(
    scene: &Scene<'_>,
    config: &Config,
    file: &Path,
    edit: Edit<'_>,
) -> Result<(), Failure> {
    let Edit { text, pins, by_hand, is_meant } = edit;
    let by = scene.operator(config)?;
    // It is read back before it takes the place of the old one: what cannot be read as it was meant is not written.
    let beside = file.with_extension("toml.new");
    let failed = |cause| Failure::Write { file: file.to_owned(), cause };
    std::fs::write(&beside, text).map_err(failed)?;
    // The new file is writable by whoever could write the old one, whatever the mask of this shell.
    let allowed = std::fs::metadata(file).map_err(failed)?.permissions();
    std::fs::set_permissions(&beside, allowed).map_err(failed)?;
    let read = Config::load(scene.environment, &Files::Only(beside.clone()), &Vec::new());
    if !read.is_ok_and(|config| is_meant(&config)) {
        let _ = std::fs::remove_file(&beside);
        return Err(Failure::PinsNotWritten { file: file.to_owned(), lines: by_hand });
    }
    // Recorded first: no pin is in force without a record. A rename that fails after it is an error that is displayed.
    if let Err(failure) = record(config, pins, &by) {
        let _ = std::fs::remove_file(&beside);
        return Err(failure);
    }
    std::fs::rename(&beside, file).map_err(failed)
}

/// Records the pins in the data folder, or lets the process record them that works there.
fn record(config: &Config, pins: Vec<ToolPin>, by: &PersonId) -> Result<(), Failure> {
    let folder = &config.settings.data_dir;
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

fn as_meant(config: &Config, lines: &[Line]) -> bool {
    lines.iter().all(|line| {
        let found = config.settings.tools.get(&line.id);
        found.is_some_and(|tool| {
            let parsed = line.statements.iter().all(|one| {
                let argument = match one.language {
                    Language::Sql => &tool.sql,
                    Language::Graphql => &tool.graphql,
                };
                argument.as_ref() == Some(&one.argument)
            });
            let effect = line.effect.is_none_or(|effect| tool.effect == Some(effect));
            tool.pin == Some(line.pin) && effect && parsed
        })
    })
}

/// The text with the pins in it: in the section of the tool where there is one, else at the end.
fn edited(text: &str, lines: &[Line]) -> String {
    let mut all: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut more = String::new();
    for line in lines {
        let Some(head) = all.iter().position(|one| heads(one, &line.id)) else {
            more.push_str(&block(line));
            continue;
        };
        let end = all.iter().skip(head + 1).position(|one| one.trim_start().starts_with('['));
        let end = end.map_or(all.len(), |after| head + 1 + after);
        let mut added = Vec::new();
        for (key, value) in line.settings() {
            let written = format!("{key} = {}", quoted(&value));
            let old = (head + 1..end).find(|place| all.get(*place).is_some_and(|one| sets(one, key)));
            match old.and_then(|place| all.get_mut(place)) {
                Some(old) => *old = written,
                None => added.push(written),
            }
        }
        all.splice(head + 1..head + 1, added);
    }
    let mut text = all.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text + more.as_str()
}

/// Whether a line begins the section of this tool.
fn heads(line: &str, id: &ToolId) -> bool {
    let head = line.split('#').next().unwrap_or_default().trim();
    let forms = |name: &str| [name.to_owned(), format!("\"{name}\""), format!("'{name}'")];
    let tools = forms(id.tool.as_str());
    forms(&id.server).iter().any(|server| tools.iter().any(|tool| head == format!("[tools.{server}.{tool}]")))
}

/// Whether a line gives this key its value.
fn sets(line: &str, key: &str) -> bool {
    line.split_once('=').is_some_and(|(name, _)| name.trim() == key)
}

fn block(line: &Line) -> String {
    let ToolId { server, tool } = &line.id;
    let settings: Vec<String> =
        line.settings().iter().map(|(key, value)| format!("{key} = {}\n", quoted(value))).collect();
    format!("\n[tools.{}.{}]\n{}", quoted(server), quoted(tool.as_str()), settings.concat())
}

/// A text as a string of TOML: its escapes are those of JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use purple_process::ToolName;

    use super::*;

    fn edit(text: &str, names: &[(&str, Option<Effect>)]) -> String {
        let line = |(name, effect): &(&str, Option<Effect>)| Line {
            id: ToolId { server: "company".to_owned(), tool: ToolName::parse(name).unwrap() },
            effect: *effect,
            statements: Vec::new(),
            pin: Digest::of(b"now"),
        };
        let lines: Vec<Line> = names.iter().map(line).collect();
        edited(text, &lines).replace(&Digest::of(b"now").to_string(), "NOW")
    }

    #[test]
    fn pins_go_into_the_section_of_their_tool_and_nothing_else_changes() {
        let before = "# ours\ncurrency = \"EUR\"\n\n[tools.company.pay] # careful\n# it pays\neffect = \"write\"\n\n[tools.other.pay]\neffect = \"read\"\n[tools.'company'.\"see\"]\npin = \"sha256:old\"\n[serve]\nport = 1\n";
        let after =
            edit(before, &[("pay", None), ("see", Some(Effect::Read)), ("new.one", Some(Effect::Notify))]);
        assert_eq!(
            after,
            "# ours\ncurrency = \"EUR\"\n\n[tools.company.pay] # careful\npin = \"NOW\"\n# it pays\neffect = \"write\"\n\n[tools.other.pay]\neffect = \"read\"\n[tools.'company'.\"see\"]\neffect = \"read\"\npin = \"NOW\"\n[serve]\nport = 1\n\n[tools.\"company\".\"new.one\"]\neffect = \"notify\"\npin = \"NOW\"\n"
        );
        assert_eq!(edit("", &[("a", None)]), "\n[tools.\"company\".\"a\"]\npin = \"NOW\"\n");
    }

    #[test]
    fn another_effect_takes_the_place_of_the_one_that_was_stated() {
        for before in [
            "[tools.company.pay]\neffect = \"read\"\n",
            "[tools.company.pay]\neffect = \"read\"\npin = \"sha256:old\"\n",
            "[tools.company.pay]\npin = \"sha256:old\"\neffect = \"read\"\n",
        ] {
            let after = edit(before, &[("pay", Some(Effect::Write))]);
            assert_eq!(after.matches("effect = \"write\"").count(), 1, "{after}");
            assert_eq!(
                (after.matches("effect").count(), after.matches("pin = \"NOW\"").count()),
                (1, 1),
                "{after}"
            );
        }
    }
}
