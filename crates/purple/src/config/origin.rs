//! Where a value came from.

use std::fmt;
use std::path::PathBuf;

/// A place in a file: both count from one, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Mark {
    /// The place of this byte in a text.
    pub(crate) fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..byte.min(text.len())).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Self { line: before.matches('\n').count() + 1, column }
    }
}

/// Which of the files it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Named by `--config`.
    Named,
    /// `purple.toml` in this folder or above it.
    Project,
    /// The user's own.
    User,
}

/// Where a value came from, from the weakest to the strongest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nobody said anything.
    BuiltIn,
    /// A file.
    File { kind: FileKind, path: PathBuf, at: Mark },
    /// An environment variable.
    Variable(String),
    /// A flag on the command line.
    Flag(&'static str),
}

impl Origin {
    /// The place in its file; the first one where it is in no file.
    pub(crate) fn mark(&self) -> Mark {
        match self {
            Self::File { at, .. } => *at,
            Self::BuiltIn | Self::Variable(_) | Self::Flag(_) => Mark::default(),
        }
    }

    /// The word for its kind, in JSON.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::File { kind: FileKind::Named, .. } => "file",
            Self::File { kind: FileKind::Project, .. } => "project",
            Self::File { kind: FileKind::User, .. } => "user",
            Self::Variable(_) => "environment",
            Self::Flag(_) => "flag",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => out.write_str("built-in"),
            Self::File { path, at, .. } => write!(out, "{}:{}:{}", path.display(), at.line, at.column),
            Self::Variable(name) => write!(out, "${name}"),
            Self::Flag(flag) => out.write_str(flag),
        }
    }
}
