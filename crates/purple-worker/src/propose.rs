//! Proposes which tools stand for the calls of a process file, from names, descriptions, parameters and result schemas.
//!
//! A proposal is nothing that runs: an operator confirms it, and it becomes a mapping of the configuration.

mod likeness;

use std::collections::BTreeMap;

use purple_process::file::{CallNeeds, ProcessFile};
use purple_process::system::{CallMap, CurrencyOf, FieldMap, Fields, record_of};
use purple_process::{Class, Digest, Effect, ToolName};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::execute::bind::bind;
use crate::execute::catalogue::{Catalogue, Known, Manifest, ToolId};
use crate::port::Listing;
use likeness::{Likeness, like, like_name};

/// How one call of a file stands to the tools at hand.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallProposal {
    /// The call, as the file names it.
    pub call: ToolName,
    /// What it does.
    pub effect: Effect,
    /// How it stands.
    pub state: BindingState,
    /// The key of the configuration: the record that is read, or the action.
    pub key: String,
    /// The tool that stands for it, or would.
    pub tool: Option<ToolId>,
    /// The definition of that tool now.
    pub pin: Option<Digest>,
    /// The mapping that would be written.
    #[serde(skip)]
    pub map: Option<CallMap>,
    /// The parameters and fields of the mapping: the file's name, and where the company has it.
    pub names: BTreeMap<String, String>,
    /// Why, in a sentence.
    pub reason: String,
    /// What an operator has to add by hand.
    pub missing: Vec<String>,
}

/// How one call of a file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BindingState {
    /// A tool has the very name.
    Same,
    /// The operator mapped it, without a pin.
    Mapped,
    /// The operator confirmed it, and the tool is as it was then.
    Confirmed,
    /// A tool fits, and nobody confirmed it.
    Proposed,
    /// The operator mapped it, and it does not fit any more, or does not fit.
    Broken,
    /// No tool fits.
    None,
}

impl BindingState {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Same => "same name",
            Self::Mapped => "mapped",
            Self::Confirmed => "confirmed",
            Self::Proposed => "proposed",
            Self::Broken => "broken",
            Self::None => "none",
        }
    }

    /// Whether a playbook can use it as it is.
    pub const fn is_bound(self) -> bool {
        match self {
            Self::Same | Self::Mapped | Self::Confirmed => true,
            Self::Proposed | Self::Broken | Self::None => false,
        }
    }
}

/// How each call of a file stands to these tools, in the order of the file.
pub fn propose_bindings(file: &ProcessFile, listing: Listing, manifest: &Manifest) -> Vec<CallProposal> {
    let catalogue = Catalogue::new(listing, manifest);
    let (binding, unbound) = bind(file, &catalogue, &manifest.systems);
    let all = file.needs();
    let mut proposals = Vec::new();
    for needs in &all {
        let tool = needs.tool.as_str();
        let systems = manifest.systems.iter().filter(|system| system.is_for(file.name()));
        let maps: Vec<&CallMap> = systems.filter_map(|one| one.call(tool, needs.effect)).collect();
        let bound = binding.calls.get(tool);
        let map = match bound {
            Some(bound) => {
                let of_bound =
                    |map: &&&CallMap| find(map, &catalogue).is_some_and(|one| *one.name() == bound.tool);
                maps.iter().find(of_bound)
            }
            None => maps.first(),
        };
        let proposal = match (map, unbound.get(tool)) {
            (Some(map), None) => Some(mapped(needs, map, find(map, &catalogue))),
            (map, Some(why)) => {
                let now = map.and_then(|map| find(map, &catalogue));
                Some(CallProposal {
                    pin: now.map(|known| known.definition.digest()),
                    tool: map.map(|map| tool_of(map)),
                    map: map.map(|map| CallMap::clone(map)),
                    ..plain(needs, BindingState::Broken, why)
                })
            }
            (None, None) => same(needs, &catalogue),
        };
        proposals.push(proposal.unwrap_or_else(|| proposed(needs, &catalogue)));
    }
    // Two reads of one record are told apart by the tools of the file.
    let keys: Vec<String> = proposals.iter().map(|one| one.key.clone()).collect();
    for proposal in &mut proposals {
        if keys.iter().filter(|key| **key == proposal.key).count() > 1 {
            proposal.key = proposal.call.to_string();
        }
    }
    proposals
}

fn find<'c>(map: &CallMap, catalogue: &'c Catalogue) -> Option<&'c Known> {
    let is_it = |known: &&Known| {
        known.definition.server == map.server && known.definition.own_name() == map.tool.as_str()
    };
    catalogue.iter().find(is_it)
}

fn tool_of(map: &CallMap) -> ToolId {
    ToolId { server: map.server.clone(), tool: map.tool.clone() }
}

fn plain(needs: &CallNeeds, state: BindingState, reason: &str) -> CallProposal {
    let key = match needs.effect {
        Effect::Read => record_of(needs.tool.as_str()),
        Effect::Write | Effect::Notify | Effect::Compute | Effect::Approval => needs.tool.to_string(),
    };
    CallProposal {
        call: needs.tool.clone(),
        effect: needs.effect,
        state,
        key,
        tool: None,
        pin: None,
        map: None,
        names: BTreeMap::new(),
        reason: reason.to_owned(),
        missing: Vec::new(),
    }
}

fn mapped(needs: &CallNeeds, map: &CallMap, known: Option<&Known>) -> CallProposal {
    let (state, reason) = match map.pin {
        Some(_) => (BindingState::Confirmed, "confirmed by an operator"),
        None => (BindingState::Mapped, "mapped by the operator, without a pin"),
    };
    let named = |(name, field): (&String, &FieldMap)| (name.clone(), field.at.clone());
    CallProposal {
        tool: Some(tool_of(map)),
        pin: known.map(|known| known.definition.digest()),
        map: Some(map.clone()),
        names: map.arguments.iter().chain(&map.fields).map(named).filter(|(_, at)| !at.is_empty()).collect(),
        ..plain(needs, state, reason)
    }
}

/// The tool that has the very name and takes what the file gives.
fn same(needs: &CallNeeds, catalogue: &Catalogue) -> Option<CallProposal> {
    let known = catalogue.get(&needs.tool).filter(|known| known.tool.may(needs.effect))?;
    let takes = needs.parameters.iter().all(|name| known.parameter(name).is_some());
    takes.then(|| CallProposal {
        tool: Some(id_of(known)),
        pin: Some(known.definition.digest()),
        ..plain(needs, BindingState::Same, "it is offered under this name")
    })
}

fn id_of(known: &Known) -> ToolId {
    let tool = ToolName::parse(known.definition.own_name()).unwrap_or_else(|_| known.name().clone());
    ToolId { server: known.definition.server.clone(), tool }
}

/// The one tool that fits best.
fn proposed(needs: &CallNeeds, catalogue: &Catalogue) -> CallProposal {
    let may = |known: &&Known| match (known.tool.class(), needs.effect) {
        (Class::Unclear, _) => true,
        (class, effect) => class.effect() == effect,
    };
    let rated = catalogue.iter().filter(may).filter_map(|known| Some((like(needs, known)?, known)));
    let mut rated: Vec<(Likeness, &Known)> = rated.collect();
    rated.sort_by_key(|(one, _)| std::cmp::Reverse(one.points));
    match rated.as_slice() {
        [] => plain(needs, BindingState::None, "no tool is called or described so"),
        [(best, one), (second, other), ..] if best.points == second.points => {
            let why = format!("`{}` and `{}` fit equally well", one.name(), other.name());
            plain(needs, BindingState::None, &why)
        }
        [(best, known), ..] => with_names(needs, best, known),
    }
}

/// A proposal with its parameters and fields, and what of them nobody could tell.
fn with_names(needs: &CallNeeds, likeness: &Likeness, known: &Known) -> CallProposal {
    let mut missing = Vec::new();
    let (mut arguments, mut names) = (Fields::new(), BTreeMap::new());
    let parameters: Vec<&str> = known.parameters().collect();
    let mut taken: Vec<&str> = Vec::new();
    for name in &needs.parameters {
        let open: Vec<&str> = parameters.iter().copied().filter(|one| !taken.contains(one)).collect();
        let required: Vec<&str> = known.required().filter(|one| open.contains(one)).collect();
        let only = match (required.as_slice(), needs.parameters.len()) {
            ([only], 1) => Some(*only),
            _ => None,
        };
        match like_name(name, &open).or(only) {
            Some(found) => {
                taken.push(found);
                if found != name {
                    arguments.insert(name.clone(), FieldMap { at: found.to_owned(), ..FieldMap::default() });
                    names.insert(name.clone(), found.to_owned());
                }
            }
            None => missing.push(format!("no parameter takes `{name}`")),
        }
    }
    let unfed = known.required().filter(|name| !taken.contains(name));
    missing.extend(unfed.map(|name| format!("`{name}` is required, and nothing stands for it: `constants`")));
    let (at, fields) = fields(needs, known, &mut missing);
    names.extend(fields.iter().map(|(name, field)| (name.clone(), field.at.clone())));
    let id = id_of(known);
    let map = CallMap {
        server: id.server.clone(),
        tool: id.tool.clone(),
        is_read: needs.effect == Effect::Read,
        pin: Some(known.definition.digest()),
        arguments,
        constants: purple_process::Values::new(),
        at,
        fields,
    };
    CallProposal {
        tool: Some(id),
        pin: map.pin,
        map: Some(map),
        names,
        missing,
        ..plain(needs, BindingState::Proposed, &likeness.why)
    }
}

/// Where the answer holds what the file uses, as far as the result schema says so.
fn fields(needs: &CallNeeds, known: &Known, missing: &mut Vec<String>) -> (String, Fields) {
    let mut fields = Fields::new();
    if needs.fields.is_empty() {
        return (String::new(), fields);
    }
    let Some((at, properties)) = known.definition.output_schema.as_ref().and_then(record_schema) else {
        missing.push(format!(
            "the result has no schema; the file uses {}: write `fields` where they have other names",
            needs.fields.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ));
        return (String::new(), fields);
    };
    let paths = paths(properties);
    let names: Vec<&str> = paths.iter().map(|(path, _)| path.as_str()).collect();
    for name in &needs.fields {
        let Some(found) = like_name(name, &names) else {
            missing.push(format!("no field of the result is `{name}`"));
            continue;
        };
        let is_number = paths.iter().any(|(path, schema)| {
            path == found && matches!(schema.get("type").and_then(Value::as_str), Some("number" | "integer"))
        });
        let mut field = FieldMap { at: found.to_owned(), ..FieldMap::default() };
        if is_number && likeness::tells_money(name) {
            let beside = names.iter().find(|path| path.rsplit('.').next().is_some_and(likeness::is_currency));
            match beside {
                Some(path) => field.currency = Some(CurrencyOf::In((*path).to_owned())),
                None => missing.push(format!("`{name}` is a bare number: say its `currency`")),
            }
        }
        if found == name && field.currency.is_none() {
            continue;
        }
        fields.insert(name.clone(), field);
    }
    (at, fields)
}

/// The schema of the record, or of one row: the place of the record in the answer, and its properties.
fn record_schema(schema: &Value) -> Option<(String, &Map<String, Value>)> {
    let properties = schema.get("properties")?.as_object()?;
    let mut all = properties.iter();
    match (all.next(), all.next()) {
        // An envelope around one record or one list.
        (Some((name, only)), None) => {
            let inner = only.get("items").unwrap_or(only);
            match inner.get("properties").and_then(Value::as_object) {
                Some(inner) => Some((name.clone(), inner)),
                None => Some((String::new(), properties)),
            }
        }
        _ => Some((String::new(), properties)),
    }
}

/// The properties of a record and of the records within it, by their paths.
fn paths(properties: &Map<String, Value>) -> Vec<(String, &Value)> {
    let mut paths = Vec::new();
    for (name, schema) in properties {
        paths.push((name.clone(), schema));
        let inner = schema.get("properties").and_then(Value::as_object);
        paths
            .extend(inner.into_iter().flatten().map(|(within, schema)| (format!("{name}.{within}"), schema)));
    }
    paths
}
