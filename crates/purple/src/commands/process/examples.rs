//! What can be written: sentences that order each task, and calculations.

use purple_finance::catalogue;
use purple_process::file::{ProcessFile, Task};
use serde_json::{Value, json};

use super::named;
use crate::commands::Scene;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shelf::Shelf;
use crate::show::{Screen, Tone, one_line};

/// How many sentences of a task, and how many calculations, a short page shows.
const SHORT_SENTENCES: usize = 2;
const SHORT_CALCULATIONS: usize = 6;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Whole,
    Short,
}

/// `purple process examples [PROCESS]`
pub(super) fn run(scene: &Scene<'_>, name: Option<&str>) -> Result<Exit, Failure> {
    match name {
        Some(name) => {
            let process = named(scene, name)?;
            show(scene.screen, &[&process], false, Length::Whole)?;
        }
        None => all(scene, Length::Whole)?,
    }
    scene.screen.next("purple run \"TASK\"");
    Ok(Exit::Done)
}

/// `purple help tasks`: the same as a short page.
pub(crate) fn page(scene: &Scene<'_>) -> Result<Exit, Failure> {
    all(scene, Length::Short)?;
    scene.screen.next("purple process examples   (all of them, in every language)");
    Ok(Exit::Done)
}

fn all(scene: &Scene<'_>, length: Length) -> Result<(), Failure> {
    let shelf = Shelf::in_effect(&scene.config(Vec::new())?)?;
    let processes: Vec<&ProcessFile> = shelf.processes.iter().map(|one| &*one.process).collect();
    show(scene.screen, &processes, true, length)
}

fn show(
    screen: Screen,
    processes: &[&ProcessFile],
    calculations: bool,
    length: Length,
) -> Result<(), Failure> {
    if screen.is_json() {
        let mut document = json!({"processes": processes.iter().map(|one| as_json(one)).collect::<Value>()});
        if calculations {
            let one = |function: &&catalogue::Function| json!({"function": function.name, "summary": function.summary, "example": function.example});
            document["calculations"] = catalogue::functions().iter().map(one).collect();
        }
        return screen.document(&document);
    }
    let (by_rules, by_model): (Vec<&ProcessFile>, Vec<&ProcessFile>) =
        processes.iter().partition(|one| one.tasks().iter().any(|task| !task.examples().is_empty()));
    for process in &by_rules {
        process_lines(screen, process, length)?;
    }
    if calculations {
        calculation_lines(screen, length)?;
    }
    if !by_model.is_empty() {
        screen.line(&screen.out.text(Tone::Strong, "With a language model, in your own words"))?;
        for process in by_model {
            screen.line(&format!("  {} ({})", one_line(process.title()), process.name()))?;
        }
    }
    Ok(())
}

fn process_lines(screen: Screen, process: &ProcessFile, length: Length) -> Result<(), Failure> {
    for task in process.tasks() {
        let title = screen.out.text(Tone::Strong, &one_line(task.title()));
        let name = match task.name() == process.name() {
            true => process.name().to_owned(),
            false => format!("{}, {}", process.name(), task.name()),
        };
        screen.line(&format!("{title} ({name})"))?;
        let examples = task.examples();
        let shown = match length {
            Length::Whole => examples.len(),
            Length::Short => SHORT_SENTENCES,
        };
        for example in examples.iter().take(shown) {
            match length {
                Length::Whole => screen.line(&format!("  {}  {}", example.language.code(), example.text))?,
                Length::Short => screen.line(&format!("  {}", example.text))?,
            }
        }
        if examples.is_empty() {
            screen.line("  in your own words, with a language model")?;
        }
    }
    screen.line("")
}

fn calculation_lines(screen: Screen, length: Length) -> Result<(), Failure> {
    screen.line(&screen.out.text(Tone::Strong, "Calculations, without tools and without a model"))?;
    let mut examples: Vec<&str> =
        catalogue::functions().iter().filter_map(|function| function.example).collect();
    if length == Length::Short {
        examples.sort_by_key(|example| example.len());
        examples.truncate(SHORT_CALCULATIONS);
    }
    for example in examples {
        screen.line(&format!("  {example}"))?;
    }
    screen.line("")
}

fn as_json(process: &ProcessFile) -> Value {
    let task_json = |task: &Task| {
        let sentence = |one: purple_process::file::Example| json!({"language": one.language.code(), "sentence": one.text});
        let needed = task.inputs().iter().filter(|input| !input.is_optional());
        json!({
            "task": task.name(), "title": task.title(), "without_model": task.is_complete(),
            "needs": needed.map(|input| input.label()).collect::<Vec<_>>(),
            "examples": task.examples().into_iter().map(sentence).collect::<Value>(),
        })
    };
    let tasks: Vec<Value> = process.tasks().iter().map(task_json).collect();
    json!({"process": process.name(), "title": process.title(), "tasks": tasks})
}
