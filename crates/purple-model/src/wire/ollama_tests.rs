use purple_port::ModelReply;

use super::super::fixture::{self, check_request, decoded, streamed};
use super::*;
use crate::endpoint::{Api, Delivery};

fn options() -> Value {
    json!({"num_predict": 256, "num_ctx": 16384, "temperature": fixture::number("0.7"), "seed": 8, "stop": ["END"]})
}

#[test]
fn a_conversation_goes_to_chat() {
    check_request(
        Api::Ollama,
        &fixture::conversation(),
        Delivery::Streamed,
        CHAT,
        json!({
            "model": "m",
            "stream": true,
            "options": options(),
            "messages": [
                {"role": "system", "content": "Be exact."},
                {"role": "user", "content": "Find it."},
                {"role": "assistant", "content": "Looking.", "tool_calls": [
                    {"function": {"name": "books_find", "arguments": fixture::exact()}},
                    {"function": {"name": "gone", "arguments": {}}},
                ]},
                {"role": "tool", "tool_name": "books_find", "content": "found"},
                {"role": "tool", "tool_name": "gone", "content": "error: no such tool"},
            ],
            "tools": [{"type": "function", "function": {"name": "books_find", "description": "Finds.",
                "parameters": {"type": "object", "properties": {}}}}],
        }),
    );
    let body = fixture::encoded(Api::Ollama, &fixture::finalize(), Delivery::Whole).body;
    assert_eq!((body.get("tools"), &body["stream"]), (None, &json!(false)));
}

#[test]
fn a_plan_goes_to_generate_with_its_schema() {
    let (request, schema) = fixture::plan();
    check_request(
        Api::Ollama,
        &request,
        Delivery::Whole,
        GENERATE,
        json!({
            "model": "m",
            "stream": false,
            "options": options(),
            "format": schema,
            "system": "Be exact.",
            "prompt": "Plan it.",
        }),
    );
    let answer = r#"{"model":"q","response":"{\"steps\":[1.10]}","done":true,"done_reason":"stop",
        "prompt_eval_count":7,"eval_count":3}"#;
    let usage = Usage { input_tokens: 7, output_tokens: 3, cached_tokens: None };
    let reply = decoded(Api::Ollama, &request, answer).unwrap().reply;
    assert_eq!(reply, ModelReply::text(r#"{"steps":[1.10]}"#).costing(usage));
    let lines = [
        r#"{"model":"q","response":"{\"steps\":","done":false}"#,
        r#"{"model":"q","response":"[1.10]}","done":false}"#,
        r#"{"model":"q","response":"","done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":3}"#,
    ];
    let (words, answer) = streamed(Api::Ollama, &request, &lines);
    assert_eq!((words, answer.unwrap().reply), (vec!["{\"steps\":".to_owned(), "[1.10]}".to_owned()], reply));
}

const WHOLE: &str = r#"{"model":"qwen-x","created_at":"t","message":{"role":"assistant","content":"I look.","thinking":"hm",
    "tool_calls":[{"function":{"name":"books_find","arguments":{"amount":10.10}}}]},
    "done":true,"done_reason":"stop","total_duration":1,"prompt_eval_count":100,"eval_count":20}"#;

const LINES: &[&str] = &[
    r#"{"model":"qwen-x","message":{"role":"assistant","content":"I "},"done":false}"#,
    r#"{"model":"qwen-x","message":{"role":"assistant","content":"look."},"done":false}"#,
    r#"{"model":"qwen-x","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"books_find","arguments":{"amount":10.10}}}]},"done":false}"#,
    r#"{"model":"qwen-x","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":100,"eval_count":20}"#,
];

#[test]
fn an_answer_is_the_same_at_once_and_in_pieces() {
    let request = fixture::conversation();
    let whole = decoded(Api::Ollama, &request, WHOLE).unwrap();
    let (words, pieces) = streamed(Api::Ollama, &request, LINES);
    assert_eq!(pieces.as_ref(), Ok(&whole));
    assert_eq!(words, ["I ", "look."]);
    assert_eq!(whole.model.as_deref(), Some("qwen-x"));
    let reply = whole.reply;
    assert_eq!((reply.text.as_str(), &reply.finish), ("I look.", &FinishReason::ToolCalls));
    assert_eq!(reply.usage, Some(Usage { input_tokens: 100, output_tokens: 20, cached_tokens: None }));
    // The loop gives the call its id.
    assert_eq!((reply.calls[0].id.as_str(), reply.calls[0].name.as_str()), ("", "books.find"));
    assert_eq!(reply.calls[0].arguments.to_string(), r#"{"amount":10.10}"#);
}

#[test]
fn a_stream_that_ends_early_is_cut_wherever_it_ends() {
    for length in 0..LINES.len() {
        let answer = streamed(Api::Ollama, &fixture::conversation(), &LINES[..length]).1;
        assert_eq!(answer, Err(BadAnswer::Cut), "after {length} lines");
    }
}

#[test]
fn every_reason_of_an_end_is_known() {
    let request = fixture::conversation();
    let unknown = FinishReason::Unknown { reason: "unload".to_owned() };
    let cases = [
        ("\"stop\"", FinishReason::ToolCalls, 1),
        ("null", FinishReason::ToolCalls, 1),
        ("\"length\"", FinishReason::Length, 0),
        ("\"unload\"", unknown, 0),
    ];
    for (reason, finish, calls) in cases {
        let answer = WHOLE.replace("\"done_reason\":\"stop\"", &format!("\"done_reason\":{reason}"));
        let reply = decoded(Api::Ollama, &request, &answer).unwrap().reply;
        assert_eq!((reply.finish, reply.calls.len()), (finish, calls), "{reason}");
    }
}

#[test]
fn errors_and_wrong_shapes_are_no_answers() {
    let request = fixture::conversation();
    let error = r#"{"error":"model 'm' not found"}"#;
    let not_found = BadAnswer::Error { kind: "error".to_owned(), message: "model 'm' not found".to_owned() };
    assert_eq!(decoded(Api::Ollama, &request, error), Err(not_found.clone()));
    assert_eq!(streamed(Api::Ollama, &request, &[LINES[0], error]).1, Err(not_found));
    let missing = |field| Err(BadAnswer::Missing { field });
    assert_eq!(decoded(Api::Ollama, &request, "{}"), missing("message"));
    assert_eq!(decoded(Api::Ollama, &request, r#"{"message":{}}"#), missing("done"));
    assert_eq!(
        decoded(Api::Ollama, &request, r#"{"message":{"content":"half"},"done":false}"#),
        Err(BadAnswer::Cut)
    );
    assert_eq!(decoded(Api::Ollama, &fixture::plan().0, r#"{"done":true}"#), missing("response"));
}
