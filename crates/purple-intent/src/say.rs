//! How a process is asked for, as its file says.

use crate::act::{Act, Role};
use crate::language::{Language, lexicon};

/// A sentence with slots and optional parts: `approve|release invoice {invoice} [per policy]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SayForm {
    language: Language,
    text: String,
    /// Words that must occur, each with its alternatives.
    required: Vec<Vec<String>>,
    /// The slots, in the order of the text.
    slots: Vec<String>,
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
        let (mut required, mut slots) = (Vec::new(), Vec::new());
        let (mut optional, mut slot) = (false, None::<String>);
        let mut plain = String::new();
        let unbalanced = |bracket| BadSayForm::Unbalanced { form: text.to_owned(), bracket };
        for letter in text.chars() {
            match (letter, &mut slot) {
                ('}', Some(_)) => slots.extend(slot.take().map(|name| name.trim().to_owned())),
                ('{', None) => slot = Some(String::new()),
                ('[', None) if !optional => optional = true,
                (']', None) if optional => optional = false,
                ('{' | '}' | '[' | ']', _) => return Err(unbalanced(letter)),
                (_, Some(name)) => name.push(letter),
                (_, None) if optional => {}
                (_, None) => plain.push(letter),
            }
        }
        if slot.is_some() || optional {
            return Err(unbalanced(if optional { '[' } else { '{' }));
        }
        for word in plain.split_whitespace() {
            let alternatives: Vec<String> = word.split('|').map(str::to_lowercase).collect();
            if !alternatives.iter().all(|word| lexicon(language).is_function_word(word)) {
                required.push(alternatives);
            }
        }
        if required.is_empty() {
            return Err(BadSayForm::Empty { form: text.to_owned() });
        }
        Ok(Self { language, text: text.to_owned(), required, slots })
    }

    /// The form as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of its slots.
    pub fn slots(&self) -> &[String] {
        &self.slots
    }

    /// Whether an act is asked for in this way: every required word occurs in it, in any form and order.
    pub fn fits(&self, act: &Act) -> bool {
        let same = |wanted: &String, word: &crate::act::Word| {
            let lemmas = lexicon(self.language).verb(wanted);
            let as_verb = match &word.role {
                Role::Verb(found) => lemmas.iter().any(|form| found.contains(&form.lemma)),
                Role::Cue(_) | Role::Name | Role::Other => false,
            };
            as_verb || word.lower == *wanted
        };
        self.required
            .iter()
            .all(|wanted| wanted.iter().any(|one| act.words.iter().any(|word| same(one, word))))
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
        assert_eq!(form.slots(), ["month", "contract_id"]);
        let fits = |text: &str| read(text, &Notation::default()).acts.iter().any(|act| form.fits(act));
        assert!(fits("Calculate credit per contract #CTR-441."));
        assert!(fits("Per contract CTR-441 please calculate the credit."));
        assert!(!fits("Calculate the VAT per contract CTR-441."));
        let only = read("Only calculate the credit per contract CTR-441.", &Notation::default());
        assert_eq!(only.acts[0].mood, Mood::Calculation);
        assert!(only.acts[0].limited);
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
