//! What the parameters of a tool could carry: a program, an address, a body, a place to write to, a switch.
//!
//! A read verb says nothing about a call whose argument is a statement, a URL or a file to save.

use std::collections::BTreeMap;

use crate::json::Json;
use crate::opening::Opening;
use crate::selector::{self, Around, Takes};
use crate::verbs::{READ, SEARCH};
use crate::words::{in_table, only_changes, split};

mod tables;

use tables::{
    ACTIONS, ADDRESSES, BODIES, DYNAMIC, IDENTIFIERS, LISTS, OPEN, OUTPUTS, PLACES, PROGRAM_LANGUAGES,
    PROGRAMS, QUERIES, RECORDS, SAVES, SELECTION_LANGUAGES, STATEMENTS,
};

/// The deepest schema that is followed. What lies deeper is not known.
const DEPTH_MAX: usize = 16;
/// The most properties that are looked at, over all levels.
const PROPERTIES_MAX: usize = 2_000;

/// What a parameter could carry that its tool's name does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hazard {
    /// Text in a language that is parsed at each call.
    Text(Language),
    /// A program, in a language that nobody parses here.
    Program,
    /// An expression that only selects, in a language that nobody parses here.
    Selection,
    /// An address that the tool reaches.
    Address,
    /// A free-form record or body.
    Body,
    /// A place that the tool writes to.
    Output,
    /// A choice between reading and changing.
    Switch,
    /// A text that says what is done.
    Order,
    /// Nothing shows that it only says what is read.
    Unproven,
    /// A schema that could not be followed, or a name in letters that are not read here.
    Unknown,
}

/// A language whose texts are parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// SQL, in any dialect.
    Sql,
    /// GraphQL.
    Graphql,
}

impl Language {
    /// The key of the configuration that names an argument of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sql => "sql",
            Self::Graphql => "graphql",
        }
    }
}

/// A parameter with a hazard. The path names it from the top: `params.query`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Risk {
    pub(crate) path: Vec<String>,
    pub(crate) hazard: Hazard,
}

impl Risk {
    /// Why it keeps a tool from being a read.
    pub(crate) fn reason(&self) -> String {
        let path = self.path.join(".");
        match self.hazard {
            Hazard::Text(Language::Sql) => format!("`{path}` takes SQL, which is parsed at each call"),
            Hazard::Text(Language::Graphql) => {
                format!("`{path}` takes GraphQL, which is parsed at each call")
            }
            Hazard::Program => format!("`{path}` can carry a program"),
            Hazard::Selection => format!("`{path}` takes a language that is not parsed here"),
            Hazard::Address => format!("`{path}` can carry an address"),
            Hazard::Body => format!("`{path}` takes a free-form record"),
            Hazard::Output => format!("`{path}` names a place that it writes to"),
            Hazard::Switch => format!("`{path}` chooses between reading and changing"),
            Hazard::Order => format!("`{path}` says what is done"),
            Hazard::Unproven => format!("nothing shows that `{path}` only says what is read"),
            Hazard::Unknown => format!("what `{path}` takes cannot be told"),
        }
    }
}

/// What the tool itself says, where it bears on a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The words of its name, without the vendor.
    pub(crate) name: &'a [&'a str],
    pub(crate) description: &'a str,
    /// What that opens with.
    pub(crate) opening: &'a Opening,
}

/// Every parameter that could carry more than a value.
pub(crate) fn risks(schema: &Json, context: Context<'_>) -> Vec<Risk> {
    let mut walk = Walk { root: schema, context, found: Vec::new(), left: PROPERTIES_MAX };
    walk.children(schema, &mut Vec::new());
    walk.found
}

struct Walk<'a> {
    root: &'a Json,
    context: Context<'a>,
    found: Vec<Risk>,
    left: usize,
}

impl<'a> Walk<'a> {
    fn add(&mut self, path: &[String], hazard: Hazard) {
        // A reference is a step of the walk and not of the name.
        let path = path.iter().filter(|step| !step.is_empty()).cloned().collect();
        let risk = Risk { path, hazard };
        if !self.found.contains(&risk) {
            self.found.push(risk);
        }
    }

    /// What is inside a schema: its properties, items, alternatives and references.
    fn children(&mut self, schema: &'a Json, path: &mut Vec<String>) {
        let Json::Record(fields) = schema else { return };
        if path.len() > DEPTH_MAX || self.left == 0 {
            return self.add(path, Hazard::Unknown);
        }
        self.left = self.left.saturating_sub(1);
        self.members(fields, path);
        for name in ["anyOf", "oneOf", "allOf"] {
            if let Some(Json::List(options)) = fields.get(name) {
                options.iter().for_each(|option| self.children(option, path));
            }
        }
        if let Some(target) = self.target(fields, path) {
            path.push(String::new());
            self.children(target, path);
            path.pop();
        }
    }

    /// What a record may hold: its properties, under whichever condition. What it does not name is a body.
    fn members(&mut self, fields: &'a BTreeMap<String, Json>, path: &mut Vec<String>) {
        let unnamed = |key: &&str| !matches!(fields.get(*key), None | Some(Json::Bool(false)));
        // What else a call may bring along, many libraries leave open by habit.
        let habit = path.is_empty() && !record(fields.get("properties")).is_empty();
        if OPEN.iter().any(unnamed) && !habit {
            self.add(path, Hazard::Body);
        }
        for (name, property) in record(fields.get("properties")) {
            path.push(name.clone());
            self.property(name, property, "", path);
            path.pop();
        }
        let conditions = ["if", "then", "else"].into_iter().filter_map(|key| fields.get(key));
        let dependent = record(fields.get("dependentSchemas")).into_iter().map(|(_, schema)| schema);
        for schema in conditions.chain(dependent) {
            path.push(String::new());
            self.children(schema, path);
            path.pop();
        }
    }

    /// The schema that a reference leads to.
    fn target(&mut self, fields: &'a BTreeMap<String, Json>, path: &[String]) -> Option<&'a Json> {
        let reference = fields.get("$ref")?.as_text().unwrap_or_default();
        let mut at = Some(self.root);
        for step in reference.strip_prefix('#').unwrap_or("?").split('/').filter(|step| !step.is_empty()) {
            at = at.and_then(|at| match at {
                Json::Record(inner) => inner.get(step),
                Json::List(_) | Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => None,
            });
        }
        if at.is_none() {
            self.add(path, Hazard::Unknown);
        }
        at
    }

    /// One named parameter, with everything that it may be. What was told about it above holds inside.
    fn property(&mut self, name: &str, schema: &'a Json, told: &'a str, path: &mut Vec<String>) {
        let Json::Record(fields) = schema else {
            // `true` takes anything.
            return self.add(path, Hazard::Body);
        };
        if path.len() > DEPTH_MAX || self.left == 0 {
            return self.add(path, Hazard::Unknown);
        }
        self.left = self.left.saturating_sub(1);
        let words = split(name);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if let Some(values) = choices(fields) {
            if is_switch(&words, &values) {
                self.add(path, Hazard::Switch);
            } else if !selector::selects(&words, Takes::Choice(&values), self.around("", &words)) {
                self.add(path, Hazard::Unproven);
            }
            return;
        }
        let described = fields.get("description").and_then(Json::as_text).unwrap_or_default();
        let below = if described.is_empty() { told } else { described };
        let mut inner = false;
        for option in options(fields) {
            inner = true;
            self.property(name, option, below, path);
        }
        if let Some(target) = self.target(fields, path) {
            inner = true;
            path.push(String::new());
            self.property(name, target, below, path);
            path.pop();
        }
        if DYNAMIC.iter().any(|key| fields.contains_key(*key)) {
            self.add(path, Hazard::Unknown);
        }
        // `convert_to_markdown` is about the form of the answer.
        let changes = |first: &&str| only_changes(first) && *first != "convert";
        if has_type(fields, "boolean") && words.first().is_some_and(changes) {
            self.add(path, Hazard::Switch);
        }
        if has_type(fields, "boolean") && says_it_saves(described) {
            self.add(path, Hazard::Output);
        }
        let members = RECORDS.iter().any(|key| fields.contains_key(*key));
        if has_type(fields, "object") || members {
            if selector::orders(&words) {
                self.add(path, Hazard::Unproven);
            }
            self.record(fields, path);
        }
        let numeric = has_type(fields, "number") || has_type(fields, "integer");
        let takes = [(has_type(fields, "boolean"), Takes::Flag), (numeric, Takes::Number)];
        for (_, takes) in takes.into_iter().filter(|(has, _)| *has) {
            if !selector::selects(&words, takes, self.around("", &words)) {
                self.add(path, Hazard::Unproven);
            }
        }
        let unsaid = !inner && !members && !fields.contains_key("type");
        let any_list = has_type(fields, "array") && options(fields).next().is_none();
        if has_type(fields, "string") || unsaid || any_list {
            let format = fields.get("format").and_then(Json::as_text).unwrap_or_default();
            let described = format!("{described} {told}");
            if let Some(hazard) = self.text(&words, &described, format) {
                self.add(path, hazard);
            } else if !selector::selects(&words, Takes::Text, self.around(&described, &words)) {
                self.add(path, Hazard::Unproven);
            }
        }
    }

    /// What is known around a parameter.
    fn around(&self, described: &str, words: &[&str]) -> Around {
        let described = described.to_lowercase();
        let searches = self.context.name.iter().any(|word| SEARCH.contains(word))
            || plain(&described).iter().any(|word| ["search", "find", "filter"].contains(word));
        let properties = match self.root {
            Json::Record(fields) => fields.get("properties"),
            Json::List(_) | Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => None,
        };
        let has =
            |wanted: &Vec<String>| record(properties).into_iter().any(|(name, _)| split(name) == *wanted);
        let begins = selector::beginnings(words).iter().any(has)
            || (words == ["source"] && has(&vec!["target".to_owned()]));
        let first = self.context.name.first().copied().unwrap_or_default();
        let named = words.last().is_some_and(|last| {
            self.context.name.iter().skip(1).any(|word| word == last) || self.context.opening.names(last)
        });
        Around { searches, begins, lists: LISTS.contains(&first), named: named && READ.contains(&first) }
    }

    /// A record inside. One that names nothing takes anything.
    fn record(&mut self, fields: &'a BTreeMap<String, Json>, path: &mut Vec<String>) {
        let named = !record(fields.get("properties")).is_empty();
        let closed = OPEN.iter().any(|key| fields.get(*key) == Some(&Json::Bool(false)));
        if !named && !closed {
            self.add(path, Hazard::Body);
        }
        self.members(fields, path);
    }

    /// What a text of this name could carry.
    fn text(&self, words: &[&str], described: &str, format: &str) -> Option<Hazard> {
        let described = described.to_lowercase();
        let said = plain(&described);
        let last = words.last().copied().unwrap_or_default();
        if words.iter().any(|word| !word.is_ascii()) {
            return Some(Hazard::Unknown);
        }
        let outside = words.iter().any(|word| OUTPUTS.contains(word));
        if IDENTIFIERS.contains(&last) || (last == "name" && !outside) {
            return None;
        }
        if matches!(words, ["method" | "verb" | "op"] | ["http", "method" | "verb"]) {
            return Some(Hazard::Order);
        }
        if is_output(words, &said) {
            return Some(Hazard::Output);
        }
        if words.iter().any(|word| in_table(ADDRESSES, word).is_some())
            || matches!(format, "uri" | "url" | "iri" | "hostname")
        {
            return Some(Hazard::Address);
        }
        if let Some(hazard) = language(words) {
            return Some(hazard);
        }
        if words.iter().any(|word| in_table(BODIES, word).is_some()) {
            return Some(Hazard::Body);
        }
        // `Look up a cost center by code`.
        let named = words == ["code"] && self.context.opening.finds_by("code");
        let program = words.iter().any(|word| in_table(PROGRAMS, word).is_some())
            || (matches!(words, ["code" | "codes"] | ["source" | "script" | "program", "code"]) && !named);
        if program {
            return self.language(&said).or(Some(Hazard::Program));
        }
        if words.iter().any(|word| in_table(QUERIES, word).is_some()) || words == ["q"] {
            // A search takes words. What else takes a query may take a statement.
            let searches =
                self.context.name.iter().any(|word| SEARCH.contains(word)) || said.contains(&"search");
            let named = language(&said).or_else(|| language(self.context.name));
            return if searches {
                named.or_else(|| query_language(self.context.description))
            } else {
                named.or_else(|| self.language(&said)).or(Some(Hazard::Selection))
            };
        }
        let address = said.iter().any(|word| matches!(*word, "url" | "urls" | "uri" | "webhook"));
        let statement = said.iter().any(|word| in_table(STATEMENTS, word).is_some());
        match (address, statement) {
            (true, _) => Some(Hazard::Address),
            (false, true) => language(&said),
            (false, false) => None,
        }
    }

    /// The language of a statement: as its own description names it, else the tool's name or description.
    fn language(&self, said: &[&str]) -> Option<Hazard> {
        let of_tool = || language(self.context.name).or_else(|| language_of(self.context.description));
        language(said).or_else(of_tool)
    }
}

/// The alternatives of one schema, and what a list of it holds.
fn options(fields: &BTreeMap<String, Json>) -> impl Iterator<Item = &Json> {
    let listed =
        ["anyOf", "oneOf", "allOf", "prefixItems"].into_iter().filter_map(|name| match fields.get(name) {
            Some(Json::List(options)) => Some(options.iter()),
            Some(_) | None => None,
        });
    listed.flatten().chain(fields.get("items"))
}

/// The fixed values of a schema that takes nothing else.
fn choices(fields: &BTreeMap<String, Json>) -> Option<Vec<&str>> {
    match (fields.get("enum"), fields.get("const")) {
        (Some(Json::List(values)), _) => Some(values.iter().filter_map(Json::as_text).collect()),
        (_, Some(value)) => Some(value.as_text().into_iter().collect()),
        (Some(_) | None, None) => None,
    }
}

/// Whether a choice decides what a tool does: one of its values is a verb that changes something.
fn is_switch(words: &[&str], values: &[&str]) -> bool {
    let names_action = words.iter().any(|word| ACTIONS.contains(word));
    values.iter().any(|value| {
        let value = split(value);
        let first = value.first().map(String::as_str).unwrap_or_default();
        only_changes(first) || (names_action && in_table(crate::verbs::WRITE, first).is_some())
    })
}

/// Whether a text names a place that the tool writes to.
fn is_output(words: &[&str], said: &[&str]) -> bool {
    let place = |words: &[&str]| words.iter().any(|word| in_table(PLACES, word).is_some());
    let goes_out = words.iter().any(|word| OUTPUTS.contains(word));
    let saves = said.iter().any(|word| SAVES.contains(word));
    (goes_out && (place(words) || place(said))) || (saves && place(words) && place(said))
}

/// The language that one of these words names.
fn language(words: &[&str]) -> Option<Hazard> {
    let of = |word: &&str| match *word {
        // The second half of `GraphQL` in a name with humps.
        "graphql" | "gql" | "ql" => Some(Hazard::Text(Language::Graphql)),
        "nosql" => Some(Hazard::Program),
        word if PROGRAM_LANGUAGES.contains(&word) => Some(Hazard::Program),
        word if SELECTION_LANGUAGES.contains(&word) => Some(Hazard::Selection),
        // `sql`, and what is named after it: `mysql`, `postgresql`.
        word if word.contains("sql") => Some(Hazard::Text(Language::Sql)),
        _ => None,
    };
    let found: Vec<Hazard> = words.iter().filter_map(of).collect();
    match found.as_slice() {
        [] => None,
        [first, rest @ ..] if rest.iter().all(|other| other == first) => Some(*first),
        // Two languages: which one a text is in is not known.
        _ => Some(Hazard::Program),
    }
}

/// The language of queries that a description names. Those of programs may be what a search is about.
fn query_language(text: &str) -> Option<Hazard> {
    let text = text.to_lowercase();
    let words = plain(&text);
    let query: Vec<&str> = words.into_iter().filter(|word| is_query_language(word)).collect();
    language(&query)
}

fn is_query_language(word: &str) -> bool {
    word.ends_with("ql") || ["cypher", "gremlin", "xquery"].contains(&word)
}

/// Whether a flag makes the tool keep something in a place of its own: `exported to storage`.
fn says_it_saves(described: &str) -> bool {
    let described = described.to_lowercase();
    let said = plain(&described);
    let saves = said.iter().any(|word| SAVES.contains(word));
    saves && said.iter().any(|word| in_table(PLACES, word).is_some() || *word == "storage")
}

fn language_of(text: &str) -> Option<Hazard> {
    language(&plain(&text.to_lowercase()))
}

/// The words of a text. `GraphQL` is one, unlike in a name that is written in humps.
fn plain(text: &str) -> Vec<&str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

fn record(value: Option<&Json>) -> Vec<(&String, &Json)> {
    match value {
        Some(Json::Record(fields)) => fields.iter().collect(),
        Some(_) | None => Vec::new(),
    }
}

fn has_type(fields: &BTreeMap<String, Json>, wanted: &str) -> bool {
    match fields.get("type") {
        Some(Json::Text(one)) => one == wanted,
        Some(Json::List(several)) => several.iter().any(|one| one.as_text() == Some(wanted)),
        Some(_) | None => false,
    }
}

#[cfg(test)]
#[path = "parameter_tests.rs"]
mod tests;
