//! Ollama: <https://github.com/ollama/ollama/blob/main/docs/api.md>.

use purple_worker::port::{Message, ToolCall};
use serde_json::{Value, json};

use super::{Form, Heard, Said, halves, list_of, neutral, openai, text_of, tool_name, words_of};

pub(super) fn hear(path: &str, body: &Value) -> Result<Heard, String> {
    let output_schema = body.get("format").cloned();
    let (messages, tools, form) = match path {
        "/api/generate" => (generate(body)?, Vec::new(), Form::Completion),
        "/api/chat" => (chat(body)?, openai::tools(body)?, Form::Message),
        other => return Err(format!("there is no `{other}` here")),
    };
    if messages.is_empty() {
        return Err("nothing was said".to_owned());
    }
    // Streaming is the default there.
    let is_streamed = body.get("stream") != Some(&Value::Bool(false));
    let model = text_of(body, "model")?.to_owned();
    Ok(Heard { request: neutral(messages, tools, output_schema), is_streamed, model, form, bytes: 0 })
}

fn generate(body: &Value) -> Result<Vec<Message>, String> {
    let mut messages = Vec::new();
    if body.get("system").is_some() {
        messages.push(Message::System { text: words_of(body, "system")?.to_owned() });
    }
    messages.push(Message::user(words_of(body, "prompt")?));
    Ok(messages)
}

fn chat(body: &Value) -> Result<Vec<Message>, String> {
    let mut messages = Vec::new();
    let mut open: Vec<(String, String)> = Vec::new();
    for (at, message) in list_of(body, "messages")?.iter().enumerate() {
        messages.push(match text_of(message, "role")? {
            "system" => Message::System { text: words_of(message, "content")?.to_owned() },
            "user" => Message::user(words_of(message, "content")?),
            "assistant" => {
                let mut calls = Vec::new();
                for (place, call) in list_of(message, "tool_calls")?.iter().enumerate() {
                    let function = call.get("function").ok_or_else(|| format!("no function in {call}"))?;
                    let arguments = function.get("arguments").filter(|it| it.is_object()).cloned();
                    let arguments = arguments.ok_or_else(|| format!("no arguments in {call}"))?;
                    let (id, name) = (format!("{at}_{place}"), tool_name(function)?);
                    open.push((id.clone(), name.clone()));
                    calls.push(ToolCall { id, name, arguments });
                }
                let text = if calls.is_empty() {
                    words_of(message, "content")?
                } else {
                    message.get("content").and_then(Value::as_str).unwrap_or_default()
                };
                Message::Assistant { text: text.to_owned(), calls, keepsake: None }
            }
            "tool" => {
                let name = text_of(message, "tool_name")?;
                let at = open.iter().position(|(_, tool)| tool == name);
                let (call_id, tool) = open.remove(at.ok_or_else(|| format!("nobody called `{name}`"))?);
                let content = text_of(message, "content")?;
                let (content, is_error) =
                    content.strip_prefix("error: ").map_or((content, false), |said| (said, true));
                Message::Tool { call_id, tool, content: content.to_owned(), is_error }
            }
            other => return Err(format!("nobody is called `{other}`")),
        });
    }
    Ok(messages)
}

/// One line: words, calls, or the end.
fn line(heard: &Heard, said: &Said<'_>, words: &str, calls: &[ToolCall]) -> Value {
    let mut line = json!({"model": said.model, "created_at": "2026-03-04T09:00:00Z", "done": false});
    match heard.form {
        Form::Completion => line["response"] = json!(words),
        Form::Message | Form::Forced | Form::ForcedField => {
            let mut message = json!({"role": "assistant", "content": words});
            if !calls.is_empty() {
                let call =
                    |call: &ToolCall| json!({"function": {"name": call.name, "arguments": call.arguments}});
                message["tool_calls"] = calls.iter().map(call).collect();
            }
            line["message"] = message;
        }
    }
    line
}

fn ended(heard: &Heard, said: &Said<'_>, mut line: Value) -> Value {
    let (input, output) = said.tokens(heard);
    line["done"] = json!(true);
    line["done_reason"] = json!(said.finish(["stop", "stop", "length", "content_filter"]));
    line["prompt_eval_count"] = json!(input);
    line["eval_count"] = json!(output);
    line
}

pub(super) fn whole(heard: &Heard, said: &Said<'_>) -> String {
    ended(heard, said, line(heard, said, &said.reply.text, &said.reply.calls)).to_string()
}

pub(super) fn pieces(heard: &Heard, said: &Said<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if !said.reply.text.is_empty() {
        let (one, two) = halves(&said.reply.text);
        lines.extend([one, two].map(|text| line(heard, said, text, &[])));
    }
    lines.extend(said.reply.calls.iter().map(|call| line(heard, said, "", std::slice::from_ref(call))));
    lines.push(ended(heard, said, line(heard, said, "", &[])));
    lines.iter().map(|line| format!("{line}\n")).collect()
}
