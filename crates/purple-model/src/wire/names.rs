//! Tool names within the limits of every provider, and back.

use std::collections::{BTreeMap, BTreeSet};

use purple_port::{Message, ModelRequest};

use crate::limits::TOOL_NAME_BYTES_MAX;

/// The tool that carries a structured answer where a provider has no better way.
pub(super) const ANSWER: &str = "answer";

/// Which name stands for which tool in one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    wire_by_own: BTreeMap<String, String>,
    own_by_wire: BTreeMap<String, String>,
}

impl Names {
    /// The names of all tools that a request offers or mentions.
    pub(crate) fn of(request: &ModelRequest) -> Self {
        let mut own: BTreeSet<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        for message in &request.messages {
            match message {
                Message::Assistant { calls, .. } => own.extend(calls.iter().map(|call| call.name.as_str())),
                Message::Tool { tool, .. } => {
                    own.insert(tool);
                }
                Message::System { .. } | Message::User { .. } => {}
            }
        }
        let mut names = Self::default();
        // A name that fits stands for itself, whatever else must be renamed.
        let (fitting, other): (Vec<&str>, Vec<&str>) = own.into_iter().partition(|name| fits(name));
        fitting.into_iter().for_each(|name| names.join(name, name.to_owned()));
        for name in other {
            let wire = names.free(&cleaned(name));
            names.join(name, wire);
        }
        names
    }

    /// The name on the wire.
    pub(crate) fn wire<'a>(&'a self, own: &'a str) -> &'a str {
        self.wire_by_own.get(own).map_or(own, String::as_str)
    }

    /// The tool's own name. One that nobody offered stays as the model wrote it, and is refused later.
    pub(crate) fn own(&self, wire: &str) -> String {
        self.own_by_wire.get(wire).map_or(wire, String::as_str).to_owned()
    }

    fn join(&mut self, own: &str, wire: String) {
        self.own_by_wire.insert(wire.clone(), own.to_owned());
        self.wire_by_own.insert(own.to_owned(), wire);
    }

    fn free(&self, wish: &str) -> String {
        let taken = |name: &str| self.own_by_wire.contains_key(name);
        if !taken(wish) {
            return wish.to_owned();
        }
        // As many numbers as names: one of them is free.
        (2..=self.own_by_wire.len() + 2)
            .map(|number| {
                let ending = format!("_{number}");
                let kept = wish.get(..wish.len().min(TOOL_NAME_BYTES_MAX - ending.len())).unwrap_or_default();
                format!("{kept}{ending}")
            })
            .find(|name| !taken(name))
            .unwrap_or_else(|| wish.to_owned())
    }
}

/// Whether every provider takes this name.
pub(super) fn fits(name: &str) -> bool {
    (1..=TOOL_NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_fitting)
}

fn is_fitting(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
}

fn cleaned(name: &str) -> String {
    let clean: String = name
        .bytes()
        .take(TOOL_NAME_BYTES_MAX)
        .map(|byte| if is_fitting(byte) { char::from(byte) } else { '_' })
        .collect();
    if clean.is_empty() { "_".to_owned() } else { clean }
}

#[cfg(test)]
mod tests {
    use purple_port::{Purpose, Sampling, ToolDefinition};

    use super::*;

    fn names(own: &[&str]) -> Names {
        let tools = own.iter().map(|name| ToolDefinition::new(*name, "")).collect();
        Names::of(&ModelRequest {
            purpose: Purpose::Execute,
            messages: Vec::new(),
            tools,
            output_schema: None,
            sampling: Sampling::default(),
            output_tokens_max: 1,
        })
    }

    #[test]
    fn names_come_back_as_they_went() {
        let long = "x".repeat(80);
        let own = ["books.find", "books_find", "books/find", "", &long, "ä"];
        let names = names(&own);
        let wire: Vec<&str> = own.iter().map(|name| names.wire(name)).collect();
        assert_eq!(wire, ["books_find_2", "books_find", "books_find_3", "_", &"x".repeat(64), "__"]);
        for name in own {
            assert!(fits(names.wire(name)));
            assert_eq!(names.own(names.wire(name)), name);
        }
    }

    #[test]
    fn a_name_that_nobody_offered_stays_as_it_is() {
        assert_eq!(names(&["a.b"]).own("rm -rf"), "rm -rf");
    }
}
