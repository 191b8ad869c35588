//! Whether what an act orders can be done with a tool.
//!
//! Verbs are compared by their base forms, so that "lock" and `disable_user` meet. Everything that a tool says it does
//! must be asked for: `close_and_refund` is not asked for by "close". A tool that creates or changes something is judged
//! by its nouns and by the state that it sets.

use purple_intent::{Act, Form, Language, Role, Word, lexicon};
use purple_process::{Effect, Json, Values};

use super::Wanted;

/// Verbs that ask for whatever the case needs.
const GENERAL: [&str; 10] = [
    "process",
    "handle",
    "do",
    "take care of",
    "resolve",
    "fix",
    "complete",
    "settle",
    "deal with",
    "finish",
];

/// What no general verb asks for.
const FINAL: [&str; 10] =
    ["delete", "purge", "drop", "wipe", "erase", "destroy", "terminate", "cancel", "void", "fire"];

/// Verbs of a tool that say nothing about what is done: its nouns, and the state that it sets, do.
const LIGHT: [&str; 34] = [
    "create", "make", "issue", "do", "perform", "process", "execute", "run", "handle", "manage", "submit",
    "start", "begin", "initiate", "launch", "open", "update", "modify", "change", "set", "edit", "patch",
    "put", "upsert", "write", "save", "complete", "request", "file", "place", "active", "give", "get", "use",
];

/// Verbs that can mean the same, beside those that have one base form.
const ALIKE: [&[&str]; 15] = [
    &["apply", "book", "post", "record", "enter", "register", "log", "credit"],
    &["send", "email", "mail", "notify", "inform", "remind", "message", "tell", "alert", "forward", "reply"],
    &["close", "resolve", "complete", "finish"],
    &["delete", "remove", "erase", "purge", "clear"],
    &["cancel", "void", "annul"],
    &["approve", "accept", "release", "authorize", "confirm", "grant"],
    &["reject", "decline", "deny", "refuse"],
    &["refund", "reimburse", "return", "credit"],
    &["pay", "transfer", "settle", "remit"],
    &["assign", "allocate", "route", "move", "transfer", "escalate"],
    &["book", "reserve", "schedule", "plan", "order", "buy", "purchase"],
    &["add", "insert", "attach", "include", "register", "onboard", "hire"],
    &["offboard", "terminate", "dismiss"],
    &["revoke", "disable", "deactivate", "lock", "suspend", "block", "freeze"],
    &["replace", "exchange", "swap", "change", "modify", "update"],
];

/// Verbs that exclude each other: an order of one is not an order of the other.
const OPPOSITES: [(&[&str], &[&str]); 9] = [
    (
        &["approve", "accept", "release", "grant", "authorize"],
        &["reject", "decline", "deny", "block", "revoke"],
    ),
    (&["add", "create", "insert"], &["remove", "delete", "drop", "purge"]),
    (&["open", "reopen"], &["close"]),
    (&["enable", "activate", "unlock", "unblock"], &["disable", "deactivate", "lock", "block", "suspend"]),
    (&["start", "begin", "resume"], &["stop", "cancel", "end", "terminate", "pause"]),
    (&["increase", "raise"], &["decrease", "reduce", "lower"]),
    (&["hire", "onboard"], &["offboard", "terminate", "fire"]),
    (&["refund", "credit"], &["charge", "debit", "invoice"]),
    (&["subscribe", "enroll"], &["unsubscribe", "cancel"]),
];

/// Verbs by which somebody else is asked to do something: "Remind Tom to close the ticket".
const DELEGATING: [&str; 7] = ["ask", "remind", "tell", "inform", "request", "instruct", "notify"];

/// Words of a parameter that say in which state a record is put.
const STATE: [&str; 8] =
    ["status", "state", "action", "decision", "operation", "stage", "outcome", "resolution"];

/// Whether what an act orders can be done with this tool.
pub(super) fn fits(text: &str, act: &Act, wanted: &Wanted<'_>) -> bool {
    let asked = Asked::of(text, act);
    let name = super::words(wanted.tool);
    let state = state_words(wanted.values);
    if name.iter().chain(&state).any(|word| asked.excludes(word)) {
        return false;
    }
    if wanted.of_process {
        return true;
    }
    let described = super::words(first_sentence(wanted.description));
    let mut done = verbs_of(&name);
    if done.is_empty() {
        // `RFC_17`: only the description says what it does.
        done.extend(verbs_of(&described).into_iter().next());
    }
    if done.is_empty() {
        // `merge_tickets`: a word that nobody knows is what it does.
        done.extend(name.iter().map(String::as_str).find(|word| !is_record(word)));
    }
    done.extend(verbs_of(&state));
    let (light, plain): (Vec<&str>, Vec<&str>) = done.iter().partition(|word| is_any(word, &LIGHT));
    let speaks_of = |word: &str| name.iter().chain(&described).any(|other| super::is_same(word, other));
    let is_spoken_of = || asked.nouns.iter().any(|noun| speaks_of(noun));
    match (plain.is_empty(), light.is_empty()) {
        (false, _) => plain.iter().all(|word| asked.wants(word)),
        (true, _) => {
            let foreign = !asked.is_english && wanted.effect == Effect::Write;
            asked.is_general() || is_spoken_of() || foreign || light.iter().any(|word| asked.wants(word))
        }
    }
}

/// The words of a tool's name without its first verb: `create_purchase_order` is about a purchase order.
pub(super) fn objects(tool: &str) -> Vec<String> {
    let name = super::words(tool);
    let verb = name.iter().position(|word| is_verb(&word.as_str()) && !is_record(word));
    name.into_iter().enumerate().filter(|(at, _)| Some(*at) != verb).map(|(_, word)| word).collect()
}

/// What an act asks for.
struct Asked<'a> {
    /// The base forms of its verbs that are no kinds of records.
    lemmas: Vec<&'a str>,
    /// Its verbs: the base forms and the words themselves.
    verbs: Vec<&'a str>,
    /// All its words but cues.
    nouns: Vec<&'a str>,
    is_english: bool,
}

impl<'a> Asked<'a> {
    fn of(text: &str, act: &'a Act) -> Self {
        // In "pause subscription S-7" the word that can negate is what is ordered.
        let counts = |word: &&Word| !matches!(word.role, Role::Cue(_)) || act.own_verb;
        let words: Vec<&Word> = act.words.iter().filter(counts).collect();
        let own = delegated(text, &words).map_or(words.as_slice(), |last| words.get(..=last).unwrap_or(&[]));
        let verbs: Vec<&Word> = own.iter().copied().filter(|word| !lemmas(word).is_empty()).collect();
        let is_english = |word: &&Word| !lexicon(Language::English).verb(&word.lower).is_empty();
        // In "take care of invoice INV-7" the last verb is the kind of a record.
        let acts = verbs.iter().filter(|word| !is_record(&word.lower));
        Self {
            is_english: verbs.is_empty() || verbs.iter().any(is_english),
            lemmas: acts.flat_map(|word| lemmas(word)).collect(),
            verbs: verbs
                .iter()
                .flat_map(|word| lemmas(word).into_iter().chain([word.lower.as_str()]))
                .collect(),
            nouns: own.iter().map(|word| word.lower.as_str()).collect(),
        }
    }

    /// Whether it asks for what this word of a tool says.
    fn wants(&self, word: &str) -> bool {
        let lemmas = base_forms(word);
        let same = |other: &&str| {
            super::is_same(word, other)
                || lemmas.contains(other)
                || lemmas.iter().any(|one| are_alike(one, other))
        };
        self.verbs.iter().chain(&self.nouns).any(same) || self.is_general() && !is_any(&word, &FINAL)
    }

    /// Whether it asks for whatever the case needs. "Process the return" asks for a return.
    fn is_general(&self) -> bool {
        !self.lemmas.is_empty() && self.lemmas.iter().all(|verb| GENERAL.contains(verb))
    }

    fn excludes(&self, word: &str) -> bool {
        self.verbs.iter().any(|verb| are_opposite(verb, word))
    }
}

/// The base forms of a verb; none of another word.
fn lemmas(word: &Word) -> Vec<&str> {
    match &word.role {
        Role::Verb(lemmas) => lemmas.iter().map(String::as_str).collect(),
        Role::Cue(_) => Language::ALL
            .iter()
            .flat_map(|language| lexicon(*language).verb(&word.lower))
            .map(|form| form.lemma.as_str())
            .collect(),
        Role::Name | Role::Other => Vec::new(),
    }
}

/// The place of a verb by which somebody else is asked to do what follows. "I ask you to close it" asks the reader.
fn delegated(text: &str, words: &[&Word]) -> Option<usize> {
    let first = words.iter().position(|word| matches!(word.role, Role::Verb(_)))?;
    let Role::Verb(lemmas) = &words.get(first)?.role else { return None };
    let after = text.get(words.get(first)?.span.end..)?.split_whitespace().next()?.to_lowercase();
    let is_reader = Language::ALL.iter().any(|language| lexicon(*language).is_second_person(&after));
    (!is_reader && lemmas.iter().any(|lemma| DELEGATING.contains(&lemma.as_str()))).then_some(first)
}

/// The words that are verbs and not the kind of a record: `orders.cancel` cancels.
fn verbs_of(words: &[String]) -> Vec<&str> {
    let english = lexicon(Language::English);
    let verbs = words.iter().map(String::as_str).filter(is_verb);
    let no_record: Vec<&str> = verbs.filter(|word| !is_record(word)).collect();
    // Behind a verb that says what is done, a word such as `payment` is its object.
    let is_plain = |word: &&str| {
        !is_any(word, &LIGHT) && english.verb(word).iter().any(|form| form.form == Form::Imperative)
    };
    match no_record.iter().copied().find(is_plain) {
        Some(_) => no_record.into_iter().filter(is_plain).collect(),
        None => no_record,
    }
}

fn is_verb(word: &&str) -> bool {
    !lexicon(Language::English).verb(word).is_empty()
        || is_any(word, &LIGHT)
        || is_any(word, &FINAL)
        || is_alike_to_any(word)
}

fn is_record(word: &str) -> bool {
    let english = lexicon(Language::English);
    english.is_record(word) || word.strip_suffix('s').is_some_and(|word| english.is_record(word))
}

/// The words of arguments that put a record in a state: `status: "closed"`.
fn state_words(values: &Values) -> Vec<String> {
    let sets = |name: &str| super::words(name).iter().any(|word| STATE.contains(&word.as_str()));
    let text = |(name, value): (&String, &Json)| match value {
        Json::Text(text) if sets(name) => super::words(text),
        _ => Vec::new(),
    };
    values.iter().flat_map(text).collect()
}

fn first_sentence(text: &str) -> &str {
    text.split(['.', '\n']).next().unwrap_or(text)
}

/// The base forms of an English word; the word itself where it is not known.
fn base_forms(word: &str) -> Vec<&str> {
    let known: Vec<&str> =
        lexicon(Language::English).verb(word).iter().map(|form| form.lemma.as_str()).collect();
    if known.is_empty() { vec![word] } else { known }
}

fn is_any(word: &&str, list: &[&str]) -> bool {
    list.contains(word) || base_forms(word).iter().any(|form| list.contains(form))
}

fn is_alike_to_any(word: &str) -> bool {
    ALIKE.iter().any(|group| group.contains(&word))
}

fn are_alike(one: &str, other: &str) -> bool {
    ALIKE.iter().any(|group| group.contains(&one) && group.contains(&other))
}

fn are_opposite(one: &str, other: &str) -> bool {
    let any = |list: &[&str], word: &str| list.iter().any(|known| super::is_same(known, word));
    OPPOSITES
        .iter()
        .any(|(left, right)| (any(left, one) && any(right, other)) || (any(right, one) && any(left, other)))
}
