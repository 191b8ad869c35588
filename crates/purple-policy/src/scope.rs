//! The names an expression may use, and what kind each is.

use std::collections::BTreeMap;

use crate::value::Kind;

/// The names that are in scope when an expression is compiled.
///
/// A closed scope refuses every other name, with a suggestion; an open one leaves it to the evaluation.
///
/// ```
/// use purple_policy::{Expression, Kind, Scope};
///
/// let scope = Scope::closed().with("variance_percent", Kind::Number);
/// let refused = Expression::compile("varianse_percent > 2.0", &scope).unwrap_err();
/// assert_eq!(refused[0].help_text(), Some("did you mean `variance_percent`?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    names: BTreeMap<String, Kind>,
    others: Others,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Others {
    Refused,
    Unknown,
}

/// What a scope knows about a path.
pub(crate) enum Known {
    /// The path is declared with this kind.
    Exactly(Kind),
    /// A shorter path is declared with this kind: the rest are its fields.
    FieldOf(Kind),
    /// Longer paths are declared: this is the record that holds them.
    Above,
    /// Nothing is declared, and that is fine.
    Anything,
    /// Nothing is declared, and that is refused.
    Nothing,
}

impl Scope {
    /// Only names that are declared.
    pub fn closed() -> Self {
        Self { names: BTreeMap::new(), others: Others::Refused }
    }

    /// Any name; those that are declared have a known kind.
    pub fn open() -> Self {
        Self { names: BTreeMap::new(), others: Others::Unknown }
    }

    /// Declares a name, dotted or not. Fields of a record or of an unknown kind may follow it.
    pub fn declare(&mut self, name: impl Into<String>, kind: Kind) -> &mut Self {
        self.names.insert(name.into(), kind);
        self
    }

    /// [`Scope::declare`], for building in one go.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, kind: Kind) -> Self {
        self.declare(name, kind);
        self
    }

    pub(crate) fn declares(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    pub(crate) fn declared(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    pub(crate) fn look_up(&self, path: &[String]) -> Known {
        let name = path.join(".");
        if let Some(kind) = self.names.get(&name) {
            return Known::Exactly(*kind);
        }
        for length in (1..path.len()).rev() {
            if let Some(kind) = path.get(..length).and_then(|head| self.names.get(&head.join("."))) {
                return Known::FieldOf(*kind);
            }
        }
        let prefix = format!("{name}.");
        if self.names.range(prefix.clone()..).next().is_some_and(|(key, _)| key.starts_with(&prefix)) {
            return Known::Above;
        }
        match self.others {
            Others::Unknown => Known::Anything,
            Others::Refused => Known::Nothing,
        }
    }
}
