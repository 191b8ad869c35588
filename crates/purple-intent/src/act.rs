//! Acts: what a text asks for, one by one.

use serde::{Deserialize, Serialize};

use crate::language::{Cue, Detected};
use crate::nominal::Nominal;
use crate::span::Span;
use crate::value::Value;

/// What a text asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The language of the requester's own words.
    pub language: Detected,
    /// The acts in the order of the text.
    pub acts: Vec<Act>,
    /// The values in the order of the text, those of quoted parts included.
    pub values: Vec<Value>,
    /// The requester's own words.
    pub own: Vec<Span>,
}

/// One act: a clause with its mood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// What the clause is.
    pub mood: Mood,
    /// Its words.
    pub span: Span,
    /// Its content words in order.
    pub words: Vec<Word>,
    /// Whether it is put as an order. What is asked for by an imperative, "Check the stock first", is a question too.
    pub imperative: bool,
    /// Whether the verb that negates or reverses is what is wanted itself, of a record: "cancel subscription SUB-12",
    /// "put invoice INV-7 on hold". A process or a tool may do exactly that.
    pub own_verb: bool,
    /// Whether the sentence limits it: `just`, `only`, `estimate`. No form makes an order of it.
    pub limited: bool,
    /// Whether it only reports what is not so, or was not: "nobody has complained", "the price isn't the agreed one".
    pub reports: bool,
    /// Whether it states a reason: "because her contract was not renewed".
    pub reason: bool,
    /// Whether it is a complete statement: somebody or something, and a finite verb. It asks for nothing and holds under
    /// no condition, so that its mood says nothing about other acts.
    pub states: bool,
    /// Whether a noun names what is to be done, without a verb that orders it.
    pub nominal: Option<Nominal>,
}

/// What a clause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mood {
    /// It asks for something to be done, now and without a condition.
    Order,
    /// It asks for an answer.
    Question,
    /// It asks that something is not done.
    Negated,
    /// It holds only if something else does, or never.
    Conditional,
    /// It asks that something done is undone.
    Reversal,
    /// It asks for a text.
    Draft,
    /// It asks for a figure.
    Calculation,
    /// It states what somebody else wants.
    Reported,
    /// It asks for something at another time.
    OtherTime,
    /// It states something.
    Statement,
}

/// A content word of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where it is.
    pub span: Span,
    /// The word in lower case.
    pub lower: String,
    /// What the general grammar makes of it.
    pub role: Role,
}

/// What the general grammar makes of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A verb: the English base forms that it can be.
    Verb(Vec<String>),
    /// A word that changes what a clause means.
    Cue(Cue),
    /// A name: of a person, a company or a thing.
    Name,
    /// A word that the general grammar does not explain.
    Other,
}

impl Act {
    /// Whether it orders something: by its mood, or by a verb such as `cancel` with a record as its object.
    pub fn orders(&self) -> bool {
        self.mood == Mood::Order || self.own_verb
    }

    /// The English base forms of its verbs, each once, in the order of the text.
    pub fn verbs(&self) -> Vec<&str> {
        let mut verbs: Vec<&str> = Vec::new();
        for word in &self.words {
            let Role::Verb(lemmas) = &word.role else { continue };
            for lemma in lemmas {
                if !verbs.contains(&lemma.as_str()) {
                    verbs.push(lemma);
                }
            }
        }
        verbs
    }
}
