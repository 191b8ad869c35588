//! Whether a name can only be that of a read: a narrow read verb, and words that name what is read.
//!
//! What a word may do here is listed; a word of which nothing is known may be a verb.

use crate::nouns::{self, Kind};
use crate::opening::{Main, Opening};
use crate::verbs::{GETTERS, JOINTS, READ, READ_ENDINGS, SEARCH};

/// Why a name that begins with a read verb proves no read.
pub(crate) fn doubt_about(name: &[&str], opening: &Opening) -> Option<String> {
    let (verb, rest) = name.split_first()?;
    if tells_secrets(rest, opening) {
        return Some(SECRET.to_owned());
    }
    about_words(verb, rest, opening)
        .or_else(|| about_listing(verb, rest, opening))
        .or_else(|| about_description(opening))
}

/// Why a name without a verb proves no read: its description has to say that it reads, and nothing else.
pub(crate) fn doubt_about_thing(name: &[&str], opening: &Opening) -> Option<String> {
    if tells_secrets(name, opening) {
        return Some(SECRET.to_owned());
    }
    if !matches!(opening.main, Main::Reads(_)) {
        return Some("neither its name nor its description says that it reads".to_owned());
    }
    // A word that is a verb too is a noun where the description reads what the name ends in.
    let head = name.iter().rev().find(|word| !READ_ENDINGS.contains(word) && !READ.contains(word));
    let heads = head.is_some_and(|head| opening.names(head));
    let unknown = name.iter().enumerate().find(|(at, word)| {
        let ending = at + 1 == name.len() && (READ_ENDINGS.contains(word) || READ.contains(word));
        let known = match nouns::kind(word) {
            Kind::Thing | Kind::Plural | Kind::Adjective => true,
            // `return_order`, which returns the order, is no name of a thing.
            Kind::Either => heads && !matches!(&opening.main, Main::Reads(verb) if verb == *word),
            Kind::Participle | Kind::Unknown => false,
        };
        let preposition = PREPOSITIONS.contains(word) && *at > 0;
        !(ending && *at > 0 || known || preposition || QUIET.contains(word) || opening.names(word))
    });
    unknown
        .map(|(_, word)| format!("`{word}` may be a verb: its description does not say that it is read"))
        .or_else(|| about_description(opening))
}

/// Whether what is read gives access to more.
pub(crate) fn tells_secrets(name: &[&str], opening: &Opening) -> bool {
    nouns::is_secret(name) || opening.tells_secrets()
}

const SECRET: &str = "whoever reads a secret can do more than read";

fn about_description(opening: &Opening) -> Option<String> {
    match &opening.main {
        Main::Other(word) => {
            Some(format!("its description says `{word}`, of which it is not known that it only reads"))
        }
        Main::Nothing | Main::Phrase | Main::Reads(_) => {
            opening.doubt.as_ref().map(|word| format!("its description also says `{word}`"))
        }
    }
}

/// What stands before a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Verb,
    Noun,
    Adjective,
    Joint,
    Preposition,
}

fn about_words(verb: &str, rest: &[&str], opening: &Opening) -> Option<String> {
    let mut before = Before::Verb;
    for (at, word) in rest.iter().copied().enumerate() {
        let next = rest.get(at + 1).copied();
        before = match role(word, next, before, verb, opening) {
            Ok(role) => role,
            Err(why) => return Some(why),
        };
    }
    let open = matches!(before, Before::Joint | Before::Preposition);
    open.then(|| "the name ends in the middle".to_owned())
}

fn role(
    word: &str,
    next: Option<&str>,
    before: Before,
    verb: &str,
    opening: &Opening,
) -> Result<Before, String> {
    let doubt = |why: &str| Err(format!("`{word}` {why}"));
    if JOINTS.contains(&word) && next.is_some() {
        return match before {
            Before::Noun => Ok(Before::Joint),
            // `get_or_list_rows`.
            Before::Verb if next.is_some_and(|next| GETTERS.contains(&next)) => Ok(Before::Joint),
            _ => doubt("joins nothing that is known"),
        };
    }
    if PREPOSITIONS.contains(&word) {
        let looks = word == "in" && (verb == "list" || SEARCH.contains(&verb));
        let sought = word == "for" && SEARCH.contains(&verb);
        let phrasal = before == Before::Verb && !(word == "by" || looks || sought);
        return if phrasal { doubt("makes another verb of the first word") } else { Ok(Before::Preposition) };
    }
    if before == Before::Joint && GETTERS.contains(&word) {
        return Ok(Before::Verb);
    }
    let kind = nouns::kind(word);
    if before == Before::Joint && kind.may_be_verb() {
        return doubt("may be a second verb");
    }
    match kind {
        Kind::Thing | Kind::Either | Kind::Plural => Ok(Before::Noun),
        Kind::Adjective => {
            Ok(if before == Before::Noun && next.is_none() { Before::Noun } else { Before::Adjective })
        }
        // `list_archived_orders` lists what is archived; `get_order_archived` has it archived.
        // What ends in -ing is no order.
        Kind::Participle if word.ends_with("ing") && next.is_some_and(|next| nouns::kind(next).is_noun()) => {
            Ok(Before::Adjective)
        }
        Kind::Participle
            if before != Before::Noun && next.is_some_and(|next| nouns::kind(next) != Kind::Unknown) =>
        {
            Ok(Before::Adjective)
        }
        Kind::Participle => doubt("may be what it has done"),
        Kind::Unknown if opening.names(word) => Ok(Before::Noun),
        Kind::Unknown => doubt("is not known to be the name of a thing"),
    }
}

/// To list one thing is also to put it up: `list_property`.
fn about_listing(verb: &str, rest: &[&str], opening: &Opening) -> Option<String> {
    if verb != "list" || rest.is_empty() {
        return None;
    }
    if matches!(&opening.main, Main::Reads(reads) if *reads != "list") {
        return None;
    }
    let end = rest.iter().position(|word| PREPOSITIONS.contains(word)).unwrap_or(rest.len());
    let head =
        rest.get(..end).unwrap_or_default().iter().rev().find(|word| nouns::kind(word) != Kind::Adjective);
    let several =
        head.is_none_or(|head| head.ends_with('s') || UNCOUNTED.contains(head) || nouns::is_irregular(head));
    let offered = rest.windows(2).any(|pair| matches!(pair, ["for" | "on", what] if OFFERED.contains(what)));
    (!several || offered || opening.lists_one).then(|| "to list one thing may be to offer it".to_owned())
}

/// Verbs that change nothing, as names of what is read.
const QUIET: &[&str] = &["analyze", "diff", "explain", "geocode", "inspect", "preview", "research"];
/// Words that bind a thing to another one and follow no verb of their own.
const PREPOSITIONS: &[&str] = &[
    "about", "across", "after", "at", "before", "between", "by", "during", "for", "from", "in", "near", "of",
    "on", "per", "since", "under", "until", "via", "with", "within", "without",
];
/// Things that are listed although there is one of them.
const UNCOUNTED: &[&str] = &[
    "activity",
    "all",
    "backlog",
    "content",
    "data",
    "equipment",
    "feedback",
    "history",
    "income",
    "info",
    "information",
    "inventory",
    "knowledge",
    "media",
    "metadata",
    "personnel",
    "traffic",
    "uptime",
    "usage",
];
/// What is done with a thing that is listed for it.
const OFFERED: &[&str] = &["auction", "hire", "lease", "marketplace", "rent", "sale"];

#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;
