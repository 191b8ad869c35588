//! A language model that knows no task, no id and no kind: it acts on what its prompt contains, by the same few rules
//! every time.
//!
//! Told of a case like its task, it reads what that case read, works out what it worked out, and proposes what it did.
//! Told by a person what is to be done, it does that. Told nothing, it looks around in the order in which tools are
//! listed, and proposes the first operation whose arguments it happens to have.

use std::collections::BTreeMap;
use std::sync::Arc;

use purple_worker::port::{BoxFuture, FinishReason, Model, ModelError, ModelReply, ModelRequest};
use purple_worker::port::{Models, ToolCall};
use serde_json::{Map, Value, json};

use super::prompt::{Pattern, Prompt};

/// So many reads it makes, one after the other, before it has looked around enough.
const PATIENCE: usize = 6;
const PROPOSE: &str = "propose_operations";
/// Where the schema of that tool says what can be proposed.
const SIGNATURES: &str = "/properties/operations/items/properties/tool/description";
const CALCULATE: &str = "calculate";
/// Tools that only look at what it has.
const OWN: [&str; 3] = [PROPOSE, CALCULATE, "look_into"];

struct Novice;

/// The novice in both seats.
pub(crate) fn models() -> Models {
    let name = "a model that knows only its prompt".to_owned();
    let novice = Arc::new(Novice);
    Models { fast: novice.clone(), fast_name: name.clone(), strong: novice, strong_name: name }
}

impl Model for Novice {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(std::future::ready(Ok(answer(request))))
    }
}

fn answer(request: &ModelRequest) -> ModelReply {
    if let Some(schema) = &request.output_schema {
        return ModelReply::text(least(schema).to_string());
    }
    let prompt = Prompt::of(request);
    let calls = match prompt.state.as_str() {
        "ASSESS" => {
            let reads = reads(request, &prompt);
            if reads.is_empty() { proposal(request, &prompt).into_iter().collect() } else { reads }
        }
        "COMPUTE" => proposal(request, &prompt).into_iter().collect(),
        _ => Vec::new(),
    };
    if calls.is_empty() {
        return ModelReply::text(said(&prompt));
    }
    ModelReply { finish: FinishReason::ToolCalls, ..ModelReply::calls(calls) }
}

/// What it says where nothing is to be called: everything that it found, field by field.
fn said(prompt: &Prompt) -> String {
    let fields = prompt.records.iter().flat_map(|(_, _, record)| {
        record.iter().filter(|(_, value)| !value.is_object() && !value.is_array())
    });
    let lines: Vec<String> = fields.map(|(name, value)| format!("{name}: {}", plain(value))).collect();
    if lines.is_empty() {
        "Nothing more is to be done.".to_owned()
    } else {
        format!("Done. {}", lines.join(", "))
    }
}

/// The reads that are due.
fn reads(request: &ModelRequest, prompt: &Prompt) -> Vec<ToolCall> {
    let callable: Vec<(ToolCall, bool)> = request
        .tools
        .iter()
        .filter(|tool| !OWN.contains(&tool.name.as_str()))
        .filter_map(|tool| {
            let (arguments, by_id) = given(&tool.input_schema, &prompt.ids)?;
            Some((ToolCall { id: String::new(), name: tool.name.clone(), arguments }, by_id))
        })
        .collect();
    let is_new = |call: &ToolCall| {
        !prompt.calls.iter().any(|before| before.name == call.name && before.arguments == call.arguments)
    };
    if let Some(pattern) = &prompt.pattern {
        let known = |call: &ToolCall| pattern.reads.contains(&call.name);
        let wanted = callable.iter().filter(|(call, by_id)| *by_id && known(call));
        let wanted: Vec<ToolCall> = wanted.map(|(call, _)| call.clone()).collect();
        if !wanted.is_empty() {
            return wanted.into_iter().filter(is_new).collect();
        }
    }
    let looked = prompt.calls.iter().filter(|call| !OWN.contains(&call.name.as_str())).count();
    if looked < PATIENCE {
        return callable.into_iter().map(|(call, _)| call).find(is_new).into_iter().collect();
    }
    callable.into_iter().filter(|(call, by_id)| *by_id && is_new(call)).map(|(call, _)| call).collect()
}

/// The arguments of a read, where every one that it needs is an id that the task names; and whether it needs any.
fn given(schema: &Value, ids: &[String]) -> Option<(Value, bool)> {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut arguments = Map::new();
    for name in required.iter().filter_map(Value::as_str) {
        let about = schema.pointer(&format!("/properties/{name}/description"))?.as_str()?;
        let id = ids.iter().find(|id| has_example_like(about, id))?;
        arguments.insert(name.to_owned(), json!(id));
    }
    let by_id = !arguments.is_empty();
    Some((Value::Object(arguments), by_id))
}

/// Whether a description shows an id of the same letters: `such as CTR-441` for `CTR-433`.
fn has_example_like(about: &str, id: &str) -> bool {
    let letters = |id: &str| id.split(|sign: char| sign.is_ascii_digit()).next().map(str::to_owned);
    let shown = about.split_whitespace().map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric()));
    shown.filter(|word| super::prompt::is_id(word)).any(|word| letters(word) == letters(id))
}

/// What it proposes, or computes before that. Nothing, where it has proposed or may not.
fn proposal(request: &ModelRequest, prompt: &Prompt) -> Option<ToolCall> {
    let tool = request.tools.iter().find(|tool| tool.name == PROPOSE)?;
    let call =
        |name: &str, arguments: Value| ToolCall { id: String::new(), name: name.to_owned(), arguments };
    let offers = |name: &str| request.tools.iter().any(|tool| tool.name == name);
    if offers(CALCULATE)
        && let Some(expression) = expression(prompt)
        && !prompt.calls.iter().any(|call| call.arguments.get("expression") == Some(&json!(expression)))
    {
        return Some(call(CALCULATE, json!({"expression": expression})));
    }
    if prompt.calls.iter().any(|call| call.name == PROPOSE) {
        return None;
    }
    let told = tool.input_schema.pointer(SIGNATURES).and_then(Value::as_str).unwrap_or_default();
    let known: Vec<(String, Vec<String>)> = told.lines().filter_map(signature).collect();
    let chosen = chosen(&known, prompt);
    let operations: Vec<Value> = chosen
        .into_iter()
        .filter_map(|(name, parameters)| {
            let arguments = arguments(parameters, prompt)?;
            let check = check(name, &arguments, prompt);
            let mut operation = json!({"tool": name, "arguments": arguments});
            if !check.is_empty() {
                operation["check"] = Value::Object(check);
            }
            Some(operation)
        })
        .collect();
    Some(call(PROPOSE, json!({"operations": operations})))
}

/// What a later read will show: the amount that is given, and the state that people or a case like this one name.
fn check(name: &str, arguments: &BTreeMap<String, Value>, prompt: &Prompt) -> Map<String, Value> {
    let mut check = Map::new();
    if let Some(amount) = arguments.get("amount") {
        check.insert("amount".to_owned(), amount.clone());
    }
    if let Some((field, value)) = prompt.state_after() {
        check.insert(field, json!(value));
        return check;
    }
    let did = prompt.pattern.iter().flat_map(|pattern| &pattern.did).find(|(tool, _)| tool == name);
    let states = did.into_iter().flat_map(|(_, states)| states);
    check.extend(states.map(|(field, value)| (field.clone(), json!(value))));
    check
}

/// Which operations: those that people name, else those of a case like this one, else the first that can be filled.
fn chosen<'k>(known: &'k [(String, Vec<String>)], prompt: &Prompt) -> Vec<&'k (String, Vec<String>)> {
    let named: Vec<_> = known.iter().filter(|(name, _)| prompt.people_name(name)).collect();
    if !named.is_empty() {
        return named;
    }
    let did = prompt.pattern.as_ref().map(|pattern| pattern.did.as_slice()).unwrap_or_default();
    let is_recalled = |name: &String| did.iter().any(|(tool, _)| tool == name);
    let recalled: Vec<_> = known.iter().filter(|(name, _)| is_recalled(name)).collect();
    if !recalled.is_empty() {
        return recalled;
    }
    let fits = |one: &&(String, Vec<String>)| !one.1.is_empty() && arguments(&one.1, prompt).is_some();
    known.iter().find(fits).into_iter().collect()
}

/// `pause_subscription(subscription_id: string, note?: string): …` with what it needs.
fn signature(line: &str) -> Option<(String, Vec<String>)> {
    let (name, rest) = line.split_once('(')?;
    let (parameters, _) = rest.split_once("): ")?;
    let plain = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let names = parameters.split(", ").filter_map(|one| one.split_once(": ")).map(|(name, _)| name);
    let needed = names.filter(|name| !name.ends_with('?') && !name.is_empty());
    Some((name.to_owned(), needed.map(str::to_owned).collect()))
}

/// Values for all parameters, from what was read and computed; `None` where one has none.
fn arguments(parameters: &[String], prompt: &Prompt) -> Option<BTreeMap<String, Value>> {
    let field = |name: &str| {
        prompt
            .records
            .iter()
            .find_map(|(_, _, record)| record.get(name).filter(|value| !value.is_null()).cloned())
    };
    let value = |name: &String| -> Option<Value> {
        if name == "amount" {
            return prompt.computed.clone().or_else(|| field(name)).or_else(|| prompt.any_money());
        }
        if name == "reference" {
            return prompt.ids.last().map(|id| json!(format!("REF-{id}")));
        }
        field(name)
    };
    parameters.iter().map(|name| Some((name.clone(), value(name)?))).collect()
}

/// What is to be worked out: what people say in words, else what a case like this one worked out.
fn expression(prompt: &Prompt) -> Option<String> {
    let field_of = |field: &str| {
        prompt
            .records
            .iter()
            .find(|(_, _, record)| record.contains_key(field))
            .map(|(name, _, _)| name.clone())
    };
    if let Some((percent, field)) = prompt.share() {
        let record = field_of(&field)?;
        return Some(format!("round({record}.{field} * {percent} / 100, cents, half_even)"));
    }
    let Pattern { computed, .. } = prompt.pattern.as_ref()?;
    let mut expression = computed.first()?.clone();
    for (name, tool, _) in &prompt.records {
        expression = expression.replace(&format!("{tool}."), &format!("{name}."));
    }
    Some(expression)
}

/// The least that fits a form.
fn least(schema: &Value) -> Value {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let none = choices.iter().find(|choice| **choice == json!("none"));
        return none.or(choices.first()).cloned().unwrap_or_default();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            let fields = required.iter().filter_map(Value::as_str).map(|name| {
                let value = schema.pointer(&format!("/properties/{name}")).map_or(Value::Null, least);
                (name.to_owned(), value)
            });
            Value::Object(fields.collect())
        }
        Some("array") => json!([]),
        Some("boolean") => json!(false),
        Some("integer" | "number") => json!(0),
        Some(_) | None => json!(""),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
