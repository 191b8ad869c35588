//! Whether words that answer a question give a value, and say nothing about it that leaves it in doubt.

use crate::act::{Act, Mood, Role, Word};
use crate::language::{Cue, Language, lexicon};
use crate::read::read;
use crate::value::{Notation, values};

/// Why an answer is not taken as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerDoubt {
    /// It says that it is not certain, or that it is not so; the words that say it.
    NotCertain(String),
    /// It asks something itself.
    Asks,
    /// It says something else about the value; the words that nothing explains.
    Words(Vec<String>),
}

/// Why an answer gives no value that can be relied on; `None` if it does, or if it is a task of its own. `is_asked`
/// says whether a word belongs to what was asked for.
///
/// ```
/// use purple_intent::{AnswerDoubt, doubt_answer, value::Notation};
///
/// let doubt = |answer| doubt_answer(answer, &Notation::default(), |word| word.lower == "day");
/// assert_eq!(doubt("The day is 2026-03-20."), None);
/// assert_eq!(doubt("maybe 2026-03-20"), Some(AnswerDoubt::NotCertain("maybe".to_owned())));
/// assert_eq!(doubt("2026-03-20 is a holiday"), Some(AnswerDoubt::Words(vec!["holiday".to_owned()])));
/// ```
pub fn doubt_answer(
    answer: &str,
    notation: &Notation,
    is_asked: impl Fn(&Word) -> bool,
) -> Option<AnswerDoubt> {
    let reading = read(answer, notation);
    if reading.acts.iter().any(Act::orders) {
        return None;
    }
    if let Some(hedge) = hedge(&answer.to_lowercase()) {
        return Some(AnswerDoubt::NotCertain(hedge));
    }
    let words = || reading.acts.iter().flat_map(|act| &act.words);
    let in_doubt = words().find(|word| matches!(&word.role, Role::Cue(cue) if leaves_in_doubt(*cue)));
    if let Some(word) = in_doubt {
        return Some(AnswerDoubt::NotCertain(word.lower.clone()));
    }
    if answer.contains('?') || reading.acts.iter().any(|act| act.mood == Mood::Question) {
        return Some(AnswerDoubt::Asks);
    }
    if values(answer, notation).is_empty() {
        return None;
    }
    let unknown = words().filter(|word| !is_plain(word) && !is_asked(word));
    let unknown: Vec<String> = unknown.map(|word| word.lower.clone()).collect();
    if unknown.is_empty() { None } else { Some(AnswerDoubt::Words(unknown)) }
}

/// The first phrase of a text that says that somebody is not sure.
fn hedge(lower: &str) -> Option<String> {
    let found = |phrase: &&String| {
        lower.match_indices(phrase.as_str()).any(|(at, _)| {
            let before = lower.get(..at).and_then(|before| before.chars().next_back());
            let after = lower.get(at + phrase.len()..).and_then(|after| after.chars().next());
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
    };
    Language::ALL.into_iter().find_map(|language| lexicon(language).hedges().iter().find(found).cloned())
}

const fn leaves_in_doubt(cue: Cue) -> bool {
    match cue {
        Cue::Negation
        | Cue::Condition
        | Cue::Reversal
        | Cue::Draft
        | Cue::Limit
        | Cue::Reported
        | Cue::Correction => true,
        Cue::Question | Cue::Calculation | Cue::OtherTime | Cue::Courtesy | Cue::Sequence | Cue::Wish => {
            false
        }
    }
}

/// Words around a value that say nothing about it.
fn is_plain(word: &Word) -> bool {
    const GIVING: [&str; 12] = [
        "use", "take", "answer", "value", "nimm", "nehmen", "antwort", "wert", "prends", "prenez", "usa",
        "toma",
    ];
    let common = |language| {
        let lexicon = lexicon(language);
        lexicon.is_function_word(&word.lower) || lexicon.is_courtesy(&word.lower)
    };
    matches!(word.role, Role::Cue(_))
        || GIVING.contains(&word.lower.as_str())
        || Language::ALL.into_iter().any(common)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt(answer: &str) -> Option<AnswerDoubt> {
        doubt_answer(answer, &Notation::default(), |word| ["last", "day", "amount"].contains(&&*word.lower))
    }

    #[test]
    fn values_alone_and_with_the_words_of_the_question_are_taken() {
        for answer in [
            "2026-03-20",
            "2026-03-20 please",
            "it's 2026-03-20, thanks",
            "The last day is 2026-03-20.",
            "Her last day will be 20 March 2026",
            "Freitag, 20.03.2026",
            "next Friday",
            "against PO-8822",
            "PO-8822 and 25,500 USD",
            "the amount is 5,000 USD",
            "use 2026-03-20",
            "Offboard E-1005 on 2026-03-20",
            "Acme Corp",
            "",
        ] {
            assert_eq!(doubt(answer), None, "{answer}");
        }
    }

    #[test]
    fn answers_that_are_not_certain_are_not_taken() {
        for answer in [
            "maybe 2026-03-20",
            "I think 5,000?",
            "I think it is 5,000 USD",
            "not 2026-03-20",
            "vielleicht am 20.03.2026",
            "should be 2026-03-20",
            "I guess it is PO-8822",
            "Bob said 2026-03-20",
            "about 5,000 USD",
            "2026-03-20 or so",
            "ich glaube 20.03.2026",
            "peut-être le 20 mars 2026",
            "quizás el 20 de marzo de 2026",
            "if nothing changes 2026-03-20",
        ] {
            let found = doubt(answer);
            assert!(matches!(found, Some(AnswerDoubt::NotCertain(_))), "{answer}: {found:?}");
        }
        assert_eq!(doubt("2026-03-20?"), Some(AnswerDoubt::Asks));
        assert_eq!(doubt("Is it 2026-03-20?"), Some(AnswerDoubt::Asks));
    }

    #[test]
    fn words_about_a_value_are_not_the_value() {
        assert_eq!(doubt("2026-03-20 is a holiday"), Some(AnswerDoubt::Words(vec!["holiday".to_owned()])));
        assert_eq!(
            doubt("der 20.03.2026 ist ein Feiertag"),
            Some(AnswerDoubt::Words(vec!["feiertag".to_owned()]))
        );
        assert!(doubt("5,000 USD was the old budget").is_some());
    }
}
