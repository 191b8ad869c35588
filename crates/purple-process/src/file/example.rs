//! Sentences that order a task, for people who want to know what they can write.

use std::collections::BTreeMap;

use purple_intent::{Cover, Detected, Language, SayForm};
use purple_policy::Value;

use super::input::{Extracted, Setting, extract, written};
use super::model::Task;
use super::phrase;
use super::trial::{DEFAULT_TODAY, setting};

/// The longest value of a text that an example repeats, in characters.
const VALUE_CHARS_MAX: usize = 60;

/// A sentence that orders a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The language of the sentence.
    pub language: Language,
    /// The sentence.
    pub text: String,
}

impl Task {
    /// Sentences that order the task: those of its tests, and for every language without one a sentence that is built
    /// from its first form with the values of the tests.
    pub fn examples(&self) -> Vec<Example> {
        let tested =
            self.sentences.iter().filter(|sentence| sentence.orders).filter_map(|sentence| {
                match self.read(&sentence.text, &setting(sentence.today)).language {
                    Detected::One(language) => Some(Example { language, text: sentence.text.clone() }),
                    Detected::Mixed(_) | Detected::Unknown => None,
                }
            });
        let mut examples: Vec<Example> = tested.collect();
        for language in Language::ALL {
            if examples.iter().all(|one| one.language != language) {
                let forms = self.say.iter().filter(|form| form.language() == language);
                let mut built = forms.map(|form| self.built(form));
                examples.extend(built.find(|one| self.is_ordered_by(&one.text)));
            }
        }
        examples.sort_by_key(|one| one.language);
        examples
    }

    /// A sentence that orders the task with the values of another text. What the text lacks stands in angle brackets.
    pub fn example_for(&self, text: &str, language: Language, setting: &Setting) -> Option<String> {
        let of = |language| self.say.iter().find(move |form: &&SayForm| form.language() == language);
        let form = of(language).or_else(|| of(Language::English)).or_else(|| self.say.first())?;
        let value = |name: &str| {
            let input = self.inputs.iter().find(|input| input.name == name);
            let words = input.and_then(|input| written(text, input, setting));
            let words = words.filter(|words| words.chars().count() <= VALUE_CHARS_MAX);
            words.unwrap_or_else(|| placeholder(&input.map_or_else(|| name.to_owned(), |one| one.label())))
        };
        Some(phrase::sentence(form, self, &value))
    }

    /// How many sentences of its tests order it, and how many do not.
    pub fn sentence_counts(&self) -> (usize, usize) {
        let ordering = self.sentences.iter().filter(|one| one.orders).count();
        (ordering, self.sentences.len().saturating_sub(ordering))
    }

    /// A sentence from a form, with the values of the tests.
    fn built(&self, form: &SayForm) -> Example {
        let value = |name: &str| self.sample(name);
        Example { language: form.language(), text: phrase::sentence(form, self, &value) }
    }

    /// The words for an input in a test; its name in angle brackets where no test has any.
    fn sample(&self, name: &str) -> String {
        let Some(input) = self.inputs.iter().find(|input| input.name == name) else {
            return placeholder(name);
        };
        let sentences = self.sentences.iter().map(|one| (one.text.as_str(), one.today));
        let texts = self.trials.iter().filter_map(|one| Some((one.text.as_deref()?, DEFAULT_TODAY)));
        let mut words = sentences.chain(texts);
        let said = words.find_map(|(text, today)| written(text, input, &setting(today)));
        let fact = || match self.trials.iter().find_map(|trial| trial.facts.get(name).ok())? {
            Value::List(_) | Value::Record(_) | Value::Null => None,
            value => Some(value.to_string()),
        };
        said.or_else(fact).unwrap_or_else(|| placeholder(&input.label()))
    }

    fn is_ordered_by(&self, text: &str) -> bool {
        let setting = setting(DEFAULT_TODAY);
        let Extracted { found, places, .. } = extract(text, &self.inputs, &BTreeMap::new(), &setting);
        let reading = self.read(text, &setting);
        matches!(self.cover(text, &reading, &found, &places), Cover::Covered { .. })
    }
}

fn placeholder(label: &str) -> String {
    format!("<{label}>")
}
