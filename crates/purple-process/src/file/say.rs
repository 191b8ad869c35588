//! How a process is asked for.

use std::collections::BTreeSet;

use purple_intent::{Language, SayForm};

use super::model::Task;
use super::problem::{Mark, ProblemCode, Problems};
use super::shape::{Entries, OneOrMany};
use super::yaml::{Text, shown};

/// The forms of a task, of every language.
pub(crate) fn check(raw: &Entries<OneOrMany<Text>>, problems: &mut Problems) -> Vec<SayForm> {
    let mut forms = Vec::new();
    for (code, texts) in &raw.0 {
        let Some(language) = Language::from_code(code.as_str()) else {
            let message = format!("`{}` is not a supported language", shown(code));
            problems.add(code.at, ProblemCode::BadForm, message, "use en, de, fr or es");
            continue;
        };
        for text in &texts.0 {
            match SayForm::parse(language, text.as_str()) {
                Ok(form) => forms.push(form),
                Err(bad) => {
                    problems.add(text.at, ProblemCode::BadForm, bad.to_string(), "write it as people say it")
                }
            }
        }
    }
    forms
}

/// Refuses a complete task that nobody can ask for.
pub(crate) fn refuse_missing(tasks: &[Task], at: Mark, problems: &mut Problems) {
    for task in tasks.iter().filter(|task| task.is_complete() && task.say().is_empty()) {
        let message = format!("`{}` does not say how it is asked for", task.name());
        problems.add(
            at,
            ProblemCode::BadForm,
            message,
            "add `say:` with a form such as `approve invoice {invoice_id}`",
        );
    }
}

/// Refuses slots that are not inputs of the task.
pub(crate) fn refuse_unknown_slots(task: &Task, at: Mark, problems: &mut Problems) {
    for (form, slot) in task.say().iter().flat_map(|form| form.slots().iter().map(move |slot| (form, slot))) {
        if !task.inputs().iter().any(|input| input.name() == slot.name) {
            let message = format!("`{{{}}}` in `{}` is not an input of the task", slot.name, form.text());
            problems.add(at, ProblemCode::BadForm, message, "name an input, or leave the slot out");
        }
    }
}

/// The words that a task uses for what it is about, in lower case.
pub(crate) fn words<'t>(texts: impl Iterator<Item = &'t str>) -> BTreeSet<String> {
    let split =
        |text: &'t str| text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    texts.flat_map(split).map(str::to_lowercase).collect()
}
