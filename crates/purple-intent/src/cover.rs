//! Whether the words of a task order a process, and whether all of them are explained.

mod explain;
mod introduction;
mod label;
mod name;
mod object;
mod ordered;
mod remark;
mod value;

use std::cell::OnceCell;

use ordered::Ordered;

use crate::act::{Act, Mood, Reading, Role, Word};
use crate::language::{Cue, Detected, Form, Language, Lexicon, lexicon};
use crate::nominal::Nominal;
use crate::say::SayForm;
use crate::span::{Span, inside};
use crate::token::tokens;

/// What the words of a task say about a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cover {
    /// They order it, and every content word is explained.
    Covered {
        /// The acts that order it, by their index in the reading.
        acts: Vec<usize>,
        /// Names in lower case that no input takes. The records of the case must hold them: else somebody or something
        /// else is meant.
        names: Vec<String>,
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
/// Verbs by which somebody orders what was said before.
const ADOPTING: [&str; 5] = ["make", "take care of", "arrange", "implement", "process"];

/// What a process contributes to the reading of a task.
#[expect(missing_debug_implementations, reason = "it holds functions")]
pub struct Asked<'a> {
    /// How it is asked for.
    pub forms: &'a [SayForm],
    /// Whether an input is known.
    pub known: &'a dyn Fn(&str) -> bool,
    /// Whether the process file itself explains a word, in lower case.
    pub uses: &'a dyn Fn(&str) -> bool,
    /// Whether an input is a list of items that come or go, and is known.
    pub items: bool,
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
    let lexicons: Vec<&Lexicon> = languages(reading).into_iter().map(lexicon).collect();
    let for_speaker = |act: &Act| {
        let words = tokens(act.span.of(text));
        words.iter().any(|token| lexicons.iter().any(|lexicon| lexicon.is_speaker(&token.lower)))
    };
    let limited = limited || reading.acts.iter().any(|act| act.mood == Mood::Calculation && for_speaker(act));
    let alone = stands_alone(text, reading, asked, &lexicons);
    // "Offboarding: E-7, last day Friday" is how a ticket asks. Without its colon a heading only names what it is about.
    let by_noun =
        |act: &Act| alone && act.nominal == Some(Nominal::Heading) && act.span.of(text).contains(':');
    let by_items = |act: &Act| {
        let values = inside(&reading.values, act.span, |value| value.span).iter();
        asked.items
            && !forms.is_empty()
            && act.nominal == Some(Nominal::Thing)
            && values.into_iter().any(|value| (asked.takes)(value.span))
    };
    let spoken = languages(reading);
    let mood = |act| match mood(act, limited, &forms, &spoken, asked.takes) {
        Mood::Statement if by_noun(act) && forms.iter().any(|form| form.fits(act.words.iter())) => {
            Mood::Order
        }
        Mood::Statement if by_items(act) => Mood::Order,
        mood => mood,
    };
    let acts = reading.acts.iter().map(|act| (act, mood(act))).collect();
    let words = || reading.acts.iter().flat_map(|act| &act.words);
    let fitting = forms.iter().copied().filter(|form| form.fits(words())).collect();
    let of_items = reading.acts.iter().any(by_items);
    let lasting = words().any(explain::lasts);
    let covering = Covering {
        text,
        reading,
        asked,
        forms,
        fitting,
        acts,
        lexicons,
        lasting,
        of_items,
        own_verbs: OnceCell::new(),
        ordered: OnceCell::new(),
    };
    match covering.orders() {
        Err(cover) => cover,
        // Only the mood counts for a process without forms.
        Ok(acts) if asked.forms.is_empty() => Cover::Covered { acts, names: Vec::new() },
        Ok(acts) => covering.explained(acts),
    }
}

/// Whether everything that is said is a value, a name, a polite word or a word of the process: a heading that stands
/// alone is an order, and one that something else is said about is not. What is done already has a sign.
fn stands_alone(text: &str, reading: &Reading, asked: &Asked<'_>, lexicons: &[&Lexicon]) -> bool {
    const DONE: [char; 5] = ['✓', '✔', '✅', '👍', '?'];
    let is_label = |word: &Word| lexicons.iter().any(|lexicon| lexicon.is_label(&word.lower));
    let belongs = |word: &Word| match word.role {
        Role::Name => true,
        Role::Cue(_) => false,
        Role::Verb(_) | Role::Other => {
            is_label(word)
                || asked.forms.iter().any(|form| form.explains(word))
                || (asked.uses)(&word.lower)
                || (asked.takes)(word.span)
        }
    };
    let is_named = |act: &Act| act.nominal.is_some() || !act.words.iter().any(can_be_verb);
    let is_heading = |act: &Act| {
        (act.mood == Mood::Order || act.mood == Mood::Statement && is_named(act))
            && act.words.iter().all(belongs)
    };
    !text.contains(DONE) && reading.acts.iter().all(is_heading)
}

/// A reading with the moods that its acts have for a process.
struct Covering<'a> {
    text: &'a str,
    reading: &'a Reading,
    asked: &'a Asked<'a>,
    /// The forms whose required inputs are known.
    forms: Vec<&'a SayForm>,
    /// Those of which every required word is said.
    fitting: Vec<&'a SayForm>,
    acts: Vec<(&'a Act, Mood)>,
    /// Whether a verb is said whose effect lasts.
    lasting: bool,
    /// Where the verbs begin that order the process, looked for once.
    own_verbs: OnceCell<Vec<usize>>,
    /// What the words of the orders say, looked for once.
    ordered: OnceCell<Ordered<'a>>,
    /// Whether items are asked for without a verb.
    of_items: bool,
    lexicons: Vec<&'static Lexicon>,
}

impl<'a> Covering<'a> {
    /// The acts that order something, where nothing else is said.
    fn orders(&self) -> Result<Vec<usize>, Cover> {
        let moods = || self.acts.iter().enumerate();
        let orders: Vec<usize> =
            moods().filter(|(_, (_, mood))| *mood == Mood::Order).map(|(at, _)| at).collect();
        let other = self
            .acts
            .iter()
            .enumerate()
            .filter(|(_, (act, _))| orders.is_empty() || !self.only_looks(act))
            .filter(|(at, _)| orders.is_empty() || !self.is_aside(*at))
            .filter(|(at, (_, mood))| *mood != Mood::Reported || !self.is_adopted(*at, &orders))
            .map(|(_, (_, mood))| *mood)
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

    /// Whether an order after a reported wish is to do just that: "The customer asks to add 2 Hub; please do it."
    fn is_adopted(&self, reported: usize, orders: &[usize]) -> bool {
        let Some((act, _)) = orders.iter().find(|at| **at > reported).and_then(|at| self.acts.get(*at))
        else {
            return false;
        };
        let supports = |word: &Word| match &word.role {
            Role::Verb(lemmas) => lemmas.iter().any(|one| ADOPTING.contains(&one.as_str())),
            Role::Cue(_) | Role::Name | Role::Other => false,
        };
        !act.words.is_empty() && act.words.iter().all(supports)
    }

    /// Whether a form fits, and everything that is said is explained.
    fn explained(&self, orders: Vec<usize>) -> Cover {
        if self.fitting.is_empty() && !self.of_items {
            return Cover::Doubtful(Doubt::NoForm);
        }
        if self.is_introduced(&orders) {
            return Cover::Doubtful(Doubt::Mood(Mood::Reported));
        }
        let unexplained = self.unexplained(&orders);
        match unexplained.is_empty() {
            true => Cover::Covered { names: self.names_to_check(), acts: orders },
            false => Cover::Doubtful(Doubt::Words(unexplained)),
        }
    }

    /// Whether an act only asks for a check, a report or a figure that belongs to the process: "Check the stock first",
    /// "work it out and apply it". It does not change an order. What somebody else has to be asked does.
    fn only_looks(&self, act: &Act) -> bool {
        let looks =
            act.imperative && (act.mood == Mood::Question || act.mood == Mood::Calculation && !act.limited);
        let belongs = |word: &Word| match &word.role {
            Role::Verb(_) | Role::Cue(_) => true,
            Role::Name => self.belongs(word),
            // "Work out what they owe us, and book it".
            Role::Other => {
                let common = || self.lexicons.iter().any(|lexicon| lexicon.is_common(&word.lower));
                self.belongs(word) || act.mood == Mood::Calculation && common()
            }
        };
        looks && act.words.iter().all(belongs)
    }

    fn languages(&self) -> impl Iterator<Item = Language> {
        languages(self.reading).into_iter()
    }

    fn words(&self) -> impl Iterator<Item = &Word> + Clone {
        self.acts.iter().flat_map(|(act, _)| &act.words)
    }
}

/// The mood of an act where a process is asked for in these ways: what would only be a calculation or a heading is an
/// order where a form says so, unless the words limit it.
fn mood(
    act: &Act,
    limited: bool,
    forms: &[&SayForm],
    languages: &[Language],
    takes: &dyn Fn(Span) -> bool,
) -> Mood {
    let is_verb = |word: &Word| can_be_verb(word) && !takes(word.span);
    let by_form = |needs_verb: bool| {
        let spoken = |form: &SayForm| needs_verb || languages.contains(&form.language());
        let mut forms = forms.iter().filter(|form| spoken(form));
        forms.any(|form| form.has_verb() == needs_verb && form.fits(act.words.iter()))
    };
    let is_cue = |word: &&Word| matches!(word.role, Role::Cue(Cue::Negation | Cue::Reversal));
    let cues: Vec<&Word> = act.words.iter().filter(is_cue).collect();
    let own_cue = || match cues.as_slice() {
        [cue] => forms.iter().any(|form| form.requires(cue) && form.fits(act.words.iter())),
        [] | [_, _, ..] => false,
    };
    let concerns = |word: &Word| forms.iter().any(|form| form.requires(word));
    match act.mood {
        // "Suspend vendor 7" where that is what the process does.
        Mood::Negated | Mood::Reversal if own_cue() => Mood::Order,
        // "Nobody has complained" does not concern what is ordered, "nobody has approved it" does.
        Mood::Negated if act.reports && !act.words.iter().any(concerns) => Mood::Statement,
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

/// Whether a word can be more than a noun: `lockout` cannot.
fn can_be_verb(word: &Word) -> bool {
    let forms = || Language::ALL.into_iter().flat_map(|language| lexicon(language).verb(&word.lower));
    matches!(word.role, Role::Verb(_))
        && (forms().next().is_none() || forms().any(|form| form.form != Form::Noun))
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
