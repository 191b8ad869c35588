//! From the answers of tools to records: what each is, what identifies it, what it refers to.

use std::collections::BTreeMap;

use purple_policy::{Currency, Exact, Value};

use super::envelope::{inside, is_about_call, went_well};
use super::word::{self, Words};
use super::{Gap, Instance, Known, Reading, Reference, Told};
use crate::canonical::Digest;
use crate::json::{Json, Values};
use crate::words;

/// The most records that are looked through.
const INSTANCES_MAX: usize = 20_000;
/// How deep answers are looked into.
const DEPTH_MAX: usize = 8;

/// What is known about a part of an answer from what stands around it.
#[derive(Clone)]
struct Around<'a> {
    reading: &'a Reading<'a>,
    digest: Digest,
    kinds: Vec<Words>,
    /// What a single record is identified by: the arguments of its read.
    own: Vec<String>,
    /// What all of it refers to.
    refers: Vec<Reference>,
}

impl Known {
    /// What these reads told. Of the same read made twice, the last counts.
    pub fn of<'a>(readings: impl IntoIterator<Item = Reading<'a>>) -> Self {
        let mut latest: BTreeMap<(&str, String), Reading<'a>> = BTreeMap::new();
        for reading in readings {
            let asked = Json::Record(reading.arguments.clone()).to_wire();
            latest.insert((reading.tool, asked), reading);
        }
        let mut known = Self::default();
        for reading in latest.values() {
            known.add(reading);
        }
        known
    }

    fn add(&mut self, reading: &Reading<'_>) {
        let noun = Words::noun(reading.record.unwrap_or(reading.tool));
        let asked: Vec<String> = reading.arguments.values().filter_map(key).collect();
        let mut kinds: Vec<Words> = vec![noun];
        // What is read by the id of something describes it: the usage of a subscription.
        let by = reading.arguments.keys().filter_map(|name| word::identified(name));
        kinds.extend(by.filter(|words| !words.is_empty()));
        let answer = match reading.told {
            Told::Answer(answer) => answer,
            Told::Absent => return self.gaps.push(Gap { kinds, asked, how: None }),
            Told::Unread(how) => return self.gaps.push(Gap { kinds, asked, how: Some(how) }),
        };
        let digest = Digest::of(answer.to_wire().as_bytes());
        let refers = references(reading.arguments);
        let around = Around { reading, digest, kinds, own: asked, refers };
        self.walk(answer, &around, 0);
    }

    fn walk(&mut self, part: &Json, around: &Around<'_>, depth: usize) {
        if depth > DEPTH_MAX {
            self.cut = true;
            return;
        }
        match part {
            Json::Record(fields) => {
                let inner = inside(part, &around.own).and_then(|(name, inner)| name.map(|_| inner));
                self.record(fields, inner, around, depth);
            }
            Json::List(rows) => {
                // A row has its own id; what the read was asked with it only refers to.
                let row = Around { own: Vec::new(), ..around.clone() };
                rows.iter().for_each(|item| self.walk(item, &row, depth + 1));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => {}
        }
    }

    /// One record. What is inside it, where it is an envelope, has a status of its own.
    fn record(&mut self, fields: &Values, inner: Option<&Json>, around: &Around<'_>, depth: usize) {
        let answers = fields.iter().any(|(name, value)| went_well(name, value));
        let of_call = |name: &str, value: &Json| {
            answers && inner.is_some_and(|inner| is_about_call(name, value, inner))
        };
        let single: Vec<(String, Value)> = fields
            .iter()
            .filter(|(name, value)| is_single(value) && !of_call(name, value))
            .filter_map(|(name, value)| Some((name.clone(), with_currency(name, value, fields)?)))
            .collect();
        let mut own = around.own.clone();
        let mut refers = around.refers.clone();
        for (name, value) in fields.iter().filter_map(|(name, value)| Some((name, key(value)?))) {
            match word::identified(name) {
                Some(kind) if is_own(&kind, &around.kinds, name) => own.push(value),
                Some(words) => refers.push(Reference { words, id: value, is_id: true }),
                None if word::is_name(name) => own.push(value),
                // A record may hold an id under the plain name of what it refers to.
                None => refers.push(Reference { words: Words::of(name), id: value, is_id: false }),
            }
        }
        if self.instances.len() >= INSTANCES_MAX {
            self.cut = true;
            return;
        }
        if !single.is_empty() {
            let Around { reading, digest, kinds, .. } = around;
            self.instances.push(Instance {
                kinds: kinds.clone(),
                own: own.clone(),
                refers: refers.clone(),
                fields: single,
                tool: reading.tool.to_owned(),
                at: reading.at,
                digest: *digest,
            });
        }
        for (name, part) in fields.iter().filter(|(_, value)| !is_single(value)) {
            let mut within = Around { refers: refers.clone(), own: own.clone(), ..around.clone() };
            // Under the name of the record itself stands the record; a list under it has records of its own.
            if let Some(kind) =
                word::kind_of_key(name).filter(|kind| is_list(part) || !around.kinds.contains(kind))
            {
                // It belongs to the record around it, and is something else.
                let parent = |words: &Words, id: &String| {
                    let (words, id) = (words.clone(), id.clone());
                    Reference { words, id, is_id: true }
                };
                let parents =
                    around.kinds.iter().flat_map(|words| own.iter().map(move |id| parent(words, id)));
                within.refers.extend(parents);
                within.kinds = vec![kind];
            }
            self.walk(part, &within, depth + 1);
        }
    }
}

/// A value by which something may be found again.
pub(super) fn key(value: &Json) -> Option<String> {
    match value {
        Json::Text(text) => Some(text.trim().to_lowercase()).filter(|text| !text.is_empty()),
        Json::Number(number) => Some(number.as_str().to_owned()),
        Json::Null | Json::Bool(_) | Json::List(_) | Json::Record(_) => None,
    }
}

fn is_own(kind: &Words, kinds: &[Words], name: &str) -> bool {
    kind.is_empty() || kinds.iter().any(|known| kind.names(known, name))
}

fn references(arguments: &Values) -> Vec<Reference> {
    let one = |(name, value): (&String, &Json)| {
        let words = word::identified(name).filter(|words| !words.is_empty());
        let is_id = words.is_some();
        Some(Reference { words: words.unwrap_or_else(|| Words::of(name)), id: key(value)?, is_id })
    };
    arguments.iter().filter_map(one).collect()
}

fn is_list(value: &Json) -> bool {
    matches!(value, Json::List(_))
}

/// A value that is not made of others; an amount with its currency is one.
fn is_single(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => true,
        Json::Record(fields) => amount_of(fields).is_some(),
        Json::List(_) => false,
    }
}

/// Words for the figure of a record that is an amount.
const FIGURES: [&str; 3] = ["amount", "value", "total"];
/// What else such a record may say of the amount.
const BESIDE: [&str; 6] = ["currency", "currency_code", "display", "formatted", "text", "symbol"];

/// The amount that a record is: one figure, its currency, and nothing but how it is displayed.
fn amount_of(fields: &Values) -> Option<Value> {
    let name_of = |name: &String| words::split(name).join("_");
    let figures: Vec<&Json> = fields
        .iter()
        .filter(|(name, _)| FIGURES.contains(&name_of(name).as_str()))
        .map(|(_, value)| value)
        .collect();
    let rest = fields.keys().filter(|name| !FIGURES.contains(&name_of(name).as_str()));
    let [figure] = figures.as_slice() else { return None };
    let is_display = rest.map(name_of).all(|name| BESIDE.contains(&name.as_str()));
    is_display.then(|| money(figure, currency_of(fields)?)).flatten()
}

/// The code of the currency that a record names.
fn currency_of(fields: &Values) -> Option<&str> {
    let is_currency = |name: &String| {
        let split = words::split(name);
        split.first().is_some_and(|first| first == "currency" || first == "ccy") && split.len() <= 2
    };
    fields.iter().find(|(name, _)| is_currency(name)).and_then(|(_, code)| code.as_text())
}

/// A figure, as a number or as its text, of this currency.
fn money(figure: &Json, currency: &str) -> Option<Value> {
    let amount = match figure {
        Json::Number(number) => Exact::parse(number.as_str()).ok()?,
        Json::Text(text) => Exact::parse(text.trim()).ok()?,
        Json::Null | Json::Bool(_) | Json::List(_) | Json::Record(_) => return None,
    };
    let currency = Currency::parse(&currency.trim().to_uppercase()).ok()?;
    Some(Value::Money { amount, currency })
}

/// The value; a bare figure that says how much is money where its record names the currency.
fn with_currency(name: &str, value: &Json, fields: &Values) -> Option<Value> {
    let plain = || Value::from_json(&serde_json::from_str(&value.to_wire()).ok()?).ok();
    match value {
        Json::Record(parts) => amount_of(parts),
        Json::Number(_) | Json::Text(_) if Words::of(name).tell_money() => {
            currency_of(fields).and_then(|currency| money(value, currency)).or_else(plain)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) => plain(),
    }
}
