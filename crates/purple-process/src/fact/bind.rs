//! Which fact a declared field means for one operation.

use std::collections::BTreeSet;

use purple_policy::{Kind, Source, Unevaluable, Unread, Value};

use super::conform::conform;
use super::gather::key;
use super::word::{self, Words};
use super::{Binding, Gap, Instance, Known, Origin, Reference};
use crate::file::{Action, Field, expected};
use crate::json::Json;
use crate::operation::Operation;
use crate::words;

/// Which records a rule is about: those of an operation, or those that the inputs of a task name.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// The tool of the operation.
    tool: Option<String>,
    /// What it is about.
    noun: Option<Words>,
    /// Names and values by which records may be found.
    ids: Vec<Named>,
    arguments: Vec<(String, Value)>,
}

/// A value of an argument that may identify a record.
#[derive(Clone, Debug)]
struct Named {
    words: Words,
    written: String,
    id: String,
    /// Whether the parameter says that it is an id.
    is_id: bool,
}

impl Subject {
    /// What an operation concerns; nothing in particular where there is none.
    pub fn of(operation: Option<&Operation>) -> Self {
        let Some(operation) = operation else { return Self::default() };
        let tool = operation.tool.as_str();
        let mut subject =
            Self { tool: Some(tool.to_owned()), noun: Some(Words::noun(tool)), ..Self::default() };
        for (name, argument) in &operation.arguments {
            let Some(value) = argument.value() else { continue };
            subject.take(name, value);
        }
        subject
    }

    /// What the inputs of a task name, before there is an operation.
    pub fn of_inputs<'a>(inputs: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let mut subject = Self::default();
        for (name, value) in inputs {
            if let Value::Text(text) = value {
                subject.identify(name, text.trim().to_lowercase());
            }
        }
        subject
    }

    /// The tool of the operation.
    pub(super) fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    fn identify(&mut self, name: &str, id: String) {
        let identified = word::identified(name);
        let is_id = identified.is_some() || looks_like_id(&id);
        let words = identified.filter(|words| !words.is_empty()).unwrap_or_else(|| Words::of(name));
        self.ids.push(Named { words, written: name.to_owned(), id, is_id });
    }

    fn take(&mut self, name: &str, value: &Json) {
        if let Json::List(items) = value {
            return items.iter().for_each(|item| self.take(name, item));
        }
        if let Some(id) = key(value) {
            self.identify(name, id);
        }
        let known = serde_json::from_str(&value.to_wire()).ok().and_then(|json| Value::from_json(&json).ok());
        self.arguments.extend(known.map(|value| (name.to_owned(), value)));
    }

    fn has(&self, id: &String) -> bool {
        self.ids.iter().any(|named| named.id == *id)
    }
}

/// What was found for a field in one record.
struct Candidate<'k> {
    instance: &'k Instance,
    field: &'k str,
    value: &'k Value,
    /// Whether the record is of the declared kind; else it only carries the field.
    is_of_kind: bool,
}

/// A declared field, in words.
struct Wanted<'f> {
    field: &'f Field,
    record: Words,
    name: Words,
}

impl Known {
    pub(super) fn bound(&self, field: &Field, subject: &Subject) -> Binding {
        let wanted = Wanted { field, record: Words::of(field.record()), name: Words::of(field.name()) };
        let given = self.given(&wanted, subject);
        let found = self.found(&wanted, subject);
        let (mut values, mut origins) = (Vec::new(), Vec::new());
        let why = match found {
            Ok(candidates) => {
                for candidate in candidates {
                    values.push((Source::Read, wanted.conformed(candidate.value)));
                    origins.push(candidate.origin(&wanted));
                }
                None
            }
            Err(why) => Some(why),
        };
        // What the operation itself writes counts beside what was read, and alone where the record is made by it.
        values.extend(given.into_iter().map(|value| (Source::Argument, value)));
        let value = match (values.is_empty(), why) {
            (true, Some(why)) => Err(why),
            (true, None) => Err(missing(&wanted)),
            (false, Some(why)) if !self.is_made(&wanted, subject) => Err(why),
            (false, _) => one(&wanted, values),
        };
        Binding { name: field.path(), value, origins }
    }

    /// What a name of a document means: a field of a record that the operation identifies, or of any. `None`: nobody read
    /// anything of that name.
    pub(super) fn named(
        &self,
        name: &str,
        compared: &[(String, Value)],
        subject: &Subject,
    ) -> Option<(Near, Result<Value, Unevaluable>)> {
        if let Some((record, field)) = name.split_once('.') {
            let field = Field::new(record, field, Kind::Unknown).compared_with(compared);
            let known = self.instances.iter().any(|one| one.is_of(&Words::of(record)));
            // What is read by the name of the file is known by it already.
            return (known && !field.name().contains('.'))
                .then(|| (Near::Any, self.bound(&field, subject).value));
        }
        let words = Words::of(name);
        let (kind, own) = expected(name, compared);
        let fits = |instance: &Instance, field: &str| {
            let own = Words::of(field);
            own == words || instance.kinds.iter().any(|kind| kind.and(&own) == words)
        };
        let said = |instance: &&Instance| -> Vec<(Source, Value)> {
            // An empty field says nothing that another source could contradict.
            let told = |(field, value): &&(String, Value)| *value != Value::Null && fits(instance, field);
            let fields = instance.fields.iter().filter(told);
            fields.map(|(_, value)| (Source::Read, conform(value.clone(), kind, &own))).collect()
        };
        let is_touched = |one: &&Instance| one.own.iter().any(|id| subject.has(id));
        let near: Vec<(Source, Value)> =
            self.instances.iter().filter(is_touched).flat_map(|one| said(&one)).collect();
        if !near.is_empty() {
            return Some((Near::Identified, agreed(name, near)));
        }
        let all: Vec<(Source, Value)> = self.instances.iter().flat_map(|one| said(&one)).collect();
        (!all.is_empty()).then(|| (Near::Any, agreed(name, all)))
    }

    /// The arguments of the operation that say this field of what it makes or moves.
    fn given(&self, wanted: &Wanted<'_>, subject: &Subject) -> Vec<Value> {
        let is_quantity = matches!(wanted.field.kind(), Kind::Money | Kind::Number | Kind::Percent);
        let is_made = self.is_made(wanted, subject);
        if !is_quantity && !is_made {
            return Vec::new();
        }
        let ranked =
            subject.arguments.iter().filter_map(|(name, value)| Some((wanted.rank(name, value)?, value)));
        let ranked = ranked.map(|(rank, value)| (rank, wanted.conformed(value)));
        let ranked: Vec<(u8, Value)> = ranked.filter(|(_, value)| wanted.takes(value)).collect();
        let best = ranked.iter().map(|(rank, _)| *rank).min();
        ranked.into_iter().filter(|(rank, _)| Some(*rank) == best).map(|(_, value)| value).collect()
    }

    /// Whether the operation is about the record itself.
    fn is_made(&self, wanted: &Wanted<'_>, subject: &Subject) -> bool {
        subject.noun.as_ref().is_some_and(|noun| wanted.record.within(noun))
    }

    /// What was read of the field, for the records that the operation concerns.
    fn found<'k>(
        &'k self,
        wanted: &Wanted<'_>,
        subject: &Subject,
    ) -> Result<Vec<Candidate<'k>>, Unevaluable> {
        let candidates = self.candidates(wanted);
        let touched: Vec<&Instance> =
            self.instances.iter().filter(|one| one.own.iter().any(|id| subject.has(id))).collect();
        let meant = self.meant(wanted, subject, &touched);
        if !meant.ids.is_empty() {
            return self.of_ids(wanted, candidates, &meant, &touched);
        }
        let (near, far): (Vec<Candidate<'k>>, Vec<Candidate<'k>>) = candidates
            .into_iter()
            .partition(|one| touched.iter().any(|near| std::ptr::eq(*near, one.instance)));
        if !near.is_empty() {
            return Ok(near);
        }
        let refers = |one: &Candidate<'_>| {
            let ids = one.instance.refers.iter().map(|refers| &refers.id);
            ids.clone().any(|id| subject.has(id))
                || ids.clone().any(|id| touched.iter().any(|near| near.own.contains(id)))
        };
        let (linked, rest): (Vec<Candidate<'k>>, Vec<Candidate<'k>>) = far.into_iter().partition(refers);
        if !linked.is_empty() {
            return Ok(linked);
        }
        // Nothing says which record is meant: all of them, if the operation names nothing that nobody has read.
        let is_seen = |named: &Named| self.instances.iter().any(|one| one.mentions(&named.id));
        let unread = subject.ids.iter().find(|named| named.is_id && !is_seen(named));
        match (unread, self.cut) {
            (None, false) => Ok(rest),
            (Some(_), _) | (None, true) => Err(self.unread(wanted, &BTreeSet::new())),
        }
    }

    /// The records of the declared kind that the operation means, by their ids.
    fn meant(&self, wanted: &Wanted<'_>, subject: &Subject, touched: &[&Instance]) -> Meant {
        let said = subject.ids.iter().filter(|named| wanted.record_is(&named.words, &named.written));
        // What a record calls a vendor's id is one, whatever the parameter is called.
        let is_known = |named: &&Named| {
            let same = |refers: &&Reference| {
                refers.is_id && refers.id == named.id && wanted.is_record(&refers.words)
            };
            self.instances.iter().any(|one| one.refers.iter().any(|refers| same(&refers)))
        };
        let direct: BTreeSet<String> =
            said.chain(subject.ids.iter().filter(is_known)).map(|named| named.id.clone()).collect();
        if !direct.is_empty() {
            return Meant { ids: direct, is_said: true };
        }
        let of_kind = touched.iter().filter(|one| one.is_of(&wanted.record));
        let own: BTreeSet<String> =
            of_kind.flat_map(|one| one.own.iter().filter(|id| subject.has(id)).cloned()).collect();
        if !own.is_empty() {
            return Meant { ids: own, is_said: false };
        }
        let referred = touched.iter().flat_map(|one| one.ids_of(wanted)).collect();
        Meant { ids: referred, is_said: false }
    }

    /// The candidates of these records. Each of them must have been read.
    fn of_ids<'k>(
        &'k self,
        wanted: &Wanted<'_>,
        candidates: Vec<Candidate<'k>>,
        meant: &Meant,
        touched: &[&Instance],
    ) -> Result<Vec<Candidate<'k>>, Unevaluable> {
        let covers = |one: &Candidate<'_>, id: &String| {
            if one.is_of_kind {
                one.instance.own.contains(id)
            } else {
                one.instance.ids_of(wanted).contains(id)
            }
        };
        let mut open = meant.ids.clone();
        let mut found = Vec::new();
        for candidate in candidates {
            let covered: Vec<String> =
                meant.ids.iter().filter(|id| covers(&candidate, id)).cloned().collect();
            let is_near = !meant.is_said
                && !candidate.is_of_kind
                && touched.iter().any(|near| std::ptr::eq(*near, candidate.instance));
            if !covered.is_empty() || is_near {
                covered.iter().for_each(|id| {
                    open.remove(id);
                });
                found.push(candidate);
            }
        }
        if open.is_empty() { Ok(found) } else { Err(self.unread(wanted, &open)) }
    }

    /// Every record that has the field.
    fn candidates<'k>(&'k self, wanted: &Wanted<'_>) -> Vec<Candidate<'k>> {
        let exact = self.instances.iter().any(|one| one.kinds.contains(&wanted.record));
        let whole = wanted.record.and(&wanted.name);
        let mut found = Vec::new();
        for instance in &self.instances {
            let is_of_kind =
                if exact { instance.kinds.contains(&wanted.record) } else { instance.is_of(&wanted.record) };
            // What is read by a customer's id is about the customer, and its `status` is its own.
            let is_of_kind = is_of_kind && instance.tells_of(wanted);
            let ranked: Vec<(u8, &(String, Value))> = match is_of_kind {
                true => instance
                    .fields
                    .iter()
                    .filter_map(|one| Some((wanted.rank(&one.0, &one.1)?, one)))
                    .collect(),
                false => instance
                    .fields
                    .iter()
                    .filter(|one| Words::of(&one.0) == whole)
                    .map(|one| (0, one))
                    .collect(),
            };
            let best = ranked.iter().map(|(rank, _)| *rank).min();
            for (_, (field, value)) in ranked.into_iter().filter(|(rank, _)| Some(*rank) == best) {
                found.push(Candidate { instance, field, value, is_of_kind });
            }
        }
        found
    }

    /// Why the field has no value: the read that should have told it, or that there was none.
    fn unread(&self, wanted: &Wanted<'_>, ids: &BTreeSet<String>) -> Unevaluable {
        let name = wanted.field.path();
        let concerns = |gap: &&Gap| {
            gap.kinds.iter().any(|kind| wanted.record.within(kind))
                && (ids.is_empty() || gap.asked.iter().any(|id| ids.contains(id)))
        };
        match self.gaps.iter().find(concerns).map(|gap| gap.how) {
            Some(Some(how)) => Unevaluable::Unread { name, how },
            Some(None) => Unevaluable::Missing { name },
            None => Unevaluable::Unread { name, how: Unread::NotMade },
        }
    }
}

/// Whose record a value was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Near {
    /// One that the operation's arguments identify.
    Identified,
    /// Any that was read.
    Any,
}

struct Meant {
    ids: BTreeSet<String>,
    /// Whether the operation itself says them.
    is_said: bool,
}

impl Wanted<'_> {
    fn record_is(&self, words: &Words, written: &str) -> bool {
        *words == self.record || words.names(&self.record, written) || self.record.within(words)
    }

    /// Whether these words of a reference mean the declared record.
    fn is_record(&self, words: &Words) -> bool {
        *words == self.record || words.within(&self.record)
    }

    /// How well a field fits: 0 best; `None` not at all.
    fn rank(&self, field: &str, value: &Value) -> Option<u8> {
        let words = Words::of(field);
        if words == self.name {
            return Some(0);
        }
        if words == self.record.and(&self.name) {
            return Some(1);
        }
        let is_quantity = matches!(value, Value::Money { .. } | Value::Number(_) | Value::Percent(_));
        if self.field.kind() == Kind::Money
            && self.name.is_amount(&self.record)
            && words.is_amount(&self.record)
        {
            return Some(2);
        }
        let measures = matches!(self.field.kind(), Kind::Money | Kind::Number | Kind::Percent);
        (measures && is_quantity && self.name.within(&words)).then_some(3)
    }

    fn conformed(&self, value: &Value) -> Value {
        conform(value.clone(), self.field.kind(), &self.field.words)
    }

    fn takes(&self, value: &Value) -> bool {
        match self.field.kind() {
            Kind::Money => matches!(value, Value::Money { .. } | Value::Number(_)),
            Kind::Number | Kind::Percent => matches!(value, Value::Number(_) | Value::Percent(_)),
            _ => true,
        }
    }
}

impl Instance {
    fn is_of(&self, record: &Words) -> bool {
        self.kinds.iter().any(|kind| record.within(kind))
    }

    /// Whether the record is of the declared kind by its own name, or is what the field is called: `get_usage` by the id of
    /// a subscription is the usage of the subscription.
    fn tells_of(&self, wanted: &Wanted<'_>) -> bool {
        self.kinds.first().is_none_or(|noun| wanted.record.within(noun) || noun.meets(&wanted.name))
    }

    fn mentions(&self, id: &String) -> bool {
        self.own.contains(id) || self.refers.iter().any(|refers| refers.id == *id)
    }

    /// The ids of the declared kind that this record refers to. Where a field says that it is an id, a plain name beside
    /// it is only what people read.
    fn ids_of(&self, wanted: &Wanted<'_>) -> Vec<String> {
        let all = || self.refers.iter().filter(|refers| wanted.is_record(&refers.words));
        let certain = all().any(|refers| refers.is_id);
        all().filter(|refers| refers.is_id || !certain).map(|refers| refers.id.clone()).collect()
    }
}

impl Candidate<'_> {
    fn origin(&self, wanted: &Wanted<'_>) -> Origin {
        let id = self.instance.own.first().map(|id| format!(" {id}")).unwrap_or_default();
        let kind = if self.is_of_kind {
            wanted.record.text()
        } else {
            self.instance.kinds.first().map(Words::text).unwrap_or_default()
        };
        Origin {
            tool: self.instance.tool.clone(),
            record: format!("{kind}{id}"),
            field: self.field.to_owned(),
            at: self.instance.at,
            digest: self.instance.digest,
            written: self.value.clone(),
        }
    }
}

fn missing(wanted: &Wanted<'_>) -> Unevaluable {
    Unevaluable::Unread { name: wanted.field.path(), how: Unread::NotMade }
}

/// The one value that all say.
fn agreed(name: &str, mut values: Vec<(Source, Value)>) -> Result<Value, Unevaluable> {
    let first = values.first().map(|(_, value)| value);
    if values.iter().any(|(_, value)| Some(value) != first) {
        let mut told: Vec<(Source, String)> = Vec::new();
        for (source, value) in &values {
            let one = (*source, value.to_string());
            if !told.contains(&one) && told.len() < VALUES_TOLD_MAX {
                told.push(one);
            }
        }
        return Err(Unevaluable::Ambiguous { name: name.to_owned(), values: told });
    }
    match values.is_empty() {
        true => Err(Unevaluable::Missing { name: name.to_owned() }),
        false => Ok(values.swap_remove(0).1),
    }
}

/// The most different values that are told of one name.
const VALUES_TOLD_MAX: usize = 5;

/// The one value that all say, if it is of the declared kind.
fn one(wanted: &Wanted<'_>, values: Vec<(Source, Value)>) -> Result<Value, Unevaluable> {
    if values.is_empty() {
        return Err(missing(wanted));
    }
    let value = agreed(&wanted.field.path(), values)?;
    match (wanted.field.kind(), value) {
        // A figure without a currency is no amount, however it is called.
        (Kind::Money, Value::Number(_)) => {
            Err(Unevaluable::Kind { operation: "an amount of money", kind: Kind::Number })
        }
        (_, value) => Ok(value),
    }
}

/// Whether an operation is each of these actions; `None` where nothing tells, because it is none that the file knows.
pub(super) fn actions(actions: &[Action], tool: &str) -> Vec<Option<bool>> {
    let words = Words::of(&words::split(tool).join("_"));
    let is =
        |action: &Action| action.phrases.iter().any(|phrase| Words::of(&phrase.join("_")).within(&words));
    let all: Vec<bool> = actions.iter().map(is).collect();
    let known = all.iter().any(|is| *is);
    all.into_iter().map(|is| known.then_some(is)).collect()
}

/// Whether a value is written as an id is, whatever its parameter is called: letters and digits in one word.
pub(super) fn looks_like_id(text: &str) -> bool {
    const CHARS_MAX: usize = 64;
    let has = |is: fn(char) -> bool| text.chars().any(is);
    text.len() <= CHARS_MAX
        && !has(char::is_whitespace)
        && has(|c| c.is_ascii_digit())
        && has(char::is_alphabetic)
}
