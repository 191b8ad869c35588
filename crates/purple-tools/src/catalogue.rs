//! What servers offer: definitions read one by one, and the names under which they are called.

use std::collections::{BTreeMap, BTreeSet};

use purple_port::{Annotations, Definition, Listing, ToolName};
use serde_json::Value;

use crate::limits::DEFINITION_BYTES_MAX;
use crate::said::cut;

/// What one server answered to the question for its tools.
#[derive(Debug)]
pub(crate) struct Offer {
    /// Which of the servers, and its name.
    pub(crate) server: usize,
    pub(crate) name: String,
    /// The version that it gives itself.
    pub(crate) version: Option<String>,
    /// Its definitions as they came, or why there are none.
    pub(crate) tools: Result<Vec<Value>, String>,
}

/// Where a tool is, and what its server calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) server: usize,
    pub(crate) tool: String,
    pub(crate) promises_json: bool,
}

/// The tools that were seen so far.
///
/// A server that is down for a while keeps its names, so that a tool of another server never takes them over.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    /// Every server by its name, also those that were never up.
    servers: BTreeMap<usize, String>,
    seen: BTreeMap<usize, Seen>,
    routes: BTreeMap<ToolName, Route>,
}

#[derive(Debug)]
struct Seen {
    name: String,
    tools: BTreeMap<ToolName, Definition>,
}

impl Catalogue {
    /// Of these servers, by place. Nothing is known yet of what they offer.
    pub(crate) fn of(servers: impl Iterator<Item = String>) -> Self {
        Self { servers: servers.enumerate().collect(), ..Self::default() }
    }

    /// Where a name leads. `server__tool` leads to that server's tool whether or not another one is known to offer it
    /// too: the other one may only be down, or not asked yet.
    pub(crate) fn route(&self, name: &ToolName) -> Option<Route> {
        let qualified = || {
            self.seen.iter().find_map(|(server, seen)| {
                let own = name.as_str().strip_prefix(&seen.name)?.strip_prefix("__")?;
                let definition = seen.tools.get(&ToolName::parse(own).ok()?)?;
                Some(Route {
                    server: *server,
                    tool: own.to_owned(),
                    promises_json: definition.output_schema.is_some(),
                })
            })
        };
        self.routes.get(name).cloned().or_else(qualified)
    }

    /// Whether anything is known of a server.
    pub(crate) fn knows(&self, server: usize) -> bool {
        self.seen.contains_key(&server)
    }

    /// How a tool of a server differs from what was seen before, in words; nothing if it does not.
    pub(crate) fn difference(&self, server: usize, before: &Definition) -> Option<String> {
        let own = ToolName::parse(before.own_name()).ok();
        let now = self.seen.get(&server).zip(own.as_ref()).and_then(|(seen, own)| seen.tools.get(own));
        let Some(now) = now else { return Some("it is not offered any more".to_owned()) };
        let leads_there = |route: &Route| route.server == server && route.tool == before.own_name();
        if !self.route(&before.name).as_ref().is_some_and(leads_there) {
            return Some("another server offers a tool of its name now".to_owned());
        }
        let parts = [
            ("description", now.description != before.description),
            ("arguments", now.input_schema != before.input_schema),
            ("form of its answers", now.output_schema != before.output_schema),
            ("hints", now.annotations != before.annotations),
        ];
        let changed: Vec<&str> = parts.iter().filter(|(_, other)| *other).map(|(part, _)| *part).collect();
        (!changed.is_empty())
            .then(|| format!("changed since it was first seen: its {}", changed.join(", its ")))
    }

    /// Takes in what the servers said, and tells what can be called now.
    pub(crate) fn update(&mut self, offers: Vec<Offer>) -> Listing {
        let mut listing = Listing::default();
        let mut up = BTreeSet::new();
        for Offer { server, name, version, tools } in offers {
            match tools {
                Ok(raw) => {
                    up.insert(server);
                    let mut tools = read_all(&name, &raw, &mut listing.left_out);
                    tools.values_mut().for_each(|tool| tool.version.clone_from(&version));
                    self.seen.insert(server, Seen { name, tools });
                }
                Err(reason) => listing.left_out.push(format!("`{name}`: {reason}")),
            }
        }
        self.name_all(&mut listing, &up);
        listing
    }

    fn name_all(&mut self, listing: &mut Listing, up: &BTreeSet<usize>) {
        let mut offered: BTreeMap<&ToolName, usize> = BTreeMap::new();
        for tool in self.seen.values().flat_map(|seen| seen.tools.keys()) {
            *offered.entry(tool).or_default() += 1;
        }
        let mut routes = BTreeMap::new();
        for (server, seen) in &self.seen {
            for (tool, definition) in &seen.tools {
                let shared = offered.get(tool).is_some_and(|servers| *servers > 1);
                // A name that begins like `server__` would be taken for a name that was made here.
                let owner = self.servers.iter().find(|(_, name)| is_of(tool, name));
                if let Some((_, owner)) = owner.filter(|(owner, _)| *owner != server) {
                    listing.left_out.push(format!("`{}`: `{tool}` is a name of server `{owner}`", seen.name));
                    continue;
                }
                let name = if shared || owner.is_some() {
                    ToolName::parse(&format!("{}__{tool}", seen.name))
                } else {
                    Ok(tool.clone())
                };
                let route = Route {
                    server: *server,
                    tool: tool.as_str().to_owned(),
                    promises_json: definition.output_schema.is_some(),
                };
                match name {
                    Err(bad) => listing.left_out.push(format!("`{}`: {bad}", seen.name)),
                    Ok(name) if routes.contains_key(&name) => {
                        listing
                            .left_out
                            .push(format!("`{}`: `{name}` is the name of another tool", seen.name));
                    }
                    Ok(name) => {
                        routes.insert(name.clone(), route);
                        if up.contains(server) {
                            listing.tools.push(Definition { name, ..definition.clone() });
                        }
                    }
                }
            }
        }
        self.routes = routes;
        listing.tools.sort_by(|one, other| one.name.cmp(&other.name));
    }
}

/// Whether a name is one that is made here for a tool of this server.
fn is_of(tool: &ToolName, server: &str) -> bool {
    tool.as_str().strip_prefix(server).is_some_and(|rest| rest.starts_with("__"))
}

/// The definitions that can be read, by name; the others are left out by themselves.
fn read_all(server: &str, raw: &[Value], left_out: &mut Vec<String>) -> BTreeMap<ToolName, Definition> {
    let mut tools = BTreeMap::new();
    for (place, raw) in raw.iter().enumerate() {
        match read(server, raw) {
            Err(problem) => {
                let named = raw.get("name").and_then(Value::as_str).unwrap_or_default();
                let named = named.chars().take(ToolName::BYTES_MAX).collect::<String>();
                left_out.push(format!(
                    "`{server}`: tool {} `{}`: {problem}",
                    place + 1,
                    named.escape_debug()
                ));
            }
            Ok(tool) if tools.contains_key(&tool.name) => {
                left_out.push(format!(
                    "`{server}`: tool {} `{}`: the name comes twice",
                    place + 1,
                    tool.name
                ));
            }
            Ok(tool) => {
                tools.insert(tool.name.clone(), tool);
            }
        }
    }
    tools
}

/// Reads one definition, in the spelling of MCP or of a plain bridge.
fn read(server: &str, raw: &Value) -> Result<Definition, String> {
    let field =
        |names: [&str; 2]| names.iter().find_map(|name| raw.get(name)).filter(|value| !value.is_null());
    let name = raw.get("name").and_then(Value::as_str).ok_or("it has no name")?;
    let name = ToolName::parse(name).map_err(|bad| bad.to_string())?;
    if raw.to_string().len() > DEFINITION_BYTES_MAX {
        return Err(format!("it is longer than {DEFINITION_BYTES_MAX} bytes"));
    }
    let input_schema = match field(["inputSchema", "input_schema"]) {
        Some(schema @ Value::Object(_)) => schema.clone(),
        Some(_) => return Err("its schema is none".to_owned()),
        None => return Err("it has no schema".to_owned()),
    };
    let output_schema = field(["outputSchema", "output_schema"]).filter(|schema| schema.is_object()).cloned();
    let hint = |name: &str| raw.get("annotations").and_then(|hints| hints.get(name)).and_then(Value::as_bool);
    Ok(Definition {
        server: server.to_owned(),
        name,
        description: raw.get("description").and_then(Value::as_str).map(cut).unwrap_or_default().into(),
        input_schema,
        output_schema,
        annotations: Annotations { read_only: hint("readOnlyHint"), destructive: hint("destructiveHint") },
        version: None,
    })
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
