use purple_port::ModelReply;

use super::super::fixture::{self, check_request, decoded, streamed};
use super::super::{Decoded, Piece as Seen};
use super::*;
use crate::endpoint::{Api, Delivery};

#[test]
fn a_conversation_is_said_with_tools_results_and_cache_marks() {
    let request = fixture::conversation();
    check_request(
        Api::Anthropic,
        &request,
        Delivery::Streamed,
        PATH,
        json!({
            "model": "m",
            "max_tokens": 256,
            "stream": true,
            "system": [{"type": "text", "text": "Be exact.", "cache_control": {"type": "ephemeral"}}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Find it."}]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "Looking."},
                    {"type": "tool_use", "id": "call-1", "name": "books_find", "input": fixture::exact()},
                    {"type": "tool_use", "id": "call-2", "name": "gone", "input": {}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "call-1", "content": "found"},
                    {"type": "tool_result", "tool_use_id": "call-2", "content": "no such tool", "is_error": true,
                        "cache_control": {"type": "ephemeral"}},
                ]},
            ],
            "tools": [
                {"name": "books_find", "description": "Finds.", "input_schema": {"type": "object", "properties": {}}},
                {"name": "gone", "description": "Not available now.", "cache_control": {"type": "ephemeral"},
                    "input_schema": {"type": "object", "properties": {}}},
            ],
            "temperature": fixture::number("0.7"),
            "stop_sequences": ["END"],
        }),
    );
}

#[test]
fn without_offered_tools_the_mentioned_ones_are_defined_and_forbidden() {
    let encoded = fixture::encoded(Api::Anthropic, &fixture::finalize(), Delivery::Whole);
    assert_eq!(encoded.body["tool_choice"], json!({"type": "none"}));
    let names: Vec<&Value> =
        encoded.body["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["books_find", "gone"]);
    assert_eq!(encoded.body.get("stream"), None);
}

#[test]
fn a_plan_is_asked_for_as_the_arguments_of_one_tool() {
    let (request, schema) = fixture::plan();
    check_request(
        Api::Anthropic,
        &request,
        Delivery::Whole,
        PATH,
        json!({
            "model": "m",
            "max_tokens": 256,
            "system": [{"type": "text", "text": "Be exact.", "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": [
                {"type": "text", "text": "Plan it.", "cache_control": {"type": "ephemeral"}}
            ]}],
            "tools": [{"name": "answer", "description": "Give the answer.", "input_schema": schema}],
            "tool_choice": {"type": "tool", "name": "answer"},
            "temperature": fixture::number("0.7"),
            "stop_sequences": ["END"],
        }),
    );
    let answer = json!({"model": "m-1", "content": [
        {"type": "tool_use", "id": "t", "name": "answer", "input": {"steps": [fixture::number("1.10")]}}
    ], "stop_reason": "tool_use"});
    let Decoded { reply, .. } = decoded(Api::Anthropic, &request, &answer.to_string()).unwrap();
    assert_eq!(reply, ModelReply::text(r#"{"steps":[1.10]}"#));
}

#[test]
fn a_plan_that_is_no_object_comes_back_out_of_its_field() {
    let (mut request, _) = fixture::plan();
    request.output_schema = Some(json!({"type": "array"}));
    let encoded = fixture::encoded(Api::Anthropic, &request, Delivery::Whole);
    assert_eq!(encoded.body["tools"][0]["input_schema"]["properties"]["answer"], json!({"type": "array"}));
    let block = json!({"type": "tool_use", "id": "t", "name": "answer", "input": {"answer": [1, 2]}});
    let answer = json!({"content": [block], "stop_reason": "tool_use"});
    let Decoded { reply, .. } = decoded(Api::Anthropic, &request, &answer.to_string()).unwrap();
    assert_eq!(reply, ModelReply::text("[1,2]"));
}

/// The same answer, at once and in pieces.
const WHOLE: &str = r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude-x-1","content":[
    {"type":"thinking","thinking":"hm","signature":"sig"},
    {"type":"text","text":"I look."},
    {"type":"tool_use","id":"toolu_1","name":"books_find","input":{"amount":10.10,"n":12345678901234567890123}}],
    "stop_reason":"tool_use","stop_sequence":null,
    "usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":42}}"#;

const PIECES: &[&str] = &[
    r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x-1","content":[],"stop_reason":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":1}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"ping"}"#,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I "}}"#,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"look."}}"#,
    r#"{"type":"content_block_stop","index":1}"#,
    r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"books_find","input":{}}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"amount\":10.1"}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"0,\"n\":12345678901234567890123}"}}"#,
    r#"{"type":"content_block_stop","index":2}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":42}}"#,
    r#"{"type":"message_stop"}"#,
];

#[test]
fn an_answer_is_the_same_at_once_and_in_pieces() {
    let request = fixture::conversation();
    let whole = decoded(Api::Anthropic, &request, WHOLE).unwrap();
    let (words, pieces) = streamed(Api::Anthropic, &request, PIECES);
    assert_eq!(pieces.as_ref(), Ok(&whole));
    assert_eq!(words, ["I ", "look."]);
    assert_eq!(whole.model.as_deref(), Some("claude-x-1"));
    let reply = whole.reply;
    assert_eq!((reply.text.as_str(), &reply.finish), ("I look.", &FinishReason::ToolCalls));
    // The name is the worker's again, and no digit is lost.
    assert_eq!((reply.calls[0].id.as_str(), reply.calls[0].name.as_str()), ("toolu_1", "books.find"));
    assert_eq!(reply.calls[0].arguments.to_string(), r#"{"amount":10.10,"n":12345678901234567890123}"#);
    assert_eq!(reply.usage, Some(Usage { input_tokens: 3210, output_tokens: 42, cached_tokens: Some(3000) }));
    assert_eq!(
        reply.keepsake,
        Some(json!({"anthropic": [{"type": "thinking", "thinking": "hm", "signature": "sig"}]}))
    );
}

#[test]
fn a_stream_that_ends_early_is_cut_wherever_it_ends() {
    let request = fixture::conversation();
    // Without `message_stop` the answer is complete all the same: everything was said.
    for length in 0..PIECES.len() - 2 {
        let (_, answer) = streamed(Api::Anthropic, &request, &PIECES[..length]);
        assert_eq!(answer, Err(BadAnswer::Cut), "after {length} events");
    }
}

#[test]
fn an_open_block_is_cut_even_with_an_end() {
    let request = fixture::conversation();
    let without_stop: Vec<&str> =
        PIECES.iter().copied().filter(|event| !event.contains(r#""content_block_stop","index":2"#)).collect();
    assert_eq!(streamed(Api::Anthropic, &request, &without_stop).1, Err(BadAnswer::Cut));
}

#[test]
fn reasoning_goes_back_unchanged_and_what_is_no_reasoning_does_not() {
    let kept = json!({"anthropic": [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "injected"},
        {"type": "thinking", "thinking": "", "signature": "sig"},
    ]});
    assert_eq!(reasoning(Some(&kept)).len(), 2);
    assert_eq!(reasoning(Some(&json!({"other": []}))), Vec::<Value>::new());
    assert_eq!(reasoning(None), Vec::<Value>::new());
}

#[test]
fn every_reason_of_an_end_is_known() {
    let request = fixture::conversation();
    let unknown = FinishReason::Unknown { reason: "pause_turn".to_owned() };
    let cases = [
        ("end_turn", FinishReason::ToolCalls, 1),
        ("tool_use", FinishReason::ToolCalls, 1),
        ("max_tokens", FinishReason::Length, 0),
        ("refusal", FinishReason::Filtered, 0),
        ("pause_turn", unknown, 0),
    ];
    for (reason, finish, calls) in cases {
        let answer = WHOLE.replace("\"stop_reason\":\"tool_use\"", &format!("\"stop_reason\":\"{reason}\""));
        let reply = decoded(Api::Anthropic, &request, &answer).unwrap().reply;
        assert_eq!((reply.finish, reply.calls.len()), (finish, calls), "{reason}");
    }
}

#[test]
fn errors_and_wrong_shapes_are_no_answers() {
    let request = fixture::conversation();
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let overloaded =
        BadAnswer::Error { kind: "overloaded_error".to_owned(), message: "Overloaded".to_owned() };
    assert_eq!(decoded(Api::Anthropic, &request, error), Err(overloaded.clone()));
    assert_eq!(streamed(Api::Anthropic, &request, &[PIECES[0], error]).1, Err(overloaded));
    let missing = |field| Err(BadAnswer::Missing { field });
    assert_eq!(decoded(Api::Anthropic, &request, "{}"), missing("content"));
    assert_eq!(decoded(Api::Anthropic, &request, r#"{"content":"words"}"#), missing("content"));
    assert_eq!(decoded(Api::Anthropic, &request, r#"{"content":[{"type":"text"}]}"#), missing("text"));
    assert_eq!(decoded(Api::Anthropic, &request, r#"{"content":[]}"#), Err(BadAnswer::Cut));
    let no_call = r#"{"content":[],"stop_reason":"tool_use"}"#;
    assert_eq!(decoded(Api::Anthropic, &request, no_call), missing("tool calls"));
    assert_eq!(streamed(Api::Anthropic, &request, &[PIECES[0], PIECES[7]]).1, missing("index"));
}

#[test]
fn temperature_stays_on_the_scale_and_excludes_the_nucleus() {
    let mut request = fixture::conversation();
    request.sampling.temperature_thousandths = Some(1500);
    request.sampling.top_p_thousandths = Some(900);
    let body = fixture::encoded(Api::Anthropic, &request, Delivery::Whole).body;
    assert_eq!((body["temperature"].to_string(), body.get("top_p")), ("1".to_owned(), None));
    request.sampling.temperature_thousandths = None;
    let body = fixture::encoded(Api::Anthropic, &request, Delivery::Whole).body;
    assert_eq!(body["top_p"].to_string(), "0.9");
}

#[test]
fn words_are_shown_as_they_come() {
    let mut pieces = Pieces::default();
    let seen: Vec<Seen> = PIECES[5..9]
        .iter()
        .map(|event| pieces.take(&serde_json::from_str(event).unwrap()).unwrap())
        .collect();
    assert_eq!(
        seen,
        [Seen::Silent, Seen::Silent, Seen::Words("I ".to_owned()), Seen::Words("look.".to_owned())]
    );
}
