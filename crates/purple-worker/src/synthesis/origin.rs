//! Where every value of a run came from: an input of the task, a field of a read, a computation.

use std::collections::{BTreeMap, BTreeSet};

use purple_finance::{Exact, Money};
use serde_json::{Value, json};

use crate::dossier::case_of;
use crate::synthesis::from_run::NoDraft;
use crate::synthesis::record::{Look, Record, Sum};

/// How deep fields of an answer are looked into.
const FIELD_LEVELS_MAX: usize = 3;
/// The tool whose computations a file can hold.
const CALCULATE: &str = "calculate";

/// Who gives something its name and says how it comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// The file under which the run was.
    File,
    /// The draft: it is what the model did besides.
    Draft,
}

/// What the task says.
struct Input {
    name: String,
    value: Value,
    by: By,
}

/// A read with the name that the file gives it.
struct Read {
    name: String,
    tool: String,
    /// Parameter and expression, where the draft makes it.
    given: Vec<(String, String)>,
    answer: Value,
    by: By,
}

/// A computation with the name that the file gives it.
struct Compute {
    name: String,
    expression: Result<String, String>,
    value: Value,
    by: By,
}

/// What a file can be written from.
pub(super) struct Origins {
    inputs: Vec<Input>,
    reads: Vec<Read>,
    computes: Vec<Compute>,
    /// Names that mean something else in the rules.
    reserved: BTreeSet<String>,
}

impl Origins {
    /// Of a run; what the draft names itself gets none of the reserved names.
    pub(super) fn of(record: &Record, reserved: &BTreeSet<String>) -> Result<Self, NoDraft> {
        let (inputs, reads, computes) = (Vec::new(), Vec::new(), Vec::new());
        let mut origins = Self { inputs, reads, computes, reserved: reserved.clone() };
        origins.take_declared(record)?;
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for look in &record.looks {
            let read = origins.read(record, look)?;
            names.insert(look.name.clone(), read.name.clone());
            origins.reads.push(read);
        }
        for (sum, number) in record.sums.iter().zip(1_usize..) {
            let plain = format!("figure_{number}");
            let name = if origins.names(&plain) { format!("its_{plain}") } else { plain };
            let expression = origins.expression_of(sum, &names);
            names.insert(sum.name.clone(), name.clone());
            origins.computes.push(Compute { name, expression, value: sum.value.clone(), by: By::Draft });
        }
        Ok(origins)
    }

    /// What the file under which the run was found, read and computed by itself.
    fn take_declared(&mut self, record: &Record) -> Result<(), NoDraft> {
        let Some(task) = record.task() else { return Ok(()) };
        let case = case_of(task, &record.dossier)?;
        let known = |name: &str| Some(case.facts().get(name).ok()?.to_json());
        for input in task.inputs() {
            let name = input.name().to_owned();
            self.inputs.extend(known(&name).map(|value| Input { name, value, by: By::File }));
        }
        for read in task.reads() {
            let (name, tool) = (read.name().to_owned(), read.tool().to_string());
            let given = Vec::new();
            self.reads.extend(known(&name).map(|answer| Read { name, tool, given, answer, by: By::File }));
        }
        for (name, value) in case.figures() {
            let Ok(value) = value else { continue };
            let (name, value) = (name.to_owned(), value.to_json());
            self.computes.push(Compute { expression: Ok(name.clone()), name, value, by: By::File });
        }
        Ok(())
    }

    /// Whether a file that is written from this knows the name.
    pub(super) fn names(&self, name: &str) -> bool {
        self.inputs.iter().any(|one| one.name == name)
            || self.reads.iter().any(|one| one.name == name)
            || self.computes.iter().any(|one| one.name == name)
    }

    fn read(&mut self, record: &Record, look: &Look) -> Result<Read, NoDraft> {
        let noun = look.tool.rsplit('/').next().unwrap_or(&look.tool);
        let noun = noun.split_once('_').map_or(noun, |(_, noun)| noun).to_lowercase();
        let taken = |name: &String| self.names(name) || self.reserved.contains(name);
        let mut name = format!("the_{noun}");
        if !taken(&noun) {
            name.clone_from(&noun);
        }
        for number in 2_usize.. {
            if !taken(&name) {
                break;
            }
            name = format!("{noun}_{number}");
        }
        let mut given = Vec::new();
        for (parameter, value) in &look.arguments {
            let none = || NoDraft::NoOrigin { tool: look.tool.clone(), argument: parameter.clone() };
            let expression = self.looked_up_by(record, parameter, value).ok_or_else(none)?;
            given.push((parameter.clone(), expression));
        }
        Ok(Read { name, tool: look.tool.clone(), given, answer: look.answer.clone(), by: By::Draft })
    }

    /// What a read was given: an id of the task, a field of an earlier read, something made of them, or always the same.
    fn looked_up_by(&mut self, record: &Record, parameter: &str, value: &Value) -> Option<String> {
        if let Some(known) = self.stated(value) {
            return Some(known);
        }
        if let Value::String(text) = value
            && is_id(text)
            && stands_in(&record.dossier.text, text)
        {
            let taken = self.names(parameter);
            let name =
                if taken { format!("{parameter}_{}", self.inputs.len() + 1) } else { parameter.to_owned() };
            self.inputs.push(Input { name: name.clone(), value: value.clone(), by: By::Draft });
            return Some(name);
        }
        let joined = || self.joined(value.as_str()?);
        self.field(parameter, value).or_else(joined).or_else(|| literal(value))
    }

    /// An input with this value. How much something is, a task only claims.
    fn stated(&self, value: &Value) -> Option<String> {
        let same = |input: &&Input| input.value == *value && value.is_string() && figure(value).is_none();
        self.inputs.iter().find(same).map(|input| input.name.clone())
    }

    fn expression_of(&self, sum: &Sum, names: &BTreeMap<String, String>) -> Result<String, String> {
        let source = sum.arguments.get("expression").and_then(Value::as_str);
        let Some(source) = source.filter(|_| sum.by == CALCULATE) else { return Err(sum.by.clone()) };
        let renamed = renamed(source, names);
        let rests_on = |one: &&Compute| one.expression.is_err() && holds_word(&renamed, &one.name);
        match self.computes.iter().find(rests_on) {
            Some(Compute { expression: Err(by), .. }) => Err(by.clone()),
            Some(_) | None => Ok(renamed),
        }
    }

    /// The expression for a value of an operation; `None` where a file could not know it again.
    pub(super) fn expression(&self, parameter: &str, value: &Value) -> Option<String> {
        if let Some(same_name) = self
            .fields()
            .find(|(path, found)| path.rsplit('.').next() == Some(parameter) && equal(value, found))
        {
            return Some(same_name.0);
        }
        if let Some(input) = self.stated(value) {
            return Some(input);
        }
        let computed =
            self.computes.iter().rev().find(|one| one.expression.is_ok() && equal(value, &one.value));
        if let Some(computed) = computed {
            return Some(computed.name.clone());
        }
        if let Some(found) = self.field(parameter, value) {
            return Some(found);
        }
        match value {
            // Figures come from somewhere; a file that states them would state them for every task.
            Value::Number(_) => None,
            Value::String(text) if figure(value).is_some() => {
                // A number that is part of an id is no figure.
                self.joined(text)
            }
            Value::String(text) => self.joined(text).or_else(|| literal(value)),
            Value::Bool(_) => literal(value),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// `GW-CTR-441` is `join("GW", contract_id)`.
    fn joined(&self, text: &str) -> Option<String> {
        self.inputs.iter().find_map(|input| {
            let (before, after) = text.split_once(input.value.as_str().filter(|id| is_id(id))?)?;
            let mut parts = Vec::new();
            if !before.is_empty() {
                parts.push(quoted(before.strip_suffix('-')?));
            }
            parts.push(input.name.clone());
            if !after.is_empty() {
                parts.push(quoted(after.strip_prefix('-')?));
            }
            (parts.len() > 1).then(|| format!("join({})", parts.join(", ")))
        })
    }

    /// A field of a read with this value: one of the same name, else any that is not there by chance.
    fn field(&self, parameter: &str, value: &Value) -> Option<String> {
        let telling = match value {
            Value::String(text) => figure(value).is_some() || is_id(text) || text.contains('@'),
            Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
            Value::Null | Value::Bool(_) => false,
        };
        let same_name = |path: &str| path.rsplit('.').next() == Some(parameter);
        let mut fitting = self.fields().filter(|(_, found)| equal(value, found));
        let first = fitting.next()?;
        let named = std::iter::once(first.clone()).chain(fitting).find(|(path, _)| same_name(path));
        named.or_else(|| telling.then_some(first)).map(|(path, _)| path)
    }

    /// Every field of every read, by its path.
    fn fields(&self) -> impl Iterator<Item = (String, &Value)> {
        self.reads.iter().flat_map(|read| walk(&read.name, &read.answer, FIELD_LEVELS_MAX))
    }

    /// What computed a value that no expression can compute.
    pub(super) fn computed_by(&self, value: &Value) -> Option<&str> {
        let found = self.computes.iter().find(|one| one.expression.is_err() && equal(value, &one.value));
        found.and_then(|one| one.expression.as_ref().err()).map(String::as_str)
    }

    pub(super) fn inputs(&self) -> Vec<String> {
        let line = |input: &Input| {
            let pattern = pattern(input.value.as_str().unwrap_or_default());
            format!("  {}: {{type: id, pattern: '{pattern}'}}\n", input.name)
        };
        self.inputs.iter().filter(|input| input.by == By::Draft).map(line).collect()
    }

    pub(super) fn reads(&self) -> Vec<String> {
        let line = |read: &Read| {
            let given: Vec<String> =
                read.given.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("  {}: {}\n", read.name, quoted(&format!("{}({})", read.tool, given.join(", "))))
        };
        self.reads.iter().filter(|read| read.by == By::Draft).map(line).collect()
    }

    pub(super) fn computes(&self) -> Vec<String> {
        let line = |one: &Compute| {
            let expression = one.expression.as_ref().ok()?;
            Some(format!("  {}: {}\n", one.name, quoted(expression)))
        };
        self.computes.iter().filter(|one| one.by == By::Draft).filter_map(line).collect()
    }

    /// Where the task and the system could disagree about the same thing.
    pub(super) fn disagreements(&self) -> Vec<String> {
        let mut found = Vec::new();
        for input in &self.inputs {
            for read in self.reads.iter().filter(|read| read.by == By::Draft) {
                let looked_up = read.given.iter().any(|(_, value)| *value == input.name);
                let own = read.answer.get(&input.name) == Some(&input.value);
                if own && !looked_up {
                    found.push(format!("{}.{} != {}", read.name, input.name, input.name));
                }
            }
        }
        found
    }

    /// That each read found something.
    pub(super) fn presence(&self) -> String {
        let there = |read: &Read| {
            let (path, _) =
                walk(&read.name, &read.answer, 1).into_iter().find(|(_, value)| !value.is_null())?;
            Some(format!("exists({path})"))
        };
        self.reads.iter().filter_map(there).collect::<Vec<_>>().join(" && ")
    }

    /// The answers of the reads, for a test.
    pub(super) fn facts(&self) -> String {
        self.reads.iter().map(|read| format!("    {}: {}\n", read.name, plain(&read.answer))).collect()
    }

    /// The answer of a read that the draft makes.
    pub(super) fn answer(&self, name: &str) -> Option<&Value> {
        self.reads.iter().find(|read| read.by == By::Draft && read.name == name).map(|read| &read.answer)
    }

    /// A field of this name, of whatever was read.
    pub(super) fn field_named(&self, name: &str) -> Option<String> {
        let read =
            self.reads.iter().find(|read| read.answer.get(name).is_some_and(|field| !field.is_null()))?;
        Some(format!("{}.{name}", read.name))
    }

    /// A path on which nothing is ever found; `None` where nothing was read. A field would be looked for under other
    /// names too, and something else could be taken for it.
    pub(super) fn absent(&self, name: &str) -> Option<String> {
        Some(format!("{}.not_read.{name}", self.reads.first()?.name))
    }
}

/// A text as a scalar of a process file, and as a text of an expression.
pub(super) fn quoted(text: &str) -> String {
    json!(text).to_string()
}

/// Whether two values are the same, however a figure is written.
pub(super) fn equal(one: &Value, other: &Value) -> bool {
    match (figure(one), figure(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one == other,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

pub(super) fn figure(value: &Value) -> Option<(Exact, Option<String>)> {
    match value {
        Value::Number(number) => Some((Exact::parse(&number.to_string()).ok()?, None)),
        Value::String(text) => match Money::parse(text) {
            Ok(money) => Some((money.amount(), Some(money.currency().to_string()))),
            Err(_) => Some((Exact::parse(text).ok()?, None)),
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn is_id(text: &str) -> bool {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "-_.#".contains(sign);
    text.chars().any(|sign| sign.is_ascii_digit())
        && text.chars().any(|sign| sign.is_ascii_alphabetic())
        && text.chars().all(plain)
        && Money::parse(text).is_err()
}

fn stands_in(text: &str, said: &str) -> bool {
    text.match_indices(said).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + said.len()..).and_then(|text| text.chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

/// Ids of the same form: letters stay, digits may be others.
fn pattern(value: &str) -> String {
    let mut pattern = String::new();
    for sign in value.chars() {
        match sign {
            '0'..='9' if pattern.ends_with("[0-9]+") => {}
            '0'..='9' => pattern.push_str("[0-9]+"),
            '.' | '#' => {
                pattern.push('\\');
                pattern.push(sign);
            }
            other => pattern.push(other),
        }
    }
    pattern
}

fn literal(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(quoted(text)),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn walk<'v>(path: &str, value: &'v Value, levels: usize) -> Vec<(String, &'v Value)> {
    let Value::Object(fields) = value else { return Vec::new() };
    let mut found = Vec::new();
    for (name, field) in fields {
        let path = format!("{path}.{name}");
        if levels > 1 {
            found.extend(walk(&path, field, levels - 1));
        }
        found.push((path, field));
    }
    found
}

/// An answer without what a test has no word for.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let there = fields.iter().filter(|(_, field)| !field.is_null());
            Value::Object(there.map(|(name, field)| (name.clone(), plain(field))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// An expression with other names; texts in quotes stay as they are.
pub(crate) fn renamed(source: &str, names: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let mut before = ' ';
    for sign in source.chars().chain([' ']) {
        if quote.is_none() && (sign.is_alphanumeric() || sign == '_') {
            word.push(sign);
            continue;
        }
        let name = names.get(&word).filter(|_| before != '.');
        out.push_str(name.unwrap_or(&word));
        word.clear();
        quote = match quote {
            Some(open) if open == sign => None,
            Some(open) => Some(open),
            None if sign == '"' || sign == '\'' => Some(sign),
            None => None,
        };
        out.push(sign);
        before = sign;
    }
    out.trim_end().to_owned()
}

fn holds_word(text: &str, word: &str) -> bool {
    crate::prime::wording::says(text, word)
}
