//! Measures JSON and checks it against schemas, without recursion over hostile depth and without the network.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How deep a value may be nested. A stored run must stay readable, and readers stop at 128 levels.
pub(crate) const DEPTH_MAX: usize = 64;

/// The size of a value, near enough for a limit: bytes of its texts and numbers plus a few for each part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measure {
    pub(crate) bytes: usize,
    pub(crate) depth: usize,
}

/// Measures without recursion, so that depth costs heap and not stack.
pub(crate) fn measure(value: &Value) -> Measure {
    let mut found = Measure { bytes: 0, depth: 0 };
    let mut open = vec![(value, 1_usize)];
    while let Some((value, depth)) = open.pop() {
        found.depth = found.depth.max(depth);
        found.bytes = found.bytes.saturating_add(match value {
            Value::Null | Value::Bool(_) => 4,
            Value::Number(number) => number.as_str().len(),
            Value::String(text) => text.len().saturating_add(2),
            Value::Array(items) => {
                open.extend(items.iter().map(|item| (item, depth + 1)));
                items.len().saturating_add(2)
            }
            Value::Object(fields) => {
                open.extend(fields.values().map(|field| (field, depth + 1)));
                fields.keys().map(|key| key.len().saturating_add(4)).sum::<usize>().saturating_add(2)
            }
        });
    }
    found
}

/// Whether a value is nested too deep to be stored and read again.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    measure(value).depth > DEPTH_MAX
}

/// Refuses a schema that could not be stored.
pub(crate) fn check_depth(schema: &Value) -> Result<(), BadSchema> {
    if is_too_deep(schema) { Err(BadSchema::TooDeep { depth_max: DEPTH_MAX }) } else { Ok(()) }
}

/// A JSON Schema that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSchema {
    /// It is not a valid schema, or it points outside itself.
    #[error("the JSON Schema is not usable at `{at}`: {problem}")]
    Invalid {
        /// The JSON pointer of the fault inside the schema; empty for the whole.
        at: String,
        /// What is wrong.
        problem: String,
    },
    /// It is nested too deep.
    #[error("the JSON Schema is nested deeper than {depth_max} levels")]
    TooDeep {
        /// The deepest nesting.
        depth_max: usize,
    },
}

/// Where and why a value does not satisfy its schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mismatch {
    pub(crate) at: String,
    pub(crate) problem: String,
}

/// A compiled schema.
#[derive(Clone, Debug)]
pub(crate) struct Schema(jsonschema::Validator);

impl Schema {
    /// Compiles. References must stay inside the schema, and patterns take linear time.
    pub(crate) fn compile(schema: &Value) -> Result<Self, BadSchema> {
        check_depth(schema)?;
        jsonschema::options()
            .offline()
            .with_pattern_options(jsonschema::PatternOptions::regex())
            .build(schema)
            .map(Self)
            .map_err(|error| BadSchema::Invalid {
                at: error.instance_path().to_string(),
                problem: error.to_string(),
            })
    }

    /// Checks one value; reports the first fault. The value's own text stays out of the report:
    /// it may be long, and it may be private.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Mismatch> {
        self.0.validate(value).map_err(|error| Mismatch {
            at: error.instance_path().to_string(),
            problem: error.masked().to_string(),
        })
    }
}
