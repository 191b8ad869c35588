//! Values that an approver puts in the place of computed ones. Everything that hangs on them is computed anew.

use purple_policy::{Kind, Value};

use super::Case;

/// The longest text that an edit may give, in bytes.
pub const EDIT_BYTES_MAX: usize = 2_000;

/// An edit that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEdit {
    /// The file does not let it be changed.
    #[error("`{name}` cannot be edited{}", listed(declared))]
    NotDeclared {
        /// The name.
        name: String,
        /// What can be.
        declared: Vec<String>,
    },
    /// There is nothing to change.
    #[error("`{name}` has no value here that could be edited")]
    NoValue {
        /// The name.
        name: String,
    },
    /// Another kind of value.
    #[error("`{given}` is not {expected}, which `{name}` is")]
    OtherKind {
        /// The name.
        name: String,
        /// What was given.
        given: String,
        /// What it must be.
        expected: String,
    },
    /// Too long, or with characters that hide.
    #[error(
        "the text for `{name}` is empty, longer than {EDIT_BYTES_MAX} bytes, or holds characters that cannot be seen"
    )]
    BadText {
        /// The name.
        name: String,
    },
    /// It stands there already.
    #[error("`{name}` is {value} already")]
    Same {
        /// The name.
        name: String,
        /// The value.
        value: String,
    },
}

fn listed(declared: &[String]) -> String {
    match declared {
        [] => ": this process lets nothing be edited".to_owned(),
        names => format!("; what can be is {}", names.join(", ")),
    }
}

impl<'t> Case<'t> {
    /// The fields that an approver may change, and their values now.
    pub fn editable(&self) -> Vec<(&'t str, Value)> {
        let value = |name: &'t str| self.figure(name).map(|value| (name, value));
        self.task.approval().editable().filter_map(value).collect()
    }

    /// Reads the new value of a field, as a person wrote it.
    ///
    /// # Errors
    ///
    /// When the file does not let it be changed, or the text is not a value of the same kind.
    pub fn read_edit(&self, name: &str, text: &str) -> Result<Value, BadEdit> {
        let owned = || name.to_owned();
        if !self.task.approval().editable().any(|declared| declared == name) {
            let declared = self.task.approval().editable().map(str::to_owned).collect();
            return Err(BadEdit::NotDeclared { name: owned(), declared });
        }
        let now = self.figure(name).ok_or_else(|| BadEdit::NoValue { name: owned() })?;
        let text = text.trim();
        let value = match &now {
            Value::Text(_) => {
                let seen = !text.is_empty() && !text.chars().any(char::is_control);
                if !seen || text.len() > EDIT_BYTES_MAX {
                    return Err(BadEdit::BadText { name: owned() });
                }
                // It is stored as JSON, where an amount in a text is an amount.
                Value::from_json(&serde_json::Value::String(text.to_owned())).unwrap_or(Value::Null)
            }
            Value::Date(_) => text.parse().map_or_else(|_| Value::text(text), Value::Date),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Percent(_)
            | Value::Money { .. }
            | Value::List(_)
            | Value::Record(_) => Value::from_literal(text),
        };
        if !same_kind(&now, &value) {
            let given = text.chars().take(80).collect();
            return Err(BadEdit::OtherKind { name: owned(), given, expected: expected(&now) });
        }
        if value == now {
            return Err(BadEdit::Same { name: owned(), value: now.to_string() });
        }
        Ok(value)
    }

    /// Puts a value in the place of a computed one, and computes everything anew.
    pub fn edit(&mut self, name: &str, value: Value) {
        if let Some(compute) = self.task.computes().find(|compute| compute.name == name) {
            self.find().edits.insert(compute.name.clone(), value);
            self.compute();
        }
    }

    fn figure(&self, name: &str) -> Option<Value> {
        self.figures().into_iter().find(|(figure, _)| *figure == name)?.1.ok()
    }
}

fn same_kind(now: &Value, given: &Value) -> bool {
    match (now, given) {
        (Value::Money { currency: now, .. }, Value::Money { currency: given, .. }) => now == given,
        (Value::List(_) | Value::Record(_) | Value::Null, _) => false,
        (now, given) => now.kind() == given.kind(),
    }
}

fn expected(now: &Value) -> String {
    let word = match (now.kind(), now) {
        (_, Value::Money { currency, .. }) => return format!("an amount in {currency}"),
        (Kind::Number, _) => "a number",
        (Kind::Percent, _) => "a percentage such as `2.5%`",
        (Kind::Date, _) => "a date such as `2026-01-31`",
        (Kind::Bool, _) => "`true` or `false`",
        (Kind::Text, _) => "a text",
        (Kind::Money | Kind::Null | Kind::List | Kind::Record | Kind::Unknown, _) => {
            "something that can be typed"
        }
    };
    word.to_owned()
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
