//! What a tool's description says that it does. It can only make the tool stricter.

use crate::parameter::{Hazard, Risk};
use crate::verbs::{ALSO_WRITE, MODIFIERS, NOUNS, RARE_NOUNS, WRITE};
use crate::words::in_table;

/// The longest description that is read, in bytes. What follows says nothing that a server could rely on.
const DESCRIPTION_BYTES_MAX: usize = 16 * 1024;

/// Verbs of descriptions beside those of names.
const MORE: &[&str] = &["cache", "store", "persist", "run", "send", "notify", "email", "record"];

/// Words before the verb of a sentence.
const FILLERS: &[&str] = &[
    "this",
    "the",
    "tool",
    "it",
    "also",
    "then",
    "will",
    "can",
    "and",
    "or",
    "optionally",
    "automatically",
    "safely",
    "first",
    "finally",
    "function",
    "endpoint",
    "method",
    "action",
    "operation",
    "to",
    "lets",
    "you",
    "allows",
    "helps",
    "used",
    "api",
    "which",
    "that",
    "immediately",
];

/// Words after a word that show that it was a verb.
const DETERMINERS: &[&str] = &[
    "a", "an", "the", "this", "that", "its", "it", "them", "one", "all", "any", "new", "your", "existing",
    "multiple", "each", "every", "their", "his", "some",
];

/// The verb by which a description says that its tool creates, changes, deletes, sends, pays or triggers something.
///
/// A first sentence counts in every form; later ones only as a statement (`Marks it as read.`), because advice to
/// the reader is an imperative too (`Create a token first.`).
///
/// A tool that takes a statement runs it; what the statement does is judged at each call.
pub(crate) fn writes(description: &str, risks: &[Risk]) -> Option<&'static str> {
    let statement = risks.iter().any(|risk| matches!(risk.hazard, Hazard::Text(_)));
    said(description).filter(|verb| !(statement && ["run", "execute"].contains(verb)))
}

fn said(description: &str) -> Option<&'static str> {
    let end = description.floor_char_boundary(DESCRIPTION_BYTES_MAX);
    let text = description.get(..end).unwrap_or_default().to_lowercase();
    let sentences = text.split(['.', '!', '?', ':', ';', '\n', '|', '—']).map(words);
    let mut sentences = sentences.filter(|words| words.len() > 1);
    let opening = sentences.next()?;
    leading(&opening, Form::Any)
        .or_else(|| joined(&opening))
        .or_else(|| sentences.find_map(|sentence| leading(&sentence, Form::Statement)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Any,
    /// The third person.
    Statement,
}

fn words(sentence: &str) -> Vec<&str> {
    let clean = |word: &&str| !word.is_empty();
    sentence.split(|character: char| !character.is_alphanumeric()).filter(clean).collect()
}

/// The verb that a sentence begins with, if it changes something.
fn leading(sentence: &[&str], form: Form) -> Option<&'static str> {
    let at = sentence.iter().position(|word| !FILLERS.contains(word) && !is_number(word))?;
    verb_at(sentence, at, form)
}

/// A verb after `and`, `then` or `or` that changes something.
fn joined(sentence: &[&str]) -> Option<&'static str> {
    let joints = sentence.iter().enumerate().filter(|(_, word)| ["and", "then", "or"].contains(*word));
    joints.into_iter().find_map(|(at, _)| {
        let next = sentence.get(at + 1).is_some_and(|word| FILLERS.contains(word));
        verb_at(sentence, at + 1 + usize::from(next), Form::Any)
    })
}

fn verb_at(sentence: &[&str], at: usize, form: Form) -> Option<&'static str> {
    let word = *sentence.get(at)?;
    let tables = [WRITE, ALSO_WRITE, MORE];
    let verb = tables.iter().find_map(|table| in_table(table, word))?;
    // To convert is to compute as often as to change; to resolve a name is to look it up, to match one to compare it.
    if ["convert", "match", "resolve"].contains(&verb) {
        return None;
    }
    let inflected = word != verb;
    // A word that also names a thing is a verb only where its object follows.
    let noun = [NOUNS, RARE_NOUNS, MODIFIERS, MORE].iter().any(|table| table.contains(&verb));
    let object = sentence.get(at + 1).is_some_and(|next| DETERMINERS.contains(next));
    let is_verb = (!noun || object) && (form == Form::Any || inflected);
    is_verb.then_some(verb)
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_description_says_that_its_tool_does_is_found() {
        for (text, verb) in [
            ("Delete the customer.", Some("delete")),
            ("This tool triggers a new pipeline", Some("trigger")),
            ("Returns the message and marks it as read", Some("mark")),
            ("Gets the next job. Also removes it from the queue.", Some("remove")),
            ("🎯 Purpose:\n 1. Creates a record", Some("create")),
            ("Download, process and return the source", Some("download")),
            ("List pull requests and releases", None),
            ("Shows changes that are staged for commit", None),
            ("Get an issue. Create a token first.", None),
            ("Lists users created since a date", None),
            ("", None),
        ] {
            assert_eq!(writes(text, &[]), verb, "{text}");
        }
    }
}
