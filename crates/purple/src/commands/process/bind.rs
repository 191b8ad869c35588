//! Which tools stand for the calls of processes: shown, proposed, and confirmed.

use std::collections::BTreeMap;

use purple_process::file::ProcessFile;
use purple_process::system::{CallMap, CurrencyOf, Fields};
use purple_store::ToolPin;
use purple_worker::{BindingState, CallProposal, propose_bindings};
use serde_json::{Value, json};

use crate::commands::Scene;
use crate::commands::tools::listing;
use crate::commands::tools::pins::{Edit, quoted, replace};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shelf::Shelf;
use crate::show::{Table, Tone, one_line};
use crate::wire_up::{manifest, processes};

/// What was typed.
pub(super) struct Wanted<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) system: Option<&'a str>,
    pub(super) accept: bool,
}

/// The calls of one process.
struct Bound {
    process: String,
    calls: Vec<CallProposal>,
}

/// `purple process bind`
pub(super) fn run(scene: &Scene<'_>, wanted: &Wanted<'_>) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    if config.settings.servers.is_empty() && config.settings.default_endpoint.is_none() {
        return Err(Failure::NoServers);
    }
    let shelf = Shelf::in_effect(&config)?;
    let files: Vec<ProcessFile> = match wanted.name {
        Some(name) => vec![shelf.find(name)?],
        None => {
            let complete = |file: &&ProcessFile| file.tasks().iter().all(|task| task.is_complete());
            shelf.processes.iter().map(|one| &*one.process).filter(complete).cloned().collect()
        }
    };
    let listing = listing(scene, &config)?;
    let known = manifest(&config).with_files(&processes(&config)?);
    let all: Vec<Bound> = (files.iter())
        .map(|file| Bound {
            process: file.name().to_owned(),
            calls: propose_bindings(file, listing.clone(), &known),
        })
        .collect();
    if wanted.accept {
        return accept(scene, &config, wanted, &all);
    }
    show(scene, &all)
}

fn show(scene: &Scene<'_>, all: &[Bound]) -> Result<Exit, Failure> {
    if scene.screen.is_json() {
        let processes: Vec<Value> = (all.iter())
            .map(|one| json!({"process": one.process, "complete": is_bound(one), "calls": one.calls}))
            .collect();
        scene.screen.document(&json!({"processes": processes}))?;
    } else {
        let mut table = Table::new(&["PROCESS", "CALL", "STATE", "TOOL", "NAMES", "BECAUSE"]);
        for one in all {
            for call in &one.calls {
                let tone = if call.state.is_bound() { Tone::Faint } else { Tone::Warning };
                let (process, name) = (one.process.clone(), call.call.to_string());
                let state = call.state.word().to_owned();
                table.toned(tone, [process, name, state, tool(call), names(call), one_line(&call.reason)]);
            }
        }
        for line in table.lines(scene.screen.out) {
            scene.screen.line(&line)?;
        }
        for call in all.iter().flat_map(|one| &one.calls) {
            for missing in &call.missing {
                scene.screen.say(&format!("{}: {}", call.call, one_line(missing)));
            }
        }
    }
    let open: Vec<&Bound> = all.iter().filter(|one| !is_bound(one)).collect();
    for one in &open {
        let count = one.calls.iter().filter(|call| !call.state.is_bound()).count();
        scene
            .screen
            .say(&format!("`{}` does not run as a playbook: {count} calls are not bound", one.process));
    }
    if open.is_empty() {
        return Ok(Exit::Done);
    }
    scene.screen.next("look through it, then: purple process bind PROCESS --accept   (docs/tool-servers.md tells how to map by hand)");
    Ok(Exit::Warnings)
}

fn is_bound(one: &Bound) -> bool {
    one.calls.iter().all(|call| call.state.is_bound())
}

fn tool(call: &CallProposal) -> String {
    call.tool.as_ref().map_or_else(|| "–".to_owned(), |id| format!("{}/{}", id.server, id.tool))
}

fn names(call: &CallProposal) -> String {
    let all: Vec<String> = call.names.iter().map(|(own, theirs)| format!("{own} = {theirs}")).collect();
    if all.is_empty() { "–".to_owned() } else { one_line(&all.join(", ")) }
}

/// What is written into the configuration about one call.
struct Line<'a> {
    system: String,
    call: &'a CallProposal,
    map: CallMap,
}

impl Line<'_> {
    fn section(&self) -> &'static str {
        if self.map.is_read { "records" } else { "actions" }
    }
}

/// Whether a proposal can be confirmed: what would write has to be whole.
fn may_be_accepted(call: &CallProposal) -> bool {
    match call.state {
        BindingState::Proposed => {
            let whole = call.missing.is_empty();
            let reads = call.map.as_ref().is_some_and(|map| map.is_read);
            whole || (reads && call.missing.iter().all(|missing| !missing.contains("parameter")))
        }
        // A mapping that somebody wrote, on the tool as it is now.
        BindingState::Mapped => true,
        BindingState::Broken => call.map.as_ref().is_some_and(|map| map.pin.is_some() && map.pin != call.pin),
        BindingState::Same | BindingState::Confirmed | BindingState::None => false,
    }
}

fn accept(scene: &Scene<'_>, config: &Config, wanted: &Wanted<'_>, all: &[Bound]) -> Result<Exit, Failure> {
    let calls = || all.iter().flat_map(|one| &one.calls);
    let mut lines: Vec<Line<'_>> = Vec::new();
    for call in calls().filter(|call| may_be_accepted(call)) {
        let (Some(map), Some(id)) = (&call.map, &call.tool) else { continue };
        let written = written_in(config, map);
        let system =
            written.or_else(|| wanted.system.map(str::to_owned)).unwrap_or_else(|| id.server.clone());
        let map = CallMap { pin: call.pin, ..map.clone() };
        if !lines.iter().any(|line| line.system == system && line.call.key == call.key) {
            lines.push(Line { system, call, map });
        }
    }
    let file = config.files.first().cloned().ok_or(Failure::NoConfigFile)?;
    if !lines.is_empty() {
        let text =
            std::fs::read_to_string(&file).map_err(|cause| Failure::Read { file: file.clone(), cause })?;
        let pin = |line: &Line<'_>| {
            let (server, tool) = (line.map.server.clone(), line.map.tool.clone());
            Some(ToolPin { server, tool, digest: line.map.pin?, effect: Some(line.call.effect) })
        };
        let edit = Edit {
            text: edited(config, &text, &lines),
            pins: lines.iter().filter_map(pin).collect(),
            by_hand: lines.iter().map(block).collect::<Vec<_>>().concat(),
            is_meant: &|config| lines.iter().all(|line| is_written(config, line)),
        };
        replace(scene, config, &file, edit)?;
    }
    let left: Vec<&CallProposal> =
        calls().filter(|call| !call.state.is_bound() && !may_be_accepted(call)).collect();
    if scene.screen.is_json() {
        let done: Vec<Value> = (lines.iter())
            .map(|line| json!({"call": line.call.call, "tool": line.call.tool, "pin": line.map.pin}))
            .collect();
        scene.screen.document(&json!({"file": file, "confirmed": done, "open": left}))?;
    } else {
        scene.screen.line(&format!("confirmed {} calls in {}", lines.len(), file.display()))?;
    }
    for call in &left {
        let why = if call.missing.is_empty() { call.reason.clone() } else { call.missing.join("; ") };
        scene.screen.say(&format!("`{}` is not confirmed: {}", call.call, one_line(&why)));
    }
    Ok(if left.is_empty() { Exit::Done } else { Exit::Warnings })
}

/// The system that has this mapping already.
fn written_in(config: &Config, map: &CallMap) -> Option<String> {
    let systems = &config.settings.systems;
    systems.iter().find(|one| one.calls.values().any(|known| known == map)).map(|one| one.name.clone())
}

/// The key under which a system has this mapping.
fn key_of<'c>(config: &'c Config, line: &Line<'_>) -> Option<&'c str> {
    let system = config.settings.systems.iter().find(|system| system.name == line.system)?;
    let before = |known: &CallMap| CallMap { pin: line.map.pin, ..known.clone() } == line.map;
    system.calls.iter().find(|(_, known)| before(known)).map(|(key, _)| key.as_str())
}

fn is_written(config: &Config, line: &Line<'_>) -> bool {
    let of = |map: &CallMap| (map.server.clone(), map.tool.clone(), map.at.clone(), map.pin, map.is_read);
    let is_it = |known: &CallMap| {
        let (one, other) = (&line.map, known);
        of(one) == of(other)
            && places(&one.arguments) == places(&other.arguments)
            && places(&one.fields) == places(&other.fields)
            && currencies(&one.fields) == currencies(&other.fields)
    };
    let system = config.settings.systems.iter().find(|system| system.name == line.system);
    system.is_some_and(|system| system.calls.values().any(is_it))
}

/// The text with the mappings in it: a pin in the section of a mapping that is there, else a section at the end.
fn edited(config: &Config, text: &str, lines: &[Line<'_>]) -> String {
    let mut all: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut more = String::new();
    for line in lines {
        let key = key_of(config, line);
        let head = key.and_then(|key| all.iter().position(|one| heads(one, line, key)));
        let Some(head) = head else {
            more.push_str(&block(line));
            continue;
        };
        let pin = format!("pin = {}", quoted(&line.map.pin.map(|pin| pin.to_string()).unwrap_or_default()));
        let end = all.iter().skip(head + 1).position(|one| one.trim_start().starts_with('['));
        let end = end.map_or(all.len(), |after| head + 1 + after);
        let is_pin = |one: &String| one.split_once('=').is_some_and(|(name, _)| name.trim() == "pin");
        match (head + 1..end).find(|place| all.get(*place).is_some_and(is_pin)) {
            Some(place) => all[place] = pin,
            None => all.insert(head + 1, pin),
        }
    }
    let mut text = all.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text + more.as_str()
}

/// Whether a text line begins the section of this mapping.
fn heads(text: &str, line: &Line<'_>, key: &str) -> bool {
    let head = text.split('#').next().unwrap_or_default().trim();
    let forms = |name: &str| [name.to_owned(), format!("\"{name}\""), format!("'{name}'")];
    let keys = forms(key);
    let section = line.section();
    forms(&line.system)
        .iter()
        .any(|system| keys.iter().any(|key| head == format!("[systems.{system}.{section}.{key}]")))
}

fn block(line: &Line<'_>) -> String {
    let CallMap { server, tool, pin, arguments, at, fields, .. } = &line.map;
    let mut settings = vec![format!("tool = {}", quoted(&format!("{server}/{tool}")))];
    settings.extend(table("arguments", places(arguments)));
    if !at.is_empty() {
        settings.push(format!("at = {}", quoted(at)));
    }
    settings.extend(table("fields", places(fields)));
    settings.extend(table("currency", currencies(fields)));
    settings.extend(pin.map(|pin| format!("pin = {}", quoted(&pin.to_string()))));
    let head = format!("[systems.{}.{}.{}]", quoted(&line.system), line.section(), quoted(&line.call.key));
    format!("\n# {}\n{head}\n{}\n", one_line(&line.call.reason), settings.join("\n"))
}

fn places(fields: &Fields) -> BTreeMap<&str, String> {
    fields
        .iter()
        .filter(|(_, one)| !one.at.is_empty())
        .map(|(name, one)| (name.as_str(), one.at.clone()))
        .collect()
}

fn currencies(fields: &Fields) -> BTreeMap<&str, String> {
    let one = |currency: &CurrencyOf| match currency {
        CurrencyOf::Is(code) => code.0.code().to_owned(),
        CurrencyOf::In(path) => format!("@{path}"),
    };
    fields.iter().filter_map(|(name, field)| Some((name.as_str(), one(field.currency.as_ref()?)))).collect()
}

fn table(key: &str, names: BTreeMap<&str, String>) -> Option<String> {
    let pairs: Vec<String> =
        names.iter().map(|(name, theirs)| format!("{} = {}", quoted(name), quoted(theirs))).collect();
    (!pairs.is_empty()).then(|| format!("{key} = {{ {} }}", pairs.join(", ")))
}
