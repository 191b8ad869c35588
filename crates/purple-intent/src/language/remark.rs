//! The form of a data file about remarks.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Danger;

/// A data file about remarks as written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RemarkFile {
    /// Auxiliaries that make no condition of a statement: `would`, `could`. Separated by spaces.
    pub(super) modal: String,
    /// Words that begin what follows if something is not done: `otherwise`. Separated by spaces.
    pub(super) consequence: String,
    /// Finite verbs that order nothing: `wants`, `rang`. Separated by spaces.
    pub(super) finite: String,
    /// Words before a colon and a reason: `reason`. Separated by spaces.
    pub(super) heading: String,
    /// People and their pronouns: what is said of them is about the business. Separated by spaces.
    pub(super) anchor: String,
    /// Words of a relative clause after a comma: `who`, `which`. Separated by spaces.
    pub(super) relative: String,
    /// Words that begin a reason besides those of the language itself: `as`. Separated by spaces.
    pub(super) reason: String,
    /// Words that begin an event by which something is to be done: `before`. Separated by spaces.
    pub(super) event: String,
    /// Texts that people send: `mail`, `letter`, `request`. Separated by spaces.
    pub(super) message: String,
    /// Verbs that say whose words something is: `wrote`, `sent`. Separated by spaces.
    pub(super) saying: String,
    /// Verbs of wanting: `wants`. Separated by spaces.
    pub(super) wanting: String,
    /// Verbs of receiving: `got`, `arrived`. Separated by spaces.
    pub(super) receiving: String,
    /// Words that point to what follows or came before: `this`, `here`. Separated by spaces.
    pub(super) pointing: String,
    /// Words that present a text which follows: `follows`, `below`. Separated by spaces.
    pub(super) presenting: String,
    /// Auxiliaries of the passive voice: `were` of "we were sent". Separated by spaces.
    pub(super) passive: String,
    /// Words for when and how often something was said: `morning`, `twice`. Separated by spaces.
    pub(super) moment: String,
    /// Possessives of the requester and of the reader: `my`, `your`. Separated by spaces.
    pub(super) own: String,
    /// Occasions by which something is done: `meeting`, `run`. Separated by spaces.
    pub(super) occasion: String,
    /// Prepositions before an occasion: `before`, `for`. Separated by spaces.
    pub(super) occasion_lead: String,
    /// Titles before a name: `mrs`. Separated by spaces.
    pub(super) title: String,
    /// Words of a heading that only announces a list: `two things`. Separated by spaces.
    pub(super) listing: String,
    /// Phrases that hold the word of a cue and mean nothing by themselves, in addition to those of the language.
    pub(super) neutral: Vec<String>,
    /// Phrases that hold words of a danger and are none.
    pub(super) safe: Vec<String>,
    /// Phrases of each danger.
    pub(super) danger: BTreeMap<Danger, Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::super::Language;
    use super::*;

    #[test]
    fn every_language_lists_phrases_of_every_danger() {
        for language in Language::ALL {
            let file: RemarkFile = toml::from_str(language.remarks()).unwrap();
            assert_eq!(file.danger.len(), 12, "{language:?}");
            assert!(file.danger.values().all(|phrases| !phrases.is_empty()), "{language:?}");
        }
    }
}
