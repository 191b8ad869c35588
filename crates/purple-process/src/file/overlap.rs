//! Forms of different files that the same words satisfy.

use purple_intent::{Language, SayForm, lexicon};

use super::input::{Input, InputType, Shape};
use super::model::{ProcessFile, Task};

/// How a task is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The process.
    pub process: String,
    /// The task.
    pub task: String,
    /// The form under `say`.
    pub form: String,
}

/// Two forms of different files: words that satisfy the first one can satisfy the second one as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The form whose words satisfy both.
    pub first: Asked,
    /// The other form.
    pub second: Asked,
}

/// Every pair of forms of different files of which the words of one can satisfy the other, each pair once.
pub fn overlaps(files: &[&ProcessFile]) -> Vec<Overlap> {
    let all: Vec<Form<'_>> = files.iter().flat_map(|file| forms(file)).collect();
    let mut found = Vec::new();
    for (at, one) in all.iter().enumerate() {
        let others = all.iter().skip(at + 1).filter(|other| other.file.name() != one.file.name());
        for other in others {
            if one.satisfies(other) {
                found.push(Overlap { first: one.asked(), second: other.asked() });
            } else if other.satisfies(one) {
                found.push(Overlap { first: other.asked(), second: one.asked() });
            }
        }
    }
    found
}

fn forms(file: &ProcessFile) -> impl Iterator<Item = Form<'_>> {
    let complete = file.tasks().iter().filter(|task| task.is_complete());
    complete.flat_map(move |task| task.say().iter().map(move |form| Form { file, task, form }))
}

struct Form<'f> {
    file: &'f ProcessFile,
    task: &'f Task,
    form: &'f SayForm,
}

impl<'f> Form<'f> {
    fn asked(&self) -> Asked {
        Asked {
            process: self.file.name().to_owned(),
            task: self.task.name().to_owned(),
            form: self.form.text().to_owned(),
        }
    }

    /// Whether the required words and slots of this form can be all that another form requires.
    fn satisfies(&self, other: &Form<'_>) -> bool {
        let language = self.form.language();
        let words = |group: &Vec<String>| {
            let own = self.form.required().iter().flatten();
            own.into_iter().any(|word| group.iter().any(|one| is_same(language, word, one)))
        };
        let slots = |input: &Input| self.required_inputs().any(|own| can_hold_same(own, input));
        language == other.form.language()
            && other.form.required().iter().all(words)
            && other.required_inputs().all(slots)
    }

    /// The inputs in the slots outside of brackets.
    fn required_inputs(&self) -> impl Iterator<Item = &'f Input> {
        let slots = self.form.slots().iter().filter(|slot| slot.required);
        slots.filter_map(|slot| self.task.inputs().iter().find(|input| input.name() == slot.name))
    }
}

/// Whether two words are the same verb, or the same word.
fn is_same(language: Language, one: &str, other: &str) -> bool {
    let lexicon = lexicon(language);
    let lemmas = |word| lexicon.verb(word).iter().map(|form| form.lemma.clone()).collect::<Vec<_>>();
    one == other || lemmas(one).iter().any(|lemma| lemmas(other).contains(lemma))
}

/// Whether the same words of a text can fill both inputs.
fn can_hold_same(one: &Input, other: &Input) -> bool {
    match (&one.shape, &other.shape) {
        (
            Shape::One { kind: own @ (InputType::Text | InputType::Id), pattern: Some(pattern), .. },
            Shape::One { kind, pattern: Some(other), .. },
        ) => own == kind && pattern.as_str() == other.as_str(),
        (Shape::One { kind: own, .. }, Shape::One { kind, .. }) => own == kind,
        (Shape::Each { pattern, .. }, Shape::Each { pattern: other, .. }) => {
            pattern.as_str() == other.as_str()
        }
        (Shape::ItemChanges, Shape::ItemChanges) => true,
        (Shape::One { .. }, Shape::Each { .. } | Shape::ItemChanges)
        | (Shape::Each { .. }, Shape::One { .. } | Shape::ItemChanges)
        | (Shape::ItemChanges, Shape::One { .. } | Shape::Each { .. }) => false,
    }
}
