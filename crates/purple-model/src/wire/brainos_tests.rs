use purple_port::{Message, ModelReply, ToolCall};

use super::super::fixture::{self, FRESH, check_request, decoded, encoded, streamed};
use super::*;
use crate::endpoint::{Api, Delivery};

const TOOL_LINE: &str =
    r#"{"description":"Finds.","name":"books_find","parameters":{"properties":{},"type":"object"}}"#;

fn kept(id: &str) -> Option<Value> {
    Some(json!({KEEPSAKE: id}))
}

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments }
}

#[test]
fn a_first_request_says_everything_under_a_fresh_id() {
    let mut request = fixture::conversation();
    request.messages.truncate(2);
    check_request(
        Api::BrainOs,
        &request,
        Delivery::Streamed,
        PATH,
        json!({
            "conversationId": FRESH, "stream": true, "message": "Find it.",
            "extraParams": {"systemContext": format!("Be exact.\n\n{TOOLS}\n{TOOL_LINE}")},
        }),
    );
}

#[test]
fn what_it_asked_for_goes_back_as_results_of_the_same_conversation() {
    let mut request = fixture::conversation();
    if let Some(Message::Assistant { keepsake, .. }) = request.messages.get_mut(2) {
        *keepsake = kept("conv-7");
    }
    let body = encoded(Api::BrainOs, &request, Delivery::Streamed).body;
    assert_eq!((&body["conversationId"], &body["message"]), (&json!("conv-7"), &json!(RESULTS)));
    assert_eq!(
        body["toolResults"],
        json!([
            {"id": "call-1", "name": "books_find", "result": "found", "isError": false},
            {"id": "call-2", "name": "gone", "result": "no such tool", "isError": true},
        ])
    );
}

#[test]
fn what_somebody_else_answered_is_told_as_data() {
    let request = fixture::conversation();
    let body = encoded(Api::BrainOs, &request, Delivery::Streamed).body;
    assert_eq!((&body["conversationId"], body.get("toolResults")), (&json!(FRESH), None));
    let message = body["message"].as_str().unwrap();
    let lines = [
        "Find it.",
        "\n| Looking.\n",
        "called `books_find`",
        "\n| {\"amount\":0.10000000000000000001}\n",
        "\n| error: no such tool",
    ];
    let places: Vec<usize> = lines.iter().map(|line| message.find(line).unwrap()).collect();
    assert!(places.is_sorted(), "{message}");
}

#[test]
fn an_id_that_is_none_begins_a_conversation_anew() {
    for odd in [json!({KEEPSAKE: "a b"}), json!({KEEPSAKE: "x".repeat(200)}), json!({KEEPSAKE: 7}), json!([])]
    {
        let mut request = fixture::conversation();
        if let Some(Message::Assistant { keepsake, .. }) = request.messages.get_mut(2) {
            *keepsake = Some(odd.clone());
        }
        let body = encoded(Api::BrainOs, &request, Delivery::Streamed).body;
        assert_eq!(body["conversationId"], json!(FRESH), "{odd}");
    }
}

#[test]
fn a_plan_carries_its_schema_and_no_tools() {
    let (request, schema) = fixture::plan();
    let body = encoded(Api::BrainOs, &request, Delivery::Whole).body;
    let said = format!("Be exact.\n\n{NO_TOOLS}\n\n{SCHEMA}\n{schema}");
    assert_eq!(body["extraParams"]["systemContext"], json!(said));
}

#[test]
fn words_are_an_answer_once_the_stream_is_over() {
    let request = fixture::conversation();
    let events = [r#"{"text":"All "}"#, r#"{"status":"thinking"}"#, r#"{"text":"done."}"#, "[DONE]"];
    let (shown, reply) = streamed(Api::BrainOs, &request, &events);
    assert_eq!(shown, ["All ", "done."]);
    let wanted = ModelReply { keepsake: kept(FRESH), ..ModelReply::text("All done.") };
    assert_eq!(reply.unwrap().reply, wanted);
    let (_, cut) = streamed(Api::BrainOs, &request, &events[..3]);
    assert_eq!(cut.unwrap_err(), BadAnswer::Cut);
    let (_, flagged) = streamed(Api::BrainOs, &request, &[r#"{"text":"x"}"#, r#"{"done":true}"#]);
    assert_eq!(flagged.unwrap().reply.text, "x");
}

#[test]
fn an_answer_is_whole_in_itself_and_replaces_the_words_before_it() {
    let events = [
        r#"{"text":"Let me see"}"#,
        r#"{"answer":"42","conversationId":"c-9","model":"copilot-2","usage":{"input_tokens":5,"output_tokens":1}}"#,
    ];
    let decoded = streamed(Api::BrainOs, &fixture::conversation(), &events).1.unwrap();
    let usage = Usage { input_tokens: 5, output_tokens: 1, cached_tokens: None };
    let wanted = ModelReply { keepsake: kept("c-9"), ..ModelReply::text("42").costing(usage) };
    assert_eq!((decoded.reply, decoded.model.as_deref()), (wanted, Some("copilot-2")));
}

#[test]
fn calls_come_back_by_their_own_names_with_every_digit_and_before_any_answer() {
    let events = [
        r#"{"tool_call":{"id":"t1","name":"books_find","params":{"amount":0.10000000000000000001}}}"#,
        r#"{"tool_call":{"name":"rm -rf","arguments":"{\"a\":"}}"#,
        r#"{"answer":"Done already."}"#,
    ];
    let reply = streamed(Api::BrainOs, &fixture::conversation(), &events).1.unwrap().reply;
    let calls = vec![call("t1", "books.find", fixture::exact()), call("", "rm -rf", json!("{\"a\":"))];
    let wanted = ModelReply { text: "Done already.".to_owned(), ..ModelReply::calls(calls) };
    assert_eq!(reply, ModelReply { keepsake: kept(FRESH), ..wanted });
}

#[test]
fn what_came_at_once_is_read_like_one_event() {
    let reply = decoded(Api::BrainOs, &fixture::conversation(), r#"{"text":"ok"}"#).unwrap().reply;
    assert_eq!(reply.text, "ok");
}

#[test]
fn what_is_no_answer_is_refused() {
    let request = fixture::conversation();
    let cases = [
        (r#"{"error":{"type":"quota","message":"spent"}}"#, None),
        ("7", Some(BadAnswer::Missing { field: "event" })),
        (r#"{"tool_call":{"params":{}}}"#, Some(BadAnswer::Missing { field: "name" })),
        (r#"{"answer":[]}"#, Some(BadAnswer::Missing { field: "answer" })),
        ("{\"text\":", Some(BadAnswer::NotJson { line: 1, column: 8 })),
    ];
    for (event, wanted) in cases {
        let bad = streamed(Api::BrainOs, &request, &[event, "[DONE]"]).1.unwrap_err();
        match wanted {
            Some(wanted) => assert_eq!(bad, wanted, "{event}"),
            None => assert!(matches!(bad, BadAnswer::Error { .. }), "{bad:?}"),
        }
    }
    let empty = streamed(Api::BrainOs, &request, &["[DONE]"]).1.unwrap_err();
    assert_eq!(empty, BadAnswer::Missing { field: "answer" });
}
