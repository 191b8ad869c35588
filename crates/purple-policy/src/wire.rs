//! The JSON form of policy documents: strict, and every refusal names its place.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use crate::compile::SlotTable;
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::document::{DefaultAction, Document};
use crate::facts::{Facts, Source};
use crate::limits::{DIAGNOSTICS_MAX, DOCUMENT_BYTES_MAX, RULES_MAX};
use crate::rule::{Body, Rule};
use crate::value::Value;
use crate::verdict::Authority;
use crate::wire_rule::read_rule;

type Object = serde_json::Map<String, Json>;

const DOCUMENT_KEYS: &[&str] = &["rules", "context", "default_action"];

/// Reads a whole document, or says everything that is wrong with it.
pub(crate) fn read_document(json: &[u8], authority: Authority) -> Result<Document, Vec<Diagnostic>> {
    let json = read_json(json).map_err(|diagnostic| vec![diagnostic])?;
    let mut reader =
        Reader { diagnostics: Vec::new(), slots: SlotTable::default(), positions: 0, row_calls: 0 };
    let document = reader.document(&json, authority);
    match document {
        Some(document) if reader.diagnostics.is_empty() => Ok(document),
        Some(_) | None => {
            reader.diagnostics.truncate(DIAGNOSTICS_MAX);
            Err(reader.diagnostics)
        }
    }
}

/// Text that is JSON, of bounded size and depth, in which no key stands twice.
fn read_json(json: &[u8]) -> Result<Json, Diagnostic> {
    if json.len() > DOCUMENT_BYTES_MAX {
        let message = format!("the document has {} bytes, at most {DOCUMENT_BYTES_MAX} are read", json.len());
        return Err(
            Diagnostic::at_path(Code::Limit, "document", message).help("split it into several documents")
        );
    }
    let text = std::str::from_utf8(json).map_err(|error| {
        let place = format!("byte {}", error.valid_up_to());
        Diagnostic::at_path(Code::NotUtf8, place, "the document is not UTF-8").help("save it as UTF-8")
    })?;
    let refused = |code: Code, error: &serde_json::Error| {
        let text = error.to_string();
        let message = text.split(" at line ").next().unwrap_or_default().to_owned();
        Diagnostic::at_path(code, format!("line {}, column {}", error.line(), error.column()), message)
    };
    let parsed: Json = serde_json::from_str(text).map_err(|error| refused(Code::NotJson, &error))?;
    let mut reader = serde_json::Deserializer::from_str(text);
    UniqueKeys.deserialize(&mut reader).map_err(|error| {
        refused(Code::DuplicateKey, &error).help("keep one of the two; which one counts would be a guess")
    })?;
    Ok(parsed)
}

/// Walks JSON and refuses an object in which a key stands twice.
struct UniqueKeys;

impl<'de> DeserializeSeed<'de> for UniqueKeys {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                let shown: String = key.chars().take(64).collect();
                return Err(A::Error::custom(format!("the key `{shown}` stands twice")));
            }
            seen.insert(key);
            map.next_value_seed(Self)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Self)?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Reads the parts of a document and collects what is wrong with them.
pub(crate) struct Reader {
    diagnostics: Vec<Diagnostic>,
    pub(crate) slots: SlotTable,
    /// Positions of all regular expressions so far.
    pub(crate) positions: usize,
    /// Calls of row functions so far.
    pub(crate) row_calls: usize,
}

impl Reader {
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn document(&mut self, json: &Json, authority: Authority) -> Option<Document> {
        let object = self.object(json, "document", "write `{\"rules\": [...]}`")?;
        self.refuse_unknown_keys(object, DOCUMENT_KEYS, "");
        let context = self.context(object);
        let default_action = self.default_action(object);
        let rules = self.rules(object);
        let searches_text = rules.iter().any(|rule| matches!(rule.body, Body::Deny(_)));
        let slots = std::mem::take(&mut self.slots);
        let compared = rules.iter().flat_map(Rule::compared).collect();
        Some(Document { authority, rules, slots, context, default_action, searches_text, compared })
    }

    fn rules(&mut self, object: &Object) -> Vec<Rule> {
        let items = match object.get("rules") {
            Some(Json::Array(items)) => items,
            Some(other) => {
                self.report(wrong_type("rules", "a list", other));
                return Vec::new();
            }
            None => {
                self.report(
                    Diagnostic::at_path(Code::MissingKey, "document", "the document has no `rules`")
                        .help("write `\"rules\": [...]`; the list may be empty"),
                );
                return Vec::new();
            }
        };
        if items.len() > RULES_MAX {
            let message = format!("{} rules, at most {RULES_MAX} are read", items.len());
            self.report(Diagnostic::at_path(Code::Limit, "rules", message));
            return Vec::new();
        }
        let mut rules: Vec<Rule> = Vec::new();
        let mut places: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            if self.diagnostics.len() >= DIAGNOSTICS_MAX {
                break;
            }
            let Some(rule) = read_rule(self, item, index) else { continue };
            if let Some(first) = places.insert(Arc::clone(&rule.id), index) {
                let message = format!("`{}` is already the id of rules[{first}]", rule.id);
                self.report(
                    Diagnostic::at_path(Code::DuplicateId, format!("rules[{index}].id"), message)
                        .help("give each rule an id of its own; a rule without one is called `rule-N`"),
                );
            }
            rules.push(rule);
        }
        rules
    }

    fn context(&mut self, object: &Object) -> Facts {
        let mut facts = Facts::new();
        let Some(json) = object.get("context") else { return facts };
        let Some(fields) = self.object(json, "context", "write `\"context\": {\"amount\": 7200}`") else {
            return facts;
        };
        for (name, json) in fields {
            match Value::from_json(json) {
                Ok(value) => {
                    facts.set(Source::Context, name.as_str(), value);
                }
                Err(error) => {
                    let path = format!("context.{name}");
                    self.report(Diagnostic::at_path(Code::Limit, path, error.to_string()));
                }
            }
        }
        facts
    }

    fn default_action(&mut self, object: &Object) -> Option<DefaultAction> {
        let word = self.text(object, "default_action", "")?;
        match word {
            "allow" => Some(DefaultAction::Allow),
            "deny" => Some(DefaultAction::Deny),
            other => {
                self.report(unknown_word("default_action", other, &["allow", "deny"]));
                None
            }
        }
    }

    pub(crate) fn object<'j>(&mut self, json: &'j Json, path: &str, help: &str) -> Option<&'j Object> {
        match json {
            Json::Object(object) => Some(object),
            other => {
                self.report(wrong_type(path, "an object", other).help(help));
                None
            }
        }
    }

    /// The text under a key, if there is one.
    pub(crate) fn text<'j>(&mut self, object: &'j Object, key: &str, path: &str) -> Option<&'j str> {
        match object.get(key)? {
            Json::String(text) => Some(text),
            other => {
                self.report(wrong_type(&below(path, key), "a text in quotes", other));
                None
            }
        }
    }

    pub(crate) fn refuse_unknown_keys(&mut self, object: &Object, known: &[&str], path: &str) {
        for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
            if self.diagnostics.len() >= DIAGNOSTICS_MAX {
                return;
            }
            let shown: String = key.chars().take(64).collect();
            let help = nearest(key, known.iter().copied()).map_or_else(
                || format!("the keys are {}", known.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            self.report(
                Diagnostic::at_path(
                    Code::UnknownKey,
                    below(path, &shown),
                    format!("`{shown}` means nothing here"),
                )
                .help(help),
            );
        }
    }
}

/// `rules[1]` and `action` make `rules[1].action`.
pub(crate) fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

pub(crate) fn wrong_type(path: &str, wanted: &str, found: &Json) -> Diagnostic {
    let found = match found {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    };
    Diagnostic::at_path(Code::WrongType, path, format!("this is {found}, and must be {wanted}"))
}

pub(crate) fn unknown_word(path: &str, word: &str, known: &[&str]) -> Diagnostic {
    let shown: String = word.chars().take(64).collect();
    let help = nearest(word, known.iter().copied()).map_or_else(
        || format!("write one of {}", known.join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    Diagnostic::at_path(Code::UnknownWord, path, format!("`{shown}` is not one of the words allowed here"))
        .help(help)
}
