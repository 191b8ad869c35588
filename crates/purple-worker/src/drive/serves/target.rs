//! Whether the requester's own words, or records that they lead to, name what an operation is about.

use purple_intent::value::{Meaning, Notation};
use purple_intent::{Mood, Reading, Role, Span};
use purple_process::{Json, Values, is_free_text};

use super::Context;

/// Words of a parameter that say which record, person or place is meant.
const NAMING_WORDS: [&str; 29] = [
    "id",
    "ids",
    "account",
    "iban",
    "bic",
    "email",
    "emails",
    "to",
    "cc",
    "bcc",
    "recipient",
    "recipients",
    "channel",
    "address",
    "user",
    "username",
    "employee",
    "customer",
    "vendor",
    "supplier",
    "payee",
    "beneficiary",
    "owner",
    "assignee",
    "group",
    "file",
    "path",
    "url",
    "name",
];
/// Last words of a parameter that gives something new a name: it identifies nothing that exists.
const REFERENCE_WORDS: [&str; 5] = ["number", "no", "reference", "ref", "key"];
/// How deep answers and arguments are searched.
const LEVELS_MAX: usize = 16;

/// What may be a target: a place in the requester's words, or a value of a record that they lead to.
pub(super) struct Targets {
    words: Vec<(String, Span)>,
    /// The same of what the requester said before, text by text.
    earlier: Vec<Vec<(String, Span)>>,
    records: Vec<String>,
}

impl Targets {
    /// The targets of a task. A read counts where the words or earlier reads identify what it asked for. Where the
    /// words identify nothing, as in "remind every customer", a read without arguments counts too.
    pub(super) fn of(text: &str, reading: &Reading, context: &Context<'_>) -> Self {
        let names_records = names_records(reading);
        let words = own_words(text, reading, context);
        let mut targets = Self { words, earlier: Vec::new(), records: Vec::new() };
        // "Now revoke the access": what is meant was named before.
        if !names_records {
            let read =
                |text: &&str| own_words(text, &purple_intent::read(text, &Notation::default()), context);
            targets.earlier = context.earlier.iter().map(read).collect();
        }
        let reads = context.reads;
        let mut left: Vec<&(&Values, Json)> = reads.iter().collect();
        loop {
            let (led, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(|(arguments, _)| {
                let asked = identifying(arguments, &[], Strictness::Every);
                asked.iter().all(|value| targets.has(value)) && (!asked.is_empty() || !names_records)
            });
            if led.is_empty() {
                return targets;
            }
            led.iter().for_each(|(_, answer)| collect(answer, 0, &mut targets.records));
            left = rest;
        }
    }

    /// Whether everything that these arguments identify is a target.
    pub(super) fn hold(&self, values: &Values, closed: &[&str]) -> bool {
        identifying(values, closed, Strictness::Naming).iter().all(|value| self.has(value))
    }

    /// Where the requester's words name what these arguments identify.
    pub(super) fn named(&self, values: &Values, closed: &[&str]) -> Vec<Span> {
        let values = identifying(values, closed, Strictness::Naming);
        values.iter().filter_map(|value| place(&self.words, &plain(value))).collect()
    }

    fn has(&self, value: &str) -> bool {
        let plain = plain(value);
        let said = |words: &Vec<(String, Span)>| place(words, &plain).is_some();
        plain.is_empty()
            || said(&self.words)
            || self.earlier.iter().any(said)
            || self.records.contains(&plain)
    }
}

/// The words that are this value, apart from case, spaces and signs.
fn place(words: &[(String, Span)], wanted: &str) -> Option<Span> {
    if wanted.is_empty() {
        return None;
    }
    (0..words.len()).find_map(|begin| {
        let mut joined = String::new();
        for (word, span) in words.get(begin..)? {
            joined.push_str(word);
            if joined == wanted {
                return Some(Span::new(words.get(begin)?.1.start, span.end));
            }
            if joined.len() >= wanted.len() {
                return None;
            }
        }
        None
    })
}

/// The requester's own words, without those that order nothing: "approve A, but do not touch B" names A.
fn own_words(text: &str, reading: &Reading, context: &Context<'_>) -> Vec<(String, Span)> {
    let counts = |span: Span| {
        let own = reading.own.iter().any(|part| part.contains(span));
        let act = reading.acts.iter().find(|act| act.span.contains(span));
        let states = |mood: Mood| matches!(mood, Mood::Statement | Mood::Calculation);
        own && act.is_none_or(|act| context.orders(act) || states(act.mood))
    };
    let mut words = Vec::new();
    let mut start = None;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        match (letter.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(begin)) => {
                let span = Span::new(begin, at);
                if counts(span) {
                    words.push((plain(span.of(text)), span));
                }
                start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    words
}

/// Whether the words name a record by its id or a party by its name.
fn names_records(reading: &Reading) -> bool {
    let is_id = |meaning: &Meaning| matches!(meaning, Meaning::Id(_));
    let own = |span: Span| reading.own.iter().any(|part| part.contains(span));
    reading.values.iter().any(|value| own(value.span) && value.meanings.iter().any(is_id))
        || reading.acts.iter().flat_map(|act| &act.words).any(|word| matches!(word.role, Role::Name))
}

/// Which arguments must be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strictness {
    /// Those that identify a record, a person or a place.
    Naming,
    /// Every text and number: what a read asked for.
    Every,
}

/// The values of arguments that identify something.
fn identifying(values: &Values, closed: &[&str], strictness: Strictness) -> Vec<String> {
    let mut found = Vec::new();
    let open = values.iter().filter(|(name, _)| !closed.contains(&name.as_str()));
    open.for_each(|(name, value)| identify(name, value, strictness, 0, &mut found));
    found
}

fn identify(name: &str, value: &Json, strictness: Strictness, level: usize, found: &mut Vec<String>) {
    if level > LEVELS_MAX || is_free_text(name) {
        return;
    }
    let named = strictness == Strictness::Every || names_something(name);
    match value {
        Json::Text(text) if named || (looks_like_id(text) && !is_reference(name)) => found.push(text.clone()),
        Json::Number(number) if named => found.push(number.to_string()),
        Json::List(items) => {
            items.iter().for_each(|item| identify(name, item, strictness, level + 1, found));
        }
        Json::Record(fields) => {
            fields.iter().for_each(|(name, field)| identify(name, field, strictness, level + 1, found));
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => {}
    }
}

fn is_reference(parameter: &str) -> bool {
    let words = super::words(parameter);
    words.last().is_some_and(|word| REFERENCE_WORDS.contains(&word.as_str()))
}

fn names_something(parameter: &str) -> bool {
    super::words(parameter).iter().any(|word| NAMING_WORDS.contains(&word.as_str()))
}

/// `INV-447`, `rita@example.com`: letters and digits or an address without spaces. A day is no id, and neither is an
/// amount.
fn looks_like_id(text: &str) -> bool {
    const DAY_CHARS: usize = 10;
    let is_day = text.get(..DAY_CHARS).is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok());
    let one_word = !text.is_empty() && !text.contains(char::is_whitespace);
    let mixed = text.contains(char::is_alphabetic) && text.contains(char::is_numeric);
    one_word && !is_day && (mixed || text.contains('@'))
}

/// The values of structured fields. What anybody may write names nothing.
fn collect(value: &Json, level: usize, into: &mut Vec<String>) {
    if level > LEVELS_MAX {
        return;
    }
    match value {
        Json::Null | Json::Bool(_) => {}
        Json::Number(number) => into.push(plain(&number.to_string())),
        Json::Text(text) => into.push(plain(text)),
        Json::List(items) => items.iter().for_each(|item| collect(item, level + 1, into)),
        Json::Record(fields) => {
            let structured = fields.iter().filter(|(name, _)| !is_free_text(name));
            structured.for_each(|(_, field)| collect(field, level + 1, into));
        }
    }
}

/// Letters and digits in lower case.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
