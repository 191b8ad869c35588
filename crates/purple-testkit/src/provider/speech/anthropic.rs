//! Anthropic Messages: <https://docs.anthropic.com/en/api/messages>.

use purple_worker::port::{Message, ToolCall, ToolDefinition};
use serde_json::{Value, json};

use super::{Form, Heard, Said, halves, list_of, neutral, no_name_twice, text_of, tool_name, words_of};

/// The description of tools that are defined only because the conversation mentions them.
const MENTIONED: &str = "Not available now.";

pub(super) fn hear(path: &str, body: &Value) -> Result<Heard, String> {
    if path != "/v1/messages" {
        return Err(format!("there is no `{path}` here"));
    }
    if body.get("max_tokens").and_then(Value::as_u64).is_none_or(|tokens| tokens == 0) {
        return Err("`max_tokens` is missing".to_owned());
    }
    let mut messages = Vec::new();
    let system: Vec<&str> =
        list_of(body, "system")?.iter().map(|block| words_of(block, "text")).collect::<Result<_, _>>()?;
    if !system.is_empty() {
        messages.push(Message::System { text: system.join("\n\n") });
    }
    let turns = list_of(body, "messages")?;
    if turns.is_empty() {
        return Err("`messages` is empty".to_owned());
    }
    let mut open: Vec<(String, String)> = Vec::new();
    for (turn, role) in turns.iter().zip(["user", "assistant"].into_iter().cycle()) {
        if text_of(turn, "role")? != role {
            return Err(format!("a turn of the {role} is due, and this came: {turn}"));
        }
        let blocks = list_of(turn, "content")?;
        if blocks.is_empty() {
            return Err(format!("a turn of the {role} says nothing"));
        }
        if role == "user" {
            messages.extend(caller(blocks, &mut open)?);
        } else {
            messages.push(model(blocks, &mut open)?);
        }
    }
    if turns.len().is_multiple_of(2) {
        return Err("the last turn is not the user's".to_owned());
    }
    let (tools, output_schema, form) = tools(body)?;
    for message in &messages {
        if let Message::Assistant { calls, .. } = message
            && let Some(call) = calls.iter().find(|call| {
                !list_of(body, "tools").is_ok_and(|all| all.iter().any(|tool| tool["name"] == *call.name))
            })
        {
            return Err(format!("`{}` was called and is not defined", call.name));
        }
    }
    let is_streamed = body.get("stream") == Some(&Value::Bool(true));
    let model = text_of(body, "model")?.to_owned();
    Ok(Heard { request: neutral(messages, tools, output_schema), is_streamed, model, form, bytes: 0 })
}

fn caller(blocks: &[Value], open: &mut Vec<(String, String)>) -> Result<Vec<Message>, String> {
    let mut said = Vec::new();
    for block in blocks {
        match text_of(block, "type")? {
            "text" if open.is_empty() => said.push(Message::user(words_of(block, "text")?)),
            "text" => return Err("results come before words".to_owned()),
            "tool_result" => {
                let id = text_of(block, "tool_use_id")?;
                let at = open.iter().position(|(open, _)| open == id);
                let (call_id, tool) = open.remove(at.ok_or_else(|| format!("nobody called `{id}`"))?);
                let content = text_of(block, "content")?.to_owned();
                let is_error = block.get("is_error") == Some(&Value::Bool(true));
                said.push(Message::Tool { call_id, tool, content, is_error });
            }
            other => return Err(format!("a user does not say `{other}`")),
        }
    }
    match open.first() {
        Some((id, _)) => Err(format!("`{id}` has no result")),
        None => Ok(said),
    }
}

fn model(blocks: &[Value], open: &mut Vec<(String, String)>) -> Result<Message, String> {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for block in blocks {
        match text_of(block, "type")? {
            "text" => text.push_str(words_of(block, "text")?),
            "tool_use" => {
                let (id, name) = (words_of(block, "id")?.to_owned(), tool_name(block)?);
                let arguments = block.get("input").filter(|input| input.is_object()).cloned();
                let arguments = arguments.ok_or_else(|| format!("`input` is no object in {block}"))?;
                if open.iter().any(|(other, _)| *other == id) {
                    return Err(format!("`{id}` is the id of two calls"));
                }
                open.push((id.clone(), name.clone()));
                calls.push(ToolCall { id, name, arguments });
            }
            "thinking" | "redacted_thinking" => {}
            other => return Err(format!("a model does not say `{other}`")),
        }
    }
    Ok(Message::Assistant { text, calls, keepsake: None })
}

fn tools(body: &Value) -> Result<(Vec<ToolDefinition>, Option<Value>, Form), String> {
    let mut tools = Vec::new();
    for tool in list_of(body, "tools")? {
        let input_schema = tool.get("input_schema").filter(|schema| schema["type"] == "object");
        let input_schema = input_schema.ok_or_else(|| format!("no schema of an object: {tool}"))?.clone();
        let description = tool.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        tools.push(ToolDefinition { name: tool_name(tool)?, description, input_schema });
    }
    no_name_twice(&tools)?;
    match body.pointer("/tool_choice/type").and_then(Value::as_str) {
        Some("tool") => {
            let [only] = tools.as_slice() else { return Err("one tool is to be called".to_owned()) };
            let whole = only.input_schema.clone();
            // Only objects can be arguments, so another schema stands in a field of one.
            let field = whole["properties"].as_object().is_some_and(|all| all.len() == 1)
                && whole["required"] == json!(["answer"]);
            let (schema, form) = if field {
                (whole["properties"]["answer"].clone(), Form::ForcedField)
            } else {
                (whole, Form::Forced)
            };
            Ok((Vec::new(), Some(schema), form))
        }
        Some("none") => Ok((Vec::new(), None, Form::Message)),
        Some(_) | None => {
            tools.retain(|tool| tool.description != MENTIONED);
            Ok((tools, None, Form::Message))
        }
    }
}

/// The blocks of a reply.
fn blocks(heard: &Heard, said: &Said<'_>) -> Vec<Value> {
    let reply = said.reply;
    let forced = |input: Value| {
        let id = format!("call_{}_answer", said.number);
        vec![json!({"type": "tool_use", "id": id, "name": "answer", "input": input})]
    };
    match heard.form {
        Form::Forced => forced(serde_json::from_str(&reply.text).unwrap_or_else(|_| json!({}))),
        Form::ForcedField => {
            let text = serde_json::from_str(&reply.text).unwrap_or_else(|_| json!(reply.text));
            forced(json!({"answer": text}))
        }
        Form::Message | Form::Completion => {
            let words = (!reply.text.is_empty()).then(|| json!({"type": "text", "text": reply.text}));
            let calls = reply.calls.iter().enumerate().map(|(at, call)| {
                json!({"type": "tool_use", "id": said.id(at), "name": call.name, "input": call.arguments})
            });
            words.into_iter().chain(calls).collect()
        }
    }
}

fn reason(heard: &Heard, said: &Said<'_>) -> String {
    match heard.form {
        Form::Forced | Form::ForcedField => said.finish(["tool_use", "tool_use", "max_tokens", "refusal"]),
        Form::Message | Form::Completion => said.finish(["end_turn", "tool_use", "max_tokens", "refusal"]),
    }
}

pub(super) fn whole(heard: &Heard, said: &Said<'_>) -> String {
    let (input, output) = said.tokens(heard);
    json!({
        "id": format!("msg_{}", said.number), "type": "message", "role": "assistant", "model": said.model,
        "content": blocks(heard, said), "stop_reason": reason(heard, said), "stop_sequence": null,
        "usage": {"input_tokens": input, "output_tokens": output},
    })
    .to_string()
}

pub(super) fn pieces(heard: &Heard, said: &Said<'_>) -> Vec<String> {
    let (input, output) = said.tokens(heard);
    let message = json!({
        "id": format!("msg_{}", said.number), "type": "message", "role": "assistant", "model": said.model,
        "content": [], "stop_reason": null, "usage": {"input_tokens": input, "output_tokens": 1},
    });
    let mut events = vec![json!({"type": "message_start", "message": message}), json!({"type": "ping"})];
    for (index, block) in blocks(heard, said).into_iter().enumerate() {
        let delta = |delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
        let (begin, deltas) = if block["type"] == "text" {
            let (one, two) = halves(block["text"].as_str().unwrap_or_default());
            let deltas = [one, two].map(|text| delta(json!({"type": "text_delta", "text": text})));
            (json!({"type": "text", "text": ""}), deltas)
        } else {
            let input = block["input"].to_string();
            let (one, two) = halves(&input);
            let deltas =
                [one, two].map(|text| delta(json!({"type": "input_json_delta", "partial_json": text})));
            let begin = json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}});
            (begin, deltas)
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": begin}));
        events.extend(deltas);
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": reason(heard, said), "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": output}}));
    events.push(json!({"type": "message_stop"}));
    let named =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(named).collect()
}
