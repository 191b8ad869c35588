//! How a process is asked for, as its file says.

use std::collections::BTreeSet;

use crate::act::{Act, Reading, Role, Word};
use crate::language::{Detected, Form, Language, lexicon};

/// A sentence with slots and optional parts: `approve|release invoice {invoice} [per policy]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SayForm {
    language: Language,
    text: String,
    /// Words that must occur, each with its alternatives.
    required: Vec<Vec<String>>,
    /// Every word of the form, those of optional parts included.
    words: BTreeSet<String>,
    /// The slots, in the order of the text.
    slots: Vec<Slot>,
    /// Words that a preposition follows in the form: `access of {employee}`.
    linked: BTreeSet<String>,
    /// Words that the form explains only where a verb is the one that is ordered: `(reject: damaged duplicate)`.
    with_verb: Vec<(String, Vec<String>)>,
    /// Whether a word that must occur is a verb.
    has_verb: bool,
}

/// A place in a form for an input of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The input.
    pub name: String,
    /// Whether the form fits only where the input is known.
    pub required: bool,
}

/// A form that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSayForm {
    /// Brackets or braces that do not match.
    #[error("`{form}` has a `{bracket}` without its partner")]
    Unbalanced {
        /// The form.
        form: String,
        /// The bracket.
        bracket: char,
    },
    /// Nothing in it must occur.
    #[error("`{form}` has no word that must occur; write at least what is to be done")]
    Empty {
        /// The form.
        form: String,
    },
}

impl SayForm {
    /// Reads a form.
    ///
    /// # Errors
    ///
    /// Where brackets do not match, or no content word is required.
    pub fn parse(language: Language, text: &str) -> Result<Self, BadSayForm> {
        let (text, with_verb) = split_verbs(text);
        let text = text.as_str();
        let mut parts = Parts::default();
        for letter in text.chars() {
            if !parts.take(letter) {
                return Err(BadSayForm::Unbalanced { form: text.to_owned(), bracket: letter });
            }
        }
        if let Some(bracket) = parts.open() {
            return Err(BadSayForm::Unbalanced { form: text.to_owned(), bracket });
        }
        let content = |word: &str| !lexicon(language).is_function_word(word);
        let alternatives = |word: &str| word.split('|').map(str::to_lowercase).collect::<Vec<String>>();
        let required: Vec<Vec<String>> = parts.plain.split_whitespace().map(alternatives).collect();
        let required: Vec<_> =
            required.into_iter().filter(|group| group.iter().any(|word| content(word))).collect();
        if required.is_empty() {
            return Err(BadSayForm::Empty { form: text.to_owned() });
        }
        let optional = parts.optional.split_whitespace().flat_map(alternatives);
        let words = required.iter().flatten().cloned().chain(optional).collect();
        let is_verb = |word: &String| lexicon(language).verb(word).iter().any(|form| form.form != Form::Noun);
        let has_verb = required.iter().flatten().any(is_verb);
        let linked = linked(language, text);
        Ok(Self {
            language,
            text: text.to_owned(),
            required,
            words,
            linked,
            slots: parts.slots,
            with_verb,
            has_verb,
        })
    }

    /// The form of the first order of a text, in the language of the text: its verbs and other content words must
    /// occur, the words around it may. `None` where the text orders nothing, or is not in one language.
    pub fn of(reading: &Reading) -> Option<(Language, String)> {
        let Detected::One(language) = reading.language else { return None };
        let order = reading.acts.iter().find(|act| act.orders())?;
        let content = |act: &Act| {
            let words = act.words.iter().filter(|word| matches!(word.role, Role::Verb(_) | Role::Other));
            let plain = words.filter(|word| word.lower.chars().all(char::is_alphabetic));
            plain.map(|word| word.lower.clone()).collect::<Vec<String>>()
        };
        let required = content(order);
        let others = reading.acts.iter().filter(|act| act.span != order.span).flat_map(content);
        let around: Vec<String> = others.filter(|word| !required.contains(word)).collect();
        let around = if around.is_empty() { String::new() } else { format!(" [{}]", around.join(" ")) };
        let form = format!("{}{around}", required.join(" "));
        Self::parse(language, &form).ok().map(|parsed| (language, parsed.text))
    }

    /// The form as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The language of its words.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The words that must occur, each with its alternatives in lower case.
    pub fn required(&self) -> &[Vec<String>] {
        &self.required
    }

    /// Its slots.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Whether it names a verb that must occur. Without one it is a heading, such as `lockout {employee}`.
    pub fn has_verb(&self) -> bool {
        self.has_verb
    }

    /// Whether the words are asked for in this way: every required word occurs among them, in any form and order.
    pub fn fits<'w>(&self, words: impl Iterator<Item = &'w Word> + Clone) -> bool {
        self.required
            .iter()
            .all(|group| group.iter().any(|one| words.clone().any(|word| self.is_same(one, word))))
    }

    /// Whether a word of a text is one that must occur.
    pub(crate) fn requires(&self, word: &Word) -> bool {
        self.required.iter().flatten().any(|one| self.is_same(one, word))
    }

    /// Whether a verb of a text is one that must occur, in every meaning that it has: `change` is not `raise`.
    pub(crate) fn names(&self, word: &Word) -> bool {
        let Role::Verb(found) = &word.role else { return false };
        let same = |own: &String| {
            let forms = lexicon(self.language).verb(own);
            let several = own.contains('_').then(|| own.replace('_', " "));
            word.lower == *own
                || !forms.is_empty() && forms.iter().all(|form| found.contains(&form.lemma))
                || several.is_some_and(|lemma| found.contains(&lemma))
        };
        self.required.iter().flatten().any(same)
    }

    /// Whether two words of a text are alternatives of which one must occur, and the other is asked for nowhere else.
    pub(crate) fn are_alternatives(&self, one: &Word, other: &Word) -> bool {
        let holds = |group: &[String], word: &Word| group.iter().any(|own| self.is_same(own, word));
        let mut groups = self.required.iter().filter(|group| holds(group, other)).peekable();
        groups.peek().is_some() && groups.all(|group| holds(group, one))
    }

    /// Whether a word of a text can be what the order is about: it must occur, or the form has a preposition after it.
    pub(crate) fn is_object(&self, word: &Word) -> bool {
        self.requires(word) || self.linked.iter().any(|one| self.is_same(one, word))
    }

    /// Whether a word of a text is a word of the form, in any form of the word.
    pub fn explains(&self, word: &Word) -> bool {
        self.words.iter().any(|one| self.is_same(one, word))
    }

    /// Whether a word gives a reason for one of the verbs of the form. `from_here` is the text from the word on.
    pub(crate) fn has_reason(&self, word: &Word, from_here: &str) -> bool {
        let mut all = self.with_verb.iter().flat_map(|(_, words)| words);
        all.any(|one| is_reason(one, word, from_here))
    }

    /// The words that give a reason for the only verb of the form that is ordered; none where it takes no reasons.
    pub(crate) fn reasons(&self, ordered: &[&Word]) -> impl Iterator<Item = &String> {
        let own = |one: &&&Word| matches!(one.role, Role::Verb(_)) && self.requires(one);
        let verbs: Vec<&Word> = ordered.iter().filter(own).copied().collect();
        let is_only =
            move |verb: &str| !verbs.is_empty() && verbs.iter().all(|said| self.is_same(verb, said));
        self.with_verb.iter().filter(move |(verb, _)| is_only(verb)).flat_map(|(_, words)| words)
    }

    fn is_same(&self, own: &str, word: &Word) -> bool {
        let as_verb = || match &word.role {
            Role::Verb(found) => {
                let several = own.contains('_').then(|| own.replace('_', " "));
                lexicon(self.language).verb(own).iter().any(|form| found.contains(&form.lemma))
                    || several.is_some_and(|lemma| found.contains(&lemma))
            }
            Role::Cue(_) | Role::Name | Role::Other => false,
        };
        word.lower == own
            || as_verb()
            || is_plural(&word.lower, own)
            || is_plural(own, &word.lower)
            || (self.language == Language::German
                && word.role == Role::Other
                && is_compound(&word.lower, own))
    }
}

/// Whether a word is a reason of a form, or begins one of several words. `from_here` is the text from the word on.
pub(crate) fn is_reason(reason: &str, word: &Word, from_here: &str) -> bool {
    let begins = || {
        let mut said = from_here.split_whitespace().map(str::to_lowercase);
        reason.split('_').all(|one| said.next().is_some_and(|said| said.starts_with(one)))
    };
    if reason.contains('_') { begins() } else { reason == word.lower }
}

/// A form without its parts in parentheses, and the verb and words of each.
fn split_verbs(text: &str) -> (String, Vec<(String, Vec<String>)>) {
    let (mut rest, mut with_verb) = (text.to_owned(), Vec::new());
    while let Some((before, after)) = rest.split_once('(') {
        let Some((part, after)) = after.split_once(')') else { break };
        let Some((verb, words)) = part.split_once(':') else { break };
        let words = words.split_whitespace().map(str::to_lowercase).collect();
        with_verb.push((verb.trim().to_lowercase(), words));
        rest = format!("{}{after}", before.trim_end());
    }
    (rest, with_verb)
}

/// The words of a form that a preposition follows.
fn linked(language: Language, text: &str) -> BTreeSet<String> {
    let plain: String =
        text.chars().map(|letter| if "[]{}".contains(letter) { ' ' } else { letter }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let before = words.windows(2).filter_map(|pair| match pair {
        [word, next] if next.split('|').all(|one| lexicon(language).is_preposition(one)) => Some(*word),
        _ => None,
    });
    before.flat_map(|word| word.split('|').map(str::to_lowercase).collect::<Vec<String>>()).collect()
}

/// The shortest last part of a compound.
const COMPOUND_END_MIN: usize = 5;
/// First parts that turn the meaning of a compound around.
const OPPOSITES: [&str; 7] = ["nicht", "un", "gegen", "storno", "rück", "wieder", "ab"];

/// Whether a word is a kind of what the other word names: `Systemzugang` is a `Zugang`.
fn is_compound(word: &str, end: &str) -> bool {
    let first = word.strip_suffix(end).filter(|_| end.chars().count() >= COMPOUND_END_MIN);
    first
        .is_some_and(|first| first.chars().count() > 2 && !OPPOSITES.iter().any(|one| first.starts_with(one)))
}

/// Whether one word is the plural of the other, as far as an added ending makes it.
fn is_plural(plural: &str, singular: &str) -> bool {
    plural.strip_prefix(singular).is_some_and(|ending| matches!(ending, "s" | "es" | "n" | "en" | "e"))
}

/// The parts of a form while it is read.
#[derive(Debug, Default)]
struct Parts {
    plain: String,
    optional: String,
    slots: Vec<Slot>,
    slot: Option<String>,
    in_optional: bool,
}

impl Parts {
    /// Takes the next letter; `false` for a bracket that has no partner.
    fn take(&mut self, letter: char) -> bool {
        match (letter, &mut self.slot) {
            ('}', Some(_)) => {
                let required = !self.in_optional;
                let name = self.slot.take().unwrap_or_default();
                self.slots.push(Slot { name: name.trim().to_owned(), required });
            }
            ('{', None) => self.slot = Some(String::new()),
            ('[', None) if !self.in_optional => self.in_optional = true,
            (']', None) if self.in_optional => {
                self.in_optional = false;
                self.optional.push(' ');
            }
            ('{' | '}' | '[' | ']', _) => return false,
            (_, Some(name)) => name.push(letter),
            (_, None) if self.in_optional => self.optional.push(letter),
            (_, None) => self.plain.push(letter),
        }
        true
    }

    /// The bracket that is still open at the end.
    fn open(&self) -> Option<char> {
        if self.slot.is_some() {
            return Some('{');
        }
        self.in_optional.then_some('[')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Notation;
    use crate::{Mood, read};

    #[test]
    fn a_form_fits_its_words_in_any_form_and_order() {
        let form =
            SayForm::parse(Language::English, "calculate credit [for {month}] per contract {contract_id}")
                .unwrap();
        let slots: Vec<_> = form.slots().iter().map(|slot| (slot.name.as_str(), slot.required)).collect();
        assert_eq!(slots, [("month", false), ("contract_id", true)]);
        let fits =
            |text: &str| read(text, &Notation::default()).acts.iter().any(|act| form.fits(act.words.iter()));
        assert!(fits("Calculate credit per contract #CTR-441."));
        assert!(fits("Per contract CTR-441 please calculate the credit."));
        assert!(!fits("Calculate the VAT per contract CTR-441."));
        let only = read("Only calculate the credit per contract CTR-441.", &Notation::default());
        assert_eq!(only.acts[0].mood, Mood::Calculation);
        assert!(only.acts[0].limited);
    }

    #[test]
    fn a_german_compound_is_a_kind_of_its_last_part() {
        assert!(is_compound("systemzugang", "zugang"));
        assert!(!is_compound("rückzugang", "zugang") && !is_compound("nichtfreigabe", "freigabe"));
        assert!(!is_compound("zugang", "zugang") && !is_compound("vertrag", "trag"));
    }

    #[test]
    fn brackets_must_match_and_something_must_be_required() {
        for bad in [
            "approve {invoice",
            "approve invoice}",
            "approve [per policy",
            "approve]",
            "[approve] the {invoice}",
        ] {
            assert!(SayForm::parse(Language::English, bad).is_err(), "{bad}");
        }
    }
}
