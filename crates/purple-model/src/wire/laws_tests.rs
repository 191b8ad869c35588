//! What holds for every conversation and every answer.

use proptest::prelude::*;
use purple_port::{Message, ModelRequest, Purpose, Sampling, ToolCall, ToolDefinition};
use serde_json::{Value, json};

use super::names::fits;
use super::{BadRequest, encode, fixture};
use crate::endpoint::{Api, Delivery};

const APIS: [Api; 4] = [Api::Anthropic, Api::OpenAi, Api::Ollama, Api::BrainOs];

/// Few words, so that ids and names meet often, and some that no provider takes.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", " ", "a", "b", "a.b", "a_b", "ä\n", "call_1", "answer"])
        .prop_map(str::to_owned)
}

fn arguments() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({}),
        json!({"x": fixture::number("1.10")}),
        json!("{"),
        json!([1]),
        json!(null),
    ])
}

fn message() -> impl Strategy<Value = Message> {
    let call =
        (word(), word(), arguments()).prop_map(|(id, name, arguments)| ToolCall { id, name, arguments });
    let kept = prop::option::of(arguments());
    prop_oneof![
        word().prop_map(|text| Message::System { text }),
        word().prop_map(|text| Message::User { text }),
        (word(), prop::collection::vec(call, 0..4), kept)
            .prop_map(|(text, calls, keepsake)| Message::Assistant { text, calls, keepsake }),
        (word(), word(), word(), any::<bool>()).prop_map(|(call_id, tool, content, is_error)| {
            Message::Tool { call_id, tool, content, is_error }
        }),
    ]
}

fn request() -> impl Strategy<Value = ModelRequest> {
    let tool = (word(), word(), arguments()).prop_map(|(name, description, input_schema)| ToolDefinition {
        name,
        description,
        input_schema,
    });
    let sampling = (
        any::<Option<u16>>(),
        any::<Option<u16>>(),
        any::<Option<u64>>(),
        prop::collection::vec(word(), 0..6),
    )
        .prop_map(|(temperature_thousandths, top_p_thousandths, seed, stop)| Sampling {
            temperature_thousandths,
            top_p_thousandths,
            seed,
            stop,
        });
    (
        prop::sample::select(Purpose::ALL.to_vec()),
        prop::collection::vec(message(), 0..12),
        prop::collection::vec(tool, 0..4),
        prop::option::of(arguments()),
        sampling,
        any::<u32>(),
    )
        .prop_map(|(purpose, messages, tools, output_schema, sampling, output_tokens_max)| {
            ModelRequest { purpose, messages, tools, output_schema, sampling, output_tokens_max }
        })
}

fn text_of<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("no text `{field}` in {value}"))
}

fn list_of<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).map_or(&[], |list| list.as_array().unwrap())
}

fn is_said(text: &str) -> bool {
    !text.trim().is_empty()
}

/// Anthropic's rules, written from its documentation and not from our code.
fn check_anthropic(body: &Value) {
    let messages = list_of(body, "messages");
    let mut open: Vec<&str> = Vec::new();
    let mut used: Vec<&str> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let is_user = place % 2 == 0;
        assert_eq!(text_of(message, "role"), if is_user { "user" } else { "assistant" });
        let blocks = list_of(message, "content");
        assert!(!blocks.is_empty(), "empty content");
        let results: Vec<&str> = blocks
            .iter()
            .take_while(|block| block["type"] == "tool_result")
            .map(|block| text_of(block, "tool_use_id"))
            .collect();
        if is_user {
            assert_eq!(results, open, "every call has its result, first in the next message");
            open.clear();
        }
        for block in blocks.iter().skip(results.len()) {
            match text_of(block, "type") {
                "text" => assert!(is_said(text_of(block, "text"))),
                "tool_use" => {
                    assert!(!is_user && block["input"].is_object() && fits(text_of(block, "name")));
                    let id = text_of(block, "id");
                    assert!(fits(id) && !used.contains(&id), "id `{id}`");
                    open.push(id);
                    used.push(id);
                    let is_defined = list_of(body, "tools").iter().any(|tool| tool["name"] == block["name"]);
                    assert!(
                        is_defined || body["tool_choice"]["type"] == "tool",
                        "an undefined tool is mentioned"
                    );
                }
                other => panic!("`{other}` in a place where it may not be"),
            }
        }
        blocks.iter().take(results.len()).for_each(|block| assert!(is_said(text_of(block, "content"))));
    }
    assert!(messages.len() % 2 == 1 && open.is_empty(), "the last word is the caller's");
    for tool in list_of(body, "tools") {
        assert!(fits(text_of(tool, "name")) && tool["input_schema"]["type"] == "object");
    }
    assert!(body["max_tokens"].as_u64().unwrap() > 0);
    assert!(body.to_string().matches("cache_control").count() <= 4);
}

/// The rules of chat completions; Ollama's chat has no ids.
fn check_chat(body: &Value, has_ids: bool) {
    let messages = list_of(body, "messages");
    let mut open: Vec<&str> = Vec::new();
    let joined =
        |value: &'static str, message: &Value| if has_ids { message[value].is_string() } else { true };
    for (place, message) in messages.iter().enumerate() {
        let role = text_of(message, "role");
        match role {
            "system" => assert_eq!(place, 0),
            "user" => assert!(open.is_empty()),
            "assistant" => {
                assert!(open.is_empty());
                for call in list_of(message, "tool_calls") {
                    let function = &call["function"];
                    assert!(fits(text_of(function, "name")) && joined("id", call));
                    let arguments = match &function["arguments"] {
                        Value::String(text) if has_ids => serde_json::from_str(text).unwrap(),
                        other => other.clone(),
                    };
                    assert!(arguments.is_object());
                    open.push(if has_ids { text_of(call, "id") } else { text_of(function, "name") });
                }
            }
            "tool" => {
                let field = if has_ids { "tool_call_id" } else { "tool_name" };
                assert_eq!(text_of(message, field), open.remove(0));
            }
            other => panic!("role `{other}`"),
        }
        match message.get("content") {
            Some(content) => assert!(is_said(content.as_str().unwrap())),
            None => assert!(!list_of(message, "tool_calls").is_empty()),
        }
    }
    assert!(open.is_empty() && ["user", "tool"].contains(&text_of(messages.last().unwrap(), "role")));
    for tool in list_of(body, "tools") {
        assert!(
            fits(text_of(&tool["function"], "name")) && tool["function"]["parameters"]["type"] == "object"
        );
    }
}

#[track_caller]
fn check_brainos(body: &Value) {
    assert!(is_said(text_of(body, "message")) && !text_of(body, "conversationId").is_empty(), "{body}");
    assert!(is_said(text_of(&body["extraParams"], "systemContext")));
    for result in list_of(body, "toolResults") {
        assert!(fits(text_of(result, "id")) && fits(text_of(result, "name")), "{body}");
        assert!(is_said(text_of(result, "result")));
    }
}

proptest! {
    #[test]
    fn every_request_is_valid_or_says_nothing(request in request()) {
        let says_something = request.messages.iter().any(|message| match message {
            Message::System { .. } => false,
            Message::User { text } => is_said(text),
            Message::Assistant { text, calls, .. } => is_said(text) || !calls.is_empty(),
            Message::Tool { .. } => true,
        });
        for delivery in [Delivery::Whole, Delivery::Streamed] {
            for api in APIS {
                match encode(api, "m", &request, (delivery, fixture::FRESH)) {
                    Err(bad) => prop_assert!(bad == BadRequest::NothingToSay && !says_something),
                    Ok(encoded) => {
                        prop_assert!(says_something);
                        match (api, encoded.path) {
                            (Api::Anthropic, _) => check_anthropic(&encoded.body),
                            (Api::OpenAi, _) => check_chat(&encoded.body, true),
                            (Api::Ollama, "/api/chat") => check_chat(&encoded.body, false),
                            (Api::Ollama, _) => prop_assert!(is_said(text_of(&encoded.body, "prompt"))),
                            (Api::BrainOs, _) => check_brainos(&encoded.body),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for api in APIS {
            let reading = fixture::encoded(api, &fixture::conversation(), Delivery::Whole).reading;
            prop_assert!(reading.whole(&bytes).is_err());
            let _ = reading.problem(&bytes);
        }
    }

    #[test]
    fn no_json_makes_a_reader_panic(words in prop::collection::vec(piece(), 0..6), text in any::<String>()) {
        for api in APIS {
            for request in [fixture::conversation(), fixture::plan().0] {
                let reading = fixture::encoded(api, &request, Delivery::Streamed).reading;
                for word in &words {
                    let _ = reading.whole(word.to_string().as_bytes());
                }
                let mut pieces = reading.pieces();
                for word in &words {
                    let _ = pieces.take(&word.to_string());
                }
                let _ = pieces.take(&text);
                let _ = pieces.finish(&reading);
            }
        }
    }

    #[test]
    fn a_reply_that_is_not_complete_asks_for_nothing(words in prop::collection::vec(piece(), 0..6)) {
        for api in APIS {
            let reading = fixture::encoded(api, &fixture::conversation(), Delivery::Streamed).reading;
            let mut pieces = reading.pieces();
            words.iter().for_each(|word| { let _ = pieces.take(&word.to_string()); });
            if let Ok(decoded) = pieces.finish(&reading) {
                let reply = decoded.reply;
                prop_assert!(reply.finish.is_complete() || reply.calls.is_empty());
                prop_assert_eq!(reply.finish == purple_port::FinishReason::ToolCalls, !reply.calls.is_empty());
            }
        }
    }
}

/// JSON with the fields that readers look for, in any place and of any kind.
fn piece() -> impl Strategy<Value = Value> {
    const FIELDS: &[&str] = &[
        "type",
        "message",
        "content",
        "choices",
        "delta",
        "index",
        "content_block",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "input",
        "id",
        "text",
        "finish_reason",
        "stop_reason",
        "done",
        "done_reason",
        "usage",
        "error",
        "response",
        "model",
        "partial_json",
        "tool_call",
        "params",
        "answer",
        "conversationId",
    ];
    const WORDS: &[&str] = &[
        "text",
        "tool_use",
        "thinking",
        "text_delta",
        "input_json_delta",
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "stop",
        "tool_calls",
        "length",
        "{\"a\":1}",
        "",
    ];
    let leaf = prop_oneof![
        prop::sample::select(WORDS.to_vec()).prop_map(|word| json!(word)),
        (0_u64..3).prop_map(|number| json!(number)),
        any::<bool>().prop_map(|flag| json!(flag)),
        Just(Value::Null),
        Just(fixture::number("-1.5e400")),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((prop::sample::select(FIELDS.to_vec()), inner), 0..6)
                .prop_map(|pairs| pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}
