//! Binds the calls of a process file to the tools at hand, as the operator mapped them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use purple_process::file::{CallNeeds, ProcessFile, Task};
use purple_process::system::{Binding, BoundCall, CallMap, Form, System};
use purple_process::{Effect, Json};
use serde_json::Value;

use crate::execute::catalogue::{Catalogue, Known, Mapped, ToolId};
use crate::port::BlobHash;
use crate::run::{Phase, Run};
use crate::settings::Process;

/// Why a call of a file is not bound, by the tool of the file.
pub(crate) type Unbound = BTreeMap<String, String>;

impl Run<'_> {
    /// A process on the tools at hand, and why calls of it are not bound.
    pub(crate) fn on_catalogue(
        &self,
        process: &Process,
        catalogue: &Catalogue,
    ) -> (Arc<ProcessFile>, Unbound) {
        let (binding, unbound) = bind(&process.file, catalogue, &self.settings.manifest.systems);
        if binding.is_empty() {
            return (Arc::clone(&process.file), unbound);
        }
        (Arc::new(process.file.bound(&Arc::new(binding))), unbound)
    }

    /// Keeps what stands for the calls of a process in this run, so that a later mapping does not change it.
    pub(crate) async fn keep_binding(&mut self, process: &Process) -> Phase<Option<BlobHash>> {
        if self.settings.manifest.systems.is_empty() || self.session.catalogue.is_none() {
            return Ok(None);
        }
        let catalogue = self.catalogue().await?;
        let (binding, _) = bind(&process.file, &catalogue, &self.settings.manifest.systems);
        if binding.is_empty() {
            return Ok(None);
        }
        self.keep("binding", &binding).map(Some)
    }
}

/// What stands for the calls of a file, and for the records that rules look at; and why calls are not bound. A call that
/// is offered under the file's own name and is not mapped stands for itself.
pub(crate) fn bind(file: &ProcessFile, catalogue: &Catalogue, systems: &[System]) -> (Binding, Unbound) {
    let (mut binding, mut unbound) = (Binding::default(), Unbound::new());
    let systems: Vec<&System> = systems.iter().filter(|system| system.is_for(file.name())).collect();
    for needs in file.needs() {
        let tool = needs.tool.as_str();
        let maps = systems.iter().filter_map(|system| Some((*system, system.call(tool, needs.effect)?)));
        match one(maps.collect(), &needs, catalogue) {
            Some(Ok(bound)) => {
                binding.calls.insert(tool.to_owned(), bound);
            }
            Some(Err(why)) => {
                unbound.insert(tool.to_owned(), why);
            }
            None => {}
        }
    }
    for (name, map) in systems.iter().flat_map(|system| &system.calls).filter(|(_, map)| map.is_read) {
        if let (false, Ok(known)) = (binding.calls.contains_key(name), of(map, catalogue)) {
            let bound = BoundCall { tool: known.name().clone(), map: map.clone() };
            binding.calls.insert(name.clone(), bound);
        }
    }
    (binding, unbound)
}

/// The call that stands for one of the file; `None` where nothing is mapped.
fn one(
    maps: Vec<(&System, &CallMap)>,
    needs: &CallNeeds,
    catalogue: &Catalogue,
) -> Option<Result<BoundCall, String>> {
    let tool = &needs.tool;
    let mut found: Vec<(&System, BoundCall)> = Vec::new();
    let mut why = None;
    for (system, map) in maps {
        match of(map, catalogue).and_then(|known| filled(map, known, &needs.parameters)) {
            Ok(bound) => found.push((system, bound)),
            Err(wrong) => {
                why.get_or_insert(format!("`{tool}` is mapped by `{}`, and {wrong}", system.name));
            }
        }
    }
    match found.len() {
        0 => why.map(Err),
        1 => found.pop().map(|(_, bound)| Ok(bound)),
        _ => {
            let names: Vec<&str> = found.iter().map(|(system, _)| system.name.as_str()).collect();
            Some(Err(format!(
                "`{tool}` is mapped by each of {}: say which with `processes`",
                names.join(", ")
            )))
        }
    }
}

/// The tool of a map, as it is offered now.
fn of<'c>(map: &CallMap, catalogue: &'c Catalogue) -> Result<&'c Known, String> {
    let (server, tool) = (&map.server, &map.tool);
    let is_it =
        |known: &&Known| known.definition.server == *server && known.definition.own_name() == tool.as_str();
    let known = catalogue.iter().find(is_it).ok_or_else(|| format!("`{server}/{tool}` is not offered"))?;
    match map.pin {
        Some(pin) if pin != known.definition.digest() => Err(format!(
            "`{server}/{tool}` is not as it was confirmed: look at it, then `purple process bind`"
        )),
        Some(_) | None => Ok(known),
    }
}

/// The map with what the tool's schema says about its parameters; or what of it does not fit the tool.
fn filled(map: &CallMap, known: &Known, given: &BTreeSet<String>) -> Result<BoundCall, String> {
    let (server, tool) = (&map.server, &map.tool);
    let mut map = map.clone();
    let first = |path: &str| path.split('.').next().unwrap_or(path).to_owned();
    let mut fed: BTreeSet<String> = map.constants.keys().map(|path| first(path)).collect();
    for name in given {
        let field = map.arguments.entry(name.clone()).or_default();
        let path = if field.at.is_empty() { name.as_str() } else { &field.at };
        let parameter = first(path);
        let Some(schema) = known.parameter(&parameter) else {
            return Err(format!("`{server}/{tool}` has no parameter `{parameter}` for `{name}`"));
        };
        let schema =
            path.split('.').skip(1).try_fold(schema, |schema, step| schema.get("properties")?.get(step));
        field.form = schema.and_then(form);
        fed.insert(parameter);
    }
    for (name, value) in &mut map.constants {
        if let (Some(form), Json::Text(text)) = (known.parameter(name).and_then(form), &*value) {
            *value = constant(form, text)
                .ok_or_else(|| format!("`{name} = {text}` does not fit `{server}/{tool}`"))?;
        }
    }
    if let Some(missing) = known.required().find(|name| !fed.contains(*name)) {
        return Err(format!("`{server}/{tool}` needs `{missing}`, which nothing stands for"));
    }
    Ok(BoundCall { tool: known.name().clone(), map })
}

/// The type that a schema asks for, as far as it is a plain one.
fn form(schema: &Value) -> Option<Form> {
    match schema.get("type")?.as_str()? {
        "string" => Some(Form::Text),
        "integer" | "number" => Some(Form::Number),
        "boolean" => Some(Form::Flag),
        _ => None,
    }
}

fn constant(form: Form, text: &str) -> Option<Json> {
    match form {
        Form::Text => Some(Json::from(text)),
        Form::Number => purple_process::Number::parse(text).ok().map(Json::Number),
        Form::Flag => text.parse().ok().map(Json::Bool),
    }
}

/// What process files do with the tools that stand for theirs. What one reads and another changes is left open.
pub(crate) fn mapped(systems: &[System], processes: &[Process]) -> BTreeMap<ToolId, Mapped> {
    let mut wanted: BTreeMap<ToolId, (BTreeSet<Effect>, Option<purple_process::Digest>)> = BTreeMap::new();
    let mut want = |map: &CallMap, effect: Effect| {
        let id = ToolId { server: map.server.clone(), tool: map.tool.clone() };
        let (effects, pin) = wanted.entry(id).or_default();
        effects.insert(effect);
        *pin = pin.or(map.pin);
    };
    for system in systems {
        for map in system.calls.values().filter(|map| map.is_read) {
            want(map, Effect::Read);
        }
        for process in processes.iter().filter(|process| process.standing.is_answered_for()) {
            let is_for = system.is_for(process.file.name());
            let tools = process.file.tasks().iter().filter(|_| is_for).flat_map(Task::own_tools);
            for (tool, effect) in tools {
                if let Some(map) = system.call(tool.as_str(), effect) {
                    want(map, effect);
                }
            }
        }
    }
    let only = |(id, (effects, pin)): (ToolId, (BTreeSet<Effect>, _))| {
        let mut effects = effects.into_iter();
        let effect = effects.next().filter(|_| effects.next().is_none())?;
        Some((id, Mapped { effect, pin }))
    };
    wanted.into_iter().filter_map(only).collect()
}
