//! What is wrong with a rule, where, and how to mend it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// One thing that is wrong with an expression or a policy document.
///
/// Displayed as a message, the place it is about and, where a person can act, help:
///
/// ```text
/// error[assignment]: `=` does not compare
///   | status = "active"
///   |        ^
///   = help: write `==`
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    code: Code,
    message: String,
    help: Option<String>,
    span: Span,
    source: Option<Arc<str>>,
    path: Option<String>,
}

impl Diagnostic {
    pub(crate) fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None, span, source: None, path: None }
    }

    /// About a place in a JSON document, such as `rules[2].action`.
    pub(crate) fn at_path(code: Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..Self::new(code, Span::NOWHERE, message) }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn help_if(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    pub(crate) fn within(mut self, source: &Arc<str>) -> Self {
        self.source = Some(Arc::clone(source));
        self
    }

    pub(crate) fn under(mut self, path: &str) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// The stable name of this kind of mistake, listed in `docs/spec/policy-language.md`.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What is wrong, in one lower-case sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// How to mend it, where that is known.
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The bytes of the expression this is about.
    pub fn span(&self) -> Range<usize> {
        self.span.range()
    }

    /// Where in a JSON document this is, such as `rules[2].condition`.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Messages and paths repeat words of the input, which must not command the terminal.
        let seen = |text: &str| text.chars().map(visible).collect::<String>();
        write!(out, "error[{}]: {}", self.code, seen(&self.message))?;
        if let Some(path) = &self.path {
            write!(out, "\n  --> {}", seen(path))?;
        }
        if let Some(source) = &self.source {
            let excerpt = Excerpt::around(source, self.span);
            write!(
                out,
                "\n  | {}\n  | {}{}",
                excerpt.line,
                " ".repeat(excerpt.before),
                "^".repeat(excerpt.width)
            )?;
        }
        if let Some(help) = &self.help {
            write!(out, "\n  = help: {}", seen(help))?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// The line a diagnostic points at, cut to a readable width, and where the carets go.
struct Excerpt {
    line: String,
    before: usize,
    width: usize,
}

impl Excerpt {
    const CHARS_BEFORE: usize = 60;
    const CHARS_AFTER: usize = 40;

    fn around(source: &str, span: Span) -> Self {
        let Range { start, end } = span.range();
        let start = floor_boundary(source, start);
        let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = source[start..].find('\n').map_or(source.len(), |at| start + at);
        let end = floor_boundary(source, end).clamp(start, line_end);

        let before: Vec<char> = source[line_start..start].chars().collect();
        let marked: Vec<char> = source[start..end].chars().take(Self::CHARS_BEFORE).collect();
        let after = source[end..line_end].chars().take(Self::CHARS_AFTER);
        let skipped = before.len().saturating_sub(Self::CHARS_BEFORE);

        let mut line = String::from(if skipped > 0 { "…" } else { "" });
        let shown_before = before[skipped..].len() + usize::from(skipped > 0);
        line.extend(before[skipped..].iter().copied().map(visible));
        line.extend(marked.iter().copied().map(visible));
        line.extend(after.map(visible));
        Self { line, before: shown_before, width: marked.len().max(1) }
    }
}

/// The nearest place at or before `at` where a character starts.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A character as it may stand in a message: one column wide and without power over the terminal.
fn visible(character: char) -> char {
    if character == '\t' {
        ' '
    } else if is_invisible(character) {
        '\u{FFFD}'
    } else {
        character
    }
}

/// Control characters and those that hide, join or reorder the text around them.
pub(crate) fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}')
}

/// A half-open range of bytes in a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(crate) const NOWHERE: Self = Self { start: 0, end: 0 };

    pub(crate) fn new(start: usize, end: usize) -> Self {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }

    pub(crate) fn to(self, end: Self) -> Self {
        Self { start: self.start, end: end.end }
    }

    pub(crate) fn start(self) -> usize {
        self.start as usize
    }

    pub(crate) fn end(self) -> usize {
        self.end as usize
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start()..self.end()
    }

    pub(crate) fn text(self, source: &str) -> &str {
        source.get(self.range()).unwrap_or_default()
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The kind of a mistake; its text is stable and listed in `docs/spec/policy-language.md`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code there is.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code as it is printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// More bytes, tokens, levels, rules, keywords or digits than a limit allows.
    Limit = "limit",
    /// A character that means nothing here.
    BadCharacter = "bad-character",
    /// A number that is not a plain decimal.
    BadNumber = "bad-number",
    /// A quoted text that does not end, or holds an unknown escape.
    BadText = "bad-text",
    /// An amount with an unknown currency or more digits than the currency has.
    BadMoney = "bad-money",
    /// Something else was expected at this place.
    Unexpected = "unexpected",
    /// `=` where `==` is meant.
    Assignment = "assignment",
    /// `and`, `or`, `not` and the like, where a sign is meant.
    WordOperator = "word-operator",
    /// `1 < x < 5`.
    ChainedComparison = "chained-comparison",
    /// A range that does not stand after `in`.
    RangePlace = "range-place",
    /// A name that is not in scope.
    UnknownName = "unknown-name",
    /// A function that does not exist.
    UnknownFunction = "unknown-function",
    /// Too few or too many arguments.
    ArgumentCount = "argument-count",
    /// An argument that the function cannot take.
    BadArgument = "bad-argument",
    /// Kinds of value that do not go together.
    Kinds = "kinds",
    /// Two currencies in one calculation or comparison.
    Currencies = "currencies",
    /// `round` without a named rounding mode, or with one that does not exist.
    RoundingMode = "rounding-mode",
    /// A condition that is not true or false.
    NotBoolean = "not-boolean",
    /// A part without names that can never be evaluated.
    NeverEvaluable = "never-evaluable",
    /// Bytes that are not UTF-8.
    NotUtf8 = "not-utf8",
    /// Text that is not JSON.
    NotJson = "not-json",
    /// A key that stands twice in one object.
    DuplicateKey = "duplicate-key",
    /// A key that means nothing here.
    UnknownKey = "unknown-key",
    /// A key that must be there.
    MissingKey = "missing-key",
    /// A JSON value of the wrong type.
    WrongType = "wrong-type",
    /// A word that is not one of those allowed here.
    UnknownWord = "unknown-word",
    /// Two rules with one id.
    DuplicateId = "duplicate-id",
    /// An id that cannot be one.
    BadId = "bad-id",
    /// A keyword that can never be found.
    BadKeyword = "bad-keyword",
    /// A regular expression that is wrong, too large or too deep.
    BadPattern = "bad-pattern",
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The candidate a misspelt word most likely meant, if one is near enough.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const WORD_CHARS_MAX: usize = 64;
    if word.len() > WORD_CHARS_MAX {
        return None;
    }
    let lower = word.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= WORD_CHARS_MAX)
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.chars().count().max(3) / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let width = to.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut above: Vec<usize> = (0..width).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1; width];
        for (j, b) in to.iter().enumerate() {
            let replaced = above[j] + usize::from(a != b);
            row[j + 1] = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[to.len()]
}

#[cfg(test)]
#[path = "diagnostic_tests.rs"]
mod tests;
