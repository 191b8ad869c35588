//! What the words of a remark beside an order say.

use std::collections::HashSet;

use super::Lexicon;

impl Lexicon {
    /// Whether this word, in lower case, makes no condition of a statement: `could`.
    pub(crate) fn is_modal(&self, word: &str) -> bool {
        self.modals.contains(word)
    }

    /// Whether this word, in lower case, begins what follows if something is not done: `otherwise`.
    pub(crate) fn is_consequence(&self, word: &str) -> bool {
        self.consequences.contains(word)
    }

    /// Whether this word, in lower case, is a finite verb that orders nothing: `wants`.
    pub(crate) fn is_finite(&self, word: &str) -> bool {
        self.finite.contains(word)
            || self.without_elision(word).is_some_and(|rest| self.finite.contains(rest))
    }

    /// Whether this word, in lower case, begins a reason only where a verb follows: `as`.
    pub(crate) fn needs_verb(&self, word: &str) -> bool {
        self.unsure_reasons.contains(word)
    }

    /// Whether this word, in lower case, begins an event by which something is to be done: `before`.
    pub(crate) fn begins_event(&self, word: &str) -> bool {
        self.events.contains(word)
    }

    /// Whether this word, in lower case, is a text that people send: `mail`.
    pub(crate) fn is_message(&self, word: &str) -> bool {
        self.has_in(&self.messages, word)
    }

    /// Whether this word, in lower case, says whose words something is: `wrote`.
    pub(crate) fn is_saying(&self, word: &str) -> bool {
        self.has_in(&self.saying, word)
    }

    /// Whether this word, in lower case, is a verb of wanting: `wants`.
    pub(crate) fn is_wanting(&self, word: &str) -> bool {
        self.has_in(&self.wanting, word)
    }

    /// Whether this word, in lower case, is a verb of receiving: `got`.
    pub(crate) fn is_receiving(&self, word: &str) -> bool {
        self.has_in(&self.receiving, word)
    }

    /// Whether this word, in lower case, points to what follows or came before: `this`.
    pub(crate) fn is_pointing(&self, word: &str) -> bool {
        self.has_in(&self.pointing, word)
    }

    /// Whether this word, in lower case, presents a text that follows: `below`.
    pub(crate) fn is_presenting(&self, word: &str) -> bool {
        self.has_in(&self.presenting, word)
    }

    /// Whether this word, in lower case, is an auxiliary of the passive voice: `were`.
    pub(crate) fn is_passive(&self, word: &str) -> bool {
        self.has_in(&self.passives, word)
    }

    /// Whether this word, in lower case, says when or how often something was said: `twice`.
    pub(crate) fn is_moment(&self, word: &str) -> bool {
        self.has_in(&self.moments, word)
    }

    /// Whether this word, in lower case, makes something the requester's or the reader's own: `my`, `your`.
    pub(crate) fn is_own(&self, word: &str) -> bool {
        self.has_in(&self.own, word)
    }

    /// Whether this word, in lower case, is an occasion by which something is done: `meeting`.
    pub(crate) fn is_occasion(&self, word: &str) -> bool {
        self.has_in(&self.occasions, word)
    }

    /// Whether this word, in lower case, can lead to an occasion: `before`.
    pub(crate) fn leads_to_occasion(&self, word: &str) -> bool {
        self.has_in(&self.occasion_leads, word)
    }

    /// Whether this word, in lower case, is a title before a name: `mrs`.
    pub fn is_title(&self, word: &str) -> bool {
        self.has_in(&self.titles, word)
    }

    /// Whether this word, in lower case, only announces a list: `things`.
    pub(crate) fn is_listing(&self, word: &str) -> bool {
        self.has_in(&self.listing, word)
    }

    pub(super) fn has_in(&self, words: &HashSet<String>, word: &str) -> bool {
        words.contains(word) || self.without_elision(word).is_some_and(|rest| words.contains(rest))
    }

    /// Whether this word, in lower case, is a person or a pronoun of people: `they`.
    pub(crate) fn is_anchor(&self, word: &str) -> bool {
        self.anchors.contains(word)
    }

    /// Whether this word, in lower case, leads to a reason with a colon: `reason: …`.
    pub(crate) fn is_heading(&self, word: &str) -> bool {
        self.headings.contains(word)
    }

    /// Whether this word, in lower case, begins a relative clause after a comma: `who`.
    pub(crate) fn is_relative(&self, word: &str) -> bool {
        self.relatives.contains(word)
    }
}
