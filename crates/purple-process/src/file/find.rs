//! Inputs that the words of a task do not state, and that the system of record knows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use purple_intent::{Act, Language, Mood, PartKind, Reading, Word, lexicon, parts, tokens};
use purple_policy::Value;
use serde_json::Value as Json;

use super::input::{Extracted, Input, NotFound, Setting, Shape, Why, extract_with};
use super::model::{CallTemplate, Task};

/// How an input is found in the system of record.
#[derive(Clone, Debug)]
pub(crate) struct Find {
    /// Lists the records.
    pub(crate) call: CallTemplate,
    /// The field by which a task names a record; `None` where there has to be exactly one.
    pub(crate) by: Option<String>,
}

/// The records that were listed for the inputs of a task.
#[derive(Clone, Debug, Default)]
pub struct Records {
    of: BTreeMap<String, Vec<Record>>,
}

/// One of them: the value of the input, and how a task names it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Record {
    value: Option<String>,
    name: Option<String>,
}

impl Records {
    /// Takes what a tool listed for an input: a list of records, or a record with one list of them.
    pub fn add(&mut self, task: &Task, input: &str, answer: &Json) {
        let Some((input, find)) = task.inputs.iter().find_map(|one| {
            let find = one.find.as_ref().filter(|_| one.name == input)?;
            Some((one, find))
        }) else {
            return;
        };
        let real = |binding: &std::sync::Arc<crate::system::Binding>| {
            let given = crate::json::Json::from_serde(answer).ok()?;
            serde_json::from_str(&binding.answer(&find.call.tool, &given).to_wire()).ok()
        };
        let own: Option<Json> = task.binding.as_ref().and_then(real);
        let answer = own.as_ref().unwrap_or(answer);
        let text = |row: &Json, field: &str| Some(row.get(field)?.as_str()?.to_owned());
        let record = |row: &Json| Record {
            value: text(row, &input.name),
            name: find.by.as_ref().and_then(|by| text(row, by)),
        };
        self.of.insert(input.name.clone(), rows(answer).iter().map(record).collect());
    }

    /// The names of the records of an input.
    pub(crate) fn names_of(&self, input: &str) -> Vec<&str> {
        let records = self.of.get(input).into_iter().flatten();
        records.filter_map(|record| record.name.as_deref()).collect()
    }
}

/// The only list of an answer.
fn rows(answer: &Json) -> &[Json] {
    match answer {
        Json::Array(rows) => rows,
        Json::Object(fields) => {
            let mut lists = fields.values().filter_map(Json::as_array);
            let list = lists.next().filter(|_| lists.next().is_none());
            list.map_or(&[], Vec::as_slice)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => &[],
    }
}

impl Input {
    /// Whether a list of records may say what is missing: a value that nobody stated, or items that are not clear.
    pub(crate) fn may_be_found(&self, why: &Why) -> bool {
        self.find.is_some()
            && match (&self.shape, why) {
                (Shape::ItemChanges, Why::Absent | Why::Unclear { .. })
                | (Shape::One { .. }, Why::Absent) => true,
                (Shape::ItemChanges | Shape::One { .. }, Why::Ambiguous { .. })
                | (Shape::One { .. }, Why::Unclear { .. })
                | (Shape::Each { .. }, _) => false,
            }
    }
}

impl Task {
    /// Takes the inputs from the words of a task and from the records that were listed for them.
    pub fn extract_with(
        &self,
        text: &str,
        earlier: &BTreeMap<String, Value>,
        records: &Records,
        setting: &Setting,
    ) -> Extracted {
        let mut extracted = extract_with(text, &self.inputs, earlier, records, setting);
        let reading = self.read(text, setting);
        for input in self.inputs.iter().filter(|input| input.optional) {
            // What nobody had to state is taken where the words name exactly one of the records.
            let listed = records.of.get(&input.name).filter(|_| !extracted.found.contains_key(&input.name));
            match listed.map(|listed| self.named(text, &reading, listed, &extracted.places)) {
                Some(Ok((value, places))) => {
                    extracted.found.insert(input.name.clone(), value);
                    extracted.places.extend(places);
                }
                Some(Err(why @ Why::Ambiguous { .. })) => {
                    extracted.missing.push(NotFound { name: input.name.clone(), why });
                }
                Some(Err(Why::Absent | Why::Unclear { .. })) | None => {}
            }
        }
        let missing = std::mem::take(&mut extracted.missing);
        for NotFound { name, why } in missing {
            let input = self.inputs.iter().find(|input| input.name == name && input.may_be_found(&why));
            let found = input.filter(|input| matches!(input.shape, Shape::One { .. })).map(|input| {
                let listed = records.of.get(&input.name).map_or(&[][..], Vec::as_slice);
                match input.find.as_ref().is_some_and(|find| find.by.is_some()) {
                    true => self.named(text, &reading, listed, &extracted.places),
                    false => only(listed.iter()).map(|value| (value, Vec::new())),
                }
            });
            match found {
                Some(Ok((value, places))) => {
                    extracted.found.insert(name, value);
                    extracted.places.extend(places);
                }
                Some(Err(why)) => extracted.missing.push(NotFound { name, why }),
                None => extracted.missing.push(NotFound { name, why }),
            }
        }
        extracted
    }

    /// The one record that the requester's own words name as what the task is about: beside a word of a form, as in
    /// "the offboarding of Jo Kim", "Jo Kim's accounts". Where a second record is named, nobody knows which is meant.
    fn named(
        &self,
        text: &str,
        reading: &Reading,
        records: &[Record],
        taken: &[Range<usize>],
    ) -> Result<(Value, Vec<Range<usize>>), Why> {
        let named = names_in(text, records);
        let value = only(named.iter().map(|(_, record)| *record))?;
        let places: Vec<Range<usize>> = named.into_iter().map(|(place, _)| place).collect();
        let is_meant = |place: &Range<usize>| {
            self.is_about(text, reading, place) || self.is_stated_of(text, reading, place, taken)
        };
        match places.iter().any(is_meant) {
            true => Ok((value, places)),
            false => Err(Why::Absent),
        }
    }

    /// Whether a statement is about a name, and gives a value and a word of a form: "Jo Kim leaves on 3 March". Who signs
    /// or asks is not what a statement begins with.
    fn is_stated_of(
        &self,
        text: &str,
        reading: &Reading,
        name: &Range<usize>,
        taken: &[Range<usize>],
    ) -> bool {
        let act = reading.acts.iter().find(|act| act.span.start <= name.start && name.end <= act.span.end);
        let is_of_form = |word: &Word| self.say.iter().any(|form| form.explains(word));
        let gives = |act: &Act| {
            let held = |place: &Range<usize>| name.end <= place.start && place.end <= act.span.end;
            let begins = text.get(act.span.start..name.start).is_some_and(|gap| gap.trim().is_empty());
            begins && taken.iter().any(held) && act.words.iter().any(is_of_form)
        };
        act.is_some_and(|act| act.mood == Mood::Statement && gives(act))
    }

    /// Whether the word before a name, or the one after its possessive, is a word of a form. Between them are only
    /// function words.
    fn is_about(&self, text: &str, reading: &Reading, name: &Range<usize>) -> bool {
        let words = || reading.acts.iter().flat_map(|act| &act.words);
        let is_of_form = |word: &Word| self.say.iter().any(|form| form.explains(word));
        let is_light = |gap: &str| {
            let light = |word: &str| Language::ALL.iter().any(|one| lexicon(*one).is_function_word(word));
            tokens(gap).iter().all(|token| light(&token.lower))
        };
        let before = words().take_while(|word| word.span.end <= name.start).last();
        let before = before.filter(|word| text.get(word.span.end..name.start).is_some_and(is_light));
        let rest = text.get(name.end..).unwrap_or_default();
        let possessive =
            ["'s", "’s"].iter().find(|ending| rest.starts_with(**ending)).map(|ending| ending.len());
        let after = possessive.and_then(|length| {
            let end = name.end + length;
            let word = words().find(|word| word.span.start >= end)?;
            // `Jo Kim's system access`: a second word may be the one.
            let next = words().find(|next| next.span.start >= word.span.end);
            let near = |word: &&Word| text.get(end..word.span.start).is_some_and(|gap| !gap.contains(MARKS));
            Some([Some(word), next].into_iter().flatten().filter(near).any(is_of_form))
        });
        before.is_some_and(is_of_form) || after == Some(true)
    }
}

/// Marks that end what a possessive belongs to.
const MARKS: [char; 8] = ['.', ',', ';', ':', '!', '?', '\n', '('];

/// The value of the only record.
fn only<'r>(records: impl Iterator<Item = &'r Record>) -> Result<Value, Why> {
    const SHOWN_MAX: usize = 8;
    let values: BTreeSet<&str> = records.map(|record| record.value.as_deref().unwrap_or_default()).collect();
    match values.first() {
        None => Err(Why::Absent),
        Some(value) if values.len() == 1 && !value.is_empty() => Ok(Value::text(*value)),
        Some(_) => {
            Err(Why::Ambiguous { values: values.into_iter().take(SHOWN_MAX).map(str::to_owned).collect() })
        }
    }
}

/// Where the requester's own words name records, each as whole words. Of names that begin at one word the longest is
/// meant, and a name inside of it is not counted.
fn names_in<'r>(text: &str, records: &'r [Record]) -> Vec<(Range<usize>, &'r Record)> {
    let mut by_first: HashMap<String, Vec<(&str, &Record)>> = HashMap::new();
    for record in records {
        // One word may be anything: `April` is a month.
        let Some((first, _)) = record.name.as_deref().and_then(|name| name.split_once(' ')) else { continue };
        by_first
            .entry(first.to_lowercase())
            .or_default()
            .extend(record.name.as_deref().map(|name| (name, record)));
    }
    let own: Vec<_> = parts(text).into_iter().filter(|part| part.kind == PartKind::Own).collect();
    let ends_word = |rest: &str| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    let mut found: Vec<(Range<usize>, &Record)> = Vec::new();
    for token in own.iter().flat_map(|part| tokens_of(text, part.span.start, part.span.end)) {
        if found.last().is_some_and(|(last, _)| token.start < last.end) {
            continue;
        }
        let rest = text.get(token.start..).unwrap_or_default();
        let word = text.get(token.clone()).map(str::to_lowercase).unwrap_or_default();
        let begins = |name: &str| {
            let said = rest.get(..name.len()).is_some_and(|said| said.to_lowercase() == name.to_lowercase());
            said && rest.get(name.len()..).is_some_and(ends_word)
        };
        let named = by_first.get(&word).into_iter().flatten();
        let named: Vec<&(&str, &Record)> = named.filter(|(name, _)| begins(name)).collect();
        let longest = named.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        let longest = named.into_iter().filter(|(name, _)| name.len() == longest);
        found.extend(longest.map(|(name, record)| (token.start..token.start + name.len(), *record)));
    }
    found
}

/// The places of the words between two places of a text.
fn tokens_of(text: &str, start: usize, end: usize) -> Vec<Range<usize>> {
    let words = tokens(text.get(start..end).unwrap_or_default());
    words.into_iter().map(|token| start + token.span.start..start + token.span.end).collect()
}
