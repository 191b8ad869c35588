//! Whether the requester's own words, or records that they lead to, name what an operation is about.

use purple_intent::value::{Meaning, Notation, Value};
use purple_intent::{Act, Mood, Reading, Role, Span, Word};
use purple_process::{Effect, Json, Values, is_free_text};

use super::{Context, Wanted};

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

    /// Whether an operation is about what an act is about, and not about something else that it only mentions: "close
    /// ticket T-1 of order O-1" does not close the order, and "approve INV-1" does not approve its vendor.
    pub(super) fn has_object(&self, text: &str, reading: &Reading, act: &Act, wanted: &Wanted<'_>) -> bool {
        let ids = ids_of(text, reading, act);
        let given = identifying(wanted.values, wanted.closed, Strictness::Naming);
        let Some(object) = object(act, &ids) else { return true };
        if given.is_empty() || wanted.of_process || wanted.effect == Effect::Notify {
            return true;
        }
        let given: Vec<String> = given.iter().map(|value| plain(value)).collect();
        let direct = ids.iter().filter(|(id, _)| given.contains(id));
        let kinds: Vec<&str> = direct.map(|(id, _)| kind(id)).collect();
        // Where only records name what is given, the words have to speak of it: "pay the vendor of INV-1".
        let is_said = || {
            let objects = super::verb::objects(wanted.tool);
            let said = |word: &Word| objects.iter().any(|other| super::is_same(&word.lower, other));
            act.words.iter().any(|word| !matches!(word.role, Role::Cue(_)) && said(word))
        };
        if kinds.is_empty() { is_said() } else { kinds.contains(&kind(&object)) }
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

/// The requester's own words, without those that order nothing: "approve A, but do not touch B" names A. What is stated
/// beside an order names nothing of the same kind: "INV-1 is fine. Approve INV-2."
fn own_words(text: &str, reading: &Reading, context: &Context<'_>) -> Vec<(String, Span)> {
    let orders = reading.acts.iter().filter(|act| context.orders(act));
    let ordered: Vec<(String, Span)> = orders.flat_map(|act| ids_of(text, reading, act)).collect();
    let stated: Vec<(String, Span)> =
        reading.acts.iter().flat_map(|act| ids_of(text, reading, act)).collect();
    let is_beside = |span: Span| {
        let id = stated.iter().find(|(_, place)| place.contains(span));
        id.is_some_and(|(id, _)| ordered.iter().any(|(other, _)| kind(other) == kind(id)))
    };
    let counts = |span: Span| {
        let own = reading.own.iter().any(|part| part.contains(span));
        let act = reading.acts.iter().find(|act| act.span.contains(span));
        let states = |mood: Mood| matches!(mood, Mood::Statement | Mood::Calculation) && !is_beside(span);
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

/// The ids in an act, without case and signs, each with its place.
fn ids_of(text: &str, reading: &Reading, act: &Act) -> Vec<(String, Span)> {
    let is_id = |value: &&Value| value.meanings.iter().any(|meaning| matches!(meaning, Meaning::Id(_)));
    let inside = reading.values.iter().filter(|value| act.span.contains(value.span));
    let read = inside.filter(is_id).map(|value| value.span);
    let short = act.words.iter().map(|word| word.span).filter(|span| looks_like_id(span.of(text)));
    let mut spans: Vec<Span> = read.chain(short).collect();
    spans.sort_by_key(|span| span.start);
    spans.into_iter().map(|span| (plain(span.of(text)), span)).collect()
}

/// What an act is about: the first id behind its verb, or the first of all.
fn object(act: &Act, ids: &[(String, Span)]) -> Option<String> {
    let verb = act.words.iter().find(|word| matches!(word.role, Role::Verb(_)));
    let behind = verb.and_then(|verb| ids.iter().find(|(_, span)| span.start >= verb.span.end));
    behind.or_else(|| ids.first()).map(|(id, _)| id.clone())
}

/// The letters before the number of an id: ids of one kind share them.
fn kind(id: &str) -> &str {
    id.trim_end_matches(|letter: char| letter.is_numeric())
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
