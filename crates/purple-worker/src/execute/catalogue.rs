//! The tools of a session: what each does to the world, and which belong together.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use purple_process::system::System;
use purple_process::{
    ByArgument, Declared, Digest, Effect, HostPattern, Json, Language, Offered, Tool, ToolName, Trust,
    vendor_words,
};
use serde_json::{Map, Value};

use crate::port::{Definition, KeyPlace, Listing};
use crate::settings::Process;
use crate::shipped::Shipped;

use super::naming::{Naming, VerbClass};

/// What the operator says about tools: the `[tools]` and `[servers]` parts of the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// By server and tool.
    pub tools: BTreeMap<ToolId, Stated>,
    /// By configured server. A server that is not here is not trusted.
    pub servers: BTreeMap<String, ServerStated>,
    /// What process files for which somebody answers do with a tool, by the name that they call it by.
    pub files: BTreeMap<ToolName, Effect>,
    /// What stands for the calls of process files here.
    pub systems: Vec<System>,
    /// What process files do with the tools that stand for theirs.
    pub mapped: BTreeMap<ToolId, Mapped>,
}

/// A tool by its server and the name that its server gives it. What is said about it is said about no other server's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct ToolId {
    /// The configured name of the server.
    pub server: String,
    /// The name that the server gives the tool.
    pub tool: ToolName,
}

/// What the operator says about one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerStated {
    /// Whether its hints may loosen an effect.
    pub trust: Trust,
    /// The shipped manifest that the operator named for it.
    pub shipped: Option<&'static Shipped>,
}

/// What the operator says about one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stated {
    /// Its effect.
    pub effect: Option<Effect>,
    /// Where it takes the key of an operation.
    pub key: Option<KeyPlace>,
    /// After this long its answer counts as lost, where that is not what holds for all tools.
    pub deadline: Option<Duration>,
    /// The argument whose SQL decides the effect of each call.
    pub sql: Option<String>,
    /// The argument whose GraphQL decides the effect of each call.
    pub graphql: Option<String>,
    /// The hosts that its addresses may lead to.
    pub hosts: Vec<HostPattern>,
    /// The definition as the operator saw it. Another one is not called.
    pub pin: Option<Digest>,
}

/// What process files do with a tool that the operator mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// What it does there.
    pub effect: Effect,
    /// The definition that the operator confirmed for that.
    pub pin: Option<Digest>,
}

impl Manifest {
    /// The same with a shipped manifest for a server.
    #[must_use]
    pub fn with_shipped(mut self, server: &str, shipped: &'static Shipped) -> Self {
        let stated = ServerStated { trust: Trust::Untrusted, shipped: None };
        self.servers.entry(server.to_owned()).or_insert(stated).shipped = Some(shipped);
        self
    }

    /// The same with what these processes do with tools. What one tells by and another changes by is left open.
    #[must_use]
    pub fn with_files(mut self, processes: &[Process]) -> Self {
        let answered = processes.iter().filter(|process| process.standing.is_answered_for());
        let mut wanted: BTreeMap<ToolName, BTreeSet<Effect>> = BTreeMap::new();
        for (tool, effect) in
            answered.flat_map(|process| process.file.tasks()).flat_map(purple_process::file::Task::tools)
        {
            wanted.entry(tool.clone()).or_default().insert(effect);
        }
        let only = |(tool, effects): (ToolName, BTreeSet<Effect>)| match Vec::from_iter(effects).as_slice() {
            [effect @ (Effect::Write | Effect::Notify)] => Some((tool, *effect)),
            _ => None,
        };
        self.files = wanted.into_iter().filter_map(only).collect();
        self.mapped = super::bind::mapped(&self.systems, processes);
        self
    }

    fn about(&self, definition: &Definition) -> Stated {
        self.tools.get(&id_of(definition)).cloned().unwrap_or_default()
    }
}

fn id_of(definition: &Definition) -> ToolId {
    let tool = ToolName::parse(definition.own_name()).unwrap_or_else(|_| definition.name.clone());
    ToolId { server: definition.server.clone(), tool }
}

/// One tool, with its effect decided.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) tool: Tool,
    pub(crate) definition: Definition,
    pub(crate) key: Option<KeyPlace>,
    pub(crate) deadline: Option<Duration>,
    /// Why it is not called, if its definition is not the one that the operator pinned.
    pub(crate) quarantined: Option<String>,
    naming: Naming,
}

/// The tools of a session, by name.
///
/// Stored as definitions only: an effect is never taken on trust, so it is decided again when they are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Catalogue {
    known: BTreeMap<ToolName, Known>,
    left_out: Vec<String>,
}

/// A stored catalogue that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the stored catalogue cannot be read: {0}")]
pub(crate) struct BadCatalogue(#[from] serde_json::Error);

/// The read that shows what a write did.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReadBack<'a> {
    pub(crate) tool: &'a Known,
    /// Parameters that take what the write was given under the same name.
    pub(crate) from_arguments: Vec<String>,
    /// Parameters that take what the write answered under the same name: ids of things that it made.
    pub(crate) from_reply: Vec<String>,
}

impl Catalogue {
    /// Decides the effect of everything that is offered. Of two tools with one name the first stays.
    pub(crate) fn new(listing: Listing, manifest: &Manifest) -> Self {
        let mut catalogue = Self { known: BTreeMap::new(), left_out: listing.left_out };
        let vendors = vendors(&listing.tools);
        for definition in listing.tools {
            let name = definition.name.clone();
            if catalogue.known.contains_key(&name) {
                catalogue.left_out.push(format!("`{name}` of {}: the name is taken", definition.server));
                continue;
            }
            let vendor = vendors.get(&definition.server).map_or(&[][..], Vec::as_slice);
            match Known::new(definition, manifest, vendor) {
                Ok(known) => {
                    catalogue.known.insert(name, known);
                }
                Err(reason) => catalogue.left_out.push(reason),
            }
        }
        catalogue
    }

    /// The definitions, to be stored.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, BadCatalogue> {
        let definitions: Vec<&Definition> = self.known.values().map(|known| &known.definition).collect();
        Ok(serde_json::to_vec(&definitions)?)
    }

    /// Reads stored definitions and decides effects by the manifest of today.
    pub(crate) fn from_bytes(bytes: &[u8], manifest: &Manifest) -> Result<Self, BadCatalogue> {
        let tools: Vec<Definition> = serde_json::from_slice(bytes)?;
        Ok(Self::new(Listing { tools, left_out: Vec::new() }, manifest))
    }

    pub(crate) fn get(&self, name: &ToolName) -> Option<&Known> {
        self.known.get(name)
    }

    /// All tools, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Known> {
        self.known.values()
    }

    /// What was left out, and why. For people.
    pub(crate) fn left_out(&self) -> &[String] {
        &self.left_out
    }

    pub(crate) fn tools_of(&self, effect: Effect) -> impl Iterator<Item = &Known> {
        self.known.values().filter(move |known| known.tool.effect() == effect)
    }

    /// Tools of which a call may have this effect: one that takes SQL may read and may write.
    pub(crate) fn tools_that_may(&self, effect: Effect) -> impl Iterator<Item = &Known> {
        self.known.values().filter(move |known| known.tool.may(effect))
    }

    /// Reads whose name speaks of schema, columns or structure.
    pub(crate) fn describe_tools(&self) -> impl Iterator<Item = &Known> {
        self.tools_of(Effect::Read).filter(|known| known.naming.describes())
    }

    /// Other tools with the same effect that do the same to the same: `fetch_invoice` beside `get_invoice`.
    pub(crate) fn synonyms<'a>(&'a self, of: &'a Known) -> impl Iterator<Item = &'a Known> {
        self.tools_of(of.tool.effect())
            .filter(move |known| known.tool.name() != of.tool.name() && known.naming.is_synonym(&of.naming))
    }

    /// The read that shows what a write did: by noun and shared parameters. Nothing if two fit equally well, and
    /// nothing for a notification, which no record shows.
    pub(crate) fn read_back_for(&self, write: &Known) -> Option<ReadBack<'_>> {
        if write.tool.effect() != Effect::Write {
            return None;
        }
        let mut best: Option<(Fit, ReadBack<'_>)> = None;
        let mut tie = false;
        for read in self.tools_of(Effect::Read) {
            let Some((fit, back)) = read_back(write, read) else { continue };
            match best.as_ref().map(|(known, _)| fit.cmp(known)) {
                Some(std::cmp::Ordering::Less) => {}
                Some(std::cmp::Ordering::Equal) => tie = true,
                Some(std::cmp::Ordering::Greater) | None => {
                    tie = false;
                    best = Some((fit, back));
                }
            }
        }
        best.filter(|_| !tie).map(|(_, back)| back)
    }
}

impl Known {
    fn new(definition: Definition, manifest: &Manifest, vendor: &[String]) -> Result<Self, String> {
        let name = &definition.name;
        let schema = Json::from_serde(&definition.input_schema)
            .map_err(|wrong| format!("`{name}` of {}: its schema: {wrong}", definition.server))?;
        let own = definition.own_name();
        let stated = manifest.about(&definition);
        let server = manifest.servers.get(&definition.server);
        let shipped = server.and_then(|server| server.shipped).and_then(|shipped| shipped.about(&definition));
        let mapped = manifest.mapped.get(&id_of(&definition));
        let confirmed = mapped.filter(|mapped| mapped.pin == Some(definition.digest()));
        let declared = Declared {
            // A confirmed mapping counts as a review.
            review: stated.effect.or_else(|| confirmed.map(|mapped| mapped.effect)),
            shipped: shipped.map(|shipped| shipped.effect),
            file: manifest
                .files
                .get(name)
                .copied()
                .or_else(|| mapped.map(|mapped| mapped.effect))
                .filter(|effect| matches!(effect, Effect::Write | Effect::Notify)),
            annotations: definition.annotations,
            server: server.map_or(Trust::Untrusted, |server| server.trust),
        };
        let naming = Naming::of(name.as_str(), &definition.server);
        let offered =
            Offered { name: own, description: definition.description.for_work(), schema: &schema, vendor };
        let tool = Tool::of_server(name.clone(), offered, declared);
        // What the operator says about a tool is not mixed with what is shipped about it.
        let sql = match stated.effect {
            None => stated.sql.clone().or_else(|| shipped.and_then(|shipped| shipped.sql.clone())),
            Some(_) => stated.sql.clone(),
        };
        let text = |argument: Option<String>, language| Some((argument?, ByArgument::Text(language)));
        let texts: Vec<(String, ByArgument)> =
            [text(sql, Language::Sql), text(stated.graphql.clone(), Language::Graphql)]
                .into_iter()
                .flatten()
                .collect();
        let tool = match (texts.is_empty(), stated.hosts.is_empty()) {
            (false, _) => tool.decided_per_call(&schema, texts),
            (true, false) => tool.reaching(offered, &stated.hosts),
            (true, true) => tool,
        };
        let quarantined = match stated.pin {
            Some(pin) if pin != definition.digest() => Some("it is not as the operator pinned it".to_owned()),
            Some(_) | None => None,
        };
        Ok(Self { tool, key: stated.key, deadline: stated.deadline, quarantined, naming, definition })
    }

    pub(crate) fn name(&self) -> &ToolName {
        self.tool.name()
    }

    /// The schema of one parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<&Value> {
        properties(&self.definition.input_schema)?.get(name)
    }

    /// The names of all parameters.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        properties(&self.definition.input_schema).into_iter().flat_map(Map::keys).map(String::as_str)
    }

    /// The parameters that must be given.
    pub(crate) fn required(&self) -> impl Iterator<Item = &str> {
        let listed = self.definition.input_schema.get("required").and_then(Value::as_array);
        listed.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Whether its answer has a field, as far as it says what it answers.
    pub(crate) fn answers(&self, field: &str) -> bool {
        let schema = self.definition.output_schema.as_ref();
        schema.and_then(properties).is_some_and(|fields| fields.contains_key(field))
    }
}

/// The words that repeat over the tools of each server.
fn vendors(tools: &[Definition]) -> BTreeMap<String, Vec<String>> {
    let mut names: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for definition in tools {
        names.entry(definition.server.clone()).or_default().push(definition.own_name());
    }
    names.into_iter().map(|(server, names)| (server, vendor_words(names.into_iter()))).collect()
}

/// How well a read shows a write; later fields decide where earlier ones are equal.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// The read is about exactly what the write is about.
    same_noun: bool,
    one_record: bool,
    keyed: Keyed,
    /// It is found by what the write names first.
    by_subject: bool,
    shared_words: usize,
    shared_parameters: usize,
    /// Fewer other words are better.
    plainness: std::cmp::Reverse<usize>,
}

/// Where the read's parameters come from, the worst first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Keyed {
    /// Only optional ones are shared: a list that can be narrowed.
    Narrowed,
    /// The write makes the thing, and its answer names it.
    ByReply,
    /// The write was given them.
    ByArguments,
}

fn read_back<'a>(write: &Known, read: &'a Known) -> Option<(Fit, ReadBack<'a>)> {
    let class = read.naming.class();
    if !matches!(class, VerbClass::One | VerbClass::Many) || read.naming.describes() {
        return None;
    }
    let shared_words = write.naming.shared_nouns(&read.naming);
    let given = |name: &&str| write.parameter(name).is_some();
    let (from_arguments, missing): (Vec<&str>, Vec<&str>) = read.required().partition(given);
    let keyed = if !missing.is_empty() {
        // The thing is new: its id is in the answer, and must be the id of what both names speak of.
        let told = |name: &&str| write.answers(name) || read.naming.is_id_of_noun(name);
        (from_arguments.is_empty() && missing.iter().all(told)).then_some(Keyed::ByReply)?
    } else if from_arguments.is_empty() {
        Keyed::Narrowed
    } else {
        Keyed::ByArguments
    };
    let optional = || read.parameters().filter(|name| !missing.contains(name)).filter(given);
    let narrowing: Vec<&str> = optional().filter(|name| is_id(name)).collect();
    // What was made is seen only in reads of just that; what was changed, also in reads of what it is a part of. What is
    // given nothing but ids changes the record of which they are.
    let by_id =
        || !from_arguments.is_empty() && from_arguments.iter().all(|name| read.naming.is_id_of_noun(name));
    let looks = !matches!(write.naming.class(), VerbClass::Make | VerbClass::Other);
    let only_ids = || !looks && write.required().all(is_id);
    let about = match write.naming.makes() {
        true => write.naming.is_kind_of(&read.naming),
        false => shared_words > 0 || (by_id() && only_ids()),
    };
    let reachable = match keyed {
        Keyed::ByArguments => true,
        Keyed::ByReply => write.naming.makes(),
        Keyed::Narrowed => !narrowing.is_empty(),
    };
    if !about || !reachable {
        return None;
    }
    let by_subject = write.required().next().is_some_and(|first| from_arguments.contains(&first));
    let from_arguments: Vec<String> = match keyed {
        Keyed::Narrowed => narrowing.into_iter().map(str::to_owned).collect(),
        Keyed::ByArguments | Keyed::ByReply => from_arguments.into_iter().map(str::to_owned).collect(),
    };
    let fit = Fit {
        same_noun: write.naming.nouns() == read.naming.nouns(),
        one_record: class == VerbClass::One,
        keyed,
        by_subject,
        shared_words,
        shared_parameters: from_arguments.len(),
        plainness: std::cmp::Reverse(read.naming.nouns().len()),
    };
    let from_reply = missing.into_iter().map(str::to_owned).collect();
    Some((fit, ReadBack { tool: read, from_arguments, from_reply }))
}

fn is_id(name: &str) -> bool {
    name == "id" || name.ends_with("_id") || name.ends_with("Id") || name == "reference" || name == "number"
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
