//! Our client as the official MCP conformance kit starts it: the address of its server is the last argument.
//!
//! It lists the tools, calls each that it may with plausible arguments (or those of the kit), and answers questions
//! with their defaults in the place of a person. `checks/mcp-conformance` runs it.

#![expect(clippy::disallowed_methods, reason = "the kit says by variables what it wants")]

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;

use purple_testkit::{read_pass, write_pass};
use purple_tools::{Era, ServerConfig, ServerKind, ToolServers};
use purple_worker::port::{Answers, Asked, CallOptions, Called, Definition, Json, Tools, ToolsAt, Values};
use serde_json::{Map, Value};

const DEADLINE: Duration = Duration::from_secs(20);
/// How often one call may ask before it is given up.
const QUESTIONS_MAX: usize = 4;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().next_back().ok_or("no address")?;
    let modern =
        std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").is_ok_and(|version| version.as_str() >= "2026");
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context = serde_json::from_str::<Value>(&context).unwrap_or_default();
    let era = if modern { Era::Modern } else { Era::Legacy };
    let server = ServerConfig { name: "kit".to_owned(), kind: ServerKind::Url(url), era };
    let servers = ToolServers::new(vec![server])?.with_default_answers();
    let listing = servers.list(&ToolsAt::Configured).await?;
    let wanted = context.get("toolCalls").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut failed = Vec::new();
    for tool in &listing.tools {
        let told =
            wanted.iter().filter(|call| call.get("name").and_then(Value::as_str) == Some(tool.name.as_str()));
        let mut calls: Vec<Value> = told.filter_map(|call| call.get("arguments").cloned()).collect();
        if calls.is_empty() {
            calls.push(plausible(&tool.input_schema));
        }
        for arguments in calls {
            let called = call(&servers, tool, &arguments).await?;
            if !matches!(called, Called::Answered(_)) {
                failed.push(format!("`{}`: {called:?}", tool.name));
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ").into()) }
}

/// Calls a tool as the worker would, and answers its questions as a person would who takes every default.
async fn call(servers: &ToolServers, tool: &Definition, arguments: &Value) -> Result<Called, Box<dyn Error>> {
    let mut answers = None;
    for _ in 0..QUESTIONS_MAX {
        let values = values(arguments)?;
        if let Err(bad) = servers.check(tool, &values) {
            return Err(bad.into());
        }
        let name = tool.name.as_str();
        let pass = match read_pass(name, values.clone()) {
            Ok(pass) => pass,
            Err(_) => write_pass("ses_kit", name, values)?,
        };
        let options = CallOptions { deadline: DEADLINE, key: None, answers: answers.take() };
        match servers.call(&ToolsAt::Configured, pass, options).await {
            Called::Asked(asked) => answers = Some(defaults(*asked)),
            called => return Ok(called),
        }
    }
    Err(format!("`{}` asks again and again", tool.name).into())
}

fn values(arguments: &Value) -> Result<Values, Box<dyn Error>> {
    let fields = arguments.as_object().ok_or("arguments are a record")?;
    let mut values = Values::new();
    // What is null is left out, as the worker does with what is not known.
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        values.insert(name.clone(), Json::from_serde(value)?);
    }
    Ok(values)
}

fn defaults(asked: Asked) -> Answers {
    let given: BTreeMap<String, Value> =
        asked.questions.into_iter().map(|question| (question.id, plausible(&question.schema))).collect();
    Answers { given, state: asked.state }
}

/// A record that fits a schema: defaults where there are some.
fn plausible(schema: &Value) -> Value {
    let fields = schema.get("properties").and_then(Value::as_object);
    // What another place defines is left out; nothing is fetched.
    let here = fields.into_iter().flatten().filter(|(_, field)| field.get("$ref").is_none());
    let mut record: Map<String, Value> = here.map(|(name, field)| (name.clone(), one(field))).collect();
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        record.entry(name).or_insert_with(|| Value::from("a"));
    }
    Value::Object(record)
}

fn one(field: &Value) -> Value {
    if let Some(default) = field.get("default") {
        return default.clone();
    }
    if let Some(first) = field.get("enum").and_then(Value::as_array).and_then(|words| words.first()) {
        return first.clone();
    }
    match field.get("type").and_then(Value::as_str) {
        Some("boolean") => Value::Bool(true),
        Some("integer" | "number") => Value::from(5),
        Some("array") => Value::Array(Vec::new()),
        Some("object") => Value::Object(Map::new()),
        Some(_) | None => Value::from("a"),
    }
}
