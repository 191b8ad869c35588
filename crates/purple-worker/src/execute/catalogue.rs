//! The tools of a session: what each does to the world, and which belong together.

use std::collections::BTreeMap;
use std::time::Duration;

use purple_process::{BySql, Declared, Digest, Effect, Json, Tool, ToolName, Trust};
use serde_json::{Map, Value};

use crate::port::{Definition, KeyPlace, Listing};

use super::naming::{Naming, VerbClass, words};

/// What the operator says about tools: the `[tools]` part of the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// By the name under which a tool is called.
    pub tools: BTreeMap<ToolName, Stated>,
    /// By configured server: whether its hints may loosen an effect. A server that is not here is not trusted.
    pub servers: BTreeMap<String, Trust>,
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
    /// The definition as the operator saw it. Another one is not called.
    pub pin: Option<Digest>,
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
        for definition in listing.tools {
            let name = definition.name.clone();
            if catalogue.known.contains_key(&name) {
                catalogue.left_out.push(format!("`{name}` of {}: the name is taken", definition.server));
                continue;
            }
            match Known::new(definition, manifest) {
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
    fn new(definition: Definition, manifest: &Manifest) -> Result<Self, String> {
        let name = &definition.name;
        let schema = Json::from_serde(&definition.input_schema)
            .map_err(|wrong| format!("`{name}` of {}: its schema: {wrong}", definition.server))?;
        let own = definition.own_name();
        let stated = manifest.about(&definition.server, own, name);
        let declared = Declared {
            manifest: stated.effect,
            annotations: definition.annotations,
            server: manifest.servers.get(&definition.server).copied().unwrap_or(Trust::Untrusted),
        };
        let naming = Naming::of(name.as_str(), &definition.server);
        let tool = Tool::of_server(name.clone(), own, &schema, declared);
        let tool = match &stated.sql {
            Some(argument) => tool.with_sql(&schema, BySql::Decides, vec![argument.clone()]),
            None => match sql_arguments(&definition) {
                arguments if arguments.is_empty() => tool,
                arguments => tool.with_sql(&schema, BySql::Raises, arguments),
            },
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

impl Manifest {
    /// What is said about a tool: as `server__tool` first, then by the name under which it is called.
    ///
    /// Where two servers offer one name, what is said about that name alone was said about one of them; for the other
    /// it can only be strict.
    fn about(&self, server: &str, own: &str, name: &ToolName) -> Stated {
        let full = ToolName::parse(&format!("{server}__{own}")).ok();
        let exact = full.and_then(|full| self.tools.get(&full)).or_else(|| self.tools.get(name));
        if let Some(stated) = exact {
            return stated.clone();
        }
        let of_any = ToolName::parse(own).ok().and_then(|own| self.tools.get(&own));
        match of_any {
            Some(stated) if stated.effect == Some(Effect::Write) => {
                Stated { effect: Some(Effect::Write), ..Stated::default() }
            }
            Some(_) | None => Stated::default(),
        }
    }
}

/// The arguments that hold SQL, as far as names and descriptions say so.
fn sql_arguments(definition: &Definition) -> Vec<String> {
    // `sql`, and what is named after it: `mysql`, `postgresql`, `sqlite`.
    let speaks = |text: &str| words(text).iter().any(|word| word.contains("sql"));
    let told = speaks(definition.own_name()) || speaks(&definition.description);
    let holds = |(name, schema): (&String, &Value)| {
        let described = schema.get("description").and_then(Value::as_str).is_some_and(speaks);
        let statement = ["query", "queries", "statement", "statements"].contains(&name.as_str());
        (speaks(name) || (statement && (told || described))).then(|| name.clone())
    };
    properties(&definition.input_schema).into_iter().flatten().filter_map(holds).collect()
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
