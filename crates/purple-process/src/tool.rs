//! A tool as the catalogue knows it: its effect, the reason for it, and its pin.

use serde::{Deserialize, Serialize};

use crate::canonical::{self, Digest};
use crate::effect::Effect;
use crate::id::ToolName;
use crate::json::{Json, Values};
use crate::plan::Pin;
use crate::sql::plainly_reads;
use crate::words;

/// What the operator and the server say about a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The effect in the operator's manifest, if the tool is in it.
    pub manifest: Option<Effect>,
    /// The server's own hints.
    pub annotations: Annotations,
    /// Whether the operator trusts that server's hints.
    pub server: Trust,
}

impl Declared {
    /// Nobody said anything: the name decides.
    pub const NOTHING: Self = Self {
        manifest: None,
        annotations: Annotations { read_only: None, destructive: None },
        server: Trust::Untrusted,
    };
}

/// The hints of an MCP server that bear on the effect. A missing hint says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotations {
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
}

/// Whether a server's hints may loosen an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Its hints can only make the effect stricter.
    Untrusted,
    /// The operator marked it as trusted.
    Trusted,
}

/// What decided the effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// The operator's manifest.
    Manifest,
    /// The server's hints.
    Annotations,
    /// Only the name.
    Name,
}

/// What SQL in an argument says about the effect of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BySql {
    /// What does not plainly read makes the call of a read a write.
    Raises,
    /// The operator says that the text decides: a plain SELECT reads, and anything else writes.
    Decides,
}

/// A tool with its effect, decided once. It cannot be read from data: an effect is never taken on trust.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    name: ToolName,
    effect: Effect,
    decided_by: DecidedBy,
    reason: String,
    pin: Pin,
    /// The arguments that hold SQL, and what they say.
    sql: Option<(BySql, Vec<String>)>,
}

impl Tool {
    /// Decides the effect: the manifest, then the hints, then the name; otherwise it is a write.
    pub fn new(name: ToolName, schema: &Json, declared: Declared) -> Self {
        let own = name.as_str().to_owned();
        Self::of_server(name, &own, schema, declared)
    }

    /// The same for a tool that is called `server__tool` here: the name that its server gives it is the one that says
    /// something.
    pub fn of_server(name: ToolName, own: &str, schema: &Json, declared: Declared) -> Self {
        let (effect, decided_by, reason) = decide(own, declared);
        let pin = pin(&name, schema, effect, None);
        Self { name, effect, decided_by, reason, pin, sql: None }
    }

    /// The same tool, of which these arguments hold SQL. Only a read can be raised; only the operator lets a text
    /// decide.
    #[must_use]
    pub fn with_sql(self, schema: &Json, by: BySql, arguments: Vec<String>) -> Self {
        match (by, self.effect) {
            (BySql::Raises, Effect::Read) => Self { sql: Some((by, arguments)), ..self },
            (BySql::Raises, Effect::Compute | Effect::Write | Effect::Notify | Effect::Approval) => self,
            (BySql::Decides, _) => {
                let pin = pin(&self.name, schema, Effect::Write, Some(&arguments));
                let reason = "the operator says that its SQL decides each call".to_owned();
                let decided_by = DecidedBy::Manifest;
                Self { effect: Effect::Write, decided_by, reason, pin, sql: Some((by, arguments)), ..self }
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// What it does to the world.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// What a call with these arguments does to the world.
    pub fn effect_of(&self, arguments: &Values) -> Effect {
        let Some((by, names)) = &self.sql else { return self.effect };
        let reads = |name: &String| match arguments.get(name) {
            Some(Json::Text(text)) => plainly_reads(text),
            Some(_) | None => false,
        };
        // One that is left out says nothing, as long as another one says something.
        let given: Vec<&String> = names.iter().filter(|name| arguments.contains_key(*name)).collect();
        let reads = !given.is_empty() && given.into_iter().all(reads);
        match (by, reads) {
            (BySql::Raises | BySql::Decides, true) => Effect::Read,
            (BySql::Raises | BySql::Decides, false) => Effect::Write,
        }
    }

    /// Whether a call of it can have this effect, depending on its arguments.
    pub fn may(&self, effect: Effect) -> bool {
        match self.sql {
            Some(_) => matches!(effect, Effect::Read | Effect::Write),
            None => self.effect == effect,
        }
    }

    /// What decided that.
    pub fn decided_by(&self) -> DecidedBy {
        self.decided_by
    }

    /// Why, in a sentence for the catalogue.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The digest of name, schema and effect. Another one in the middle of a session is drift.
    pub fn pin(&self) -> Pin {
        self.pin
    }
}

fn decide(name: &str, declared: Declared) -> (Effect, DecidedBy, String) {
    if let Some(effect) = declared.manifest {
        return (effect, DecidedBy::Manifest, "declared by the operator".to_owned());
    }
    let (named, reason) = words::effect_of(name);
    let Annotations { read_only, destructive } = declared.annotations;
    let destroys = destructive == Some(true);
    let reads = read_only == Some(true) && !destroys;
    let hinted = match (named, declared.server) {
        // Trusted: the hint decides over a name that only looks like a write. Telling and asking stay what they
        // are, since MCP has no word for them.
        (Effect::Write, Trust::Trusted) if reads => {
            Some((Effect::Read, "the trusted server says that it only reads"))
        }
        (Effect::Read | Effect::Compute, _) if destroys || read_only == Some(false) => {
            Some((Effect::Write, "the server itself says that it does not only read"))
        }
        (Effect::Notify | Effect::Approval, _) if destroys => {
            Some((Effect::Write, "the server itself says that it destroys"))
        }
        (Effect::Read | Effect::Compute | Effect::Write | Effect::Notify | Effect::Approval, _) => None,
    };
    match hinted {
        Some((effect, reason)) => (effect, DecidedBy::Annotations, reason.to_owned()),
        None => (named, DecidedBy::Name, reason),
    }
}

fn pin(name: &ToolName, schema: &Json, effect: Effect, sql: Option<&[String]>) -> Pin {
    let mut text = String::from("[");
    canonical::write_text(name.as_str(), &mut text);
    text.push(',');
    text.push_str(&schema.to_wire());
    text.push(',');
    canonical::write_text(effect.name(), &mut text);
    for argument in sql.unwrap_or_default() {
        text.push(',');
        canonical::write_text(argument, &mut text);
    }
    text.push(']');
    Pin(Digest::of(text.as_bytes()))
}

/// One call of a tool: what the gate judges and what a dispatch sends. It is not permission to send it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    tool: ToolName,
    effect: Effect,
    pin: Pin,
    arguments: Values,
}

impl Call {
    /// A call of this tool. Its effect and pin are the catalogue's, never the caller's.
    pub fn new(tool: &Tool, arguments: Values) -> Self {
        let effect = tool.effect_of(&arguments);
        Self { tool: tool.name.clone(), effect, pin: tool.pin, arguments }
    }

    /// The tool.
    pub fn tool(&self) -> &ToolName {
        &self.tool
    }

    /// What this call does to the world.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// The tool as the catalogue knows it now.
    pub fn pin(&self) -> Pin {
        self.pin
    }

    /// Exactly what goes over the wire.
    pub fn arguments(&self) -> &Values {
        &self.arguments
    }
}

#[cfg(test)]
#[path = "tool_tests.rs"]
mod tests;
