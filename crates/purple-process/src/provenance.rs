//! Where the figures and the payees of an operation come from that a model proposed.
//!
//! Pure. A model chooses arguments; this says for which of them nobody but the model vouches. Such an operation is asked
//! of a person, whatever the rules say: what is paid, and to whom, comes from a system of record.

use std::fmt;

use purple_policy::{Currency, Exact, Money, Value};

use crate::effect::Effect;
use crate::embedded::{Embedded, embedded};
use crate::json::{Json, Values, cut};
use crate::operation::{Argument, Operation};
use crate::words::split;

/// Words of a parameter that say who gets something.
pub(crate) const PAYEE_WORDS: [&str; 18] = [
    "dest",
    "destination",
    "payout",
    "payee",
    "account",
    "iban",
    "bic",
    "recipient",
    "recipients",
    "beneficiary",
    "vendor",
    "supplier",
    "creditor",
    "bank",
    "wallet",
    "to",
    "payto",
    "routing",
];

/// Last words of a parameter whose number names something or some time, and moves no money.
const NAME_WORDS: [&str; 22] = [
    "id",
    "ids",
    "number",
    "no",
    "key",
    "code",
    "reference",
    "ref",
    "day",
    "days",
    "hour",
    "hours",
    "minute",
    "minutes",
    "month",
    "months",
    "year",
    "years",
    "version",
    "priority",
    "zip",
    "phone",
];

/// Last words of a parameter whose number counts something: what is not read or computed, the task must say.
const COUNT_WORDS: [&str; 7] = ["quantity", "qty", "count", "units", "items", "line", "seats"];

/// Words of a parameter that say how much, whatever form its value has.
const AMOUNT_WORDS: [&str; 26] = [
    "amount",
    "amounts",
    "total",
    "subtotal",
    "sum",
    "price",
    "cost",
    "fee",
    "fees",
    "credit",
    "debit",
    "balance",
    "payment",
    "refund",
    "charge",
    "value",
    "rate",
    "salary",
    "discount",
    "tax",
    "budget",
    "percent",
    "percentage",
    "gross",
    "net",
    "bonus",
];

/// Words of a field in which anybody may write anything.
const FREE_TEXT_WORDS: [&str; 22] = [
    "note",
    "notes",
    "memo",
    "comment",
    "comments",
    "description",
    "message",
    "messages",
    "body",
    "subject",
    "text",
    "remark",
    "remarks",
    "reason",
    "instruction",
    "instructions",
    "summary",
    "content",
    "details",
    "narrative",
    "history",
    "bio",
];

/// Last words of a name that say that it identifies what somebody made.
const MADE_WORDS: [&str; 8] = ["id", "ids", "number", "no", "key", "code", "reference", "ref"];

/// How deep values are looked into.
const LEVELS_MAX: usize = 32;
/// The most single values that are remembered of all reads together.
const LEAVES_MAX: usize = 50_000;

/// What may stand behind an argument: what was read, what was computed from it, and the words of the task.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Single values of structured fields.
    read: Vec<Json>,
    computed: Vec<Json>,
    /// What a function gave that nobody answers for, with its name.
    claimed: Vec<(Json, String)>,
    task: String,
}

impl Sources {
    /// Only the words of the task.
    pub fn new(task: impl Into<String>) -> Self {
        Self { task: task.into(), ..Self::default() }
    }

    /// Adds an answer of a read. What stands in fields for free text vouches for nothing, and a figure that was among
    /// the arguments may only have come back.
    pub fn add_read(&mut self, asked: &Values, answer: &Json) {
        let mut given = Vec::new();
        asked.values().for_each(|value| collect(value, 0, &mut given));
        let echoed = |found: &Json| {
            quantity(found)
                .is_some_and(|found| given.iter().filter_map(quantity).any(|one| one.number == found.number))
        };
        let mut found = Vec::new();
        collect(answer, 0, &mut found);
        found.retain(|one| !echoed(one));
        self.read.extend(found);
    }

    /// Adds a value that was computed exactly, from founded figures only.
    pub fn add_computed(&mut self, value: &Json) {
        collect(value, 0, &mut self.computed);
    }

    /// Adds a value that a function gave which nobody answers for: it founds nothing, and is told with its name.
    pub fn add_claimed(&mut self, value: &Json, by: &str) {
        let mut found = Vec::new();
        collect(value, 0, &mut found);
        self.claimed.extend(found.into_iter().map(|value| (value, by.to_owned())));
    }

    /// Whether a figure was read or computed.
    pub fn founds(&self, value: &Json) -> bool {
        self.read.iter().chain(&self.computed).any(is_it(value))
    }

    /// Whether it was read, as it is.
    fn was_read(&self, value: &Json) -> bool {
        self.read.iter().any(is_it(value))
    }

    /// The function that gave this, where nobody answers for it.
    fn claimed_by(&self, value: &Json) -> Option<String> {
        let is_it = is_it(value);
        self.claimed.iter().find(|(found, _)| is_it(found)).map(|(_, by)| by.clone())
    }

    /// Whether a figure was read or computed, or is a plain number that the task names: a rate, a share, a count.
    /// Money that only the task names is not among them.
    pub fn founds_input(&self, value: &Json) -> bool {
        let said = || match quantity(value) {
            Some(Quantity { number, currency: None }) => self.numbers_of_task().any(|said| said == number),
            Some(Quantity { currency: Some(_), .. }) | None => false,
        };
        self.founds(value) || said()
    }

    fn numbers_of_task(&self) -> impl Iterator<Item = Exact> {
        let is_part = |character: char| character.is_ascii_digit() || ".,-".contains(character);
        let pieces = self.task.split(move |character| !is_part(character));
        pieces.filter_map(|piece| {
            let plain: String =
                piece.trim_matches([',', '.', '-']).chars().filter(|sign| *sign != ',').collect();
            Exact::parse(&plain).ok()
        })
    }

    /// Whether a name stands in a structured field of what was read.
    fn names(&self, name: &str) -> bool {
        self.read.iter().any(|found| found.as_text() == Some(name))
    }

    /// Whether the task itself names it, as a word of its own.
    fn task_names(&self, name: &str) -> bool {
        let bounded = |at: usize| {
            let before = self.task.get(..at).and_then(|text| text.chars().next_back());
            let after = self.task.get(at + name.len()..).and_then(|text| text.chars().next());
            ![before, after].into_iter().flatten().any(char::is_alphanumeric)
        };
        !name.is_empty() && self.task.match_indices(name).any(|(at, _)| bounded(at))
    }
}

/// An argument that only the model vouches for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfounded {
    /// A figure that was neither read nor computed.
    Figure {
        /// The argument; a dotted path goes deeper.
        argument: String,
        /// Its value.
        value: String,
        /// The function that gave it, where there is one that nobody answers for.
        claimed_by: Option<String>,
    },
    /// Somebody who gets something and whom no structured field names.
    Party {
        /// The argument.
        argument: String,
        /// Its value.
        value: String,
    },
}

impl fmt::Display for Unfounded {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Figure { argument, value, claimed_by: None } => {
                write!(out, "`{argument}` is {value}, which was neither read nor computed")
            }
            Self::Figure { argument, value, claimed_by: Some(by) } => {
                write!(out, "`{argument}` is {value}, as `{by}` gave it, a function that nobody has signed")
            }
            Self::Party { argument, value } => {
                write!(out, "`{argument}` is {value}, which no record that was read names")
            }
        }
    }
}

/// The arguments of an operation that only the model vouches for, in their order.
pub fn unfounded(operation: &Operation, sources: &Sources) -> Vec<Unfounded> {
    let mut found = Vec::new();
    for (name, argument) in &operation.arguments {
        match argument {
            Argument::Value(value) => {
                let at = At { path: name.clone(), words: split(name), effect: operation.effect };
                look(&at, value, sources, 0, &mut found);
            }
            // Made by an earlier operation of the same plan, which was looked at itself.
            Argument::Reference(_) => {}
        }
    }
    found
}

/// Where a value stands.
struct At {
    path: String,
    words: Vec<String>,
    effect: Effect,
}

impl At {
    fn within(&self, name: &str) -> Self {
        let words = [self.words.clone(), split(name)].concat();
        Self { path: format!("{}.{name}", self.path), words, effect: self.effect }
    }

    fn has(&self, list: &[&str]) -> bool {
        self.words.iter().any(|word| list.contains(&word.as_str()))
    }

    /// What a number needs that stands here. In doubt it is an amount.
    fn need(&self) -> Need {
        let last = |list: &[&str]| self.words.last().is_some_and(|word| list.contains(&word.as_str()));
        if self.has(&AMOUNT_WORDS) {
            Need::Record
        } else if last(&NAME_WORDS) {
            Need::Nothing
        } else if last(&COUNT_WORDS) {
            Need::Word
        } else {
            Need::Record
        }
    }

    /// Whether anybody may write anything here.
    fn is_prose(&self) -> bool {
        self.has(&FREE_TEXT_WORDS)
    }
}

/// What must stand behind a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Nothing: it names something.
    Nothing,
    /// What was read or computed, or the words of the task: it counts something.
    Word,
    /// What was read or computed: it says how much.
    Record,
}

impl Need {
    fn is_met(self, value: &Json, sources: &Sources) -> bool {
        match self {
            Self::Nothing => true,
            Self::Word => sources.founds_input(value),
            Self::Record => sources.founds(value),
        }
    }
}

fn look(at: &At, value: &Json, sources: &Sources, level: usize, found: &mut Vec<Unfounded>) {
    let shown = || cut(value.to_wire().trim_matches('"'));
    if level > LEVELS_MAX {
        found.push(Unfounded::Figure { argument: at.path.clone(), value: shown(), claimed_by: None });
        return;
    }
    match value {
        Json::Null | Json::Bool(_) => {}
        Json::List(items) => items.iter().for_each(|item| look(at, item, sources, level + 1, found)),
        Json::Record(fields) if money_record(fields).is_none() => {
            for (name, field) in fields {
                look(&at.within(name), field, sources, level + 1, found);
            }
        }
        Json::Number(_) | Json::Text(_) | Json::Record(_) => {
            if !need(at, value).is_met(value, sources) {
                let claimed_by = sources.claimed_by(value);
                found.push(Unfounded::Figure { argument: at.path.clone(), value: shown(), claimed_by });
            } else if is_unnamed_party(at, value, sources) {
                found.push(Unfounded::Party { argument: at.path.clone(), value: shown() });
            } else if let Json::Text(text) = value {
                look_inside(at, text, sources, level, found);
            }
        }
    }
}

/// Looks for figures in a text that is more than one: a statement, data, an amount in words.
fn look_inside(at: &At, text: &str, sources: &Sources, level: usize, found: &mut Vec<Unfounded>) {
    let value = Json::from(text);
    // What stands in a record as it is was looked at by somebody; what is told to people moves nothing.
    let is_message = at.effect == Effect::Notify && at.is_prose();
    if is_message || quantity(&value).is_some() || sources.founds(&value) {
        return;
    }
    let unfounded = |figure: &str| {
        let claimed_by = sources.claimed_by(&Json::from(figure));
        Unfounded::Figure { argument: at.path.clone(), value: cut(figure), claimed_by }
    };
    match embedded(text, &at.words, at.is_prose()) {
        Embedded::Data(data) => look(at, &data, sources, level + 1, found),
        Embedded::Opaque => found.push(unfounded(text)),
        Embedded::Figures(figures) => {
            for (name, figure) in figures {
                let need = name.map_or(Need::Record, |name| at.within(&name).need());
                let plain: String = figure.chars().filter(|sign| !",'_".contains(*sign)).collect();
                if !need.is_met(&Json::from(plain.as_str()), sources) {
                    found.push(unfounded(&figure));
                }
            }
        }
    }
}

/// What must stand behind a value. Only what plainly counts or names something needs less than a record.
fn need(at: &At, value: &Json) -> Need {
    let is_message = at.effect == Effect::Notify && at.is_prose();
    let record = |is: bool| if is { Need::Record } else { Need::Nothing };
    match value {
        Json::Number(_) => at.need(),
        Json::Record(_) => Need::Record,
        Json::Text(text) if is_message => record(Money::parse(text).is_ok()),
        Json::Text(text) => match quantity(value) {
            Some(Quantity { currency: Some(_), .. }) => Need::Record,
            Some(Quantity { currency: None, .. }) if at.has(&PAYEE_WORDS) => Need::Nothing,
            Some(Quantity { currency: None, .. }) => at.need(),
            None => record(at.has(&AMOUNT_WORDS) && text.chars().any(char::is_numeric)),
        },
        Json::Null | Json::Bool(_) | Json::List(_) => Need::Nothing,
    }
}

/// Whether a value says who gets something, and nothing that was read says so. Whom to tell may also be named by the
/// task; whom to pay may not.
fn is_unnamed_party(at: &At, value: &Json, sources: &Sources) -> bool {
    let name = match value {
        Json::Text(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        Json::Null | Json::Bool(_) | Json::List(_) | Json::Record(_) => return false,
    };
    if !at.has(&PAYEE_WORDS) || name.trim().is_empty() {
        return false;
    }
    let told = at.effect == Effect::Notify && sources.task_names(&name);
    // Nobody computes whom to pay.
    !sources.names(&name) && !sources.was_read(value) && !told
}

/// A number, and the currency it is in where it says so.
#[derive(Clone, Debug, PartialEq)]
struct Quantity {
    number: Exact,
    currency: Option<Currency>,
}

impl Quantity {
    /// Whether this is the found one. A bare number may stand for an amount; an amount never for a bare number or for
    /// one in another currency.
    fn is(&self, found: &Self) -> bool {
        self.number == found.number && (self.currency.is_none() || self.currency == found.currency)
    }
}

/// Whether this is a found value, by its figure where it is one.
fn is_it(value: &Json) -> impl Fn(&Json) -> bool {
    let wanted = quantity(value);
    move |found| match &wanted {
        Some(wanted) => quantity(found).is_some_and(|found| wanted.is(&found)),
        None => found == value,
    }
}

fn quantity(value: &Json) -> Option<Quantity> {
    match value {
        Json::Number(number) => {
            Some(Quantity { number: Exact::parse(number.as_str()).ok()?, currency: None })
        }
        Json::Text(text) => match Money::parse(text) {
            Ok(money) => Some(Quantity { number: money.amount(), currency: Some(money.currency()) }),
            Err(_) => {
                let digits = text.strip_suffix('%').unwrap_or(text);
                Some(Quantity { number: Exact::parse(digits).ok()?, currency: None })
            }
        },
        Json::Record(fields) => money_record(fields),
        Json::Null | Json::Bool(_) | Json::List(_) => None,
    }
}

/// `{amount, currency}`.
fn money_record(fields: &std::collections::BTreeMap<String, Json>) -> Option<Quantity> {
    let record = Json::Record(fields.clone());
    let json = serde_json::from_str(&record.to_wire()).ok()?;
    match Value::from_json(&json).ok()? {
        Value::Money { amount, currency } => Some(Quantity { number: amount, currency: Some(currency) }),
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Percent(_)
        | Value::Text(_)
        | Value::Date(_)
        | Value::List(_)
        | Value::Record(_) => None,
    }
}

/// Whether an argument that a model proposes may be taken from what an earlier operation will answer: an id of what it
/// made, and nothing else. How much, and to whom, is never left open for a server to say after the approval.
pub fn may_be_made(argument: &str, field: &str) -> bool {
    is_id(argument) && field.rsplit('.').next().is_some_and(is_id)
}

/// Whether a name is that of an id: of something, not of whoever is paid or told.
pub(crate) fn is_id(name: &str) -> bool {
    let words = split(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    words.last().is_some_and(|last| MADE_WORDS.contains(&last.as_str()))
        && !has(&AMOUNT_WORDS)
        && !has(&PAYEE_WORDS)
        && !has(&FREE_TEXT_WORDS)
}

/// Whether a field with this name is one in which anybody may write anything.
pub fn is_free_text(name: &str) -> bool {
    split(name).last().is_some_and(|last| FREE_TEXT_WORDS.contains(&last.as_str()))
}

fn collect(value: &Json, level: usize, into: &mut Vec<Json>) {
    if level > LEVELS_MAX || into.len() >= LEAVES_MAX {
        return;
    }
    match value {
        Json::Null | Json::Bool(_) => {}
        Json::Number(_) | Json::Text(_) => into.push(value.clone()),
        Json::List(items) => items.iter().for_each(|item| collect(item, level + 1, into)),
        Json::Record(fields) => {
            if money_record(fields).is_some() {
                into.push(value.clone());
                return;
            }
            for (_, field) in fields.iter().filter(|(name, _)| !is_free_text(name)) {
                collect(field, level + 1, into);
            }
        }
    }
}

#[cfg(test)]
#[path = "provenance_tests.rs"]
mod tests;
