//! Which process and which of its tasks a text leads to, by keywords and by the inputs that it holds.

use std::collections::BTreeMap;
use std::ops::Range;

use purple_intent::{Cover, SayForm};
use purple_policy::Value as Known;
use purple_process::file::{Extracted, InputType, NotFound, ProcessFile, Setting, Task, extract};
use purple_process::{Candidate, classify};

use crate::settings::Process;

/// What a text leads to.
#[derive(Clone, Debug)]
pub(crate) struct Fit<'p> {
    pub process: &'p Process,
    pub task: &'p Task,
    pub found: BTreeMap<String, Known>,
    pub missing: Vec<NotFound>,
    /// The places of the text that the inputs were taken from.
    pub places: Vec<Range<usize>>,
    /// The keywords that pointed there; empty for the process that takes what no other takes.
    pub hits: Vec<String>,
}

impl Fit<'_> {
    /// What the words say about it: whether they order it.
    pub(crate) fn cover(&self, text: &str, setting: &Setting) -> Cover {
        let reading = self.task.read(text, setting);
        self.task.cover(text, &reading, &self.found, &self.places)
    }
}

impl Fit<'_> {
    /// Whether it has reads, and something that they can be made with.
    pub(crate) fn finds_something(&self) -> bool {
        self.task.reads().next().is_some() && !self.found.is_empty()
    }

    /// Whether a form of its task fits the words, whatever their mood.
    fn is_asked_for(&self, text: &str, setting: &Setting) -> bool {
        let known = |form: &SayForm| {
            form.slots().iter().all(|slot| !slot.required || self.found.contains_key(&slot.name))
        };
        if !self.task.say().iter().any(known) {
            return false;
        }
        let reading = self.task.read(text, setting);
        let words = || reading.acts.iter().flat_map(|act| &act.words);
        self.task.say().iter().any(|form| known(form) && form.fits(words()))
    }
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
    let among = |some: &[&'p Process]| choose_among(text, some, earlier, setting);
    let by_form = by_form(text, &signed, earlier, setting);
    by_form.or_else(|| among(&signed)).or_else(|| among(&unsigned))
}

/// The one complete task that is asked for in these words, with what its form needs. Of several, those whose inputs are
/// all there; of several of these, none: keywords decide.
fn by_form<'p>(
    text: &str,
    processes: &[&'p Process],
    earlier: &BTreeMap<String, Known>,
    setting: &Setting,
) -> Option<Fit<'p>> {
    let fits =
        complete(processes).map(|(process, task)| fit(text, process, task, Vec::new(), earlier, setting));
    let mut asked: Vec<Fit<'p>> = fits.filter(|fit| fit.is_asked_for(text, setting)).collect();
    if asked.iter().any(|fit| fit.missing.is_empty()) {
        asked.retain(|fit| fit.missing.is_empty());
    }
    only(asked)
}

/// The one complete task of a signed file that takes ids of the text; for words that nothing else explains.
pub(crate) fn by_ids<'p>(
    text: &str,
    processes: &'p [Process],
    earlier: &BTreeMap<String, Known>,
    setting: &Setting,
) -> Option<Fit<'p>> {
    let chosen = only(taking_ids(text, processes, setting))?;
    Some(fit(text, chosen.process, chosen.task, Vec::new(), earlier, setting))
}

/// The first task that takes ids of the text and reads what they name; for questions that no process explains.
pub(crate) fn to_look_up<'p>(text: &str, processes: &'p [Process], setting: &Setting) -> Option<Fit<'p>> {
    taking_ids(text, processes, setting).into_iter().find(Fit::finds_something)
}

/// The complete tasks of signed files that take the most ids of the text.
fn taking_ids<'p>(text: &str, processes: &'p [Process], setting: &Setting) -> Vec<Fit<'p>> {
    let processes: Vec<&Process> = processes.iter().filter(|one| one.standing.is_answered_for()).collect();
    let is_id = |fit: &Fit<'p>, name: &String| {
        fit.task.inputs().iter().any(|input| input.name() == name && input.kind() == Some(InputType::Id))
    };
    let takes = |fit: &Fit<'p>| fit.found.keys().filter(|name| is_id(fit, name)).count();
    let fits = complete(&processes)
        .map(|(process, task)| fit(text, process, task, Vec::new(), &BTreeMap::new(), setting));
    let fits: Vec<Fit<'p>> = fits.filter(|fit| takes(fit) > 0).collect();
    let most = fits.iter().map(takes).max();
    fits.into_iter().filter(|fit| Some(takes(fit)) == most).collect()
}

fn complete<'p>(processes: &[&'p Process]) -> impl Iterator<Item = (&'p Process, &'p Task)> {
    let tasks =
        processes.iter().flat_map(|process| process.file.tasks().iter().map(move |task| (*process, task)));
    tasks.filter(|(_, task)| task.is_complete() && !task.say().is_empty())
}

fn only<T>(mut all: Vec<T>) -> Option<T> {
    if all.len() == 1 { all.pop() } else { None }
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
    let Extracted { found, missing, places } = extract(text, task.inputs(), earlier, setting);
    Fit { process, task, found, missing, places, hits }
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
