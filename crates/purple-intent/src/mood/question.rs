//! What asks for an answer or a figure.

use std::ops::Range;

use super::order::{can_order, is_determiner};
use super::{NEAR, is_word, only_states};
use crate::clause::Sentence;
use crate::language::{Cue, FoundVerb, Lexicon, Phrase};

/// Whether the clause is a question by its mark or its words.
pub(super) fn asks(sentence: &Sentence, clause: &Range<usize>) -> bool {
    sentence.asks || sentence.has(Cue::Question, clause) || begins_with_question(sentence)
}

/// Whether a question word is among the first words: then the whole sentence asks. "Work out what they owe us, and book it"
/// asks for a figure only in its first clause.
fn begins_with_question(sentence: &Sentence) -> bool {
    const FIRST: usize = 4;
    let first = 0..FIRST.min(sentence.tokens.len());
    let Some(question) = sentence.first(Cue::Question, &first) else { return false };
    let computes = |verb: &FoundVerb| {
        can_order(verb) && verb.forms.iter().all(|form| form.lemma == "calculate") && !sentence.asks
    };
    !sentence.verbs_in(&(0..question)).iter().any(computes)
}

/// Whether a question word is before the wish: "Who can you ask to approve it?" asks, although it addresses the reader.
pub(super) fn asks_before_wish(sentence: &Sentence) -> bool {
    let first = |cue: Cue| {
        let phrases = sentence.phrases.iter().filter(move |phrase| phrase.cue == cue);
        let words = phrases.filter(|phrase| phrase.words.iter().any(|at| is_word(sentence, *at)));
        words.filter_map(|phrase| phrase.words.first().copied()).min()
    };
    first(Cue::Question).zip(first(Cue::Wish)).is_some_and(|(question, wish)| question < wish)
}

/// Whether every question word of a statement only begins a relative clause: "It is above what we ordered". A subject or
/// a finite verb is before it, and nothing else asks.
pub(super) fn is_relative(sentence: &Sentence, clause: &Range<usize>) -> bool {
    let begins = |phrase: &&Phrase| phrase.words.first().is_some_and(|first| clause.contains(first));
    let mut questions = sentence.phrases.iter().filter(|phrase| phrase.cue == Cue::Question).filter(begins);
    !sentence.asks
        && !begins_with_question(sentence)
        && questions.all(|phrase| match phrase.words.as_slice() {
            [word] => sentence.subject.any(clause.start..*word),
            [] | [_, _, ..] => false,
        })
}

/// Whether a clause only describes what was named before it: "Could you offboard E-7, who leaves us on Friday?"
pub(super) fn describes(sentence: &Sentence, clause: &Range<usize>) -> bool {
    let after_id = clause.start.checked_sub(2).is_some_and(|at| sentence.in_id.get(at) == Some(&true));
    let mut questions =
        clause.clone().flat_map(|at| sentence.phrases_of(at)).filter(|phrase| phrase.cue == Cue::Question);
    let is_end = |phrase: &Phrase| phrase.words.iter().all(|at| !is_word(sentence, *at));
    let states = || sentence.verbs_in(clause).iter().any(only_states) || sentence.subject.any(clause.clone());
    after_id
        && states()
        && questions.all(|phrase| is_end(phrase) || phrase.words.as_slice() == [clause.start])
}

/// Whether the clause asks for information: `tell me`, `show`, `explain`.
pub(super) fn informs(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    const TELLING: [&str; 12] = [
        "tell",
        "show",
        "list",
        "explain",
        "find",
        "look into",
        "check",
        "review",
        "verify",
        "summarise",
        "read",
        "report",
    ];
    // "Check it against the purchase order": a word that can be a verb is a noun after an article.
    let is_noun = |verb: &FoundVerb| {
        let first = verb.words.first().copied().unwrap_or_default();
        let before =
            (clause.start..first).rev().take(NEAR).find(|at| sentence.verbs_of(*at).next().is_none());
        before.is_some_and(|at| is_determiner(sentence, at, lexicons))
    };
    let mut verbs =
        sentence.verbs_in(clause).iter().filter(|verb| can_order(verb)).filter(|verb| !is_noun(verb));
    let first = verbs.next();
    let telling = |verb: &FoundVerb| verb.forms.iter().any(|form| TELLING.contains(&form.lemma.as_str()));
    first.is_some_and(telling) && verbs.next().is_none()
}

/// Whether the clause asks for a figure and for nothing else.
pub(super) fn wants_figure(sentence: &Sentence, clause: &Range<usize>) -> bool {
    sentence.has(Cue::Calculation, clause)
}
