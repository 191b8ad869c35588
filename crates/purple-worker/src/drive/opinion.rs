//! Asks a model how it reads the task. The stricter of its reading and the grammar's counts.

use purple_intent::Mood;
use purple_journal::Redacted;
use purple_journal::record::model;
use purple_journal::word::{Polarity, TaskAct};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::drive::outline::stands_in;
use crate::execute::stance::{Stance, WriteBasis, stricter};
use crate::run::{Phase, Run};

/// The most targets that are recorded.
const TARGETS_MAX: usize = 16;
/// What a model is offered as the act of a task. To undo something is read by the grammar, before a model is asked.
const ACTS: [&str; 8] =
    ["order", "question", "calculation", "draft", "conditional", "other_time", "reported", "statement"];

/// How a model reads a task, as far as it says so in known words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opinion {
    act: Option<Mood>,
    polarity: Option<Polarity>,
    targets: Vec<String>,
}

impl Opinion {
    /// The reading in an answer; `None` where the answer holds none.
    pub(crate) fn of(said: &Value, text: &str) -> Option<Self> {
        let word = |name: &str| said.get(name).filter(|word| word.is_string());
        let act = word("act").and_then(|word| Mood::deserialize(word).ok());
        let polarity = word("polarity").and_then(|word| Polarity::deserialize(word).ok());
        let listed = said.get("targets").and_then(Value::as_array).into_iter().flatten();
        let named = listed.filter_map(Value::as_str).map(str::trim).filter(|name| !name.is_empty());
        let targets = named.filter(|name| stands_in(text, name)).take(TARGETS_MAX).map(str::to_owned);
        let targets: Vec<String> = targets.collect();
        (act.is_some() || polarity.is_some()).then_some(Self { act, polarity, targets })
    }

    /// The act and its polarity together.
    pub(crate) fn mood(&self) -> Option<Mood> {
        match (self.act, self.polarity) {
            (None | Some(Mood::Order), Some(Polarity::DoNot)) => Some(Mood::Negated),
            (act, Some(Polarity::Do | Polarity::DoNot) | None) => act,
        }
    }
}

/// Adds the fields of a reading to the schema of an answer. None is required: what is missing restricts nothing.
pub(crate) fn with_reading(mut schema: Value) -> Value {
    if let Some(properties) = schema.pointer_mut("/properties") {
        properties["act"] = json!({"enum": ACTS});
        properties["polarity"] = json!({"enum": Polarity::ALL});
        properties["targets"] = json!({"type": "array", "items": {"type": "string"}});
    }
    schema
}

impl Run<'_> {
    /// Holds a model's reading against the grammar's, and records both.
    pub(crate) fn weigh(&self, basis: WriteBasis, opinion: &Opinion) -> Phase<Stance> {
        let grammar = Stance::Writes(basis);
        let counts = stricter(grammar, opinion.mood());
        self.scribe.note(model::TaskRead {
            act: opinion.act.map(noted),
            polarity: opinion.polarity,
            targets: Redacted::all(&opinion.targets),
            grammar: grammar.noted(),
            counts: counts.noted(),
        })?;
        Ok(counts)
    }
}

/// As the journal records it.
const fn noted(act: Mood) -> TaskAct {
    match act {
        Mood::Order => TaskAct::Order,
        Mood::Question => TaskAct::Question,
        Mood::Negated => TaskAct::Negated,
        Mood::Conditional => TaskAct::Conditional,
        Mood::Reversal => TaskAct::Reversal,
        Mood::Draft => TaskAct::Draft,
        Mood::Calculation => TaskAct::Calculation,
        Mood::Reported => TaskAct::Reported,
        Mood::OtherTime => TaskAct::OtherTime,
        Mood::Statement => TaskAct::Statement,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Approve INV-7 and tell rita@example.com.";

    fn opinion(said: Value) -> Option<Opinion> {
        Opinion::of(&said, TEXT)
    }

    #[test]
    fn an_answer_in_known_words_is_a_reading() {
        let read =
            opinion(json!({"act": "order", "polarity": "do", "targets": ["INV-7", "INV-77", ""]})).unwrap();
        assert_eq!((read.mood(), read.targets.as_slice()), (Some(Mood::Order), &["INV-7".to_owned()][..]));
        for (said, mood) in [
            (json!({"act": "order", "polarity": "do_not"}), Mood::Negated),
            (json!({"polarity": "do_not"}), Mood::Negated),
            (json!({"act": "question", "polarity": "do_not"}), Mood::Question),
            (json!({"act": "other_time"}), Mood::OtherTime),
        ] {
            assert_eq!(opinion(said).unwrap().mood(), Some(mood));
        }
    }

    #[test]
    fn an_answer_in_other_words_is_no_reading() {
        for said in [
            json!({}),
            json!({"act": "APPROVED"}),
            json!({"act": ["order"], "polarity": 1}),
            json!({"act": {"order": null}}),
            json!({"targets": ["INV-7"]}),
            json!("order"),
            json!(null),
        ] {
            assert_eq!(opinion(said.clone()), None, "{said}");
        }
    }

    #[test]
    fn every_act_that_is_offered_is_understood() {
        for act in ACTS {
            assert!(opinion(json!({"act": act})).unwrap().mood().is_some(), "{act}");
        }
    }
}
