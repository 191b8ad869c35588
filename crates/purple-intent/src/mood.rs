//! What a clause is: an order, a question, a negation.

mod order;
mod question;
mod whole;

use std::ops::Range;

pub(crate) use order::{can_order, is_order, is_own_verb, orders_on_condition};
pub(crate) use whole::Whole;

use crate::act::Mood;
use crate::clause::Sentence;
use crate::language::{Cue, Form, FoundVerb, Lexicon, Phrase};
use crate::nominal::{Nominal, nominal};
use crate::token::TokenKind;
use question::{asks, describes, informs, is_relative, wants_figure};

/// How many words that can be verbs may be nouns in a row: `purchase order`.
const NEAR: usize = 4;

/// What the words of earlier clauses of the sentence say about a later one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scope {
    /// A negation whose scope reaches on.
    negated: bool,
}

/// The mood of a clause. The stricter of two readings counts.
pub(crate) fn mood(
    sentence: &Sentence,
    whole: &Whole,
    clause: &Range<usize>,
    scope: &mut Scope,
    lexicons: &[&Lexicon],
) -> Mood {
    let here = |cue| sentence.has(cue, clause);
    let anywhere = |cue| whole.has(sentence, cue, clause);
    if contrasts(sentence, clause) {
        *scope = Scope::default();
    }
    // "Don't book anything, just calculate it": the second clause says what is wanted instead.
    if here(Cue::Limit) && wants_figure(sentence, clause) {
        *scope = Scope::default();
    }
    // "Approval of INV-7 requested" reports no wish of somebody else.
    let asked = matches!(nominal(sentence, clause, lexicons), Some(Nominal::Asked { .. }));
    let orders = asked || is_order(sentence, clause, lexicons);
    // "Because her contract was not renewed": what a reason negates is nothing that somebody does.
    let reason = sentence.reason.get(clause.start) == Some(&true) && !orders;
    let negates = here(Cue::Negation) && !reason;
    // "We have not agreed to approve it and book it": what follows is still negated.
    let negated = scope.negated || negates && (orders || !reports_past(sentence, clause, lexicons));
    // "It was not our fault, so please book it": a statement about something else ends before what is ordered.
    let is_apart = whole.is_free(clause) && !sentence.verbs_in(clause).iter().any(can_order);
    scope.negated |= negates && !is_apart;
    let addressed = whole.requests;
    if sentence.asks && !addressed {
        return if wants_figure(sentence, clause) { Mood::Calculation } else { Mood::Question };
    }
    if anywhere(Cue::Condition) {
        return Mood::Conditional;
    }
    if negated {
        return Mood::Negated;
    }
    if here(Cue::Reversal) {
        return Mood::Reversal;
    }
    let asks_for_words = informs(sentence, clause, lexicons);
    let asks =
        asks(sentence, clause) && (orders || !is_relative(sentence, clause) && !describes(sentence, clause));
    if asks && (!(orders && addressed) || asks_for_words) {
        return if wants_figure(sentence, clause) { Mood::Calculation } else { Mood::Question };
    }
    if here(Cue::Draft) {
        return Mood::Draft;
    }
    if asks_for_words && orders {
        return Mood::Question;
    }
    let limits = anywhere(Cue::Limit) && (orders && here(Cue::Limit) || !whole.compares);
    if limits || wants_figure(sentence, clause) {
        return Mood::Calculation;
    }
    if !asked && anywhere(Cue::Reported) {
        return Mood::Reported;
    }
    match (orders, whole.moves(clause)) {
        (true, true) => Mood::OtherTime,
        (true, false) => Mood::Order,
        // "Last day: tomorrow" states a day and orders nothing.
        (false, _) => Mood::Statement,
    }
}

/// Whether all that a clause negates is in the past: "INFRA-9 did not reach its uptime". `Was not to` is not among it.
fn reports_past(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let is_past = |at: usize| {
        let token = sentence.tokens.get(at);
        token.is_some_and(|token| lexicons.iter().any(|lexicon| lexicon.is_past_auxiliary(&token.lower)))
    };
    let mut negations =
        clause.clone().flat_map(|at| sentence.phrases_of(at)).filter(|phrase| phrase.cue == Cue::Negation);
    negations.all(|phrase| match phrase.words.as_slice() {
        [first] | [first, _] => is_past(*first) || first.checked_sub(1).is_some_and(is_past),
        [] | [_, _, _, ..] => false,
    })
}

/// Whether a clause only states what is not so, or was not: "nobody has complained", "the price isn't the agreed one".
/// No record, no obligation, no wish and nobody who speaks or is addressed is in it.
pub(crate) fn only_reports(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let is = |at: usize, kind: fn(&Lexicon, &str) -> bool| is(sentence, at, lexicons, kind);
    let finite = |at: usize| sentence.is_finite(at) || is(at, Lexicon::is_past_auxiliary);
    let negated = |at: usize| sentence.phrases_of(at).any(|phrase| phrase.cue == Cue::Negation);
    // "That price isn't agreed", but "that isn't right".
    let points = |at: usize| is(at, Lexicon::is_determiner) && !finite(at + 1) && !negated(at + 1);
    let binds = |at: usize| {
        is(at, Lexicon::is_binding) && !points(at)
            || is(at, Lexicon::is_second_person)
            || sentence.in_id.get(at) == Some(&true)
    };
    let lacks = |verb: &FoundVerb| verb.forms.iter().any(|one| one.form == Form::Gerund);
    let negates = |phrase: &Phrase| match phrase.words.as_slice() {
        [word] if is(*word, Lexicon::is_nobody) => {
            let happened = |at: usize| is(at, Lexicon::is_circumstance) || is(at, Lexicon::is_remark);
            let mut rest = *word..clause.end;
            rest.clone().any(finite) || rest.any(happened) || sentence.verbs_in(clause).iter().any(lacks)
        }
        [word] => (clause.start..word + 1).any(finite),
        // "Le prix n'est pas celui convenu".
        [first, ..] => finite(*first),
        [] => false,
    };
    let plain = |phrase: &Phrase| match phrase.cue {
        Cue::Negation => negates(phrase),
        Cue::Courtesy | Cue::Sequence => true,
        _ => false,
    };
    !sentence.asks
        && !clause.clone().any(binds)
        && clause.clone().flat_map(|at| sentence.phrases_of(at)).all(plain)
}

/// Whether a clause begins with a word that ends the scope of what was before.
fn contrasts(sentence: &Sentence, clause: &Range<usize>) -> bool {
    let before = clause.start.checked_sub(1).and_then(|at| sentence.contrast.get(at));
    before == Some(&true) || sentence.contrast.get(clause.start) == Some(&true)
}

fn is_word(sentence: &Sentence, at: usize) -> bool {
    sentence.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Word)
}

fn is(sentence: &Sentence, at: usize, lexicons: &[&Lexicon], is: fn(&Lexicon, &str) -> bool) -> bool {
    let token = sentence.tokens.get(at);
    token.is_some_and(|token| lexicons.iter().any(|lexicon| is(lexicon, &token.lower)))
}

/// Whether a verb is in a form that states something: "Acme submitted invoice 7".
fn only_states(verb: &FoundVerb) -> bool {
    verb.forms.iter().any(|form| matches!(form.form, Form::Past | Form::ThirdPerson)) && !can_order(verb)
}
