//! Reads the words of a tool's name and says which effect they mean, and why.

use crate::effect::Effect;
use crate::verbs::{
    ALSO_WRITE, ATTRIBUTES, COMPUTE, GETTERS, JOINTS, MODIFIERS, NOTIFY, NOUNS, OBJECTS, PREPOSITIONS,
    RARE_NOUNS, READ, SECOND_VERBS, THINGS, TRAILERS, WRITE,
};

/// The effect that a name means, and the reason for the catalogue.
pub(crate) fn effect_of(name: &str) -> (Effect, String) {
    let words = split(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let first = words.first().copied().unwrap_or("");
    if asks(&words) {
        return (Effect::Approval, "the name asks somebody for a confirmation or approval".to_owned());
    }
    if let Some(verb) = write_verb(&words) {
        return (Effect::Write, format!("`{verb}` in the name is a write verb"));
    }
    if let Some(why) = second_verb(&words) {
        return (Effect::Write, why);
    }
    if NOTIFY.contains(&first) {
        return notify(first, &words);
    }
    if COMPUTE.contains(&first) {
        return (Effect::Compute, format!("the name begins with `{first}`, which calculates"));
    }
    if READ.contains(&first) {
        return match doubt_about_read(&words) {
            Some(why) => (Effect::Write, why),
            None => (Effect::Read, format!("the name begins with `{first}`, which reads")),
        };
    }
    (Effect::Write, format!("nothing is known about `{first}`, and doubt is a write"))
}

/// Whether nothing is known about a name, so that it is a write only for want of anything better.
pub(crate) fn says_nothing(name: &str) -> bool {
    let words = split(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let first = words.first().copied().unwrap_or("");
    let known = [NOTIFY, COMPUTE, READ].iter().any(|verbs| verbs.contains(&first));
    !known && !asks(&words) && write_verb(&words).is_none() && second_verb(&words).is_none()
}

/// Cuts at `_`, `-`, `.`, `/`, at camel-case humps and between letters and digits; lower case.
pub(crate) fn split(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (index, current) in characters.iter().copied().enumerate() {
        let previous = index.checked_sub(1).and_then(|at| characters.get(at)).copied();
        let next = characters.get(index + 1).copied();
        if (!current.is_alphanumeric() || is_hump(previous, current, next)) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if current.is_alphanumeric() {
            word.extend(current.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn is_hump(previous: Option<char>, current: char, next: Option<char>) -> bool {
    let Some(previous) = previous else { return false };
    let case = !previous.is_uppercase() && current.is_uppercase();
    // In `getHTTPStatus` the last capital of a run begins the next word.
    let acronym = previous.is_uppercase() && current.is_uppercase() && next.is_some_and(char::is_lowercase);
    let digits = previous.is_ascii_digit() != current.is_ascii_digit();
    case || acronym || digits
}

fn asks(words: &[&str]) -> bool {
    match words {
        ["confirm", "with", "user" | "customer"] | ["await", "approval"] => true,
        ["require" | "request", between @ .., "approval" | "signoff"]
        | ["require" | "request", between @ .., "sign", "off"] => {
            !between.iter().any(|word| JOINTS.contains(word))
        }
        _ => false,
    }
}

/// The first word that is a write verb and not plainly a noun.
fn write_verb(words: &[&str]) -> Option<&'static str> {
    let after_read = words.first().is_some_and(|first| READ.contains(first));
    words.iter().enumerate().find_map(|(at, word)| {
        let verb = in_table(WRITE, word).or_else(|| in_table(ALSO_WRITE, word))?;
        if after_read && is_plainly_noun(words, at, verb) { None } else { Some(verb) }
    })
}

/// After a leading read verb: whether this word, which could be a verb, can only be a noun.
fn is_plainly_noun(words: &[&str], at: usize, verb: &str) -> bool {
    let word = |at: usize| words.get(at).copied();
    let before = at.checked_sub(1).and_then(word).unwrap_or("");
    let noun = NOUNS.contains(&verb);
    let rare = RARE_NOUNS.contains(&verb);
    if JOINTS.contains(&before) || !(noun || rare || MODIFIERS.contains(&verb)) {
        return false;
    }
    let plural = word(at) != Some(verb);
    if plural {
        return true;
    }
    let getter = word(0).is_some_and(|first| GETTERS.contains(&first));
    let Some(next) = word(at + 1) else { return noun || (rare && getter) };
    if in_table(ATTRIBUTES, next).is_some() {
        return noun || getter;
    }
    // Directly after a getter stands its object: `get_change_orders`. Elsewhere it may be a second verb.
    getter && at == 1 && (noun || rare) && in_table(OBJECTS, next).is_none()
}

fn doubt_about_read(words: &[&str]) -> Option<String> {
    match words {
        ["check", "in" | "out" | "off", ..] => Some("checking in, out or off changes something".to_owned()),
        [_, joint, second, ..]
            if JOINTS.contains(joint) && !READ.contains(second) && !COMPUTE.contains(second) =>
        {
            Some(format!("`{second}` is a second verb of which nothing is known, and doubt is a write"))
        }
        _ => None,
    }
}

/// A verb that changes something after `and`, `or` or `then`, wherever that stands.
fn second_verb(words: &[&str]) -> Option<String> {
    let pairs = words.iter().zip(words.iter().skip(1));
    let (_, verb) =
        pairs.skip(1).find(|(joint, verb)| JOINTS.contains(*joint) && SECOND_VERBS.contains(*verb))?;
    Some(format!("`{verb}` is a second verb, and it changes something"))
}

fn notify(first: &str, words: &[&str]) -> (Effect, String) {
    let is_trailer = |word: &str| TRAILERS.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit());
    let phrase = words.get(1..).unwrap_or(&[]);
    let end = phrase.iter().position(|word| PREPOSITIONS.contains(word)).unwrap_or(phrase.len());
    let head = phrase.get(..end).unwrap_or(&[]).iter().rev().find(|word| !is_trailer(word));
    match head {
        Some(head) if in_table(THINGS, head).is_some() => (
            Effect::Write,
            format!("`{head}` is money, goods, access or a record: to {first} it is not only telling"),
        ),
        Some(_) => (Effect::Notify, format!("the name begins with `{first}`, which tells")),
        None if matches!(first, "send" | "schedule") => {
            (Effect::Write, format!("the name does not say what it would {first}, and doubt is a write"))
        }
        None => (Effect::Notify, format!("the name begins with `{first}`, which tells")),
    }
}

/// The entry of a table that this word is, singular or plural.
fn in_table(table: &[&'static str], word: &str) -> Option<&'static str> {
    let is = |entry: &str| {
        word.strip_prefix(entry).is_some_and(|ending| matches!(ending, "" | "s" | "es"))
            || entry.strip_suffix('y').is_some_and(|stem| word.strip_prefix(stem) == Some("ies"))
    };
    table.iter().copied().find(|entry| is(entry))
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
