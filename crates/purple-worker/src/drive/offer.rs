//! Which tools a model is offered in a state: those of the state's powers, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use purple_finance::catalogue::{self, Function};
use purple_process::{Digest, Effect, State, ToolName};
use serde_json::{Value, json};

use crate::drive::{compute, look};
use crate::execute::catalogue::{Catalogue, Known};
use crate::learn::primer::keywords;
use crate::outside::escaped;
use crate::port::ToolDefinition;
use crate::synthesis::Made;

/// The most tools that are offered at once.
pub(crate) const TOOLS_MAX: usize = 120;
/// The longest description of a tool that a model sees, in characters.
const DESCRIPTION_CHARS_MAX: usize = 400;
/// The virtual tool by which a model proposes operations.
pub(crate) const PROPOSE: &str = "propose_operations";
/// The virtual tool that evaluates an expression over what was read.
pub(crate) const CALCULATE: &str = "calculate";
/// The virtual tool that looks into what was read already.
pub(crate) const LOOK: &str = "look_into";

/// What a name stands for that a model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// A tool of a server.
    Tool(ToolName),
    /// A shipped function.
    Function(&'static str),
    /// A function that was made, by its place among those that are offered.
    Made(usize),
    Calculate,
    Look,
    Propose,
}

/// What a model may call in a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offer {
    pub definitions: Vec<ToolDefinition>,
    names: BTreeMap<String, Offered>,
}

impl Offer {
    /// The tools of a state. `proposes`: whether operations are proposed in it. Our own come first, so that no server
    /// stands in for them; where there are too many of a server's, those nearest to the words of the task stay.
    pub(crate) fn of(
        state: State,
        proposes: bool,
        catalogue: &Catalogue,
        (made, task): (&[Arc<Made>], &str),
    ) -> Self {
        let mut offer = Self::default();
        if state == State::Complete {
            return offer;
        }
        if proposes {
            offer.add(proposing(catalogue), Offered::Propose);
        }
        if matches!(state, State::Assess | State::Compute | State::Mutate | State::ScheduleNotify) {
            offer.add(look::looking(), Offered::Look);
        }
        if state == State::Compute {
            offer.add(compute::calculating(), Offered::Calculate);
            for function in catalogue::functions() {
                offer.add(compute::definition(function), Offered::Function(function.name));
            }
            for (place, function) in made.iter().enumerate() {
                offer.add(function.tool(), Offered::Made(place));
            }
        }
        let mut known: Vec<&Known> = Vec::new();
        for tool in state.row().allows.iter().flat_map(|(effect, _)| catalogue.tools_that_may(*effect)) {
            // A tool whose arguments decide may have several effects, and is one tool.
            if !known.iter().any(|one| one.name() == tool.name()) {
                known.push(tool);
            }
        }
        if known.len() > TOOLS_MAX.saturating_sub(offer.definitions.len()) {
            let wanted = keywords(task);
            known.sort_by_cached_key(|known| std::cmp::Reverse(nearness(known, &wanted)));
        }
        for known in known {
            let mut definition = definition(known);
            if offer.names.contains_key(&definition.name) {
                definition.name = apart(known);
            }
            offer.add(definition, Offered::Tool(known.name().clone()));
        }
        offer
    }

    /// What a name stands for; `None` for everything that is not offered.
    pub(crate) fn find(&self, name: &str) -> Option<&Offered> {
        self.names.get(name)
    }

    /// The first of two tools with one name stays.
    fn add(&mut self, definition: ToolDefinition, offered: Offered) {
        if self.definitions.len() >= TOOLS_MAX || self.names.contains_key(&definition.name) {
            return;
        }
        self.names.insert(definition.name.clone(), offered);
        self.definitions.push(definition);
    }
}

/// How many tools a state would have, where that is more than are offered.
pub(crate) fn crowded(catalogue: &Catalogue) -> Option<usize> {
    let of_state =
        |state: State| state.row().allows.iter().map(|(effect, _)| catalogue.tools_of(*effect).count()).sum();
    State::ALL.into_iter().map(of_state).max().filter(|tools| *tools > TOOLS_MAX)
}

/// How many words of a task a tool speaks of.
fn nearness(known: &Known, wanted: &BTreeSet<String>) -> usize {
    let own = keywords(&format!(
        "{} {}",
        known.name().as_str().replace('_', " "),
        known.definition.description.for_work()
    ));
    own.intersection(wanted).count()
}

/// The name under which a tool is offered whose own is taken by one of ours.
fn apart(known: &Known) -> String {
    let full = format!("{}__{}", known.definition.server, known.name());
    ToolName::parse(&full).map_or_else(|_| alias(known.name()), |name| alias(&name))
}

/// A shipped function by its name.
pub(crate) fn function(name: &str) -> Option<&'static Function> {
    catalogue::find(name).ok()
}

/// A tool of a server as a model sees it.
fn definition(known: &Known) -> ToolDefinition {
    let mut definition =
        ToolDefinition::new(alias(known.name()), described(known.definition.description.redacted().as_str()));
    definition.input_schema = known.definition.input_schema.clone();
    definition
}

/// The name under which a model calls a tool: its own, where every provider takes it.
pub(crate) fn alias(name: &ToolName) -> String {
    const DIGITS: usize = 8;
    let plain: String = name.as_str().chars().map(|sign| if sign == '/' { '.' } else { sign }).collect();
    if plain == name.as_str() && plain.len() <= ToolDefinition::NAME_BYTES_MAX {
        return plain;
    }
    let digest = Digest::of(name.as_str().as_bytes()).to_string();
    let digits: String = digest.trim_start_matches("sha256:").chars().take(DIGITS).collect();
    let room = ToolDefinition::NAME_BYTES_MAX - DIGITS - 1;
    let head: String = plain.chars().take(room).collect();
    format!("{head}_{digits}")
}

/// What a server says about its tool: on one line, nothing hidden, not too long.
pub(crate) fn described(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(DESCRIPTION_CHARS_MAX).collect();
    escaped(&short)
}

/// The virtual tool that takes proposals: what can be proposed stands in its description.
fn proposing(catalogue: &Catalogue) -> ToolDefinition {
    let operations: Vec<&Known> = catalogue
        .iter()
        .filter(|known| Effect::ALL.into_iter().any(|effect| is_operation(effect) && known.tool.may(effect)))
        .collect();
    let names: Vec<&str> = operations.iter().map(|known| known.name().as_str()).collect();
    let lines: Vec<String> = operations.iter().map(|known| signature(known)).collect();
    let text = "Proposes changes, messages and questions to people, in order. Nothing runs by it: the rules and people decide. `check` names the fields that a later read will show. An id that an earlier operation of the list makes is written {\"$from\": {\"operation\": 1, \"field\": \"id\"}}. What can be proposed stands at `tool`.";
    // Some providers cut the description of a tool; that of a parameter they leave.
    let tool = match names.as_slice() {
        [] => json!({"type": "string"}),
        names => json!({"enum": names, "description": lines.join("\n")}),
    };
    let mut definition = ToolDefinition::new(PROPOSE, text);
    definition.input_schema = json!({
        "type": "object",
        "properties": {"operations": {"type": "array", "items": {
            "type": "object",
            "properties": {
                "tool": tool,
                "arguments": {"type": "object"},
                "why": {"type": "string", "description": "which rule or figure it rests on"},
                "act": {"type": "string", "description": "the words of the task that ask for it, quoted exactly"},
                "check": {"type": "object", "description": "field of the record to its value after the change"},
            },
            "required": ["tool", "arguments"],
        }}},
        "required": ["operations"],
    });
    definition
}

pub(crate) const fn is_operation(effect: Effect) -> bool {
    match effect {
        Effect::Write | Effect::Notify | Effect::Approval => true,
        Effect::Read | Effect::Compute => false,
    }
}

/// `approve_invoice(invoice_id: string, note?: string): what it does`.
fn signature(known: &Known) -> String {
    let required: Vec<&str> = known.required().collect();
    let parameter = |name: &str| {
        let kind = known.parameter(name).and_then(|schema| schema.get("type"));
        let kind = match kind {
            Some(Value::String(kind)) => kind.clone(),
            Some(_) | None => "any".to_owned(),
        };
        let mark = if required.contains(&name) { "" } else { "?" };
        format!("{name}{mark}: {kind}")
    };
    let parameters: Vec<String> = known.parameters().map(parameter).collect();
    format!(
        "{}({}): {}",
        known.name(),
        parameters.join(", "),
        described(known.definition.description.redacted().as_str())
    )
}

#[cfg(test)]
mod tests {
    use purple_process::Annotations;

    use super::*;
    use crate::execute::catalogue::{Manifest, Stated, ToolId};
    use crate::port::{Definition, Listing};

    fn tool(name: &str, description: &str) -> Definition {
        Definition {
            version: None,
            server: "books".to_owned(),
            name: ToolName::parse(name).unwrap(),
            description: description.into(),
            input_schema: json!({"type": "object"}),
            output_schema: None,
            annotations: Annotations { read_only: None, destructive: None },
        }
    }

    fn offer(state: State, tools: Vec<Definition>, task: &str) -> Offer {
        let catalogue = Catalogue::new(Listing { tools, left_out: Vec::new() }, &Manifest::default());
        Offer::of(state, false, &catalogue, (&[], task))
    }

    #[test]
    fn no_tool_of_a_server_stands_in_for_one_of_ours() {
        let tools = vec![tool(CALCULATE, "adds")];
        let theirs = ToolId { server: "books".to_owned(), tool: ToolName::parse(CALCULATE).unwrap() };
        let declared = Stated { effect: Some(Effect::Compute), ..Stated::default() };
        let manifest = Manifest { tools: [(theirs, declared)].into(), ..Manifest::default() };
        let catalogue = Catalogue::new(Listing { tools, left_out: Vec::new() }, &manifest);
        let offer = Offer::of(State::Compute, false, &catalogue, (&[], ""));
        assert_eq!(offer.find(CALCULATE), Some(&Offered::Calculate));
        let theirs = ToolName::parse(CALCULATE).unwrap();
        assert_eq!(offer.find("books__calculate"), Some(&Offered::Tool(theirs)));
    }

    #[test]
    fn of_too_many_tools_those_nearest_to_the_task_stay() {
        let mut tools: Vec<Definition> =
            (0..TOOLS_MAX + 9).map(|at| tool(&format!("get_a{at}"), "something")).collect();
        tools.push(tool("list_invoices", "all open invoices of a vendor"));
        let catalogue =
            Catalogue::new(Listing { tools: tools.clone(), left_out: Vec::new() }, &Manifest::default());
        assert_eq!(crowded(&catalogue), Some(TOOLS_MAX + 10));
        let offer = offer(State::Assess, tools, "Which invoices of this vendor are open?");
        assert_eq!(offer.definitions.len(), TOOLS_MAX);
        assert!(offer.find("list_invoices").is_some());
    }

    #[test]
    fn what_can_be_proposed_stands_where_no_provider_cuts_it() {
        const CUT_BYTES_MAX: usize = 1024;
        let tools = (0..60).map(|at| tool(&format!("pay_a{at}"), "pays something to somebody")).collect();
        let catalogue = Catalogue::new(Listing { tools, left_out: Vec::new() }, &Manifest::default());
        let definition = proposing(&catalogue);
        assert!(definition.description.len() <= CUT_BYTES_MAX, "{}", definition.description.len());
        let place = "/properties/operations/items/properties/tool/description";
        let told = definition.input_schema.pointer(place).and_then(Value::as_str).unwrap();
        assert_eq!(told.lines().count(), 60);
    }
}
