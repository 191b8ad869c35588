//! Words that want no work: questions about the program itself, and courtesy. They are answered in a sentence.

use crate::prime::wording::lowered;
use crate::settings::Process;

/// The longest small talk, in words.
const WORDS_MAX: usize = 9;
/// How many example sentences an answer shows.
const EXAMPLES_MAX: usize = 5;

/// Questions for what can be done here.
#[rustfmt::skip]
const FOR_HELP: &[&str] = &[
    "help", "help me", "hilfe", "aide", "ayuda", "what can you do", "what can you do for me", "what can i do",
    "what can i do here", "what can i say", "what can i ask", "what can i ask you", "what do you do", "who are you",
    "what are you", "how does this work", "how do i use this", "how do you work", "can you help me", "was kannst du",
    "was kannst du tun", "was kannst du alles", "was können sie", "was können sie tun", "was kann ich tun",
    "was kann ich hier tun", "was kann ich fragen", "wer bist du", "wer sind sie", "wie geht das", "was machst du",
    "kannst du mir helfen", "können sie mir helfen", "wie funktioniert das", "que peux-tu faire",
    "que pouvez-vous faire", "qui es-tu", "aidez-moi", "qué puedes hacer", "qué puede hacer", "quién eres", "ayúdame",
];
/// Questions for how one is.
#[rustfmt::skip]
const FOR_HEALTH: &[&str] = &[
    "how are you", "how are you doing", "how are you today", "how is it going", "how's it going", "how do you do",
    "what's up", "wie geht es dir", "wie geht es ihnen", "wie geht's", "wie gehts", "wie geht's dir", "alles klar",
    "comment ça va", "ça va", "comment vas-tu", "comment allez-vous", "cómo estás", "cómo está", "qué tal",
];
/// Greetings and farewells that stand alone.
#[rustfmt::skip]
const GREETING_ALONE: &[&str] = &[
    "hi", "hello", "hey", "hello there", "hi there", "hallo", "moin", "servus", "guten tag", "guten morgen",
    "guten abend", "good morning", "good afternoon", "good evening", "bonjour", "salut", "bonsoir", "hola", "buenos días",
    "bye", "goodbye", "tschüss", "auf wiedersehen", "au revoir", "adiós",
];
/// Thanks that stand alone.
#[rustfmt::skip]
const THANKS: &[&str] = &[
    "thanks", "thank you", "thanks a lot", "thank you very much", "many thanks", "great thanks", "ok thanks", "cheers",
    "danke", "vielen dank", "danke schön", "dankeschön", "besten dank", "super danke", "merci", "merci beaucoup", "gracias",
    "muchas gracias",
];
/// Words of greeting before or after them.
const GREETINGS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "hallo",
    "moin",
    "servus",
    "guten tag",
    "guten morgen",
    "good morning",
    "good afternoon",
    "bonjour",
    "salut",
    "hola",
    "buenos días",
    "please",
    "bitte",
];

/// The answer to words that want no work; `None` for a task.
#[must_use]
pub fn small_talk(text: &str, processes: &[Process]) -> Option<String> {
    let lower = lowered(text);
    if lower.split_whitespace().count() > WORDS_MAX {
        return None;
    }
    let words = |c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-' | ' '));
    let plain: String = lower.chars().map(|c| if words(c) { ' ' } else { c }).collect();
    let mut rest = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if GREETING_ALONE.contains(&rest.as_str()) {
        return Some(
            "Hello. Nothing was changed. The words order nothing. `purple help tasks` lists what I can do."
                .to_owned(),
        );
    }
    if THANKS.contains(&rest.as_str()) {
        return Some("You are welcome. Nothing was changed. The words order nothing.".to_owned());
    }
    loop {
        let before = rest.len();
        for greeting in GREETINGS {
            let shorter = rest.strip_prefix(greeting).filter(|rest| rest.starts_with(' '));
            if let Some(shorter) = shorter {
                rest = shorter.trim().to_owned();
            }
        }
        if rest.len() == before {
            break;
        }
    }
    if FOR_HELP.contains(&rest.as_str()) {
        return Some(what_can_be_done(processes));
    }
    FOR_HEALTH.contains(&rest.as_str()).then(|| {
        "I am well, thank you. Nothing was done. `purple help tasks` lists what I can do.".to_owned()
    })
}

fn what_can_be_done(processes: &[Process]) -> String {
    let signed = processes.iter().filter(|one| one.standing.is_answered_for());
    let tasks = signed.flat_map(|process| process.file.tasks()).filter(|task| task.is_complete());
    let examples = tasks.filter_map(|task| task.examples().into_iter().next()).take(EXAMPLES_MAX);
    let mut lines = vec![
        "I do the tasks of the process files, answer questions about their records, and calculate. For example:".to_owned(),
    ];
    lines.extend(examples.map(|example| format!("  {}", example.text)));
    lines.push("  What is the gross amount for 1,000 EUR net at 19% VAT?".to_owned());
    lines.push("`purple help tasks` lists everything that can be said. Nothing was done.".to_owned());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_the_program_are_answered_and_tasks_are_not_taken_for_them() {
        let processes = Process::shipped().unwrap();
        for text in ["Was kannst du?", "what can you do?", "Hilfe", "Hello, what can you do?", "HELP!"] {
            let said = small_talk(text, &processes).unwrap();
            assert!(said.contains("For example:\n  "), "{text}: {said}");
        }
        for text in ["how are you?", "Hi, how are you?", "Wie geht es dir?"] {
            assert!(small_talk(text, &processes).unwrap().starts_with("I am well"), "{text}");
        }
        assert!(small_talk("Thanks!", &processes).unwrap().starts_with("You are welcome"));
        for text in [
            "Help E-1005 leave on Friday",
            "What can you do about INV-7?",
            "Offboard E-1005",
            "",
            "yes",
            "no",
        ] {
            assert_eq!(small_talk(text, &processes), None, "{text}");
        }
    }
}
