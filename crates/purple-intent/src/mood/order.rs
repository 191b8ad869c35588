//! Whether a clause orders something.

use std::ops::Range;

use super::{NEAR, is, is_word, only_states};
use crate::clause::Sentence;
use crate::language::{Cue, Form, FoundVerb, Lexicon};
use crate::token::TokenKind;

/// Whether the clause asks for something to be done.
pub(crate) fn is_order(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let verbs = sentence.verbs_in(clause);
    // "In order to approve it we need a form" wishes for no act.
    let wish = sentence.first(Cue::Wish, clause).filter(|wish| !is_embedded(sentence, *wish, lexicons));
    if is_delegated(sentence, clause, lexicons) {
        return false;
    }
    if let Some(wish) = wish {
        if !wishes_for_act(sentence, wish, clause, lexicons) {
            return false;
        }
        let light = |at: usize| is_polite(sentence, at, lexicons) || !is_word(sentence, at);
        // "I want Maria to approve it" wishes for what somebody else does.
        let delegated = |verb: &FoundVerb| {
            let before = verb.words.first().and_then(|first| first.checked_sub(1));
            before.is_some_and(|at| {
                let token = sentence.tokens.get(at);
                token.is_some_and(|token| &*token.lower == "to") && sentence.phrases_of(at).next().is_none()
            })
        };
        let is_wished = |verb: &FoundVerb| verb.words.last() > Some(&wish) && !delegated(verb);
        if verbs.iter().any(is_wished) || !verbs.is_empty() && (wish..clause.end).all(light) {
            return true;
        }
    }
    let led_in = clause.clone().find(|at| !leads_in(sentence, *at, lexicons)).unwrap_or(clause.end);
    if lets_be_done(sentence, &(clause.start..led_in + 1), clause, lexicons) {
        return true;
    }
    verbs.iter().filter(|verb| can_order(verb)).any(|verb| {
        let first = verb.words.first().copied().unwrap_or(clause.start);
        let noun = first
            .checked_sub(1)
            .filter(|_| first > clause.start)
            .is_some_and(|at| is_determiner(sentence, at, lexicons));
        first <= led_in
            && !noun
            && !is_report(sentence, clause, verb)
            && !has_subject(sentence, clause, verb, lexicons)
            && !is_statement(sentence, clause, verb, lexicons)
            && !names_a_record(sentence, verb, lexicons)
            && !names_a_thing(sentence, clause, verb)
    }) || ends_with_infinitive(sentence, clause, lexicons)
}

/// Whether somebody else is to do it: "It needs to be approved by the controller".
fn is_delegated(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let is = |at: usize, kind: fn(&Lexicon, &str) -> bool| is(sentence, at, lexicons, kind);
    let is_done =
        |verb: &FoundVerb| verb.forms.iter().any(|one| matches!(one.form, Form::Participle | Form::Noun));
    let done = sentence.verbs_in(clause).iter().any(is_done);
    let delegates = |at: usize| {
        let free = sentence.neutral.get(at) == Some(&false) && is(at, Lexicon::is_agent);
        let next = (at + 1..clause.end).find(|at| !is(*at, Lexicon::is_determiner));
        // "The accounts of employee 7" belong to somebody.
        let is_record = |next: usize| sentence.in_value.get(next + 1) == Some(&true);
        free && next.is_some_and(|next| is(next, Lexicon::is_people) && !is_record(next))
    };
    done && clause.clone().any(delegates)
}

/// Whether what a wish leads to is an act, where it leads to a noun: "Bitte um Freigabe", but not "Bitte um Info zur
/// Freigabe".
fn wishes_for_act(sentence: &Sentence, wish: usize, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let phrase = sentence.phrases_of(wish).find(|phrase| phrase.cue == Cue::Wish);
    let Some(last) = phrase.and_then(|phrase| phrase.words.last().copied()) else { return true };
    let is = |at: usize, kind: fn(&Lexicon, &str) -> bool| is(sentence, at, lexicons, kind);
    let light = |at: usize| is(at, Lexicon::is_function_word) || is_polite(sentence, at, lexicons);
    let next = (last + 1..clause.end).find(|at| !light(*at));
    let plain =
        |at: usize| sentence.verbs_of(at).next().is_none() && sentence.in_value.get(at) == Some(&false);
    // "Demande d'approbation refusée" says what became of it.
    let reports = |verb: &FoundVerb| {
        verb.words.first() > Some(&last)
            && verb.forms.iter().all(|one| matches!(one.form, Form::Past | Form::Participle))
            && !verb.words.iter().any(|at| is(*at, Lexicon::is_requested))
    };
    let leads = is(last, Lexicon::is_preposition)
        || sentence.tokens.get(last).is_some_and(|token| token.lower.starts_with("d'"));
    let is_noun = |verb: &FoundVerb| verb.forms.iter().any(|one| one.form == Form::Noun);
    let verbs = sentence.verbs_in(clause);
    if leads && verbs.iter().any(is_noun) && verbs.iter().any(reports) {
        return false;
    }
    !(is(last, Lexicon::is_preposition) && next.is_some_and(|at| is_word(sentence, at) && plain(at)))
}

/// Whether the clause begins with a word for letting something be done to what follows it: "Get INV-7 matched", "have two
/// Hub added". "Have approved it" does not.
fn lets_be_done(
    sentence: &Sentence,
    begin: &Range<usize>,
    clause: &Range<usize>,
    lexicons: &[&Lexicon],
) -> bool {
    let causes = |at: &usize| is(sentence, *at, lexicons, Lexicon::is_causative);
    let Some(first) = begin.clone().filter(|at| *at < clause.end).find(causes) else { return false };
    let led = (clause.start..first).all(|at| leads_in(sentence, at, lexicons));
    let is_done = |verb: &FoundVerb| {
        verb.words.first() > Some(&(first + 1)) && verb.forms.iter().any(|one| one.form == Form::Participle)
    };
    led && !sentence.asks && sentence.verbs_in(clause).iter().any(is_done)
}

/// Whether a verb that is all there is may as well be a participle: "Freigabe INV-7: erledigt".
fn is_report(sentence: &Sentence, clause: &Range<usize>, verb: &FoundVerb) -> bool {
    let done = verb.forms.iter().any(|one| one.form == Form::Participle);
    let others = clause.clone().filter(|at| !verb.words.contains(at)).any(|at| is_word(sentence, at));
    done && !others
        && verb.words.len() == 1
        && !clause.clone().any(|at| sentence.in_value.get(at) == Some(&true))
}

/// Whether a wish is what somebody thinks or says: "They think that E-7 must be offboarded".
fn is_embedded(sentence: &Sentence, wish: usize, lexicons: &[&Lexicon]) -> bool {
    let reported = |at: usize| sentence.phrases_of(at).all(|phrase| phrase.cue == Cue::Reported);
    let free = |at: usize| reported(at) && sentence.neutral.get(at) == Some(&false);
    let part = || (0..wish).rev().take_while(|at| !sentence.joins(*at)).filter(|at| free(*at));
    // "For that invoice", "that invoice", but "they think, that".
    let is_comma = |at: usize| sentence.tokens.get(at).is_some_and(|token| &*token.lower == ",");
    let ends = |at: usize| is_word(sentence, at) && !is_determiner(sentence, at, lexicons);
    let after_word = |at: usize| (0..at).rev().find(|before| !is_comma(*before)).is_some_and(ends);
    let embeds = |at: usize| is(sentence, at, lexicons, Lexicon::is_embedding) && after_word(at);
    let is_subject = |at: usize| sentence.subject.any(at..at + 1);
    // "They think E-7 must be offboarded", but "they must be", "they also must be".
    let light = |at: usize| is_polite(sentence, at, lexicons) || is_subject(at);
    let thinks = |at: usize| is_subject(at) && !light(at + 1);
    part().any(|at| embeds(at) || thinks(at))
}

/// Whether a verb of one form for everything has a subject: "Colleagues approve it", "You approve it", or is what
/// something or somebody else is for: "To approve it we need Tom", "Get Tom to approve it".
fn has_subject(sentence: &Sentence, clause: &Range<usize>, verb: &FoundVerb, lexicons: &[&Lexicon]) -> bool {
    let has = |form: Form| verb.forms.iter().any(|one| one.form == form);
    let first = verb.words.first().copied().unwrap_or(clause.start);
    // "Clients approve invoice 7": the noun after a verb can be spelled like one.
    let before = (0..first).rev().take(NEAR).find(|at| sentence.verbs_of(*at).next().is_none());
    let Some((at, token)) = before.and_then(|at| Some((at, sentence.tokens.get(at)?))) else { return false };
    if !(has(Form::Imperative) && has(Form::Infinitive)) || token.kind != TokenKind::Word {
        return false;
    }
    let is = |kind: fn(&Lexicon, &str) -> bool| lexicons.iter().any(|lexicon| kind(lexicon, &token.lower));
    let light = is(Lexicon::is_courtesy) || is(Lexicon::is_adverb) || is(Lexicon::is_function_word);
    let in_phrase = sentence.phrases_of(at).next().is_some();
    let purpose = &*token.lower == "to" && !in_phrase;
    let value = sentence.in_value.get(at) == Some(&true);
    purpose || is(Lexicon::is_second_person) || !light && !in_phrase && !value
}

/// Whether what is before a verb makes it a statement: a noun or a name as its subject, as in "The auditors approve
/// invoice INV-7", or anything at all where the form may be the third person as well, as in "INV-7 bearbeitet Eva".
pub(super) fn is_statement(
    sentence: &Sentence,
    clause: &Range<usize>,
    verb: &FoundVerb,
    lexicons: &[&Lexicon],
) -> bool {
    let first = verb.words.first().copied().unwrap_or(clause.start);
    let third = verb.forms.iter().any(|form| form.form == Form::ThirdPerson);
    let asked_for = |at: usize| {
        is(sentence, at, lexicons, Lexicon::is_courtesy) && !is(sentence, at, lexicons, Lexicon::is_people)
    };
    // "In any case please approve it."
    if first > clause.start && asked_for(first - 1) {
        return false;
    }
    let is_subject = |at: usize| is(sentence, at, lexicons, Lexicon::is_people);
    let before =
        (clause.start..first).rev().find(|at| is_subject(*at) || !is_polite(sentence, *at, lexicons));
    before.is_some_and(|at| {
        let free = sentence.in_value.get(at) == Some(&false) && sentence.neutral.get(at) == Some(&false);
        let noun = free && is_word(sentence, at) && !is(sentence, at, lexicons, Lexicon::is_function_word);
        let is_mark = sentence.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Mark);
        noun || third && !(free && is_mark)
    })
}

/// Whether people are the subject of a plural that looks like an infinitive: "Die Kollegen bearbeiten INV-7".
fn has_people(sentence: &Sentence, clause: &Range<usize>, verb: &FoundVerb, lexicons: &[&Lexicon]) -> bool {
    let first = verb.words.first().copied().unwrap_or(clause.start);
    let people = |at: usize| is(sentence, at, lexicons, Lexicon::is_people);
    let light = |at: usize| {
        is_polite(sentence, at, lexicons)
            || is(sentence, at, lexicons, Lexicon::is_function_word)
            || people(at)
    };
    (clause.start..first).any(people) && (clause.start..first).all(light)
}

/// Whether a token is courtesy, an adverb or part of a cue.
fn is_polite(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    is(sentence, at, lexicons, Lexicon::is_courtesy)
        || is(sentence, at, lexicons, Lexicon::is_adverb)
        || sentence.phrases_of(at).next().is_some()
}

/// Whether an order follows a condition: "If it is late, please cancel it."
pub(crate) fn orders_on_condition(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let is_comma = |at: &usize| sentence.tokens.get(*at).is_some_and(|token| &*token.lower == ",");
    sentence.verbs_in(clause).iter().filter(|verb| can_order(verb)).any(|verb| {
        let first = verb.words.first().copied().unwrap_or(clause.start);
        let comma = (clause.start..first).rev().find(is_comma);
        comma.is_some_and(|comma| (comma..first).all(|at| leads_in(sentence, at, lexicons)))
    })
}

/// Whether the only cues of a clause that negate or reverse are its main verb, and no other act is named: in "stop
/// processing INV-7" and "cancel the offboarding of E-1014" there is one. To undo something is never an act by itself.
pub(crate) fn is_own_verb(sentence: &Sentence, clause: &Range<usize>) -> bool {
    let mut verbs = sentence.verbs_in(clause).iter();
    let Some(main) = verbs.next().filter(|verb| can_order(verb)) else { return false };
    let part_of_main = |words: &[usize]| words.iter().any(|word| main.words.contains(word));
    let turns = |cue: Cue| matches!(cue, Cue::Negation | Cue::Reversal);
    let mut cues = sentence
        .phrases
        .iter()
        .filter(|phrase| turns(phrase.cue) && phrase.words.first().is_some_and(|word| clause.contains(word)));
    // "Order ORD-7" after the verb names the record.
    let names_record = |verb: &FoundVerb| {
        let next = verb.words.last().map_or(clause.end, |word| word + 1);
        can_order(verb) && sentence.in_value.get(next) == Some(&true)
    };
    !main.forms.iter().any(|form| form.lemma == "undo")
        && cues.all(|phrase| part_of_main(&phrase.words))
        && verbs.all(|verb| part_of_main(&verb.words) || names_record(verb))
}

/// Whether a verb is in a form in which somebody can order something.
pub(crate) fn can_order(verb: &FoundVerb) -> bool {
    verb.forms.iter().any(|form| matches!(form.form, Form::Imperative | Form::Infinitive))
}

/// Whether a word can stand before an imperative: politeness, adverbs, values, names and marks, but no subject.
fn leads_in(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    // "Before I forget: approve it."
    let neutral = sentence.neutral.get(at) == Some(&true);
    if token.kind == TokenKind::Mark || sentence.in_value.get(at) == Some(&true) || neutral {
        return true;
    }
    if sentence.verbs_of(at).any(only_states) {
        return false;
    }
    let polite = || lexicons.iter().any(|lexicon| lexicon.is_courtesy(&token.lower));
    let in_cue = || {
        sentence
            .phrases_of(at)
            .any(|phrase| matches!(phrase.cue, Cue::Courtesy | Cue::Sequence | Cue::Wish | Cue::Limit))
    };
    let subject = sentence.subject.any(at..at + 1);
    !subject || polite() || in_cue()
}

/// Whether a word that can be a verb names a thing: "Invoice INV-7 was approved", with a value after it and a finite verb.
fn names_a_thing(sentence: &Sentence, clause: &Range<usize>, verb: &FoundVerb) -> bool {
    let next = verb.words.last().map_or(clause.end, |word| word + 1);
    let before_value = sentence.in_value.get(next) == Some(&true);
    // "Increase of the quantity confirmed".
    let of = sentence.tokens.get(next).is_some_and(|token| &*token.lower == "of");
    if of && verb.forms.iter().any(|form| form.form == Form::Noun) {
        return true;
    }
    let is_noun = verb.forms.iter().any(|form| form.form == Form::Noun);
    // "Report from monitoring is on file".
    let before_preposition = sentence.determined.get(next) == Some(&true);
    (before_value || before_preposition) && is_noun && sentence.subject.any(next..clause.end)
}

/// Whether a verb is the kind of a record here: `order PO-7`.
fn names_a_record(sentence: &Sentence, verb: &FoundVerb, lexicons: &[&Lexicon]) -> bool {
    let [at] = verb.words.as_slice() else { return false };
    let is_record = |word: &str| lexicons.iter().any(|lexicon| lexicon.is_record(word));
    let marks =
        sentence.tokens.iter().skip(at + 1).take_while(|token| matches!(&*token.lower, "#" | ":")).count();
    let before_id = sentence.in_id.get(at + 1 + marks) == Some(&true);
    before_id && sentence.tokens.get(*at).is_some_and(|token| is_record(&token.lower))
}

pub(super) fn is_determiner(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let token = sentence.tokens.get(at);
    token.is_some_and(|token| lexicons.iter().any(|lexicon| lexicon.is_determiner(&token.lower)))
}

/// German and the Romance languages order by an infinitive: "Bitte die Rechnung freigeben".
fn ends_with_infinitive(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    // An English imperative is no infinitive that orders.
    let has = |verb: &FoundVerb, form: Form| verb.forms.iter().any(|one| one.form == form);
    let is_infinitive = |verb: &FoundVerb| has(verb, Form::Infinitive) && !has(verb, Form::Imperative);
    let determined = |verb: &FoundVerb| {
        let before = verb.words.first().and_then(|first| first.checked_sub(1));
        before.is_some_and(|at| is_determiner(sentence, at, lexicons))
    };
    let is_wanted = |verb: &FoundVerb| {
        is_infinitive(verb)
            && !determined(verb)
            && !names_a_record(sentence, verb, lexicons)
            && !has_subject(sentence, clause, verb, lexicons)
            && !has_people(sentence, clause, verb, lexicons)
    };
    let verbs = sentence.verbs_in(clause);
    !sentence.subject.any(clause.clone()) && verbs.iter().any(is_wanted) && !verbs.iter().any(only_states)
}
