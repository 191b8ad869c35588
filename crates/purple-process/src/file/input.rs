//! Inputs: what a process takes from the words of a task.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use jiff::civil::Date;
use purple_intent::value::{Notation, Value as Written, values};
use purple_intent::{ItemChange, PartKind, Span, corrects, item_changes, parts};
use purple_policy::{Currency, Exact, Symbols, Value};
use regex::Regex;

use super::find::{Find, Records};
use super::literal::{self, Candidate};
use super::nearest::{self, Gaps};
use crate::playbook::ROWS_MAX;

/// The kind of one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputType {
    /// Words that a pattern cuts out.
    Text,
    /// A plain number.
    Number,
    /// An amount with its currency.
    Money,
    /// The number before a percent sign.
    Percent,
    /// A day.
    Date,
    /// A month, as `2026-02`.
    Month,
    /// The id of something that can be looked up.
    Id,
}

impl InputType {
    /// Every type there is.
    pub const ALL: [Self; 7] =
        [Self::Text, Self::Number, Self::Money, Self::Percent, Self::Date, Self::Month, Self::Id];

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text)
    }

    /// The word for it in a file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Money => "money",
            Self::Percent => "percent",
            Self::Date => "date",
            Self::Month => "month",
            Self::Id => "id",
        }
    }

    /// Whether it says how much: such an input is never written without a read that confirms it.
    pub(crate) const fn is_amount(self) -> bool {
        match self {
            Self::Number | Self::Money | Self::Percent => true,
            Self::Text | Self::Date | Self::Month | Self::Id => false,
        }
    }
}

impl fmt::Display for InputType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The type of a list: the items that are added to an order or removed from it, as rows of `action`, `quantity` and
/// `item`.
pub(crate) const ITEM_CHANGES: &str = "item_changes";

/// What an input looks for.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// One value of a type.
    One { kind: InputType, pattern: Option<Regex>, near: Option<String>, noun: Option<Regex> },
    /// Every match of a pattern, as rows.
    Each { pattern: Regex, fields: BTreeMap<String, InputType> },
    /// The items that are added or removed, as rows.
    ItemChanges,
}

/// One declared input.
#[derive(Clone, Debug)]
pub struct Input {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) earlier: bool,
    pub(crate) optional: bool,
    pub(crate) label: Option<String>,
    /// How the system of record finds it where the words do not state it.
    pub(crate) find: Option<Find>,
}

impl Input {
    /// The name by which expressions know it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What people call it: its `label`, else its name in words.
    pub fn label(&self) -> String {
        let own = self.name.strip_prefix("stated_").unwrap_or(&self.name);
        self.label.clone().unwrap_or_else(|| own.replace('_', " "))
    }

    /// Its type; `None` for a list.
    pub fn kind(&self) -> Option<InputType> {
        match &self.shape {
            Shape::One { kind, .. } => Some(*kind),
            Shape::Each { .. } | Shape::ItemChanges => None,
        }
    }

    /// Whether it is a list of items that come or go.
    pub(crate) fn is_items(&self) -> bool {
        matches!(self.shape, Shape::ItemChanges)
    }

    /// Whether it may come from an earlier message of the session.
    pub fn may_be_earlier(&self) -> bool {
        self.earlier
    }

    /// Whether a task may leave it out.
    pub fn is_optional(&self) -> bool {
        self.optional
    }

    /// Lets its ids look like this, as a company writes them.
    pub(crate) fn take_form(&mut self, form: &str) -> Result<(), String> {
        let pattern = literal::company_form(form)?;
        match &mut self.shape {
            Shape::One { pattern: own @ Some(_), kind: InputType::Id, .. } => *own = Some(pattern),
            Shape::One { .. } | Shape::Each { .. } | Shape::ItemChanges => {
                return Err(format!("`{}` is no id", self.name));
            }
        }
        Ok(())
    }

    /// How its ids begin, such as `INV`.
    pub(crate) fn prefix(&self) -> Option<String> {
        match &self.shape {
            Shape::One { pattern: Some(pattern), .. } => literal::prefix(pattern),
            Shape::One { pattern: None, .. } | Shape::Each { .. } | Shape::ItemChanges => None,
        }
    }

    /// The word that its value is near to, for values of one kind.
    pub(super) fn near(&self) -> Option<(InputType, &str)> {
        match &self.shape {
            Shape::One { kind, near: Some(word), .. } => Some((*kind, word)),
            Shape::One { near: None, .. } | Shape::Each { .. } | Shape::ItemChanges => None,
        }
    }

    /// Its value and the places that it was taken from. `of_kind` are the words that inputs of the same kind are near
    /// to, its own included; `prefixes` are those of the ids of all inputs.
    fn find(
        &self,
        words: &Words<'_>,
        of_kind: &[&str],
        prefixes: &[String],
        setting: &Setting,
    ) -> Result<Found, Why> {
        match &self.shape {
            Shape::One { kind, pattern, near, noun } => {
                let mut found =
                    literal::candidates(words.text, &words.written, *kind, pattern.as_ref(), setting);
                if let (true, Some(pattern), Some(noun)) = (found.is_empty(), pattern, noun) {
                    found = literal::by_noun(words.text, &words.written, pattern, noun);
                }
                let mut candidates = words.own_first(found, |candidate| &candidate.range);
                candidates = match near {
                    Some(word) if *kind == InputType::Date => {
                        nearest::nearest_day(words.gaps(), word, candidates)
                    }
                    Some(word) => nearest::nearest_to(words.gaps(), word, of_kind, candidates),
                    None => candidates,
                };
                let places = candidates.iter().map(|candidate| candidate.range.clone()).collect();
                Ok((settle(corrected(words.text, candidates))?, places))
            }
            Shape::Each { pattern, fields } => rows(words, pattern, fields, setting),
            Shape::ItemChanges => changes(words, &words.records.names_of(&self.name), prefixes, setting),
        }
    }
}

/// A value, and the places of the text that it was taken from.
type Found = (Value, Vec<Range<usize>>);

/// A text with what was read in it once for all inputs.
struct Words<'t> {
    text: &'t str,
    written: Vec<Written>,
    /// The requester's own words: what they quote or forward counts only where these say nothing.
    own: Vec<Range<usize>>,
    gaps: OnceCell<Gaps<'t>>,
    records: &'t Records,
}

impl<'t> Words<'t> {
    fn of(text: &'t str, records: &'t Records, setting: &Setting) -> Self {
        let own = parts(text).into_iter().filter(|part| part.kind == PartKind::Own);
        let own = own.map(|part| part.span.start..part.span.end).collect();
        let written = values(text, &setting.notation(Vec::new()));
        Self { text, written, own, gaps: OnceCell::new(), records }
    }

    fn gaps(&self) -> &Gaps<'t> {
        self.gaps.get_or_init(|| Gaps::new(self.text))
    }

    fn own_first<T>(&self, mut all: Vec<T>, place: impl Fn(&T) -> &Range<usize>) -> Vec<T> {
        let is_own = |one: &T| {
            let place = place(one);
            let next = self.own.partition_point(|own| own.end < place.end);
            self.own.get(next).is_some_and(|own| own.start <= place.start)
        };
        if all.iter().any(is_own) {
            all.retain(is_own);
        }
        all
    }
}

/// What reading a task depends on besides its words.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The day from which "Friday" and "last month" count.
    pub today: Date,
    /// What a bare `$` means.
    pub dollar: Currency,
}

impl Setting {
    /// How values are written here, with ids that begin with these prefixes.
    pub fn notation(&self, prefixes: Vec<String>) -> Notation {
        Notation { symbols: Symbols { dollar: Some(self.dollar), ..Symbols::default() }, prefixes }
    }
}

/// Why an input has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// Nothing of that kind is in the text.
    #[error("it is not in the task")]
    Absent,
    /// Several different values, and nothing says which one.
    #[error("the task holds several: {}", .values.join(", "))]
    Ambiguous {
        /// The different values, in the order of the text.
        values: Vec<String>,
    },
    /// Something of that kind that can be read in more than one way.
    #[error("`{text}` {reason}")]
    Unclear {
        /// The words.
        text: String,
        /// Why they are not clear.
        reason: &'static str,
    },
}

/// An input that was not found, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound {
    /// The name of the input.
    pub name: String,
    /// Why it has no value.
    pub why: Why,
}

/// What a task said about the declared inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extracted {
    /// The values found, by input.
    pub found: BTreeMap<String, Value>,
    /// The inputs without a value. Empty when the playbook can start.
    pub missing: Vec<NotFound>,
    /// The places of the text that the values were taken from.
    pub places: Vec<Range<usize>>,
}

/// Takes the declared inputs from the words of a task.
///
/// `earlier` holds what earlier messages of the session said; it fills only the inputs that allow it and that this
/// text does not mention at all.
pub fn extract(
    text: &str,
    inputs: &[Input],
    earlier: &BTreeMap<String, Value>,
    setting: &Setting,
) -> Extracted {
    extract_with(text, inputs, earlier, &Records::default(), setting)
}

/// The same, with the names of the items that were listed.
pub(crate) fn extract_with(
    text: &str,
    inputs: &[Input],
    earlier: &BTreeMap<String, Value>,
    records: &Records,
    setting: &Setting,
) -> Extracted {
    let mut extracted = Extracted::default();
    let words = Words::of(text, records, setting);
    let nears: Vec<(InputType, &str)> = inputs.iter().filter_map(Input::near).collect();
    let prefixes: Vec<String> = inputs.iter().filter_map(Input::prefix).collect();
    for input in inputs {
        let of_kind = nears.iter().filter(|(kind, _)| input.near().is_some_and(|(own, _)| own == *kind));
        let of_kind: Vec<&str> = of_kind.map(|(_, word)| *word).collect();
        match input.find(&words, &of_kind, &prefixes, setting) {
            Ok((value, places)) => {
                extracted.found.insert(input.name.clone(), value);
                extracted.places.extend(places);
            }
            Err(why) => match earlier.get(&input.name).filter(|_| input.earlier && why == Why::Absent) {
                Some(value) => {
                    extracted.found.insert(input.name.clone(), value.clone());
                }
                None if input.optional && why == Why::Absent => {}
                None => extracted.missing.push(NotFound { name: input.name.clone(), why }),
            },
        }
    }
    extracted
}

/// The words of a text that an input takes its value from, as they are written; several rows are joined with commas.
/// Of several values the first one.
pub(crate) fn written(text: &str, input: &Input, setting: &Setting) -> Option<String> {
    let Extracted { missing, places, .. } =
        extract(text, std::slice::from_ref(input), &BTreeMap::new(), setting);
    let slices: Vec<&str> = places.into_iter().filter_map(|place| text.get(place)).collect();
    let words = match &input.shape {
        Shape::One { .. } => slices.first().map(|first| (*first).to_owned()),
        Shape::Each { .. } | Shape::ItemChanges => (!slices.is_empty()).then(|| slices.join(", ")),
    };
    match missing.first().map(|missing| &missing.why) {
        None => words,
        Some(Why::Ambiguous { values }) => values.first().cloned(),
        Some(Why::Absent | Why::Unclear { .. }) => None,
    }
}

/// The candidates without those that the next one corrects: "INV-1, sorry, I meant INV-2".
fn corrected(text: &str, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let span = |candidate: &Candidate| Span::new(candidate.range.start, candidate.range.end);
    let is_corrected = |at: usize| match (candidates.get(at), candidates.get(at + 1)) {
        (Some(one), Some(next)) => corrects(text, span(one), span(next)),
        (Some(_) | None, None) | (None, Some(_)) => false,
    };
    let kept: Vec<bool> = (0..candidates.len()).map(|at| !is_corrected(at)).collect();
    let both = candidates.into_iter().zip(kept);
    both.filter(|(_, kept)| *kept).map(|(candidate, _)| candidate).collect()
}

/// How many different values are named when several were found.
const AMBIGUOUS_VALUES_MAX: usize = 8;

/// One value, if all candidates agree on it.
fn settle(candidates: Vec<Candidate>) -> Result<Value, Why> {
    let mut values: Vec<Value> = Vec::new();
    for candidate in candidates {
        let value = candidate.value.map_err(|reason| Why::Unclear { text: candidate.text, reason })?;
        if !values.contains(&value) {
            values.push(value);
        }
        if values.len() > AMBIGUOUS_VALUES_MAX {
            break;
        }
    }
    match values.len() {
        0 => Err(Why::Absent),
        1 => Ok(values.swap_remove(0)),
        _ => Err(Why::Ambiguous { values: values.iter().map(ToString::to_string).collect() }),
    }
}

fn rows(
    words: &Words<'_>,
    pattern: &Regex,
    fields: &BTreeMap<String, InputType>,
    setting: &Setting,
) -> Result<Found, Why> {
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    let matches = pattern.captures_iter(words.text).map(|found| {
        let place = found.get(0).map(|whole| whole.range()).unwrap_or_default();
        (place, found)
    });
    for (place, found) in words.own_first(matches.collect(), |(place, _)| place) {
        places.push(place);
        let mut row = Vec::new();
        for name in pattern.capture_names().flatten() {
            let Some(group) = found.name(name) else { continue };
            let kind = fields.get(name).copied().unwrap_or(InputType::Text);
            let value = literal::read_as(group.as_str(), kind, setting)
                .map_err(|reason| Why::Unclear { text: group.as_str().to_owned(), reason })?;
            row.push((name, value));
        }
        rows.push(Value::record(row));
        if rows.len() > ROWS_MAX {
            return Err(too_many_rows());
        }
    }
    if rows.is_empty() { Err(Why::Absent) } else { Ok((Value::list(rows), places)) }
}

/// The items that the words add and remove. Items without a word that says which are asked for.
fn changes(words: &Words<'_>, items: &[&str], prefixes: &[String], setting: &Setting) -> Result<Found, Why> {
    let notation = setting.notation(prefixes.to_vec());
    let changes = item_changes(words.text, &notation, items).map_err(|span| Why::Unclear {
        text: span.of(words.text).to_owned(),
        reason: "does not say exactly which item is added or removed",
    })?;
    if changes.len() > ROWS_MAX {
        return Err(too_many_rows());
    }
    let row = |change: &ItemChange| {
        Value::record([
            ("action", Value::text(change.action.name())),
            ("item", Value::text(change.item.as_str())),
            ("quantity", Value::Number(Exact::from(i64::from(change.quantity)))),
        ])
    };
    let rows: Vec<Value> = changes.iter().map(row).collect();
    let places = changes.iter().map(|change| change.span.start..change.span.end).collect();
    if rows.is_empty() { Err(Why::Absent) } else { Ok((Value::list(rows), places)) }
}

fn too_many_rows() -> Why {
    Why::Unclear { text: "the task".to_owned(), reason: "lists more rows than one run may have" }
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
