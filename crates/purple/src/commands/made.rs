//! Processes and functions that were made or signed here: looked at, changed, signed, taken away. Works beside a server.

use std::path::Path;

use purple_process::file::load;
use purple_store::{OpenError, Remote, Store};
use purple_worker::learn::Switch;
use purple_worker::port::{
    Clock as _, Defined, DefinitionKind, Definitions as _, NOT_MADE, Origin, Redefinition, Signed,
};
use purple_worker::{DeskError, Drafted, draft_from_run};
use serde_json::{Value, json};

use crate::commands::{Scene, in_house, runtime};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shelf::Shelf;
use crate::show::{Table, one_line, visible};
use crate::wire_up::{Purpose, SystemClock, reader, worker_settings};

/// `purple process list --synthesized`, `purple tools list --synthesized`
pub(crate) fn list(scene: &Scene<'_>, kind: DefinitionKind) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let made: Vec<Defined> = all(&config)?.into_iter().filter(|one| one.kind == kind).collect();
    if scene.screen.is_json() {
        scene.screen.document(&made.iter().map(as_json).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["NAME", "STATE", "FROM", "WRITTEN", "ABOUT"]);
    for one in &made {
        table.row([one.name.clone(), state(one), from(one), format!("{:.0}", one.at), one_line(&about(one))]);
    }
    for line in table.lines(scene.screen.out) {
        scene.screen.line(&line)?;
    }
    let show = match kind {
        DefinitionKind::Process => "purple process show NAME",
        DefinitionKind::Tool => "purple tools show NAME",
    };
    scene.screen.next(show);
    Ok(Exit::Done)
}

/// `purple process show`, `purple tools show`
pub(crate) fn show(scene: &Scene<'_>, kind: DefinitionKind, name: &str) -> Result<Exit, Failure> {
    let found = find(&scene.config(Vec::new())?, kind, name)?;
    if scene.screen.is_json() {
        scene.screen.document(&as_json(&found))?;
        return Ok(Exit::Done);
    }
    scene.screen.line(&format!(
        "# {}, {}, written {:.0}, {}",
        state(&found),
        from(&found),
        found.at,
        found.digest()
    ))?;
    if let Some(why) = &found.quarantined {
        scene.screen.line(&format!("# not used: {}", one_line(why)))?;
    }
    match kind {
        DefinitionKind::Process => scene.screen.line(visible(found.text.trim_end()).as_str())?,
        DefinitionKind::Tool if found.is_not_made() => {
            scene.screen.line(&format!("# {}", one_line(&about(&found))))?;
        }
        DefinitionKind::Tool => {
            let made: Value = serde_json::from_str(&found.text).unwrap_or(Value::Null);
            let code = made.pointer("/program/code").and_then(Value::as_str).unwrap_or_default();
            let count = |which: &str| {
                made.pointer(&format!("/program/{which}")).and_then(Value::as_array).map_or(0, Vec::len)
            };
            scene.screen.line(&format!("# {}", one_line(&about(&found))))?;
            scene.screen.line(&format!(
                "# judged by {} shown and {} held-back cases",
                count("shown"),
                count("held_back")
            ))?;
            scene.screen.line(&visible(code.trim_end()))?;
        }
    }
    Ok(Exit::Done)
}

/// `purple process forget`, `purple tools forget`
pub(crate) fn forget(scene: &Scene<'_>, kind: DefinitionKind, name: &str) -> Result<Exit, Failure> {
    let (config, _) = scene.config_and_person()?;
    let name = &find(&config, kind, name)?.name;
    let change = Redefinition::Forget { kind, name: name.clone() };
    if !change_store(&config, change)? {
        return Err(Failure::NoSuchDefinition { kind, name: name.clone() });
    }
    if scene.screen.is_json() {
        scene.screen.document(&json!({"name": name, "forgotten": true}))?;
    } else {
        scene.screen.line(&format!("{name} is forgotten; the next task of its kind makes a new one"))?;
    }
    Ok(Exit::Done)
}

/// `purple process edit`
pub(crate) fn edit(scene: &Scene<'_>, name: &str, file: Option<&Path>) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    let found = find(&config, DefinitionKind::Process, name)?;
    let text = match file {
        Some(file) => read(file)?,
        None => edited(scene, &found)?,
    };
    let process = accepted(scene, name, &text)?;
    if process.name() != name {
        return Err(Failure::NoSuchDefinition {
            kind: DefinitionKind::Process,
            name: process.name().to_owned(),
        });
    }
    if text == found.text {
        scene.screen.line(&format!("{name} is as it was"))?;
        return Ok(Exit::Done);
    }
    let new = Defined { text, origin: Origin::Person { by }, at: SystemClock.now(), signed: None, ..found };
    change_store(&config, Redefinition::Replace(new))?;
    scene.screen.line(&format!("{name} is changed, and unsigned: its operations are asked of a person"))?;
    scene.screen.next(&format!("purple process sign {name}"));
    Ok(Exit::Done)
}

/// `purple process sign`
pub(crate) fn sign(scene: &Scene<'_>, name: &str) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    let kind = DefinitionKind::Process;
    let now = SystemClock.now();
    let file = Path::new(name);
    let found = if file.is_file() {
        let text = read(file)?;
        let process = accepted(scene, name, &text)?;
        let own_name = process.name().to_owned();
        let shipped = Shelf::fill(&config.settings);
        if shipped.processes.iter().any(|one| one.process.answers_to(&own_name)) {
            return Err(Failure::NotMadeHere { name: own_name });
        }
        let origin = Origin::Person { by: by.clone() };
        let new = Defined { kind, name: own_name, text, origin, at: now, signed: None, quarantined: None };
        let before = all(&config)?.into_iter().find(|one| one.kind == kind && one.name == new.name);
        // The same text keeps where it came from.
        let same = before.filter(|before| before.text == new.text);
        if same.is_none() {
            change_store(&config, Redefinition::Replace(new.clone()))?;
        }
        same.unwrap_or(new)
    } else {
        find(&config, kind, name)?
    };
    accepted(scene, &found.name, &found.text)?;
    let signed = Signed { by: by.clone(), at: now, digest: found.digest() };
    let change = Redefinition::Sign { kind, name: found.name.clone(), signed };
    if !change_store(&config, change)? {
        return Err(Failure::NoSuchDefinition { kind, name: found.name });
    }
    let (name, digest) = (&found.name, found.digest());
    if scene.screen.is_json() {
        scene.screen.document(&json!({"name": name, "digest": digest, "signed_by": by}))?;
    } else {
        scene.screen.line(&format!("{name} is signed by {by}: {digest}"))?;
        scene.screen.say("Its rules count from the next task on; a changed byte ends that.");
    }
    Ok(Exit::Done)
}

/// `purple process from-run`
pub(crate) fn from_run(
    scene: &Scene<'_>,
    run: &str,
    name: Option<&str>,
    out: Option<&Path>,
) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    if config.settings.synthesis == Switch::Off {
        return Err(Failure::SynthesisOff);
    }
    let settings = worker_settings(&config)?;
    let house = &config;
    in_house(scene, house, Purpose::Look, |desk| async move {
        let run = desk.find(run).await?;
        let drafted = draft_from_run((&*desk.events, &*desk.blobs), &settings, &run, name).await?;
        if let Some(file) = out {
            std::fs::write(file, &drafted.text)
                .map_err(|cause| Failure::Write { file: file.to_owned(), cause })?;
        }
        if scene.screen.is_json() {
            let does: Vec<&str> = drafted.does.iter().map(purple_process::ToolName::as_str).collect();
            scene.screen.document(&json!({
                "name": drafted.name, "does": does, "text": drafted.text, "file": out,
                "is_its_own": drafted.is_its_own,
            }))?;
        } else if let Some(file) = out {
            let what = match drafted.is_its_own {
                true => "with this run as a test, not in effect before it takes the place of that file",
                false => "not in effect until it is signed",
            };
            scene.screen.line(&format!("{}: {}, {what}", file.display(), drafted.name))?;
        } else {
            scene.screen.line(drafted.text.trim_end())?;
        }
        let file = out.map_or_else(|| "FILE".to_owned(), |file| file.display().to_string());
        next_after(scene, house, &drafted, &file);
        Ok(Exit::Done)
    })
}

/// How a draft comes into effect.
fn next_after(scene: &Scene<'_>, config: &Config, drafted: &Drafted, file: &str) {
    let name = &drafted.name;
    let shelf = Shelf::fill(&config.settings);
    let is_shelved = shelf.processes.iter().any(|one| one.process.answers_to(name));
    match (drafted.is_its_own, is_shelved) {
        (true, true) => scene.screen.say(&format!(
            "`{name}` decides such tasks already. A file of this name in a folder of `processes.dirs` takes its place."
        )),
        (true, false) => scene.screen.next(&format!("purple process edit {name} --file {file}")),
        (false, _) => scene.screen.next(&format!("purple process sign {file} --as PERSON")),
    }
}

/// The file, if the loader takes it; what is wrong is said otherwise.
fn accepted(scene: &Scene<'_>, name: &str, text: &str) -> Result<purple_process::file::ProcessFile, Failure> {
    load(text).map_err(|refused| {
        for problem in refused.problems() {
            scene.screen.say(&visible(&format!("{name}:{problem}")));
        }
        Failure::RefusedFiles { files: vec![name.into()], checked: 1 }
    })
}

fn read(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|cause| Failure::Read { file: file.to_owned(), cause })
}

/// The text after somebody edited it.
fn edited(scene: &Scene<'_>, found: &Defined) -> Result<String, Failure> {
    let editor = ["VISUAL", "EDITOR"].into_iter().find_map(|name| scene.environment.get(name));
    let editor = editor.ok_or(Failure::NoEditor)?.to_owned();
    let folder = tempfile_folder(found)?;
    let file = folder.join(format!("{}.yaml", found.name));
    let wrote = std::fs::write(&file, &found.text);
    wrote.map_err(|cause| Failure::Write { file: file.clone(), cause })?;
    let failed = |cause| Failure::Editor { editor: editor.clone(), cause };
    let mut words = editor.split_whitespace();
    let program = words.next().ok_or(Failure::NoEditor)?;
    let status = std::process::Command::new(program).args(words).arg(&file).status().map_err(failed)?;
    let text = read(&file);
    let _ = std::fs::remove_dir_all(&folder);
    if !status.success() {
        return Err(failed(std::io::Error::other(status.to_string())));
    }
    text
}

fn tempfile_folder(found: &Defined) -> Result<std::path::PathBuf, Failure> {
    let run = crate::wire_up::fresh_run(SystemClock.now())?;
    let folder = std::env::temp_dir().join(format!("purple-{}-{run}", found.name));
    std::fs::create_dir_all(&folder).map_err(|cause| Failure::Write { file: folder.clone(), cause })?;
    Ok(folder)
}

fn all(config: &Config) -> Result<Vec<Defined>, Failure> {
    let reader = match reader(&config.settings.data_dir) {
        Ok(reader) => reader,
        Err(Failure::NothingYet { .. }) => return Ok(Vec::new()),
        Err(other) => return Err(other),
    };
    Ok(runtime()?.block_on(reader.definitions()).map_err(DeskError::from)?)
}

/// The definition of this name; else the function of this name that could not be made.
fn find(config: &Config, kind: DefinitionKind, name: &str) -> Result<Defined, Failure> {
    let all: Vec<Defined> = all(config)?.into_iter().filter(|one| one.kind == kind).collect();
    let plain = |one: &&Defined| one.is_not_made() && one.name.strip_prefix(NOT_MADE) == Some(name);
    let found = all.iter().find(|one| one.name == name).or_else(|| all.iter().find(plain));
    found.cloned().ok_or_else(|| Failure::NoSuchDefinition { kind, name: name.to_owned() })
}

/// Writes into the store, or has the process write that works there. Answers whether there was something to do.
fn change_store(config: &Config, change: Redefinition) -> Result<bool, Failure> {
    let folder = &config.settings.data_dir;
    runtime()?.block_on(async {
        match Store::open(folder, purple_store::Settings::default(), std::sync::Arc::new(SystemClock)) {
            Ok(store) => {
                let done = store.redefine(change).await;
                store.close().await.map_err(DeskError::from)?;
                Ok(done.map_err(DeskError::from)?)
            }
            Err(OpenError::InUse { .. }) => {
                let remote = Remote::connect(folder).await?;
                Ok(remote.redefine(change).await.map_err(DeskError::from)?)
            }
            Err(other) => Err(other.into()),
        }
    })
}

fn state(one: &Defined) -> String {
    if one.is_not_made() {
        let kept: Value = serde_json::from_str(&one.text).unwrap_or(Value::Null);
        return format!("not made, tried {} ×", kept.get("failures").unwrap_or(&Value::Null));
    }
    match (&one.quarantined, &one.signed, one.kind) {
        (Some(_), _, _) => "quarantined".to_owned(),
        (None, Some(signed), _) if one.is_signed() => format!("signed by {}", signed.by),
        (None, _, DefinitionKind::Process) => "unsigned".to_owned(),
        (None, _, DefinitionKind::Tool) => "admitted".to_owned(),
    }
}

fn from(one: &Defined) -> String {
    match &one.origin {
        Origin::Model { run, model } => format!("{model} in {run}"),
        Origin::Run { run } => format!("run {run}"),
        Origin::Person { by } => by.to_string(),
    }
}

/// What it is about, in a line.
fn about(one: &Defined) -> String {
    match one.kind {
        DefinitionKind::Process => {
            load(&one.text).map_or_else(|_| "it does not load".to_owned(), |file| file.title().to_owned())
        }
        DefinitionKind::Tool => {
            let made: Value = serde_json::from_str(&one.text).unwrap_or(Value::Null);
            made.get("about").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
    }
}

fn as_json(one: &Defined) -> Value {
    json!({
        "kind": one.kind, "name": one.name, "state": state(one), "about": about(one), "origin": one.origin,
        "at": one.at, "digest": one.digest(), "signed": one.signed.as_ref().filter(|_| one.is_signed()),
        "quarantined": one.quarantined, "text": one.text,
    })
}
