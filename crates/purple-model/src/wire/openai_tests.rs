use purple_port::ModelReply;

use super::super::fixture::{self, check_request, decoded, streamed};
use super::*;
use crate::endpoint::{Api, Delivery};

#[test]
fn a_conversation_is_said_with_tools_and_results() {
    check_request(
        Api::OpenAi,
        &fixture::conversation(),
        Delivery::Streamed,
        PATH,
        json!({
            "model": "m",
            "max_completion_tokens": 256,
            "stream": true,
            "stream_options": {"include_usage": true},
            "messages": [
                {"role": "system", "content": "Be exact."},
                {"role": "user", "content": "Find it."},
                {"role": "assistant", "content": "Looking.", "tool_calls": [
                    {"id": "call-1", "type": "function",
                        "function": {"name": "books_find", "arguments": r#"{"amount":0.10000000000000000001}"#}},
                    {"id": "call-2", "type": "function", "function": {"name": "gone", "arguments": "{}"}},
                ]},
                {"role": "tool", "tool_call_id": "call-1", "content": "found"},
                {"role": "tool", "tool_call_id": "call-2", "content": "error: no such tool"},
            ],
            "tools": [{"type": "function", "function": {"name": "books_find", "description": "Finds.",
                "parameters": {"type": "object", "properties": {}}}}],
            "temperature": fixture::number("0.7"),
            "seed": 4,
            "stop": ["END"],
        }),
    );
}

#[test]
fn a_plan_is_asked_for_with_its_schema() {
    let (request, schema) = fixture::plan();
    check_request(
        Api::OpenAi,
        &request,
        Delivery::Whole,
        PATH,
        json!({
            "model": "m",
            "max_completion_tokens": 256,
            "messages": [{"role": "system", "content": "Be exact."}, {"role": "user", "content": "Plan it."}],
            "response_format": {"type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema, "strict": false}},
            "temperature": fixture::number("0.7"),
            "seed": 4,
            "stop": ["END"],
        }),
    );
    let answer = r#"{"choices":[{"index":0,"message":{"content":"{\"steps\":[]}"},"finish_reason":"stop"}]}"#;
    assert_eq!(decoded(Api::OpenAi, &request, answer).unwrap().reply, ModelReply::text(r#"{"steps":[]}"#));
}

#[test]
fn without_offered_tools_none_are_sent() {
    let body = fixture::encoded(Api::OpenAi, &fixture::finalize(), Delivery::Whole).body;
    assert_eq!((body.get("tools"), body.get("tool_choice"), body.get("stream")), (None, None, None));
}

const WHOLE: &str = r#"{"id":"c1","object":"chat.completion","model":"gpt-x-1","choices":[{"index":0,"message":
    {"role":"assistant","content":"I look.","refusal":null,"tool_calls":[
        {"id":"call_a","type":"function","function":{"name":"books_find","arguments":"{\"amount\":10.10}"}},
        {"id":"call_b","type":"function","function":{"name":"invented","arguments":"{\"broken\":"}}]},
    "logprobs":null,"finish_reason":"tool_calls"}],
    "usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":64}}}"#;

const PIECES: &[&str] = &[
    r#"{"id":"c1","object":"chat.completion.chunk","model":"gpt-x-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
    r#"{"model":"gpt-x-1","choices":[{"index":0,"delta":{"content":"I "},"finish_reason":null}]}"#,
    r#"{"model":"gpt-x-1","choices":[{"index":0,"delta":{"content":"look."},"finish_reason":null}]}"#,
    r#"{"model":"gpt-x-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"books_find","arguments":""}}]},"finish_reason":null}]}"#,
    r#"{"model":"gpt-x-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"amount\":"}}]},"finish_reason":null}]}"#,
    r#"{"model":"gpt-x-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"invented","arguments":"{\"broken\":"}}]},"finish_reason":null}]}"#,
    r#"{"model":"gpt-x-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"10.10}"}}]},"finish_reason":null}]}"#,
    r#"{"model":"gpt-x-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
    r#"{"model":"gpt-x-1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":64}}}"#,
    "[DONE]",
];

#[test]
fn an_answer_is_the_same_at_once_and_in_pieces() {
    let request = fixture::conversation();
    let whole = decoded(Api::OpenAi, &request, WHOLE).unwrap();
    let (words, pieces) = streamed(Api::OpenAi, &request, PIECES);
    assert_eq!(pieces.as_ref(), Ok(&whole));
    assert_eq!(words, ["I ", "look."]);
    assert_eq!(whole.model.as_deref(), Some("gpt-x-1"));
    let reply = whole.reply;
    assert_eq!((reply.text.as_str(), &reply.finish), ("I look.", &FinishReason::ToolCalls));
    assert_eq!(reply.usage, Some(Usage { input_tokens: 100, output_tokens: 20, cached_tokens: Some(64) }));
    assert_eq!(reply.calls[0].name, "books.find");
    assert_eq!(reply.calls[0].arguments.to_string(), r#"{"amount":10.10}"#);
    // Broken arguments stay text, and an invented tool keeps its name.
    assert_eq!(
        (reply.calls[1].name.as_str(), &reply.calls[1].arguments),
        ("invented", &json!("{\"broken\":"))
    );
}

#[test]
fn a_stream_that_ends_early_is_cut_wherever_it_ends() {
    let request = fixture::conversation();
    for length in 0..8 {
        if length < 8 && PIECES[..length].iter().all(|event| !event.contains("\"finish_reason\":\"")) {
            assert_eq!(streamed(Api::OpenAi, &request, &PIECES[..length]).1, Err(BadAnswer::Cut), "{length}");
        }
    }
    // After the reason of the end only the usage can be missing.
    let reply = streamed(Api::OpenAi, &request, &PIECES[..8]).1.unwrap().reply;
    assert_eq!((reply.calls.len(), reply.usage), (2, None));
}

#[test]
fn every_reason_of_an_end_is_known() {
    let request = fixture::conversation();
    let unknown = FinishReason::Unknown { reason: "bored".to_owned() };
    let cases = [
        ("stop", FinishReason::ToolCalls, 2),
        ("tool_calls", FinishReason::ToolCalls, 2),
        ("length", FinishReason::Length, 0),
        ("content_filter", FinishReason::Filtered, 0),
        ("bored", unknown, 0),
    ];
    for (reason, finish, calls) in cases {
        let answer =
            WHOLE.replace("\"finish_reason\":\"tool_calls\"", &format!("\"finish_reason\":\"{reason}\""));
        let reply = decoded(Api::OpenAi, &request, &answer).unwrap().reply;
        assert_eq!((reply.finish, reply.calls.len()), (finish, calls), "{reason}");
    }
    let refused = WHOLE.replace("\"refusal\":null", "\"refusal\":\"I will not.\"");
    assert_eq!(decoded(Api::OpenAi, &request, &refused).unwrap().reply.finish, FinishReason::Filtered);
}

#[test]
fn errors_and_wrong_shapes_are_no_answers() {
    let request = fixture::conversation();
    let error = r#"{"error":{"message":"slow down","type":"rate_limit_error","code":null}}"#;
    let slow_down = BadAnswer::Error { kind: "rate_limit_error".to_owned(), message: "slow down".to_owned() };
    assert_eq!(decoded(Api::OpenAi, &request, error), Err(slow_down.clone()));
    assert_eq!(streamed(Api::OpenAi, &request, &[PIECES[0], error]).1, Err(slow_down));
    let missing = |field| Err(BadAnswer::Missing { field });
    assert_eq!(decoded(Api::OpenAi, &request, "{}"), missing("choices"));
    assert_eq!(decoded(Api::OpenAi, &request, r#"{"choices":[]}"#), missing("choices"));
    assert_eq!(decoded(Api::OpenAi, &request, r#"{"choices":{}}"#), missing("choices"));
    assert_eq!(
        decoded(Api::OpenAi, &request, r#"{"choices":[{"finish_reason":"stop"}]}"#),
        missing("message")
    );
    let odd = r#"{"choices":[{"message":{"content":7},"finish_reason":"stop"}]}"#;
    assert_eq!(decoded(Api::OpenAi, &request, odd), missing("content"));
    let unended = r#"{"choices":[{"message":{"content":"half"}}]}"#;
    assert_eq!(decoded(Api::OpenAi, &request, unended), Err(BadAnswer::Cut));
}

#[test]
fn services_that_send_objects_and_no_numbers_are_understood() {
    let request = fixture::conversation();
    let answer = r#"{"choices":[{"message":{"content":null,"tool_calls":[
        {"function":{"name":"books_find","arguments":{"a":1.50}}},
        {"function":{"name":"gone","arguments":""}}]},"finish_reason":"stop"}]}"#;
    let reply = decoded(Api::OpenAi, &request, answer).unwrap().reply;
    let shown: Vec<String> =
        reply.calls.iter().map(|call| format!("{} {}", call.name, call.arguments)).collect();
    assert_eq!(shown, [r#"books.find {"a":1.50}"#, "gone {}"]);
}

#[test]
fn a_long_description_and_many_stops_are_kept_within_the_limits() {
    let mut request = fixture::conversation();
    request.tools[0].description = "ä".repeat(1_000);
    request.sampling.stop = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
    let body = fixture::encoded(Api::OpenAi, &request, Delivery::Whole).body;
    assert_eq!(body["tools"][0]["function"]["description"].as_str().map(str::len), Some(1024));
    assert_eq!(body["stop"], json!(["a", "b", "c", "d"]));
}
