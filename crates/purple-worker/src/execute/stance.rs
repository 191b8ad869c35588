//! What the words of a task permit where a language model works on it. The grammar decides; a model's own reading is a
//! second opinion that can only restrict it.

use purple_intent::value::Notation;
use purple_intent::{Act, Language, Mood, Reading, Role, Word, is_foreign, lexicon, read};
use purple_journal::word::WordsPermit;
use purple_process::read_answer;
use serde::{Deserialize, Serialize};

/// What a text permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stance {
    /// Writes are possible.
    Writes(WriteBasis),
    /// Nothing is ordered: reads are made, and writes are not possible.
    ReadOnly,
    /// It is not certain that this is ordered. The requester is asked.
    Unclear(Uncertainty),
}

/// Why writes are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WriteBasis {
    /// The words order something.
    Ordered,
    /// A form of the process file declares that these words order it: "calculate the credit".
    Declared,
    /// The words only name something: a heading such as "Lockout E-2291".
    Named,
    /// The requester confirmed the task.
    Confirmed,
}

/// Why it is not certain that something is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Uncertainty {
    /// The words order it for another time, or only if something holds.
    Mood(Mood),
    /// Words are in a language whose cues are not known.
    Language,
    /// A model reads the words otherwise.
    Opinion(Mood),
}

impl Stance {
    /// As the journal records it.
    pub(crate) const fn noted(self) -> WordsPermit {
        match self {
            Self::Writes(WriteBasis::Ordered) => WordsPermit::Orders,
            Self::Writes(WriteBasis::Declared) => WordsPermit::Declared,
            Self::Writes(WriteBasis::Named) => WordsPermit::Named,
            Self::Writes(WriteBasis::Confirmed) => WordsPermit::Confirmed,
            Self::ReadOnly => WordsPermit::ReadOnly,
            Self::Unclear(_) => WordsPermit::Confirmation,
        }
    }
}

/// What a text permits by the grammar. `uses` says which words a process file explains.
pub(crate) fn stance(text: &str, uses: &dyn Fn(&str) -> bool) -> Stance {
    let reading = read(text, &Notation::default());
    match of_acts(&reading) {
        Stance::Writes(_) | Stance::Unclear(_) if is_foreign(text, &reading, uses) => {
            Stance::Unclear(Uncertainty::Language)
        }
        stance => stance,
    }
}

/// The same by the moods of the acts alone. Without any act, as in a mail that was only forwarded, nothing is ordered.
fn of_acts(reading: &Reading) -> Stance {
    let acts = &reading.acts;
    if acts.iter().any(Act::orders) {
        return Stance::Writes(WriteBasis::Ordered);
    }
    let in_doubt = acts.iter().find(|act| match act.mood {
        Mood::OtherTime => true,
        Mood::Conditional | Mood::Reported => act.imperative,
        Mood::Order
        | Mood::Question
        | Mood::Negated
        | Mood::Reversal
        | Mood::Draft
        | Mood::Calculation
        | Mood::Statement => false,
    });
    let orders_nothing = |mood: Mood| match mood {
        Mood::Question
        | Mood::Negated
        | Mood::Conditional
        | Mood::Draft
        | Mood::Calculation
        | Mood::Reported => true,
        Mood::Order | Mood::Reversal | Mood::OtherTime | Mood::Statement => false,
    };
    match in_doubt {
        Some(act) => Stance::Unclear(Uncertainty::Mood(act.mood)),
        None if acts.is_empty() || acts.iter().any(|act| orders_nothing(act.mood)) => Stance::ReadOnly,
        None => Stance::Writes(WriteBasis::Named),
    }
}

/// The stricter of the grammar's reading and a model's. What the requester confirmed, no opinion changes.
pub(crate) const fn stricter(grammar: Stance, opinion: Option<Mood>) -> Stance {
    let (basis, mood) = match (grammar, opinion) {
        (Stance::ReadOnly | Stance::Unclear(_), _) | (_, None) => return grammar,
        (Stance::Writes(basis), Some(mood)) => (basis, mood),
    };
    match (basis, mood) {
        (WriteBasis::Confirmed, _)
        | (WriteBasis::Ordered | WriteBasis::Declared | WriteBasis::Named, Mood::Order)
        // A form can declare that these are orders.
        | (WriteBasis::Declared, Mood::Calculation | Mood::Statement) => grammar,
        (WriteBasis::Ordered | WriteBasis::Declared, _) => Stance::Unclear(Uncertainty::Opinion(mood)),
        // Neither of the two readings is an order.
        (WriteBasis::Named, _) => Stance::ReadOnly,
    }
}

/// The mood of a text that wants no answer and no model: it forbids something, states something, or answers a question that
/// nobody asked.
pub(crate) fn orders_nothing(text: &str) -> Option<Mood> {
    let states = || (read_answer(text).is_some() || only_states(text)).then_some(Mood::Statement);
    unwanted(text).or_else(states)
}

/// The mood of a text that only says what is not to be done.
fn unwanted(text: &str) -> Option<Mood> {
    let reading = read(text, &Notation::default());
    let forbids = |act: &Act| act.mood == Mood::Negated && !act.own_verb;
    let (forbidden, others): (Vec<&Act>, Vec<&Act>) = reading.acts.iter().partition(|act| forbids(act));
    let states = others.iter().all(|act| act.mood == Mood::Statement);
    (states && !forbidden.is_empty()).then_some(Mood::Negated)
}

/// Whether a text states something, or is only polite, in words that are all known.
fn only_states(text: &str) -> bool {
    let reading = read(text, &Notation::default());
    let known = |word: &Word| match word.role {
        Role::Other => Language::ALL.iter().any(|language| lexicon(*language).explains(&word.lower)),
        Role::Verb(_) | Role::Cue(_) | Role::Name => true,
    };
    reading.acts.iter().all(|act| act.mood == Mood::Statement && act.words.iter().all(known))
}

#[cfg(test)]
#[path = "stance_tests.rs"]
mod tests;
