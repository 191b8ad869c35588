//! The demo company as somebody else's: every tool, parameter and field has another name, behind a plain HTTP bridge.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use jiff::civil::date;
use purple_backoffice::{Answer, Call, Office, Setup};
use purple_process::ToolName;
use purple_process::file::ProcessFile;
use purple_process::system::{CallMap, FieldMap, Fields, System};
use purple_tools::ServerKind;
use purple_worker::port::{Listing, Models, Tools as _, ToolsAt};
use purple_worker::{Manifest, Process, Settings};
use serde_json::{Map, Value, json};

use crate::house::{Door, House};

/// Names of rows that no schema lists.
const ROW_FIELDS: [&str; 8] =
    ["item", "quantity", "unit_price", "available", "reserved", "action", "amount", "currency"];

/// What the new names are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Style {
    /// They say nothing.
    Opaque,
    /// They say the same in other words.
    Plausible,
}

/// Words for words.
const WORDS: [(&str, [&str; 3]); 30] = [
    ("get", ["fetch", "read", "show"]),
    ("list", ["search", "find", "list_all"]),
    ("create", ["make", "add", "open"]),
    ("update", ["change", "edit", "modify"]),
    ("approve", ["release", "accept", "authorize"]),
    ("reject", ["refuse", "decline", "deny"]),
    ("apply", ["book", "grant", "post"]),
    ("revoke", ["remove", "withdraw", "disable"]),
    ("resolve", ["settle", "finish", "close"]),
    ("modify", ["change", "edit", "adjust"]),
    ("provision", ["set_up", "install", "start"]),
    ("invoice", ["bill", "supplier_bill", "statement"]),
    ("order", ["sale", "booking", "sales_doc"]),
    ("purchase", ["buying", "procurement", "supply"]),
    ("vendor", ["supplier", "creditor", "seller"]),
    ("customer", ["client", "debtor", "buyer"]),
    ("employee", ["worker", "staff", "colleague"]),
    ("contract", ["agreement", "deal", "terms_doc"]),
    ("expense", ["outlay", "spending", "trip_cost"]),
    ("claim", ["request", "demand", "filing"]),
    ("receivable", ["open_item", "debt", "due_item"]),
    ("dispute", ["complaint", "contest", "objection"]),
    ("incident", ["outage", "event", "trouble"]),
    ("status", ["state", "stage", "phase"]),
    ("total", ["gross", "sum", "full_value"]),
    ("amount", ["value", "figure", "worth"]),
    ("id", ["no", "key", "code"]),
    ("reason", ["note", "remark", "comment"]),
    ("subscription", ["plan_holding", "membership", "license"]),
    ("items", ["lines", "positions", "rows_of"]),
];

impl Style {
    fn name(self, seed: u64, name: &str) -> String {
        let word = |word: &str| {
            let own = WORDS.iter().find(|(own, _)| *own == word);
            own.map_or_else(|| word.to_owned(), |(_, others)| others[(seed % 3) as usize].to_owned())
        };
        match self {
            Self::Opaque => made(seed, name),
            Self::Plausible => {
                let renamed: Vec<String> = name.split('_').map(word).collect();
                renamed.join("_")
            }
        }
    }
}

/// New names for everything, and the way back.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    style: Style,
    seed: u64,
    fields: BTreeMap<String, String>,
    tools: BTreeMap<String, String>,
}

impl Names {
    /// Other names for everything that the company has.
    pub(crate) fn made(style: Style, seed: u64, office: &Office) -> Self {
        let mut vocabulary: BTreeSet<String> = ROW_FIELDS.map(str::to_owned).into();
        let (fields, tools) = Default::default();
        let mut names = Self { style, seed, fields, tools };
        for definition in office.definitions() {
            for schema in [&definition.input_schema, &definition.output_schema].into_iter().flatten() {
                collect(&Value::Object(schema.as_ref().clone()), &mut vocabulary);
            }
            names.tools.insert(definition.name.to_owned(), names.made_up(definition.name));
        }
        for name in vocabulary {
            let mut theirs = names.made_up(&name);
            // Two names never become one.
            while names.fields.values().any(|known| *known == theirs) {
                theirs.push_str("_2");
            }
            names.fields.insert(name, theirs);
        }
        // Amounts with their currency are one value everywhere.
        for money in ["amount", "currency"] {
            names.fields.insert(money.to_owned(), money.to_owned());
        }
        names
    }

    fn made_up(&self, name: &str) -> String {
        let mut theirs = self.style.name(self.seed, name);
        while self.tools.values().any(|known| *known == theirs) {
            theirs.push_str("_2");
        }
        theirs
    }

    pub(crate) fn field(&self, name: &str) -> String {
        self.fields.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    pub(crate) fn tool(&self, name: &str) -> String {
        self.tools.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    fn own_tool(&self, theirs: &str) -> Option<&str> {
        self.tools.iter().find(|(_, name)| *name == theirs).map(|(own, _)| own.as_str())
    }

    fn renamed(&self, value: &Value) -> Value {
        walk(value, &|name| self.field(name))
    }

    fn back(&self, value: &Value) -> Value {
        let own: BTreeMap<&String, &String> = self.fields.iter().map(|(own, theirs)| (theirs, own)).collect();
        walk(value, &|name| own.get(&name.to_owned()).map_or_else(|| name.to_owned(), |own| (*own).clone()))
    }

    /// A call as the company's tool takes it.
    pub(crate) fn arguments(&self, own: &Value) -> Value {
        self.renamed(own)
    }

    /// The mapping that an operator would write for these files.
    pub(crate) fn system(&self, files: &[&ProcessFile]) -> System {
        let mut system = System { name: "theirs".to_owned(), ..System::default() };
        for needs in files.iter().flat_map(|file| file.needs()) {
            let is_read = needs.effect == purple_process::Effect::Read;
            let call = CallMap {
                server: "office".to_owned(),
                tool: ToolName::parse(&self.tool(needs.tool.as_str())).unwrap(),
                is_read,
                pin: None,
                arguments: self.all(1),
                constants: purple_process::Values::new(),
                at: String::new(),
                fields: self.all(1),
            };
            system.calls.insert(needs.tool.to_string(), call);
        }
        system
    }

    /// Every field under its new name, and those within it.
    fn all(&self, depth: u8) -> Fields {
        let within = if depth == 0 { Fields::new() } else { self.all(depth - 1) };
        let one = |(own, theirs): (&String, &String)| {
            (own.clone(), FieldMap { at: theirs.clone(), within: within.clone(), ..FieldMap::default() })
        };
        self.fields.iter().map(one).collect()
    }
}

/// A name that says nothing, always the same for one seed.
fn made(seed: u64, name: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("q{:010x}", hash >> 24)
}

fn collect(schema: &Value, into: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get("properties") {
                into.extend(properties.keys().cloned());
            }
            fields.values().for_each(|inner| collect(inner, into));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect(inner, into)),
        _ => {}
    }
}

fn walk(value: &Value, name: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, inner)| (name(key), walk(inner, name))).collect())
        }
        Value::Array(items) => items.iter().map(|inner| walk(inner, name)).collect(),
        other => other.clone(),
    }
}

struct Theirs {
    office: Arc<Office>,
    names: Names,
}

async fn list(State(theirs): State<Arc<Theirs>>) -> Json<Value> {
    let one = |definition: purple_backoffice::Definition| {
        let schema = definition.input_schema.map(|schema| Value::Object(schema.as_ref().clone()));
        let schema = schema.unwrap_or_else(|| json!({"type": "object", "properties": {}}));
        let answers = definition.output_schema.map(|schema| Value::Object(schema.as_ref().clone()));
        json!({
            "name": theirs.names.tool(definition.name), "description": "A function of the company.",
            "input_schema": schema_renamed(&schema, &theirs.names),
            "output_schema": answers.map(|schema| schema_renamed(&schema, &theirs.names)),
        })
    };
    Json(theirs.office.definitions().into_iter().map(one).collect())
}

/// A schema whose properties have other names; the words of JSON Schema stay.
fn schema_renamed(schema: &Value, names: &Names) -> Value {
    match schema {
        Value::Object(fields) => {
            let one = |(key, inner): (&String, &Value)| {
                let inner = match (key.as_str(), inner) {
                    ("properties", Value::Object(properties)) => Value::Object(
                        properties
                            .iter()
                            .map(|(name, inner)| (names.field(name), schema_renamed(inner, names)))
                            .collect(),
                    ),
                    ("required", Value::Array(required)) => required
                        .iter()
                        .filter_map(Value::as_str)
                        .map(|name| json!(names.field(name)))
                        .collect(),
                    ("description" | "title" | "examples", _) => return None,
                    (_, inner) => schema_renamed(inner, names),
                };
                Some((key.clone(), inner))
            };
            Value::Object(fields.iter().filter_map(one).collect())
        }
        Value::Array(items) => items.iter().map(|inner| schema_renamed(inner, names)).collect(),
        other => other.clone(),
    }
}

async fn call(State(theirs): State<Arc<Theirs>>, Json(posted): Json<Value>) -> Json<Value> {
    let refused = |message: &str, code: &str| Json(json!({"error": message, "type": code}));
    let Some(tool) = posted["tool"].as_str().and_then(|tool| theirs.names.own_tool(tool)) else {
        return refused("no such function", "NOT_FOUND");
    };
    let Value::Object(arguments) = theirs.names.back(&posted["params"]) else {
        return refused("no arguments", "BAD_REQUEST");
    };
    let arguments: Map<String, Value> = arguments;
    match theirs.office.call(&Call::new(tool, arguments)).answer {
        Answer::Done(value) => Json(theirs.names.renamed(&value)),
        Answer::Refused { code, message } => refused(&message, code),
        Answer::InputRequired { message, .. } => refused(&message, "INPUT_REQUIRED"),
    }
}

/// What the operator of the other company set up.
pub(crate) struct Abroad {
    pub(crate) house: House,
    pub(crate) names: Names,
    pub(crate) listing: Listing,
}

/// The company abroad. `mapped` says whether the operator mapped the shipped processes; mappings are pinned to the tools as
/// they are.
pub(crate) async fn abroad(seed: u64, mapped: bool, settings: Settings) -> Abroad {
    abroad_in(Style::Opaque, seed, mapped, settings, |_| None).await
}

/// The same in a style, with a model that knows the names.
pub(crate) async fn abroad_in(
    style: Style,
    seed: u64,
    mapped: bool,
    settings: Settings,
    models: impl Fn(&Names) -> Option<Models>,
) -> Abroad {
    let office = Arc::new(Office::open(Setup::in_memory(date(2026, 3, 4))).unwrap());
    let names = Names::made(style, seed, &office);
    let models = models(&names);
    let theirs = Arc::new(Theirs { office: Arc::clone(&office), names: names.clone() });
    let router = Router::new().route("/mcp/tools", get(list)).route("/mcp", post(call)).with_state(theirs);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let kind = || ServerKind::Bridge(base.clone());
    let mut manifest = Manifest::default();
    let server =
        purple_tools::ServerConfig { name: "office".to_owned(), kind: kind(), era: purple_tools::Era::Auto };
    let tools = purple_tools::ToolServers::new(vec![server]).unwrap();
    let listing = tools.list(&ToolsAt::Configured).await.unwrap();
    if mapped {
        let shipped = Process::shipped().unwrap();
        let files: Vec<&ProcessFile> = shipped.iter().map(|process| &*process.file).collect();
        let mut system = names.system(&files);
        for call in system.calls.values_mut() {
            let it = listing.tools.iter().find(|tool| tool.own_name() == call.tool.as_str());
            call.pin = it.map(|tool| tool.digest());
        }
        manifest.systems = vec![system];
    }
    let settings = Settings { manifest: Arc::new(manifest), ..settings };
    let house = House::with_server((Door::Bridge, kind(), None), office, settings, models, false);
    Abroad { house, names, listing }
}
