//! A sentence, what it means, and what it permits.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Deserializer};

/// One line of a corpus. The fields are explained in `checks/corpus/README.md`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) acts: Vec<Act>,
    pub(crate) expect: Expect,
    pub(crate) process: Option<String>,
    /// The largest set of effects: a tool, an id, and arguments that matter (`last_day=2026-03-20`).
    pub(crate) writes: Vec<String>,
    pub(crate) figure: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Act {
    pub(crate) mood: Mood,
    /// Empty where nothing is asked for.
    #[serde(deserialize_with = "or_empty")]
    pub(crate) verb: String,
    pub(crate) targets: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mood {
    Order,
    Question,
    Negated,
    Conditional,
    Reversal,
    Draft,
    Calculation,
    Reported,
    OtherTime,
    None,
}

/// How the program is expected to handle a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Expect {
    Does,
    Advises,
    Calculates,
    Asks,
    Undoes,
    Lists,
    Chats,
}

impl Expect {
    pub(crate) const ALL: [Self; 7] =
        [Self::Does, Self::Advises, Self::Calculates, Self::Asks, Self::Undoes, Self::Lists, Self::Chats];
}

impl fmt::Display for Expect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Does => "does",
            Self::Advises => "advises",
            Self::Calculates => "calculates",
            Self::Asks => "asks",
            Self::Undoes => "undoes",
            Self::Lists => "lists",
            Self::Chats => "chats",
        })
    }
}

impl Row {
    /// Whether it is an order or a question that a complete process covers, or a calculation.
    pub(crate) fn is_covered(&self) -> bool {
        let asks = self.acts.iter().any(|act| act.mood == Mood::Question);
        match self.expect {
            Expect::Does => self.process.is_some(),
            Expect::Advises => self.process.is_some() && asks,
            Expect::Calculates => true,
            Expect::Asks | Expect::Undoes | Expect::Lists | Expect::Chats => false,
        }
    }

    pub(crate) fn orders(&self) -> impl Iterator<Item = &Act> {
        self.acts.iter().filter(|act| act.mood == Mood::Order)
    }
}

fn or_empty<'de, D: Deserializer<'de>>(verb: D) -> Result<String, D::Error> {
    Option::deserialize(verb).map(Option::unwrap_or_default)
}

/// Reads a corpus.
pub(crate) fn read(file: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
