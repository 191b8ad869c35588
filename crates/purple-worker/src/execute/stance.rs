//! What the words of a task permit where a language model works on it. The grammar decides, not the model.

use purple_intent::value::Notation;
use purple_intent::{Act, Language, Mood, Role, Word, lexicon, read};

/// What a text permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stance {
    /// Something is ordered, or only named: a heading such as "Lockout E-2291".
    Orders,
    /// Nothing is ordered: reads are made, and writes are not possible.
    ReadOnly,
    /// Something is ordered for another time, or only if something holds. The requester is asked.
    Doubtful(Mood),
}

/// What a text permits.
pub(crate) fn stance(text: &str) -> Stance {
    let reading = read(text, &Notation::default());
    let acts = &reading.acts;
    if acts.iter().any(Act::orders) {
        return Stance::Orders;
    }
    let in_doubt = acts.iter().find(|act| match act.mood {
        Mood::OtherTime => true,
        Mood::Conditional | Mood::Reported => act.imperative,
        Mood::Order
        | Mood::Question
        | Mood::Negated
        | Mood::Reversal
        | Mood::Draft
        | Mood::Calculation
        | Mood::Statement => false,
    });
    let orders_nothing = |mood: Mood| match mood {
        Mood::Question
        | Mood::Negated
        | Mood::Conditional
        | Mood::Draft
        | Mood::Calculation
        | Mood::Reported => true,
        Mood::Order | Mood::Reversal | Mood::OtherTime | Mood::Statement => false,
    };
    match in_doubt {
        Some(act) => Stance::Doubtful(act.mood),
        None if acts.iter().any(|act| orders_nothing(act.mood)) => Stance::ReadOnly,
        None => Stance::Orders,
    }
}

/// The mood of a text that only says what is not to be done: it wants no answer and no model.
pub(crate) fn unwanted(text: &str) -> Option<Mood> {
    let reading = read(text, &Notation::default());
    let forbids = |act: &Act| act.mood == Mood::Negated && !act.own_verb;
    let (forbidden, others): (Vec<&Act>, Vec<&Act>) = reading.acts.iter().partition(|act| forbids(act));
    let states = others.iter().all(|act| act.mood == Mood::Statement);
    (states && !forbidden.is_empty()).then_some(Mood::Negated)
}

/// Whether a text states something, or is only polite, in words that are all known: it wants no answer and no model.
pub(crate) fn only_states(text: &str) -> bool {
    let reading = read(text, &Notation::default());
    let known = |word: &Word| match word.role {
        Role::Other => Language::ALL.iter().any(|language| lexicon(*language).explains(&word.lower)),
        Role::Verb(_) | Role::Cue(_) | Role::Name => true,
    };
    reading.acts.iter().all(|act| act.mood == Mood::Statement && act.words.iter().all(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_permit_a_model_what_they_order() {
        for (text, expected) in [
            ("Assign ticket T-7 to the billing team.", Stance::Orders),
            ("Lockout E-2291", Stance::Orders),
            ("Cancel subscription SUB-12.", Stance::Orders),
            ("Put invoice INV-77 on hold.", Stance::Orders),
            ("Reverse journal entry JE-4410.", Stance::Orders),
            ("Do not cancel subscription SUB-12.", Stance::ReadOnly),
            ("Stop processing INV-77.", Stance::ReadOnly),
            ("Assign ticket T-7 to billing, but do not touch T-8.", Stance::Orders),
            ("Do not assign ticket T-7 to the billing team.", Stance::ReadOnly),
            ("Should ticket T-7 be assigned to the billing team?", Stance::ReadOnly),
            ("Draft a reply to the customer of ticket T-7.", Stance::ReadOnly),
            ("Assign ticket T-7 to the billing team next Monday.", Stance::Doubtful(Mood::OtherTime)),
            (
                "If ticket T-7 is about money, assign it to the billing team.",
                Stance::Doubtful(Mood::Conditional),
            ),
        ] {
            assert_eq!(stance(text), expected, "{text}");
        }
    }

    #[test]
    fn small_talk_and_statements_want_no_answer() {
        for text in ["Good morning!", "ok", "Danke, schönen Feierabend!", "Jo Kim has returned the laptop."]
        {
            assert!(only_states(text), "{text}");
        }
        for text in ["Approve it.", "Who is it?", "asdf qwer", "Pay Acme Corp 12 USD today."] {
            assert!(!only_states(text), "{text}");
        }
    }

    #[test]
    fn words_that_only_forbid_something_want_no_answer() {
        assert_eq!(unwanted("By no means approve INV-1 or INV-2."), Some(Mood::Negated));
        for text in ["Approve INV-1, but not INV-2.", "Why not approve INV-1?", "Put INV-7 on hold.", "Hello"]
        {
            assert_eq!(unwanted(text), None, "{text}");
        }
    }
}
