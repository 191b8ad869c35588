//! The learning curve: one stream of tasks, worked on with and without what was learned, by a model that knows only its
//! prompt and people who decide by the rules of the business.

mod item;
mod measure;
mod novice;
mod people;
mod plot;
mod poison;
mod prompt;
mod stream;

use std::collections::BTreeMap;
use std::path::Path;

use purple_process::SessionId;
use purple_worker::WorkerHandle;
use serde_json::{Value, json};

use super::company;
use crate::cli::Demo;
use crate::commands::{Scene, in_house};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::Table;
use crate::wire_up::Purpose;
use measure::{Cost, Standing};
pub(crate) use novice::models;
use stream::{Kind, Task};

/// So many runs of a kind must have been approved as they were before people sign a file for it.
const PROVEN_RUNS: u32 = 2;
/// How many tasks one row of the table sums up.
const BLOCK_TASKS: usize = 10;
/// After so many tasks the poisoned memory is poisoned again.
const POISON_EVERY: usize = 10;
/// The tools of a whole company stand in every prompt.
const LIMITS: &str = "[limits]\ntokens = 400000\n";

/// What differs between two passes over the same tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Series {
    /// Everything is learned, and people sign what has proved itself.
    On,
    /// Everything is learned, and nobody signs anything.
    Unsigned,
    /// Nothing is learned.
    Off,
    /// Somebody fills the memory with lies, and people sign what has proved itself.
    Poisoned,
}

impl Series {
    const ALL: [Self; 4] = [Self::On, Self::Unsigned, Self::Off, Self::Poisoned];

    const fn name(self) -> &'static str {
        match self {
            Self::On => "learning",
            Self::Unsigned => "unsigned",
            Self::Off => "off",
            Self::Poisoned => "poisoned",
        }
    }

    const fn about(self) -> &'static str {
        match self {
            Self::On => "learning on, proven files are signed",
            Self::Unsigned => "learning on, nothing is signed",
            Self::Off => "learning off",
            Self::Poisoned => "learning on, the memory is poisoned",
        }
    }

    const fn settings(self) -> &'static str {
        match self {
            Self::On | Self::Unsigned | Self::Poisoned => "",
            Self::Off => "[learn]\nenabled = false\n\n[synthesis]\nenabled = false\n",
        }
    }

    /// Whether people sign what has proved itself. Where nothing may be drafted there is nothing to sign.
    const fn signs(self) -> bool {
        match self {
            Self::On | Self::Poisoned => true,
            Self::Unsigned | Self::Off => false,
        }
    }
}

/// One pass over the tasks.
struct Pass {
    series: Series,
    costs: Vec<Cost>,
    signed: Vec<(usize, &'static str)>,
}

/// `purple demo --learning`
pub(crate) fn run(scene: &Scene<'_>, folder: &Path, args: &Demo) -> Result<Exit, Failure> {
    let tasks = stream::tasks(usize::from(args.tasks))?;
    scene.screen.say(&format!("the demo lives in {}", folder.display()));
    scene.screen.say("a model that knows only its prompt; no key, no account, no network");
    let mut passes = Vec::new();
    for series in Series::ALL {
        let place = folder.join(series.name());
        let settings = format!("{LIMITS}\n{}", series.settings());
        let config = company::found_for(scene, &place, stream::MORE, &settings)?;
        scene.screen.say(&format!("{} tasks, {}", tasks.len(), series.about()));
        passes.push(pass(scene, &config, &place, series, &tasks)?);
    }
    let file = args.svg.clone().unwrap_or_else(|| folder.join("learning.svg"));
    let drawn: Vec<plot::Line<'_>> =
        passes.iter().map(|pass| plot::Line { name: pass.series.about(), costs: &pass.costs }).collect();
    std::fs::write(&file, plot::svg(&drawn)).map_err(|cause| Failure::Write { file: file.clone(), cause })?;
    tell(scene, &passes, &file)?;
    Ok(Exit::Done)
}

/// One pass in a company of its own.
fn pass(
    scene: &Scene<'_>,
    config: &Config,
    folder: &Path,
    series: Series,
    tasks: &[Task],
) -> Result<Pass, Failure> {
    let mut done = Pass { series, costs: Vec::new(), signed: Vec::new() };
    let pass = &mut done;
    in_house(scene, config, Purpose::Novice, |worker| async move {
        *pass = work(&worker, folder, series, tasks).await?;
        Ok(Exit::Done)
    })?;
    Ok(done)
}

async fn work(worker: &WorkerHandle, folder: &Path, series: Series, tasks: &[Task]) -> Result<Pass, Failure> {
    let mut pass = Pass { series, costs: Vec::new(), signed: Vec::new() };
    let mut proven: BTreeMap<Kind, u32> = BTreeMap::new();
    let mut files: Vec<Kind> = Vec::new();
    let mut seen = 0;
    for (number, task) in tasks.iter().enumerate() {
        if series == Series::Poisoned && number % POISON_EVERY == 0 {
            poison::spread(folder, tasks, number)?;
        }
        let run = SessionId::parse(&format!("task-{:02}", number + 1))?;
        let played = people::play(worker, &run, task).await?;
        let effects = company::ledger(folder)?.effects;
        let new = effects.get(seen..).unwrap_or_default();
        seen = effects.len();
        let standing = if files.contains(&task.kind) { Standing::Signed } else { Standing::None };
        pass.costs.push(Cost::of(task, standing, &played, new));
        let times = proven.entry(task.kind).or_default();
        *times += u32::from(played.unchanged);
        let is_due = *times >= PROVEN_RUNS && played.unchanged && !files.contains(&task.kind);
        if series.signs() && is_due && people::sign(folder, &run, task)? {
            files.push(task.kind);
            pass.signed.push((number + 1, task.kind.file()));
        }
    }
    Ok(pass)
}

fn tell(scene: &Scene<'_>, passes: &[Pass], file: &Path) -> Result<(), Failure> {
    let screen = scene.screen;
    if screen.is_json() {
        let one = |pass: &Pass| {
            let signed: Vec<Value> =
                pass.signed.iter().map(|(after, file)| json!({"after": after, "file": file})).collect();
            let tasks: Vec<Value> = pass.costs.iter().map(|cost| cost.as_json()).collect();
            json!({"series": pass.series.name(), "about": pass.series.about(), "tasks": tasks, "signed": signed})
        };
        let series: Vec<Value> = passes.iter().map(one).collect();
        return screen.document(&json!({"series": series, "svg": file}));
    }
    let mut table = Table::new(&["SERIES", "TASKS", "STEPS", "QUESTIONS", "ERRORS", "UNPERMITTED"]);
    for pass in passes {
        for (place, block) in pass.costs.chunks(BLOCK_TASKS).enumerate() {
            let sum = |part: fn(&Cost) -> u32| block.iter().map(part).sum::<u32>().to_string();
            let first = place * BLOCK_TASKS + 1;
            table.row([
                pass.series.name().to_owned(),
                format!("{first} to {}", first + block.len() - 1),
                sum(|cost| cost.steps),
                sum(|cost| cost.questions),
                sum(|cost| cost.errors),
                sum(|cost| cost.unpermitted),
            ]);
        }
    }
    table.lines(screen.out).iter().try_for_each(|line| screen.line(line))?;
    for pass in passes.iter().filter(|pass| !pass.signed.is_empty()) {
        let signed: Vec<String> =
            pass.signed.iter().map(|(after, file)| format!("{file} after task {after}")).collect();
        screen.line(&format!("{}: signed {}", pass.series.name(), signed.join(", ")))?;
    }
    screen.line(&format!("drawn in {}", file.display()))
}
