//! What is wrong with the configuration, where, and how to mend it.

use std::fmt;

use crate::config::origin::Origin;

/// The kind of a mistake. Its text is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemCode {
    /// The file cannot be read.
    Unreadable,
    /// Others can write the file, or own it.
    Untrusted,
    /// The file is not TOML.
    Syntax,
    /// A key that the configuration does not know.
    UnknownKey,
    /// A value of the wrong shape.
    WrongShape,
    /// A value that cannot be.
    BadValue,
    /// A secret that stands in the file itself.
    InlineSecret,
    /// Settings that do not go together, or one that is missing.
    Incomplete,
    /// A person whom nobody declared.
    UnknownPerson,
}

impl ProblemCode {
    /// The code as it is printed.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "config.unreadable",
            Self::Untrusted => "config.untrusted",
            Self::Syntax => "config.syntax",
            Self::UnknownKey => "config.unknown_key",
            Self::WrongShape => "config.wrong_shape",
            Self::BadValue => "config.bad_value",
            Self::InlineSecret => "config.inline_secret",
            Self::Incomplete => "config.incomplete",
            Self::UnknownPerson => "config.unknown_person",
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) at: Origin,
    pub(crate) code: ProblemCode,
    pub(crate) message: String,
    pub(crate) help: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, code, message, help } = self;
        write!(out, "{at}: {}: {message}\n  help: {help}", code.as_str())
    }
}

/// A configuration that was refused: every problem that was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) struct Refused {
    pub(crate) problems: Vec<Problem>,
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.problems.iter().map(ToString::to_string).collect();
        out.write_str(&lines.join("\n"))
    }
}

/// The word that a misspelt one most likely meant, if one is near enough.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const CHARS_MAX: usize = 64;
    if word.chars().count() > CHARS_MAX {
        return None;
    }
    let lower = word.to_lowercase();
    let known: Vec<&str> = known.into_iter().collect();
    let near = known
        .iter()
        .copied()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(steps, candidate)| *steps <= candidate.chars().count().max(3).div_ceil(3))
        .min()
        .map(|(_, candidate)| candidate);
    near.or_else(|| begun(&lower, &known))
}

/// The word of which this is the beginning, but for one slip.
fn begun<'a>(lower: &str, known: &[&'a str]) -> Option<&'a str> {
    const CHARS_MIN: usize = 4;
    let length = lower.chars().count();
    let slips = |candidate: &str| {
        let head = |chars: usize| candidate.to_lowercase().chars().take(chars).collect::<String>();
        let heads = [head(length.saturating_sub(1)), head(length), head(length + 1)];
        heads.iter().map(|head| strsim::damerau_levenshtein(lower, head)).min()
    };
    let fits = |candidate: &&str| length >= CHARS_MIN && slips(candidate).is_some_and(|slips| slips <= 1);
    known.iter().copied().filter(fits).min_by_key(|candidate| slips(candidate))
}
