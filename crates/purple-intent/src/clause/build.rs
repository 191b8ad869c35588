//! What is found in the tokens of a sentence.

use super::Sentence;
use super::index::{CuePlaces, Owners};
use crate::language::{Cue, Form, FoundVerb, Language, Lexicon, Phrase, VerbForm, lexicon};
use crate::span::holding;
use crate::token::{Token, TokenKind};
use crate::value::{Meaning, Value};

/// The sentence of these tokens; `None` where they are only marks.
pub(super) fn sentence(tokens: &[Token], values: &[Value], lexicons: &[&Lexicon]) -> Option<Sentence> {
    tokens.iter().find(|token| token.kind != TokenKind::Mark)?;
    let held: Vec<Option<&Value>> =
        tokens.iter().map(|token| holding(values, token.span, |value| value.span)).collect();
    let are = |is: fn(&Value) -> bool| held.iter().map(|value| value.is_some_and(is)).collect::<Vec<bool>>();
    let in_value = are(|_| true);
    let (mut phrases, mut neutral) = (Vec::new(), vec![false; tokens.len()]);
    for said in lexicons.iter().map(|lexicon| lexicon.said(tokens)) {
        phrases.extend(said.phrases);
        for at in said.neutral {
            neutral.get_mut(at).into_iter().for_each(|one| *one = true);
        }
    }
    let mut verbs: Vec<FoundVerb> = lexicons.iter().flat_map(|lexicon| lexicon.verbs(tokens)).collect();
    let is_free = |at: &usize| in_value.get(*at) == Some(&false) && neutral.get(*at) == Some(&false);
    // "Prüfen und nach Richtlinie entscheiden": the second word is no part of the verb.
    let halves: Vec<FoundVerb> =
        verbs.iter().filter_map(|verb| half(verb, tokens, &is_free, lexicons)).collect();
    verbs.retain(|verb| verb.words.iter().all(is_free));
    verbs.extend(halves);
    verbs.sort_by_key(|verb| verb.words.first().copied());
    let asks =
        tokens.iter().rev().take_while(|token| token.kind == TokenKind::Mark).any(|token| token.lower == "?");
    let any = |is: fn(&Lexicon, &str) -> bool| {
        let token = |token: &Token| lexicons.iter().any(|lexicon| is(lexicon, &token.lower));
        tokens.iter().map(token).collect::<Vec<bool>>()
    };
    let verbs_at = Owners::new(verbs.iter().map(|verb| verb.words.as_slice()));
    let has_content = |at: usize| {
        in_value.get(at) == Some(&true) || neutral.get(at) == Some(&true) || verbs_at.of(at).next().is_some()
    };
    Some(Sentence {
        in_id: are(is_id),
        in_percent: are(is_percent),
        cues: CuePlaces::new(&phrases, |cue, phrase| {
            let next = phrase.words.last().map_or(0, |last| last + 1);
            if is_number_sign(tokens, &phrase.words, lexicons)
                && held.get(next + 1).is_some_and(Option::is_some)
            {
                return false;
            }
            let is_until = |at: &usize| {
                let token = tokens.get(*at);
                token.is_some_and(|token| lexicons.iter().any(|lexicon| lexicon.is_until(&token.lower)))
            };
            let until = phrase.words.iter().any(is_until);
            !held.get(next).copied().flatten().is_some_and(|value| is_preposition(cue, until, value))
        }),
        phrases_at: Owners::new(phrases.iter().map(|phrase| phrase.words.as_slice())),
        content: (0..tokens.len()).map(has_content).collect(),
        contrast: any(Lexicon::is_contrast),
        begins_subject: subjects(
            tokens,
            any(|lexicon, word| {
                let begins =
                    lexicon.is_determiner(word) || lexicon.is_subject(word) || lexicon.is_nobody(word);
                begins
                    && !lexicon.is_second_person(word)
                    && (!lexicon.is_binding(word) || lexicon.is_determiner(word))
            }),
        ),
        asking: any(Lexicon::is_asking),
        drops_subject: lexicons.iter().any(|one| std::ptr::eq(*one, lexicon(Language::Spanish))),
        relative: any(Lexicon::is_relative),
        deadline: deadlines(tokens, &verbs, lexicons),
        determined: any(Lexicon::is_preposition),
        finite: finite(tokens, any(Lexicon::is_finite), &in_value, &verbs_at, lexicons),
        reason: reasons(tokens, &in_value, &neutral, &verbs, lexicons),
        subject: any(Lexicon::is_subject).into_iter().collect(),
        addressed: is_addressed(tokens, &phrases, lexicons),
        capital_nouns: has_capital_nouns(tokens, &in_value, lexicons),
        tokens: tokens.to_vec(),
        in_value,
        phrases,
        verbs_at,
        verbs,
        asks,
        neutral,
    })
}

/// The verb that the first word of a verb of several words is by itself, where another one of its words is not free.
fn half(
    verb: &FoundVerb,
    tokens: &[Token],
    is_free: &impl Fn(&usize) -> bool,
    lexicons: &[&Lexicon],
) -> Option<FoundVerb> {
    let first = verb.words.first().filter(|first| is_free(first))?;
    if verb.words.iter().all(is_free) {
        return None;
    }
    let word = &tokens.get(*first)?.lower;
    let forms: Vec<VerbForm> = lexicons.iter().flat_map(|lexicon| lexicon.verb(word)).cloned().collect();
    (!forms.is_empty()).then(|| FoundVerb { forms, words: vec![*first] })
}

/// The tokens with which a subject can begin: after a mark, German `sie` with a small letter is somebody else.
fn subjects(tokens: &[Token], mut begins: Vec<bool>) -> Vec<bool> {
    let is_mark = |at: usize| tokens.get(at).is_some_and(|token| token.kind == TokenKind::Mark);
    for (at, begins) in begins.iter_mut().enumerate().skip(1) {
        let they = tokens.get(at).is_some_and(|token| token.lower == "sie" && !token.capital);
        *begins |= they && is_mark(at - 1);
    }
    begins
}

/// The tokens that are a finite verb which orders nothing: those that are known, and a word that nothing explains after
/// people who are its subject: "approve it, the vendor is chasing", "der Lieferant drängt".
fn finite(
    tokens: &[Token],
    mut known: Vec<bool>,
    in_value: &[bool],
    verbs: &Owners,
    lexicons: &[&Lexicon],
) -> Vec<bool> {
    let is = |at: usize, is: fn(&Lexicon, &str) -> bool| {
        let token = tokens.get(at);
        token.is_some_and(|token| lexicons.iter().any(|lexicon| is(lexicon, &token.lower)))
    };
    let is_mark = |at: usize| tokens.get(at).is_some_and(|token| token.kind == TokenKind::Mark);
    let they = |at: usize| tokens.get(at).is_some_and(|token| token.lower == "sie" && !token.capital);
    let somebody = |at: usize| {
        is(at, Lexicon::is_anchor)
            && (is(at, Lexicon::is_subject) || they(at))
            && !is(at, Lexicon::is_binding)
    };
    for at in 0..tokens.len() {
        let verb = match () {
            () if !is_mark(at) => continue,
            () if is(at + 1, Lexicon::is_determiner) && is(at + 2, Lexicon::is_people) => at + 3,
            () if somebody(at + 1) || they(at + 1) => at + 2,
            () => continue,
        };
        let plain = tokens.get(verb).is_some_and(|token| token.kind == TokenKind::Word && !token.capital);
        let free = in_value.get(verb) == Some(&false) && verbs.of(verb).next().is_none();
        if plain && free && !is(verb, Lexicon::is_function_word) && !is(verb, Lexicon::has_meaning) {
            known.get_mut(verb).into_iter().for_each(|one| *one = true);
        }
    }
    known
}

/// Which tokens begin a reason: a subject or an article follows. `Since Monday` and `because of` are none.
fn reasons(
    tokens: &[Token],
    in_value: &[bool],
    neutral: &[bool],
    verbs: &[FoundVerb],
    lexicons: &[&Lexicon],
) -> Vec<bool> {
    let can_order = |verb: &&FoundVerb| verb.forms.iter().any(|one| one.form == Form::Imperative);
    let ordered = verbs.iter().find(can_order).and_then(|verb| verb.words.first()).copied();
    let any = |at: usize, is: fn(&Lexicon, &str) -> bool| {
        let token = tokens.get(at);
        token.is_some_and(|token| lexicons.iter().any(|lexicon| is(lexicon, &token.lower)))
    };
    let begins = |at: usize| {
        let states = any(at + 1, Lexicon::is_subject) || any(at + 1, Lexicon::is_determiner);
        in_value.get(at + 1) == Some(&false)
            && neutral.get(at) == Some(&false)
            // "Approve it so they stop calling", but "they called, so we approve it".
            && (any(at, Lexicon::is_reason)
                || any(at, Lexicon::is_purpose) && ordered.is_some_and(|verb| verb < at))
            && states
            && (!any(at, Lexicon::needs_verb) || has_finite(tokens, verbs, at + 2, lexicons))
    };
    (0..tokens.len()).map(begins).collect()
}

/// Which tokens begin an event by which something is to be done: "before the books close". What people do before is none,
/// since they may have to.
fn deadlines(tokens: &[Token], verbs: &[FoundVerb], lexicons: &[&Lexicon]) -> Vec<bool> {
    let any = |at: usize, is: fn(&Lexicon, &str) -> bool| {
        let token = tokens.get(at);
        token.is_some_and(|token| lexicons.iter().any(|lexicon| is(lexicon, &token.lower)))
    };
    let begins = |at: usize| {
        any(at, Lexicon::begins_event)
            && any(at + 1, Lexicon::is_determiner)
            && !any(at + 2, Lexicon::is_people)
            && !any(at + 2, Lexicon::is_anchor)
            && has_finite(tokens, verbs, at + 2, lexicons)
    };
    (0..tokens.len()).map(begins).collect()
}

/// Whether a finite verb comes soon, before the next mark.
fn has_finite(tokens: &[Token], verbs: &[FoundVerb], from: usize, lexicons: &[&Lexicon]) -> bool {
    /// Words up to the verb.
    const NEAR: usize = 7;
    let is_mark = |at: &usize| tokens.get(*at).is_none_or(|token| token.kind == TokenKind::Mark);
    let is_finite = |at: usize| {
        let word = tokens.get(at).map_or("", |token| token.lower.as_str());
        let states = |one: &VerbForm| matches!(one.form, Form::Past | Form::ThirdPerson | Form::Infinitive);
        lexicons.iter().any(|lexicon| lexicon.is_subject(word) || lexicon.is_finite(word))
            || verbs.iter().any(|verb| verb.words.first() == Some(&at) && verb.forms.iter().any(states))
    };
    (from..from + NEAR).take_while(|at| !is_mark(at)).any(is_finite)
}

/// Whether a cue is the abbreviation of a number with its full stop: `invoice no. INV-7`.
fn is_number_sign(tokens: &[Token], words: &[usize], lexicons: &[&Lexicon]) -> bool {
    let [at] = words else { return false };
    let stop = tokens.get(at + 1).is_some_and(|token| &*token.lower == ".");
    let is_abbreviation =
        |token: &Token| lexicons.iter().any(|lexicon| lexicon.is_abbreviation(&token.lower));
    stop && tokens.get(*at).is_some_and(is_abbreviation)
}

/// Whether a cue directly before this value is only a preposition: `until 31 March`, `according to CTR-1`.
fn is_preposition(cue: Cue, until: bool, value: &Value) -> bool {
    match cue {
        Cue::Condition => until && is_figure(value),
        Cue::Reported => true,
        // `99.1 % instead of 99.9 %` compares, also without the signs.
        Cue::Negation => is_percent(value) || is_fraction(value),
        Cue::Question
        | Cue::Reversal
        | Cue::Draft
        | Cue::Calculation
        | Cue::Limit
        | Cue::OtherTime
        | Cue::Correction
        | Cue::Courtesy
        | Cue::Sequence
        | Cue::Wish => false,
    }
}

/// Whether a value is a date, a month or a percentage, and nothing else.
fn is_figure(value: &Value) -> bool {
    value
        .meanings
        .iter()
        .all(|meaning| matches!(meaning, Meaning::Day(_) | Meaning::Month(_) | Meaning::Percent(_)))
}

fn is_id(value: &Value) -> bool {
    value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Id(_)))
}

/// Whether a value is a number that counts nothing: `99.9`.
fn is_fraction(value: &Value) -> bool {
    let has_point =
        |meaning: &Meaning| matches!(meaning, Meaning::Number(number) if number.to_string().contains('.'));
    value.meanings.iter().all(has_point)
}

fn is_percent(value: &Value) -> bool {
    value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Percent(_)))
}

/// Whether a wish has a word that addresses the reader.
fn is_addressed(tokens: &[Token], phrases: &[Phrase], lexicons: &[&Lexicon]) -> bool {
    let is_second = |at: &usize| {
        let token = tokens.get(*at);
        token.is_some_and(|token| lexicons.iter().any(|lexicon| lexicon.is_second_person(&token.lower)))
    };
    // "Could it be approved, please?"
    let is_asking = |at: &usize| {
        let token = tokens.get(*at);
        token.is_some_and(|token| lexicons.iter().any(|lexicon| lexicon.is_asking(&token.lower)))
    };
    let is_polite = |phrase: &Phrase| phrase.words.len() > 2 && phrase.words.iter().any(is_asking);
    let wishes = phrases.iter().filter(|phrase| phrase.cue == Cue::Wish);
    wishes.into_iter().any(|phrase| phrase.words.iter().any(is_second) || is_polite(phrase))
}

/// Whether words with a capital letter need not be names: in German, and where most words have one.
fn has_capital_nouns(tokens: &[Token], in_value: &[bool], lexicons: &[&Lexicon]) -> bool {
    let free = || tokens.iter().zip(in_value).filter(|(_, in_value)| !**in_value).map(|(token, _)| token);
    let words = || free().filter(|token| token.kind == TokenKind::Word).skip(1);
    let capitals = words().filter(|token| token.capital).count();
    let german = lexicon(Language::German);
    lexicons.iter().any(|one| std::ptr::eq(*one, german)) || (capitals > 2 && capitals * 2 > words().count())
}
