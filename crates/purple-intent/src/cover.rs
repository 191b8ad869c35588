//! Whether the words of a task order a process, and whether all of them are explained.

use std::collections::HashSet;

use crate::act::{Act, Mood, Reading, Role, Word};
use crate::language::{Cue, Detected, Form, Language, Lexicon, lexicon};
use crate::say::SayForm;
use crate::span::{Span, holding};
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

/// A language is not detected in fewer words.
const WORDS_MIN: usize = 4;
/// Verbs that support another one and order nothing themselves.
const SUPPORTING: [&str; 7] = ["ask", "confirm", "complete", "ensure", "take care of", "go ahead", "proceed"];

/// What a process contributes to the reading of a task.
#[expect(missing_debug_implementations, reason = "it holds functions")]
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
    if is_other_language(reading) {
        return Cover::Doubtful(Doubt::Language);
    }
    let usable =
        |form: &&SayForm| form.slots().iter().all(|slot| !slot.required || (asked.known)(&slot.name));
    let forms: Vec<&SayForm> = asked.forms.iter().filter(usable).collect();
    // "Calculate the credit, but book nothing": what is not to be done limits the calculation.
    let limited = reading.acts.iter().any(|act| act.mood == Mood::Negated);
    let acts = reading.acts.iter().map(|act| (act, mood(act, limited, &forms, asked.takes))).collect();
    let lexicons = languages(reading).into_iter().map(lexicon).collect();
    let covering = Covering { text, reading, asked, forms, acts, lexicons };
    match covering.orders() {
        Err(cover) => cover,
        // Only the mood counts for a process without forms.
        Ok(acts) if asked.forms.is_empty() => Cover::Covered { acts },
        Ok(acts) => covering.explained(acts),
    }
}

/// A reading with the moods that its acts have for a process.
struct Covering<'a> {
    text: &'a str,
    reading: &'a Reading,
    asked: &'a Asked<'a>,
    /// The forms whose required inputs are known.
    forms: Vec<&'a SayForm>,
    acts: Vec<(&'a Act, Mood)>,
    lexicons: Vec<&'static Lexicon>,
}

impl Covering<'_> {
    /// The acts that order something, where nothing else is said.
    fn orders(&self) -> Result<Vec<usize>, Cover> {
        let moods = || self.acts.iter().enumerate();
        let orders: Vec<usize> =
            moods().filter(|(_, (_, mood))| *mood == Mood::Order).map(|(at, _)| at).collect();
        let other = self
            .acts
            .iter()
            .filter(|(act, _)| orders.is_empty() || !only_looks(act))
            .map(|(_, mood)| *mood)
            .filter(|mood| !matches!(mood, Mood::Order | Mood::Statement))
            .min_by_key(strictness);
        match (orders.is_empty(), other) {
            (false, None) => Ok(orders),
            (true, Some(other @ (Mood::Reversal | Mood::OtherTime))) | (false, Some(other)) => {
                Err(Cover::Doubtful(Doubt::Mood(other)))
            }
            (true, Some(other)) => Err(Cover::ReadOnly(other)),
            // A heading such as "Lockout E-7" states nothing: the keywords of a process without forms decide.
            (true, None) if self.asked.forms.is_empty() && !self.words().any(can_be_verb) => Ok(orders),
            (true, None) => Err(Cover::Doubtful(Doubt::Statement)),
        }
    }

    /// Whether a form fits, and everything that is said is explained.
    fn explained(&self, orders: Vec<usize>) -> Cover {
        if !self.forms.iter().any(|form| form.fits(self.words())) {
            return Cover::Doubtful(Doubt::NoForm);
        }
        let first = orders.first().copied().unwrap_or_default();
        let mut unexplained = self.unexplained_words(first);
        unexplained.extend(self.unexplained_values(first));
        match unexplained.is_empty() {
            true => Cover::Covered { acts: orders },
            false => Cover::Doubtful(Doubt::Words(unexplained)),
        }
    }

    /// Statements before the first order are context; what follows it may take it back.
    fn unexplained_words(&self, first: usize) -> Vec<String> {
        let counts = |at: usize, mood: Mood| at >= first || mood != Mood::Statement;
        let acts = self.acts.iter().enumerate().filter(|(at, (_, mood))| counts(*at, *mood));
        let words = acts.flat_map(|(_, (act, mood))| {
            act.words.iter().filter(|word| !self.explains(act, *mood, word)).map(|word| word.lower.clone())
        });
        words.collect()
    }

    fn unexplained_values(&self, first: usize) -> Vec<String> {
        let begins = self.reading.acts.get(first).map_or(0, |act| act.span.start);
        let own = |value: &&Value| holding(&self.reading.own, value.span, |part| *part).is_some();
        let values = self.reading.values.iter().filter(|value| value.span.start >= begins).filter(own);
        let names = self.words().filter(|word| word.role == Role::Name);
        let name_ends: HashSet<usize> = names.map(|word| word.span.end).collect();
        let left = values.filter(|value| {
            !(self.asked.takes)(value.span) && !is_part_of_name(value, &name_ends) && !is_today(value)
        });
        left.map(|value| value.span.of(self.text).to_owned()).collect()
    }

    fn explains(&self, act: &Act, mood: Mood, word: &Word) -> bool {
        let lower = without_possessive(&word.lower);
        let any =
            |knows: fn(&Lexicon, &str) -> bool| self.lexicons.iter().any(|lexicon| knows(lexicon, lower));
        let is_supporting = |lemmas: &[String]| lemmas.iter().any(|one| SUPPORTING.contains(&one.as_str()));
        self.forms.iter().any(|form| form.explains(word))
            || (self.asked.uses)(lower)
            || (self.asked.takes)(word.span)
            || match &word.role {
                Role::Name | Role::Cue(_) => true,
                // A verb of an order says what is to be done: the form has to name it.
                Role::Verb(lemmas) => {
                    mood != Mood::Order
                        || act.mood == Mood::Question
                        || is_supporting(lemmas)
                        || any(Lexicon::is_common)
                }
                Role::Other => any(Lexicon::explains),
            }
    }

    fn words(&self) -> impl Iterator<Item = &Word> + Clone {
        self.acts.iter().flat_map(|(act, _)| &act.words)
    }
}

/// The mood of an act where a process is asked for in these ways: what would only be a calculation or a heading is an
/// order where a form says so, unless the words limit it.
fn mood(act: &Act, limited: bool, forms: &[&SayForm], takes: &dyn Fn(Span) -> bool) -> Mood {
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
        Mood::Calculation if !limited && !act.limited && act.imperative && by_form(true) => Mood::Order,
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

/// Whether a bare number directly follows a name: `Depot 27`. `name_ends` are the places where names end.
fn is_part_of_name(value: &Value, name_ends: &HashSet<usize>) -> bool {
    let number = value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Number(_)));
    let before = value.span.start.checked_sub(1);
    number && before.is_some_and(|before| name_ends.contains(&before))
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

/// Whether an act only asks for a check, a report or a figure: "Check the stock first", "work it out and apply it". It
/// does not change an order.
fn only_looks(act: &Act) -> bool {
    act.imperative && (act.mood == Mood::Question || act.mood == Mood::Calculation && !act.limited)
}

/// Whether a text of more than a few words is in a language whose cue words are not known.
pub(crate) fn is_other_language(reading: &Reading) -> bool {
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
