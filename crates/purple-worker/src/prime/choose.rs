//! Which process and which of its tasks a text leads to, by keywords and by the inputs that it holds.

use std::collections::BTreeMap;

use purple_policy::Value as Known;
use purple_process::file::{Extracted, NotFound, ProcessFile, Setting, Task, extract};
use purple_process::{Candidate, classify};

use crate::settings::Process;

/// What a text leads to.
#[derive(Clone, Debug)]
pub(crate) struct Fit<'p> {
    pub process: &'p Process,
    pub task: &'p Task,
    pub found: BTreeMap<String, Known>,
    pub missing: Vec<NotFound>,
    /// The keywords that pointed there; empty for the process that takes what no other takes.
    pub hits: Vec<String>,
}

/// The process with the most keywords in the text; `None` where none has any.
pub(crate) fn choose<'p>(
    text: &str,
    processes: &'p [Process],
    earlier: &BTreeMap<String, Known>,
    setting: &Setting,
) -> Option<Fit<'p>> {
    // What nobody signed takes only what nobody else does: its keywords keep no task from the rules of a signed file.
    let (signed, unsigned): (Vec<&'p Process>, Vec<&'p Process>) =
        processes.iter().partition(|one| one.standing.is_answered_for());
    let among = |some: Vec<&'p Process>| choose_among(text, &some, earlier, setting);
    among(signed).or_else(|| among(unsigned))
}

fn choose_among<'p>(
    text: &str,
    processes: &[&'p Process],
    earlier: &BTreeMap<String, Known>,
    setting: &Setting,
) -> Option<Fit<'p>> {
    let complete = |task: &Task| {
        let Extracted { missing, .. } = extract(text, task.inputs(), earlier, setting);
        !task.inputs().is_empty() && missing.is_empty()
    };
    let candidates: Vec<Candidate<'p>> = processes
        .iter()
        .map(|process| Candidate {
            name: process.file.name(),
            keywords: process.file.keywords(),
            inputs_found: process.file.tasks().iter().any(complete),
        })
        .collect();
    let classified = classify(text, &candidates)?;
    let process = processes.iter().copied().find(|process| process.file.name() == classified.name)?;
    let hits = classified.hits.iter().map(ToString::to_string).collect();
    let task = task_of(text, &process.file, earlier, setting)?;
    Some(fit(text, process, task, hits, earlier, setting))
}

/// The task of a process that was chosen before. The process itself is not chosen again; but words that neither hold
/// one of its keywords nor name one of its inputs are not for it, whatever is known from before.
pub(crate) fn choose_again<'p>(
    text: &str,
    process: &'p Process,
    earlier: &BTreeMap<String, Known>,
    setting: &Setting,
) -> Option<Fit<'p>> {
    let task = task_of(text, &process.file, earlier, setting)?;
    let words = |keywords| Candidate { name: process.file.name(), keywords, inputs_found: false };
    let candidates = [words(process.file.keywords()), words(task.keywords())];
    let hits: Vec<String> = candidates
        .iter()
        .filter_map(|candidate| classify(text, std::slice::from_ref(candidate)))
        .flat_map(|found| found.hits)
        .map(|hit| hit.to_string())
        .collect();
    let named = || !extract(text, task.inputs(), &BTreeMap::new(), setting).found.is_empty();
    if hits.is_empty() && !named() {
        return None;
    }
    Some(fit(text, process, task, hits, earlier, setting))
}

/// The task of a process that somebody else chose, whatever its words say.
pub(crate) fn fit_of<'p>(
    text: &str,
    process: &'p Process,
    earlier: &BTreeMap<String, Known>,
    setting: &Setting,
) -> Option<Fit<'p>> {
    let task = task_of(text, &process.file, earlier, setting)?;
    Some(fit(text, process, task, Vec::new(), earlier, setting))
}

fn fit<'p>(
    text: &str,
    process: &'p Process,
    task: &'p Task,
    hits: Vec<String>,
    earlier: &BTreeMap<String, Known>,
    setting: &Setting,
) -> Fit<'p> {
    let Extracted { found, missing } = extract(text, task.inputs(), earlier, setting);
    Fit { process, task, found, missing, hits }
}

/// The task whose keywords the text holds; a process with one task has no choice.
fn task_of<'p>(
    text: &str,
    file: &'p ProcessFile,
    earlier: &BTreeMap<String, Known>,
    setting: &Setting,
) -> Option<&'p Task> {
    if let [only] = file.tasks() {
        return Some(only);
    }
    let candidates: Vec<Candidate<'p>> = file
        .tasks()
        .iter()
        .map(|task| Candidate {
            name: task.name(),
            keywords: task.keywords(),
            inputs_found: extract(text, task.inputs(), earlier, setting).missing.is_empty(),
        })
        .collect();
    let chosen = classify(text, &candidates)
        .map(|chosen| chosen.name)
        .or(candidates.first().map(|first| first.name))?;
    file.task(chosen)
}
