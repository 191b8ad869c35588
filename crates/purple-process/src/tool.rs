//! A tool as the catalogue knows it: its effect, the reason for it, and its pin.

use serde::Serialize;

use crate::canonical::{self, Digest};
use crate::effect::{Class, Effect};
use crate::evidence::{self, DecidedBy, Declared, Offered};
use crate::hosts::HostPattern;
use crate::id::ToolName;
use crate::json::{Json, Values};
use crate::parameter::Language;
use crate::percall::{ByArgument, PerCall};
use crate::plan::Pin;

/// A tool with its effect, decided once. It cannot be read from data: an effect is never taken on trust.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    name: ToolName,
    class: Class,
    decided_by: DecidedBy,
    reason: String,
    pin: Pin,
    /// The arguments that decide the effect of each call.
    per_call: Option<PerCall>,
}

impl Tool {
    /// A tool of which only name and schema are known.
    pub fn new(name: ToolName, schema: &Json, declared: Declared) -> Self {
        let own = name.as_str().to_owned();
        Self::of_server(name, Offered { name: &own, description: "", schema, vendor: &[] }, declared)
    }

    /// Decides the effect: the review, then a shipped manifest, then the hints, then the definition, then process files.
    ///
    /// What nothing decides is unclear, and counts as a write.
    pub fn of_server(name: ToolName, offered: Offered<'_>, declared: Declared) -> Self {
        let evidence::Decided { class, by, reason, per_call } = evidence::decide(offered, declared);
        let pin = pin(&name, offered.schema, class.effect(), None);
        Self { name, class, decided_by: by, reason, pin, per_call }
    }

    /// The same tool, of which the operator says that these arguments decide each call. Everything that they do not
    /// prove to be a read is a write.
    #[must_use]
    pub fn decided_per_call(self, schema: &Json, arguments: Vec<(String, ByArgument)>) -> Self {
        let pin = pin(&self.name, schema, Effect::Write, Some(&arguments));
        let per_call = Some(PerCall::new(arguments, schema));
        let reason = "the operator says that its arguments decide each call".to_owned();
        Self { class: Class::Write, decided_by: DecidedBy::Review, reason, pin, per_call, ..self }
    }

    /// The same tool, which the operator lets reach these hosts. It stays as it is where an address is not all that
    /// keeps it from being a read.
    #[must_use]
    pub fn reaching(self, offered: Offered<'_>, hosts: &[HostPattern]) -> Self {
        let Some(addresses) = evidence::addresses(offered) else { return self };
        let by = |argument| (argument, ByArgument::Hosts(hosts.to_vec()));
        self.decided_per_call(offered.schema, addresses.into_iter().map(by).collect())
    }

    /// Its name.
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// What is known about its effect.
    pub fn class(&self) -> Class {
        self.class
    }

    /// What it does to the world. What is unclear counts as a write.
    pub fn effect(&self) -> Effect {
        self.class.effect()
    }

    /// What a call with these arguments does to the world.
    pub fn effect_of(&self, arguments: &Values) -> Effect {
        match &self.per_call {
            None => self.effect(),
            Some(per_call) if per_call.reads(arguments) => Effect::Read,
            Some(_) => Effect::Write,
        }
    }

    /// Whether a call of it can have this effect, depending on its arguments.
    pub fn may(&self, effect: Effect) -> bool {
        match self.per_call {
            Some(_) => matches!(effect, Effect::Read | Effect::Write),
            None => self.effect() == effect,
        }
    }

    /// The arguments whose text decides each call, with the language of each.
    pub fn statements(&self) -> impl Iterator<Item = (&str, Language)> {
        self.per_call.iter().flat_map(PerCall::statements)
    }

    /// Whether an operator said what it does, directly or by naming a shipped manifest.
    pub fn is_reviewed(&self) -> bool {
        match self.decided_by {
            DecidedBy::Review | DecidedBy::Shipped => true,
            DecidedBy::File | DecidedBy::Annotations | DecidedBy::Definition => false,
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

fn pin(name: &ToolName, schema: &Json, effect: Effect, per_call: Option<&[(String, ByArgument)]>) -> Pin {
    let mut text = String::from("[");
    canonical::write_text(name.as_str(), &mut text);
    text.push(',');
    text.push_str(&schema.to_wire());
    text.push(',');
    canonical::write_text(effect.name(), &mut text);
    for (argument, by) in per_call.unwrap_or_default() {
        for part in std::iter::once(argument.as_str()).chain(by.words()) {
            text.push(',');
            canonical::write_text(part, &mut text);
        }
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
