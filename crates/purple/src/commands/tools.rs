//! Looking at the tools, and accepting them as they are.

mod login;
pub(crate) mod pins;
mod review;

use purple_process::{Class, DecidedBy, Digest, Effect, ToolName};
use purple_worker::port::{DefinitionKind, Listing, Tools as _, ToolsAt};
use purple_worker::{ToolId, ToolRow, toolbox};
use serde_json::{Value, json};

use crate::cli::Tools as Args;
use crate::commands::{Scene, made, runtime};
use crate::config::{Config, nearest};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Table, Tone, one_line};
use crate::wire_up::{manifest, processes, tool_servers};

/// Digits of a digest that people compare by eye.
const DIGEST_CHARS_SHOWN: usize = 19;

/// `purple tools …`
pub(crate) fn run(scene: &Scene<'_>, args: &Args) -> Result<Exit, Failure> {
    match args {
        Args::List { synthesized: true } => return made::list(scene, DefinitionKind::Tool),
        Args::Show { name } => return made::show(scene, DefinitionKind::Tool, name),
        Args::Sign { name } => return made::sign_function(scene, name),
        Args::Forget { name } => return made::forget(scene, DefinitionKind::Tool, name),
        Args::List { synthesized: false }
        | Args::Pin { .. }
        | Args::Review { .. }
        | Args::Login { .. }
        | Args::Logout { .. } => {}
    }
    let config = scene.config(Vec::new())?;
    if config.settings.servers.is_empty() && config.settings.default_endpoint.is_none() {
        return Err(Failure::NoServers);
    }
    match args {
        Args::Pin { tool, write } => pin(scene, &config, tool, *write),
        Args::Review { server, accept, set } => {
            review::review(scene, &config, &review::Wanted { server, accept: *accept, set })
        }
        Args::Login { server } => login::log_in(scene, &config, server),
        Args::Logout { server } => login::log_out(scene, &config, server),
        Args::List { .. } | Args::Show { .. } | Args::Sign { .. } | Args::Forget { .. } => {
            list(scene, &config)
        }
    }
}

/// How a tool stands to what the operator accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// It is the one that was pinned.
    Same,
    /// Something else bears its name now.
    Changed,
    /// Nobody pinned it.
    Not,
}

impl Accepted {
    pub(crate) fn of(row: &ToolRow, config: &Config) -> Self {
        match config.settings.tools.get(&id(row)).and_then(|tool| tool.pin) {
            None => Self::Not,
            Some(pin) if pin == row.pin => Self::Same,
            Some(_) => Self::Changed,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Not => "new",
        }
    }
}

/// By which the configuration knows a tool.
pub(crate) fn id(row: &ToolRow) -> ToolId {
    ToolId { server: row.server.clone(), tool: row.tool.clone() }
}

/// Every tool of a listing with its effect, also those that are not as they were pinned; and what was left out.
pub(crate) fn rows(listing: Listing, config: &Config) -> (Vec<ToolRow>, Vec<String>) {
    // A file that is refused says nothing about tools; `purple doctor` tells why.
    let files = processes(config).unwrap_or_default();
    toolbox(listing, &manifest(config).with_files(&files))
}

/// What the configured servers offer, with effects decided.
fn offered(scene: &Scene<'_>, config: &Config) -> Result<(Vec<ToolRow>, Vec<String>), Failure> {
    Ok(rows(listing(scene, config)?, config))
}

/// What the configured servers offer.
pub(crate) fn listing(scene: &Scene<'_>, config: &Config) -> Result<Listing, Failure> {
    let runtime = runtime()?;
    let listing = runtime.block_on(async {
        let servers = tool_servers(config, scene.environment)?;
        scene.screen.redraw("asking the tool servers …");
        let listed = servers.list(&ToolsAt::Configured).await;
        scene.screen.redraw("");
        Ok::<_, Failure>(listed?)
    });
    runtime.shutdown_background();
    listing
}

fn list(scene: &Scene<'_>, config: &Config) -> Result<Exit, Failure> {
    let (rows, left_out) = offered(scene, config)?;
    let changed: Vec<&ToolRow> =
        rows.iter().filter(|row| Accepted::of(row, config) == Accepted::Changed).collect();
    if scene.screen.is_json() {
        let tools: Vec<Value> = rows.iter().map(|row| as_json(row, Accepted::of(row, config))).collect();
        scene.screen.document(&json!({"tools": tools, "left_out": left_out}))?;
    } else {
        let mut table = Table::new(&["EFFECT", "TOOL", "SERVER", "READ BACK BY", "BECAUSE"]);
        for row in &rows {
            let tone = if row.effect.effect() == Effect::Write { Tone::Warning } else { Tone::Faint };
            let back = row.read_back.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string);
            let (name, server) = (row.name.to_string(), one_line(&row.server));
            let (tone, reason) = match &row.quarantined {
                Some(why) => (Tone::Bad, format!("QUARANTINED: {why}")),
                None => (tone, row.reason.clone()),
            };
            table.toned(tone, [row.effect.to_string(), name, server, back, one_line(&reason)]);
        }
        for line in table.lines(scene.screen.out) {
            scene.screen.line(&line)?;
        }
    }
    for row in &changed {
        scene.screen.say(&format!("`{}` is not the tool that was pinned, and is not used", row.name));
    }
    let guessed = rows.iter().filter(|row| row.decided_by == DecidedBy::Definition).count();
    if guessed > 0 {
        scene.screen.say(&format!("{guessed} of {} effects come from definitions only", rows.len()));
    }
    let unclear = rows.iter().filter(|row| row.effect == Class::Unclear).count();
    if unclear > 0 {
        scene.screen.say(&format!("{unclear} effects are unclear and count as writes until you review them"));
    }
    if guessed > 0 || !changed.is_empty() {
        scene.screen.next("purple tools review SERVER");
    }
    let exit = tell_left_out(scene, &left_out);
    Ok(if changed.is_empty() { exit } else { Exit::Warnings })
}

fn as_json(row: &ToolRow, accepted: Accepted) -> Value {
    let mut value = serde_json::to_value(row).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("pinned".to_owned(), accepted.word().into());
    }
    value
}

fn pin(scene: &Scene<'_>, config: &Config, wanted: &[String], write: bool) -> Result<Exit, Failure> {
    let (rows, left_out) = offered(scene, config)?;
    let is_wanted = |name: &ToolName| wanted.is_empty() || wanted.iter().any(|tool| name.as_str() == tool);
    let pinned = || config.settings.tools.iter().filter_map(|(id, tool)| Some((id, tool.pin?)));
    let known = || rows.iter().map(|row| row.name.as_str()).chain(pinned().map(|(id, _)| id.tool.as_str()));
    if let Some(tool) = wanted.iter().find(|tool| !known().any(|name| name == *tool)) {
        let near = nearest(tool, known()).map(str::to_owned);
        return Err(Failure::NoSuchTool { tool: tool.clone(), near });
    }
    let here: Vec<(&ToolRow, Accepted)> =
        rows.iter().filter(|row| is_wanted(&row.name)).map(|row| (row, Accepted::of(row, config))).collect();
    let gone: Vec<(&ToolId, Digest)> = pinned()
        .filter(|(gone, _)| is_wanted(&gone.tool) && !rows.iter().any(|row| id(row) == **gone))
        .collect();
    if write {
        let written: Vec<&ToolRow> =
            here.iter().filter(|(_, accepted)| *accepted != Accepted::Same).map(|(row, _)| *row).collect();
        let file = pins::write(scene, config, &pins::lines(&written))?;
        let names: Vec<&str> = written.iter().map(|row| row.name.as_str()).collect();
        if scene.screen.is_json() {
            scene.screen.document(&json!({"file": file, "pinned": names, "left_out": left_out}))?;
        } else {
            scene.screen.line(&format!("pinned {} tools in {}", names.len(), file.display()))?;
        }
        return Ok(tell_left_out(scene, &left_out));
    }
    tell_pins(scene, &here, &gone, &left_out)?;
    let changed = here.iter().any(|(_, accepted)| *accepted == Accepted::Changed);
    let new = here.iter().any(|(_, accepted)| *accepted == Accepted::Not);
    if changed || new {
        scene.screen.next("look through it, then: purple tools pin --write");
    }
    Ok(match (changed, new || !gone.is_empty() || !left_out.is_empty()) {
        (true, _) => Exit::Error,
        (false, true) => Exit::Warnings,
        (false, false) => Exit::Done,
    })
}

fn tell_pins(
    scene: &Scene<'_>,
    here: &[(&ToolRow, Accepted)],
    gone: &[(&ToolId, Digest)],
    left_out: &[String],
) -> Result<(), Failure> {
    if scene.screen.is_json() {
        let tools: Vec<Value> = here.iter().map(|(row, accepted)| as_json(row, *accepted)).collect();
        let gone: Vec<Value> =
            gone.iter().map(|(id, pin)| json!({"server": id.server, "name": id.tool, "pin": pin})).collect();
        return scene.screen.document(&json!({"tools": tools, "gone": gone, "left_out": left_out}));
    }
    let short = |digest: String| digest.chars().take(DIGEST_CHARS_SHOWN).collect::<String>();
    let mut table = Table::new(&["PINNED", "EFFECT", "TOOL", "SCHEMA", "PIN", "BECAUSE"]);
    for (row, accepted) in here {
        let tone = match accepted {
            Accepted::Same => Tone::Good,
            Accepted::Changed => Tone::Bad,
            Accepted::Not => Tone::Warning,
        };
        let (effect, name) = (row.effect.to_string(), row.name.to_string());
        let (schema, pin) = (short(row.schema.to_string()), short(row.pin.to_string()));
        table.toned(tone, [accepted.word().to_owned(), effect, name, schema, pin, one_line(&row.reason)]);
    }
    for (id, pin) in gone {
        let pin = short(pin.to_string());
        let cells = ["gone", "–", id.tool.as_str(), "–", &pin, "pinned, and no server offers it now"];
        table.toned(Tone::Warning, cells.map(str::to_owned));
    }
    for line in table.lines(scene.screen.out) {
        scene.screen.line(&line)?;
    }
    for one in left_out {
        scene.screen.say(&format!("left out: {}", one_line(one)));
    }
    Ok(())
}

/// Says what is missing from a list, and why.
fn tell_left_out(scene: &Scene<'_>, left_out: &[String]) -> Exit {
    for left_out in left_out {
        scene.screen.say(&format!("left out: {}", one_line(left_out)));
    }
    if left_out.is_empty() { Exit::Done } else { Exit::Warnings }
}
