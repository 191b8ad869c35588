//! What a clause is: an order, a question, a negation.

use std::ops::Range;

use crate::act::Mood;
use crate::clause::Sentence;
use crate::language::{Cue, Form, FoundVerb, Lexicon};
use crate::token::TokenKind;

/// What the words of earlier clauses of the sentence say about a later one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scope {
    /// A negation whose scope reaches on.
    negated: bool,
}

/// The mood of a clause. The stricter of two readings counts.
pub(crate) fn mood(
    sentence: &Sentence,
    clause: &Range<usize>,
    scope: &mut Scope,
    lexicons: &[&Lexicon],
) -> Mood {
    let here = |cue| sentence.has(cue, clause);
    let anywhere = |cue| sentence.has(cue, &sentence.all());
    if contrasts(sentence, clause) {
        *scope = Scope::default();
    }
    scope.negated |= here(Cue::Negation);
    let orders = is_order(sentence, clause, lexicons);
    if sentence.asks && !addresses(sentence, lexicons) {
        return if wants_figure(sentence, clause) { Mood::Calculation } else { Mood::Question };
    }
    if anywhere(Cue::Condition) {
        return Mood::Conditional;
    }
    if scope.negated {
        return Mood::Negated;
    }
    if here(Cue::Reversal) {
        return Mood::Reversal;
    }
    let asks_for_words = informs(sentence, clause);
    if asks(sentence, clause) && (!(orders && addresses(sentence, lexicons)) || asks_for_words) {
        return if wants_figure(sentence, clause) { Mood::Calculation } else { Mood::Question };
    }
    if here(Cue::Draft) {
        return Mood::Draft;
    }
    if asks_for_words && orders {
        return Mood::Question;
    }
    if anywhere(Cue::Limit) || wants_figure(sentence, clause) {
        return Mood::Calculation;
    }
    if anywhere(Cue::Reported) {
        return Mood::Reported;
    }
    match (orders, anywhere(Cue::OtherTime)) {
        (true, true) => Mood::OtherTime,
        (true, false) => Mood::Order,
        // "Last day: tomorrow" states a day and orders nothing.
        (false, _) => Mood::Statement,
    }
}

/// Whether a clause begins with a word that ends the scope of what was before.
fn contrasts(sentence: &Sentence, clause: &Range<usize>) -> bool {
    let before = clause.start.checked_sub(1).and_then(|at| sentence.contrast.get(at));
    before == Some(&true) || sentence.contrast.get(clause.start) == Some(&true)
}

/// Whether the clause is a question by its mark or its words.
fn asks(sentence: &Sentence, clause: &Range<usize>) -> bool {
    sentence.asks || sentence.has(Cue::Question, clause) || begins_with_question(sentence)
}

/// Whether a question word is among the first words: then the whole sentence asks.
fn begins_with_question(sentence: &Sentence) -> bool {
    const FIRST: usize = 4;
    sentence.has(Cue::Question, &(0..FIRST.min(sentence.tokens.len())))
}

/// Whether a question is a polite order: it says please, or asks the reader to do something.
fn addresses(sentence: &Sentence, lexicons: &[&Lexicon]) -> bool {
    let second = |at: &usize| {
        sentence
            .tokens
            .get(*at)
            .is_some_and(|token| lexicons.iter().any(|lexicon| lexicon.is_second_person(&token.lower)))
    };
    sentence.phrases.iter().any(|phrase| phrase.cue == Cue::Wish && phrase.words.iter().any(second))
}

/// Whether the clause wants to be told something: `tell me`, `show`, `explain`.
fn informs(sentence: &Sentence, clause: &Range<usize>) -> bool {
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
    let mut verbs = verbs_in(sentence, clause).filter(|verb| can_order(verb));
    let first = verbs.next();
    let telling = |verb: &FoundVerb| verb.forms.iter().any(|form| TELLING.contains(&form.lemma.as_str()));
    first.is_some_and(telling) && verbs.next().is_none()
}

/// Whether the clause asks for a figure and for nothing else.
fn wants_figure(sentence: &Sentence, clause: &Range<usize>) -> bool {
    sentence.has(Cue::Calculation, clause)
}

/// Whether the clause asks for something to be done.
pub(crate) fn is_order(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    if sentence.has(Cue::Wish, clause) {
        return verbs_in(sentence, clause).next().is_some();
    }
    verbs_in(sentence, clause).filter(|verb| can_order(verb)).any(|verb| {
        let first = verb.words.first().copied().unwrap_or(clause.start);
        let noun = first
            .checked_sub(1)
            .filter(|_| first > clause.start)
            .is_some_and(|at| is_determiner(sentence, at, lexicons));
        !noun
            && !names_a_thing(sentence, clause, verb)
            && (clause.start..first).all(|at| leads_in(sentence, at, lexicons))
    }) || ends_with_infinitive(sentence, clause, lexicons)
}

/// Whether a verb is in a form in which somebody can order something.
fn can_order(verb: &FoundVerb) -> bool {
    verb.forms.iter().any(|form| matches!(form.form, Form::Imperative | Form::Infinitive))
}

/// Whether a verb is in a form that states something: "Acme submitted invoice 7".
fn only_states(verb: &FoundVerb) -> bool {
    verb.forms.iter().any(|form| matches!(form.form, Form::Past | Form::ThirdPerson)) && !can_order(verb)
}

/// Whether a word can stand before an imperative: politeness, adverbs, values, names and marks, but no subject.
fn leads_in(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    if token.kind == TokenKind::Mark || sentence.in_value.get(at) == Some(&true) {
        return true;
    }
    if sentence.verbs.iter().any(|verb| verb.words.contains(&at) && only_states(verb)) {
        return false;
    }
    let polite = lexicons.iter().any(|lexicon| lexicon.is_courtesy(&token.lower));
    let in_cue = sentence.phrases.iter().any(|phrase| {
        phrase.words.contains(&at)
            && matches!(phrase.cue, Cue::Courtesy | Cue::Sequence | Cue::Wish | Cue::Limit)
    });
    let subject = lexicons.iter().any(|lexicon| lexicon.is_subject(&token.lower));
    polite || in_cue || !subject
}

/// Whether a word that can be a verb names a thing: "Invoice INV-7 was approved", with a value after it and a finite verb.
fn names_a_thing(sentence: &Sentence, clause: &Range<usize>, verb: &FoundVerb) -> bool {
    let next = verb.words.last().map_or(clause.end, |word| word + 1);
    let before_value = sentence.in_value.get(next) == Some(&true);
    let is_noun = verb.forms.iter().any(|form| form.form == Form::Noun);
    let finite = |at: usize| sentence.subject.get(at) == Some(&true);
    before_value && is_noun && (next..clause.end).any(finite)
}

fn is_determiner(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let token = sentence.tokens.get(at);
    token.is_some_and(|token| lexicons.iter().any(|lexicon| lexicon.is_determiner(&token.lower)))
}

/// German and the Romance languages order by an infinitive: "Bitte die Rechnung freigeben".
fn ends_with_infinitive(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let is_infinitive = |verb: &FoundVerb| verb.forms.iter().any(|form| form.form == Form::Infinitive);
    let last = verbs_in(sentence, clause).filter(|verb| is_infinitive(verb)).last();
    let subject = |at: usize| {
        sentence
            .tokens
            .get(at)
            .is_some_and(|token| lexicons.iter().any(|lexicon| lexicon.is_subject(&token.lower)))
    };
    let states = verbs_in(sentence, clause).any(only_states);
    last.is_some() && !states && !clause.clone().any(subject)
}

fn verbs_in<'s>(sentence: &'s Sentence, clause: &'s Range<usize>) -> impl Iterator<Item = &'s FoundVerb> {
    sentence.verbs.iter().filter(|verb| verb.words.first().is_some_and(|word| clause.contains(word)))
}
