//! Reads the words of a tool's name and says what they suggest, and why.

use crate::effect::Class;
use crate::messages::{MESSAGES, THINGS, TRAILERS};
use crate::products::PRODUCTS;
use crate::verbs::{
    ABBREVIATED_MAX, ALSO_WRITE, ATTRIBUTES, DOUBTS, GETTERS, JOINTS, MODIFIERS, NOT_PREFIXED, NOTIFY, NOUNS,
    OBJECTS, PLAIN_READS, PREPOSITIONS, RARE_NOUNS, READ, READ_ENDINGS, SECOND_VERBS, SHORT_VERBS, TAKES,
    UNPROVEN, UNPROVEN_NOUNS, VERB_PREFIXES, WRITE,
};

/// What a name suggests, and the reason for the catalogue. The weakest evidence: a read by name needs more.
///
/// `described` tells whether its description reads what this word names.
pub(crate) fn class_of(words: &[&str], described: impl Fn(&str) -> bool) -> (Class, String) {
    let first = words.first().copied().unwrap_or("");
    if asks(words) {
        let why = "the name asks somebody, and nobody declared it an approval tool";
        return (Class::Unclear, why.to_owned());
    }
    if let Some(verb) = write_verb(words) {
        return (Class::Write, format!("`{verb}` in the name is a write verb"));
    }
    if let Some(why) = second_verb(words) {
        return (Class::Write, why);
    }
    if NOTIFY.contains(&first) {
        return notify(first, words);
    }
    let Some(verb) = read_verb(words) else {
        return (Class::Unclear, unproven(first));
    };
    match doubt_about_read(words, described) {
        Some(why) => (Class::Unclear, why),
        None => (Class::Read, format!("`{verb}` in the name reads")),
    }
}

/// The verb by which a name suggests a read, if nothing else is in it.
pub(crate) fn read_verb<'a>(words: &[&'a str]) -> Option<&'a str> {
    words.first().copied().filter(|first| READ.contains(first))
}

/// Whether a tool of this name asks somebody for a confirmation or an approval.
pub fn asks_somebody(name: &str) -> bool {
    let words = split(name);
    asks(&without_vendor(&words, &[]))
}

/// The words of a name that say what a tool does: without the product or namespace that it belongs to.
///
/// A word that is a verb is never removed, so that no prefix can hide what a tool does.
pub(crate) fn without_vendor<'a>(words: &'a [String], repeated: &[String]) -> Vec<&'a str> {
    let mut rest: Vec<&str> = words.iter().map(String::as_str).collect();
    let belongs =
        |word: &str| (PRODUCTS.contains(&word) || repeated.iter().any(|one| one == word)) && !is_verb(word);
    while rest.len() > 1 && rest.first().is_some_and(|word| belongs(word)) {
        rest.remove(0);
    }
    if let Some(at) = rest.iter().take(ABBREVIATED_MAX + 1).position(|word| PLAIN_READS.contains(word))
        && at + 1 < rest.len()
        && rest.iter().take(at).all(|word| abbreviates(word))
    {
        rest.drain(..at);
    }
    while rest.len() > 1 && rest.last().is_some_and(|word| belongs(word)) {
        rest.pop();
    }
    rest
}

/// Whether a word can only abbreviate the name of a product, as in `sf_get_opportunity` and `d365_get_orders`.
fn abbreviates(word: &str) -> bool {
    const LETTERS_MAX: usize = 4;
    let vowel = |letter: char| "aeiouy".contains(letter);
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    digits || (word.len() <= LETTERS_MAX && !word.contains(vowel) && !SHORT_VERBS.contains(&word))
}

/// First and last words that repeat over the tools of one server: its own name for itself.
pub(crate) fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    const TIMES_MIN: usize = 3;
    /// One in so many tools.
    const SHARE: usize = 4;
    let all: Vec<Vec<String>> = names.map(split).collect();
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for words in &all {
        let ends: std::collections::BTreeSet<&str> =
            words.first().into_iter().chain(words.last()).map(String::as_str).collect();
        ends.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    let often = |times: usize| {
        (times >= TIMES_MIN && times.saturating_mul(SHARE) >= all.len()) || (times > 1 && times == all.len())
    };
    counts.into_iter().filter(|(_, times)| often(*times)).map(|(word, _)| word.to_owned()).collect()
}

/// Whether a word is a verb of any table, or one by its prefix.
pub(crate) fn is_verb(word: &str) -> bool {
    [READ, READ_ENDINGS, UNPROVEN, NOTIFY, WRITE, ALSO_WRITE, SECOND_VERBS]
        .iter()
        .any(|table| table.contains(&word))
        || by_prefix(word)
}

/// Whether a prefix makes this a verb that changes something.
fn by_prefix(word: &str) -> bool {
    let tables = [WRITE, ALSO_WRITE, SECOND_VERBS, NOTIFY];
    let changes = |rest: &str| tables.iter().any(|table| table.contains(&rest));
    !NOT_PREFIXED.contains(&word)
        && VERB_PREFIXES.iter().any(|prefix| word.strip_prefix(prefix).is_some_and(changes))
}

/// Whether a word is a verb that changes something, as the tables have it.
pub(crate) fn is_write_word(word: &str) -> bool {
    [WRITE, ALSO_WRITE].iter().any(|table| table.contains(&word))
}

/// Whether a verb changes something, whatever else the word may be.
pub(crate) fn is_change(verb: &str) -> bool {
    is_write_word(verb)
        || [SECOND_VERBS, DOUBTS, TAKES].iter().any(|table| table.contains(&verb))
        || by_prefix(verb)
}

/// Whether a word is a verb that changes something and never the name of a thing.
pub(crate) fn only_changes(word: &str) -> bool {
    let noun = [NOUNS, RARE_NOUNS, MODIFIERS].iter().any(|table| table.contains(&word));
    (!noun && [WRITE, ALSO_WRITE].iter().any(|table| table.contains(&word))) || by_prefix(word)
}

fn unproven(first: &str) -> String {
    match UNPROVEN.contains(&first) {
        true => format!("`{first}` proves nothing by itself"),
        false => "the name holds no verb that proves anything".to_owned(),
    }
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
        ["confirm", "with", ..] => !words.iter().any(|word| JOINTS.contains(word)),
        [
            "require" | "request" | "await" | "ask",
            between @ ..,
            "approval" | "signoff" | "confirmation" | "consent",
        ]
        | ["require" | "request", between @ .., "sign", "off"]
        | ["ask", between @ .., "user" | "customer" | "manager" | "requester"] => {
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

fn doubt_about_read(words: &[&str], described: impl Fn(&str) -> bool) -> Option<String> {
    let unknown = words
        .windows(2)
        .skip(1)
        .find(|pair| matches!(pair, [joint, second] if JOINTS.contains(joint) && !READ.contains(second)));
    // In `profit_and_loss_report` nothing before the joint is a verb, so nothing after it is a second one.
    let leads = words.first().is_some_and(|first| READ.contains(first));
    if let Some([_, second]) =
        unknown.filter(|_| leads && words.get(1).is_some_and(|word| JOINTS.contains(word)))
    {
        return Some(format!("`{second}` is a second verb of which nothing is known"));
    }
    // `history_clear`: what may be a noun elsewhere is a verb behind the thing that it changes.
    let ends = |at: usize, word: &str| {
        at > 0 && at + 1 == words.len() && SECOND_VERBS.contains(&word) && !described(word)
    };
    let other = words.iter().enumerate().skip(usize::from(leads)).find(|(at, word)| {
        let noun = *at > 0 && UNPROVEN_NOUNS.contains(*word);
        by_prefix(word) || DOUBTS.contains(*word) || ends(*at, word) || (UNPROVEN.contains(*word) && !noun)
    });
    other.map(|(_, word)| format!("`{word}` is a second verb"))
}

/// A verb that changes something after `and`, `or` or `then`, wherever that stands.
fn second_verb(words: &[&str]) -> Option<String> {
    let pairs = words.iter().zip(words.iter().skip(1));
    let (_, verb) =
        pairs.skip(1).find(|(joint, verb)| JOINTS.contains(*joint) && SECOND_VERBS.contains(*verb))?;
    Some(format!("`{verb}` is a second verb, and it changes something"))
}

fn notify(first: &str, words: &[&str]) -> (Class, String) {
    let is_trailer = |word: &str| TRAILERS.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit());
    let phrase = words.get(1..).unwrap_or(&[]);
    let end = phrase.iter().position(|word| PREPOSITIONS.contains(word)).unwrap_or(phrase.len());
    let head = phrase.get(..end).unwrap_or(&[]).iter().rev().find(|word| !is_trailer(word));
    let sends = matches!(first, "send" | "schedule");
    match head {
        Some(head) if in_table(MESSAGES, head).is_some() => {
            (Class::Notify, format!("`{first}` and `{head}` in the name only tell"))
        }
        Some(head) if in_table(THINGS, head).is_some() => {
            (Class::Write, format!("`{head}` is no message: to {first} it is more than telling"))
        }
        Some(head) if sends => (
            Class::Unclear,
            format!("`{head}` is not plainly a message: to {first} it may be more than telling"),
        ),
        None if sends => (Class::Unclear, format!("the name does not say what it would {first}")),
        Some(_) | None => (Class::Notify, format!("the name begins with `{first}`, which tells")),
    }
}

/// The entry of a table that this word is, singular or plural.
pub(crate) fn in_table(table: &[&'static str], word: &str) -> Option<&'static str> {
    let is = |entry: &str| {
        word.strip_prefix(entry).is_some_and(|ending| matches!(ending, "" | "s" | "es"))
            || entry.strip_suffix('y').is_some_and(|stem| word.strip_prefix(stem) == Some("ies"))
    };
    table.iter().copied().find(|entry| is(entry))
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
