//! Whether an order is about the record of the process, or about something that belongs to it.

use std::collections::HashSet;

use super::Covering;
use super::explain::{is_all, supports as is_supporting};
use crate::act::{Act, Role, Word};
use crate::language::{Form, Language, Lexicon, lexicon};
use crate::say::SayForm;
use crate::span::{Span, inside};
use crate::token::tokens;

/// Verbs for doing what their object names.
const GENERIC: [&str; 4] = ["process", "handle", "settle", "take care of"];

impl Covering<'_> {
    /// Where words are what the order is about, and the record belongs to them: "Approve the vendor of invoice 7". In
    /// an order without a record every common noun is another object: "Start the loan of a laptop".
    pub(super) fn other_objects(&self, act: &Act) -> HashSet<usize> {
        let record = self.record(act);
        let ordering =
            self.ordering_verbs(act).find(|word| self.forms.iter().any(|form| form.requires(word)));
        let verb = ordering.or_else(|| act.words.iter().find(|word| matches!(word.role, Role::Verb(_))));
        // The word before, and whether it is the verb or a preposition leads to it: "per policy with order 9" is not
        // about the policy.
        let mut before: Option<(&Word, bool)> = None;
        let mut others = HashSet::new();
        for (at, word) in act.words.iter().enumerate() {
            let next = act.words.get(at + 1).map(|next| next.span.start);
            let is_other = match record {
                Some(record) => self.owns_record(record, (before, word, next), act.span.start),
                None => {
                    let before = before.map(|(before, _)| before);
                    let main =
                        before.is_some_and(|before| self.forms.iter().any(|form| form.requires(before)));
                    // "Reject the policy, approve invoice 7": what the process does is done to its record only.
                    word.role == Role::Other
                        && (main || !self.belongs(word))
                        && self.begins_object(before, word)
                }
            };
            let is_act = || verb.is_some_and(|verb| self.is_other_act(verb, word));
            // "Take care of the offboarding of 7": the verb itself is no object.
            let supports = verb == Some(word) && is_supporting(word);
            // "Revoke the revocation of the access" takes it back.
            let is_nested = ordering.is_some_and(|verb| self.is_same_act(verb, word));
            if is_nested || is_other && !supports && (self.can_be_object(word) || is_act()) {
                others.insert(word.span.start);
            }
            let begins = before.map_or(act.span.start, |(other, _)| other.span.end);
            let led_to = self.says(begins, word.span.start, Lexicon::is_preposition);
            before = Some((word, led_to || verb == Some(word)));
        }
        others
    }

    /// Whether a word follows a verb, with or without an article: "start the loan". "In the system" does not.
    fn begins_object(&self, before: Option<&Word>, word: &Word) -> bool {
        let Some(before) = before.filter(|before| matches!(before.role, Role::Verb(_))) else { return false };
        let gap = Span::new(before.span.end, word.span.start).of(self.text);
        // "Approve it, it is urgent".
        !gap.contains([',', ':', '(', '–', '—'])
            && !self.lexicons.iter().any(|lexicon| lexicon.is_adverb(&word.lower))
            && !self.says(before.span.end, word.span.start, Lexicon::is_preposition)
    }

    /// Whether a preposition leads from a word to the record. `next` is where the next word begins.
    fn owns_record(
        &self,
        record: usize,
        (before, word, next): (Option<(&Word, bool)>, &Word, Option<usize>),
        begin: usize,
    ) -> bool {
        if word.span.end > record {
            return false;
        }
        let begins = before.map_or(begin, |(other, _)| other.span.end);
        let gap = Span::new(begins, word.span.start).of(self.text);
        // "El crédito SLA de": in Romance languages what directly follows the object belongs to it.
        let romance = self.languages().any(|one| matches!(one, Language::French | Language::Spanish));
        if romance
            && before.is_some_and(|(other, _)| self.is_object(other))
            && gap.trim().is_empty()
            && self.belongs(word)
        {
            return false;
        }
        // "For the boss of the warehouse": a noun after a preposition is about the circumstances.
        let is_adjunct = self.says(begins, word.span.start, Lexicon::is_preposition)
            && !before.is_some_and(|(other, led_to)| self.is_object(other) && !led_to);
        let next = next.map_or(record, |next| next.min(record));
        // "The goods have arrived, please approve invoice 7".
        let ends = Span::new(word.span.end, next.max(word.span.end)).of(self.text).contains([',', ';', ':']);
        !ends && self.says(word.span.end, next, Lexicon::links_nouns) && !is_adjunct
    }

    /// Whether a noun names another act than the verb where a form wants one of the two: "Approve the decision about 7".
    fn is_other_act(&self, verb: &Word, word: &Word) -> bool {
        let spoken = |form: &&&SayForm| self.languages().any(|language| language == form.language());
        let mut fitting = self.fitting.iter().filter(spoken).peekable();
        // "Process the approval of 7" is about the approval.
        let generic = matches!(&verb.role, Role::Verb(lemmas) if lemmas.iter().any(|one| GENERIC.contains(&one.as_str())));
        verb.role != word.role
            && !generic
            && fitting.peek().is_some()
            && fitting.all(|form| form.are_alternatives(verb, word))
    }

    /// Whether a noun names the act of the verb itself: "reject the rejection".
    fn is_same_act(&self, verb: &Word, word: &Word) -> bool {
        /// The longest words between a verb and its object, in bytes.
        const NEAR: usize = 60;
        const JOINING: [&str; 6] = ["and", "und", "et", "y", "e", "&"];
        let forms = || self.languages().flat_map(|language| lexicon(language).verb(&word.lower));
        let is_noun = forms().next().is_some() && forms().all(|form| form.form == Form::Noun)
            || (verb.span.end..verb.span.end + NEAR).contains(&word.span.start)
                && self.says(verb.span.end, word.span.start, Lexicon::is_determiner)
                && forms().any(|form| form.form == Form::Noun || form.form == Form::Imperative);
        let (from, to) = (verb.span.end.min(word.span.end), verb.span.start.max(word.span.start));
        let joined = || {
            let between = tokens(Span::new(from, to.max(from)).of(self.text));
            between.iter().any(|token| JOINING.contains(&token.lower.as_str()))
        };
        verb.span != word.span
            && to.saturating_sub(from) <= NEAR
            && !joined()
            && is_noun
            && match (&verb.role, &word.role) {
                // "Run the credit process": what is done is only named by the verb.
                (Role::Verb(one), Role::Verb(other)) => {
                    let generic = |lemma: &&String| GENERIC.contains(&lemma.as_str());
                    one.iter().filter(|lemma| !generic(lemma)).any(|lemma| other.contains(lemma))
                }
                _ => false,
            }
    }

    fn can_be_object(&self, word: &Word) -> bool {
        matches!(word.role, Role::Other | Role::Verb(_))
            && !is_all(word)
            && !(self.asked.takes)(word.span)
            && !self.is_object(word)
    }

    fn is_object(&self, word: &Word) -> bool {
        self.forms.iter().any(|form| form.is_object(word))
    }

    /// Where an act names its record: by a noun that must occur, or by a value that an input takes.
    fn record(&self, act: &Act) -> Option<usize> {
        let is_noun = |word: &&Word| {
            !matches!(word.role, Role::Cue(_) | Role::Verb(_))
                && self.forms.iter().any(|form| form.requires(word))
        };
        let nouns = act.words.iter().filter(is_noun).map(|word| word.span.start);
        let values = inside(&self.reading.values, act.span, |value| value.span).iter();
        let values = values.filter(|value| (self.asked.takes)(value.span)).map(|value| value.span.start);
        nouns.chain(values).min()
    }

    /// Whether there is such a word between two places.
    fn says(&self, from: usize, to: usize, is: fn(&Lexicon, &str) -> bool) -> bool {
        let gap = tokens(Span::new(from, to.max(from)).of(self.text));
        gap.iter().any(|token| self.lexicons.iter().any(|lexicon| is(lexicon, &token.lower)))
    }
}
