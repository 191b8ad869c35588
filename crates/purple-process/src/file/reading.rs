//! What the words of a task say about one task of a file.

use std::collections::BTreeMap;
use std::ops::Range;

use purple_intent::{Asked, Cover, Reading, Span, cover, read};
use purple_policy::Value;

use super::input::{Input, Setting};
use super::model::Task;

impl Task {
    /// How the ids of its inputs begin, such as `INV`.
    pub fn prefixes(&self) -> impl Iterator<Item = String> {
        self.inputs.iter().filter_map(Input::prefix)
    }

    /// Whether the file itself uses a word, in lower case, for what the task is about.
    pub fn uses(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether a word, in lower case, leads to the value of a known input: `guarantees` of "CTR-4 guarantees 99.9 %".
    fn leads_to_value(&self, word: &str, found: &BTreeMap<String, Value>) -> bool {
        let known = self.inputs.iter().filter(|input| found.contains_key(&input.name));
        let mut phrases = known.filter_map(Input::near).flat_map(|(_, near)| near.split('|'));
        phrases.any(|phrase| phrase.split_whitespace().any(|one| one.to_lowercase() == word))
    }

    /// What people call an input: its label, or the name itself where the task has no such input.
    pub fn label_of(&self, input: &str) -> String {
        let found = self.inputs.iter().find(|one| one.name == input);
        found.map_or_else(|| input.replace('_', " "), |one| one.label())
    }

    /// Reads a text with the ids of this task.
    pub fn read(&self, text: &str, setting: &Setting) -> Reading {
        read(text, &setting.notation(self.prefixes().collect()))
    }

    /// Whether a text orders this task. `found` are its known inputs, `places` where they were taken from the text.
    pub fn cover(
        &self,
        text: &str,
        reading: &Reading,
        found: &BTreeMap<String, Value>,
        places: &[Range<usize>],
    ) -> Cover {
        let places = joined(places);
        let taken = |span: Span| {
            let next = places.partition_point(|place| place.end <= span.start);
            places.get(next).is_some_and(|place| place.overlaps(span))
        };
        let asked = Asked {
            forms: &self.say,
            known: &|input| found.contains_key(input),
            uses: &|word| self.uses(word) || self.leads_to_value(word, found),
            items: self.inputs.iter().any(|input| input.is_items() && found.contains_key(&input.name)),
            takes: &taken,
        };
        cover(text, reading, &asked)
    }
}

/// These places in the order of the text, those that overlap as one.
fn joined(places: &[Range<usize>]) -> Vec<Span> {
    let mut places: Vec<Span> = places.iter().map(|place| Span::new(place.start, place.end)).collect();
    places.sort();
    let mut joined: Vec<Span> = Vec::new();
    for place in places {
        match joined.last_mut().filter(|last| place.start < last.end) {
            Some(last) => last.end = last.end.max(place.end),
            None => joined.push(place),
        }
    }
    joined
}
