//! What the words of a task say about one task of a file.

use std::collections::BTreeMap;
use std::ops::Range;

use purple_intent::{Asked, Cover, Reading, Span, cover, read};
use purple_policy::Value;

use super::input::{Setting, Shape};
use super::literal;
use super::model::Task;

impl Task {
    /// How the ids of its inputs begin, such as `INV`.
    pub fn prefixes(&self) -> impl Iterator<Item = String> {
        self.inputs.iter().filter_map(|input| match &input.shape {
            Shape::One { pattern: Some(pattern), .. } => literal::prefix(pattern),
            Shape::One { pattern: None, .. } | Shape::Each { .. } => None,
        })
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
        let taken = |span: Span| places.iter().any(|place| Span::new(place.start, place.end).overlaps(span));
        let asked = Asked {
            forms: &self.say,
            known: &|input| found.contains_key(input),
            uses: &|word| self.words.contains(word),
            takes: &taken,
        };
        cover(text, reading, &asked)
    }
}
