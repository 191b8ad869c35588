//! What words that ask to undo something refer to. What they do not name for certain is not taken for what is meant.

use purple_intent::value::{Meaning, Notation};
use purple_intent::{Act, Cue, Mood, Role, Word, read};

use crate::settings::Process;

/// Words that name no operation: "undo the last thing", "cancel my last request".
const GENERAL: [&str; 24] = [
    "action",
    "actions",
    "all",
    "change",
    "changes",
    "done",
    "everything",
    "last",
    "latest",
    "operation",
    "operations",
    "previous",
    "recent",
    "request",
    "step",
    "steps",
    "task",
    "thing",
    "things",
    "work",
    "letzte",
    "letzten",
    "dernière",
    "último",
];
/// The letters that two forms of a word share at least: `approval` and `approve`.
const STEM_CHARS: usize = 5;

/// What words refer to.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// The records that they name.
    names: Vec<String>,
    /// Their other words, each with every base form that it can have.
    words: Vec<Vec<String>>,
}

/// An operation that was done, as words can refer to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub round: u32,
    pub headline: &'a str,
    pub tool: &'a str,
    pub process: &'a str,
    /// The words that asked for it, where they are known.
    pub title: &'a str,
}

impl Reference {
    /// What these words refer to.
    pub(crate) fn of(text: &str, processes: &[Process]) -> Self {
        let tasks = processes.iter().flat_map(|process| process.file.tasks());
        let prefixes = tasks.flat_map(|task| task.prefixes().collect::<Vec<_>>()).collect();
        let reading = read(text, &Notation { prefixes, ..Notation::default() });
        let is_name = |meaning: &Meaning| matches!(meaning, Meaning::Id(_) | Meaning::Number(_));
        let named = reading.values.iter().filter(|value| value.meanings.iter().any(is_name));
        let names = named.map(|value| value.span.of(text).to_owned()).collect();
        let acts = reading.acts.iter().filter(|act| act.mood == Mood::Reversal);
        Self { names, words: acts.flat_map(content).collect() }
    }

    /// The records that the words name.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether a text has one of the records that the words name.
    pub(crate) fn names_any(&self, text: &str) -> bool {
        self.names.iter().any(|name| Self::is_in(name, text))
    }

    /// Whether a text has this record: `inv-2024-448`, `INV2024448` and `448` all name `INV-2024-448`.
    pub(crate) fn is_in(name: &str, text: &str) -> bool {
        let wanted = plain(name);
        let is_digits = wanted.chars().all(|letter| letter.is_ascii_digit());
        let mut words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '-'));
        words.any(|word| {
            plain(word) == wanted || (is_digits && word.split('-').skip(1).any(|part| part == wanted))
        })
    }

    /// The round of the last of these operations that the words are about. Words that name nothing are about the last one.
    pub(crate) fn find(&self, candidates: &[Candidate<'_>]) -> Option<u32> {
        let is_meant = |one: &&Candidate<'_>| match self.names.is_empty() {
            false => self.names_any(one.headline),
            true => self.words.iter().all(|forms| one.explains(forms)),
        };
        // An operation with the name of its process counts with the others of its round.
        candidates.iter().rfind(is_meant).map(|one| one.round)
    }
}

impl Candidate<'_> {
    fn explains(&self, forms: &[String]) -> bool {
        let texts = [self.headline, self.tool, self.process, self.title].map(str::to_lowercase);
        let mut known = texts.iter().flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric()));
        known.any(|word| forms.iter().any(|form| is_form(form, word)))
    }
}

/// The words of an act that say what is to be undone.
fn content(act: &Act) -> Vec<Vec<String>> {
    let mut has_cue = act.words.iter().any(|word| word.role == Role::Cue(Cue::Reversal));
    let mut content = Vec::new();
    for Word { lower, role, .. } in &act.words {
        match role {
            Role::Cue(_) => {}
            // The verb that reverses: "cancel the offboarding".
            Role::Verb(_) if !has_cue => has_cue = true,
            Role::Verb(lemmas) => content.push([lemmas.as_slice(), std::slice::from_ref(lower)].concat()),
            Role::Name | Role::Other if GENERAL.contains(&lower.as_str()) => {}
            Role::Name | Role::Other => content.push(vec![lower.clone()]),
        }
    }
    content
}

/// Whether two words are forms of one.
fn is_form(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    one == other || shared >= STEM_CHARS
}

/// Letters and digits in lower case.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Process;

    const CANDIDATES: [Candidate<'static>; 3] = [
        Candidate {
            round: 1,
            headline: "Approve invoice INV-2024-448 of 25500.00 USD",
            tool: "approve_invoice",
            process: "invoice_reconciliation",
            title: "",
        },
        Candidate {
            round: 2,
            headline: "Update employee status, employee E-2291",
            tool: "update_employee_status",
            process: "hr_offboarding",
            title: "",
        },
        Candidate {
            round: 3,
            headline: "Approve invoice INV-2024-451 of 12400.00 USD",
            tool: "approve_invoice",
            process: "invoice_reconciliation",
            title: "",
        },
    ];

    fn found(text: &str) -> Option<u32> {
        Reference::of(text, &Process::shipped().unwrap()).find(&CANDIDATES)
    }

    #[test]
    fn a_record_is_found_in_every_notation() {
        for text in [
            "Undo the approval of INV-2024-448.",
            "undo the approval of inv-2024-448",
            "Undo the approval of INV2024448",
            "Undo the approval of invoice 448",
            "Bitte die Freigabe von INV-2024-448 wieder zurücknehmen.",
        ] {
            assert_eq!(found(text), Some(1), "{text}");
        }
        assert_eq!(found("Undo the approval of INV-2024-999"), None);
        assert_eq!(found("Undo the approval of invoice 2024449"), None);
    }

    #[test]
    fn words_without_a_record_are_about_the_last_operation_that_they_describe() {
        for (text, round) in [
            ("Undo that.", Some(3)),
            ("Please undo it again", Some(3)),
            ("Undo the last thing", Some(3)),
            ("Undo the approval", Some(3)),
            ("Undo the offboarding", Some(2)),
            ("Cancel the offboarding", Some(2)),
            ("Undo the offboarding of Jordan Kim", None),
            ("Revert the Globex payment", None),
            ("Undo the pizza order", None),
            ("Please reverse the SLA credit", None),
        ] {
            assert_eq!(found(text), round, "{text}");
        }
    }
}
