//! Tests of a task that are sentences: whether somebody who writes them orders the task.

use std::collections::BTreeMap;

use jiff::civil::Date;
use purple_intent::{Cover, Doubt, Mood};

use super::input::{Extracted, NotFound, extract};
use super::model::Task;
use super::problem::{Mark, ProblemCode, Problems};
use super::raw::RawTest;
use super::suggest;
use super::trial;
use super::yaml::{Node, Text, shown};

/// The keys of a test that is a sentence.
const KEYS: [&str; 3] = ["sentence", "orders", "today"];

/// A sentence, and whether it orders the task.
#[derive(Clone, Debug)]
pub(crate) struct Sentence {
    at: Mark,
    number: usize,
    pub(crate) text: String,
    pub(crate) orders: bool,
    pub(crate) today: Date,
}

/// Whether a test is a sentence.
pub(crate) fn is_one(node: &Node) -> bool {
    match node {
        Node::Map { entries, .. } => entries.iter().any(|(key, _)| key.as_str() == "sentence"),
        Node::Scalar(_) | Node::List { .. } => false,
    }
}

/// The tests of a task that are sentences.
pub(crate) fn read(tests: &[RawTest], problems: &mut Problems) -> Vec<Sentence> {
    let numbered = tests.iter().zip(1_usize..).filter(|(test, _)| is_one(&test.0));
    numbered.filter_map(|(test, number)| sentence(&test.0, number, problems)).collect()
}

fn sentence(node: &Node, number: usize, problems: &mut Problems) -> Option<Sentence> {
    let Node::Map { at, entries } = node else { return None };
    let mut words: BTreeMap<&str, &Text> = BTreeMap::new();
    for (key, value) in entries {
        match value {
            _ if !KEYS.contains(&key.as_str()) => {
                let message = format!("`{}` does not go with `sentence`", shown(key));
                problems.add(key.at, ProblemCode::BadTest, message, suggest::help(key.as_str(), &KEYS));
            }
            Node::Scalar(text) => {
                words.insert(key.as_str(), text);
            }
            Node::List { at, .. } | Node::Map { at, .. } => {
                let message = format!("`{}` is a single value", shown(key));
                problems.add(*at, ProblemCode::BadTest, message, "write it in one line, in quotes");
            }
        }
    }
    let orders = match words.get("orders").map(|orders| orders.as_str()) {
        Some("true") => true,
        Some("false") => false,
        Some(_) | None => {
            let place = words.get("orders").map_or(*at, |orders| orders.at);
            let message = "this test does not say whether the sentence orders the task";
            problems.add(place, ProblemCode::BadTest, message, "add `orders: true` or `orders: false`");
            return None;
        }
    };
    let today = trial::today(words.get("today").copied(), problems)?;
    Some(Sentence { at: *at, number, text: words.get("sentence")?.value.clone(), orders, today })
}

/// Reads every sentence as a run would, and reports those that are read otherwise than the file says.
pub(crate) fn run(task: &Task, problems: &mut Problems) {
    for sentence in &task.sentences {
        let setting = trial::setting(sentence.today);
        let Extracted { found, missing, places } =
            extract(&sentence.text, &task.inputs, &BTreeMap::new(), &setting);
        let reading = task.read(&sentence.text, &setting);
        let cover = task.cover(&sentence.text, &reading, &found, &places);
        if matches!(cover, Cover::Covered { .. }) != sentence.orders {
            let expected = if sentence.orders { "orders" } else { "does not order" };
            let message = format!(
                "test {} expects that the sentence {expected} `{}`, and it was read as {}",
                sentence.number,
                task.name,
                read_as(&cover, task, &missing),
            );
            let help = "change the forms under `say`, or the sentence";
            problems.add(sentence.at, ProblemCode::FailingTest, message, help);
        }
    }
}

/// What a sentence was read as.
fn read_as(cover: &Cover, task: &Task, missing: &[NotFound]) -> String {
    let lacking = |missing: &NotFound| {
        let input = task.inputs.iter().find(|input| input.name == missing.name)?;
        Some(format!("{} (`{}`)", input.label(), input.name))
    };
    match cover {
        Cover::Covered { .. } => "an order of this task".to_owned(),
        Cover::ReadOnly(mood) => mood_name(*mood).to_owned(),
        Cover::Doubtful(Doubt::Words(words)) => {
            format!("an order with words that nothing explains: {}", words.join(", "))
        }
        Cover::Doubtful(Doubt::NoForm) => {
            let lacking: Vec<String> = missing.iter().filter_map(lacking).collect();
            match lacking.is_empty() {
                true => "an order that no form fits".to_owned(),
                false => format!("an order that no form fits, without {}", lacking.join(", ")),
            }
        }
        Cover::Doubtful(Doubt::Mood(mood)) => format!("words that are also {}", mood_name(*mood)),
        Cover::Doubtful(Doubt::Statement) => mood_name(Mood::Statement).to_owned(),
        Cover::Doubtful(Doubt::Language) => "words of a language that is not known".to_owned(),
    }
}

const fn mood_name(mood: Mood) -> &'static str {
    match mood {
        Mood::Order => "an order",
        Mood::Question => "a question",
        Mood::Negated => "a negation",
        Mood::Conditional => "a condition",
        Mood::Reversal => "a reversal",
        Mood::Draft => "the order of a draft",
        Mood::Calculation => "a calculation",
        Mood::Reported => "the words of another person",
        Mood::OtherTime => "an order for another time",
        Mood::Statement => "a statement",
    }
}
