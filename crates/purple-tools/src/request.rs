//! The one request that a pass becomes.

use std::time::Duration;

use purple_port::{Answers, CallOptions, KeyPlace, Pass};
use serde_json::{Map, Value};

/// Who answers a question that has a default for everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Defaults {
    /// A person, like any other.
    #[default]
    AskedOf,
    /// The operator has: the defaults are good.
    Taken,
}

/// Exactly what goes over the wire.
#[derive(Debug)]
pub(crate) struct Request {
    /// The tool, by the name that its server knows.
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
    /// Name and text of a key outside the arguments.
    pub(crate) meta: Option<(String, String)>,
    pub(crate) deadline: Duration,
    /// What a person said to the questions of the last time.
    pub(crate) answers: Option<Answers>,
    /// Whether questions may be answered with their defaults.
    pub(crate) defaults: Defaults,
    /// The tool declares what its answers look like, so plain words are no answer.
    pub(crate) promises_json: bool,
}

impl Request {
    /// Uses up the pass. The error says why nothing can be sent.
    pub(crate) fn new(
        pass: Pass,
        options: CallOptions,
        (tool, promises_json): (&str, bool),
        defaults: Defaults,
    ) -> Result<Self, String> {
        let (call, operation) = pass.into_call();
        let mut arguments = Map::new();
        for (name, value) in call.arguments() {
            // `to_wire` writes JSON with every digit; reading it back keeps them.
            let value = serde_json::from_str(&value.to_wire())
                .map_err(|error| format!("argument `{name}` cannot be written: {error}"))?;
            arguments.insert(name.clone(), value);
        }
        let key = operation.map(|operation| operation.key.to_string());
        let meta = match (options.key, key) {
            (Some(KeyPlace::Argument(name)), Some(key)) => {
                if arguments.insert(name.clone(), Value::String(key)).is_some() {
                    return Err(format!("argument `{name}` is the place of the key and was given"));
                }
                None
            }
            (Some(KeyPlace::Meta(name)), Some(key)) => Some((name, key)),
            (None, _) | (Some(_), None) => None,
        };
        Ok(Self {
            tool: tool.to_owned(),
            arguments,
            meta,
            deadline: options.deadline,
            answers: options.answers,
            defaults,
            promises_json,
        })
    }
}
