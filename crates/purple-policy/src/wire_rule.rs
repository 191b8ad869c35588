//! The JSON form of one rule, in its three kinds.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::deny::{BadPattern, Deny, Keyword, Pattern};
use crate::diagnostic::{Code, Diagnostic, is_invisible};
use crate::expression::{compile_source, refuse_other_than_truth};
use crate::judgement::DEFAULT_ID;
use crate::limits::{
    DESCRIPTION_BYTES_MAX, DOCUMENT_POSITIONS_MAX, ID_BYTES_MAX, KEYWORD_BYTES_MAX, KEYWORDS_MAX,
    PATTERN_BYTES_MAX, ROW_CALLS_MAX,
};
use crate::rule::{Body, RequireBefore, Rule};
use crate::scope::Scope;
use crate::verdict::{Level, Verdict};
use crate::wire::{Reader, below, unknown_word, wrong_type};

type Object = serde_json::Map<String, Json>;

const CONDITION_KEYS: &[&str] = &["id", "type", "description", "source", "level", "condition", "action"];
const DENY_KEYS: &[&str] = &["id", "type", "description", "source", "level", "keywords", "pattern", "action"];
const REQUIRE_KEYS: &[&str] =
    &["id", "type", "description", "source", "level", "tool", "require_before", "requires"];

#[derive(Clone, Copy)]
enum RuleKind {
    Condition,
    Deny,
    RequireBefore,
}

/// Reads one rule, or reports what is wrong with it.
pub(crate) fn read_rule(reader: &mut Reader, json: &Json, index: usize) -> Option<Rule> {
    let path = format!("rules[{index}]");
    let help = "write `{\"id\": \"…\", \"condition\": \"amount > 5000\", \"action\": \"require_approval\"}`";
    let object = reader.object(json, &path, help)?;
    let kind = rule_kind(reader, object, &path)?;
    let keys = match kind {
        RuleKind::Condition => CONDITION_KEYS,
        RuleKind::Deny => DENY_KEYS,
        RuleKind::RequireBefore => REQUIRE_KEYS,
    };
    reader.refuse_unknown_keys(object, keys, &path);
    let id = rule_id(reader, object, index, &path);
    let level = level(reader, object, &path);
    let description = note(reader, object, "description", &path);
    note(reader, object, "source", &path);
    let body = match kind {
        RuleKind::Condition => condition(reader, object, &path),
        RuleKind::Deny => deny(reader, object, &path),
        RuleKind::RequireBefore => require_before(reader, object, &path),
    };
    Some(Rule { id: id?, level, description, body: body? })
}

/// What kind a rule is: what its `type` says, else what its keys say.
fn rule_kind(reader: &mut Reader, object: &Object, path: &str) -> Option<RuleKind> {
    if object.contains_key("type") {
        return match reader.text(object, "type", path)? {
            "condition" => Some(RuleKind::Condition),
            "deny" => Some(RuleKind::Deny),
            "require_before" => Some(RuleKind::RequireBefore),
            other => {
                reader.report(unknown_word(
                    &below(path, "type"),
                    other,
                    &["condition", "deny", "require_before"],
                ));
                None
            }
        };
    }
    let kinds = [("require_before", RuleKind::RequireBefore), ("condition", RuleKind::Condition)];
    if let Some((_, kind)) = kinds.into_iter().find(|(key, _)| object.contains_key(*key)) {
        return Some(kind);
    }
    let all: Vec<&str> = [CONDITION_KEYS, DENY_KEYS, REQUIRE_KEYS].concat();
    reader.refuse_unknown_keys(object, &all, path);
    let missing = Diagnostic::at_path(Code::MissingKey, path, "nothing says when this rule fires");
    reader.report(if object.contains_key("keywords") || object.contains_key("pattern") {
        missing.help("add `\"type\": \"deny\"`")
    } else {
        missing.help(
            "add a `condition`, or `\"type\": \"deny\"` with `keywords`, or `tool` with `require_before`",
        )
    });
    None
}

fn rule_id(reader: &mut Reader, object: &Object, index: usize, path: &str) -> Option<Arc<str>> {
    if !object.contains_key("id") {
        return Some(format!("rule-{}", index + 1).into());
    }
    let id = reader.text(object, "id", path)?;
    let refused = |message: String| Diagnostic::at_path(Code::BadId, below(path, "id"), message);
    if id.trim().is_empty() || id.len() > ID_BYTES_MAX || id.chars().any(is_invisible) {
        let message = format!("an id has 1 to {ID_BYTES_MAX} bytes and only characters that can be seen");
        reader.report(refused(message));
        return None;
    }
    if id == DEFAULT_ID {
        reader.report(
            refused(format!("`{id}` is the name of the document's default")).help("choose another id"),
        );
        return None;
    }
    Some(id.into())
}

fn level(reader: &mut Reader, object: &Object, path: &str) -> Option<Level> {
    let word = reader.text(object, "level", path)?;
    let level = Level::parse(word);
    if level.is_none() {
        reader.report(unknown_word(&below(path, "level"), word, &Level::ALL.map(Level::as_str)));
    }
    level
}

fn note(reader: &mut Reader, object: &Object, key: &str, path: &str) -> Option<Arc<str>> {
    let text = reader.text(object, key, path)?;
    if text.len() > DESCRIPTION_BYTES_MAX {
        let message = format!("{} bytes, at most {DESCRIPTION_BYTES_MAX} are read", text.len());
        reader.report(Diagnostic::at_path(Code::Limit, below(path, key), message));
        return None;
    }
    Some(text.into())
}

fn missing(path: &str, key: &str, help: &str) -> Diagnostic {
    Diagnostic::at_path(Code::MissingKey, path, format!("this rule has no `{key}`")).help(help)
}

fn condition(reader: &mut Reader, object: &Object, path: &str) -> Option<Body> {
    let action = action(reader, object, path);
    if !object.contains_key("condition") {
        reader.report(missing(path, "condition", "write `\"condition\": \"amount > 5000\"`"));
        return None;
    }
    let source = reader.text(object, "condition", path)?;
    let compiled = compile_source(source, &Scope::open(), &mut reader.slots)
        .and_then(|compiled| refuse_other_than_truth(compiled.kind, &compiled.source).map(|()| compiled));
    match compiled {
        Ok(compiled) => {
            reader.row_calls += compiled.program.root.row_calls();
            if reader.row_calls > ROW_CALLS_MAX {
                let message = format!("the document calls row functions more than {ROW_CALLS_MAX} times");
                reader.report(Diagnostic::at_path(Code::Limit, below(path, "condition"), message));
                return None;
            }
            Some(Body::Condition { source: compiled.source, program: compiled.program, action: action? })
        }
        Err(diagnostics) => {
            for diagnostic in diagnostics {
                reader.report(diagnostic.under(&below(path, "condition")));
            }
            None
        }
    }
}

fn action(reader: &mut Reader, object: &Object, path: &str) -> Option<Verdict> {
    let words = Verdict::ALL.map(Verdict::as_str);
    if !object.contains_key("action") {
        reader.report(missing(path, "action", &format!("write one of {}", words.join(", "))));
        return None;
    }
    let word = reader.text(object, "action", path)?;
    let action = Verdict::parse(word);
    if action.is_none() {
        reader.report(unknown_word(&below(path, "action"), word, &words));
    }
    action
}

fn deny(reader: &mut Reader, object: &Object, path: &str) -> Option<Body> {
    if let Some(action) = reader.text(object, "action", path)
        && action != Verdict::Block.as_str()
    {
        let message = "a `deny` rule blocks, and nothing else";
        reader.report(
            Diagnostic::at_path(Code::UnknownWord, below(path, "action"), message)
                .help("remove `action`, or write a rule with a `condition`"),
        );
        return None;
    }
    if !object.contains_key("keywords") && !object.contains_key("pattern") {
        reader.report(missing(path, "keywords", "add `keywords` (a list of words) or `pattern`"));
        return None;
    }
    let keywords = keywords(reader, object, path)?;
    let pattern = pattern(reader, object, path)?;
    Some(Body::Deny(Deny { keywords, pattern }))
}

fn keywords(reader: &mut Reader, object: &Object, path: &str) -> Option<Vec<Keyword>> {
    let path = below(path, "keywords");
    let items = match object.get("keywords") {
        None => return Some(Vec::new()),
        Some(Json::Array(items)) => items,
        Some(other) => {
            reader.report(wrong_type(&path, "a list of texts", other));
            return None;
        }
    };
    if items.is_empty() || items.len() > KEYWORDS_MAX {
        let message = format!("{} keywords, a rule has 1 to {KEYWORDS_MAX}", items.len());
        reader.report(Diagnostic::at_path(Code::Limit, path, message));
        return None;
    }
    let mut keywords = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let Json::String(text) = item else {
            reader.report(wrong_type(&path, "a text", item));
            return None;
        };
        let keyword = if text.len() <= KEYWORD_BYTES_MAX { Keyword::new(text) } else { None };
        let Some(keyword) = keyword else {
            let message = format!("a keyword has something to find, in at most {KEYWORD_BYTES_MAX} bytes");
            reader.report(Diagnostic::at_path(Code::BadKeyword, path, message));
            return None;
        };
        keywords.push(keyword);
    }
    Some(keywords)
}

/// `Some(None)` where there is no pattern, `None` where it is wrong.
fn pattern(reader: &mut Reader, object: &Object, path: &str) -> Option<Option<regex::Regex>> {
    if !object.contains_key("pattern") {
        return Some(None);
    }
    let text = reader.text(object, "pattern", path)?;
    let path = below(path, "pattern");
    let refused = |message: String| Diagnostic::at_path(Code::BadPattern, &path, message);
    if text.is_empty() || text.len() > PATTERN_BYTES_MAX {
        reader.report(refused(format!(
            "a pattern has 1 to {PATTERN_BYTES_MAX} bytes, this has {}",
            text.len()
        )));
        return None;
    }
    let pattern = match Pattern::compile(text) {
        Ok(pattern) => pattern,
        Err(error) => {
            let help = match error {
                BadPattern::Wrong(_) => None,
                BadPattern::TooManyPositions => {
                    Some("use `*` or `+` instead of counted repeats, or `keywords`")
                }
                BadPattern::TooLarge => Some("use `[0-9]` and `[a-z]` instead of `\\d` and `\\w`"),
            };
            reader.report(refused(error.to_string()).help_if(help.map(str::to_owned)));
            return None;
        }
    };
    reader.positions += pattern.positions;
    if reader.positions > DOCUMENT_POSITIONS_MAX {
        let message =
            format!("the patterns of this document have more than {DOCUMENT_POSITIONS_MAX} positions");
        reader
            .report(Diagnostic::at_path(Code::Limit, &path, message).help("use `keywords` for plain words"));
        return None;
    }
    Some(Some(pattern.regex))
}

/// `{"tool": T, "require_before": Y}`, `{"type": "require_before", "tool": T, "requires": Y}`, or
/// `{"require_before": {"tool": T, "requires": Y}}`; T and Y are one tool or a list of tools.
fn require_before(reader: &mut Reader, object: &Object, path: &str) -> Option<Body> {
    let (holder, holder_path) = match object.get("require_before") {
        Some(Json::Object(inner)) => {
            let inner_path = below(path, "require_before");
            reader.refuse_unknown_keys(inner, &["tool", "requires"], &inner_path);
            (inner, inner_path)
        }
        Some(_) | None => (object, path.to_owned()),
    };
    let needs_key = if holder.contains_key("require_before") { "require_before" } else { "requires" };
    if needs_key == "require_before" && holder.contains_key("requires") {
        let message = "`require_before` and `requires` say the same thing";
        reader.report(
            Diagnostic::at_path(Code::UnknownKey, below(&holder_path, "requires"), message)
                .help("keep one of them"),
        );
        return None;
    }
    let callers = tools(reader, holder, "tool", &holder_path)?;
    let needs = tools(reader, holder, needs_key, &holder_path)?;
    Some(Body::RequireBefore(RequireBefore { tools: callers, needs }))
}

/// One tool's name or a list of them.
fn tools(reader: &mut Reader, object: &Object, key: &str, path: &str) -> Option<Vec<Arc<str>>> {
    let place = below(path, key);
    let items: Vec<&Json> = match object.get(key) {
        Some(Json::Array(items)) => items.iter().collect(),
        Some(one) => vec![one],
        None => {
            let help =
                "write `{\"tool\": \"modify_order_items\", \"require_before\": \"confirm_with_user\"}`";
            reader.report(missing(path, key, help));
            return None;
        }
    };
    if items.is_empty() || items.len() > KEYWORDS_MAX {
        let message = format!("{} tools, there must be 1 to {KEYWORDS_MAX}", items.len());
        reader.report(Diagnostic::at_path(Code::Limit, place, message));
        return None;
    }
    let mut tools = Vec::with_capacity(items.len());
    for item in items {
        let Json::String(name) = item else {
            reader.report(wrong_type(&place, "the name of a tool", item));
            return None;
        };
        let clean = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        if !clean || name.is_empty() || name.len() > ID_BYTES_MAX {
            let message = format!("a tool's name has 1 to {ID_BYTES_MAX} letters, digits, `_`, `-` and `.`");
            reader.report(Diagnostic::at_path(Code::BadId, place, message));
            return None;
        }
        tools.push(name.as_str().into());
    }
    Some(tools)
}
