//! What a description says that its tool does beside reading: behind a comma, or as a state that something is left in.

use super::tables::{ADVERBS, OBJECTS_FOLLOW};
use super::{is_third, words};
use crate::words::is_change;

/// The word that says so: `Returns the order, marking it as seen`, `The order is then locked`.
///
/// `text` is in lower case.
pub(super) fn found(text: &str) -> Option<String> {
    let sentences = || text.split(['.', '!', '?', ';', '\n']);
    let clauses = sentences().flat_map(|sentence| sentence.split([',', '(']).skip(1));
    let during =
        sentences().flat_map(|sentence| [" while ", " thereby "].map(|joint| sentence.split(joint).skip(1)));
    clauses.chain(during.flatten()).find_map(does).or_else(|| sentences().find_map(leaves))
}

/// The verb that a clause begins with, if it changes what follows: `marking it`, `creates one`.
fn does(clause: &str) -> Option<String> {
    let lead = |word: &&str| ADVERBS.contains(word) || ["and", "while", "thereby"].contains(word);
    let all = words(clause);
    let mut all = all.into_iter().skip_while(lead);
    let (word, next) = (all.next()?, all.next()?);
    let stems = match word.strip_suffix("ing") {
        Some(stem) => stems(stem),
        None if is_third(word) => stems_of_third(word),
        None => return None,
    };
    let object = OBJECTS_FOLLOW.contains(&next) || ["one", "new"].contains(&next);
    // To match is to compare.
    let changes = stems.iter().any(|stem| is_change(stem) && stem != "match");
    (object && changes).then(|| word.to_owned())
}

/// How a sentence says that something is left: `is locked`, `are gone`.
fn leaves(sentence: &str) -> Option<String> {
    let all = words(sentence);
    let at = all.windows(2).position(|pair| matches!(pair, ["is" | "are" | "gets" | "be", _]))?;
    let (before, after) = all.split_at_checked(at)?;
    if before.iter().any(|word| CONDITIONS.contains(word)) {
        return None;
    }
    let done = after.iter().skip(1).find(|word| !ADVERBS.contains(*word) && **word != "thereby")?;
    let stems = done.strip_suffix("ed").map(stems).unwrap_or_default();
    let changes = |stem: &String| is_change(stem) && !STATES.contains(&stem.as_str());
    (LEFT.contains(done) || stems.iter().any(changes)).then(|| (*done).to_owned())
}

/// What a form without its ending may be a form of: `mark`, `delete`, `stop`, `apply`.
fn stems(form: &str) -> Vec<String> {
    let doubled = form.len() > 2 && form.as_bytes().iter().rev().nth(1) == form.as_bytes().last();
    let single = form.get(..form.len().saturating_sub(1)).filter(|_| doubled).map(str::to_owned);
    let y = form.strip_suffix('i').map(|stem| format!("{stem}y"));
    [Some(form.to_owned()), Some(format!("{form}e")), single, y].into_iter().flatten().collect()
}

fn stems_of_third(word: &str) -> Vec<String> {
    let es = word.strip_suffix("es").map(str::to_owned);
    let ies = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
    [word.strip_suffix('s').map(str::to_owned), es, ies].into_iter().flatten().collect()
}

/// How something is left that was changed.
const LEFT: &[&str] = &["frozen", "gone", "hidden", "paid", "sent", "sold", "taken", "withdrawn"];
/// Verbs whose participles say as often how something is.
const STATES: &[&str] = &[
    "apply",
    "complete",
    "convert",
    "document",
    "download",
    "execute",
    "generate",
    "import",
    "issue",
    "link",
    "match",
    "place",
    "post",
    "print",
    "process",
    "provision",
    "publish",
    "register",
    "release",
    "resolve",
    "retry",
    "run",
    "save",
    "set",
    "sign",
    "store",
    "tag",
];
/// Words of clauses that say when something is so, and not what is done.
const CONDITIONS: &[&str] = &[
    "that", "which", "who", "whose", "if", "when", "whether", "where", "unless", "until", "after", "before",
    "once", "only", "what", "how", "not", "no", "while", "must", "should", "since", "because", "every",
    "any", "all",
];
