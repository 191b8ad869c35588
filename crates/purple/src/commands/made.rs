//! Processes and functions that were made or signed here: looked at, changed, signed, taken away. Works beside a server.

mod difference;

use std::path::Path;

use purple_process::file::{ProcessFile, load};
use purple_store::{OpenError, Remote, Store};
use purple_worker::learn::Switch;
use purple_worker::port::{
    Clock as _, Defined, DefinitionKind, Definitions as _, NOT_MADE, Origin, Redefinition, Signed,
};
use purple_worker::{ClientError, Drafted, Process, Standing, draft_from_run, taken_name};
use serde_json::{Value, json};

use crate::commands::{Scene, in_house, runtime};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shelf::{Shelf, definitions as all};
use crate::show::{Table, one_line, visible};
use crate::wire_up::{Purpose, SystemClock, worker_settings};
use difference::Difference;

/// `purple process list --synthesized`, `purple tools list --synthesized`
pub(crate) fn list(scene: &Scene<'_>, kind: DefinitionKind) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let definitions = all(&config)?;
    let shelf = Shelf::fill(&config.settings).with(&definitions, &config);
    let made: Vec<Defined> = definitions.into_iter().filter(|one| one.kind == kind).collect();
    if scene.screen.is_json() {
        scene.screen.document(&made.iter().map(|one| as_json(one, &shelf)).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    let mut table = match kind {
        DefinitionKind::Process => Table::new(&["NAME", "STATE", "COUNTS", "FROM", "WRITTEN", "ABOUT"]),
        DefinitionKind::Tool => Table::new(&["NAME", "STATE", "FROM", "WRITTEN", "ABOUT"]),
    };
    for one in &made {
        let (written, about) = (format!("{:.0}", one.at), one_line(&about(one)));
        match kind {
            DefinitionKind::Process => {
                let counts = counts(one, &shelf).word().to_owned();
                table.row([one.name.clone(), state(one), counts, from(one), written, about]);
            }
            DefinitionKind::Tool => table.row([one.name.clone(), state(one), from(one), written, about]),
        }
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
    let config = scene.config(Vec::new())?;
    let found = find(&config, kind, name)?;
    let shelf = Shelf::in_effect(&config)?;
    if scene.screen.is_json() {
        scene.screen.document(&as_json(&found, &shelf))?;
        return Ok(Exit::Done);
    }
    scene.screen.line(&format!(
        "# {}, from {}, written {:.0}, {}",
        state(&found),
        from(&found),
        found.at,
        found.digest()
    ))?;
    match (kind, counts(&found, &shelf)) {
        (DefinitionKind::Tool, _) | (DefinitionKind::Process, Counts::Yes) => {}
        (DefinitionKind::Process, Counts::Instead) => {
            scene.screen.line("# it has taken the place of the built-in process of this name")?;
        }
        (DefinitionKind::Process, Counts::No) => scene.screen.line("# it does not count")?,
    }
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
    let config = scene.config(Vec::new())?;
    scene.operator(&config)?;
    let name = &find(&config, kind, name)?.name;
    let change = Redefinition::Forget { kind, name: name.clone() };
    if !change_store(&config, change)? {
        return Err(Failure::NoSuchDefinition { kind, name: name.clone() });
    }
    let left = match kind {
        DefinitionKind::Process => standing_file(&config, name),
        DefinitionKind::Tool => None,
    };
    if scene.screen.is_json() {
        scene.screen.document(&json!({"name": name, "forgotten": true, "counts_again": left}))?;
    } else {
        let then = left.unwrap_or_else(|| "the next task of its kind makes a new one".to_owned());
        scene.screen.line(&format!("{name} is forgotten; {then}"))?;
    }
    Ok(Exit::Done)
}

/// `purple process edit`
pub(crate) fn edit(scene: &Scene<'_>, name: &str, file: Option<&Path>) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let by = scene.operator(&config)?;
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
    let then = standing_file(&config, name).map_or_else(
        || "its operations are asked of a person".to_owned(),
        |left| format!("{left} until it is signed"),
    );
    scene.screen.line(&format!("{name} is changed, and unsigned: {then}"))?;
    scene.screen.next(&format!("purple process sign {name}"));
    Ok(Exit::Done)
}

/// `purple process sign`
pub(crate) fn sign(scene: &Scene<'_>, name: &str) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let by = scene.operator(&config)?;
    let kind = DefinitionKind::Process;
    let now = SystemClock.now();
    let file = Path::new(name);
    let brought = match file.is_file() {
        true => {
            let (text, origin) = (read(file)?, Origin::Person { by: by.clone() });
            let name = accepted(scene, name, &text)?.name().to_owned();
            Some(Defined { kind, name, text, origin, at: now, signed: None, quarantined: None })
        }
        false => None,
    };
    let found = match &brought {
        Some(new) => {
            let before = all(&config)?.into_iter().find(|one| one.kind == kind && one.name == new.name);
            // The same text keeps where it came from.
            before.filter(|before| before.text == new.text).unwrap_or_else(|| new.clone())
        }
        None => find(&config, kind, name)?,
    };
    let process = accepted(scene, &found.name, &found.text)?;
    let instead = place(&config, &process, &found.text)?;
    // What is signed, and in whose place, is said before it is.
    if let Some(difference) = instead.as_ref().filter(|_| !scene.screen.is_json()) {
        scene.screen.line(&format!("{} takes the place of the built-in process of this name", found.name))?;
        for line in difference.lines() {
            scene.screen.line(&visible(&format!("  {line}")))?;
        }
    }
    if brought.as_ref() == Some(&found) {
        change_store(&config, Redefinition::Replace(found.clone()))?;
    }
    let signed = Signed { by: by.clone(), at: now, digest: found.digest() };
    let change = Redefinition::Sign { kind, name: found.name.clone(), signed };
    if !change_store(&config, change)? {
        return Err(Failure::NoSuchDefinition { kind, name: found.name });
    }
    let (name, digest) = (&found.name, found.digest());
    if scene.screen.is_json() {
        let mut told = json!({"name": name, "digest": digest, "signed_by": by});
        if let Some(difference) = instead {
            told["instead_of"] = json!("shipped");
            told["difference"] = difference.to_json();
        }
        scene.screen.document(&told)?;
    } else {
        scene.screen.line(&format!("{name} is signed by {by}: {digest}"))?;
        scene.screen.say("Its rules count from the next task on; a changed byte ends that.");
        if instead.is_some() {
            scene.screen.say("Runs that have begun keep the file that they began with.");
            scene.screen.say(&format!("`purple process forget {name}` brings the built-in one back."));
        }
    }
    Ok(Exit::Done)
}

/// `purple tools sign`
pub(crate) fn sign_function(scene: &Scene<'_>, name: &str) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let by = scene.operator(&config)?;
    let kind = DefinitionKind::Tool;
    let found = find(&config, kind, name)?;
    if found.is_not_made() || found.quarantined.is_some() {
        return Err(Failure::NotUsed { name: found.name.clone(), state: state(&found) });
    }
    let (name, digest) = (&found.name, found.digest());
    let signed = Signed { by: by.clone(), at: SystemClock.now(), digest };
    if !change_store(&config, Redefinition::Sign { kind, name: name.clone(), signed })? {
        return Err(Failure::NoSuchDefinition { kind, name: name.clone() });
    }
    if scene.screen.is_json() {
        scene.screen.document(&json!({"name": name, "digest": digest, "signed_by": by}))?;
    } else {
        scene.screen.line(&format!("{name} is signed by {by}: {digest}"))?;
        scene.screen.say("Its figures count as computed from the next task on; whom to pay it never says.");
    }
    Ok(Exit::Done)
}

/// How a file differs from the built-in process whose place it takes; `None` where it takes nobody's.
///
/// A file of the operator keeps its place, and no name of another process is taken.
fn place(config: &Config, process: &ProcessFile, text: &str) -> Result<Option<Difference>, Failure> {
    let name = process.name();
    let shelf = Shelf::fill(&config.settings);
    let known = shelf.processes.iter().find(|one| one.process.name() == name);
    if let Some(file) = known.and_then(|one| one.file.clone()) {
        return Err(Failure::OwnFile { name: name.to_owned(), file });
    }
    let shipped = known.map(|one| one.text.clone());
    let others: Vec<Process> =
        shelf.with(&all(config)?, config).processes.iter().map(|one| one.to_process()).collect();
    if let Some((name, other)) = taken_name(process, &others) {
        return Err(Failure::OthersName { name, process: other.file.name().to_owned() });
    }
    let unread = |_| Failure::RefusedFiles { files: vec![name.into()], checked: 1 };
    shipped.map(|shipped| Difference::between(&shipped, text)).transpose().map_err(unread)
}

/// What counts under a name once nothing signed does, for people.
fn standing_file(config: &Config, name: &str) -> Option<String> {
    let shelf = Shelf::fill(&config.settings);
    let left = shelf.processes.iter().find(|one| one.process.name() == name)?;
    Some(match &left.file {
        Some(file) => format!("`{}` counts as before", file.display()),
        None => "the built-in process of this name counts again".to_owned(),
    })
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
    in_house(scene, house, Purpose::Look, |worker| async move {
        let run = worker.find(run).await?;
        let drafted = draft_from_run((&*worker.events, &*worker.blobs), &settings, &run, name).await?;
        if let Some(file) = out {
            std::fs::write(file, &drafted.text)
                .map_err(|cause| Failure::Write { file: file.to_owned(), cause })?;
        }
        if scene.screen.is_json() {
            let does: Vec<&str> = drafted.does.iter().map(purple_process::ToolName::as_str).collect();
            scene.screen.document(&json!({
                "name": drafted.name, "does": does, "text": drafted.text, "file": out,
                "is_its_own": drafted.is_its_own, "caveats": drafted.caveats,
            }))?;
        } else if let Some(file) = out {
            let what = if drafted.is_its_own { "with this run as a test, " } else { "" };
            let line =
                format!("{}: {}, {what}not in effect until it is signed", file.display(), drafted.name);
            scene.screen.line(&line)?;
        } else {
            scene.screen.line(drafted.text.trim_end())?;
        }
        for caveat in drafted.caveats.sentences() {
            scene.screen.say(&one_line(&caveat));
        }
        let file = out.map_or_else(|| "FILE".to_owned(), |file| file.display().to_string());
        next_after(scene, house, &drafted, &file);
        Ok(Exit::Done)
    })
}

/// How a draft comes into effect.
fn next_after(scene: &Scene<'_>, config: &Config, drafted: &Drafted, file: &str) {
    let shelf = Shelf::fill(&config.settings);
    let known = shelf.processes.iter().find(|one| one.process.name() == drafted.name);
    match known.and_then(|known| known.file.as_ref()) {
        Some(own) => scene.screen.say(&format!(
            "`{}` is a file of yours, which counts as signed: put the draft in its place, {}.",
            drafted.name,
            own.display()
        )),
        None => scene.screen.next(&format!("purple process sign {file} --as PERSON")),
    }
}

/// The file, if the loader takes it; what is wrong is said otherwise.
fn accepted(scene: &Scene<'_>, name: &str, text: &str) -> Result<ProcessFile, Failure> {
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
                store.close().await.map_err(ClientError::from)?;
                Ok(done.map_err(ClientError::from)?)
            }
            Err(OpenError::InUse { .. }) => {
                let remote = Remote::connect(folder).await?;
                Ok(remote.redefine(change).await.map_err(ClientError::from)?)
            }
            Err(other) => Err(other.into()),
        }
    })
}

/// Whether a process that was made or signed here counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    Yes,
    /// In the place of a built-in one.
    Instead,
    /// Nobody signed it and it would allow something, it is quarantined, or another file has its name.
    No,
}

impl Counts {
    const fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Instead => "instead of the built-in one",
            Self::No => "no",
        }
    }
}

fn counts(one: &Defined, shelf: &Shelf) -> Counts {
    let found = shelf.processes.iter().find(|known| known.process.name() == one.name);
    match found.map(|known| known.standing) {
        Some(Standing::SignedInstead) => Counts::Instead,
        Some(Standing::Signed | Standing::Unsigned) => Counts::Yes,
        Some(Standing::Shipped | Standing::Operator) | None => Counts::No,
    }
}

pub(super) fn state(one: &Defined) -> String {
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

fn as_json(one: &Defined, shelf: &Shelf) -> Value {
    let counts = match one.kind {
        DefinitionKind::Process => Some(counts(one, shelf)),
        DefinitionKind::Tool => None,
    };
    json!({
        "counts": counts.map(|counts| counts != Counts::No),
        "instead_of": (counts == Some(Counts::Instead)).then_some("shipped"),
        "kind": one.kind, "name": one.name, "state": state(one), "about": about(one), "origin": one.origin,
        "at": one.at, "digest": one.digest(), "signed": one.signed.as_ref().filter(|_| one.is_signed()),
        "quarantined": one.quarantined, "text": one.text,
    })
}
