//! What shipped functions computed, under the names that files declare.
//!
//! A model chooses what a function is given. So a computed value can make a rule decide that restricts, and never keep
//! one from being in doubt.

use purple_policy::{Kind, Value};

use super::Known;
use super::conform::conform;
use super::word::Words;
use crate::file::Field;
use crate::json::Json;

/// A value that a shipped function computed of figures that were read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ComputedFact {
    function: String,
    /// The words of the function and of the result.
    words: Words,
    value: Value,
}

impl Known {
    /// The same, with what these functions computed: each by its name, with its results by name.
    #[must_use]
    pub fn with_computed<'a>(mut self, results: impl IntoIterator<Item = (&'a str, &'a Json)>) -> Self {
        for (function, result) in results {
            let Json::Record(values) = result else { continue };
            for (name, value) in values {
                let words = Words::of(function).and(&Words::of(name));
                let value =
                    serde_json::from_str(&value.to_wire()).ok().and_then(|json| Value::from_json(&json).ok());
                let function = function.to_owned();
                self.computed.extend(value.map(|value| ComputedFact { function, words, value }));
            }
        }
        self
    }

    /// What was computed under the name of a declared field, and by which function. `None` where that is not certain.
    pub(crate) fn computed_as(&self, field: &Field) -> Option<(Value, &str)> {
        let (record, name) = (Words::of(field.record()), Words::of(field.name()));
        // One word such as `amount` says too little without its record.
        let says_it = |fact: &&ComputedFact| {
            name.within(&fact.words) && (name.count() > 1 || record.within(&fact.words))
        };
        let mut found: Option<(Value, &str)> = None;
        for fact in self.computed.iter().filter(says_it) {
            let value = conform(fact.value.clone(), field.kind(), &[]);
            if !matches!(field.kind(), Kind::Unknown) && value.kind() != field.kind() {
                continue;
            }
            match &found {
                Some((known, _)) if *known != value => return None,
                Some(_) => {}
                None => found = Some((value, &fact.function)),
            }
        }
        found
    }
}
