//! What single words of a language are.

use std::collections::HashMap;

/// What a word can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    Function,
    Subject,
    Determiner,
    SecondPerson,
    PastAuxiliary,
    Contrast,
    Adverb,
    Abbreviation,
    Courtesy,
    Record,
    Compared,
    Until,
    People,
    Embedding,
    Deadline,
    Reason,
    Vocabulary,
    /// A word about the circumstances of an order.
    Context,
    /// A word about the circumstances that says that something happened.
    Event,
    Selecting,
    Preposition,
    Genitive,
    Label,
    Speaker,
    /// The subject of a negated report: `nobody`.
    Nobody,
    /// It begins what an order is for: `so`.
    Purpose,
    /// A word about the circumstances where it is part of a remark.
    Remark,
    /// With this word, a negation may concern an order: `must`, `yet`.
    Binding,
    /// A cue of one word.
    Cue,
    Verb,
    /// It asks for what a noun names: `please`.
    Asking,
    /// It says that what a noun names is asked for: `requested`.
    Requested,
    /// It lets something be done: `get`.
    Causative,
    /// A reason follows: `as`.
    Ground,
    /// Who does something follows: `by`.
    Agent,
}

impl WordKind {
    const fn bit(self) -> u64 {
        match self {
            Self::Function => 1,
            Self::Subject => 1 << 1,
            Self::Determiner => 1 << 2,
            Self::SecondPerson => 1 << 3,
            Self::Contrast => 1 << 4,
            Self::Adverb => 1 << 5,
            Self::Abbreviation => 1 << 6,
            Self::Courtesy => 1 << 7,
            Self::Record => 1 << 8,
            Self::Vocabulary => 1 << 9,
            Self::Cue => 1 << 10,
            Self::Verb => 1 << 11,
            Self::PastAuxiliary => 1 << 12,
            Self::Context => 1 << 13,
            Self::Selecting => 1 << 14,
            Self::Preposition => 1 << 15,
            Self::Genitive => 1 << 16,
            Self::Label => 1 << 17,
            Self::Speaker => 1 << 18,
            Self::Compared => 1 << 19,
            Self::Until => 1 << 20,
            Self::People => 1 << 21,
            Self::Deadline => 1 << 22,
            Self::Embedding => 1 << 25,
            Self::Reason => 1 << 23,
            Self::Event => 1 << 24,
            Self::Nobody => 1 << 26,
            Self::Binding => 1 << 27,
            Self::Purpose => 1 << 28,
            Self::Remark => 1 << 29,
            Self::Asking => 1 << 40,
            Self::Requested => 1 << 41,
            Self::Agent => 1 << 42,
            Self::Causative => 1 << 43,
            Self::Ground => 1 << 44,
        }
    }
}

/// The words of a language with everything that each can be, so that one lookup answers every question.
#[derive(Debug, Default)]
pub(super) struct Words {
    kinds: HashMap<String, u64>,
}

impl Words {
    pub(super) fn add(&mut self, word: String, kind: WordKind) {
        *self.kinds.entry(word).or_default() |= kind.bit();
    }

    /// Whether a word is one of these kinds.
    pub(super) fn is(&self, word: &str, kinds: &[WordKind]) -> bool {
        let own = self.kinds.get(word).copied().unwrap_or_default();
        kinds.iter().any(|kind| own & kind.bit() != 0)
    }
}
