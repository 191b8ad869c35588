//! OpenAI chat completions: <https://platform.openai.com/docs/api-reference/chat>.

use purple_worker::port::{Message, ToolCall, ToolDefinition};
use serde_json::{Map, Value, json};

use super::{Form, Heard, Said, halves, list_of, neutral, no_name_twice, text_of, tool_name, words_of};

pub(super) fn hear(path: &str, body: &Value) -> Result<Heard, String> {
    if path != "/chat/completions" && path != "/v1/chat/completions" {
        return Err(format!("there is no `{path}` here"));
    }
    let mut open: Vec<(String, String)> = Vec::new();
    let mut messages = Vec::new();
    for message in list_of(body, "messages")? {
        let role = text_of(message, "role")?;
        if let ("system" | "user" | "assistant", Some((id, _))) = (role, open.first()) {
            return Err(format!("`{id}` has no result"));
        }
        messages.push(match role {
            "system" if messages.is_empty() => {
                Message::System { text: words_of(message, "content")?.to_owned() }
            }
            "user" => Message::user(words_of(message, "content")?),
            "assistant" => assistant(message, &mut open)?,
            "tool" => {
                let id = text_of(message, "tool_call_id")?;
                let at = open.iter().position(|(open, _)| open == id);
                let (call_id, tool) = open.remove(at.ok_or_else(|| format!("nobody called `{id}`"))?);
                let content = text_of(message, "content")?;
                let (content, is_error) =
                    content.strip_prefix("error: ").map_or((content, false), |said| (said, true));
                Message::Tool { call_id, tool, content: content.to_owned(), is_error }
            }
            other => return Err(format!("nobody is called `{other}`")),
        });
    }
    if messages.is_empty() || !open.is_empty() {
        return Err("the conversation has no end".to_owned());
    }
    let output_schema = body.pointer("/response_format/json_schema/schema").cloned();
    let request = neutral(messages, tools(body)?, output_schema);
    let is_streamed = body.get("stream") == Some(&Value::Bool(true));
    let model = text_of(body, "model")?.to_owned();
    Ok(Heard { request, is_streamed, model, form: Form::Message, bytes: 0 })
}

fn assistant(message: &Value, open: &mut Vec<(String, String)>) -> Result<Message, String> {
    let calls = list_of(message, "tool_calls")?;
    let text = match message.get("content") {
        None | Some(Value::Null) if !calls.is_empty() => "",
        _ => words_of(message, "content")?,
    };
    let mut asked = Vec::new();
    for call in calls {
        let function = call.get("function").ok_or_else(|| format!("no function in {call}"))?;
        let arguments: Value =
            serde_json::from_str(text_of(function, "arguments")?).map_err(|error| error.to_string())?;
        let (id, name) = (words_of(call, "id")?.to_owned(), tool_name(function)?);
        if text_of(call, "type")? != "function" || open.iter().any(|(other, _)| *other == id) {
            return Err(format!("no call of a function with an id of its own: {call}"));
        }
        open.push((id.clone(), name.clone()));
        asked.push(ToolCall { id, name, arguments });
    }
    Ok(Message::Assistant { text: text.to_owned(), calls: asked, keepsake: None })
}

pub(super) fn tools(body: &Value) -> Result<Vec<ToolDefinition>, String> {
    let mut tools = Vec::new();
    for tool in list_of(body, "tools")? {
        let function = tool.get("function").ok_or_else(|| format!("no function in {tool}"))?;
        let description = function.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        let input_schema = function.get("parameters").filter(|schema| schema["type"] == "object");
        let input_schema = input_schema.ok_or_else(|| format!("no schema of an object: {tool}"))?.clone();
        tools.push(ToolDefinition { name: tool_name(function)?, description, input_schema });
    }
    no_name_twice(&tools)?;
    Ok(tools)
}

fn reason(said: &Said<'_>) -> String {
    said.finish(["stop", "tool_calls", "length", "content_filter"])
}

fn call(said: &Said<'_>, at: usize, call: &ToolCall) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
    json!({"id": said.id(at), "type": "function", "function": function})
}

pub(super) fn whole(heard: &Heard, said: &Said<'_>) -> String {
    let (input, output) = said.tokens(heard);
    let reply = said.reply;
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    let words =
        if reply.text.is_empty() && !reply.calls.is_empty() { Value::Null } else { json!(reply.text) };
    message.insert("content".to_owned(), words);
    if !reply.calls.is_empty() {
        let calls = reply.calls.iter().enumerate().map(|(at, one)| call(said, at, one));
        message.insert("tool_calls".to_owned(), calls.collect());
    }
    json!({
        "id": format!("chatcmpl-{}", said.number), "object": "chat.completion", "model": said.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason(said)}],
        "usage": {"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output},
    })
    .to_string()
}

pub(super) fn pieces(heard: &Heard, said: &Said<'_>) -> Vec<String> {
    let (input, output) = said.tokens(heard);
    let chunk = |delta: Value, reason: Option<String>| {
        json!({
            "id": format!("chatcmpl-{}", said.number), "object": "chat.completion.chunk", "model": said.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        })
    };
    let mut chunks = vec![chunk(json!({"role": "assistant", "content": ""}), None)];
    if !said.reply.text.is_empty() {
        let (one, two) = halves(&said.reply.text);
        chunks.extend([one, two].map(|text| chunk(json!({"content": text}), None)));
    }
    for (index, asked) in said.reply.calls.iter().enumerate() {
        let arguments = asked.arguments.to_string();
        let (one, two) = halves(&arguments);
        let begin = json!({"name": asked.name, "arguments": one});
        let begin = json!({"index": index, "id": said.id(index), "type": "function", "function": begin});
        chunks.push(chunk(json!({"tool_calls": [begin]}), None));
        let rest = json!({"index": index, "function": {"arguments": two}});
        chunks.push(chunk(json!({"tool_calls": [rest]}), None));
    }
    chunks.push(chunk(json!({}), Some(reason(said))));
    let usage = json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output});
    chunks.push(json!({"model": said.model, "choices": [], "usage": usage}));
    let framed = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
    framed.chain(["data: [DONE]\n\n".to_owned()]).collect()
}
