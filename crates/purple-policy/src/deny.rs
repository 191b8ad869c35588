//! Words and patterns that an operation must not touch.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind};

use crate::diagnostic::is_invisible;
use crate::limits::{
    PATTERN_COMPILED_BYTES_MAX, PATTERN_NESTING_LEVELS_MAX, PATTERN_POSITIONS_MAX, SUBJECT_TEXT_BYTES_MAX,
};
use crate::subject::Subject;
use crate::unevaluable::Unevaluable;

/// What a `deny` rule looks for.
#[derive(Clone, Debug)]
pub(crate) struct Deny {
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) pattern: Option<Regex>,
}

/// A word or phrase, found as whole words in any case; without letters or digits, found anywhere.
#[derive(Clone, Debug)]
pub(crate) struct Keyword {
    text: Arc<str>,
    wanted: String,
    kind: KeywordKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeywordKind {
    Words,
    Signs,
}

/// What was found, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) what: What,
    pub(crate) place: Place,
}

/// A keyword, or the pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Keyword(Arc<str>),
    Pattern,
}

/// The part of the subject that a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Task,
    Tool,
    Arguments,
}

/// The texts of a subject, ready to be searched by every `deny` rule of a document.
pub(crate) struct Searchable {
    texts: Vec<SearchText>,
    too_long: bool,
}

struct SearchText {
    place: Place,
    /// Without characters that cannot be seen, so that they hide nothing.
    clean: String,
    lower: String,
    /// Words in lower case with one space around each.
    words: String,
}

impl Searchable {
    pub(crate) fn of(subject: &Subject<'_>) -> Self {
        let mut parts = vec![(Place::Task, subject.task)];
        if let Some(tool) = subject.tool {
            parts.push((Place::Tool, tool));
            parts.push((Place::Arguments, subject.arguments));
        }
        // In JSON text an escape such as `\n` would glue its letter to the next word and hide it.
        let decoded = subject.tool.and_then(|_| decoded(subject.arguments));
        parts.extend(decoded.as_deref().map(|text| (Place::Arguments, text)));
        let too_long = parts.iter().any(|(_, text)| text.len() > SUBJECT_TEXT_BYTES_MAX);
        let texts = if too_long {
            Vec::new()
        } else {
            parts.into_iter().map(|(place, text)| SearchText::of(place, text)).collect()
        };
        Self { texts, too_long }
    }
}

/// Every key and text of a JSON value as plain text, one a line; `None` if it is no JSON.
fn decoded(json: &str) -> Option<String> {
    if json.len() > SUBJECT_TEXT_BYTES_MAX {
        return None;
    }
    let mut open = vec![serde_json::from_str::<serde_json::Value>(json).ok()?];
    let mut text = String::new();
    while let Some(value) = open.pop() {
        match value {
            serde_json::Value::String(part) => text.extend([part.as_str(), "\n"]),
            serde_json::Value::Array(values) => open.extend(values),
            serde_json::Value::Object(fields) => {
                for (key, value) in fields {
                    text.extend([key.as_str(), "\n"]);
                    open.push(value);
                }
            }
            serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
        }
    }
    Some(text)
}

impl SearchText {
    fn of(place: Place, text: &str) -> Self {
        let clean = cleaned(text);
        let lower = clean.to_lowercase();
        let mut words = words_of(&clean);
        if place == Place::Tool {
            words.push_str(&words_of(&without_humps(&clean)));
        }
        Self { place, clean, lower, words }
    }
}

impl Deny {
    /// The first keyword or pattern that stands in the subject.
    pub(crate) fn find(&self, searchable: &Searchable) -> Result<Option<Found>, Unevaluable> {
        if searchable.too_long {
            return Err(Unevaluable::SubjectTooLong { bytes_max: SUBJECT_TEXT_BYTES_MAX });
        }
        Ok(searchable.texts.iter().find_map(|text| {
            let keyword = self.keywords.iter().find(|keyword| keyword.stands_in(text));
            let what = match keyword {
                Some(keyword) => What::Keyword(Arc::clone(&keyword.text)),
                None if self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(&text.clean)) => {
                    What::Pattern
                }
                None => return None,
            };
            Some(Found { what, place: text.place })
        }))
    }

    /// What the rule forbids, in words.
    pub(crate) fn described(&self) -> String {
        let mut parts: Vec<String> =
            self.keywords.iter().map(|keyword| format!("`{}`", keyword.text)).collect();
        parts.extend(self.pattern.iter().map(|pattern| format!("/{pattern}/")));
        format!("deny {}", parts.join(", "))
    }
}

impl Keyword {
    /// `None` if nothing could ever match: no letters, digits or visible signs.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let clean = cleaned(text);
        let words = words_of(&clean);
        let (wanted, kind) = if words.trim().is_empty() {
            (clean.trim().to_lowercase(), KeywordKind::Signs)
        } else {
            (words, KeywordKind::Words)
        };
        (!wanted.is_empty()).then(|| Self { text: text.into(), wanted, kind })
    }

    fn stands_in(&self, text: &SearchText) -> bool {
        match self.kind {
            KeywordKind::Words => text.words.contains(&self.wanted),
            KeywordKind::Signs => text.lower.contains(&self.wanted),
        }
    }
}

/// A regular expression within bounds, and how many positions it has.
pub(crate) struct Pattern {
    pub(crate) regex: Regex,
    pub(crate) positions: usize,
}

/// Why a regular expression is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadPattern {
    #[error("the pattern is wrong: {0}")]
    Wrong(String),
    #[error("the pattern has more than {PATTERN_POSITIONS_MAX} characters and classes, repeats written out")]
    TooManyPositions,
    #[error("the pattern grows beyond {PATTERN_COMPILED_BYTES_MAX} bytes when compiled")]
    TooLarge,
}

impl Pattern {
    /// Compiles a regular expression. Searching takes time linear in the text.
    pub(crate) fn compile(text: &str) -> Result<Self, BadPattern> {
        let parsed =
            regex_syntax::ParserBuilder::new().nest_limit(PATTERN_NESTING_LEVELS_MAX).build().parse(text);
        let positions = positions(&parsed.map_err(|error| BadPattern::Wrong(last_line(&error)))?);
        if positions > PATTERN_POSITIONS_MAX {
            return Err(BadPattern::TooManyPositions);
        }
        let regex = RegexBuilder::new(text)
            .size_limit(PATTERN_COMPILED_BYTES_MAX)
            .nest_limit(PATTERN_NESTING_LEVELS_MAX)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => BadPattern::TooLarge,
                other => BadPattern::Wrong(last_line(&other)),
            })?;
        Ok(Self { regex, positions })
    }
}

/// Characters and classes, with counted repeats written out. Trees are no deeper than the nesting allowed.
fn positions(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(_) => 1,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            positions(&repetition.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
        HirKind::Capture(capture) => positions(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(positions).fold(0, usize::saturating_add)
        }
    }
}

/// Errors of patterns are drawn over several lines; the last says what is wrong.
fn last_line(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

fn cleaned(text: &str) -> String {
    text.chars().filter(|c| c.is_whitespace() || !is_invisible(*c)).collect()
}

/// Words in lower case, one space around each: ` wire transfer `. A keyword in this form is found as a substring.
fn words_of(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 2);
    words.push(' ');
    for character in text.chars().flat_map(char::to_lowercase) {
        if character.is_alphanumeric() {
            words.push(character);
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
    words
}

/// `sendWireTransfer` as `send Wire Transfer`.
fn without_humps(name: &str) -> String {
    let mut text = String::with_capacity(name.len() * 2);
    let mut after_lower = false;
    for character in name.chars() {
        if after_lower && character.is_uppercase() {
            text.push(' ');
        }
        text.push(character);
        after_lower = character.is_lowercase() || character.is_numeric();
    }
    text
}

impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Task => "the task",
            Self::Tool => "the tool's name",
            Self::Arguments => "the arguments",
        })
    }
}
