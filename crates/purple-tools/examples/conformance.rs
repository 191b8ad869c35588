//! Our client as the official MCP conformance kit starts it: the address of its server is the last argument.
//!
//! It lists the tools, calls each that it may with plausible arguments (or those of the kit), and answers questions
//! with their defaults in the place of a person. Where the kit's server wants a login, it goes through the browser's
//! part of it by itself. `checks/mcp-conformance` runs it.

#![expect(clippy::disallowed_methods, reason = "the kit says by variables what it wants")]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use purple_port::{Answers, Asked, BoxFuture, CallOptions, Called, Definition, Json, Tools, ToolsAt, Values};
use purple_testkit::{read_pass, write_pass};
use purple_tools::{
    Consent, Era, Grant, Issuer, Keep, KnownClient, Logins, NoConsent, OAuth, Secret, ServerConfig,
    ServerKind, ToolServers,
};
use serde_json::{Map, Value, json};

const DEADLINE: Duration = Duration::from_secs(20);
/// How often one call may ask before it is given up.
const QUESTIONS_MAX: usize = 4;
/// The tool of the kit that takes a schema.
const ECHO: &str = "json_schema_echo";
/// The document that describes the client under test; the kit's authorization servers know it.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
/// Nobody listens there: the kit's authorization servers send back at once.
const BACK: &str = "http://localhost:3000/callback";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Somebody asks for an issuer before there is a client of ours.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = std::env::args().next_back().ok_or("no address")?;
    let modern =
        std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").is_ok_and(|version| version.as_str() >= "2026");
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context = serde_json::from_str::<Value>(&context).unwrap_or_default();
    let era = if modern { Era::Modern } else { Era::Legacy };
    let oauth = oauth(&url, &context).await?;
    let server = ServerConfig { name: "kit".to_owned(), kind: ServerKind::Url(url), era };
    let servers = ToolServers::new(vec![server])?.with_default_answers().with_logins(&Logins {
        servers: BTreeMap::from([("kit".to_owned(), oauth)]),
        consent: Some(Arc::new(Browser)),
        keep: Arc::new(Memory::default()),
        command: "log in to".to_owned(),
    });
    let listing = servers.list(&ToolsAt::Configured).await?;
    let wanted = context.get("toolCalls").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut failed = Vec::new();
    for tool in &listing.tools {
        let told =
            wanted.iter().filter(|call| call.get("name").and_then(Value::as_str) == Some(tool.name.as_str()));
        let mut calls: Vec<Value> = told.filter_map(|call| call.get("arguments").cloned()).collect();
        if calls.is_empty() {
            // The kit wants to see what is left of the schema of another tool once a client has read it.
            let other = listing.tools.iter().find(|other| other.name != tool.name);
            calls.push(match other {
                Some(other) if tool.name.as_str() == ECHO => json!({"schema": other.input_schema}),
                Some(_) | None => plausible(&tool.input_schema),
            });
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
            // A call never goes out twice by itself; here the caller wants it again, with the token that there is now.
            Called::Refused { code: Some(code), .. } if code == "TOKEN_RENEWED" => {}
            called => return Ok(called),
        }
    }
    Err(format!("`{}` asks again and again", tool.name).into())
}

/// What the kit tells about logging in.
async fn oauth(url: &str, context: &Value) -> Result<OAuth, Box<dyn Error>> {
    let told = |name: &str| context.get(name).and_then(Value::as_str).map(str::to_owned);
    let grant = match std::env::var("MCP_CONFORMANCE_SCENARIO") {
        Ok(scenario) if scenario.starts_with("auth/client-credentials") => Grant::Client,
        Ok(_) | Err(_) => Grant::Person,
    };
    let client = match (told("client_id"), told("client_secret")) {
        (Some(id), Some(secret)) => {
            let issuer = match told("issuer") {
                Some(issuer) => issuer,
                None => issuer_of(url).await?,
            };
            Some(KnownClient { id, secret: Some((Secret::new(secret), Issuer(issuer))) })
        }
        (Some(id), None) => Some(KnownClient { id, secret: None }),
        (None, _) => None,
    };
    Ok(OAuth { client, document: Some(DOCUMENT.to_owned()), scopes: Vec::new(), grant })
}

/// The issuer that an operator would have looked up.
async fn issuer_of(url: &str) -> Result<String, Box<dyn Error>> {
    let mut place = reqwest::Url::parse(url)?;
    place.set_path(&format!("/.well-known/oauth-protected-resource{}", place.path()));
    let metadata: Value = reqwest::get(place).await?.json().await?;
    let issuer = metadata.pointer("/authorization_servers/0").and_then(Value::as_str);
    Ok(issuer.ok_or("no authorization server")?.to_owned())
}

/// A person who agrees to everything, in a browser that shows nothing.
struct Browser;

impl Consent for Browser {
    fn redirect(&self) -> String {
        BACK.to_owned()
    }

    fn ask<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<String, NoConsent>> {
        Box::pin(async move {
            let why = |error: reqwest::Error| NoConsent { why: error.to_string() };
            let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build();
            let answer = http.map_err(why)?.get(address).send().await.map_err(why)?;
            let back = answer.headers().get("location").and_then(|back| back.to_str().ok());
            back.map(str::to_owned).ok_or_else(|| NoConsent { why: format!("{}", answer.status()) })
        })
    }
}

/// Logins for as long as the program runs.
#[derive(Default)]
struct Memory(Mutex<BTreeMap<String, Secret>>);

impl Keep for Memory {
    fn load(&self, server: &str) -> std::io::Result<Option<Secret>> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(server).cloned())
    }

    fn save(&self, server: &str, text: &Secret) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(server.to_owned(), text.clone());
        Ok(())
    }

    fn forget(&self, server: &str) -> std::io::Result<bool> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(server).is_some())
    }
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
