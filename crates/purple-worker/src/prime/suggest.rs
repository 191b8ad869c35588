//! The tasks that somebody may have meant, with sentences from their own words.

use purple_intent::{Detected, Language, Reading, Role, Word, lexicon};
use purple_process::file::{InputType, NotFound, Setting, Task, Why, extract};

use crate::settings::Process;

/// How many tasks are suggested at most.
const SUGGESTIONS_MAX: usize = 3;
/// An id that a task takes says more than any number of words.
const ID_WEIGHT: usize = 100;

/// A task that may have been meant, and a sentence that orders it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Suggestion {
    pub(crate) title: String,
    pub(crate) sentence: String,
}

/// The complete tasks of signed files that are nearest to a text, the nearest first.
pub(crate) fn nearest(text: &str, processes: &[Process], setting: &Setting) -> Vec<Suggestion> {
    let signed = processes.iter().filter(|one| one.standing.is_answered_for());
    let tasks = signed.flat_map(|process| process.file.tasks());
    let complete = tasks.filter(|task| task.is_complete() && !task.say().is_empty());
    let mut rated: Vec<(usize, &Task)> = complete.map(|task| (nearness(text, task, setting), task)).collect();
    rated.retain(|(near, _)| *near > 0);
    rated.sort_by_key(|(near, _)| std::cmp::Reverse(*near));
    let suggestion = |(_, task): (usize, &Task)| {
        let sentence = sentence(text, task, setting)?;
        Some(Suggestion { title: task.title().to_owned(), sentence })
    };
    rated.into_iter().filter_map(suggestion).take(SUGGESTIONS_MAX).collect()
}

/// A sentence that orders a task, in the language of a text and with its values.
pub(crate) fn sentence(text: &str, task: &Task, setting: &Setting) -> Option<String> {
    let language = match task.read(text, setting).language {
        Detected::One(language) => language,
        Detected::Mixed(_) | Detected::Unknown => Language::English,
    };
    tested(text, task, language, setting).or_else(|| task.example_for(text, language, setting))
}

/// A sentence of the file's own tests in the language of a text, with the values of the text in place of its own. An id
/// or a date that the text lacks stands in angle brackets.
fn tested(text: &str, task: &Task, language: Language, setting: &Setting) -> Option<String> {
    let examples = task.examples();
    let of = |wanted: Language| examples.iter().find(|one| one.language == wanted);
    let example = of(language).or_else(|| of(Language::English)).or_else(|| examples.first())?;
    let none = std::collections::BTreeMap::new();
    let given = extract(text, task.inputs(), &none, setting);
    let own = extract(&example.text, task.inputs(), &none, setting).found;
    let first = |name: &str| {
        let missing = given.missing.iter().find(|one| one.name == name)?;
        if let Why::Ambiguous { values } = &missing.why { values.first().cloned() } else { None }
    };
    let mut sentence = example.text.clone();
    for input in task.inputs() {
        let name = input.name();
        let said = own.get(name).map(ToString::to_string).filter(|value| sentence.contains(value));
        let Some(said) = said else { continue };
        let wanted = match given.found.get(name).map(ToString::to_string).or_else(|| first(name)) {
            Some(given) => given,
            None if matches!(input.kind(), Some(InputType::Id | InputType::Date)) => {
                format!("<{}>", task.label_of(name))
            }
            None => continue,
        };
        sentence = sentence.replace(&said, &wanted);
    }
    Some(sentence.trim_end_matches(['.', '!']).to_owned())
}

/// What an input lacks, in words that people use.
pub(crate) fn lacking(task: &Task, missing: &NotFound) -> String {
    let label = task.label_of(&missing.name);
    // "the changes, such as add 2x Widget B": the example is no part of the name.
    let (name, example) = match label.split_once(", such as ") {
        Some((name, example)) => (name, format!(" (for example \"{example}\")")),
        None => (label.as_str(), String::new()),
    };
    let is = if is_plural(name) { "are" } else { "is" };
    match &missing.why {
        Why::Absent => format!("the {name} {is} not in the task{example}"),
        Why::Ambiguous { values } => format!("the {name} can be {}", values.join(" or ")),
        Why::Unclear { text, reason } => format!("the {name} {is} not clear: `{text}` {reason}"),
    }
}

/// Whether a label names several things: "changes", and not "status" or "address".
fn is_plural(label: &str) -> bool {
    label.ends_with('s') && !["ss", "us", "is"].iter().any(|end| label.ends_with(end))
}

/// How near a text is to a task: the ids that the task takes, then the words that its file or its forms use.
fn nearness(text: &str, task: &Task, setting: &Setting) -> usize {
    let found = extract(text, task.inputs(), &std::collections::BTreeMap::new(), setting).found;
    let is_id = |name: &String| {
        task.inputs().iter().any(|input| input.name() == name && input.kind() == Some(InputType::Id))
    };
    let ids = found.keys().filter(|name| is_id(name)).count();
    let reading = task.read(text, setting);
    ids.saturating_mul(ID_WEIGHT).saturating_add(shared_words(&reading, task))
}

fn shared_words(reading: &Reading, task: &Task) -> usize {
    let words = reading.acts.iter().flat_map(|act| &act.words);
    let is_content = |word: &&Word| {
        let common = |language| {
            let lexicon = lexicon(language);
            lexicon.is_function_word(&word.lower) || lexicon.is_courtesy(&word.lower)
        };
        !matches!(word.role, Role::Cue(_)) && !Language::ALL.into_iter().any(common)
    };
    let shares = |word: &&Word| task.uses(&word.lower) || task.say().iter().any(|form| form.explains(word));
    words.filter(is_content).filter(shares).count()
}

#[cfg(test)]
#[path = "suggest_tests.rs"]
mod tests;
