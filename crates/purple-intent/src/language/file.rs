//! The form of a data file.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{ChangeWord, Cue, Form};

/// A data file as written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LexiconFile {
    /// Other ways to write a letter, such as `ä` as `ae`. Each table is one way to write a whole word.
    #[serde(default)]
    pub(super) respell: Vec<BTreeMap<String, String>>,
    /// Cues whose words have one spelling only, because another one is a different word.
    #[serde(default)]
    pub(super) exact: Vec<Cue>,
    /// Beginnings of a word that are a word of their own: `l'`, `d'`.
    #[serde(default)]
    pub(super) elisions: Vec<String>,
    /// Pronouns that a hyphen joins to the end of a verb: `-lui`.
    #[serde(default)]
    pub(super) clitics: Vec<String>,
    /// Articles, prepositions, pronouns, auxiliaries and conjunctions, separated by spaces.
    pub(super) function: String,
    /// Subjects and finite auxiliaries: a verb after one of them is no imperative. Separated by spaces.
    pub(super) subject: String,
    /// Words after which a word is a noun and no imperative: articles and prepositions. Separated by spaces.
    pub(super) determiner: String,
    /// Words that address the reader: `you`, `könnten`. Separated by spaces.
    pub(super) second_person: String,
    /// Auxiliaries of the past, with and without a negation: `did`, `hasn't`. Separated by spaces.
    #[serde(default)]
    pub(super) past_auxiliary: String,
    /// Words that end the scope of what was before: `but`. Separated by spaces.
    pub(super) contrast: String,
    /// Adverbs that can stand before an imperative and carry nothing: `also`, `now`. Separated by spaces.
    pub(super) adverb: String,
    /// Abbreviations whose full stop ends no sentence, without it. Separated by spaces.
    pub(super) abbreviation: String,
    /// Kinds of records that can also be verbs: before an id they are nouns. Separated by spaces.
    pub(super) record: String,
    /// People that may be the subject of a verb. Separated by spaces.
    pub(super) people: String,
    /// Conditions that are only prepositions before a date or a percentage: `until`. Separated by spaces.
    pub(super) until: String,
    /// Words that begin a reason: `because`. Separated by spaces.
    pub(super) reason: String,
    /// Words that begin what an order is for: `so` of "approve it so they stop calling". Separated by spaces.
    #[serde(default)]
    pub(super) purpose: String,
    /// Words that begin what somebody thinks or says: `that` of "they think that". Separated by spaces.
    pub(super) embedding: String,
    /// Words before a day by which something has to be done: `by` of "by Friday". Separated by spaces.
    pub(super) deadline: String,
    /// Words after a percentage that only compare: `too` of "seven percent too much". Separated by spaces.
    pub(super) compared: String,
    /// Polite words, separated by spaces.
    pub(super) courtesy: String,
    /// Common words that show the language and nothing else, separated by spaces.
    pub(super) vocabulary: String,
    /// Words that choose a part of something or something else: `half`, `another`. Separated by spaces.
    pub(super) selecting: String,
    /// Urgent words after which an order can follow: `urgent: …`. Separated by spaces.
    pub(super) label: String,
    /// Words for letting something be done: `get` of "get it approved". Separated by spaces.
    #[serde(default)]
    pub(super) causative: String,
    /// Prepositions that lead to a reason: `as` of "reject it as a duplicate". Separated by spaces.
    pub(super) ground: String,
    /// Words that ask for what a noun names: `please`. Separated by spaces.
    pub(super) asking: String,
    /// Words after a noun that ask for what it names: `requested`. Separated by spaces.
    pub(super) requested: String,
    /// Words before those who do something: `by`. Separated by spaces.
    pub(super) agent: String,
    /// The person who speaks, as an object: `me`. Separated by spaces.
    pub(super) speaker: String,
    /// Words that are the subject of a negated report: `nobody`. Separated by spaces.
    pub(super) nobody: String,
    /// Words with which a negation may concern an order: obligations, wishes, first persons, `yet`. Separated by spaces.
    pub(super) binding: String,
    /// Prepositions, separated by spaces.
    pub(super) preposition: String,
    /// Articles of the genitive, separated by spaces: `der Lieferant der Rechnung`.
    #[serde(default)]
    pub(super) genitive: String,
    /// Phrases of somebody who is not sure.
    #[serde(default)]
    pub(super) hedge: Vec<String>,
    /// Phrases that contain the word of a cue and are none.
    pub(super) neutral: Vec<String>,
    /// Phrases of each cue.
    pub(super) cues: BTreeMap<Cue, Vec<String>>,
    /// Forms by lemma. Words of a form are separated by commas.
    pub(super) verbs: BTreeMap<String, VerbForms>,
    /// Words for changes of items.
    pub(super) changes: BTreeMap<ChangeWord, String>,
}

/// The forms of one verb.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct VerbForms {
    /// Imperative and infinitive.
    base: String,
    imperative: String,
    infinitive: String,
    third: String,
    past: String,
    participle: String,
    gerund: String,
    noun: String,
}

impl VerbForms {
    /// Each phrase with its form.
    pub(super) fn phrases(&self) -> impl Iterator<Item = (&str, Form)> {
        let lists = [
            (&self.base, Form::Imperative),
            (&self.base, Form::Infinitive),
            (&self.imperative, Form::Imperative),
            (&self.infinitive, Form::Infinitive),
            (&self.third, Form::ThirdPerson),
            (&self.past, Form::Past),
            (&self.participle, Form::Participle),
            (&self.gerund, Form::Gerund),
            (&self.noun, Form::Noun),
        ];
        lists.into_iter().flat_map(|(list, form)| {
            list.split(',')
                .map(str::trim)
                .filter(|phrase| !phrase.is_empty())
                .map(move |phrase| (phrase, form))
        })
    }
}

impl LexiconFile {
    /// All spellings of a word.
    pub(super) fn spellings(&self, word: &str) -> Vec<String> {
        let mut all = vec![word.to_owned()];
        for way in &self.respell {
            let other = way.iter().fold(word.to_owned(), |word, (from, to)| word.replace(from.as_str(), to));
            if !all.contains(&other) {
                all.push(other);
            }
        }
        all
    }
}
