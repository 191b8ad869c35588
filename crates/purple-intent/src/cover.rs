//! Whether the words of a task order a process, and whether all of them are explained.

use crate::act::{Act, Mood, Reading, Role, Word};
use crate::language::{Cue, Detected, Form, Language, lexicon};
use crate::say::SayForm;
use crate::span::Span;
use crate::value::{Day, Meaning, Value};

/// What the words of a task say about a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cover {
    /// They order it, and every content word is explained.
    Covered {
        /// The acts that order it, by their index in the reading.
        acts: Vec<usize>,
    },
    /// They order something, and it is not certain that it is this.
    Doubtful(Doubt),
    /// They order nothing: nothing may be written.
    ReadOnly(Mood),
}

/// Why it is not certain what is ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Words that nothing explains.
    Words(Vec<String>),
    /// The process is not asked for like this.
    NoForm,
    /// Something of another mood is said as well.
    Mood(Mood),
    /// The words state something and order nothing.
    Statement,
    /// The language is not known.
    Language,
}

/// The fewest words by which a language can be told.
const WORDS_MIN: usize = 4;
/// Verbs that support another one and order nothing themselves.
const SUPPORTING: [&str; 6] = ["ask", "confirm", "complete", "take care of", "go ahead", "proceed"];

/// What a process brings to the reading of a task.
pub struct Asked<'a> {
    /// How it is asked for.
    pub forms: &'a [SayForm],
    /// Whether an input is known.
    pub known: &'a dyn Fn(&str) -> bool,
    /// Whether the process file itself explains a word, in lower case.
    pub uses: &'a dyn Fn(&str) -> bool,
    /// Whether an input of the process was taken from this place.
    pub takes: &'a dyn Fn(Span) -> bool,
}

/// What a reading says about a process.
pub fn cover(text: &str, reading: &Reading, asked: &Asked<'_>) -> Cover {
    let Asked { forms, known, uses, takes } = asked;
    if is_foreign(reading) {
        return Cover::Doubtful(Doubt::Language);
    }
    let has_forms = !forms.is_empty();
    let usable = |form: &&SayForm| form.slots().iter().all(|slot| !slot.required || known(&slot.name));
    let forms: Vec<&SayForm> = forms.iter().filter(usable).collect();
    let acts: Vec<(usize, &Act, Mood)> =
        reading.acts.iter().enumerate().map(|(at, act)| (at, act, mood(act, &forms, takes))).collect();
    let orders: Vec<usize> =
        acts.iter().filter(|(_, _, mood)| *mood == Mood::Order).map(|(at, _, _)| *at).collect();
    let other = acts
        .iter()
        .filter(|(_, act, _)| orders.is_empty() || !only_looks(act))
        .map(|(_, _, mood)| *mood)
        .filter(|mood| !matches!(mood, Mood::Order | Mood::Statement))
        .min_by_key(strictness);
    match (orders.is_empty(), other) {
        (true, Some(other @ (Mood::Reversal | Mood::OtherTime))) => {
            return Cover::Doubtful(Doubt::Mood(other));
        }
        (true, Some(other)) => return Cover::ReadOnly(other),
        // A heading such as "Lockout E-7" states nothing: for a process without forms its keywords decide.
        (true, None) if !has_forms && !acts.iter().any(|(_, act, _)| act.words.iter().any(can_be_verb)) => {
            return Cover::Covered { acts: orders };
        }
        (true, None) => return Cover::Doubtful(Doubt::Statement),
        (false, Some(other)) => return Cover::Doubtful(Doubt::Mood(other)),
        (false, None) => {}
    }
    if !has_forms {
        return Cover::Covered { acts: orders };
    }
    let words = || acts.iter().flat_map(|(_, act, _)| &act.words);
    if !forms.iter().any(|form| form.fits(words())) {
        return Cover::Doubtful(Doubt::NoForm);
    }
    let languages = languages(reading);
    let explained = |act: &Act, mood: Mood, word: &Word| {
        let by_form = forms.iter().any(|form| form.explains(word));
        let lower = without_possessive(&word.lower);
        let general = || languages.iter().any(|language| lexicon(*language).explains(lower));
        by_form
            || uses(lower)
            || takes(word.span)
            || match &word.role {
                Role::Name | Role::Cue(_) => true,
                Role::Verb(lemmas) => {
                    mood != Mood::Order
                        || act.mood == Mood::Question
                        || languages.iter().any(|language| lexicon(*language).is_common(lower))
                        || lemmas.iter().any(|lemma| SUPPORTING.contains(&lemma.as_str()))
                }
                Role::Other => general(),
            }
    };
    // What is stated before the order is context; what follows it may take it back.
    let first = orders.first().copied().unwrap_or_default();
    let counts = |at: usize, mood: Mood| at >= first || mood != Mood::Statement;
    let mut unexplained: Vec<String> = acts
        .iter()
        .filter(|(at, _, mood)| counts(*at, *mood))
        .flat_map(|(_, act, mood)| act.words.iter().filter(|word| !explained(act, *mood, word)))
        .map(|word| word.lower.clone())
        .collect();
    let begins = reading.acts.get(first).map_or(0, |act| act.span.start);
    let own = |value: &&Value| {
        value.span.start >= begins && reading.own.iter().any(|part| part.contains(value.span))
    };
    let named = |value: &&Value| is_part_of_name(value, acts.iter().flat_map(|(_, act, _)| &act.words));
    let left = reading
        .values
        .iter()
        .filter(own)
        .filter(|value| !takes(value.span) && !named(value) && !is_today(value));
    unexplained.extend(left.map(|value| value.span.of(text).to_owned()));
    match unexplained.is_empty() {
        true => Cover::Covered { acts: orders },
        false => Cover::Doubtful(Doubt::Words(unexplained)),
    }
}

/// The mood of an act where a process is asked for in these ways: what would only be a calculation or a heading is an
/// order where a form says so, unless the words limit it.
fn mood(act: &Act, forms: &[&SayForm], takes: &dyn Fn(Span) -> bool) -> Mood {
    let is_verb = |word: &Word| can_be_verb(word) && !takes(word.span);
    let by_form = |needs_verb: bool| {
        forms.iter().any(|form| form.has_verb() == needs_verb && form.fits(act.words.iter()))
    };
    let is_cue = |word: &&Word| matches!(word.role, Role::Cue(Cue::Negation | Cue::Reversal));
    let cues: Vec<&Word> = act.words.iter().filter(is_cue).collect();
    let own_cue = || match cues.as_slice() {
        [cue] => forms.iter().any(|form| form.requires(cue) && form.fits(act.words.iter())),
        [] | [_, _, ..] => false,
    };
    match act.mood {
        // "Suspend vendor 7" where that is what the process does.
        Mood::Negated | Mood::Reversal if own_cue() => Mood::Order,
        Mood::Calculation if !act.limited && act.imperative && by_form(true) => Mood::Order,
        Mood::Statement if !act.words.iter().any(is_verb) && by_form(false) => Mood::Order,
        Mood::Order
        | Mood::Question
        | Mood::Negated
        | Mood::Conditional
        | Mood::Reversal
        | Mood::Draft
        | Mood::Calculation
        | Mood::Reported
        | Mood::OtherTime
        | Mood::Statement => act.mood,
    }
}

/// Whether a value is today: what is ordered is done now.
fn is_today(value: &Value) -> bool {
    matches!(value.only(), Some(Meaning::Day(Day::Ahead { days: 0 })))
}

/// Whether a bare number directly follows a name: `Depot 27`.
fn is_part_of_name<'w>(value: &Value, mut words: impl Iterator<Item = &'w Word>) -> bool {
    let number = value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Number(_)));
    number && words.any(|word| word.role == Role::Name && word.span.end + 1 == value.span.start)
}

/// Whether a word can be more than a noun: `lockout` cannot.
fn can_be_verb(word: &Word) -> bool {
    let forms = || Language::ALL.into_iter().flat_map(|language| lexicon(language).verb(&word.lower));
    matches!(word.role, Role::Verb(_))
        && (forms().next().is_none() || forms().any(|form| form.form != Form::Noun))
}

/// A word without the ending of a possessive: `month's`.
fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// Whether an act only wants something to be looked at or told: "Check the stock first." Beside an order it changes nothing.
fn only_looks(act: &Act) -> bool {
    act.mood == Mood::Question && act.imperative
}

/// Whether a text of more than a few words is in a language whose cue words are not known.
fn is_foreign(reading: &Reading) -> bool {
    let words: usize = reading.acts.iter().map(|act| act.words.len()).sum();
    reading.language == Detected::Unknown && words >= WORDS_MIN
}

fn languages(reading: &Reading) -> Vec<Language> {
    match &reading.language {
        Detected::One(language) => vec![*language],
        Detected::Mixed(languages) => languages.clone(),
        Detected::Unknown => Language::ALL.to_vec(),
    }
}

/// Of several moods, the one that the answer is about.
const fn strictness(mood: &Mood) -> u8 {
    match mood {
        Mood::Negated => 0,
        Mood::Reversal => 1,
        Mood::Conditional => 2,
        Mood::OtherTime => 3,
        Mood::Reported => 4,
        Mood::Draft => 5,
        Mood::Question => 6,
        Mood::Calculation => 7,
        Mood::Order | Mood::Statement => 8,
    }
}
