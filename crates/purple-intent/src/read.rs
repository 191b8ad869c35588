//! From text to acts.

use std::ops::Range;

use crate::act::{Act, Mood, Reading, Role, Word};
use crate::clause::{Sentence, sentences};
use crate::language::{Cue, Detected, Language, Lexicon, lexicon};
use crate::mood::{Scope, is_order, mood};
use crate::span::Span;
use crate::structure::{PartKind, parts};
use crate::token::{Token, TokenKind, tokens};
use crate::value::{Notation, Value, values};

/// Reads a text. Quoted and forwarded parts are evidence: their values are found, and they hold no act.
pub fn read(text: &str, notation: &Notation) -> Reading {
    let own: Vec<Span> =
        parts(text).into_iter().filter(|part| part.kind == PartKind::Own).map(|part| part.span).collect();
    let values = values(text, notation);
    let all = tokens(text);
    let said: Vec<Token> =
        all.iter().filter(|token| own.iter().any(|part| part.contains(token.span))).cloned().collect();
    let language = Language::detect(&said);
    let languages: Vec<Language> = match &language {
        Detected::One(language) => vec![*language],
        Detected::Mixed(languages) => languages.clone(),
        Detected::Unknown => Language::ALL.to_vec(),
    };
    let lexicons: Vec<&Lexicon> = languages.into_iter().map(lexicon).collect();
    let sentences = sentences(text, &own, &said, &values, &lexicons);
    let mut acts: Vec<Act> = Vec::new();
    for sentence in &sentences {
        corrected(sentence, &mut acts);
        acts.extend(acts_of(sentence, &values, &lexicons));
    }
    Reading { language, acts, values, own }
}

/// A sentence that takes an order back: "Actually, wait, don't."
fn corrected(sentence: &Sentence, acts: &mut [Act]) {
    let all = sentence.all();
    if sentence.has(Cue::Correction, &all) && sentence.has(Cue::Negation, &all) {
        let orders = acts.iter_mut().filter(|act| act.mood == Mood::Order);
        orders.for_each(|act| act.mood = Mood::Negated);
    }
}

fn acts_of(sentence: &Sentence, values: &[Value], lexicons: &[&Lexicon]) -> Vec<Act> {
    let light = |at: usize| is_light(sentence, at, lexicons);
    let clauses = sentence.clauses(light);
    let mut scope = Scope::default();
    let mut acts = Vec::new();
    for clause in clauses {
        let mood = mood(sentence, &clause, &mut scope, lexicons);
        let words = words(sentence, &clause, values, lexicons);
        if let Some(span) = sentence.span(&clause)
            && (!words.is_empty() || values.iter().any(|value| span.contains(value.span)))
        {
            let imperative = !sentence.asks && is_order(sentence, &clause, lexicons);
            let limited = sentence.has(Cue::Limit, &sentence.all());
            acts.push(Act { mood, span, words, imperative, limited });
        }
    }
    corrected_within(sentence, &mut acts);
    acts
}

/// A correction inside a sentence takes back what was ordered before it, where it negates.
fn corrected_within(sentence: &Sentence, acts: &mut [Act]) {
    let correction = sentence.phrases.iter().find(|phrase| phrase.cue == Cue::Correction);
    let place = correction
        .and_then(|phrase| sentence.tokens.get(*phrase.words.first()?))
        .map(|token| token.span.start);
    let Some(place) = place else { return };
    let negated_after = acts.iter().any(|act| act.span.end > place && act.mood == Mood::Negated);
    if negated_after {
        let before = acts.iter_mut().filter(|act| act.span.start < place && act.mood == Mood::Order);
        before.for_each(|act| act.mood = Mood::Negated);
    }
}

/// Words that carry nothing at the beginning of a clause.
fn is_light(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    token.kind == TokenKind::Mark
        || lexicons.iter().any(|lexicon| lexicon.is_adverb(&token.lower) || lexicon.is_courtesy(&token.lower))
        || sentence.contrast.get(at) == Some(&true)
        || sentence.phrases.iter().any(|phrase| phrase.cue == Cue::Sequence && phrase.words.contains(&at))
}

/// The content words of a clause.
fn words(sentence: &Sentence, clause: &Range<usize>, values: &[Value], lexicons: &[&Lexicon]) -> Vec<Word> {
    let mut out = Vec::new();
    for at in clause.clone() {
        let Some(token) = sentence.tokens.get(at) else { continue };
        let inside = values.iter().any(|value| value.span.contains(token.span));
        if token.kind == TokenKind::Mark || inside {
            continue;
        }
        if let Some(role) = role(sentence, at, token, lexicons) {
            out.push(Word { span: token.span, lower: token.lower.clone(), role });
        }
    }
    out
}

/// What the general grammar makes of a word; `None` for a word that carries nothing.
fn role(sentence: &Sentence, at: usize, token: &Token, lexicons: &[&Lexicon]) -> Option<Role> {
    let verb = sentence.verbs.iter().find(|verb| verb.words.contains(&at));
    let cue = sentence.phrases.iter().filter(|phrase| phrase.words.contains(&at)).map(|phrase| phrase.cue);
    let cue = cue.filter(|cue| !matches!(cue, Cue::Courtesy | Cue::Sequence | Cue::Wish)).min();
    match (cue, verb) {
        (Some(cue), None) => return Some(Role::Cue(cue)),
        (Some(cue), Some(_)) if !matches!(cue, Cue::Calculation | Cue::Draft | Cue::Reversal) => {
            return Some(Role::Cue(cue));
        }
        (_, Some(verb)) => {
            let mut lemmas: Vec<String> = verb.forms.iter().map(|form| form.lemma.clone()).collect();
            lemmas.sort();
            lemmas.dedup();
            return Some(Role::Verb(lemmas));
        }
        (None, None) => {}
    }
    let light =
        |lexicon: &&Lexicon| lexicon.is_function_word(&token.lower) || lexicon.is_courtesy(&token.lower);
    let in_phrase = sentence.phrases.iter().any(|phrase| phrase.words.contains(&at));
    if in_phrase || lexicons.iter().any(light) {
        return None;
    }
    Some(if is_name(sentence, at, lexicons) { Role::Name } else { Role::Other })
}

/// Whether a word is part of a name: it begins with a capital letter, no language explains it, and it is not alone at
/// the beginning of a sentence. In German every noun has a capital letter, so that a name has at least two of them.
fn is_name(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let capital = |at: usize| {
        sentence.tokens.get(at).is_some_and(|token| {
            token.capital
                && token.kind == TokenKind::Word
                && !lexicons.iter().any(|lexicon| lexicon.explains(&token.lower))
        })
    };
    let beside = at.checked_sub(1).is_some_and(capital) || capital(at + 1);
    let letter = sentence.tokens.get(at).is_some_and(|token| token.lower.chars().count() == 1);
    capital(at) && (beside || letter)
}
