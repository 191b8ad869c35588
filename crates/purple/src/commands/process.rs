//! Looking at processes.

mod bind;
pub(crate) mod examples;
mod overlap;

use std::path::{Path, PathBuf};

use purple_process::file::{Problem, ProcessFile, Refused, Task, load_bytes};
use purple_process::{describe, diagram, route_diagram};
use purple_worker::Standing;
use purple_worker::port::{Defined, DefinitionKind};
use serde_json::json;

use crate::cli::{GraphFormat, Process as Args};
use crate::commands::{Scene, made};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shelf::{Shelf, Shelved, definitions};
use crate::show::{Table, Tone, one_line, visible};

/// `purple process …`
pub(crate) fn run(scene: &Scene<'_>, args: &Args) -> Result<Exit, Failure> {
    match args {
        Args::List { synthesized: false } => list(scene),
        Args::List { synthesized: true } => made::list(scene, DefinitionKind::Process),
        Args::Show { name, synthesized: false } => show(scene, name),
        Args::Show { name, synthesized: true } => made::show(scene, DefinitionKind::Process, name),
        Args::Edit { name, file } => made::edit(scene, name, file.as_deref()),
        Args::Forget { name } => made::forget(scene, DefinitionKind::Process, name),
        Args::Sign { name } => made::sign(scene, name),
        Args::FromRun { run, name, out } => made::from_run(scene, run, name.as_deref(), out.as_deref()),
        Args::Bind { name, system, accept } => bind::run(
            scene,
            &bind::Wanted { name: name.as_deref(), system: system.as_deref(), accept: *accept },
        ),
        Args::Validate { file } => validate(scene, file),
        Args::Examples { name } => examples::run(scene, name.as_deref()),
        Args::Graph { name, format: GraphFormat::Mermaid } => graph(scene, &named(scene, name)?),
        Args::Describe { name } => tell(scene, &named(scene, name)?),
    }
}

fn list(scene: &Scene<'_>) -> Result<Exit, Failure> {
    let shelf = Shelf::in_effect(&scene.config(Vec::new())?)?;
    if scene.screen.is_json() {
        let all: Vec<_> = shelf.processes.iter().map(as_json).collect();
        scene.screen.document(&all)?;
    } else {
        let mut table = Table::new(&["NAME", "OWNER", "RUNS", "FROM", "TITLE"]);
        for one in &shelf.processes {
            let complete = one.process.tasks().iter().all(|task| task.is_complete());
            let runs = if complete { "without a model" } else { "with a model" };
            let (name, owner) = (one.process.name().to_owned(), one.process.owner().to_string());
            table.row([name, owner, runs.to_owned(), one.whence(), one_line(one.process.title())]);
        }
        for line in table.lines(scene.screen.out) {
            scene.screen.line(&line)?;
        }
    }
    for (file, refused) in &shelf.refused {
        complain(scene, file, refused);
    }
    for (file, cause) in &shelf.unreadable {
        scene.screen.say(&format!("purple: `{}` cannot be read: {cause}", file.display()));
    }
    overlap::warn_all(scene, &shelf);
    scene.screen.next("purple process describe NAME");
    Ok(if shelf.refused.is_empty() && shelf.unreadable.is_empty() { Exit::Done } else { Exit::Warnings })
}

fn validate(scene: &Scene<'_>, files: &[PathBuf]) -> Result<Exit, Failure> {
    let mut refused = Vec::new();
    let mut reports = Vec::new();
    let mut accepted = Vec::new();
    for file in files {
        let bytes = std::fs::read(file).map_err(|cause| Failure::Read { file: file.clone(), cause })?;
        match load_bytes(&bytes) {
            Ok(process) => {
                let tests: usize = process.tasks().iter().map(|task| task.test_count()).sum();
                let (name, digest) = (process.name(), process.digest());
                let about = json!({"process": name, "tests": tests, "digest": digest});
                reports.push(json!({"file": file, "ok": true, "about": about, "problems": []}));
                if !scene.screen.is_json() {
                    let tick = scene.screen.out.text(Tone::Good, "✓");
                    scene.screen.line(&format!("{tick} {}: {name}, {tests} tests passed", file.display()))?;
                }
                accepted.push(process);
            }
            Err(problems) => {
                refused.push(file.clone());
                let all: Vec<_> = problems.problems().iter().map(problem_json).collect();
                reports.push(json!({"file": file, "ok": false, "problems": all}));
                if !scene.screen.is_json() {
                    complain(scene, file, &problems);
                }
            }
        }
    }
    overlap::warn_checked(scene, &accepted, &mut reports);
    if scene.screen.is_json() {
        scene.screen.document(&reports)?;
    }
    if refused.is_empty() {
        Ok(Exit::Done)
    } else {
        Err(Failure::RefusedFiles { files: refused, checked: files.len() })
    }
}

/// The file of a process as it counts, whoever wrote it.
fn show(scene: &Scene<'_>, name: &str) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let definitions = definitions(&config)?;
    let shelf = Shelf::fill(&config.settings).with(&definitions, &config);
    let known = shelf.named(name).filter(|one| !one.standing.is_defined());
    let Some(known) = known else {
        let own_name = shelf.named(name).map_or(name, |one| one.process.name());
        return made::show(scene, DefinitionKind::Process, own_name);
    };
    if scene.screen.is_json() {
        scene
            .screen
            .document(&json!({"name": known.process.name(), "file": known.file, "text": &*known.text}))?;
    } else {
        scene.screen.line(known.text.trim_end())?;
    }
    let is_its = |one: &&Defined| one.kind == DefinitionKind::Process && one.name == known.process.name();
    if let Some(other) = definitions.iter().find(is_its) {
        let name = known.process.name();
        let state = made::state(other);
        scene.screen.say(&format!("Another text of `{name}` is kept here ({state}) and does not count."));
        scene.screen.next(&format!("purple process show {name} --synthesized"));
    }
    Ok(Exit::Done)
}

fn as_json(one: &Shelved) -> serde_json::Value {
    let task_json = |task: &Task| {
        let states: Vec<_> = task.route().states().iter().map(|state| state.name()).collect();
        let inputs: Vec<_> = task.inputs().iter().map(|input| input.name()).collect();
        json!({
            "name": task.name(), "title": task.title(), "complete": task.is_complete(),
            "route": states, "inputs": inputs,
        })
    };
    let process = &one.process;
    let tasks: Vec<_> = process.tasks().iter().map(task_json).collect();
    json!({
        "name": process.name(), "title": process.title(), "owner": process.owner(),
        "file": one.file, "digest": process.digest(), "tasks": tasks, "from": one.whence(),
        "signed": one.signed, "instead_of": (one.standing == Standing::SignedInstead).then_some("shipped"),
    })
}

fn problem_json(problem: &Problem) -> serde_json::Value {
    let Problem { at, code, message, help } = problem;
    json!({"line": at.line, "column": at.column, "code": code.as_str(), "message": message, "help": help})
}

fn complain(scene: &Scene<'_>, file: &Path, refused: &Refused) {
    for problem in refused.problems() {
        scene.screen.say(&visible(&format!("{}:{problem}", file.display())));
    }
}

fn named(scene: &Scene<'_>, name: &str) -> Result<ProcessFile, Failure> {
    let shelf = Shelf::in_effect(&scene.config(Vec::new())?)?;
    let file = PathBuf::from(name);
    if !file.is_file() {
        return shelf.find(name);
    }
    let bytes = std::fs::read(&file).map_err(|cause| Failure::Read { file: file.clone(), cause })?;
    load_bytes(&bytes).map_err(|refused| {
        complain(scene, &file, &refused);
        Failure::RefusedFiles { files: vec![file], checked: 1 }
    })
}

fn graph(scene: &Scene<'_>, process: &ProcessFile) -> Result<Exit, Failure> {
    let drawn = |task: &Task| {
        if task.is_complete() { diagram(task) } else { route_diagram(task.route()) }
    };
    if scene.screen.is_json() {
        let all: Vec<_> =
            process.tasks().iter().map(|task| json!({"task": task.name(), "mermaid": drawn(task)})).collect();
        scene.screen.document(&all)?;
    } else {
        for task in process.tasks() {
            scene.screen.line(drawn(task).trim_end())?;
        }
    }
    Ok(Exit::Done)
}

fn tell(scene: &Scene<'_>, process: &ProcessFile) -> Result<Exit, Failure> {
    let text = describe(process);
    if scene.screen.is_json() {
        scene.screen.document(&json!({"process": process.name(), "text": text}))?;
    } else {
        scene.screen.line(text.trim_end())?;
        scene.screen.next(&format!("purple process graph {}", process.name()));
    }
    Ok(Exit::Done)
}
